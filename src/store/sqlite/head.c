/* SPDX-License-Identifier: Apache-2.0 */
/* The first 100 bytes of a study file [sqliteformat2022, Sec. 1.3]: whether they are a study's, and their change counter.
 *
 * SQLite adds one to the change counter at every commit. It compares counters for equality only, so a new file may
 * begin with any number. Every file that we make begins with a random one: so a journal that lies beside a file can be
 * told from one that belongs to it (stale.c).
 */
#include "store/sqlite/sqlite_impl.h"

#include <fcntl.h>
#include <unistd.h>

/* where the numbers stand, each big-endian in four bytes */
enum { COUNTER = 24, VALID_FOR = 92, PAGE_SIZE = 16 /* two bytes */ };

uint32_t fcps_sqlite_number(const unsigned char *bytes)
{
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | (uint32_t)bytes[3];
}

bool fcps_sqlite_is_head(const unsigned char *head)
{
  return fcps_recognize_head(head);
}

uint32_t fcps_sqlite_counter(const unsigned char *head)
{
  return fcps_sqlite_number(head + COUNTER);
}

bool fcps_sqlite_head_is_valid(const unsigned char *head)
{
  return fcps_sqlite_is_head(head) && fcps_sqlite_number(head + VALID_FOR) == fcps_sqlite_counter(head);
}

uint32_t fcps_sqlite_page_size(const unsigned char *head)
{
  const uint32_t size = (uint32_t)head[PAGE_SIZE] << 8 | (uint32_t)head[PAGE_SIZE + 1];
  return size == 1 ? 65536 : size;
}

bool fcps_sqlite_renumber(const char *path, bool is_synced)
{
  unsigned char counter[4];
  sqlite3_randomness(sizeof counter, counter);
  const int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  const bool is_written = pwrite(file, counter, sizeof counter, COUNTER) == sizeof counter &&
                          pwrite(file, counter, sizeof counter, VALID_FOR) == sizeof counter &&
                          (!is_synced || fsync(file) == 0);
  close(file);
  return is_written;
}
