/* SPDX-License-Identifier: Apache-2.0 */
/* The hold of a long run: a kernel lock on a file beside the study, gone when the process is. Who holds it, where and
 * since when is written inside for whoever comes second. And deleting a study, which needs the hold. */
#include "base/error.h"
#include "base/memory.h"
#include "study/study_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char *lock_path(const fcps_study *s)
{
  const size_t size = strlen(s->path) + sizeof "-lock";
  char *path = fcps_allocate(size, 1);
  if (path != NULL) snprintf(path, size, "%s-lock", s->path);
  return path;
}

static struct flock whole_file(short type)
{
  return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

static fcps_status refuse(const fcps_study *s, int file, fcps_error *error)
{
  char holder[160] = "";
  const ssize_t length = pread(file, holder, sizeof holder - 1, 0);
  holder[length > 0 ? length : 0] = '\0';
  struct flock lock = whole_file(F_WRLCK);
  const bool has_pid = fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0;
  if (!*holder && has_pid) snprintf(holder, sizeof holder, "process %ld", (long)lock.l_pid);
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is held by %s. Wait for it or stop it first.", s->path,
                        *holder ? holder : "another process");
}

static bool write_holder(int file)
{
  char host[64] = "unknown host", since[32] = "", text[160];
  gethostname(host, sizeof host - 1);
  const time_t now = time(NULL);
  struct tm parts;
  if (gmtime_r(&now, &parts) != NULL) strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", &parts);
  const int length = snprintf(text, sizeof text, "process %ld on %s since %s", (long)getpid(), host, since);
  return ftruncate(file, 0) == 0 && pwrite(file, text, (size_t)length, 0) == length;
}

/* whether the file we locked is still the one of that name: the last holder removes it */
static bool is_current(int file, const char *path)
{
  struct stat ours, there;
  return fstat(file, &ours) == 0 && stat(path, &there) == 0 && ours.st_ino == there.st_ino &&
         ours.st_dev == there.st_dev;
}

static fcps_status hold_file(fcps_study *s, const char *path, fcps_error *error)
{
  for (int attempt = 0; attempt < 100; attempt++) {
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return fcps_error_set(error, FCPS_ERR_IO, "", "cannot open %s: %s.", path, strerror(errno));
    struct flock lock = whole_file(F_WRLCK);
    if (fcntl(file, F_SETLK, &lock) != 0) {
      const fcps_status status = refuse(s, file, error);
      close(file);
      return status;
    }
    if (is_current(file, path)) {
      write_holder(file); /* only words: the lock holds without them */
      s->hold = file;
      return FCPS_OK;
    }
    close(file);
  }
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is being taken and released by others. Try again.", path);
}

fcps_status fcps_study_hold(fcps_study *s, fcps_error *error)
{
  if (s->path == NULL || s->hold >= 0) return FCPS_OK;
  char *path = lock_path(s);
  if (path == NULL) return fcps_error_memory(error);
  const fcps_status status = hold_file(s, path, error);
  free(path);
  return status;
}

void fcps_study_release(fcps_study *s)
{
  if (s->hold < 0) return;
  char *path = lock_path(s);
  if (path != NULL) unlink(path); /* while it is still locked */
  free(path);
  close(s->hold);
  s->hold = -1;
}

static fcps_status remove_files(const char *path, fcps_error *error)
{
  static const char *const ends[] = {"", "-journal", "-reserve"};
  char *name = fcps_allocate(strlen(path) + sizeof "-reserve", 1);
  if (name == NULL) return fcps_error_memory(error);
  fcps_status status = FCPS_OK;
  for (size_t i = 0; status == FCPS_OK && i < sizeof ends / sizeof *ends; i++) {
    strcat(strcpy(name, path), ends[i]);
    if (unlink(name) != 0 && errno != ENOENT)
      status = fcps_error_set(error, FCPS_ERR_IO, "", "cannot delete %s: %s.", name, strerror(errno));
  }
  free(name);
  return status;
}

fcps_status fcps_study_remove(const char *path, fcps_error *error)
{
  /* nobody may begin with it meanwhile */
  fcps_study holder = {.hold = -1, .path = fcps_copy_text(path)};
  fcps_status status = holder.path != NULL ? fcps_store_sqlite_recognize(path, error) : fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_study_hold(&holder, error);
  if (status == FCPS_OK) status = remove_files(path, error);
  fcps_study_release(&holder);
  free(holder.path);
  return status;
}
