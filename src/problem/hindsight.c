/* SPDX-License-Identifier: Apache-2.0 */
/* The achieved target comes from the problem. A second rollout exists only where the outcome, that target and its
 * reward are finite. */
#include "problem/hindsight.h"

#include "base/error.h"
#include "problem/callbacks.h"
#include "problem/problem.h"

#include <math.h>

fcps_status fcps_hindsight_check(const fcps_problem *problem, fcps_error *error)
{
  if (problem->target.count == 0)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "hindsight",
                          "hindsight replaces targets, and this problem has none; use hindsight=off");
  if (problem->achieved == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "hindsight",
                          "hindsight needs to know which target an outcome achieves, and this problem does not say: "
                          "declare `achieved`, or use hindsight=off");
  return FCPS_OK;
}

fcps_status fcps_hindsight_rollout(const fcps_problem *problem, const fcps_rollout *rollout, double *target,
                                   fcps_rollout *second, bool *exists, fcps_error *error)
{
  *exists = false;
  if (rollout->status != FCPS_ROLLOUT_OK || rollout->outcome == NULL ||
      !fcps_rollout_values_usable(problem->outcome.count, rollout->outcome))
    return FCPS_OK;
  const fcps_status status = problem->achieved(problem->user, 1, rollout->environment, rollout->outcome, target);
  if (status != FCPS_OK) return fcps_callbacks_fail(problem, FCPS_CALLBACK_ACHIEVED, status, error);
  if (!fcps_rollout_values_usable(problem->target.count, target)) return FCPS_OK;

  *second = *rollout;
  second->target = target;
  second->reward = rollout->hindsight_reward;
  second->hindsight_reward = NAN;
  if (problem->reward != NULL) {
    const bool present = true;
    const fcps_status scored = fcps_problem_score(problem, 1, target, rollout->environment, rollout->parameters,
                                                  rollout->outcome, &present, &second->reward, error);
    if (scored != FCPS_OK) return scored;
  }
  *exists = fcps_rollout_values_usable(1, &second->reward);
  return FCPS_OK;
}
