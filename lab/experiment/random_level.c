/* SPDX-License-Identifier: Apache-2.0 */
/* The mean over random trials. */
#include "lab/experiment/random_level.h"

#include "lab/experiment/random_trials.h"

#include <math.h>

typedef struct earnings {
  double sum;
  int count;
} earnings;

static fcps_status add(void *user, const fcps_random_trial *trial)
{
  earnings *e = user;
  if (!isnan(trial->reward)) e->sum += trial->reward, e->count++;
  return FCPS_OK;
}

double fcps_random_level(fcps_task *task)
{
  earnings e = {0};
  const fcps_status status = fcps_random_trials_visit(task, add, &e);
  return status == FCPS_OK && e.count > 0 ? e.sum / e.count : NAN;
}
