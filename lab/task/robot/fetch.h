/* SPDX-License-Identifier: Apache-2.0 */
/* The two tasks of the Fetch arm. Movement and reward are the same; tables, objects and ranges differ. */
#ifndef FCPS_TASK_ROBOT_FETCH_H
#define FCPS_TASK_ROBOT_FETCH_H

#include "lab/task/robot/robot.h"

/* The constants in which they differ. Ranges are relative to the ready position of the hand, strokes to the object. */
typedef struct fcps_fetch_design {
  fcps_sim_robot robot;
  const char *version;               /* of the rules; cached rollouts of another version are not used */
  double approach_time, stroke_time; /* s */
  double object_range;               /* the object lies within this of the hand, in x and y, and not nearer than 0.1 */
  double target_range;               /* the target lies within this of `target_offset` */
  double target_offset;              /* in x */
  double angle;                      /* largest approach angle */
  double stroke_lower[2], stroke_upper[2];
  double hand_lower[3], hand_upper[3]; /* for the pre-flight check: where the hand can go */
} fcps_fetch_design;

extern const fcps_setting_table fcps_fetch_settings;

/* The operations of the tasks (see fcps_task_ops), whose design is an fcps_fetch_design. */
fcps_status fcps_fetch_create(fcps_task *task, const void *settings, fcps_error *error);
void fcps_fetch_destroy(void *state);
void fcps_fetch_context(const fcps_task *task, int64_t episode, double *target, double *environment);
fcps_status fcps_fetch_run(fcps_task *task, int64_t episode, const double *environment, const double *parameters,
                           double *outcome, fcps_rollout *rollout);
fcps_status fcps_fetch_film(fcps_task *task, const double *target, const double *environment, const double *parameters,
                            const fcps_film *film, double *outcome, fcps_rollout *rollout);
double fcps_fetch_optimum(fcps_task *task);
void fcps_fetch_idle(const fcps_task *task, const double *environment, double *outcome);
#define FCPS_FETCH_OPERATIONS                                                                                          \
  .create = fcps_fetch_create, .destroy = fcps_fetch_destroy, .context = fcps_fetch_context, .run = fcps_fetch_run,    \
  .film = fcps_fetch_film, .optimum = fcps_fetch_optimum, .idle = fcps_fetch_idle

#endif
