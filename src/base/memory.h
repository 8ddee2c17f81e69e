/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: every allocation of the library goes through here. Sizes are checked for overflow, new memory is zeroed, and
 * a failure is a NULL or false that the caller must handle. */
#ifndef FCPS_BASE_MEMORY_H
#define FCPS_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory for `count` items of `size` bytes each; NULL when there is no memory. A count of 0 gives a valid
 * pointer. */
void *fcps_allocate(size_t count, size_t size);

/* Makes the array `*items` hold at least `needed` items of `size` bytes each. It grows by half, keeps its contents and
 * zeroes the rest. Returns false and changes nothing when there is no memory. */
bool fcps_reserve(void **items, size_t *capacity, size_t needed, size_t size);

/* Copies `count` items; NULL when there is no memory. */
void *fcps_copy(const void *items, size_t count, size_t size);

/* Copies a string; NULL when there is no memory or `text` is NULL. */
char *fcps_copy_text(const char *text);

#endif
