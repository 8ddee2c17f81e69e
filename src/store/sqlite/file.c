/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and checking study files.
 *
 * Invariants: a file that is not a study, is damaged or comes from a newer version is refused before anything is written
 * to it. SQLite opens a file only after it is listed in base/open_files.h, and after a journal that belongs to another
 * file was set aside.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/shell_word.h"
#include "store/sqlite/sqlite_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    return errno == ENOMEM
               ? fcps_error_memory(error)
               : fcps_error_set(error, FCPS_ERR_IO, "", "%s cannot be read: %s.", s->base.name, strerror(errno));
  s->is_listed = true;
  const fcps_status status = fcps_sqlite_check_journal(s, error);
  if (status != FCPS_OK) return status;
  const int code = sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code != SQLITE_OK) return fcps_sqlite_error(s, code, error);
  if (stat(s->path, &info) == 0 && info.st_dev == s->open_file.device && info.st_ino == s->open_file.inode)
    return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is being replaced by another file. Try again.", s->base.name);
}

fcps_status fcps_sqlite_connect(sqlite_store *s, int wait_ms, bool is_defensive, fcps_error *error)
{
  const fcps_status status = open_listed(s, error);
  if (status != FCPS_OK) return status;
  sqlite3_extended_result_codes(s->db, 1);
  sqlite3_busy_timeout(s->db, wait_ms);
  return fcps_sqlite_guard(s, is_defensive, error);
}

fcps_status fcps_sqlite_connect_to_write(sqlite_store *s, fcps_store_options options, fcps_error *error)
{
  s->options = options;
  const fcps_status status = fcps_sqlite_connect(s, options.wait_ms, true, error);
  if (status != FCPS_OK) return status;
  const char *setup = options.is_relaxed ? "PRAGMA synchronous = OFF" : "PRAGMA synchronous = EXTRA";
  const int code = sqlite3_exec(s->db, setup, NULL, NULL, NULL);
  return code == SQLITE_OK ? FCPS_OK : fcps_sqlite_error(s, code, error);
}

fcps_status fcps_sqlite_open(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                             fcps_error *error)
{
  char room[2000];
  const bool is_readable = access(url->address, R_OK) == 0;
  if (!is_readable && errno == ENOENT)
    return fcps_error_set(
        error, FCPS_ERR_IO, "",
        "there is no study %s yet. One is made by: fcps run FILE.yaml, or fcps study new %s --problem "
        "FILE.yaml",
        url->name, fcps_shell_word(url->name, sizeof room, room));
  if (!is_readable) return fcps_error_set(error, FCPS_ERR_IO, "", "cannot read %s: %s", url->name, strerror(errno));
  sqlite_store *s = NULL;
  fcps_status status = fcps_sqlite_allocate(&s, url, error);
  if (status == FCPS_OK) status = fcps_sqlite_connect_to_write(s, options, error);
  if (status == FCPS_OK) status = fcps_sqlite_check(s, error);
  if (status == FCPS_OK) status = fcps_sqlite_note_open(s, error);
  if (status != FCPS_OK) {
    fcps_store_close(s != NULL ? &s->base : NULL);
    return status;
  }
  *store = &s->base;
  return FCPS_OK;
}
