/* SPDX-License-Identifier: Apache-2.0 */
/* Points of designs: random ones, points far from earlier ones (maximin), rows of a Latin hypercube or of a Halton
 * sequence.
 *
 * Invariants: a design depends on the seed and on the points so far (rollouts and pending asks), never on the model. A
 * row is not used twice while another one is left.
 *
 * Before the first results all asks are points of one design. Preferring cheap points among those far apart saved a
 * tenth of the first batch of the task `cannon`, but lost more in the second batch. */
#include "learner/bo/bo.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/feasible.h"
#include "problem/formula/conditions.h"
#include "problem/problem.h"
#include "problem/reach.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A maximin point is the best of this many candidates. */
enum { MAXIMIN_CANDIDATES = 400 };

const char *fcps_design_name(int index)
{
  static const char *const names[] = {[FCPS_DESIGN_RANDOM] = "random",
                                      [FCPS_DESIGN_MAXIMIN] = "maximin",
                                      [FCPS_DESIGN_LATIN] = "latin",
                                      [FCPS_DESIGN_HALTON] = "halton"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

int fcps_design_made(const fcps_learner *learner)
{
  return learner->rollouts.count + learner->pending_count;
}

/* Collects the parameters of all rollouts and pending asks, in the unit cube. */
static void collect_made(const fcps_learner *learner, double *points)
{
  const fcps_space *space = &learner->problem.parameters;
  const size_t n = (size_t)space->count;
  for (int i = 0; i < learner->rollouts.count; i++, points += n)
    fcps_space_to_unit(space, fcps_rollouts_parameters(&learner->rollouts, i), points);
  for (int i = 0; i < learner->pending_count; i++, points += n)
    fcps_space_to_unit(space, learner->pending[i].parameters, points);
}

static fcps_status maximin(const fcps_learner *learner, fcps_rng rng, double *x)
{
  const fcps_space *space = &learner->problem.parameters;
  const int made = fcps_design_made(learner);
  double *points = fcps_allocate((size_t)made * (size_t)space->count, sizeof(double));
  bool *wraps = fcps_allocate((size_t)space->count, sizeof(bool));
  const bool ok = points != NULL && wraps != NULL;
  if (ok) {
    collect_made(learner, points);
    fcps_space_wraps(space, wraps);
    fcps_points_maximin(&rng, space->count, wraps, made, points, MAXIMIN_CANDIDATES, x);
  }
  free(points);
  free(wraps);
  return ok ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* Writes row `index` of a Latin hypercube, which is the same for every ask of a learner. */
static fcps_status latin(const fcps_learner *learner, int size, int index, double *x)
{
  const size_t n = (size_t)learner->problem.parameters.count;
  double *points = fcps_allocate((size_t)size * n, sizeof(double));
  if (points == NULL) return FCPS_ERR_MEMORY;
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, 0);
  const fcps_status status = fcps_points_latin(&rng, (int)n, size, points);
  if (status == FCPS_OK) memcpy(x, points + (size_t)index * n, n * sizeof(double));
  free(points);
  return status;
}

/* Writes row `index` of a Latin hypercube or a Halton sequence. */
static fcps_status numbered(const fcps_learner *learner, fcps_design design, int size, int index, double *x)
{
  if (design == FCPS_DESIGN_LATIN) return latin(learner, size, index % size, x);
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, 0);
  fcps_points_halton(&rng, learner->problem.parameters.count, index, 1, x);
  return FCPS_OK;
}

/* `is_told` returns whether a rollout has exactly these parameters, `is_made` whether a rollout or a pending ask
 * has. */
static bool is_told(const fcps_learner *learner, const double *parameters)
{
  const size_t size = (size_t)learner->problem.parameters.count * sizeof(double);
  for (int i = 0; i < learner->rollouts.count; i++)
    if (memcmp(fcps_rollouts_parameters(&learner->rollouts, i), parameters, size) == 0) return true;
  return false;
}

static bool is_made(const fcps_learner *learner, const double *parameters)
{
  const size_t size = (size_t)learner->problem.parameters.count * sizeof(double);
  if (is_told(learner, parameters)) return true;
  for (int i = 0; i < learner->pending_count; i++)
    if (memcmp(learner->pending[i].parameters, parameters, size) == 0) return true;
  return false;
}

/* Whether a trial had these words, and these numbers to a hundredth of their ranges: a machine sets them no better, and
 * may tell what it has set. */
static bool is_near(const fcps_space *space, const double *a, const double *b)
{
  double x[FCPS_SPACE_MAX], y[FCPS_SPACE_MAX];
  bool is_same = true;
  fcps_space_to_unit(space, a, x);
  fcps_space_to_unit(space, b, y);
  for (int d = 0; d < space->count; d++)
    is_same = is_same && (space->dims[d].choices != NULL ? a[d] == b[d] : fabs(x[d] - y[d]) <= 0.01);
  return is_same;
}

static bool is_nearly_made(const fcps_learner *learner, const double *parameters)
{
  const fcps_space *space = &learner->problem.parameters;
  for (int i = 0; i < learner->rollouts.count; i++)
    if (is_near(space, fcps_rollouts_parameters(&learner->rollouts, i), parameters)) return true;
  for (int i = 0; i < learner->pending_count; i++)
    if (is_near(space, learner->pending[i].parameters, parameters)) return true;
  return false;
}

/* Writes the next unused row. Rows are taken in order; only after an ask was forgotten may the next row be in use.
 * It tries one row more than there are points, so one of them is unused, unless rounding to integers makes rows
 * equal. */
static fcps_status next_row(const fcps_learner *learner, fcps_design design, int size, double *x)
{
  const fcps_space *space = &learner->problem.parameters;
  const int made = fcps_design_made(learner);
  double *parameters = fcps_allocate((size_t)space->count, sizeof(double));
  fcps_status status = parameters != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int step = 0; step <= made && status == FCPS_OK; step++) {
    status = numbered(learner, design, size, made + step, x);
    if (status != FCPS_OK) break;
    fcps_space_from_unit(space, x, parameters);
    if (!is_made(learner, parameters)) break;
  }
  free(parameters);
  return status;
}

/* -- With constraints -- */

/* Replaces a point that breaks a constraint by the one of `draws` random feasible points that is farthest from all
 * earlier points. It may lie on an edge of the feasible set, although designs avoid the faces of the cube. */
static fcps_status move_inside(const fcps_learner *learner, fcps_feasible *set, size_t draws, fcps_rng *rng, double *x)
{
  const fcps_space *space = &learner->problem.parameters;
  const size_t n = (size_t)space->count, made = (size_t)fcps_design_made(learner);
  double *points = fcps_allocate((made + draws) * n, sizeof(double)), *drawn = points + made * n;
  bool *flags = fcps_allocate(2 * n, sizeof(bool));
  const bool ok = points != NULL && flags != NULL;
  if (ok) {
    double best = -1.0;
    for (size_t i = 0; i < draws; i++)
      memcpy(drawn + i * n, x, n * sizeof *x);
    collect_made(learner, points);
    fcps_feasible_fill(set, rng, true, (int)draws, drawn);
    fcps_space_wraps(space, flags);
    memset(flags + n, true, n);
    for (size_t i = 0; i < draws; i++) {
      const double spread =
          made > 0 ? fcps_points_spread((int)n, flags, flags + n, (int)made, points, drawn + i * n) : 0.0;
      if (!(spread > best)) continue;
      best = spread;
      memcpy(x, drawn + i * n, n * sizeof *x);
    }
    fcps_feasible_settle(set, x);
  }
  free(points);
  free(flags);
  return ok ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* -- With conditions -- */

/* Moves parameters that do not apply to their resting values. A maximin design then also chooses new numbers for the
 * others, far from all earlier points; words stay. A resting value at a bound does not count as on a face of the
 * cube. */
static fcps_status move_to_applying(const fcps_learner *learner, fcps_feasible *set, fcps_design design, fcps_rng *rng,
                                    double *x)
{
  const fcps_space *space = &learner->problem.parameters;
  const size_t n = (size_t)space->count, made = (size_t)fcps_design_made(learner);
  const int draws = design == FCPS_DESIGN_MAXIMIN && made > 0 ? MAXIMIN_CANDIDATES : 0;
  double *points = fcps_allocate(made * n, sizeof *points), y[FCPS_SPACE_MAX], best = -1.0;
  bool wraps[FCPS_SPACE_MAX], open[FCPS_SPACE_MAX];
  if (points == NULL) return FCPS_ERR_MEMORY;
  collect_made(learner, points);
  fcps_space_wraps(space, wraps);
  for (int i = 0; i < draws; i++) {
    fcps_points_uniform(rng, (int)n, 1, y);
    for (size_t d = 0; d < n; d++)
      if (space->dims[d].choices != NULL) y[d] = x[d];
    fcps_feasible_rest(set, y);
    fcps_feasible_applies(set, y, open);
    for (size_t d = 0; d < n; d++)
      open[d] = !open[d] || space->dims[d].choices != NULL;
    const double spread = fcps_points_spread((int)n, wraps, open, (int)made, points, y);
    if (!(spread > best)) continue;
    best = spread;
    memcpy(x, y, n * sizeof *x);
  }
  fcps_feasible_rest(set, x);
  free(points);
  return FCPS_OK;
}

/* -- With limits -- */

/* Finds the first declared safe trial for this context that keeps the constraints and is neither told nor pending; with
 * `again` it may be pending. A told trial is not chosen again: if it kept the limits, steps can start from it; if not,
 * it is not safe. Returns false if there is no such trial. */
static bool find_safe(const fcps_learner *learner, fcps_feasible *set, bool again, const double *target,
                      const double *environment, double *parameters)
{
  const fcps_problem *p = &learner->problem;
  for (int i = -1; (i = fcps_problem_next_safe(p, set, i + 1, target, environment)) >= 0;) {
    const double *safe = p->safe[i].parameters;
    if (again ? is_told(learner, safe) : is_made(learner, safe)) continue;
    memcpy(parameters, safe, (size_t)p->parameters.count * sizeof *parameters);
    return true;
  }
  return false;
}

/* Takes random steps from trials that kept the limits. Among the parameters within reach, writes those that are
 * farthest from all earlier points. */
static void step_out(const fcps_learner *learner, fcps_feasible *set, const fcps_problem_reach *reach, fcps_rng *rng,
                     double *points, double *x)
{
  const fcps_space *space = &learner->problem.parameters;
  const size_t n = (size_t)space->count, first = (size_t)learner->problem.environment.count;
  const int made = fcps_design_made(learner);
  double best = -1.0, y[FCPS_SPACE_MAX];
  collect_made(learner, points);
  memcpy(x, reach->places + first, n * sizeof *x);
  for (int c = 0; c < 2 * MAXIMIN_CANDIDATES; c++) {
    const double *from = reach->places + fcps_rng_below(rng, (uint64_t)reach->rows) * (size_t)reach->width + first;
    const double length = 0.5 * fcps_rng_uniform(rng);
    for (size_t d = 0; d < n; d++)
      y[d] = fmin(fmax(from[d] + length * fcps_rng_normal(rng), 0.0), 1.0);
    fcps_feasible_settle(set, y);
    if (!(fcps_problem_reach_left(reach, y) >= 0.0)) continue;
    double spread = INFINITY;
    for (int i = 0; i < made; i++) {
      double squares = 0.0;
      for (size_t d = 0; d < n; d++)
        squares += (y[d] - points[(size_t)i * n + d]) * (y[d] - points[(size_t)i * n + d]);
      spread = fmin(spread, squares);
    }
    if (!(spread > best)) continue;
    best = spread;
    memcpy(x, y, n * sizeof *x);
  }
}

/* Lets a design keep limits: declared safe trials come first, then steps from trials that kept the limits. If no trial
 * has kept them yet, a pending safe trial is repeated. If there is no safe trial either, the point of the design
 * stays. */
static fcps_status keep_limits(const fcps_learner *learner, fcps_feasible *set, fcps_rng rng, const double *target,
                               const double *environment, double *parameters, fcps_error *error)
{
  const fcps_problem *p = &learner->problem;
  fcps_problem_limits limits;
  fcps_problem_reach reach = {0};
  double x[FCPS_SPACE_MAX];
  if (p->limit_count == 0 || find_safe(learner, set, false, target, environment, parameters)) return FCPS_OK;
  fcps_status status = fcps_problem_limits_read(&limits, p, error);
  if (status == FCPS_OK) status = fcps_problem_reach_create(&reach, &limits, &learner->rollouts, target, environment);
  double *points = fcps_allocate((size_t)fcps_design_made(learner) * (size_t)p->parameters.count, sizeof *points);
  if (status == FCPS_OK && points == NULL) status = FCPS_ERR_MEMORY;
  if (status == FCPS_OK && reach.rows > 0) {
    step_out(learner, set, &reach, &rng, points, x);
    fcps_space_from_unit(&p->parameters, x, parameters);
  } else if (status == FCPS_OK && !find_safe(learner, set, true, target, environment, parameters) &&
             p->safe_count > 0) {
    fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_BLIND_START",
                 "no known safe trial for this context keeps its constraints and has kept the limits, so this ask "
                 "is blind, and may break "
                 "a limit");
  }
  free(points);
  fcps_problem_reach_destroy(&reach);
  fcps_problem_limits_free(&limits);
  return status;
}

fcps_status fcps_design_next_safe(const fcps_learner *learner, const double *target, const double *environment, int *at,
                                  fcps_error *error)
{
  const fcps_problem *p = &learner->problem;
  fcps_feasible *set;
  const fcps_status status = fcps_feasible_create(&set, p, target, environment, error);
  do
    *at = status == FCPS_OK ? fcps_problem_next_safe(p, set, *at + 1, target, environment) : -1;
  while (*at >= 0 && is_nearly_made(learner, p->safe[*at].parameters));
  fcps_feasible_destroy(set);
  return status;
}

fcps_status fcps_design_keep_away(const fcps_learner *learner, fcps_design design, int64_t id, const double *target,
                                  const double *environment, double *parameters, fcps_error *error)
{
  const fcps_space *space = &learner->problem.parameters;
  fcps_feasible *set;
  double x[FCPS_SPACE_MAX];
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_EXPLORE, (uint64_t)id);
  fcps_status status = fcps_feasible_create(&set, &learner->problem, target, environment, error);
  if (status != FCPS_OK) return status;
  status = keep_limits(learner, set, rng, target, environment, parameters, error);
  fcps_space_to_unit(space, parameters, x);
  if (status == FCPS_OK && fcps_problem_has_conditions(&learner->problem) && learner->problem.limit_count == 0) {
    status = move_to_applying(learner, set, design, &rng, x);
    fcps_space_from_unit(space, x, parameters);
  }
  if (status == FCPS_OK && !fcps_feasible_contains(set, x, FCPS_FEASIBLE_TOLERANCE, NULL)) {
    status = move_inside(learner, set, design == FCPS_DESIGN_RANDOM ? 1 : MAXIMIN_CANDIDATES, &rng, x);
    fcps_space_from_unit(space, x, parameters);
  }
  fcps_feasible_destroy(set);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

fcps_status fcps_design_point(const fcps_learner *learner, fcps_design design, int size, int64_t id, double *x,
                              fcps_error *error)
{
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, (uint64_t)id);
  /* If trials failed or have not ended, the design goes on with points far from all of them. */
  const bool goes_on = fcps_design_made(learner) >= size;
  fcps_status status = FCPS_OK;
  switch (goes_on ? FCPS_DESIGN_MAXIMIN : design) {
  case FCPS_DESIGN_MAXIMIN:
    status = maximin(learner, rng, x);
    break;
  case FCPS_DESIGN_LATIN:
  case FCPS_DESIGN_HALTON:
    status = next_row(learner, design, size, x);
    break;
  case FCPS_DESIGN_RANDOM:
    fcps_points_uniform(&rng, learner->problem.parameters.count, 1, x);
    break;
  }
  if (status == FCPS_OK) status = fcps_bo_take_turns(learner, id, x);
  return status == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}
