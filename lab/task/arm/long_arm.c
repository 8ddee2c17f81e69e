/* SPDX-License-Identifier: Apache-2.0 */
/* A planar arm of many joints: a problem with up to 100 parameters, of which only the hand's two coordinates matter.
 *
 *   target       x, y                 where the hand should be
 *   parameters   j1 ... jD            angles of the joints, each relative to the link before, within a radian
 *   outcome      hand_x, hand_y
 *   reward       -|target - hand| - effort * (mean square of the angles)
 *
 * The whole arm is one metre long. Every target can be reached in very many ways. The small effort makes one of them
 * the best: the least bent pose (pose.h). There is no noise.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "lab/task/arm/pose.h"
#include "lab/task/task_impl.h"
#include "space/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* With ten joints or more, the least bent pose stays within one radian per joint for every target in the square. */
enum { LEAST_JOINTS = 10, GRID = 6, EVALUATIONS = GRID * GRID, NAME = 16 };
static const double half_square = 0.6, effort = 0.1;

static const fcps_dimension target_dims[] = {{.name = "x", .lower = -0.6, .upper = 0.6, .unit = "m"},
                                             {.name = "y", .lower = -0.6, .upper = 0.6, .unit = "m"}};
static const fcps_dimension outcome_dims[] = {{.name = "hand_x", .lower = -1.0, .upper = 1.0, .unit = "m"},
                                              {.name = "hand_y", .lower = -1.0, .upper = 1.0, .unit = "m"}};

typedef struct long_arm_settings {
  int joints;
} long_arm_settings;

static const fcps_setting_row setting_rows[] = {
    FCPS_INTEGER_ROW("joints", long_arm_settings, joints, "20", LEAST_JOINTS, FCPS_ARM_MOST_JOINTS,
                     "joints of the arm: parameters"),
    {.spec.name = NULL},
};

static const fcps_setting_table table = {.size = sizeof(long_arm_settings), .parts = {{setting_rows, 0}}};

typedef struct long_arm {
  int joints;
  char names[FCPS_ARM_MOST_JOINTS][NAME];
  fcps_dimension parameter_dims[FCPS_ARM_MOST_JOINTS];
  double evaluation_targets[2 * EVALUATIONS];
} long_arm;

static double mean_square(int joints, const double *angles)
{
  double sum = 0.0;
  for (int j = 0; j < joints; j++)
    sum += angles[j] * angles[j];
  return sum / joints;
}

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)environments;
  const long_arm *arm = user;
  for (int i = 0; i < count; i++) {
    const double miss = hypot(target[0] - outcomes[2 * i], target[1] - outcomes[2 * i + 1]);
    rewards[i] = present[i] ? -miss - effort * mean_square(arm->joints, parameters + i * arm->joints) : NAN;
  }
  return FCPS_OK;
}

static fcps_status gradient(void *user, int count, const double *target, const double *environments,
                            const double *parameters, const double *outcomes, double *outcome_gradients,
                            double *parameter_gradients)
{
  (void)environments;
  const long_arm *arm = user;
  for (int i = 0; i < count; i++) {
    const double dx = target[0] - outcomes[2 * i], dy = target[1] - outcomes[2 * i + 1], miss = hypot(dx, dy);
    outcome_gradients[2 * i] = miss > 0.0 ? dx / miss : 0.0;
    outcome_gradients[2 * i + 1] = miss > 0.0 ? dy / miss : 0.0;
  }
  for (int i = 0; i < count * arm->joints; i++)
    parameter_gradients[i] = -2.0 * effort * parameters[i] / arm->joints;
  return FCPS_OK;
}

static void name_joints(long_arm *arm)
{
  for (int j = 0; j < arm->joints; j++) {
    snprintf(arm->names[j], NAME, "j%d", j + 1);
    arm->parameter_dims[j] = (fcps_dimension){.name = arm->names[j], .lower = -1.0, .upper = 1.0, .unit = "rad"};
  }
}

static fcps_status create(fcps_task *task, const void *settings, fcps_error *error)
{
  const long_arm_settings *s = settings;
  long_arm *arm = fcps_allocate(1, sizeof *arm);
  if (arm == NULL) return fcps_error_memory(error);
  task->state = arm;
  arm->joints = s->joints;
  name_joints(arm);
  task->problem = (fcps_problem){
      .target = {2, target_dims},
      .parameters = {arm->joints, arm->parameter_dims},
      .outcome = {2, outcome_dims},
      .reward = reward,
      .gradient = gradient,
      .achieved = fcps_task_point_achieved,
      .is_distance = true,
      .user = arm,
  };
  fcps_points_grid(2, GRID, arm->evaluation_targets);
  for (int i = 0; i < 2 * EVALUATIONS; i++)
    arm->evaluation_targets[i] = half_square * (2.0 * arm->evaluation_targets[i] - 1.0);
  task->evaluation = (fcps_evaluation){.count = EVALUATIONS, .columns = GRID, .targets = arm->evaluation_targets};
  return FCPS_OK;
}

static void destroy(void *state)
{
  free(state);
}

static void context(const fcps_task *task, int64_t episode, double *target, double *environment)
{
  (void)environment;
  fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_CONTEXT, (uint64_t)episode);
  for (int i = 0; i < 2; i++)
    target[i] = half_square * (2.0 * fcps_rng_uniform(&rng) - 1.0);
}

static fcps_status run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                       double *outcome, fcps_rollout *rollout)
{
  (void)episode, (void)environment;
  fcps_arm_hand(((const long_arm *)task->state)->joints, parameters, outcome);
  rollout->outcome = outcome;
  return FCPS_OK;
}

/* Missing the target saves effort, but less than the miss costs: the Lagrange multiplier of the least bent pose is far
 * below one. So the best pose is on target. */
static double optimum(fcps_task *task)
{
  const long_arm *arm = task->state;
  double sum = 0.0, angles[FCPS_ARM_MOST_JOINTS];
  for (int i = 0; i < EVALUATIONS; i++)
    sum -= effort * fcps_arm_least_bent(arm->joints, arm->evaluation_targets + 2 * i, angles);
  return sum / EVALUATIONS;
}

const fcps_task_ops fcps_task_long_arm = {
    .info = {.name = "long-arm",
             .summary = "a planar arm of many joints puts its hand anywhere: as many parameters as one likes",
             .settings = &table},
    .create = create,
    .destroy = destroy,
    .context = context,
    .run = run,
    .optimum = optimum,
};
