/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing the wide kernel with the one that has a short one on top: each with the hyper-parameters that suit it, by
 * their posterior density. They have the same number of hyper-parameters and the same prior, so nothing else is paid for. A
 * choice is left where the other one is better by `margin` nats, odds of twenty to one. */
#include "model/composite/local.h"

#include "base/memory.h"
#include "gp/fit.h"
#include "model/model.h"

#include <stdlib.h>

static const double margin = 3.0;

/* A look costs as much as a fit. So there is one each time that the number of rows passes a multiple of these, the first
 * while rows are few. */
enum { LEAST_ROWS = 20, FEW_ROWS = 50, EARLY = 10, LATER = 50 };

static bool may_choose(const fcps_model *model)
{
  const fcps_model_settings *s = &model->settings;
  return s->looks_local && model->ops->predicts_outcomes && !s->may_split && model->parent == NULL &&
         s->fit.samples <= 1;
}

static void take_kernel(fcps_model *model, const fcps_kernel *kernel)
{
  model->settings.kernel = kernel;
  for (int g = 0; g < fcps_model_gp_count(model); g++) {
    fcps_gp *gp = fcps_model_gp(model, g);
    gp->kernel = kernel;
    gp->factored = 0;
  }
}

bool fcps_local_is_chosen(const fcps_model *model)
{
  return may_choose(model) && model->settings.kernel == &fcps_kernel_se_short;
}

void fcps_local_restore(fcps_model *model, bool is_chosen)
{
  if (may_choose(model)) take_kernel(model, is_chosen ? &fcps_kernel_se_short : &fcps_kernel_se);
}

static bool is_due(const fcps_model *model)
{
  const int rows = model->training.count, every = rows < FEW_ROWS ? EARLY : LATER;
  return rows >= LEAST_ROWS && rows / every != model->fitted / every;
}

/* The log posterior density of the hyper-parameters of a GP as they are. */
static fcps_status find_evidence(const fcps_gp *gp, const fcps_gp_data *data, double *evidence)
{
  fcps_likelihood *likelihood = NULL;
  const fcps_status status = fcps_likelihood_create(&likelihood, gp, data);
  if (status == FCPS_OK) *evidence += fcps_likelihood_value(likelihood, gp->hyper, NULL);
  fcps_likelihood_destroy(likelihood);
  return status;
}

/* Fits a copy of GP `index` with another kernel to its outputs, and adds to *gain by how much that explains them better. */
static fcps_status compare(const fcps_model *model, int index, const fcps_kernel *kernel, int outputs, const double *y,
                           fcps_gp **other, double *gain)
{
  const fcps_gp *gp = fcps_model_gp(model, index);
  const int rows = model->training.count, each = outputs / fcps_model_gp_count(model);
  const fcps_gp_data data = {.rows = rows,
                             .outputs = each,
                             .y = y + (size_t)(index * each) * (size_t)rows,
                             .norm = model->settings.norm,
                             .prior = &model->settings.prior};
  const fcps_fit_settings fit = {.starts = 1, .budget = model->settings.fit.budget};
  double ours = 0.0, theirs = 0.0;
  fcps_fit_result result;
  fcps_status status = fcps_gp_copy(gp, other);
  if (status == FCPS_OK) { /* from the prior's centre: what suits one kernel is a trap for the other */
    (*other)->kernel = kernel;
    fcps_gp_hyper_centre(&model->settings.prior, gp->dim, (*other)->hyper);
    fcps_gp_set_hyper(*other, (*other)->hyper);
    status = fcps_gp_fit(*other, &data, fit, (fcps_rng){0}, &result);
  }
  if (status == FCPS_OK) status = find_evidence(gp, &data, &ours);
  if (status == FCPS_OK) status = find_evidence(*other, &data, &theirs);
  *gain += theirs - ours;
  return status;
}

fcps_status fcps_local_review(fcps_model *model, int outputs, const double *y, bool *has_changed)
{
  *has_changed = false;
  if (!may_choose(model) || !is_due(model)) return FCPS_OK;
  const int gps = fcps_model_gp_count(model);
  const fcps_kernel *kernel = fcps_local_is_chosen(model) ? &fcps_kernel_se : &fcps_kernel_se_short;
  fcps_gp **others = fcps_allocate((size_t)gps, sizeof(fcps_gp *));
  fcps_status status = others != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  double gain = 0.0;
  for (int g = 0; g < gps && status == FCPS_OK; g++)
    status = compare(model, g, kernel, outputs, y, others + g, &gain);
  *has_changed = status == FCPS_OK && gain > margin; /* false for NaN */
  if (*has_changed) take_kernel(model, kernel);
  for (int g = 0; g < gps && others != NULL; g++) {
    if (*has_changed) fcps_gp_set_hyper(fcps_model_gp(model, g), others[g]->hyper);
    fcps_gp_destroy(others[g]);
  }
  free(others);
  return status;
}
