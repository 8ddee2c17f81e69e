/* SPDX-License-Identifier: Apache-2.0 */
/* Four steps, so that a crash or a power cut leaves either the old file or the new one: write a new file beside the
 * target, sync it, rename it over the old one, sync the folder.
 *
 * If a writer is killed, the next draft of the same target removes its unfinished file (format/file.h). */
#define _XOPEN_SOURCE   700 /* realpath */
#define _DEFAULT_SOURCE     /* flock */

#include "base/error.h"
#include "base/memory.h"
#include "base/study_file.h"
#include "format/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct fcps_draft {
  char *path;            /* the path as the caller gave it, for errors */
  char target[PATH_MAX]; /* the file that is replaced: an absolute path without links */
  char beside[PATH_MAX]; /* the new file; empty: the target itself is written */
  FILE *stream;
  bool is_published;
};

/* Makes an error from an errno, as in "cannot be created: No such file or directory". */
static fcps_status refuse(fcps_error *error, const char *path, const char *what, int number)
{
  char reason[128] = "";
  if (strerror_r(number, reason, sizeof reason)) snprintf(reason, sizeof reason, "error %d", number);
  return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, NULL, "%s: %s", what, reason);
}

/* -- Names -- */

/* Writes the path of the file NAME in the folder of `path`, or NAME alone if `path` has no folder. Returns false if the
 * result is too long. */
static bool join_to_folder(const char *path, const char *name, char joined[PATH_MAX])
{
  const char *slash = strrchr(path, '/');
  const int folder = slash != NULL && name[0] != '/' ? (int)(slash - path) + 1 : 0;
  return snprintf(joined, PATH_MAX, "%.*s%s", folder, path, name) < PATH_MAX;
}

/* Finds the file that a path leads to. Links are followed, even if their target does not exist yet, and the folder is
 * resolved. Returns false, with errno, if the folder does not exist or there are too many links. */
static bool resolve(const char *path, char target[PATH_MAX])
{
  enum { MOST_LINKS = 40 };
  char here[PATH_MAX], folder[PATH_MAX], next[PATH_MAX];
  if (realpath(path, target) != NULL) return true;
  if ((size_t)snprintf(here, sizeof here, "%s", path) >= sizeof here) {
    errno = ENAMETOOLONG;
    return false;
  }
  for (int i = 0; i < MOST_LINKS; i++) {
    const ssize_t length = readlink(here, next, sizeof next - 1);
    if (length < 0) break;
    next[length] = 0;
    char joined[PATH_MAX];
    if (!join_to_folder(here, next, joined)) return false;
    memcpy(here, joined, sizeof here);
  }
  char *slash = strrchr(here, '/');
  const char *name = slash != NULL ? slash + 1 : here;
  if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
    errno = EISDIR;
    return false;
  }
  snprintf(next, sizeof next, "%s", name);
  if (slash != NULL) slash[slash == here ? 1 : 0] = 0;
  if (realpath(slash != NULL ? here : ".", folder) == NULL) return false;
  errno = ENAMETOOLONG;
  return snprintf(target, PATH_MAX, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, next) < PATH_MAX;
}

bool fcps_draft_is_same(const char *a, const char *b)
{
  struct stat one, other;
  char target_a[PATH_MAX], target_b[PATH_MAX];
  if (stat(a, &one) == 0 && stat(b, &other) == 0) return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
  return resolve(a, target_a) && resolve(b, target_b) && strcmp(target_a, target_b) == 0;
}

/* -- What is refused -- */

static fcps_status refuse_kind(const char *path, const char *what, fcps_error *error)
{
  return fcps_error_at(error, FCPS_ERR_ARGUMENT, path, 0, 0, NULL,
                       "%s, which fcps never writes over; nothing was changed. Choose another name", what);
}

static fcps_status check_target(const char *path, const char *target, fcps_error *error)
{
  if (fcps_recognize_companion(path) || fcps_recognize_companion(target))
    return refuse_kind(path, "belongs to a study", error);
  switch (fcps_recognize_file(target)) {
  case FCPS_RECOGNIZED_STUDY:
    return refuse_kind(path, "is a study", error);
  case FCPS_RECOGNIZED_DATABASE:
    return refuse_kind(path, "may be a damaged study", error);
  case FCPS_RECOGNIZED_UNREADABLE:
    return refuse(error, path, "may be a study, because it cannot be read; choose another name", errno);
  case FCPS_RECOGNIZED_EMPTY:
  case FCPS_RECOGNIZED_OTHER:
    if (fcps_source_file_is_problem(target)) return refuse_kind(path, "is a problem file", error);
    if (access(target, W_OK) != 0) return refuse(error, path, "cannot be written", errno);
    return FCPS_OK;
  case FCPS_RECOGNIZED_ABSENT:
    break;
  }
  return FCPS_OK;
}

fcps_status fcps_draft_check(const char *path, fcps_error *error)
{
  char target[PATH_MAX];
  /* if the folder does not exist, no file needs protection, and opening will report the missing folder */
  return check_target(path, resolve(path, target) ? target : path, error);
}

/* -- A draft -- */

/* Returns the standard stream that writes to this file, or -1. The stream has the file open, so it is not replaced. */
static int standard_stream(const struct stat *target)
{
  for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++) {
    struct stat stream;
    if (fstat(i, &stream) == 0 && stream.st_dev == target->st_dev && stream.st_ino == target->st_ino) return i;
  }
  return -1;
}

static int open_file(fcps_draft *draft)
{
  struct stat there;
  const bool exists = stat(draft->path, &there) == 0;
  const int stream = exists && S_ISREG(there.st_mode) ? standard_stream(&there) : -1;
  if (stream >= 0) return fcntl(stream, F_DUPFD_CLOEXEC, 0);
  if (exists && !S_ISREG(there.st_mode)) return open(draft->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
  return fcps_new_file_open(draft->target, draft->beside);
}

static fcps_status begin(fcps_draft *draft, fcps_error *error)
{
  struct stat there;
  if (!resolve(draft->path, draft->target)) {
    /* /dev/stdout may lead to a pipe, which has no path */
    if (stat(draft->path, &there) != 0 || S_ISREG(there.st_mode) || S_ISDIR(there.st_mode))
      return refuse(error, draft->path, "cannot be created", errno);
    snprintf(draft->target, sizeof draft->target, "%s", draft->path);
  }
  const fcps_status status = check_target(draft->path, draft->target, error);
  if (status != FCPS_OK) return status;
  const int file = open_file(draft);
  if (file < 0) return refuse(error, draft->path, "cannot be created", errno);
  draft->stream = fdopen(file, "w");
  if (draft->stream != NULL) return FCPS_OK;
  close(file);
  return fcps_error_memory(error);
}

static void destroy(fcps_draft *draft)
{
  if (*draft->beside && !draft->is_published) unlink(draft->beside);
  if (draft->stream != NULL) fclose(draft->stream);
  free(draft->path);
  free(draft);
}

fcps_status fcps_draft_open(fcps_draft **draft, const char *path, fcps_error *error)
{
  *draft = NULL;
  fcps_draft *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return fcps_error_memory(error);
  made->path = fcps_copy_text(path);
  const fcps_status status = made->path != NULL ? begin(made, error) : fcps_error_memory(error);
  if (status != FCPS_OK) {
    destroy(made);
    return status;
  }
  *draft = made;
  return FCPS_OK;
}

FILE *fcps_draft_stream(fcps_draft *draft)
{
  return draft->stream;
}

const char *fcps_draft_place(const fcps_draft *draft)
{
  return *draft->beside ? draft->beside : draft->path;
}

/* Syncs the folder of the target: only then does a new name in it survive a power cut. */
static bool sync_folder(const char *target)
{
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(target, '/') - target) + 1, target);
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool done = fsync(descriptor) == 0 || errno == EINVAL; /* EINVAL: this file system cannot sync a folder */
  const int number = errno;
  close(descriptor);
  errno = number;
  return done;
}

fcps_status fcps_draft_publish(fcps_draft *draft, fcps_error *error)
{
  struct stat old;
  const int file = fileno(draft->stream);
  if (fflush(draft->stream) != 0 || ferror(draft->stream))
    return refuse(error, draft->path, "cannot be written", errno);
  if (!*draft->beside || draft->is_published) return FCPS_OK;
  /* a study may have been created under this name meanwhile */
  const fcps_status status = check_target(draft->path, draft->target, error);
  if (status != FCPS_OK) return status;
  const bool exists = stat(draft->target, &old) == 0;
  if ((exists && fchmod(file, old.st_mode & 07777) != 0) || fsync(file) != 0 ||
      rename(draft->beside, draft->target) != 0)
    return refuse(error, draft->path, "cannot be written", errno);
  draft->is_published = true;
  return sync_folder(draft->target) ? FCPS_OK
                                    : refuse(error, draft->path, "was written, but may be lost in a power cut", errno);
}

fcps_status fcps_draft_finish(fcps_draft *draft, fcps_status status, fcps_error *error)
{
  if (draft == NULL) return status;
  if (status == FCPS_OK) status = fcps_draft_publish(draft, error);
  destroy(draft);
  return status;
}

/* -- New files -- */

/* The name of an unfinished file says which process made it, for which target; its lock says if that process lives. */

/* Returns where the ending of a name, such as ".csv", begins; the end of the name if it has no ending. */
static size_t ending_of(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
  return dot != NULL && dot > name ? (size_t)(dot - path) : strlen(path);
}

/* Tells whether a name is TARGET.new-PID-N.ENDING. `target` is the name of a target without its folder. */
static bool is_leftover(const char *name, const char *target)
{
  const char *ending = target + ending_of(target), *c = name;
  if (strncmp(c, target, strlen(target)) != 0) return false;
  c += strlen(target);
  if (strncmp(c, ".new-", 5) != 0 || !isdigit((unsigned char)c[5])) return false;
  for (c += 5; isdigit((unsigned char)*c); c++)
    ;
  if (*c++ != '-' || !isdigit((unsigned char)*c)) return false;
  for (; isdigit((unsigned char)*c); c++)
    ;
  return strcmp(c, ending) == 0;
}

/* Removes the file of this name in the folder, unless a writer holds its lock or it is a study with such a name. */
static void remove_leftover(const char *path, int folder, const char *name)
{
  struct stat there;
  char whole[PATH_MAX];
  const bool fits = (size_t)snprintf(whole, sizeof whole, "%s%s", path, name) < sizeof whole;
  const fcps_recognized kind = fits ? fcps_recognize_file(whole) : FCPS_RECOGNIZED_STUDY;
  if (kind != FCPS_RECOGNIZED_OTHER && kind != FCPS_RECOGNIZED_EMPTY) return;
  const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return;
  if (fstat(file, &there) == 0 && S_ISREG(there.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0)
    unlinkat(folder, name, 0);
  close(file);
}

/* Removes the unfinished files beside the target whose writers were killed. */
static void remove_leftovers(const char *target)
{
  char folder[PATH_MAX];
  const char *slash = strrchr(target, '/'), *name = slash != NULL ? slash + 1 : target;
  snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(name - target) : 2, slash != NULL ? target : "./");
  DIR *entries = opendir(folder);
  if (entries == NULL) return;
  for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
    if (is_leftover(entry->d_name, name)) remove_leftover(folder, dirfd(entries), entry->d_name);
  closedir(entries);
}

/* Tells whether a new file is locked and still has its name: another process may have removed it before the lock. */
static bool is_ours(int file)
{
  struct stat there;
  return flock(file, LOCK_EX) != 0 || (fstat(file, &there) == 0 && there.st_nlink > 0);
}

int fcps_new_file_open(const char *target, char beside[PATH_MAX])
{
  const char *ending = target + ending_of(target);
  remove_leftovers(target);
  for (int i = 0; i < 1000; i++) {
    if (snprintf(beside, PATH_MAX, "%s.new-%ld-%d%s", target, (long)getpid(), i, ending) >= PATH_MAX) {
      errno = ENAMETOOLONG;
      return -1;
    }
    const int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 && is_ours(file)) return file;
    if (file >= 0)
      close(file);
    else if (errno != EEXIST)
      return -1;
  }
  return -1;
}
