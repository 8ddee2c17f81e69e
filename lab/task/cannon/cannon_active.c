/* SPDX-License-Identifier: Apache-2.0 */
/* The cannon with one more context dimension, the indicator I, which says whether to shoot [pinsler2019, Sec. V-A,
 * active learning].
 *
 *   I <= 0.1   the ball flies: outcome and reward are the cannon's
 *   I >  0.1   nothing flies: no outcome, reward -|parameters|
 *
 * I changes what happens, not what should happen, so it belongs to the environment. Few random contexts have a shot,
 * and a shot is hard to learn, so an active learner should choose a small I. The offline evaluation is a grid of
 * targets with one I at which the ball flies. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "lab/task/cannon/cannon.h"
#include "lab/task/task_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const fcps_dimension environment_dims[] = {{.name = "indicator", .lower = 0.0, .upper = 1.0}};

typedef enum active_presence { PRESENCE_LEARNT, PRESENCE_KNOWN } active_presence;
typedef enum active_indicators { INDICATORS_EVERYWHERE, INDICATORS_SHOTS } active_indicators;

typedef struct active_settings {
  fcps_cannon_settings cannon;
  double evaluation_indicator;
  active_presence presence;
  active_indicators indicators;
} active_settings;

static const char *presence_choice(int index)
{
  static const char *const names[] = {[PRESENCE_LEARNT] = "learnt", [PRESENCE_KNOWN] = "known"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

static const char *indicators_choice(int index)
{
  static const char *const names[] = {[INDICATORS_EVERYWHERE] = "everywhere", [INDICATORS_SHOTS] = "shots"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

static const fcps_setting_row setting_rows[] = {
    FCPS_NUMBER_ROW("evaluation_indicator", active_settings, evaluation_indicator, "0.05", 0, 1,
                    "the indicator of the evaluation's contexts"),
    FCPS_CHOICE_ROW("presence", active_settings, presence, "learnt", presence_choice,
                    "tell learners the rule that the ball flies up to I = 0.1"),
    FCPS_CHOICE_ROW("indicators", active_settings, indicators, "everywhere", indicators_choice,
                    "indicators of training contexts that no learner chooses: the whole range, or only those with "
                    "which the ball flies"),
    {.spec.name = NULL},
};

static const fcps_setting_table table = {
    .size = sizeof(active_settings),
    .parts = {{fcps_cannon_rows, offsetof(active_settings, cannon)}, {setting_rows, 0}},
};

/* The grid is coarser than the cannon's, because active learning is evaluated often. */
static const fcps_setting defaults[] = {{"grid", "8"}, {NULL, NULL}};

typedef struct active_state {
  fcps_task cannon; /* the cannon task inside: its world, noise and targets */
  double evaluation_indicator;
  double highest_indicator; /* the largest indicator of training contexts */
  double *evaluation_environments;
} active_state;

static double score(const fcps_task *task, const double *target, const double *environment, const double *parameters,
                    const double *outcome)
{
  (void)task;
  /* a ball that landed has flown, so with an outcome the reward is the cannon's, whatever I is */
  if (outcome != NULL) return fcps_cannon_reward(target, outcome, parameters[FCPS_CANNON_SPEED]);
  return environment[0] > FCPS_CANNON_INDICATOR ? -fcps_cannon_effort(parameters) : NAN;
}

/* The presence rule says in which contexts a trial has an outcome: if the ball flies. */
static fcps_status presence(void *user, int count, const double *environments, const double *parameters, bool *present)
{
  (void)user, (void)parameters;
  for (int i = 0; i < count; i++)
    present[i] = environments[i] <= FCPS_CANNON_INDICATOR;
  return FCPS_OK;
}

static fcps_status create(fcps_task *task, const void *settings, fcps_error *error)
{
  const active_settings *s = settings;
  active_state *state = task->state;
  state->cannon = (fcps_task){.ops = &fcps_task_cannon, .seed = task->seed};
  fcps_status status = fcps_task_build(&state->cannon, &s->cannon, error);
  if (status != FCPS_OK) return status;

  task->problem = state->cannon.problem;
  task->problem.environment = (fcps_space){1, environment_dims};
  /* with an outcome the reward is the cannon's, so its gradient and is_distance stay valid */
  if (s->presence == PRESENCE_KNOWN) task->problem.presence = presence;

  state->highest_indicator = s->indicators == INDICATORS_SHOTS ? FCPS_CANNON_INDICATOR : 1.0;
  state->evaluation_indicator = s->evaluation_indicator;
  task->evaluation = state->cannon.evaluation;
  state->evaluation_environments = fcps_allocate((size_t)task->evaluation.count, sizeof(double));
  if (state->evaluation_environments == NULL) return fcps_error_memory(error);
  for (int i = 0; i < task->evaluation.count; i++)
    state->evaluation_environments[i] = state->evaluation_indicator;
  task->evaluation.environments = state->evaluation_environments;
  return FCPS_OK;
}

static void destroy(void *user)
{
  active_state *state = user;
  fcps_task_clear(&state->cannon);
  free(state->evaluation_environments);
}

static void context(const fcps_task *task, int64_t episode, double *target, double *environment)
{
  const active_state *state = task->state;
  fcps_task_cannon.context(&state->cannon, episode, target, NULL);
  /* the context of the cannon inside takes the first two numbers of the stream; the third is the indicator */
  fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_CONTEXT, (uint64_t)episode);
  for (int i = 0; i < 3; i++)
    environment[0] = state->highest_indicator * fcps_rng_uniform(&rng);
}

static fcps_status run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                       double *outcome, fcps_rollout *rollout)
{
  active_state *state = task->state;
  if (environment[0] > FCPS_CANNON_INDICATOR) return FCPS_OK; /* nothing flies, so there is no outcome */
  return fcps_task_cannon.run(&state->cannon, episode, NULL, parameters, outcome, rollout);
}

static double optimum(fcps_task *task)
{
  active_state *state = task->state;
  if (state->evaluation_indicator <= FCPS_CANNON_INDICATOR) return fcps_task_cannon.optimum(&state->cannon);
  return -fcps_cannon_effort(fcps_cannon_idle);
}

/* Draws the cannon's picture with only those trials in which the ball flies. */
static fcps_status sketch(fcps_task *task, int count, const double *targets, const double *environments,
                          const double *parameters, const char *directory)
{
  active_state *state = task->state;
  double *flying_targets = fcps_allocate((size_t)count * (2 + FCPS_CANNON_PARAMETERS), sizeof(double));
  if (flying_targets == NULL) return fcps_error_memory(&task->error);
  double *flying_parameters = flying_targets + 2 * (size_t)count;
  int flying = 0;
  for (int i = 0; i < count; i++) {
    if (environments[i] > FCPS_CANNON_INDICATOR) continue;
    memcpy(flying_targets + 2 * flying, targets + 2 * i, 2 * sizeof(double));
    if (parameters != NULL)
      memcpy(flying_parameters + FCPS_CANNON_PARAMETERS * flying, parameters + FCPS_CANNON_PARAMETERS * i,
             FCPS_CANNON_PARAMETERS * sizeof(double));
    flying++;
  }
  const fcps_status status = fcps_task_cannon.sketch(&state->cannon, flying, flying_targets, NULL,
                                                     parameters != NULL ? flying_parameters : NULL, directory);
  if (status != FCPS_OK) task->error = state->cannon.error;
  free(flying_targets);
  return status;
}

const fcps_task_ops fcps_task_cannon_active = {
    .info = {.name = "cannon-active",
             .summary = "the toy cannon with a context that says whether to shoot: for learners that choose contexts",
             .settings = &table,
             .defaults = defaults},
    .state_size = sizeof(active_state),
    .create = create,
    .score = score,
    .destroy = destroy,
    .context = context,
    .run = run,
    .optimum = optimum,
    .sketch = sketch,
};
