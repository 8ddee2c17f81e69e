/* SPDX-License-Identifier: Apache-2.0 */
/* Making, opening, checking and removing study files.
 *
 * Invariants: a file that exists is never replaced; one that is not a study, is damaged or comes from a newer version
 * is refused before anything is written to it; a making that was interrupted leaves an empty file, or one that SQLite
 * rolls back to an empty one, and such a file may be removed.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/study_file.h"
#include "store/sqlite_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { APPLICATION_ID = FCPS_STUDY_FILE_ID, SCHEMA = 1 };

static const char schema_sql[] = "CREATE TABLE journal(sequence INTEGER PRIMARY KEY, kind INTEGER NOT NULL,"
                                 " ask INTEGER NOT NULL, other INTEGER NOT NULL, time_ms INTEGER NOT NULL,"
                                 " status INTEGER NOT NULL, reward REAL, hindsight_reward REAL, target BLOB,"
                                 " environment BLOB, parameters BLOB, outcome BLOB, client TEXT NOT NULL,"
                                 " text TEXT NOT NULL);"
                                 "CREATE TABLE texts(key TEXT PRIMARY KEY, text TEXT NOT NULL);"
                                 "PRAGMA application_id = 1717792883;"
                                 "PRAGMA user_version = 1;";
_Static_assert(APPLICATION_ID == 1717792883 && SCHEMA == 1, "the schema text has the same numbers");

char *fcps_sqlite_beside(const char *path, const char *end)
{
  char *name = fcps_allocate(strlen(path) + strlen(end) + 1, 1);
  return name != NULL ? strcat(strcpy(name, path), end) : NULL;
}

/* The path, in a form that SQLite always reads as a path (not ":memory:" or "file:..."). */
static char *plain_path(const char *address)
{
  const bool is_special = *address == ':' || strncmp(address, "file:", strlen("file:")) == 0;
  return is_special ? fcps_sqlite_beside("./", address) : fcps_copy_text(address);
}

fcps_status fcps_sqlite_allocate(sqlite_store **store, const fcps_store_url *url, fcps_error *error)
{
  sqlite_store *s = fcps_allocate(1, sizeof *s);
  *store = s;
  if (s == NULL) return fcps_error_memory(error);
  s->hold = -1;
  const fcps_status status = fcps_store_prepare(&s->base, url, error);
  if (status != FCPS_OK) return status;
  s->path = plain_path(url->address);
  s->reserve_path = fcps_sqlite_beside(url->address, "-reserve");
  s->lock_path = fcps_sqlite_beside(url->address, "-lock");
  const bool has_memory = s->path != NULL && s->reserve_path != NULL && s->lock_path != NULL;
  return has_memory ? FCPS_OK : fcps_error_memory(error);
}

fcps_status fcps_sqlite_connect(sqlite_store *s, int wait_ms, fcps_error *error)
{
  const int code = sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code != SQLITE_OK) return fcps_sqlite_error(s, code, error);
  sqlite3_extended_result_codes(s->db, 1);
  sqlite3_busy_timeout(s->db, wait_ms);
  /* a study may come from somebody else: its schema must not run anything */
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  return FCPS_OK;
}

static fcps_status connect_to_write(sqlite_store *s, fcps_store_options options, fcps_error *error)
{
  const fcps_status status = fcps_sqlite_connect(s, options.wait_ms, error);
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

fcps_status fcps_sqlite_create(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                               fcps_error *error)
{
  const int file = open(url->address, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST)
    return fcps_error_set(error, FCPS_ERR_STORE, "", "%s exists already; choose another name.", url->name);
  if (file < 0) return fcps_error_set(error, FCPS_ERR_IO, "", "cannot make %s: %s.", url->name, strerror(errno));
  close(file);

  sqlite_store *s = NULL;
  fcps_status status = fcps_sqlite_allocate(&s, url, error);
  if (status == FCPS_OK) status = connect_to_write(s, options, error);
  if (status == FCPS_OK) status = fcps_store_begin(&s->base, true, error);
  if (status == FCPS_OK && sqlite3_exec(s->db, schema_sql, NULL, NULL, NULL) != SQLITE_OK)
    status = fcps_sqlite_error(s, sqlite3_errcode(s->db), error);
  if (status != FCPS_OK) {
    fcps_store_close(s != NULL ? &s->base : NULL);
    unlink(url->address);
    return status;
  }
  *store = &s->base;
  return FCPS_OK;
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
  if (status == FCPS_OK) status = connect_to_write(s, options, error);
  if (status == FCPS_OK) status = check_version(s, error);
  if (status == FCPS_OK) status = check_integrity(s, error);
  if (status != FCPS_OK) {
    fcps_store_close(s != NULL ? &s->base : NULL);
    return status;
  }
  *store = &s->base;
  return FCPS_OK;
}

/* Where the folder cannot even be searched, the making says why. */
fcps_status fcps_sqlite_exists(bool *exists, const fcps_store_url *url, fcps_error *error)
{
  (void)error;
  *exists = access(url->address, F_OK) == 0;
  return FCPS_OK;
}

fcps_status fcps_sqlite_recognize(const fcps_store_url *url, fcps_error *error)
{
  switch (fcps_recognize_file(url->address)) {
  case FCPS_RECOGNIZED_ABSENT:
  case FCPS_RECOGNIZED_EMPTY: /* its making was interrupted */
  case FCPS_RECOGNIZED_STUDY:
    return FCPS_OK;
  case FCPS_RECOGNIZED_UNREADABLE:
    return fcps_error_set(error, FCPS_ERR_IO, "", "cannot read %s: %s.", url->name, strerror(errno));
  case FCPS_RECOGNIZED_OTHER:
    break;
  }
  return fcps_error_set(error, FCPS_ERR_FORMAT, "", "%s is not a study. Nothing was changed.", url->name);
}

static fcps_status remove_files(const char *path, fcps_error *error)
{
  static const char *const ends[] = {"", "-journal", "-reserve"};
  fcps_status status = FCPS_OK;
  for (size_t i = 0; status == FCPS_OK && i < sizeof ends / sizeof *ends; i++) {
    char *name = fcps_sqlite_beside(path, ends[i]);
    if (name == NULL) return fcps_error_memory(error);
    if (unlink(name) != 0 && errno != ENOENT)
      status = fcps_error_set(error, FCPS_ERR_IO, "", "cannot delete %s: %s.", name, strerror(errno));
    free(name);
  }
  return status;
}

fcps_status fcps_sqlite_remove(const fcps_store_url *url, fcps_error *error)
{
  int hold = -1;
  char *lock_path = fcps_sqlite_beside(url->address, "-lock");
  if (lock_path == NULL) return fcps_error_memory(error);
  /* nobody may begin with it meanwhile */
  fcps_status status = fcps_sqlite_hold(&hold, lock_path, url->name, error);
  if (status == FCPS_OK) status = remove_files(url->address, error);
  fcps_sqlite_release(&hold, lock_path);
  free(lock_path);
  return status;
}
