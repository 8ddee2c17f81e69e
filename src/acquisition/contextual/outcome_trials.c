/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing trials for a model of outcomes, and the probabilities that they have an outcome.
 *
 * Invariant: a trial that is drawn has the fixed coordinates of the environment, to the bit. */
#include "acquisition/contextual/outcome_trials.h"

#include "base/memory.h"
#include "space/space.h"

#include <stdlib.h>

/* Draws that look for a trial in which something happens. */
enum { TRIES = 16 };

fcps_status fcps_outcome_trials_create(fcps_outcome_trials *trials, const fcps_model *model, const bool *is_free,
                                       const double *fixed, int most, fcps_error *error)
{
  const fcps_problem *problem = model->problem;
  const int e = problem->environment.count, p = problem->parameters.count;
  *trials = (fcps_outcome_trials){.model = model,
                                  .environments = e,
                                  .parameters = p,
                                  .width = e + p,
                                  .most = most,
                                  .is_free = is_free,
                                  .fixed = fixed,
                                  .error = error};
  trials->own_environments = fcps_allocate((size_t)most * (size_t)(e + p + 1), sizeof(double));
  trials->wraps = fcps_allocate((size_t)(e + p), sizeof(bool));
  if (trials->own_environments == NULL || trials->wraps == NULL) {
    fcps_outcome_trials_destroy(trials);
    return FCPS_ERR_MEMORY;
  }
  trials->own_parameters = trials->own_environments + (size_t)most * (size_t)e;
  trials->probabilities = trials->own_parameters + (size_t)most * (size_t)p;
  fcps_space_wraps(&problem->environment, trials->wraps);
  fcps_space_wraps(&problem->parameters, trials->wraps + e);
  return FCPS_OK;
}

void fcps_outcome_trials_destroy(fcps_outcome_trials *trials)
{
  free(trials->own_environments);
  free(trials->wraps);
  *trials = (fcps_outcome_trials){0};
}

void fcps_outcome_trials_hold_fixed(const fcps_outcome_trials *trials, double *trial)
{
  for (int d = 0; d < trials->environments; d++)
    if (!trials->is_free[d]) trial[d] = trials->fixed[d];
}

/* A random environment; one in four at a corner, where a switch of the world would be on or off. */
static void draw_environment(const fcps_outcome_trials *trials, fcps_rng *rng, double *trial)
{
  const bool is_corner = fcps_rng_uniform(rng) < 0.25;
  for (int d = 0; d < trials->environments; d++) {
    const double u = fcps_rng_uniform(rng);
    trial[d] = !is_corner ? u : u < 0.5 ? 0.0 : 1.0;
  }
  fcps_outcome_trials_hold_fixed(trials, trial);
}

fcps_status fcps_outcome_trials_draw(fcps_outcome_trials *trials, fcps_rng *rng, double *trial)
{
  for (int i = 0; i < TRIES; i++) {
    draw_environment(trials, rng, trial);
    fcps_rng_uniforms(rng, trials->parameters, trial + trials->environments);
    const fcps_status status = fcps_outcome_trials_find_probabilities(trials, 1, trial);
    if (status != FCPS_OK || fcps_rng_uniform(rng) < trials->probabilities[0]) return status;
  }
  return FCPS_OK;
}

fcps_status fcps_outcome_trials_find_probabilities(fcps_outcome_trials *trials, int count, const double *x)
{
  const fcps_problem *problem = trials->model->problem;
  const size_t e = (size_t)trials->environments, p = (size_t)trials->parameters;
  for (size_t i = 0; i < (size_t)count; i++) {
    fcps_space_from_unit(&problem->environment, x + i * (e + p), trials->own_environments + i * e);
    fcps_space_from_unit(&problem->parameters, x + i * (e + p) + e, trials->own_parameters + i * p);
  }
  const fcps_model *model = trials->model;
  const fcps_status status =
      fcps_feasibility_chances(&model->feasibility, &model->layout, count, trials->own_environments,
                               trials->own_parameters, trials->probabilities, trials->error);
  if (status == FCPS_OK)
    fcps_feasibility_scale_by_movement(&model->feasibility, &model->layout, count, trials->own_environments,
                                       trials->own_parameters, trials->probabilities);
  return status;
}
