/* SPDX-License-Identifier: Apache-2.0 */
/* Explains what the model of a study has learnt: which dimensions matter, how predictions change along each dimension,
 * how the best parameters follow the context, and whether results lie where the model predicted them. */
#include "base/error.h"
#include "base/memory.h"
#include "insight/sobol.h"
#include "operation/call.h"
#include "policy/policy_impl.h"
#include "problem/formula/conditions.h"
#include "problem/problem.h"
#include "space/points.h"
#include "space/space.h"
#include "study/inside.h"
#include "wire/wire.h"

#include <fcps/study_check.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 24, AVERAGED = 16, SAMPLES = 512, SAID = 2 };

static const char *const space_names[] = {"target", "environment", "parameters"};

typedef struct explanation {
  fcps_call *call;
  const fcps_problem *problem;
  fcps_policy *policy;
  const fcps_model *model;
  /* the conditions of parameters, read once for all points; NULL if all parameters always apply */
  fcps_conditions *conditions;
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX],
      parameters[FCPS_SPACE_MAX]; /* the place through which slices go */
  int points;
  double *spread; /* AVERAGED points of the unit cube; each has the target, then the environment, then the parameters */
  double reward_total[3 * FCPS_SPACE_MAX];
  bool is_fixed[3 * FCPS_SPACE_MAX]; /* in the order of `spread`: never varied in the results */
  double fixed[3 * FCPS_SPACE_MAX];  /* the value in the unit cube */
} explanation;

static const fcps_space *space_of(const fcps_problem *p, int s)
{
  return s == 0 ? &p->target : s == 1 ? &p->environment : &p->parameters;
}

static int width_of(const fcps_problem *p)
{
  return p->target.count + p->environment.count + p->parameters.count;
}

/* -- Where -- */

static fcps_status read_part(const explanation *e, const fcps_space *space, const char *key, double *values,
                             fcps_error *error)
{
  const fcps_json *object = fcps_call_get(e->call, key);
  for (int i = 0; i < space->count; i++) {
    const fcps_json *value = fcps_json_get(object, space->dims[i].name);
    values[i] = fcps_dimension_at(space->dims + i, 0.5);
    if (value != NULL && !fcps_wire_value_read(space->dims + i, value, values + i))
      return fcps_error_set(error, FCPS_ERR_FORMAT, key,
                            "\"%s.%s\" must be a number or, if the dimension has choices, one of its words", key,
                            space->dims[i].name);
  }
  return fcps_call_check_names(e->problem, space, key, object, false, error);
}

static fcps_status begin(explanation *e, fcps_error *error)
{
  const fcps_problem *p = e->problem;
  fcps_status status = read_part(e, &p->target, "target", e->target, error);
  if (status == FCPS_OK) status = read_part(e, &p->environment, "environment", e->environment, error);
  if (status == FCPS_OK) status = fcps_call_policy(e->call, &e->policy, error);
  if (status != FCPS_OK) return status;
  fcps_policy_set_strict(e->policy, false);
  e->model = e->policy->ops->model != NULL ? e->policy->ops->model(e->policy) : NULL;
  if (e->model == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "learner",
                          "%s has no model that could be explained; another learner is chosen with: fcps study amend "
                          "%s --learner outcome",
                          fcps_study_learner(e->call->study), fcps_study_word(e->call->study));
  if (e->model->training.count == 0)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "",
                          "there is no result yet that the model could have learnt from; tell some first");
  e->points = (int)fcps_call_integer(e->call, "points", POINTS);
  e->spread = fcps_allocate(AVERAGED * (size_t)width_of(p) + 1, sizeof *e->spread);
  if (e->spread == NULL) return fcps_error_memory(error);
  status = fcps_conditions_create(&e->conditions, p, e->target, e->environment, error);
  if (status != FCPS_OK) return status;
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 4);
  fcps_points_halton(&rng, width_of(p), 0, AVERAGED, e->spread);
  status = fcps_policy_query(e->policy, e->target, e->environment, e->parameters, NULL);
  if (status != FCPS_OK) *error = *fcps_policy_error(e->policy);
  return status;
}

/* Gives the parameters that do not apply in a context their value at rest. */
static void rest(const explanation *e, const double *target, const double *environment, double *parameters)
{
  if (e->conditions == NULL) return;
  fcps_conditions_turn(e->conditions, target, environment);
  fcps_conditions_rest(e->conditions, parameters);
}

/* Does the same with a point of the unit cube. */
static void rest_unit(const explanation *e, const double *target, const double *environment, double *x)
{
  double parameters[FCPS_SPACE_MAX];
  if (e->conditions == NULL) return;
  fcps_space_from_unit(&e->problem->parameters, x, parameters);
  rest(e, target, environment, parameters);
  fcps_space_to_unit(&e->problem->parameters, parameters, x);
}

/* -- What was never varied --
 *
 * The model cannot know what a dimension does that has one value in all results (in which it applies). Shares are of the
 * variation with this value, and such a dimension has none. A target never counts if the reward of any target is known. */

static double value_of(const fcps_rollout *r, int space, int d)
{
  return (space == 0 ? r->target : space == 1 ? r->environment : r->parameters)[d];
}

static void look_for_variation(explanation *e, int space, int d, int index)
{
  const fcps_space one = {1, space_of(e->problem, space)->dims + d};
  int count = 0;
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < e->model->training.count; i++) {
    const fcps_rollout r = fcps_rollouts_at(&e->model->training, i);
    bool applies[FCPS_SPACE_MAX];
    const double value = value_of(&r, space, d);
    if (space == 2 && e->conditions != NULL) {
      fcps_conditions_turn(e->conditions, r.target, r.environment);
      fcps_conditions_find(e->conditions, r.parameters, applies);
      if (!applies[d]) continue;
    }
    count++;
    low = fmin(low, value);
    high = fmax(high, value);
  }
  e->is_fixed[index] = !(high > low) && (space > 0 || e->model->layout.has_target);
  if (e->is_fixed[index] && count > 0) fcps_space_to_unit(&one, &low, e->fixed + index);
}

static void find_fixed(explanation *e)
{
  for (int s = 0, i = 0; s < 3; s++)
    for (int d = 0; d < space_of(e->problem, s)->count; d++, i++)
      look_for_variation(e, s, d, i);
}

/* Copies a point of the whole space. A dimension that was never varied gets the value that all results have. */
static void settle(const explanation *e, const double *point, double *settled)
{
  for (int i = 0; i < width_of(e->problem); i++)
    settled[i] = e->is_fixed[i] ? e->fixed[i] : point[i];
}

/* -- What matters -- */

/* Computes the expected rewards at points of the whole space. A model of outcomes predicts the outcome, and the formula
 * gives its reward. A model of rewards predicts them itself; if it has one output for each target, it predicts them for
 * the given target. */
static fcps_status rewards_of(void *user, int count, const double *points, double *values)
{
  const explanation *e = user;
  const fcps_problem *p = e->problem;
  const bool are_outcomes = e->model->ops->predicts_outcomes, present = true;
  const size_t width = (size_t)width_of(p), q = (size_t)e->model->layout.outputs,
               inputs = (size_t)fcps_sobol_inputs(e->model), t = (size_t)p->target.count,
               n = (size_t)p->environment.count;
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX], parameters[FCPS_SPACE_MAX];
  double *room = fcps_allocate((size_t)count * (inputs + q), sizeof *room);
  if (room == NULL) return FCPS_ERR_MEMORY;
  for (size_t i = 0; i < (size_t)count; i++) { /* In `points` the target comes first; for the model, the environment. */
    double from[3 * FCPS_SPACE_MAX];
    settle(e, points + i * width, from);
    double *to = room + i * inputs;
    memcpy(to, from + t, n * sizeof *to);
    if (inputs == width && t > 0) memcpy(to + n, from, t * sizeof *to);
    to += inputs - (size_t)p->parameters.count;
    memcpy(to, from + t + n, (size_t)p->parameters.count * sizeof *to);
    fcps_space_from_unit(&p->target, from, target);
    fcps_space_from_unit(&p->environment, from + t, environment);
    rest_unit(e, target, environment, to);
  }
  double *means = room + (size_t)count * inputs;
  fcps_status status = fcps_sobol_means(e->model, e->target, count, room, means, NULL);
  for (size_t i = 0; i < (size_t)count && status == FCPS_OK; i++) {
    double from[3 * FCPS_SPACE_MAX];
    values[i] = means[i * q];
    if (!are_outcomes) continue;
    settle(e, points + i * width, from);
    fcps_space_from_unit(&p->target, from, target);
    fcps_space_from_unit(&p->environment, from + t, environment);
    fcps_space_from_unit(&p->parameters, room + (i + 1) * inputs - p->parameters.count, parameters);
    for (size_t o = 0; o < q; o++)
      means[i * q + o] = fcps_dimension_clip(p->outcome.dims + o, means[i * q + o]);
    status = fcps_problem_score(p, 1, target, environment, parameters, means + i * q, &present, values + i, NULL);
  }
  free(room);
  return status;
}

static fcps_json *begin_sensitivity(const char *output)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "output", fcps_json_from_text(output));
  return object;
}

static void put_index(fcps_json **alone, fcps_json **total, const char *name, double first, double all)
{
  if (isfinite(first)) fcps_json_put(alone, name, fcps_json_from_number(first));
  if (isfinite(all)) fcps_json_put(total, name, fcps_json_from_number(all));
}

static fcps_status add_reward(explanation *e, fcps_json **list)
{
  const fcps_problem *p = e->problem;
  const int width = width_of(p);
  double first[3 * FCPS_SPACE_MAX];
  const fcps_sobol_function f = {width, 1, rewards_of, e};
  const fcps_status status = fcps_sobol_sample(&f, SAMPLES, first, e->reward_total);
  fcps_json *object = begin_sensitivity("reward"), *alone = fcps_json_object(), *total = fcps_json_object();
  for (int s = 0, i = 0; s < 3 && status == FCPS_OK; s++)
    for (int d = 0; d < space_of(p, s)->count; d++, i++)
      if (!e->is_fixed[i]) put_index(&alone, &total, space_of(p, s)->dims[d].name, first[i], e->reward_total[i]);
  fcps_json_put(&object, "total", total);
  fcps_json_put(&object, "alone", alone);
  fcps_json_put(&object, "exact", fcps_json_from_bool(false));
  fcps_json_add(list, object);
  return status;
}

/* The place of an input of the model in the whole space. */
static int place_of(const explanation *e, int input)
{
  const fcps_problem *p = e->problem;
  const int targets = e->model->layout.has_target ? p->target.count : 0, n = p->environment.count;
  if (input < n) return p->target.count + input;
  return input < n + targets ? input - n : p->target.count + input - targets;
}

/* The means of the model, with what was never varied at its value. */
static fcps_status means_of(void *user, int count, const double *points, double *values)
{
  const explanation *e = user;
  const size_t inputs = (size_t)fcps_sobol_inputs(e->model);
  double *settled = fcps_allocate((size_t)count * inputs, sizeof *settled);
  if (settled == NULL) return FCPS_ERR_MEMORY;
  for (size_t i = 0; i < (size_t)count * inputs; i++) {
    const int place = place_of(e, (int)(i % inputs));
    settled[i] = e->is_fixed[place] ? e->fixed[place] : points[i];
  }
  const fcps_status status = fcps_sobol_means(e->model, e->target, count, settled, values, NULL);
  free(settled);
  return status;
}

static fcps_status add_outcomes(explanation *e, fcps_json **list, fcps_error *error)
{
  const int inputs = fcps_sobol_inputs(e->model), q = e->model->layout.outputs;
  bool is_closed = false;
  if (!e->model->ops->predicts_outcomes) return FCPS_OK;
  double *first = fcps_allocate(2 * (size_t)inputs * (size_t)q, sizeof *first), *total = first + inputs * q;
  if (first == NULL) return fcps_error_memory(error);
  bool is_any_fixed = false;
  for (int d = 0; d < inputs; d++)
    is_any_fixed = is_any_fixed || e->is_fixed[place_of(e, d)];
  const fcps_sobol_function f = {inputs, q, means_of, e};
  const fcps_status status = is_any_fixed ? fcps_sobol_sample(&f, SAMPLES, first, total)
                                          : fcps_sobol_model(e->model, first, total, &is_closed, error);
  for (int o = 0; o < q && status == FCPS_OK; o++) {
    fcps_json *object = begin_sensitivity(e->problem->outcome.dims[o].name), *alone = fcps_json_object(),
              *all = fcps_json_object();
    for (int d = 0; d < inputs; d++)
      if (!e->is_fixed[place_of(e, d)])
        put_index(&alone, &all, fcps_sobol_input(e->model, d)->name, first[o * inputs + d], total[o * inputs + d]);
    fcps_json_put(&object, "total", all);
    fcps_json_put(&object, "alone", alone);
    fcps_json_put(&object, "exact", fcps_json_from_bool(is_closed));
    fcps_json_add(list, object);
  }
  free(first);
  return status;
}

/* -- Along a dimension -- */

/* What a slice along one dimension needs: its points, the predictions there with the best parameters otherwise, and the
 * mean prediction over all other dimensions. */
typedef struct slice {
  const fcps_dimension *dim;
  int space, index, count;
  double *values, *rewards, *deviations, *averages, *average_deviations, *outcomes, *outcome_deviations;
} slice;

/* Returns the number of points of a slice. Words and whole numbers have at most one point for each level. */
static int points_of(const fcps_dimension *dim, int points)
{
  const double step = fcps_dimension_step(dim);
  const int levels = step > 0.0 ? (int)fmin((dim->upper - dim->lower) / step + 1.5, points) : points;
  return levels > 1 ? levels : 1;
}

static fcps_status make_slice(slice *s, const explanation *e, int space, int index, fcps_error *error)
{
  const size_t n = (size_t)e->points, q = (size_t)e->problem->outcome.count;
  *s = (slice){.dim = space_of(e->problem, space)->dims + index, .space = space, .index = index};
  s->count = points_of(s->dim, e->points);
  s->values = fcps_allocate(n * (5 + 2 * q), sizeof *s->values);
  if (s->values == NULL) return fcps_error_memory(error);
  s->rewards = s->values + n;
  s->deviations = s->rewards + n;
  s->averages = s->deviations + n;
  s->average_deviations = s->averages + n;
  s->outcomes = s->average_deviations + n;
  s->outcome_deviations = s->outcomes + n * q;
  for (int i = 0; i < s->count; i++)
    s->values[i] = fcps_dimension_at(s->dim, s->count > 1 ? i / (s->count - 1.0) : 0.5);
  return FCPS_OK;
}

static fcps_status fill_slice(const explanation *e, slice *s, fcps_error *error)
{
  const fcps_problem *p = e->problem;
  const size_t q = (size_t)p->outcome.count;
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX], parameters[FCPS_SPACE_MAX];
  double *const parts[] = {target, environment, parameters}, rested[FCPS_SPACE_MAX];
  memcpy(target, e->target, sizeof target);
  memcpy(environment, e->environment, sizeof environment);
  memcpy(parameters, e->parameters, sizeof parameters);
  for (int i = 0; i < s->count; i++) {
    fcps_prediction prediction = {.outcome = s->outcomes + (size_t)i * q,
                                  .outcome_deviation = s->outcome_deviations + (size_t)i * q};
    parts[s->space][s->index] = s->values[i];
    memcpy(rested, parameters, sizeof rested);
    rest(e, target, environment, rested);
    if (fcps_policy_predict_at(e->policy, target, environment, rested, &prediction) != FCPS_OK) {
      *error = *fcps_policy_error(e->policy);
      return error->status;
    }
    s->rewards[i] = prediction.reward;
    s->deviations[i] = prediction.reward_deviation;
    for (size_t o = 0; o < 2 * q && !prediction.has_outcome; o++)
      (o < q ? s->outcomes : s->outcome_deviations)[(size_t)i * q + o % q] = NAN;
  }
  return FCPS_OK;
}

/* Adds the rewards along the slice that goes through one of the spread points. */
static fcps_status add_place(const explanation *e, slice *s, const double *unit, double *x, fcps_error *error)
{
  const fcps_problem *p = e->problem;
  const int n = p->parameters.count;
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX], mean[FCPS_POSTERIOR_BLOCK],
      deviation[FCPS_POSTERIOR_BLOCK];
  fcps_posterior *posterior = NULL;
  fcps_status status = FCPS_OK;
  fcps_space_from_unit(&p->target, unit, target);
  fcps_space_from_unit(&p->environment, unit + p->target.count, environment);
  for (int i = 0; i < s->count && status == FCPS_OK; i++) {
    const bool moves = s->space < 2;
    if (moves) (s->space == 0 ? target : environment)[s->index] = s->values[i];
    for (int k = moves ? 1 : s->count; k-- > 0;) {
      memcpy(x + k * n, unit + p->target.count + p->environment.count, (size_t)n * sizeof *x);
      if (!moves) {
        const fcps_space one = {1, s->dim};
        fcps_space_to_unit(&one, s->values + k, x + k * n + s->index);
      }
      rest_unit(e, target, environment, x + k * n);
    }
    if (status == FCPS_OK) status = fcps_posterior_create(&posterior, e->model, target, environment, error);
    if (status == FCPS_OK) {
      fcps_posterior_set_view(posterior, (fcps_penalty_view){.is_sober = true, .without_limits = true});
      fcps_posterior_moments(posterior, moves ? 1 : s->count, x, mean, deviation);
      status = fcps_posterior_failure(posterior);
    }
    fcps_posterior_destroy(posterior);
    for (int k = 0; k < (moves ? 1 : s->count) && status == FCPS_OK; k++) {
      s->averages[moves ? i : k] += mean[k] / AVERAGED;
      s->average_deviations[moves ? i : k] += deviation[k] / AVERAGED;
    }
    if (!moves) break;
  }
  return status;
}

static fcps_status average_slice(const explanation *e, slice *s, fcps_error *error)
{
  const size_t width = (size_t)width_of(e->problem);
  double *x = fcps_allocate((size_t)e->points * (size_t)e->problem->parameters.count, sizeof *x);
  fcps_status status = x != NULL ? FCPS_OK : fcps_error_memory(error);
  for (size_t i = 0; i < AVERAGED && status == FCPS_OK; i++)
    status = add_place(e, s, e->spread + i * width, x, error);
  free(x);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

static fcps_json *write_known(int count, int stride, const double *values)
{
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < count; i++)
    fcps_json_add(&list, fcps_json_from_known(values[i * stride]));
  return list;
}

/* Writes values of a dimension as numbers, or as words if the dimension has words. */
static fcps_json *write_values(const fcps_dimension *dim, int count, int stride, const double *values)
{
  if (dim->choices == NULL) return write_known(count, stride, values);
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < count; i++)
    fcps_json_add(&list, isnan(values[i * stride]) ? fcps_json_null() : fcps_wire_value_write(dim, values[i * stride]));
  return list;
}

static fcps_json *write_columns(const fcps_space *space, int count, const double *rows)
{
  fcps_json *object = fcps_json_object();
  for (int d = 0; d < space->count; d++)
    fcps_json_put(&object, space->dims[d].name, write_values(space->dims + d, count, space->count, rows + d));
  return object;
}

static fcps_json *begin_line(const fcps_dimension *dim, int space, int count, const double *values)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "dimension", fcps_json_from_text(dim->name));
  fcps_json_put(&object, "space", fcps_json_from_text(space_names[space]));
  fcps_json_put(&object, "values", write_values(dim, count, 1, values));
  return object;
}

static fcps_json *write_slice(const explanation *e, const slice *s)
{
  fcps_json *object = begin_line(s->dim, s->space, s->count, s->values);
  fcps_json_put(&object, "rewards", write_known(s->count, 1, s->rewards));
  fcps_json_put(&object, "deviations", write_known(s->count, 1, s->deviations));
  fcps_json_put(&object, "averages", write_known(s->count, 1, s->averages));
  fcps_json_put(&object, "average_deviations", write_known(s->count, 1, s->average_deviations));
  if (!e->model->ops->predicts_outcomes) return object;
  fcps_json_put(&object, "outcomes", write_columns(&e->problem->outcome, s->count, s->outcomes));
  fcps_json_put(&object, "outcome_deviations", write_columns(&e->problem->outcome, s->count, s->outcome_deviations));
  return object;
}

static fcps_status put_slices(explanation *e, fcps_error *error)
{
  fcps_json *list = fcps_json_array();
  fcps_status status = FCPS_OK;
  for (int space = 0; space < 3; space++)
    for (int d = 0; d < space_of(e->problem, space)->count && status == FCPS_OK; d++) {
      slice s;
      status = make_slice(&s, e, space, d, error);
      if (status == FCPS_OK) status = fill_slice(e, &s, error);
      if (status == FCPS_OK) status = average_slice(e, &s, error);
      if (status == FCPS_OK) fcps_json_add(&list, write_slice(e, &s));
      free(s.values);
    }
  fcps_json_put(&e->call->json, "slices", list);
  return status;
}

/* -- How the choice follows the context -- */

static fcps_status add_choices(const explanation *e, int space, int d, fcps_json **list, fcps_error *error)
{
  const fcps_problem *p = e->problem;
  const fcps_dimension *dim = space_of(p, space)->dims + d;
  const size_t t = (size_t)p->target.count, n = (size_t)p->environment.count, k = (size_t)p->parameters.count,
               most = (size_t)e->points;
  const int count = points_of(dim, e->points);
  double *values = fcps_allocate(most * (3 + t + n + k), sizeof *values);
  if (values == NULL) return fcps_error_memory(error);
  double *rewards = values + most, *deviations = rewards + most, *targets = deviations + most,
         *environments = targets + most * t, *parameters = environments + most * n;
  for (size_t i = 0; i < (size_t)count; i++) {
    if (t > 0) memcpy(targets + i * t, e->target, t * sizeof *targets);
    if (n > 0) memcpy(environments + i * n, e->environment, n * sizeof *environments);
    values[i] = fcps_dimension_at(dim, count > 1 ? (double)i / (count - 1.0) : 0.5);
    (space == 0 ? targets + i * t : environments + i * n)[d] = values[i];
  }
  const fcps_status status =
      fcps_policy_query_batch(e->policy, count, targets, environments, parameters, rewards, deviations);
  if (status != FCPS_OK) *error = *fcps_policy_error(e->policy);
  for (size_t i = 0; i < (size_t)count && status == FCPS_OK; i++)
    (void)fcps_problem_leave_out(p, targets + i * t, environments + i * n, parameters + i * k, NULL);
  fcps_json *object = begin_line(dim, space, count, values);
  fcps_json_put(&object, "parameters", write_columns(&p->parameters, count, parameters));
  fcps_json_put(&object, "rewards", write_known(count, 1, rewards));
  fcps_json_put(&object, "deviations", write_known(count, 1, deviations));
  fcps_json_add(list, object);
  free(values);
  return status;
}

static fcps_status put_choices(explanation *e, fcps_error *error)
{
  fcps_json *list = fcps_json_array();
  fcps_status status = FCPS_OK;
  for (int space = 0; space < 2; space++)
    for (int d = 0; d < space_of(e->problem, space)->count && status == FCPS_OK; d++)
      status = add_choices(e, space, d, &list, error);
  fcps_json_put(&e->call->json, "choices", list);
  return status;
}

/* -- In words -- */

static const fcps_dimension *dimension_at(const fcps_problem *p, int index)
{
  int space = 0;
  while (index >= space_of(p, space)->count)
    index -= space_of(p, space++)->count;
  return space_of(p, space)->dims + index;
}

/* Writes which two of the `count` dimensions from `first` on matter most to the reward, as in "speed (62 %), then tilt
 * (20 %)". `verb` and `unit` are words for the first one. */
static void say_largest(const explanation *e, FILE *stream, int first, int count, const char *verb, const char *unit)
{
  double above = INFINITY;
  for (int said = 0; said < SAID && said < count; said++) {
    int best = -1;
    for (int i = first; i < first + count; i++)
      if (!e->is_fixed[i] && e->reward_total[i] < above && (best < 0 || e->reward_total[i] > e->reward_total[best]))
        best = i;
    if (best < 0) return;
    above = e->reward_total[best];
    fprintf(stream, "%s%s%s (%.0f %%%s)", said == 0 ? "" : ", then ", dimension_at(e->problem, best)->name,
            said == 0 ? verb : "", 100.0 * fmin(above, 1.0), said == 0 ? unit : "");
  }
}

/* Writes a sentence such as "of the parameters, speed matters most to the reward (62 % of its variation), then tilt
 * (20 %); of the context, wind (31 %)". */
static fcps_status put_text(explanation *e, fcps_error *error)
{
  const int width = width_of(e->problem), context = width - e->problem->parameters.count;
  char *text = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&text, &length);
  if (stream == NULL) return fcps_error_memory(error);
  const int lacking = fcps_policy_lacking_results(e->policy);
  if (lacking > 0) {
    fprintf(stream, "too few results to say what matters: %d more %s needed", lacking, lacking == 1 ? "is" : "are");
  } else {
    fputs("of the parameters, ", stream);
    say_largest(e, stream, context, width - context, " matters most to the reward", " of its variation");
    if (context > 0) fputs("; of the context, ", stream);
    say_largest(e, stream, 0, context, "", "");
  }
  if (fclose(stream) == 0) fcps_json_put(&e->call->json, "text", fcps_json_from_text(text));
  free(text);
  return FCPS_OK;
}

/* Names what was never varied: "tyre, heat". */
static void put_fixed(explanation *e)
{
  char names[512] = "";
  size_t length = 0;
  for (int i = 0; i < width_of(e->problem); i++)
    if (e->is_fixed[i] && length < sizeof names)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "",
                                 dimension_at(e->problem, i)->name);
  if (length > 0) fcps_json_put(&e->call->json, "never_varied", fcps_json_from_text(names));
}

/* -- The answer -- */

static fcps_status put_sensitivity(explanation *e, fcps_error *error)
{
  fcps_json *list = fcps_json_array();
  if (fcps_policy_lacking_results(e->policy) > 0) {
    fcps_json_put(&e->call->json, "sensitivity", list);
    return FCPS_OK;
  }
  fcps_status status = add_reward(e, &list);
  if (status == FCPS_ERR_MEMORY) fcps_error_memory(error);
  if (status == FCPS_ERR_CALLBACK) fcps_error_set(error, status, "reward", "the reward failed");
  if (status == FCPS_OK) status = add_outcomes(e, &list, error);
  fcps_json_put(&e->call->json, "sensitivity", list);
  return status;
}

/* Adds the calibration of the model. If there are too few results for a check, it is left out. */
static void put_calibration(explanation *e)
{
  fcps_study_check *check = NULL;
  if (fcps_study_check_model(e->call->study, e->policy, &check, NULL) != FCPS_OK) return;
  fcps_json_put(&e->call->json, "calibration", fcps_wire_check_write(check));
  fcps_study_check_destroy(check);
}

fcps_status fcps_operation_explain(fcps_call *call, fcps_error *error)
{
  explanation *e = fcps_allocate(1, sizeof *e);
  if (e == NULL) return fcps_error_memory(error);
  e->call = call;
  e->problem = fcps_study_problem(call->study);
  fcps_status status = begin(e, error);
  if (status == FCPS_OK) {
    call->json = fcps_json_object();
    fcps_json_put(&call->json, "target", fcps_wire_numbers_write(&e->problem->target, e->target));
    fcps_json_put(&call->json, "environment", fcps_wire_numbers_write(&e->problem->environment, e->environment));
    fcps_json_put(&call->json, "parameters",
                  fcps_wire_parameters_write(e->problem, e->target, e->environment, e->parameters));
    find_fixed(e);
    put_fixed(e);
    status = put_sensitivity(e, error);
  }
  if (status == FCPS_OK) status = put_text(e, error);
  if (status == FCPS_OK) status = put_choices(e, error);
  if (status == FCPS_OK) status = put_slices(e, error);
  if (status == FCPS_OK) put_calibration(e);
  if (status == FCPS_OK) fcps_wire_units_put(&call->json, e->problem);
  fcps_conditions_destroy(e->conditions);
  free(e->spread);
  free(e);
  return status;
}
