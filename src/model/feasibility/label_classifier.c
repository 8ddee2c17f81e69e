/* SPDX-License-Identifier: Apache-2.0 */
/* A classifier is a GP and the way in which its kind reads it: label_probit.c, label_regression.c. */
#include "model/feasibility/label_classifier_impl.h"

#include "base/memory.h"
#include "base/settings.h"

#include <fcps/space.h>

#include <math.h>
#include <stdlib.h>

enum { PASS = 256 };

/* By how much a unit of caution divides what is left to the constant belief: e^5. */
static const double doubt = 5.0;

static const fcps_label_ops *const kinds[] = {
    [FCPS_LABELS_PROBIT] = &fcps_label_probit, [FCPS_LABELS_REGRESSION] = &fcps_label_regression};

const char *fcps_label_kind_name(int index)
{
  static const char *const names[] = {[FCPS_LABELS_PROBIT] = "probit", [FCPS_LABELS_REGRESSION] = "regression"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

fcps_status fcps_label_classifier_create(fcps_label_classifier **classifier, fcps_label_kind kind,
                                         const fcps_labels *labels)
{
  *classifier = NULL;
  fcps_label_classifier *c = fcps_allocate(1, sizeof *c);
  if (c == NULL) return FCPS_ERR_MEMORY;
  c->ops = kinds[kind];
  c->prior = labels->prior;
  c->rate = labels->base;
  fcps_status status = fcps_gp_create(&c->gp, labels->dim, c->ops->kernel(labels));
  for (int i = 0; i < labels->count && status == FCPS_OK; i++)
    status = fcps_gp_add(c->gp, labels->inputs + (size_t)i * (size_t)labels->dim);
  if (status == FCPS_OK) status = c->ops->learn(c, labels);
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
  return 1.0 - (1.0 - c->weight) * exp(-doubt * fmax(caution, 0.0));
}

/* What caution makes of the GP's probability; *slope is its derivative. */
static double cautious(const fcps_label_classifier *c, double caution, double probability, double *slope)
{
  const double weight = cautious_weight(c, caution), average = (1.0 - weight) * c->rate + weight * probability;
  const double others = pow(average, caution);
  *slope = weight * (1.0 + caution) * others;
  return others * average;
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
      mean[i] =
          cautious(c, caution, c->ops->probability(c, c->mean + mean[i], variance[i], NULL, NULL), &(double){0.0});
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
  double slope;
  *probability = cautious(c, caution, c->ops->probability(c, c->mean + mean, variance, &by_mean, &by_variance), &slope);
  for (int d = 0; d < dim; d++)
    gradient[d] = slope * (by_mean * gradient[d] + by_variance * slopes[d]);
}
