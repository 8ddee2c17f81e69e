/* SPDX-License-Identifier: Apache-2.0 */
/* The formulas of the reward and of the achieved target read their values by index; every dimension has its own index.
 * Rows are scored in blocks, straight from the caller's arrays. */
#include "problem/reward.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = FCPS_FORMULA_LANES };

/* The integers are the first index of each space among the values. Environment and outcome come first, because an
 * achieved formula uses only these two. */
struct fcps_reward {
  const fcps_problem *problem;
  int environment, outcome, target, parameters, present, distance, count;
  const char **names;
  const fcps_choices **choices; /* the words of each name; NULL for a number */
  fcps_formula *achieved;       /* one formula for each target dimension, or NULL */
  fcps_reward_formula steps;    /* empty if rewards are told */
  bool is_distance;             /* see is_distance_and_cost */

  /* Memory for a block of rows: */
  fcps_formula_input *inputs;
  double *work;
  double *lanes; /* `present` as numbers, and then the outcomes, which may be absent */
};

static void name_value(fcps_reward *r, const char *name, const fcps_choices *choices)
{
  r->names[r->count] = name;
  r->choices[r->count++] = choices;
}

static void name_space(fcps_reward *r, const fcps_space *space, int *first)
{
  *first = r->count;
  for (int i = 0; i < space->count; i++)
    name_value(r, space->dims[i].name, space->dims[i].choices);
}

static fcps_status name_values(fcps_reward *r, bool has_achieved)
{
  const fcps_problem *p = r->problem;
  const int total = p->target.count + p->environment.count + p->parameters.count + p->outcome.count + 2;
  r->names = fcps_allocate((size_t)total, sizeof *r->names);
  r->choices = fcps_allocate((size_t)total, sizeof *r->choices);
  r->inputs = fcps_allocate((size_t)total, sizeof *r->inputs);
  r->lanes = fcps_allocate(LANES * ((size_t)p->outcome.count + 1), sizeof *r->lanes);
  if (r->names == NULL || r->choices == NULL || r->inputs == NULL || r->lanes == NULL) return FCPS_ERR_MEMORY;

  name_space(r, &p->environment, &r->environment);
  name_space(r, &p->outcome, &r->outcome);
  name_space(r, &p->target, &r->target);
  name_space(r, &p->parameters, &r->parameters);
  r->present = r->count;
  name_value(r, "present", NULL);
  r->distance = r->count;
  if (has_achieved) name_value(r, "distance", NULL);
  return FCPS_OK;
}

/* -- Rows -- */

/* Sets where the values of a space are: in rows from `row` on or, if `is_fixed`, in one row for all. `values` may be
 * NULL for an empty space. */
static void place(const fcps_reward *r, int first, int width, const double *values, int row, bool is_fixed)
{
  for (int d = 0; d < width; d++)
    r->inputs[first + d] =
        (fcps_formula_input){values + (is_fixed ? 0 : (size_t)row * (size_t)width) + d, is_fixed ? 0 : (size_t)width};
}

/* Sets the outcomes of a block of rows. Absent outcomes become NaN. */
static void place_outcomes(const fcps_reward *r, int rows, const double *outcomes, int row, const bool *present)
{
  const int width = r->problem->outcome.count;
  double *copy = r->lanes + LANES;
  bool is_complete = true;
  for (int l = 0; l < rows; l++) {
    r->lanes[l] = present[row + l] ? 1.0 : 0.0;
    is_complete = is_complete && present[row + l];
  }
  r->inputs[r->present] = (fcps_formula_input){r->lanes, 1};
  place(r, r->outcome, width, is_complete ? outcomes : copy, is_complete ? row : 0, false);
  for (int l = 0; l < rows && !is_complete; l++)
    for (int o = 0; o < width; o++)
      copy[l * width + o] = present[row + l] ? outcomes[(size_t)(row + l) * (size_t)width + (size_t)o] : NAN;
}

static fcps_status score(void *user, int count, const double *target, const double *environments,
                         const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  const fcps_reward *r = user;
  const fcps_problem *p = r->problem;
  place(r, r->target, p->target.count, target, 0, true);
  for (int row = 0; row < count; row += LANES) {
    const int rows = count - row < LANES ? count - row : LANES;
    place(r, r->environment, p->environment.count, environments, row, false);
    place(r, r->parameters, p->parameters.count, parameters, row, false);
    place_outcomes(r, rows, outcomes, row, present);
    const double *values = fcps_formula_eval(&r->steps.formula, rows, r->inputs, r->work);
    for (int l = 0; l < rows; l++)
      rewards[row + l] = present[row + l] || !r->steps.needs_outcome ? values[l] : NAN;
  }
  return FCPS_OK;
}

static fcps_status achieved_targets(void *user, int count, const double *environments, const double *outcomes,
                                    double *targets)
{
  const fcps_reward *r = user;
  const fcps_problem *p = r->problem;
  const int width = p->target.count;
  for (int row = 0; row < count; row += LANES) {
    const int rows = count - row < LANES ? count - row : LANES;
    place(r, r->environment, p->environment.count, environments, row, false);
    place(r, r->outcome, p->outcome.count, outcomes, row, false);
    for (int t = 0; t < width; t++) {
      const double *values = fcps_formula_eval(&r->achieved[t], rows, r->inputs, r->work);
      for (int l = 0; l < rows; l++)
        targets[(size_t)(row + l) * (size_t)width + (size_t)t] = values[l];
    }
  }
  return FCPS_OK;
}

/* -- Blame -- */

static double distance_of(const fcps_reward *r, const fcps_rollout *rollout)
{
  const fcps_space *target = &r->problem->target;
  double length = 0.0, hit[FCPS_SPACE_MAX];
  achieved_targets((void *)(uintptr_t)r, 1, rollout->environment, rollout->outcome, hit);
  for (int t = 0; t < target->count; t++) {
    const double period = target->dims[t].period;
    double gap = rollout->target[t] - hit[t];
    if (period > 0.0) gap -= period * round(gap / period);
    length += gap * gap;
  }
  return sqrt(length);
}

static void put(double *values, const fcps_space *space, const double *from)
{
  for (int d = 0; d < space->count; d++)
    values[d] = from != NULL ? from[d] : NAN;
}

char *fcps_reward_blame(fcps_reward *r, const char *formula, const fcps_rollout *rollout, size_t size, char *words)
{
  const fcps_problem *p = r->problem;
  double *values = fcps_allocate((size_t)r->count, sizeof *values);
  if (size > 0) words[0] = '\0';
  if (values == NULL) return words;
  put(values + r->environment, &p->environment, rollout->environment);
  put(values + r->outcome, &p->outcome, rollout->outcome);
  put(values + r->target, &p->target, rollout->target);
  put(values + r->parameters, &p->parameters, rollout->parameters);
  values[r->present] = rollout->outcome != NULL ? 1.0 : 0.0;
  if (r->achieved != NULL) values[r->distance] = rollout->outcome != NULL ? distance_of(r, rollout) : NAN;
  fcps_formula_blame(formula, r->count, r->names, r->choices, values, size, words);
  free(values);
  return words;
}

/* -- What a formula says of itself -- */

/* Whether the formula, as it is written, is -distance plus terms in environment and parameters only: its first term
 * must be -distance. */
static bool is_distance_and_cost(const fcps_reward *r, const fcps_formula *written)
{
  const fcps_formula_step *steps = written->steps, *first = steps + written->count - 1;
  int distances = 0;
  for (int i = 0; i < written->count; i++) {
    const int index = steps[i].index;
    if (steps[i].op != FCPS_FORMULA_VALUE) continue;
    distances += index == r->distance;
    if ((index >= r->outcome && index < r->parameters) || index == r->present) return false;
  }
  for (int t = 0; t < r->problem->target.count; t++)
    if (r->problem->target.dims[t].period > 0.0) return false;
  while (first->op == FCPS_FORMULA_ADD || first->op == FCPS_FORMULA_SUBTRACT)
    first = steps + first->arguments[0];
  const fcps_formula_step *term = steps + first->arguments[0];
  return distances == 1 && first->op == FCPS_FORMULA_NEGATE && term->op == FCPS_FORMULA_VALUE &&
         term->index == r->distance;
}

/* Whether the reward uses the outcome without testing `present`. The value of the reward does not show this, because a
 * comparison with NaN gives false, which is a number. */
static bool needs_outcome(const fcps_reward *r, const fcps_formula *written)
{
  if (fcps_formula_uses(written, r->present)) return false;
  for (int i = r->outcome; i < r->target; i++)
    if (fcps_formula_uses(written, i)) return true;
  return r->achieved != NULL && fcps_formula_uses(written, r->distance);
}

/* -- Reading formulas -- */

static fcps_status read_achieved(fcps_reward *r, const char *const *achieved, fcps_error *error)
{
  const fcps_space *target = &r->problem->target;
  r->achieved = fcps_allocate((size_t)target->count, sizeof *r->achieved);
  if (r->achieved == NULL) return fcps_error_memory(error);
  for (int t = 0; t < target->count; t++) {
    fcps_formula written = {0};
    fcps_status status = FCPS_OK;
    if (target->dims[t].choices != NULL)
      status = fcps_error_set(error, FCPS_ERR_FORMAT, "",
                              "no number achieves a word; leave `achieved` out, and compare '%s' in the reward.",
                              target->dims[t].name);
    if (status == FCPS_OK) status = fcps_formula_read(&written, achieved[t], r->target, r->names, r->choices, error);
    if (status == FCPS_OK && !fcps_formula_specialize(&r->achieved[t], &written, written.count - 1, r->target, NULL))
      status = fcps_error_memory(error);
    fcps_formula_destroy(&written);
    if (status != FCPS_OK && error != NULL)
      snprintf(error->field, sizeof error->field, "achieved.%s", target->dims[t].name);
    if (status != FCPS_OK) return status;
  }
  return FCPS_OK;
}

/* Adds sqrt(sum of squared gaps) to a formula. Without an outcome it is NaN. For a periodic target the gap is the
 * shorter way round. */
static int add_distance(const fcps_reward *r, fcps_formula *formula)
{
  int sum = fcps_formula_add_constant(formula, 0.0);
  for (int t = 0; t < r->problem->target.count; t++) {
    const double period = r->problem->target.dims[t].period;
    const int hit = fcps_formula_splice(formula, &r->achieved[t], r->achieved[t].count - 1, NULL);
    int gap =
        fcps_formula_add_operation(formula, FCPS_FORMULA_SUBTRACT, fcps_formula_add_value(formula, r->target + t), hit);
    if (period > 0.0) {
      const int length = fcps_formula_add_constant(formula, period);
      const int turns = fcps_formula_add_call(formula, "round",
                                              fcps_formula_add_operation(formula, FCPS_FORMULA_DIVIDE, gap, length));
      gap = fcps_formula_add_operation(formula, FCPS_FORMULA_SUBTRACT, gap,
                                       fcps_formula_add_operation(formula, FCPS_FORMULA_MULTIPLY, length, turns));
    }
    sum = fcps_formula_add_operation(formula, FCPS_FORMULA_ADD, sum,
                                     fcps_formula_add_operation(formula, FCPS_FORMULA_MULTIPLY, gap, gap));
  }
  const int length = fcps_formula_add_call(formula, "sqrt", sum);
  return fcps_formula_add(formula, (fcps_formula_step){.op = FCPS_FORMULA_CHOOSE,
                                                       .arguments = {fcps_formula_add_value(formula, r->present),
                                                                     length, fcps_formula_add_constant(formula, NAN)}});
}

/* Writes the formula that is evaluated, in which `distance` is replaced by its terms. Returns false if memory ran
 * out. */
static bool spell_out(const fcps_reward *r, const fcps_formula *written, fcps_formula *formula)
{
  fcps_formula joined = {0};
  int *stand_ins = fcps_allocate((size_t)r->count, sizeof *stand_ins), root = -1;
  for (int i = 0; i < r->count && stand_ins != NULL; i++)
    stand_ins[i] = -1;
  const bool uses_distance = r->achieved != NULL && fcps_formula_uses(written, r->distance);
  if (stand_ins != NULL && uses_distance) stand_ins[r->distance] = add_distance(r, &joined);
  if (stand_ins != NULL && (!uses_distance || stand_ins[r->distance] >= 0))
    root = fcps_formula_splice(&joined, written, written->count - 1, stand_ins);
  const bool is_done = root >= 0 && fcps_formula_specialize(formula, &joined, root, r->count, NULL);
  fcps_formula_destroy(&joined);
  free(stand_ins);
  return is_done;
}

static fcps_status read_reward(fcps_reward *r, const char *reward, fcps_error *error)
{
  fcps_formula written = {0};
  fcps_status status = fcps_formula_read(&written, reward, r->count, r->names, r->choices, error);
  if (status == FCPS_OK) {
    r->steps = (fcps_reward_formula){.environment = r->environment,
                                     .outcome = r->outcome,
                                     .target = r->target,
                                     .parameters = r->parameters,
                                     .present = r->present,
                                     .count = r->count,
                                     .text = reward,
                                     .needs_outcome = needs_outcome(r, &written)};
    r->is_distance = r->achieved != NULL && is_distance_and_cost(r, &written);
    if (!spell_out(r, &written, &r->steps.formula)) status = fcps_error_memory(error);
  }
  if (status != FCPS_OK && error != NULL) strcpy(error->field, "reward");
  fcps_formula_destroy(&written);
  return status;
}

/* Makes room to evaluate the longest formula. */
static fcps_status make_room(fcps_reward *r)
{
  size_t work = fcps_formula_work(&r->steps.formula);
  for (int t = 0; r->achieved != NULL && t < r->problem->target.count; t++)
    if (fcps_formula_work(&r->achieved[t]) > work) work = fcps_formula_work(&r->achieved[t]);
  r->work = fcps_allocate(work, sizeof *r->work);
  return r->work != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
}

static fcps_status read_formulas(fcps_reward *r, const char *reward, const char *const *achieved, fcps_error *error)
{
  if (name_values(r, achieved != NULL) != FCPS_OK) return fcps_error_memory(error);
  fcps_status status = achieved != NULL ? read_achieved(r, achieved, error) : FCPS_OK;
  if (status == FCPS_OK && reward != NULL) status = read_reward(r, reward, error);
  return status == FCPS_OK && make_room(r) != FCPS_OK ? fcps_error_memory(error) : status;
}

const fcps_reward_formula *fcps_reward_formula_of(const fcps_problem *problem)
{
  fcps_problem inner = *problem;
  fcps_callbacks_unguard(&inner);
  const fcps_reward *r = inner.reward == score ? inner.user : NULL;
  return r != NULL ? &r->steps : NULL;
}

/* -- Life -- */

fcps_status fcps_reward_create(fcps_reward **handle, fcps_problem *problem, const char *reward,
                               const char *const *achieved, fcps_error *error)
{
  *handle = NULL;
  fcps_reward *r = fcps_allocate(1, sizeof *r);
  if (r == NULL) return fcps_error_memory(error);
  r->problem = problem;
  const fcps_status status = read_formulas(r, reward, achieved, error);
  if (status != FCPS_OK) {
    fcps_reward_destroy(r);
    return status;
  }
  problem->reward = reward != NULL ? score : NULL;
  problem->achieved = achieved != NULL ? achieved_targets : NULL;
  problem->is_distance = r->is_distance;
  problem->user = r;
  *handle = r;
  return FCPS_OK;
}

void fcps_reward_destroy(fcps_reward *r)
{
  if (r == NULL) return;
  for (int t = 0; r->achieved != NULL && t < r->problem->target.count; t++)
    fcps_formula_destroy(&r->achieved[t]);
  fcps_formula_destroy(&r->steps.formula);
  free(r->achieved);
  free(r->names);
  free(r->choices);
  free(r->inputs);
  free(r->work);
  free(r->lanes);
  free(r);
}
