/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome learner that also chooses the context: it chooses the trial that improves the policy over the whole
 * target space most, by the criterion of acquisition/contextual/ivr.c or outcome_es.c (setting `criterion`). A trial's
 * outcome does not depend on its target, so the target is not searched; its free dimensions are set to the target that
 * the trial helps most, or to the middle.
 *
 * The first few trials are far from each other, away from the faces of the cube, and likely to have an outcome. Each
 * later trial is the best by the criterion.
 *
 * Invariant: no old data can stop a choice. If the model cannot be used, the choice is space-filling. */
#include "acquisition/contextual/outcome_search.h"
#include "base/error.h"
#include "base/memory.h"
#include "learner/bo/bo.h"
#include "space/points.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

/* The number of candidates for a first trial. */
enum { DESIGN_CANDIDATES = 200 };

/* The acquisition for each value of the setting `criterion`. */
static const char *const criteria[] = {[FCPS_CHOICE_IVR] = "ivr", [FCPS_CHOICE_ES] = "outcome-es"};

/* -- First trials -- */

/* Collects the trials that had an outcome, and the pending ones, as points of the unit cube. Returns their number. */
static int collect_made(const fcps_learner *learner, const fcps_outcome_trials *trials, double *points)
{
  const fcps_problem *problem = &learner->problem;
  const fcps_rollouts *training = &trials->model->training;
  const int width = trials->width;
  int made = 0;
  for (int i = 0; i < training->count; i++, made++) {
    fcps_space_to_unit(&problem->environment, fcps_rollouts_environment(training, i), points + made * width);
    fcps_space_to_unit(&problem->parameters, fcps_rollouts_parameters(training, i),
                       points + made * width + trials->environments);
  }
  for (int i = 0; i < learner->pending_count; i++, made++) {
    fcps_space_to_unit(&problem->environment, learner->pending[i].environment, points + made * width);
    fcps_space_to_unit(&problem->parameters, learner->pending[i].parameters,
                       points + made * width + trials->environments);
  }
  return made;
}

/* Chooses the candidate with the largest distance from other points times the squared chance of an outcome, so that
 * twice the chance counts as much as four times the distance. Candidates may lie on faces of the environment, because
 * some outcomes may only occur at its ends. */
static void choose_widest(const fcps_outcome_trials *trials, int made, const double *points, const double *candidates,
                          double *trial)
{
  bool open[2 * FCPS_SPACE_MAX] = {false};
  for (int d = 0; d < trials->environments; d++)
    open[d] = true;
  double best = -1.0;
  for (int i = 0; i < DESIGN_CANDIDATES; i++) {
    const double *candidate = candidates + i * trials->width;
    const double score = fcps_points_spread(trials->width, trials->wraps, open, made, points, candidate) *
                         trials->probabilities[i] * trials->probabilities[i];
    if (score <= best) continue;
    best = score;
    memcpy(trial, candidate, (size_t)trials->width * sizeof(double));
  }
}

/* Draws the candidates and chooses one of them. */
static fcps_status search_widest(const fcps_learner *learner, fcps_outcome_trials *trials, fcps_rng rng, double *trial)
{
  const size_t width = (size_t)trials->width;
  const size_t most = (size_t)(trials->model->training.count + learner->pending_count);
  double *candidates = fcps_allocate((DESIGN_CANDIDATES + most) * width, sizeof(double));
  if (candidates == NULL) return FCPS_ERR_MEMORY;
  double *points = candidates + DESIGN_CANDIDATES * width;
  const int made = collect_made(learner, trials, points);
  fcps_status status = FCPS_OK;
  for (size_t i = 0; i < DESIGN_CANDIDATES && status == FCPS_OK; i++)
    status = fcps_outcome_trials_draw(trials, &rng, candidates + i * width);
  if (status == FCPS_OK) status = fcps_outcome_trials_find_probabilities(trials, DESIGN_CANDIDATES, candidates);
  if (status == FCPS_OK) choose_widest(trials, made, points, candidates, trial);
  free(candidates);
  return status;
}

/* Chooses a first trial: far from earlier trials, away from the faces of the cube, and likely to have an outcome. */
static fcps_status choose_by_design(const fcps_learner *learner, int64_t id, fcps_bo_context_choice *c,
                                    fcps_error *error)
{
  const fcps_bo *b = learner->state;
  fcps_outcome_trials trials;
  double trial[2 * FCPS_SPACE_MAX] = {0};
  fcps_status status = fcps_outcome_trials_create(&trials, b->model, c->is_free, c->context, DESIGN_CANDIDATES, error);
  if (status != FCPS_OK) return status;
  status = search_widest(learner, &trials, fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, (uint64_t)id), trial);
  if (status == FCPS_OK) {
    memcpy(c->context, trial, (size_t)trials.environments * sizeof(double));
    memcpy(c->x, trial + trials.environments, (size_t)trials.parameters * sizeof(double));
  }
  fcps_outcome_trials_destroy(&trials);
  return status;
}

/* -- Choosing -- */

static fcps_status decide(fcps_learner *learner, int64_t id, fcps_bo_context_choice *c, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  const char *name = criteria[b->settings.criterion];
  fcps_status status = fcps_bo_update_model(learner, id, NULL, error);
  if (status == FCPS_OK && fcps_bo_needs_design(learner)) return choose_by_design(learner, id, c, error);
  if (status == FCPS_OK) status = fcps_bo_select_context(learner, fcps_acquisition_find(name), id, c, error);
  return fcps_bo_must_fall_back(learner, status) ? choose_by_design(learner, id, c, error) : status;
}

static fcps_status choose(fcps_learner *learner, int64_t id, const fcps_free_dimensions *free_dimensions,
                          double *target, double *environment, double *parameters, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  bool is_safe = false;
  fcps_bo_context_choice c;
  fcps_status status = fcps_bo_context_choice_open(&c, &learner->problem, free_dimensions, target, environment);
  if (status == FCPS_OK) {
    status = decide(learner, id, &c, error);
    fcps_model_clear_pending(b->model);
  }
  if (status == FCPS_OK) status = fcps_bo_context_choice_write(&c, target, environment, parameters);
  if (status == FCPS_OK && fcps_bo_needs_design(learner))
    status = fcps_design_keep_away(learner, FCPS_DESIGN_MAXIMIN, id, target, environment, parameters, error);
  else if (status == FCPS_OK)
    status = fcps_bo_take_safe(learner, id, target, environment, c.x, &is_safe, error);
  if (is_safe) fcps_space_from_unit(&learner->problem.parameters, c.x, parameters);
  fcps_bo_context_choice_close(&c);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
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
                                                      .expect = fcps_bo_expect,
                                                      .model = fcps_bo_model,
                                                      .surprises = fcps_bo_surprises,
                                                      .habits = fcps_bo_habits,
                                                      .write = fcps_bo_write,
                                                      .read = fcps_bo_read};
