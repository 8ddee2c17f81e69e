/* SPDX-License-Identifier: Apache-2.0 */
#include "insight/rehearsal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "gp/joint.h"
#include "model/leave_one_out.h"
#include "problem/problem.h"
#include "problem/rollouts.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Contexts in which policies are asked, draws of the noise in each of them, and degrees of freedom that are always left. */
enum { CONTEXTS = 32, FEW_CONTEXTS = 8, NOISES = 8, LEAST_DEGREES = 2 };

/* The purposes of random numbers within a world. */
enum { DRAWS, TRUTH, PURPOSES };

typedef struct rehearsal {
  const fcps_rehearsal_plan *plan;
  const fcps_problem *problem;
  int contexts, outputs;
  double *targets, *environments, *parameters; /* of the contexts */
  double *predicted, *predicted_well;          /* rewards, with and without what may go wrong */
  double *normals, *noises, *draws;            /* contexts x outputs, and NOISES times that for noise */
  double widening;
  double *lowest, *highest; /* of each output, in all worlds */
  fcps_error *error;
} rehearsal;

typedef struct world {
  const rehearsal *r;
  fcps_model *model;
  int number;
  double tau;
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

/* One joint draw of all outputs at `count` rows of features, as the user sees them: draws[i*outputs + o]. All rows belong to
 * `model`. Noise is that of one trial; its normals may be NULL. */
static fcps_status draw(const fcps_model *model, const fcps_gp_outputs *outputs, int count, const double *features,
                        double tau, const double *normals, const double *noises, double *draws)
{
  const size_t n = (size_t)count, q = (size_t)outputs->outputs, inputs = (size_t)model->description.inputs,
               width = (size_t)model->layout.features;
  const int gps = fcps_model_gp_count(model);
  double *room = fcps_allocate(n * (inputs + 2) + 1, sizeof *room);
  if (room == NULL) return FCPS_ERR_MEMORY;
  double *scaled = room + n * inputs, *values = scaled + n;
  fcps_status status = FCPS_OK;
  for (size_t i = 0; i < n; i++)
    fcps_model_see(model, features + i * width, room + i * inputs);
  for (size_t o = 0; o < q && status == FCPS_OK; o++) {
    const int g = gps > 1 ? (int)o : 0;
    const fcps_gp *gp = fcps_model_gp(model, g);
    const fcps_gp_outputs own = fcps_gps_outputs(&model->gps, outputs, g);
    for (size_t i = 0; i < n; i++)
      scaled[i] = tau * normals[o * n + i];
    status = fcps_gp_draw(gp, &own, gps > 1 ? 0 : (int)o, count, room, 1, scaled, values);
    for (size_t i = 0; i < n && status == FCPS_OK; i++) {
      double noise = fcps_gp_noise(gp);
      if (model->description.has_places)
        noise += fcps_description_noise_at(&model->description, g, room + i * inputs) -
                 fcps_description_usual_places(&model->description, &model->gps, g);
      draws[i * q + o] =
          values[i] + (noises != NULL ? outputs->scale[o] * tau * sqrt(fmax(noise, 0.0)) * noises[o * n + i] : 0.0);
    }
  }
  for (size_t i = 0; i < n && status == FCPS_OK && model->description.changes_outputs; i++)
    fcps_model_unsee_outcomes(model, features + i * width, 1, 1, draws + i * q);
  free(room);
  return status;
}

/* A process has no bounds, and who searches many worlds finds the highest peak of each. So no draw goes further beyond what was
 * told than the outermost tenth of that is wide. */
static void find_ends(const rehearsal *r, double *sorted)
{
  static const double tenth = 0.1;
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
    r->lowest[o] = count > 0 ? 2.0 * sorted[0] - fcps_rehearsal_quantile(count, sorted, tenth) : -INFINITY;
    r->highest[o] =
        count > 0 ? 2.0 * sorted[count - 1] - fcps_rehearsal_quantile(count, sorted, 1.0 - tenth) : INFINITY;
  }
}

static void clip(const rehearsal *r, double *draws)
{
  for (int o = 0; o < r->outputs; o++) {
    draws[o] = fmin(fmax(draws[o], r->lowest[o]), r->highest[o]);
    if (r->plan->model->ops->predicts_outcomes) draws[o] = fcps_dimension_clip(r->problem->outcome.dims + o, draws[o]);
  }
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

/* The parameters that the learner would ask for, and the chances that an outcome comes of them and that they do not fail. */
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

/* What the trial tells: its outcome, or its reward if that is what the model learns. */
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
    status = draw(child, &outputs, 1, features, w->tau, normals, noises, told);
    if (status == FCPS_OK) clip(r, told);
  }
  fcps_gp_outputs_destroy(&outputs);
  free(features);
  return status;
}

/* Takes in a new row. What may go wrong is learnt again at the next look, from all trials at once: it costs more than all
 * else. */
static fcps_status grow(fcps_model *model)
{
  fcps_status status = FCPS_OK;
  fcps_model_clear_pending(model);
  for (int side = 0; side < 2 && status == FCPS_OK; side++)
    if (model->split_model.child[side] != NULL) status = grow(model->split_model.child[side]);
  if (status == FCPS_OK && fcps_model_side_count(model) == 1) status = fcps_model_grow_noise(model, NULL);
  return status == FCPS_OK && fcps_model_side_count(model) == 1 ? fcps_gps_grow(&model->gps) : status;
}

/* Asks for the trials of one round and tells their results afterwards. */
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

/* Draws of what happens at the policy's choices: contexts x outputs. A split model draws each side alone. */
static fcps_status draw_truth(const world *w, int noise)
{
  const rehearsal *r = w->r;
  const fcps_problem *p = r->problem;
  const size_t c = (size_t)r->contexts, q = (size_t)r->outputs, width = (size_t)w->model->layout.features;
  double *room = fcps_allocate(c * (width + 3 * q) + 1, sizeof *room);
  int *places = fcps_allocate(c, sizeof *places);
  fcps_status status = room != NULL && places != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  double *normals = room + c * width, *noises = normals + c * q, *draws = noises + c * q;
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
        noises[o * (size_t)count + (size_t)i] = r->noises[((size_t)noise * q + o) * c + (size_t)places[i]];
      }
    if (status == FCPS_OK && count > 0) status = fcps_model_condition(own, 1, NULL, &outputs, r->error);
    if (status == FCPS_OK && count > 0) status = draw(own, &outputs, count, room, w->tau, normals, noises, draws);
    for (int i = 0; i < count && status == FCPS_OK; i++)
      memcpy(r->draws + (size_t)places[i] * q, draws + (size_t)i * q, q * sizeof *draws);
    fcps_gp_outputs_destroy(&outputs);
  }
  free(room);
  free(places);
  return status;
}

/* The rewards of the draws, averaged over the contexts with a value. */
static fcps_status score(const rehearsal *r, bool are_outcomes, double *mean)
{
  const fcps_problem *p = r->problem;
  const bool present = true;
  double sum = 0.0;
  int valued = 0;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < r->contexts && status == FCPS_OK; i++) {
    double *outcome = r->draws + (size_t)i * (size_t)r->outputs, reward;
    clip(r, outcome);
    reward = *outcome;
    if (are_outcomes) {
      status = fcps_problem_score(
          p, 1, fcps_policy_row(r->targets, &p->target, i), fcps_policy_row(r->environments, &p->environment, i),
          r->parameters + (size_t)i * (size_t)p->parameters.count, outcome, &present, &reward, r->error);
    }
    reward += r->predicted[i] - r->predicted_well[i]; /* what may go wrong */
    if (!isfinite(reward)) continue;
    sum += reward;
    valued++;
  }
  *mean = valued > 0 ? sum / valued : NAN;
  return status;
}

static fcps_status look(const world *w, double *reward)
{
  const rehearsal *r = w->r;
  fcps_policy *policy = NULL;
  const fcps_predictions wanted = {.rewards = r->predicted, .success_rewards = r->predicted_well};
  fcps_status status =
      fcps_policy_create_greedy(&policy, r->problem, w->model, &r->plan->habits.policy, 0, NULL, r->error);
  if (status == FCPS_OK) {
    status = fcps_policy_predict_batch(policy, r->contexts, r->targets, r->environments, r->parameters, &wanted);
    if (status != FCPS_OK && r->error != NULL) *r->error = *fcps_policy_error(policy);
  }
  fcps_policy_destroy(policy);
  *reward = 0.0;
  for (int noise = 0; noise < NOISES && status == FCPS_OK; noise++) {
    double mean = NAN;
    status = draw_truth(w, noise);
    if (status == FCPS_OK) status = score(r, w->model->ops->predicts_outcomes, &mean);
    *reward += mean / NOISES;
  }
  return status;
}

/* -- A world -- */

/* sqrt(v/chi2_v) from v normals. */
static double draw_scale(fcps_rng *rng, int degrees)
{
  double squares = 0.0;
  for (int i = 0; i < degrees; i++) {
    const double z = fcps_rng_normal(rng);
    squares += z * z;
  }
  return sqrt(degrees / fmax(squares, 1e-3 * degrees));
}

static fcps_status begin(world *w)
{
  const rehearsal *r = w->r;
  const size_t truths = (size_t)r->contexts * (size_t)r->outputs;
  const int left = r->plan->model->training.count - r->problem->environment.count - r->problem->parameters.count - 1;
  w->draws = fcps_rng_stream(r->plan->seed, FCPS_PURPOSE_REHEARSAL, (uint64_t)w->number * PURPOSES + DRAWS);
  fcps_rng truth = fcps_rng_stream(r->plan->seed, FCPS_PURPOSE_REHEARSAL, (uint64_t)w->number * PURPOSES + TRUTH);
  fcps_rng_normals(&truth, (int)truths, r->normals);
  fcps_rng_normals(&truth, (int)(NOISES * truths), r->noises);
  w->tau = r->widening * draw_scale(&w->draws, left > LEAST_DEGREES ? left : LEAST_DEGREES);
  const fcps_status status = fcps_model_copy(r->plan->model, r->problem, &w->model);
  if (status != FCPS_OK) return status;
  fcps_members_drop(w->model);
  fcps_contests_truncate(&w->model->contests, 0); /* what is believed is true in the world: nobody else has a say */
  return fcps_model_refresh(w->model);
}

static fcps_status rehearse(const rehearsal *r, int number, double *rewards)
{
  const fcps_rehearsal_plan *plan = r->plan;
  world w = {.r = r, .number = number};
  int done = 0;
  fcps_status status = begin(&w);
  for (int at = 0; at <= plan->looks && status == FCPS_OK; at++) {
    while (done < fcps_rehearsal_trials_at(plan, at) && status == FCPS_OK) {
      const int left = plan->trials - done, count = plan->parallel < left ? plan->parallel : left;
      status = rehearse_round(&w, done, count);
      done += count;
    }
    if (status == FCPS_OK) status = look(&w, rewards + (size_t)at * (size_t)plan->worlds + (size_t)number);
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
  const bool are_alone = p->constraint_count > 0 || p->limit_count > 0 || r->plan->model->ops->has_target_inputs;
  r->contexts = t + e == 0 ? 1 : are_alone ? FEW_CONTEXTS : CONTEXTS; /* searched one by one, or side by side */
  const size_t c = (size_t)r->contexts;
  *room = fcps_allocate(c * (2 * (t + e) + n + 2 + (2 + NOISES) * q) + 2 * q + (size_t)r->plan->model->training.count,
                        sizeof **room);
  if (*room == NULL) return FCPS_ERR_MEMORY;
  double *unit = *room;
  r->targets = unit + c * (t + e);
  r->environments = r->targets + c * t;
  r->parameters = r->environments + c * e;
  r->predicted = r->parameters + c * n;
  r->predicted_well = r->predicted + c;
  r->normals = r->predicted_well + c;
  r->noises = r->normals + c * q;
  r->draws = r->noises + NOISES * c * q;
  r->lowest = r->draws + c * q;
  r->highest = r->lowest + q;
  find_ends(r, r->highest + q);
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_EVALUATION, 0);
  if (t + e > 0) fcps_points_halton(&rng, (int)(t + e), 0, r->contexts, unit);
  for (size_t i = 0; i < c; i++) {
    fcps_space_from_unit(&p->target, unit + i * (t + e), r->targets + i * t);
    fcps_space_from_unit(&p->environment, unit + i * (t + e) + t, r->environments + i * e);
  }
  r->widening = 1.0;
  if (!r->plan->model->ops->predicts_outcomes) return FCPS_OK;
  const fcps_status status = fcps_model_widening(r->plan->model, &r->widening, r->error);
  if (!(r->widening > 0.0)) r->widening = 1.0;
  return status;
}

fcps_status fcps_rehearsal_run(const fcps_rehearsal_plan *plan, double *rewards, fcps_error *error)
{
  double *room = NULL;
  if (fcps_model_kind_has_outputs_per_target(plan->model->ops))
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "learner",
                          "the %s model cannot be rehearsed: its outputs are rewards of one target",
                          plan->model->ops->name);
  rehearsal r = {.plan = plan, .problem = plan->model->problem, .outputs = plan->model->layout.outputs, .error = error};
  fcps_status status = prepare(&r, &room);
  for (int i = 0; i < plan->worlds && status == FCPS_OK; i++) {
    status = rehearse(&r, i, rewards);
    if (status == FCPS_OK && plan->progress != NULL && !plan->progress(plan->user, i + 1, plan->worlds))
      status = fcps_error_set(error, FCPS_ERR_STOPPED, "", "stopped by the caller");
  }
  free(room);
  return status == FCPS_ERR_MEMORY ? fcps_error_memory(error) : status;
}
