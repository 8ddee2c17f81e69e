/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the candidates of a search that need exact moments, if the reward is a sum (sum_form.h). For concave pieces the
 * reward of the mean outcome is an upper bound. For others a few nodes give an estimate. */
#include "base/error.h"
#include "reward/expected_reward_impl.h"

#include <math.h>
#include <string.h>

enum { LANES = FCPS_FORMULA_LANES };

/* -- Bounds -- */

/* Computes the reward of the mean outcome, which is an upper bound for concave pieces (Jensen's inequality). */
static double reward_of_mean(const fcps_expected_reward *s, const fcps_sum_form *form, const double *mean, double terms)
{
  for (int j = 0; j < s->outcomes; j++)
    if (form->has_pieces[j]) terms += fcps_pieces_value(&form->pieces[j], mean[j]);
  return fcps_sum_is_usable(terms) ? terms : s->worst;
}

/* Writes outcome j of up to LANES points, moved by `by` deviations. */
static void place(const fcps_expected_reward *s, const fcps_outcomes *some, int j, double by, double *lanes)
{
  const size_t q = (size_t)s->outcomes, gps = some->gp_count > 1 ? q : 1;
  const fcps_dimension *dim = s->problem->outcome.dims + j;
  for (size_t i = 0; i < (size_t)some->count; i++) {
    const double step = by != 0.0 ? by * fcps_sum_deviation(s, j, some->variances + i * gps, some->gp_count) : 0.0;
    lanes[i] = some->means[i * q + (size_t)j] + step;
  }
  fcps_sum_clip(dim, some->count, lanes);
}

/* Estimates the mean by a rule with two nodes per outcome, which is exact for polynomials of degree three [stroud1957].
 * The rows of the callbacks hold the outcomes, one after the other, and then the outcome that is moved. */
static bool glance(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *some, double *values)
{
  const int q = s->outcomes, p = s->parameters;
  double *moved = s->row_rewards;
  fcps_formula_input *inputs;
  if (!fcps_sum_reserve_work(s, &form->whole)) return false;
  inputs = s->formula_inputs;
  for (int i = 0; i < some->count && form->has_parameters; i++)
    fcps_expected_reward_set_parameters(s, i, some->x + (size_t)i * (size_t)p);
  for (int d = 0; d < p; d++)
    inputs[s->formula->parameters + d] = (fcps_formula_input){s->row_parameters + d, (size_t)p};
  for (int j = 0; j < q; j++)
    place(s, some, j, 0.0, s->row_outcomes + j * LANES);
  memset(values, 0, (size_t)some->count * sizeof *values);
  for (int side = 0; side < 2 * q; side++) {
    for (int j = 0; j < q; j++)
      inputs[s->formula->outcome + j] = (fcps_formula_input){j == side / 2 ? moved : s->row_outcomes + j * LANES, 1};
    place(s, some, side / 2, side % 2 == 0 ? sqrt((double)q) : -sqrt((double)q), moved);
    const double *rewards = fcps_formula_eval(&form->whole, some->count, inputs, s->formula_work);
    for (int i = 0; i < some->count; i++)
      values[i] += (fcps_sum_is_usable(rewards[i]) ? rewards[i] : s->worst) / (2 * q);
  }
  return true;
}

static fcps_status glance_at_all(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                                 double *values, fcps_error *error)
{
  const size_t p = (size_t)s->parameters, q = (size_t)s->outcomes, gps = outcomes->gp_count > 1 ? q : 1;
  for (int start = 0; start < outcomes->count; start += LANES) {
    const size_t first = (size_t)start;
    const fcps_outcomes some = {.count = outcomes->count - start < LANES ? outcomes->count - start : LANES,
                                .x = outcomes->x + first * p,
                                .means = outcomes->means + first * q,
                                .variances = outcomes->variances + first * gps,
                                .gp_count = outcomes->gp_count};
    if (!glance(s, form, &some, values + start)) return fcps_error_memory(error);
  }
  return FCPS_OK;
}

fcps_status fcps_expected_reward_bound_sum(fcps_expected_reward *s, const fcps_outcomes *outcomes, double *bounds,
                                           fcps_error *error)
{
  const fcps_sum_form *form = fcps_expected_reward_sum(s);
  if (!form->is_concave) return glance_at_all(s, form, outcomes, bounds, error);
  const fcps_status status = fcps_sum_find_terms(s, form, outcomes->count, outcomes->x, bounds, error);
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++)
    bounds[i] = reward_of_mean(s, form, outcomes->means + (size_t)i * (size_t)s->outcomes, bounds[i]);
  return status;
}

/* -- Screens -- */

enum { MOST_BEST = 128 };

/* Computes exact means of candidates that may be among the best; the others keep bounds below `best` exact values. */
static fcps_status screen_concave(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                                  int best, double *mean, fcps_error *error)
{
  double largest[MOST_BEST];
  for (int i = 0; i < best; i++)
    largest[i] = -INFINITY;
  const fcps_status status = fcps_sum_find_terms(s, form, outcomes->count, outcomes->x, mean, error);
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++) {
    const fcps_outcomes at = fcps_sum_point(s, outcomes, i);
    const double terms = mean[i];
    mean[i] = reward_of_mean(s, form, at.means, terms);
    if (mean[i] <= largest[best - 1] || !fcps_sum_is_usable(terms)) continue;
    mean[i] = terms;
    fcps_sum_add_pieces(s, form, &at, mean + i, NULL);
    fcps_expected_reward_keep_largest(best, largest, mean[i]);
  }
  return status;
}

/* Computes exact means of the candidates with the largest estimates, two to four times as many as are wanted. The
 * values of all others are kept below these means. */
static fcps_status screen_any(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                              int best, double *mean, fcps_error *error)
{
  const int many = (form->conditional.inner >= 0 ? 2 : 4) * best, looked_at = many < MOST_BEST ? many : MOST_BEST;
  double largest[MOST_BEST], least = INFINITY;
  fcps_status status = glance_at_all(s, form, outcomes, mean, error);
  for (int i = 0; i < looked_at; i++)
    largest[i] = -INFINITY;
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++)
    fcps_expected_reward_keep_largest(looked_at, largest, mean[i]);
  const double promising = largest[looked_at - 1];
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++) {
    const fcps_outcomes at = fcps_sum_point(s, outcomes, i);
    if (mean[i] < promising) continue;
    status = fcps_sum_form_moments(s, form, &at, mean + i, NULL, error);
    least = fmin(least, mean[i]);
  }
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++)
    mean[i] = mean[i] < promising ? fmin(mean[i], least) : mean[i];
  return status;
}

fcps_status fcps_expected_reward_screen_sum(fcps_expected_reward *s, const fcps_outcomes *outcomes, int best,
                                            double *mean, fcps_error *error)
{
  const fcps_sum_form *form = fcps_expected_reward_sum(s);
  const int wanted = best < MOST_BEST ? best : MOST_BEST;
  return form->is_concave ? screen_concave(s, form, outcomes, wanted, mean, error)
                          : screen_any(s, form, outcomes, wanted, mean, error);
}
