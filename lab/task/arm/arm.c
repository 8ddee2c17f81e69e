/* SPDX-License-Identifier: Apache-2.0 */
/* A broken arm that gets a new target: the retargeting example of the Bayesian-optimization library of [cully2018].
 *
 *   target       x, y           where the tip should be
 *   parameters   joint1 ... joint6, each within a whole turn, relative to the link before
 *   outcome      tip_x, tip_y
 *   reward       -|target - tip|
 *
 * The arm has six links of length 1 in a plane, with its base at the origin. Joint 2 is stuck at 0, which the learner
 * does not know. After some episodes the target changes; experience from the first target should help with the second.
 * There is no noise. */
#include "base/error.h"
#include "base/memory.h"
#include "lab/task/task_impl.h"

#include <math.h>
#include <stdlib.h>

#define TWO_PI 6.283185307179586
enum { JOINTS = 6, STUCK = 1 };

static const double targets[2][2] = {{1.0, 1.0}, {1.5, 1.0}};

static const fcps_dimension target_dims[] = {
    {.name = "x", .lower = -JOINTS, .upper = JOINTS},
    {.name = "y", .lower = -JOINTS, .upper = JOINTS},
};
static const fcps_dimension outcome_dims[] = {
    {.name = "tip_x", .lower = -JOINTS, .upper = JOINTS},
    {.name = "tip_y", .lower = -JOINTS, .upper = JOINTS},
};

#define JOINT(label, turn)                                                                                             \
  {                                                                                                                    \
    .name = label, .lower = 0.0, .upper = TWO_PI, .period = (turn), .unit = "rad"                                      \
  }
#define ALL_JOINTS(turn)                                                                                               \
  {                                                                                                                    \
    JOINT("joint1", turn), JOINT("joint2", turn), JOINT("joint3", turn), JOINT("joint4", turn), JOINT("joint5", turn), \
        JOINT("joint6", turn),                                                                                         \
  }
static const fcps_dimension periodic_joints[] = ALL_JOINTS(TWO_PI);
static const fcps_dimension plain_joints[] = ALL_JOINTS(0.0);

typedef struct arm_settings {
  bool has_period;
  int switch_after;
} arm_settings;

static const fcps_setting_row setting_rows[] = {
    FCPS_SWITCH_ROW("period", arm_settings, has_period, "on", "tell learners that a joint is periodic"),
    FCPS_INTEGER_ROW("switch", arm_settings, switch_after, "25", 1, 1000000,
                     "episodes with the first target; then comes the second"),
    {.spec.name = NULL},
};

static const fcps_setting_table table = {.size = sizeof(arm_settings), .parts = {{setting_rows, 0}}};

typedef struct arm {
  int switch_after;
} arm;

static double score(const fcps_task *task, const double *target, const double *environment, const double *parameters,
                    const double *outcome)
{
  (void)task, (void)environment, (void)parameters;
  return outcome != NULL ? -hypot(target[0] - outcome[0], target[1] - outcome[1]) : NAN;
}

static fcps_status create(fcps_task *task, const void *settings, fcps_error *error)
{
  (void)error;
  const arm_settings *s = settings;
  arm *state = task->state;
  state->switch_after = s->switch_after;
  task->problem = (fcps_problem){
      .target = {2, target_dims},
      .parameters = {JOINTS, s->has_period ? periodic_joints : plain_joints},
      .outcome = {2, outcome_dims},
      .achieved = fcps_task_point_achieved,
      .is_distance = true,
  };
  task->evaluation = (fcps_evaluation){.count = 2, .targets = targets[0]};
  return FCPS_OK;
}

static void context(const fcps_task *task, int64_t episode, double *target, double *environment)
{
  (void)environment;
  const arm *state = task->state;
  const double *wanted = targets[episode < state->switch_after ? 0 : 1];
  target[0] = wanted[0];
  target[1] = wanted[1];
}

static fcps_status run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                       double *outcome, fcps_rollout *rollout)
{
  (void)task, (void)episode, (void)environment;
  double angle = 0.0, x = 0.0, y = 0.0;
  for (int i = 0; i < JOINTS; i++) {
    angle += i == STUCK ? 0.0 : parameters[i];
    x += cos(angle);
    y += sin(angle);
  }
  outcome[0] = x;
  outcome[1] = y;
  rollout->outcome = outcome;
  return FCPS_OK;
}

/* The best reward is 0, because the arm can reach both targets. */
static double optimum(fcps_task *task)
{
  (void)task;
  return 0.0;
}

const fcps_task_ops fcps_task_arm_retarget = {
    .info = {.name = "arm-retarget",
             .summary = "a six-joint arm with a stuck joint: reach one point, then another with what was learnt",
             .settings = &table},
    .state_size = sizeof(arm),
    .create = create,
    .score = score,
    .context = context,
    .run = run,
    .optimum = optimum,
};
