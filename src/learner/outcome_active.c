/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome learner that also chooses the context: trials where they sharpen the policy over the whole target space
 * most. A trial's outcome does not depend on its target, so the target is not part of the choice; what is written into
 * its free dimensions is the one that the trial helps most.
 *
 * First a few trials with an outcome, apart from each other and away from the faces; then variance reduction where the
 * greedy policy acts (acquisition/ivr.h), each weighted by the chance that the trial has an outcome.
 */
#include "acquisition/ivr.h"
#include "base/error.h"
#include "base/memory.h"
#include "learner/bo.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Contexts whose greedy parameters are looked at, candidates of a search and of a design point, and tries to find a
 * context in which something happens. */
enum { ACTS = 64, CANDIDATES = 400, DESIGN_CANDIDATES = 200, CONTEXT_TRIES = 16 };

/* The greedy searches are many and need not be fine. */
static const fcps_search_settings greedy_search = {
    .kind = FCPS_SEARCH_MULTISTART, .candidates = 300, .starts = 2, .local_budget = 20};
static const fcps_narrow_settings narrowing = {.rounds = 3, .keep = 5, .moves = 16, .deviation = 0.1, .shrink = 0.4};

/* One decision. A trial is a point of the unit cube: environment, then parameters. */
typedef struct choice {
  const fcps_learner *learner;
  const fcps_model *model;
  int environments, parameters;                /* widths */
  const bool *is_free;                         /* of the environment; NULL: all of it */
  const double *fixed;                         /* environment, unit coordinates of what is not free */
  bool *wraps;                                 /* environments + parameters */
  double *targets;                             /* ACTS rows */
  double *greedy;                              /* ACTS rows of trials: the context and what the policy does there */
  double *real_environments, *real_parameters; /* CANDIDATES rows in the problem's units */
  double *chances;                             /* CANDIDATES */
  fcps_ivr ivr;
  fcps_trials trials;
  fcps_status failure;
  fcps_error *error;
} choice;

static bool is_free(const choice *c, int d)
{
  return c->is_free == NULL || c->is_free[d];
}

/* ------------------------------------------------------------------------------------------------------ trials */

static void hold_fixed(const choice *c, double *trial)
{
  for (int d = 0; d < c->environments; d++)
    if (!is_free(c, d)) trial[d] = c->fixed[d];
}

/* A random environment; one in four at a corner, where a switch of the world would be on or off. */
static void draw_environment(const choice *c, fcps_rng *rng, double *trial)
{
  const bool is_corner = fcps_rng_uniform(rng) < 0.25;
  for (int d = 0; d < c->environments; d++) {
    const double u = fcps_rng_uniform(rng);
    trial[d] = !is_corner ? u : u < 0.5 ? 0.0 : 1.0;
  }
  hold_fixed(c, trial);
}

/* c->chances of `count` trials, at most CANDIDATES. */
static fcps_status find_chances(choice *c, int count, const double *trials)
{
  const fcps_problem *problem = &c->learner->problem;
  const size_t e = (size_t)c->environments, p = (size_t)c->parameters;
  for (size_t i = 0; i < (size_t)count; i++) {
    fcps_space_from_unit(&problem->environment, trials + i * (e + p), c->real_environments + i * e);
    fcps_space_from_unit(&problem->parameters, trials + i * (e + p) + e, c->real_parameters + i * p);
  }
  return fcps_model_chances(c->model, count, c->real_environments, c->real_parameters, c->chances, c->error);
}

/* A random trial in which something happens, if a few draws find one: where nothing does there is nothing to learn. */
static fcps_status draw_trial(choice *c, fcps_rng *rng, double *trial)
{
  for (int i = 0; i < CONTEXT_TRIES; i++) {
    draw_environment(c, rng, trial);
    fcps_rng_uniforms(rng, c->parameters, trial + c->environments);
    const fcps_status status = find_chances(c, 1, trial);
    if (status != FCPS_OK || fcps_rng_uniform(rng) < c->chances[0]) return status;
  }
  return FCPS_OK;
}

/* The GP's inputs of a trial. */
static void fill_features(const choice *c, const double *trial, double *features)
{
  fcps_embed(&c->model->context, trial, features);
  fcps_embed(&c->model->parameters, trial + c->environments, features + c->model->context.width);
}

/* ------------------------------------------------------------------------------------------------------ design */

/* Trials made so far that had an outcome, and those pending, as points of the unit cube. */
static int collect_made(const choice *c, double *points)
{
  const fcps_problem *problem = &c->learner->problem;
  const fcps_rollouts *evidence = &c->model->evidence;
  const int width = c->environments + c->parameters;
  int made = 0;
  for (int i = 0; i < evidence->count; i++, made++) {
    fcps_space_to_unit(&problem->environment, fcps_rollouts_environment(evidence, i), points + made * width);
    fcps_space_to_unit(&problem->parameters, fcps_rollouts_parameters(evidence, i),
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
static fcps_status design(choice *c, fcps_rng rng, double *trial)
{
  const int width = c->environments + c->parameters;
  const size_t most = (size_t)(c->model->evidence.count + c->learner->pending_count);
  double *candidates = fcps_allocate((size_t)(DESIGN_CANDIDATES * width), sizeof(double));
  double *points = fcps_allocate(most * (size_t)width, sizeof(double));
  bool *open = fcps_allocate((size_t)width, sizeof(bool));
  fcps_status status = candidates != NULL && points != NULL && open != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    const int made = collect_made(c, points);
    for (int i = 0; i < DESIGN_CANDIDATES && status == FCPS_OK; i++)
      status = draw_trial(c, &rng, candidates + i * width);
    for (int d = 0; d < c->environments; d++)
      open[d] = true;
    if (status == FCPS_OK) status = find_chances(c, DESIGN_CANDIDATES, candidates);
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

/* ------------------------------------------------------------------------------------------------------ search */

/* What the greedy policy does in the context of act t. */
static fcps_status act(choice *c, int t, fcps_rng rng)
{
  const fcps_problem *problem = &c->learner->problem;
  double *trial = c->greedy + t * (c->environments + c->parameters);
  fcps_view *view = NULL;
  fcps_optimum optimum;
  fcps_space_from_unit(&problem->environment, trial, c->real_environments);
  fcps_status status = fcps_view_create(&view, c->model, c->targets + (size_t)t * (size_t)problem->target.count,
                                        c->real_environments, c->error);
  if (status == FCPS_OK) status = fcps_view_maximize(view, 0.0, &greedy_search, rng, trial + c->environments, &optimum);
  fcps_view_destroy(view);
  return status;
}

/* Contexts spread over the target space, and what the policy does there. */
static fcps_status find_acts(choice *c, fcps_rng rng)
{
  const fcps_problem *problem = &c->learner->problem;
  const int width = c->environments + c->parameters, targets = problem->target.count;
  double *unit = fcps_allocate((size_t)(ACTS * targets), sizeof(double));
  if (unit == NULL) return FCPS_ERR_MEMORY;
  fcps_points_halton(&rng, targets, 0, ACTS, unit);
  fcps_status status = FCPS_OK;
  for (int t = 0; t < ACTS && status == FCPS_OK; t++) {
    fcps_space_from_unit(&problem->target, unit + t * targets, c->targets + t * targets);
    status = draw_trial(c, &rng, c->greedy + t * width);
    if (status == FCPS_OK) status = act(c, t, rng);
  }
  free(unit);
  if (status == FCPS_OK) status = find_chances(c, ACTS, c->greedy);
  for (int t = 0; t < ACTS && status == FCPS_OK; t++) {
    fill_features(c, c->greedy + t * width, c->ivr.features + t * c->model->gp->dim);
    c->ivr.weight[t] = c->chances[t] * c->chances[t];
  }
  if (status == FCPS_OK) fcps_ivr_prepare(&c->ivr, c->model->gp);
  return status;
}

static void gains(void *user, int n, int count, const double *points, double *values)
{
  choice *c = user;
  for (int i = 0; i < count; i++)
    fill_features(c, points + i * n, c->trials.features + i * c->model->gp->dim);
  fcps_trials_prepare(&c->trials, c->model->gp, count);
  fcps_ivr_gains(&c->ivr, c->model->gp, &c->trials, values);
  const fcps_status status = find_chances(c, count, points);
  if (c->failure == FCPS_OK) c->failure = status;
  for (int i = 0; i < count; i++)
    values[i] *= c->chances[i] * c->chances[i];
}

/* The acts themselves and random trials as candidates, then ever smaller steps. Dimensions that are not free stay: a
 * narrowing search would move them, so it works on the others only. */
static void gains_of_free(void *user, int n, int count, const double *points, double *values)
{
  choice *c = user;
  const int width = c->environments + c->parameters;
  double *trials = c->greedy; // the acts are known to the gains by their features: their room is free
  for (int i = 0; i < count; i++) {
    memcpy(trials + i * width, points + i * n, (size_t)n * sizeof(double));
    hold_fixed(c, trials + i * width);
  }
  gains(c, width, count, trials, values);
}

static fcps_status search(choice *c, fcps_rng rng, double *trial, int *helped)
{
  const int width = c->environments + c->parameters;
  double *candidates = fcps_allocate((size_t)(CANDIDATES * width), sizeof(double));
  if (candidates == NULL) return FCPS_ERR_MEMORY;
  memcpy(candidates, c->greedy, (size_t)(ACTS * width) * sizeof(double));
  fcps_status status = FCPS_OK;
  for (int i = ACTS; i < CANDIDATES && status == FCPS_OK; i++)
    status = draw_trial(c, &rng, candidates + i * width);
  const fcps_objective objective = {.n = width, .batch = gains_of_free, .wraps = c->wraps, .user = c};
  fcps_optimum optimum;
  if (status == FCPS_OK)
    status = fcps_narrow_maximize(&objective, CANDIDATES, candidates, &narrowing, rng, trial, &optimum);
  if (status == FCPS_OK) status = c->failure;
  if (status == FCPS_OK) {
    double value;
    gains_of_free(c, width, 1, trial, &value);
    hold_fixed(c, trial);
    *helped = fcps_ivr_main_act(&c->ivr, &c->trials, 0);
  }
  free(candidates);
  return status;
}

static fcps_status improve(choice *c, int64_t id, double *trial, int *helped)
{
  const uint64_t seed = c->learner->seed, ask = (uint64_t)id;
  fcps_status status = fcps_ivr_create(&c->ivr, c->model->gp, ACTS, CANDIDATES);
  if (status == FCPS_OK) status = fcps_trials_create(&c->trials, c->model->gp, CANDIDATES);
  if (status == FCPS_OK) status = find_acts(c, fcps_rng_stream(seed, FCPS_PURPOSE_REPRESENT, ask));
  if (status == FCPS_OK) status = search(c, fcps_rng_stream(seed, FCPS_PURPOSE_SEARCH, ask), trial, helped);
  fcps_trials_destroy(&c->trials);
  fcps_ivr_destroy(&c->ivr);
  return status;
}

/* ----------------------------------------------------------------------------------------------------- deciding */

static fcps_status open_choice(choice *c, double **numbers)
{
  const fcps_problem *problem = &c->learner->problem;
  const size_t e = (size_t)c->environments, p = (size_t)c->parameters, t = (size_t)problem->target.count;
  *numbers = fcps_allocate(ACTS * t + CANDIDATES * (2 * (e + p) + 1), sizeof(double));
  c->wraps = fcps_allocate(e + p, sizeof(bool));
  if (*numbers == NULL || c->wraps == NULL) return FCPS_ERR_MEMORY;
  c->targets = *numbers;
  c->greedy = c->targets + ACTS * t;
  c->real_environments = c->greedy + CANDIDATES * (e + p);
  c->real_parameters = c->real_environments + CANDIDATES * e;
  c->chances = c->real_parameters + CANDIDATES * p;
  fcps_space_wraps(&problem->environment, c->wraps);
  fcps_space_wraps(&problem->parameters, c->wraps + e);
  return FCPS_OK;
}

/* The trial, and the target it helps (an index into c->targets; -1: any will do). */
static fcps_status decide(fcps_learner *learner, choice *c, int64_t id, double *trial, int *helped)
{
  const fcps_bo *b = learner->state;
  const fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_DESIGN, (uint64_t)id);
  *helped = -1;
  fcps_status status = fcps_bo_update_model(learner, id, NULL, c->error);
  if (status == FCPS_OK && c->model->evidence.count + learner->pending_count < b->settings.initial)
    return design(c, rng, trial);
  if (status == FCPS_OK) status = improve(c, id, trial, helped);
  if (status != FCPS_ERR_NOT_POSITIVE && status != FCPS_ERR_NOT_FINITE) return status;
  fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_GP_FALLBACK",
               "the model cannot be used (%s); this choice is space-filling", fcps_status_text(status));
  return design(c, rng, trial);
}

/* Free dimensions of the target: those of the target that the trial helps, or the middle. */
static void write_target(const fcps_learner *learner, const fcps_free_dimensions *free_dimensions, const double *helped,
                         double *target)
{
  const fcps_space *space = &learner->problem.target;
  for (int d = 0; d < space->count; d++) {
    if (free_dimensions->target != NULL && !free_dimensions->target[d]) continue;
    target[d] = helped != NULL ? helped[d] : 0.5 * (space->dims[d].lower + space->dims[d].upper);
  }
}

static fcps_status choose(fcps_learner *learner, int64_t id, const fcps_free_dimensions *free_dimensions,
                          double *target, double *environment, double *parameters, fcps_error *error)
{
  const fcps_problem *problem = &learner->problem;
  const fcps_bo *b = learner->state;
  choice c = {.learner = learner,
              .model = b->model,
              .environments = problem->environment.count,
              .parameters = problem->parameters.count,
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
  if (status == FCPS_OK && b->settings.model_settings.is_separate)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "separate",
                          "outcome-active asks what a trial tells about all outcomes at once and needs one GP; use "
                          "separate=off");
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
