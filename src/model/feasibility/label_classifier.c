/* SPDX-License-Identifier: Apache-2.0 */
/* Labels as -1 and +1, a GP regression through them, and a logistic curve on top:
 *
 *   p(x) = 1/(1 + exp(-steepness mean(x)))
 *
 * A regression is a cruder belief than a classifier's, but exact, quick, never in need of iterations, and sure of
 * itself near a single label, where Laplace's approximation of a classifier stays undecided. */
#include "model/feasibility/label_classifier.h"

#include "base/memory.h"
#include "gp/fit.h"
#include "gp/query.h"

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
static const fcps_gp_norm norm = {FCPS_MEAN_ZERO, FCPS_SCALING_NONE};

/* Fewer labels, or all of one kind, say nothing about lengths. */
enum { LEAST_LABELS = 4, FIT_BUDGET = 25, PASS = 256 };

struct fcps_label_classifier {
  fcps_gp *gp;
  fcps_gp_outputs outputs;
  fcps_gp_work work;
  double centre; /* of the labels */
  double log_likelihood;
};

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

static fcps_status learn(fcps_label_classifier *c, int count, const bool *labels)
{
  double *y = fcps_allocate((size_t)count, sizeof(double));
  if (y == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < count; i++)
    y[i] = (labels[i] ? 1.0 : -1.0) - c->centre;
  fcps_status status = FCPS_OK;
  if (count >= LEAST_LABELS && have_both_kinds(count, labels)) {
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

fcps_status fcps_label_classifier_create(fcps_label_classifier **classifier, int dim, int count, const double *inputs,
                                         const bool *labels, double base)
{
  *classifier = NULL;
  fcps_label_classifier *c = fcps_allocate(1, sizeof *c);
  if (c == NULL) return FCPS_ERR_MEMORY;
  c->centre = log(base / (1.0 - base)) / steepness;
  fcps_status status = fcps_gp_create(&c->gp, dim, &fcps_kernel_matern52);
  if (status == FCPS_OK) fcps_gp_hyper_centre(&prior, dim, c->gp->hyper);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status = fcps_gp_add(c->gp, inputs + (size_t)i * (size_t)dim);
  if (status == FCPS_OK) status = learn(c, count, labels);
  if (status == FCPS_OK) status = fcps_gp_work_reserve(&c->work, c->gp, PASS);
  if (status != FCPS_OK) {
    fcps_label_classifier_destroy(c);
    return status;
  }
  *classifier = c;
  return FCPS_OK;
}

void fcps_label_classifier_destroy(fcps_label_classifier *c)
{
  if (c == NULL) return;
  fcps_gp_destroy(c->gp);
  fcps_gp_outputs_destroy(&c->outputs);
  fcps_gp_work_destroy(&c->work);
  free(c);
}

double fcps_label_classifier_log_likelihood(const fcps_label_classifier *classifier)
{
  return classifier->log_likelihood;
}

static double logistic(const fcps_label_classifier *c, double mean)
{
  return 1.0 / (1.0 + exp(-steepness * (c->centre + mean)));
}

void fcps_label_classifier_predict(fcps_label_classifier *c, int count, const double *points, double *probability)
{
  const fcps_gp_query query = {.count = count, .points = points, .mean = probability};
  fcps_gp_predict(c->gp, &c->outputs, &query, &c->work);
  for (int i = 0; i < count; i++)
    probability[i] = logistic(c, probability[i]);
}

void fcps_label_classifier_gradient(fcps_label_classifier *c, const double *point, double *probability,
                                    double *gradient)
{
  double mean;
  const fcps_gp_query query = {.count = 1, .points = point, .mean = &mean, .mean_gradient = gradient};
  fcps_gp_predict(c->gp, &c->outputs, &query, &c->work);
  const double p = logistic(c, mean);
  for (int d = 0; d < c->gp->dim; d++)
    gradient[d] *= steepness * p * (1.0 - p);
  *probability = p;
}
