/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the side of the trust region from the successes and failures so far [eriksson2019]. */
#include "learner/bo/bo_settings.h"

#include "base/memory.h"
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>

/* The first, largest and least side; the least relative gain of a success, which excludes rounding errors; and how many
 * successes or failures in a row double or halve the side. */
static const double first_side = 0.4, largest_side = 1.6, least_side = 0.05, least_gain = 1e-3;
enum { ENOUGH_SUCCESSES = 3, ENOUGH_FAILURES = 4 };

fcps_trust_region fcps_trust_region_start(void)
{
  return (fcps_trust_region){.side = first_side};
}

fcps_trust_region fcps_trust_region_after(fcps_trust_region trust_region, double reward, double best)
{
  const bool succeeded = reward > best + least_gain * fabs(best);
  trust_region.successes = succeeded ? trust_region.successes + 1 : 0;
  trust_region.failures = succeeded ? 0 : trust_region.failures + 1;
  if (trust_region.successes == ENOUGH_SUCCESSES)
    return (fcps_trust_region){.side = fmin(2.0 * trust_region.side, largest_side)};
  if (trust_region.failures == ENOUGH_FAILURES)
    return (fcps_trust_region){.side = fmax(0.5 * trust_region.side, least_side)};
  return trust_region;
}

fcps_status fcps_trust_region_observe(fcps_trust_region *trust_region, const fcps_problem *problem,
                                      const fcps_rollouts *earlier, const fcps_rollout *rollout, fcps_error *error)
{
  if (earlier->count == 0) return FCPS_OK;
  double best = -INFINITY, *rewards = fcps_allocate((size_t)earlier->count, sizeof(double));
  if (rewards == NULL) return FCPS_ERR_MEMORY;
  const fcps_status status = fcps_rollouts_rescore(earlier, problem, rollout->target, rewards, error);
  for (int i = 0; i < earlier->count && status == FCPS_OK; i++)
    best = fmax(best, rewards[i]);
  const bool is_usable = rollout->status == FCPS_ROLLOUT_OK && fcps_rollout_values_usable(1, &rollout->reward);
  if (status == FCPS_OK)
    *trust_region = fcps_trust_region_after(*trust_region, is_usable ? rollout->reward : -INFINITY, best);
  free(rewards);
  return status;
}
