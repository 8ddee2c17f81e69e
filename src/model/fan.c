/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fan.h"

#include "base/memory.h"
#include "model/fan_impl.h"
#include "model/leaves.h"
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
  const size_t count = (size_t)candidates, width = (size_t)model->ops->width(model->problem);
  const size_t columns = width > FCPS_FAN_CONTEXTS ? width : FCPS_FAN_CONTEXTS;
  made->model = model;
  made->error = error;
  made->candidates = candidates;
  made->unit = unit;
  made->means = fcps_allocate(count * columns, sizeof(double));
  made->variances = fcps_allocate(count * (size_t)fcps_model_parts(model), sizeof(double));
  made->outcomes = fcps_allocate(count * width, sizeof(double));
  made->terms = fcps_allocate(count, sizeof(double));
  if (made->means == NULL || made->variances == NULL || made->outcomes == NULL || made->terms == NULL) {
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
  free(fan->outcomes);
  free(fan->terms);
  free(fan->separated);
  free(fan);
}

/* ------------------------------------------------------------------------------------------------------- aiming */

/* The contexts that are waiting. */
typedef struct queue {
  const fcps_problem *problem;
  int count;
  const double *targets, *environments;
} queue;

/* A row of either; there may be none. */
static const double *row_of(const fcps_space *space, const double *rows, int context)
{
  return space->count > 0 ? rows + (size_t)context * (size_t)space->count : NULL;
}

static const double *target_at(const fcps_fan *fan, int context)
{
  return row_of(&fan->model->problem->target, fan->targets, context);
}

static const double *environment_at(const fcps_fan *fan, int context)
{
  return row_of(&fan->model->problem->environment, fan->view->environments, fan->place[context]);
}

static const double *environment_of(const queue *q, int context)
{
  return row_of(&q->problem->environment, q->environments, context);
}

/* How many contexts from `first` on share its environment, as far as a fan takes them. */
static int run_of(const queue *q, int first)
{
  const size_t size = (size_t)q->problem->environment.count * sizeof(double);
  int run = 1;
  while (first + run < q->count && run < FCPS_FAN_CONTEXTS &&
         (size == 0 || memcmp(environment_of(q, first), environment_of(q, first + run), size) == 0))
    run++;
  return run;
}

/* A view of the side of the model that the first context is on. */
static fcps_status take_side(fcps_fan *fan, const queue *q)
{
  const fcps_model *side;
  fcps_status status = fcps_leaves_side(fan->model, q->targets, q->environments, &side);
  if (status != FCPS_OK || (fan->view != NULL && fan->view->model == side)) return status;
  fcps_view_destroy(fan->view);
  fcps_gp_slopes_destroy(&fan->slopes);
  fan->view = NULL;
  return fcps_view_create(&fan->view, fan->model, q->targets, q->environments, fan->error);
}

/* Whether a run of contexts can be looked at together with those before it. */
static bool joins(const fcps_fan *fan, const queue *q, int first, int run)
{
  const double *target = row_of(&q->problem->target, q->targets, first);
  const fcps_model *side;
  return run < FCPS_FAN_FEW && first + run <= FCPS_FAN_CONTEXTS &&
         fcps_leaves_side(fan->model, target, environment_of(q, first), &side) == FCPS_OK && side == fan->view->model;
}

/* Goes to the environments of the first contexts: that of a run of many, or up to `most` where runs are of few. */
static fcps_status visit(fcps_fan *fan, const queue *q, int most)
{
  const size_t e = (size_t)q->problem->environment.count;
  double *environments = fcps_allocate((size_t)most * e, sizeof(double));
  if (environments == NULL) return FCPS_ERR_MEMORY;
  int run = run_of(q, 0);
  if (run >= FCPS_FAN_FEW) most = 1;
  fan->count = fan->places = 0;
  do {
    if (e > 0) memcpy(environments + (size_t)fan->places * e, environment_of(q, fan->count), e * sizeof(double));
    for (int i = 0; i < run; i++)
      fan->place[fan->count + i] = fan->places;
    fan->places++;
    fan->count += run;
    run = fan->count < q->count ? run_of(q, fan->count) : 0;
  } while (run > 0 && fan->places < most && joins(fan, q, fan->count, run));
  const fcps_status status = fcps_view_visit(fan->view, fan->places, environments);
  free(environments);
  return status;
}

/* How many environments fit the columns of the candidates' means. */
static int most_places(const fcps_fan *fan)
{
  const int width = fan->view->outputs.outputs;
  return width < FCPS_FAN_CONTEXTS ? FCPS_FAN_CONTEXTS / width : 1;
}

fcps_status fcps_fan_aim(fcps_fan *fan, int count, const double *targets, const double *environments, int *taken)
{
  if (count < 1) return FCPS_ERR_ARGUMENT;
  const queue q = {fan->model->problem, count, targets, environments};
  fan->targets = targets;
  fcps_status status = take_side(fan, &q);
  if (status == FCPS_OK) status = visit(fan, &q, fcps_fan_can_group(fan) ? most_places(fan) : 1);
  if (status == FCPS_OK && fan->places > 1 && !fcps_fan_can_group(fan)) status = visit(fan, &q, 1);
  for (int i = 0; i < fan->count && status == FCPS_OK; i++)
    status = fcps_view_find_stakes(fan->view, target_at(fan, i), environment_at(fan, i), &fan->stakes[i]);
  if (status == FCPS_OK && !fan->model->ops->has_outcome_outputs)
    status = fcps_model_condition(fan->view->model, fan->count, targets, &fan->outputs, fan->error);
  if (status == FCPS_OK) status = fcps_fan_see(fan);
  *taken = fan->count;
  return status;
}

void fcps_fan_turn(fcps_fan *fan, int context)
{
  const fcps_gp_outputs *outputs = fan->model->ops->has_outcome_outputs ? NULL : &fan->outputs;
  fcps_view_turn(fan->view, fan->place[context], target_at(fan, context), &fan->stakes[context], outputs, context);
}

/* ------------------------------------------------------------------------------------------------------ answering */

fcps_status fcps_fan_view(fcps_fan *fan, int context, fcps_view **view, double *means)
{
  *view = fan->view;
  const fcps_status status = fcps_fan_value(fan, context, means);
  return status == FCPS_OK ? fcps_view_failure(fan->view) : status;
}

/* One context after the other. */
static void predict_each(fcps_fan *fan, const double *unit, double *means, double *deviations)
{
  const size_t n = (size_t)fan->model->parameters.count;
  for (int i = 0; i < fan->count; i++) {
    double unused;
    fcps_fan_turn(fan, i);
    fcps_view_predict(fan->view, 1, unit + (size_t)i * n, means != NULL ? means + i : &unused,
                      deviations != NULL ? deviations + i : NULL);
  }
}

void fcps_fan_rewards(fcps_fan *fan, int count, const int *contexts, const double *unit, double *means,
                      double *deviations)
{
  const size_t n = (size_t)fan->model->parameters.count;
  fcps_view *view = fan->view;
  for (int i = 0; i < count; i++) {
    fcps_fan_turn(fan, contexts[i]);
    fcps_view_features(view, i, unit + (size_t)i * n);
  }
  const fcps_outcomes all = fcps_view_outcomes(view, count, unit);
  for (int i = 0, run; i < count; i += run) {
    for (run = 1; i + run < count && contexts[i + run] == contexts[i];)
      run++;
    const fcps_outcomes some = {run, unit + (size_t)i * n, all.means + (size_t)i * (size_t)view->outputs.outputs,
                                all.variances + i * all.parts, all.parts};
    double *deviation = deviations != NULL ? deviations + i : NULL;
    fcps_fan_turn(fan, contexts[i]);
    fcps_view_note(view, fcps_scoring_moments(view->scoring, &some, means + i, deviation, fan->error));
    fcps_view_weigh(view, run, some.unit, means + i, deviation);
  }
}

fcps_status fcps_fan_predict(fcps_fan *fan, const double *unit, double *means, double *deviations)
{
  const size_t n = (size_t)fan->model->parameters.count;
  if (fan->view->scoring == NULL) predict_each(fan, unit, means, deviations);
  for (int first = 0; first < fan->count && fan->view->scoring != NULL; first += PASS) {
    const int block = fan->count - first < PASS ? fan->count - first : PASS;
    int contexts[PASS];
    double unused[PASS];
    for (int i = 0; i < block; i++)
      contexts[i] = first + i;
    fcps_fan_rewards(fan, block, contexts, unit + (size_t)first * n, means != NULL ? means + first : unused,
                     deviations != NULL ? deviations + first : NULL);
  }
  return fcps_view_failure(fan->view);
}
