/* SPDX-License-Identifier: Apache-2.0 */
/* FNV-1a, a checksum with 64 bits that shows when bytes were changed by accident.
 *
 * Each byte is a step that maps different checksums to different ones, and different bytes to different checksums. So
 * two runs of equal length that differ within one byte never have the same checksum. Other accidents go unnoticed about
 * once in 2^64. FNV-1a gives no protection against somebody who changes bytes on purpose. */
#ifndef FCPS_BASE_CHECKSUM_H
#define FCPS_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The checksum before the first byte. */
#define FCPS_CHECKSUM_START UINT64_C(14695981039346656037)

/* Returns the checksum continued by these bytes. */
uint64_t fcps_checksum_add(uint64_t checksum, const void *bytes, size_t size);

/* -- The name that git gives to contents -- */

/* The name that git gives to the contents of a file: SHA-1 of "blob SIZE", a zero byte and the bytes [fips180-4]. The
 * command `git log --find-object=NAME` finds the commit that has these contents. */

enum { FCPS_BLOB_ID_SIZE = 41 }; /* 40 digits and the end of the text */

void fcps_blob_id(const void *bytes, size_t size, char id[FCPS_BLOB_ID_SIZE]);

/* -- HMAC-SHA256 -- */

/* A text that only a holder of the key can have computed from a message [fips180-4; RFC 2104]. */

enum { FCPS_HMAC_SIZE = 65 }; /* 64 hexadecimal digits and the end of the text */

void fcps_hmac(const void *key, size_t key_size, const void *message, size_t size, char digits[FCPS_HMAC_SIZE]);

#endif
