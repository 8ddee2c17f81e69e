/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and loads the module with the simulated robots. A module that was built for another interface number is
 * refused. A loaded module is never unloaded. */
#define _GNU_SOURCE /* dladdr, secure_getenv */
#include "lab/sim/sim.h"

#include "base/error.h"
#include "base/memory.h"

#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODULE "libfcps_robots.so"

#define REMEDY                                                                                                         \
  "run scripts/setup-robots (Linux on x86-64, with network) and build again, or set FCPS_ROBOTS_DIR to a folder "      \
  "of robots"
const char fcps_sim_no_module[] = "the robot module " MODULE " was not found: " REMEDY;
const char fcps_sim_no_models[] = "the robot models are missing beside " MODULE ": " REMEDY;
const char fcps_sim_unsafe[] =
    "the robot module near the program is not loaded, because others may change it: make yourself the "
    "owner of it and its folder and remove the write permission of others (chmod -R go-w), or set "
    "FCPS_ROBOTS_DIR to a folder of robots";
const char fcps_sim_relative[] = "FCPS_ROBOTS_DIR must be an absolute path, so that the working folder does not decide "
                                 "which module is loaded";

/* The folders in which robots are looked for, relative to the folder of the program or library that contains this code:
 * in the build tree (program, tests), beside an installed program, beside an installed library. A Python package looks
 * only inside itself, because the folders beside it belong to other packages. */
#ifdef FCPS_ROBOTS_BESIDE_ONLY
static const char *const nearby[] = {"robots"};
static const char *const installed[] = {NULL};
#else
static const char *const nearby[] = {"robots", "../robots", "../lib/fcps/robots", "fcps/robots",
                                     "../" FCPS_INSTALL_LIBDIR "/fcps/robots"};
static const char *const installed[] = {FCPS_INSTALL_FULL_LIBDIR "/fcps/robots", NULL};
#endif
enum { NEARBY = sizeof nearby / sizeof *nearby };

/* Writes the folder of the file that contains this code, without a slash at the end, and the owner of that file.
 * Returns false if the system does not know them. */
static bool own_folder(char folder[PATH_MAX], uid_t *owner)
{
  struct stat file;
  Dl_info info;
  const bool is_library = dladdr((const void *)(size_t)&fcps_sim_load, &info) && info.dli_fname != NULL &&
                          strstr(info.dli_fname, ".so") != NULL;
  /* a program may have been started by a relative name or through PATH, so the system is asked for its path */
  if (realpath(is_library ? info.dli_fname : "/proc/self/exe", folder) == NULL) return false;
  if (stat(folder, &file) != 0) return false;
  *owner = file.st_uid;
  char *slash = strrchr(folder, '/');
  if (slash == NULL) return false;
  *slash = 0;
  return true;
}

static bool exists_in(const char *folder, const char *name)
{
  char path[PATH_MAX];
  return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path && access(path, R_OK) == 0;
}

/* Whether only the user, root or the owner of the program can have written this file or folder. A right of the group to
 * write is allowed if the group is the user's own. */
static bool is_trusted(const char *path, uid_t owner)
{
  struct stat there;
  if (stat(path, &there) != 0) return false;
  const bool is_owned = there.st_uid == 0 || there.st_uid == geteuid() || there.st_uid == owner;
  const bool is_group_own = (there.st_mode & S_IWGRP) == 0 || there.st_gid == getegid() || there.st_gid == 0;
  return is_owned && is_group_own && (there.st_mode & S_IWOTH) == 0;
}

/* Whether the folder of robots, and the libraries in it, are trusted. */
static bool is_folder_trusted(const char *folder, uid_t owner)
{
  bool trusted = is_trusted(folder, owner);
  DIR *entries = opendir(folder);
  for (struct dirent *entry; entries != NULL && trusted && (entry = readdir(entries)) != NULL;) {
    char path[PATH_MAX + sizeof entry->d_name];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    trusted = strncmp(entry->d_name, "lib", 3) != 0 || is_trusted(path, owner);
  }
  if (entries != NULL) closedir(entries);
  return entries != NULL && trusted;
}

/* Looks for a folder of robots at `path`. Returns what is missing, or FCPS_SIM_NOTHING. */
static fcps_sim_lack look_at(const char *path, uid_t owner, char folder[PATH_MAX])
{
  if (realpath(path, folder) == NULL || !exists_in(folder, MODULE)) return FCPS_SIM_NO_MODULE;
  return is_folder_trusted(folder, owner) ? FCPS_SIM_NOTHING : FCPS_SIM_UNSAFE;
}

/* Finds the folder of robots, or returns what is missing. A folder that is not trusted is skipped, and the search goes
 * on. */
static fcps_sim_lack find_robots(char folder[PATH_MAX])
{
  const char *chosen = secure_getenv("FCPS_ROBOTS_DIR");
  if (chosen != NULL && *chosen && *chosen != '/') return FCPS_SIM_RELATIVE;
  if (chosen != NULL && *chosen)
    return realpath(chosen, folder) != NULL && exists_in(folder, MODULE) ? FCPS_SIM_NOTHING : FCPS_SIM_NO_MODULE;

  char own[PATH_MAX], path[PATH_MAX + 64];
  uid_t owner = 0;
  fcps_sim_lack lack = FCPS_SIM_NO_MODULE;
  const bool has_own = own_folder(own, &owner);
  for (int i = 0; i < NEARBY || installed[i - NEARBY] != NULL; i++) {
    if (i < NEARBY && !has_own) continue;
    if (i < NEARBY)
      snprintf(path, sizeof path, "%s/%s", own, nearby[i]);
    else
      snprintf(path, sizeof path, "%s", installed[i - NEARBY]);
    const fcps_sim_lack here = look_at(path, owner, folder);
    if (here == FCPS_SIM_NOTHING) return FCPS_SIM_NOTHING;
    if (here == FCPS_SIM_UNSAFE) lack = FCPS_SIM_UNSAFE;
  }
  return lack;
}

fcps_sim_lack fcps_sim_lacks(void)
{
  char folder[PATH_MAX];
  const fcps_sim_lack lack = find_robots(folder);
  if (lack != FCPS_SIM_NOTHING) return lack;
  const bool has_models = exists_in(folder, "models/fetch/push.xml") && exists_in(folder, "models/fetch/slide.xml") &&
                          exists_in(folder, "models/thrower.xml");
  return has_models ? FCPS_SIM_NOTHING : FCPS_SIM_NO_MODELS;
}

fcps_status fcps_sim_load(const fcps_sim_ops **ops, char **models, fcps_error *error)
{
  char folder[PATH_MAX], path[PATH_MAX + 64];
  const fcps_sim_lack lack = find_robots(folder);
  if (lack != FCPS_SIM_NOTHING)
    return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL, "%s",
                          lack == FCPS_SIM_UNSAFE     ? fcps_sim_unsafe
                          : lack == FCPS_SIM_RELATIVE ? fcps_sim_relative
                                                      : fcps_sim_no_module);

  snprintf(path, sizeof path, "%s/" MODULE, folder);
  /* never unloaded: MuJoCo keeps pointers to the module's error handlers */
  void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (module == NULL)
    return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL, "loading the robot module failed: %s", dlerror());
  const fcps_sim_ops *found = dlsym(module, FCPS_SIM_SYMBOL);
  const bool fits = found != NULL && found->interface == FCPS_SIM_INTERFACE;
  dlclose(module);
  if (!fits)
    return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL, "%s belongs to another version of fcps: build it again",
                          path);

  snprintf(path, sizeof path, "%s/models", folder);
  *models = fcps_copy_text(path);
  if (*models == NULL) return fcps_error_memory(error);
  *ops = found;
  return FCPS_OK;
}
