/* SPDX-License-Identifier: Apache-2.0 */
/* The cost formula is checked at a fixed sequence of places, because it may be positive in most of the bounds but not
 * everywhere. If the check misses an unusable cost, its value is NaN here, and the study refuses the ask. */

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "problem/formula/conditions.h"
#include "problem/judge/judge.h"
#include "problem/problem.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Places that are checked in each context; half of them are corners. */
enum { PLACES = 64 };

/* Step of central differences in the unit cube. */
static const double step = 1e-6;

struct fcps_cost {
  const fcps_problem *problem;
  fcps_formula formula; /* the formula, over targets, environment, parameters and outcome, in this order */
  double *values;       /* all values except the outcome; behind them, memory for one point */
  double *parameters, *point, *work;
  fcps_formula_input *inputs;
  fcps_conditions *conditions; /* NULL if all parameters apply */
};

void fcps_cost_destroy(fcps_cost *cost)
{
  if (cost == NULL) return;
  fcps_formula_destroy(&cost->formula);
  free(cost->values);
  free(cost->work);
  free(cost->inputs);
  fcps_conditions_destroy(cost->conditions);
  free(cost);
}

/* Refuses a cost that depends on the outcome: a cost must be known before the trial. */
static fcps_status check_values(const fcps_problem *p, const fcps_formula *written, int count, const char **names,
                                fcps_error *error)
{
  for (int i = count - p->outcome.count; i < count; i++)
    if (fcps_formula_uses(written, i))
      return fcps_error_set(error, FCPS_ERR_FORMAT, "cost",
                            "'%s' is an outcome, which is known only after a trial; a cost is over parameters, targets "
                            "and environment.",
                            names[i]);
  return FCPS_OK;
}

static fcps_status read_formula(fcps_cost *cost, fcps_error *error)
{
  const fcps_problem *p = cost->problem;
  const char **names;
  const fcps_choices **choices;
  const int count = fcps_problem_list_values(p, &names, &choices);
  fcps_status status = count >= 0 ? FCPS_OK : fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_formula_read(&cost->formula, p->cost, count, names, choices, error);
  if (status == FCPS_OK) status = check_values(p, &cost->formula, count, names, error);
  if (status != FCPS_OK && error != NULL) snprintf(error->field, sizeof error->field, "cost");
  free(names);
  free(choices);
  return status;
}

fcps_status fcps_cost_create(fcps_cost **cost, const fcps_problem *problem, fcps_error *error)
{
  *cost = NULL;
  if (problem->cost == NULL) return FCPS_OK;
  const int first = problem->target.count + problem->environment.count, n = problem->parameters.count;
  fcps_cost *c = fcps_allocate(1, sizeof *c);
  if (c == NULL) return fcps_error_memory(error);
  c->problem = problem;
  fcps_status status = read_formula(c, error);
  if (status == FCPS_OK) {
    c->values = fcps_allocate((size_t)(first + 2 * n), sizeof *c->values);
    c->work = fcps_allocate(fcps_formula_work(&c->formula), sizeof *c->work);
    c->inputs = fcps_allocate((size_t)(first + n + problem->outcome.count), sizeof *c->inputs);
    if (c->values == NULL || c->work == NULL || c->inputs == NULL) status = fcps_error_memory(error);
  }
  if (status == FCPS_OK)
    status = fcps_conditions_create(&c->conditions, problem, c->values, c->values + problem->target.count, error);
  if (status != FCPS_OK) {
    fcps_cost_destroy(c);
    return status;
  }
  c->parameters = c->values + first;
  c->point = c->parameters + n;
  for (int i = 0; i < first + n; i++)
    c->inputs[i] = (fcps_formula_input){c->values + i, 0};
  *cost = c;
  return FCPS_OK;
}

void fcps_cost_set_context(fcps_cost *c, const double *target, const double *environment)
{
  const size_t targets = (size_t)c->problem->target.count, environments = (size_t)c->problem->environment.count;
  if (targets > 0) memcpy(c->values, target, targets * sizeof *target);
  if (environments > 0) memcpy(c->values + targets, environment, environments * sizeof *environment);
  if (c->conditions != NULL) fcps_conditions_turn(c->conditions, target, environment);
}

/* Returns the value of the formula for the current values. */
static double evaluate(fcps_cost *c)
{
  return *fcps_formula_eval(&c->formula, 1, c->inputs, c->work);
}

static bool is_usable(double cost)
{
  return cost > 0.0 && cost <= FCPS_VALUE_LIMIT;
}

/* Returns the value of the formula if it is usable, else NaN. */
static double price(fcps_cost *c)
{
  const double value = evaluate(c);
  return is_usable(value) ? value : NAN;
}

double fcps_cost_of(fcps_cost *c, const double *parameters)
{
  memcpy(c->parameters, parameters, (size_t)c->problem->parameters.count * sizeof *parameters);
  return price(c);
}

double fcps_cost_at(fcps_cost *c, const double *x)
{
  fcps_space_from_unit(&c->problem->parameters, x, c->parameters);
  return price(c);
}

double fcps_cost_at_rest(fcps_cost *c, const double *x)
{
  fcps_space_from_unit(&c->problem->parameters, x, c->parameters);
  fcps_conditions_rest(c->conditions, c->parameters);
  return price(c);
}

void fcps_cost_gradient(fcps_cost *c, const double *x, double *gradient)
{
  const int n = c->problem->parameters.count;
  memcpy(c->point, x, (size_t)n * sizeof *x);
  for (int d = 0; d < n; d++) {
    const double low = fmax(x[d] - step, 0.0), high = fmin(x[d] + step, 1.0);
    c->point[d] = low;
    const double below = fcps_cost_at(c, c->point);
    c->point[d] = high;
    const double slope = (fcps_cost_at(c, c->point) - below) / (high - low);
    gradient[d] = isfinite(slope) ? slope : 0.0;
    c->point[d] = x[d];
  }
}

/* -- Checks -- */

static fcps_status check_units(const fcps_cost *c, fcps_error *error)
{
  const fcps_problem *p = c->problem;
  const int environment = p->target.count, parameters = environment + p->environment.count,
            outcome = parameters + p->parameters.count;
  const fcps_reward_formula formula = {.formula = c->formula,
                                       .environment = environment,
                                       .parameters = parameters,
                                       .outcome = outcome,
                                       .present = outcome + p->outcome.count,
                                       .count = outcome + p->outcome.count,
                                       .text = p->cost};
  fcps_reward_mix mix;
  if (!fcps_reward_find_mix(p, &formula, &mix)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, "cost",
                        "treats %.63s (%.20s) and %.63s (%.20s) as if they had one unit; give each its price, as in "
                        "2*%.63s.",
                        mix.one->name, mix.one->unit, mix.other->name, mix.other->unit, mix.one->name);
}

/* Writes the values as "speed=1 tilt=0.5". */
static void describe(const fcps_problem *p, const double *values, size_t size, char *text)
{
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters};
  size_t length = 0;
  text[0] = '\0';
  for (int s = 0; s < 3; s++)
    for (int d = 0; d < spaces[s]->count && length < size; d++, values++) {
      const fcps_dimension *dim = &spaces[s]->dims[d];
      char number[FCPS_NUMBER_SIZE];
      const char *word = dim->choices != NULL ? fcps_dimension_word(dim, *values) : NULL;
      length += (size_t)snprintf(text + length, size - length, "%s%.40s=%.40s", length > 0 ? " " : "", dim->name,
                                 word != NULL ? word : fcps_number_show(*values, number));
    }
}

static fcps_status refuse(fcps_cost *c, fcps_error *error)
{
  char where[300], number[FCPS_NUMBER_SIZE];
  const double value = evaluate(c);
  describe(c->problem, c->values, sizeof where, where);
  return fcps_error_set(
      error, FCPS_ERR_BOUNDS, "cost",
      "is %s with %s; a cost is finite and above zero wherever a trial may be: change the formula, or the "
      "bounds.",
      fcps_number_show(value, number), where);
}

/* Returns place number `index` of the check: first corners of the cube, then points inside. */
static void place(int n, int index, double *x)
{
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_DESIGN, 0);
  fcps_points_halton(&rng, n, index, 1, x);
  for (int d = 0; d < n && index < PLACES / 2; d++)
    x[d] = index == 0 ? 0.0 : index == 1 ? 1.0 : x[d] < 0.5 ? 0.0 : 1.0;
}

static fcps_status check_places(fcps_cost *c, const double *target, const double *environment, fcps_error *error)
{
  const fcps_problem *p = c->problem;
  double x[FCPS_SPACE_MAX];
  fcps_cost_set_context(c, target, environment);
  for (int i = 0; i < PLACES; i++) {
    int broken = -1;
    place(p->parameters.count, i, x);
    if (!isnan(fcps_cost_at_rest(c, x))) continue;
    if (fcps_problem_find_broken(p, target, environment, c->parameters, &broken, NULL) != FCPS_OK || broken >= 0)
      continue; /* Constraints exclude trials at this place. */
    return refuse(c, error);
  }
  return FCPS_OK;
}

fcps_status fcps_problem_cost_check(const fcps_problem *problem, fcps_error *error)
{
  fcps_cost *cost = NULL;
  fcps_status status = fcps_cost_create(&cost, problem, error);
  if (status == FCPS_OK) status = check_units(cost, error);
  for (int i = 0; i < FCPS_CONTEXT_PROBES && status == FCPS_OK; i++) {
    double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX];
    fcps_problem_probe_context(problem, i, target, environment);
    status = check_places(cost, target, environment, error);
  }
  fcps_cost_destroy(cost);
  return status;
}

fcps_status fcps_problem_cost(const fcps_problem *problem, const double *target, const double *environment,
                              const double *parameters, double *cost, fcps_error *error)
{
  fcps_cost *formula = NULL;
  double rested[FCPS_SPACE_MAX];
  if (problem == NULL) return fcps_error_null(error, "problem");
  if (parameters == NULL) return fcps_error_null(error, "parameters");
  if (cost == NULL) return fcps_error_null(error, "cost");
  *cost = NAN;
  if (target == NULL && problem->target.count > 0) return fcps_error_null(error, "target");
  if (environment == NULL && problem->environment.count > 0) return fcps_error_null(error, "environment");
  fcps_status status = fcps_cost_create(&formula, problem, error);
  if (status != FCPS_OK || formula == NULL) return status;
  fcps_cost_set_context(formula, target, environment);
  memcpy(rested, parameters, (size_t)problem->parameters.count * sizeof *parameters);
  status = fcps_problem_take_parameters(problem, "parameters", target, environment, rested, error);
  if (status == FCPS_OK) *cost = fcps_cost_of(formula, rested);
  if (status == FCPS_OK && isnan(*cost)) status = refuse(formula, error);
  fcps_cost_destroy(formula);
  return status;
}
