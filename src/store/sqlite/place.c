/* SPDX-License-Identifier: Apache-2.0 */
/* Where a study file lies: its real name, the files beside it, whether something is there, its removal, how a new file
 * gets its name, and whether the name still leads to the file that is open.
 *
 * Invariants: SQLite is only ever given an absolute path with all symbolic links followed, so that it interprets no
 * name (":memory:", "file:..."), and journal, lock and reserve lie beside the real file whatever name was used. A
 * study that this process has open, or that somebody holds, is not removed. An empty file counts as not there.
 *
 * A network file system is warned of and not refused: nobody else may use the study.
 */
#define _GNU_SOURCE /* for renameat2 */
#include "base/error.h"
#include "base/memory.h"
#include "store/sqlite/sqlite_impl.h"
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* -- Names -- */

fcps_status fcps_sqlite_refuse_companion(const char *path, const char *name, fcps_error *error)
{
  if (!fcps_recognize_companion(path)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "",
                        "%s is a name that fcps itself uses for the study beside it. Choose another name.", name);
}

char *fcps_sqlite_beside(const char *path, const char *end)
{
  char *name = fcps_allocate(strlen(path) + strlen(end) + 1, 1);
  return name != NULL ? strcat(strcpy(name, path), end) : NULL;
}

char *fcps_sqlite_folder(const char *path)
{
  const char *slash = strrchr(path, '/');
  if (slash == NULL) return fcps_copy_text(".");
  char *folder = fcps_copy_text(path);
  if (folder != NULL) folder[slash > path ? slash - path : 1] = '\0';
  return folder;
}

/* Returns the path of a file that does not exist yet: its real folder and its name. */
static char *future_path(const char *address)
{
  const char *slash = strrchr(address, '/');
  char *folder = fcps_sqlite_folder(address), *real = folder != NULL ? realpath(folder, NULL) : NULL, *path = NULL;
  const int reason = folder != NULL && real == NULL ? errno : ENOMEM;
  char *head = real != NULL ? fcps_sqlite_beside(real, strcmp(real, "/") == 0 ? "" : "/") : NULL;
  if (head != NULL) path = fcps_sqlite_beside(head, slash != NULL ? slash + 1 : address);
  free(head);
  free(real);
  free(folder);
  errno = path != NULL ? 0 : reason;
  return path;
}

char *fcps_sqlite_real_path(const char *address)
{
  char *path = realpath(address, NULL);
  return path != NULL || errno != ENOENT ? path : future_path(address);
}

fcps_status fcps_sqlite_refuse_path(const fcps_store_url *url, fcps_error *error)
{
  if (errno == ENOMEM) return fcps_error_memory(error);
  if (errno == ELOOP)
    return fcps_error_set(error, FCPS_ERR_IO, "",
                          "%s leads through a link that leads back to itself. Delete the link, or choose another name.",
                          url->name);
  return fcps_error_set(error, FCPS_ERR_IO, "", "cannot find the folder of %s: %s.", url->name, strerror(errno));
}

/* -- Renaming -- */

bool fcps_sqlite_sync_folder(const char *path)
{
  char *folder = fcps_sqlite_folder(path);
  const int file = folder != NULL ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  /* Some file systems cannot sync a folder, and fail with EINVAL. */
  const bool is_synced = file >= 0 && (fsync(file) == 0 || errno == EINVAL);
  if (file >= 0) close(file);
  free(folder);
  return is_synced;
}

bool fcps_sqlite_move(const char *from, const char *to)
{
#ifdef RENAME_NOREPLACE
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS) return false;
#endif
  /* This file system cannot do it in one step. Other makers are kept out by the hold. */
  struct stat info;
  if (lstat(to, &info) == 0) errno = EEXIST;
  return errno != EEXIST && rename(from, to) == 0;
}

/* -- What is there -- */

bool fcps_sqlite_is_empty(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size == 0;
}

/* Whether anything has this name. If the folder cannot be searched, the error comes when the study is made. */
fcps_status fcps_sqlite_exists(bool *exists, const fcps_store_url *url, fcps_error *error)
{
  *exists = access(url->address, F_OK) == 0;
  if (!*exists) return FCPS_OK;
  char *path = fcps_sqlite_real_path(url->address);
  if (path == NULL) return fcps_sqlite_refuse_path(url, error);
  *exists = !fcps_sqlite_is_empty(path);
  free(path);
  return FCPS_OK;
}

fcps_status fcps_sqlite_recognize(const fcps_store_url *url, fcps_error *error)
{
  switch (fcps_recognize_file(url->address)) {
  case FCPS_RECOGNIZED_ABSENT:
  case FCPS_RECOGNIZED_EMPTY: /* The making of this study was interrupted. */
  case FCPS_RECOGNIZED_STUDY:
    return FCPS_OK;
  case FCPS_RECOGNIZED_UNREADABLE:
    return fcps_error_set(error, FCPS_ERR_IO, "", "cannot read %s: %s.", url->name, strerror(errno));
  case FCPS_RECOGNIZED_DATABASE:
  case FCPS_RECOGNIZED_OTHER:
    break;
  }
  return fcps_error_set(error, FCPS_ERR_FORMAT, "", "%s is not a study. Nothing was changed.", url->name);
}

/* -- Removal -- */

fcps_status fcps_sqlite_refuse_open(const char *path, const char *name, fcps_error *error)
{
  struct stat info;
  if (stat(path, &info) != 0 || !fcps_open_files_have(info.st_dev, info.st_ino)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is open in this process. Close it first.", name);
}

static fcps_status remove_beside(const char *path, const char *end, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  char *name = fcps_sqlite_beside(path, end);
  if (name == NULL) return fcps_error_memory(error);
  if (unlink(name) != 0 && errno != ENOENT)
    status = fcps_error_set(error, FCPS_ERR_IO, "", "cannot delete %s: %s.", name, strerror(errno));
  free(name);
  return status;
}

static fcps_status remove_files(const char *path, fcps_error *error)
{
  static const char *const ends[] = {"", "-journal", "-reserve", "-unfinished", "-unfinished-journal"};
  fcps_status status = FCPS_OK;
  for (size_t i = 0; status == FCPS_OK && i < sizeof ends / sizeof *ends; i++)
    status = remove_beside(path, ends[i], error);
  for (int i = 1; status == FCPS_OK && i <= FCPS_STORE_KEPT_COUNT; i++) {
    char end[32];
    snprintf(end, sizeof end, FCPS_STORE_KEPT_END, i);
    status = remove_beside(path, end, error);
  }
  return status;
}

fcps_status fcps_sqlite_remove(const fcps_store_url *url, fcps_error *error)
{
  int hold = -1;
  char *path = fcps_sqlite_real_path(url->address);
  if (path == NULL) return errno == ENOENT || errno == ENOTDIR ? FCPS_OK : fcps_sqlite_refuse_path(url, error);
  char *lock_path = fcps_sqlite_beside(path, "-lock");
  /* Meanwhile nobody else may begin with this file. */
  fcps_status status =
      lock_path != NULL ? fcps_sqlite_hold(&hold, lock_path, url->name, error) : fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_sqlite_refuse_open(path, url->name, error);
  if (status == FCPS_OK) status = remove_files(path, error);
  struct stat info;
  if (status == FCPS_OK && lstat(url->address, &info) == 0 && S_ISLNK(info.st_mode)) unlink(url->address);
  fcps_sqlite_release(&hold, lock_path);
  free(lock_path);
  free(path);
  return status;
}

/* -- Network file systems -- */

/* The network file systems by their numbers. If two machines write one file there, both may believe that they hold
 * its lock, and a sync may return before the server has written. So fcps cannot keep its promises there. FUSE is
 * listed because sshfs and shared folders of virtual machines use it; a local FUSE file system is then named as well. */

static const struct {
  uint32_t magic;
  const char *name;
} networks[] = {
    {0x6969, "NFS"},      {0x517B, "SMB"},        {0xFE534D42, "SMB"},    {0xFF534D42, "CIFS"}, {0x65735546, "FUSE"},
    {0x01021997, "9P"},   {0x786F4256, "vboxsf"}, {0x5346414F, "AFS"},    {0x6B414653, "AFS"},  {0x00C36400, "Ceph"},
    {0x73757245, "Coda"}, {0x0BD00BD0, "Lustre"}, {0x19830326, "BeeGFS"}, {0x47504653, "GPFS"}, {0x564C, "NCP"},
};

const char *fcps_store_network_name(int64_t magic)
{
  for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
    if (networks[i].magic == (uint32_t)magic) return networks[i].name;
  return NULL;
}

const char *fcps_store_network(const char *url)
{
  fcps_store_url parts;
  struct statfs place;
  if (fcps_store_read_url(&parts, url, NULL) != FCPS_OK || !parts.ops->has_address) return NULL;
  return statfs(parts.address, &place) == 0 ? fcps_store_network_name((int64_t)place.f_type) : NULL;
}

/* -- Making --
 *
 * A study is made under the name PATH-unfinished, in one transaction, and gets its name when that is committed. So
 * the name leads to a complete study or to nothing, whenever the process is killed. The same command can then be
 * repeated: it deletes what was left. PATH is held meanwhile: if two processes make the same study, one succeeds, and
 * the other gets an error.
 *
 * Invariant: an existing file is never replaced, unless it is empty. */

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

/* Makes PATH-unfinished. From here on s->path is this name. */
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

/* -- Files that are replaced while they are open --
 *
 * A study file that is replaced while a handle has it open is noticed at the next call.
 *
 * By a file of another inode (mv, rm, or a copy that is renamed): the name no longer leads to the file that is open. By
 * other content in the same inode (cp): then the id of the study, or the last record that this handle has seen, is not
 * there any more. Every transaction looks for both. The pages that SQLite has in memory are dropped before: a copy that was
 * continued by as many commits has the same change counter, and SQLite would go on with its old pages. Before a commit
 * the head must be as it was when the transaction began: nobody else may write meanwhile.
 *
 * Invariants: once a study was found replaced its handle does nothing more, and nothing was written to the file that is
 * there now. If the old file has lost its last name, its content is saved beside.
 */

/* -- What was lost -- */

/* Writes which records were lost. `there` is the number of the last record in the file that has the name now; -1 if it
 * is unknown. */
static void words_of_loss(const sqlite_store *s, int64_t there, size_t size, char *words)
{
  if (there < 0)
    snprintf(words, size, "The result that was being stored is in neither file");
  else if (s->base.seen.sequence == 0)
    snprintf(words, size, "It is another study");
  else if (there < s->base.seen.sequence)
    snprintf(words, size, "Records %lld to %lld, which were stored before, are not in it", (long long)there + 1,
             (long long)s->base.seen.sequence);
  else
    snprintf(words, size, "Its records are not those that were stored before, at the latest from record %lld on",
             (long long)s->base.seen.sequence);
}

static fcps_status refuse_replaced(const sqlite_store *s, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "", "%s", s->replaced);
}

static fcps_status refuse_content(sqlite_store *s, int64_t there, fcps_error *error)
{
  char loss[120];
  words_of_loss(s, there, sizeof loss, loss);
  s->replaced = sqlite3_mprintf("%s was replaced by another file while it was in use. %s. Nothing was written to the "
                                "file that is there now. Put the old file back, or go on with the new one by repeating "
                                "the command, or by starting the server again.",
                                s->base.name, loss);
  return refuse_replaced(s, error);
}

/* -- The old file -- */

/* Gives a file without a name a new name. Returns the name, or NULL if that is not possible. */
static char *rescue(const sqlite_store *s)
{
  struct stat info;
  if (fstat(s->open_file.file, &info) != 0 || info.st_nlink > 0) return NULL;
  char stamp[48], end[64], *saved = NULL;
  fcps_sqlite_stamp(sizeof stamp, stamp);
  snprintf(end, sizeof end, ".rescued-%s", stamp);
  char *path = fcps_sqlite_beside(s->path, end);
  if (path != NULL) fcps_open_files_rescue(&s->open_file, path, &saved);
  free(path);
  return saved;
}

static fcps_status refuse_place(sqlite_store *s, const char *what, fcps_error *error)
{
  char *saved = rescue(s);
  if (saved != NULL)
    s->replaced =
        sqlite3_mprintf("%s was %s while it was in use; nothing more is stored. The old file with all that was "
                        "stored in it (up to record %lld) was saved as %s: put it back, or continue it there, by "
                        "repeating the command, or by starting the server again.",
                        s->base.name, what, (long long)s->base.seen.sequence, saved);
  else
    s->replaced = sqlite3_mprintf(
        "%s was %s while it was in use; nothing more is stored. Records up to %lld are in the "
        "old file: find it and put it back. Or repeat the command, or start the server again: it uses the "
        "file that is at this path then, or makes a new one.",
        s->base.name, what, (long long)s->base.seen.sequence);
  free(saved);
  return refuse_replaced(s, error);
}

/* -- The checks -- */

/* Refuses a file that was moved or replaced. `there` receives what the name leads to now. */
static fcps_status check_place(sqlite_store *s, struct stat *there, fcps_error *error)
{
  if (stat(s->path, there) != 0) {
    if (errno != ENOENT && errno != ENOTDIR)
      return fcps_error_set(error, FCPS_ERR_STORE, "", "%s cannot be reached: %s.", s->base.name, strerror(errno));
    return refuse_place(s, "removed or renamed", error);
  }
  if (there->st_dev != s->open_file.device || there->st_ino != s->open_file.inode)
    return refuse_place(s, "replaced by another file", error);
  return FCPS_OK;
}

fcps_status fcps_sqlite_refuse_links(const sqlite_store *s, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_STORE, "",
                        "%s has several names (hard links), so nothing is stored: after a crash it could be mended "
                        "under one of them only. Keep one name and delete the others; a copy is made by: fcps study "
                        "backup %s FILE",
                        s->base.name, s->base.name);
}

fcps_status fcps_sqlite_check_before(sqlite_store *s, bool writing, fcps_error *error)
{
  if (s->replaced != NULL) return refuse_replaced(s, error);
  if (s->final_path != NULL) return FCPS_OK; /* Nobody else knows the file yet. */
  struct stat there;
  fcps_status status = check_place(s, &there, error);
  if (status == FCPS_OK && writing && s->has_links) status = fcps_sqlite_refuse_links(s, error);
  if (status != FCPS_OK) return status;
  sqlite3_db_release_memory(s->db);
  return fcps_sqlite_check_journal(s, error);
}

/* Reads the id that the file has now. *id is NULL if it has none. */
static fcps_status read_id(sqlite_store *s, char **id, fcps_error *error)
{
  return s->base.ops->get(&s->base, FCPS_STORE_ID, id, error);
}

static bool is_same_text(const char *a, const char *b)
{
  return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* Looks for the last record that this handle has seen. If it is gone, *last receives the last record that is there. */
static fcps_status look_up(sqlite_store *s, bool *is_there, int64_t *last, fcps_error *error)
{
  sqlite3_stmt *q = NULL;
  fcps_status status = FCPS_OK;
  *is_there = s->base.seen.sequence == 0;
  *last = 0;
  int code = sqlite3_prepare_v2(s->db, "SELECT * FROM journal WHERE sequence = ?", -1, &q, NULL);
  if (code == SQLITE_OK) code = sqlite3_bind_int64(q, 1, s->base.seen.sequence);
  if (code == SQLITE_OK) code = sqlite3_step(q);
  if (code == SQLITE_ROW) {
    fcps_journal_record record;
    status = fcps_sqlite_row(s, q, &record, error);
    if (status == FCPS_OK) *is_there = fcps_store_record_checksum(&record) == s->base.seen.checksum;
  } else if (code != SQLITE_DONE) {
    status = fcps_sqlite_error(s, code, error);
  }
  sqlite3_finalize(q);
  if (status != FCPS_OK || *is_there) return status;
  if (sqlite3_prepare_v2(s->db, "SELECT max(sequence) FROM journal", -1, &q, NULL) == SQLITE_OK &&
      sqlite3_step(q) == SQLITE_ROW)
    *last = sqlite3_column_int64(q, 0);
  sqlite3_finalize(q);
  return FCPS_OK;
}

/* Refuses a file that is not the study that was opened, or that lacks records which this handle has seen. */
static fcps_status check_content(sqlite_store *s, fcps_error *error)
{
  char *id = NULL;
  bool is_there = false;
  int64_t last = 0;
  fcps_status status = read_id(s, &id, error);
  if (status == FCPS_OK) status = look_up(s, &is_there, &last, error);
  /* The tables of a study are missing: the file is empty, or is another database. */
  if (status == FCPS_ERR_STORE && sqlite3_errcode(s->db) == SQLITE_ERROR) status = refuse_content(s, 0, error);
  if (status == FCPS_OK && (!is_there || !is_same_text(id, s->base.id))) status = refuse_content(s, last, error);
  free(id);
  return status;
}

fcps_status fcps_sqlite_check_after(sqlite_store *s, fcps_error *error)
{
  if (s->final_path != NULL) return FCPS_OK;
  const fcps_status status = check_content(s, error);
  /* From here to the commit nobody else may write to the file. */
  if (status == FCPS_OK && pread(s->open_file.file, s->begin_head, sizeof s->begin_head, 0) < 0)
    return fcps_error_set(error, FCPS_ERR_STORE, "", "%s cannot be read: %s.", s->base.name, strerror(errno));
  return status;
}

fcps_status fcps_sqlite_check_commit(sqlite_store *s, fcps_error *error)
{
  struct stat there;
  unsigned char head[FCPS_STUDY_FILE_HEAD] = {0};
  if (s->final_path != NULL || !s->base.is_writing) return FCPS_OK;
  const fcps_status status = check_place(s, &there, error);
  if (status != FCPS_OK) return status;
  const bool is_read = pread(s->open_file.file, head, sizeof head, 0) >= 0;
  return is_read && memcmp(head, s->begin_head, sizeof head) == 0 ? FCPS_OK : refuse_content(s, -1, error);
}

fcps_status fcps_sqlite_note_open(sqlite_store *s, fcps_error *error)
{
  struct stat info;
  if (fstat(s->open_file.file, &info) != 0)
    return fcps_error_set(error, FCPS_ERR_STORE, "", "%s cannot be read: %s.", s->base.name, strerror(errno));
  s->has_links = info.st_nlink > 1;
  free(s->base.id);
  s->base.id = NULL;
  return read_id(s, &s->base.id, error);
}
