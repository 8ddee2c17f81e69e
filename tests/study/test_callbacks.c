/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks that use the study that called them, and callbacks that fail: nothing is stored twice, lost or crashed. */
#include "check.h"
#include "folder.h"
#include "throwing.h"

#include <fcps/lab/run.h>

#include <stdlib.h>
#include <string.h>

/* What a callback does when it runs. */
typedef struct intruder {
  fcps_study *study;
  bool is_active;
  int intrusions, refusals;
  int fails_in, calls_afterwards; /* good calls until the reward fails (-1: never), and calls after that */
  bool has_failed;
} intruder;

static void count(intruder *i, fcps_status status)
{
  i->intrusions++;
  i->refusals += status == FCPS_ERR_BUSY;
}

/* All calls that change a study, and those that read it. */
static void intrude(intruder *i)
{
  if (!i->is_active || i->study == NULL) return;
  const double mark = 0.1, wind = 0.0, at[] = {0.5, 0.5}, land = 0.2;
  const fcps_result result = {.rollout = {.target = &mark, .environment = &wind, .parameters = at, .outcome = &land}};
  fcps_ask ask;
  fcps_policy *policy = NULL;
  char *text = NULL;
  int added, skipped;
  count(i, fcps_study_ask(i->study, NULL, &mark, &wind, &ask, NULL));
  count(i, fcps_study_choose(i->study, NULL, NULL, &mark, &wind, &ask, NULL));
  count(i, fcps_study_tell(i->study, FCPS_NOT_ASKED, &result, NULL, NULL));
  count(i, fcps_study_forget(i->study, 1, NULL));
  count(i, fcps_study_use(i->study, 1, 1, NULL));
  count(i, fcps_study_use_result(i->study, 1, false, NULL));
  count(i, fcps_study_confirm(i->study, 1, NULL));
  count(i, fcps_study_find_suspects(i->study, NULL, NULL));
  count(i, fcps_study_amend(i->study, "reward", "0", NULL));
  count(i, fcps_study_note(i->study, "NOTE", "from a callback", NULL));
  count(i, fcps_study_policy(i->study, &policy, NULL));
  count(i, fcps_study_export_policy(i->study, &text, NULL));
  count(i, fcps_study_refresh(i->study, NULL));
  count(i, fcps_study_hold(i->study, NULL));
  count(i, fcps_study_import(i->study, "none.csv", &added, &skipped, NULL));
  fcps_study_close(i->study);

  assert_non_null(fcps_study_learner(i->study));
  assert_non_null(fcps_study_problem(i->study));
  for (int r = 0; r < fcps_study_result_count(i->study); r++) {
    fcps_stored_result stored;
    fcps_study_result_at(i->study, r, &stored); /* its reward is unknown while a reward is being computed */
    assert_non_null(stored.result.rollout.parameters);
  }
}

static fcps_status intruding_reward(void *user, int rows, const double *target, const double *environments,
                                    const double *parameters, const double *outcomes, const bool *present,
                                    double *rewards)
{
  intruder *i = user;
  if (i->has_failed) i->calls_afterwards++;
  intrude(i);
  if (i->fails_in >= 0 && i->fails_in-- == 0) {
    i->has_failed = true;
    return FCPS_ERR_IO;
  }
  return throwing_reward(NULL, rows, target, environments, parameters, outcomes, present, rewards);
}

static void intruding_log(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)level, (void)code, (void)message;
  intrude(user);
}

static int64_t intruding_clock(void *user)
{
  intrude(user);
  return 5;
}

static fcps_problem problem_of(intruder *i)
{
  fcps_problem problem = throwing;
  problem.reward = intruding_reward;
  problem.user = i;
  return problem;
}

static fcps_study *make(intruder *i, const fcps_problem *problem, const char *url, const char *learner, bool has_clock)
{
  const fcps_study_setup setup = {.problem = problem, .learner = learner, .seed = 1};
  const fcps_study_options options = {
      .problem = problem, .log = {intruding_log, i}, .clock_ms = has_clock ? intruding_clock : NULL, .clock_user = i};
  fcps_study *study = NULL;
  assert_ok(fcps_study_create(&study, url, &setup, &options, NULL));
  return study;
}

/* One turn; `speed` beyond its bound makes the study warn. */
static void trial(fcps_study *study, int episode, double speed)
{
  double mark, wind;
  fcps_ask ask;
  fcps_receipt receipt;
  throwing_context(episode, &mark, &wind);
  assert_ok(fcps_study_ask(study, NULL, &mark, &wind, &ask, NULL));
  const double done[] = {ask.parameters[0], speed >= 0 ? speed : ask.parameters[1]}, land = throwing_land(wind, done);
  const fcps_result result = {.rollout = {.parameters = done, .outcome = &land}};
  assert_ok(fcps_study_tell(study, ask.id, &result, &receipt, NULL));
  assert_true(!isnan(receipt.reward));
}

static void check_intrusions(const char *learner, const char *url, bool has_clock)
{
  enum { TRIALS = 12 };
  intruder i = {.fails_in = -1};
  const fcps_problem problem = problem_of(&i);
  fcps_study *study = make(&i, &problem, url, learner, has_clock);
  i.study = study;
  i.is_active = true;
  for (int episode = 0; episode < TRIALS; episode++)
    trial(study, episode, episode % 2 ? 1.5 : -1);
  fcps_policy *policy = NULL;
  fcps_outlook outlook;
  assert_ok(fcps_study_policy(study, &policy, NULL));
  assert_ok(fcps_study_outlook(study, policy, &outlook, NULL, NULL, NULL));
  if (i.intrusions == 0 || i.refusals != i.intrusions)
    fail_msg("%s: %d of %d intrusions were refused", learner, i.refusals, i.intrusions);
  i.is_active = false;
  assert_int_equal(fcps_study_ask_count(study), TRIALS);
  assert_int_equal(fcps_study_result_count(study), TRIALS);
  assert_null(fcps_study_event_at(study, 0));
  fcps_policy_destroy(policy);
  fcps_study_close(study);
}

static void callbacks_cannot_use_their_study(void **state)
{
  (void)state;
  test_folder folder = folder_create();
  check_intrusions("outcome", NULL, true);
  check_intrusions("bo-fcps", folder_file(&folder, "a.fcps"), true);
  check_intrusions("c-reps", folder_file(&folder, "b.fcps"), false);
  remove_tree(folder.path);
}

/* -- Runs -- */

static bool intruding_stop(void *user)
{
  intrude(user);
  return false;
}
static fcps_status intruding_episode(void *user, const fcps_episode *episode)
{
  intruder *i = user;
  fcps_stored_result again;
  intrude(i);
  assert_true(fcps_study_result_of(i->study, episode->stored.ask, &again));
  assert_true(again.result.rollout.reward == episode->stored.result.rollout.reward);
  return FCPS_OK;
}
static fcps_status intruding_offline(void *user, const fcps_offline *offline)
{
  (void)offline;
  intrude(user);
  return FCPS_OK;
}

static void callbacks_of_a_run_may_only_read_the_study(void **state)
{
  (void)state;
  fcps_study *study = NULL;
  char *origin = fcps_run_origin("cannon", NULL, 1);
  const fcps_study_setup setup = {.origin = origin, .learner = "random"};
  const fcps_study_options how = {.maker = fcps_run_maker()};
  assert_ok(fcps_study_create(&study, NULL, &setup, &how, NULL));
  intruder i = {.study = study, .is_active = true};
  const fcps_run_options options = {.episodes = 4,
                                    .evaluate_every = 2,
                                    .stop = intruding_stop,
                                    .on_episode = intruding_episode,
                                    .on_offline = intruding_offline,
                                    .user = &i};
  assert_ok(fcps_run(study, fcps_run_task(study), &options, NULL));
  assert_true(i.intrusions > 0);
  assert_int_equal(i.refusals, i.intrusions);
  assert_int_equal(fcps_study_result_count(study), 4);
  fcps_study_close(study);
  fcps_free(origin);
}

/* -- Failing -- */

static void a_reward_that_failed_is_not_called_again_in_that_call(void **state)
{
  (void)state;
  static const char *const learners[] = {"outcome", "bo-fcps", "bo-cps", "c-reps"};
  for (size_t l = 0; l < sizeof learners / sizeof *learners; l++)
    for (int fails_in = 0; fails_in < 4; fails_in++) {
      test_folder folder = folder_create();
      char *url = folder_file(&folder, "s.fcps");
      intruder i = {.fails_in = -1};
      const fcps_problem problem = problem_of(&i);
      fcps_study *study = make(&i, &problem, url, learners[l], false);
      for (int episode = 0; episode < 10; episode++)
        trial(study, episode, -1);
      fcps_study_close(study);

      /* a new process tells its learner all results: the first failure ends the call, and nothing is left out */
      const fcps_study_options options = {.problem = &problem};
      const double mark = 0.3, wind = 0.0;
      fcps_ask ask;
      assert_ok(fcps_study_open(&study, url, &options, NULL));
      i.fails_in = fails_in;
      const fcps_status status = fcps_study_ask(study, NULL, &mark, &wind, &ask, NULL);
      assert_int_equal(status, i.has_failed ? FCPS_ERR_CALLBACK : FCPS_OK);
      if (i.calls_afterwards > 0)
        fail_msg("%s: %d calls of the reward after it had failed", learners[l], i.calls_afterwards);
      const bool has_failed = i.has_failed;
      i.has_failed = false;
      i.fails_in = -1;
      fcps_stored_result stored;
      fcps_study_result_at(study, 0, &stored); /* the failure is over */
      assert_true(!isnan(stored.result.rollout.reward));
      if (has_failed) assert_ok(fcps_study_ask(study, NULL, &mark, &wind, &ask, NULL));
      fcps_study_close(study);
      remove_tree(folder.path);
    }
}

/* -- What is refused leaves no trace -- */

static void a_refused_amendment_leaves_the_study_as_it_was(void **state)
{
  (void)state;
  test_folder folder = folder_create();
  char *url = folder_file(&folder, "s.fcps");
  const fcps_study_setup setup = {
      .text =
          "name: s\ntarget: {x: [0, 1]}\nenvironment: {}\nparameters: {p: [0, 1]}\noutcome: [o]\nreward: -abs(x-o)\n",
      .text_name = "s.yaml"};
  fcps_study *study = NULL;
  fcps_error error = {0};
  assert_ok(fcps_study_create(&study, url, &setup, NULL, NULL));
  assert_status(fcps_study_amend(study, NULL, NULL, &error), FCPS_ERR_ARGUMENT);
  assert_status(fcps_study_amend(study, "reward", NULL, &error), FCPS_ERR_ARGUMENT);
  assert_status(fcps_study_note(study, NULL, NULL, &error), FCPS_ERR_ARGUMENT);
  fcps_study_close(study);
  assert_ok(fcps_study_open(&study, url, NULL, &error));
  assert_null(fcps_study_event_at(study, 0));
  fcps_study_close(study);
  remove_tree(folder.path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(callbacks_cannot_use_their_study),
      cmocka_unit_test(callbacks_of_a_run_may_only_read_the_study),
      cmocka_unit_test(a_reward_that_failed_is_not_called_again_in_that_call),
      cmocka_unit_test(a_refused_amendment_leaves_the_study_as_it_was),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
