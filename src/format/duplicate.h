/* SPDX-License-Identifier: Apache-2.0 */
/* Names that were given twice: keys of a map, columns of a table. */
#ifndef FCPS_FORMAT_DUPLICATE_H
#define FCPS_FORMAT_DUPLICATE_H

#include <stdbool.h>

/* Finds the first name that equals an earlier one. Sets `*second` to its index and `*first` to that of the earlier one;
 * both are -1 when all names differ. Returns false when there is no memory. */
bool fcps_duplicate_find(int count, const char *const *names, int *first, int *second);

#endif
