/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the module: the shared constant model, the state of one sim, and a table of functions for each kind of
 * robot. */
#ifndef FCPS_LAB_SIM_MUJOCO_ROBOTS_H
#define FCPS_LAB_SIM_MUJOCO_ROBOTS_H

#include "lab/sim/sim.h"

#include <mujoco/mujoco.h>

enum { TROUBLE_SIZE = 256 };

typedef struct model model;

/* How one kind of robot is prepared and moved. All functions but `edit` are called inside fcps_mujoco_guard, so they
 * may raise MuJoCo errors. */
typedef struct robot {
  const char *file;                                    /* the path of the model file in the folder of models */
  fcps_status (*edit)(model *made, fcps_error *error); /* finds ids, and changes the model as the task needs it */
  void (*prepare)(model *made, mjData *d);             /* moves the robot to its ready state; fills `facts` */
  /* returns to the ready state; object: its x and y, or NULL */
  void (*reset)(const model *shared, mjData *d, const double *object);
  void (*follow)(const model *shared, mjData *d, const double *position, const double *velocity);
  void (*observe)(const model *shared, const mjData *d, double *hand, double *object);
  /* OPTIONAL: moves the mark of the target */
  void (*show_target)(const model *shared, mjData *d, const double *target);
  struct {
    double lookat[3], distance, azimuth, elevation;
  } camera;
} robot;

/* A model. It is constant once it is made, and all sims of one kind share it. */
struct model {
  const robot *robot;
  mjModel *m;
  fcps_sim_facts facts;
  double time; /* the ready state: time, positions (qpos) and velocities (qvel) */
  double *qpos, *qvel;
  union {
    struct {
      int grip, object; /* ids of sites */
      int gripper;      /* id of a body */
      int mocap;        /* the row of the mocap body to which the gripper is welded */
      int object_qpos;  /* the address of the object's free joint in qpos */
      int finger_qpos[2];
    } fetch;
    struct {
      int hand; /* id of a body */
      int ball_qpos;
      int goal_qpos[2];    /* addresses of the box's two slide joints: x, y */
      double goal_home[2]; /* the position of the box while both joints are 0 */
    } thrower;
  } parts;
};

struct fcps_sim {
  const model *shared;
  mjData *data;
  /* the time that the clock must show; if it shows another time, MuJoCo has silently reset the state */
  double time_due;
  char trouble[TROUBLE_SIZE]; /* empty while the simulation is stable */
};

extern const robot fcps_mujoco_fetch_push, fcps_mujoco_fetch_slide, fcps_mujoco_thrower;

/* Runs body(argument). Returns false if MuJoCo raised an error; `trouble` then has the message. */
bool fcps_mujoco_guard(void (*body)(void *argument), void *argument, char trouble[TROUBLE_SIZE]);

/* Sends MuJoCo's errors to fcps_mujoco_guard and silences its printed warnings, which mjData counts anyway. */
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
