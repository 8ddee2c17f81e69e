/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing is opened here: the folder of the missing file is read, and no other. */
#include "cli/support/near_file.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NAMES = 1000 };

/* Says of a link that leads nowhere that it is one. */
static bool say_link(const char *path, size_t size, char *words)
{
  struct stat there;
  char to[CLI_NEAR_FILE];
  if (lstat(path, &there) != 0 || !S_ISLNK(there.st_mode) || stat(path, &there) == 0) return false;
  const bool is_loop = errno == ELOOP;
  const ssize_t length = readlink(path, to, sizeof to - 1);
  to[length > 0 ? length : 0] = '\0';
  if (is_loop)
    snprintf(words, size, "%s is a link that leads back to itself", path);
  else
    snprintf(words, size, "%s is a link to %s, which cannot be reached", path, to);
  return true;
}

/* The folder of `path`, with its slash; "" is the present one. */
static bool copy_folder(const char *path, char folder[CLI_NEAR_FILE])
{
  const char *slash = strrchr(path, '/');
  const int length = slash != NULL ? (int)(slash - path) + 1 : 0;
  return snprintf(folder, CLI_NEAR_FILE, "%.*s", length, path) < CLI_NEAR_FILE;
}

/* Whether a name can be meant by one who looks for a study, or for another file: a study is not what its program is. */
static bool is_meant(const char *name, const char *ending)
{
  static const char study[] = ".fcps";
  if (ending == NULL || strcmp(ending, study) != 0) return true;
  const size_t length = strlen(name);
  return length >= sizeof study && strcmp(name + length - (sizeof study - 1), study) == 0;
}

bool cli_near_file(const char *path, const char *ending, char near[CLI_NEAR_FILE])
{
  char folder[CLI_NEAR_FILE];
  struct dirent **entries = NULL;
  if (*path == '\0' || access(path, F_OK) == 0 || !copy_folder(path, folder)) return false;
  if (ending != NULL && snprintf(near, CLI_NEAR_FILE, "%s%s", path, ending) < CLI_NEAR_FILE && access(near, F_OK) == 0)
    return true;
  const int count = scandir(*folder != '\0' ? folder : ".", &entries, NULL, alphasort);
  if (count < 0) return false;
  const char *names[MOST_NAMES];
  int used = 0;
  for (int i = 0; i < count && used < MOST_NAMES; i++)
    if (is_meant(entries[i]->d_name, ending)) names[used++] = entries[i]->d_name;
  const char *name = fcps_nearest_name(path + strlen(folder), used, names);
  const bool is_found = name != NULL && snprintf(near, CLI_NEAR_FILE, "%s%s", folder, name) < CLI_NEAR_FILE;
  for (int i = 0; i < count; i++)
    free(entries[i]);
  free(entries);
  return is_found;
}

void cli_near_file_hint(const char *path, const char *ending, fcps_error *error)
{
  char near[CLI_NEAR_FILE], link[3 * CLI_NEAR_FILE];
  const size_t length = strlen(error->message);
  if (length == 0) return;
  const bool is_closed = error->message[length - 1] == '.' || error->message[length - 1] == '?';
  const char *stop = is_closed ? "" : ".";
  if (say_link(path, sizeof link, link))
    snprintf(error->message + length, sizeof error->message - length, "%s %s.", stop, link);
  else if (cli_near_file(path, ending, near))
    snprintf(error->message + length, sizeof error->message - length, "%s Did you mean %s?", stop, near);
}
