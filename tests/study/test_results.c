/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are stored and do not count: unmeasured places, failed trials, results that were taken out. */
#include "study_fixture.h"

static const double target = 2.0, wind = 0.25;

static void the_ask_at(fcps_study *s, fcps_ask *ask)
{
  assert_ok(fcps_study_ask(s, NULL, &target, &wind, ask, NULL));
}

static void a_measured_environment_that_is_no_value_is_kept_as_asked(void **state)
{
  (void)state;
  static const double bad[] = {NAN, INFINITY, 1e300};
  fcps_study *s = make_study(test_path, throw_yaml, "bo-fcps");
  fcps_ask ask;
  for (int i = 0; i < 3; i++) {
    const double land = 1.0 + i;
    fcps_receipt receipt;
    the_ask_at(s, &ask);
    const fcps_result result = {.rollout.outcome = &land, .rollout.environment = &bad[i]};
    for (int again = 0; again < 2; again++) {
      assert_ok(fcps_study_tell(s, i + 1, &result, &receipt, NULL));
      assert_true(receipt.is_flagged && receipt.is_misplaced);
      assert_true(isnan(receipt.reward));
      assert_int_equal(receipt.is_repeated, again);
    }
    /* another outcome in another unmeasured place does not make up for it */
    const double other = land + 5;
    const fcps_result worse = {.rollout.outcome = &other, .rollout.environment = &bad[i]};
    assert_status(fcps_study_tell(s, i + 1, &worse, &receipt, NULL), FCPS_ERR_CONFLICT);
  }
  for (int opened = 0; opened < 2; opened++) {
    for (int i = 0; i < 6; i += 2) {
      fcps_stored_result stored;
      fcps_study_result_at(s, i, &stored);
      assert_true(stored.is_used && stored.is_flagged);
      assert_near(stored.result.rollout.environment[0], wind, 0);
      assert_near(stored.result.rollout.outcome[0], 1.0 + i / 2, 0);
      assert_true(isnan(stored.result.rollout.reward));
      assert_non_null(strstr(stored.result.message, "not finite"));
    }
    fcps_study_close(s);
    s = open_study(test_path);
  }
  assert_null(fcps_study_event_at(s, 0));
  the_ask_at(s, &ask); /* the study goes on */
  fcps_study_close(s);
}

/* A result in an unknown place changes the policy no more than a trial that broke there. */
static void it_is_kept_out_of_the_model(void **state)
{
  (void)state;
  double chosen[2][2];
  for (int broken = 0; broken < 2; broken++) {
    fcps_study *s = make_study(NULL, throw_yaml, "outcome");
    for (int i = 0; i < 8; i++)
      throw_once(s);
    fcps_ask ask;
    fcps_policy *policy = NULL;
    const double nan = NAN, absurd = 1e9;
    the_ask_at(s, &ask);
    const fcps_result misplaced = {.rollout.outcome = &absurd, .rollout.environment = &nan};
    const fcps_result failed = {.rollout.status = FCPS_ROLLOUT_UNSTABLE};
    assert_ok(fcps_study_tell(s, ask.id, broken ? &failed : &misplaced, NULL, NULL));
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
  fcps_study *s = make_study(NULL, throw_yaml, NULL); /* whose reward of nothing is -9 */
  const double land = 1.0;
  const fcps_rollout_status broken[] = {FCPS_ROLLOUT_FAILED, FCPS_ROLLOUT_TIMEOUT, FCPS_ROLLOUT_UNSTABLE};
  for (int i = 0; i < 3; i++) {
    fcps_ask ask;
    fcps_receipt receipt;
    fcps_stored_result stored;
    the_ask_at(s, &ask);
    const fcps_result result = {.rollout.status = broken[i], .rollout.outcome = i ? &land : NULL};
    assert_ok(fcps_study_tell(s, i + 1, &result, &receipt, NULL));
    fcps_study_result_at(s, i, &stored);
    assert_true(isnan(receipt.reward) && isnan(stored.result.rollout.reward));
    assert_false(receipt.is_flagged || stored.is_flagged);
  }
  fcps_study_close(s);
}

static bool is_used(const fcps_study *s, int index)
{
  fcps_stored_result stored;
  fcps_study_result_at(s, index, &stored);
  return stored.is_used;
}

static int64_t sequence_of(const fcps_study *s, int index)
{
  fcps_stored_result stored;
  fcps_study_result_at(s, index, &stored);
  return stored.sequence;
}

/* The policy from all results that count. */
static void best_parameters(fcps_study *s, double parameters[2])
{
  fcps_policy *policy = NULL;
  assert_ok(fcps_study_policy(s, &policy, NULL));
  assert_ok(fcps_policy_query(policy, &target, &wind, parameters, NULL));
  fcps_policy_destroy(policy);
}

static void a_result_that_was_taken_out_is_as_if_it_had_never_been_told(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, "outcome");
  const double executed[] = {1.0, 0.5}, absurd = 1e12;
  double before[2], with[2], without[2], again[2];
  for (int i = 0; i < 8; i++)
    throw_once(s);
  best_parameters(s, before);
  const fcps_result wrong = {.rollout.outcome = &absurd,
                             .rollout.target = &target,
                             .rollout.environment = &wind,
                             .rollout.parameters = executed};
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &wrong, NULL, NULL));
  best_parameters(s, with);
  assert_memory_not_equal(before, with, sizeof with);

  assert_ok(fcps_study_use_result(s, sequence_of(s, 8), false, NULL));
  assert_ok(fcps_study_use_result(s, sequence_of(s, 8), false, NULL)); /* once is enough */
  best_parameters(s, without);
  assert_near(without[0], before[0], 1e-6);
  assert_near(without[1], before[1], 1e-6);
  fcps_study_close(s);
  s = open_study(test_path);
  assert_false(is_used(s, 8));
  best_parameters(s, again);
  assert_memory_equal(again, without, sizeof again);

  /* if a program that lost the answer tells it again, it is still dropped, and can be taken back */
  fcps_error error = {0};
  assert_status(fcps_study_tell(s, FCPS_NOT_ASKED, &wrong, NULL, &error), FCPS_ERR_CONFLICT);
  assert_non_null(strstr(error.message, "taken out"));
  assert_int_equal(fcps_study_result_count(s), 9);
  assert_ok(fcps_study_use_result(s, sequence_of(s, 8), true, NULL));
  assert_true(is_used(s, 8));
  assert_status(fcps_study_use_result(s, 9999, false, &error), FCPS_ERR_UNKNOWN_ASK);
  throw_once(s);
  fcps_study_close(s);
}

static void the_right_result_is_accepted_in_place_of_one_that_was_taken_out(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, "bo-fcps");
  const double executed[] = {1.0, 0.5}, wrong = 9.0, right = 1.5;
  fcps_receipt receipt;
  fcps_stored_result stored;
  fcps_ask ask;
  the_ask_at(s, &ask);
  fcps_result asked = {.rollout.outcome = &wrong};
  assert_ok(fcps_study_tell(s, 1, &asked, NULL, NULL));
  assert_ok(fcps_study_use_result(s, sequence_of(s, 0), false, NULL));
  assert_false(fcps_study_result_of(s, 1, &stored));
  asked.rollout.outcome = &right;
  assert_ok(fcps_study_tell(s, 1, &asked, &receipt, NULL));
  assert_int_equal(receipt.result_number, 2);
  assert_true(fcps_study_result_of(s, 1, &stored));
  assert_near(stored.result.rollout.outcome[0], right, 0);

  /* a key stands for the ask */
  fcps_result keyed = {.rollout.outcome = &wrong,
                       .rollout.target = &target,
                       .rollout.environment = &wind,
                       .rollout.parameters = executed,
                       .key = "log 7"};
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &keyed, NULL, NULL));
  keyed.rollout.outcome = &right;
  assert_status(fcps_study_tell(s, FCPS_NOT_ASKED, &keyed, NULL, NULL), FCPS_ERR_CONFLICT);
  assert_ok(fcps_study_use_result(s, sequence_of(s, 3), true, NULL));
  assert_false(is_used(s, 2));
  assert_ok(fcps_study_use_result(s, sequence_of(s, 3), false, NULL));
  const double other = 1.75;
  keyed.rollout.outcome = &other;
  assert_ok(fcps_study_tell(s, FCPS_NOT_ASKED, &keyed, NULL, NULL));
  fcps_study_close(s);
  s = open_study(test_path);
  assert_true(!is_used(s, 0) && is_used(s, 1) && !is_used(s, 2) && !is_used(s, 3) && is_used(s, 4));
  throw_once(s);
  fcps_study_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

static void count_outside(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)level;
  if (strcmp(code, "W_OUTSIDE_BOUNDS") == 0 && strstr(message, "parameters.speed") != NULL) ++*(int *)user;
}

static void parameters_outside_their_bounds_are_told_and_used(void **state)
{
  (void)state;
  int said = 0;
  const fcps_study_options options = {.log = {.write = count_outside, .user = &said}};
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw.yaml", .seed = 7};
  fcps_study *s = NULL;
  assert_ok(fcps_study_create(&s, NULL, &setup, &options, NULL));
  const double land = 2, inside[2] = {2, 1}, outside[2] = {46, 1};
  fcps_ask ask;
  for (int i = 0; i < 2; i++) {
    const fcps_result result = {.rollout.outcome = &land, .rollout.parameters = i ? outside : inside};
    assert_ok(fcps_study_ask(s, NULL, &target, &wind, &ask, NULL));
    assert_ok(fcps_study_tell(s, ask.id, &result, NULL, NULL));
    assert_int_equal(said, i);
    assert_ok(fcps_study_tell(s, ask.id, &result, NULL, NULL)); /* told again: said once */
    assert_int_equal(said, i);
  }
  assert_int_equal(fcps_study_result_count(s), 2);
  fcps_study_close(s);
}

/* A client that measured the environment wrongly tells the result again, and this is not a contradiction. */
static void a_measured_environment_replaces_one_that_was_no_value(void **state)
{
  (void)state;
  const double bad = NAN, measured = -0.5, land = 1.5;
  const fcps_result misplaced = {.rollout.outcome = &land, .rollout.environment = &bad};
  const fcps_result right = {.rollout.outcome = &land, .rollout.environment = &measured};
  fcps_study *s = make_study(test_path, throw_yaml, "outcome");
  fcps_receipt receipt;
  fcps_ask ask;
  the_ask_at(s, &ask);
  assert_ok(fcps_study_tell(s, ask.id, &misplaced, &receipt, NULL));
  assert_true(receipt.is_misplaced);
  assert_ok(fcps_study_tell(s, ask.id, &right, &receipt, NULL));
  assert_true(!receipt.is_misplaced && !receipt.is_flagged && isfinite(receipt.reward));
  for (int opened = 0; opened < 2; opened++) {
    fcps_stored_result first, second;
    fcps_study_counts counts;
    fcps_study_result_at(s, 0, &first);
    fcps_study_result_at(s, 1, &second);
    assert_true(!first.is_used && second.is_used && !second.is_misplaced);
    assert_near(second.result.rollout.environment[0], measured, 0);
    fcps_study_count(s, &counts);
    assert_true(counts.results == 1 && counts.with_outcome == 1 && counts.usable == 1);
    fcps_study_close(s);
    s = open_study(test_path);
  }
  /* the other way round it would be a contradiction */
  assert_status(fcps_study_tell(s, ask.id, &(fcps_result){.rollout.outcome = &measured, .rollout.environment = &bad},
                                &receipt, NULL),
                FCPS_ERR_CONFLICT);
  fcps_study_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_measured_environment_that_is_no_value_is_kept_as_asked),
      TEST(a_trial_that_broke_has_no_reward),
      TEST(a_result_that_was_taken_out_is_as_if_it_had_never_been_told),
      TEST(the_right_result_is_accepted_in_place_of_one_that_was_taken_out),
      TEST(parameters_outside_their_bounds_are_told_and_used),
      TEST(it_is_kept_out_of_the_model),
      TEST(a_measured_environment_replaces_one_that_was_no_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
