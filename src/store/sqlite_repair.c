/* SPDX-License-Identifier: Apache-2.0 */
/* Saving what can be read of a damaged study file.
 *
 * The damaged file is never changed. What is saved goes into a new file in one transaction: it is made whole, or not at
 * all. Records keep their sequences, so that what refers to them still does. The journal is read from both ends, each
 * time up to the first page that cannot be read: damage in the middle costs only what lies there.
 */
#include "base/error.h"
#include "store/sqlite_impl.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { WAIT_MS = 5000 }; /* for other processes */

/* copies records of `from` in one direction, until a page cannot be read or a record is there already: then the two
 * directions have met */
static int64_t copy_records(sqlite_store *from, sqlite_store *to, const char *sql)
{
  sqlite3_stmt *q = NULL;
  int64_t saved = 0;
  if (sqlite3_prepare_v2(from->db, sql, -1, &q, NULL) != SQLITE_OK) return 0;
  while (sqlite3_step(q) == SQLITE_ROW) {
    fcps_journal_record record;
    if (fcps_sqlite_row(from, q, &record, NULL) != FCPS_OK) break;
    /* where a page has lost its end, rows are left without content */
    if (record.kind < FCPS_JOURNAL_ASK || record.kind > FCPS_JOURNAL_DROP) continue;
    if (fcps_sqlite_append(to, &record, record.sequence, NULL) != FCPS_OK) break;
    saved++;
  }
  sqlite3_finalize(q);
  return saved;
}

static int64_t copy_texts(sqlite_store *from, sqlite_store *to)
{
  sqlite3_stmt *q = NULL;
  int64_t saved = 0;
  if (sqlite3_prepare_v2(from->db, "SELECT key, text FROM texts", -1, &q, NULL) != SQLITE_OK) return 0;
  while (sqlite3_step(q) == SQLITE_ROW) {
    const char *key = (const char *)sqlite3_column_text(q, 0), *text = (const char *)sqlite3_column_text(q, 1);
    saved += key != NULL && text != NULL && fcps_store_set(&to->base, key, text, NULL) == FCPS_OK;
  }
  sqlite3_finalize(q);
  return saved;
}

/* opens what is left of a study; with the schema writable SQLite also reads a file that has lost its end */
static fcps_status open_damaged(sqlite_store *s, fcps_error *error)
{
  if (access(s->path, R_OK) != 0)
    return fcps_error_set(error, FCPS_ERR_IO, "", "cannot read %s: %s.", s->base.name, strerror(errno));
  const fcps_status status = fcps_sqlite_connect(s, WAIT_MS, error);
  if (status == FCPS_OK)
    sqlite3_exec(s->db, "PRAGMA writable_schema = ON; PRAGMA cell_size_check = 1", NULL, NULL, NULL);
  return status;
}

/* copies everything that can be read into the new store, whose first transaction is open */
static fcps_status copy_all(sqlite_store *from, sqlite_store *to, int64_t *saved, fcps_error *error)
{
  const int64_t texts = copy_texts(from, to);
  *saved = copy_records(from, to, "SELECT * FROM journal ORDER BY sequence");
  *saved += copy_records(from, to, "SELECT * FROM journal ORDER BY sequence DESC");
  if (texts + *saved > 0) return fcps_store_commit(&to->base, error);
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        "nothing of %s can be read: it is not a study, or its beginning is destroyed. Nothing was "
                        "changed, and %s was not made.",
                        from->base.name, to->base.name);
}

fcps_status fcps_sqlite_repair(const fcps_store_url *url, const fcps_store_url *to, int64_t *saved, fcps_error *error)
{
  sqlite_store *from = NULL;
  fcps_store *copy = NULL;
  fcps_status status = fcps_sqlite_allocate(&from, url, error);
  if (status == FCPS_OK) status = open_damaged(from, error);
  if (status == FCPS_OK) status = fcps_sqlite_create(&copy, to, (fcps_store_options){.wait_ms = WAIT_MS}, error);
  if (status == FCPS_OK) status = copy_all(from, (sqlite_store *)copy, saved, error);
  fcps_store_close(copy);
  fcps_store_close(from != NULL ? &from->base : NULL);
  return status;
}
