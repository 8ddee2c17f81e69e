/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: every allocation of the library goes through here, checked for overflow. */
#ifndef FCPS_BASE_MEMORY_H
#define FCPS_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory for `count` items of `size` bytes; NULL when there is none. A count of 0 gives a valid pointer. */
void *fcps_allocate(size_t count, size_t size);

/* Makes `*items` (of `size` bytes each) hold at least `needed`; grows by half, keeps the contents, zeroes the rest.
 * Returns false and changes nothing when there is no memory. */
bool fcps_reserve(void **items, size_t *capacity, size_t needed, size_t size);

/* Copies `count` items; NULL when there is no memory. */
void *fcps_copy(const void *items, size_t count, size_t size);

/* Copies a string; NULL when there is no memory or `text` is NULL. */
char *fcps_copy_text(const char *text);

#endif
