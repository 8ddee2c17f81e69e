/* SPDX-License-Identifier: Apache-2.0 */
/* Expected improvement over the best reward that the model predicts for parameters tried so far [mockus1978]. With a
 * model of outcomes it is the improvement of the exact reward [astudillo2019]. The posterior computes the expectation
 * (reward/expected_reward.h). */
#include "acquisition/acquisition.h"

#include "base/normal.h"

#include <math.h>

/* Returns max(reward - best, 0) and its slope. */
static double improvement(const void *best, double reward, double *slope)
{
  const double gain = reward - *(const double *)best;
  if (slope != NULL) *slope = gain > 0.0 ? 1.0 : 0.0;
  return fmax(gain, 0.0);
}

/* E max(y - best, 0) for y ~ N(mean, s^2) is (mean - best) Phi(z) + s phi(z) with z = (mean - best)/s; its derivatives
 * in mean and s are Phi(z) and phi(z) [mockus1978]. */
static double gaussian_improvement(const void *best, double mean, double s, double *by_mean, double *by_s)
{
  const double gain = mean - *(const double *)best, z = gain / s;
  const double density = fcps_normal_density(z), below = fcps_normal_cdf(z);
  if (by_mean != NULL) *by_mean = below;
  if (by_s != NULL) *by_s = density;
  return gain * below + s * density;
}

typedef struct search {
  fcps_posterior *posterior;
  fcps_utility utility;
} search;

static void batch(void *user, int n, int count, const double *points, double *values)
{
  (void)n;
  const search *s = user;
  fcps_posterior_expect(s->posterior, &s->utility, count, points, values);
}

static double value(void *user, int n, const double *x, double *gradient)
{
  (void)n;
  const search *s = user;
  if (gradient != NULL) return fcps_posterior_expect_gradient(s->posterior, &s->utility, x, gradient);
  double result;
  fcps_posterior_expect(s->posterior, &s->utility, 1, x, &result);
  return result;
}

static fcps_status select_ei(const fcps_decision *decision, double *x)
{
  const double best = fcps_posterior_incumbent(decision->posterior);
  search s = {.posterior = decision->posterior, .utility = {improvement, gaussian_improvement, &best}};
  const fcps_objective objective = {.n = decision->n,
                                    .value = value,
                                    .batch = batch,
                                    .wraps = fcps_posterior_wraps(decision->posterior),
                                    .levels = fcps_posterior_levels(decision->posterior),
                                    .region = fcps_posterior_region(decision->posterior),
                                    .value_scale = fcps_posterior_value_scale(decision->posterior),
                                    .user = &s};
  const fcps_price price = {.cost = decision->cost};
  fcps_search_settings settings = decision->settings->search;
  if (decision->cost != NULL) settings.price = &price;
  fcps_optimum optimum;
  const fcps_status status = fcps_search_maximize(&settings, &objective, decision->rng, x, &optimum);
  return status == FCPS_OK ? fcps_posterior_failure(decision->posterior) : status;
}

const fcps_acquisition fcps_acquisition_ei = {.name = "ei", .needs_model = true, .select = select_ei};
