/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an answer keeps the limits of the problem: its own prediction says. */
#include "problem/limits.h"
#include "base/error.h"
#include "policy/policy_impl.h"

#include <math.h>

/* Deviations by which an answer at the edge may miss it: a prediction is also widened by what the search does not know. */
static const double allowance = -0.15;

fcps_status fcps_policy_judge_limits(const fcps_policy *policy, const double *target, const double *environment,
                                     const double *parameters, const fcps_prediction *prediction, double *chance,
                                     bool *is_kept, fcps_error *error)
{
  fcps_problem_limits limits;
  *chance = NAN;
  *is_kept = true;
  if (policy->problem.limit_count == 0 || !prediction->has_outcome) return FCPS_OK;
  const fcps_status status = fcps_problem_limits_read(&limits, &policy->problem, error);
  if (status != FCPS_OK) return status;
  const fcps_problem_trial trial = {target, environment, parameters, prediction->outcome,
                                    prediction->outcome_deviation};
  *chance = fcps_problem_limits_chances(&limits, &trial, NULL);
  *is_kept = fcps_problem_limits_slack(&limits, &trial) >= allowance;
  fcps_problem_limits_free(&limits);
  return FCPS_OK;
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
                 "no parameters are known that keep the limits with their chance here: these keep them most surely, "
                 "with chance %.3f",
                 least);
  else
    fcps_log_say(&policy->log, FCPS_LOG_WARNING, "W_LIMIT",
                 "no parameters are known that keep the limits with their chance in %d of %d contexts; those that keep "
                 "them most surely are given, the least with chance %.3f",
                 broken, count, least);
  return FCPS_OK;
}
