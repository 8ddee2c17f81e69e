/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of tasks, and the checks that all tasks share: a task never gets parameters or an environment outside
 * their bounds. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "lab/task/task_impl.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const fcps_task_ops fcps_task_cannon;        /* the paper's toy cannon */
extern const fcps_task_ops fcps_task_cannon_active; /* the cannon with an environment that says whether a ball flies */
extern const fcps_task_ops fcps_task_fetch_push;    /* a Fetch arm pushes a block */
extern const fcps_task_ops fcps_task_fetch_slide;   /* a Fetch arm slides a puck */
extern const fcps_task_ops fcps_task_thrower;       /* an arm throws a ball */
extern const fcps_task_ops fcps_task_arm_retarget;  /* a broken arm that gets a new target */
extern const fcps_task_ops fcps_task_stage;         /* four axes that disturb each other */
extern const fcps_task_ops fcps_task_long_arm;      /* an arm with up to 100 joints */
extern const fcps_task_ops fcps_task_reactor;       /* a batch process with an edge beyond which nothing comes out */
extern const fcps_task_ops fcps_task_reach;         /* an arm among posts */
extern const fcps_task_ops fcps_task_dosing;        /* two liquids in a vessel, measured by a probe */
extern const fcps_task_ops fcps_task_limited;       /* trials in which something must not happen */

/* the cannon with a target that says whether to shoot */
extern const fcps_task_ops fcps_task_cannon_objective;

/* Every task has one file, its declaration above, and one line here. */
static const fcps_task_ops *const registry[] = {
    &fcps_task_cannon,  &fcps_task_cannon_active, &fcps_task_fetch_push, &fcps_task_fetch_slide,
    &fcps_task_thrower, &fcps_task_arm_retarget,  &fcps_task_stage,      &fcps_task_long_arm,
    &fcps_task_reactor, &fcps_task_reach,         &fcps_task_dosing,     &fcps_task_cannon_objective,
    &fcps_task_limited,
};
enum { TASK_COUNT = sizeof registry / sizeof registry[0] };

static const fcps_task_info *info_of(const fcps_task_ops *ops)
{
  return ops->lacking[0].name != NULL ? &ops->lacking[fcps_sim_lacks()] : &ops->info;
}

const fcps_task_info *fcps_task_info_at(int index)
{
  return index >= 0 && index < TASK_COUNT ? info_of(registry[index]) : NULL;
}

static fcps_status find_task(const char *name, const fcps_task_ops **ops, fcps_error *error)
{
  const char *names[TASK_COUNT];
  for (int i = 0; i < TASK_COUNT; i++) {
    names[i] = registry[i]->info.name;
    if (strcmp(names[i], name) == 0) {
      *ops = registry[i];
      return FCPS_OK;
    }
  }
  char hint[256];
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "task", "there is no task \"%s\"; %s", name,
                        fcps_name_hint(name, TASK_COUNT, names, sizeof hint, hint));
}

/* The `reward` of the problem if its task has `score`: calls `score` trial by trial. */
static fcps_status score_all(void *user, int count, const double *target, const double *environments,
                             const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  const fcps_task *task = user;
  const fcps_problem *p = &task->problem;
  for (int i = 0; i < count; i++)
    rewards[i] =
        task->ops->score(task, target, p->environment.count > 0 ? environments + i * p->environment.count : NULL,
                         parameters + i * p->parameters.count, present[i] ? outcomes + i * p->outcome.count : NULL);
  return FCPS_OK;
}

fcps_status fcps_task_build(fcps_task *task, const void *settings, fcps_error *error)
{
  task->optimum = NAN;
  task->state = fcps_allocate(1, task->ops->state_size);
  if (task->state == NULL) return fcps_error_memory(error);
  const fcps_status status = task->ops->create(task, settings, error);
  if (task->ops->score != NULL) {
    task->problem.reward = score_all;
    task->problem.user = task;
  }
  return status;
}

void fcps_task_clear(fcps_task *task)
{
  if (task->state != NULL && task->ops->destroy != NULL) task->ops->destroy(task->state);
  free(task->state);
  task->state = NULL;
}

fcps_status fcps_task_create(fcps_task **task, const char *name, const fcps_setting *settings, uint64_t seed,
                             fcps_error *error)
{
  if (task == NULL) return fcps_error_null(error, "task");
  *task = NULL;
  if (name == NULL) return fcps_error_null(error, "name");

  const fcps_task_ops *ops = NULL;
  fcps_status status = find_task(name, &ops, error);
  if (status != FCPS_OK) return status;
  const char *unavailable = info_of(ops)->unavailable;
  if (unavailable != NULL) return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, "task", "%s: %s", name, unavailable);

  void *values = NULL;
  status = fcps_settings_create(&values, ops->info.settings, ops->info.defaults, settings, error);
  if (status != FCPS_OK) return status;

  fcps_task *created = fcps_allocate(1, sizeof *created);
  if (created != NULL) {
    created->ops = ops;
    created->seed = seed;
    status = fcps_task_build(created, values, error);
  } else {
    status = fcps_error_memory(error);
  }
  free(values);
  if (status != FCPS_OK) {
    fcps_task_destroy(created);
    return status;
  }
  *task = created;
  return FCPS_OK;
}

void fcps_task_destroy(fcps_task *task)
{
  if (task == NULL || task->is_filming) return;
  fcps_task_clear(task);
  free(task);
}

const char *fcps_task_name(const fcps_task *task)
{
  return task != NULL ? task->ops->info.name : NULL;
}

bool fcps_task_breaks(const fcps_task *task, const fcps_rollout *rollout)
{
  if (task == NULL || task->ops->breaks == NULL) return false;
  return rollout == NULL || (rollout->outcome != NULL && task->ops->breaks(task, rollout));
}

const fcps_problem *fcps_task_problem(const fcps_task *task)
{
  return task != NULL ? &task->problem : NULL;
}

/* Draws a context uniformly within the bounds. */
static void draw_context(const fcps_task *task, int64_t episode, double *target, double *environment)
{
  fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_CONTEXT, (uint64_t)episode);
  double x[FCPS_SPACE_MAX];
  fcps_rng_uniforms(&rng, task->problem.target.count, x);
  fcps_space_from_unit(&task->problem.target, x, target);
  fcps_rng_uniforms(&rng, task->problem.environment.count, x);
  fcps_space_from_unit(&task->problem.environment, x, environment);
}

fcps_rng fcps_task_noise(const fcps_task *task, int64_t episode)
{
  return fcps_rng_stream(task->seed, FCPS_PURPOSE_NOISE, (uint64_t)(episode < 0 ? 0 : episode));
}

void fcps_task_context(const fcps_task *task, int64_t episode, double *target, double *environment)
{
  if (task == NULL || (target == NULL && task->problem.target.count > 0) ||
      (environment == NULL && task->problem.environment.count > 0))
    return;
  (task->ops->context != NULL ? task->ops->context : draw_context)(task, episode, target, environment);
}

/* Begins a call that works on the task. Refuses the call from inside a film of the task. */
static fcps_status begin(fcps_task *task)
{
  if (task == NULL) return FCPS_ERR_ARGUMENT;
  if (!task->is_filming) return FCPS_OK;
  return fcps_error_set(&task->error, FCPS_ERR_BUSY, "task",
                        "the task is being filmed: on_frame must not use it. Return from it first");
}

/* Refuses an environment or parameters that are not valid, and clears the rollout. */
static fcps_status begin_rollout(fcps_task *task, const double *environment, const double *parameters,
                                 const double *outcome, fcps_rollout *rollout)
{
  const fcps_problem *problem = &task->problem;
  if (outcome == NULL && problem->outcome.count > 0) return fcps_error_null(&task->error, "outcome");
  if (rollout == NULL) return fcps_error_null(&task->error, "rollout");
  fcps_status status = fcps_space_check_values(&problem->environment, "environment", environment, true, &task->error);
  if (status == FCPS_OK) {
    status = fcps_space_check_values(&problem->parameters, "parameters", parameters, true, &task->error);
  }
  *rollout =
      (fcps_rollout){.environment = environment, .parameters = parameters, .reward = NAN, .hindsight_reward = NAN};
  task->message[0] = '\0';
  return status;
}

fcps_status fcps_task_run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                          double *outcome, fcps_rollout *rollout)
{
  fcps_status status = begin(task);
  if (status == FCPS_OK) status = begin_rollout(task, environment, parameters, outcome, rollout);
  return status == FCPS_OK ? task->ops->run(task, episode, environment, parameters, outcome, rollout) : status;
}

bool fcps_task_recalls(const fcps_task *task)
{
  return task->ops->recall != NULL;
}

void fcps_task_recall(fcps_task *task, int count, const int64_t *episodes)
{
  if (task->ops->recall != NULL) task->ops->recall(task, count, episodes);
}

const char *fcps_task_message(const fcps_task *task)
{
  return task != NULL ? task->message : NULL;
}

const fcps_evaluation *fcps_task_evaluation(const fcps_task *task)
{
  return task != NULL ? &task->evaluation : NULL;
}

double fcps_task_optimum(fcps_task *task)
{
  if (begin(task) != FCPS_OK) return NAN;
  if (!task->has_optimum && task->ops->optimum != NULL) {
    task->optimum = task->ops->optimum(task);
    task->has_optimum = true;
  }
  return task->optimum;
}

bool fcps_task_idle(const fcps_task *task, const double *environment, double *outcome)
{
  if (task == NULL || task->ops->idle == NULL || outcome == NULL) return false;
  if (environment == NULL && task->problem.environment.count > 0) return false;
  task->ops->idle(task, environment, outcome);
  return true;
}

fcps_status fcps_task_sketch(fcps_task *task, int count, const double *targets, const double *environments,
                             const double *parameters, const char *directory)
{
  const fcps_status status = begin(task);
  if (status != FCPS_OK) return status;
  if (task->ops->sketch == NULL) {
    return fcps_error_set(&task->error, FCPS_ERR_UNSUPPORTED, "task", "the task \"%s\" has no picture",
                          task->ops->info.name);
  }
  if (count < 0)
    return fcps_error_set(&task->error, FCPS_ERR_ARGUMENT, "count", "%d contexts; give 0 or a positive number", count);
  if (targets == NULL && task->problem.target.count > 0) return fcps_error_null(&task->error, "targets");
  if (environments == NULL && task->problem.environment.count > 0) return fcps_error_null(&task->error, "environments");
  if (directory == NULL) return fcps_error_null(&task->error, "directory");
  return task->ops->sketch(task, count, targets, environments, parameters, directory);
}

bool fcps_task_has_film(const fcps_task *task)
{
  return task != NULL && task->ops->film != NULL;
}

fcps_status fcps_task_film(fcps_task *task, const double *target, const double *environment, const double *parameters,
                           const fcps_film *film, double *outcome, fcps_rollout *rollout)
{
  fcps_status status = begin(task);
  if (status != FCPS_OK) return status;
  if (task->ops->film == NULL) {
    return fcps_error_set(&task->error, FCPS_ERR_UNSUPPORTED, "task", "the task \"%s\" cannot be filmed",
                          task->ops->info.name);
  }
  if (film == NULL) return fcps_error_null(&task->error, "film");
  if (film->on_frame == NULL) return fcps_error_null(&task->error, "on_frame");
  status = fcps_space_check_values(&task->problem.target, "target", target, false, &task->error);
  if (status == FCPS_OK) status = begin_rollout(task, environment, parameters, outcome, rollout);
  if (status != FCPS_OK) return status;
  task->is_filming = true;
  status = task->ops->film(task, target, environment, parameters, film, outcome, rollout);
  task->is_filming = false;
  return status;
}

const fcps_error *fcps_task_error(const fcps_task *task)
{
  static const fcps_error no_task = {.status = FCPS_ERR_ARGUMENT, .field = "task", .message = "must not be NULL"};
  return task != NULL ? &task->error : &no_task;
}

fcps_status fcps_task_point_achieved(void *user, int count, const double *environments, const double *outcomes,
                                     double *targets)
{
  (void)user, (void)environments;
  memcpy(targets, outcomes, 2 * (size_t)count * sizeof(double));
  return FCPS_OK;
}

/* -- The best possible policy -- */

/* Finds the best reward by random search. In each context of the evaluation two fifths of the rollouts are random. The
 * others are normal steps around the best candidate so far; the deviation of the steps shrinks from a fifth to a
 * thousandth of the range. */

typedef struct search {
  fcps_task *task;
  const double *target, *environment;
  double *x, *parameters, *outcome; /* the present candidate, in the unit cube and in its units, and its outcome */
  double *best;                     /* the best candidate so far, in the unit cube */
  double best_reward;
} search;

static void propose(search *s, fcps_rng *rng, int trial, int rollouts)
{
  const int n = s->task->problem.parameters.count, random = 2 * rollouts / 5;
  if (trial < random) {
    fcps_rng_uniforms(rng, n, s->x);
    return;
  }
  const double progress = (double)(trial - random) / (rollouts - random), step = 0.2 * pow(0.005, progress);
  for (int i = 0; i < n; i++)
    s->x[i] = fmin(1, fmax(0, s->best[i] + step * fcps_rng_normal(rng)));
}

static fcps_status try_candidate(search *s)
{
  const fcps_problem *problem = &s->task->problem;
  fcps_rollout rollout = {.outcome = NULL};
  fcps_space_from_unit(&problem->parameters, s->x, s->parameters);
  fcps_status status = s->task->ops->run(s->task, -1, s->environment, s->parameters, s->outcome, &rollout);
  if (status != FCPS_OK || rollout.status != FCPS_ROLLOUT_OK) return status;
  const bool is_present = rollout.outcome != NULL;
  double reward;
  status =
      problem->reward(problem->user, 1, s->target, s->environment, s->parameters, s->outcome, &is_present, &reward);
  if (status == FCPS_OK && reward > s->best_reward) {
    s->best_reward = reward;
    memcpy(s->best, s->x, (size_t)problem->parameters.count * sizeof *s->best);
  }
  return status;
}

double fcps_task_search_optimum(fcps_task *task, int rollouts)
{
  if (rollouts <= 0) return NAN;
  const fcps_problem *problem = &task->problem;
  const size_t n = (size_t)problem->parameters.count;
  double *room = fcps_allocate(3 * n + (size_t)problem->outcome.count, sizeof *room);
  if (room == NULL) return NAN;
  search s = {.task = task, .x = room, .parameters = room + n, .best = room + 2 * n, .outcome = room + 3 * n};

  double sum = 0;
  for (int c = 0; c < task->evaluation.count; c++) {
    fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_SEARCH, (uint64_t)c);
    s.target = task->evaluation.targets + c * problem->target.count;
    s.environment = task->evaluation.environments + c * problem->environment.count;
    s.best_reward = -INFINITY;
    for (int trial = 0; trial < rollouts && !isnan(sum); trial++) {
      propose(&s, &rng, trial, rollouts);
      if (try_candidate(&s) != FCPS_OK) sum = NAN;
    }
    sum += s.best_reward;
  }
  free(room);
  return sum / task->evaluation.count;
}
