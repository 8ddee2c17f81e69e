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

/* Both are chosen on edges, posts and innocent failures in three to five dimensions (docs/outcome.md): the log loss near
 * edges falls from 0.49 of a regression through -1 and +1 to 0.36, and predicted chances agree with frequencies.
 * Outcomes are absent beyond edges, which are long. What makes a trial fail may be as thin as a post: a failure reaches
 * as far as others confirm, and there the constant belief would be right only where all are innocent, and cost the most
 * where they are not. */
struct fcps_label_prior {
  fcps_hyper_prior hyper;
  double lapse; /* the share of labels that say nothing about their place (gp/probit.h) */
  bool has_constant;
};
const fcps_label_prior fcps_label_prior_edges = {.hyper = {.length = 0.4,
                                                           .length_sd = 0.7,
                                                           .signal = 4.0,
                                                           .signal_sd = 0.7,
                                                           .noise = 1e-3,
                                                           .noise_sd = 1.0,
                                                           .noise_floor = 1e-3},
                                                 .lapse = 0.003,
                                                 .has_constant = true};
const fcps_label_prior fcps_label_prior_posts = {.hyper = {.length = 0.15,
                                                           .length_sd = 0.6,
                                                           .signal = 6.0,
                                                           .signal_sd = 0.2,
                                                           .noise = 1e-3,
                                                           .noise_sd = 1.0,
                                                           .noise_floor = 1e-3},
                                                 .lapse = 0.01};
static const fcps_gp_norm norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};
/* By how much a unit of caution divides what is left to the constant belief: e^5. */
static const double doubt = 5.0;

/* Fewer labels, or all of one kind, say nothing about lengths. */
enum { LEAST_LABELS = 4, FIT_LABELS = 100, FIT_BUDGET = 20, PASS = 256 };

struct fcps_label_classifier {
  const fcps_label_prior *prior;
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
static fcps_status fit_hyper(const fcps_label_classifier *c, const fcps_labels *all, double base, double *hyper)
{
  const int yes = count_yes(all->count, all->labels);
  if (all->count < LEAST_LABELS || yes == 0 || yes == all->count) return FCPS_OK;
  /* a share of many labels, evenly spread over their order, says as much about lengths and costs far less */
  const int rows = all->count < FIT_LABELS ? all->count : FIT_LABELS;
  bool labels[FIT_LABELS];
  fcps_gp *gp = NULL;
  fcps_probit *probit = NULL;
  fcps_status status = fcps_gp_create(&gp, all->dim, c->gp->kernel);
  for (int i = 0; i < rows && status == FCPS_OK; i++) {
    const size_t row = (size_t)i * (size_t)all->count / (size_t)rows;
    labels[i] = all->labels[row];
    status = fcps_gp_add(gp, all->inputs + row * (size_t)all->dim);
  }
  if (status == FCPS_OK)
    status =
        fcps_probit_create(&probit, gp, &(fcps_probit_data){rows, labels, base, c->prior->lapse, &c->prior->hyper});
  if (status == FCPS_OK) fcps_probit_fit(probit, FIT_BUDGET, hyper);
  fcps_probit_destroy(probit);
  fcps_gp_destroy(gp);
  return status;
}

static fcps_status learn(fcps_label_classifier *c, const fcps_labels *all, double base)
{
  double hyper[FCPS_HYPER_COUNT(2 * 2 * FCPS_SPACE_MAX)];
  fcps_probit *probit = NULL;
  fcps_gp_hyper_centre(&c->prior->hyper, c->gp->dim, hyper);
  fcps_status status = fit_hyper(c, all, base, hyper);
  if (status == FCPS_OK)
    status = fcps_probit_create(&probit, c->gp,
                                &(fcps_probit_data){all->count, all->labels, base, c->prior->lapse, &c->prior->hyper});
  if (status != FCPS_OK) return status;
  const double evidence = fcps_probit_evidence(probit, hyper, NULL);
  weigh(c, all->count, count_yes(all->count, all->labels), evidence);
  if (isfinite(evidence)) {
    fcps_gp_set_hyper(c->gp, hyper);
    status = take_sites(c, probit, all->count);
  }
  fcps_probit_destroy(probit);
  return status;
}

fcps_status fcps_label_classifier_create(fcps_label_classifier **classifier, int dim, int count, const double *inputs,
                                         const bool *labels, double base)
{
  const fcps_labels all = {.dim = dim, .count = count, .inputs = inputs, .labels = labels};
  return fcps_label_classifier_learn(classifier, &all, base, &fcps_label_prior_edges);
}

fcps_status fcps_label_classifier_learn(fcps_label_classifier **classifier, const fcps_labels *all, double base,
                                        const fcps_label_prior *prior)
{
  const int dim = all->dim, count = all->count;
  *classifier = NULL;
  fcps_label_classifier *c = fcps_allocate(1, sizeof *c);
  if (c == NULL) return FCPS_ERR_MEMORY;
  c->prior = prior;
  c->rate = base;
  fcps_status status = fcps_gp_create(&c->gp, dim, &fcps_kernel_matern52);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status = fcps_gp_add(c->gp, all->inputs + (size_t)i * (size_t)dim);
  if (status == FCPS_OK && count > 0) status = learn(c, all, base);
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

/* The weight of the GP where a choice is made with caution: a belief that all places are alike has no say in where to go,
 * and taking it for true would cost more than taking it for false. */
static double cautious_weight(const fcps_label_classifier *c, double caution)
{
  return 1.0 - (1.0 - c->weight) * exp(-doubt * caution);
}

static double average(const fcps_label_classifier *c, double caution, double probability)
{
  const double weight = cautious_weight(c, caution);
  return (1.0 - weight) * c->rate + weight * probability;
}

/* The latent mean less `caution` deviations, in place of the mean. */
static double lowered(double caution, double mean, double variance)
{
  return caution != 0.0 ? mean - caution * sqrt(variance) : mean;
}

void fcps_label_classifier_predict(fcps_label_classifier *c, int count, const double *points, double *probability)
{
  fcps_label_classifier_predict_cautious(c, 0.0, count, points, probability);
}

void fcps_label_classifier_predict_cautious(fcps_label_classifier *c, double caution, int count, const double *points,
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
      mean[i] = average(c, caution,
                        fcps_probit_probability(c->prior->lapse, lowered(caution, c->mean + mean[i], variance[i]),
                                                variance[i], NULL, NULL));
  }
}

void fcps_label_classifier_gradient(fcps_label_classifier *c, const double *point, double *probability,
                                    double *gradient)
{
  fcps_label_classifier_gradient_cautious(c, 0.0, point, probability, gradient);
}

void fcps_label_classifier_gradient_cautious(fcps_label_classifier *c, double caution, const double *point,
                                             double *probability, double *gradient)
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
  const double latent = lowered(caution, c->mean + mean, variance);
  *probability =
      average(c, caution, fcps_probit_probability(c->prior->lapse, latent, variance, &by_mean, &by_variance));
  if (caution != 0.0 && variance > 0.0) by_variance -= by_mean * caution / (2.0 * sqrt(variance));
  for (int d = 0; d < dim; d++)
    gradient[d] = cautious_weight(c, caution) * (by_mean * gradient[d] + by_variance * slopes[d]);
}
