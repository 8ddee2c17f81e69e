/* SPDX-License-Identifier: Apache-2.0 */
/* Learners that also choose the context: ACES with the joint model [metzen2015b], FACES with the rescored one
 * [pinsler2019, Algorithm 4]. If the caller gives the context, they choose parameters like the passive learner with the
 * same acquisition.
 *
 * The first contexts are a Latin hypercube. After that, context and parameters of each trial are chosen together, so
 * that the trial is expected to tell most about the best parameters in all contexts. The papers use entropy search; the
 * knowledge gradient and max-value, joint or predictive entropy search also serve
 * (acquisition/contextual/contextual_gain.c). FACES does not use the trial's target, so a free target is drawn at
 * random.
 *
 * Invariant: no old data can stop a choice. If the model cannot be used, the choice is space-filling. */
#include "base/error.h"
#include "base/memory.h"
#include "learner/bo/bo.h"
#include "space/points.h"
#include "space/space.h"

#include <stdlib.h>

static fcps_status create(fcps_learner *learner, fcps_error *error)
{
  const fcps_status status = fcps_bo_create(learner, error);
  if (status != FCPS_OK) return status;
  const fcps_bo *b = learner->state;
  if (b->settings.model->predicts_outcomes)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "model",
                          "%s looks for the largest reward and needs a model of rewards: model=joint or rescored",
                          learner->entry->info.name);
  if (b->settings.acquisition->select_context == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "acquisition",
                          "%s needs an acquisition that values a trial over all contexts, which %s does not; use "
                          "acquisition=es, kg, mes, jes, pes or ucb",
                          learner->entry->info.name, b->settings.acquisition->name);
  return FCPS_OK;
}

static void draw_context(const fcps_learner *learner, int64_t id, fcps_bo_context_choice *c)
{
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_EXPLORE, (uint64_t)id);
  for (int i = 0; i < c->environments + c->targets; i++) {
    const double u = fcps_rng_uniform(&rng);
    if (c->is_free[i]) c->context[i] = u;
  }
}

/* Chooses the next row of the Latin hypercube of first contexts, and a point of the design. If the rows are used up,
 * because trials failed or have not ended, the context is drawn at random. */
static fcps_status choose_by_design(const fcps_learner *learner, int64_t id, fcps_bo_context_choice *c,
                                    fcps_error *error)
{
  const fcps_bo *b = learner->state;
  const int count = c->environments + c->targets, size = b->settings.initial;
  double *rows = fcps_allocate((size_t)count * (size_t)size, sizeof(double));
  if (rows == NULL) return FCPS_ERR_MEMORY;
  /* stream 0 is unused by asks, whose ids begin at 1 */
  fcps_rng rng = fcps_rng_stream(learner->seed, FCPS_PURPOSE_REPRESENT, 0);
  fcps_status status = fcps_points_latin(&rng, count, size, rows);
  const int made = fcps_design_made(learner);
  if (made >= size) draw_context(learner, id, c);
  for (int i = 0; i < count && made < size && status == FCPS_OK; i++)
    if (c->is_free[i]) c->context[i] = rows[(size_t)made * (size_t)count + (size_t)i];
  free(rows);
  return status == FCPS_OK ? fcps_design_point(learner, b->settings.design, size, id, c->x, error) : status;
}

static fcps_status choose_by_model(fcps_learner *learner, int64_t id, fcps_bo_context_choice *c, fcps_error *error)
{
  const fcps_bo *b = learner->state;
  draw_context(learner, id, c); /* free coordinates that the model does not choose keep these random values */
  fcps_status status = fcps_bo_update_model(learner, id, NULL, error);
  if (status == FCPS_OK) status = fcps_bo_select_context(learner, b->settings.acquisition, id, c, error);
  fcps_model_clear_pending(b->model);
  if (!fcps_bo_must_fall_back(learner, status)) return status;
  draw_context(learner, id, c);
  return fcps_design_point(learner, FCPS_DESIGN_MAXIMIN, 1, id, c->x, error);
}

static fcps_status choose(fcps_learner *learner, int64_t id, const fcps_free_dimensions *free_dimensions,
                          double *target, double *environment, double *parameters, fcps_error *error)
{
  fcps_bo_context_choice c;
  fcps_status status = fcps_bo_context_choice_open(&c, &learner->problem, free_dimensions, target, environment);
  const bool is_early = fcps_bo_needs_design(learner);
  if (status == FCPS_OK)
    status = is_early ? choose_by_design(learner, id, &c, error) : choose_by_model(learner, id, &c, error);
  if (status == FCPS_OK) status = fcps_bo_context_choice_write(&c, target, environment, parameters);
  if (status == FCPS_OK && is_early)
    status = fcps_design_keep_away(learner, FCPS_DESIGN_MAXIMIN, id, target, environment, parameters, error);
  fcps_bo_context_choice_close(&c);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}

const fcps_learner_ops fcps_learner_active = {.create = create,
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

/* -- Contexts -- */

fcps_status fcps_bo_context_choice_open(fcps_bo_context_choice *choice, const fcps_problem *problem,
                                        const fcps_free_dimensions *free_dimensions, const double *target,
                                        const double *environment)
{
  fcps_bo_context_choice *c = choice;
  *c = (fcps_bo_context_choice){
      .problem = problem, .environments = problem->environment.count, .targets = problem->target.count};
  const int count = c->environments + c->targets;
  c->context = fcps_allocate((size_t)(count + problem->parameters.count), sizeof(double));
  c->is_free = fcps_allocate((size_t)count, sizeof(bool));
  if (c->context == NULL || c->is_free == NULL) return FCPS_ERR_MEMORY;
  c->x = c->context + count;
  for (int i = 0; i < count; i++) {
    const bool is_environment = i < c->environments;
    const int j = is_environment ? i : i - c->environments;
    const bool *flags = is_environment ? free_dimensions->environment : free_dimensions->target;
    const fcps_space one = {1, (is_environment ? problem->environment.dims : problem->target.dims) + j};
    c->is_free[i] = flags == NULL || flags[j];
    c->context[i] = 0.5;
    if (!c->is_free[i]) fcps_space_to_unit(&one, (is_environment ? environment : target) + j, c->context + i);
  }
  return FCPS_OK;
}

void fcps_bo_context_choice_close(fcps_bo_context_choice *choice)
{
  free(choice->context);
  free(choice->is_free);
}

fcps_status fcps_bo_context_choice_write(const fcps_bo_context_choice *choice, double *target, double *environment,
                                         double *parameters)
{
  const fcps_bo_context_choice *c = choice;
  const int count = c->environments + c->targets;
  double *values = fcps_allocate((size_t)count, sizeof(double));
  if (values == NULL) return FCPS_ERR_MEMORY;
  fcps_space_from_unit(&c->problem->environment, c->context, values);
  fcps_space_from_unit(&c->problem->target, c->context + c->environments, values + c->environments);
  for (int i = 0; i < count; i++) {
    double *to = i < c->environments ? environment + i : target + (i - c->environments);
    if (c->is_free[i]) *to = values[i];
  }
  fcps_space_from_unit(&c->problem->parameters, c->x, parameters);
  free(values);
  return FCPS_OK;
}
