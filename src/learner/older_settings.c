/* SPDX-License-Identifier: Apache-2.0 */
/* One row per setting whose default is not what learners did before it. */
#include "learner/older_settings.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"

#include <stdlib.h>

static const struct {
  int since; /* the defaults that it came with */
  fcps_setting before;
} older[] = {{2, {"frame", "off"}}, {2, {"contact", "off"}}, {4, {"uneven_noise", "off"}}};
enum { OLDER = (int)(sizeof older / sizeof *older) };

fcps_status fcps_learner_create_older(fcps_learner **learner, const fcps_problem *problem, const char *name,
                                      const fcps_setting *settings, uint64_t seed, int defaults, fcps_error *error)
{
  size_t count = 0;
  while (settings != NULL && settings[count].name != NULL)
    count++;
  fcps_setting *all = fcps_allocate(count + OLDER + 1, sizeof *all);
  *learner = NULL;
  if (all == NULL) return fcps_error_memory(error);
  for (size_t i = 0; i < count; i++)
    all[i] = settings[i];
  for (int i = 0; i < OLDER; i++)
    if (older[i].since > defaults && fcps_learner_default(name, older[i].before.name) != NULL &&
        fcps_setting_value(settings, older[i].before.name) == NULL)
      all[count++] = older[i].before;
  const fcps_status status = fcps_learner_create(learner, problem, name, all, seed, error);
  free(all);
  return status;
}
