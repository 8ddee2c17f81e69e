/* SPDX-License-Identifier: Apache-2.0 */
/* A planar arm of many joints: a problem with up to 100 parameters, of which only the hand's two coordinates matter.
 *
 *   target       x, y                 where the hand should be
 *   parameters   j1 ... jD            angles of the joints, each relative to the link before, within a radian
 *   outcome      hand_x, hand_y
 *   reward       -|target - hand| - effort * (mean square of the angles)
 *
 * The whole arm is one metre long. Every target can be reached in very many ways. The small effort makes one of them
 * the best: the least bent pose (long_arm.h). There is no noise.
 */
#include "lab/task/arm/long_arm.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "lab/task/task_impl.h"
#include "space/points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
                     "number of joints, which is the number of parameters"),
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

static double score(const fcps_task *task, const double *target, const double *environment, const double *parameters,
                    const double *outcome)
{
  (void)environment;
  if (outcome == NULL) return NAN;
  const double miss = hypot(target[0] - outcome[0], target[1] - outcome[1]);
  return -miss - effort * mean_square(((const long_arm *)task->state)->joints, parameters);
}

static fcps_status gradient(void *user, int count, const double *target, const double *environments,
                            const double *parameters, const double *outcomes, double *outcome_gradients,
                            double *parameter_gradients)
{
  (void)environments;
  const long_arm *arm = ((const fcps_task *)user)->state;
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
  (void)error;
  const long_arm_settings *s = settings;
  long_arm *arm = task->state;
  arm->joints = s->joints;
  name_joints(arm);
  task->problem = (fcps_problem){
      .target = {2, target_dims},
      .parameters = {arm->joints, arm->parameter_dims},
      .outcome = {2, outcome_dims},
      .gradient = gradient,
      .achieved = fcps_task_point_achieved,
      .is_distance = true,
  };
  fcps_points_grid(2, GRID, arm->evaluation_targets);
  for (int i = 0; i < 2 * EVALUATIONS; i++)
    arm->evaluation_targets[i] = half_square * (2.0 * arm->evaluation_targets[i] - 1.0);
  task->evaluation = (fcps_evaluation){.count = EVALUATIONS, .columns = GRID, .targets = arm->evaluation_targets};
  return FCPS_OK;
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

/* The best pose is on target: a pose that misses it is less bent, but that saves less than the miss costs, because the
 * Lagrange multiplier of the least bent pose is far below one. */
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
             .summary =
                 "a planar arm with many joints moves its hand to any point: a problem with up to 100 parameters",
             .settings = &table},
    .state_size = sizeof(long_arm),
    .create = create,
    .score = score,
    .context = context,
    .run = run,
    .optimum = optimum,
};

/* -- The pose that reaches a place -- */

/* The least bent pose is a stationary point of  mean angle^2  subject to  hand = target.
 *
 * With the Jacobian J of the hand, the angles of such a pose are J'l for some multiplier l in the plane, as for a chain
 * of springs that a force at the hand holds (the elastica). Each step solves the problem with the hand linearized,
 *   angles <- J'(JJ')^-1 (J angles + target - hand),
 * and makes only a part of the change, because the linearization ignores the curvature of the hand's path. Arms that
 * bend to the left or right, slightly or nearly into a circle, are different stationary points; a search starts near
 * each of them. */

enum { STEPS = 1000 };
static const double damping = 0.3, longest_step = 0.2, converged = 1e-12, reached = 1e-9;

/* How far the arm turns from base to hand at the start of each search, in radians. */
static const double first_turns[] = {1.0, -1.0, 3.0, -3.0, 5.0, -5.0};
enum { STARTS = sizeof first_turns / sizeof first_turns[0] };

void fcps_arm_hand(int joints, const double *angles, double hand[2])
{
  double angle = 0.0, x = 0.0, y = 0.0;
  for (int j = 0; j < joints; j++) {
    angle += angles[j];
    x += cos(angle);
    y += sin(angle);
  }
  hand[0] = x / joints;
  hand[1] = y / joints;
}

/* Computes the position of the hand and its derivative by each joint, which is a rotation about the position of that
 * joint. */
static void linearize(int joints, const double *angles, double hand[2], double (*slopes)[2])
{
  fcps_arm_hand(joints, angles, hand);
  double angle = 0.0, x = 0.0, y = 0.0;
  for (int j = 0; j < joints; j++) {
    slopes[j][0] = -(hand[1] - y);
    slopes[j][1] = hand[0] - x;
    angle += angles[j];
    x += cos(angle) / joints;
    y += sin(angle) / joints;
  }
}

/* Makes one step. Returns the largest change of a joint angle that the linearized problem asks for. `miss` receives the
 * distance from the target before the step. */
static double step(int joints, const double target[2], double *angles, double *miss)
{
  double hand[2], slopes[FCPS_ARM_MOST_JOINTS][2];
  linearize(joints, angles, hand, slopes);
  double xx = 0.0, xy = 0.0, yy = 0.0, right[2] = {target[0] - hand[0], target[1] - hand[1]};
  *miss = hypot(right[0], right[1]);
  for (int j = 0; j < joints; j++) {
    xx += slopes[j][0] * slopes[j][0];
    xy += slopes[j][0] * slopes[j][1];
    yy += slopes[j][1] * slopes[j][1];
    right[0] += slopes[j][0] * angles[j];
    right[1] += slopes[j][1] * angles[j];
  }
  const double determinant = xx * yy - xy * xy;
  const double force[2] = {(yy * right[0] - xy * right[1]) / determinant,
                           (xx * right[1] - xy * right[0]) / determinant};

  double moves[FCPS_ARM_MOST_JOINTS], most = 0.0;
  for (int j = 0; j < joints; j++) {
    moves[j] = slopes[j][0] * force[0] + slopes[j][1] * force[1] - angles[j];
    most = fmax(most, fabs(moves[j]));
  }
  const double share = fmin(damping, longest_step / most);
  for (int j = 0; j < joints; j++)
    angles[j] += share * moves[j];
  return most;
}

/* Steps from an arc of a circle to a stationary pose. Returns the mean square of the pose's angles; infinite if the
 * hand is not on target. */
static double relax(int joints, const double target[2], double turn, double *angles)
{
  double miss = INFINITY, move = INFINITY, sum = 0.0;
  for (int j = 0; j < joints; j++)
    angles[j] = turn / joints;
  for (int i = 0; i < STEPS && move > converged; i++)
    move = step(joints, target, angles, &miss);
  for (int j = 0; j < joints; j++)
    sum += angles[j] * angles[j];
  return miss < reached ? sum / joints : INFINITY;
}

double fcps_arm_least_bent(int joints, const double target[2], double *angles)
{
  double best = INFINITY, pose[FCPS_ARM_MOST_JOINTS];
  for (int s = 0; s < STARTS; s++) {
    const double bend = relax(joints, target, first_turns[s], pose);
    if (bend < best) {
      best = bend;
      memcpy(angles, pose, (size_t)joints * sizeof(double));
    }
  }
  return best;
}
