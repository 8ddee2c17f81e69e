/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's file format, section 1.3: a file begins with 16 fixed bytes, and the number of its application stands, with
 * its highest byte first, at byte 68. */
#include "base/study_file.h"

#include "base/open_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

/* A bit of the head that has changed makes no study of a file, but what follows may be saved (fcps study repair). */
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

/* The length of the end "-kept-N.json" of a path, if it has one (src/store/store.h). */
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

/* Whether a path without its last `tail` characters is a study. */
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
