/* SPDX-License-Identifier: Apache-2.0 */
/* What the candidates of a fan predict in all its places, and what that is worth in a context. */
#include "model/fan_impl.h"

#include "base/memory.h"
#include "model/parts.h"

#include <stdlib.h>
#include <string.h>

enum { PASS = FCPS_VIEW_PASS };

bool fcps_fan_can_group(const fcps_fan *fan)
{
  const fcps_gp *gp = fan->view->model->gp;
  const bool bounds = fan->view->scoring == NULL || fcps_fan_can_climb(fan);
  return bounds && fcps_gp_is_separable(gp) && gp->factored > 0 && fcps_model_parts(fan->model) == 1;
}

/* The factor that the candidates' parameters contribute to covariances: the same in every context. */
static fcps_status separate_candidates(fcps_fan *fan)
{
  const fcps_model *model = fan->view->model;
  const fcps_gp *gp = model->gp;
  const size_t width = (size_t)model->parameters.width, count = (size_t)fan->candidates;
  free(fan->separated);
  fan->separated_of = NULL;
  fan->separated = fcps_allocate((size_t)gp->factored * count, sizeof(double));
  double *features = fcps_allocate(width * count, sizeof(double));
  const bool has_room = fan->separated != NULL && features != NULL;
  for (size_t i = 0; i < count && has_room; i++)
    fcps_embed(&model->parameters, fan->unit + i * (size_t)model->parameters.count, features + i * width);
  if (has_room) fcps_gp_separate(gp, model->context.width, (int)width, fan->candidates, features, fan->separated);
  if (has_room) fan->separated_of = model;
  free(features);
  return has_room ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* The weights of all columns: each output in each place, or the reward of each context in its place. Their number. */
static int weigh_columns(const fcps_fan *fan, const fcps_gp_outputs *outputs, const double *shared, double *weights,
                         int *output)
{
  const bool is_outcome = fan->view->scoring != NULL;
  const int columns = is_outcome ? outputs->outputs * fan->places : fan->count;
  const size_t rows = (size_t)fan->view->model->gp->factored;
  for (int c = 0; c < columns; c++) {
    const int place = is_outcome ? c / outputs->outputs : fan->place[c];
    output[c] = is_outcome ? c % outputs->outputs : c;
    fcps_gp_weigh_separated(fan->view->model->gp, outputs, output[c], shared + (size_t)place * rows,
                            weights + (size_t)c * (size_t)outputs->count);
  }
  return columns;
}

/* Means alone, in any number of places: separated, they are one product. */
static fcps_status predict_means(fcps_fan *fan, const fcps_gp_outputs *outputs)
{
  const fcps_model *model = fan->view->model;
  const size_t rows = (size_t)model->gp->factored, places = (size_t)fan->places;
  fcps_status status = fan->separated_of == model ? FCPS_OK : separate_candidates(fan);
  const size_t most = fan->view->scoring != NULL ? places * (size_t)outputs->outputs : (size_t)fan->count;
  double *shared = fcps_allocate(rows * (places + most), sizeof(double)), *weights = shared + rows * places;
  int *output = fcps_allocate(most, sizeof *output);
  if (shared == NULL || output == NULL) status = FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    fcps_gp_separate(model->gp, 0, model->context.width, fan->places, fan->view->contexts, shared);
    const int columns = weigh_columns(fan, outputs, shared, weights, output);
    fcps_gp_predict_separated(model->gp, outputs, columns, output, weights, fan->candidates, fan->separated,
                              fan->means);
  }
  free(shared);
  free(output);
  return status;
}

/* Predicts `outputs` at all candidates in the only place: means[c*outputs + o], and variances where they are wanted. */
static void predict_candidates(fcps_fan *fan, const fcps_gp_outputs *outputs)
{
  const size_t n = (size_t)fan->model->parameters.count, parts = (size_t)fcps_model_parts(fan->model);
  fcps_view *view = fan->view;
  for (int start = 0; start < fan->candidates; start += PASS) {
    const int block = fan->candidates - start < PASS ? fan->candidates - start : PASS;
    for (int i = 0; i < block; i++)
      fcps_view_features(view, i, fan->unit + (size_t)(start + i) * n);
    fcps_parts_predict(view->model, outputs, block, view->features, &view->work,
                       fan->means + (size_t)start * (size_t)outputs->outputs,
                       fan->has_variances ? fan->variances + (size_t)start * parts : NULL);
  }
}

fcps_status fcps_fan_see(fcps_fan *fan)
{
  const bool is_outcome = fan->view->scoring != NULL, is_few = fan->places > 1 || fan->count < FCPS_FAN_FEW;
  const fcps_gp_outputs *outputs = is_outcome ? &fan->view->outputs : &fan->outputs;
  fan->seen = -1;
  fan->has_variances = is_outcome && !(is_few && fcps_fan_can_climb(fan));
  if (is_few && fcps_fan_can_group(fan)) return predict_means(fan, outputs);
  predict_candidates(fan, outputs);
  return FCPS_OK;
}

/* Gets the outcomes of a place, and the terms of rewards there. */
static fcps_status look_at(fcps_fan *fan, int place)
{
  if (fan->seen == place) return FCPS_OK;
  const size_t width = (size_t)fan->view->outputs.outputs, columns = width * (size_t)fan->places;
  for (size_t c = 0; c < (size_t)fan->candidates; c++)
    memcpy(fan->outcomes + c * width, fan->means + c * columns + (size_t)place * width, width * sizeof(double));
  fcps_status status = FCPS_OK;
  if (fcps_fan_can_climb(fan))
    status = fcps_scoring_terms(fan->view->scoring, fan->candidates, fan->unit, fan->terms, fan->error);
  if (status == FCPS_OK) fan->seen = place;
  return status;
}

/* Whether chances weigh the rewards. */
static bool has_doubts(const fcps_fan *fan)
{
  const fcps_model *whole = fan->view->whole;
  return whole->feasible != NULL || whole->present != NULL || whole->problem->presence != NULL;
}

/* Mean rewards from outcomes, before doubts. */
static fcps_status score(fcps_fan *fan, double *values)
{
  fcps_scoring *scoring = fan->view->scoring;
  const fcps_outcomes all = {fan->candidates, fan->unit, fan->outcomes, fan->variances, fcps_model_parts(fan->model)};
  if (!fan->has_variances)
    fcps_scoring_bound(scoring, fan->candidates, fan->outcomes, fan->terms, values);
  else if (fcps_fan_can_climb(fan) && !has_doubts(fan))
    fcps_scoring_screen(scoring, &all, fan->terms, FCPS_SCREEN_BEST, values);
  else
    return fcps_scoring_moments(scoring, &all, values, NULL, fan->error);
  return FCPS_OK;
}

fcps_status fcps_fan_value(fcps_fan *fan, int context, double *values)
{
  fcps_status status = FCPS_OK;
  fcps_fan_turn(fan, context);
  if (fan->view->scoring != NULL) {
    status = look_at(fan, fan->place[context]);
    if (status == FCPS_OK) status = score(fan, values);
  } else {
    for (int c = 0; c < fan->candidates; c++)
      values[c] = fan->means[(size_t)c * (size_t)fan->count + (size_t)context];
  }
  for (int start = 0; start < fan->candidates && status == FCPS_OK; start += PASS) {
    const int block = fan->candidates - start < PASS ? fan->candidates - start : PASS;
    fcps_view_weigh(fan->view, block, fan->unit + (size_t)start * (size_t)fan->model->parameters.count, values + start,
                    NULL);
  }
  return status;
}
