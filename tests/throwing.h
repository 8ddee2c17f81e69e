/* SPDX-License-Identifier: Apache-2.0 */
/* A problem small enough for tests of learners: throw to a mark on a line, in wind.
 *   land = 2 speed tilt (2 - tilt) + wind - 1,   reward = -|mark - land| - 0.1 speed
 */
#ifndef FCPS_TESTS_THROWING_H
#define FCPS_TESTS_THROWING_H

#include <fcps/learner.h>

#include <math.h>

static const fcps_dimension throwing_target[] = {{.name = "mark", .lower = -1, .upper = 1}};
static const fcps_dimension throwing_environment[] = {{.name = "wind", .lower = -0.2, .upper = 0.2}};
static const fcps_dimension throwing_parameters[] = {{.name = "tilt", .lower = 0, .upper = 1},
                                                     {.name = "speed", .lower = 0, .upper = 1}};
static const fcps_dimension throwing_outcome[] = {{.name = "land", .lower = -2, .upper = 2}};

static inline double throwing_reward_of(double mark, double speed, double land)
{
  return -fabs(mark - land) - 0.1 * speed;
}

static inline fcps_status throwing_reward(void *user, int count, const double *target, const double *environments,
                                          const double *parameters, const double *outcomes, const bool *present,
                                          double *rewards)
{
  (void)user, (void)environments;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i] ? throwing_reward_of(target[0], parameters[2 * i + 1], outcomes[i]) : NAN;
  return FCPS_OK;
}

static inline fcps_status throwing_achieved(void *user, int count, const double *environments, const double *outcomes,
                                            double *targets)
{
  (void)user, (void)environments;
  for (int i = 0; i < count; i++)
    targets[i] = outcomes[i];
  return FCPS_OK;
}

static const fcps_problem throwing = {.target = {1, throwing_target},
                                      .environment = {1, throwing_environment},
                                      .parameters = {2, throwing_parameters},
                                      .outcome = {1, throwing_outcome},
                                      .reward = throwing_reward,
                                      .achieved = throwing_achieved};

static inline double throwing_land(double wind, const double *parameters)
{
  return 2.0 * parameters[1] * parameters[0] * (2.0 - parameters[0]) + wind - 1.0;
}

/* The context of an episode: irregular, but the same for everybody. */
static inline void throwing_context(int episode, double *mark, double *wind)
{
  *mark = fmod(0.37 + 0.618034 * episode, 1.0) * 2.0 - 1.0;
  *wind = fmod(0.11 + 0.414214 * episode, 1.0) * 0.4 - 0.2;
}

/* Asks, throws and tells. Rewards are in the rollout, too, for problems that are told them. */
static inline fcps_status throwing_episode(fcps_learner *learner, int episode, double *parameters)
{
  double mark, wind;
  int64_t id;
  throwing_context(episode, &mark, &wind);
  fcps_status status = fcps_learner_ask(learner, &mark, &wind, parameters, &id);
  if (status != FCPS_OK) return status;
  const double land = throwing_land(wind, parameters);
  const fcps_rollout rollout = {.target = &mark,
                                .environment = &wind,
                                .parameters = parameters,
                                .outcome = &land,
                                .reward = throwing_reward_of(mark, parameters[1], land),
                                .hindsight_reward = throwing_reward_of(land, parameters[1], land)};
  return fcps_learner_tell(learner, id, &rollout);
}

/* What the learner's policy earns, on average over 50 contexts that no episode had; NaN when it fails. */
static inline double throwing_mean_reward(fcps_learner *learner)
{
  fcps_policy *policy = NULL;
  fcps_status status = fcps_learner_policy(learner, &policy);
  double sum = 0;
  for (int i = 0; i < 50 && status == FCPS_OK; i++) {
    double mark, wind, parameters[2];
    throwing_context(1000 + i, &mark, &wind);
    status = fcps_policy_query(policy, &mark, &wind, parameters, NULL);
    sum += throwing_reward_of(mark, parameters[1], throwing_land(wind, parameters)) / 50;
  }
  fcps_policy_destroy(policy);
  return status == FCPS_OK ? sum : NAN;
}

#endif
