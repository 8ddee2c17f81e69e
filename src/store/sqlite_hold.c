/* SPDX-License-Identifier: Apache-2.0 */
/* The hold of a long run: a kernel lock on the file PATH-lock beside the store.
 *
 * Invariants: the lock is the kernel's, so it is gone when its process is, however that ends; who holds it, where and
 * since when is written inside, but only as words for whoever comes second. The file is there only while somebody holds
 * it: the holder removes it while it still has the lock, and a process that locked a removed file notices this and
 * tries again.
 */
#include "base/error.h"
#include "store/sqlite_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct flock whole_file(short type)
{
  return (struct flock){.l_type = type, .l_whence = SEEK_SET};
}

static fcps_status refuse(const char *name, int file, fcps_error *error)
{
  char holder[160] = "";
  const ssize_t length = pread(file, holder, sizeof holder - 1, 0);
  holder[length > 0 ? length : 0] = '\0';
  struct flock lock = whole_file(F_WRLCK);
  const bool has_pid = fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0;
  if (!*holder && has_pid) snprintf(holder, sizeof holder, "process %ld", (long)lock.l_pid);
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is held by %s. Wait for it or stop it first.", name,
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

fcps_status fcps_sqlite_hold(int *hold, const char *lock_path, const char *name, fcps_error *error)
{
  for (int attempt = 0; attempt < 100; attempt++) {
    const int file = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return fcps_error_set(error, FCPS_ERR_IO, "", "cannot open %s: %s.", lock_path, strerror(errno));
    struct flock lock = whole_file(F_WRLCK);
    if (fcntl(file, F_SETLK, &lock) != 0) {
      const fcps_status status = refuse(name, file, error);
      close(file);
      return status;
    }
    if (is_current(file, lock_path)) {
      write_holder(file); /* only words: the lock holds without them */
      *hold = file;
      return FCPS_OK;
    }
    close(file);
  }
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is being taken and released by others. Try again.", lock_path);
}

void fcps_sqlite_release(int *hold, const char *lock_path)
{
  if (*hold < 0) return;
  unlink(lock_path); /* while it is still locked */
  close(*hold);
  *hold = -1;
}
