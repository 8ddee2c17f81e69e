/* SPDX-License-Identifier: Apache-2.0 */
/* Results with a deviation: stored with them, kept through every change, and used in learning; and repeated trials. */
#include "study_fixture.h"

static const double target = 2.0, wind = 0.25;

static double told_deviation(int64_t id)
{
  static const double deviations[] = {0.02, 0.5, 0.0, 1.5};
  return deviations[id % 4];
}

/* Asks, throws and tells, with noise that depends on the ask and, unless `is_silent`, with its deviation. */
static void throw_noisily(fcps_study *study, bool is_silent)
{
  double x, e;
  fcps_ask ask;
  fcps_error error = {0};
  context_of(fcps_study_ask_count(study) + 1, &x, &e);
  if (fcps_study_ask(study, NULL, &x, &e, &ask, &error) != FCPS_OK) fail_msg("ask: %s", error.message);
  const double deviation = told_deviation(ask.id);
  const double land = throw_lands(ask.environment, ask.parameters) + deviation * sin(77.0 * (double)ask.id);
  const fcps_result result = {.rollout = {.outcome = &land, .outcome_deviation = is_silent ? NULL : &deviation}};
  if (fcps_study_tell(study, ask.id, &result, NULL, &error) != FCPS_OK) fail_msg("tell: %s", error.message);
}

static void expect_deviation(const fcps_study *study, int index, double expected)
{
  fcps_stored_result stored;
  fcps_study_result_at(study, index, &stored);
  if (isnan(expected))
    assert_null(stored.result.rollout.outcome_deviation);
  else
    assert_near(stored.result.rollout.outcome_deviation[0], expected, 0);
}

static void a_told_deviation_is_stored_with_its_result(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, "outcome");
  throw_noisily(s, false);
  throw_noisily(s, true);
  throw_noisily(s, false);
  for (int opened = 0; opened < 2; opened++) {
    expect_deviation(s, 0, told_deviation(1));
    expect_deviation(s, 1, NAN);
    expect_deviation(s, 2, told_deviation(3));
    fcps_stored_result stored;
    assert_true(fcps_study_result_of(s, 3, &stored));
    assert_near(stored.result.rollout.outcome_deviation[0], told_deviation(3), 0);
    assert_null(fcps_study_event_at(s, 0)); /* it is no event */
    fcps_study_close(s);
    s = open_study(test_path);
  }
  fcps_study_close(s);
}

static void a_result_without_deviation_is_one_record_as_ever(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, "random");
  throw_noisily(s, true);
  throw_noisily(s, true);
  fcps_stored_result stored;
  fcps_study_result_at(s, 1, &stored);
  assert_int_equal(stored.sequence, 4); /* ask, result, ask, result */
  fcps_study_close(s);
}

static void what_is_no_deviation_is_refused_and_nothing_is_stored(void **state)
{
  (void)state;
  static const double bad[] = {-1, NAN, INFINITY, 1e200};
  const double land = 1;
  fcps_study *s = make_study(test_path, throw_yaml, "random");
  fcps_ask ask;
  fcps_error error = {0};
  assert_ok(fcps_study_ask(s, NULL, &target, &wind, &ask, NULL));
  for (int i = 0; i < 4; i++) {
    const fcps_result result = {.rollout = {.outcome = &land, .outcome_deviation = &bad[i]}};
    assert_status(fcps_study_tell(s, 1, &result, NULL, &error), i == 0 ? FCPS_ERR_BOUNDS : FCPS_ERR_NOT_FINITE);
    assert_string_equal(error.field, "outcome_sd.land");
  }
  const fcps_result absent = {.rollout = {.outcome_deviation = &land}};
  assert_status(fcps_study_tell(s, 1, &absent, NULL, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "outcome_sd");
  assert_int_equal(fcps_study_result_count(s), 0);
  fcps_study_close(s);
}

static void the_same_outcome_with_another_deviation_is_another_result(void **state)
{
  (void)state;
  const double land = 1, exact = 0, rough = 0.5;
  const fcps_result plain = {.rollout = {.outcome = &land}},
                    told = {.rollout = {.outcome = &land, .outcome_deviation = &rough}};
  const fcps_result other = {.rollout = {.outcome = &land, .outcome_deviation = &exact}};
  fcps_study *s = make_study(test_path, throw_yaml, "random");
  fcps_ask ask;
  fcps_receipt receipt;
  assert_ok(fcps_study_ask(s, NULL, &target, &wind, &ask, NULL));
  assert_ok(fcps_study_tell(s, 1, &told, &receipt, NULL));
  assert_ok(fcps_study_tell(s, 1, &told, &receipt, NULL));
  assert_true(receipt.is_repeated);
  assert_status(fcps_study_tell(s, 1, &plain, &receipt, NULL), FCPS_ERR_CONFLICT);
  assert_status(fcps_study_tell(s, 1, &other, &receipt, NULL), FCPS_ERR_CONFLICT);
  assert_ok(fcps_study_use(s, 1, 3, NULL));
  fcps_study_close(s);
  s = open_study(test_path);
  fcps_stored_result stored;
  assert_true(fcps_study_result_of(s, 1, &stored));
  assert_near(stored.result.rollout.outcome_deviation[0], 0, 0);
  fcps_study_close(s);
}

/* -- Learning -- */

static void expect_same(fcps_study *a, fcps_study *b, const char *learner, bool is_same)
{
  bool differs = fcps_study_ask_count(a) != fcps_study_ask_count(b);
  for (int i = 0; i < fcps_study_ask_count(a) && !differs; i++) {
    fcps_ask x, y;
    fcps_study_ask_at(a, i, &x);
    fcps_study_ask_at(b, i, &y);
    differs = memcmp(x.parameters, y.parameters, 2 * sizeof(double)) != 0;
  }
  if (differs == is_same) fail_msg("%s: the asks %s", learner, is_same ? "differ" : "are the same");
}

static fcps_study *make_with(const char *path, const char *learner, const fcps_setting *settings)
{
  fcps_study *study = NULL;
  fcps_error error = {0};
  const fcps_study_setup setup = {
      .text = throw_yaml, .text_name = "throw.yaml", .learner = learner, .settings = settings, .seed = 7};
  const fcps_study_options quick = {.is_relaxed = true};
  if (fcps_study_create(&study, path, &setup, &quick, &error) != FCPS_OK) fail_msg("%s", error.message);
  return study;
}

static void a_resumed_study_asks_the_same_and_deviations_change_what_is_asked(void **state)
{
  (void)state;
  enum { STEPS = 16 };
  static const struct {
    const char *learner;
    fcps_setting settings[2];
  } cases[] = {{"outcome", {{NULL, NULL}}},
               {"outcome", {{"separate", "on"}}},
               {"outcome", {{"hyperparameters", "bayes"}}},
               {"outcome", {{"input_noise", "learnt"}}},
               {"outcome", {{"refit", "5"}}},
               {"bo-fcps", {{NULL, NULL}}},
               {"bo-cps", {{NULL, NULL}}},
               {"bo-cps", {{"hindsight", "on"}}},
               {"bo-cps", {{"split", "on"}}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *learner = cases[i].learner;
    const fcps_setting *settings = cases[i].settings;
    fcps_study *steady = make_with(NULL, learner, settings), *silent = make_with(NULL, learner, settings);
    fcps_study_close(make_with(test_path, learner, settings));
    for (int step = 1; step <= STEPS; step++) {
      throw_noisily(steady, false);
      throw_noisily(silent, true);
      fcps_study *s = open_study(test_path);
      throw_noisily(s, false);
      fcps_study_close(s);
    }
    fcps_study *resumed = open_study(test_path);
    expect_same(steady, resumed, learner, true);
    expect_same(steady, silent, learner, false);
    fcps_study_close(resumed);
    fcps_study_close(steady);
    fcps_study_close(silent);
    assert_ok(fcps_study_remove(test_path, NULL));
  }
}

/* After a change the learner is made again from the journal: with the deviations. */
static void amended_and_dropped_results_keep_the_others_deviations(void **state)
{
  (void)state;
  fcps_study *s = make_study(test_path, throw_yaml, "outcome"), *other = make_study(NULL, throw_yaml, "outcome");
  for (int i = 0; i < 10; i++) {
    throw_noisily(s, false);
    throw_noisily(other, true);
  }
  fcps_study *const both[] = {s, other};
  double found[2][2];
  for (int i = 0; i < 2; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(both[i], 4, &stored);
    assert_ok(fcps_study_use_result(both[i], stored.sequence, false, NULL));
    assert_ok(fcps_study_amend(both[i], "reward", "-distance", NULL));
    fcps_policy *policy = NULL;
    assert_ok(fcps_study_policy(both[i], &policy, NULL));
    assert_ok(fcps_policy_query(policy, &target, &wind, found[i], NULL));
    fcps_policy_destroy(policy);
  }
  assert_true(memcmp(found[0], found[1], sizeof found[0]) != 0);
  expect_deviation(s, 4, told_deviation(5));
  fcps_study_close(other);
  fcps_study_close(s);
}

/* -- Files -- */

static void write_text(const char *name, const char *text, char *path, size_t size)
{
  snprintf(path, size, "%s/%s", test_folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static void a_table_may_have_deviations(void **state)
{
  (void)state;
  char path[200];
  int added, skipped;
  fcps_error error = {0};
  fcps_study *s = make_study(test_path, throw_yaml, "random");
  write_text("good.csv",
             "x,wind,speed,tilt,land,land_sd\n1,0,1,1,2,0.5\n1,0,1,1,2.5,\n1,0,1,0.5,,\n1,0,1,0.5,1,0\n1,0,1,0.5,1,\n",
             path, sizeof path);
  assert_ok(fcps_study_import(s, path, &added, &skipped, NULL));
  assert_int_equal(added, 5);
  assert_ok(fcps_study_import(s, path, &added, &skipped, NULL));
  assert_int_equal(skipped, 5);
  const double expected[] = {0.5, NAN, NAN, 0, NAN};
  for (int i = 0; i < 5; i++)
    expect_deviation(s, i, expected[i]);
  static const char *const bad[] = {"x,wind,speed,tilt,land,land_sd\n1,0,1,1,2,-1\n",
                                    "x,wind,speed,tilt,land,land_sd\n1,0,1,1,2,nan\n",
                                    "x,wind,speed,tilt,land,land_sd\n1,0,1,1,,1\n"};
  for (int i = 0; i < 3; i++) {
    write_text("bad.csv", bad[i], path, sizeof path);
    assert_true(fcps_study_import(s, path, &added, &skipped, &error) != FCPS_OK);
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.field, "outcome_sd"));
  }
  assert_int_equal(fcps_study_result_count(s), 5);
  fcps_study_close(s);
}

/* -- Repeated trials -- */

typedef struct notes {
  int scatters;
  char last[400];
} notes;

static void note(void *user, fcps_log_level level, const char *code, const char *message)
{
  notes *n = user;
  (void)level;
  if (strcmp(code, "W_SCATTER") != 0) return;
  n->scatters++;
  snprintf(n->last, sizeof n->last, "%s", message);
}

static void tell_at(fcps_study *s, double speed, double land, const double *deviation, const char *key)
{
  const double parameters[] = {speed, 0.7};
  fcps_error error = {0};
  const fcps_result result = {.rollout = {.target = &target,
                                          .environment = &wind,
                                          .parameters = parameters,
                                          .outcome = &land,
                                          .outcome_deviation = deviation},
                              .key = key};
  if (fcps_study_tell(s, FCPS_NOT_ASKED, &result, NULL, &error) != FCPS_OK) fail_msg("%s", error.message);
}

static void a_deviation_below_the_scatter_of_repeated_trials_is_warned_of(void **state)
{
  (void)state;
  notes n = {0};
  fcps_study *s = NULL;
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw.yaml", .learner = "random"};
  const fcps_study_options options = {.log = {note, &n}};
  assert_ok(fcps_study_create(&s, NULL, &setup, &options, NULL));
  const double small = 0.1, large = 1.0, exact = 0;
  tell_at(s, 1.0, 2.0, &small, NULL);
  tell_at(s, 1.0, 2.2, &small, NULL); /* as exactly as these deviations allow */
  tell_at(s, 1.1, 5.0, &small, NULL); /* another place */
  tell_at(s, 1.0, 3.0, NULL, NULL);   /* its deviation is not told */
  assert_int_equal(n.scatters, 0);
  tell_at(s, 1.0, 2.9, &small, NULL);
  assert_int_equal(n.scatters, 1);
  assert_non_null(strstr(n.last, "outcome.land: 3 results"));
  tell_at(s, 2.0, 2.0, &large, NULL);
  tell_at(s, 2.0, 2.9, &large, NULL);
  tell_at(s, 2.5, 2.0, &exact, "a");
  tell_at(s, 2.5, 2.0, &exact, "b"); /* the same twice */
  tell_at(s, 2.5, 2.5, &large, "c");
  assert_int_equal(n.scatters, 1);
  tell_at(s, 2.5, 2.001, &exact, "d"); /* exact, and different */
  assert_int_equal(n.scatters, 2);
  fcps_study_close(s);
}

/* a table names each place once, whatever rows are between and after it */
static void an_import_warns_once_of_each_place_that_scatters(void **state)
{
  (void)state;
  notes n = {0};
  int added, skipped;
  char path[300];
  fcps_study *s = NULL;
  const fcps_study_setup setup = {.text = throw_yaml, .text_name = "throw.yaml", .learner = "random"};
  const fcps_study_options options = {.log = {note, &n}};
  assert_ok(fcps_study_create(&s, NULL, &setup, &options, NULL));
  write_text("scatter.csv",
             "x,wind,speed,tilt,land,land_sd\n"
             "1,0,1,1,2,0.1\n1,0,1,0.5,2,0.1\n3,0,1,1,2.9,0.1\n1,0,1,0.5,2.1,0.1\n" /* the first place scatters */
             "1,0,2,0.5,2,0.1\n1,-0,2,0.5,2.9,0.1\n" /* so does this one: both zeros are one wind */
             "1,0,1,1,3.5,\n",                       /* its deviation is not told */
             path, sizeof path);
  assert_ok(fcps_study_import(s, path, &added, &skipped, NULL));
  assert_int_equal(added, 7);
  assert_int_equal(n.scatters, 2);
  assert_non_null(strstr(n.last, "2 results"));
  write_text("more.csv", "x,wind,speed,tilt,land,land_sd\n1,0,1,0.5,3,0.1\n1,0,2,1.5,9,0.1\n", path, sizeof path);
  assert_ok(fcps_study_import(s, path, &added, &skipped, NULL));
  assert_int_equal(n.scatters, 3); /* places without a new result are not repeated */
  assert_non_null(strstr(n.last, "3 results"));
  fcps_study_close(s);
}

/* Six places, each tried five times with the same result, which is told as exact: all of them are rows of the model,
 * and its matrix needs no jitter. */
static void repeated_trials_are_learnt_from(void **state)
{
  (void)state;
  static const char *const learners[] = {"outcome", "bo-fcps", "bo-cps"};
  for (int l = 0; l < 3; l++) {
    fcps_study *s = make_study(NULL, throw_yaml, learners[l]);
    const double exact = 0;
    for (int i = 0; i < 30; i++) {
      char key[8];
      const double speed = 0.3 + 0.5 * (i % 6), parameters[] = {speed, 0.7};
      snprintf(key, sizeof key, "%d", i);
      tell_at(s, speed, throw_lands(&wind, parameters), &exact, key);
    }
    double at[2], x, e;
    fcps_policy *policy = NULL;
    fcps_prediction prediction = {0};
    fcps_ask ask;
    context_of(1, &x, &e);
    assert_ok(fcps_study_ask(s, NULL, &x, &e, &ask, NULL));
    assert_ok(fcps_study_policy(s, &policy, NULL));
    assert_ok(fcps_policy_query(policy, &target, &wind, at, &prediction));
    fcps_health health = {0};
    assert_true(fcps_policy_health(policy, 0, &health));
    assert_int_equal(health.rollouts, 30);
    assert_true(health.jitter == 0 && health.fallback == NULL);
    assert_true(isfinite(prediction.reward) && isfinite(prediction.reward_deviation));
    fcps_policy_destroy(policy);
    fcps_study_close(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_told_deviation_is_stored_with_its_result, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_result_without_deviation_is_one_record_as_ever, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(what_is_no_deviation_is_refused_and_nothing_is_stored, make_folder,
                                      remove_folder),
      cmocka_unit_test_setup_teardown(the_same_outcome_with_another_deviation_is_another_result, make_folder,
                                      remove_folder),
      cmocka_unit_test_setup_teardown(a_resumed_study_asks_the_same_and_deviations_change_what_is_asked, make_folder,
                                      remove_folder),
      cmocka_unit_test_setup_teardown(amended_and_dropped_results_keep_the_others_deviations, make_folder,
                                      remove_folder),
      cmocka_unit_test_setup_teardown(a_table_may_have_deviations, make_folder, remove_folder),
      cmocka_unit_test(a_deviation_below_the_scatter_of_repeated_trials_is_warned_of),
      cmocka_unit_test_setup_teardown(an_import_warns_once_of_each_place_that_scatters, make_folder, remove_folder),
      cmocka_unit_test(repeated_trials_are_learnt_from),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
