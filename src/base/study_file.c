/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's file format, section 1.3: a file begins with 16 fixed bytes. The application's number stands at byte 68,
 * with its highest byte first. */
#define _GNU_SOURCE /* F_OFD_SETLK */
#include "base/study_file.h"

#include "base/memory.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NUMBER = 68 };

bool fcps_recognize_head(const unsigned char head[FCPS_STUDY_FILE_HEAD])
{
  static const char words[] = "SQLite format 3";
  const uint32_t number = (uint32_t)head[NUMBER] << 24 | (uint32_t)head[NUMBER + 1] << 16 |
                          (uint32_t)head[NUMBER + 2] << 8 | (uint32_t)head[NUMBER + 3];
  return memcmp(head, words, sizeof words) == 0 && number == FCPS_STUDY_FILE_ID;
}

/* Tells whether a file may be a damaged study. If a bit of its header has changed, SQLite does not open it, but `fcps
 * study repair` may save the rest. */
static bool is_like_study(const char *path, const unsigned char *head)
{
  static const char words[] = "SQLite format 3", ending[] = ".fcps";
  const size_t length = strlen(path), tail = strlen(ending);
  return memcmp(head, words, sizeof words) == 0 || (length > tail && strcmp(path + length - tail, ending) == 0);
}

fcps_recognized fcps_recognize_file(const char *path)
{
  struct stat there;
  if (stat(path, &there) != 0)
    return errno == ENOENT || errno == ENOTDIR ? FCPS_RECOGNIZED_ABSENT : FCPS_RECOGNIZED_UNREADABLE;
  if (!S_ISREG(there.st_mode)) return FCPS_RECOGNIZED_OTHER;
  if (fcps_open_files_have(there.st_dev, there.st_ino)) return FCPS_RECOGNIZED_STUDY;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return errno == ENOENT ? FCPS_RECOGNIZED_ABSENT : FCPS_RECOGNIZED_UNREADABLE;
  unsigned char head[FCPS_STUDY_FILE_HEAD] = {0};
  const ssize_t length = read(file, head, sizeof head);
  const int number = errno;
  close(file);
  errno = number;
  if (length <= 0) return length == 0 ? FCPS_RECOGNIZED_EMPTY : FCPS_RECOGNIZED_UNREADABLE;
  if (length == FCPS_STUDY_FILE_HEAD && fcps_recognize_head(head)) return FCPS_RECOGNIZED_STUDY;
  return is_like_study(path, head) ? FCPS_RECOGNIZED_DATABASE : FCPS_RECOGNIZED_OTHER;
}

/* Returns the length of a path before its end "-kept-N.json"; 0 if the path ends otherwise (src/store/store.h). */
static size_t kept_end(const char *path)
{
  static const char before[] = "-kept-", after[] = ".json";
  const char *end = path + strlen(path) - strlen(after);
  if (end <= path || strcmp(end, after) != 0) return 0;
  const char *digits = end;
  while (digits > path && digits[-1] >= '0' && digits[-1] <= '9')
    digits--;
  const char *begin = digits - strlen(before);
  const bool is_kept = digits < end && begin > path && strncmp(begin, before, strlen(before)) == 0;
  return is_kept ? strlen(begin) : 0;
}

/* Tells whether a path without its last `tail` characters is a study. */
static bool belongs_to_study(const char *path, size_t tail)
{
  char study[PATH_MAX];
  const size_t length = strlen(path);
  if (length <= tail || length - tail >= sizeof study) return false;
  snprintf(study, sizeof study, "%.*s", (int)(length - tail), path);
  return fcps_recognize_file(study) == FCPS_RECOGNIZED_STUDY;
}

bool fcps_recognize_companion(const char *path)
{
  static const char *const ends[] = {"-journal",           "-wal", "-shm", "-lock", "-reserve", "-unfinished",
                                     "-unfinished-journal"};
  const size_t length = strlen(path), kept = kept_end(path);
  if (kept > 0 && belongs_to_study(path, kept)) return true;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const size_t tail = strlen(ends[i]);
    if (length > tail && strcmp(path + length - tail, ends[i]) == 0 && belongs_to_study(path, tail)) return true;
  }
  return false;
}

/* -- Files that are open -- */

/* The list of open study files. Invariants: a descriptor is closed only if no handle of its inode is left; an entry
 * without handles stays while another entry of the same inode has a handle. */
#define _GNU_SOURCE /* F_OFD_SETLK */

typedef struct entry {
  fcps_open_file open;
  int handles;
  bool is_claimed; /* whether a handle of this process has claimed the file */
  char *rescued;   /* the name under which its content was saved; NULL: it was not saved */
} entry;

static struct {
  entry *entries;
  size_t count, capacity;
} open_files;

/* Finds an inode in the list. The caller holds the lock, also for the functions below. */
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

/* Lists a new descriptor. Its inode may be listed already, if the file was replaced after the list was searched. */
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

/* Closes the descriptors of an inode without handles. */
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

/* The byte to lock for a claim. It lies behind the bytes that SQLite locks (0x40000000 and the 511 that follow). */
enum { CLAIMED_BYTE = 0x40000000 + 4096 };

static bool set_lock(int file, short type)
{
#ifdef F_OFD_SETLK
  struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = CLAIMED_BYTE, .l_len = 1};
  return fcntl(file, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES);
#else
  (void)file;
  (void)type;
  return true; /* this system has no locks that belong to an open file description, so nothing is claimed */
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
