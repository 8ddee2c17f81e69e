/* SPDX-License-Identifier: Apache-2.0 */
/* Trials that were repeated, and whose outcomes differ by more than their told deviations allow.
 *
 * Of n results y_i +- s_i in the same environment with the same parameters, sum_i (y_i - m)^2/s_i^2 around the weighted
 * mean m is chi-squared with n - 1 degrees of freedom. A warning is given where it exceeds what one place in a thousand
 * exceeds by chance. Nothing depends on it: the model adds to all rows the noise that was not told.
 */
#include "base/error.h"
#include "problem/problem.h"
#include "study/study_impl.h"

#include <math.h>

/* The value that a chi-squared variable exceeds once in a thousand times (Wilson and Hilferty's cube root, within 3 %
 * for one degree of freedom, and better for more). */
static double rare_chi_squared(int degrees)
{
  const double part = 2.0 / (9.0 * degrees), root = 1.0 - part + 3.090 * sqrt(part);
  return degrees * root * root * root;
}

/* whether a result counts and says how exact it is */
static bool has_deviation(const fcps_study *s, const fcps_stored_result *stored)
{
  const fcps_rollout *r = &stored->result.rollout;
  return stored->is_used && !stored->is_misplaced && r->status == FCPS_ROLLOUT_OK && r->outcome_deviation != NULL &&
         fcps_rollout_values_usable(s->problem.outcome.count, r->outcome);
}

/* the same environment and the same parameters, which stand side by side */
static bool same_place(const fcps_study *s, const fcps_rollout *a, const fcps_rollout *b)
{
  for (int i = fcps_study_environment_offset(s); i < fcps_study_outcome_offset(s); i++)
    if (a->target[i] != b->target[i]) return false;
  return true;
}

/* What the results at one place say about one outcome. */
typedef struct repeated {
  int count;
  double weights, mean, least_deviation;
  double chi_squared, squares; /* around the mean, in units of the deviations and plain */
} repeated;

/* the variance that was told, and what rounding adds to it */
static double told_variance(double outcome, double deviation)
{
  const double rounding = 1e-9 * fabs(outcome);
  return deviation * deviation + rounding * rounding + 1e-300;
}

static repeated compare_results(const fcps_study *s, const fcps_rollout *at, int outcome)
{
  repeated found = {.least_deviation = INFINITY};
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < s->result_count; i++) {
      const fcps_rollout *r = &s->results[i].result.rollout;
      if (!has_deviation(s, &s->results[i]) || !same_place(s, r, at)) continue;
      const double y = r->outcome[outcome], v = told_variance(y, r->outcome_deviation[outcome]);
      if (pass == 0) {
        found.count++;
        found.weights += 1.0 / v;
        found.mean += (y - found.mean) / v / found.weights;
        found.least_deviation = fmin(found.least_deviation, r->outcome_deviation[outcome]);
      } else {
        found.chi_squared += (y - found.mean) * (y - found.mean) / v;
        found.squares += (y - found.mean) * (y - found.mean);
      }
    }
  }
  return found;
}

bool fcps_study_is_last_at_place(const fcps_study *s, size_t index)
{
  if (!has_deviation(s, &s->results[index])) return false;
  for (size_t i = index + 1; i < s->result_count; i++)
    if (has_deviation(s, &s->results[i]) &&
        same_place(s, &s->results[i].result.rollout, &s->results[index].result.rollout))
      return false;
  return true;
}

void fcps_study_warn_of_scatter(const fcps_study *s, const fcps_rollout *at)
{
  for (int i = 0; i < s->problem.outcome.count && at->outcome_deviation != NULL; i++) {
    const repeated found = compare_results(s, at, i);
    if (found.count < 2 || !(found.chi_squared > rare_chi_squared(found.count - 1))) continue;
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_SCATTER",
                 "outcome.%s: %d results with the same environment and parameters scatter by %.3g, but a deviation of "
                 "%.3g was told. The model adds the noise that is missing; check outcome_sd, or whether something else "
                 "changes between trials",
                 s->problem.outcome.dims[i].name, found.count, sqrt(found.squares / (found.count - 1)),
                 found.least_deviation);
  }
}
