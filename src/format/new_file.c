/* SPDX-License-Identifier: Apache-2.0 */
/* A name says which process made a file, and for what; the lock says whether that process lives. */
#define _DEFAULT_SOURCE /* flock */
#include "format/new_file.h"

#include "base/study_file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where the ending of a name begins, ".csv"; its end where it has none. */
static size_t ending_of(const char *path)
{
  const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path, *dot = strrchr(name, '.');
  return dot != NULL && dot > name ? (size_t)(dot - path) : strlen(path);
}

/* Whether a name is TARGET.new-PID-N.ENDING, for the name of a target without its folder. */
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

/* Removes a file of this name in the folder if no writer holds it, and it is not a study that somebody called so. */
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

/* Removes what killed writers left beside the target. */
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

/* Whether a new file is locked and still has its name: another process may have taken it for a leftover. */
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
