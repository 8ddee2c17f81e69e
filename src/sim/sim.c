/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and loads the module with the simulated robots. A module of another interface number is refused, and a loaded
 * one stays loaded. */
#define _GNU_SOURCE /* dladdr */
#include "sim/sim.h"

#include "base/error.h"
#include "base/memory.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE "libfcps_robots.so"

#define REMEDY                                                                                                         \
  "run scripts/setup-robots (Linux on x86-64, with network) and build again, or set FCPS_ROBOTS_DIR to a folder "      \
  "of robots"
const char fcps_sim_no_module[] = "the robot module " MODULE " was not found: " REMEDY;
const char fcps_sim_no_models[] = "the robot models are missing beside " MODULE ": " REMEDY;

/* Possible folders of robots, relative to the folder of the program or library that contains this code: in the build
 * tree (program, tests), beside an installed program, beside an installed library. */
static const char *const nearby[] = {"robots", "../robots", "../lib/fcps/robots", "fcps/robots",
                                     "../" FCPS_INSTALL_LIBDIR "/fcps/robots"};
enum { NEARBY = sizeof nearby / sizeof *nearby };

/* The folder of the file that contains this code, without a slash at the end. */
static bool own_folder(char folder[PATH_MAX])
{
  Dl_info info;
  const bool is_library = dladdr((const void *)(size_t)&fcps_sim_load, &info) && info.dli_fname != NULL &&
                          strstr(info.dli_fname, ".so") != NULL;
  /* a program may have been started by a relative name or through PATH, so the system is asked for its file */
  if (realpath(is_library ? info.dli_fname : "/proc/self/exe", folder) == NULL) return false;
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

/* Finds the folder of robots; false when no folder has the module in it. */
static bool find_robots(char folder[PATH_MAX])
{
  const char *chosen = getenv("FCPS_ROBOTS_DIR");
  if (chosen != NULL && *chosen) return realpath(chosen, folder) != NULL && exists_in(folder, MODULE);

  char own[PATH_MAX], path[PATH_MAX + 64];
  if (own_folder(own))
    for (int i = 0; i < NEARBY; i++) {
      snprintf(path, sizeof path, "%s/%s", own, nearby[i]);
      if (realpath(path, folder) != NULL && exists_in(folder, MODULE)) return true;
    }
  return realpath(FCPS_INSTALL_FULL_LIBDIR "/fcps/robots", folder) != NULL && exists_in(folder, MODULE);
}

fcps_sim_lack fcps_sim_lacks(void)
{
  char folder[PATH_MAX];
  if (!find_robots(folder)) return FCPS_SIM_NO_MODULE;
  const bool has_models = exists_in(folder, "models/fetch/push.xml") && exists_in(folder, "models/fetch/slide.xml") &&
                          exists_in(folder, "models/thrower.xml");
  return has_models ? FCPS_SIM_NOTHING : FCPS_SIM_NO_MODELS;
}

fcps_status fcps_sim_load(const fcps_sim_ops **ops, char **models, fcps_error *error)
{
  char folder[PATH_MAX], path[PATH_MAX + 64];
  if (!find_robots(folder)) return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, NULL, "%s", fcps_sim_no_module);

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
