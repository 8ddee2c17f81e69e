/* SPDX-License-Identifier: Apache-2.0 */
/* A problem small enough to know by heart: throw in a direction, to a distance, with a wind along x.
 *
 *   outcome = distance (cos angle, sin angle) + (wind, 0),   reward = -|target - outcome| - 0.1 distance
 */
#ifndef FCPS_TESTS_TOY_H
#define FCPS_TESTS_TOY_H

#include <fcps/problem.h>

#include <math.h>

static const fcps_dimension toy_target[] = {{"x", -1, 1, 0, FCPS_SCALE_LINEAR, "m", 0, NULL, NULL},
                                            {"y", -1, 1, 0, FCPS_SCALE_LINEAR, "m", 0, NULL, NULL}};
static const fcps_dimension toy_environment[] = {{"wind", -0.3, 0.3, 0, FCPS_SCALE_LINEAR, "m", 0, NULL, NULL}};
static const fcps_dimension toy_parameters[] = {
    {"angle", 0, 6.283185307179586, 6.283185307179586, FCPS_SCALE_LINEAR, "rad", 0, NULL, NULL},
    {"distance", 0, 1.5, 0, FCPS_SCALE_LINEAR, "m", 0, NULL, NULL}};
static const fcps_dimension toy_outcome[] = {{"land_x", 0, 0, 0, FCPS_SCALE_LINEAR, "m", 0, NULL, NULL},
                                             {"land_y", 0, 0, 0, FCPS_SCALE_LINEAR, "m", 0, NULL, NULL}};

static fcps_status toy_reward(void *user, int count, const double *target, const double *environments,
                              const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user;
  (void)environments;
  for (int i = 0; i < count; i++) {
    const double x = target[0] - outcomes[2 * i], y = target[1] - outcomes[2 * i + 1];
    const double miss = sqrt(x * x + y * y); /* much faster than hypot, and some tests score millions */
    rewards[i] = (present[i] ? -miss : -3.0) - 0.1 * parameters[2 * i + 1];
  }
  return FCPS_OK;
}

static inline fcps_status toy_achieved(void *user, int count, const double *environments, const double *outcomes,
                                       double *targets)
{
  (void)user;
  (void)environments;
  for (int i = 0; i < 2 * count; i++)
    targets[i] = outcomes[i];
  return FCPS_OK;
}

static inline void toy_throw(const double *environment, const double *parameters, double *outcome)
{
  outcome[0] = parameters[1] * cos(parameters[0]) + environment[0];
  outcome[1] = parameters[1] * sin(parameters[0]);
}

static inline fcps_problem toy_problem(void)
{
  return (fcps_problem){.target = {2, toy_target},
                        .environment = {1, toy_environment},
                        .parameters = {2, toy_parameters},
                        .outcome = {2, toy_outcome},
                        .reward = toy_reward,
                        .achieved = toy_achieved};
}

#endif
