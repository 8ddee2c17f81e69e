/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the acts of the greedy policy, and searches the trial with the largest gain. Candidates are the acts and random
 * trials; the search continues with ever smaller steps from the best of them.
 *
 * Invariants: acts and their values are drawn from the purpose `represent` of the decision's random stream, candidates
 * from the stream itself. Coordinates that are not free keep their bits. */
#include "acquisition/contextual/outcome_search.h"

#include "base/memory.h"
#include "optim/optim.h"
#include "space/points.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

/* -- Trials -- */

/* Draws trials for a model of outcomes, and computes the probabilities that they have an outcome.
 *
 * Invariant: a trial that is drawn has the fixed coordinates of the environment, bit by bit. */

/* The most draws until a trial is likely to have an effect. */
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

/* Sets the coordinates of the environment that are not free to their fixed values. */
static void hold_fixed(const fcps_outcome_trials *trials, double *trial)
{
  for (int d = 0; d < trials->environments; d++)
    if (!trials->is_free[d]) trial[d] = trials->fixed[d];
}

/* Draws a random environment. One in four is at a corner, so that both states of any switch among its dimensions are
 * tried.
 */
static void draw_environment(const fcps_outcome_trials *trials, fcps_rng *rng, double *trial)
{
  const bool is_corner = fcps_rng_uniform(rng) < 0.25;
  for (int d = 0; d < trials->environments; d++) {
    const double u = fcps_rng_uniform(rng);
    trial[d] = !is_corner ? u : u < 0.5 ? 0.0 : 1.0;
  }
  hold_fixed(trials, trial);
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

/* -- The search -- */

enum { ACTS = FCPS_OUTCOME_ACTS, TRIALS = FCPS_OUTCOME_TRIALS };

/* There are many greedy searches, and they need not be precise. */
static const fcps_search_settings greedy_search = {
    .kind = FCPS_SEARCH_MULTISTART, .candidates = 300, .starts = 2, .local_budget = 20};

/* -- Functions for criteria -- */

const double *fcps_outcome_search_target(const fcps_outcome_search *search, int act)
{
  return search->targets + (size_t)act * (size_t)search->trials.model->problem->target.count;
}

void fcps_outcome_search_features(const fcps_outcome_search *search, const double *trial, double *features)
{
  const fcps_model *model = search->trials.model;
  double row[4 * FCPS_SPACE_MAX]; /* a context and parameters; an angle has two features */
  fcps_embed(&model->layout.context, trial, row);
  fcps_embed(&model->layout.parameters, trial + search->trials.environments, row + model->layout.context.width);
  fcps_model_see(model, row, features);
}

fcps_status fcps_outcome_search_posterior(fcps_outcome_search *search, int act, fcps_posterior **posterior)
{
  const fcps_outcome_trials *t = &search->trials;
  const double *trial = search->acts + (size_t)act * (size_t)t->width;
  fcps_space_from_unit(&t->model->problem->environment, trial, t->own_environments);
  return fcps_posterior_create(posterior, t->model, fcps_outcome_search_target(search, act), t->own_environments,
                               t->error);
}

/* -- Acts -- */

/* Finds the parameters of the greedy policy in the context of an act. */
static fcps_status act_greedily(fcps_outcome_search *s, int act, fcps_rng rng)
{
  double *trial = s->acts + act * s->trials.width;
  fcps_posterior *posterior = NULL;
  fcps_optimum optimum;
  fcps_status status = fcps_outcome_search_posterior(s, act, &posterior);
  if (status == FCPS_OK)
    status = fcps_search_moments(posterior, &fcps_moment_objective_mean, &greedy_search, rng,
                                 trial + s->trials.environments, &optimum);
  fcps_posterior_destroy(posterior);
  return status;
}

/* Makes the acts: contexts spread over the target space, each with the parameters that the policy chooses in it. */
static fcps_status find_acts(fcps_outcome_search *s, fcps_rng rng)
{
  const fcps_space *space = &s->trials.model->problem->target;
  const int width = s->trials.width, targets = space->count;
  fcps_points_halton(&rng, targets, 0, ACTS, s->targets_x);
  fcps_status status = FCPS_OK;
  for (int t = 0; t < ACTS && status == FCPS_OK; t++) {
    fcps_space_from_unit(space, s->targets_x + t * targets, s->targets + t * targets);
    status = fcps_outcome_trials_draw(&s->trials, &rng, s->acts + t * width);
    if (status == FCPS_OK) status = act_greedily(s, t, rng);
  }
  if (status == FCPS_OK) status = fcps_outcome_trials_find_probabilities(&s->trials, ACTS, s->acts);
  if (status == FCPS_OK) memcpy(s->act_probabilities, s->trials.probabilities, ACTS * sizeof(double));
  return status;
}

/* -- Search -- */

/* Divides a gain by the cost of its trial. The target of the trial is chosen later, so the cost is computed with the
 * free coordinates of the target in the middle of their ranges. */
static void price(const fcps_outcome_search *s, const double *trial, double *value)
{
  const int environments = s->trials.environments, targets = s->trials.model->problem->target.count;
  double context[2 * FCPS_SPACE_MAX];
  memcpy(context, trial, (size_t)environments * sizeof *context);
  for (int d = environments; d < environments + targets; d++)
    context[d] = s->trials.is_free[d] ? 0.5 : s->trials.fixed[d];
  fcps_acquisition_price_trial(s->decision, context, trial + environments, value);
}

/* Computes the values of trials. The search moves all coordinates, so the values are computed for copies in which the
 * coordinates that are not free have their fixed values. */
static void values_of(void *user, int n, int count, const double *points, double *values)
{
  fcps_outcome_search *s = user;
  memcpy(s->copies, points, (size_t)(count * n) * sizeof(double));
  for (int i = 0; i < count; i++)
    hold_fixed(&s->trials, s->copies + i * n);
  for (int p = 0; p < s->gp_count; p++) {
    const fcps_gp *gp = fcps_model_gp(s->trials.model, p);
    for (int i = 0; i < count; i++)
      fcps_outcome_search_features(s, s->copies + i * n, s->candidates[p].features + i * gp->dim);
    fcps_candidates_prepare(s->candidates + p, gp, count);
  }
  fcps_status status = s->criterion->gains(s, count, values);
  if (status == FCPS_OK) status = fcps_outcome_trials_find_probabilities(&s->trials, count, s->copies);
  if (s->failure == FCPS_OK) s->failure = status;
  for (int i = 0; i < count; i++)
    values[i] *= s->trials.probabilities[i] * s->trials.probabilities[i];
  for (int i = 0; i < count; i++)
    price(s, s->copies + i * n, values + i);
}

static fcps_status search_trials(fcps_outcome_search *s, fcps_rng rng, double *trial)
{
  const int width = s->trials.width, count = s->criterion->candidates;
  double *candidates = fcps_allocate((size_t)(count * width), sizeof(double));
  if (candidates == NULL) return FCPS_ERR_MEMORY;
  memcpy(candidates, s->acts, (size_t)(ACTS * width) * sizeof(double));
  fcps_status status = FCPS_OK;
  for (int i = ACTS; i < count && status == FCPS_OK; i++)
    status = fcps_outcome_trials_draw(&s->trials, &rng, candidates + i * width);
  const fcps_objective objective = {.n = width, .batch = values_of, .wraps = s->trials.wraps, .user = s};
  fcps_optimum optimum;
  if (status == FCPS_OK)
    status =
        fcps_shrinking_search_maximize(&objective, count, candidates, &s->criterion->narrowing, rng, trial, &optimum);
  free(candidates);
  return status == FCPS_OK ? s->failure : status;
}

/* Returns the index of the act that gains most from the trial. */
static int find_main_act(fcps_outcome_search *s, const double *trial)
{
  double value;
  values_of(s, s->trials.width, 1, trial, &value);
  return s->criterion->main_act(s);
}

static void close_search(fcps_outcome_search *s)
{
  s->criterion->release(s);
  for (int p = 0; p < s->gp_count && s->candidates != NULL; p++)
    fcps_candidates_destroy(s->candidates + p);
  free(s->candidates);
  free(s->targets_x);
  fcps_outcome_trials_destroy(&s->trials);
}

/* Makes room for the acts, and for trials in every GP. */
static fcps_status open_search(fcps_outcome_search *s)
{
  const size_t width = (size_t)s->trials.width, targets = (size_t)s->trials.model->problem->target.count;
  s->gp_count = fcps_model_gp_count(s->trials.model);
  s->targets_x = fcps_allocate(ACTS * (2 * targets + width + 1) + TRIALS * width, sizeof(double));
  s->candidates = fcps_allocate((size_t)s->gp_count, sizeof *s->candidates);
  if (s->targets_x == NULL || s->candidates == NULL) return FCPS_ERR_MEMORY;
  s->targets = s->targets_x + ACTS * targets;
  s->acts = s->targets + ACTS * targets;
  s->act_probabilities = s->acts + ACTS * width;
  s->copies = s->act_probabilities + ACTS;
  fcps_status status = FCPS_OK;
  for (int p = 0; p < s->gp_count && status == FCPS_OK; p++)
    status = fcps_candidates_create(s->candidates + p, fcps_model_gp(s->trials.model, p), TRIALS);
  return status;
}

/* Writes the trial, with the target of the act that gains most from it. */
static void write_choice(const fcps_outcome_search *s, const bool *is_free, const double *trial, int act,
                         double *context, double *x)
{
  const int environments = s->trials.environments, targets = s->trials.model->problem->target.count;
  memcpy(x, trial + environments, (size_t)s->trials.parameters * sizeof(double));
  for (int d = 0; d < environments + targets; d++)
    if (is_free[d]) context[d] = d < environments ? trial[d] : s->targets_x[act * targets + d - environments];
}

fcps_status fcps_outcome_search_select(const fcps_outcome_criterion *criterion, const fcps_context_decision *decision,
                                       double *context, double *x, fcps_error *error)
{
  fcps_outcome_search s = {.criterion = criterion, .decision = decision, .seed = decision->rng.seed};
  fcps_rng represent = decision->rng;
  represent.purpose = FCPS_PURPOSE_REPRESENT;
  fcps_status status =
      fcps_outcome_trials_create(&s.trials, decision->model, decision->is_free, context, TRIALS, error);
  if (status != FCPS_OK) return status;
  double *trial = fcps_allocate((size_t)s.trials.width, sizeof(double));
  status = trial != NULL ? open_search(&s) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = find_acts(&s, represent);
  if (status == FCPS_OK) status = criterion->prepare(&s, represent);
  if (status == FCPS_OK) status = search_trials(&s, decision->rng, trial);
  const int act = status == FCPS_OK ? find_main_act(&s, trial) : 0;
  if (status == FCPS_OK) status = s.failure;
  if (status == FCPS_OK) write_choice(&s, decision->is_free, trial, act, context, x);
  close_search(&s);
  free(trial);
  return status;
}
