/* SPDX-License-Identifier: Apache-2.0 */
/* An ask stores its expectation; a tell in any process compares with it, and needs no model. */
#include "study_fixture.h"

#include <fcps/study_lease.h>

enum { TRIALS = 14 };

typedef struct heard_surprises {
  int count;
  char last[400];
} heard_surprises;

static void hear(void *user, fcps_log_level level, const char *code, const char *message)
{
  heard_surprises *heard = user;
  (void)level;
  if (strcmp(code, "W_SURPRISE") != 0) return;
  heard->count++;
  snprintf(heard->last, sizeof heard->last, "%s", message);
}

static fcps_study *open_hearing(heard_surprises *heard)
{
  fcps_study *study = NULL;
  const fcps_study_options options = {.log = {hear, heard}};
  *heard = (heard_surprises){0};
  assert_ok(fcps_study_open(&study, test_path, &options, NULL));
  return study;
}

static fcps_study *make_told(const char *learner)
{
  fcps_study *study = make_study(test_path, throw_yaml, learner);
  for (int i = 0; i < TRIALS; i++)
    throw_once(study);
  return study;
}

static void ask_next(fcps_study *study, fcps_ask *ask)
{
  double target, environment;
  context_of(fcps_study_ask_count(study) + 1, &target, &environment);
  assert_ok(fcps_study_ask(study, NULL, &target, &environment, ask, NULL));
}

static fcps_receipt tell_land(fcps_study *study, int64_t id, double land, const double *parameters)
{
  fcps_receipt receipt;
  const fcps_result result = {.rollout = {.outcome = &land, .parameters = parameters}};
  assert_ok(fcps_study_tell(study, id, &result, &receipt, NULL));
  return receipt;
}

/* The handle that tells was opened only for this, and has no model. */
static void a_tell_of_another_process_says_what_was_not_expected(void **state)
{
  (void)state;
  heard_surprises heard;
  fcps_ask ask;
  fcps_study *asker = make_told("outcome");
  ask_next(asker, &ask);
  assert_true(ask.expectation.has_outcome && ask.expectation.has_reward);
  const double right = throw_lands(ask.environment, ask.parameters);
  assert_true(fabs(*ask.expectation.outcome - right) < 6 * *ask.expectation.outcome_deviation);
  fcps_study *worker = open_hearing(&heard);
  assert_true(tell_land(worker, ask.id, 100.0 * right + 50.0, NULL).is_suspect);
  assert_int_equal(heard.count, 1);
  assert_non_null(strstr(heard.last, "land="));
  assert_non_null(strstr(heard.last, "--confirm 15.1"));
  /* the next ask, by a third process, does not say it again */
  fcps_study_close(worker);
  worker = open_hearing(&heard);
  ask_next(worker, &ask);
  assert_int_equal(heard.count, 0);
  assert_false(tell_land(worker, ask.id, throw_lands(ask.environment, ask.parameters), NULL).is_suspect);
  assert_int_equal(heard.count, 0);
  fcps_study_close(worker);
  fcps_study_close(asker);
}

static void a_trial_that_was_done_otherwise_is_not_compared(void **state)
{
  (void)state;
  fcps_ask ask;
  fcps_study *study = make_told("outcome");
  ask_next(study, &ask);
  const double others[2] = {ask.parameters[0] * 0.5, ask.parameters[1]};
  assert_false(tell_land(study, ask.id, 500.0, others).is_suspect);
  fcps_study_close(study);
}

/* The wrong result is one that an earlier trial had, so it is no slip, and not beyond all others. */
static void two_results_that_were_swapped_are_said(void **state)
{
  (void)state;
  heard_surprises heard;
  fcps_ask asks[2];
  double lands[2];
  fcps_study *study = make_told("outcome");
  for (int i = TRIALS; i < 30; i++)
    throw_once(study);
  const double targets[2] = {0.5, 1.9}, environments[2] = {0.1, 0.3};
  assert_ok(fcps_study_ask_many(study, 2, &(fcps_ask_contexts){2, targets, environments}, asks, NULL));
  for (int i = 0; i < 2; i++)
    lands[i] = throw_lands(asks[i].environment, asks[i].parameters);
  const int64_t ids[2] = {asks[0].id, asks[1].id};
  fcps_study_close(study);
  for (int i = 0; i < 2; i++) {
    char words[80];
    study = open_hearing(&heard);
    assert_true(tell_land(study, ids[i], lands[1 - i], NULL).is_suspect);
    assert_int_equal(heard.count, 1);
    snprintf(words, sizeof words, "ask %d expected such a result: were the two swapped?", (int)ids[1 - i]);
    assert_non_null(strstr(heard.last, words));
    fcps_study_close(study);
  }
}

static void one_context(void *user, int64_t index, double *target, double *environment)
{
  (void)user;
  context_of(index, target, environment);
}

static void each_ask_of_many_and_each_lease_has_what_it_expects(void **state)
{
  (void)state;
  fcps_ask asks[3], again;
  const double targets[3] = {1, 2, 3}, environments[3] = {0, 0.5, -0.5};
  fcps_study *study = make_told("outcome");
  assert_ok(fcps_study_ask_many(study, 3, &(fcps_ask_contexts){3, targets, environments}, asks, NULL));
  for (int i = 0; i < 3; i++)
    assert_true(asks[i].expectation.has_outcome);
  assert_true(*asks[0].expectation.outcome != *asks[1].expectation.outcome);
  fcps_ask leased;
  const fcps_lease_request request = {.worker = "w", .lease_ms = 60000, .context = one_context};
  assert_ok(fcps_study_ask_leased(study, &request, &leased, NULL));
  assert_true(leased.expectation.has_outcome);
  assert_ok(fcps_study_ask(study, "robot", targets, environments, asks, NULL));
  assert_ok(fcps_study_ask(study, "robot", targets, environments, &again, NULL));
  assert_true(again.is_repeated);
  assert_true(*again.expectation.outcome == *asks[0].expectation.outcome);
  assert_true(again.expectation.reward == asks[0].expectation.reward);
  fcps_study_close(study);
}

/* The expectation of an outcome stays the same. */
static void what_was_expected_of_an_amended_reward_is_dropped(void **state)
{
  (void)state;
  fcps_ask ask;
  fcps_stored_result stored;
  fcps_study *study = make_told("outcome");
  fcps_study_result_at(study, TRIALS - 1, &stored);
  assert_true(stored.expectation.has_outcome && stored.expectation.has_reward);
  const double land = *stored.expectation.outcome;
  assert_ok(fcps_study_amend(study, "reward", "-2*distance", NULL));
  fcps_study_close(study);
  study = open_study(test_path);
  fcps_study_result_at(study, TRIALS - 1, &stored);
  assert_false(stored.expectation.has_reward);
  assert_true(stored.expectation.has_outcome && *stored.expectation.outcome == land);
  ask_next(study, &ask);
  assert_true(ask.expectation.has_reward);
  fcps_study_close(study);
}

static void a_learner_without_a_model_expects_nothing(void **state)
{
  (void)state;
  static const char *const learners[] = {"random", "c-reps"};
  for (int i = 0; i < 2; i++) {
    fcps_ask ask;
    fcps_study *study = make_told(learners[i]);
    ask_next(study, &ask);
    assert_false(ask.expectation.has_outcome || ask.expectation.has_reward);
    assert_false(tell_land(study, ask.id, 1e6, NULL).is_suspect);
    fcps_study_close(study);
    assert_ok(fcps_study_remove(test_path, NULL));
  }
}

/* Only of rewards, if the model predicts no outcome. */
static void a_learner_of_rewards_is_surprised_by_a_reward(void **state)
{
  (void)state;
  fcps_ask ask;
  fcps_study *study = make_told("bo-fcps");
  ask_next(study, &ask);
  assert_true(ask.expectation.has_reward && !ask.expectation.has_outcome);
  assert_true(tell_land(study, ask.id, 1e4, NULL).is_suspect);
  ask_next(study, &ask);
  assert_false(tell_land(study, ask.id, throw_lands(ask.environment, ask.parameters), NULL).is_suspect);
  fcps_study_close(study);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_tell_of_another_process_says_what_was_not_expected, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(two_results_that_were_swapped_are_said, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_trial_that_was_done_otherwise_is_not_compared, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(each_ask_of_many_and_each_lease_has_what_it_expects, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(what_was_expected_of_an_amended_reward_is_dropped, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_learner_without_a_model_expects_nothing, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_learner_of_rewards_is_surprised_by_a_reward, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
