/* SPDX-License-Identifier: Apache-2.0 */
/* What the robot tasks share: a simulated robot whose hand follows a motion of primitives, contexts of the evaluation,
 * films, and the search for the best that can be earned. */
#ifndef FCPS_TASK_ROBOT_ROBOT_H
#define FCPS_TASK_ROBOT_ROBOT_H

#include "base/rng.h"
#include "sim/sim.h"
#include "task/robot/rollout_cache.h"
#include "task/task_impl.h"

#include <fcps/primitive.h>

/* The time step of all motions, in seconds. */
#define FCPS_ROBOT_DT 0.002

typedef struct fcps_robot {
  const fcps_sim_ops *ops;
  fcps_sim *sim;
  const fcps_sim_facts *facts;
  fcps_motion *motion;
  int steps;                      /* of the motion, in one period of control */
  double *targets, *environments; /* of the evaluation */
  fcps_rollout_cache *cache;      /* of rollouts made before; NULL: off */
} fcps_robot;

/* Loads the simulator and stands the robot ready; the motion is the caller's to create. */
fcps_status fcps_robot_open(fcps_robot *robot, fcps_sim_robot kind, fcps_error *error);
void fcps_robot_close(fcps_robot *robot);

/* .info and .lacking of a robot task's fcps_task_ops. */
#define FCPS_ROBOT_INFO(...)                                                                                           \
  .info = {__VA_ARGS__}, .lacking[FCPS_SIM_NOTHING] = {__VA_ARGS__},                                                   \
  .lacking[FCPS_SIM_NO_MODULE] = {__VA_ARGS__, .unavailable = fcps_sim_no_module},                                     \
  .lacking[FCPS_SIM_NO_MODELS] = {__VA_ARGS__, .unavailable = fcps_sim_no_models}

/* Settings that every robot task has; a task's table begins with their rows. */
typedef struct fcps_robot_settings {
  int contexts;     /* of the offline evaluation */
  int context_seed; /* what they are drawn with */
  int oracle_rollouts;
} fcps_robot_settings;
extern const fcps_setting_row fcps_robot_rows[];

/* Draws one context. */
typedef void fcps_robot_sampler(const fcps_task *task, fcps_rng *rng, double *target, double *environment);

/* Draws the contexts of the evaluation, once and for all runs alike, into task->evaluation. */
fcps_status fcps_robot_draw_evaluation(fcps_task *task, fcps_robot *robot, const fcps_robot_settings *settings,
                                       fcps_robot_sampler *sampler, fcps_error *error);

/* Lets a task that can run rollouts remember them (robot_cache.h). `version` names the task's rules; what else an
 * outcome hangs on (primitives, simulator, model files, processor) is told by the bits of one rollout that is made
 * now. */
void fcps_robot_remember(fcps_task *task, fcps_robot *robot, const char *version);

/* A rollout under way. */
typedef struct fcps_robot_play {
  double position[3], velocity[3]; /* desired */
  int step;                        /* of the motion */
  fcps_sim_view view;
} fcps_robot_play;

/* Resets the robot, with the object at (x, y) (NULL: as it stands ready); the hand's desired path begins at `start`. */
void fcps_robot_start(const fcps_robot *robot, fcps_robot_play *play, const double *start, const double *object);

/* One period: the motion goes ahead, the hand follows. */
void fcps_robot_move(const fcps_robot *robot, fcps_robot_play *play);

/* Says that the simulation lost its footing; there is no outcome. */
void fcps_robot_unstable(fcps_task *task, const fcps_robot_play *play, fcps_rollout *rollout);

/* A film being taken; all functions do nothing for NULL. */
typedef struct fcps_recorder fcps_recorder;
fcps_status fcps_recorder_create(fcps_recorder **recorder, const fcps_robot *robot, const fcps_film *film,
                                 const double target[3], fcps_error *error);
fcps_status fcps_recorder_look(fcps_recorder *recorder, const fcps_robot_play *play, fcps_error *error);
void fcps_recorder_destroy(fcps_recorder *recorder);

/* Mean over the evaluation's contexts of the best reward that a search with that many rollouts a context finds; NaN for
 * none. */
double fcps_robot_optimum(fcps_task *task, int rollouts);

#endif
