/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated robots behind a table of functions: a hand that follows a point, and an object that it moves.
 *
 * The simulator is a separate module (libfcps_robots.so, with MuJoCo beside it). It is found and loaded at run time, so
 * everything else works without it. A folder of robots holds the module, libmujoco and models/. It is searched for in
 * $FCPS_ROBOTS_DIR, then near the program or library that contains this code, then where fcps was installed.
 *
 * A module is code that runs as the user. If it was not chosen by $FCPS_ROBOTS_DIR it is loaded only if nobody else can
 * have written it: it and its folder must belong to the user, to root or to the owner of the program, and others must
 * not have the right to write there.
 */
#ifndef FCPS_LAB_SIM_SIM_H
#define FCPS_LAB_SIM_SIM_H

#include <fcps/base.h>

/* This number changes with the interface. A module with another number is refused. */
#define FCPS_SIM_INTERFACE 1
#define FCPS_SIM_SYMBOL    "fcps_robots"

typedef enum fcps_sim_robot {
  FCPS_SIM_FETCH_PUSH,  /* a Fetch arm, a block on a table */
  FCPS_SIM_FETCH_SLIDE, /* a Fetch arm, a puck on a long slippery table */
  FCPS_SIM_THROWER,     /* an arm with a basket for a hand, a ball in it */
  FCPS_SIM_ROBOT_COUNT
} fcps_sim_robot;

typedef struct fcps_sim fcps_sim;       /* a robot with its own state, for one thread at a time */
typedef struct fcps_camera fcps_camera; /* draws one fcps_sim */

/* Properties of a robot in its ready state, in metres and seconds. */
typedef struct fcps_sim_facts {
  double period;    /* the control period: the time that one call of `follow` takes */
  double hand[3];   /* the position of the hand, x, y, z */
  double object[3]; /* the position of the object; z is its height at rest */
} fcps_sim_facts;

/* The state of a robot at one moment. */
typedef struct fcps_sim_view {
  double time;
  double hand[3], object[3];
  bool is_stable;      /* false: the simulation became unstable, and the numbers mean nothing */
  const char *trouble; /* the reason if `is_stable` is false; lives until the next call on the sim */
} fcps_sim_view;

/* The marks in a picture. */
typedef struct fcps_sim_scene {
  double target[3];    /* the position of the target's mark */
  const char *caption; /* lines of text in the corner; may be NULL */
} fcps_sim_scene;

/* The functions of the module. */
typedef struct fcps_sim_ops {
  int interface; /* the FCPS_SIM_INTERFACE with which it was built */

  /* Creates a robot in its ready state. `models` is the folder of model files. Robots of one kind share one constant
   * model. */
  fcps_status (*create)(fcps_sim **sim, fcps_sim_robot robot, const char *models, fcps_error *error);
  void (*destroy)(fcps_sim *sim); /* NULL is allowed */
  const fcps_sim_facts *(*facts)(const fcps_sim *sim);

  /* Returns to the ready state, with the object at (x, y), or at its ready position if `object` is NULL. Gives the same
   * bits every time. */
  void (*reset)(fcps_sim *sim, const double *object, fcps_sim_view *view);

  /* Moves the hand for one control period towards a desired position and velocity (3 numbers each). */
  void (*follow)(fcps_sim *sim, const double *position, const double *velocity, fcps_sim_view *view);

  /* Drawing without a display. `rgb` has 3 * width * height bytes, top row first. A camera belongs to the thread that
   * created it. */
  fcps_status (*camera_create)(fcps_camera **camera, const fcps_sim *sim, int width, int height, fcps_error *error);
  void (*camera_destroy)(fcps_camera *camera); /* NULL is allowed */
  fcps_status (*draw)(fcps_camera *camera, const fcps_sim *sim, const fcps_sim_scene *scene, unsigned char *rgb,
                      fcps_error *error);
} fcps_sim_ops;

/* The part of the simulated robots that this machine lacks. fcps_sim_lacks only looks for files; it loads nothing. */
typedef enum fcps_sim_lack {
  FCPS_SIM_NOTHING,
  FCPS_SIM_NO_MODULE,
  FCPS_SIM_NO_MODELS,
  FCPS_SIM_UNSAFE,   /* a module was found near the program, but other users could have changed it */
  FCPS_SIM_RELATIVE, /* $FCPS_ROBOTS_DIR is not an absolute path */
  FCPS_SIM_LACK_COUNT
} fcps_sim_lack;
fcps_sim_lack fcps_sim_lacks(void);

/* The message for each missing part; it says what to do. */
extern const char fcps_sim_no_module[], fcps_sim_no_models[], fcps_sim_unsafe[], fcps_sim_relative[];

/* Finds and loads the module. *ops stays valid for the life of the process. *models is the folder of models, which the
 * caller frees with free. Fails with FCPS_ERR_UNAVAILABLE. */
fcps_status fcps_sim_load(const fcps_sim_ops **ops, char **models, fcps_error *error);

#endif
