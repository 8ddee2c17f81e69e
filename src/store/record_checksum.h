/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of what a store keeps, by which it notices that something was changed after it was written. They are
 * written to files: what they cover, and in which order, never changes. */
#ifndef FCPS_STORE_RECORD_CHECKSUM_H
#define FCPS_STORE_RECORD_CHECKSUM_H

#include "store/store.h"

/* Of everything in a record, its sequence included. Rewards must be as they are read again: NaN for none, and no -0. */
uint64_t fcps_store_record_checksum(const fcps_journal_record *record);

/* Of a named text and its name. */
uint64_t fcps_store_text_checksum(const char *key, const char *text);

#endif
