/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a reward by trying its formula. At random places one dimension after the other goes through a grid of its
 * range: if the reward changes, it depends on the dimension. An outcome without a range may have values that nobody tries,
 * and one whose exact value decides something may be missed by the grid: there the steps say whether it is used.
 *
 * Two courses are usually mistakes: a minus is missing.
 *   - An outcome that goes far away, in both directions, makes the reward grow. If it is the same on both sides, as `v^2`
 *     is, large numbers of any sign are wanted; otherwise it is least somewhere else than at zero, in every context.
 *   - A target is what one wants, so a reward that has its best value where target and outcome agree is best at some inner
 *     point of the grid; one with the wrong sign is worst there. */
#include "base/memory.h"
#include "base/rng.h"
#include "problem/judge/judge.h"

#include <math.h>
#include <stdlib.h>

enum { PLACES = 64, GRID = 33, SEED = 1, FAR_PLACES = 16, FAR_STEPS = 3 };
enum { TARGET, OUTCOME = 3, SPACES };

/* The formula, and a number and a range for each of its values, with which it is tried. */
typedef struct trial_course {
  const fcps_reward_formula *reward;
  const fcps_space *spaces[SPACES];
  int first[SPACES];
  double *values, *lower, *upper, *work;
  fcps_formula_input *inputs;
} trial_course;

static bool has_range(const fcps_dimension *dim)
{
  return dim->lower < dim->upper;
}

/* -- Ranges -- */

/* Chooses the range in which an outcome without bounds is tried: between the outcomes that were seen, as far again on
 * either side, and where the targets are. */
static void find_outcome_range(const trial_course *t, int outcome, int count, const double *outcomes, double *lower,
                               double *upper)
{
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < count; i++) {
    const double value = outcomes[i * t->spaces[OUTCOME]->count + outcome];
    if (!isfinite(value)) continue;
    least = fmin(least, value);
    most = fmax(most, value);
  }
  if (!(least <= most)) least = most = 0;
  const double spread = fmax(most - least, fmax(fabs(least), 1));
  *lower = least - spread;
  *upper = most + spread;
  for (int i = 0; i < t->spaces[TARGET]->count; i++) {
    *lower = fmin(*lower, t->spaces[TARGET]->dims[i].lower);
    *upper = fmax(*upper, t->spaces[TARGET]->dims[i].upper);
  }
}

static void find_ranges(trial_course *t, int count, const double *outcomes)
{
  for (int s = 0; s < SPACES; s++)
    for (int i = 0; i < t->spaces[s]->count; i++) {
      const fcps_dimension *dim = &t->spaces[s]->dims[i];
      double *lower = &t->lower[t->first[s] + i], *upper = &t->upper[t->first[s] + i];
      *lower = dim->lower;
      *upper = dim->upper;
      if (!has_range(dim)) find_outcome_range(t, i, count, outcomes, lower, upper);
    }
}

static void place_at_random(trial_course *t, int place)
{
  fcps_rng rng = fcps_rng_stream(SEED, FCPS_PURPOSE_EVALUATION, (uint64_t)place);
  for (int s = 0; s < SPACES; s++)
    for (int i = t->first[s]; i < t->first[s] + t->spaces[s]->count; i++)
      t->values[i] = t->lower[i] + (t->upper[i] - t->lower[i]) * fcps_rng_uniform(&rng);
}

/* The rewards if one value takes these numbers and the others stay. They are valid until the next call. */
static const double *rewards_along(trial_course *t, int value, int count, const double *numbers)
{
  t->inputs[value] = (fcps_formula_input){numbers, 1};
  const double *rewards = fcps_formula_eval(&t->reward->formula, count, t->inputs, t->work);
  t->inputs[value] = (fcps_formula_input){t->values + value, 0};
  return rewards;
}

/* -- Within the bounds -- */

/* How a reward changes along a dimension. */
typedef struct course {
  bool has_value, changes;
  bool is_best_inside, is_worst_inside; /* better (worse) inside than at both ends */
} course;

static course look_along(trial_course *t, int value)
{
  course c = {0};
  double numbers[GRID];
  int best = -1, worst = -1;
  for (int g = 0; g < GRID; g++)
    numbers[g] = t->lower[value] + (t->upper[value] - t->lower[value]) * g / (GRID - 1);
  const double *rewards = rewards_along(t, value, GRID, numbers);
  for (int g = 0; g < GRID; g++) {
    if (!isfinite(rewards[g])) continue;
    if (best < 0 || rewards[g] > rewards[best]) best = g;
    if (worst < 0 || rewards[g] < rewards[worst]) worst = g;
  }
  c.has_value = best >= 0;
  c.changes = c.has_value && rewards[best] > rewards[worst];
  const double ends_most = fmax(rewards[0], rewards[GRID - 1]), ends_least = fmin(rewards[0], rewards[GRID - 1]);
  c.is_best_inside = c.changes && rewards[best] > ends_most;
  c.is_worst_inside = c.changes && rewards[worst] < ends_least;
  return c;
}

static void try_dimension(trial_course *t, int s, int i, fcps_reward_judgement *judgement)
{
  int best_inside = 0, worst_inside = 0;
  for (int place = 0; place < PLACES; place++) {
    place_at_random(t, place);
    const course c = look_along(t, t->first[s] + i);
    judgement->has_value |= c.has_value;
    judgement->depends[s][i] |= c.changes;
    best_inside += c.is_best_inside;
    worst_inside += c.is_worst_inside;
  }
  if (s == TARGET) judgement->is_contrary[i] = worst_inside > PLACES / 8 && best_inside == 0;
}

/* -- Far away -- */

/* The largest number of the problem; far away is measured by it. */
static double size_of(const trial_course *t)
{
  double size = 1.0;
  for (int s = 0; s < SPACES; s++)
    for (int d = 0; d < t->spaces[s]->count; d++)
      size = fmax(size, fmax(fabs(t->spaces[s]->dims[d].lower), fabs(t->spaces[s]->dims[d].upper)));
  return size;
}

/* Whether the reward grows on both sides of the present values; *is_even: equally on both. */
static bool grows_here(trial_course *t, int value, bool *is_even)
{
  double numbers[2 * FAR_STEPS], distance = 1e3 * size_of(t);
  for (int i = 0; i < FAR_STEPS; i++, distance *= 10.0) {
    numbers[2 * i] = distance;
    numbers[2 * i + 1] = -distance;
  }
  const double *rewards = rewards_along(t, value, 2 * FAR_STEPS, numbers);
  for (int i = 0; i < 2 * FAR_STEPS; i++) {
    if (!isfinite(rewards[i]) || (i >= 2 && !(rewards[i] > rewards[i - 2]))) return false;
    if (i % 2 == 1) *is_even = *is_even && fabs(rewards[i - 1] - rewards[i]) <= 1e-12 * fabs(rewards[i - 1]);
  }
  return true;
}

/* Whether the reward grows if an outcome goes far away. Another outcome without bounds may be a flag, so it is 0 or 1
 * meanwhile. */
static bool grows(trial_course *t, int outcome)
{
  bool is_even = true;
  for (int place = 0; place < FAR_PLACES; place++) {
    place_at_random(t, place);
    for (int o = 0; o < t->spaces[OUTCOME]->count; o++) {
      const int i = t->first[OUTCOME] + o;
      if (!has_range(&t->spaces[OUTCOME]->dims[o])) t->values[i] = t->values[i] < 0.5 * (t->lower[i] + t->upper[i]);
    }
    if (!grows_here(t, t->first[OUTCOME] + outcome, &is_even)) return false;
  }
  return !is_even;
}

/* -- The judgement -- */

static void judge(trial_course *t, fcps_reward_judgement *judgement)
{
  const fcps_reward_formula *r = t->reward;
  const int exact = fcps_reward_exact_outcome(r);
  for (int s = 0; s < SPACES; s++)
    for (int i = 0; i < t->spaces[s]->count; i++)
      try_dimension(t, s, i, judgement);
  judgement->is_constant = fcps_reward_is_constant(r);
  judgement->has_idle_targets = judgement->has_value && fcps_reward_has_idle_targets(r);
  judgement->needs_trials = fcps_reward_uses(r, r->present) ||
                            !judgement->has_value; /* without a value, only trials show what it depends on */
  for (int o = 0; o < t->spaces[OUTCOME]->count; o++) {
    bool *depends = &judgement->depends[OUTCOME][o];
    if (!has_range(&t->spaces[OUTCOME]->dims[o]) || o == exact) *depends |= fcps_reward_uses(r, r->outcome + o);
    judgement->needs_trials |= *depends;
    judgement->grows[o] = grows(t, o);
  }
}

bool fcps_problem_judge_reward(const fcps_problem *problem, int count, const double *outcomes,
                               fcps_reward_judgement *judgement)
{
  if (problem == NULL || judgement == NULL || problem->reward == NULL || (count > 0 && outcomes == NULL)) return false;
  const fcps_reward_formula *r = fcps_reward_formula_of(problem);
  if (r == NULL) return false;
  const size_t values = (size_t)r->count;
  trial_course t = {.reward = r,
                    .spaces = {&problem->target, &problem->environment, &problem->parameters, &problem->outcome},
                    .first = {r->target, r->environment, r->parameters, r->outcome},
                    .values = fcps_allocate(3 * values, sizeof *t.values),
                    .work = fcps_allocate(fcps_formula_work(&r->formula), sizeof *t.work),
                    .inputs = fcps_allocate(values, sizeof *t.inputs)};
  const bool is_done = t.values != NULL && t.work != NULL && t.inputs != NULL;
  *judgement = (fcps_reward_judgement){0};
  if (is_done) {
    t.lower = t.values + values;
    t.upper = t.lower + values;
    for (size_t i = 0; i < values; i++)
      t.inputs[i] = (fcps_formula_input){t.values + i, 0};
    t.values[r->present] = 1.0;
    find_ranges(&t, count, outcomes);
    judge(&t, judgement);
  }
  free(t.values);
  free(t.work);
  free(t.inputs);
  return is_done;
}
