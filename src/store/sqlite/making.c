/* SPDX-License-Identifier: Apache-2.0 */
/* Making a study file.
 *
 * A study is made under the name PATH-unfinished, in one transaction, and gets its name when that is committed. So under its
 * name there is a whole study or nothing, whenever the maker is killed, and the same command again works: it deletes
 * what an earlier maker has left. PATH is held meanwhile: of two makers one wins, and the other is told.
 *
 * Invariants: a file that exists is never replaced, unless it is empty.
 */
#include "base/error.h"
#include "base/memory.h"
#include "store/sqlite/sqlite_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static fcps_status refuse_existing(const char *path, const char *name, fcps_error *error)
{
  struct stat info;
  if (lstat(path, &info) != 0 || fcps_sqlite_is_empty(path)) return FCPS_OK;
  if (S_ISLNK(info.st_mode))
    return fcps_error_set(error, FCPS_ERR_STORE, "",
                          "%s is a link to a file that is not there. Delete the link, or choose another name.", name);
  return fcps_error_set(error, FCPS_ERR_STORE, "", "%s exists already; choose another name.", name);
}

fcps_status fcps_sqlite_make_file(const char *path, const char *name, fcps_error *error)
{
  char *journal_path = fcps_sqlite_beside(path, "-journal");
  if (journal_path == NULL) return fcps_error_memory(error);
  unlink(journal_path);
  unlink(path);
  free(journal_path);
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file < 0) return fcps_error_set(error, FCPS_ERR_IO, "", "cannot make %s: %s.", name, strerror(errno));
  close(file);
  return FCPS_OK;
}

/* Makes PATH-unfinished, which s->path is from here on. */
static fcps_status begin_making(sqlite_store *s, fcps_error *error)
{
  char *new_path = fcps_sqlite_beside(s->path, "-unfinished");
  if (new_path == NULL) return fcps_error_memory(error);
  fcps_status status = fcps_sqlite_refuse_companion(s->path, s->base.name, error);
  if (status == FCPS_OK) status = refuse_existing(s->path, s->base.name, error);
  if (status == FCPS_OK) status = fcps_sqlite_hold(&s->hold, s->lock_path, s->base.name, error);
  if (status == FCPS_OK) status = refuse_existing(s->path, s->base.name, error);
  if (status == FCPS_OK) status = fcps_sqlite_make_file(new_path, s->base.name, error);
  if (status != FCPS_OK) {
    free(new_path);
    return status;
  }
  s->final_path = s->path;
  s->path = new_path;
  return FCPS_OK;
}

fcps_status fcps_sqlite_create(fcps_store **store, const fcps_store_url *url, fcps_store_options options,
                               fcps_error *error)
{
  sqlite_store *s = NULL;
  fcps_status status = fcps_sqlite_allocate(&s, url, error);
  if (status == FCPS_OK) status = begin_making(s, error);
  if (status == FCPS_OK) status = fcps_sqlite_connect_to_write(s, options, error);
  if (status == FCPS_OK) status = fcps_store_begin(&s->base, true, error);
  if (status == FCPS_OK) status = fcps_sqlite_make(s, error);
  if (status != FCPS_OK) {
    fcps_store_close(s != NULL ? &s->base : NULL);
    return status;
  }
  *store = &s->base;
  return FCPS_OK;
}

static fcps_status give_name(sqlite_store *s, fcps_error *error)
{
  if (!fcps_sqlite_renumber(s->path, !s->options.is_relaxed))
    return fcps_error_set(error, FCPS_ERR_STORE, "", "cannot make %s: %s.", s->base.name, strerror(errno));
  if (fcps_sqlite_is_empty(s->final_path)) unlink(s->final_path);
  if (!fcps_sqlite_move(s->path, s->final_path))
    return errno == EEXIST
               ? refuse_existing(s->final_path, s->base.name, error)
               : fcps_error_set(error, FCPS_ERR_STORE, "", "cannot make %s: %s.", s->base.name, strerror(errno));
  if (!s->options.is_relaxed && !fcps_sqlite_sync_folder(s->final_path))
    return fcps_error_set(error, FCPS_ERR_STORE, "", "%s was made, but its folder could not be synced: %s.",
                          s->base.name, strerror(errno));
  return FCPS_OK;
}

fcps_status fcps_sqlite_finish_making(sqlite_store *s, fcps_error *error)
{
  fcps_sqlite_disconnect(s);
  fcps_status status = give_name(s, error);
  if (status != FCPS_OK) return status;
  free(s->path);
  s->path = s->final_path;
  s->final_path = NULL;
  status = fcps_sqlite_connect_to_write(s, s->options, error);
  if (status == FCPS_OK) status = fcps_sqlite_note_open(s, error);
  fcps_sqlite_release(&s->hold, s->lock_path);
  return status;
}

void fcps_sqlite_give_up_making(sqlite_store *s)
{
  char *journal_path = fcps_sqlite_beside(s->path, "-journal");
  unlink(s->path);
  if (journal_path != NULL) unlink(journal_path);
  free(journal_path);
}
