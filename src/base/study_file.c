/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's file format, section 1.3: a file begins with 16 fixed bytes, and the number of its application stands, with
 * its highest byte first, at byte 68. */
#include "base/study_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 100, NUMBER = 68 };

static fcps_recognized recognize_head(const unsigned char head[HEAD], ssize_t length)
{
  static const char words[] = "SQLite format 3";
  if (length == 0) return FCPS_RECOGNIZED_EMPTY;
  const uint32_t number = (uint32_t)head[NUMBER] << 24 | (uint32_t)head[NUMBER + 1] << 16 |
                          (uint32_t)head[NUMBER + 2] << 8 | (uint32_t)head[NUMBER + 3];
  const bool is_ours = length == HEAD && memcmp(head, words, sizeof words) == 0 && number == FCPS_STUDY_FILE_ID;
  return is_ours ? FCPS_RECOGNIZED_STUDY : FCPS_RECOGNIZED_OTHER;
}

fcps_recognized fcps_recognize_file(const char *path)
{
  struct stat there;
  if (stat(path, &there) != 0)
    return errno == ENOENT || errno == ENOTDIR ? FCPS_RECOGNIZED_ABSENT : FCPS_RECOGNIZED_UNREADABLE;
  if (!S_ISREG(there.st_mode)) return FCPS_RECOGNIZED_OTHER;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return errno == ENOENT ? FCPS_RECOGNIZED_ABSENT : FCPS_RECOGNIZED_UNREADABLE;
  unsigned char head[HEAD] = {0};
  const ssize_t length = read(file, head, sizeof head);
  const int number = errno;
  close(file);
  errno = number;
  return length < 0 ? FCPS_RECOGNIZED_UNREADABLE : recognize_head(head, length);
}

bool fcps_recognize_companion(const char *path)
{
  static const char *const ends[] = {"-journal", "-wal", "-shm", "-lock", "-reserve", "-kept.json"};
  const size_t length = strlen(path);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
    const size_t tail = strlen(ends[i]);
    char study[PATH_MAX];
    if (length <= tail || length - tail >= sizeof study || strcmp(path + length - tail, ends[i]) != 0) continue;
    snprintf(study, sizeof study, "%.*s", (int)(length - tail), path);
    return fcps_recognize_file(study) == FCPS_RECOGNIZED_STUDY;
  }
  return false;
}
