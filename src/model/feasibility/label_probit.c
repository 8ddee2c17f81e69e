/* SPDX-License-Identifier: Apache-2.0 */
/* Two beliefs about labels, weighed by how well they explain them:
 *
 *   constant   every trial has the same unknown chance; its evidence is the Beta function, its answer (yes + 1)/(count + 2)
 *   GP         the chance depends on the inputs: probit classification (gp/probit.h)
 *
 *   p(x) = (1 - w) p_constant + w p_GP(x),     w/(1 - w) = evidence_GP/evidence_constant
 *
 * So a few innocent failures stay a rate of failures, and an edge becomes an edge as soon as the labels show one. */
#include "base/memory.h"
#include "gp/probit.h"
#include "model/feasibility/label_classifier_impl.h"

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

enum { FIT_BUDGET = 20 };

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
  if (count == 0) return FCPS_OK;
  int yes = 0;
  for (int i = 0; i < count; i++)
    yes += labels[i];
  fcps_probit *probit = NULL;
  fcps_status status = fcps_probit_create(&probit, c->gp, &(fcps_probit_data){count, labels, base, lapse, &prior});
  if (status != FCPS_OK) return status;
  double hyper[FCPS_HYPER_COUNT(2 * 2 * FCPS_SPACE_MAX)];
  fcps_gp_hyper_centre(&prior, c->gp->dim, hyper);
  const bool can_fit = count >= FCPS_LABELS_LEAST_TO_FIT && yes > 0 && yes < count;
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

static double probability(const fcps_label_classifier *c, double mean, double variance, double *by_mean,
                          double *by_variance)
{
  (void)c;
  return fcps_probit_probability(lapse, mean, variance, by_mean, by_variance);
}

const fcps_label_ops fcps_label_probit = {.learn = learn, .probability = probability};
