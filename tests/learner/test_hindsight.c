/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of hindsight in src/problem/rollouts.c and of the learners that use it: the second rollout, refusals and resuming. */
#include "check.h"
#include "learner/bo/bo.h"
#include "learner/learner_impl.h"
#include "problem/rollouts.h"
#include "resuming.h"

static const fcps_setting with_hindsight[] = {{"hindsight", "on"}, {NULL, NULL}};

static void the_second_rollout_has_the_achieved_target_and_its_reward(void **state)
{
  (void)state;
  const double mark = 0.9, wind = 0.1, parameters[2] = {0.4, 0.7}, land = 1.6; /* outside the marks' bounds */
  const fcps_rollout rollout = {.target = &mark,
                                .environment = &wind,
                                .parameters = parameters,
                                .outcome = &land,
                                .reward = -5,
                                .hindsight_reward = -3};
  double achieved;
  fcps_rollout second;
  bool exists = false;
  fcps_error error;
  assert_ok(fcps_hindsight_rollout(&throwing, &rollout, &achieved, &second, &exists, &error));
  assert_true(exists);
  assert_near(second.target[0], 1.6, 0);
  assert_near(second.reward, -0.07, 1e-12); /* a hit costs only its speed */
  assert_ptr_equal(second.parameters, parameters);

  /* without a reward function the told sample reward counts */
  fcps_problem told = throwing;
  told.reward = NULL;
  assert_ok(fcps_hindsight_rollout(&told, &rollout, &achieved, &second, &exists, &error));
  assert_true(exists);
  assert_near(second.reward, -3, 0);
}

static void nothing_achieved_has_no_second_rollout(void **state)
{
  (void)state;
  const double mark = 0.9, wind = 0.1, parameters[2] = {0.4, 0.7}, land = 0.2, wild = INFINITY;
  fcps_problem told = throwing;
  told.reward = NULL;
  const fcps_rollout absent = {.target = &mark, .environment = &wind, .parameters = parameters};
  fcps_rollout unknown = absent, unusable = absent, failed = absent;
  unknown.outcome = unusable.outcome = failed.outcome = &land;
  unknown.hindsight_reward = NAN;
  unusable.outcome = &wild;
  failed.status = FCPS_ROLLOUT_FAILED;
  const fcps_rollout *all[] = {&absent, &unknown, &unusable, &failed};
  for (int i = 0; i < 4; i++) {
    double achieved;
    fcps_rollout second;
    bool exists = true;
    assert_ok(fcps_hindsight_rollout(&told, all[i], &achieved, &second, &exists, NULL));
    assert_false(exists);
  }
}

static void a_problem_without_achieved_is_refused_with_the_reason(void **state)
{
  (void)state;
  fcps_problem mute = throwing;
  mute.achieved = NULL;
  const char *const names[] = {"bo-fcps-her", "c-reps", "bo-cps"};
  for (int i = 0; i < 3; i++) {
    fcps_error error;
    fcps_learner *learner = NULL;
    assert_status(fcps_learner_create(&learner, &mute, names[i], with_hindsight, 1, &error), FCPS_ERR_UNSUPPORTED);
    assert_null(learner);
    assert_string_equal(error.field, "hindsight");
    assert_non_null(strstr(error.message, "achieved"));
  }
}

static void the_rescored_model_refuses_hindsight(void **state)
{
  (void)state;
  fcps_error error;
  fcps_learner *learner = NULL;
  assert_status(fcps_learner_create(&learner, &throwing, "bo-fcps", with_hindsight, 1, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "hindsight");
}

static fcps_status fail_to_achieve(void *user, int count, const double *environments, const double *outcomes,
                                   double *targets)
{
  (void)user, (void)count, (void)environments, (void)outcomes, (void)targets;
  return FCPS_ERR_CALLBACK;
}

/* the first rollout is not usable (its reward is unknown), and the second one cannot be made */
static void a_refused_rollout_leaves_nothing_in_the_model(void **state)
{
  (void)state;
  fcps_problem told = throwing;
  told.reward = NULL;
  told.achieved = fail_to_achieve;
  fcps_error error;
  fcps_learner *learner = NULL;
  const double mark = 0.9, wind = 0.1, land = 0.2;
  double parameters[2];
  int64_t id;
  assert_ok(fcps_learner_create(&learner, &told, "bo-fcps-her", NULL, 1, &error));
  assert_ok(fcps_learner_ask(learner, &mark, &wind, parameters, &id));
  const fcps_rollout rollout = {.target = &mark,
                                .environment = &wind,
                                .parameters = parameters,
                                .outcome = &land,
                                .reward = NAN,
                                .hindsight_reward = NAN};
  assert_status(fcps_learner_tell(learner, id, &rollout), FCPS_ERR_CALLBACK);
  assert_int_equal(learner->rollouts.count, 0);
  const fcps_model *model = ((const fcps_bo *)learner->state)->model;
  assert_int_equal(model->training.count, 0);
  assert_int_equal(model->others.count, 0);
  fcps_learner_destroy(learner);
}

static double mean_reward(const char *name, const fcps_problem *problem, uint64_t seed)
{
  fcps_error error;
  fcps_learner *learner = NULL;
  double parameters[2];
  assert_ok(fcps_learner_create(&learner, problem, name, NULL, seed, &error));
  for (int i = 0; i < 12; i++)
    assert_ok(throwing_episode(learner, i, parameters));
  const double mean = throwing_mean_reward(learner);
  fcps_learner_destroy(learner);
  return mean;
}

/* Told rewards and computed ones are the same numbers here, so the learners must be the same. */
static void two_told_rewards_are_as_good_as_a_reward_function(void **state)
{
  (void)state;
  fcps_problem told = throwing;
  told.reward = NULL;
  assert_near(mean_reward("bo-fcps-her", &told, 1003), mean_reward("bo-fcps-her", &throwing, 1003), 0);
}

/* The mean of the differences over all seeds is two standard errors above zero, and does not depend on one seed. */
static void hindsight_helps_with_few_throws(void **state)
{
  (void)state;
  enum { SEEDS = 40, FIRST = 1001 };
  double sum = 0, squares = 0;
  for (uint64_t seed = FIRST; seed < FIRST + SEEDS; seed++) {
    const double gain = mean_reward("bo-fcps-her", &throwing, seed) - mean_reward("bo-cps", &throwing, seed);
    sum += gain;
    squares += gain * gain;
  }
  const double mean = sum / SEEDS, se = sqrt((squares / SEEDS - mean * mean) / (SEEDS - 1));
  print_message("hindsight gains %.3f, standard error %.3f\n", mean, se);
  assert_true(mean > 2 * se);
}

static void a_resumed_learner_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  check_resumes(&throwing, "bo-fcps-her", NULL, 24);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_second_rollout_has_the_achieved_target_and_its_reward),
      cmocka_unit_test(nothing_achieved_has_no_second_rollout),
      cmocka_unit_test(a_problem_without_achieved_is_refused_with_the_reason),
      cmocka_unit_test(the_rescored_model_refuses_hindsight),
      cmocka_unit_test(a_refused_rollout_leaves_nothing_in_the_model),
      cmocka_unit_test(two_told_rewards_are_as_good_as_a_reward_function),
      cmocka_unit_test(hindsight_helps_with_few_throws),
      cmocka_unit_test(a_resumed_learner_goes_on_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
