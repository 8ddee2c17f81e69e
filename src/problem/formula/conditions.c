/* SPDX-License-Identifier: Apache-2.0 */
/* Reads conditions and finds the parameters that apply. The conditions are ordered: each one follows those of the
 * parameters that it names. */
#include "problem/formula/conditions.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "problem/formula/formula.h"
#include "problem/problem.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The check that a condition can hold tries all combinations of words and steps if there are at most MOST_COMBINATIONS
 * of them; else it tries POINTS points. */
enum { MOST_COMBINATIONS = 20000, POINTS = 4096 };

typedef struct condition {
  fcps_formula written; /* the condition as it is written, over targets, environment and parameters, in this order */
  int place;            /* index of the conditional parameter among these values */
} condition;

struct fcps_conditions {
  const fcps_problem *problem;
  int count, first, width; /* number of conditions; index of the first parameter; number of values */
  condition *list;
  double *values;
  bool *applies;   /* whether each value applies */
  double *results; /* values of the steps of one condition */
  bool *is_open;   /* for each step, whether it depends on a parameter that does not apply */
};

/* -- Reading -- */

typedef struct reader {
  const fcps_problem *problem;
  fcps_conditions *conditions;
  int count, first, width; /* number of all names; of those before the parameters; of those before the outcome */
  const char **names;
  const fcps_choices **choices;
  char *states; /* the state of each parameter: 0, OPEN while its condition is read, then DONE */
  int which;
  fcps_error *error;
} reader;

enum { OPEN = 1, DONE = 2 };

static fcps_status refuse(reader *r, int parameter, int column, const char *format, const char *detail)
{
  char field[sizeof r->error->field];
  r->which = parameter;
  snprintf(field, sizeof field, "%s.when", r->problem->parameters.dims[parameter].name);
  const fcps_status status = fcps_error_set(r->error, FCPS_ERR_FORMAT, field, format, detail);
  if (r->error != NULL) r->error->column = column;
  return status;
}

/* Checks that a condition is a comparison, or several joined by "&&" and "||". */
static fcps_status check_form(reader *r, int parameter, const fcps_formula *written, int root)
{
  const fcps_formula_step *step = &written->steps[root];
  const bool joins = step->op == FCPS_FORMULA_AND || step->op == FCPS_FORMULA_OR;
  if (!joins && !fcps_formula_compares(step))
    return refuse(r, parameter, step->begin + 1, "expected a comparison, as in %s.", "\"tool == mill || layers >= 2\"");
  fcps_status status = FCPS_OK;
  for (int side = 0; side < 2 && joins && status == FCPS_OK; side++)
    status = check_form(r, parameter, written, step->arguments[side]);
  return status;
}

static fcps_status read_one(reader *r, int parameter);

/* Reads the conditions of all parameters that the condition `written` names. */
static fcps_status follow(reader *r, int parameter, const fcps_formula *written)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < written->count && status == FCPS_OK; i++) {
    const fcps_formula_step *step = &written->steps[i];
    const int place = step->index, other = place - r->first;
    if (step->op != FCPS_FORMULA_VALUE) continue;
    if (place >= r->width)
      return refuse(r, parameter, step->begin + 1,
                    "'%s' is an outcome, which is known only after a trial; a condition is over parameters, targets "
                    "and environment.",
                    r->names[place]);
    if (other == parameter)
      return refuse(r, parameter, step->begin + 1, "the condition of '%s' names itself.", r->names[place]);
    if (other < 0 || r->problem->parameters.dims[other].when == NULL) continue;
    if (r->states[other] == OPEN)
      return refuse(r, parameter, step->begin + 1,
                    "goes round in a circle: whether '%s' applies depends on this parameter.", r->names[place]);
    status = read_one(r, other);
  }
  return status;
}

static fcps_status read_one(reader *r, int parameter)
{
  fcps_conditions *c = r->conditions;
  fcps_formula written = {0};
  if (r->states[parameter] == DONE) return FCPS_OK;
  r->states[parameter] = OPEN;
  fcps_error inner = {0};
  fcps_status status =
      fcps_formula_read(&written, r->problem->parameters.dims[parameter].when, r->count, r->names, r->choices, &inner);
  if (status != FCPS_OK) {
    (void)refuse(r, parameter, inner.column, "%s", inner.message);
    if (r->error != NULL) r->error->status = status;
    return status;
  }
  status = follow(r, parameter, &written);
  if (status == FCPS_OK) status = check_form(r, parameter, &written, written.count - 1);
  if (status != FCPS_OK) {
    fcps_formula_destroy(&written);
    return status;
  }
  r->states[parameter] = DONE;
  c->list[c->count++] = (condition){written, r->first + parameter};
  return FCPS_OK;
}

static fcps_status read_all(reader *r)
{
  const fcps_problem *p = r->problem;
  fcps_conditions *c = r->conditions;
  r->first = p->target.count + p->environment.count;
  r->width = r->first + p->parameters.count;
  r->count = fcps_problem_list_values(p, &r->names, &r->choices);
  r->states = fcps_allocate((size_t)p->parameters.count, 1);
  c->problem = p;
  c->first = r->first;
  c->width = r->width;
  c->list = fcps_allocate((size_t)p->parameters.count, sizeof *c->list);
  c->values = fcps_allocate((size_t)r->width, sizeof *c->values);
  c->applies = fcps_allocate((size_t)r->width, sizeof *c->applies);
  if (r->count < 0 || r->states == NULL || c->list == NULL || c->values == NULL || c->applies == NULL)
    return fcps_error_memory(r->error);
  fcps_status status = FCPS_OK;
  for (int d = 0; d < p->parameters.count && status == FCPS_OK; d++)
    if (p->parameters.dims[d].when != NULL) status = read_one(r, d);
  int steps = 0;
  for (int i = 0; i < c->count; i++)
    steps = c->list[i].written.count > steps ? c->list[i].written.count : steps;
  c->results = fcps_allocate((size_t)steps, sizeof *c->results);
  c->is_open = fcps_allocate((size_t)steps, sizeof *c->is_open);
  if (status == FCPS_OK && (c->results == NULL || c->is_open == NULL)) status = fcps_error_memory(r->error);
  return status;
}

static fcps_status create(fcps_conditions **conditions, const fcps_problem *problem, int *which, fcps_error *error)
{
  *which = -1;
  *conditions = NULL;
  if (!fcps_problem_has_conditions(problem)) return FCPS_OK;
  reader r = {.problem = problem, .which = -1, .error = error};
  r.conditions = fcps_allocate(1, sizeof *r.conditions);
  if (r.conditions == NULL) return fcps_error_memory(error);
  const fcps_status status = read_all(&r);
  free(r.names);
  free(r.choices);
  free(r.states);
  *which = r.which;
  if (status == FCPS_OK)
    *conditions = r.conditions;
  else
    fcps_conditions_destroy(r.conditions);
  return status;
}

fcps_status fcps_conditions_create(fcps_conditions **conditions, const fcps_problem *problem, const double *target,
                                   const double *environment, fcps_error *error)
{
  int which;
  const fcps_status status = create(conditions, problem, &which, error);
  if (*conditions != NULL) fcps_conditions_turn(*conditions, target, environment);
  return status;
}

void fcps_conditions_turn(fcps_conditions *c, const double *target, const double *environment)
{
  const size_t targets = (size_t)c->problem->target.count, environments = (size_t)c->problem->environment.count;
  if (targets > 0) memcpy(c->values, target, targets * sizeof *target);
  if (environments > 0) memcpy(c->values + targets, environment, environments * sizeof *environment);
}

void fcps_conditions_destroy(fcps_conditions *conditions)
{
  if (conditions == NULL) return;
  for (int i = 0; i < conditions->count; i++)
    fcps_formula_destroy(&conditions->list[i].written);
  free(conditions->list);
  free(conditions->values);
  free(conditions->applies);
  free(conditions->results);
  free(conditions->is_open);
  free(conditions);
}

/* -- What applies -- */

/* Whether a condition holds for the current values. A comparison that depends on a parameter which does not apply is
 * false. */
static bool is_kept(fcps_conditions *c, const fcps_formula *written)
{
  for (int i = 0; i < written->count; i++) {
    const fcps_formula_step *step = &written->steps[i];
    double a[3] = {0};
    bool is_open = step->op == FCPS_FORMULA_VALUE && !c->applies[step->index];
    for (int k = 0; k < fcps_formula_arguments(step); k++) {
      a[k] = c->results[step->arguments[k]];
      is_open = is_open || c->is_open[step->arguments[k]];
    }
    const bool is_truth = fcps_formula_compares(step);
    c->results[i] = step->op == FCPS_FORMULA_CONSTANT ? step->constant
                    : step->op == FCPS_FORMULA_VALUE  ? c->values[step->index]
                    : is_truth && is_open             ? 0.0
                                                      : fcps_formula_apply(step, a[0], a[1], a[2]);
    c->is_open[i] = is_open && !is_truth;
  }
  return c->results[written->count - 1] != 0.0;
}

/* Finds which values apply at present. */
static void find(fcps_conditions *c)
{
  memset(c->applies, true, (size_t)c->width * sizeof *c->applies);
  for (int i = 0; i < c->count; i++)
    c->applies[c->list[i].place] = is_kept(c, &c->list[i].written);
}

void fcps_conditions_find(fcps_conditions *c, const double *parameters, bool *applies)
{
  memcpy(c->values + c->first, parameters, (size_t)(c->width - c->first) * sizeof *parameters);
  find(c);
  memcpy(applies, c->applies + c->first, (size_t)(c->width - c->first) * sizeof *applies);
}

void fcps_conditions_find_unit(fcps_conditions *c, const double *x, bool *applies)
{
  fcps_space_from_unit(&c->problem->parameters, x, c->values + c->first);
  find(c);
  memcpy(applies, c->applies + c->first, (size_t)(c->width - c->first) * sizeof *applies);
}

void fcps_conditions_rest(fcps_conditions *c, double *parameters)
{
  bool applies[FCPS_SPACE_MAX];
  if (c == NULL) return;
  fcps_conditions_find(c, parameters, applies);
  for (int d = 0; d < c->problem->parameters.count; d++)
    if (!applies[d]) parameters[d] = c->problem->parameters.dims[d].lower;
}

void fcps_conditions_resting_places(const fcps_space *parameters, double *places)
{
  double values[FCPS_SPACE_MAX];
  for (int d = 0; d < parameters->count; d++)
    values[d] = parameters->dims[d].lower;
  fcps_space_to_unit(parameters, values, places);
}

/* -- Whether each ever does -- */

static const fcps_dimension *dimension_at(const fcps_problem *p, int place)
{
  const int targets = p->target.count, first = targets + p->environment.count;
  return place < targets ? &p->target.dims[place]
         : place < first ? &p->environment.dims[place - targets]
                         : &p->parameters.dims[place - first];
}

static bool names(const fcps_conditions *c, int place)
{
  for (int i = 0; i < c->count; i++)
    if (fcps_formula_uses(&c->list[i].written, place)) return true;
  return false;
}

/* Returns the number of values that a dimension can have: 0 if it is continuous, 1 if no condition names it. */
static double count_levels(const fcps_conditions *c, int place)
{
  const fcps_dimension *dim = dimension_at(c->problem, place);
  double level;
  if (!names(c, place)) return 1.0;
  return fcps_space_levels(&(fcps_space){1, dim}, &level) ? fabs(level) : 0.0;
}

/* Sets the values of trial number `index` of the check. If `takes_all`, dimensions with levels take all combinations;
 * the other dimensions follow a Halton sequence. */
static void lay(fcps_conditions *c, const double *levels, bool takes_all, int index)
{
  double x[3 * FCPS_SPACE_MAX];
  int rest = index;
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_DESIGN, 0);
  fcps_points_halton(&rng, c->width, index, 1, x);
  for (int v = 0; v < c->width; v++) {
    const fcps_dimension *dim = dimension_at(c->problem, v);
    if (takes_all && levels[v] > 0.0) {
      x[v] = (rest % (int)levels[v] + 0.5) / levels[v];
      rest /= (int)levels[v];
    }
    fcps_space_from_unit(&(fcps_space){1, dim}, x + v, c->values + v);
  }
}

static fcps_status refuse_contexts(const fcps_problem *p, fcps_error *error)
{
  const fcps_space *const others[] = {&p->target, &p->environment, &p->outcome};
  for (int s = 0; s < 3; s++)
    for (int d = 0; d < others[s]->count; d++)
      if (others[s]->dims[d].when != NULL)
        return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, others[s]->dims[d].name,
                              "only a parameter may have a condition (when); the others are there in every trial");
  return FCPS_OK;
}

fcps_status fcps_problem_check_conditions(const fcps_problem *problem, int *which, fcps_error *error)
{
  fcps_conditions *c = NULL;
  double levels[3 * FCPS_SPACE_MAX], combinations = 1.0;
  bool has_numbers = false, *is_seen = NULL;
  *which = -1;
  fcps_status status = refuse_contexts(problem, error);
  if (status == FCPS_OK) status = create(&c, problem, which, error);
  if (c == NULL) return status;
  for (int v = 0; v < c->width; v++) {
    levels[v] = count_levels(c, v);
    has_numbers = has_numbers || levels[v] == 0.0;
    combinations *= fmax(levels[v], 1.0);
  }
  const bool takes_all = combinations <= MOST_COMBINATIONS;
  const int least = has_numbers || !takes_all ? POINTS : 1;
  const int count = takes_all && combinations > least ? (int)combinations : least;
  is_seen = fcps_allocate((size_t)c->count, sizeof *is_seen);
  int open = c->count;
  for (int i = 0; i < count && open > 0 && is_seen != NULL; i++) {
    lay(c, levels, takes_all, i);
    find(c);
    for (int k = 0; k < c->count; k++) {
      if (is_seen[k] || !c->applies[c->list[k].place]) continue;
      is_seen[k] = true;
      open--;
    }
  }
  for (int k = 0; k < c->count && is_seen != NULL && status == FCPS_OK; k++) {
    if (is_seen[k]) continue;
    reader r = {.problem = problem, .error = error};
    status = refuse(&r, c->list[k].place - c->first, 1, "never holds%s, so the parameter would never be asked for.",
                    takes_all && !has_numbers ? "" : " for any values that were tried");
    *which = r.which;
  }
  if (is_seen == NULL) status = fcps_error_memory(error);
  free(is_seen);
  fcps_conditions_destroy(c);
  return status;
}

/* -- Parameters -- */

fcps_status fcps_problem_applies(const fcps_problem *problem, const double *target, const double *environment,
                                 const double *parameters, bool *applies, fcps_error *error)
{
  fcps_conditions *c;
  if (problem == NULL) return fcps_error_null(error, "problem");
  if (parameters == NULL) return fcps_error_null(error, "parameters");
  if (applies == NULL) return fcps_error_null(error, "applies");
  memset(applies, true, (size_t)problem->parameters.count * sizeof *applies);
  const fcps_status status = fcps_conditions_create(&c, problem, target, environment, error);
  if (c != NULL) fcps_conditions_find(c, parameters, applies);
  fcps_conditions_destroy(c);
  return status;
}

fcps_status fcps_problem_rest(const fcps_problem *problem, const double *target, const double *environment,
                              double *parameters, fcps_error *error)
{
  fcps_conditions *c;
  const fcps_status status = fcps_conditions_create(&c, problem, target, environment, error);
  fcps_conditions_rest(c, parameters);
  fcps_conditions_destroy(c);
  return status;
}

fcps_status fcps_problem_leave_out(const fcps_problem *problem, const double *target, const double *environment,
                                   double *parameters, fcps_error *error)
{
  bool applies[FCPS_SPACE_MAX];
  if (!fcps_problem_has_conditions(problem)) return FCPS_OK;
  const fcps_status status = fcps_problem_applies(problem, target, environment, parameters, applies, error);
  for (int d = 0; d < problem->parameters.count && status == FCPS_OK; d++)
    if (!applies[d]) parameters[d] = NAN;
  return status;
}

fcps_status fcps_problem_take_parameters(const fcps_problem *problem, const char *label, const double *target,
                                         const double *environment, double *parameters, fcps_error *error)
{
  bool applies[FCPS_SPACE_MAX];
  char field[64];
  if (!fcps_problem_has_conditions(problem)) return FCPS_OK;
  const fcps_status status = fcps_problem_applies(problem, target, environment, parameters, applies, error);
  for (int d = 0; d < problem->parameters.count && status == FCPS_OK; d++) {
    const fcps_dimension *dim = &problem->parameters.dims[d];
    snprintf(field, sizeof field, "%s.%s", label, dim->name);
    if (applies[d] && dim->when != NULL && isnan(parameters[d]))
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "is missing: it applies here, because %.200s", dim->when);
    if (applies[d]) continue;
    if (!isnan(parameters[d]) && parameters[d] != dim->lower)
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, field,
                            "does not apply here: it is used only when %.200s; leave it out", dim->when);
    parameters[d] = dim->lower;
  }
  return status;
}
