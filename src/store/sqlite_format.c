/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of the study file: its tables, how they are made, recognized and upgraded.
 *
 *   format 1   journal and texts, of version 0.1.0
 *   format 2   the same with a checksum in every row; texts is one tree, because nothing covers a second one
 *
 * Invariants: a file is used only where its schema is, letter by letter, that of its format. A file of an older format
 * is read as it is, and becomes one of the present format in the transaction of the first write: a kill leaves the old
 * file or the new one. Numbers that are missing from an old journal count as lost, because old repairs did not note
 * what they lost. */
#include "base/error.h"
#include "base/memory.h"
#include "store/lost_records.h"
#include "store/sqlite_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST_FORMAT = 1, FORMAT = 2, FORMATS = FORMAT + 1, MOST_TABLES = 3 };

#define JOURNAL                                                                                                        \
  "CREATE TABLE journal(sequence INTEGER PRIMARY KEY, kind INTEGER NOT NULL,"                                          \
  " ask INTEGER NOT NULL, other INTEGER NOT NULL, time_ms INTEGER NOT NULL,"                                           \
  " status INTEGER NOT NULL, reward REAL, hindsight_reward REAL, target BLOB,"                                         \
  " environment BLOB, parameters BLOB, outcome BLOB, client TEXT NOT NULL,"                                            \
  " text TEXT NOT NULL"
#define TEXTS "CREATE TABLE texts(key TEXT PRIMARY KEY, text TEXT NOT NULL"

/* A row of SQLite's own table of the schema. */
typedef struct schema_row {
  const char *type, *name, *sql;
} schema_row;

/* By format; the row after the last has no type. */
static const schema_row schemas[FORMATS][MOST_TABLES + 1] = {
    [1] = {{"table", "journal", JOURNAL ")"}, {"table", "texts", TEXTS ")"}, {"index", "sqlite_autoindex_texts_1", ""}},
    [2] = {{"table", "journal", JOURNAL ", checksum INTEGER NOT NULL)"},
           {"table", "texts", TEXTS ", checksum INTEGER NOT NULL) WITHOUT ROWID"}},
};

/* -- Asking SQLite -- */

static fcps_status ask_one(sqlite_store *s, const char *sql, sqlite3_stmt **q, fcps_error *error)
{
  int code = sqlite3_prepare_v2(s->db, sql, -1, q, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(*q);
  if (code == SQLITE_ROW) return FCPS_OK;
  return fcps_sqlite_error(s, code == SQLITE_DONE ? SQLITE_CORRUPT : code, error);
}

fcps_status fcps_sqlite_ask_text(sqlite_store *s, const char *sql, size_t size, char *text, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  const fcps_status status = ask_one(s, sql, &q, error);
  const char *value = status == FCPS_OK ? (const char *)sqlite3_column_text(q, 0) : NULL;
  snprintf(text, size, "%s", value != NULL ? value : "");
  sqlite3_finalize(q);
  return status;
}

fcps_status fcps_sqlite_ask_number(sqlite_store *s, const char *sql, int64_t *number, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  const fcps_status status = ask_one(s, sql, &q, error);
  *number = status == FCPS_OK ? sqlite3_column_int64(q, 0) : 0;
  sqlite3_finalize(q);
  return status;
}

static fcps_status execute(sqlite_store *s, const char *sql, fcps_error *error)
{
  const int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
  return code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
}

/* -- Making -- */

static fcps_status make_tables(sqlite_store *s, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  for (const schema_row *row = schemas[FORMAT]; status == FCPS_OK && row->type != NULL; row++)
    status = execute(s, row->sql, error);
  char number[64];
  snprintf(number, sizeof number, "PRAGMA user_version = %d", FORMAT);
  if (status == FCPS_OK) status = execute(s, number, error);
  if (status == FCPS_OK) s->format = FORMAT;
  return status;
}

fcps_status fcps_sqlite_make(sqlite_store *s, fcps_error *error)
{
  char number[64];
  snprintf(number, sizeof number, "PRAGMA application_id = %d", FCPS_SQLITE_APPLICATION);
  const fcps_status status = execute(s, number, error);
  return status != FCPS_OK ? status : make_tables(s, error);
}

/* -- Recognizing -- */

fcps_status fcps_sqlite_refuse_newer(sqlite_store *s, int64_t format, fcps_error *error)
{
  if (format <= FORMAT) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, "",
                        "%s was made by a newer fcps (format %lld, this one reads up to %d). Nothing was changed.",
                        s->base.name, (long long)format, FORMAT);
}

static fcps_status check_numbers(sqlite_store *s, int64_t *format, fcps_error *error)
{
  int64_t application = 0;
  fcps_status status = fcps_sqlite_ask_number(s, "PRAGMA application_id", &application, error);
  if (status == FCPS_OK) status = fcps_sqlite_ask_number(s, "PRAGMA user_version", format, error);
  if (status != FCPS_OK) return status;
  if (application != FCPS_SQLITE_APPLICATION)
    return fcps_error_set(error, FCPS_ERR_FORMAT, "", "%s is not a study. Nothing was changed.", s->base.name);
  status = fcps_sqlite_refuse_newer(s, *format, error);
  if (status != FCPS_OK || *format >= OLDEST_FORMAT) return status;
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        "%s has no valid number of its format: the head of the file was changed. Nothing was changed "
                        "now. Save what can be read: fcps study repair %s --to NEW",
                        s->base.name, s->base.word);
}

static bool is_column(sqlite3_stmt *q, int column, const char *expected)
{
  const char *text = (const char *)sqlite3_column_text(q, column);
  return strcmp(text != NULL ? text : "", expected) == 0;
}

/* Names come from the file, and are not repeated. */
static fcps_status refuse_schema(sqlite_store *s, const char *what, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        "%s has %s. It was changed after it was made, and is not used; nothing was changed now. Save "
                        "its records: fcps study repair %s --to NEW",
                        s->base.name, what, s->base.word);
}

static fcps_status check_schema(sqlite_store *s, const schema_row *expected, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  bool is_there[MOST_TABLES] = {false};
  int code = sqlite3_prepare_v2(s->db, "SELECT type, name, sql FROM sqlite_master", -1, &q, NULL);
  fcps_status status = code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
  while (status == FCPS_OK && (code = sqlite3_step(q)) != SQLITE_DONE) {
    if (code != SQLITE_ROW) {
      status = fcps_sqlite_error(s, code, error);
      break;
    }
    int i = 0;
    while (expected[i].type != NULL && (is_there[i] || !is_column(q, 0, expected[i].type) ||
                                        !is_column(q, 1, expected[i].name) || !is_column(q, 2, expected[i].sql)))
      i++;
    if (expected[i].type != NULL)
      is_there[i] = true;
    else
      status = refuse_schema(s, "a table, index, view or trigger that fcps does not make", error);
  }
  for (int i = 0; status == FCPS_OK && expected[i].type != NULL; i++)
    if (!is_there[i]) status = refuse_schema(s, "lost one of its tables", error);
  sqlite3_finalize(q);
  return status;
}

fcps_status fcps_sqlite_check_tables(sqlite_store *s, fcps_error *error)
{
  int64_t format = 0, cookie = 0;
  fcps_status status = check_numbers(s, &format, error);
  if (status == FCPS_OK) status = fcps_sqlite_ask_number(s, "PRAGMA schema_version", &cookie, error);
  if (status == FCPS_OK) status = check_schema(s, schemas[format], error);
  if (status != FCPS_OK) return status;
  s->format = (int)format;
  s->cookie = cookie;
  return FCPS_OK;
}

fcps_status fcps_sqlite_check_texts(sqlite_store *s, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  int code = sqlite3_prepare_v2(s->db, "SELECT * FROM texts", -1, &q, NULL);
  fcps_status status = code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
  free(s->lost);
  s->lost = NULL;
  while (status == FCPS_OK && (code = sqlite3_step(q)) != SQLITE_DONE) {
    const char *key = NULL, *text = NULL;
    status = code == SQLITE_ROW ? fcps_sqlite_text(s, q, &key, &text, error) : fcps_sqlite_error(s, code, error);
    if (status != FCPS_OK || strcmp(key, FCPS_LOST_KEY) != 0) continue;
    free(s->lost);
    s->lost = fcps_copy_text(text);
    if (s->lost == NULL) status = fcps_error_memory(error);
  }
  sqlite3_finalize(q);
  return status;
}

/* The numbers of the format and of the schema, by statements that are kept. */
static fcps_status ask_kept(sqlite_store *s, sqlite3_stmt **q, const char *sql, int64_t *number, fcps_error *error)
{
  int code = SQLITE_OK;
  if (*q == NULL) code = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, q, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(*q);
  if (code == SQLITE_ROW) *number = sqlite3_column_int64(*q, 0);
  const fcps_status status = code == SQLITE_ROW ? FCPS_OK : fcps_sqlite_error(s, code, error);
  sqlite3_reset(*q);
  return status;
}

fcps_status fcps_sqlite_follow_format(sqlite_store *s, fcps_error *error)
{
  int64_t cookie = 0, format = 0;
  fcps_status status = ask_kept(s, &s->ask_cookie, "PRAGMA schema_version", &cookie, error);
  if (status == FCPS_OK) status = ask_kept(s, &s->ask_format, "PRAGMA user_version", &format, error);
  if (status != FCPS_OK || (cookie == s->cookie && format == s->format)) return status;
  status = fcps_sqlite_check_tables(s, error);
  return status != FCPS_OK ? status : fcps_sqlite_check_texts(s, error);
}

/* -- Upgrading -- */

/* copies the old records, and notes the numbers that are missing */
static fcps_status upgrade_journal(sqlite_store *s, fcps_lost_list *lost, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  int64_t last = 0;
  int code = sqlite3_prepare_v2(s->db, "SELECT * FROM journal_1 WHERE sequence > 0 ORDER BY sequence", -1, &q, NULL);
  fcps_status status = code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
  while (status == FCPS_OK && (code = sqlite3_step(q)) != SQLITE_DONE) {
    fcps_journal_record record;
    status = code == SQLITE_ROW ? fcps_sqlite_row(s, q, &record, error) : fcps_sqlite_error(s, code, error);
    if (status == FCPS_OK && record.sequence > last + 1 && !fcps_lost_add(lost, last + 1, record.sequence - 1))
      status = fcps_error_memory(error);
    if (status == FCPS_OK) status = fcps_sqlite_append(s, &record, record.sequence, error);
    last = record.sequence;
  }
  sqlite3_finalize(q);
  return status;
}

static fcps_status upgrade_texts(sqlite_store *s, const char *lost, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  int code = sqlite3_prepare_v2(s->db, "SELECT * FROM texts_1", -1, &q, NULL);
  fcps_status status = code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
  while (status == FCPS_OK && (code = sqlite3_step(q)) != SQLITE_DONE) {
    const char *key = NULL, *text = NULL;
    status = code == SQLITE_ROW ? fcps_sqlite_text(s, q, &key, &text, error) : fcps_sqlite_error(s, code, error);
    if (status == FCPS_OK) status = fcps_sqlite_set(s, key, text, error);
  }
  sqlite3_finalize(q);
  if (status == FCPS_OK && lost != NULL) status = fcps_sqlite_set(s, FCPS_LOST_KEY, lost, error);
  return status;
}

fcps_status fcps_sqlite_upgrade(sqlite_store *s, fcps_error *error)
{
  if (s->format == FORMAT) return FCPS_OK;
  fcps_lost_list lost = {0};
  fcps_status status =
      execute(s, "ALTER TABLE journal RENAME TO journal_1; ALTER TABLE texts RENAME TO texts_1", error);
  if (status == FCPS_OK) status = make_tables(s, error);
  if (status == FCPS_OK) status = upgrade_journal(s, &lost, error);
  if (status == FCPS_OK) status = upgrade_texts(s, lost.text, error);
  if (status == FCPS_OK) status = execute(s, "DROP TABLE journal_1; DROP TABLE texts_1", error);
  free(s->lost);
  s->lost = lost.text;
  s->cookie = -1; /* looked at again after the commit, or after a rollback */
  return status;
}
