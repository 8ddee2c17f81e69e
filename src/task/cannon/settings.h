/* SPDX-License-Identifier: Apache-2.0 */
/* The settings that all cannon tasks have, as rows of a table. */
#ifndef FCPS_TASK_CANNON_SETTINGS_H
#define FCPS_TASK_CANNON_SETTINGS_H

#include "task/cannon/cannon.h"

/* `side` is the default number of evaluation targets along a side, as text. */
#define FCPS_CANNON_SETTINGS(side)                                                                                     \
  {"hills", FCPS_SETTING_INTEGER, "10", 0, FCPS_CANNON_MAX_HILLS, NULL, "hills around the cannon"},                    \
      {"noise_deg", FCPS_SETTING_NUMBER, "1", 0, 10, NULL, "deviation of the tilt in training, in degrees"},           \
      {"landing",                                                                                                      \
       FCPS_SETTING_CHOICE,                                                                                            \
       "step",                                                                                                         \
       0,                                                                                                              \
       0,                                                                                                              \
       "step|exact",                                                                                                   \
       "the first 0.1 m step below the ground, or where the ball meets it"},                                           \
      {"targets",                                                                                                      \
       FCPS_SETTING_CHOICE,                                                                                            \
       "everywhere",                                                                                                   \
       0,                                                                                                              \
       0,                                                                                                              \
       "everywhere|two-quadrants",                                                                                     \
       "training targets: the whole square, or only where x and y have opposite signs"},                               \
  {                                                                                                                    \
    "grid", FCPS_SETTING_INTEGER, side, 2, 101, NULL, "evaluation targets along each side of the square"               \
  }

#endif
