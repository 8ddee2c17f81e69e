/* SPDX-License-Identifier: Apache-2.0 */
/* Global searches: DIRECT, multistart and a random search that shrinks, in the cube or in a region of it.
 *
 * A region is searched as if it were the whole cube: at a point outside, the objective has its value at the nearest
 * point of the region. This changes no value inside and keeps the maximum, so every maximizer can be used. */
#include "base/memory.h"
#include "optim/optim.h"

#include <float.h>
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

/* -- Regions -- */

static void bring_in(const fcps_region_search *s, int count, const double *points)
{
  const fcps_region *region = s->objective->region;
  const size_t n = (size_t)s->objective->n;
  for (size_t i = 0; i < (size_t)count; i++)
    region->project(region->user, s->held, points + i * n, s->points + i * n);
}

static void batch(void *user, int n, int count, const double *points, double *values)
{
  const fcps_region_search *s = user;
  for (int done = 0, block; done < count; done += block) {
    block = count - done < s->most ? count - done : s->most;
    bring_in(s, block, points + (size_t)done * (size_t)n);
    s->objective->batch(s->objective->user, n, block, s->points, values + done);
  }
}

static void slopes(void *user, int n, int count, const double *points, double *values, double *gradients)
{
  const fcps_region_search *s = user;
  const fcps_region *region = s->objective->region;
  const size_t width = (size_t)n;
  for (int done = 0, block; done < count; done += block) {
    const double *first = points + (size_t)done * width;
    double *gradient = gradients + (size_t)done * width;
    block = count - done < s->most ? count - done : s->most;
    bring_in(s, block, first);
    s->objective->slopes(s->objective->user, n, block, s->points, values + done, gradient);
    for (size_t i = 0; i < (size_t)block; i++)
      region->pull(region->user, s->held, first + i * width, s->points + i * width, gradient + i * width);
  }
}

static double value(void *user, int n, const double *x, double *gradient)
{
  const fcps_region_search *s = user;
  const fcps_region *region = s->objective->region;
  bring_in(s, 1, x);
  const double result = s->objective->value(s->objective->user, n, s->points, gradient);
  if (gradient != NULL) region->pull(region->user, s->held, x, s->points, gradient);
  return result;
}

void fcps_region_fill(const fcps_region *region, fcps_rng *rng, int count, double *points)
{
  if (region != NULL) region->fill(region->user, rng, count, points);
}

void fcps_region_settle_all(const fcps_region *region, int n, int count, double *points)
{
  for (int i = 0; i < count && region != NULL; i++)
    region->settle(region->user, points + (size_t)i * (size_t)n);
}

fcps_status fcps_region_enter(const fcps_objective *objective, const bool *held, int most, fcps_region_search *search,
                              fcps_objective *inside)
{
  *inside = *objective;
  *search = (fcps_region_search){.objective = objective, .held = held, .most = most};
  if (objective->region == NULL) return FCPS_OK;
  search->points = fcps_allocate((size_t)most * (size_t)objective->n, sizeof(double));
  if (search->points == NULL) return FCPS_ERR_MEMORY;
  inside->region = NULL;
  inside->value = value;
  inside->batch = objective->batch != NULL ? batch : NULL;
  inside->slopes = objective->slopes != NULL ? slopes : NULL;
  inside->user = search;
  return FCPS_OK;
}

void fcps_region_leave(fcps_region_search *search, double *x)
{
  if (search->points != NULL) {
    bring_in(search, 1, x);
    memcpy(x, search->points, (size_t)search->objective->n * sizeof *x);
  }
  free(search->points);
  search->points = NULL;
}

/* -- DIRECT -- */

/* DIRECT-L by NLopt: dividing rectangles, in the locally biased form [gablonsky2001]. It is deterministic, and only the
 * number of evaluations ends the search. */

/* The value that DIRECT gets where the objective is not finite. NaN would spoil the order of its rectangles, and a
 * number nearer to -DBL_MAX would overflow when DIRECT computes slopes. */
static const double told_for_not_finite = -1e100;

/* The state of the callback. It keeps the best finite point, because NLopt's result depends on how the search ends. */
typedef struct search {
  const fcps_objective *objective;
  int budget;
  double *best_x;
  fcps_optimum best;
} search;

static double evaluate(unsigned n, const double *x, double *gradient, void *user)
{
  (void)gradient; /* DIRECT needs no gradient */
  search *s = user;
  if (s->best.evaluations == s->budget) return told_for_not_finite; /* NLopt may make one evaluation too many */
  const double value = s->objective->value(s->objective->user, (int)n, x, NULL);
  const bool first = s->best.evaluations++ == 0;
  if (first || (isfinite(value) && value > s->best.value)) {
    s->best.value = isfinite(value) ? value : -DBL_MAX;
    if (n > 0) memcpy(s->best_x, x, n * sizeof *x);
  }
  return isfinite(value) ? value : told_for_not_finite;
}

static fcps_status run_direct(search *s, double *x)
{
  nlopt_opt direct = nlopt_create(NLOPT_GN_DIRECT_L, (unsigned)s->objective->n);
  if (direct == NULL) return FCPS_ERR_MEMORY;
  /* sets no tolerance on x: with one, the search would go on until every rectangle is small */
  const bool ready = nlopt_set_lower_bounds1(direct, 0) >= 0 && nlopt_set_upper_bounds1(direct, 1) >= 0 &&
                     nlopt_set_maxeval(direct, s->budget) >= 0 && nlopt_set_max_objective(direct, evaluate, s) >= 0;
  double value;
  const nlopt_result result = ready ? nlopt_optimize(direct, x, &value) : NLOPT_FAILURE;
  nlopt_destroy(direct);
  if (result == NLOPT_OUT_OF_MEMORY) return FCPS_ERR_MEMORY;
  return result > 0 || result == NLOPT_ROUNDOFF_LIMITED ? FCPS_OK : FCPS_ERR_INTERNAL;
}

fcps_status fcps_direct_maximize(const fcps_objective *objective, int budget, double *x, fcps_optimum *optimum)
{
  if (budget < 1) return FCPS_ERR_ARGUMENT; /* NLopt would take 0 for "no limit" */
  const size_t n = (size_t)objective->n;
  double *points = fcps_allocate(2 * n, sizeof *points);
  if (points == NULL) return FCPS_ERR_MEMORY;
  double *current = points;
  search s = {.objective = objective, .budget = budget, .best_x = points + n};
  for (size_t i = 0; i < n; i++)
    current[i] = 0.5;

  fcps_status status = FCPS_OK;
  if (n == 0) {
    evaluate(0, points, NULL, &s);
  } else {
    status = run_direct(&s, current);
  }
  if (status == FCPS_OK) {
    if (n > 0) memcpy(x, s.best_x, n * sizeof *x);
    *optimum = s.best;
  }
  free(points);
  return status;
}

/* -- DIRECT-L, then L-BFGS-B from its best point -- */

/* The paper's pair of optimizers [pinsler2019]: DIRECT-L finds the hill, L-BFGS-B climbs to its top. */

fcps_status fcps_direct_lbfgsb_maximize(const fcps_objective *objective, int direct_budget, int local_budget, double *x,
                                        fcps_optimum *optimum)
{
  const fcps_status status = fcps_direct_maximize(objective, direct_budget, x, optimum);
  if (status != FCPS_OK || local_budget < 1 || objective->n == 0) return status;

  fcps_optimum local;
  const fcps_status local_status = fcps_lbfgsb_maximize(objective, local_budget, FCPS_OPTIM_TOLERANCE, x, &local);
  if (local_status != FCPS_OK) return local_status;
  optimum->value = local.value;
  optimum->evaluations += local.evaluations;
  return FCPS_OK;
}

/* -- Multistart -- */

/* Multistart: evaluates many candidates in one batch, then climbs from the best few that are not neighbours. The result
 * is never worse than the best candidate. */

/* Two starts that are nearer to each other than this times sqrt(n) would probably climb to the same maximum. */
static const double nearest_start = 0.05;

static bool are_neighbours(const fcps_objective *objective, const double *p, const double *q)
{
  double sum = 0;
  if (!fcps_words_are_same(objective->n, objective->levels, p, q)) return false;
  for (int i = 0; i < objective->n; i++) {
    double gap = fabs(p[i] - q[i]);
    if (objective->wraps != NULL && objective->wraps[i]) gap = fmin(gap, 1 - gap);
    sum += gap * gap;
  }
  return sum < nearest_start * nearest_start * objective->n;
}

/* The starts, which are chosen among candidates. */
typedef struct starts {
  const fcps_objective *objective;
  const fcps_scored_points *candidates;
  int count, *chosen;
  bool *taken; /* per candidate: whether it was chosen */
} starts;

static bool is_near_a_start(const starts *s, int candidate)
{
  const size_t n = (size_t)s->objective->n;
  const double *x = s->candidates->x;
  for (int i = 0; i < s->count; i++)
    if (are_neighbours(s->objective, x + (size_t)s->chosen[i] * n, x + (size_t)candidate * n)) return true;
  return false;
}

/* What the next start must fulfil. OTHER_WORDS: its words differ from those of all chosen ones; APART: it is no
 * neighbour of them; ANY: nothing. */
typedef enum wish { OTHER_WORDS, APART, ANY } wish;

static bool has_words_of_a_start(const starts *s, int candidate)
{
  const int n = s->objective->n;
  for (int i = 0; i < s->count; i++)
    if (fcps_words_are_same(n, s->objective->levels, s->candidates->x + s->chosen[i] * n,
                            s->candidates->x + candidate * n))
      return true;
  return false;
}

static bool fulfils(const starts *s, wish w, int candidate)
{
  return w == ANY || !(w == APART ? is_near_a_start(s, candidate) : has_words_of_a_start(s, candidate));
}

/* The best candidate that is not taken and fulfils the wish; the first one of equals; -1 if no candidate does. */
static int find_start(const starts *s, wish w)
{
  const double *values = s->candidates->values;
  int best = -1;
  for (int i = 0; i < s->candidates->count; i++) {
    if (s->taken[i] || (best >= 0 && values[i] <= values[best])) continue;
    if (fulfils(s, w, i)) best = i;
  }
  return best;
}

fcps_status fcps_multistart_choose(const fcps_objective *objective, const fcps_scored_points *candidates, int wanted,
                                   int *chosen)
{
  bool *taken = fcps_allocate((size_t)candidates->count, sizeof *taken);
  if (taken == NULL) return FCPS_ERR_MEMORY;
  starts s = {.objective = objective, .candidates = candidates, .chosen = chosen, .taken = taken};
  const bool has_words = fcps_words_combinations(objective->n, objective->levels) > 1.0;
  for (wish w = has_words ? OTHER_WORDS : APART; w <= ANY; w++)
    while (s.count < (w == OTHER_WORDS ? wanted - (wanted > 2) : wanted)) {
      const int start = find_start(&s, w);
      if (start < 0) break;
      taken[start] = true;
      chosen[s.count++] = start;
    }
  free(taken);
  return FCPS_OK;
}

/* Climbs from all starts side by side. On entry `best_x` and `optimum` have the best candidate; on return they have the
 * best point of all climbs. */
static fcps_status climb_all(const starts *from, int local_budget, double *best_x, fcps_optimum *optimum)
{
  const size_t n = (size_t)from->objective->n;
  const int count = from->count;
  double *x = fcps_allocate((size_t)count * n, sizeof(double));
  fcps_optimum *local = fcps_allocate((size_t)count, sizeof *local);
  fcps_status status = x != NULL && local != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int s = 0; s < count && status == FCPS_OK; s++)
    memcpy(x + (size_t)s * n, from->candidates->x + (size_t)from->chosen[s] * n, n * sizeof(double));
  if (status == FCPS_OK)
    status = fcps_lbfgsb_maximize_all(from->objective, count, local_budget, FCPS_OPTIM_TOLERANCE, x, local);
  for (int s = 0; s < count && status == FCPS_OK; s++) {
    optimum->evaluations += local[s].evaluations;
    if (local[s].value > optimum->value) {
      optimum->value = local[s].value;
      memcpy(best_x, x + (size_t)s * n, n * sizeof(double));
    }
  }
  free(local);
  free(x);
  return status;
}

fcps_status fcps_multistart_refine(const fcps_objective *objective, const fcps_scored_points *candidates, int most,
                                   int local_budget, double *x, fcps_optimum *optimum)
{
  const int count = candidates->count;
  if (count < 1) return FCPS_ERR_ARGUMENT;
  const size_t n = (size_t)objective->n;
  const bool climbs = n > 0 && local_budget > 0 && most > 0;
  const int starts_wanted = fcps_words_starts(objective->n, objective->levels, most);
  const int wanted = climbs ? (starts_wanted < count ? starts_wanted : count) : 1;
  double *numbers = fcps_allocate((size_t)count + n, sizeof *numbers);
  int *chosen = fcps_allocate((size_t)wanted, sizeof *chosen);
  fcps_status status = numbers != NULL && chosen != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    double *finite = numbers, *best_x = numbers + count;
    for (int i = 0; i < count; i++)
      finite[i] = isfinite(candidates->values[i]) ? candidates->values[i] : -DBL_MAX;
    const fcps_scored_points scored = {count, candidates->x, finite};
    const starts from = {.objective = objective, .candidates = &scored, .count = wanted, .chosen = chosen};
    status = fcps_multistart_choose(objective, &scored, wanted, chosen);
    fcps_optimum best = {.evaluations = count};
    if (status == FCPS_OK) {
      best.value = finite[chosen[0]];
      if (n > 0) memcpy(best_x, candidates->x + (size_t)chosen[0] * n, n * sizeof(double));
      if (climbs) status = climb_all(&from, local_budget, best_x, &best);
    }
    if (status == FCPS_OK) {
      if (n > 0) memcpy(x, best_x, n * sizeof(double));
      *optimum = best;
    }
  }
  free(numbers);
  free(chosen);
  return status;
}

fcps_status fcps_multistart_maximize(const fcps_objective *objective, int count, const double *candidates, int most,
                                     int local_budget, double *x, fcps_optimum *optimum)
{
  if (count < 1) return FCPS_ERR_ARGUMENT;
  double *values = fcps_allocate((size_t)count, sizeof *values);
  if (values == NULL) return FCPS_ERR_MEMORY;
  objective->batch(objective->user, objective->n, count, candidates, values);
  const fcps_scored_points scored = {count, candidates, values};
  const fcps_status status = fcps_multistart_refine(objective, &scored, most, local_budget, x, optimum);
  free(values);
  return status;
}

/* -- A random search that shrinks -- */

/* A random search that shrinks: evaluates candidates, then makes smaller and smaller Gaussian steps from the best
 * points so far. It needs no gradient. Values that are not finite count as -DBL_MAX. */

/* The `keep` best points so far, best first. */
typedef struct elite {
  int count, keep, n;
  double *points, *values;
} elite;

/* Inserts a point by its value, and drops the worst point if the elite is full. */
static void admit(elite *e, const double *point, double value)
{
  if (!isfinite(value)) value = -DBL_MAX;
  if (e->count == e->keep && value <= e->values[e->count - 1]) return;
  int rank = e->count < e->keep ? e->count++ : e->keep - 1;
  const size_t n = (size_t)e->n;
  for (; rank > 0 && value > e->values[rank - 1]; rank--) {
    e->values[rank] = e->values[rank - 1];
    memcpy(e->points + (size_t)rank * n, e->points + (size_t)(rank - 1) * n, n * sizeof(double));
  }
  e->values[rank] = value;
  memcpy(e->points + (size_t)rank * n, point, n * sizeof(double));
}

static double moved(double x, double step, bool wraps)
{
  const double y = x + step;
  return wraps ? y - floor(y) : fmin(fmax(y, 0.0), 1.0);
}

/* Writes `moves` steps from each point of the elite. Returns the number of points written. */
static int make_moves(const fcps_objective *objective, const elite *e, int moves, double deviation, fcps_rng *rng,
                      double *points)
{
  const int n = objective->n;
  double *to = points;
  for (int i = 0; i < e->count; i++)
    for (int m = 0; m < moves; m++)
      for (int d = 0; d < n; d++)
        *to++ = moved(e->points[(size_t)i * (size_t)n + (size_t)d], deviation * fcps_rng_normal(rng),
                      objective->wraps != NULL && objective->wraps[d]);
  fcps_levels_snap(n, objective->levels, e->count * moves, points);
  return e->count * moves;
}

static void score(const fcps_objective *objective, int count, const double *points, double *values, elite *e)
{
  objective->batch(objective->user, objective->n, count, points, values);
  for (int i = 0; i < count; i++)
    admit(e, points + (size_t)i * (size_t)objective->n, values[i]);
}

fcps_status fcps_shrinking_search_maximize(const fcps_objective *objective, int count, const double *candidates,
                                           const fcps_shrinking_search_settings *settings, fcps_rng rng, double *x,
                                           fcps_optimum *optimum)
{
  if (count < 1 || settings->keep < 1 || settings->moves < 0) return FCPS_ERR_ARGUMENT;
  const int steps = settings->keep * settings->moves, most = count > steps ? count : steps;
  const size_t n = (size_t)objective->n, keep = (size_t)settings->keep;
  double *numbers = fcps_allocate(keep * (n + 1) + (size_t)steps * n + (size_t)most, sizeof(double));
  if (numbers == NULL) return FCPS_ERR_MEMORY;
  elite e = {.keep = settings->keep, .n = objective->n, .points = numbers, .values = numbers + keep * n};
  double *points = e.values + keep, *values = points + (size_t)steps * n;

  score(objective, count, candidates, values, &e);
  optimum->evaluations = count;
  double deviation = settings->deviation;
  for (int round = 0; round < settings->rounds && n > 0; round++, deviation *= settings->shrink) {
    const int made = make_moves(objective, &e, settings->moves, deviation, &rng, points);
    fcps_region_settle_all(objective->region, objective->n, made, points);
    score(objective, made, points, values, &e);
    optimum->evaluations += made;
  }
  memcpy(x, e.points, n * sizeof(double));
  optimum->value = e.values[0];
  free(numbers);
  return FCPS_OK;
}
