/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation of the library goes through these functions. Sizes are checked for overflow, and new memory is
 * zeroed. A failure is a NULL or a false, which the caller must handle. */
#ifndef FCPS_BASE_MEMORY_H
#define FCPS_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Returns zeroed memory for `count` items of `size` bytes each; NULL if there is no memory. A count of 0 also gives a
 * valid pointer. The caller frees it with free. */
void *fcps_allocate(size_t count, size_t size);

/* Makes the array `*items` hold at least `needed` items of `size` bytes each. The array grows by half, keeps its
 * contents, and its new part is zeroed. Returns false and changes nothing if there is no memory. */
bool fcps_reserve(void **items, size_t *capacity, size_t needed, size_t size);

/* Returns a copy of `count` items; NULL if there is no memory. */
void *fcps_copy(const void *items, size_t count, size_t size);

/* Returns a copy of a string; NULL if there is no memory or `text` is NULL. */
char *fcps_copy_text(const char *text);

#endif
