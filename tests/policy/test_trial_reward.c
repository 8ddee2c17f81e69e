/* SPDX-License-Identifier: Apache-2.0 */
/* The predicted reward is that of a trial: of an outcome with its noise, not of the expected outcome. */
#include "base/rng.h"
#include "check.h"
#include "policy/policy_impl.h"
#include "space/space.h"

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

/* Half a unit of noise: the mean miss is at least 0.4. */
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

/* A trial's outcome in the policy's own model, widened by a factor; returns the expected reward. */
static double expect(fcps_policy *policy, const double *goal, const double *chosen, double widening, double *mean,
                     double *deviation)
{
  const double factors[] = {widening, widening};
  const fcps_penalty_view trial = {.is_sober = true, .widening = factors};
  fcps_posterior *posterior = NULL;
  fcps_error error;
  double x[1], reward, spread;
  assert_ok(fcps_posterior_create(&posterior, policy->ops->model(policy), goal, NULL, &error));
  fcps_space_to_unit(&policy->problem.parameters, chosen, x);
  fcps_posterior_set_view(posterior, trial);
  fcps_posterior_moments(posterior, 1, x, &reward, &spread);
  assert_true(fcps_posterior_outcome(posterior, x, mean, deviation) && spread > 0.0);
  fcps_posterior_destroy(posterior);
  return reward;
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
    fcps_prediction prediction = {0};
    const fcps_predictions batch = {.rewards = &reward, .reward_deviations = &spread};
    assert_ok(fcps_policy_query(policy, goal, NULL, chosen, &prediction));
    const double expected = expect(policy, goal, chosen, 1.0, mean, deviation);
    assert_true(deviation[0] > 0.3);
    assert_near(expected, -folded_normal(mean[0] - goal[0], deviation[0]), 1e-9);
    /* the widening for a fit that is too sure changes only the deviation */
    const double narrow = deviation[0];
    assert_near(expect(policy, goal, chosen, 2.0, mean, deviation), expected, 1e-12);
    assert_near(deviation[0], 2.0 * narrow, 1e-12);
    /* the same is predicted alone, in a batch, with and without deviations */
    assert_near(prediction.reward, expected, 1e-9);
    assert_near(prediction.success_reward, expected, 1e-9);
    assert_ok(fcps_policy_predict_batch(policy, 1, goal, NULL, chosen, &batch));
    assert_near(reward, expected, 1e-9);
    assert_near(spread, prediction.reward_deviation, 1e-9);
    assert_ok(fcps_policy_predict_batch(policy, 1, goal, NULL, chosen, &(fcps_predictions){.rewards = &reward}));
    assert_near(reward, expected, 1e-9);
  }
  fcps_policy_destroy(policy);
}

/* -- Outcomes that share a GP -- */

static fcps_status first_miss(void *user, int count, const double *target, const double *environments,
                              const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)target, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -(outcomes[4 * i] - 0.3) * (outcomes[4 * i] - 0.3);
  return FCPS_OK;
}

/* Three exact outcomes and one that is noise alone. */
static void happen(fcps_rng *rng, double *parameters, double *outcome)
{
  fcps_rng_uniforms(rng, 2, parameters);
  const double a = parameters[0], b = parameters[1];
  outcome[0] = sin(3.0 * a) + b * b;
  outcome[1] = a * b;
  outcome[2] = exp(a - b);
  outcome[3] = fcps_rng_normal(rng);
}

static void each_outcome_is_as_unsure_as_its_own_errors(void **state)
{
  enum { STUDIES = 6, RESULTS = 30, NEW = 100 };
  (void)state;
  const fcps_dimension parameters[] = {{.name = "a", .upper = 1}, {.name = "b", .upper = 1}};
  const fcps_dimension outcome[] = {{.name = "e"}, {.name = "f"}, {.name = "g"}, {.name = "n"}};
  const fcps_problem problem = {.parameters = {2, parameters}, .outcome = {4, outcome}, .reward = first_miss};
  const fcps_setting together[] = {{"separate", "off"}, {NULL, NULL}};
  double spread = 0.0;
  for (int s = 0; s < STUDIES; s++) {
    fcps_learner *learner;
    fcps_policy *policy;
    fcps_error error;
    double x[2], told[4], mean[4], deviation[4];
    fcps_rng rng = fcps_rng_stream((uint64_t)s, FCPS_PURPOSE_TEST, 0);
    assert_ok(fcps_learner_create(&learner, &problem, "outcome", together, 1, &error));
    for (int i = 0; i < RESULTS; i++) {
      happen(&rng, x, told);
      assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &(fcps_rollout){.parameters = x, .outcome = told}));
    }
    assert_ok(fcps_learner_policy(learner, &policy));
    for (int i = 0; i < NEW; i++) {
      fcps_prediction prediction = {.outcome = mean, .outcome_deviation = deviation};
      happen(&rng, x, told);
      assert_ok(fcps_policy_predict_at(policy, NULL, NULL, x, &prediction));
      spread += deviation[3] / (STUDIES * NEW);
      assert_true(deviation[1] < 0.3); /* its range is 1 */
    }
    fcps_policy_destroy(policy);
    fcps_learner_destroy(learner);
  }
  assert_in_range((int)(100 * spread), 85, 130); /* 0.72 if all outcomes had one factor */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reward_with_a_kink_is_expected_to_be_less_with_noise),
      cmocka_unit_test(each_outcome_is_as_unsure_as_its_own_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
