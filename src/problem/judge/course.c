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

/* The formula, and the numbers with which it is tried: for each of its values, a number and a range. */
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

/* Chooses the range in which an outcome without bounds is tried: the range of the outcomes that were seen, as much
 * again on each side, and the range of the targets. */
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

/* Returns the rewards that result if one value takes these numbers and the others stay the same. They are valid until
 * the next call. */
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
  bool is_best_inside, is_worst_inside; /* the reward is better (worse) inside than at both ends */
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

/* Returns the largest number of the problem. An outcome "far away" is a multiple of it. */
static double size_of(const trial_course *t)
{
  double size = 1.0;
  for (int s = 0; s < SPACES; s++)
    for (int d = 0; d < t->spaces[s]->count; d++)
      size = fmax(size, fmax(fabs(t->spaces[s]->dims[d].lower), fabs(t->spaces[s]->dims[d].upper)));
  return size;
}

/* Whether the reward grows on both sides of the present values. *is_even says whether it grows equally on both
 * sides. */
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

/* Whether the reward grows if an outcome goes far away. Meanwhile other outcomes without bounds are set to 0 or 1,
 * because they may be flags. */
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
                            /* If the formula has no value at any place, only trials show on what it depends. */
                            !judgement->has_value;
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

/* -- The range of an outcome that a reward follows --
 *
 * It is found by interval arithmetic. Each step has a range of values, and may vary with the outcome or not. If all outcomes from T on lose every min, max, comparison and choice, the last step
 * does not vary; then it does not vary for any larger T either, so bisection finds the least T. An unknown property of
 * a function makes ranges wider, never narrower. */

/* The largest numbers that are learnt; asinh of the largest, from which the bisection starts; the rounding errors that
 * ranges allow for. */
static const double largest = 1e100, steepest = 230.0, rounding = 1e-9;
enum { HALVINGS = 70 };

/* The values that a step may have. */
typedef struct range {
  double low, high;
  bool varies;  /* the value depends on the outcome */
  bool is_sure; /* the value is never NaN */
} range;

static range anything(bool varies)
{
  return (range){-INFINITY, INFINITY, varies, false};
}

/* Returns the smallest range that contains these numbers. It is otherwise like `like`. */
static range around(int count, const double *numbers, range like)
{
  like.low = INFINITY, like.high = -INFINITY;
  for (int i = 0; i < count; i++) {
    if (!isfinite(numbers[i])) return anything(like.varies);
    like.low = fmin(like.low, numbers[i]);
    like.high = fmax(like.high, numbers[i]);
  }
  return like;
}

static bool is_number(const range *a, double number)
{
  return a->low == number && a->high == number && !a->varies && a->is_sure;
}

/* The range of a function that is monotonic in both arguments, from its values at the corners. */
static range at_corners(const fcps_formula_step *step, range a, range b, range like)
{
  const double corners[] = {fcps_formula_apply(step, a.low, b.low, 0.0), fcps_formula_apply(step, a.low, b.high, 0.0),
                            fcps_formula_apply(step, a.high, b.low, 0.0),
                            fcps_formula_apply(step, a.high, b.high, 0.0)};
  return around(4, corners, like);
}

/* The range of the absolute value. */
static range range_of_size(range a)
{
  return (range){fmax(0.0, fmax(a.low, -a.high)), fmax(-a.low, a.high), a.varies, a.is_sure};
}

/* The range of a power: of a positive number, or of any number to an even power. */
static range power(const fcps_formula_step *step, range a, range b, range like)
{
  const bool is_even = b.low == b.high && b.low > 0.0 && fmod(b.low, 2.0) == 0.0;
  if (is_even) a = range_of_size(a);
  return a.low >= 0.0 ? at_corners(step, a, b, like) : anything(like.varies);
}

/* Whether a comparison is surely true (1) or surely false (0); -1: neither. */
static int compared(fcps_formula_op op, range a, range b)
{
  const bool is_less = a.high<b.low, is_more = a.low> b.high, is_same = a.low == b.high && a.high == b.low;
  switch (op) {
  case FCPS_FORMULA_LESS:
    return is_less ? 1 : a.low >= b.high ? 0 : -1;
  case FCPS_FORMULA_LESS_EQUAL:
    return a.high <= b.low ? 1 : is_more ? 0 : -1;
  case FCPS_FORMULA_GREATER:
    return is_more ? 1 : a.high <= b.low ? 0 : -1;
  case FCPS_FORMULA_GREATER_EQUAL:
    return a.low >= b.high ? 1 : is_less ? 0 : -1;
  case FCPS_FORMULA_EQUAL:
    return is_less || is_more ? 0 : is_same ? 1 : -1;
  default:
    return is_less || is_more ? 1 : is_same ? 0 : -1;
  }
}

/* Whether a number is surely not 0 (1) or surely 0 (0); -1: neither. */
static int truth(range a)
{
  return !a.is_sure ? -1 : a.low > 0.0 || a.high < 0.0 ? 1 : a.low == 0.0 && a.high == 0.0 ? 0 : -1;
}

/* The range of a condition. */
static range decided(int truth, range like)
{
  return truth >= 0 ? (range){truth, truth, false, true} : (range){0.0, 1.0, like.varies, true};
}

static range both(range a, range b)
{
  return (range){fmin(a.low, b.low), fmax(a.high, b.high), true, a.is_sure && b.is_sure};
}

/* Returns the range of the lesser or the greater of two numbers. If one of them surely wins, it is the range of that
 * one. */
static range extreme(bool is_least, range a, range b, range like)
{
  if (like.is_sure && a.high <= b.low) return is_least ? a : b;
  if (like.is_sure && b.high <= a.low) return is_least ? b : a;
  like.low = is_least ? fmin(a.low, b.low) : fmax(a.low, b.low);
  like.high = is_least ? fmin(a.high, b.high) : fmax(a.high, b.high);
  return like;
}

static range call(const fcps_formula_step *step, range a, range b, range like)
{
  const double ends[] = {fcps_formula_apply(step, a.low, 0.0, 0.0), fcps_formula_apply(step, a.high, 0.0, 0.0)};
  if (fcps_formula_calls(step, "min max")) return extreme(fcps_formula_calls(step, "min"), a, b, like);
  if (fcps_formula_calls(step, "sum")) return at_corners(step, a, b, like);
  if (fcps_formula_calls(step, "abs")) return range_of_size(a);
  if (fcps_formula_calls(step, "sqrt cbrt exp log ln log2 log10 asin acos atan sinh tanh floor ceil round sign"))
    return around(2, ends, like);
  if (fcps_formula_calls(step, "hypot norm")) {
    const range x = range_of_size(a), y = range_of_size(b);
    return around(2, (const double[]){hypot(x.low, y.low), hypot(x.high, y.high)}, like);
  }
  return anything(like.varies);
}

static range range_of(const fcps_formula_step *step, range a, range b, range c)
{
  const int arguments = fcps_formula_arguments(step);
  const range like = {.varies = a.varies || (arguments > 1 && b.varies),
                      .is_sure = a.is_sure && (arguments < 2 || b.is_sure)};
  switch (step->op) {
  case FCPS_FORMULA_NEGATE:
    return (range){-a.high, -a.low, a.varies, a.is_sure};
  case FCPS_FORMULA_ADD:
  case FCPS_FORMULA_SUBTRACT:
    return at_corners(step, a, b, like);
  case FCPS_FORMULA_MULTIPLY:
    if (like.is_sure && (is_number(&a, 0.0) || is_number(&b, 0.0))) return (range){0.0, 0.0, false, true};
    return at_corners(step, a, b, like);
  case FCPS_FORMULA_DIVIDE:
    return b.low > 0.0 || b.high < 0.0 ? at_corners(step, a, b, like) : anything(like.varies);
  case FCPS_FORMULA_POWER:
    return power(step, a, b, like);
  case FCPS_FORMULA_AND:
    return decided(truth(a) == 0 || truth(b) == 0 ? 0 : truth(a) == 1 && truth(b) == 1 ? 1 : -1, like);
  case FCPS_FORMULA_OR:
    return decided(truth(a) == 1 || truth(b) == 1 ? 1 : truth(a) == 0 && truth(b) == 0 ? 0 : -1, like);
  case FCPS_FORMULA_CHOOSE:
    return truth(a) == 1 ? b : truth(a) == 0 ? c : a.varies || b.varies || c.varies ? both(b, c) : anything(false);
  case FCPS_FORMULA_CALL_ONE:
  case FCPS_FORMULA_CALL_TWO:
    return call(step, a, b, like);
  default:
    return decided(like.is_sure ? compared(step->op, a, b) : -1, like);
  }
}

/* -- The outcome -- */

typedef struct span_search {
  const fcps_reward_formula *reward;
  range *values, *steps;
  int value; /* the index of the outcome */
} span_search;

/* Returns the range of the reward. */
static range follow(const span_search *s)
{
  const fcps_formula *f = &s->reward->formula;
  for (int i = 0; i < f->count; i++) {
    const fcps_formula_step *step = f->steps + i;
    range arguments[3] = {{0}};
    for (int a = 0; a < fcps_formula_arguments(step); a++)
      arguments[a] = s->steps[step->arguments[a]];
    s->steps[i] = step->op == FCPS_FORMULA_CONSTANT
                      ? (range){step->constant, step->constant, false, !isnan(step->constant)}
                  : step->op == FCPS_FORMULA_VALUE ? s->values[step->index]
                                                   : range_of(step, arguments[0], arguments[1], arguments[2]);
  }
  return s->steps[f->count - 1];
}

/* Whether the reward is the same for all values of the outcome from `low` to `high`, whatever the other values are. */
static bool is_settled(const span_search *s, double low, double high)
{
  s->values[s->value] = (range){low, high, true, true};
  return !follow(s).varies;
}

static bool is_settled_from(const span_search *s, double direction, double from)
{
  return direction > 0.0 ? is_settled(s, from, fmax(from, largest)) : is_settled(s, fmin(from, -largest), from);
}

/* Returns the value beyond which the reward no longer changes, in one direction (1 or -1). */
static double edge(const span_search *s, double direction)
{
  double unsettled = -steepest, settled = steepest;
  if (!is_settled_from(s, direction, direction * sinh(steepest - 1.0))) return direction * INFINITY;
  for (int i = 0; i < HALVINGS; i++) {
    const double middle = 0.5 * (unsettled + settled);
    *(is_settled_from(s, direction, direction * sinh(middle)) ? &settled : &unsettled) = middle;
  }
  return direction * sinh(settled);
}

static void set_ranges(const fcps_problem *p, const fcps_reward_formula *r, range *values)
{
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  const int first[] = {r->target, r->environment, r->parameters, r->outcome};
  for (int s = 0; s < 4; s++)
    for (int d = 0; d < spaces[s]->count; d++) {
      const fcps_dimension *dim = spaces[s]->dims + d;
      const bool is_bounded = dim->lower < dim->upper;
      values[first[s] + d] =
          (range){is_bounded ? dim->lower : -largest, is_bounded ? dim->upper : largest, false, true};
    }
  values[r->present] = (range){1.0, 1.0, false, true};
}

/* Finds the range in which the reward follows the outcome. The range is infinite if the reward never stops following
 * it, or if memory ran out. */
static void find_followed(const fcps_problem *problem, const fcps_reward_formula *reward, int outcome, double *lower,
                          double *upper)
{
  const size_t values = (size_t)reward->count + 1, steps = (size_t)reward->formula.count;
  span_search s = {.reward = reward, .value = reward->outcome + outcome};
  s.values = fcps_allocate(values + steps, sizeof *s.values);
  if (s.values == NULL) return;
  s.steps = s.values + values;
  set_ranges(problem, reward, s.values);
  if (!is_settled(&s, -largest, largest)) {
    *upper = edge(&s, 1.0);
    *lower = edge(&s, -1.0);
  }
  free(s.values);
}

/* A little beyond its range, an outcome still shows in which direction it went. */
void fcps_problem_find_span(const fcps_problem *problem, int outcome, double *lower, double *upper)
{
  const fcps_reward_formula *reward = problem->reward != NULL ? fcps_reward_formula_of(problem) : NULL;
  *lower = -INFINITY;
  *upper = INFINITY;
  if (reward == NULL || problem->limit_count > 0) return;
  find_followed(problem, reward, outcome, lower, upper);
  const double width = *upper - *lower, zero = fmin(fabs(*lower), fabs(*upper));
  const double more = isfinite(width) && width > rounding * zero ? width : zero;
  *lower = more > 0.0 ? *lower - more : -INFINITY;
  *upper = more > 0.0 ? *upper + more : INFINITY;
}

double fcps_problem_find_most(const fcps_problem *problem, const double *target, const double *environment,
                              const double *parameters)
{
  const fcps_reward_formula *r = problem->reward != NULL ? fcps_reward_formula_of(problem) : NULL;
  const fcps_space *const spaces[] = {&problem->target, &problem->environment, &problem->parameters};
  const double *const rows[] = {target, environment, parameters};
  if (r == NULL) return INFINITY;
  const int first[] = {r->target, r->environment, r->parameters};
  span_search s = {.reward = r};
  s.values = fcps_allocate((size_t)r->count + 1 + (size_t)r->formula.count, sizeof *s.values);
  if (s.values == NULL) return INFINITY;
  s.steps = s.values + r->count + 1;
  set_ranges(problem, r, s.values);
  for (int k = 0; k < 3; k++)
    for (int d = 0; d < spaces[k]->count; d++)
      s.values[first[k] + d] = (range){rows[k][d], rows[k][d], false, true};
  const double most = follow(&s).high;
  free(s.values);
  return most < largest ? most : INFINITY;
}
