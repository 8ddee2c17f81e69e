/* SPDX-License-Identifier: Apache-2.0 */
/* Resumed equals uninterrupted, byte for byte: a study that is closed and opened again after every call, or used by two
 * handles in turn, makes the same asks as one that is never closed. */
#include "study_fixture.h"

enum { STEPS = 24 };

/* ask i, with a second one pending from time to time; a forgotten ask, and a look at the policy, in between */
static void do_step(fcps_study *study, int step)
{
  double target, environment;
  fcps_ask ask;
  fcps_error error = {0};
  context_of(step, &target, &environment);
  if (fcps_study_ask(study, NULL, &target, &environment, &ask, &error) != FCPS_OK) fail_msg("ask: %s", error.message);
  if (step % 5 == 2) return; /* stays pending */
  if (step % 7 == 3) {
    assert_ok(fcps_study_forget(study, ask.id, NULL));
    return;
  }
  const double land = throw_lands(ask.environment, ask.parameters);
  const fcps_result ok = {.rollout.outcome = &land},
                    failed = {.rollout.status = FCPS_ROLLOUT_FAILED, .message = "broke"};
  if (fcps_study_tell(study, ask.id, step % 6 == 4 ? &failed : &ok, NULL, &error) != FCPS_OK)
    fail_msg("%s", error.message);
}

static void expect_same(fcps_study *a, fcps_study *b, const char *learner)
{
  assert_int_equal(fcps_study_ask_count(a), fcps_study_ask_count(b));
  for (int i = 0; i < fcps_study_ask_count(a); i++) {
    fcps_ask x, y;
    fcps_study_ask_at(a, i, &x);
    fcps_study_ask_at(b, i, &y);
    if (x.id != y.id || x.state != y.state || memcmp(x.parameters, y.parameters, 2 * sizeof(double)) != 0)
      fail_msg("%s: ask %d differs", learner, i + 1);
  }
}

static fcps_study *make_with(const char *path, const char *learner, const fcps_setting *settings,
                             const fcps_study_options *how)
{
  fcps_study *study = NULL;
  fcps_error error = {0};
  const fcps_study_setup setup = {
      .text = throw_yaml, .text_name = "throw.yaml", .learner = learner, .settings = settings, .seed = 7};
  if (fcps_study_create(&study, path, &setup, how, &error) != FCPS_OK) fail_msg("%s: %s", error.field, error.message);
  return study;
}

/* a study that is never closed, beside one that is opened for each step */
static void expect_resumed(const char *learner, const fcps_setting *settings, const fcps_study_options *how)
{
  make_folder(NULL);
  fcps_study *steady = make_with(NULL, learner, settings, how);
  fcps_study_close(make_with(test_path, learner, settings, how));
  for (int step = 1; step <= STEPS; step++) {
    do_step(steady, step);
    fcps_study *s = NULL;
    assert_ok(fcps_study_open(&s, test_path, how, NULL));
    do_step(s, step);
    fcps_study_close(s);
  }
  fcps_study *resumed = open_study(test_path);
  expect_same(steady, resumed, learner);
  fcps_study_close(resumed);
  fcps_study_close(steady);
  remove_folder(NULL);
}

static void each_learner_resumed_after_every_call_asks_the_same(void **state)
{
  (void)state;
  int count = 0;
  for (const fcps_learner_info *info; (info = fcps_learner_info_at(count)) != NULL; count++)
    expect_resumed(info->name, NULL, NULL);
  printf("# %d learners, each interrupted at %d points\n", count, STEPS);
}

static void so_does_each_setting_that_brings_a_state_of_its_own(void **state)
{
  (void)state;
  static const struct {
    const char *learner;
    fcps_setting settings[2];
  } cases[] = {{"outcome", {{"trust_region", "on"}}},
               {"bo-fcps", {{"trust_region", "on"}}},
               {"outcome", {{"hyperparameters", "bayes"}}},
               {"bo-cps", {{"hindsight", "on"}}},
               {"bo-cps", {{"hyperparameters", "bayes"}}},
               {"c-reps", {{"hindsight", "on"}}},
               {"bo-fcps", {{"refit", "1"}}},
               {"outcome", {{"separate", "on"}}},
               {"outcome", {{"input_noise", "learnt"}}},
               {"outcome-active", {{"separate", "on"}}},
               {"bo-cps", {{"split", "on"}}}};
  const fcps_study_options quick = {.is_relaxed = true};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    expect_resumed(cases[i].learner, cases[i].settings, &quick);
}

static void looking_and_taking_turns_change_nothing(void **state)
{
  (void)state;
  make_folder(NULL);
  fcps_study *steady = make_study(NULL, throw_yaml, "bo-fcps");
  fcps_study *turns[2] = {make_study(test_path, throw_yaml, "bo-fcps"), open_study(test_path)};
  for (int step = 1; step <= STEPS; step++) {
    do_step(steady, step);
    do_step(turns[step % 2], step);
    if (step % 4 == 0) {
      fcps_policy *policy = NULL;
      assert_ok(fcps_study_policy(turns[step % 3 % 2], &policy, NULL));
      fcps_policy_destroy(policy);
    }
  }
  assert_ok(fcps_study_refresh(turns[0], NULL));
  expect_same(steady, turns[0], "bo-fcps");
  fcps_study_close(turns[0]);
  fcps_study_close(turns[1]);
  fcps_study_close(steady);
  remove_folder(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_learner_resumed_after_every_call_asks_the_same),
      cmocka_unit_test(so_does_each_setting_that_brings_a_state_of_its_own),
      cmocka_unit_test(looking_and_taking_turns_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
