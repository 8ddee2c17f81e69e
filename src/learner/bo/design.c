/* SPDX-License-Identifier: Apache-2.0 */
/* Points of designs: random, far from those already made (maximin), rows of a Latin hypercube or of a Halton sequence.
 *
 * Invariants: a design depends on the seed and on what was made, never on the model; a numbered row is not given out
 * twice while another one is left. */
#include "learner/bo/bo_settings.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/feasible.h"
#include "space/points.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

/* Candidates of which a maximin point is the best. */
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

/* Parameters of all rollouts and pending asks, in the unit cube. */
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

/* Row `index` of a Latin hypercube that is the same for every ask of this learner. */
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

/* Row `index` of a design whose rows are numbered. */
static fcps_status numbered(const fcps_learner *learner, fcps_design design, int size, int index, double *x)
{
  if (design == FCPS_DESIGN_LATIN) return latin(learner, size, index % size, x);
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, 0);
  fcps_points_halton(&rng, learner->problem.parameters.count, index, 1, x);
  return FCPS_OK;
}

/* Whether a rollout or a pending ask has just these parameters. */
static bool is_made(const fcps_learner *learner, const double *parameters)
{
  const size_t size = (size_t)learner->problem.parameters.count * sizeof(double);
  for (int i = 0; i < learner->rollouts.count; i++)
    if (memcmp(fcps_rollouts_parameters(&learner->rollouts, i), parameters, size) == 0) return true;
  for (int i = 0; i < learner->pending_count; i++)
    if (memcmp(learner->pending[i].parameters, parameters, size) == 0) return true;
  return false;
}

/* Rows are taken in order. After a forgotten ask the next row may be in use; then the first unused one is taken. Among
 * one more row than points made there is always one, unless rounding to integers makes rows equal. */
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

/* A point that breaks a constraint becomes the one of `draws` random points of the feasible set that is farthest from what
 * was made; the edges of the set are no faces. */
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

fcps_status fcps_design_keep_constraints(const fcps_learner *learner, fcps_design design, int64_t id,
                                         const double *target, const double *environment, double *parameters,
                                         fcps_error *error)
{
  const fcps_space *space = &learner->problem.parameters;
  fcps_feasible *set;
  double x[FCPS_SPACE_MAX];
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_EXPLORE, (uint64_t)id);
  fcps_status status = fcps_feasible_create(&set, &learner->problem, target, environment, error);
  if (set == NULL) return status;
  fcps_space_to_unit(space, parameters, x);
  if (!fcps_feasible_contains(set, x, FCPS_FEASIBLE_TOLERANCE, NULL)) {
    status = move_inside(learner, set, design == FCPS_DESIGN_RANDOM ? 1 : MAXIMIN_CANDIDATES, &rng, x);
    fcps_space_from_unit(space, x, parameters);
  }
  fcps_feasible_destroy(set);
  return status == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}

fcps_status fcps_design_point(const fcps_learner *learner, fcps_design design, int size, int64_t id, double *x,
                              fcps_error *error)
{
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, (uint64_t)id);
  /* where trials failed or have not ended, the design goes on: away from all of them */
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
  return status == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}
