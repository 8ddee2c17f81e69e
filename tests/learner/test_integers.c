/* SPDX-License-Identifier: Apache-2.0 */
/* Integer parameters: the other parameters are chosen for the integer that is tried, not for a number near it. */
#include "base/rng.h"
#include "check.h"

#include <fcps/learner.h>

#include <math.h>

static const fcps_dimension wish[] = {{.name = "wish", .lower = 0.1, .upper = 0.9}};
static const fcps_dimension gear[] = {{.name = "share", .lower = 0, .upper = 1},
                                      {.name = "teeth", .lower = 1, .upper = 5, .scale = FCPS_SCALE_INTEGER}};
static const fcps_dimension turned[] = {{.name = "turned"}};

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -fabs(outcomes[i] - target[0]);
  return FCPS_OK;
}

static fcps_status same(void *user, int count, const double *environments, const double *outcomes, double *targets)
{
  (void)user, (void)environments;
  for (int i = 0; i < count; i++)
    targets[i] = outcomes[i];
  return FCPS_OK;
}

static const fcps_problem open_form = {
    .target = {1, wish}, .parameters = {2, gear}, .outcome = {1, turned}, .reward = reward};
static const fcps_problem closed_form = {.target = {1, wish},
                                         .parameters = {2, gear},
                                         .outcome = {1, turned},
                                         .reward = reward,
                                         .achieved = same,
                                         .is_distance = true};

static double turn(const double *parameters)
{
  return 0.2 * parameters[1] * parameters[0];
}

/* The mean miss of trials 31 to 60. */
static double learn(fcps_learner *learner)
{
  double misses = 0;
  for (int episode = 0; episode < 60; episode++) {
    fcps_rng rng = fcps_rng_stream(1000, FCPS_PURPOSE_TEST, (uint64_t)episode);
    const double target[1] = {0.1 + 0.8 * fcps_rng_uniform(&rng)};
    double parameters[2];
    int64_t id;
    assert_ok(fcps_learner_ask(learner, target, NULL, parameters, &id));
    assert_true(parameters[1] == floor(parameters[1]));
    const double outcome[1] = {turn(parameters)};
    const fcps_rollout rollout = {.target = target, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
    if (episode >= 30) misses += fabs(outcome[0] - target[0]) / 30;
  }
  return misses;
}

/* The mean miss of the policy, one context after the other and together: both give the same answers. */
static double miss_of_policy(fcps_policy *policy)
{
  enum { CONTEXTS = 20 };
  double targets[CONTEXTS], together[2 * CONTEXTS], rewards[CONTEXTS], misses = 0;
  for (int i = 0; i < CONTEXTS; i++)
    targets[i] = 0.11 + 0.04 * i;
  assert_ok(fcps_policy_query_batch(policy, CONTEXTS, targets, NULL, together, rewards, NULL));
  for (int i = 0; i < CONTEXTS; i++) {
    double alone[2];
    fcps_prediction prediction = {0};
    assert_ok(fcps_policy_query(policy, targets + i, NULL, alone, &prediction));
    assert_near(alone[0], together[2 * i], 1e-6);
    assert_near(alone[1], together[2 * i + 1], 0);
    assert_near(prediction.reward, rewards[i], 1e-6);
    misses += fabs(turn(alone) - targets[i]) / CONTEXTS;
  }
  return misses;
}

static void check(const fcps_problem *problem, const char *name, const fcps_setting *settings, double asked,
                  double answered)
{
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL;
  fcps_error error;
  assert_ok(fcps_learner_create(&learner, problem, name, settings, 1000, &error));
  const double miss = learn(learner);
  assert_ok(fcps_learner_policy(learner, &policy));
  const double left = miss_of_policy(policy);
  print_message("%s: asks miss by %.5f, the policy by %.5f\n", name, miss, left);
  assert_true(miss < asked && left < answered);
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
}

static void the_rest_is_turned_to_the_integer(void **state)
{
  (void)state;
  const fcps_setting draw[] = {{"acquisition", "thompson"}, {NULL, NULL}};
  const fcps_setting improvement[] = {{"acquisition", "ei"}, {NULL, NULL}};
  check(&closed_form, "outcome", NULL, 0.003, 0.002);
  check(&open_form, "outcome", NULL, 0.003, 0.002);
  check(&open_form, "outcome", draw, 0.01, 0.002);
  check(&open_form, "outcome", improvement, 1, 0.002); /* if no improvement is left, asks may be anywhere */
}

/* a search without slopes steps from integer to integer */
static void information_is_sought_at_integers(void **state)
{
  (void)state;
  const fcps_setting values[] = {{"acquisition", "mes"}, {NULL, NULL}};
  check(&open_form, "bo-fcps", values, 0.1, 0.1);
}

/* the first trials help no target in particular and get the middle of each dimension, on its own scale */
static void targets_that_are_handed_out_are_whole_and_in_the_middle_of_their_scale(void **state)
{
  (void)state;
  const fcps_dimension targets[] = {{.name = "bin", .lower = 0, .upper = 3, .scale = FCPS_SCALE_INTEGER},
                                    {.name = "pitch", .lower = 1, .upper = 1e4, .scale = FCPS_SCALE_LOG},
                                    {.name = "wish", .lower = 0.1, .upper = 0.9}};
  fcps_problem problem = open_form;
  problem.target = (fcps_space){3, targets};
  fcps_learner *learner = NULL;
  fcps_error error;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome-active", NULL, 1000, &error));
  for (int episode = 0; episode < 9; episode++) {
    double target[3], parameters[2];
    int64_t id;
    assert_ok(fcps_learner_choose(learner, NULL, target, NULL, parameters, &id));
    assert_true(target[0] == floor(target[0]) && target[0] >= 0 && target[0] <= 3);
    if (episode == 0) {
      assert_near(target[1], 100, 1e-12);
      assert_true(target[2] == 0.5 * (0.1 + 0.9));
    }
    const double outcome[1] = {turn(parameters)};
    const fcps_rollout rollout = {.target = target, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  fcps_learner_destroy(learner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rest_is_turned_to_the_integer),
      cmocka_unit_test(information_is_sought_at_integers),
      cmocka_unit_test(targets_that_are_handed_out_are_whole_and_in_the_middle_of_their_scale),
  };
  return cmocka_run_group_tests_name("learner/integers", tests, NULL, NULL);
}
