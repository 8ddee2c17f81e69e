/* SPDX-License-Identifier: Apache-2.0 */
/* The settings that all cannon tasks have. The cannon's `create` takes an fcps_cannon_settings, also where another task
 * builds its cannon with it. */
#ifndef FCPS_TASK_CANNON_SETTINGS_H
#define FCPS_TASK_CANNON_SETTINGS_H

#include "base/settings.h"

/* Where a ball lands: at the first step below the ground, or where its path meets the ground. */
typedef enum fcps_cannon_landing { FCPS_CANNON_LANDING_STEP, FCPS_CANNON_LANDING_EXACT } fcps_cannon_landing;

/* Where training targets lie: in the whole square, or only where x and y have opposite signs. */
typedef enum fcps_cannon_targets {
  FCPS_CANNON_TARGETS_EVERYWHERE,
  FCPS_CANNON_TARGETS_TWO_QUADRANTS
} fcps_cannon_targets;

typedef struct fcps_cannon_settings {
  int hills;
  double noise_deg; /* deviation of the tilt in training, degrees */
  fcps_cannon_landing landing;
  fcps_cannon_targets targets;
  int grid; /* evaluation targets along each side of the square */
} fcps_cannon_settings;

extern const fcps_setting_row fcps_cannon_rows[];

#endif
