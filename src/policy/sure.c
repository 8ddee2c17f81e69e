/* SPDX-License-Identifier: Apache-2.0 */
/* Choices with a high lower bound: the predicted mean less a multiple of the deviation without noise,
 *
 *     b(theta) = m(theta) - doubt s(theta).
 *
 * The largest mean of a model is often at a point where the model extrapolates, because the luckiest of many guesses is
 * chosen. If the model is certain, both maxima are the same, so the mean is maximized first. Its maximum m* is an upper
 * bound of b. If b there is below m* by a negligible amount, the choice stays. Otherwise b is maximized from the choice
 * and from the parameters of trials, where the model is certain. So, by b, a choice is never worse than any trial. The
 * points that keep limits and constraints may be a narrow strip that few starts of a search are in; so with limits or
 * constraints the trials are always starts, too.
 *
 * If outcomes differ by decades, an error that is small beside the worst of them is large beside the best, and a model
 * may promise far more than any trial has earned. So in b the mean counts only up to the largest credible reward: of
 * all parameters that promise more, the most certain are the best. */
#include "base/error.h"
#include "base/memory.h"
#include "policy/policy_impl.h"
#include "problem/limits.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A choice may fall short of the bound m* by this share of the spread of the better trials' rewards. */
static const double negligible = 0.03;
enum { TRIED = 256 };

/* The starts of the search for the largest b, which has a hill around every trial. */
enum { STARTS = 8 };

typedef struct bound {
  double doubt, credible;
} bound;

/* Returns the mean, at most the largest credible reward. NaN stays NaN. */
static double believed(const bound *b, double mean)
{
  return mean > b->credible ? b->credible : mean;
}

static double value_of_bound(const void *user, double mean, double deviation, double *by_mean, double *by_deviation)
{
  const bound *b = user;
  *by_mean = mean > b->credible ? 0.0 : 1.0;
  *by_deviation = -b->doubt;
  return believed(b, mean) - b->doubt * deviation;
}

bool fcps_policy_is_sure(double doubt, double deviation, double lead)
{
  return doubt * deviation <= negligible * lead;
}

/* Writes the starts of the search as rows: the choice x, then the parameters of at most TRIED trials, evenly spread
 * over their order. Returns their number. */
static int lay_beginnings(const fcps_model *model, const double *x, double *rows)
{
  const fcps_space *space = &model->problem->parameters;
  const int all = model->training.count, count = all < TRIED ? all : TRIED;
  memcpy(rows, x, (size_t)space->count * sizeof *x);
  for (int i = 0; i < count; i++) {
    rows += space->count;
    fcps_space_to_unit(space, fcps_rollouts_parameters(&model->training, (int)((int64_t)i * all / count)), rows);
  }
  return 1 + count;
}

fcps_status fcps_policy_choose_surely(fcps_posterior *posterior, const fcps_search_settings *search, double doubt,
                                      double *x)
{
  const bound weights = {doubt, doubt > 0.0 ? fcps_posterior_credible(posterior) : INFINITY};
  const fcps_moment_objective objective = {.value = value_of_bound, .needs_deviation = true, .user = &weights};
  const fcps_model *model = fcps_posterior_model(posterior);
  const size_t n = (size_t)model->layout.parameters.count, most = 1 + TRIED;
  double mean, deviation;
  fcps_optimum optimum;
  const bool is_limited = model->problem->limit_count > 0 || fcps_problem_restricts(model->problem);
  if ((!(doubt > 0.0) && !is_limited) || model->training.count == 0) return FCPS_OK;
  fcps_posterior_moments(posterior, 1, x, &mean, &deviation);
  if (!is_limited && fcps_policy_is_sure(doubt, deviation, fcps_posterior_lead(posterior)))
    return fcps_posterior_failure(posterior);
  double *rows = fcps_allocate(most * (n + 2), sizeof(double)), *values = rows + most * n, *deviations = values + most;
  if (rows == NULL) return FCPS_ERR_MEMORY;
  const int count = lay_beginnings(model, x, rows);
  fcps_posterior_moments(posterior, count, rows, values, deviations);
  for (int i = 0; i < count; i++)
    values[i] = believed(&weights, values[i]) - doubt * deviations[i];
  fcps_search_settings from_many = *search;
  if (!search->is_rough && from_many.starts < STARTS) from_many.starts = STARTS;
  const fcps_status status = fcps_search_moments_from(posterior, &objective, &from_many,
                                                      &(fcps_scored_points){count, rows, values}, x, &optimum);
  free(rows);
  return status;
}

fcps_status fcps_policy_choose_kept(fcps_posterior *posterior, const fcps_search_settings *search, int most, double *x,
                                    bool *is_proven)
{
  *is_proven = false;
  if (!(fcps_posterior_slack(posterior, x) < 0.0)) return fcps_posterior_failure(posterior);
  fcps_posterior_set_severe(posterior, true);
  const fcps_status status = fcps_policy_choose_surely(posterior, search, 0.0, x);
  fcps_posterior_set_severe(posterior, false);
  return status == FCPS_OK ? fcps_posterior_prefer_proven(posterior, most, x, is_proven) : status;
}

/* -- Limits: whether an answer keeps the limits, by its own prediction -- */

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
