/* SPDX-License-Identifier: Apache-2.0 */
/* Files that belong to a study elsewhere and lie on this machine, in the folder that a user has for what programs keep. */
#include "base/memory.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *fcps_store_state_path(const char *id, const char *end)
{
  const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
  const bool has_state = state != NULL && *state == '/';
  const char *folder = has_state ? state : home != NULL && *home == '/' ? home : ".";
  const size_t size = strlen(folder) + strlen(id) + strlen(end) + 32;
  char *path = fcps_allocate(size, 1);
  if (path != NULL) snprintf(path, size, "%s%s/fcps/%s%s", folder, has_state ? "" : "/.local/state", id, end);
  return path;
}
