/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of lost records as a text. What is not such a text is read as far as it is one: it then allows less. */
#include "store/lost_records.h"

#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number of at most 18 digits at *text, which moves past it. */
static bool read_number(const char **text, int64_t *number)
{
  const size_t digits = strspn(*text, "0123456789");
  if (digits == 0 || digits > 18) return false;
  *number = strtoll(*text, NULL, 10);
  *text += digits;
  return true;
}

/* The next range of the list, which moves past it; false at its end. */
static bool read_range(const char **list, int64_t *first, int64_t *last)
{
  if (*list == NULL) return false;
  *list += strspn(*list, ", ");
  if (!read_number(list, first)) return false;
  *last = *first;
  if (**list != '-') return true;
  ++*list;
  return read_number(list, last) && *last >= *first;
}

bool fcps_lost_has(const char *list, int64_t first, int64_t last)
{
  int64_t from, to;
  while (first <= last && read_range(&list, &from, &to))
    if (from <= first && first <= to) first = to + 1;
  return first > last;
}

int64_t fcps_lost_end(const char *list)
{
  int64_t from, to, end = 0;
  while (read_range(&list, &from, &to))
    end = to;
  return end;
}

int64_t fcps_lost_count(const char *list)
{
  int64_t from, to, count = 0;
  while (read_range(&list, &from, &to))
    count += to - from + 1;
  return count;
}

bool fcps_lost_add(fcps_lost_list *list, int64_t first, int64_t last)
{
  char range[64];
  const char *comma = list->length > 0 ? ", " : "";
  if (first == last)
    snprintf(range, sizeof range, "%s%" PRId64, comma, first);
  else
    snprintf(range, sizeof range, "%s%" PRId64 "-%" PRId64, comma, first, last);
  const size_t size = strlen(range);
  void *text = list->text;
  if (!fcps_reserve(&text, &list->capacity, list->length + size + 1, 1)) return false;
  list->text = text;
  memcpy(list->text + list->length, range, size + 1);
  list->length += size;
  return true;
}
