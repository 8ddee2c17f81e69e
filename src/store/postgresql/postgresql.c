/* SPDX-License-Identifier: Apache-2.0 */
/* postgresql://HOST/DATABASE#NAME – the store as rows of a database: its transactions, records and texts.
 *
 * Invariants:
 *   - Writers of one study take turns by an advisory lock of the transaction, taken in a statement of its own before
 *     anything is read: so sequences have no gap, and become visible in their order. Writers of other studies do not wait.
 *   - A reading transaction is one snapshot (REPEATABLE READ), and waits for nobody.
 *   - A commit outlives what the server's settings let it outlive; `synchronous_commit` is left as it is.
 *   - The server may be restarted, and the way to it cut, at any time. Before a transaction the store connects again, as
 *     long as a call may wait. A transaction that is cut off fails with FCPS_ERR_LOCKED, and may be repeated. If the
 *     answer to a COMMIT did not come, the store connects again, waits for the lock, which the old transaction has until it
 *     has ended, and looks whether its last record is there: so the fate of a commit is known.
 *   - A study that was replaced meanwhile, for example by restoring an old copy of the database, is noticed before each
 *     transaction: the last record that this handle has seen must be there with its checksum.
 *   - A record or a text that is read has its checksum, and no record is missing that was not noted as lost.
 *
 * Values travel in binary form and texts as bytes, so every bit comes back. Serializable transactions with retries,
 * in place of the lock, were four times slower with 16 writers. A failure that may pass is FCPS_ERR_LOCKED, for
 * which all callers have patience. */
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "store/postgresql/postgresql_impl.h"
#include "store/store.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- The connection -- */

/* Returns when a call that may wait must end, by the monotonic clock. */
static double deadline_of(const postgresql_store *s)
{
  return fcps_clock_seconds() + s->options.wait_ms / 1000.0;
}

/* If a failure may pass, waits for a moment and returns whether to try again. Returns false after `deadline`. */
static bool pause_before(const postgresql_store *s, double deadline)
{
  enum { PAUSE_MS = 50 };
  if (!fcps_postgresql_is_lost(s->connection) || fcps_clock_seconds() >= deadline) return false;
  fcps_clock_pause(PAUSE_MS);
  return true;
}

fcps_status fcps_postgresql_reconnect(postgresql_store *s, fcps_error *error)
{
  if (!fcps_postgresql_is_lost(s->connection)) return FCPS_OK;
  const bool was_held = s->is_held;
  fcps_postgresql_disconnect(s->connection);
  s->connection = NULL;
  s->is_held = s->is_listening = false;
  fcps_status status = fcps_postgresql_connect(&s->connection, s->database, s->base.name, error);
  if (status == FCPS_OK && s->study > 0) status = fcps_postgresql_note_open(s, false, error);
  if (status == FCPS_OK && was_held) status = fcps_postgresql_hold(&s->base, error);
  s->is_held = was_held; /* The hold is still wanted if it could not be taken now. */
  if (status == FCPS_OK) return FCPS_OK;
  /* If only some locks were taken, the connection is closed: the next call tries to take all of them again. */
  fcps_postgresql_disconnect(s->connection);
  s->connection = NULL;
  return status;
}

/* -- Transactions -- */

/* Opens a writing transaction, and waits until nobody else writes to this study. */
static fcps_status begin_writing(postgresql_store *s, fcps_error *error)
{
  char sql[240];
  snprintf(sql, sizeof sql,
           "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = %d; %s"
           "SELECT pg_advisory_xact_lock(1717792883, %lld)",
           s->options.wait_ms > 0 ? s->options.wait_ms : 1,
           s->options.is_relaxed ? "SET LOCAL synchronous_commit = off; " : "", (long long)s->study);
  return fcps_postgresql_run(s->connection, sql, NULL, error);
}

static fcps_status refuse_replaced(const postgresql_store *s, bool is_there, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        is_there
                            ? "%s was replaced by another state of it while it was in use: record %lld is not the "
                              "one that was stored. Nothing was written. Repeat the command to go on with it."
                            : "%s was removed while it was in use; nothing more is stored (records up to %lld were).",
                        s->base.name, (long long)s->base.seen.sequence);
}

/* Refuses a study that is not the one that was opened. Notes where its journal ends. */
static fcps_status check_study(postgresql_store *s, fcps_error *error)
{
  static const char sql[] =
      "SELECT (SELECT version FROM fcps.format), (SELECT text FROM fcps.texts WHERE study = s.study AND key = 'id'),"
      " (SELECT max(sequence) FROM fcps.journal WHERE study = s.study),"
      " (SELECT checksum FROM fcps.journal WHERE study = s.study AND sequence = $2)"
      " FROM fcps.studies s WHERE s.study = $1";
  const postgresql_value values[] = {postgresql_integer_value(s->study),
                                     postgresql_integer_value(s->base.seen.sequence)};
  postgresql_rows *rows = NULL;
  fcps_status status = fcps_postgresql_query(s->connection, sql, 2, values, &rows, error);
  if (status != FCPS_OK) return status;
  const bool is_there = fcps_postgresql_row_count(rows) > 0;
  bool is_same = is_there;
  if (is_there && s->base.id != NULL) is_same = strcmp(fcps_postgresql_bytes(rows, 0, 1, NULL), s->base.id) == 0;
  if (is_same && s->base.seen.sequence > 0)
    is_same =
        !fcps_postgresql_is_null(rows, 0, 3) && (uint64_t)fcps_postgresql_integer(rows, 0, 3) == s->base.seen.checksum;
  if (is_there) {
    const int64_t last = fcps_postgresql_integer(rows, 0, 2), lost = fcps_lost_end(s->lost);
    s->last = last > lost ? last : lost;
    status = fcps_postgresql_check_version(s->base.name, fcps_postgresql_integer(rows, 0, 0), error);
  }
  fcps_postgresql_free_rows(rows);
  return status != FCPS_OK || is_same ? status : refuse_replaced(s, is_there, error);
}

/* Inserts the row of a new study. If another process makes a study of this name, waits for it. */
static fcps_status insert_study(postgresql_store *s, fcps_error *error)
{
  const postgresql_value name = postgresql_text_value(s->study_name);
  postgresql_rows *rows = NULL;
  fcps_status status = fcps_postgresql_query(
      s->connection, "INSERT INTO fcps.studies (name) VALUES ($1) ON CONFLICT DO NOTHING RETURNING study", 1, &name,
      &rows, error);
  if (status == FCPS_OK && fcps_postgresql_row_count(rows) == 0)
    status = fcps_error_set(error, FCPS_ERR_STORE, "", "%s exists already; it is not replaced.", s->base.name);
  else if (status == FCPS_OK)
    s->study = fcps_postgresql_integer(rows, 0, 0);
  fcps_postgresql_free_rows(rows);
  s->last = 0;
  return status;
}

static fcps_status begin_making(postgresql_store *s, fcps_error *error)
{
  char sql[80];
  snprintf(sql, sizeof sql, "BEGIN; SET LOCAL lock_timeout = %d", s->options.wait_ms > 0 ? s->options.wait_ms : 1);
  fcps_status status = fcps_postgresql_run(s->connection, sql, NULL, error);
  if (status == FCPS_OK) status = fcps_postgresql_make_tables(s, error);
  return status == FCPS_OK ? insert_study(s, error) : status;
}

static fcps_status begin_once(postgresql_store *s, bool writing, fcps_error *error)
{
  fcps_status status = fcps_postgresql_reconnect(s, error);
  if (status != FCPS_OK) return status;
  if (s->is_making) return begin_making(s, error);
  status = writing ? begin_writing(s, error)
                   : fcps_postgresql_run(s->connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", NULL, error);
  return status == FCPS_OK ? check_study(s, error) : status;
}

static void postgresql_rollback(fcps_store *store)
{
  postgresql_store *s = (postgresql_store *)store;
  if (!fcps_postgresql_is_lost(s->connection)) fcps_postgresql_run(s->connection, "ROLLBACK", NULL, NULL);
}

static fcps_status postgresql_begin(fcps_store *store, bool writing, fcps_error *error)
{
  postgresql_store *s = (postgresql_store *)store;
  const double deadline = deadline_of(s);
  fcps_status status;
  s->appended = (fcps_store_seen){0};
  while ((status = begin_once(s, writing, error)) != FCPS_OK && pause_before(s, deadline)) {
  }
  if (status != FCPS_OK) postgresql_rollback(store);
  return status;
}

/* -- The fate of a commit -- */

/* Finds out whether the last record of a transaction is stored. It first takes the lock, so that the transaction is
 * surely over. */
static fcps_status find_record(postgresql_store *s, bool *is_stored, fcps_error *error)
{
  postgresql_rows *rows = NULL;
  const postgresql_value values[] = {postgresql_integer_value(s->study),
                                     postgresql_integer_value(s->appended.sequence)};
  fcps_status status = begin_writing(s, error);
  if (status == FCPS_OK)
    status = fcps_postgresql_query(
        s->connection, "SELECT checksum FROM fcps.journal WHERE study = $1 AND sequence = $2", 2, values, &rows, error);
  *is_stored = status == FCPS_OK && fcps_postgresql_row_count(rows) > 0 &&
               (uint64_t)fcps_postgresql_integer(rows, 0, 0) == s->appended.checksum;
  fcps_postgresql_free_rows(rows);
  postgresql_rollback(&s->base);
  return status;
}

static fcps_status find_out(postgresql_store *s, fcps_error *error)
{
  const double deadline = deadline_of(s);
  bool is_stored = false, is_known = false;
  if (s->is_making || s->appended.sequence == 0) return FCPS_ERR_LOCKED;
  do {
    fcps_status status = fcps_postgresql_reconnect(s, error);
    if (status == FCPS_OK) status = find_record(s, &is_stored, error);
    is_known = status == FCPS_OK;
  } while (!is_known && pause_before(s, deadline));
  if (is_stored) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_LOCKED, "",
                        is_known
                            ? "the connection to the database of %s was cut before it had stored this; nothing was "
                              "stored. Repeating is safe."
                            : "the connection to the database of %s was cut while it stored this, and it is not known "
                              "whether it did. Repeating is safe.",
                        s->base.name);
}

static fcps_status postgresql_commit(fcps_store *store, fcps_error *error)
{
  postgresql_store *s = (postgresql_store *)store;
  char sql[120], tag[32] = "";
  fcps_status status = s->is_making ? fcps_store_give_id(store, error) : FCPS_OK;
  if (status != FCPS_OK) return status;
  /* Handles that listen are notified when the commit has happened. */
  snprintf(sql, sizeof sql, "SELECT pg_notify('fcps_%lld', '%lld'); COMMIT", (long long)s->study, (long long)s->last);
  status = fcps_postgresql_run(s->connection, store->is_writing ? sql : "COMMIT", tag, error);
  if (!store->is_writing) return FCPS_OK; /* A transaction that only read has nothing to commit. */
  if (status != FCPS_OK && fcps_postgresql_is_lost(s->connection))
    status = find_out(s, error);
  else if (status == FCPS_OK && strcmp(tag, "COMMIT") != 0)
    status = fcps_error_set(error, FCPS_ERR_STORE, "", "NOT stored: the database of %s rolled it back.", s->base.name);
  if (status != FCPS_OK) return status;
  if (s->is_making) status = fcps_postgresql_note_open(s, false, error);
  s->is_making = false;
  return status;
}

/* -- The table of functions -- */

static fcps_status postgresql_time(fcps_store *store, int64_t *time_ms, fcps_error *error)
{
  return fcps_postgresql_ask_integer(((postgresql_store *)store)->connection,
                                     "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::int8", time_ms, error);
}

/* Waits for a record of another process. The first call only begins to listen and returns at once, because something
 * may have been stored since the caller last read. */
static fcps_status postgresql_wait(fcps_store *store, int wait_ms, fcps_error *error)
{
  postgresql_store *s = (postgresql_store *)store;
  char sql[60];
  bool is_notified = false;
  fcps_status status = fcps_postgresql_reconnect(s, error);
  if (status != FCPS_OK || s->is_listening)
    return status != FCPS_OK ? status : fcps_postgresql_wait(s->connection, wait_ms, &is_notified, error);
  snprintf(sql, sizeof sql, "LISTEN fcps_%lld", (long long)s->study);
  status = fcps_postgresql_run(s->connection, sql, NULL, error);
  s->is_listening = status == FCPS_OK;
  return status;
}

static void postgresql_close(fcps_store *store)
{
  postgresql_store *s = (postgresql_store *)store;
  fcps_postgresql_let_go(s);
  fcps_postgresql_disconnect(s->connection);
  for (int i = 0; i < 4; i++)
    free(s->numbers[i]);
  free(s->lost);
  free(s->study_name);
  free(s->database);
  free(s);
}

const fcps_store_ops fcps_store_postgresql = {
    .scheme = "postgresql",
    .other_scheme = "postgres", /* libpq accepts both schemes. */
    .form = "postgresql://HOST/DATABASE#NAME",
    .about = "is a part of a database; copy it to a file with fcps study copy, or back up the database",
    .is_shared = true,
    .has_address = true,
    .check = fcps_postgresql_check,
    .study_name = fcps_postgresql_study_name,
    .create = fcps_postgresql_create,
    .open = fcps_postgresql_open,
    .exists = fcps_postgresql_exists,
    .recognize = fcps_postgresql_recognize,
    .remove = fcps_postgresql_remove,
    .hold = fcps_postgresql_hold,
    .is_held = fcps_postgresql_is_held,
    .begin = postgresql_begin,
    .commit = postgresql_commit,
    .rollback = postgresql_rollback,
    .append = fcps_postgresql_append,
    .insert = fcps_postgresql_insert,
    .each = fcps_postgresql_each,
    .each_text = fcps_postgresql_each_text,
    .set = fcps_postgresql_set,
    .get = fcps_postgresql_get,
    .time = postgresql_time,
    .wait = postgresql_wait,
    .beside = fcps_postgresql_beside,
    .close = postgresql_close};
