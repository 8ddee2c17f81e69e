/* SPDX-License-Identifier: Apache-2.0 */
/* Checked allocation by calloc and realloc. New memory is zeroed, so results cannot depend on its earlier contents. */
#include "base/memory.h"

#include <fcps/base.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *fcps_allocate(size_t count, size_t size)
{
  if (size > 0 && count > SIZE_MAX / size) return NULL;
  /* at least 1 byte, because the system may return NULL for 0 bytes */
  return calloc(count > 0 ? count : 1, size > 0 ? size : 1);
}

bool fcps_reserve(void **items, size_t *capacity, size_t needed, size_t size)
{
  if (needed <= *capacity) return true;

  /* growth by half makes few copies and wastes little memory */
  size_t grown = *capacity + *capacity / 2;
  if (grown < needed) grown = needed;
  if (size == 0 || grown > SIZE_MAX / size) return false;

  char *memory = realloc(*items, grown * size);
  if (memory == NULL) return false;
  memset(memory + *capacity * size, 0, (grown - *capacity) * size);
  *items = memory;
  *capacity = grown;
  return true;
}

void *fcps_copy(const void *items, size_t count, size_t size)
{
  void *copy = fcps_allocate(count, size);
  if (copy != NULL && count > 0 && size > 0) memcpy(copy, items, count * size);
  return copy;
}

char *fcps_copy_text(const char *text)
{
  return text != NULL ? fcps_copy(text, strlen(text) + 1, 1) : NULL;
}

void fcps_free(void *memory)
{
  free(memory);
}
