/* SPDX-License-Identifier: Apache-2.0 */
/* The average of two beliefs about labels, weighted by how well they explain the labels:
 *
 *   constant   every trial has the same unknown probability of a yes; its evidence is the Beta function, its answer
 *              (yes + 1)/(count + 2)
 *   GP         the probability depends on the inputs: probit classification (gp/probit.h)
 *
 *   p(x) = (1 - w) p_constant + w p_GP(x),     w/(1 - w) = evidence_GP/evidence_constant
 *
 * So a constant rate explains a few failures by chance, and a region of failures is learnt as soon as the labels show
 * one. */
#include "gp/label_probit.h"

#include "base/memory.h"
#include "gp/kernels/kernel.h"
#include "gp/probit.h"
#include "gp/query.h"

#include <fcps/space.h>

#include <math.h>
#include <stdlib.h>

/* PASS: the most points of a prediction that are computed at once. Length-scales are fitted from LEAST_TO_FIT labels
 * on, to at most FIT_LABELS of them, with FIT_BUDGET evaluations. */
enum { PASS = 256, LEAST_TO_FIT = 4, FIT_LABELS = 100, FIT_BUDGET = 20 };

/* The weight of the constant belief is divided by exp(doubt * caution). */
static const double doubt = 5.0;

struct fcps_label_probit {
  const fcps_label_prior *prior;
  fcps_gp *gp;
  fcps_gp_outputs outputs; /* empty if the GP is not used */
  fcps_gp_work work;
  double mean;   /* the prior mean of the GP */
  double rate;   /* the probability far from all labels */
  double weight; /* w above, the weight of the GP */
  double log_likelihood;
};

/* Prior beliefs for two questions: "is there an outcome?" (edges) and "does the trial fail?" (posts). Both were chosen
 * on edges, posts and failures by chance; bench/bench_chance.c compares them with Laplace's approximation
 * (docs/lab/outcome.md). Outcomes are absent beyond edges, and edges are long. The cause of a failure may be as thin as
 * a post, so a failure affects only the places around it, unless other failures show that its cause reaches further.
 * Failures have no constant belief: it would be right only if all were by chance, and costly otherwise. */
struct fcps_label_prior {
  const fcps_kernel *kernel; /* smooth for edges; for posts, one in which certainty falls off quickly around a trial */
  fcps_hyper_prior hyper;
  double lapse; /* the share of labels that do not depend on the inputs (gp/probit.h) */
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

/* Conditions the GP on the sites of the labels (gp/probit.h), which become its outputs. */
static fcps_status take_sites(fcps_label_probit *c, const fcps_probit *probit, int count)
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

/* Computes the weights of both beliefs from the evidence of the GP. */
static void weigh(fcps_label_probit *c, int count, int yes, double evidence)
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

/* Fits the hyper-parameters to labels. `hyper` does not change if there are fewer than LEAST_TO_FIT labels, or if all
 * labels are the same: they then say nothing about lengths. */
static fcps_status fit_hyper(const fcps_label_probit *c, const fcps_labels *all, double *hyper)
{
  const int yes = count_yes(all->count, all->answers);
  if (all->count < LEAST_TO_FIT || yes == 0 || yes == all->count) return FCPS_OK;
  /* many labels say hardly more about lengths than some of them, evenly spread, which cost far less */
  const int rows = all->count < FIT_LABELS ? all->count : FIT_LABELS;
  bool labels[FIT_LABELS];
  fcps_gp *gp = NULL;
  fcps_probit *probit = NULL;
  fcps_status status = fcps_gp_create_like(&gp, c->gp);
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

static fcps_status learn(fcps_label_probit *c, const fcps_labels *all)
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

fcps_status fcps_label_probit_create(fcps_label_probit **classifier, const fcps_labels *labels)
{
  *classifier = NULL;
  fcps_label_probit *c = fcps_allocate(1, sizeof *c);
  if (c == NULL) return FCPS_ERR_MEMORY;
  c->prior = labels->prior;
  c->rate = labels->base;
  fcps_status status = fcps_gp_create(&c->gp, labels->dim, labels->prior->kernel);
  if (status == FCPS_OK && labels->tables != NULL) status = fcps_gp_set_tables(c->gp, labels->tables);
  for (int i = 0; i < labels->count && status == FCPS_OK; i++)
    status = fcps_gp_add(c->gp, labels->inputs + (size_t)i * (size_t)labels->dim);
  if (status == FCPS_OK) status = learn(c, labels);
  if (status == FCPS_OK) status = fcps_gp_work_reserve(&c->work, c->gp, PASS);
  if (status != FCPS_OK) {
    fcps_label_probit_destroy(c);
    return status;
  }
  *classifier = c;
  return FCPS_OK;
}

void fcps_label_probit_destroy(fcps_label_probit *c)
{
  if (c == NULL) return;
  fcps_gp_destroy(c->gp);
  fcps_gp_outputs_destroy(&c->outputs);
  fcps_gp_work_destroy(&c->work);
  free(c);
}

double fcps_label_probit_log_likelihood(const fcps_label_probit *classifier)
{
  return classifier->log_likelihood;
}

/* The weight of the GP in a cautious choice. The constant belief prefers no place to another, and relying on it wrongly
 * costs more than ignoring it wrongly, so caution lowers its weight. */
static double cautious_weight(const fcps_label_probit *c, double caution)
{
  return 1.0 - (1.0 - c->weight) * exp(-doubt * fmax(caution, 0.0));
}

/* Returns the cautious probability for a probability of the GP. *slope receives its derivative by that probability. */
static double cautious(const fcps_label_probit *c, double caution, double probability, double *slope)
{
  const double weight = cautious_weight(c, caution), average = (1.0 - weight) * c->rate + weight * probability;
  const double others = pow(average, caution);
  *slope = weight * (1.0 + caution) * others;
  return others * average;
}

/* The probability of a yes, from a prediction of the GP, and its derivatives by the prediction's mean and variance. */
static double probability_at(const fcps_label_probit *c, double mean, double variance, double *by_mean,
                             double *by_variance)
{
  return fcps_probit_probability(c->prior->lapse, c->mean + mean, variance, by_mean, by_variance);
}

void fcps_label_probit_predict(fcps_label_probit *c, double caution, int count, const double *points,
                               double *probability)
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
      mean[i] = cautious(c, caution, probability_at(c, mean[i], variance[i], NULL, NULL), &(double){0.0});
  }
}

void fcps_label_probit_gradient(fcps_label_probit *c, double caution, const double *point, double *probability,
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
  double slope;
  *probability = cautious(c, caution, probability_at(c, mean, variance, &by_mean, &by_variance), &slope);
  for (int d = 0; d < dim; d++)
    gradient[d] = slope * (by_mean * gradient[d] + by_variance * slopes[d]);
}
