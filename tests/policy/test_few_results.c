/* SPDX-License-Identifier: Apache-2.0 */
/* A policy from few results reports how little it knows. */
#include "base/rng.h"
#include "check.h"
#include "toy.h"

#include <fcps/fcps.h>

#include <math.h>

/* Landings in an unusual unit: without a second result their size is unknown. */
static const double unit = 250.0;

static int inside, all; /* of the outcomes in new trials */

static fcps_policy *learn(int seed, int results)
{
  fcps_problem problem = toy_problem();
  fcps_rng rng = fcps_rng_stream((uint64_t)seed, FCPS_PURPOSE_TEST, 0);
  fcps_learner *learner;
  fcps_policy *policy;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", NULL, (uint64_t)seed, NULL));
  for (int i = 0; i < results; i++) {
    const double target[2] = {2 * fcps_rng_uniform(&rng) - 1, 2 * fcps_rng_uniform(&rng) - 1};
    const double wind[1] = {0.6 * fcps_rng_uniform(&rng) - 0.3};
    double parameters[2], outcome[2];
    int64_t id;
    assert_ok(fcps_learner_ask(learner, target, wind, parameters, &id));
    toy_throw(wind, parameters, outcome);
    outcome[0] *= unit;
    outcome[1] *= unit;
    const fcps_rollout rollout = {.target = target, .environment = wind, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  fcps_learner_destroy(learner);
  return policy;
}

/* Compares predictions in new contexts with the trials there. */
static void try_policy(fcps_policy *policy)
{
  fcps_rng rng = fcps_rng_stream(7, FCPS_PURPOSE_TEST, 1);
  for (int i = 0; i < 10; i++) {
    const double target[2] = {2 * fcps_rng_uniform(&rng) - 1, 2 * fcps_rng_uniform(&rng) - 1};
    const double wind[1] = {0.6 * fcps_rng_uniform(&rng) - 0.3};
    double parameters[2], outcome[2], deviation[2], truth[2], batch[3];
    fcps_prediction prediction = {.outcome = outcome, .outcome_deviation = deviation};
    assert_ok(fcps_policy_query(policy, target, wind, parameters, &prediction));
    toy_throw(wind, parameters, truth);
    for (int o = 0; o < 2; o++, all++)
      inside += fabs(unit * truth[o] - outcome[o]) <= 1.96 * deviation[o];
    /* the same alone, in a batch, and without a question for the reward */
    const fcps_predictions wanted = {
        .reward_deviations = batch, .reducible_deviations = batch + 1, .success_reward_deviations = batch + 2};
    assert_ok(fcps_policy_predict_batch(policy, 1, target, wind, parameters, &wanted));
    assert_near(batch[0], prediction.reward_deviation, 1e-9 * batch[0]);
    assert_near(batch[1], prediction.reducible_deviation, 1e-9 * batch[1]);
    assert_near(batch[2], prediction.success_reward_deviation, 1e-9 * batch[2]);
  }
}

static void intervals_of_few_results_hold(void **state)
{
  (void)state;
  for (int results = 1; results <= 8; results++) {
    inside = all = 0;
    for (int seed = 1000; seed < 1008; seed++) {
      fcps_policy *policy = learn(seed, results);
      try_policy(policy);
      fcps_policy_destroy(policy);
    }
    assert_true(inside > 0.8 * all);
  }
}

/* The toy has three inputs. */
static void a_policy_says_how_many_results_it_lacks(void **state)
{
  (void)state;
  for (int results = 0; results < 7; results++) {
    fcps_policy *policy = learn(1000, results);
    const double target[2] = {0.2, -0.3}, wind[1] = {0.1};
    double parameters[2];
    fcps_prediction prediction = {0};
    const int lacking = results < 5 ? 5 - results : 0;
    assert_int_equal(fcps_policy_lacking_results(policy), lacking);
    assert_ok(fcps_policy_query(policy, target, wind, parameters, &prediction));
    assert_int_equal(prediction.lacking_results, lacking);
    fcps_policy_destroy(policy);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intervals_of_few_results_hold),
      cmocka_unit_test(a_policy_says_how_many_results_it_lacks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
