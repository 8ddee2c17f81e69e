/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of records and named texts.
 *
 * Every value has a fixed size, or its length stands before it, so that no two records are the same bytes. Integers and
 * numbers are little-endian, 8 bytes each. A row of numbers that is absent has the length -1; a reward that is absent
 * is a NaN, of which all count as the same. */
#include "store/integrity.h"

#include "base/checksum.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "checksums are over little-endian numbers");

static uint64_t add_integer(uint64_t checksum, int64_t value)
{
  return fcps_checksum_add(checksum, &value, sizeof value);
}

static uint64_t add_reward(uint64_t checksum, double value)
{
  checksum = add_integer(checksum, isnan(value));
  return isnan(value) ? checksum : fcps_checksum_add(checksum, &value, sizeof value);
}

static uint64_t add_numbers(uint64_t checksum, const fcps_numbers *numbers)
{
  if (numbers->values == NULL) return add_integer(checksum, -1);
  checksum = add_integer(checksum, numbers->count);
  return fcps_checksum_add(checksum, numbers->values, (size_t)numbers->count * sizeof *numbers->values);
}

static uint64_t add_text(uint64_t checksum, const char *text)
{
  const size_t length = strlen(text);
  checksum = add_integer(checksum, (int64_t)length);
  return fcps_checksum_add(checksum, text, length);
}

uint64_t fcps_store_record_checksum(const fcps_journal_record *record)
{
  uint64_t checksum = add_integer(FCPS_CHECKSUM_START, record->sequence);
  checksum = add_integer(checksum, record->kind);
  checksum = add_integer(checksum, record->ask);
  checksum = add_integer(checksum, record->other);
  checksum = add_integer(checksum, record->time_ms);
  checksum = add_integer(checksum, record->status);
  checksum = add_reward(checksum, record->reward);
  checksum = add_reward(checksum, record->hindsight_reward);
  checksum = add_numbers(checksum, &record->target);
  checksum = add_numbers(checksum, &record->environment);
  checksum = add_numbers(checksum, &record->parameters);
  checksum = add_numbers(checksum, &record->outcome);
  checksum = add_text(checksum, record->client);
  return add_text(checksum, record->text);
}

uint64_t fcps_store_text_checksum(const char *key, const char *text)
{
  return add_text(add_text(FCPS_CHECKSUM_START, key), text);
}

/* -- Records that a repair lost -- */

/* Numbers of lost records as a text. What is not such a text is read as far as it is one: it then allows less. */

/* Reads a number of at most 18 digits at *text, which moves past it. */
static bool read_number(const char **text, int64_t *number)
{
  const size_t digits = strspn(*text, "0123456789");
  if (digits == 0 || digits > 18) return false;
  *number = strtoll(*text, NULL, 10);
  *text += digits;
  return true;
}

/* Reads the next range of the list, which moves past it. Returns false at its end. */
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
