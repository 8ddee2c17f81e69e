/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files through POSIX calls. A file is replaced in four steps, so that a crash or a power cut leaves the old file
 * or the new one: write a new file beside it, sync it, rename it over the old one, sync the directory. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "format/file.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* An error with the message of the system: "what: No such file or directory". */
static fcps_status refuse(fcps_error *error, const char *path, const char *what, int number)
{
  char reason[128] = "";
  if (strerror_r(number, reason, sizeof reason)) snprintf(reason, sizeof reason, "error %d", number);
  return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, NULL, "%s: %s", what, reason);
}

/* -- Reading -- */

/* Reads to the end of `descriptor`. The size is not asked for, because a pipe does not know it. */
static fcps_status read_all(int descriptor, const char *path, size_t limit, char **text, size_t *length,
                            fcps_error *error)
{
  size_t capacity = 0, used = 0;
  for (;;) {
    /* room for one more piece and for the 0 at the end */
    if (!fcps_reserve((void **)text, &capacity, used + 4096 + 1, 1)) return fcps_error_memory(error);
    const ssize_t got = read(descriptor, *text + used, capacity - used - 1);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return refuse(error, path, "cannot be read", errno);
    used += (size_t)got;
    if (used > limit)
      return fcps_error_at(error, FCPS_ERR_FORMAT, path, 0, 0, NULL,
                           "is larger than %zu bytes, the most that is read here", limit);
    if (got == 0) break;
  }
  (*text)[used] = 0;
  *length = used;
  return FCPS_OK;
}

fcps_status fcps_file_read(const char *path, size_t limit, char **text, size_t *length, fcps_error *error)
{
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return refuse(error, path, "cannot be opened", errno);

  char *contents = NULL;
  size_t size = 0;
  const fcps_status status = read_all(descriptor, path, limit, &contents, &size, error);
  close(descriptor);
  if (status != FCPS_OK) {
    free(contents);
    return status;
  }
  *text = contents;
  *length = size;
  return FCPS_OK;
}

/* -- Replacing -- */

static bool write_all(int descriptor, const char *text, size_t length)
{
  for (size_t done = 0; done < length;) {
    const ssize_t put = write(descriptor, text + done, length - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    done += (size_t)put;
  }
  return true;
}

/* Opens a new file beside `path` and writes its name to `beside`. (mkstemp would make it unreadable for others.) */
static int open_beside(const char *path, size_t size, char *beside)
{
  for (int i = 0; i < 1000; i++) {
    if ((size_t)snprintf(beside, size, "%s.new-%ld-%d", path, (long)getpid(), i) >= size) {
      errno = ENAMETOOLONG;
      return -1;
    }
    const int descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

/* Syncs the directory of `path`. Only then does a new name in it survive a power cut. */
static bool sync_directory(const char *path)
{
  char directory[PATH_MAX];
  snprintf(directory, sizeof directory, "%s", path);
  char *slash = strrchr(directory, '/');
  if (slash == NULL) snprintf(directory, sizeof directory, ".");
  if (slash != NULL) slash[slash == directory ? 1 : 0] = 0;

  const int descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool done = fsync(descriptor) == 0 || errno == EINVAL; /* EINVAL: a file system without this */
  const int number = errno;
  close(descriptor);
  errno = number;
  return done;
}

fcps_status fcps_file_replace(const char *path, const char *text, size_t length, fcps_error *error)
{
  /* a link stays a link: the file that it points to is replaced. A device or a pipe cannot be replaced. */
  char resolved[PATH_MAX], beside[PATH_MAX];
  const char *target = realpath(path, resolved) != NULL ? resolved : path;
  struct stat old;
  const bool exists = stat(target, &old) == 0;
  if (exists && !S_ISREG(old.st_mode))
    return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, NULL, "is not a regular file; choose another name");

  const int descriptor = open_beside(target, sizeof beside, beside);
  if (descriptor < 0) return refuse(error, path, "cannot be created", errno);
  bool done = write_all(descriptor, text, length) && (!exists || fchmod(descriptor, old.st_mode & 07777) == 0) &&
              fsync(descriptor) == 0;
  int number = errno;
  if (close(descriptor) && done) {
    done = false;
    number = errno;
  }
  if (done && rename(beside, target)) {
    done = false;
    number = errno;
  }
  if (!done) {
    unlink(beside);
    return refuse(error, path, "cannot be written", number);
  }
  if (!sync_directory(target)) return refuse(error, path, "was written, but may be lost in a power cut", errno);
  return FCPS_OK;
}

/* -- Directories -- */

fcps_status fcps_file_join(const char *directory, const char *name, size_t size, char *path, fcps_error *error)
{
  if ((size_t)snprintf(path, size, "%s/%s", directory, name) < size) return FCPS_OK;
  return refuse(error, name, "cannot be reached in this folder", ENAMETOOLONG);
}

fcps_status fcps_file_make_directory(const char *path, fcps_error *error)
{
  char part[PATH_MAX];
  const size_t length = strlen(path);
  if (length == 0 || length >= sizeof part)
    return refuse(error, path, "cannot be created", length == 0 ? ENOENT : ENAMETOOLONG);

  /* each parent in turn, then the directory itself */
  for (size_t i = 1; i <= length; i++) {
    if (path[i] != '/' && path[i] != 0) continue;
    memcpy(part, path, i);
    part[i] = 0;
    struct stat there;
    if (mkdir(part, 0777) == 0 || (errno == EEXIST && stat(part, &there) == 0 && S_ISDIR(there.st_mode))) continue;
    return refuse(error, part, "cannot be created as a directory", errno);
  }
  return FCPS_OK;
}

bool fcps_file_ends_with(const char *path, const char *ending)
{
  const size_t length = strlen(path), tail = strlen(ending);
  return length > tail && strcmp(path + length - tail, ending) == 0;
}
