/* SPDX-License-Identifier: Apache-2.0 */
/* The cannon with an indicator I that says what is wanted [pinsler2019, Sec. V-A, active learning]: to hit the target,
 * or to do as little as possible.
 *
 *   I <= 0.1   the cannon's reward
 *   I >  0.1   -|parameters|
 *
 * The ball flies in either case. So I changes what should happen and not what happens: by the paper's definition it is
 * a dimension of the target, and every stored trial can be scored for every I. The task cannon-active interprets the
 * same sentence of the paper differently: above 0.1 nothing flies, so I belongs to the environment. Contexts and
 * evaluation are the same in both tasks.
 *
 * With the settings that were tried, the active learner FACES with one process works only with this interpretation. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "lab/task/cannon/cannon.h"
#include "lab/task/task_impl.h"

#include <math.h>
#include <stdlib.h>

enum { TARGETS = 3, INDICATOR = 2 };

static const fcps_dimension target_dims[TARGETS] = {
    {.name = "x", .lower = -FCPS_CANNON_REACH, .upper = FCPS_CANNON_REACH, .unit = "m"},
    {.name = "y", .lower = -FCPS_CANNON_REACH, .upper = FCPS_CANNON_REACH, .unit = "m"},
    {.name = "indicator", .lower = 0.0, .upper = 1.0},
};

typedef struct objective_settings {
  fcps_cannon_settings cannon;
  double evaluation_indicator;
} objective_settings;

static const fcps_setting_row setting_rows[] = {
    FCPS_NUMBER_ROW("evaluation_indicator", objective_settings, evaluation_indicator, "0.05", 0, 1,
                    "the indicator of the evaluation's contexts"),
    {.spec.name = NULL},
};

static const fcps_setting_table table = {
    .size = sizeof(objective_settings),
    .parts = {{fcps_cannon_rows, offsetof(objective_settings, cannon)}, {setting_rows, 0}},
};

static const fcps_setting defaults[] = {{"grid", "8"}, {NULL, NULL}};

typedef struct objective_state {
  fcps_task cannon; /* the cannon task inside: its world, noise and targets */
  double evaluation_indicator;
  double *evaluation_targets;
} objective_state;

static double score(const fcps_task *task, const double *target, const double *environment, const double *parameters,
                    const double *outcome)
{
  (void)task, (void)environment;
  if (target[INDICATOR] > FCPS_CANNON_INDICATOR) return -fcps_cannon_effort(parameters);
  /* without a landing point the reward cannot be computed */
  return outcome != NULL ? fcps_cannon_reward(target, outcome, parameters[FCPS_CANNON_SPEED]) : NAN;
}

/* Places the evaluation targets: the cannon's grid, each with the indicator of the evaluation. */
static fcps_status lay_grid(fcps_task *task, objective_state *state, fcps_error *error)
{
  task->evaluation = state->cannon.evaluation;
  state->evaluation_targets = fcps_allocate((size_t)task->evaluation.count, TARGETS * sizeof(double));
  if (state->evaluation_targets == NULL) return fcps_error_memory(error);
  for (int i = 0; i < task->evaluation.count; i++) {
    double *to = state->evaluation_targets + TARGETS * i;
    to[0] = state->cannon.evaluation.targets[2 * i];
    to[1] = state->cannon.evaluation.targets[2 * i + 1];
    to[INDICATOR] = state->evaluation_indicator;
  }
  task->evaluation.targets = state->evaluation_targets;
  return FCPS_OK;
}

static fcps_status create(fcps_task *task, const void *settings, fcps_error *error)
{
  const objective_settings *s = settings;
  objective_state *state = task->state;
  state->evaluation_indicator = s->evaluation_indicator;
  state->cannon = (fcps_task){.ops = &fcps_task_cannon, .seed = task->seed};
  const fcps_status status = fcps_task_build(&state->cannon, &s->cannon, error);
  if (status != FCPS_OK) return status;
  task->problem = (fcps_problem){
      .target = {TARGETS, target_dims},
      .parameters = state->cannon.problem.parameters,
      .outcome = state->cannon.problem.outcome,
  };
  return lay_grid(task, state, error);
}

static void destroy(void *user)
{
  objective_state *state = user;
  fcps_task_clear(&state->cannon);
  free(state->evaluation_targets);
}

static void context(const fcps_task *task, int64_t episode, double *target, double *environment)
{
  const objective_state *state = task->state;
  (void)environment;
  fcps_task_cannon.context(&state->cannon, episode, target, NULL);
  /* the context of the cannon inside takes the first two numbers of the stream; the third is the indicator */
  fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_CONTEXT, (uint64_t)episode);
  for (int i = 0; i <= INDICATOR; i++)
    target[INDICATOR] = fcps_rng_uniform(&rng);
}

static fcps_status run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                       double *outcome, fcps_rollout *rollout)
{
  objective_state *state = task->state;
  (void)environment;
  return fcps_task_cannon.run(&state->cannon, episode, NULL, parameters, outcome, rollout);
}

static double optimum(fcps_task *task)
{
  objective_state *state = task->state;
  if (state->evaluation_indicator <= FCPS_CANNON_INDICATOR) return fcps_task_cannon.optimum(&state->cannon);
  return -fcps_cannon_effort(fcps_cannon_idle);
}

const fcps_task_ops fcps_task_cannon_objective = {
    .info = {.name = "cannon-objective",
             .summary = "the toy cannon with a target that says whether to shoot: for learners that choose contexts",
             .settings = &table,
             .defaults = defaults},
    .state_size = sizeof(objective_state),
    .create = create,
    .score = score,
    .destroy = destroy,
    .context = context,
    .run = run,
    .optimum = optimum,
};
