/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks that fail, and callbacks that use the handle that called them: for every learner and its policy. */
#include "check.h"
#include "throwing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- A problem that watches its callbacks -- */

enum { REWARD = 1, GRADIENT = 2, ACHIEVED = 4, PRESENCE = 8, LOG = 16, EPISODES = 14 };

typedef struct watch {
  int failing;          /* which callbacks fail, once `countdown` calls were good */
  int countdown;        /* -1: none fails */
  int calls_afterwards; /* calls since one failed */
  bool has_failed;

  int intruding; /* which callbacks try to use the handles below */
  fcps_learner *learner;
  fcps_policy *policy;
  int intrusions, refusals;
} watch;

static void try_status(watch *w, fcps_status status)
{
  w->intrusions++;
  w->refusals += status == FCPS_ERR_BUSY;
}

/* All calls that a callback must not make with its own handle, and those that it may make. */
static void intrude(watch *w)
{
  const double mark = 0.1, wind = 0.0, at[] = {0.5, 0.5}, land = 0.2;
  const fcps_rollout rollout = {.target = &mark, .environment = &wind, .parameters = at, .outcome = &land};
  double parameters[2], context[2], reward;
  char *text = NULL;
  fcps_policy *policy = NULL;
  int64_t id;
  if (w->learner != NULL) {
    try_status(w, fcps_learner_tell(w->learner, FCPS_NOT_ASKED, &rollout));
    try_status(w, fcps_learner_ask(w->learner, &mark, &wind, parameters, &id));
    try_status(w, fcps_learner_choose(w->learner, NULL, context, context + 1, parameters, &id));
    try_status(w, fcps_learner_forget(w->learner, 1));
    try_status(w, fcps_learner_policy(w->learner, &policy));
    try_status(w, fcps_learner_save(w->learner, &text, NULL));
    fcps_learner_destroy(w->learner);
    assert_true(fcps_learner_rollout_count(w->learner) >= 0);
    assert_true(fcps_learner_pending_count(w->learner) >= 0);
    assert_non_null(fcps_learner_error(w->learner));
  }
  if (w->policy != NULL) {
    try_status(w, fcps_policy_query(w->policy, &mark, &wind, parameters, NULL));
    try_status(w, fcps_policy_query_batch(w->policy, 1, &mark, &wind, parameters, &reward, NULL));
    try_status(w, fcps_policy_check(w->policy, &mark, &wind));
    fcps_policy_destroy(w->policy);
    assert_non_null(fcps_policy_error(w->policy));
  }
}

/* What every callback does first. */
static fcps_status visit(watch *w, int which)
{
  if (w->has_failed) w->calls_afterwards++;
  if (w->intruding & which) intrude(w);
  if (w->countdown < 0 || !(w->failing & which) || w->countdown-- > 0) return FCPS_OK;
  w->has_failed = true;
  return FCPS_ERR_IO;
}

static fcps_status watched_reward(void *user, int count, const double *target, const double *environments,
                                  const double *parameters, const double *outcomes, const bool *present,
                                  double *rewards)
{
  const fcps_status status = visit(user, REWARD);
  return status != FCPS_OK ? status
                           : throwing_reward(NULL, count, target, environments, parameters, outcomes, present, rewards);
}

static fcps_status watched_gradient(void *user, int count, const double *target, const double *environments,
                                    const double *parameters, const double *outcomes, double *outcome_gradients,
                                    double *parameter_gradients)
{
  (void)environments, (void)parameters;
  const fcps_status status = visit(user, GRADIENT);
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    outcome_gradients[i] = target[0] > outcomes[i] ? 1.0 : -1.0;
    parameter_gradients[2 * i] = 0.0;
    parameter_gradients[2 * i + 1] = -0.1;
  }
  return status;
}

static fcps_status watched_achieved(void *user, int count, const double *environments, const double *outcomes,
                                    double *targets)
{
  const fcps_status status = visit(user, ACHIEVED);
  return status != FCPS_OK ? status : throwing_achieved(NULL, count, environments, outcomes, targets);
}

static fcps_status watched_presence(void *user, int count, const double *environments, const double *parameters,
                                    bool *present)
{
  (void)environments, (void)parameters;
  const fcps_status status = visit(user, PRESENCE);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    present[i] = true;
  return status;
}

static fcps_problem watched_problem(watch *w)
{
  fcps_problem problem = throwing;
  problem.reward = watched_reward;
  problem.gradient = watched_gradient;
  problem.achieved = watched_achieved;
  problem.presence = watched_presence;
  problem.user = w;
  return problem;
}

/* -- Failing -- */

static void expect_no_further_call(const watch *w, const char *name, const char *call)
{
  if (w->calls_afterwards > 0)
    fail_msg("%s, %s: %d calls of callbacks after one had failed", name, call, w->calls_afterwards);
}

/* After the failure the same call works. */
static void recover(watch *w)
{
  w->has_failed = false;
  w->calls_afterwards = 0;
  w->countdown = -1;
}

/* The first failure of `failing` after `countdown` good calls ends its call at once. */
static void check_episodes(const char *name, int failing, int countdown)
{
  watch w = {.failing = failing, .countdown = -1};
  const fcps_problem problem = watched_problem(&w);
  fcps_learner *learner = NULL;
  double parameters[2];
  assert_int_equal(fcps_learner_create(&learner, &problem, name, NULL, 3, NULL), FCPS_OK);
  for (int i = 0; i < EPISODES; i++) {
    if (i == EPISODES - 3) w.countdown = countdown;
    const int told = fcps_learner_rollout_count(learner);
    const fcps_status status = throwing_episode(learner, i, parameters);
    if (!w.has_failed) {
      assert_int_equal(status, FCPS_OK);
      continue;
    }
    assert_int_equal(status, FCPS_ERR_CALLBACK);
    assert_int_equal(fcps_learner_error(learner)->status, FCPS_ERR_CALLBACK);
    assert_int_equal(fcps_learner_rollout_count(learner), told);
    expect_no_further_call(&w, name, "ask or tell");
    recover(&w);
    assert_int_equal(throwing_episode(learner, i, parameters), FCPS_OK);
  }
  fcps_learner_destroy(learner);
}

static void after_a_failure_an_ask_or_tell_calls_nothing_more(void **state)
{
  (void)state;
  const fcps_learner_info *info;
  for (int i = 0; (info = fcps_learner_info_at(i)) != NULL; i++)
    for (int failing = REWARD; failing <= PRESENCE; failing *= 2)
      for (int countdown = 0; countdown < 4; countdown += 2)
        check_episodes(info->name, failing, countdown);
}

static fcps_learner *make_learner(watch *w, const char *name, int episodes)
{
  const fcps_problem problem = watched_problem(w);
  fcps_learner *learner = NULL;
  double parameters[2];
  assert_int_equal(fcps_learner_create(&learner, &problem, name, NULL, 3, NULL), FCPS_OK);
  for (int i = 0; i < episodes; i++)
    assert_int_equal(throwing_episode(learner, i, parameters), FCPS_OK);
  return learner;
}

static void check_policy(const char *name, int failing, int countdown)
{
  enum { CONTEXTS = 3 };
  watch w = {.failing = failing, .countdown = -1};
  fcps_learner *learner = make_learner(&w, name, EPISODES);
  fcps_policy *policy = NULL;
  w.countdown = countdown;
  const fcps_status made = fcps_learner_policy(learner, &policy);
  assert_int_equal(made, w.has_failed ? FCPS_ERR_CALLBACK : FCPS_OK);
  expect_no_further_call(&w, name, "policy");
  if (made != FCPS_OK) assert_null(policy);
  recover(&w);
  if (made != FCPS_OK) assert_int_equal(fcps_learner_policy(learner, &policy), FCPS_OK);
  fcps_learner_destroy(learner); /* the policy goes on without it */

  const double marks[CONTEXTS] = {-0.5, 0.1, 0.7}, winds[CONTEXTS] = {0.0};
  double parameters[2 * CONTEXTS], rewards[CONTEXTS];
  for (int batch = 0; batch < 2; batch++) {
    w.countdown = countdown;
    for (int repetition = 0; repetition < 3 && !w.has_failed; repetition++) {
      const fcps_status status =
          batch ? fcps_policy_query_batch(policy, CONTEXTS, marks, winds, parameters, rewards, NULL)
                : fcps_policy_query(policy, marks, winds, parameters, NULL);
      assert_int_equal(status, w.has_failed ? FCPS_ERR_CALLBACK : FCPS_OK);
      expect_no_further_call(&w, name, batch ? "batch" : "query");
    }
    recover(&w);
    assert_int_equal(fcps_policy_query_batch(policy, CONTEXTS, marks, winds, parameters, rewards, NULL), FCPS_OK);
  }
  fcps_policy_destroy(policy);
}

static void after_a_failure_a_policy_calls_nothing_more(void **state)
{
  (void)state;
  const fcps_learner_info *info;
  for (int i = 0; (info = fcps_learner_info_at(i)) != NULL; i++)
    for (int failing = REWARD; failing <= PRESENCE; failing *= 2)
      for (int countdown = 0; countdown < 4; countdown += 3)
        check_policy(info->name, failing, countdown);
}

static void the_error_names_the_callback_that_failed(void **state)
{
  (void)state;
  static const char *const fields[] = {"reward", "gradient", "achieved", "presence"};
  for (int kind = 0; kind < 4; kind++) {
    watch w = {.failing = 1 << kind, .countdown = -1};
    fcps_learner *learner = make_learner(&w, "outcome", EPISODES);
    w.countdown = 1;
    double parameters[2];
    for (int i = EPISODES; i < EPISODES + 4 && !w.has_failed; i++)
      (void)throwing_episode(learner, i, parameters);
    if (w.has_failed) assert_string_equal(fcps_learner_error(learner)->field, fields[kind]);
    fcps_learner_destroy(learner);
  }
}

/* -- Intruding -- */

static void a_callback_cannot_use_its_learner(void **state)
{
  (void)state;
  const fcps_learner_info *info;
  double parameters[2];
  for (int i = 0; (info = fcps_learner_info_at(i)) != NULL; i++) {
    watch w = {.countdown = -1}, alone = {.countdown = -1};
    fcps_learner *learner = make_learner(&w, info->name, 6), *other = make_learner(&alone, info->name, 6);
    w.learner = learner;
    w.intruding = REWARD | GRADIENT | ACHIEVED | PRESENCE;
    for (int episode = 6; episode < EPISODES; episode++) {
      double expected[2];
      assert_int_equal(throwing_episode(learner, episode, parameters), FCPS_OK);
      assert_int_equal(throwing_episode(other, episode, expected), FCPS_OK);
      assert_memory_equal(parameters, expected, sizeof expected); /* nothing happened to it */
    }
    fcps_policy *policy = NULL;
    assert_int_equal(fcps_learner_policy(learner, &policy), FCPS_OK);
    if (w.refusals != w.intrusions)
      fail_msg("%s: %d of %d intrusions were refused", info->name, w.refusals, w.intrusions);
    assert_int_equal(fcps_learner_rollout_count(learner), EPISODES);
    fcps_policy_destroy(policy);
    fcps_learner_destroy(learner);
    fcps_learner_destroy(other);
  }
}

static void a_callback_cannot_use_its_policy(void **state)
{
  (void)state;
  watch w = {.countdown = -1};
  fcps_learner *learner = make_learner(&w, "outcome", EPISODES);
  fcps_policy *policy = NULL;
  assert_int_equal(fcps_learner_policy(learner, &policy), FCPS_OK);
  const double mark = 0.3, wind = 0.1;
  double parameters[2], again[2];
  assert_int_equal(fcps_policy_query(policy, &mark, &wind, again, NULL), FCPS_OK);
  w.policy = policy;
  w.intruding = REWARD | GRADIENT | ACHIEVED | PRESENCE;
  assert_int_equal(fcps_policy_query(policy, &mark, &wind, parameters, NULL), FCPS_OK);
  assert_memory_equal(parameters, again, sizeof again);
  assert_true(w.intrusions > 0);
  assert_int_equal(w.refusals, w.intrusions);
  w.intruding = 0;
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
}

/* A callback may use other handles: the reward asks a learner of its own. */
static fcps_status asking_reward(void *user, int count, const double *target, const double *environments,
                                 const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  const double wind = 0.0;
  double unused[2];
  int64_t id;
  const fcps_status status = fcps_learner_ask(user, target, &wind, unused, &id);
  return status != FCPS_OK ? status
                           : throwing_reward(NULL, count, target, environments, parameters, outcomes, present, rewards);
}

static void a_callback_may_use_another_learner(void **state)
{
  (void)state;
  watch quiet = {.countdown = -1};
  fcps_learner *learner = NULL, *other = make_learner(&quiet, "random", 1);
  fcps_problem problem = throwing;
  problem.reward = asking_reward;
  problem.user = other;
  assert_ok(fcps_learner_create(&learner, &problem, "outcome", NULL, 3, NULL));
  double parameters[2];
  for (int i = 0; i < 8; i++)
    assert_ok(throwing_episode(learner, i, parameters));
  assert_true(fcps_learner_pending_count(other) > 8);
  fcps_learner_destroy(learner);
  fcps_learner_destroy(other);
}

/* The log callback tells a rollout. All rollouts are the same, so that the model warns. */
static void log_and_tell(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)level, (void)code, (void)message;
  intrude(user);
}

static void a_log_callback_cannot_use_its_learner(void **state)
{
  (void)state;
  watch w = {.countdown = -1};
  const fcps_problem problem = watched_problem(&w);
  fcps_learner *learner = NULL;
  assert_int_equal(fcps_learner_create(&learner, &problem, "bo-fcps", NULL, 3, NULL), FCPS_OK);
  const double mark = 0.1, wind = 0.0, at[] = {0.5, 0.5};
  double parameters[2];
  int64_t id;
  w.learner = learner;
  fcps_learner_set_log(learner, (fcps_log){log_and_tell, &w});
  for (int i = 0; i < 25; i++) {
    const double land = 1e-3 * i;
    const fcps_rollout rollout = {.target = &mark, .environment = &wind, .parameters = at, .outcome = &land};
    assert_int_equal(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout), FCPS_OK);
    assert_int_equal(fcps_learner_ask(learner, &mark, &wind, parameters, &id), FCPS_OK);
  }
  assert_int_equal(w.refusals, w.intrusions);
  w.learner = NULL;
  fcps_learner_destroy(learner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(after_a_failure_an_ask_or_tell_calls_nothing_more),
      cmocka_unit_test(after_a_failure_a_policy_calls_nothing_more),
      cmocka_unit_test(the_error_names_the_callback_that_failed),
      cmocka_unit_test(a_callback_cannot_use_its_learner),
      cmocka_unit_test(a_callback_cannot_use_its_policy),
      cmocka_unit_test(a_callback_may_use_another_learner),
      cmocka_unit_test(a_log_callback_cannot_use_its_learner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
