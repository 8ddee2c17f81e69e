/* SPDX-License-Identifier: Apache-2.0 */
/* The toy cannon's world: hills, and the landing of a ball among them.
 *
 * A cannon at the origin shoots at the ground. At horizontal distance d the ball is at height
 *   z(d) = h(0,0) + d tan b - g d^2 / (2 (v cos b)^2),      b = tilt, v = speed,
 * in direction (cos turn, sin turn), over ground of height
 *   h(x,y) = sum_i a_i exp(-((x - x_i)^2 + (y - y_i)^2) / w_i).
 */
#ifndef FCPS_LAB_TASK_CANNON_CANNON_H
#define FCPS_LAB_TASK_CANNON_CANNON_H

#include "base/settings.h"
#include "lab/task/task_impl.h"

#include <fcps/base.h>

#define FCPS_CANNON_MAX_HILLS 64
#define FCPS_CANNON_GRAVITY   0.981 /* a tenth of the earth's: a ball at 5 m/s flies 25 m */
#define FCPS_CANNON_STEP      0.1   /* m; the ball is followed in steps of this horizontal length */
#define FCPS_CANNON_EDGE      24.0  /* m; a flight ends where |x| or |y| exceeds this */
#define FCPS_CANNON_REACH     11.0  /* m; targets lie in [-reach, reach]^2 */
#define FCPS_CANNON_PENALTY   0.05  /* reward lost for each unit of speed^2 */
#define FCPS_CANNON_INDICATOR 0.1   /* if a task has an indicator, the cannon should shoot up to this value */

#define FCPS_CANNON_TILT_LOWER  0.01
#define FCPS_CANNON_TILT_UPPER  1.3707963267948966 /* pi/2 - 0.2 rad */
#define FCPS_CANNON_SPEED_LOWER 0.1
#define FCPS_CANNON_SPEED_UPPER 5.0

/* The order of the parameters of a shot, as in the paper. */
enum { FCPS_CANNON_TURN, FCPS_CANNON_TILT, FCPS_CANNON_SPEED, FCPS_CANNON_PARAMETERS };

typedef struct fcps_cannon_hill {
  double x, y, height, width; /* m, m, m; the width is in m^2 */
} fcps_cannon_hill;

typedef struct fcps_cannon {
  int hill_count;
  fcps_cannon_hill hills[FCPS_CANNON_MAX_HILLS];
  double base;           /* height of the ground under the cannon */
  bool is_landing_exact; /* true: the ball lands where it meets the ground; false: at the first step below the ground */
} fcps_cannon;

/* The world of `seed`: hill i of n has the polar angle 2 pi i/n and a random distance, height and width. */
void fcps_cannon_build(fcps_cannon *cannon, uint64_t seed, int hill_count, bool is_landing_exact);

double fcps_cannon_ground(const fcps_cannon *cannon, double x, double y);

/* Computes where a shot lands. */
void fcps_cannon_shoot(const fcps_cannon *cannon, const double parameters[FCPS_CANNON_PARAMETERS], double landing[2]);

/* The flight of a shot as `count` >= 2 points (rows x, y, z), from the muzzle to the ground. */
void fcps_cannon_flight(const fcps_cannon *cannon, const double parameters[FCPS_CANNON_PARAMETERS], int count,
                        double *points);

/* Finds the best shot at a target, without noise, and returns its reward. The ball of this shot may clear the hills by
 * only a very small margin. */
double fcps_cannon_best_shot(const fcps_cannon *cannon, const double target[2],
                             double parameters[FCPS_CANNON_PARAMETERS]);

/* The reward of a landing point and a speed for `target` [pinsler2019, Sec. V-A]. */
double fcps_cannon_reward(const double target[2], const double landing[2], double speed);

/* fcps_cannon_effort is the norm of the parameters; fcps_cannon_idle has the parameters with the smallest norm. If the
 * cannon should not shoot, a smaller norm is better. */
double fcps_cannon_effort(const double parameters[FCPS_CANNON_PARAMETERS]);
extern const double fcps_cannon_idle[FCPS_CANNON_PARAMETERS];

/* The task cannon. cannon-active and cannon-objective use it. */
extern const fcps_task_ops fcps_task_cannon;

/* The settings that all cannon tasks have. The `create` of the cannon takes an fcps_cannon_settings, even if another
 * task calls it. */

/* Where a ball lands: at the first step below the ground, or where its path meets the ground. */
typedef enum fcps_cannon_landing { FCPS_CANNON_LANDING_STEP, FCPS_CANNON_LANDING_EXACT } fcps_cannon_landing;

/* Where training targets lie: in the whole square, or only in the two quadrants where x and y have opposite signs. */
typedef enum fcps_cannon_targets {
  FCPS_CANNON_TARGETS_EVERYWHERE,
  FCPS_CANNON_TARGETS_TWO_QUADRANTS
} fcps_cannon_targets;

typedef struct fcps_cannon_settings {
  int hills;
  double noise_deg; /* deviation of the tilt's noise in training, degrees */
  fcps_cannon_landing landing;
  fcps_cannon_targets targets;
  int grid; /* number of evaluation targets along each side of the square */
} fcps_cannon_settings;

extern const fcps_setting_row fcps_cannon_rows[];

#endif
