/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of robots: skipped, visibly, where the robot module is not built. */
#ifndef FCPS_TESTS_ROBOTS_H
#define FCPS_TESTS_ROBOTS_H

#include "check.h"

#include "lab/sim/sim.h"

#include <stdlib.h>
#include <string.h>

#define need_robots()                                                                                                  \
  do {                                                                                                                 \
    if (fcps_sim_lacks()) skip_because("the robot module is not built (scripts/setup-robots, then build again)");      \
  } while (0)

/* What main returns: CTest shows 77 as skipped. */
static inline int exit_code_with_robots(int failed)
{
  return failed == 0 && fcps_sim_lacks() ? 77 : failed;
}

/* Looks for robots in another folder; returns where they were looked for before, for look_for_robots_again. */
static inline char *look_for_robots_in(const char *folder)
{
  const char *now = getenv("FCPS_ROBOTS_DIR");
  char *before = now != NULL ? strdup(now) : NULL;
  setenv("FCPS_ROBOTS_DIR", folder, 1);
  return before;
}

static inline void look_for_robots_again(char *before)
{
  if (before != NULL)
    setenv("FCPS_ROBOTS_DIR", before, 1);
  else
    unsetenv("FCPS_ROBOTS_DIR");
  free(before);
}

#endif
