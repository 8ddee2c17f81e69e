/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamic movement primitives: smooth movements in any number of dimensions that reach a goal with a given velocity,
 * along a shape learnt from one demonstration [kober2010, ijspeert2013].
 *
 * For one dimension, with duration T and phase z = exp(-decay t/T):
 *
 *   T^2 y'' = (1 - z) a (a/4 (g_m - y) + T (g' - y')) + f(z)      g_m = g - g' (T - t)
 *   f(z)    = z sum_i psi_i(z) w_i / sum_i psi_i(z)               psi_i = exp(-h_i (z - c_i)^2)
 *
 * A primitive holds the shape (the weights w). A motion plays one primitive, or several one after the other, with goals
 * and at a fixed time step: step by step for a control loop, or as a whole trajectory. It can be checked against limits
 * before anything moves.
 *
 *   const fcps_primitive_settings in_two = fcps_primitive_settings_default(2);
 *   fcps_primitive_create(&lift, &in_two, &error);
 *   fcps_primitive_imitate(lift, &demonstration, 1e-8, &error);
 *   fcps_motion_create(&motion, 1, &(fcps_motion_part){.primitive = lift, .duration = 1}, 0.002, &error);
 *   fcps_motion_set_goal(motion, 0, goal, NULL);
 *   for (int k = 0; k < fcps_motion_step_count(motion); k++) fcps_motion_step(motion, k, position, velocity, NULL);
 */
#ifndef FCPS_PRIMITIVE_H
#define FCPS_PRIMITIVE_H

#include <fcps/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fcps_primitive_settings {
  int dimensions;  /* at least 1 */
  int basis_count; /* basis functions in each dimension; at least 1 */
  double gain;     /* a: the spring is a^2/4, critically damped; > 0 */
  double decay;    /* of the phase, which falls to exp(-decay) at the end; > 0 */
  /* the factor (1 - z), so that the acceleration does not jump at the start; false gives the ordinary primitive */
  bool fades_in;
} fcps_primitive_settings;

/* 25 basis functions, gain 25, decay ln 100, fading in. */
FCPS_API fcps_primitive_settings fcps_primitive_settings_default(int dimensions);

typedef struct fcps_primitive fcps_primitive;

/* A primitive without a shape: all weights 0. Sets *primitive to NULL on failure. */
FCPS_API fcps_status fcps_primitive_create(fcps_primitive **primitive, const fcps_primitive_settings *settings,
                                           fcps_error *error);
FCPS_API void fcps_primitive_destroy(fcps_primitive *primitive);

/* The weights: one row of `basis_count` numbers per dimension. The returned array lives as long as the primitive. */
FCPS_API const double *fcps_primitive_weights(const fcps_primitive *primitive);
FCPS_API fcps_status fcps_primitive_set_weights(fcps_primitive *primitive, const double *weights, fcps_error *error);

/* One movement, sampled at equal times from 0 to `duration`: rows of `dimensions` numbers. If velocities or
 * accelerations are NULL, they are computed from the positions by differences of second order. The velocity at the
 * end becomes the goal velocity: give it if it is known, because differences are not exact. */
typedef struct fcps_demonstration {
  int count; /* at least 3 */
  double duration;
  const double *positions, *velocities, *accelerations;
  const double *end_velocity; /* one number per dimension; NULL: the velocity of the last sample */
} fcps_demonstration;

/* Learns the weights by ridge regression: with the goal and the end velocity of the demonstration, the primitive then
 * reproduces the demonstration. `ridge` >= 0 keeps weights small (1e-8 is a good value). */
FCPS_API fcps_status fcps_primitive_imitate(fcps_primitive *primitive, const fcps_demonstration *demonstration,
                                            double ridge, fcps_error *error);

/* A minimum-jerk move from 0 to 1 while s goes from 0 to 1, at rest before and after: 10 s^3 - 15 s^4 + 6 s^5
 * [flash1985]. Useful for making demonstrations. */
FCPS_API double fcps_minimum_jerk(double s);

/* One primitive of a motion. */
typedef struct fcps_motion_part {
  const fcps_primitive *primitive; /* read by fcps_motion_create only */
  double duration;                 /* T in seconds */
  bool from_rest;                  /* the part starts with velocity 0; else with the last velocity of the part before */
} fcps_motion_part;

typedef struct fcps_motion fcps_motion;

/* Plays `count` primitives of equal dimension, one after the other, at time step `dt`. A part takes the smallest number
 * of steps that covers its duration. Everything that depends on time alone is tabulated, so a step costs a few
 * operations per dimension. All goals are 0 until they are set. */
FCPS_API fcps_status fcps_motion_create(fcps_motion **motion, int count, const fcps_motion_part *parts, double dt,
                                        fcps_error *error);
FCPS_API void fcps_motion_destroy(fcps_motion *motion);

/* Sets the position and the velocity (NULL: at rest) at the end of part `part`. */
FCPS_API fcps_status fcps_motion_set_goal(fcps_motion *motion, int part, const double *position,
                                          const double *velocity);

/* The number of steps of the whole motion. */
FCPS_API int fcps_motion_step_count(const fcps_motion *motion);

/* Goes from time k dt to (k + 1) dt by semi-implicit Euler on `position` and `velocity`, which may be the desired or a
 * measured state. `acceleration` (may be NULL) receives the acceleration. After the end the position stays and the
 * velocity is 0. May be called from several threads with different states. */
FCPS_API void fcps_motion_step(const fcps_motion *motion, int k, double *position, double *velocity,
                               double *acceleration);

/* The whole motion from a start (`velocity` NULL: at rest): fcps_motion_step_count + 1 rows of positions and
 * velocities, fcps_motion_step_count rows of accelerations (NULL: not wanted). */
FCPS_API void fcps_motion_trajectory(const fcps_motion *motion, const double *start, const double *velocity,
                                     double *positions, double *velocities, double *accelerations);

typedef enum fcps_limit_kind {
  FCPS_LIMIT_POSITION,
  FCPS_LIMIT_VELOCITY,
  FCPS_LIMIT_ACCELERATION,
  FCPS_LIMIT_WORKSPACE,
  FCPS_LIMIT_KIND_COUNT
} fcps_limit_kind;

/* The limits of a motion: one number per dimension, NULL for no limit. */
typedef struct fcps_limits {
  const double *lower, *upper; /* of the position */
  const double *velocity;      /* largest absolute value */
  const double *acceleration;  /* largest absolute value */
  /* whether a point lies in the workspace; NULL: every point does. Must not change or destroy the motion */
  bool (*inside)(void *user, const double *position);
  void *user;
} fcps_limits;

/* A limit that a motion breaks; at most one per kind and dimension. */
typedef struct fcps_violation {
  fcps_limit_kind kind;
  int dimension;     /* -1 for the workspace */
  double time;       /* of the first breach, in seconds from the start */
  double worst_time; /* of the largest breach; for the workspace equal to `time` */
  double value;      /* the worst value; NaN for the workspace */
  double limit;      /* the broken limit; NaN for the workspace */
} fcps_violation;

/* Checks a motion before anything moves: integrates it and writes up to `capacity` violations, ordered by kind and
 * dimension. *count receives the number of all violations; 0 means that the motion keeps all limits. A motion that
 * becomes infinite breaks every limit. Fails with FCPS_ERR_ARGUMENT or FCPS_ERR_MEMORY. */
FCPS_API fcps_status fcps_motion_check(const fcps_motion *motion, const double *start, const double *velocity,
                                       const fcps_limits *limits, int capacity, fcps_violation *violations, int *count);

/* A violation in words: "velocity of dimension 1 reaches 2.5 at 0.31 s (limit 2, broken from 0.28 s)". Returns
 * `text`. */
FCPS_API char *fcps_violation_format(const fcps_violation *violation, size_t size, char *text);

#ifdef __cplusplus
}
#endif
#endif
