/* SPDX-License-Identifier: Apache-2.0 */
/* The common parts of the robot tasks: a simulated robot whose hand follows a motion of primitives, the contexts of the
 * evaluation, films, and the search for the best reward. */
#ifndef FCPS_LAB_TASK_ROBOT_ROBOT_H
#define FCPS_LAB_TASK_ROBOT_ROBOT_H

#include "base/rng.h"
#include "lab/sim/sim.h"
#include "lab/task/robot/rollout_cache.h"
#include "lab/task/task_impl.h"

#include <fcps/primitive.h>

/* The time step of all motions, in seconds. */
#define FCPS_ROBOT_DT 0.002

typedef struct fcps_robot {
  const fcps_sim_ops *ops;
  fcps_sim *sim;
  const fcps_sim_facts *facts;
  fcps_motion *motion;
  int steps;                      /* the number of steps of the motion in a control period */
  double *targets, *environments; /* the contexts of the evaluation */
  fcps_cache *cache;              /* earlier rollouts; NULL: the cache is off */
} fcps_robot;

/* Loads the simulator and brings the robot to its ready state. The caller creates the motion. */
fcps_status fcps_robot_open(fcps_robot *robot, fcps_sim_robot kind, fcps_error *error);
void fcps_robot_close(fcps_robot *robot);

/* Defines .info and .lacking in the fcps_task_ops of a robot task. */
#define FCPS_ROBOT_INFO(...)                                                                                           \
  .info = {__VA_ARGS__}, .lacking[FCPS_SIM_NOTHING] = {__VA_ARGS__},                                                   \
  .lacking[FCPS_SIM_NO_MODULE] = {__VA_ARGS__, .unavailable = fcps_sim_no_module},                                     \
  .lacking[FCPS_SIM_NO_MODELS] = {__VA_ARGS__, .unavailable = fcps_sim_no_models},                                     \
  .lacking[FCPS_SIM_UNSAFE] = {__VA_ARGS__, .unavailable = fcps_sim_unsafe},                                           \
  .lacking[FCPS_SIM_RELATIVE] = {__VA_ARGS__, .unavailable = fcps_sim_relative}

/* Settings that every robot task has. The table of a task begins with their rows. */
typedef struct fcps_robot_settings {
  int contexts;     /* the number of contexts in the offline evaluation */
  int context_seed; /* the seed from which they are drawn */
  int oracle_rollouts;
} fcps_robot_settings;
extern const fcps_setting_row fcps_robot_rows[];

/* Draws one context. */
typedef void fcps_robot_sampler(const fcps_task *task, fcps_rng *rng, double *target, double *environment);

/* Draws the contexts of the evaluation into task->evaluation. They are the same for all runs. */
fcps_status fcps_robot_draw_evaluation(fcps_task *task, fcps_robot *robot, const fcps_robot_settings *settings,
                                       fcps_robot_sampler *sampler, fcps_error *error);

/* Opens the cache of a task that can run rollouts (rollout_cache.h). `version` names the task's rules. An outcome also
 * depends on the primitives, the simulator, the model files and the processor. The bits of one rollout, which is run
 * now, identify all of these. */
void fcps_robot_remember(fcps_task *task, fcps_robot *robot, const char *version);

/* The state of one rollout. */
typedef struct fcps_robot_play {
  double position[3], velocity[3]; /* the desired position and velocity of the hand */
  int step;                        /* the number of the motion's next step */
  fcps_sim_view view;
} fcps_robot_play;

/* Resets the robot, with the object at (x, y), or at its ready position if `object` is NULL. The desired path of the
 * hand begins at `start`. */
void fcps_robot_start(const fcps_robot *robot, fcps_robot_play *play, const double *start, const double *object);

/* Moves the robot for one control period: the motion advances, and the hand follows it. */
void fcps_robot_move(const fcps_robot *robot, fcps_robot_play *play);

/* Makes the rollout fail because the simulation became unstable; there is no outcome. */
void fcps_robot_unstable(fcps_task *task, const fcps_robot_play *play, fcps_rollout *rollout);

/* A film that is being recorded. With a NULL recorder the functions do nothing. */
typedef struct fcps_recorder fcps_recorder;
fcps_status fcps_recorder_create(fcps_recorder **recorder, const fcps_robot *robot, const fcps_film *film,
                                 const double target[3], fcps_error *error);
/* Draws the present state as a frame of the film, if the next frame is due. */
fcps_status fcps_recorder_take_frame(fcps_recorder *recorder, const fcps_robot_play *play, fcps_error *error);
void fcps_recorder_destroy(fcps_recorder *recorder);

#endif
