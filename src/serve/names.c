/* SPDX-License-Identifier: Apache-2.0 */
/* Files are compared as the file system does, since one file has many paths. */
#include "serve/names.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "format/text.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

/* what fits into the address of a request, with three bytes for each of its bytes */
enum { NAME_MAX_BYTES = 200 };

static bool can_be_asked_for(const char *name)
{
  if (*name == '\0' || strlen(name) > NAME_MAX_BYTES || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return false;
  for (size_t length; *name != '\0'; name += length) {
    length = fcps_utf8_length(name);
    if (length == 0 || (unsigned char)*name < ' ' || *name == 127 || *name == '\\' || *name == '/') return false;
  }
  return true;
}

fcps_status fcps_names_check(const char *name, const char *path, fcps_error *error)
{
  if (can_be_asked_for(name)) return FCPS_OK;
  return fcps_error_set(
      error, FCPS_ERR_ARGUMENT, "STUDY",
      "no client could ask for a study of the name of \"%.200s\": it has 1 to %d bytes of UTF-8, "
      "without /, \\ and control characters; rename the file, or in a database copy the study to another "
      "name",
      path, (int)NAME_MAX_BYTES);
}

bool fcps_names_create(fcps_names *names, size_t most)
{
  *names = (fcps_names){.most = most};
  names->has_lock = pthread_mutex_init(&names->lock, NULL) == 0;
  return names->has_lock;
}

void fcps_names_destroy(fcps_names *names)
{
  for (size_t i = 0; i < names->count; i++)
    free(names->paths[i]);
  free(names->paths);
  if (names->has_lock) pthread_mutex_destroy(&names->lock);
  *names = (fcps_names){.has_lock = false};
}

/* Tells whether a path is there; called under the lock. */
static bool has_path(const fcps_names *names, const char *path)
{
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->paths[i], path) == 0) return true;
  return false;
}

bool fcps_names_add(fcps_names *names, const char *path)
{
  char *copy = fcps_copy_text(path);
  pthread_mutex_lock(&names->lock);
  const bool is_there = has_path(names, path);
  const bool has_room =
      copy != NULL && fcps_reserve((void **)&names->paths, &names->capacity, names->count + 1, sizeof *names->paths);
  if (has_room && !is_there) names->paths[names->count++] = copy;
  pthread_mutex_unlock(&names->lock);
  if (!has_room || is_there) free(copy);
  return has_room;
}

bool fcps_names_is_full(fcps_names *names, const char *path)
{
  pthread_mutex_lock(&names->lock);
  const bool is_full = names->count >= names->most && !has_path(names, path);
  pthread_mutex_unlock(&names->lock);
  return is_full;
}

bool fcps_names_is_taken(fcps_names *names, const char *path)
{
  char *wanted = fcps_store_study_name(path);
  bool is_taken = false;
  pthread_mutex_lock(&names->lock);
  for (size_t i = 0; i < names->count && wanted != NULL && !is_taken; i++) {
    char *name = fcps_store_study_name(names->paths[i]);
    is_taken = name != NULL && strcmp(name, wanted) == 0 && !fcps_draft_is_same(names->paths[i], path);
    free(name);
  }
  pthread_mutex_unlock(&names->lock);
  free(wanted);
  return is_taken;
}
