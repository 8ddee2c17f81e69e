/* SPDX-License-Identifier: Apache-2.0 */
/* The list of open study files. Invariants: a descriptor is closed only when no handle of its inode is left; an entry
 * without handles stays while another entry of the same inode has some. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "base/open_files.h"

#include "base/locks.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct entry {
  fcps_open_file open;
  int handles;
  bool is_claimed; /* by a handle of this process */
  char *rescued;   /* the name under which its content was saved; NULL: it was not */
} entry;

static struct {
  entry *entries;
  size_t count, capacity;
} open_files;

/* within the lock, as the functions below */
static entry *find(dev_t device, ino_t inode)
{
  for (size_t i = 0; i < open_files.count; i++) {
    entry *e = &open_files.entries[i];
    if (e->open.device == device && e->open.inode == inode) return e;
  }
  return NULL;
}

static bool is_file(const struct stat *info)
{
  if (S_ISREG(info->st_mode)) return true;
  errno = S_ISDIR(info->st_mode) ? EISDIR : EINVAL;
  return false;
}

/* a new descriptor; if the file was replaced after the look at it, its inode may be listed already */
static bool list(const char *path, fcps_open_file *file)
{
  void *entries = open_files.entries;
  if (!fcps_reserve(&entries, &open_files.capacity, open_files.count + 1, sizeof *open_files.entries)) {
    errno = ENOMEM;
    return false;
  }
  open_files.entries = entries;
  file->file = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  file->is_writable = file->file >= 0;
  if (file->file < 0) file->file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file->file < 0) return false;
  struct stat info;
  if (fstat(file->file, &info) != 0 || !is_file(&info)) {
    const int reason = errno;
    close(file->file);
    errno = reason;
    return false;
  }
  file->device = info.st_dev;
  file->inode = info.st_ino;
  open_files.entries[open_files.count++] = (entry){.open = *file, .handles = 1};
  return true;
}

bool fcps_open_files_add(const char *path, fcps_open_file *file)
{
  struct stat info;
  if (stat(path, &info) != 0 || !is_file(&info)) return false;
  fcps_lock_take(FCPS_LOCK_OPEN_FILES);
  entry *there = find(info.st_dev, info.st_ino);
  bool is_listed = there != NULL;
  if (there != NULL) {
    there->handles++;
    *file = there->open;
  } else {
    is_listed = list(path, file);
  }
  const int reason = errno;
  fcps_lock_give(FCPS_LOCK_OPEN_FILES);
  errno = reason;
  return is_listed;
}

/* closes the descriptors of an inode that has no handle any more */
static void forget(dev_t device, ino_t inode)
{
  size_t kept = 0;
  for (size_t i = 0; i < open_files.count; i++) {
    const fcps_open_file *open = &open_files.entries[i].open;
    if (open->device == device && open->inode == inode) {
      close(open->file);
      free(open_files.entries[i].rescued);
    } else {
      open_files.entries[kept++] = open_files.entries[i];
    }
  }
  open_files.count = kept;
  if (kept > 0) return;
  free(open_files.entries);
  open_files.entries = NULL;
  open_files.capacity = 0;
}

void fcps_open_files_drop(const fcps_open_file *file)
{
  int left = 0;
  fcps_lock_take(FCPS_LOCK_OPEN_FILES);
  for (size_t i = 0; i < open_files.count; i++) {
    entry *e = &open_files.entries[i];
    if (e->open.device != file->device || e->open.inode != file->inode) continue;
    if (e->open.file == file->file) e->handles--;
    left += e->handles;
  }
  if (left == 0) forget(file->device, file->inode);
  fcps_lock_give(FCPS_LOCK_OPEN_FILES);
}

/* -- Claims -- */

/* A byte behind those that SQLite locks (0x40000000 and the 511 that follow). */
enum { CLAIMED_BYTE = 0x40000000 + 4096 };

static bool set_lock(int file, short type)
{
#ifdef F_OFD_SETLK
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = CLAIMED_BYTE, .l_len = 1};
  return fcntl(file, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
#else
  (void)file;
  (void)type;
  return true; /* no lock here belongs to the open file description and to a part of the file */
#endif
}

bool fcps_open_files_claim(const fcps_open_file *file)
{
  if (!file->is_writable) return true;
  fcps_lock_take(FCPS_LOCK_OPEN_FILES);
  entry *e = find(file->device, file->inode);
  const bool is_free = e != NULL && !e->is_claimed && set_lock(e->open.file, F_WRLCK);
  if (is_free) e->is_claimed = true;
  fcps_lock_give(FCPS_LOCK_OPEN_FILES);
  return is_free;
}

void fcps_open_files_unclaim(const fcps_open_file *file)
{
  if (!file->is_writable) return;
  fcps_lock_take(FCPS_LOCK_OPEN_FILES);
  entry *e = find(file->device, file->inode);
  if (e != NULL && e->is_claimed) {
    set_lock(e->open.file, F_UNLCK);
    e->is_claimed = false;
  }
  fcps_lock_give(FCPS_LOCK_OPEN_FILES);
}

/* -- Files without a name -- */

static bool copy_file(int from, int to)
{
  char block[1 << 16];
  off_t at = 0;
  ssize_t length;
  while ((length = pread(from, block, sizeof block, at)) > 0) {
    if (pwrite(to, block, (size_t)length, at) != length) return false;
    at += length;
  }
  return length == 0 && fsync(to) == 0;
}

static bool save_as(int from, const char *path)
{
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
  const bool is_saved = file >= 0 && copy_file(from, file);
  if (file >= 0) close(file);
  if (file >= 0 && !is_saved) unlink(path);
  return is_saved;
}

void fcps_open_files_rescue(const fcps_open_file *file, const char *path, char **saved)
{
  fcps_lock_take(FCPS_LOCK_OPEN_FILES);
  entry *e = find(file->device, file->inode);
  if (e != NULL && e->rescued == NULL && save_as(e->open.file, path)) e->rescued = fcps_copy_text(path);
  *saved = e != NULL ? fcps_copy_text(e->rescued) : NULL;
  fcps_lock_give(FCPS_LOCK_OPEN_FILES);
}

bool fcps_open_files_have(dev_t device, ino_t inode)
{
  fcps_lock_take(FCPS_LOCK_OPEN_FILES);
  const bool has = find(device, inode) != NULL;
  fcps_lock_give(FCPS_LOCK_OPEN_FILES);
  return has;
}
