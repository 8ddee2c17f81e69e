/* SPDX-License-Identifier: Apache-2.0 */
/* Trials at random, and the first ones: with an outcome, apart from each other and away from the faces. */
#include "learner/bo/outcome_choice.h"

#include "base/memory.h"
#include "space/points.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

/* Candidates of a first trial, and tries to find a context in which something happens. */
enum { DESIGN_CANDIDATES = 200, CONTEXT_TRIES = 16 };

void fcps_choice_hold_fixed(const fcps_outcome_choice *c, double *trial)
{
  for (int d = 0; d < c->environments; d++)
    if (c->is_free != NULL && !c->is_free[d]) trial[d] = c->fixed[d];
}

/* A random environment; one in four at a corner, where a switch of the world would be on or off. */
static void draw_environment(const fcps_outcome_choice *c, fcps_rng *rng, double *trial)
{
  const bool is_corner = fcps_rng_uniform(rng) < 0.25;
  for (int d = 0; d < c->environments; d++) {
    const double u = fcps_rng_uniform(rng);
    trial[d] = !is_corner ? u : u < 0.5 ? 0.0 : 1.0;
  }
  fcps_choice_hold_fixed(c, trial);
}

fcps_status fcps_choice_chances(fcps_outcome_choice *c, int count, const double *trials)
{
  const fcps_problem *problem = &c->learner->problem;
  const size_t e = (size_t)c->environments, p = (size_t)c->parameters;
  for (size_t i = 0; i < (size_t)count; i++) {
    fcps_space_from_unit(&problem->environment, trials + i * (e + p), c->real_environments + i * e);
    fcps_space_from_unit(&problem->parameters, trials + i * (e + p) + e, c->real_parameters + i * p);
  }
  return fcps_model_feasibility(c->model, count, c->real_environments, c->real_parameters, c->chances, c->error);
}

fcps_status fcps_choice_draw(fcps_outcome_choice *c, fcps_rng *rng, double *trial)
{
  for (int i = 0; i < CONTEXT_TRIES; i++) {
    draw_environment(c, rng, trial);
    fcps_rng_uniforms(rng, c->parameters, trial + c->environments);
    const fcps_status status = fcps_choice_chances(c, 1, trial);
    if (status != FCPS_OK || fcps_rng_uniform(rng) < c->chances[0]) return status;
  }
  return FCPS_OK;
}

/* -- Design -- */

/* Trials made so far that had an outcome, and those pending, as points of the unit cube. */
static int collect_made(const fcps_outcome_choice *c, double *points)
{
  const fcps_problem *problem = &c->learner->problem;
  const fcps_rollouts *training = &c->model->training;
  const int width = c->environments + c->parameters;
  int made = 0;
  for (int i = 0; i < training->count; i++, made++) {
    fcps_space_to_unit(&problem->environment, fcps_rollouts_environment(training, i), points + made * width);
    fcps_space_to_unit(&problem->parameters, fcps_rollouts_parameters(training, i),
                       points + made * width + c->environments);
  }
  for (int i = 0; i < c->learner->pending_count; i++, made++) {
    fcps_space_to_unit(&problem->environment, c->learner->pending[i].environment, points + made * width);
    fcps_space_to_unit(&problem->parameters, c->learner->pending[i].parameters,
                       points + made * width + c->environments);
  }
  return made;
}

/* The candidate with the largest spread times the squared chance of an outcome: twice as likely counts for four times
 * as far. The environment has no faces to keep away from: its ends may be where something happens. */
fcps_status fcps_choice_design(fcps_outcome_choice *c, fcps_rng rng, double *trial)
{
  const int width = c->environments + c->parameters;
  const size_t most = (size_t)(c->model->training.count + c->learner->pending_count);
  double *candidates = fcps_allocate((size_t)(DESIGN_CANDIDATES * width), sizeof(double));
  double *points = fcps_allocate(most * (size_t)width, sizeof(double));
  bool *open = fcps_allocate((size_t)width, sizeof(bool));
  fcps_status status = candidates != NULL && points != NULL && open != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    const int made = collect_made(c, points);
    for (int i = 0; i < DESIGN_CANDIDATES && status == FCPS_OK; i++)
      status = fcps_choice_draw(c, &rng, candidates + i * width);
    for (int d = 0; d < c->environments; d++)
      open[d] = true;
    if (status == FCPS_OK) status = fcps_choice_chances(c, DESIGN_CANDIDATES, candidates);
    double best = -1.0;
    for (int i = 0; i < DESIGN_CANDIDATES && status == FCPS_OK; i++) {
      const double *candidate = candidates + i * width;
      const double score =
          fcps_points_spread(width, c->wraps, open, made, points, candidate) * c->chances[i] * c->chances[i];
      if (score <= best) continue;
      best = score;
      memcpy(trial, candidate, (size_t)width * sizeof(double));
    }
  }
  free(candidates);
  free(points);
  free(open);
  return status;
}
