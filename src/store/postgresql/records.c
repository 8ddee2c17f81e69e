/* SPDX-License-Identifier: Apache-2.0 */
/* Records and named texts as rows of a database. Invariant: a record or a text that is read has its checksum, and no
 * record is missing that was not noted as lost. */
#include "base/error.h"
#include "base/memory.h"
#include "store/postgresql/postgresql_impl.h"
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are stored as little-endian doubles");

/* The number of records that are read at once. */
enum { BATCH = 2000 };

static postgresql_value reward_value(double number)
{
  return (postgresql_value){.type = isnan(number) ? POSTGRESQL_NULL : POSTGRESQL_NUMBER, .number = number};
}

static postgresql_value numbers_value(const fcps_numbers *numbers)
{
  return (postgresql_value){.type = numbers->values != NULL ? POSTGRESQL_BYTES : POSTGRESQL_NULL,
                            .bytes = numbers->values,
                            .size = (size_t)numbers->count * sizeof *numbers->values};
}

/* -- Records -- */

fcps_status fcps_postgresql_insert(fcps_store *store, const fcps_journal_record *r, fcps_error *error)
{
  static const char sql[] = "INSERT INTO fcps.journal VALUES ($1, $2, $3, $4, $5, $6, $7, $8::double precision,"
                            " $9::double precision, $10::bytea, $11::bytea, $12::bytea, $13::bytea, $14, $15, $16)";
  postgresql_store *s = (postgresql_store *)store;
  const postgresql_value values[] = {postgresql_integer_value(s->study),
                                     postgresql_integer_value(r->sequence),
                                     postgresql_integer_value((int64_t)r->kind),
                                     postgresql_integer_value(r->ask),
                                     postgresql_integer_value(r->other),
                                     postgresql_integer_value(r->time_ms),
                                     postgresql_integer_value(r->status),
                                     reward_value(r->reward),
                                     reward_value(r->hindsight_reward),
                                     numbers_value(&r->target),
                                     numbers_value(&r->environment),
                                     numbers_value(&r->parameters),
                                     numbers_value(&r->outcome),
                                     postgresql_text_value(r->client),
                                     postgresql_text_value(r->text),
                                     postgresql_integer_value((int64_t)fcps_store_record_checksum(r))};
  const fcps_status status =
      fcps_postgresql_query(s->connection, sql, (int)(sizeof values / sizeof *values), values, NULL, error);
  if (status != FCPS_OK) return status;
  s->last = r->sequence;
  fcps_store_saw(&s->base, r);
  s->appended = s->base.pending;
  return FCPS_OK;
}

fcps_status fcps_postgresql_append(fcps_store *store, const fcps_journal_record *given, int64_t *sequence,
                                   fcps_error *error)
{
  fcps_journal_record record = *given;
  record.sequence = ((const postgresql_store *)store)->last + 1;
  const fcps_status status = fcps_postgresql_insert(store, &record, error);
  if (status == FCPS_OK) *sequence = record.sequence;
  return status;
}

static fcps_status refuse_changed(const postgresql_store *s, const char *what, fcps_error *error)
{
  return fcps_error_set(
      error, FCPS_ERR_DAMAGED, "",
      "%s of %s was changed after it was written. It is not used, and nothing was changed now. Restore "
      "the database, or the study, from a backup.",
      what, s->base.name);
}

/* Copies numbers to a buffer that is kept, because the values of a row need not be aligned. */
static bool read_numbers(postgresql_store *s, const postgresql_rows *rows, int row, int slot, fcps_numbers *numbers)
{
  const int column = 8 + slot;
  size_t size;
  *numbers = (fcps_numbers){0, NULL};
  if (fcps_postgresql_is_null(rows, row, column)) return true;
  const char *bytes = fcps_postgresql_bytes(rows, row, column, &size);
  const size_t count = size / sizeof(double);
  if (!fcps_reserve((void **)&s->numbers[slot], &s->capacity[slot], count + 1, sizeof(double))) return false;
  if (count > 0) memcpy(s->numbers[slot], bytes, count * sizeof(double));
  *numbers = (fcps_numbers){(int)count, s->numbers[slot]};
  return true;
}

static fcps_status read_record(postgresql_store *s, const postgresql_rows *rows, int row, fcps_journal_record *record,
                               fcps_error *error)
{
  *record = (fcps_journal_record){.sequence = fcps_postgresql_integer(rows, row, 0),
                                  .kind = (fcps_journal_kind)fcps_postgresql_integer(rows, row, 1),
                                  .ask = fcps_postgresql_integer(rows, row, 2),
                                  .other = fcps_postgresql_integer(rows, row, 3),
                                  .time_ms = fcps_postgresql_integer(rows, row, 4),
                                  .status = (int)fcps_postgresql_integer(rows, row, 5),
                                  .reward = fcps_postgresql_number(rows, row, 6),
                                  .hindsight_reward = fcps_postgresql_number(rows, row, 7),
                                  .client = fcps_postgresql_bytes(rows, row, 12, NULL),
                                  .text = fcps_postgresql_bytes(rows, row, 13, NULL)};
  if (!read_numbers(s, rows, row, 0, &record->target) || !read_numbers(s, rows, row, 1, &record->environment) ||
      !read_numbers(s, rows, row, 2, &record->parameters) || !read_numbers(s, rows, row, 3, &record->outcome))
    return fcps_error_memory(error);
  if ((uint64_t)fcps_postgresql_integer(rows, row, 14) == fcps_store_record_checksum(record)) return FCPS_OK;
  char what[48];
  snprintf(what, sizeof what, "record %lld", (long long)record->sequence);
  return refuse_changed(s, what, error);
}

static fcps_status refuse_missing(const postgresql_store *s, int64_t before, int64_t next, fcps_error *error)
{
  return fcps_error_set(
      error, FCPS_ERR_DAMAGED, "",
      "%s has lost records: the next one after %lld is %lld. Nothing was changed. Restore the database, "
      "or the study, from a backup.",
      s->base.name, (long long)before, (long long)next);
}

/* Visits the records of one batch. *after becomes the number of the last one. */
static fcps_status visit_batch(postgresql_store *s, const postgresql_rows *rows, int64_t *after, fcps_journal_fn *visit,
                               void *user, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  for (int row = 0; status == FCPS_OK && row < fcps_postgresql_row_count(rows); row++) {
    fcps_journal_record record;
    status = read_record(s, rows, row, &record, error);
    if (status == FCPS_OK && !fcps_lost_has(s->lost, *after + 1, record.sequence - 1))
      status = refuse_missing(s, *after, record.sequence, error);
    if (status == FCPS_OK) fcps_store_saw(&s->base, &record);
    if (status == FCPS_OK) status = visit(user, &record, error);
    *after = record.sequence;
  }
  return status;
}

fcps_status fcps_postgresql_each(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user,
                                 fcps_error *error)
{
  static const char sql[] = "SELECT sequence, kind, ask, other, time_ms, status, reward, hindsight_reward, target,"
                            " environment, parameters, outcome, client, text, checksum FROM fcps.journal"
                            " WHERE study = $1 AND sequence > $2 ORDER BY sequence LIMIT $3";
  postgresql_store *s = (postgresql_store *)store;
  fcps_status status;
  int count;
  do {
    const postgresql_value values[] = {postgresql_integer_value(s->study), postgresql_integer_value(after),
                                       postgresql_integer_value(BATCH)};
    postgresql_rows *rows = NULL;
    if (after >= s->last) return FCPS_OK;
    status = fcps_postgresql_query(s->connection, sql, 3, values, &rows, error);
    count = status == FCPS_OK ? fcps_postgresql_row_count(rows) : 0;
    if (status == FCPS_OK) status = visit_batch(s, rows, &after, visit, user, error);
    fcps_postgresql_free_rows(rows);
  } while (status == FCPS_OK && count == BATCH);
  return status;
}

/* -- Texts -- */

fcps_status fcps_postgresql_set(fcps_store *store, const char *key, const char *text, fcps_error *error)
{
  static const char sql[] = "INSERT INTO fcps.texts VALUES ($1, $2, $3, $4) ON CONFLICT (study, key)"
                            " DO UPDATE SET text = excluded.text, checksum = excluded.checksum";
  postgresql_store *s = (postgresql_store *)store;
  const postgresql_value values[] = {postgresql_integer_value(s->study), postgresql_text_value(key),
                                     postgresql_text_value(text),
                                     postgresql_integer_value((int64_t)fcps_store_text_checksum(key, text))};
  return fcps_postgresql_query(s->connection, sql, 4, values, NULL, error);
}

static fcps_status check_text(const postgresql_store *s, const postgresql_rows *rows, int row, fcps_error *error)
{
  const char *key = fcps_postgresql_bytes(rows, row, 0, NULL), *text = fcps_postgresql_bytes(rows, row, 1, NULL);
  if ((uint64_t)fcps_postgresql_integer(rows, row, 2) == fcps_store_text_checksum(key, text)) return FCPS_OK;
  return refuse_changed(s, "a stored text", error);
}

fcps_status fcps_postgresql_get(fcps_store *store, const char *key, char **text, fcps_error *error)
{
  postgresql_store *s = (postgresql_store *)store;
  const postgresql_value values[] = {postgresql_integer_value(s->study), postgresql_text_value(key)};
  postgresql_rows *rows = NULL;
  fcps_status status =
      fcps_postgresql_query(s->connection, "SELECT key, text, checksum FROM fcps.texts WHERE study = $1 AND key = $2",
                            2, values, &rows, error);
  const bool is_there = status == FCPS_OK && fcps_postgresql_row_count(rows) > 0;
  if (is_there) status = check_text(s, rows, 0, error);
  if (is_there && status == FCPS_OK && (*text = fcps_copy_text(fcps_postgresql_bytes(rows, 0, 1, NULL))) == NULL)
    status = fcps_error_memory(error);
  fcps_postgresql_free_rows(rows);
  return status;
}

fcps_status fcps_postgresql_each_text(fcps_store *store, fcps_text_fn *visit, void *user, fcps_error *error)
{
  postgresql_store *s = (postgresql_store *)store;
  const postgresql_value study = postgresql_integer_value(s->study);
  postgresql_rows *rows = NULL;
  fcps_status status =
      fcps_postgresql_query(s->connection, "SELECT key, text, checksum FROM fcps.texts WHERE study = $1 ORDER BY key",
                            1, &study, &rows, error);
  for (int row = 0; status == FCPS_OK && row < fcps_postgresql_row_count(rows); row++) {
    status = check_text(s, rows, row, error);
    if (status == FCPS_OK)
      status = visit(user, fcps_postgresql_bytes(rows, row, 0, NULL), fcps_postgresql_bytes(rows, row, 1, NULL), error);
  }
  fcps_postgresql_free_rows(rows);
  return status;
}
