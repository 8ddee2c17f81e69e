/* SPDX-License-Identifier: Apache-2.0 */
/* Learners that are told how exact results are: saved and loaded between any two calls they continue with the same
 * bits, and a number that cannot be a deviation is refused. */
#include "check.h"

#include <fcps/learner.h>
#include <fcps/problem_file.h>

#include <string.h>

static const char throw_yaml[] = "target: {x: [0, 5]}\nparameters: {speed: [0, 3], tilt: [0, 1.5]}\n"
                                 "outcome: [land]\nachieved: {x: land}\nreward: -distance - 0.05*speed\n";

static fcps_problem_file *file;

static int read_problem(void **state)
{
  (void)state;
  return fcps_problem_file_parse(&file, throw_yaml, strlen(throw_yaml), "throw.yaml", NULL, NULL) == FCPS_OK ? 0 : -1;
}

static int forget_problem(void **state)
{
  (void)state;
  fcps_problem_file_destroy(file);
  return 0;
}

static fcps_learner *saved_and_loaded(fcps_learner *learner)
{
  char *text = NULL;
  fcps_learner *loaded = NULL;
  assert_ok(fcps_learner_save(learner, &text, NULL));
  assert_ok(fcps_learner_load(&loaded, &file->problem, text, NULL));
  fcps_free(text);
  fcps_learner_destroy(learner);
  return loaded;
}

/* One trial; from time to time it does not say how exact it is. */
static void try_once(fcps_learner **learner, int trial, bool is_interrupted, double *parameters)
{
  const double target = 0.5 + fmod(1.7 * trial, 4.0), deviation = trial % 3 == 0 ? 0.0 : 0.2 * (trial % 4);
  int64_t id;
  assert_ok(fcps_learner_ask(*learner, &target, NULL, parameters, &id));
  if (is_interrupted) *learner = saved_and_loaded(*learner);
  const double land = parameters[0] * parameters[0] * sin(2 * parameters[1]) + deviation * sin(77.0 * trial);
  const fcps_rollout rollout = {.target = &target,
                                .parameters = parameters,
                                .outcome = &land,
                                .outcome_deviation = trial % 5 != 1 ? &deviation : NULL};
  assert_ok(fcps_learner_tell(*learner, id, &rollout));
  if (is_interrupted) *learner = saved_and_loaded(*learner);
}

static void a_learner_saved_between_any_two_calls_goes_on_with_the_same_bits(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    fcps_setting settings[2];
  } cases[] = {{"outcome", {{NULL, NULL}}},       {"outcome", {{"refit", "4"}}},
               {"outcome", {{"separate", "on"}}}, {"outcome", {{"hyperparameters", "bayes"}}},
               {"bo-fcps", {{"refit", "4"}}},     {"bo-cps", {{"refit", "4"}}},
               {"bo-fcps-her", {{NULL, NULL}}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_learner *steady = NULL, *interrupted = NULL;
    assert_ok(fcps_learner_create(&steady, &file->problem, cases[i].name, cases[i].settings, 3, NULL));
    assert_ok(fcps_learner_create(&interrupted, &file->problem, cases[i].name, cases[i].settings, 3, NULL));
    for (int trial = 0; trial < 14; trial++) {
      double a[2], b[2];
      try_once(&steady, trial, false, a);
      try_once(&interrupted, trial, true, b);
      if (memcmp(a, b, sizeof a) != 0) fail_msg("%s, case %zu: ask %d differs", cases[i].name, i, trial + 1);
    }
    fcps_learner_destroy(steady);
    fcps_learner_destroy(interrupted);
  }
}

static void a_deviation_that_is_none_is_refused_by_every_learner(void **state)
{
  (void)state;
  const double target = 1, parameters[] = {1, 1}, land = 1, negative = -1;
  for (int i = 0; fcps_learner_info_at(i) != NULL; i++) {
    fcps_learner *learner = NULL;
    if (fcps_learner_create(&learner, &file->problem, fcps_learner_info_at(i)->name, NULL, 1, NULL) != FCPS_OK)
      continue;
    fcps_rollout rollout = {.target = &target, .parameters = parameters, .outcome = &land};
    rollout.outcome_deviation = &negative;
    assert_status(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout), FCPS_ERR_BOUNDS);
    assert_string_equal(fcps_learner_error(learner)->field, "outcome_sd.land");
    assert_int_equal(fcps_learner_rollout_count(learner), 0);
    fcps_learner_destroy(learner);
  }
}

static fcps_status fragile_reward(void *user, int count, const double *target, const double *environments,
                                  const double *parameters, const double *outcomes, const bool *present,
                                  double *rewards)
{
  (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -fabs(target[0] - outcomes[i]);
  return *(const bool *)user ? FCPS_ERR_IO : FCPS_OK;
}

/* The caller's function computes the effect of the deviations on the reward. It may fail, and work again. */
static void a_reward_function_that_fails_meanwhile_is_named(void **state)
{
  (void)state;
  static const char *const names[] = {"bo-fcps", "bo-cps"};
  static const fcps_setting settings[] = {{"refit", "9"}, {NULL, NULL}}; /* it fails if no fit is due */
  bool is_broken = false;
  fcps_problem fragile = file->problem;
  fragile.reward = fragile_reward;
  fragile.gradient = NULL;
  fragile.is_distance = false;
  fragile.achieved = NULL;
  fragile.user = &is_broken;
  for (int i = 0; i < 2; i++) {
    fcps_learner *learner = NULL;
    fcps_policy *policy = NULL;
    assert_ok(fcps_learner_create(&learner, &fragile, names[i], settings, 3, NULL));
    for (int trial = 0; trial < 8; trial++) {
      const double target = 1 + trial % 3, deviation = 0.1 * trial;
      double parameters[2];
      int64_t id;
      is_broken = trial > 5;
      const fcps_status status = fcps_learner_ask(learner, &target, NULL, parameters, &id);
      if (status != FCPS_OK) assert_string_equal(fcps_learner_error(learner)->field, "reward");
      if (status != FCPS_OK) assert_int_equal(status, FCPS_ERR_CALLBACK);
      is_broken = false;
      if (status != FCPS_OK) assert_ok(fcps_learner_ask(learner, &target, NULL, parameters, &id));
      const double land = parameters[0] + parameters[1];
      const fcps_rollout rollout = {
          .target = &target, .parameters = parameters, .outcome = &land, .outcome_deviation = &deviation};
      assert_ok(fcps_learner_tell(learner, id, &rollout));
    }
    assert_ok(fcps_learner_policy(learner, &policy));
    fcps_policy_destroy(policy);
    fcps_learner_destroy(learner);
  }
}

/* Three results at one place are one place of the initial design: the next asks still fill the space. */
static void repeated_trials_do_not_end_the_initial_design(void **state)
{
  (void)state;
  static const fcps_setting settings[] = {{"initial", "3"}, {NULL, NULL}};
  fcps_learner *once = NULL, *thrice = NULL;
  assert_ok(fcps_learner_create(&once, &file->problem, "outcome", settings, 5, NULL));
  assert_ok(fcps_learner_create(&thrice, &file->problem, "outcome", settings, 5, NULL));
  for (int trial = 0; trial < 3; trial++) {
    const double target = 1 + trial;
    double a[2], b[2];
    int64_t id;
    assert_ok(fcps_learner_ask(once, &target, NULL, a, &id));
    assert_ok(fcps_learner_ask(thrice, &target, NULL, b, &id));
    assert_memory_equal(a, b, sizeof a);
    for (int i = 0; i < 3; i++) {
      const double land = a[0] + 0.1 * i;
      const fcps_rollout rollout = {.target = &target, .parameters = a, .outcome = &land};
      if (i == 0) assert_ok(fcps_learner_tell(once, id, &rollout));
      assert_ok(fcps_learner_tell(thrice, i == 0 ? id : FCPS_NOT_ASKED, &rollout));
    }
  }
  fcps_learner_destroy(once);
  fcps_learner_destroy(thrice);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_learner_saved_between_any_two_calls_goes_on_with_the_same_bits),
      cmocka_unit_test(a_reward_function_that_fails_meanwhile_is_named),
      cmocka_unit_test(repeated_trials_do_not_end_the_initial_design),
      cmocka_unit_test(a_deviation_that_is_none_is_refused_by_every_learner),
  };
  return cmocka_run_group_tests(tests, read_problem, forget_problem);
}
