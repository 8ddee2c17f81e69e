/* SPDX-License-Identifier: Apache-2.0 */
/* Predictions of a model's GPs, as the user sees them: points are features, and become what the GPs see; answers come back. */
#include "model/model.h"

#include <string.h>

void fcps_model_see(const fcps_model *model, const double *features, double *inputs)
{
  fcps_description_see(&model->description, &model->layout, features, model->training.count, inputs, NULL);
}

void fcps_model_see_outcome(const fcps_model *model, const double *features, double *outcome)
{
  fcps_description_see(&model->description, &model->layout, features, model->training.count, NULL, outcome);
}

void fcps_model_unsee_outcomes(const fcps_model *model, const double *features, size_t count, size_t stride,
                               double *outcomes)
{
  fcps_description_unsee_outcomes(&model->description, &model->layout, features, count, stride, outcomes);
}

static bool has_more_inputs(const fcps_model *model)
{
  return model->description.inputs > model->layout.features;
}

/* Numbers for each point: its inputs, and if there are more of them than features gradients by all inputs. */
static size_t numbers_of_point(const fcps_model *model)
{
  const size_t gradients = (size_t)(model->layout.outputs + model->gps.count);
  return (size_t)model->description.inputs * (has_more_inputs(model) ? 1 + gradients : 1);
}

fcps_status fcps_model_reserve(fcps_gp_work *work, const fcps_model *model, int points)
{
  fcps_status status = fcps_gps_reserve(work, &model->gps, points);
  const bool needs_inputs = model->description.changes_inputs || model->description.has_places;
  if (status == FCPS_OK && needs_inputs)
    status = fcps_gp_work_reserve_inputs(work, (size_t)points * numbers_of_point(model));
  return status;
}

/* Back to the user's frame. */
static void unsee(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                  const double *features)
{
  const size_t inputs = (size_t)model->description.inputs, q = (size_t)outputs->outputs, gps = (size_t)model->gps.count;
  for (size_t i = 0; i < (size_t)query->count; i++) {
    const fcps_seen at = {.inputs = (int)inputs,
                          .outputs = (int)q,
                          .gps = (int)gps,
                          .scale = outputs->scale,
                          .mean = query->mean != NULL ? query->mean + i * q : NULL,
                          .variance = query->variance != NULL ? query->variance + i * gps : NULL,
                          .mean_gradient = query->mean_gradient != NULL ? query->mean_gradient + i * q * inputs : NULL,
                          .variance_gradient =
                              query->variance_gradient != NULL ? query->variance_gradient + i * gps * inputs : NULL};
    fcps_description_unsee(&model->description, &model->layout, features + i * (size_t)model->layout.features, &at);
  }
}

/* Keeps of `count` gradients by inputs those by features. */
static void narrow(const fcps_model *model, size_t count, const double *from, double *to)
{
  const size_t features = (size_t)model->layout.features, inputs = (size_t)model->description.inputs;
  for (size_t i = 0; i < count && to != NULL; i++)
    memcpy(to + i * features, from + i * inputs, features * sizeof(double));
}

void fcps_model_predict(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                        fcps_gp_work *work)
{
  const size_t features = (size_t)model->layout.features, inputs = (size_t)model->description.inputs;
  const size_t count = (size_t)query->count, means = count * (size_t)outputs->outputs;
  fcps_gp_query seen = *query;
  if (model->description.changes_inputs) {
    for (size_t i = 0; i < count; i++)
      fcps_model_see(model, query->points + i * features, work->inputs + i * inputs);
    seen.points = work->inputs;
  }
  if (has_more_inputs(model)) {
    if (query->mean_gradient != NULL) seen.mean_gradient = work->inputs + count * inputs;
    if (query->variance_gradient != NULL) seen.variance_gradient = work->inputs + (count + means) * inputs;
  }
  fcps_gps_predict(&model->gps, outputs, &seen, work);
  if (model->description.changes_outputs) unsee(model, outputs, &seen, query->points);
  if (!has_more_inputs(model)) return;
  narrow(model, means, seen.mean_gradient, query->mean_gradient);
  narrow(model, count * (size_t)model->gps.count, seen.variance_gradient, query->variance_gradient);
}
