/* SPDX-License-Identifier: Apache-2.0 */
/* The format of the study file: its tables, how they are made and recognized.
 *
 * Invariants: a file is used only if its schema is, letter by letter, that of its format. Every row has a checksum; texts
 * is one tree, because nothing covers a second one. A later format keeps the schema before it, and reads such files. */
#include "base/error.h"
#include "base/memory.h"
#include "store/integrity.h"
#include "store/sqlite/sqlite_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Format 1 was of no release. */
enum { FORMAT = 2, TABLES = 2 };

/* A row of SQLite's own table of the schema. */
typedef struct schema_row {
  const char *type, *name, *sql;
} schema_row;

static const schema_row schema[TABLES] = {
    {"table", "journal",
     "CREATE TABLE journal(sequence INTEGER PRIMARY KEY, kind INTEGER NOT NULL,"
     " ask INTEGER NOT NULL, other INTEGER NOT NULL, time_ms INTEGER NOT NULL,"
     " status INTEGER NOT NULL, reward REAL, hindsight_reward REAL, target BLOB,"
     " environment BLOB, parameters BLOB, outcome BLOB, client TEXT NOT NULL,"
     " text TEXT NOT NULL, checksum INTEGER NOT NULL)"},
    {"table", "texts",
     "CREATE TABLE texts(key TEXT PRIMARY KEY, text TEXT NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID"},
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
  for (int i = 0; status == FCPS_OK && i < TABLES; i++)
    status = execute(s, schema[i].sql, error);
  char number[64];
  snprintf(number, sizeof number, "PRAGMA user_version = %d", FORMAT);
  if (status == FCPS_OK) status = execute(s, number, error);
  if (status == FCPS_OK) s->format = FORMAT;
  return status;
}

fcps_status fcps_sqlite_make(sqlite_store *s, fcps_error *error)
{
  char number[64];
  snprintf(number, sizeof number, "PRAGMA application_id = %d", FCPS_STUDY_FILE_ID);
  const fcps_status status = execute(s, number, error);
  return status != FCPS_OK ? status : make_tables(s, error);
}

/* -- Recognizing -- */

fcps_status fcps_sqlite_refuse_format(sqlite_store *s, int64_t format, fcps_error *error)
{
  if (format < 1 || format == FORMAT) return FCPS_OK;
  return fcps_error_set(
      error, FCPS_ERR_FORMAT, "", "%s was made by %s (format %lld, this one reads %d). Nothing was changed.",
      s->base.name, format > FORMAT ? "a newer fcps" : "an fcps before the first release", (long long)format, FORMAT);
}

static fcps_status check_numbers(sqlite_store *s, int64_t *format, fcps_error *error)
{
  int64_t application = 0;
  fcps_status status = fcps_sqlite_ask_number(s, "PRAGMA application_id", &application, error);
  if (status == FCPS_OK) status = fcps_sqlite_ask_number(s, "PRAGMA user_version", format, error);
  if (status != FCPS_OK) return status;
  if (application != FCPS_STUDY_FILE_ID)
    return fcps_error_set(error, FCPS_ERR_FORMAT, "", "%s is not a study. Nothing was changed.", s->base.name);
  status = fcps_sqlite_refuse_format(s, *format, error);
  if (status != FCPS_OK || *format == FORMAT) return status;
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

/* Refuses the schema without its names, which come from the file. */
static fcps_status refuse_schema(sqlite_store *s, const char *what, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        "%s has %s. It was changed after it was made, and is not used; nothing was changed now. Save "
                        "its records: fcps study repair %s --to NEW",
                        s->base.name, what, s->base.word);
}

static fcps_status check_schema(sqlite_store *s, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  bool is_there[TABLES] = {false};
  int code = sqlite3_prepare_v2(s->db, "SELECT type, name, sql FROM sqlite_master", -1, &q, NULL);
  fcps_status status = code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
  while (status == FCPS_OK && (code = sqlite3_step(q)) != SQLITE_DONE) {
    if (code != SQLITE_ROW) {
      status = fcps_sqlite_error(s, code, error);
      break;
    }
    int i = 0;
    while (i < TABLES && (is_there[i] || !is_column(q, 0, schema[i].type) || !is_column(q, 1, schema[i].name) ||
                          !is_column(q, 2, schema[i].sql)))
      i++;
    if (i < TABLES)
      is_there[i] = true;
    else
      status = refuse_schema(s, "a table, index, view or trigger that fcps does not make", error);
  }
  for (int i = 0; status == FCPS_OK && i < TABLES; i++)
    if (!is_there[i]) status = refuse_schema(s, "lost one of its tables", error);
  sqlite3_finalize(q);
  return status;
}

fcps_status fcps_sqlite_check_tables(sqlite_store *s, fcps_error *error)
{
  int64_t format = 0, cookie = 0;
  fcps_status status = check_numbers(s, &format, error);
  if (status == FCPS_OK) status = fcps_sqlite_ask_number(s, "PRAGMA schema_version", &cookie, error);
  if (status == FCPS_OK) status = check_schema(s, error);
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

/* Asks for one number by a statement that is kept. */
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
