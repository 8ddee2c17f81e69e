/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/learner/policy_search/crkr.c and src/policy/kernel_regression.c: closed form, learning and resuming. */
#include "learner/learner_impl.h"
#include "policy/fitted.h"
#include "resuming.h"

static void add(fcps_regression_policy *r, double mark, double tilt, double speed, double land)
{
  const double wind = 0.05, parameters[2] = {tilt, speed};
  const fcps_rollout rollout = {.target = &mark,
                                .environment = &wind,
                                .parameters = parameters,
                                .outcome = &land,
                                .reward = throwing_reward_of(mark, speed, land)};
  assert_ok(fcps_rollouts_add(&r->samples, &rollout));
}

/* Two rollouts: (K + lambda C)^-1 by hand. */
static void two_rollouts_give_the_closed_form(void **state)
{
  (void)state;
  const double width = 0.4, lambda = 0.5, temperature = 0.7, mark = 0.2, wind = -0.1;
  fcps_regression_policy r;
  fcps_error error;
  double x[2], spread;
  assert_ok(fcps_regression_policy_create(&r, &throwing, false, width, lambda, temperature));
  assert_ok(fcps_regression_policy_predict(&r, 0, &mark, &wind, x, &spread, &error));
  assert_near(x[0], 0.5, 0); /* nothing known: the middle */
  assert_near(spread, sqrt(1 + lambda), 1e-12);

  add(&r, -0.4, 0.2, 0.9, -0.4);
  add(&r, 0.8, 0.7, 0.3, 0.1);
  assert_ok(fcps_regression_policy_predict(&r, 0, &mark, &wind, x, &spread, &error));
  /* unit contexts: wind (0.05 + 0.2)/0.4, the query's (-0.1 + 0.2)/0.4; marks (m + 1)/2 */
  const double dw = 0.625 - 0.25, m[2] = {0.3, 0.9}, q = 0.6, two = 2 * width * width;
  const double k[2] = {exp(-(dw * dw + pow(m[0] - q, 2)) / two), exp(-(dw * dw + pow(m[1] - q, 2)) / two)};
  const double between = exp(-pow(m[1] - m[0], 2) / two);
  const double rewards[2] = {throwing_reward_of(-0.4, 0.9, -0.4), throwing_reward_of(0.8, 0.3, 0.1)};
  const double deviation = fabs(rewards[0] - rewards[1]) / 2, loss = rewards[0] - rewards[1];
  assert_true(loss > 0);
  const double a = 1 + lambda, b = between, d = 1 + lambda * exp(loss / (temperature * deviation));
  const double det = a * d - b * b, w[2] = {(d * k[0] - b * k[1]) / det, (a * k[1] - b * k[0]) / det};
  assert_near(x[0], 0.5 + w[0] * (0.2 - 0.5) + w[1] * (0.7 - 0.5), 1e-12);
  assert_near(x[1], 0.5 + w[0] * (0.9 - 0.5) + w[1] * (0.3 - 0.5), 1e-12);
  assert_near(spread, sqrt(1 + lambda - w[0] * k[0] - w[1] * k[1]), 1e-12);
  fcps_regression_policy_destroy(&r);
}

/* Factored and in one environment, the rollout that landed nearest to the query's mark counts most, whatever its
 * own. */
static void factored_costs_are_those_of_the_query(void **state)
{
  (void)state;
  fcps_regression_policy r;
  fcps_error error;
  const double wind = 0.05, marks[2] = {-0.5, 0.5};
  double x[2], spread;
  assert_ok(fcps_regression_policy_create(&r, &throwing, true, 0.3, 1e-3, 0.05));
  add(&r, 0.5, 0.2, 0.5, -0.5); /* both missed what they were thrown at */
  add(&r, -0.5, 0.8, 0.5, 0.5);
  for (int i = 0; i < 2; i++) {
    assert_ok(fcps_regression_policy_predict(&r, 0, marks + i, &wind, x, &spread, &error));
    assert_near(x[0], i == 0 ? 0.2 : 0.8, 1e-3);
  }
  assert_ok(fcps_regression_policy_predict(&r, 1, marks, &wind, x, &spread, &error));
  assert_near(x[0], 0.8, 1e-3); /* the first is forgotten */
  fcps_regression_policy_destroy(&r);
}

static const fcps_setting factored[] = {{"factored", "on"}, {NULL, NULL}};
static const fcps_setting hindsight[] = {{"hindsight", "on"}, {"memory", "20"}, {NULL, NULL}};

static double learnt(const fcps_setting *settings, int episodes)
{
  fcps_error error;
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL, *loaded = NULL;
  char *text = NULL;
  double parameters[2], again[2], sum = 0;
  assert_ok(fcps_learner_create(&learner, &throwing, "crkr", settings, 1001, &error));
  for (int i = 0; i < episodes; i++)
    assert_ok(throwing_episode(learner, i, parameters));
  assert_ok(fcps_learner_policy(learner, &policy));
  assert_ok(fcps_policy_save(policy, &text, &error));
  assert_ok(fcps_policy_load(&loaded, &throwing, text, &error));
  for (int i = 0; i < 50; i++) {
    double mark, wind;
    throwing_context(1000 + i, &mark, &wind);
    assert_ok(fcps_policy_query(policy, &mark, &wind, parameters, NULL));
    assert_ok(fcps_policy_query(loaded, &mark, &wind, again, NULL)); /* a saved policy answers the same */
    assert_memory_equal(parameters, again, sizeof again);
    sum += throwing_reward_of(mark, parameters[1], throwing_land(wind, parameters)) / 50;
  }
  fcps_free(text);
  fcps_policy_destroy(loaded);
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
  return sum;
}

static void it_learns_to_throw_with_all_kinds_of_training_samples(void **state)
{
  (void)state;
  assert_true(learnt(NULL, 0) < -0.4);
  assert_true(learnt(NULL, 400) > -0.3);
  assert_true(learnt(hindsight, 100) > -0.3);
  assert_true(learnt(factored, 100) > -0.25);
}

static void a_damaged_policy_is_refused(void **state)
{
  (void)state;
  fcps_regression_policy r;
  fcps_policy *policy = NULL, *loaded = NULL;
  fcps_error error;
  char *text = NULL;
  fcps_problem told = throwing;
  told.reward = NULL;
  assert_ok(fcps_regression_policy_create(&r, &throwing, true, 0.3, 1e-3, 0.05));
  add(&r, 0.5, 0.2, 0.5, -0.5);
  assert_ok(fcps_policy_create_kernel_regression(&policy, &r, 0, &error));
  assert_ok(fcps_policy_save(policy, &text, &error));
  assert_status(fcps_policy_load(&loaded, &told, text, &error), FCPS_ERR_UNSUPPORTED);
  char *numbers = strstr(text, "\"numbers\"");
  assert_non_null(numbers);
  numbers[1] = 'm';
  assert_status(fcps_policy_load(&loaded, &throwing, text, &error), FCPS_ERR_FORMAT);
  fcps_free(text);
  fcps_policy_destroy(policy);
  fcps_regression_policy_destroy(&r);
}

static void resumed_learners_go_on_with_the_same_bits(void **state)
{
  (void)state;
  check_resumes(&throwing, "crkr", NULL, 30);
  check_resumes(&throwing, "crkr", hindsight, 30);
  check_resumes(&throwing, "crkr", factored, 30);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_rollouts_give_the_closed_form),
      cmocka_unit_test(factored_costs_are_those_of_the_query),
      cmocka_unit_test(it_learns_to_throw_with_all_kinds_of_training_samples),
      cmocka_unit_test(a_damaged_policy_is_refused),
      cmocka_unit_test(resumed_learners_go_on_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
