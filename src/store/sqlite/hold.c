/* SPDX-License-Identifier: Apache-2.0 */
/* The hold of a long run: a kernel lock on the file PATH-lock beside the store, and one on the store's own file
 * (base/study_file.h), in case that file is renamed or the lock file deleted.
 *
 * Invariants: the lock is the kernel's and belongs to the open file description. So two handles of one process
 * exclude each other like two processes; closing one handle never frees the hold of another; and a program that
 * inherits the descriptor keeps the hold until it has ended as well, however its parent ended. The holder, its
 * machine and the time are written inside, but only as words for a second process. The file is there only while
 * somebody holds it: the last holder removes it while it still has the lock, and a process that locked a removed file
 * notices this and tries again. A symbolic link, or a file that has other names, is never written to.
 */
#define _GNU_SOURCE /* for F_OFD_SETLK */
#include "base/error.h"
#include "base/process.h"
#include "store/sqlite/sqlite_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 240, ATTEMPTS = 100, PAUSE_MS = 50, ENDING_MS = 5000 };

/* -- The lock -- */

static bool take_lock(int file)
{
#ifdef F_OFD_SETLK
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(file, F_OFD_SETLK, &lock) == 0) return true;
  if (errno != EINVAL) return false;
#endif
  /* A system without such locks has these instead; they also belong to the open file description. */
  return flock(file, LOCK_EX | LOCK_NB) == 0;
}

/* Whether the file that was opened still has this name: the last holder removes the file. */
static bool is_current(const struct stat *ours, const char *path)
{
  struct stat there;
  return lstat(path, &there) == 0 && ours->st_ino == there.st_ino && ours->st_dev == there.st_dev;
}

/* -- The words -- */

static void host_name(size_t size, char *host)
{
  snprintf(host, size, "unknown host");
  gethostname(host, size - 1);
  host[size - 1] = '\0';
}

static void write_holder(int file)
{
  char host[64], since[32] = "", text[160];
  host_name(sizeof host, host);
  const time_t now = time(NULL);
  struct tm parts;
  if (gmtime_r(&now, &parts) != NULL) strftime(since, sizeof since, "%Y-%m-%d %H:%M:%S UTC", &parts);
  const int length = snprintf(text, sizeof text, "process %ld on %s since %s", (long)getpid(), host, since);
  /* If the words cannot be written, the lock is held all the same. */
  if (ftruncate(file, 0) == 0 && pwrite(file, text, (size_t)length, 0) != length) (void)!ftruncate(file, 0);
}

static void read_holder(int file, size_t size, char *holder)
{
  const ssize_t length = pread(file, holder, size - 1, 0);
  holder[length > 0 ? length : 0] = '\0';
}

/* Returns the process that wrote the words if it runs on this machine; 0 if it is not known. */
static long process_of(const char *holder)
{
  long process = 0;
  char host[64], there[64] = "";
  host_name(sizeof host, host);
  if (sscanf(holder, "process %ld on %63s", &process, there) != 2 || strcmp(host, there) != 0) return 0;
  return process;
}

/* Whether a process has ended, even if its parent has not waited for it yet. */
static bool has_ended(long process)
{
  char path[64], words[256] = "";
  if (kill((pid_t)process, 0) != 0) return errno == ESRCH;
  snprintf(path, sizeof path, "/proc/%ld/stat", process);
  FILE *file = fopen(path, "re");
  if (file == NULL) return false;
  if (fgets(words, sizeof words, file) == NULL) words[0] = '\0';
  fclose(file);
  const char *state = strrchr(words, ')'); /* The words look like "4711 (a name) Z ...". */
  return state != NULL && (strncmp(state, ") Z", 3) == 0 || strncmp(state, ") X", 3) == 0);
}

/* Whether the holder has ended, so that only programs that inherited the lock still have it. */
static bool is_ending(const char *holder)
{
  const long process = process_of(holder);
  return process > 0 && has_ended(process);
}

/* -- Who keeps it -- */

/* Finds the processes that have a lock file open, to name them in an error.
 *
 * The system does not say which processes have inherited a lock. So the descriptors of all processes are compared, as
 * far as the system shows them (Linux, processes of the same user). The answer is only used in messages. */

static bool has_open(const char *process, const struct stat *file)
{
  char path[64];
  bool is_found = false;
  snprintf(path, sizeof path, "/proc/%.20s/fd", process);
  DIR *folder = opendir(path);
  if (folder == NULL) return false;
  for (struct dirent *entry; !is_found && (entry = readdir(folder)) != NULL;) {
    struct stat there;
    is_found = fstatat(dirfd(folder), entry->d_name, &there, 0) == 0 && there.st_ino == file->st_ino &&
               there.st_dev == file->st_dev;
  }
  closedir(folder);
  return is_found;
}

/* Writes a process with its name, "4711 (python3)". */
static int describe(const char *process, size_t size, char *text)
{
  char path[64], name[32] = "";
  snprintf(path, sizeof path, "/proc/%.20s/comm", process);
  FILE *file = fopen(path, "r");
  if (file != NULL && fgets(name, sizeof name, file) != NULL) name[strcspn(name, "\n")] = '\0';
  if (file != NULL) fclose(file);
  return snprintf(text, size, "%.20s (%s)", process, name);
}

/* Writes which other processes have an open file open: "process 4711 (python3), 4712 (sh)"; "" if none is known. */
static void name_holders(int file, size_t size, char *text)
{
  struct stat info;
  size_t length = 0;
  text[0] = '\0';
  DIR *folder = fstat(file, &info) == 0 ? opendir("/proc") : NULL;
  if (folder == NULL) return;
  for (struct dirent *entry; length < size && (entry = readdir(folder)) != NULL;) {
    const long process = strtol(entry->d_name, NULL, 10);
    if (process <= 0 || process == (long)getpid() || !has_open(entry->d_name, &info)) continue;
    length += (size_t)snprintf(text + length, size - length, "%s", length > 0 ? ", " : "process ");
    if (length < size) length += (size_t)describe(entry->d_name, size - length, text + length);
  }
  closedir(folder);
}

/* -- Refusals -- */

/* Refuses because programs have inherited the lock of a holder that is gone; the error names them. */
static fcps_status refuse_left(const char *name, int file, char *holder, fcps_error *error)
{
  char others[160];
  name_holders(file, sizeof others, others);
  return fcps_error_set(
      error, FCPS_ERR_LOCKED, "",
      "%s is still held: %s is gone, but a program that it started still runs%s%s. End that program first, then "
      "repeat the command.",
      name, holder, *others ? ": " : "", others);
}

static fcps_status refuse(const char *name, int file, fcps_error *error)
{
  char holder[WORDS];
  read_holder(file, sizeof holder, holder);
  if (process_of(holder) == (long)getpid())
    return fcps_error_set(error, FCPS_ERR_LOCKED, "",
                          "%s is held by this process (%.*s) through another handle. Close that one first.", name,
                          (int)strcspn(holder, "\n"), holder);
  if (is_ending(holder)) return refuse_left(name, file, holder, error);
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is held by %s. Wait for it or stop it first.", name,
                        *holder ? holder : "another process");
}

/* -- Holding -- */

static fcps_status refuse_file(const char *lock_path, fcps_error *error)
{
  return fcps_error_set(
      error, FCPS_ERR_IO, "",
      "%s is a symbolic link or not a regular file; fcps does not write to it. Remove it, then repeat the "
      "command.",
      lock_path);
}

/* Makes the error about a lock file that could not be opened. If the file does not exist and cannot be made, the folder
 * does not allow it. */
static fcps_status refuse_to_open(const char *lock_path, int reason, fcps_error *error)
{
  const char *slash = strrchr(lock_path, '/');
  const bool is_folder = (reason == EACCES || reason == EROFS) && access(lock_path, F_OK) != 0;
  if (!is_folder) return fcps_error_set(error, FCPS_ERR_IO, "", "cannot open %s: %s.", lock_path, strerror(reason));
  return fcps_error_set(error, FCPS_ERR_IO, "",
                        "the folder %.*s cannot be written (%s), and writing a study makes files beside it. Give "
                        "yourself the right to write there, or copy the study to another folder.",
                        slash != NULL && slash > lock_path ? (int)(slash - lock_path) : 1,
                        slash != NULL ? lock_path : ".", strerror(reason));
}

/* Opens the lock file; *file is -1 if it was removed meanwhile. */
static fcps_status open_lock_file(const char *lock_path, int *file, fcps_error *error)
{
  struct stat info;
  *file = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  if (*file < 0 && errno == ELOOP) return refuse_file(lock_path, error);
  if (*file < 0) return refuse_to_open(lock_path, errno, error);
  const bool is_known = fstat(*file, &info) == 0;
  if (is_known && S_ISREG(info.st_mode) && info.st_nlink == 1 && is_current(&info, lock_path)) return FCPS_OK;
  close(*file);
  *file = -1;
  const bool is_removed = is_known && S_ISREG(info.st_mode) && info.st_nlink <= 1;
  return is_removed ? FCPS_OK : refuse_file(lock_path, error);
}

/* Tries once to take the lock; FCPS_ERR_LOCKED if somebody has it. On entry `is_worth_waiting` says whether there is
 * time to wait; afterwards, whether waiting helps because only programs that an ended holder has started keep the lock.
 * These programs are only looked for when the time is over. */
static fcps_status try_once(int *hold, const char *lock_path, const char *name, bool *is_worth_waiting,
                            fcps_error *error)
{
  int file = -1;
  struct stat info;
  const bool has_time = *is_worth_waiting;
  *is_worth_waiting = false;
  fcps_status status = open_lock_file(lock_path, &file, error);
  if (status != FCPS_OK || file < 0) return status;
  if (take_lock(file)) {
    if (fstat(file, &info) == 0 && is_current(&info, lock_path)) {
      write_holder(file);
      *hold = file;
      return FCPS_OK;
    }
  } else if (errno == EAGAIN || errno == EACCES) {
    char holder[WORDS];
    read_holder(file, sizeof holder, holder);
    *is_worth_waiting = has_time && is_ending(holder);
    status = *is_worth_waiting ? FCPS_ERR_LOCKED : refuse(name, file, error);
  } else {
    status =
        fcps_error_set(error, FCPS_ERR_IO, "", "cannot lock %s: %s. Keep the study on a file system that has locks.",
                       lock_path, strerror(errno));
  }
  close(file);
  return status;
}

fcps_status fcps_sqlite_hold(int *hold, const char *lock_path, const char *name, fcps_error *error)
{
  int waited_ms = 0;
  for (int attempt = 0; attempt < ATTEMPTS;) {
    bool is_worth_waiting = waited_ms < ENDING_MS;
    const fcps_status status = try_once(hold, lock_path, name, &is_worth_waiting, error);
    if (status == FCPS_OK && *hold >= 0) return FCPS_OK;
    if (status != FCPS_OK && !is_worth_waiting) return status;
    if (is_worth_waiting) {
      fcps_clock_pause(PAUSE_MS);
      waited_ms += PAUSE_MS;
    } else {
      attempt++;
    }
  }
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "%s is being taken and released by others. Try again.", lock_path);
}

/* Whether another handle holds the lock. The lock is not taken, so nobody else is kept from taking it. */
bool fcps_sqlite_is_held(const char *lock_path, const char *name, fcps_error *who)
{
  bool is_held = false;
#ifdef F_OFD_GETLK
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  const int file = open(lock_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  is_held = fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  if (is_held) refuse(name, file, who);
  close(file);
#else
  (void)lock_path, (void)name, (void)who; /* Such a system cannot tell. */
#endif
  return is_held;
}

void fcps_sqlite_release(int *hold, const char *lock_path)
{
  if (*hold < 0) return;
  close(*hold);
  *hold = -1;
  /* A process that can take the lock was the last holder. If a program that has inherited the lock still lives, the
   * file stays, and tells others of that program. */
  struct stat info;
  const int file = open(lock_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return;
  if (take_lock(file) && fstat(file, &info) == 0 && is_current(&info, lock_path)) unlink(lock_path);
  close(file);
}

/* Locks the study file itself, because it may have been renamed while its lock file kept the old name. The guardian
 * of a killed run keeps this lock for a moment, so the function waits for it. */
fcps_status fcps_sqlite_claim(sqlite_store *s, fcps_error *error)
{
  for (int waited_ms = 0; waited_ms <= ENDING_MS; waited_ms += PAUSE_MS) {
    s->is_claimed = fcps_open_files_claim(&s->open_file);
    if (s->is_claimed) return FCPS_OK;
    fcps_clock_pause(PAUSE_MS);
  }
  return fcps_error_set(
      error, FCPS_ERR_LOCKED, "",
      "%s is held by a run that began under another name of this file, or whose lock file was deleted. "
      "Wait for it or stop it first.",
      s->base.name);
}
