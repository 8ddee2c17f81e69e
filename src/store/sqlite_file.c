/* SPDX-License-Identifier: Apache-2.0 */
/* Making, opening and checking study files, and saving what can be read of a damaged one. */
#include "base/error.h"
#include "base/memory.h"
#include "store/sqlite_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { APPLICATION_ID = 0x66637073 /* "fcps" */, SCHEMA = 1 };

static const char schema_sql[] = "CREATE TABLE journal(sequence INTEGER PRIMARY KEY, kind INTEGER NOT NULL,"
                                 " ask INTEGER NOT NULL, other INTEGER NOT NULL, time_ms INTEGER NOT NULL,"
                                 " status INTEGER NOT NULL, reward REAL, hindsight_reward REAL, target BLOB,"
                                 " environment BLOB, parameters BLOB, outcome BLOB, client TEXT NOT NULL,"
                                 " text TEXT NOT NULL);"
                                 "CREATE TABLE texts(key TEXT PRIMARY KEY, text TEXT NOT NULL);"
                                 "PRAGMA application_id = 1717792883;"
                                 "PRAGMA user_version = 1;";
_Static_assert(APPLICATION_ID == 1717792883 && SCHEMA == 1, "the schema text has these numbers too");

static fcps_status allocate_store(sqlite_store **store, const char *path, fcps_error *error)
{
  sqlite_store *s = fcps_allocate(1, sizeof *s);
  *store = s;
  if (s == NULL) return fcps_error_memory(error);
  s->base.ops = &fcps_sqlite_ops;
  s->path = fcps_copy_text(path);
  s->reserve_path = fcps_allocate(strlen(path) + sizeof "-reserve", 1);
  if (s->path == NULL || s->reserve_path == NULL) return fcps_error_memory(error);
  strcpy(s->reserve_path, path);
  strcat(s->reserve_path, "-reserve");
  return FCPS_OK;
}

static fcps_status open_file(sqlite_store *s, int wait_ms, fcps_error *error)
{
  const int code = sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code != SQLITE_OK) return fcps_sqlite_error(s, code, error);
  sqlite3_extended_result_codes(s->db, 1);
  sqlite3_busy_timeout(s->db, wait_ms);
  /* a study may come from somebody else: its schema must not run anything */
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  return FCPS_OK;
}

static fcps_status connect_file(sqlite_store *s, fcps_store_options options, fcps_error *error)
{
  const fcps_status status = open_file(s, options.wait_ms, error);
  if (status != FCPS_OK) return status;
  s->is_relaxed = options.is_relaxed;
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  const char *setup = options.is_relaxed ? "PRAGMA cell_size_check = 1; PRAGMA synchronous = OFF"
                                         : "PRAGMA cell_size_check = 1; PRAGMA synchronous = EXTRA";
  const int code = sqlite3_exec(s->db, setup, NULL, NULL, NULL);
  return code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
}

/* the first value that a statement returns, as a text in `text` and as a number */
static fcps_status ask_one(sqlite_store *s, const char *sql, size_t size, char *text, int64_t *number,
                           fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  int code = sqlite3_prepare_v2(s->db, sql, -1, &q, NULL);
  if (code == SQLITE_OK) code = sqlite3_step(q);
  fcps_status status = FCPS_OK;
  if (code == SQLITE_ROW) {
    const char *value = (const char *)sqlite3_column_text(q, 0);
    snprintf(text, size, "%s", value != NULL ? value : "");
    *number = sqlite3_column_int64(q, 0);
  } else {
    status = fcps_sqlite_error(s, code == SQLITE_DONE ? SQLITE_CORRUPT : code, error);
  }
  sqlite3_finalize(q);
  return status;
}

static fcps_status check_version(sqlite_store *s, fcps_error *error)
{
  char text[64];
  int64_t application = 0, version = 0;
  fcps_status status = ask_one(s, "PRAGMA application_id", sizeof text, text, &application, error);
  if (status == FCPS_OK) status = ask_one(s, "PRAGMA user_version", sizeof text, text, &version, error);
  if (status != FCPS_OK) return status;
  if (application != APPLICATION_ID)
    return fcps_error_set(error, FCPS_ERR_FORMAT, "", "%s is no study. Nothing was changed.", s->path);
  if (version != SCHEMA)
    return fcps_error_set(error, FCPS_ERR_FORMAT, "",
                          "%s was made by a newer fcps (format %lld, this one reads %d). Nothing was changed.", s->path,
                          (long long)version, SCHEMA);
  return FCPS_OK;
}

static fcps_status check_integrity(sqlite_store *s, fcps_error *error)
{
  char words[200];
  int64_t number;
  const fcps_status status = ask_one(s, "PRAGMA quick_check(1)", sizeof words, words, &number, error);
  if (status != FCPS_OK || strcmp(words, "ok") == 0) return status;
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                        "%s fails its integrity check (%.120s). Nothing was changed. Save what can be read: fcps "
                        "study repair %s --to NEW",
                        s->path, words, s->path);
}

fcps_status fcps_store_sqlite_create(fcps_store **store, const char *path, fcps_store_options options,
                                     fcps_error *error)
{
  *store = NULL;
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST)
    return fcps_error_set(error, FCPS_ERR_STORE, "", "%s exists already; choose another name.", path);
  if (file < 0) return fcps_error_set(error, FCPS_ERR_IO, "", "cannot make %s: %s.", path, strerror(errno));
  close(file);

  sqlite_store *s = NULL;
  fcps_status status = allocate_store(&s, path, error);
  if (status == FCPS_OK) status = connect_file(s, options, error);
  if (status == FCPS_OK) status = fcps_store_begin(&s->base, true, error);
  if (status == FCPS_OK && sqlite3_exec(s->db, schema_sql, NULL, NULL, NULL) != SQLITE_OK)
    status = fcps_sqlite_error(s, sqlite3_errcode(s->db), error);
  if (status != FCPS_OK) {
    fcps_store_close(s != NULL ? &s->base : NULL);
    unlink(path);
    return status;
  }
  *store = &s->base;
  return FCPS_OK;
}

fcps_status fcps_store_sqlite_open(fcps_store **store, const char *path, fcps_store_options options, fcps_error *error)
{
  *store = NULL;
  if (access(path, R_OK) != 0)
    return fcps_error_set(error, FCPS_ERR_IO, "",
                          "cannot read %s: %s. A study is made by: fcps study new %s --problem "
                          "FILE.yaml",
                          path, strerror(errno), path);
  sqlite_store *s = NULL;
  fcps_status status = allocate_store(&s, path, error);
  if (status == FCPS_OK) status = connect_file(s, options, error);
  if (status == FCPS_OK) status = check_version(s, error);
  if (status == FCPS_OK) status = check_integrity(s, error);
  if (status != FCPS_OK) {
    fcps_store_close(s != NULL ? &s->base : NULL);
    return status;
  }
  *store = &s->base;
  return FCPS_OK;
}

fcps_status fcps_store_sqlite_recognize(const char *path, fcps_error *error)
{
  /* SQLite's file format, section 1.3: how every file begins, and where the application's number stands */
  enum { HEAD = 100, NUMBER = 68 };
  static const char words[] = "SQLite format 3";
  unsigned char head[HEAD] = {0};
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return FCPS_OK;
  if (file < 0) return fcps_error_set(error, FCPS_ERR_IO, "", "cannot read %s: %s.", path, strerror(errno));
  const ssize_t length = read(file, head, sizeof head);
  close(file);
  if (length == 0) return FCPS_OK; /* a making that was interrupted */
  const uint32_t number = (uint32_t)head[NUMBER] << 24 | (uint32_t)head[NUMBER + 1] << 16 |
                          (uint32_t)head[NUMBER + 2] << 8 | (uint32_t)head[NUMBER + 3];
  if (length == HEAD && memcmp(head, words, sizeof words) == 0 && number == APPLICATION_ID) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, "", "%s is no study. Nothing was changed.", path);
}

/* copies records of `from` in one direction until a page cannot be read; the second direction skips what is there */
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

/* opens what is left of a study; with the schema writable SQLite reads a file that has lost its end, too */
static fcps_status open_ruin(sqlite_store *s, fcps_error *error)
{
  if (access(s->path, R_OK) != 0)
    return fcps_error_set(error, FCPS_ERR_IO, "", "cannot read %s: %s.", s->path, strerror(errno));
  const fcps_status status = open_file(s, 5000, error);
  if (status == FCPS_OK)
    sqlite3_exec(s->db, "PRAGMA writable_schema = ON; PRAGMA cell_size_check = 1", NULL, NULL, NULL);
  return status;
}

fcps_status fcps_store_sqlite_repair(const char *path, const char *to, int64_t *saved, fcps_error *error)
{
  const fcps_store_options options = {.wait_ms = 5000};
  sqlite_store *from = NULL;
  fcps_store *copy = NULL;
  *saved = 0;
  fcps_status status = allocate_store(&from, path, error);
  if (status == FCPS_OK) status = open_ruin(from, error);
  if (status == FCPS_OK) status = fcps_store_sqlite_create(&copy, to, options, error);
  const bool is_made = status == FCPS_OK;
  if (status == FCPS_OK) {
    sqlite_store *target = (sqlite_store *)copy;
    const int64_t texts = copy_texts(from, target);
    *saved = copy_records(from, target, "SELECT * FROM journal ORDER BY sequence");
    *saved += copy_records(from, target, "SELECT * FROM journal ORDER BY sequence DESC");
    if (texts + *saved == 0)
      status = fcps_error_set(error, FCPS_ERR_DAMAGED, "",
                              "nothing of %s can be read: it is no study, or its beginning is destroyed. Nothing was "
                              "changed, and %s was not made.",
                              path, to);
    else
      status = fcps_store_commit(copy, error);
  }
  fcps_store_close(copy);
  fcps_store_close(from != NULL ? &from->base : NULL);
  if (status != FCPS_OK && is_made) unlink(to);
  return status;
}
