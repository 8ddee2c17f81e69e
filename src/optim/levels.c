/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates with levels, such as integers.
 *
 * A search first treats them as continuous. Then they are settled: the options are the nearest levels, and the points
 * with one coordinate on a neighbouring level. From each option the other coordinates climb again, and the best option
 * wins. During a climb a coordinate is held by setting its slope to 0: no search here moves a coordinate without a
 * slope.
 *
 * Words are levels without neighbours (optim.h): starts have different words, and settling changes them. */
#include "base/memory.h"
#include "optim/optim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If more coordinates than this have levels, there are too many neighbouring levels to try. */
enum { MOST_TRIED = 8 };

static double level_of(double levels, double x)
{
  return fmin(fmax(floor(x * levels), 0.0), levels - 1.0);
}

static double middle_of(double levels, double level)
{
  return (level + 0.5) / levels;
}

/* The number of coordinates whose neighbouring levels are tried; 0 if there are too many. */
static int tried(int n, const double *levels)
{
  int count = 0;
  for (int d = 0; d < n; d++)
    count += levels[d] > 0.0;
  return count <= MOST_TRIED ? count : 0;
}

int fcps_levels_options(int n, const double *levels)
{
  return levels != NULL ? 1 + 2 * tried(n, levels) : 0;
}

void fcps_levels_snap(int n, const double *levels, int count, double *points)
{
  for (int i = 0; i < count * n && levels != NULL; i++) {
    const double l = fabs(levels[i % n]);
    if (l > 0.0) points[i] = middle_of(l, level_of(l, points[i]));
  }
}

/* The level next to x in the direction of `step`, also across the seam of a circle. At the last level, x itself. */
static double beside(double levels, bool wraps, double x, double step)
{
  const double level = level_of(levels, x) + step;
  if (level >= 0.0 && level < levels) return middle_of(levels, level);
  return wraps ? middle_of(levels, level < 0.0 ? levels - 1.0 : 0.0) : x;
}

void fcps_levels_lay(int n, const double *levels, const bool *wraps, const double *x, double *options)
{
  const size_t size = (size_t)n * sizeof(double);
  const bool has_neighbours = tried(n, levels) > 0;
  memcpy(options, x, size);
  fcps_levels_snap(n, levels, 1, options);
  double *next = options + n;
  for (int d = 0; d < n && has_neighbours; d++)
    for (int side = -1; side <= 1 && levels[d] > 0.0; side += 2, next += n) {
      memcpy(next, options, size);
      next[d] = beside(levels[d], wraps != NULL && wraps[d], options[d], side);
    }
}

void fcps_levels_hold(int n, const double *levels, bool words_only, double *gradient, double *curvature)
{
  for (int d = 0; d < n && levels != NULL; d++) {
    if (levels[d] == 0.0 || (words_only && levels[d] > 0.0)) continue;
    gradient[d] = 0.0;
    for (int j = 0; j < n && curvature != NULL; j++)
      curvature[d * n + j] = curvature[j * n + d] = d == j ? 1.0 : 0.0;
  }
}

/* -- Settling -- */

static double held_value(void *user, int n, const double *x, double *gradient)
{
  const fcps_objective *o = user;
  const double value = o->value(o->user, n, x, gradient);
  if (gradient != NULL) fcps_levels_hold(n, o->levels, false, gradient, NULL);
  return value;
}

static void held_slopes(void *user, int n, int count, const double *points, double *values, double *gradients)
{
  const fcps_objective *o = user;
  if (o->slopes != NULL) o->slopes(o->user, n, count, points, values, gradients);
  for (size_t i = 0, w = (size_t)n; i < (size_t)count; i++) {
    if (o->slopes == NULL) values[i] = o->value(o->user, n, points + i * w, gradients + i * w);
    fcps_levels_hold(n, o->levels, false, gradients + i * w, NULL);
  }
}

/* Climbs from each option in the coordinates without levels. With a region, an option is first moved to the nearest
 * point of the region that is on levels. `kinks` is for a single option: the climb then goes on along kinks. */
static fcps_status climb_held(fcps_objective *objective, int count, int budget, bool kinks, double *options,
                              fcps_optimum *ends)
{
  const size_t n = (size_t)objective->n;
  const fcps_region *region = objective->region;
  bool *stays = fcps_allocate(n, sizeof(bool));
  if (stays == NULL) return FCPS_ERR_MEMORY;
  for (size_t d = 0; d < n; d++)
    stays[d] = objective->levels != NULL && objective->levels[d] != 0.0;
  for (size_t i = 0; i < (size_t)count && region != NULL; i++)
    region->settle(region->user, options + i * n);
  fcps_region_search search;
  fcps_objective inside;
  fcps_status status = fcps_region_enter(objective, stays, count, &search, &inside);
  const fcps_objective held = {.n = objective->n,
                               .value = held_value,
                               .slopes = held_slopes,
                               .wraps = objective->wraps,
                               .value_scale = objective->value_scale,
                               .user = &inside};
  if (status == FCPS_OK) status = fcps_lbfgsb_maximize_all(&held, count, budget, FCPS_OPTIM_TOLERANCE, options, ends);
  if (status == FCPS_OK && kinks) status = fcps_kink_climb(&held, options, ends);
  for (size_t i = 0; i < (size_t)count && status == FCPS_OK && region != NULL; i++) {
    region->project(region->user, stays, options + i * n, search.points);
    memcpy(options + i * n, search.points, n * sizeof *options);
  }
  fcps_region_leave(&search, options);
  free(stays);
  return status;
}

/* What replaces x. */
typedef enum settling {
  SETTLE, /* the best end of the climbs from its nearest levels and from their neighbours */
  STEP,   /* the same end, but only if it is better than x, which is settled */
  CLIMB   /* the end of a climb from x, also along kinks, but only if it is better than x */
} settling;

static fcps_status climb_options(const fcps_objective *objective, settling how, int budget, double *x,
                                 fcps_optimum *optimum)
{
  fcps_objective whole = *objective; /* a copy, because `user` is not const */
  const size_t n = (size_t)whole.n;
  const int count = how == CLIMB ? 1 : fcps_levels_options(whole.n, whole.levels);
  double *options = fcps_allocate((size_t)count * n, sizeof(double));
  fcps_optimum *ends = fcps_allocate((size_t)count, sizeof *ends);
  fcps_status status = options != NULL && ends != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    memcpy(options, x, n * sizeof *x);
    if (how != CLIMB) fcps_levels_lay(whole.n, whole.levels, whole.wraps, x, options);
    status = climb_held(&whole, count, budget > 0 ? budget : 1, how == CLIMB, options, ends);
  }
  int best = 0;
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    optimum->evaluations += ends[i].evaluations;
    if (ends[i].value > ends[best].value) best = i;
  }
  if (status == FCPS_OK && (how == SETTLE || ends[best].value > optimum->value)) {
    memcpy(x, options + (size_t)best * n, n * sizeof(double));
    optimum->value = ends[best].value;
  }
  free(options);
  free(ends);
  return status;
}

/* -- Changes -- */

/* The most changes of words. A climb in the numbers follows each. More changes have never improved a value. */
enum { MOST_CHANGES = 4 };

/* If more coordinates than this have levels, two of them are never changed together. */
enum { MOST_PAIRED = 16 };

/* The most rounds of fcps_climb_on, and the most steps of levels in each round. A single line search may use up a small
 * budget without a gain, so these climbs have LONG_CLIMB times the budget. Also, a search that stops at a kink loses
 * what it learnt about curvature. */
enum { MOST_ROUNDS = 16, MOST_STEPS = 64, LONG_CLIMB = 4 };

/* The rounds end after one that gains less than this, in the units of tolerances. */
static const double least_gain = 1e-5;

/* Points that differ from x in one or two coordinates. */
typedef struct changes {
  const fcps_objective *objective;
  const double *x;
  int count;
  double *points;
} changes;

/* Adds a copy of x with coordinate d changed, and also coordinate e if it is not negative. */
static void add_change(changes *c, int d, double value, int e, double other)
{
  const size_t n = (size_t)c->objective->n;
  if (value == c->x[d] || (e >= 0 && other == c->x[e])) return;
  double *next = c->points + (size_t)c->count * n;
  memcpy(next, c->x, n * sizeof *next);
  next[d] = value;
  if (e >= 0) next[e] = other;
  const fcps_region *region = c->objective->region;
  if (region != NULL && region->rest != NULL) region->rest(region->user, next);
  c->count += memcmp(next, c->x, n * sizeof *next) != 0; /* x: the parameter does not apply */
}

static void add_words(changes *c)
{
  const double *levels = c->objective->levels;
  for (int d = 0; d < c->objective->n; d++)
    for (double word = 0.0; word < -levels[d]; word++)
      if (word != level_of(-levels[d], c->x[d])) add_change(c, d, middle_of(-levels[d], word), -1, 0.0);
}

/* Adds all points one step of a level away, and, unless they are many, all with such steps in two coordinates. */
static void add_steps(changes *c)
{
  const fcps_objective *o = c->objective;
  int count = 0;
  for (int d = 0; d < o->n; d++)
    count += o->levels[d] > 0.0;
  for (int d = 0; d < o->n; d++)
    for (int side = -1; side <= 1 && o->levels[d] > 0.0; side += 2) {
      const double value = beside(o->levels[d], o->wraps != NULL && o->wraps[d], c->x[d], side);
      add_change(c, d, value, -1, 0.0);
      for (int e = d + 1; e < o->n && count <= MOST_PAIRED; e++)
        for (int turn = -1; turn <= 1 && o->levels[e] > 0.0; turn += 2)
          add_change(c, d, value, e, beside(o->levels[e], o->wraps != NULL && o->wraps[e], c->x[e], turn));
    }
}

/* Moves x to its best change if that improves the value (then *is_better), and climbs from there in the coordinates
 * without levels. */
static fcps_status take_best_change(fcps_objective *o, changes *c, double *values, int budget, double *x,
                                    fcps_optimum *optimum, bool *is_better)
{
  const size_t n = (size_t)o->n;
  fcps_optimum end;
  int best = 0;
  *is_better = false;
  fcps_region_settle_all(o->region, o->n, c->count, c->points);
  if (o->batch != NULL) o->batch(o->user, o->n, c->count, c->points, values);
  for (int i = 0; i < c->count && o->batch == NULL; i++)
    values[i] = o->value(o->user, o->n, c->points + (size_t)i * n, NULL);
  for (int i = 1; i < c->count; i++)
    if (values[i] > values[best]) best = i;
  optimum->evaluations += c->count;
  if (c->count == 0 || !(values[best] > optimum->value)) return FCPS_OK;
  memcpy(x, c->points + (size_t)best * n, n * sizeof *x);
  const fcps_status status = climb_held(o, 1, budget > 0 ? budget : 1, false, x, &end);
  optimum->evaluations += end.evaluations;
  optimum->value = end.value;
  *is_better = true;
  return status;
}

/* Makes one change after the other, of words or of steps, as long as that improves the value. */
static fcps_status make_changes(const fcps_objective *objective, void (*add)(changes *), int most, int budget,
                                double *x, fcps_optimum *optimum)
{
  fcps_objective whole = *objective;
  const size_t n = (size_t)whole.n, room = (size_t)fcps_words_changes(whole.n, whole.levels) + 2 * n * n;
  double *points = fcps_allocate(room * (n + 1), sizeof(double)), *values = points + room * n;
  changes c = {.objective = objective, .x = x, .points = points};
  bool is_better = true;
  fcps_status status = points != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int change = 0; change < most && is_better && status == FCPS_OK; change++) {
    c.count = 0;
    add(&c);
    status = take_best_change(&whole, &c, values, budget, x, optimum, &is_better);
  }
  free(points);
  return status;
}

fcps_status fcps_levels_settle(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum)
{
  const double *levels = objective->levels;
  bool has_steps = false;
  for (int d = 0; d < objective->n && levels != NULL; d++)
    has_steps = has_steps || levels[d] > 0.0;
  fcps_status status = has_steps ? climb_options(objective, SETTLE, budget, x, optimum) : FCPS_OK;
  fcps_levels_snap(objective->n, levels, 1, x);
  if (status == FCPS_OK && levels != NULL && fcps_words_need_changes(objective->n, levels))
    status = make_changes(objective, add_words, MOST_CHANGES, budget, x, optimum);
  return status;
}

fcps_status fcps_climb_on(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum)
{
  const double least = least_gain * (objective->value_scale > 0.0 ? objective->value_scale : 1.0);
  fcps_status status = FCPS_OK;
  bool gains = true;
  for (int round = 0; round < MOST_ROUNDS && gains && status == FCPS_OK; round++) {
    const double before = optimum->value;
    status = climb_options(objective, CLIMB, LONG_CLIMB * budget, x, optimum);
    gains = optimum->value > before + least;
    if (gains || objective->levels == NULL) continue;
    if (status == FCPS_OK) status = make_changes(objective, add_steps, MOST_STEPS, LONG_CLIMB * budget, x, optimum);
    if (status == FCPS_OK && tried(objective->n, objective->levels) > 0)
      status = climb_options(objective, STEP, LONG_CLIMB * budget, x, optimum);
    gains = optimum->value > before + least;
  }
  return status;
}

/* -- Words -- */

/* The most additional starts of a search because of words. */
enum { MORE_STARTS = 8 };

static int word_of(double levels, double x)
{
  return (int)fmin(fmax(floor(x * -levels), 0.0), -levels - 1.0);
}

double fcps_words_combinations(int n, const double *levels)
{
  double product = 1.0;
  for (int d = 0; d < n && levels != NULL; d++)
    if (levels[d] < 0.0) product *= -levels[d];
  return product;
}

/* Sets the words of a point to combination number `index`. */
static void give(int n, const double *levels, int index, double *point)
{
  for (int d = 0; d < n; d++) {
    if (!(levels[d] < 0.0)) continue;
    const int words = (int)-levels[d];
    point[d] = (index % words + 0.5) / words;
    index /= words;
  }
}

/* Whether the words of a point stay the same if the parameters that do not apply are set to their resting values (the
 * lower bounds). `rested` is scratch. */
static bool are_plain(int n, const double *levels, const fcps_region *region, const double *point, double *rested)
{
  memcpy(rested, point, (size_t)n * sizeof *point);
  region->rest(region->user, rested);
  return fcps_words_are_same(n, levels, point, rested);
}

/* Gives the combinations of words to the points in turn. Combinations that differ only in parameters that do not apply
 * count as one. */
static void spread_plain(int n, const double *levels, const fcps_region *region, int combinations, int count,
                         double *points, double *rested)
{
  int differing = 0, index = 0;
  double *first = rested + n;
  memcpy(first, points, (size_t)n * sizeof *first);
  for (int i = 0; i < combinations; i++) {
    give(n, levels, i, first);
    differing += are_plain(n, levels, region, first, rested);
  }
  if (differing > FCPS_WORDS_ENUMERATED || differing > count) return;
  for (int i = 0; i < count; i++)
    for (int tries = 0; tries < combinations; tries++) {
      give(n, levels, index, points + (size_t)i * (size_t)n);
      index = (index + 1) % combinations;
      if (are_plain(n, levels, region, points + (size_t)i * (size_t)n, rested)) break;
    }
}

void fcps_words_spread(int n, const double *levels, const fcps_region *region, int count, double *points)
{
  enum { MOST_LOOKED_AT = 5000 };
  const double combinations = fcps_words_combinations(n, levels);
  if (combinations < 2.0) return;
  if (region != NULL && region->rest != NULL) {
    double *rested = combinations <= MOST_LOOKED_AT ? fcps_allocate(2 * (size_t)n, sizeof *rested) : NULL;
    if (rested != NULL) spread_plain(n, levels, region, (int)combinations, count, points, rested);
    free(rested);
    return; /* there are more combinations than points, so the candidates keep their random words */
  }
  if (combinations > FCPS_WORDS_ENUMERATED || combinations > count) return;
  for (int i = 0; i < count; i++)
    give(n, levels, i % (int)combinations, points + (size_t)i * (size_t)n);
}

int fcps_words_starts(int n, const double *levels, int starts)
{
  return starts + (int)fmin(fcps_words_combinations(n, levels) - 1.0, MORE_STARTS);
}

int fcps_words_changes(int n, const double *levels)
{
  double words = 0.0;
  for (int d = 0; d < n && levels != NULL; d++)
    words += fmax(-levels[d], 0.0);
  return (int)words;
}

bool fcps_words_need_changes(int n, const double *levels)
{
  return fcps_words_combinations(n, levels) > 1.0 + MORE_STARTS;
}

bool fcps_words_are_same(int n, const double *levels, const double *p, const double *q)
{
  for (int d = 0; d < n && levels != NULL; d++)
    if (levels[d] < 0.0 && word_of(levels[d], p[d]) != word_of(levels[d], q[d])) return false;
  return true;
}
