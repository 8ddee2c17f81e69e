/* SPDX-License-Identifier: Apache-2.0 */
/* Only regular files count: a link may lead anywhere. */
#include "serve/folder.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_study(const struct dirent *entry)
{
  return entry->d_name[0] != '.' && fcps_file_ends_with(entry->d_name, ".fcps");
}

/* the path of a study in the folder; NULL: it is none, or there is no memory */
static char *path_of(const char *folder, const char *name)
{
  char path[4096];
  struct stat there;
  if (fcps_file_join(folder, name, sizeof path, path, NULL) != FCPS_OK || lstat(path, &there) != 0 ||
      !S_ISREG(there.st_mode))
    return NULL;
  return fcps_copy_text(path);
}

void fcps_folder_free(int count, char **paths)
{
  for (int i = 0; i < count; i++)
    free(paths[i]);
  free(paths);
}

fcps_status fcps_folder_list(const char *folder, int *count, char ***paths, fcps_error *error)
{
  struct dirent **entries = NULL;
  *count = 0;
  *paths = NULL;
  const int found = scandir(folder, &entries, is_study, alphasort);
  if (found < 0 || access(folder, W_OK | X_OK) != 0) {
    const int number = errno;
    for (int i = 0; i < found; i++)
      free(entries[i]);
    free(entries);
    return fcps_error_set(error, FCPS_ERR_IO, "--make", "no study can be made in %.200s: %s", folder, strerror(number));
  }
  *paths = fcps_allocate((size_t)found + 1, sizeof **paths);
  for (int i = 0; i < found; i++) {
    char *path = *paths != NULL ? path_of(folder, entries[i]->d_name) : NULL;
    if (path != NULL) (*paths)[(*count)++] = path;
    free(entries[i]);
  }
  free(entries);
  return *paths != NULL ? FCPS_OK : fcps_error_memory(error);
}
