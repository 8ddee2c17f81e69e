/* SPDX-License-Identifier: Apache-2.0 */
/* After an amendment a study continues: every rollout is scored again, earlier asks are neither proposed again nor
 * forgotten, earlier policies keep their formulas, and the history shows what was replaced. */
#include "study_fixture.h"

#include "study/study_impl.h"

static const double target = 2, wind = 0.5;

static void ask_as(fcps_study *s, const char *client, double parameters[2])
{
  fcps_ask ask;
  assert_ok(fcps_study_ask(s, client, &target, &wind, &ask, NULL));
  memcpy(parameters, ask.parameters, 2 * sizeof *parameters);
}

static void no_trial_is_proposed_again(void **state)
{
  (void)state;
  static const char *const learners[] = {"random", "bo-fcps", "outcome", "c-reps"};
  for (size_t l = 0; l < sizeof learners / sizeof *learners; l++) {
    double asked[6][2];
    fcps_study *s = make_study(NULL, throw_yaml, learners[l]);
    for (int i = 0; i < 3; i++) {
      ask_as(s, i < 2 ? NULL : "arm", asked[i]);
      const double land = throw_lands(&wind, asked[i]);
      const fcps_result result = {.rollout.outcome = &land};
      if (i < 2) assert_ok(fcps_study_tell(s, i + 1, &result, NULL, NULL));
    }
    assert_ok(fcps_study_amend(s, "reward", "-2*abs(x-land)", NULL));
    for (int i = 3; i < 6; i++)
      ask_as(s, NULL, asked[i]);
    for (int i = 3; i < 6; i++)
      for (int j = 0; j < i; j++)
        if (memcmp(asked[i], asked[j], sizeof *asked) == 0) fail_msg("%s: ask %d is ask %d", learners[l], i + 1, j + 1);
    fcps_study_close(s);
  }
}

/* the ask is as pending in the new learner as in the old one: the next asks keep away from it until it is told */
static void a_trial_under_way_is_still_known(void **state)
{
  (void)state;
  fcps_study *known = make_study(NULL, throw_yaml, "bo-fcps"), *given_up = make_study(NULL, throw_yaml, "bo-fcps");
  for (int i = 0; i < 8; i++) {
    throw_once(known);
    throw_once(given_up);
  }
  double pending[2], same[2], next[2], other[2];
  ask_as(known, "arm", pending);
  ask_as(given_up, "arm", same);
  assert_memory_equal(pending, same, sizeof same);
  assert_ok(fcps_study_forget(given_up, 9, NULL));
  assert_ok(fcps_study_amend(known, "reward", "-2*abs(x-land)", NULL));
  assert_ok(fcps_study_amend(given_up, "reward", "-2*abs(x-land)", NULL));
  ask_as(known, NULL, next);
  ask_as(given_up, NULL, other);
  assert_memory_not_equal(next, other, sizeof next); /* the same data and random numbers, but for the pending trial */
  const double land = throw_lands(&wind, pending);
  const fcps_result result = {.rollout.outcome = &land};
  assert_ok(fcps_study_tell(known, 9, &result, NULL, NULL));
  ask_as(known, NULL, next);
  assert_int_equal(fcps_study_result_count(known), 9);
  fcps_study_close(known);
  fcps_study_close(given_up);
}

/* A study that is amended again and again keeps only the problem files that policies may use. */
static void replaced_problems_are_freed(void **state)
{
  (void)state;
  fcps_study *s = make_study(NULL, throw_yaml, "bo-fcps");
  fcps_study_counts counts;
  fcps_policy *policy;
  for (int i = 0; i < 6; i++)
    throw_once(s);
  for (int i = 0; i < 5; i++) {
    const fcps_setting change = {"reward", "-3*abs(x-land)"};
    assert_ok(fcps_study_amend(s, "reward", i % 2 ? "-abs(x-land)" : "-2*abs(x-land)", NULL));
    assert_int_not_equal(fcps_study_amend(s, "reward", "-abs(", NULL), FCPS_OK);
    assert_ok(fcps_study_preview(s, &change, &counts, NULL, NULL));
    assert_int_equal(s->old_count, 0);
  }
  assert_ok(fcps_study_policy(s, &policy, NULL));
  for (int i = 0; i < 5; i++)
    assert_ok(fcps_study_amend(s, "reward", i % 2 ? "-abs(x-land)" : "-2*abs(x-land)", NULL));
  assert_int_equal(s->old_count, 1);
  fcps_policy_destroy(policy);
  fcps_study_close(s);
}

static void an_earlier_policy_keeps_its_formulas(void **state)
{
  (void)state;
  fcps_study *s = make_study(NULL, throw_yaml, "bo-fcps");
  for (int i = 0; i < 6; i++)
    throw_once(s);
  fcps_policy *policy;
  double before[2], after[2];
  assert_ok(fcps_study_policy(s, &policy, NULL));
  assert_ok(fcps_policy_query(policy, &target, &wind, before, NULL));
  assert_ok(fcps_study_amend(s, "reward", "-abs(x-land) - 3*speed", NULL));
  assert_ok(fcps_policy_query(policy, &target, &wind, after, NULL));
  assert_memory_equal(before, after, sizeof after);
  fcps_policy_destroy(policy);
  fcps_study_close(s);
}

static void a_new_reward_scores_every_stored_rollout_again(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, "bo-fcps"), *other = open_study(test_path);
  for (int i = 0; i < 6; i++)
    throw_once(s);
  fcps_error error = {0};
  assert_status(fcps_study_amend(s, "reward", "-abs(x-lnd)", &error), FCPS_ERR_FORMAT);
  fcps_stored_result before, after;
  fcps_study_result_at(s, 3, &before);
  assert_near(before.result.rollout.reward,
              -fabs(before.result.rollout.target[0] - before.result.rollout.outcome[0]) -
                  0.05 * before.result.rollout.parameters[0],
              1e-13);
  assert_ok(fcps_study_amend(s, "reward", "-10*abs(x-land)", &error));
  fcps_study_result_at(s, 3, &after);
  assert_near(after.result.rollout.reward, -10 * fabs(after.result.rollout.target[0] - after.result.rollout.outcome[0]),
              1e-13);
  throw_once(s);
  /* a process that had it open sees the change with its next call */
  throw_once(other);
  fcps_study_result_at(other, 3, &before);
  assert_near(before.result.rollout.reward, after.result.rollout.reward, 0);
  assert_ok(fcps_study_amend(other, "bounds.speed", "0.5,1", &error));
  throw_once(other);
  fcps_study_result_at(other, 8, &after);
  assert_true(after.result.rollout.parameters[0] >= 0.5 && after.result.rollout.parameters[0] <= 1.0);
  assert_string_equal(fcps_study_event_at(other, 0)->text, "-10*abs(x-land)");
  assert_string_equal(fcps_study_event_at(other, 1)->code, "bounds.speed");
  assert_null(fcps_study_event_at(other, 2));
  assert_status(fcps_study_amend(other, "reward", "told", &error), FCPS_ERR_UNSUPPORTED);
  throw_once(other);
  fcps_study_close(other);
  throw_once(s);
  fcps_study_close(s);
}

static void assert_replaced(const fcps_study *s, int index, const char *expected)
{
  char *text;
  fcps_error error;
  assert_ok(fcps_study_replaced(s, index, &text, &error));
  if (expected != NULL)
    assert_string_equal(text, expected);
  else
    assert_null(text);
  fcps_free(text);
}

static void every_change_knows_what_it_replaced(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, "bo-fcps");
  fcps_error error = {0};
  assert_ok(fcps_study_amend(s, "reward", "-2*abs(x-land)", &error));
  assert_ok(fcps_study_note(s, "NOTE", "lunch", &error));
  assert_ok(fcps_study_amend(s, "bounds.speed", "0.5,1", &error));
  assert_ok(fcps_study_amend(s, "reward", "-3*abs(x-land)", &error));
  assert_replaced(s, 0, "present ? -distance - 0.05*speed : -9");
  assert_replaced(s, 1, NULL);
  assert_replaced(s, 2, "0,3");
  assert_replaced(s, 3, "-2*abs(x-land)");
  assert_replaced(s, 4, NULL);
  assert_ok(fcps_study_amend(s, "bounds.land", "-1,1", &error));
  assert_replaced(s, 4, "none");
  fcps_study_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_trial_is_proposed_again),         cmocka_unit_test(a_trial_under_way_is_still_known),
      cmocka_unit_test(replaced_problems_are_freed),        cmocka_unit_test(an_earlier_policy_keeps_its_formulas),
      TEST(a_new_reward_scores_every_stored_rollout_again), TEST(every_change_knows_what_it_replaced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
