/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fan.h"

#include "base/memory.h"
#include "model/parts.h"
#include "model/view_impl.h"

#include <stdlib.h>
#include <string.h>

enum { PASS = FCPS_VIEW_PASS };

struct fcps_fan {
  const fcps_model *model;
  fcps_error *error;
  fcps_view *view; /* of the target that was asked for last */
  int candidates, targets_count;
  const double *unit, *targets; /* borrowed */
  double *means;                /* reward outputs: candidates x targets; outcomes: candidates x width */
  double *variances;            /* of the outcomes of candidates */
  fcps_gp_outputs outputs;      /* reward outputs: a column each target */
};

fcps_status fcps_fan_create(fcps_fan **fan, const fcps_model *model, int candidates, const double *unit,
                            fcps_error *error)
{
  *fan = NULL;
  if (model->ops->has_target_inputs || candidates < 1) return FCPS_ERR_ARGUMENT;
  fcps_fan *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return FCPS_ERR_MEMORY;
  const int width = model->ops->has_outcome_outputs ? model->ops->width(model->problem) : FCPS_FAN_TARGETS;
  made->model = model;
  made->error = error;
  made->candidates = candidates;
  made->unit = unit;
  made->means = fcps_allocate((size_t)candidates * (size_t)width, sizeof(double));
  made->variances = fcps_allocate((size_t)candidates * (size_t)fcps_model_parts(model), sizeof(double));
  if (made->means == NULL || made->variances == NULL) {
    fcps_fan_destroy(made);
    return FCPS_ERR_MEMORY;
  }
  *fan = made;
  return FCPS_OK;
}

void fcps_fan_destroy(fcps_fan *fan)
{
  if (fan == NULL) return;
  fcps_view_destroy(fan->view);
  fcps_gp_outputs_destroy(&fan->outputs);
  free(fan->means);
  free(fan->variances);
  free(fan);
}

static const double *target_at(const fcps_fan *fan, int index)
{
  return fan->targets + (size_t)index * (size_t)fan->model->problem->target.count;
}

/* Predicts `outputs` at all candidates: means[c*outputs + o], and variances where not NULL. */
static void predict_candidates(fcps_fan *fan, const fcps_gp_outputs *outputs, double *variances)
{
  const size_t n = (size_t)fan->model->parameters.count, parts = (size_t)fcps_model_parts(fan->model);
  fcps_view *view = fan->view;
  for (int start = 0; start < fan->candidates; start += PASS) {
    const int block = fan->candidates - start < PASS ? fan->candidates - start : PASS;
    for (int i = 0; i < block; i++)
      fcps_view_features(view, i, fan->unit + (size_t)(start + i) * n);
    fcps_parts_predict(view->model, outputs, block, view->features, &view->work,
                       fan->means + (size_t)start * (size_t)outputs->outputs,
                       variances != NULL ? variances + (size_t)start * parts : NULL);
  }
}

static bool is_in(const fcps_view *view, const double *environment)
{
  const int count = view->model->problem->environment.count;
  return count == 0 || memcmp(view->environment, environment, (size_t)count * sizeof(double)) == 0;
}

fcps_status fcps_fan_aim(fcps_fan *fan, int count, const double *targets, const double *environment)
{
  if (count < 1 || count > FCPS_FAN_TARGETS) return FCPS_ERR_ARGUMENT;
  fan->targets = targets;
  fan->targets_count = count;
  const bool is_new = fan->view == NULL || !is_in(fan->view, environment);
  if (is_new) {
    fcps_view_destroy(fan->view);
    fan->view = NULL;
    const fcps_status status = fcps_view_create(&fan->view, fan->model, targets, environment, fan->error);
    if (status != FCPS_OK) return status;
  }
  if (fan->model->ops->has_outcome_outputs) {
    if (is_new) predict_candidates(fan, &fan->view->outputs, fan->variances);
    return FCPS_OK;
  }
  const fcps_status status = fcps_model_condition(fan->view->model, count, targets, &fan->outputs, fan->error);
  if (status == FCPS_OK) predict_candidates(fan, &fan->outputs, NULL);
  return status;
}

/* Mean rewards of `count` candidates from `start` on, before doubts. */
static fcps_status mean_rewards(fcps_fan *fan, int index, int start, int count, double *means)
{
  if (fan->view->scoring == NULL) {
    for (int i = 0; i < count; i++)
      means[i] = fan->means[(size_t)(start + i) * (size_t)fan->targets_count + (size_t)index];
    return FCPS_OK;
  }
  const int parts = fcps_model_parts(fan->model);
  const fcps_outcomes outcomes = {count, fan->unit + (size_t)start * (size_t)fan->model->parameters.count,
                                  fan->means + (size_t)start * (size_t)fan->view->outputs.outputs,
                                  fan->variances + (size_t)start * (size_t)parts, parts};
  return fcps_scoring_moments(fan->view->scoring, &outcomes, means, NULL, fan->error);
}

fcps_status fcps_fan_view(fcps_fan *fan, int index, fcps_view **view, double *means)
{
  const fcps_gp_outputs *outputs = fan->model->ops->has_outcome_outputs ? NULL : &fan->outputs;
  fcps_status status = fcps_view_turn(fan->view, target_at(fan, index), outputs, index);
  for (int start = 0; start < fan->candidates && status == FCPS_OK; start += PASS) {
    const int block = fan->candidates - start < PASS ? fan->candidates - start : PASS;
    status = mean_rewards(fan, index, start, block, means + start);
    fcps_view_weigh(fan->view, block, fan->unit + (size_t)start * (size_t)fan->model->parameters.count, means + start,
                    NULL);
  }
  *view = fan->view;
  return status == FCPS_OK ? fcps_view_failure(fan->view) : status;
}
