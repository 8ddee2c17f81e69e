/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/study/setup.c: after a change of the learner or of its settings every process continues with all
 * results and asks. A change that is not possible changes nothing. */
#include "study_fixture.h"
#include "toy.h"

#include "base/settings.h"

static const double target = 2, wind = 0.5;

static void amend(fcps_study *study, const char *learner, const char *name, const char *value)
{
  const fcps_setting settings[] = {{name, value}, {NULL, NULL}};
  fcps_error error = {0};
  if (fcps_study_amend_learner(study, learner, settings, &error) != FCPS_OK)
    fail_msg("%s: %s", error.field, error.message);
}

static void ask_as(fcps_study *study, const char *client, double parameters[2])
{
  fcps_ask ask;
  fcps_error error = {0};
  if (fcps_study_ask(study, client, &target, &wind, &ask, &error) != FCPS_OK) fail_msg("%s", error.message);
  memcpy(parameters, ask.parameters, 2 * sizeof *parameters);
}

static int count_events(const fcps_study *study)
{
  int count = 0;
  while (fcps_study_event_at(study, count) != NULL)
    count++;
  return count;
}

/* What the policy of a study says in a context: parameters, predicted reward and its deviation. */
static void ask_policy(fcps_study *study, double answer[4])
{
  fcps_policy *policy = NULL;
  fcps_prediction prediction = {0};
  assert_ok(fcps_study_policy(study, &policy, NULL));
  assert_ok(fcps_policy_query(policy, &target, &wind, answer, &prediction));
  answer[2] = prediction.reward;
  answer[3] = prediction.reward_deviation;
  fcps_policy_destroy(policy);
}

/* as if the results had been told to this learner in the first place */
static void everything_is_told_again(void **state)
{
  (void)state;
  static const struct {
    const char *from, *to, *name, *value;
  } cases[] = {{"random", "outcome", NULL, NULL},
               {"outcome", NULL, "kernel", "se"},
               {"outcome", "bo-fcps", "mean", "gls"},
               {"bo-fcps", "bo-cps", NULL, NULL}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    fcps_study *study = make_study(NULL, throw_yaml, cases[c].from);
    for (int i = 0; i < 9; i++)
      throw_once(study);
    amend(study, cases[c].to, cases[c].name, cases[c].value);
    const char *learner = cases[c].to != NULL ? cases[c].to : cases[c].from;
    assert_string_equal(fcps_study_learner(study), learner);
    const fcps_setting settings[] = {{cases[c].name, cases[c].value}, {NULL, NULL}};
    const fcps_study_setup setup = {.text = throw_yaml, .learner = learner, .settings = settings, .seed = 7};
    fcps_study *other = NULL;
    assert_ok(fcps_study_create(&other, NULL, &setup, NULL, NULL));
    for (int i = 0; i < 9; i++) {
      fcps_stored_result stored;
      fcps_study_result_at(study, i, &stored);
      assert_ok(fcps_study_tell(other, FCPS_NOT_ASKED, &stored.result, NULL, NULL));
    }
    double amended[4], made[4];
    ask_policy(study, amended);
    ask_policy(other, made);
    assert_memory_equal(amended, made, sizeof made);
    fcps_study_close(other);
    fcps_study_close(study);
  }
}

/* a study that is opened again goes on with the bytes of one that never stopped */
static void resumed_is_uninterrupted(void **state)
{
  (void)state;
  fcps_study *straight = make_study(NULL, throw_yaml, "outcome"), *study = make_study(test_path, throw_yaml, "outcome");
  for (int i = 0; i < 14; i++) {
    if (i == 5) amend(straight, NULL, "kappa", "0.3");
    if (i == 5) amend(study, NULL, "kappa", "0.3");
    if (i == 9) amend(straight, "bo-fcps", "initial", "4");
    if (i == 9) amend(study, "bo-fcps", "initial", "4");
    throw_once(straight);
    throw_once(study);
    fcps_study_close(study);
    study = open_study(test_path);
    assert_string_equal(fcps_study_learner(study), fcps_study_learner(straight));
    fcps_ask a, b;
    fcps_study_ask_at(straight, i, &a);
    fcps_study_ask_at(study, i, &b);
    assert_memory_equal(a.parameters, b.parameters, 2 * sizeof(double));
  }
  fcps_study_close(straight);
  fcps_study_close(study);
  assert_ok(fcps_study_remove(test_path, NULL));
}

/* the setting makes a difference: else the tests above would say nothing */
static void a_setting_changes_what_is_asked(void **state)
{
  (void)state;
  double changed[2], same[2];
  fcps_study *a = make_study(NULL, throw_yaml, "outcome"), *b = make_study(NULL, throw_yaml, "outcome");
  for (int i = 0; i < 8; i++) {
    throw_once(a);
    throw_once(b);
  }
  amend(a, NULL, "kappa", "20");
  ask_as(a, NULL, changed);
  ask_as(b, NULL, same);
  assert_memory_not_equal(changed, same, sizeof same);
  fcps_study_close(a);
  fcps_study_close(b);
}

static void other_handles_follow(void **state)
{
  (void)state;
  fcps_study *first = make_study(test_path, throw_yaml, "random");
  for (int i = 0; i < 4; i++)
    throw_once(first);
  fcps_study *second = open_study(test_path);
  throw_once(second);
  amend(first, "outcome", "kappa", "0.7");
  throw_once(second);
  assert_string_equal(fcps_study_learner(second), "outcome");
  assert_string_equal(fcps_setting_value(fcps_study_settings(second), "kappa"), "0.7");
  amend(second, NULL, "kappa", "0.9");
  throw_once(first);
  assert_string_equal(fcps_setting_value(fcps_study_settings(first), "kappa"), "0.9");
  double a[4], b[4];
  ask_policy(first, a);
  ask_policy(second, b);
  assert_memory_equal(a, b, sizeof a);
  fcps_study_close(first);
  fcps_study_close(second);
  assert_ok(fcps_study_remove(test_path, NULL));
}

static void a_trial_under_way_stays_pending(void **state)
{
  (void)state;
  double pending[2], again[2], next[2];
  fcps_receipt receipt;
  fcps_study *study = make_study(NULL, throw_yaml, "outcome");
  for (int i = 0; i < 5; i++)
    throw_once(study);
  ask_as(study, "arm", pending);
  amend(study, "bo-fcps", NULL, NULL);
  ask_as(study, "arm", again);
  assert_memory_equal(pending, again, sizeof again);
  ask_as(study, NULL, next);
  assert_memory_not_equal(next, pending, sizeof next);
  const double land = throw_lands(&wind, pending);
  const fcps_result result = {.rollout.outcome = &land};
  assert_ok(fcps_study_tell(study, 6, &result, &receipt, NULL));
  assert_false(receipt.is_late || receipt.is_repeated);
  throw_once(study);
  fcps_study_close(study);
}

/* another learner begins with its own defaults; a change of its settings keeps the others */
static void settings_belong_to_their_learner(void **state)
{
  (void)state;
  fcps_study *study = make_study(NULL, throw_yaml, "outcome-active");
  amend(study, NULL, "criterion", "es");
  amend(study, NULL, "initial", "4");
  assert_string_equal(fcps_setting_value(fcps_study_settings(study), "criterion"), "es");
  amend(study, "bo-fcps", "kappa", "1.5");
  assert_null(fcps_setting_value(fcps_study_settings(study), "criterion"));
  assert_null(fcps_setting_value(fcps_study_settings(study), "initial"));
  assert_string_equal(fcps_setting_value(fcps_study_settings(study), "kappa"), "1.5");
  amend(study, "bo-fcps", "initial", "3"); /* the same learner: nothing begins again */
  assert_string_equal(fcps_setting_value(fcps_study_settings(study), "kappa"), "1.5");
  assert_string_equal(fcps_setting_value(fcps_study_settings(study), "initial"), "3");
  fcps_study_close(study);
}

static void expect_event(const fcps_study *study, int index, const char *code, const char *text, const char *old)
{
  char *replaced = NULL;
  const fcps_study_event *event = fcps_study_event_at(study, index);
  assert_non_null(event);
  assert_string_equal(event->code, code);
  assert_string_equal(event->text, text);
  assert_ok(fcps_study_replaced(study, index, &replaced, NULL));
  assert_string_equal(replaced, old);
  fcps_free(replaced);
}

static void the_history_says_what_was_replaced(void **state)
{
  (void)state;
  fcps_study *study = make_study(test_path, throw_yaml, "outcome");
  amend(study, NULL, "kappa", "0.3");
  assert_ok(fcps_study_amend(study, "reward", "-abs(x-land)", NULL));
  amend(study, NULL, "kappa", "0.4");
  amend(study, "bo-cps", "kappa", "2");
  amend(study, "bo-cps", "kappa", "2"); /* changes nothing */
  assert_ok(fcps_study_amend(study, "reward", "-2*abs(x-land)", NULL));
  for (int times = 0; times < 2; times++) {
    assert_int_equal(count_events(study), 6);
    expect_event(study, 0, "setting.kappa", "0.3", fcps_learner_default("outcome", "kappa"));
    expect_event(study, 1, "reward", "-abs(x-land)", "present ? -distance - 0.05*speed : -9");
    expect_event(study, 2, "setting.kappa", "0.4", "0.3");
    expect_event(study, 3, "learner", "bo-cps", "outcome");
    expect_event(study, 4, "setting.kappa", "2", fcps_learner_default("bo-cps", "kappa"));
    expect_event(study, 5, "reward", "-2*abs(x-land)", "-abs(x-land)");
    fcps_study_close(study);
    study = open_study(test_path);
    assert_string_equal(fcps_study_learner(study), "bo-cps");
  }
  fcps_study_close(study);
  assert_ok(fcps_study_remove(test_path, NULL));
}

static void refuse(fcps_study *study, const char *learner, const char *name, const char *value, const char *words)
{
  const fcps_setting settings[] = {{"initial", "4"}, {name, value}, {NULL, NULL}};
  fcps_error error = {0};
  const int events = count_events(study);
  assert_int_not_equal(fcps_study_amend_learner(study, learner, settings, &error), FCPS_OK);
  char all[1024];
  snprintf(all, sizeof all, "%s: %s", error.field, error.message);
  if (strstr(all, words) == NULL) fail_msg("no \"%s\" in: %s", words, all);
  assert_int_equal(count_events(study), events);
  assert_string_equal(fcps_study_learner(study), "bo-cps");
  assert_null(fcps_setting_value(fcps_study_settings(study), "initial"));
  assert_string_equal(fcps_setting_value(fcps_study_settings(study), "kappa"), "2");
}

static void what_cannot_work_changes_nothing(void **state)
{
  (void)state;
  fcps_study *study = make_study(test_path, told_yaml, "bo-cps");
  amend(study, NULL, "kappa", "2");
  for (int times = 0; times < 2; times++) {
    refuse(study, NULL, "kapa", "3", "did you mean kappa");
    refuse(study, NULL, "kappa", "high", "kappa: \"high\"");
    refuse(study, NULL, "kappa", "-1e9", "kappa: ");
    refuse(study, "bo-fcsp", NULL, NULL, "did you mean bo-fcps");
    refuse(study, "outcome", NULL, NULL, "outcome"); /* there is none to predict */
    refuse(study, "bo-fcps", NULL, NULL, "reward");  /* it must be a function */
    refuse(study, "c-reps", NULL, NULL, "initial");  /* not one of its settings */
    refuse(study, NULL, "model", "rescored", "reward");
    fcps_study_close(study);
    study = open_study(test_path);
  }
  fcps_error error = {0};
  assert_int_equal(fcps_study_amend_learner(NULL, "random", NULL, &error), FCPS_ERR_ARGUMENT);
  assert_int_equal(fcps_study_amend_learner(study, NULL, NULL, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "learner");
  const fcps_setting without[] = {{"kappa", NULL}, {NULL, NULL}};
  assert_int_equal(fcps_study_amend_learner(study, NULL, without, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "kappa");
  fcps_study_close(study);
  assert_ok(fcps_study_remove(test_path, NULL));
}

static void a_policy_made_before_stays(void **state)
{
  (void)state;
  fcps_study *study = make_study(NULL, throw_yaml, "outcome");
  for (int i = 0; i < 8; i++)
    throw_once(study);
  fcps_policy *policy = NULL;
  double before[2], after[2];
  assert_ok(fcps_study_policy(study, &policy, NULL));
  assert_ok(fcps_policy_query(policy, &target, &wind, before, NULL));
  amend(study, "c-reps", NULL, NULL);
  throw_once(study);
  assert_ok(fcps_policy_query(policy, &target, &wind, after, NULL));
  assert_memory_equal(before, after, sizeof after);
  fcps_policy_destroy(policy);
  fcps_study_close(study);
}

/* a policy file has the changes of its problem, but not those of the learner */
static void a_policy_file_of_an_amended_study_can_be_read(void **state)
{
  (void)state;
  fcps_study *study = make_study(NULL, throw_yaml, "outcome");
  for (int i = 0; i < 6; i++)
    throw_once(study);
  amend(study, "bo-fcps", "kappa", "1");
  assert_ok(fcps_study_amend(study, "reward", "-2*abs(x-land)", NULL));
  amend(study, NULL, "kappa", "2");
  char *text = NULL;
  fcps_policy *policy = NULL, *own = NULL;
  fcps_problem_file *problem = NULL;
  fcps_error error = {0};
  double loaded[2], made[2];
  assert_ok(fcps_study_export_policy(study, &text, NULL));
  if (fcps_study_load_policy(&policy, &problem, text, "policy", &error) != FCPS_OK)
    fail_msg("%s: %s", error.field, error.message);
  assert_string_equal(problem->reward, "-2*abs(x-land)");
  assert_ok(fcps_study_policy(study, &own, NULL));
  assert_ok(fcps_policy_query(policy, &target, &wind, loaded, NULL));
  assert_ok(fcps_policy_query(own, &target, &wind, made, NULL));
  assert_memory_equal(loaded, made, sizeof made);
  fcps_policy_destroy(own);
  fcps_policy_destroy(policy);
  fcps_problem_file_destroy(problem);
  fcps_free(text);
  fcps_study_close(study);
}

/* the reward cannot be amended in a study of callbacks, the learner can */
static void a_study_of_callbacks_has_a_learner_too(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const fcps_study_options options = {.problem = &problem};
  const fcps_study_setup setup = {.problem = &problem, .learner = "random", .seed = 3};
  const double aim[2] = {0.3, 0.4}, air = 0.1;
  fcps_study *study = NULL;
  fcps_ask ask;
  assert_ok(fcps_study_create(&study, test_path, &setup, &options, NULL));
  for (int i = 0; i < 6; i++) {
    double land[2];
    assert_ok(fcps_study_ask(study, NULL, aim, &air, &ask, NULL));
    toy_throw(ask.environment, ask.parameters, land);
    const fcps_result result = {.rollout.outcome = land};
    assert_ok(fcps_study_tell(study, ask.id, &result, NULL, NULL));
  }
  amend(study, "outcome", "kappa", "1");
  fcps_study_close(study);
  assert_ok(fcps_study_open(&study, test_path, &options, NULL));
  assert_string_equal(fcps_study_learner(study), "outcome");
  assert_ok(fcps_study_ask(study, NULL, aim, &air, &ask, NULL));
  fcps_study_close(study);
  assert_ok(fcps_study_remove(test_path, NULL));
}

static void defaults_are_those_of_the_learner(void **state)
{
  (void)state;
  assert_string_equal(fcps_learner_default("bo-fcps", "model"), "rescored");
  assert_string_equal(fcps_learner_default("bo-cps", "model"), "joint");
  assert_null(fcps_learner_default("bo-cps", "criterion"));
  assert_null(fcps_learner_default("nobody", "model"));
  assert_null(fcps_learner_default(NULL, "model"));
  assert_null(fcps_learner_default("bo-cps", NULL));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_is_told_again),
      cmocka_unit_test(resumed_is_uninterrupted),
      cmocka_unit_test(a_setting_changes_what_is_asked),
      cmocka_unit_test(other_handles_follow),
      cmocka_unit_test(a_trial_under_way_stays_pending),
      cmocka_unit_test(settings_belong_to_their_learner),
      cmocka_unit_test(the_history_says_what_was_replaced),
      cmocka_unit_test(what_cannot_work_changes_nothing),
      cmocka_unit_test(a_policy_made_before_stays),
      cmocka_unit_test(a_policy_file_of_an_amended_study_can_be_read),
      cmocka_unit_test(a_study_of_callbacks_has_a_learner_too),
      cmocka_unit_test(defaults_are_those_of_the_learner),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
