/* SPDX-License-Identifier: Apache-2.0 */
/* By what a store notices that records were changed or are missing: checksums, and the list of those that may be missing.
 *
 * Checksums are written to files: what they cover, and in which order, never changes.
 *
 * The checksum is in the row, not in the page, so a changed record can be refused by its number and all others
 * saved; SQLite itself notices damage to its structure, not to a number. FNV-1a notices every change within one
 * byte. Numbers of records have no gaps, so a missing one is noticed too. */
#ifndef FCPS_STORE_INTEGRITY_H
#define FCPS_STORE_INTEGRITY_H

#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The checksum of everything in a record, its sequence included. Rewards must be as they are read again: NaN for none,
 * and no -0. */
uint64_t fcps_store_record_checksum(const fcps_journal_record *record);

/* The checksum of a named text and its name. */
uint64_t fcps_store_text_checksum(const char *key, const char *text);

/* -- Lost records -- */

/* The numbers of records that a repair could not save, as a text: "3, 7-9". They grow from left to right. Only these
 * records may be missing from a journal. */

/* The name under which a store keeps the text. */
#define FCPS_LOST_KEY "lost"

/* Tells whether all of first ... last are in the list; NULL is the empty list. */
bool fcps_lost_has(const char *list, int64_t first, int64_t last);

/* The last number of the list; 0: none. */
int64_t fcps_lost_end(const char *list);

/* How many numbers are in the list. */
int64_t fcps_lost_count(const char *list);

/* A list that is being written; freed by freeing its text, which is NULL while it is empty. */
typedef struct fcps_lost_list {
  char *text;
  size_t length, capacity;
} fcps_lost_list;

/* Appends first ... last, which are above all others; false without memory. */
bool fcps_lost_add(fcps_lost_list *list, int64_t first, int64_t last);

#endif
