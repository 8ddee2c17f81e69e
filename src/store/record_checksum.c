/* SPDX-License-Identifier: Apache-2.0 */
/* Checksums of records and named texts.
 *
 * Every value has a fixed size, or its length stands before it, so that no two records are the same bytes. Integers and
 * numbers are little-endian, 8 bytes each. A row of numbers that is absent has the length -1; a reward that is absent
 * is a NaN, of which all count as the same. */
#include "store/record_checksum.h"

#include "base/checksum.h"

#include <math.h>
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
