/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fan.h"

#include "base/memory.h"
#include "model/fan_impl.h"
#include "model/parts.h"

#include <stdlib.h>
#include <string.h>

enum { PASS = FCPS_VIEW_PASS };

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
  fcps_gp_slopes_destroy(&fan->slopes);
  free(fan->means);
  free(fan->variances);
  free(fan->terms);
  free(fan->separated);
  free(fan);
}

static const double *target_at(const fcps_fan *fan, int index)
{
  return fan->targets + (size_t)index * (size_t)fan->model->problem->target.count;
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

/* Means alone, in a context of their own: separated, they are one product. */
static fcps_status predict_means(fcps_fan *fan, const fcps_gp_outputs *outputs)
{
  const fcps_view *view = fan->view;
  const fcps_gp *gp = view->model->gp;
  const size_t rows = (size_t)gp->factored;
  fcps_status status = fan->separated_of == view->model ? FCPS_OK : separate_candidates(fan);
  double *scratch = fcps_allocate(rows * ((size_t)outputs->outputs + 1), sizeof(double));
  if (scratch == NULL) status = FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    fcps_gp_separate(gp, 0, view->model->context.width, 1, view->context, scratch);
    fcps_gp_predict_separated(gp, outputs, scratch, fan->candidates, fan->separated, scratch + rows, fan->means);
  }
  free(scratch);
  return status;
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

/* Whether chances weigh the rewards. */
static bool has_doubts(const fcps_fan *fan)
{
  const fcps_model *whole = fan->view->whole;
  return whole->feasible != NULL || whole->present != NULL || whole->problem->presence != NULL;
}

static fcps_status fill_terms(fcps_fan *fan)
{
  fan->terms = fcps_allocate((size_t)fan->candidates, sizeof(double));
  if (fan->terms == NULL) return FCPS_ERR_MEMORY;
  return fcps_scoring_terms(fan->view->scoring, fan->candidates, fan->unit, fan->terms, fan->error);
}

/* Fewer targets than these in one environment are a few. */
enum { FEW = 12 };

/* The candidates in this environment: means for `outputs`, and variances where rewards need them. */
static fcps_status see_candidates(fcps_fan *fan, const fcps_gp_outputs *outputs)
{
  const fcps_gp *gp = fan->view->model->gp;
  const bool needs_variances =
      fan->model->ops->has_outcome_outputs && !(fan->terms != NULL && fan->targets_count < FEW);
  fan->has_variances = needs_variances;
  if (!needs_variances && fan->targets_count < FEW && fcps_gp_is_separable(gp) && gp->factored > 0 &&
      fcps_model_parts(fan->model) == 1)
    return predict_means(fan, outputs);
  predict_candidates(fan, outputs, needs_variances ? fan->variances : NULL);
  return FCPS_OK;
}

/* What depends on the environment alone. */
static fcps_status enter(fcps_fan *fan, const double *environment)
{
  fcps_view_destroy(fan->view);
  fcps_gp_slopes_destroy(&fan->slopes);
  free(fan->terms);
  fan->view = NULL;
  fan->terms = NULL;
  fcps_status status = fcps_view_create(&fan->view, fan->model, fan->targets, environment, fan->error);
  if (status != FCPS_OK || !fan->model->ops->has_outcome_outputs) return status;
  if (!has_doubts(fan) && fcps_fan_can_climb(fan)) status = fill_terms(fan);
  return status == FCPS_OK ? see_candidates(fan, &fan->view->outputs) : status;
}

fcps_status fcps_fan_aim(fcps_fan *fan, int count, const double *targets, const double *environment)
{
  if (count < 1 || count > FCPS_FAN_TARGETS) return FCPS_ERR_ARGUMENT;
  fan->targets = targets;
  fan->targets_count = count;
  fcps_status status = FCPS_OK;
  if (fan->view == NULL || !is_in(fan->view, environment)) status = enter(fan, environment);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status = fcps_view_worst(fan->view, target_at(fan, i), &fan->worst[i]);
  if (status != FCPS_OK || fan->model->ops->has_outcome_outputs) return status;
  status = fcps_model_condition(fan->view->model, count, targets, &fan->outputs, fan->error);
  return status == FCPS_OK ? see_candidates(fan, &fan->outputs) : status;
}

void fcps_fan_turn(fcps_fan *fan, int index)
{
  const fcps_gp_outputs *outputs = fan->model->ops->has_outcome_outputs ? NULL : &fan->outputs;
  fcps_view_turn(fan->view, target_at(fan, index), fan->worst[index], outputs, index);
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
  fcps_status status = FCPS_OK;
  fcps_fan_turn(fan, index);
  for (int start = 0; start < fan->candidates && status == FCPS_OK; start += PASS) {
    const int block = fan->candidates - start < PASS ? fan->candidates - start : PASS;
    status = mean_rewards(fan, index, start, block, means + start);
    fcps_view_weigh(fan->view, block, fan->unit + (size_t)start * (size_t)fan->model->parameters.count, means + start,
                    NULL);
  }
  *view = fan->view;
  return status == FCPS_OK ? fcps_view_failure(fan->view) : status;
}

/* One target after the other. */
static void predict_each(fcps_fan *fan, const double *unit, double *means, double *deviations)
{
  const size_t n = (size_t)fan->model->parameters.count;
  for (int i = 0; i < fan->targets_count; i++) {
    double unused;
    fcps_fan_turn(fan, i);
    fcps_view_predict(fan->view, 1, unit + (size_t)i * n, means != NULL ? means + i : &unused,
                      deviations != NULL ? deviations + i : NULL);
  }
}

/* The outcomes of `count` targets from `first` on in one pass of the GP, then what each is worth to its target. */
static void predict_outcomes(fcps_fan *fan, int first, int count, const double *unit, double *means, double *deviations)
{
  const size_t n = (size_t)fan->model->parameters.count;
  fcps_view *view = fan->view;
  for (int i = 0; i < count; i++)
    fcps_view_features(view, i, unit + (size_t)i * n);
  const fcps_outcomes all = fcps_view_outcomes(view, count, unit);
  for (int i = 0; i < count; i++) {
    const fcps_outcomes one = {1, unit + (size_t)i * n, all.means + (size_t)i * (size_t)view->outputs.outputs,
                               all.variances + i * all.parts, all.parts};
    double unused, *mean = means != NULL ? means + i : &unused, *deviation = deviations != NULL ? deviations + i : NULL;
    fcps_fan_turn(fan, first + i);
    fcps_view_note(view, fcps_scoring_moments(view->scoring, &one, mean, deviation, fan->error));
    fcps_view_weigh(view, 1, one.unit, mean, deviation);
  }
}

fcps_status fcps_fan_predict(fcps_fan *fan, const double *unit, double *means, double *deviations)
{
  const size_t n = (size_t)fan->model->parameters.count;
  if (fan->view->scoring == NULL) predict_each(fan, unit, means, deviations);
  for (int first = 0; first < fan->targets_count && fan->view->scoring != NULL; first += PASS) {
    const int block = fan->targets_count - first < PASS ? fan->targets_count - first : PASS;
    predict_outcomes(fan, first, block, unit + (size_t)first * n, means != NULL ? means + first : NULL,
                     deviations != NULL ? deviations + first : NULL);
  }
  return fcps_view_failure(fan->view);
}
