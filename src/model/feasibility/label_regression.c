/* SPDX-License-Identifier: Apache-2.0 */
/* Labels as -1 and +1, a GP regression through them, and a logistic curve on top:
 *
 *   p(x) = 1/(1 + exp(-steepness mean(x)))
 *
 * A regression is a cruder belief than a classifier's: near edges its probabilities are too sure (docs/outcome.md).
 * Policies that were saved before there was another answer by it, as they did. */
#include "base/memory.h"
#include "gp/fit.h"
#include "gp/kernel.h"
#include "model/feasibility/label_classifier_impl.h"

#include <math.h>
#include <stdlib.h>

static const double steepness = 4.0;

/* Labels change over a quarter of the box. Their noise lets a curve of that length pass between two labels that differ
 * and lie close together. */
static const fcps_hyper_prior prior = {.length = 0.25,
                                       .length_sd = 0.3,
                                       .signal = 1.0,
                                       .signal_sd = 0.3,
                                       .noise = 0.3,
                                       .noise_sd = 0.3,
                                       .noise_floor = 1e-2};
static const fcps_gp_norm norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};

enum { FIT_BUDGET = 25 };

static bool have_both_kinds(int count, const bool *labels)
{
  for (int i = 1; i < count; i++)
    if (labels[i] != labels[0]) return true;
  return false;
}

static fcps_status measure_likelihood(fcps_label_classifier *c, int count, const double *y)
{
  fcps_likelihood *likelihood = NULL;
  const fcps_status status = fcps_likelihood_create(&likelihood, c->gp, &(fcps_gp_data){count, 1, y, norm, &prior});
  if (status == FCPS_OK) c->log_likelihood = fcps_likelihood_value(likelihood, c->gp->hyper, NULL);
  fcps_likelihood_destroy(likelihood);
  return status;
}

static fcps_status learn(fcps_label_classifier *c, const fcps_labels *all)
{
  const int count = all->count;
  const bool *labels = all->answers;
  const double base = all->base;
  c->mean = log(base / (1.0 - base)) / steepness;
  c->weight = 1.0;
  fcps_gp_hyper_centre(&prior, c->gp->dim, c->gp->hyper);
  double *y = fcps_allocate((size_t)count, sizeof(double));
  if (y == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < count; i++)
    y[i] = (labels[i] ? 1.0 : -1.0) - c->mean;
  fcps_status status = FCPS_OK;
  if (count >= FCPS_LABELS_LEAST_TO_FIT && have_both_kinds(count, labels)) {
    fcps_fit_result result;
    const fcps_fit_settings fit = {.starts = 1, .budget = FIT_BUDGET};
    status = fcps_gp_fit(c->gp, &(fcps_gp_data){count, 1, y, norm, &prior}, fit, (fcps_rng){0}, &result);
    if (status == FCPS_OK) status = measure_likelihood(c, count, y);
  } else {
    status = fcps_gp_factorize(c->gp, count);
  }
  if (status == FCPS_OK) status = fcps_gp_condition(c->gp, norm, count, 1, y, &c->outputs);
  free(y);
  return status;
}

static const fcps_kernel *kernel(const fcps_labels *labels)
{
  (void)labels;
  return &fcps_kernel_matern52;
}

static double probability(const fcps_label_classifier *c, double mean, double variance, double *by_mean,
                          double *by_variance)
{
  (void)c, (void)variance;
  const double p = 1.0 / (1.0 + exp(-steepness * mean));
  if (by_mean != NULL) *by_mean = steepness * p * (1.0 - p);
  if (by_variance != NULL) *by_variance = 0.0;
  return p;
}

const fcps_label_ops fcps_label_regression = {.kernel = kernel, .learn = learn, .probability = probability};
