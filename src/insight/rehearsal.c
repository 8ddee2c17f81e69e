/* SPDX-License-Identifier: Apache-2.0 */
#include "insight/rehearsal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "gp/query.h"
#include "model/leave_one_out.h"
#include "problem/judge/judge.h"
#include "problem/problem.h"
#include "problem/rollouts.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* CONTEXTS: number of contexts in which policies are asked. FEW_CONTEXTS: this number if each context is searched
 * alone, or with more than MANY_ROWS rows. NOISES: draws of the noise over all contexts. */
enum { CONTEXTS = 32, FEW_CONTEXTS = 8, MANY_ROWS = 300, NOISES = 256 };

/* Corrections for the error of models, chosen on problems with a known answer (docs/lab/forecast.md). Every STUCK-th
 * world (simulated run) learns nothing more. In the others the distance of the rewards from their median is multiplied
 * by `stretch`. */
enum { STUCK = 4 };
static const double stretch = 2.0;

/* The streams of random numbers within a world: for trials, and for the rewards of looks. */
enum { DRAWS, TRUTH, PURPOSES };

typedef struct rehearsal {
  const fcps_rehearsal_plan *plan;
  const fcps_problem *problem;
  int contexts, outputs, noise_count;
  double *targets, *environments; /* one row per context */
  double *choices;                /* the choices of a policy in all contexts, in these parts: */
  double *parameters, *predicted, *predicted_well,
      *present;                     /* predicted rewards with and without failures; `present`: choices of the study's
                                     * policy */
  double *normals, *noises, *draws; /* contexts x outputs; of noises and draws noise_count times as many */
  double *widening;                 /* for each outcome, the factor of its deviation */
  double *lowest, *highest;         /* ends of the range of each output without noise, the same in all worlds */
  double most;                      /* largest reward that the formula allows, as a mean over the contexts */
  double *hyper;                    /* of all GPs, for each world; NULL if the fitted ones are used */
  fcps_error *error;
} rehearsal;

typedef struct world {
  rehearsal *r;
  fcps_model *model;
  int number;
  fcps_rng draws;
} world;

int fcps_rehearsal_trials_at(const fcps_rehearsal_plan *plan, int look)
{
  return (int)((int64_t)plan->trials * look / plan->looks);
}

double fcps_rehearsal_quantile(int count, const double *sorted, double share)
{
  const double at = share * (count - 1);
  const int below = (int)floor(at);
  return below + 1 < count ? sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]) : sorted[count - 1];
}

/* -- What the model draws -- */

/* Finds the range of each output in draws without noise. A Gaussian process has no bounds, and the policy of each world
 * would find the highest peak. So the range exceeds the reported values on each side by at most the width of their
 * outermost quarter. */
static void find_ends(const rehearsal *r, double *sorted)
{
  static const double quarter = 0.25;
  const fcps_model *model = r->plan->model;
  const int rows = model->training.count;
  for (int o = 0; o < r->outputs; o++) {
    int count = 0;
    for (int i = 0; i < rows; i++) {
      const fcps_rollout row = fcps_rollouts_at(&model->training, i);
      if (!fcps_description_doubts(&model->description, i))
        sorted[count++] = model->ops->predicts_outcomes ? row.outcome[o] : row.reward;
    }
    qsort(sorted, (size_t)count, sizeof *sorted, fcps_number_compare);
    r->lowest[o] = count > 0 ? 2.0 * sorted[0] - fcps_rehearsal_quantile(count, sorted, quarter) : -INFINITY;
    r->highest[o] =
        count > 0 ? 2.0 * sorted[count - 1] - fcps_rehearsal_quantile(count, sorted, 1.0 - quarter) : INFINITY;
  }
}

/* Draws all outputs jointly at `count` rows of features, in the user's frame, and adds `noise_count` draws of the noise
 * of a trial: draws[(k*count + i)*outputs + o]. All rows belong to the world's model, or to one side of it if it is
 * split. */
static fcps_status draw(const world *w, const fcps_model *model, const fcps_gp_outputs *outputs, int count,
                        const double *features, const double *normals, int noise_count, const double *noises,
                        double *draws)
{
  const rehearsal *r = w->r;
  const size_t n = (size_t)count, q = (size_t)outputs->outputs, inputs = (size_t)model->description.inputs,
               width = (size_t)model->layout.features;
  const int gps = fcps_model_gp_count(model);
  const bool are_outcomes = model->ops->predicts_outcomes;
  double *room = fcps_allocate(n * (inputs + 2 + 2 * q) + 1, sizeof *room);
  if (room == NULL) return FCPS_ERR_MEMORY;
  double *scaled = room + n * inputs, *drawn = scaled + n, *values = drawn + n, *deviations = values + n * q;
  fcps_status status = FCPS_OK;
  for (size_t i = 0; i < n; i++)
    fcps_model_see(model, features + i * width, room + i * inputs);
  for (size_t o = 0; o < q && status == FCPS_OK; o++) {
    const int g = gps > 1 ? (int)o : 0;
    const fcps_gp *gp = fcps_model_gp(model, g);
    const fcps_gp_outputs own = fcps_gps_outputs(&model->gps, outputs, g);
    for (size_t i = 0; i < n; i++)
      scaled[i] = r->widening[o] * normals[o * n + i];
    status = fcps_gp_draw(gp, &own, gps > 1 ? 0 : (int)o, count, room, 1, scaled, drawn);
    for (size_t i = 0; i < n; i++) {
      double noise = fcps_gp_noise(gp);
      if (model->description.has_places)
        noise += fcps_description_noise_at(&model->description, g, room + i * inputs) -
                 fcps_description_usual_places(&model->description, &model->gps, g);
      values[i * q + o] = drawn[i];
      deviations[i * q + o] = outputs->scale[o] * sqrt(fmax(noise, 0.0));
    }
  }
  for (size_t i = 0; i < n && status == FCPS_OK; i++) {
    if (model->description.changes_outputs)
      fcps_model_unsee_outcomes(model, features + i * width, 1, 1, values + i * q);
    for (size_t o = 0; o < q; o++) {
      const double value = fmin(fmax(values[i * q + o], r->lowest[o]), r->highest[o]);
      for (size_t k = 0; k < (size_t)noise_count; k++) {
        const double told = value + deviations[i * q + o] * noises[(k * q + o) * n + i];
        draws[(k * n + i) * q + o] = are_outcomes ? fcps_dimension_clip(r->problem->outcome.dims + o, told) : told;
      }
    }
  }
  free(room);
  return status;
}

/* -- A trial -- */

static void draw_context(world *w, double *target, double *environment)
{
  const fcps_problem *p = w->r->problem;
  for (int d = 0; d < p->target.count; d++)
    target[d] = fcps_dimension_at(p->target.dims + d, fcps_rng_uniform(&w->draws));
  for (int d = 0; d < p->environment.count; d++)
    environment[d] = fcps_dimension_at(p->environment.dims + d, fcps_rng_uniform(&w->draws));
}

/* Chooses parameters as the learner would. Also computes the chance that a trial with them has an outcome, and the
 * chance that it does not fail. */
static fcps_status choose(const world *w, int trial, const double *target, const double *environment,
                          double *parameters, double *outcome, double *success)
{
  const rehearsal *r = w->r;
  const fcps_learner_habits *h = &r->plan->habits;
  double x[FCPS_SPACE_MAX];
  fcps_decision decision = {
      .acquisition = h->acquisition,
      .settings = h->settings,
      .n = r->problem->parameters.count,
      .rng = fcps_rng_stream(r->plan->seed + (uint64_t)w->number, FCPS_PURPOSE_SEARCH, (uint64_t)trial)};
  fcps_status status = fcps_posterior_create(&decision.posterior, w->model, target, environment, r->error);
  if (status == FCPS_OK) status = fcps_cost_create(&decision.cost, r->problem, r->error);
  if (decision.cost != NULL) fcps_cost_set_context(decision.cost, target, environment);
  if (status == FCPS_OK) status = h->acquisition->select(&decision, x);
  if (status == FCPS_OK) {
    fcps_space_from_unit(&r->problem->parameters, x, parameters);
    fcps_space_to_unit(&r->problem->parameters, parameters, x);
    fcps_posterior_chances(decision.posterior, 1, x, outcome, success);
    status = fcps_posterior_failure(decision.posterior);
  }
  fcps_posterior_destroy(decision.posterior);
  fcps_cost_destroy(decision.cost);
  return status;
}

/* Draws the result of a trial: its outcome, or its reward if the model learns rewards. */
static fcps_status happen(world *w, const fcps_rollout *asked, double *outcome, double *reward)
{
  const rehearsal *r = w->r;
  const fcps_model *child = NULL;
  double normals[FCPS_SPACE_MAX], noises[FCPS_SPACE_MAX];
  fcps_gp_outputs outputs = {0};
  double *features = fcps_allocate((size_t)w->model->layout.features, sizeof *features);
  fcps_status status = features != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_split_model_child(w->model, asked->target, asked->environment, &child);
  if (status == FCPS_OK) status = fcps_model_condition(child, 1, asked->target, &outputs, r->error);
  if (status == FCPS_OK) {
    fcps_layout_row(&child->layout, asked->target, asked->environment, asked->parameters, features);
    fcps_rng_normals(&w->draws, r->outputs, normals);
    fcps_rng_normals(&w->draws, r->outputs, noises);
    double *told = child->ops->predicts_outcomes ? outcome : reward;
    status = draw(w, child, &outputs, 1, features, normals, 1, noises, told);
  }
  fcps_gp_outputs_destroy(&outputs);
  free(features);
  return status;
}

/* Updates the factors of a model for a new row. The classifiers of failures are only updated at the next look, because
 * this takes longer than all the rest. */
static fcps_status grow(fcps_model *model)
{
  fcps_status status = FCPS_OK;
  fcps_model_clear_pending(model);
  for (int side = 0; side < 2 && status == FCPS_OK; side++)
    if (model->split_model.child[side] != NULL) status = grow(model->split_model.child[side]);
  if (status == FCPS_OK && fcps_model_side_count(model) == 1) status = fcps_model_grow_noise(model, NULL);
  return status == FCPS_OK && fcps_model_side_count(model) == 1 ? fcps_gps_grow(&model->gps) : status;
}

/* Chooses the trials of one round together, then adds their drawn results to the model. */
static fcps_status rehearse_round(world *w, int first, int count)
{
  const rehearsal *r = w->r;
  const fcps_problem *p = r->problem;
  const size_t t = (size_t)p->target.count, e = (size_t)p->environment.count, n = (size_t)p->parameters.count,
               o = (size_t)p->outcome.count, width = t + e + n + o;
  double *numbers = fcps_allocate((size_t)count * width + 1, sizeof *numbers);
  double *rewards = fcps_allocate((size_t)count, sizeof *rewards);
  fcps_rollout *rollouts = fcps_allocate((size_t)count, sizeof *rollouts);
  fcps_status status = numbers != NULL && rewards != NULL && rollouts != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    double *target = numbers + (size_t)i * width, *environment = target + t, *parameters = environment + e, present,
           success;
    draw_context(w, target, environment);
    status = choose(w, first + i, target, environment, parameters, &present, &success);
    rollouts[i] = (fcps_rollout){
        .target = target, .environment = environment, .parameters = parameters, .reward = NAN, .hindsight_reward = NAN};
    if (status == FCPS_OK && count > 1) fcps_model_add_pending(w->model, target, environment, parameters);
    const bool has_failed = fcps_rng_uniform(&w->draws) > success, is_there = fcps_rng_uniform(&w->draws) <= present;
    rollouts[i].status = has_failed ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK;
    if (!has_failed && is_there) rollouts[i].outcome = parameters + n;
  }
  fcps_model_clear_pending(w->model);
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    double *outcome = numbers + (size_t)i * width + t + e + n;
    if (rollouts[i].outcome != NULL) status = happen(w, rollouts + i, outcome, &rollouts[i].reward);
    const bool present = rollouts[i].outcome != NULL;
    if (status == FCPS_OK && p->reward != NULL && rollouts[i].status == FCPS_ROLLOUT_OK &&
        w->model->ops->predicts_outcomes)
      status = fcps_problem_score(p, 1, rollouts[i].target, rollouts[i].environment, rollouts[i].parameters, outcome,
                                  &present, &rollouts[i].reward, r->error);
    if (status == FCPS_OK) status = fcps_model_add(w->model, rollouts + i);
    if (status == FCPS_OK) status = grow(w->model);
  }
  free(numbers);
  free(rewards);
  free(rollouts);
  return status;
}

/* -- What the policy earns -- */

/* Draws the outputs at the policy's choices: contexts x outputs. The sides of a split model are drawn separately. */
static fcps_status draw_truth(const world *w)
{
  const rehearsal *r = w->r;
  const fcps_problem *p = r->problem;
  const size_t c = (size_t)r->contexts, q = (size_t)r->outputs, width = (size_t)w->model->layout.features,
               blocks = (size_t)r->noise_count;
  double *room = fcps_allocate(c * (width + (1 + 2 * blocks) * q) + 1, sizeof *room);
  int *places = fcps_allocate(c, sizeof *places);
  fcps_status status = room != NULL && places != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  double *normals = room + c * width, *noises = normals + c * q, *draws = noises + blocks * c * q;
  for (int side = 0; side < fcps_model_side_count(w->model) && status == FCPS_OK; side++) {
    const fcps_model *own = fcps_model_side(w->model, side), *child = NULL;
    fcps_gp_outputs outputs = {0};
    int count = 0;
    for (size_t i = 0; i < c && status == FCPS_OK; i++) {
      const double *target = fcps_policy_row(r->targets, &p->target, (int)i),
                   *environment = fcps_policy_row(r->environments, &p->environment, (int)i);
      status = fcps_split_model_child(w->model, target, environment, &child);
      if (status != FCPS_OK || child != own) continue;
      fcps_layout_row(&own->layout, target, environment, r->parameters + i * (size_t)p->parameters.count,
                      room + (size_t)count * width);
      places[count++] = (int)i;
    }
    for (size_t o = 0; o < q; o++)
      for (int i = 0; i < count; i++) {
        normals[o * (size_t)count + (size_t)i] = r->normals[o * c + (size_t)places[i]];
        for (size_t k = 0; k < blocks; k++)
          noises[(k * q + o) * (size_t)count + (size_t)i] = r->noises[(k * q + o) * c + (size_t)places[i]];
      }
    if (status == FCPS_OK && count > 0) status = fcps_model_condition(own, 1, NULL, &outputs, r->error);
    if (status == FCPS_OK && count > 0)
      status = draw(w, own, &outputs, count, room, normals, r->noise_count, noises, draws);
    for (size_t k = 0; k < blocks && status == FCPS_OK; k++)
      for (int i = 0; i < count; i++)
        memcpy(r->draws + (k * c + (size_t)places[i]) * q, draws + (k * (size_t)count + (size_t)i) * q,
               q * sizeof *draws);
    fcps_gp_outputs_destroy(&outputs);
  }
  free(room);
  free(places);
  return status;
}

/* Computes the mean reward of the draws. Draws without a finite reward do not count. */
static fcps_status score(const rehearsal *r, bool are_outcomes, double *mean)
{
  const fcps_problem *p = r->problem;
  const bool present = true;
  double sum = 0.0;
  int valued = 0;
  fcps_status status = FCPS_OK;
  for (int k = 0; k < r->noise_count * r->contexts && status == FCPS_OK; k++) {
    const int i = k % r->contexts;
    double *outcome = r->draws + (size_t)k * (size_t)r->outputs, reward;
    reward = *outcome;
    if (are_outcomes) {
      status = fcps_problem_score(
          p, 1, fcps_policy_row(r->targets, &p->target, i), fcps_policy_row(r->environments, &p->environment, i),
          r->parameters + (size_t)i * (size_t)p->parameters.count, outcome, &present, &reward, r->error);
    }
    reward += r->predicted[i] - r->predicted_well[i]; /* the effect of failures */
    if (!isfinite(reward)) continue;
    sum += reward;
    valued++;
  }
  *mean = valued > 0 ? sum / valued : NAN;
  return status;
}

static double find_most(const rehearsal *r)
{
  const fcps_problem *p = r->problem;
  double sum = 0.0;
  for (int i = 0; i < r->contexts; i++)
    sum += fcps_problem_find_most(p, fcps_policy_row(r->targets, &p->target, i),
                                  fcps_policy_row(r->environments, &p->environment, i),
                                  fcps_policy_row(r->parameters, &p->parameters, i));
  return sum / r->contexts;
}

/* Makes the policy of a model and asks it for its choices in all contexts. */
static fcps_status ask_policy(rehearsal *r, const fcps_model *model)
{
  fcps_policy *policy = NULL;
  const fcps_predictions wanted = {.rewards = r->predicted, .success_rewards = r->predicted_well};
  fcps_status status =
      fcps_policy_create_greedy(&policy, r->problem, model, &r->plan->habits.policy, 0, NULL, r->error);
  if (status == FCPS_OK) {
    status = fcps_policy_predict_batch(policy, r->contexts, r->targets, r->environments, r->parameters, &wanted);
    if (status != FCPS_OK && r->error != NULL) *r->error = *fcps_policy_error(policy);
  }
  fcps_policy_destroy(policy);
  if (status == FCPS_OK) r->most = fmax(r->most, find_most(r));
  return status;
}

/* Computes the mean reward of the policy's choices at look `at`. At the first look they are those of the study's
 * policy. */
static fcps_status look(const world *w, int at, double *reward)
{
  rehearsal *r = w->r;
  const size_t numbers = (size_t)r->contexts * ((size_t)r->problem->parameters.count + 2);
  fcps_status status = FCPS_OK;
  if (at == 0)
    memcpy(r->choices, r->present, numbers * sizeof *r->choices);
  else
    status = ask_policy(r, w->model);
  if (status == FCPS_OK) status = draw_truth(w);
  return status == FCPS_OK ? score(r, w->model->ops->predicts_outcomes, reward) : status;
}

/* -- A world -- */

static size_t hyper_count(const rehearsal *r)
{
  return (size_t)FCPS_HYPER_COUNT(r->plan->model->description.inputs);
}

/* Samples hyper-parameters from their posterior given the results, one sample for each world. With few rows the chain
 * takes more steps between samples, because the posterior is wide. With many rows the posterior is narrow, and the
 * fitted hyper-parameters are used. */
static fcps_status sample_hyper(rehearsal *r)
{
  enum { BURN = 20, MOST_ROWS = 100, STEPS = 360 };
  const fcps_model *model = r->plan->model;
  const fcps_hyper_prior prior = fcps_description_prior(&model->description);
  const int gps = fcps_model_gp_count(model), worlds = r->plan->worlds, rows = model->training.count;
  const bool is_one = fcps_model_side_count(model) == 1 && model->ops->predicts_outcomes;
  if (rows > MOST_ROWS || rows == 0 || !is_one || prior.is_flat) return FCPS_OK;
  const int steps = (STEPS + rows - 1) / rows;
  const size_t k = hyper_count(r);
  double *y = NULL, *chain = fcps_allocate(k * (size_t)(worlds * steps), sizeof *chain);
  r->hyper = fcps_allocate(k * (size_t)(worlds * gps), sizeof *r->hyper);
  fcps_status status =
      r->hyper != NULL && chain != NULL ? fcps_model_outputs(model, 0, NULL, &y, r->error) : FCPS_ERR_MEMORY;
  for (int g = 0; g < gps && status == FCPS_OK; g++) {
    const fcps_gp *gp = fcps_model_gp(model, g);
    const fcps_gp_data data = {.rows = rows,
                               .outputs = gps > 1 ? 1 : r->outputs,
                               .y = y + (size_t)g * (size_t)rows,
                               .norm = fcps_model_norm(model),
                               .prior = &prior};
    const fcps_rng rng =
        fcps_rng_stream(r->plan->seed, FCPS_PURPOSE_REHEARSAL, (uint64_t)worlds * PURPOSES + (uint64_t)g);
    status = fcps_gp_sample(gp, &data, gp->hyper, BURN, worlds * steps, rng, chain);
    for (int w = 0; w < worlds && status == FCPS_OK; w++)
      memcpy(r->hyper + (size_t)(w * gps + g) * k, chain + (size_t)(w * steps) * k, k * sizeof *chain);
  }
  free(y);
  free(chain);
  return status;
}

static fcps_status begin(world *w)
{
  const rehearsal *r = w->r;
  const size_t truths = (size_t)r->contexts * (size_t)r->outputs;
  w->draws = fcps_rng_stream(r->plan->seed, FCPS_PURPOSE_REHEARSAL, (uint64_t)w->number * PURPOSES + DRAWS);
  fcps_rng truth = fcps_rng_stream(r->plan->seed, FCPS_PURPOSE_REHEARSAL, (uint64_t)w->number * PURPOSES + TRUTH);
  fcps_rng_normals(&truth, (int)truths, r->normals);
  fcps_rng_normals(&truth, r->noise_count * (int)truths, r->noises);
  fcps_status status = fcps_model_copy(r->plan->model, r->problem, &w->model);
  if (status != FCPS_OK) return status;
  fcps_members_drop(w->model);
  fcps_contests_truncate(&w->model->contests, 0); /* a world keeps the structures believed now, without new
                                                   * comparisons */
  const int gps = fcps_model_gp_count(w->model);
  for (int g = 0; g < gps && r->hyper != NULL; g++)
    fcps_gp_set_hyper(fcps_model_gp(w->model, g), r->hyper + (size_t)(w->number * gps + g) * hyper_count(r));
  if (r->hyper != NULL) status = fcps_gps_factorize(&w->model->gps, w->model->training.count);
  return status == FCPS_OK ? fcps_model_refresh(w->model) : status;
}

static bool is_stuck(int number)
{
  return number % STUCK == STUCK - 1;
}

static fcps_status say_progress(const rehearsal *r, int done)
{
  const fcps_rehearsal_plan *plan = r->plan;
  if (plan->progress == NULL || plan->progress(plan->user, done, plan->worlds)) return FCPS_OK;
  return fcps_error_set(r->error, FCPS_ERR_STOPPED, "", "stopped by the caller");
}

static fcps_status rehearse(rehearsal *r, int number, double *rewards)
{
  const fcps_rehearsal_plan *plan = r->plan;
  const int looks = is_stuck(number) ? 0 : plan->looks;
  world w = {.r = r, .number = number};
  int done = 0;
  fcps_status status = begin(&w);
  for (int at = 0; at <= looks && status == FCPS_OK; at++) {
    while (done < fcps_rehearsal_trials_at(plan, at) && status == FCPS_OK) {
      const int left = plan->trials - done, count = plan->parallel < left ? plan->parallel : left;
      status = rehearse_round(&w, done, count);
      done += count;
    }
    if (status == FCPS_OK) status = look(&w, at, rewards + (size_t)at * (size_t)plan->worlds + (size_t)number);
    if (status == FCPS_OK) status = say_progress(r, at == looks ? number + 1 : number);
  }
  fcps_model_destroy(w.model);
  return status;
}

/* -- All of them -- */

static fcps_status prepare(rehearsal *r, double **room)
{
  const fcps_problem *p = r->problem;
  const size_t t = (size_t)p->target.count, e = (size_t)p->environment.count, n = (size_t)p->parameters.count,
               q = (size_t)r->outputs;
  const bool are_alone = fcps_problem_restricts(p) || p->limit_count > 0 || r->plan->model->ops->has_target_inputs;
  const bool are_many = r->plan->model->training.count + r->plan->trials > MANY_ROWS;
  r->contexts = t + e == 0 ? 1 : are_alone || are_many ? FEW_CONTEXTS : CONTEXTS;
  const size_t c = (size_t)r->contexts;
  r->noise_count = NOISES / r->contexts;
  const size_t blocks = (size_t)r->noise_count;
  *room = fcps_allocate(
      c * (2 * (t + e + n + 2) + (1 + 2 * blocks) * q) + 3 * q + (size_t)r->plan->model->training.count, sizeof **room);
  if (*room == NULL) return FCPS_ERR_MEMORY;
  double *unit = *room;
  r->targets = unit + c * (t + e);
  r->environments = r->targets + c * t;
  r->choices = r->parameters = r->environments + c * e;
  r->predicted = r->parameters + c * n;
  r->predicted_well = r->predicted + c;
  r->present = r->predicted_well + c;
  r->normals = r->present + c * (n + 2);
  r->noises = r->normals + c * q;
  r->draws = r->noises + blocks * c * q;
  r->lowest = r->draws + blocks * c * q;
  r->highest = r->lowest + q;
  r->widening = r->highest + q;
  find_ends(r, r->widening + q);
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 0);
  if (t + e > 0) fcps_points_halton(&rng, (int)(t + e), 0, r->contexts, unit);
  for (size_t i = 0; i < c; i++) {
    fcps_space_from_unit(&p->target, unit + i * (t + e), r->targets + i * t);
    fcps_space_from_unit(&p->environment, unit + i * (t + e) + t, r->environments + i * e);
  }
  for (size_t o = 0; o < q; o++)
    r->widening[o] = 1.0;
  fcps_status status = ask_policy(r, r->plan->model);
  if (status == FCPS_OK) memcpy(r->present, r->choices, c * (n + 2) * sizeof *r->choices);
  if (status != FCPS_OK || !r->plan->model->ops->predicts_outcomes) return status;
  return fcps_model_widening(r->plan->model, r->widening, r->error);
}

/* Multiplies the distance of a look's rewards from their median by `stretch`, but not above the maximum of the formula.
 * Worlds that learn nothing keep their rewards of the first look. */
static fcps_status spread(const rehearsal *r, int at, double *rewards)
{
  const int worlds = r->plan->worlds;
  double *row = rewards + (size_t)at * (size_t)worlds, *sorted = fcps_allocate((size_t)worlds, sizeof *sorted);
  int count = 0;
  if (sorted == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < worlds; i++)
    if ((at == 0 || !is_stuck(i)) && isfinite(row[i])) sorted[count++] = row[i];
  qsort(sorted, (size_t)count, sizeof *sorted, fcps_number_compare);
  const double median = count > 0 ? fcps_rehearsal_quantile(count, sorted, 0.5) : NAN;
  for (int i = 0; i < worlds; i++)
    if (at > 0 && is_stuck(i))
      row[i] = rewards[i];
    else if (isfinite(row[i]))
      row[i] = fmin(median + stretch * (row[i] - median), fmax(r->most, row[i]));
  free(sorted);
  return FCPS_OK;
}

fcps_status fcps_rehearsal_run(const fcps_rehearsal_plan *plan, double *rewards, fcps_error *error)
{
  double *room = NULL;
  if (fcps_model_kind_has_outputs_per_target(plan->model->ops))
    return fcps_error_set(
        error, FCPS_ERR_UNSUPPORTED, "learner",
        "the %s model gives no forecast: each of its outputs is the reward of one target alone; choose another learner",
        plan->model->ops->name);
  rehearsal r = {.plan = plan,
                 .problem = plan->model->problem,
                 .outputs = plan->model->layout.outputs,
                 .most = -INFINITY,
                 .error = error};
  fcps_status status = prepare(&r, &room);
  if (status == FCPS_OK) status = sample_hyper(&r);
  for (int i = 0; i < plan->worlds && status == FCPS_OK; i++)
    status = rehearse(&r, i, rewards);
  for (int at = 0; at <= plan->looks && status == FCPS_OK; at++)
    status = spread(&r, at, rewards);
  free(room);
  free(r.hyper);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}
