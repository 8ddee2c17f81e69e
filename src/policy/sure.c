/* SPDX-License-Identifier: Apache-2.0 */
/* What a choice surely earns: the predicted mean less some deviations of what is not known, without noise,
 *
 *     b(theta) = m(theta) - doubt s(theta).
 *
 * The largest mean of a model is often where it extrapolates: of many guesses the luckiest one is chosen. Where the model is
 * sure the two largest are the same, so the mean is maximized first. No b exceeds that mean m*; if b there falls short of m*
 * by hardly anything, the choice stays. Otherwise b is maximized from what was tried, which is sure, and from what promises
 * most. So a choice is never worse, by b, than any trial. */
#include "policy/policy_impl.h"

#include "base/memory.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a choice may fall short by, in deviations of the rewards of trials. How many trials are tried again, and how many of
 * the candidates with the largest means. */
static const double negligible = 0.01;
enum { TRIED = 256, PROMISING = 32 };

static double value_of_bound(const void *user, double mean, double deviation, double *by_mean, double *by_deviation)
{
  const double doubt = *(const double *)user;
  *by_mean = 1.0;
  *by_deviation = -doubt;
  return mean - doubt * deviation;
}

bool fcps_policy_is_sure(double doubt, double deviation, double spread)
{
  return doubt * deviation <= negligible * spread;
}

/* Where a search begins. */
typedef struct beginnings {
  int count, parameters;
  double *x, *values;
} beginnings;

static void add(beginnings *b, const double *x)
{
  memcpy(b->x + (size_t)b->count++ * (size_t)b->parameters, x, (size_t)b->parameters * sizeof *x);
}

/* Adds the parameters of trials, evenly spread over their order if they are many. */
static void add_tried(beginnings *b, const fcps_model *model)
{
  const int all = model->training.count, count = all < TRIED ? all : TRIED;
  double x[FCPS_SPACE_MAX];
  for (int i = 0; i < count; i++) {
    const int row = (int)((int64_t)i * all / count);
    fcps_space_to_unit(&model->problem->parameters, fcps_rollouts_at(&model->training, row).parameters, x);
    add(b, x);
  }
}

/* Adds the candidates that promise most. */
static fcps_status add_promising(beginnings *b, const fcps_scored_points *means)
{
  fcps_bound_screening best = {0};
  int chosen[PROMISING];
  double *values = fcps_copy(means->values, (size_t)means->count, sizeof *values);
  const fcps_status status = values != NULL ? fcps_bound_screening_create(&best, means->count) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    fcps_bound_screening_begin(&best, means->count, values);
    const int count = fcps_bound_screening_next(&best, PROMISING, chosen);
    for (int i = 0; i < count; i++)
      add(b, means->x + (size_t)chosen[i] * (size_t)b->parameters);
  }
  fcps_bound_screening_destroy(&best);
  free(values);
  return status;
}

fcps_status fcps_policy_choose_surely(fcps_posterior *posterior, const fcps_search_settings *search, double doubt,
                                      const fcps_scored_points *means, double *x)
{
  const fcps_moment_objective bound = {.value = value_of_bound, .needs_deviation = true, .user = &doubt};
  const fcps_model *model = fcps_posterior_model(posterior);
  const size_t n = (size_t)model->layout.parameters.count, most = 1 + TRIED + PROMISING;
  double mean, deviation;
  fcps_optimum optimum;
  if (!(doubt > 0.0) || model->training.count == 0) return FCPS_OK;
  fcps_posterior_moments(posterior, 1, x, &mean, &deviation);
  if (fcps_policy_is_sure(doubt, deviation, fcps_posterior_value_scale(posterior)))
    return fcps_posterior_failure(posterior);
  beginnings b = {.parameters = (int)n, .x = fcps_allocate(most * (n + 2), sizeof(double))};
  if (b.x == NULL) return FCPS_ERR_MEMORY;
  b.values = b.x + most * n;
  add(&b, x);
  add_tried(&b, model);
  fcps_status status = means->count > 0 ? add_promising(&b, means) : FCPS_OK;
  if (status == FCPS_OK) {
    double *deviations = b.values + most;
    fcps_posterior_moments(posterior, b.count, b.x, b.values, deviations);
    for (int i = 0; i < b.count; i++)
      b.values[i] -= doubt * deviations[i];
    status =
        fcps_search_moments_from(posterior, &bound, search, &(fcps_scored_points){b.count, b.x, b.values}, x, &optimum);
  }
  free(b.x);
  return status;
}
