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
 *   - A file that fails its check is refused, never repaired in place.
 *   - Numbers keep every bit: they are stored as little-endian doubles.
 */
#include "base/error.h"
#include "base/memory.h"
#include "store/sqlite_impl.h"
#include "store/store.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are stored as little-endian doubles");

/* Each failure as a status of ours. */
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
                          s->base.name, words, s->base.name);
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

static fcps_status execute(sqlite_store *s, const char *sql, fcps_error *error)
{
  const int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
  return code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
}

static void sqlite_rollback(fcps_store *store)
{
  sqlite_store *s = (sqlite_store *)store;
  /* after some errors SQLite has rolled back by itself, and says so here */
  if (s->db != NULL && !sqlite3_get_autocommit(s->db)) sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
}

static fcps_status sqlite_begin(fcps_store *store, bool writing, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  store->is_writing = writing; /* for the words of a failure */
  fcps_status status = fcps_sqlite_check_before(s, writing, error);
  /* a writer takes its lock at once: one that reads first may find it cannot write any more */
  if (status == FCPS_OK) status = execute(s, writing ? "BEGIN IMMEDIATE" : "BEGIN", error);
  if (status != FCPS_OK) return status;
  status = fcps_sqlite_check_after(s, error);
  if (status != FCPS_OK) sqlite_rollback(store);
  return status;
}

static fcps_status sqlite_commit(fcps_store *store, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  fcps_status status = s->final_path != NULL ? fcps_sqlite_give_id(s, error) : fcps_sqlite_check_commit(s, error);
  if (status == FCPS_OK) status = execute(s, "COMMIT", error);
  if (status == FCPS_OK && s->final_path != NULL) return fcps_sqlite_finish_making(s, error);
  if (status == FCPS_OK) fcps_sqlite_note_commit(s);
  return status;
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

/* runs a statement that returns no row */
static fcps_status finish(sqlite_store *s, sqlite3_stmt *statement, fcps_error *error)
{
  const int code = sqlite3_step(statement);
  const fcps_status status = code == SQLITE_DONE ? FCPS_OK : fcps_sqlite_error(s, code, error);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
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
    sqlite3_bind_null(statement, column); /* SQLite would store it so in any case */
  else
    sqlite3_bind_double(statement, column, value);
}

fcps_status fcps_sqlite_append(sqlite_store *s, const fcps_journal_record *record, int64_t sequence, fcps_error *error)
{
  const fcps_status status = prepare(s, &s->append, "INSERT INTO journal VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)", error);
  if (status != FCPS_OK) return status;
  sqlite3_stmt *q = s->append;
  if (sequence > 0) sqlite3_bind_int64(q, 1, sequence);
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
  return finish(s, q, error);
}

static fcps_status sqlite_append(fcps_store *store, const fcps_journal_record *record, int64_t *sequence,
                                 fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  const fcps_status status = fcps_sqlite_append(s, record, 0, error);
  if (status != FCPS_OK) return status;
  *sequence = sqlite3_last_insert_rowid(s->db);
  fcps_sqlite_saw(s, record, *sequence);
  return FCPS_OK;
}

static double column_reward(sqlite3_stmt *statement, int column)
{
  return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, column);
}

static const char *column_text(sqlite3_stmt *statement, int column)
{
  const char *text = (const char *)sqlite3_column_text(statement, column);
  return text != NULL ? text : "";
}

/* blobs need not be aligned: their numbers are copied to a buffer that is kept */
static bool column_numbers(sqlite_store *s, sqlite3_stmt *statement, int column, int slot, fcps_numbers *numbers)
{
  *numbers = (fcps_numbers){0, NULL};
  if (sqlite3_column_type(statement, column) != SQLITE_BLOB) return true;
  const void *blob = sqlite3_column_blob(statement, column);
  const size_t size = (size_t)sqlite3_column_bytes(statement, column), count = size / sizeof(double);
  if (!fcps_reserve((void **)&s->numbers[slot], &s->capacity[slot], count + 1, sizeof(double))) return false;
  if (count) memcpy(s->numbers[slot], blob, count * sizeof(double));
  *numbers = (fcps_numbers){(int)count, s->numbers[slot]};
  return true;
}

fcps_status fcps_sqlite_row(sqlite_store *s, sqlite3_stmt *q, fcps_journal_record *record, fcps_error *error)
{
  *record = (fcps_journal_record){.sequence = sqlite3_column_int64(q, 0),
                                  .kind = (fcps_journal_kind)sqlite3_column_int(q, 1),
                                  .ask = sqlite3_column_int64(q, 2),
                                  .other = sqlite3_column_int64(q, 3),
                                  .time_ms = sqlite3_column_int64(q, 4),
                                  .status = sqlite3_column_int(q, 5),
                                  .reward = column_reward(q, 6),
                                  .hindsight_reward = column_reward(q, 7),
                                  .client = column_text(q, 12),
                                  .text = column_text(q, 13)};
  const bool has_memory =
      column_numbers(s, q, 8, 0, &record->target) && column_numbers(s, q, 9, 1, &record->environment) &&
      column_numbers(s, q, 10, 2, &record->parameters) && column_numbers(s, q, 11, 3, &record->outcome);
  return has_memory ? FCPS_OK : fcps_error_memory(error);
}

static fcps_status sqlite_each(fcps_store *store, int64_t after, fcps_journal_fn *visit, void *user, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  fcps_status status = prepare(s, &s->each, "SELECT * FROM journal WHERE sequence > ? ORDER BY sequence", error);
  if (status != FCPS_OK) return status;
  sqlite3_bind_int64(s->each, 1, after);
  int code;
  while (status == FCPS_OK && (code = sqlite3_step(s->each)) != SQLITE_DONE) {
    fcps_journal_record record;
    status = code == SQLITE_ROW ? fcps_sqlite_row(s, s->each, &record, error) : fcps_sqlite_error(s, code, error);
    if (status == FCPS_OK) fcps_sqlite_saw(s, &record, record.sequence);
    if (status == FCPS_OK) status = visit(user, &record, error);
  }
  sqlite3_reset(s->each);
  return status;
}

static fcps_status sqlite_set(fcps_store *store, const char *key, const char *text, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  const fcps_status status = prepare(s, &s->set, "INSERT OR REPLACE INTO texts VALUES(?,?)", error);
  if (status != FCPS_OK) return status;
  sqlite3_bind_text(s->set, 1, key, -1, SQLITE_TRANSIENT);
  sqlite3_bind_text(s->set, 2, text, -1, SQLITE_TRANSIENT);
  return finish(s, s->set, error);
}

static fcps_status sqlite_get(fcps_store *store, const char *key, char **text, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  fcps_status status = prepare(s, &s->get, "SELECT text FROM texts WHERE key = ?", error);
  if (status != FCPS_OK) return status;
  sqlite3_bind_text(s->get, 1, key, -1, SQLITE_TRANSIENT);
  const int code = sqlite3_step(s->get);
  if (code == SQLITE_ROW && (*text = fcps_copy_text(column_text(s->get, 0))) == NULL) status = fcps_error_memory(error);
  if (code != SQLITE_ROW && code != SQLITE_DONE) status = fcps_sqlite_error(s, code, error);
  sqlite3_reset(s->get);
  return status;
}

static fcps_status sqlite_hold(fcps_store *store, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  if (s->hold >= 0) return FCPS_OK;
  const fcps_status status = fcps_sqlite_check_before(s, true, error);
  return status != FCPS_OK ? status : fcps_sqlite_hold(&s->hold, s->lock_path, s->base.name, error);
}

static int sqlite_hold_file(const fcps_store *store)
{
  return ((const sqlite_store *)store)->hold;
}

static bool sqlite_hold_add(const fcps_store *store, const char *words)
{
  return fcps_sqlite_hold_add(((const sqlite_store *)store)->hold, words);
}

void fcps_sqlite_disconnect(sqlite_store *s)
{
  sqlite3_finalize(s->append);
  sqlite3_finalize(s->each);
  sqlite3_finalize(s->set);
  sqlite3_finalize(s->get);
  s->append = s->each = s->set = s->get = NULL;
  sqlite3_close(s->db);
  s->db = NULL;
  if (s->is_listed) fcps_open_files_drop(&s->open_file);
  s->is_listed = false;
}

static void sqlite_close(fcps_store *store)
{
  sqlite_store *s = (sqlite_store *)store;
  fcps_sqlite_disconnect(s);
  fcps_sqlite_give_up_making(s);
  fcps_sqlite_release(&s->hold, s->lock_path);
  for (int i = 0; i < 4; i++)
    free(s->numbers[i]);
  sqlite3_free(s->replaced);
  free(s->id);
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
                                          .hold_file = sqlite_hold_file,
                                          .hold_add = sqlite_hold_add,
                                          .begin = sqlite_begin,
                                          .commit = sqlite_commit,
                                          .rollback = sqlite_rollback,
                                          .append = sqlite_append,
                                          .each = sqlite_each,
                                          .set = sqlite_set,
                                          .get = sqlite_get,
                                          .reserve = fcps_sqlite_reserve,
                                          .close = sqlite_close};
