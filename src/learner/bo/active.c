/* SPDX-License-Identifier: Apache-2.0 */
/* Learners that choose the context, too: ACES with the joint model [metzen2015b], FACES with the rescored one
 * [pinsler2019, Algorithm 4]. In a context that is given they are the passive learner with their acquisition.
 *
 * The first contexts are a Latin hypercube; then each trial, context and parameters at once, is the one that is
 * expected to tell most about the best parameters in all contexts: by entropy search as in the papers, or by the
 * knowledge gradient, max-value or joint entropy search. FACES has no use for the trial's target: a free one is drawn.
 */
#include "acquisition/contextual/contextual_gain.h"
#include "base/error.h"
#include "base/memory.h"
#include "learner/bo/bo.h"
#include "space/points.h"
#include "space/space.h"

#include <stdlib.h>
#include <string.h>

/* Context coordinates (environment, then target) and parameters, in the unit cube, and which of the former are free. */
typedef struct choice {
  int environments, targets;
  double *context, *x;
  bool *is_free;
} choice;

static fcps_status create(fcps_learner *learner, fcps_error *error)
{
  const fcps_status status = fcps_bo_create(learner, error);
  if (status != FCPS_OK) return status;
  const fcps_bo *b = learner->state;
  if (fcps_model_kind_predicts_outcomes(b->settings.model))
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "model",
                          "%s asks where the reward is largest and needs a model of rewards: model=joint or rescored",
                          learner->entry->info.name);
  if (b->settings.acquisition->gain == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "acquisition",
                          "%s chooses what tells most over all contexts, and %s does not say that: acquisition=es, kg, "
                          "mes or jes",
                          learner->entry->info.name, b->settings.acquisition->name);
  return FCPS_OK;
}

static void close_choice(choice *c)
{
  free(c->context);
  free(c->is_free);
}

static fcps_status open_choice(choice *c, const fcps_problem *problem, const fcps_free_dimensions *wanted,
                               const double *target, const double *environment)
{
  *c = (choice){.environments = problem->environment.count, .targets = problem->target.count};
  const int count = c->environments + c->targets;
  c->context = fcps_allocate((size_t)(count + problem->parameters.count), sizeof(double));
  c->is_free = fcps_allocate((size_t)count, sizeof(bool));
  if (c->context == NULL || c->is_free == NULL) return FCPS_ERR_MEMORY;
  c->x = c->context + count;
  /* a fixed value is the caller's; what a free one holds now is anything */
  for (int i = 0; i < count; i++) {
    const bool is_environment = i < c->environments;
    const int j = is_environment ? i : i - c->environments;
    const bool *flags = is_environment ? wanted->environment : wanted->target;
    const fcps_space one = {1, (is_environment ? problem->environment.dims : problem->target.dims) + j};
    c->is_free[i] = flags == NULL || flags[j];
    c->context[i] = 0.5;
    if (!c->is_free[i]) fcps_space_to_unit(&one, (is_environment ? environment : target) + j, c->context + i);
  }
  return FCPS_OK;
}

/* Writes the choice in the problem's own units; fixed values stay as they are, to the bit. */
static fcps_status hand_out(const choice *c, const fcps_problem *problem, double *target, double *environment,
                            double *parameters)
{
  const int count = c->environments + c->targets;
  double *values = fcps_allocate((size_t)count, sizeof(double));
  if (values == NULL) return FCPS_ERR_MEMORY;
  fcps_space_from_unit(&problem->environment, c->context, values);
  fcps_space_from_unit(&problem->target, c->context + c->environments, values + c->environments);
  for (int i = 0; i < count; i++) {
    double *to = i < c->environments ? environment + i : target + (i - c->environments);
    if (c->is_free[i]) *to = values[i];
  }
  fcps_space_from_unit(&problem->parameters, c->x, parameters);
  free(values);
  return FCPS_OK;
}

/* A row of the Latin hypercube of the first contexts, and a point of the design. */
static fcps_status choose_by_design(const fcps_learner *learner, int64_t id, choice *c, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  const int count = c->environments + c->targets, size = b->settings.initial;
  double *rows = fcps_allocate((size_t)count * (size_t)size, sizeof(double));
  if (rows == NULL) return FCPS_ERR_MEMORY;
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_REPRESENT, 0); /* asks count from 1 */
  fcps_status status = fcps_points_latin(&rng, count, size, rows);
  const double *row = rows + (size_t)(fcps_design_made(learner) % size) * (size_t)count;
  for (int i = 0; i < count && status == FCPS_OK; i++)
    if (c->is_free[i]) c->context[i] = row[i];
  free(rows);
  return status == FCPS_OK ? fcps_design_point(learner, b->settings.design, size, id, c->x, error) : status;
}

static void draw_context(const fcps_learner *learner, int64_t id, choice *c)
{
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_EXPLORE, (uint64_t)id);
  for (int i = 0; i < c->environments + c->targets; i++) {
    const double u = fcps_rng_uniform(&rng);
    if (c->is_free[i]) c->context[i] = u;
  }
}

static fcps_status choose_by_model(fcps_learner *learner, int64_t id, choice *c, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  const fcps_contextual_decision decision = {.settings = &b->settings.contextual,
                                             .gain = b->settings.acquisition->gain,
                                             .model = b->model,
                                             .is_free = c->is_free,
                                             .rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_SEARCH, (uint64_t)id)};
  draw_context(learner, id, c); /* what the model does not decide stays drawn */
  fcps_status status = fcps_bo_update_model(learner, id, NULL, error);
  if (status == FCPS_OK) status = fcps_contextual_select(&decision, c->context, c->x, error);
  fcps_model_clear_pending(b->model);
  return status;
}

static fcps_status choose(fcps_learner *learner, int64_t id, const fcps_free_dimensions *wanted, double *target,
                          double *environment, double *parameters, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  choice c;
  fcps_status status = open_choice(&c, &learner->problem, wanted, target, environment);
  if (status == FCPS_OK && fcps_design_made(learner) < b->settings.initial) {
    status = choose_by_design(learner, id, &c, error);
  } else if (status == FCPS_OK) {
    status = choose_by_model(learner, id, &c, error);
    if (status == FCPS_ERR_NOT_POSITIVE || status == FCPS_ERR_NOT_FINITE) {
      fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_GP_FALLBACK",
                   "the model cannot be used (%s); this trial is space-filling", fcps_status_text(status));
      draw_context(learner, id, &c);
      status = fcps_design_point(learner, FCPS_DESIGN_MAXIMIN, 1, id, c.x, error);
    }
  }
  if (status == FCPS_OK) status = hand_out(&c, &learner->problem, target, environment, parameters);
  close_choice(&c);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

const fcps_learner_ops fcps_learner_active = {.create = create,
                                              .destroy = fcps_bo_destroy,
                                              .ask = fcps_bo_ask,
                                              .choose = choose,
                                              .absorb = fcps_bo_absorb,
                                              .policy = fcps_bo_policy,
                                              .write = fcps_bo_write,
                                              .read = fcps_bo_read};
