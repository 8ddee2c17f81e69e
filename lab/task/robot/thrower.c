/* SPDX-License-Identifier: Apache-2.0 */
/* Thrower-v2: an arm throws a ball from a basket to a point on the floor, with one primitive [pinsler2019, Sec. V-B].
 *
 * Context: where the ball should land (target). Parameters: position (relative to the start) and velocity of the hand
 * at the end of the movement. That position is out of reach on purpose: when the arm stops at its limits, the ball
 * flies on. The shape of the primitive is learnt from a swing to the middle of the range of parameters. Outcome: the
 * point at which the ball first passes the height of the box's rim, z = -0.25. Reward: minus the distance to the target
 * in the plane. */
#include "lab/task/robot/robot.h"
#include "lab/task/task_impl.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2001, MOST_PERIODS = 500 };

static const double duration = 0.75; /* the duration of the movement, s */
static const double landing_height = -0.25;
static const double floor_height = -0.32;
static const double target_centre[2] = {0.575, 0.5}, target_range = 0.3;

static const fcps_dimension target_dims[] = {{"x", 0.275, 0.875, .unit = "m"}, {"y", 0.2, 0.8, .unit = "m"}};
static const fcps_dimension parameter_dims[] = {{"hand_x", -0.5, 0.5, .unit = "m"}, {"hand_y", 1, 1.5, .unit = "m"},
                                                {"hand_z", -0.5, 0.5, .unit = "m"}, {"speed_x", 0, 1, .unit = "m/s"},
                                                {"speed_y", 0, 1, .unit = "m/s"},   {"speed_z", 0, 1, .unit = "m/s"}};
static const fcps_dimension outcome_dims[] = {{"land_x", -1.5, 2.5, .unit = "m"}, {"land_y", -1.5, 2.5, .unit = "m"}};

typedef struct thrower {
  fcps_robot robot;
  int oracle_rollouts;
} thrower;

static const fcps_setting_table table = {.size = sizeof(fcps_robot_settings), .parts = {{fcps_robot_rows, 0}}};

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user;
  (void)environments;
  (void)parameters;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i] ? -hypot(outcomes[2 * i] - target[0], outcomes[2 * i + 1] - target[1]) : NAN;
  return FCPS_OK;
}

static fcps_status gradient(void *user, int count, const double *target, const double *environments,
                            const double *parameters, const double *outcomes, double *outcome_gradients,
                            double *parameter_gradients)
{
  (void)user;
  (void)environments;
  (void)parameters;
  for (int i = 0; i < count; i++) {
    const double miss[2] = {outcomes[2 * i] - target[0], outcomes[2 * i + 1] - target[1]};
    const double distance = hypot(miss[0], miss[1]);
    for (int j = 0; j < 2; j++)
      outcome_gradients[2 * i + j] = distance > 0 ? -miss[j] / distance : 0;
  }
  memset(parameter_gradients, 0, (size_t)count * 6 * sizeof *parameter_gradients);
  return FCPS_OK;
}

/* Learns the swing from a demonstration, relative to the start: y_d(t) = mj(t/(0.4 T)) (g - v (T - t)). Here mj is the
 * minimum-jerk curve from 0 to 1, and g and v are the middle of the range of parameters. */
static fcps_status imitate_swing(fcps_primitive *primitive, fcps_error *error)
{
  const double T = duration, g[3] = {0, 1.25, 0}, v[3] = {0.5, 0.5, 0.5};
  double(*path)[3] = fcps_allocate(SAMPLES, sizeof *path);
  if (path == NULL) return fcps_error_memory(error);

  for (int k = 0; k < SAMPLES; k++) {
    const double t = T * k / (SAMPLES - 1), swing = fcps_minimum_jerk(t / (0.4 * T));
    for (int j = 0; j < 3; j++)
      path[k][j] = swing * (g[j] - v[j] * (T - t));
  }
  const fcps_demonstration demonstration = {.count = SAMPLES, .duration = T, .positions = path[0], .end_velocity = v};
  const fcps_status status = fcps_primitive_imitate(primitive, &demonstration, 1e-8, error);
  free(path);
  return status;
}

static fcps_status make_motion(thrower *t, fcps_error *error)
{
  const fcps_primitive_settings settings = fcps_primitive_settings_default(3);
  fcps_primitive *swing;
  fcps_status status = fcps_primitive_create(&swing, &settings, error);
  if (status == FCPS_OK) status = imitate_swing(swing, error);
  if (status == FCPS_OK)
    status = fcps_motion_create(&t->robot.motion, 1, &(fcps_motion_part){swing, duration, true}, FCPS_ROBOT_DT, error);
  fcps_primitive_destroy(swing);
  return status;
}

static void sample(const fcps_task *task, fcps_rng *rng, double *target, double *environment)
{
  (void)task;
  (void)environment;
  for (int i = 0; i < 2; i++)
    target[i] = target_centre[i] + target_range * (2 * fcps_rng_uniform(rng) - 1);
}

static fcps_status create(fcps_task *task, const void *settings, fcps_error *error)
{
  const fcps_robot_settings *s = settings;
  thrower *t = task->state;
  t->oracle_rollouts = s->oracle_rollouts;
  fcps_status status = fcps_robot_open(&t->robot, FCPS_SIM_THROWER, error);
  if (status == FCPS_OK) status = make_motion(t, error);
  if (status != FCPS_OK) return status;
  task->problem = (fcps_problem){.target = {2, target_dims},
                                 .parameters = {6, parameter_dims},
                                 .outcome = {2, outcome_dims},
                                 .reward = reward,
                                 .gradient = gradient,
                                 .achieved = fcps_task_point_achieved,
                                 .is_distance = true};
  fcps_robot_remember(task, &t->robot, "thrower-1");
  return fcps_robot_draw_evaluation(task, &t->robot, s, sample, error);
}

static void destroy(void *state)
{
  thrower *t = state;
  fcps_robot_close(&t->robot);
}

static void context(const fcps_task *task, int64_t episode, double *target, double *environment)
{
  fcps_rng rng = fcps_rng_stream(task->seed, FCPS_PURPOSE_CONTEXT, (uint64_t)episode);
  sample(task, &rng, target, environment);
}

/* Whether the ball passed the landing height in the last period. Then writes the point of landing, by linear
 * interpolation. */
static bool has_landed(const double *before, const double *after, double *outcome)
{
  if (!(before[2] >= landing_height && after[2] < landing_height)) return false;
  const double share = (before[2] - landing_height) / (before[2] - after[2]);
  for (int i = 0; i < 2; i++)
    outcome[i] = before[i] + share * (after[i] - before[i]);
  return true;
}

static fcps_status simulate(fcps_task *task, const double *parameters, fcps_recorder *recorder, double *outcome,
                            fcps_rollout *rollout)
{
  thrower *t = task->state;
  fcps_error *error = &task->error;
  const double *hand = t->robot.facts->hand;
  const double goal[3] = {hand[0] + parameters[0], hand[1] + parameters[1], hand[2] + parameters[2]};
  fcps_status status = fcps_motion_set_goal(t->robot.motion, 0, goal, parameters + 3);
  if (status != FCPS_OK)
    return fcps_error_set(error, status, "parameters", "the movement with these parameters could not be computed");

  fcps_robot_play play;
  fcps_robot_start(&t->robot, &play, hand, NULL);
  status = fcps_recorder_take_frame(recorder, &play, error);
  for (int k = 0; k < MOST_PERIODS && play.view.is_stable && rollout->outcome == NULL && status == FCPS_OK; k++) {
    double before[3];
    memcpy(before, play.view.object, sizeof before);
    fcps_robot_move(&t->robot, &play);
    if (play.view.is_stable && has_landed(before, play.view.object, outcome)) rollout->outcome = outcome;
    status = fcps_recorder_take_frame(recorder, &play, error);
  }
  if (status != FCPS_OK) return status;
  if (!play.view.is_stable) {
    fcps_robot_unstable(task, &play, rollout);
  } else if (rollout->outcome == NULL) { /* the ball never left the basket, so the outcome is its position */
    memcpy(outcome, play.view.object, 2 * sizeof *outcome);
    rollout->outcome = outcome;
  }
  return FCPS_OK;
}

static fcps_status run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                       double *outcome, fcps_rollout *rollout)
{
  (void)episode; /* the simulation has no noise */
  (void)environment;
  thrower *t = task->state;
  if (fcps_cache_find(t->robot.cache, parameters, outcome)) {
    rollout->outcome = outcome;
    return FCPS_OK;
  }
  const fcps_status status = simulate(task, parameters, NULL, outcome, rollout);
  if (status == FCPS_OK && rollout->outcome != NULL) fcps_cache_keep(t->robot.cache, parameters, outcome);
  return status;
}

static fcps_status film(fcps_task *task, const double *target, const double *environment, const double *parameters,
                        const fcps_film *wanted, double *outcome, fcps_rollout *rollout)
{
  (void)environment;
  thrower *t = task->state;
  const double mark[3] = {target[0], target[1], floor_height};
  fcps_recorder *recorder;
  fcps_status status = fcps_recorder_create(&recorder, &t->robot, wanted, mark, &task->error);
  if (status == FCPS_OK) status = simulate(task, parameters, recorder, outcome, rollout);
  fcps_recorder_destroy(recorder);
  return status;
}

/* Doing nothing: the ball stays in the basket. */
static void idle(const fcps_task *task, const double *environment, double *outcome)
{
  (void)environment;
  memcpy(outcome, ((const thrower *)task->state)->robot.facts->object, 2 * sizeof *outcome);
}

static double optimum(fcps_task *task)
{
  return fcps_task_search_optimum(task, ((const thrower *)task->state)->oracle_rollouts);
}

const fcps_task_ops fcps_task_thrower = {
    FCPS_ROBOT_INFO(.name = "thrower", .summary = "an arm throws a ball from its basket to a place (MuJoCo)",
                    .settings = &table),
    .state_size = sizeof(thrower),
    .create = create,
    .destroy = destroy,
    .context = context,
    .run = run,
    .film = film,
    .optimum = optimum,
    .idle = idle,
};
