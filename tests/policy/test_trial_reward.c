/* SPDX-License-Identifier: Apache-2.0 */
/* The predicted reward is that of a trial: of an outcome with its noise, not of the expected outcome. */
#include "base/rng.h"
#include "check.h"

#include <fcps/fcps.h>

#include <math.h>
#include <string.h>

enum { TRIALS = 30 };

/* Minus the distance on a line. */
static fcps_status miss(void *user, int count, const double *target, const double *environments,
                        const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -fabs(outcomes[i] - target[0]);
  return FCPS_OK;
}

static fcps_status reached(void *user, int count, const double *environments, const double *outcomes, double *targets)
{
  (void)user, (void)environments;
  memcpy(targets, outcomes, (size_t)count * sizeof *targets);
  return FCPS_OK;
}

/* The mean of |z| for z ~ N(mean, deviation^2). */
static double folded_normal(double mean, double deviation)
{
  const double ratio = mean / deviation;
  return deviation * sqrt(2 / 3.14159265358979323846) * exp(-0.5 * ratio * ratio) + mean * erf(ratio / sqrt(2));
}

/* Half a unit of noise: nobody can hit better than by 0.4 on average. */
static fcps_policy *learn(const fcps_problem *problem)
{
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  fcps_learner *learner;
  fcps_policy *policy;
  fcps_error error;
  assert_ok(fcps_learner_create(&learner, problem, "outcome", NULL, 1001, &error));
  for (int i = 0; i < TRIALS; i++) {
    const double target[1] = {10 * fcps_rng_uniform(&rng)};
    double parameters[1], outcome[1];
    int64_t id;
    assert_ok(fcps_learner_ask(learner, target, NULL, parameters, &id));
    outcome[0] = 2 * parameters[0] + 0.5 * fcps_rng_normal(&rng);
    const fcps_rollout rollout = {.target = target, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  fcps_learner_destroy(learner);
  return policy;
}

static void a_reward_with_a_kink_is_expected_to_be_less_with_noise(void **state)
{
  (void)state;
  const fcps_dimension target[] = {{.name = "goal", .lower = 0, .upper = 10}};
  const fcps_dimension parameters[] = {{.name = "push", .lower = 0, .upper = 5}};
  const fcps_dimension outcome[] = {{.name = "way"}};
  const fcps_problem problem = {.target = {1, target},
                                .parameters = {1, parameters},
                                .outcome = {1, outcome},
                                .reward = miss,
                                .achieved = reached,
                                .is_distance = true};
  fcps_policy *policy = learn(&problem);
  for (int i = 1; i < 10; i++) {
    const double goal[1] = {i};
    double chosen[1], mean[1], deviation[1], reward, spread;
    fcps_prediction prediction = {.outcome = mean, .outcome_deviation = deviation};
    const fcps_predictions batch = {.rewards = &reward, .reward_deviations = &spread};
    assert_ok(fcps_policy_query(policy, goal, NULL, chosen, &prediction));
    assert_true(prediction.has_reward && prediction.has_outcome && deviation[0] > 0.3);
    assert_near(prediction.reward, -folded_normal(mean[0] - goal[0], deviation[0]), 1e-9);
    assert_near(prediction.success_reward, prediction.reward, 1e-12);
    /* asked for alone, in a batch, with and without deviations */
    assert_ok(fcps_policy_predict_batch(policy, 1, goal, NULL, chosen, &batch));
    assert_near(reward, prediction.reward, 1e-9);
    assert_ok(fcps_policy_predict_batch(policy, 1, goal, NULL, chosen, &(fcps_predictions){.rewards = &reward}));
    assert_near(reward, prediction.reward, 1e-9);
  }
  fcps_policy_destroy(policy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reward_with_a_kink_is_expected_to_be_less_with_noise),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
