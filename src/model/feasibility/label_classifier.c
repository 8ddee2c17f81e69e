/* SPDX-License-Identifier: Apache-2.0 */
/* Two beliefs about labels, weighed by how well they explain them:
 *
 *   constant   every trial has the same unknown chance; its evidence is the Beta function, its answer (yes + 1)/(count + 2)
 *   GP         the chance depends on the inputs: probit classification (gp/probit.h)
 *
 *   p(x) = (1 - w) p_constant + w p_GP(x),     w/(1 - w) = evidence_GP/evidence_constant
 *
 * So a few innocent failures stay a rate of failures, and an edge becomes an edge as soon as the labels show one. */
#include "model/feasibility/label_classifier.h"

#include "base/memory.h"
#include "gp/probit.h"
#include "gp/query.h"

#include <fcps/space.h>

#include <math.h>
#include <stdlib.h>

/* Chosen on edges, posts and innocent failures in three to five dimensions: the log loss near edges falls from 0.49 of
 * a regression through -1 and +1 to 0.36, and predicted chances agree with frequencies (docs/outcome.md). */
static const fcps_hyper_prior prior = {.length = 0.4,
                                       .length_sd = 0.7,
                                       .signal = 4.0,
                                       .signal_sd = 0.7,
                                       .noise = 1e-3,
                                       .noise_sd = 1.0,
                                       .noise_floor = 1e-3};
static const fcps_gp_norm norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};
static const double lapse = 0.01;

/* Fewer labels, or all of one kind, say nothing about lengths. */
enum { LEAST_LABELS = 4, FIT_BUDGET = 20, PASS = 256 };

struct fcps_label_classifier {
  fcps_gp *gp;
  fcps_gp_outputs outputs;
  fcps_gp_work work;
  double mean;   /* of the latent function before any label */
  double rate;   /* what the constant belief says */
  double weight; /* of the GP */
  double log_likelihood;
};

/* Lets the GP answer with the sites of the labels as its outputs. */
static fcps_status take_sites(fcps_label_classifier *c, const fcps_probit *probit, int count)
{
  double *targets = fcps_allocate(2 * (size_t)count, sizeof(double));
  if (targets == NULL) return FCPS_ERR_MEMORY;
  double *variances = targets + count;
  c->mean = fcps_probit_sites(probit, targets, variances);
  fcps_gp_set_noise(c->gp, count, variances, 0.0);
  fcps_status status = fcps_gp_factorize(c->gp, count);
  if (status == FCPS_OK) status = fcps_gp_condition(c->gp, norm, count, 1, targets, &c->outputs);
  free(targets);
  return status;
}

/* The weights of both beliefs from the evidence of the GP. */
static void weigh(fcps_label_classifier *c, int count, int yes, double evidence)
{
  const double constant = lgamma(yes + 1.0) + lgamma(count - yes + 1.0) - lgamma(count + 2.0);
  c->rate = (yes + 1.0) / (count + 2.0);
  c->weight = 1.0 / (1.0 + exp(fmin(constant - evidence, 700.0)));
  c->log_likelihood = evidence;
}

static fcps_status learn(fcps_label_classifier *c, int count, const bool *labels, double base)
{
  int yes = 0;
  for (int i = 0; i < count; i++)
    yes += labels[i];
  fcps_probit *probit = NULL;
  fcps_status status = fcps_probit_create(&probit, c->gp, &(fcps_probit_data){count, labels, base, lapse, &prior});
  if (status != FCPS_OK) return status;
  double hyper[FCPS_HYPER_COUNT(2 * 2 * FCPS_SPACE_MAX)];
  fcps_gp_hyper_centre(&prior, c->gp->dim, hyper);
  const bool can_fit = count >= LEAST_LABELS && yes > 0 && yes < count;
  const double evidence =
      can_fit ? fcps_probit_fit(probit, FIT_BUDGET, hyper) : fcps_probit_evidence(probit, hyper, NULL);
  weigh(c, count, yes, evidence);
  if (isfinite(evidence)) {
    fcps_gp_set_hyper(c->gp, hyper);
    status = take_sites(c, probit, count);
  }
  fcps_probit_destroy(probit);
  return status;
}

fcps_status fcps_label_classifier_create(fcps_label_classifier **classifier, int dim, int count, const double *inputs,
                                         const bool *labels, double base)
{
  *classifier = NULL;
  fcps_label_classifier *c = fcps_allocate(1, sizeof *c);
  if (c == NULL) return FCPS_ERR_MEMORY;
  c->rate = base;
  fcps_status status = fcps_gp_create(&c->gp, dim, &fcps_kernel_matern52);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status = fcps_gp_add(c->gp, inputs + (size_t)i * (size_t)dim);
  if (status == FCPS_OK && count > 0) status = learn(c, count, labels, base);
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

static double average(const fcps_label_classifier *c, double probability)
{
  return (1.0 - c->weight) * c->rate + c->weight * probability;
}

void fcps_label_classifier_predict(fcps_label_classifier *c, int count, const double *points, double *probability)
{
  double variance[PASS];
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    double *mean = probability + start;
    for (int i = 0; i < block && c->outputs.count == 0; i++)
      mean[i] = c->rate;
    if (c->outputs.count == 0) continue;
    const fcps_gp_query query = {
        .count = block, .points = points + (size_t)start * (size_t)c->gp->dim, .mean = mean, .variance = variance};
    fcps_gp_predict(c->gp, &c->outputs, &query, &c->work);
    for (int i = 0; i < block; i++)
      mean[i] = average(c, fcps_probit_probability(lapse, c->mean + mean[i], variance[i], NULL, NULL));
  }
}

void fcps_label_classifier_gradient(fcps_label_classifier *c, const double *point, double *probability,
                                    double *gradient)
{
  const int dim = c->gp->dim;
  double mean, variance, by_mean, by_variance, slopes[2 * 2 * FCPS_SPACE_MAX];
  *probability = c->rate;
  for (int d = 0; d < dim; d++)
    gradient[d] = 0.0;
  if (c->outputs.count == 0) return;
  const fcps_gp_query query = {.count = 1,
                               .points = point,
                               .mean = &mean,
                               .variance = &variance,
                               .mean_gradient = gradient,
                               .variance_gradient = slopes};
  fcps_gp_predict(c->gp, &c->outputs, &query, &c->work);
  *probability = average(c, fcps_probit_probability(lapse, c->mean + mean, variance, &by_mean, &by_variance));
  for (int d = 0; d < dim; d++)
    gradient[d] = c->weight * (by_mean * gradient[d] + by_variance * slopes[d]);
}
