/* SPDX-License-Identifier: Apache-2.0 */
/* A reward without a value is never predicted as a good one: the prediction says that there is none. */
#include "check.h"

#include <fcps/learner.h>

#include <math.h>
#include <stdlib.h>

static const fcps_dimension target[] = {{.name = "x", .lower = 0, .upper = 1}};
static const fcps_dimension parameters[] = {{.name = "p", .lower = 0, .upper = 1}};
static const fcps_dimension outcome[] = {{.name = "o"}};

/* -sqrt(x - o): no value if the outcome is beyond the target. */
static fcps_status root(void *user, int count, const double *x, const double *environments, const double *p,
                        const double *o, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)p;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i] ? -sqrt(x[0] - o[i]) : NAN;
  return FCPS_OK;
}

/* -exp(100000 |x - o|): overflows nearly everywhere. */
static fcps_status steep(void *user, int count, const double *x, const double *environments, const double *p,
                         const double *o, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)p;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i] ? -exp(100000.0 * fabs(x[0] - o[i])) : NAN;
  return FCPS_OK;
}

/* A policy after eleven trials whose outcomes are their parameters: 0.02, 0.108, ... 0.9. */
static fcps_policy *learn(const char *name, fcps_reward_fn *reward)
{
  const fcps_problem problem = {
      .target = {1, target}, .parameters = {1, parameters}, .outcome = {1, outcome}, .reward = reward};
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL;
  assert_ok(fcps_learner_create(&learner, &problem, name, NULL, 1, NULL));
  for (int i = 0; i <= 10; i++) {
    const double x = 0.5, p = 0.02 + 0.088 * i;
    const fcps_rollout rollout = {.target = &x, .parameters = &p, .outcome = &p};
    assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  fcps_learner_destroy(learner);
  return policy;
}

/* The same answer alone and in a batch. */
static double predict(fcps_policy *policy, double x, double *p)
{
  const double both[] = {x, 0.5};
  double ps[2], rewards[2], deviations[2], o, deviation;
  fcps_prediction prediction = {.outcome = &o, .outcome_deviation = &deviation};
  assert_ok(fcps_policy_query(policy, &x, NULL, p, &prediction));
  assert_ok(fcps_policy_query_batch(policy, 2, both, NULL, ps, rewards, deviations));
  assert_true(prediction.has_reward);
  assert_true(*p >= 0.0 && *p <= 1.0);
  assert_int_equal(isnan(prediction.reward), isnan(prediction.reward_deviation));
  assert_int_equal(isnan(prediction.reward), isnan(rewards[0]));
  assert_int_equal(isnan(prediction.reward), isnan(deviations[0]));
  return prediction.reward;
}

static void no_reward_is_predicted_where_none_has_a_value(void **state)
{
  (void)state;
  static const char *const names[] = {"outcome", "bo-fcps"};
  for (int i = 0; i < 2; i++) {
    double p;
    fcps_policy *policy = learn(names[i], root);
    const double reward = predict(policy, 0.01, &p); /* no trial was below the target */
    if (!isnan(reward) && !(p < 0.01))
      fail_msg("%s predicts %g at %g, where the reward has no value", names[i], reward, p);
    assert_true(predict(policy, 0.5, &p) < 0.0);
    fcps_policy_destroy(policy);
  }
}

static void a_reward_that_overflows_is_not_predicted_as_zero(void **state)
{
  (void)state;
  double p;
  fcps_policy *policy = learn("outcome", steep);
  for (double x = 0.05; x < 1.0; x += 0.1) {
    const double reward = predict(policy, x, &p);
    if (reward >= 0.0) fail_msg("%g is predicted for target %g at %g", reward, x, p);
  }
  fcps_policy_destroy(policy);
}

static void parameters_with_a_value_are_chosen_before_others(void **state)
{
  (void)state;
  fcps_policy *policy = learn("outcome", root);
  for (double x = 0.03; x < 1.0; x += 0.06) {
    double p;
    const double reward = predict(policy, x, &p);
    assert_true(p <= x + 0.01);
    if (p < x - 0.01) assert_true(reward < 0.0);
  }
  fcps_policy_destroy(policy);
}

/* -|x - o|, and -30 without an outcome. */
static fcps_status present_or_not(void *user, int count, const double *x, const double *environments, const double *p,
                                  const double *o, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)p;
  for (int i = 0; i < count; i++)
    rewards[i] = present[i] ? -fabs(x[0] - o[i]) : -30.0;
  return FCPS_OK;
}

/* Three failed trials and two without an outcome; `has_one`: and one with an outcome. */
static fcps_policy *learn_from_nothing(bool has_one)
{
  const fcps_problem problem = {
      .target = {1, target}, .parameters = {1, parameters}, .outcome = {1, outcome}, .reward = present_or_not};
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", NULL, 1, NULL));
  for (int i = 0; i < 5 + has_one; i++) {
    const double x = 0.5, p = 0.1 + 0.15 * i;
    const fcps_rollout rollout = {.target = &x,
                                  .parameters = &p,
                                  .outcome = i == 5 ? &p : NULL,
                                  .status = i < 3 ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK};
    assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  fcps_learner_destroy(learner);
  return policy;
}

static void nothing_is_predicted_before_the_first_outcome(void **state)
{
  (void)state;
  for (int outside = 0; outside < 2; outside++) {
    const double x = outside ? 1.5 : 0.5;
    double p, o, sd, ps, reward, deviation, reducible, success, chance, ends_well, ends_well_deviation;
    fcps_prediction prediction = {.outcome = &o, .outcome_deviation = &sd};
    const fcps_predictions many = {&reward, &deviation, &reducible,           &success,
                                   &chance, &ends_well, &ends_well_deviation, NULL};
    fcps_policy *policy = learn_from_nothing(false);
    assert_ok(fcps_policy_query(policy, &x, NULL, &p, &prediction));
    assert_ok(fcps_policy_predict_batch(policy, 1, &x, NULL, &ps, &many));
    assert_true(prediction.has_reward && !prediction.has_outcome);
    assert_true(isnan(prediction.reward) && isnan(prediction.reward_deviation) && isnan(prediction.success_reward));
    assert_true(isnan(prediction.reducible_deviation) && isnan(prediction.success_reward_deviation));
    assert_true(isnan(reward) && isnan(deviation) && isnan(reducible));
    assert_true(isnan(ends_well) && isnan(ends_well_deviation));
    assert_true(prediction.chance_of_success > 0.0 && prediction.chance_of_success < 1.0);
    assert_true(prediction.chance_of_outcome > 0.0 && prediction.chance_of_outcome < 1.0);
    assert_true(success == prediction.chance_of_success && chance == prediction.chance_of_outcome && ps == p);
    fcps_policy_destroy(policy);
    policy = learn_from_nothing(true);
    assert_ok(fcps_policy_query(policy, &x, NULL, &p, &prediction));
    assert_true(prediction.has_reward && prediction.has_outcome && isfinite(prediction.reward));
    fcps_policy_destroy(policy);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_predicted_before_the_first_outcome),
      cmocka_unit_test(no_reward_is_predicted_where_none_has_a_value),
      cmocka_unit_test(a_reward_that_overflows_is_not_predicted_as_zero),
      cmocka_unit_test(parameters_with_a_value_are_chosen_before_others),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
