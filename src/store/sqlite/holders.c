/* SPDX-License-Identifier: Apache-2.0 */
/* Who keeps a lock file open, for the words of a refusal.
 *
 * A lock that was inherited does not tell whose it is, so the descriptors of all processes are looked at, as far as the
 * system shows them (Linux, processes of the same user). Nothing depends on the answer but words.
 */
#include "store/sqlite/sqlite_impl.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* "4711 (python3)" */
static int describe(const char *process, size_t size, char *text)
{
  char path[64], name[32] = "";
  snprintf(path, sizeof path, "/proc/%.20s/comm", process);
  FILE *file = fopen(path, "r");
  if (file != NULL && fgets(name, sizeof name, file) != NULL) name[strcspn(name, "\n")] = '\0';
  if (file != NULL) fclose(file);
  return snprintf(text, size, "%.20s (%s)", process, name);
}

void fcps_sqlite_holders(int file, size_t size, char *text)
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
