/* SPDX-License-Identifier: Apache-2.0 */
/* Space for the next commit, kept by the file PATH-reserve: blocks that are allocated there are free again when it is
 * removed. It begins with the id of its study, so that it is known again if the study was renamed. Invariants: what
 * was kept stays if more cannot be had; a link is never written to; of other files in the folder only one is removed
 * that was kept for this study under a name that is gone. */
#define _GNU_SOURCE /* O_NOFOLLOW, openat */
#include "base/error.h"
#include "store/sqlite/sqlite_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static fcps_status refuse_file(const sqlite_store *s, fcps_error *error)
{
  return fcps_error_set(
      error, FCPS_ERR_STORE, "",
      "%s is a symbolic link or not a regular file; fcps does not write to it. Remove it, then repeat the "
      "command.",
      s->reserve_path);
}

static fcps_status grow(sqlite_store *s, int file, off_t before, size_t bytes, fcps_error *error)
{
  const int reason = posix_fallocate(file, 0, (off_t)bytes);
  if (reason == 0) return FCPS_OK;
  if (before == 0)
    unlink(s->reserve_path);
  else if (ftruncate(file, before) != 0)
    return fcps_error_set(error, FCPS_ERR_STORE, "", "cannot keep %s: %s.", s->reserve_path, strerror(errno));
  if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG) return fcps_sqlite_full(s, error);
  return fcps_error_set(error, FCPS_ERR_STORE, "", "cannot reserve space in %s: %s.", s->reserve_path,
                        strerror(reason));
}

/* -- What a renamed study has left -- */

static bool is_kept_for(int folder, const char *name, const char *id)
{
  char begin[64];
  struct stat info;
  const size_t length = strlen(id);
  const int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  const bool is_ours = length > 0 && length <= sizeof begin && fstat(file, &info) == 0 && S_ISREG(info.st_mode) &&
                       read(file, begin, length) == (ssize_t)length && memcmp(begin, id, length) == 0;
  close(file);
  return is_ours;
}

static void remove_where_left(int folder, const char *name, const char *id)
{
  static const char end[] = "-reserve";
  char study[NAME_MAX + 1];
  struct stat info;
  const size_t length = strlen(name), tail = sizeof end - 1;
  if (length <= tail || length > NAME_MAX || strcmp(name + length - tail, end) != 0) return;
  snprintf(study, sizeof study, "%.*s", (int)(length - tail), name);
  if (fstatat(folder, study, &info, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT) return;
  if (is_kept_for(folder, name, id)) unlinkat(folder, name, 0);
}

/* Removes what an earlier name has left. Looks once: a study that is open is not renamed. */
static void remove_left(sqlite_store *s)
{
  if (s->has_looked_beside || s->base.id == NULL) return;
  s->has_looked_beside = true;
  char *path = fcps_sqlite_folder(s->path);
  DIR *folder = path != NULL ? opendir(path) : NULL;
  for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
    remove_where_left(dirfd(folder), entry->d_name, s->base.id);
  if (folder != NULL) closedir(folder);
  free(path);
}

/* -- The file -- */

/* Writes the id of the study into the file. Without it the space serves as well, but it is not recognized after a
 * renaming. */
static void sign(const sqlite_store *s, int file)
{
  if (s->base.id != NULL && pwrite(file, s->base.id, strlen(s->base.id), 0) < 0) return;
}

fcps_status fcps_sqlite_reserve(fcps_store *store, size_t bytes, fcps_error *error)
{
  sqlite_store *s = (sqlite_store *)store;
  struct stat info;
  if (s->options.is_relaxed) return FCPS_OK; /* such a trial can be repeated */
  remove_left(s);
  if (bytes == 0) {
    unlink(s->reserve_path);
    return FCPS_OK;
  }
  if (s->has_links) return fcps_sqlite_refuse_links(s, error); /* nothing will be stored that it could be kept for */
  if (lstat(s->reserve_path, &info) == 0 && S_ISREG(info.st_mode) && (size_t)info.st_size >= bytes) return FCPS_OK;
  const int file = open(s->reserve_path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (file < 0 && (errno == ENOSPC || errno == EDQUOT)) return fcps_sqlite_full(s, error);
  if (file < 0 && (errno == ELOOP || errno == ENXIO)) return refuse_file(s, error);
  if (file < 0)
    return fcps_error_set(error, FCPS_ERR_STORE, "", "cannot make %s: %s.", s->reserve_path, strerror(errno));
  const bool is_plain = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink <= 1;
  const fcps_status status = is_plain ? grow(s, file, info.st_size, bytes, error) : refuse_file(s, error);
  if (status == FCPS_OK) sign(s, file);
  close(file);
  return status;
}
