/* SPDX-License-Identifier: Apache-2.0 */
/* sqlite:PATH – the store as one SQLite file: its transactions, records and texts.
 *
 * Invariants:
 *   - A commit that returned FCPS_OK survives a killed process and a power cut (with `is_relaxed` the former alone). It
 *     uses the rollback journal, so a commit is the removal of that journal; synchronous = EXTRA syncs the folder after
 *     it. With FULL a power cut soon after could bring the journal back, and with it the state before an acknowledged
 *     result (tests/study/test_power_cut.c). Not the write-ahead log: it would leave further files beside the study,
 *     and its reset bug (fixed in SQLite 3.51.3) needs nothing but two processes.
 *   - A failed write or sync is never tried again on the same handle: the kernel may have dropped the data and report
 *     success the second time. A full disk and a busy file are different: SQLite has rolled back cleanly.
 *   - A file that fails its check is refused, never repaired in place. So is a record or a text that has not its
 *     checksum, and a journal in which a number is missing that no repair has noted as lost.
 *   - Numbers keep every bit: they are stored as little-endian doubles.
 */
#include "base/error.h"
#include "base/memory.h"
#include "store/sqlite/sqlite_impl.h"
#include "store/store.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_NUMBERS = 8 }; /* the first of the four columns with numbers */
static const int64_t most_records = (int64_t)1 << 53;

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are stored as little-endian doubles");

/* Turns a failure of SQLite into a status of fcps. */
fcps_status fcps_sqlite_error(sqlite_store *s, int code, fcps_error *error)
{
  const char *words = s->db != NULL ? sqlite3_errmsg(s->db) : sqlite3_errstr(code);
  const int reason = s->db != NULL ? sqlite3_system_errno(s->db) : 0;
  switch (code & 0xff) {
  case SQLITE_NOMEM:
    return fcps_error_memory(error);
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is in use by another process; nothing was stored. Try again.",
                          s->base.name);
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
    return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                          "%s is damaged or not a study (%s). Nothing was changed. Save what can be read: fcps study "
                          "repair %s --to NEW",
                          s->base.name, words, s->base.word);
  case SQLITE_FULL:
    return fcps_sqlite_full(s, error);
  default:
    break;
  }
  if (reason == ENOSPC || reason == EDQUOT) return fcps_sqlite_full(s, error);
  if ((code & 0xff) == SQLITE_IOERR) s->base.is_broken = true;
  return fcps_error_set(error, FCPS_ERR_STORE, "",
                        s->base.is_writing ? "%s: NOT stored: %s%s%s. Repeating is safe once this is solved."
                                           : "%s cannot be read: %s%s%s.",
                        s->base.name, words, reason ? ": " : "", reason ? strerror(reason) : "");
}

fcps_status fcps_sqlite_full(sqlite_store *s, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_STORE_FULL, "",
                        "NOT stored: no space left for %s. Free some space and repeat the command; repeating is safe.",
                        s->base.name);
}

static fcps_status prepare(sqlite_store *s, sqlite3_stmt **statement, const char *sql, fcps_error *error)
{
  if (*statement) {
    sqlite3_reset(*statement);
    return FCPS_OK;
  }
  const int code = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
  return code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
}

/* Runs a statement that returns no row. */
static fcps_status finish(sqlite_store *s, sqlite3_stmt *statement, fcps_error *error)
{
  const int code = sqlite3_step(statement);
  const fcps_status status = code == SQLITE_DONE ? FCPS_OK : fcps_sqlite_error(s, code, error);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
  return status;
}

static void sqlite_rollback(fcps_store *store)
{
  sqlite_store *s = (sqlite_store *)store;
  /* After some errors SQLite has already rolled back. It then says so here. */
  if (s->db != NULL && !sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

static fcps_status sqlite_begin(fcps_store *store, bool writing, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  store->is_writing = writing; /* needed for the message of a failure */
  s->last = -1;
  fcps_status status = fcps_sqlite_check_before(s, writing, error);
  /* A writer takes its lock at once. A transaction that reads first may find later that it cannot write any more. */
  if (status == FCPS_OK) status = prepare(s, &s->begin[writing], writing ? "BEGIN IMMEDIATE" : "BEGIN", error);
  if (status == FCPS_OK) status = finish(s, s->begin[writing], error);
  if (status != FCPS_OK) return status;
  status = fcps_sqlite_check_after(s, error);
  const bool is_made = s->format > 0; /* A file that is being made has no format yet. */
  if (status == FCPS_OK && is_made) status = fcps_sqlite_follow_format(s, error);
  if (status != FCPS_OK) sqlite_rollback(store);
  return status;
}

static fcps_status sqlite_commit(fcps_store *store, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  fcps_status status = s->final_path != NULL ? fcps_store_give_id(store, error) : fcps_sqlite_check_commit(s, error);
  if (status == FCPS_OK) status = prepare(s, &s->commit, "COMMIT", error);
  if (status == FCPS_OK) status = finish(s, s->commit, error);
  if (status == FCPS_OK && s->final_path != NULL) return fcps_sqlite_finish_making(s, error);
  return status;
}

static void bind_numbers(sqlite3_stmt *statement, int column, const fcps_numbers *numbers)
{
  const int size = numbers->count * (int)sizeof(double);
  if (numbers->values != NULL)
    sqlite3_bind_blob(statement, column, size ? (const void *)numbers->values : "", size, NULL);
  else
    sqlite3_bind_null(statement, column);
}

static void bind_reward(sqlite3_stmt *statement, int column, double value)
{
  if (isnan(value))
    sqlite3_bind_null(statement, column); /* SQLite would store a NaN as null in any case. */
  else
    sqlite3_bind_double(statement, column, value);
}

/* Finds the sequence of the next record. The sequence of a record that a repair lost is not used again. */
static fcps_status next_sequence(sqlite_store *s, int64_t *sequence, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  if (s->last < 0) {
    status = prepare(s, &s->ask_last, "SELECT max(sequence) FROM journal", error);
    if (status != FCPS_OK) return status;
    const int code = sqlite3_step(s->ask_last);
    const int64_t last = sqlite3_column_int64(s->ask_last, 0), lost = fcps_lost_end(s->lost);
    if (code != SQLITE_ROW) status = fcps_sqlite_error(s, code, error);
    sqlite3_reset(s->ask_last);
    s->last = last > lost ? last : lost;
  }
  if (status == FCPS_OK && s->last >= most_records)
    status = fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                            "%s has a record with the number %lld, which is more than any study has.", s->base.name,
                            (long long)s->last);
  if (status == FCPS_OK) *sequence = s->last + 1;
  return status;
}

static void bind_record(sqlite3_stmt *q, const fcps_journal_record *record)
{
  sqlite3_bind_int64(q, 1, record->sequence);
  sqlite3_bind_int(q, 2, (int)record->kind);
  sqlite3_bind_int64(q, 3, record->ask);
  sqlite3_bind_int64(q, 4, record->other);
  sqlite3_bind_int64(q, 5, record->time_ms);
  sqlite3_bind_int(q, 6, record->status);
  bind_reward(q, 7, record->reward);
  bind_reward(q, 8, record->hindsight_reward);
  bind_numbers(q, 9, &record->target);
  bind_numbers(q, 10, &record->environment);
  bind_numbers(q, 11, &record->parameters);
  bind_numbers(q, 12, &record->outcome);
  sqlite3_bind_text(q, 13, record->client, -1, SQLITE_TRANSIENT);
  sqlite3_bind_text(q, 14, record->text, -1, SQLITE_TRANSIENT);
  sqlite3_bind_int64(q, 15, (int64_t)fcps_store_record_checksum(record));
}

fcps_status fcps_sqlite_append(sqlite_store *s, const fcps_journal_record *given, int64_t sequence, fcps_error *error)
{
  fcps_journal_record record = *given;
  record.sequence = sequence;
  /* SQLite stores a whole number as an integer, which has no -0. */
  if (record.reward == 0) record.reward = 0;
  if (record.hindsight_reward == 0) record.hindsight_reward = 0;
  fcps_status status = sequence > 0 ? FCPS_OK : next_sequence(s, &record.sequence, error);
  if (status == FCPS_OK)
    status = prepare(s, &s->append, "INSERT INTO journal VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", error);
  if (status != FCPS_OK) return status;
  bind_record(s->append, &record);
  status = finish(s, s->append, error);
  if (status != FCPS_OK || sequence > 0) return status;
  s->last = record.sequence;
  fcps_store_saw(&s->base, &record);
  return FCPS_OK;
}

static fcps_status sqlite_append(fcps_store *store, const fcps_journal_record *record, int64_t *sequence,
                                 fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  const fcps_status status = fcps_sqlite_append(s, record, 0, error);
  if (status == FCPS_OK) *sequence = s->last;
  return status;
}

/* -- Reading: what a file says is believed only if it has the right type and checksum -- */

static fcps_status refuse_changed(const sqlite_store *s, const char *what, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        "%s of %s was changed after it was written. It is not used, and nothing was changed now. Save "
                        "all that is unharmed: fcps study repair %s --to NEW",
                        what, s->base.name, s->base.word);
}

static bool read_integer(sqlite3_stmt *q, int column, int64_t *value)
{
  *value = sqlite3_column_int64(q, column);
  return sqlite3_column_type(q, column) == SQLITE_INTEGER;
}

static bool read_int(sqlite3_stmt *q, int column, int *value)
{
  int64_t wide = 0;
  const bool is_integer = read_integer(q, column, &wide);
  *value = (int)wide;
  return is_integer && wide >= INT_MIN && wide <= INT_MAX;
}

static bool read_reward(sqlite3_stmt *q, int column, double *value)
{
  const int type = sqlite3_column_type(q, column);
  *value = type == SQLITE_FLOAT ? sqlite3_column_double(q, column) : NAN;
  return type == SQLITE_FLOAT || type == SQLITE_NULL;
}

/* Copies numbers to a buffer that is kept, because blobs need not be aligned. */
static bool read_numbers(sqlite_store *s, sqlite3_stmt *q, int column, fcps_numbers *numbers, bool *has_memory)
{
  const int type = sqlite3_column_type(q, column), slot = column - FIRST_NUMBERS;
  *numbers = (fcps_numbers){0, NULL};
  if (type != SQLITE_BLOB) return type == SQLITE_NULL;
  const void *blob = sqlite3_column_blob(q, column);
  const size_t size = (size_t)sqlite3_column_bytes(q, column), count = size / sizeof(double);
  *has_memory &= (blob != NULL || size == 0) &&
                 fcps_reserve((void **)&s->numbers[slot], &s->capacity[slot], count + 1, sizeof(double));
  if (!*has_memory) return true;
  if (count > 0) memcpy(s->numbers[slot], blob, count * sizeof(double));
  *numbers = (fcps_numbers){(int)count, s->numbers[slot]};
  return size % sizeof(double) == 0;
}

static bool read_text(sqlite3_stmt *q, int column, const char **text, bool *has_memory)
{
  *text = "";
  if (sqlite3_column_type(q, column) != SQLITE_TEXT) return false;
  const char *value = (const char *)sqlite3_column_text(q, column);
  *has_memory &= value != NULL;
  if (value != NULL) *text = value;
  return value == NULL || strlen(value) == (size_t)sqlite3_column_bytes(q, column);
}

/* Whether the row has the checksum that its last column says. */
static bool has_checksum(sqlite3_stmt *q, int column, uint64_t checksum)
{
  int64_t stored = 0;
  return read_integer(q, column, &stored) && (uint64_t)stored == checksum;
}

fcps_status fcps_sqlite_row(sqlite_store *s, sqlite3_stmt *q, fcps_journal_record *record, fcps_error *error)
{
  *record = (fcps_journal_record){0};
  int kind = 0;
  bool has_memory = true;
  const bool is_whole =
      read_integer(q, 0, &record->sequence) && record->sequence >= 1 && record->sequence <= most_records &&
      read_int(q, 1, &kind) && read_integer(q, 2, &record->ask) && read_integer(q, 3, &record->other) &&
      read_integer(q, 4, &record->time_ms) && read_int(q, 5, &record->status) && read_reward(q, 6, &record->reward) &&
      read_reward(q, 7, &record->hindsight_reward) && read_numbers(s, q, FIRST_NUMBERS, &record->target, &has_memory) &&
      read_numbers(s, q, 9, &record->environment, &has_memory) &&
      read_numbers(s, q, 10, &record->parameters, &has_memory) &&
      read_numbers(s, q, 11, &record->outcome, &has_memory) && read_text(q, 12, &record->client, &has_memory) &&
      read_text(q, 13, &record->text, &has_memory);
  if (!has_memory) return fcps_error_memory(error);
  record->kind = (fcps_journal_kind)kind;
  if (is_whole && has_checksum(q, 14, fcps_store_record_checksum(record))) return FCPS_OK;
  char what[48];
  snprintf(what, sizeof what, "record %lld", (long long)sqlite3_column_int64(q, 0));
  return refuse_changed(s, what, error);
}

fcps_status fcps_sqlite_text(sqlite_store *s, sqlite3_stmt *q, const char **key, const char **text, fcps_error *error)
{
  bool has_memory = true;
  const bool is_whole = read_text(q, 0, key, &has_memory) && read_text(q, 1, text, &has_memory);
  if (!has_memory) return fcps_error_memory(error);
  if (is_whole && has_checksum(q, 2, fcps_store_text_checksum(*key, *text))) return FCPS_OK;
  /* A name that was changed may contain anything. */
  const bool is_plain = strspn(*key, "abcdefghijklmnopqrstuvwxyz.") == strlen(*key);
  char what[48];
  snprintf(what, sizeof what, "the stored %.30s", is_plain && **key != '\0' ? *key : "text");
  return refuse_changed(s, what, error);
}

static fcps_status refuse_missing(const sqlite_store *s, int64_t first, int64_t last, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        "%s has lost records: the next one after %lld is %lld. Nothing was changed. Save the others: "
                        "fcps study repair %s --to NEW",
                        s->base.name, (long long)(first - 1), (long long)(last + 1), s->base.word);
}

static fcps_status sqlite_each(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  fcps_status status = prepare(s, &s->each, "SELECT * FROM journal WHERE sequence > ? ORDER BY sequence", error);
  if (status != FCPS_OK) return status;
  sqlite3_bind_int64(s->each, 1, after);
  int code;
  int64_t last = after;
  while (status == FCPS_OK && (code = sqlite3_step(s->each)) != SQLITE_DONE) {
    fcps_journal_record record;
    status = code == SQLITE_ROW ? fcps_sqlite_row(s, s->each, &record, error) : fcps_sqlite_error(s, code, error);
    if (status == FCPS_OK && !fcps_lost_has(s->lost, last + 1, record.sequence - 1))
      status = refuse_missing(s, last + 1, record.sequence - 1, error);
    if (status == FCPS_OK) fcps_store_saw(&s->base, &record);
    if (status == FCPS_OK) status = visit(user, &record, error);
    last = record.sequence;
  }
  sqlite3_reset(s->each);
  return status;
}

fcps_status fcps_sqlite_set(sqlite_store *s, const char *key, const char *text, fcps_error *error)
{
  const fcps_status status = prepare(s, &s->set, "INSERT OR REPLACE INTO texts VALUES(?,?,?)", error);
  if (status != FCPS_OK) return status;
  sqlite3_bind_text(s->set, 1, key, -1, SQLITE_TRANSIENT);
  sqlite3_bind_text(s->set, 2, text, -1, SQLITE_TRANSIENT);
  sqlite3_bind_int64(s->set, 3, (int64_t)fcps_store_text_checksum(key, text));
  return finish(s, s->set, error);
}

static fcps_status sqlite_set(fcps_store *store, const char *key, const char *text, fcps_error *error)
{
  return fcps_sqlite_set((sqlite_store *)store, key, text, error);
}

static fcps_status sqlite_get(fcps_store *store, const char *key, char **text, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  fcps_status status = prepare(s, &s->get, "SELECT * FROM texts WHERE key = ?", error);
  if (status != FCPS_OK) return status;
  sqlite3_bind_text(s->get, 1, key, -1, SQLITE_TRANSIENT);
  const int code = sqlite3_step(s->get);
  const char *found = NULL, *value = NULL;
  if (code == SQLITE_ROW) status = fcps_sqlite_text(s, s->get, &found, &value, error);
  if (code != SQLITE_ROW && code != SQLITE_DONE) status = fcps_sqlite_error(s, code, error);
  if (status == FCPS_OK && value != NULL && (*text = fcps_copy_text(value)) == NULL) status = fcps_error_memory(error);
  sqlite3_reset(s->get);
  return status;
}

static fcps_status sqlite_insert(fcps_store *store, const fcps_journal_record *record, fcps_error *error)
{
  return fcps_sqlite_append((sqlite_store *)store, record, record->sequence, error);
}

static fcps_status sqlite_each_text(fcps_store *store, fcps_text_fn *visit, void *user, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  sqlite3_stmt *q = NULL;
  int code = sqlite3_prepare_v2(s->db, "SELECT * FROM texts ORDER BY key", -1, &q, NULL);
  fcps_status status = code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
  while (status == FCPS_OK && (code = sqlite3_step(q)) != SQLITE_DONE) {
    const char *key = NULL, *text = NULL;
    status = code == SQLITE_ROW ? fcps_sqlite_text(s, q, &key, &text, error) : fcps_sqlite_error(s, code, error);
    if (status == FCPS_OK) status = visit(user, key, text, error);
  }
  sqlite3_finalize(q);
  return status;
}

static char *sqlite_beside(const fcps_store *store, const char *end)
{
  return fcps_sqlite_beside(((const sqlite_store *)store)->path, end);
}

static fcps_status sqlite_hold(fcps_store *store, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  if (s->hold >= 0) return FCPS_OK;
  fcps_status status = fcps_sqlite_check_before(s, true, error);
  if (status == FCPS_OK) status = fcps_sqlite_hold(&s->hold, s->lock_path, s->base.name, error);
  if (status == FCPS_OK) status = fcps_sqlite_claim(s, error);
  if (status != FCPS_OK) fcps_sqlite_release(&s->hold, s->lock_path);
  return status;
}

static bool sqlite_is_held(fcps_store *store, fcps_error *who)
{
  const sqlite_store *s = (const sqlite_store *)store;
  return s->hold < 0 && fcps_sqlite_is_held(s->lock_path, s->base.name, who);
}

static int sqlite_claimed_file(const fcps_store *store)
{
  const sqlite_store *s = (const sqlite_store *)store;
  return s->is_claimed ? s->open_file.file : -1;
}

static int sqlite_hold_file(const fcps_store *store)
{
  return ((const sqlite_store *)store)->hold;
}

void fcps_sqlite_disconnect(sqlite_store *s)
{
  sqlite3_stmt **const prepared[] = {&s->begin[false], &s->begin[true], &s->commit,     &s->append,     &s->each,
                                     &s->set,          &s->get,         &s->ask_cookie, &s->ask_format, &s->ask_last};
  for (size_t i = 0; i < sizeof prepared / sizeof *prepared; i++) {
    sqlite3_finalize(*prepared[i]);
    *prepared[i] = NULL;
  }
  sqlite3_close(s->db);
  s->db = NULL;
  if (s->is_claimed) fcps_open_files_unclaim(&s->open_file);
  s->is_claimed = false;
  if (s->is_listed) fcps_open_files_drop(&s->open_file);
  s->is_listed = false;
}

static void sqlite_close(fcps_store *store)
{
  sqlite_store *s = (sqlite_store *)store;
  fcps_sqlite_disconnect(s);
  if (s->final_path != NULL) fcps_sqlite_give_up_making(s);
  if (s->hold >= 0) fcps_sqlite_release(&s->hold, s->lock_path);
  for (int i = 0; i < 4; i++)
    free(s->numbers[i]);
  free(s->lost);
  sqlite3_free(s->replaced);
  free(s->final_path);
  free(s->lock_path);
  free(s->reserve_path);
  free(s->path);
  free(s);
}

const fcps_store_ops fcps_store_sqlite = {.scheme = "sqlite",
                                          .form = "sqlite:PATH",
                                          .about = "is one file",
                                          .is_shared = true,
                                          .has_address = true,
                                          .create = fcps_sqlite_create,
                                          .open = fcps_sqlite_open,
                                          .exists = fcps_sqlite_exists,
                                          .recognize = fcps_sqlite_recognize,
                                          .remove = fcps_sqlite_remove,
                                          .repair = fcps_sqlite_repair,
                                          .backup = fcps_sqlite_backup,
                                          .restore = fcps_sqlite_restore,
                                          .hold = sqlite_hold,
                                          .is_held = sqlite_is_held,
                                          .hold_file = sqlite_hold_file,
                                          .claimed_file = sqlite_claimed_file,
                                          .begin = sqlite_begin,
                                          .commit = sqlite_commit,
                                          .rollback = sqlite_rollback,
                                          .append = sqlite_append,
                                          .insert = sqlite_insert,
                                          .each = sqlite_each,
                                          .each_text = sqlite_each_text,
                                          .set = sqlite_set,
                                          .get = sqlite_get,
                                          .reserve = fcps_sqlite_reserve,
                                          .beside = sqlite_beside,
                                          .close = sqlite_close};
