/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas of reward and achieved read one array of values, in which every dimension has its index. To score a row
 * is to copy it into that array and evaluate the reward. */
#include "problem/reward.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/callbacks.h"
#include "problem/formula/expression.h"
#include "space/space.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `values` is the array that all formulas read, and the integers are the first index of each space in it. Environment
 * and outcome come first: an achieved formula may use these two alone. */
struct fcps_reward {
  const fcps_problem *problem;
  int environment, outcome, target, parameters, present, distance, count;
  const char **names;
  double *values;
  fcps_expression *reward;
  bool needs_outcome;         /* the reward is NaN without one */
  fcps_expression **achieved; /* one per target dimension, or NULL */
  fcps_reward_formula steps;  /* without steps: there is no such form */
};

static void name_space(fcps_reward *r, const fcps_space *space, int *first)
{
  *first = r->count;
  for (int i = 0; i < space->count; i++)
    r->names[r->count++] = space->dims[i].name;
}

static fcps_status name_values(fcps_reward *r, bool has_achieved)
{
  const fcps_problem *p = r->problem;
  const int total = p->target.count + p->environment.count + p->parameters.count + p->outcome.count + 2;
  r->names = fcps_allocate((size_t)total, sizeof *r->names);
  r->values = fcps_allocate((size_t)total, sizeof *r->values);
  if (r->names == NULL || r->values == NULL) return FCPS_ERR_MEMORY;

  name_space(r, &p->environment, &r->environment);
  name_space(r, &p->outcome, &r->outcome);
  name_space(r, &p->target, &r->target);
  name_space(r, &p->parameters, &r->parameters);
  r->present = r->count;
  r->names[r->count++] = "present";
  r->distance = r->count;
  if (has_achieved) r->names[r->count++] = "distance";
  return FCPS_OK;
}

/* Copies row `row` of `values` into the array that the formulas read. `values` may be NULL for an empty space. */
static void put(const fcps_reward *r, int first, const fcps_space *space, const double *values, int row)
{
  const size_t width = (size_t)space->count;
  if (width) memcpy(r->values + first, values + (size_t)row * width, width * sizeof *values);
}

/* Computes the achieved target from the environment and outcome in r->values. */
static void achieve(const fcps_reward *r, double *target)
{
  for (int t = 0; t < r->problem->target.count; t++)
    target[t] = fcps_expression_eval(r->achieved[t]);
}

static double distance(const fcps_reward *r)
{
  double length = 0.0;
  for (int t = 0; t < r->problem->target.count; t++) {
    const double period = r->problem->target.dims[t].period;
    double gap = r->values[r->target + t] - fcps_expression_eval(r->achieved[t]);
    if (period > 0.0) gap -= period * round(gap / period);
    length += gap * gap;
  }
  return sqrt(length);
}

/* Puts one rollout into the array that the formulas read. */
static void put_rollout(const fcps_reward *r, const fcps_rollout *rollout)
{
  const fcps_problem *p = r->problem;
  put(r, r->target, &p->target, rollout->target, 0);
  put(r, r->environment, &p->environment, rollout->environment, 0);
  put(r, r->parameters, &p->parameters, rollout->parameters, 0);
  if (rollout->outcome != NULL) put(r, r->outcome, &p->outcome, rollout->outcome, 0);
  for (int o = 0; rollout->outcome == NULL && o < p->outcome.count; o++)
    r->values[r->outcome + o] = NAN;
  r->values[r->present] = rollout->outcome != NULL ? 1.0 : 0.0;
  if (r->achieved != NULL) r->values[r->distance] = rollout->outcome != NULL ? distance(r) : NAN;
}

char *fcps_reward_blame(fcps_reward *r, const char *formula, const fcps_rollout *rollout, size_t size, char *words)
{
  const fcps_expression_names names = {r->count, r->names, r->values};
  put_rollout(r, rollout);
  return fcps_expression_blame(formula, &names, size, words);
}

static fcps_status score(void *user, int count, const double *target, const double *environments,
                         const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  const fcps_reward *r = user;
  const fcps_problem *p = r->problem;
  const bool uses_distance = r->achieved != NULL && fcps_expression_uses(r->reward, r->distance);

  put(r, r->target, &p->target, target, 0);
  for (int i = 0; i < count; i++) {
    put(r, r->environment, &p->environment, environments, i);
    put(r, r->parameters, &p->parameters, parameters, i);
    r->values[r->present] = present[i] ? 1.0 : 0.0;
    if (present[i]) put(r, r->outcome, &p->outcome, outcomes, i);
    for (int o = 0; !present[i] && o < p->outcome.count; o++)
      r->values[r->outcome + o] = NAN;
    if (uses_distance) r->values[r->distance] = present[i] ? distance(r) : NAN;
    rewards[i] = present[i] || !r->needs_outcome ? fcps_expression_eval(r->reward) : NAN;
  }
  return FCPS_OK;
}

static fcps_status achieved_targets(void *user, int count, const double *environments, const double *outcomes,
                                    double *targets)
{
  const fcps_reward *r = user;
  const fcps_problem *p = r->problem;
  for (int i = 0; i < count; i++) {
    put(r, r->environment, &p->environment, environments, i);
    put(r, r->outcome, &p->outcome, outcomes, i);
    achieve(r, targets + (size_t)i * (size_t)p->target.count);
  }
  return FCPS_OK;
}

/* Whether the formula is -distance + (terms in environment and parameters). It must begin with -distance, continue with
 * + or -, have no operator that binds less strongly, and use nothing else. */
static bool is_distance_and_cost(const fcps_reward *r, const char *text)
{
  while (isspace((unsigned char)*text))
    text++;
  if (*text++ != '-') return false;
  while (isspace((unsigned char)*text))
    text++;
  static const char word[] = "distance";
  if (strncmp(text, word, sizeof word - 1) != 0) return false;
  text += sizeof word - 1;
  while (isspace((unsigned char)*text))
    text++;
  if (*text && *text != '+' && *text != '-') return false;

  if (strpbrk(text, "<>=!&|?:") != NULL || strstr(text, word) != NULL) return false;
  for (int i = 0; i < r->count; i++) {
    const bool may_use = i < r->outcome || (i >= r->parameters && i < r->present) || i == r->distance;
    if (!may_use && fcps_expression_uses(r->reward, i)) return false;
  }
  for (int t = 0; t < r->problem->target.count; t++)
    if (r->problem->target.dims[t].period > 0.0) return false;
  return true;
}

static fcps_status compile_achieved(fcps_reward *r, const char *const *achieved, fcps_error *error)
{
  const fcps_space *target = &r->problem->target;
  r->achieved = fcps_allocate((size_t)target->count, sizeof(fcps_expression *));
  if (r->achieved == NULL) return fcps_error_memory(error);
  for (int t = 0; t < target->count; t++) {
    const fcps_status status =
        fcps_expression_create(&r->achieved[t], achieved[t], r->target, r->names, r->values, error);
    if (status != FCPS_OK && error != NULL)
      snprintf(error->field, sizeof error->field, "achieved.%s", target->dims[t].name);
    if (status != FCPS_OK) return status;
  }
  return FCPS_OK;
}

/* Whether the reward uses the outcome without testing `present`. The reward's value cannot reveal that: a comparison
 * with NaN is false, and false is a number. */
static bool needs_outcome(const fcps_reward *r)
{
  if (fcps_expression_uses(r->reward, r->present)) return false;
  for (int i = r->outcome; i < r->target; i++)
    if (fcps_expression_uses(r->reward, i)) return true;
  return r->achieved != NULL && fcps_expression_uses(r->reward, r->distance);
}

static fcps_status compile(fcps_reward *r, const char *reward, const char *const *achieved, fcps_error *error)
{
  if (name_values(r, achieved != NULL) != FCPS_OK) return fcps_error_memory(error);
  fcps_status status = achieved != NULL ? compile_achieved(r, achieved, error) : FCPS_OK;
  if (status != FCPS_OK || reward == NULL) return status;
  status = fcps_expression_create(&r->reward, reward, r->count, r->names, r->values, error);
  if (status != FCPS_OK && error != NULL) strcpy(error->field, "reward");
  if (status == FCPS_OK) r->needs_outcome = needs_outcome(r);
  return status;
}

/* -- The reward as steps -- */

/* Adds sqrt(sum of squared gaps), NaN without an outcome; the short way round where a target is periodic. */
static int add_distance(const fcps_reward *r, const char *const *achieved, fcps_formula *formula)
{
  const fcps_formula_function *round_off = fcps_formula_function_find("round"),
                              *root = fcps_formula_function_find("sqrt");
  int sum = fcps_formula_add_constant(formula, 0.0);
  for (int t = 0; t < r->problem->target.count; t++) {
    const double period = r->problem->target.dims[t].period;
    const int hit = fcps_formula_parse(formula, achieved[t], r->target, r->names);
    int gap =
        fcps_formula_add_operation(formula, FCPS_FORMULA_SUBTRACT, fcps_formula_add_value(formula, r->target + t), hit);
    if (period > 0.0) {
      const int length = fcps_formula_add_constant(formula, period);
      const int turns = fcps_formula_add(
          formula,
          (fcps_formula_step){.op = FCPS_FORMULA_CALL_ONE,
                              .function = round_off,
                              .arguments = {fcps_formula_add_operation(formula, FCPS_FORMULA_DIVIDE, gap, length)}});
      gap = fcps_formula_add_operation(formula, FCPS_FORMULA_SUBTRACT, gap,
                                       fcps_formula_add_operation(formula, FCPS_FORMULA_MULTIPLY, length, turns));
    }
    sum = fcps_formula_add_operation(formula, FCPS_FORMULA_ADD, sum,
                                     fcps_formula_add_operation(formula, FCPS_FORMULA_MULTIPLY, gap, gap));
  }
  const int length =
      fcps_formula_add(formula, (fcps_formula_step){.op = FCPS_FORMULA_CALL_ONE, .function = root, .arguments = {sum}});
  return fcps_formula_add(formula, (fcps_formula_step){.op = FCPS_FORMULA_CHOOSE,
                                                       .arguments = {fcps_formula_add_value(formula, r->present),
                                                                     length, fcps_formula_add_constant(formula, NAN)}});
}

/* Makes the formula of the reward, the distance put in; false: it has none. */
static bool make_steps(const fcps_reward *r, const char *reward, const char *const *achieved, fcps_formula *formula)
{
  const bool uses_distance = achieved != NULL && fcps_expression_uses(r->reward, r->distance);
  fcps_formula text = {0};
  int *stand_ins = fcps_allocate((size_t)r->count, sizeof *stand_ins);
  int root = stand_ins != NULL ? fcps_formula_parse(&text, reward, r->count, r->names) : -1;
  for (int i = 0; i < r->count && stand_ins != NULL; i++)
    stand_ins[i] = -1;
  if (root >= 0 && uses_distance) {
    stand_ins[r->distance] = add_distance(r, achieved, formula);
    if (stand_ins[r->distance] < 0) root = -1;
  }
  if (root >= 0) root = fcps_formula_splice(formula, &text, root, stand_ins);
  fcps_formula_destroy(&text);
  free(stand_ins);
  return root >= 0 && root == formula->count - 1; /* else a part of it can never matter */
}

/* Numbers of a space for a probe: within its bounds, or of any size. */
static void place_probe(const fcps_reward *r, const fcps_space *space, int first, int probe)
{
  for (int d = 0; d < space->count; d++) {
    const fcps_space axis = {1, space->dims + d};
    const double fraction = fmod(0.5 + (probe + 1) * 0.6180339887498949 * (1.0 + 0.37 * (first + d)), 1.0);
    if (space->dims[d].lower < space->dims[d].upper)
      fcps_space_from_unit(&axis, &fraction, r->values + first + d);
    else
      r->values[first + d] = (fraction - 0.5) * pow(10.0, probe % 4);
  }
}

static bool is_same(double a, double b)
{
  return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

/* Whether steps and expression have the same values at a number of places, with and without an outcome. */
static bool agrees(const fcps_reward *r, const fcps_formula *formula)
{
  enum { PROBES = 16 };
  const fcps_problem *p = r->problem;
  double *work = fcps_allocate(fcps_formula_work(formula), sizeof(double));
  fcps_formula_input *inputs = fcps_allocate((size_t)r->count, sizeof *inputs);
  bool same = work != NULL && inputs != NULL;
  for (int i = 0; i < r->count && same; i++)
    inputs[i] = (fcps_formula_input){.at = r->values + i};
  for (int probe = 0; probe < 2 * PROBES && same; probe++) {
    const bool present = probe < PROBES;
    place_probe(r, &p->environment, r->environment, probe);
    place_probe(r, &p->target, r->target, probe);
    place_probe(r, &p->parameters, r->parameters, probe);
    place_probe(r, &p->outcome, r->outcome, probe);
    r->values[r->present] = present ? 1.0 : 0.0;
    for (int o = 0; o < p->outcome.count && !present; o++)
      r->values[r->outcome + o] = NAN;
    if (r->achieved != NULL) r->values[r->distance] = present ? distance(r) : NAN;
    same = is_same(fcps_expression_eval(r->reward), fcps_formula_eval(formula, 1, inputs, work)[0]);
  }
  free(work);
  free(inputs);
  return same;
}

/* A reward without such a form is still a reward: nothing fails. */
static void find_steps(fcps_reward *r, const char *reward, const char *const *achieved)
{
  fcps_reward_formula *steps = &r->steps;
  *steps = (fcps_reward_formula){.environment = r->environment,
                                 .outcome = r->outcome,
                                 .target = r->target,
                                 .parameters = r->parameters,
                                 .present = r->present,
                                 .count = r->count,
                                 .needs_outcome = r->needs_outcome};
  if (!make_steps(r, reward, achieved, &steps->formula) || !agrees(r, &steps->formula))
    fcps_formula_destroy(&steps->formula);
}

const fcps_reward_formula *fcps_reward_formula_of(const fcps_problem *problem)
{
  fcps_problem inner = *problem;
  fcps_callbacks_unguard(&inner);
  const fcps_reward *r = inner.reward == score ? inner.user : NULL;
  return r != NULL && r->steps.formula.count > 0 ? &r->steps : NULL;
}

/* -- Life -- */

fcps_status fcps_reward_create(fcps_reward **handle, fcps_problem *problem, const char *reward,
                               const char *const *achieved, fcps_error *error)
{
  *handle = NULL;
  fcps_reward *r = fcps_allocate(1, sizeof *r);
  if (r == NULL) return fcps_error_memory(error);
  r->problem = problem;
  const fcps_status status = compile(r, reward, achieved, error);
  if (status != FCPS_OK) {
    fcps_reward_destroy(r);
    return status;
  }
  if (reward != NULL) find_steps(r, reward, achieved);
  problem->reward = reward != NULL ? score : NULL;
  problem->achieved = achieved != NULL ? achieved_targets : NULL;
  problem->is_distance = reward != NULL && achieved != NULL && is_distance_and_cost(r, reward);
  problem->user = r;
  *handle = r;
  return FCPS_OK;
}

void fcps_reward_destroy(fcps_reward *r)
{
  if (r == NULL) return;
  for (int t = 0; r->achieved != NULL && t < r->problem->target.count; t++)
    fcps_expression_destroy(r->achieved[t]);
  free(r->achieved);
  fcps_expression_destroy(r->reward);
  fcps_formula_destroy(&r->steps.formula);
  free(r->names);
  free(r->values);
  free(r);
}
