/* SPDX-License-Identifier: Apache-2.0 */
/* The name that git gives to the contents of a file: SHA-1 of "blob SIZE", a zero byte and the bytes [fips180-4].
 * Whoever has the name finds the commit that has the file: git log --find-object=NAME. */
#ifndef FCPS_BASE_BLOB_ID_H
#define FCPS_BASE_BLOB_ID_H

#include <stddef.h>

enum { FCPS_BLOB_ID_SIZE = 41 }; /* 40 digits and the end of the text */

void fcps_blob_id(const void *bytes, size_t size, char id[FCPS_BLOB_ID_SIZE]);

#endif
