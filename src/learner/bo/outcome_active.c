/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome learner that also chooses the context: trials where they sharpen the policy over the whole target space
 * most. A trial's outcome does not depend on its target, so the target is not part of the choice; what is written into
 * its free dimensions is the one that the trial helps most.
 *
 * First a few trials with an outcome, apart from each other and away from the faces; then the one that is worth most.
 */
#include "learner/bo/outcome_choice.h"

#include "base/error.h"
#include "base/memory.h"
#include "space/space.h"

#include <stdlib.h>

enum { ACTS = FCPS_CHOICE_ACTS, TRIALS = FCPS_CHOICE_TRIALS };

static bool is_free(const fcps_outcome_choice *c, int d)
{
  return c->is_free == NULL || c->is_free[d];
}

static fcps_status open_choice(fcps_outcome_choice *c, double **numbers)
{
  const fcps_problem *problem = &c->learner->problem;
  const size_t e = (size_t)c->environments, p = (size_t)c->parameters, t = (size_t)problem->target.count;
  *numbers = fcps_allocate(ACTS * (t + e + p) + TRIALS * (2 * (e + p) + 1), sizeof(double));
  c->wraps = fcps_allocate(e + p, sizeof(bool));
  if (*numbers == NULL || c->wraps == NULL) return FCPS_ERR_MEMORY;
  c->targets = *numbers;
  c->greedy = c->targets + ACTS * t;
  c->trials_free = c->greedy + ACTS * (e + p);
  c->real_environments = c->trials_free + TRIALS * (e + p);
  c->real_parameters = c->real_environments + TRIALS * e;
  c->chances = c->real_parameters + TRIALS * p;
  fcps_space_wraps(&problem->environment, c->wraps);
  fcps_space_wraps(&problem->parameters, c->wraps + e);
  return FCPS_OK;
}

/* The trial, and the target it helps (an index into c->targets; -1: any will do). */
static fcps_status decide(fcps_learner *learner, fcps_outcome_choice *c, int64_t id, double *trial, int *helped)
{
  const fcps_bo *b = learner->state;
  const fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, (uint64_t)id);
  *helped = -1;
  fcps_status status = fcps_bo_update_model(learner, id, NULL, c->error);
  if (status == FCPS_OK && c->model->training.count + learner->pending_count < b->settings.initial)
    return fcps_choice_design(c, rng, trial);
  if (status == FCPS_OK) status = fcps_choice_search(c, id, trial, helped);
  if (status != FCPS_ERR_NOT_POSITIVE && status != FCPS_ERR_NOT_FINITE) return status;
  fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_GP_FALLBACK",
               "the model cannot be used (%s); this choice is space-filling", fcps_status_text(status));
  return fcps_choice_design(c, rng, trial);
}

/* Free dimensions of the target: those of the target that the trial helps, or the middle. */
static void write_target(const fcps_learner *learner, const fcps_free_dimensions *free_dimensions, const double *helped,
                         double *target)
{
  const fcps_space *space = &learner->problem.target;
  for (int d = 0; d < space->count; d++) {
    if (free_dimensions->target != NULL && !free_dimensions->target[d]) continue;
    const fcps_space one = {1, space->dims + d}; /* its scale says what the middle is, and which values there are */
    if (helped != NULL)
      target[d] = helped[d];
    else
      fcps_space_from_unit(&one, (double[]){0.5}, target + d);
  }
}

static fcps_status choose(fcps_learner *learner, int64_t id, const fcps_free_dimensions *free_dimensions,
                          double *target, double *environment, double *parameters, fcps_error *error)
{
  const fcps_problem *problem = &learner->problem;
  const fcps_bo *b = learner->state;
  fcps_outcome_choice c = {.learner = learner,
                           .model = b->model,
                           .environments = problem->environment.count,
                           .parameters = problem->parameters.count,
                           .criterion = b->settings.criterion,
                           .is_free = free_dimensions->environment,
                           .error = error};
  double *numbers = NULL, *trial = fcps_allocate((size_t)(2 * c.environments + c.parameters), sizeof(double));
  int helped = -1;
  fcps_status status = trial != NULL ? open_choice(&c, &numbers) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    double *fixed = trial + c.environments + c.parameters;
    for (int d = 0; d < c.environments; d++) {
      const fcps_space one = {1, problem->environment.dims + d};
      if (!is_free(&c, d)) fcps_space_to_unit(&one, environment + d, fixed + d);
    }
    c.fixed = fixed;
    status = decide(learner, &c, id, trial, &helped);
    fcps_model_clear_pending(b->model);
  }
  if (status == FCPS_OK) {
    for (int d = 0; d < c.environments; d++) {
      const fcps_space one = {1, problem->environment.dims + d};
      if (is_free(&c, d)) fcps_space_from_unit(&one, trial + d, environment + d);
    }
    fcps_space_from_unit(&problem->parameters, trial + c.environments, parameters);
    write_target(learner, free_dimensions, helped >= 0 ? c.targets + helped * problem->target.count : NULL, target);
  }
  if (status == FCPS_ERR_MEMORY) fcps_error_memory(error);
  free(c.wraps);
  free(numbers);
  free(trial);
  return status;
}

static fcps_status create(fcps_learner *learner, fcps_error *error)
{
  const fcps_status status = fcps_bo_create(learner, error);
  const fcps_bo *b = learner->state;
  if (status != FCPS_OK || !b->settings.model_settings.may_split) return status;
  return fcps_error_set(
      error, FCPS_ERR_UNSUPPORTED, "split",
      "outcome-active weighs trials on both sides of a break against each other and needs one GP; use "
      "split=off");
}

const fcps_learner_ops fcps_learner_outcome_active = {.create = create,
                                                      .destroy = fcps_bo_destroy,
                                                      .ask = fcps_bo_ask,
                                                      .choose = choose,
                                                      .absorb = fcps_bo_absorb,
                                                      .policy = fcps_bo_policy,
                                                      .write = fcps_bo_write,
                                                      .read = fcps_bo_read};
