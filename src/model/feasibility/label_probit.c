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
#include "gp/kernel.h"
#include "gp/probit.h"
#include "model/feasibility/label_classifier_impl.h"

#include <fcps/space.h>

#include <math.h>
#include <stdlib.h>

/* Both are chosen on edges, posts and innocent failures; bench/bench_chance.c compares them with a regression and with
 * Laplace's approximation (docs/outcome.md). Outcomes are absent beyond edges, which are long. What makes a trial fail may be as thin as a post: a failure reaches
 * as far as others confirm, and there the constant belief would be right only where all are innocent, and cost the most
 * where they are not. */
struct fcps_label_prior {
  const fcps_kernel *kernel;
  fcps_hyper_prior hyper;
  double lapse; /* the share of labels that say nothing about their place (gp/probit.h) */
  bool has_constant;
};
const fcps_label_prior fcps_label_prior_edges = {.kernel = &fcps_kernel_matern52,
                                                 .hyper = {.length = 0.4,
                                                           .length_sd = 0.7,
                                                           .signal = 4.0,
                                                           .signal_sd = 0.7,
                                                           .noise = 1e-3,
                                                           .noise_sd = 1.0,
                                                           .noise_floor = 1e-3},
                                                 .lapse = 0.003,
                                                 .has_constant = true};
const fcps_label_prior fcps_label_prior_posts = {.kernel = &fcps_kernel_matern32,
                                                 .hyper = {.length = 0.15,
                                                           .length_sd = 1.0,
                                                           .signal = 4.0,
                                                           .signal_sd = 0.3,
                                                           .noise = 1e-3,
                                                           .noise_sd = 1.0,
                                                           .noise_floor = 1e-3},
                                                 .lapse = 0.01};
static const fcps_gp_norm norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};

enum { FIT_LABELS = 100, FIT_BUDGET = 20 };

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
  if (!c->prior->has_constant && isfinite(evidence)) c->weight = 1.0;
  c->log_likelihood = evidence;
}

static int count_yes(int count, const bool *labels)
{
  int yes = 0;
  for (int i = 0; i < count; i++)
    yes += labels[i];
  return yes;
}

/* Fits the hyper-parameters to labels; the evidence is that of these labels. `hyper` stays where there are too few. */
static fcps_status fit_hyper(const fcps_label_classifier *c, const fcps_labels *all, double *hyper)
{
  const int yes = count_yes(all->count, all->answers);
  if (all->count < FCPS_LABELS_LEAST_TO_FIT || yes == 0 || yes == all->count) return FCPS_OK;
  /* a share of many labels, evenly spread over their order, says as much about lengths and costs far less */
  const int rows = all->count < FIT_LABELS ? all->count : FIT_LABELS;
  bool labels[FIT_LABELS];
  fcps_gp *gp = NULL;
  fcps_probit *probit = NULL;
  fcps_status status = fcps_gp_create(&gp, all->dim, c->gp->kernel);
  for (int i = 0; i < rows && status == FCPS_OK; i++) {
    const size_t row = (size_t)i * (size_t)all->count / (size_t)rows;
    labels[i] = all->answers[row];
    status = fcps_gp_add(gp, all->inputs + row * (size_t)all->dim);
  }
  if (status == FCPS_OK)
    status = fcps_probit_create(&probit, gp,
                                &(fcps_probit_data){rows, labels, all->base, c->prior->lapse, &c->prior->hyper});
  if (status == FCPS_OK) fcps_probit_fit(probit, FIT_BUDGET, hyper);
  fcps_probit_destroy(probit);
  fcps_gp_destroy(gp);
  return status;
}

static fcps_status learn(fcps_label_classifier *c, const fcps_labels *all)
{
  if (all->count == 0) return FCPS_OK;
  double hyper[FCPS_HYPER_COUNT(2 * 2 * FCPS_SPACE_MAX)];
  fcps_probit *probit = NULL;
  fcps_gp_hyper_centre(&c->prior->hyper, c->gp->dim, hyper);
  fcps_status status = fit_hyper(c, all, hyper);
  if (status == FCPS_OK)
    status = fcps_probit_create(
        &probit, c->gp, &(fcps_probit_data){all->count, all->answers, all->base, c->prior->lapse, &c->prior->hyper});
  if (status != FCPS_OK) return status;
  const double evidence = fcps_probit_evidence(probit, hyper, NULL);
  weigh(c, all->count, count_yes(all->count, all->answers), evidence);
  if (isfinite(evidence)) {
    fcps_gp_set_hyper(c->gp, hyper);
    status = take_sites(c, probit, all->count);
  }
  fcps_probit_destroy(probit);
  return status;
}

/* Edges are smooth; what may be thin is rough, so that trust in what was tried falls off at once around it. */
static const fcps_kernel *kernel(const fcps_labels *labels)
{
  return labels->prior->kernel;
}

static double probability(const fcps_label_classifier *c, double mean, double variance, double *by_mean,
                          double *by_variance)
{
  return fcps_probit_probability(c->prior->lapse, mean, variance, by_mean, by_variance);
}

const fcps_label_ops fcps_label_probit = {.kernel = kernel, .learn = learn, .probability = probability};
