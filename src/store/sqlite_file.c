/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and checking study files.
 *
 * Invariants: a file that is not a study, is damaged or comes from a newer version is refused before anything is written
 * to it. SQLite opens a file only after it is listed in base/open_files.h, and after a journal that belongs to another
 * file was set aside.
 */
#include "base/error.h"
#include "base/memory.h"
#include "store/sqlite_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SCHEMA = 1 };

static const char schema_sql[] = "CREATE TABLE journal(sequence INTEGER PRIMARY KEY, kind INTEGER NOT NULL,"
                                 " ask INTEGER NOT NULL, other INTEGER NOT NULL, time_ms INTEGER NOT NULL,"
                                 " status INTEGER NOT NULL, reward REAL, hindsight_reward REAL, target BLOB,"
                                 " environment BLOB, parameters BLOB, outcome BLOB, client TEXT NOT NULL,"
                                 " text TEXT NOT NULL);"
                                 "CREATE TABLE texts(key TEXT PRIMARY KEY, text TEXT NOT NULL);"
                                 "PRAGMA application_id = 1717792883;"
                                 "PRAGMA user_version = 1;";
_Static_assert(FCPS_SQLITE_APPLICATION == 1717792883 && SCHEMA == 1, "the schema text has the same numbers");

fcps_status fcps_sqlite_allocate(sqlite_store **store, const fcps_store_url *url, fcps_error *error)
{
  sqlite_store *s = fcps_allocate(1, sizeof *s);
  *store = s;
  if (s == NULL) return fcps_error_memory(error);
  s->hold = -1;
  const fcps_status status = fcps_store_prepare(&s->base, url, error);
  if (status != FCPS_OK) return status;
  s->path = fcps_sqlite_real_path(url->address);
  if (s->path == NULL) return fcps_sqlite_refuse_path(url, error);
  s->reserve_path = fcps_sqlite_beside(s->path, "-reserve");
  s->lock_path = fcps_sqlite_beside(s->path, "-lock");
  const bool has_memory = s->reserve_path != NULL && s->lock_path != NULL;
  return has_memory ? FCPS_OK : fcps_error_memory(error);
}

/* the list of open files first; the two look at the same file unless it was replaced between */
static fcps_status open_listed(sqlite_store *s, fcps_error *error)
{
  struct stat info;
  if (!fcps_open_files_add(s->path, &s->open_file))
    return fcps_error_set(error, FCPS_ERR_IO, "", "%s cannot be read: %s.", s->base.name, strerror(errno));
  s->is_listed = true;
  const fcps_status status = fcps_sqlite_check_journal(s, error);
  if (status != FCPS_OK) return status;
  const int code = sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code != SQLITE_OK) return fcps_sqlite_error(s, code, error);
  if (stat(s->path, &info) == 0 && info.st_dev == s->open_file.device && info.st_ino == s->open_file.inode)
    return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is being replaced by another file. Try again.", s->base.name);
}

fcps_status fcps_sqlite_connect(sqlite_store *s, int wait_ms, fcps_error *error)
{
  const fcps_status status = open_listed(s, error);
  if (status != FCPS_OK) return status;
  sqlite3_extended_result_codes(s->db, 1);
  sqlite3_busy_timeout(s->db, wait_ms);
  /* a study may come from somebody else: its schema must not run anything */
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  return FCPS_OK;
}

fcps_status fcps_sqlite_connect_to_write(sqlite_store *s, fcps_store_options options, fcps_error *error)
{
  s->options = options;
  const fcps_status status = fcps_sqlite_connect(s, options.wait_ms, error);
  if (status != FCPS_OK) return status;
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
  if (application != FCPS_SQLITE_APPLICATION)
    return fcps_error_set(error, FCPS_ERR_FORMAT, "", "%s is not a study. Nothing was changed.", s->base.name);
  if (version != SCHEMA)
    return fcps_error_set(error, FCPS_ERR_FORMAT, "",
                          "%s was made by a newer fcps (format %lld, this one reads %d). Nothing was changed.",
                          s->base.name, (long long)version, SCHEMA);
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
                        s->base.name, words, s->base.name);
}

fcps_status fcps_sqlite_make(sqlite_store *s, fcps_error *error)
{
  const int code = sqlite3_exec(s->db, schema_sql, NULL, NULL, NULL);
  return code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
}

fcps_status fcps_sqlite_open(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                             fcps_error *error)
{
  if (access(url->address, R_OK) != 0)
    return fcps_error_set(error, FCPS_ERR_IO, "",
                          "cannot read %s: %s. A study is made by: fcps study new %s --problem "
                          "FILE.yaml",
                          url->name, strerror(errno), url->name);
  sqlite_store *s = NULL;
  fcps_status status = fcps_sqlite_allocate(&s, url, error);
  if (status == FCPS_OK) status = fcps_sqlite_connect_to_write(s, options, error);
  if (status == FCPS_OK) status = check_version(s, error);
  if (status == FCPS_OK) status = check_integrity(s, error);
  if (status == FCPS_OK) status = fcps_sqlite_note_open(s, error);
  if (status != FCPS_OK) {
    fcps_store_close(s != NULL ? &s->base : NULL);
    return status;
  }
  *store = &s->base;
  return FCPS_OK;
}
