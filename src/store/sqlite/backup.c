/* SPDX-License-Identifier: Apache-2.0 */
/* Backup and restore copy one consistent state of a study, even while others write.
 *
 * SQLite copies the study page by page to the name TO-unfinished. The copy is checked like any study that is opened,
 * and synced; only then it gets its name. Invariants: after a kill the name has what it had before, or the complete
 * copy; a backup never replaces the study that it copies, whatever its name, nor a file with records that the copy
 * lacks; a restore deletes nothing: the study that was there gets another name, and another study is replaced only if
 * the caller allows that. Every copy begins with a change counter of its own, so SQLite cannot take a journal beside
 * it for its own (companions.c). */
#define _GNU_SOURCE /* for renameat2 */
#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "store/sqlite/sqlite_impl.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAIT_MS = 5000, PAUSE_MS = 10 };

/* The place to which a study is copied. */
typedef struct place {
  const char *name; /* the name for messages */
  char *path, *new_path, *lock_path;
  int hold;
} place;

/* Holds the name to which the study is copied. Until `leave`, nobody else can make, restore or run a study under this
 * name. */
static fcps_status enter(place *p, const fcps_store_url *url, fcps_error *error)
{
  *p = (place){.name = url->name, .hold = -1, .path = fcps_sqlite_real_path(url->address)};
  if (p->path == NULL) return fcps_sqlite_refuse_path(url, error);
  p->new_path = fcps_sqlite_beside(p->path, "-unfinished");
  p->lock_path = fcps_sqlite_beside(p->path, "-lock");
  if (p->new_path == NULL || p->lock_path == NULL) return fcps_error_memory(error);
  fcps_status status = fcps_sqlite_refuse_companion(p->path, p->name, error);
  if (status == FCPS_OK) status = fcps_sqlite_hold(&p->hold, p->lock_path, p->name, error);
  return status != FCPS_OK ? status : fcps_sqlite_refuse_open(p->path, p->name, error);
}

static void leave(place *p)
{
  fcps_sqlite_release(&p->hold, p->lock_path);
  free(p->path);
  free(p->new_path);
  free(p->lock_path);
}

/* -- The copy -- */

static fcps_status copy_pages(sqlite_store *from, const place *to, fcps_error *error)
{
  sqlite3 *db = NULL;
  int code = sqlite3_open_v2(to->new_path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
  if (code == SQLITE_OK) code = sqlite3_exec(db, "PRAGMA synchronous = EXTRA", NULL, NULL, NULL);
  sqlite3_backup *copy = code == SQLITE_OK ? sqlite3_backup_init(db, "main", from->db, "main") : NULL;
  if (copy != NULL) {
    int waited_ms = 0;
    /* All pages are copied in one step, so that the copy has one state of the study. */
    while ((code = sqlite3_backup_step(copy, -1)) == SQLITE_BUSY && waited_ms < WAIT_MS) {
      fcps_clock_pause(PAUSE_MS);
      waited_ms += PAUSE_MS;
    }
    sqlite3_backup_finish(copy);
  }
  fcps_status status = FCPS_OK;
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
    status = fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is in use by another process. Try again.", from->base.name);
  else if (code != SQLITE_DONE)
    status = fcps_error_set(error, code == SQLITE_FULL ? FCPS_ERR_STORE_FULL : FCPS_ERR_STORE, "",
                            "%s could not be copied to %s: %s.", from->base.name, to->name,
                            db != NULL ? sqlite3_errmsg(db) : sqlite3_errstr(code));
  sqlite3_close(db);
  return status;
}

static fcps_status count_record(void *user, const fcps_journal_record *record, fcps_error *error)
{
  (void)record;
  (void)error;
  ++*(int64_t *)user;
  return FCPS_OK;
}

/* Opens the copy as a study and reads every record. */
static fcps_status check_copy(const place *to, int64_t *records, fcps_error *error)
{
  fcps_store *copy = NULL;
  const fcps_store_url url = {&fcps_store_sqlite, to->name, to->new_path};
  *records = 0;
  fcps_status status = fcps_sqlite_open(&copy, &url, (fcps_store_options){.wait_ms = WAIT_MS}, error);
  if (status == FCPS_OK) status = fcps_store_begin(copy, false, error);
  if (status == FCPS_OK) status = fcps_store_each(copy, 0, count_record, records, error);
  fcps_store_close(copy);
  return status;
}

static void forget_copy(const place *to)
{
  char *journal_path = fcps_sqlite_beside(to->new_path, "-journal");
  unlink(to->new_path);
  if (journal_path != NULL) unlink(journal_path);
  free(journal_path);
}

/* Makes a whole, synced copy under the name TO-unfinished. */
static fcps_status make_copy(const fcps_store_url *url, const place *to, int64_t *records, fcps_error *error)
{
  fcps_store *from = NULL;
  fcps_status status = fcps_sqlite_open(&from, url, (fcps_store_options){.wait_ms = WAIT_MS}, error);
  if (status == FCPS_OK) status = fcps_sqlite_make_file(to->new_path, to->name, error);
  if (status == FCPS_OK) {
    status = copy_pages((sqlite_store *)from, to, error);
    if (status == FCPS_OK) status = check_copy(to, records, error);
    if (status == FCPS_OK && !fcps_sqlite_renumber(to->new_path, true))
      status = fcps_error_set(error, FCPS_ERR_STORE, "", "cannot write %s: %s.", to->name, strerror(errno));
    if (status != FCPS_OK) forget_copy(to);
  }
  fcps_store_close(from);
  return status;
}

static bool is_same_file(const char *a, const char *b)
{
  struct stat first, second;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

static fcps_status refuse_same(const fcps_store_url *from, const fcps_store_url *to, fcps_error *error)
{
  if (!is_same_file(from->address, to->address)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "", "%s and %s are the same file. Nothing was changed.", from->name,
                        to->name);
}

static fcps_status fail_rename(const place *to, fcps_error *error)
{
  const int reason = errno;
  forget_copy(to);
  return fcps_error_set(error, FCPS_ERR_STORE, "", "cannot make %s: %s. Nothing was changed.", to->name,
                        strerror(reason));
}

/* -- Backup -- */

static fcps_status refuse_replacing(const fcps_store_url *to, bool may_replace, fcps_error *error)
{
  struct stat info;
  if (lstat(to->address, &info) != 0) return FCPS_OK;
  if (!may_replace)
    return fcps_error_set(error, FCPS_ERR_STORE, "",
                          "%s exists already; choose another name, or replace it with --force.", to->name);
  return fcps_sqlite_recognize(to, error);
}

/* Which record is looked for in a study, and which one is its last. */
typedef struct history {
  char *id;
  int64_t wanted, last; /* their sequences */
  uint64_t wanted_checksum, last_checksum;
} history;

static fcps_status follow(void *user, const fcps_journal_record *record, fcps_error *error)
{
  (void)error;
  history *h = user;
  h->last = record->sequence;
  h->last_checksum = fcps_store_record_checksum(record);
  if (h->last == h->wanted) h->wanted_checksum = h->last_checksum;
  return FCPS_OK;
}

static fcps_status read_history(const char *path, const char *name, history *h, fcps_error *error)
{
  fcps_store *store = NULL;
  const fcps_store_url url = {&fcps_store_sqlite, name, path};
  fcps_status status = fcps_sqlite_open(&store, &url, (fcps_store_options){.wait_ms = WAIT_MS}, error);
  if (status == FCPS_OK) status = fcps_store_begin(store, false, error);
  if (status == FCPS_OK) status = fcps_store_get(store, FCPS_STORE_ID, &h->id, error);
  if (status == FCPS_OK) status = fcps_store_each(store, 0, follow, h, error);
  fcps_store_close(store);
  return status;
}

/* Refuses to replace a file unless the copy has the file's last record. If it has, it has all records of the file. */
static fcps_status refuse_loss(const place *p, fcps_error *error)
{
  history old = {0}, copy = {0};
  struct stat info;
  if (stat(p->path, &info) != 0 || fcps_sqlite_is_empty(p->path)) return FCPS_OK;
  fcps_status status = read_history(p->path, p->name, &old, error);
  copy.wanted = old.last;
  if (status == FCPS_OK) status = read_history(p->new_path, p->name, &copy, error);
  const bool has_same_id = old.id == NULL || copy.id == NULL ? old.id == copy.id : strcmp(old.id, copy.id) == 0;
  if (status == FCPS_OK && !(has_same_id && copy.last >= old.last && copy.wanted_checksum == old.last_checksum))
    status = fcps_error_set(error, FCPS_ERR_STORE, "",
                            "%s is another study, or has records that the copy would not have. It was not replaced. "
                            "Choose another name; an older state is put back by: fcps study restore",
                            p->name);
  free(old.id);
  free(copy.id);
  if (status != FCPS_OK) forget_copy(p);
  return status;
}

fcps_status fcps_sqlite_backup(const fcps_store_url *url, const fcps_store_url *to, bool may_replace, int64_t *records,
                               fcps_error *error)
{
  place p = {.hold = -1};
  fcps_status status = refuse_same(url, to, error);
  if (status == FCPS_OK) status = refuse_replacing(to, may_replace, error);
  if (status == FCPS_OK) status = enter(&p, to, error);
  if (status == FCPS_OK) status = make_copy(url, &p, records, error);
  if (status == FCPS_OK && may_replace) status = refuse_loss(&p, error);
  if (status == FCPS_OK) {
    const bool is_named = may_replace ? rename(p.new_path, p.path) == 0 : fcps_sqlite_move(p.new_path, p.path);
    if (!is_named) status = fail_rename(&p, error);
  }
  if (status == FCPS_OK && !fcps_sqlite_sync_folder(p.path))
    status = fcps_error_set(error, FCPS_ERR_STORE, "", "%s is written, but its folder could not be synced: %s.",
                            to->name, strerror(errno));
  leave(&p);
  return status;
}

/* -- Restore -- */

/* Waits until nobody reads or writes the old file, and keeps everybody out from then on. */
static fcps_status lock_old(const place *p, const fcps_open_file *old, fcps_error *error)
{
  if (!old->is_writable) return FCPS_OK; /* then this process cannot be writing to it */
  for (int waited_ms = 0; !fcps_sqlite_lock_alone(old->file, true); waited_ms += PAUSE_MS) {
    if (waited_ms >= WAIT_MS)
      return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is in use by another process. Nothing was changed.",
                            p->name);
    fcps_clock_pause(PAUSE_MS);
  }
  return FCPS_OK;
}

/* Exchanges the names of two files. */
static bool exchange(const char *a, const char *b)
{
#ifdef RENAME_EXCHANGE
  if (renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  /* This file system cannot do it in one step. */
  char *between = fcps_sqlite_beside(a, ".between");
  bool is_done = between != NULL && rename(a, between) == 0;
  if (is_done) is_done = rename(b, a) == 0;
  if (is_done && rename(between, b) != 0) {
    rename(a, b); /* Undo the first renaming. */
    is_done = false;
  }
  free(between);
  return is_done;
}

/* Renames the journal of the old file as the old file was renamed. Until then the change counter of the journal shows
 * that it does not belong to the new file. */
static void move_journal(const char *path, const char *kept)
{
  char *from = fcps_sqlite_beside(path, "-journal"), *to = fcps_sqlite_beside(kept, "-journal");
  if (from != NULL && to != NULL) fcps_sqlite_move(from, to);
  free(from);
  free(to);
}

/* Puts the copy in the place of an existing file. That file gets the name `kept`. */
static fcps_status swap(const place *p, char **kept, fcps_error *error)
{
  fcps_open_file old;
  char stamp[48], end[80];
  fcps_sqlite_stamp(sizeof stamp, stamp);
  snprintf(end, sizeof end, ".before-restore-%s", stamp);
  char *name = fcps_sqlite_beside(p->path, end);
  if (name == NULL) return fcps_error_memory(error);
  if (!fcps_open_files_add(p->path, &old)) {
    free(name);
    return fcps_error_set(error, FCPS_ERR_IO, "", "cannot read %s: %s.", p->name, strerror(errno));
  }
  fcps_status status = lock_old(p, &old, error);
  if (status == FCPS_OK && (!fcps_sqlite_move(p->new_path, name) || !exchange(name, p->path)))
    status = fail_rename(p, error);
  if (status == FCPS_OK) move_journal(p->path, name);
  fcps_sqlite_lock_alone(old.file, false);
  fcps_open_files_drop(&old);
  if (status == FCPS_OK)
    *kept = name;
  else
    free(name);
  return status;
}

/* Refuses to replace another study. A file that cannot be read may be any study, so it is not refused. */
static fcps_status refuse_other(const place *p, const fcps_store_url *from, fcps_error *error)
{
  history old = {0}, copy = {0};
  fcps_status status = FCPS_OK;
  struct stat info;
  if (stat(p->path, &info) != 0 || fcps_sqlite_is_empty(p->path)) return FCPS_OK;
  const bool is_known = read_history(p->path, p->name, &old, NULL) == FCPS_OK && old.id != NULL &&
                        read_history(p->new_path, p->name, &copy, NULL) == FCPS_OK && copy.id != NULL;
  if (is_known && strcmp(old.id, copy.id) != 0)
    status = fcps_error_set(error, FCPS_ERR_STORE, "",
                            "%s is another study than %s. Nothing was changed. Choose another name, or put %s in its "
                            "place with --force; the old one is then kept under another name.",
                            p->name, from->name, from->name);
  free(old.id);
  free(copy.id);
  if (status != FCPS_OK) forget_copy(p);
  return status;
}

fcps_status fcps_sqlite_restore(const fcps_store_url *from, const fcps_store_url *url, bool may_replace, char **kept,
                                int64_t *records, fcps_error *error)
{
  place p = {.hold = -1};
  struct stat info;
  *kept = NULL;
  fcps_status status = refuse_same(from, url, error);
  if (status == FCPS_OK && fcps_sqlite_recognize(url, error) != FCPS_OK)
    status = fcps_error_set(error, FCPS_ERR_FORMAT, "",
                            "%s is not a study, or its beginning is destroyed. Nothing was changed. Move it away, then "
                            "repeat the command.",
                            url->name);
  if (status == FCPS_OK) status = enter(&p, url, error);
  if (status == FCPS_OK) status = make_copy(from, &p, records, error);
  if (status == FCPS_OK && !may_replace) status = refuse_other(&p, from, error);
  if (status == FCPS_OK) {
    if (lstat(p.path, &info) == 0)
      status = swap(&p, kept, error);
    else if (!fcps_sqlite_move(p.new_path, p.path))
      status = fail_rename(&p, error);
    if (status == FCPS_OK && !fcps_sqlite_sync_folder(p.path))
      status = fcps_error_set(error, FCPS_ERR_STORE, "", "%s is restored, but its folder could not be synced: %s.",
                              url->name, strerror(errno));
    if (status != FCPS_OK) forget_copy(&p);
  }
  leave(&p);
  return status;
}
