/* SPDX-License-Identifier: Apache-2.0 */
/* A planar arm of many equal joints, one metre long in all, whose hand should reach a target: a problem with as many
 * parameters as one likes. The angles of the joints are relative to the link before.
 *   hand = sum_j (cos a_j, sin a_j)/joints,  a_j = angle_1 + ... + angle_j,     reward = -|target - hand|
 */
#ifndef FCPS_TESTS_LONG_ARM_H
#define FCPS_TESTS_LONG_ARM_H

#include <fcps/problem.h>

#include <math.h>
#include <stdio.h>

enum { LONG_ARM_MOST = 50 };

typedef struct long_arm {
  int joints;
  char names[LONG_ARM_MOST][8];
  fcps_dimension parameters[LONG_ARM_MOST];
} long_arm;

static const fcps_dimension long_arm_target[] = {{.name = "x", .lower = -0.6, .upper = 0.6, .unit = "m"},
                                                 {.name = "y", .lower = -0.6, .upper = 0.6, .unit = "m"}};
static const fcps_dimension long_arm_outcome[] = {{.name = "hand_x", .lower = -1, .upper = 1, .unit = "m"},
                                                  {.name = "hand_y", .lower = -1, .upper = 1, .unit = "m"}};

static inline fcps_status long_arm_reward(void *user, int count, const double *target, const double *environments,
                                          const double *parameters, const double *outcomes, const bool *present,
                                          double *rewards)
{
  (void)user, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -hypot(target[0] - outcomes[2 * i], target[1] - outcomes[2 * i + 1]);
  return FCPS_OK;
}

static inline fcps_problem long_arm_problem(long_arm *arm, int joints)
{
  arm->joints = joints;
  for (int j = 0; j < joints; j++) {
    snprintf(arm->names[j], sizeof arm->names[j], "j%d", j + 1);
    arm->parameters[j] = (fcps_dimension){.name = arm->names[j], .lower = -1, .upper = 1, .unit = "rad"};
  }
  return (fcps_problem){.target = {2, long_arm_target},
                        .parameters = {joints, arm->parameters},
                        .outcome = {2, long_arm_outcome},
                        .reward = long_arm_reward};
}

static inline void long_arm_reach(const long_arm *arm, const double *parameters, double *hand)
{
  double angle = 0;
  hand[0] = hand[1] = 0;
  for (int j = 0; j < arm->joints; j++) {
    angle += parameters[j];
    hand[0] += cos(angle) / arm->joints;
    hand[1] += sin(angle) / arm->joints;
  }
}

#endif
