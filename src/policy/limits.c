/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an answer keeps the limits of the problem, by its own prediction. */
#include "problem/limits.h"
#include "base/error.h"
#include "policy/policy_impl.h"

#include <math.h>

fcps_status fcps_policy_judge_limits(const fcps_policy *policy, const double *target, const double *environment,
                                     const double *parameters, const fcps_prediction *prediction, double *chance,
                                     bool *is_kept, fcps_error *error)
{
  *chance = NAN;
  *is_kept = true;
  if (policy->problem.limit_count == 0 || !prediction->has_outcome) return FCPS_OK;
  const fcps_problem_trial trial = {target, environment, parameters, prediction->outcome,
                                    prediction->outcome_deviation};
  return fcps_problem_limits_judge(&policy->problem, &trial, chance, is_kept, error);
}

fcps_status fcps_policy_report_limits(fcps_policy *policy, int count, int broken, double least)
{
  if (broken == 0) return FCPS_OK;
  if (policy->is_strict)
    return fcps_error_set(&policy->error, FCPS_ERR_BOUNDS, "limits",
                          "no parameters are known that keep the limits with their chance in %d of %d contexts; the "
                          "least chance is %.3f",
                          broken, count, least);
  if (count == 1)
    fcps_log_say(&policy->log, FCPS_LOG_WARNING, "W_LIMIT",
                 "no parameters are known that keep the limits with their chance here. The answer has parameters that "
                 "are safe or kept them "
                 "here before, or else keep them most surely: their chance is %.3f",
                 least);
  else
    fcps_log_say(&policy->log, FCPS_LOG_WARNING, "W_LIMIT",
                 "no parameters are known that keep the limits with their chance in %d of %d contexts; for these "
                 "contexts the answer has parameters "
                 "that are safe or kept them there before, or else keep them most surely; the least chance is %.3f",
                 broken, count, least);
  return FCPS_OK;
}
