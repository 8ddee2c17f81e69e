/* SPDX-License-Identifier: Apache-2.0 */
/* Where a study file lies: its real name, the files beside it, whether something is there, and its removal.
 *
 * Invariants: SQLite is only ever given an absolute path with all symbolic links followed, so that it interprets no
 * name (":memory:", "file:..."), and journal, lock and reserve lie beside the real file whatever name was used. A
 * study that this process has open, or that somebody holds, is not removed. An empty file counts
 * as not there.
 *
 * A network file system is warned of and not refused: nobody else may use the study.
 */
#define _GNU_SOURCE /* renameat2 */
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

/* Returns the path of a file that does not exist yet: its real folder, and its name there. */
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
  /* some file systems cannot sync a folder and say EINVAL */
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
  /* a file system that cannot do it in one step; other makers are kept out by the hold */
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

/* Tells whether something is there. If the folder cannot even be searched, the making says why. */
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
  case FCPS_RECOGNIZED_EMPTY: /* its making was interrupted */
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
  /* nobody may begin with it meanwhile */
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

/* The network file systems by their numbers. Two machines that write one file there may both believe that they hold its
 * lock, and a sync may return before the server has written; so a study's promises do not hold. FUSE is listed because
 * sshfs and folders that a virtual machine shares are FUSE; a local one is taken for such a folder. */

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
