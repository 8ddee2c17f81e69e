/* SPDX-License-Identifier: Apache-2.0 */
/* What is stored and does not count: places that were not measured, trials that broke. */
#include "study_fixture.h"

static const double target = 2.0, wind = 0.25;

static void the_ask_at(fcps_study *s, fcps_trial *trial)
{
  assert_ok(fcps_study_ask(s, NULL, &target, &wind, trial, NULL));
}

static void a_measured_environment_that_is_no_value_is_kept_as_asked(void **state)
{
  (void)state;
  static const double bad[] = {NAN, INFINITY, 1e300};
  fcps_study *s = make_study(test_path, throw_yaml, "bo-fcps");
  fcps_trial trial;
  for (int i = 0; i < 3; i++) {
    const double land = 1.0 + i;
    fcps_receipt receipt;
    the_ask_at(s, &trial);
    const fcps_study_result result = {.outcome = &land, .environment = &bad[i]};
    for (int again = 0; again < 2; again++) {
      assert_ok(fcps_study_tell(s, i + 1, &result, &receipt, NULL));
      assert_true(receipt.is_flagged && receipt.is_misplaced);
      assert_true(isnan(receipt.reward));
      assert_int_equal(receipt.is_repeated, again);
    }
    // the same outcome, measured well, is another result
    const fcps_study_result well = {.outcome = &land};
    assert_status(fcps_study_tell(s, i + 1, &well, &receipt, NULL), FCPS_ERR_CONFLICT);
  }
  for (int opened = 0; opened < 2; opened++) {
    for (int i = 0; i < 6; i += 2) {
      fcps_study_rollout rollout;
      fcps_study_rollout_at(s, i, &rollout);
      assert_true(rollout.is_used && rollout.is_flagged);
      assert_near(rollout.environment[0], wind, 0);
      assert_near(rollout.outcome[0], 1.0 + i / 2, 0);
      assert_true(isnan(rollout.reward));
      assert_non_null(strstr(rollout.message, "not finite"));
    }
    fcps_study_close(s);
    s = open_study(test_path);
  }
  assert_null(fcps_study_event_at(s, 0));
  the_ask_at(s, &trial); // the study goes on
  fcps_study_close(s);
}

/* What happened in an unknown place moves the policy no more than a trial that broke there. */
static void it_is_kept_out_of_the_model(void **state)
{
  (void)state;
  double chosen[2][2];
  for (int broken = 0; broken < 2; broken++) {
    fcps_study *s = make_study(NULL, throw_yaml, "outcome");
    for (int i = 0; i < 8; i++)
      throw_once(s);
    fcps_trial trial;
    fcps_policy *policy = NULL;
    const double nan = NAN, absurd = 1e9;
    the_ask_at(s, &trial);
    const fcps_study_result misplaced = {.outcome = &absurd, .environment = &nan};
    const fcps_study_result failed = {.status = FCPS_ROLLOUT_UNSTABLE};
    assert_ok(fcps_study_tell(s, trial.id, broken ? &failed : &misplaced, NULL, NULL));
    assert_ok(fcps_study_policy(s, &policy, NULL));
    assert_ok(fcps_policy_query(policy, &target, &wind, chosen[broken], NULL));
    fcps_policy_destroy(policy);
    fcps_study_close(s);
  }
  assert_memory_equal(chosen[0], chosen[1], sizeof chosen[0]);
}

static void a_trial_that_broke_has_no_reward(void **state)
{
  (void)state;
  fcps_study *s = make_study(NULL, throw_yaml, NULL); // whose reward of nothing is -9
  const double land = 1.0;
  const fcps_rollout_status broken[] = {FCPS_ROLLOUT_FAILED, FCPS_ROLLOUT_TIMEOUT, FCPS_ROLLOUT_UNSTABLE};
  for (int i = 0; i < 3; i++) {
    fcps_trial trial;
    fcps_receipt receipt;
    fcps_study_rollout rollout;
    the_ask_at(s, &trial);
    const fcps_study_result result = {.status = broken[i], .outcome = i ? &land : NULL};
    assert_ok(fcps_study_tell(s, i + 1, &result, &receipt, NULL));
    fcps_study_rollout_at(s, i, &rollout);
    assert_true(isnan(receipt.reward) && isnan(rollout.reward));
    assert_false(receipt.is_flagged || rollout.is_flagged);
  }
  fcps_study_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_measured_environment_that_is_no_value_is_kept_as_asked),
      TEST(a_trial_that_broke_has_no_reward),
      TEST(it_is_kept_out_of_the_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
