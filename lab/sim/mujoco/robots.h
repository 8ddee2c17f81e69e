/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the module: a shared constant model, a state per sim, and one table of functions per kind of robot.
 */
#ifndef FCPS_LAB_SIM_MUJOCO_ROBOTS_H
#define FCPS_LAB_SIM_MUJOCO_ROBOTS_H

#include "lab/sim/sim.h"

#include <mujoco/mujoco.h>

enum { TROUBLE_SIZE = 256 };

typedef struct model model;

/* How one kind of robot is prepared and moved. All functions but `edit` are called inside fcps_mujoco_guard, so they
 * may raise MuJoCo errors. */
typedef struct robot {
  const char *file;                                    /* below the folder of models */
  fcps_status (*edit)(model *made, fcps_error *error); /* looks up ids, and changes the model as the task needs it */
  void (*prepare)(model *made, mjData *d);             /* moves to the ready state; fills facts */
  void (*reset)(const model *shared, mjData *d, const double *object); /* back to it; object: x, y or NULL */
  void (*follow)(const model *shared, mjData *d, const double *position, const double *velocity);
  void (*observe)(const model *shared, const mjData *d, double *hand, double *object);
  void (*show_target)(const model *shared, mjData *d, const double *target); /* OPTIONAL: moves its mark */
  struct {
    double lookat[3], distance, azimuth, elevation;
  } camera;
} robot;

/* A model. It is constant once it is made, and all sims of one kind share it. */
struct model {
  const robot *robot;
  mjModel *m;
  fcps_sim_facts facts;
  double time; /* the ready state: time, positions and velocities */
  double *qpos, *qvel;
  union {
    struct {
      int grip, object; /* sites */
      int gripper;      /* body */
      int mocap;        /* row of the mocap body that the gripper is welded to */
      int object_qpos;  /* address of the object's free joint */
      int finger_qpos[2];
    } fetch;
    struct {
      int hand; /* body */
      int ball_qpos;
      int goal_qpos[2];    /* slide joints of the box: x, y */
      double goal_home[2]; /* the place of the box if they are 0 */
    } thrower;
  } parts;
};

struct fcps_sim {
  const model *shared;
  mjData *data;
  double time_due;            /* the time that the clock must show; another one means a silent reset */
  char trouble[TROUBLE_SIZE]; /* empty while the simulation is stable */
};

extern const robot fcps_mujoco_fetch_push, fcps_mujoco_fetch_slide, fcps_mujoco_thrower;

/* Runs body(argument). Returns false if MuJoCo raised an error; `trouble` then has the message. */
bool fcps_mujoco_guard(void (*body)(void *argument), void *argument, char trouble[TROUBLE_SIZE]);

/* Redirects MuJoCo's errors to fcps_mujoco_guard and silences its warnings, which mjData counts. */
void fcps_mujoco_guard_install(void);

/* The shared model of a kind of robot, which is made at the first use. Give it back with fcps_mujoco_model_release. */
fcps_status fcps_mujoco_model_acquire(const model **shared, fcps_sim_robot kind, const char *models, fcps_error *error);
void fcps_mujoco_model_release(const model *shared);

/* Finds the id of a named object of the model; fails if the model file is not the expected one. */
fcps_status fcps_mujoco_model_find(const model *made, mjtObj type, const char *name, int *id, fcps_error *error);

/* Drawing; see fcps_sim_ops. */
fcps_status fcps_camera_create(fcps_camera **camera, const fcps_sim *sim, int width, int height, fcps_error *error);
void fcps_camera_destroy(fcps_camera *camera);
fcps_status fcps_camera_draw(fcps_camera *camera, const fcps_sim *sim, const fcps_sim_scene *scene, unsigned char *rgb,
                             fcps_error *error);

#endif
