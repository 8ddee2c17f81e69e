/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/study/remarks/check_model.c: the table has every result from which the model learns under its own
 * number, the predictions are those of a model without that result, and studies that cannot be checked are refused. */
#include "study_fixture.h"

#include "base/rng.h"

#include <fcps/study_check.h>

static fcps_study_check *check_of(fcps_study *study)
{
  fcps_policy *policy = NULL;
  fcps_study_check *check = NULL;
  fcps_error error = {0};
  assert_ok(fcps_study_policy(study, &policy, &error));
  if (fcps_study_check_model(study, policy, &check, &error) != FCPS_OK) fail_msg("%s: %s", error.field, error.message);
  fcps_policy_destroy(policy);
  return check;
}

static void tell(fcps_study *study, double speed, double tilt, double land, fcps_rollout_status status)
{
  const double target = 2, wind = 0.1 * speed - 0.1, parameters[2] = {speed, tilt};
  const fcps_result result = {.rollout = {.target = &target,
                                          .environment = &wind,
                                          .parameters = parameters,
                                          .outcome = status == FCPS_ROLLOUT_OK ? &land : NULL,
                                          .status = status},
                              .key = NULL};
  assert_ok(fcps_study_tell(study, FCPS_NOT_ASKED, &result, NULL, NULL));
}

/* every learner with a model; what was asked for is found under the number of its ask */
static void every_result_stands_under_its_number(void **state)
{
  (void)state;
  static const char *const learners[] = {"outcome", "outcome-active", "bo-fcps", "bo-cps", "faces"};
  for (size_t l = 0; l < sizeof learners / sizeof *learners; l++) {
    fcps_study *study = make_study(NULL, throw_yaml, learners[l]);
    for (int i = 0; i < 8; i++)
      throw_once(study);
    fcps_study_check *check = check_of(study);
    assert_int_equal(check->result_count, 8);
    assert_int_equal(check->output_count, 1);
    const bool has_outcomes = strncmp(learners[l], "outcome", 7) == 0;
    assert_string_equal(check->outputs[0].name, has_outcomes ? "land" : "reward");
    assert_string_equal(check->outputs[0].unit, "");
    assert_int_equal(check->outputs[0].predicted, 8);
    for (int i = 0; i < 8; i++) {
      fcps_stored_result stored;
      assert_true(fcps_study_result_of(study, i + 1, &stored));
      const fcps_checked_result *r = check->results + i;
      assert_int_equal(r->ask, i + 1);
      assert_int_equal(r->result_number, 1);
      assert_int_equal(r->sequence, stored.sequence);
      assert_near(r->told[0], has_outcomes ? stored.result.rollout.outcome[0] : stored.result.rollout.reward, 1e-12);
      assert_true(isfinite(r->expected[0]) && r->deviation[0] > 0);
      assert_near(r->surprise, fabs(r->told[0] - r->expected[0]) / r->deviation[0], 1e-12);
    }
    fcps_study_check_destroy(check);
    fcps_study_close(study);
  }
}

/* results that failed, were dropped or stand twice keep the others under their numbers; with hindsight each result has
 * two rows, but one line */
static void only_results_that_the_model_learns_from_are_listed(void **state)
{
  (void)state;
  static const char *const hindsight[] = {"off", "on"};
  for (int h = 0; h < 2; h++) {
    const fcps_setting settings[] = {{"hindsight", hindsight[h]}, {NULL, NULL}};
    const fcps_study_setup setup = {.text = throw_yaml, .learner = "bo-cps", .settings = settings, .seed = 7};
    fcps_study *study = NULL;
    assert_ok(fcps_study_create(&study, NULL, &setup, NULL, NULL));
    tell(study, 1.0, 0.5, 0.4, FCPS_ROLLOUT_OK);
    tell(study, 1.5, 0.5, NAN, FCPS_ROLLOUT_FAILED);
    tell(study, 2.0, 0.7, 1.9, FCPS_ROLLOUT_OK);
    tell(study, 2.0, 0.7, 1.8, FCPS_ROLLOUT_OK); /* a replicate */
    tell(study, 0.5, 0.9, 0.1, FCPS_ROLLOUT_OK);
    tell(study, 2.5, 0.3, 1.5, FCPS_ROLLOUT_OK);
    tell(study, 2.8, 1.0, 3.3, FCPS_ROLLOUT_OK);
    tell(study, 2.2, 0.2, 0.9, FCPS_ROLLOUT_OK);
    fcps_stored_result stored;
    fcps_study_result_at(study, 4, &stored);
    assert_ok(fcps_study_use_result(study, stored.sequence, false, NULL));
    static const int listed[] = {0, 2, 3, 5, 6, 7};
    fcps_study_check *check = check_of(study);
    assert_int_equal(check->result_count, 6);
    for (int i = 0; i < 6; i++) {
      fcps_study_result_at(study, listed[i], &stored);
      assert_int_equal(check->results[i].sequence, stored.sequence);
      assert_int_equal(check->results[i].ask, FCPS_NOT_ASKED);
      assert_near(check->results[i].told[0], stored.result.rollout.reward, 1e-12);
    }
    fcps_study_check_destroy(check);
    fcps_study_close(study);
  }
}

static void noise_that_grows_with_the_outcome_is_noticed(void **state)
{
  (void)state;
  for (int grows = 0; grows < 2; grows++) {
    fcps_study *study = make_study(NULL, throw_yaml, "outcome");
    fcps_rng rng = fcps_rng_stream(1001, FCPS_PURPOSE_TEST, 1);
    for (int i = 0; i < 120; i++) {
      const double speed = 3 * fmod(0.3 + 0.755 * i, 1.0), tilt = 1.5 * fmod(0.8 + 0.57 * i, 1.0);
      const double land = 1 + 9 * speed, noise = fcps_rng_uniform(&rng) - 0.5;
      tell(study, speed, tilt, land + noise * (grows ? 0.3 * land : 3.0), FCPS_ROLLOUT_OK);
    }
    fcps_study_check *check = check_of(study);
    assert_int_equal(check->outputs[0].is_noise_growing, grows);
    fcps_study_check_destroy(check);
    fcps_study_close(study);
  }
}

/* results of a plane with a little noise, and one lost decimal point */
static fcps_study *typo_study(int count, int wrong)
{
  fcps_study *study = make_study(NULL, throw_yaml, "outcome");
  for (int i = 0; i < count; i++) {
    const double speed = 3 * fmod(0.3 + 0.755 * i, 1.0), tilt = 1.5 * fmod(0.8 + 0.57 * i, 1.0);
    const double land = 3 + 2 * speed + tilt + 0.02 * sin(37.0 * i);
    tell(study, speed, tilt, i == wrong ? 10 * land : land, FCPS_ROLLOUT_OK);
  }
  return study;
}

static void a_lost_decimal_point_is_the_most_surprising(void **state)
{
  (void)state;
  fcps_study *study = typo_study(25, 17);
  fcps_study_check *check = check_of(study);
  int most = 0;
  for (int i = 0; i < check->result_count; i++)
    if (check->results[i].surprise > check->results[most].surprise) most = i;
  assert_int_equal(most, 17);
  assert_true(check->results[17].surprise > 5);
  fcps_study_check_destroy(check);
  fcps_study_close(study);
}

static void coverage_error_and_spread_follow_from_the_results(void **state)
{
  (void)state;
  fcps_study *study = typo_study(20, -1);
  fcps_study_check *check = check_of(study);
  const fcps_checked_output *o = check->outputs;
  double mean = 0, squares = 0, errors = 0;
  int covered = 0;
  for (int i = 0; i < 20; i++) {
    const fcps_checked_result *r = check->results + i;
    mean += r->told[0] / 20;
    errors += (r->told[0] - r->expected[0]) * (r->told[0] - r->expected[0]);
    covered += fabs(r->told[0] - r->expected[0]) <= 1.96 * r->deviation[0];
  }
  for (int i = 0; i < 20; i++)
    squares += (check->results[i].told[0] - mean) * (check->results[i].told[0] - mean);
  assert_int_equal(o->covered, covered);
  assert_near(o->error, sqrt(errors / 20), 1e-12);
  assert_near(o->spread, sqrt(squares / 19), 1e-12);
  assert_false(o->is_blind);
  assert_false(o->is_overconfident);
  assert_true(o->error < 0.2 * o->spread);
  fcps_study_check_destroy(check);
  fcps_study_close(study);
}

/* an outcome that depends on nothing that the model knows */
static void an_outcome_at_random_is_called_blind(void **state)
{
  (void)state;
  fcps_study *study = make_study(NULL, throw_yaml, "outcome");
  for (int i = 0; i < 40; i++)
    tell(study, 3 * fmod(0.3 + 0.755 * i, 1.0), 1.5 * fmod(0.8 + 0.57 * i, 1.0),
         fmod(1e4 * fabs(sin(12.9898 * (i + 1.0))), 1.0), FCPS_ROLLOUT_OK);
  fcps_study_check *check = check_of(study);
  assert_true(check->outputs[0].is_blind);
  fcps_study_check_destroy(check);
  fcps_study_close(study);
}

/* noise that the prior does not allow for: the deviations cannot be right */
static void intervals_that_miss_too_often_are_told(void **state)
{
  (void)state;
  const fcps_setting settings[] = {{"noise_prior", "0.001"},    {"noise_prior_sd", "0.01"},  {"length_prior", "3"},
                                   {"length_prior_sd", "0.01"}, {"signal_prior_sd", "0.01"}, {NULL, NULL}};
  const fcps_study_setup setup = {.text = throw_yaml, .learner = "outcome", .settings = settings, .seed = 7};
  fcps_study *study = NULL;
  fcps_error error = {0};
  if (fcps_study_create(&study, NULL, &setup, NULL, &error) != FCPS_OK) fail_msg("%s: %s", error.field, error.message);
  for (int i = 0; i < 60; i++) {
    const double speed = 3 * fmod(0.3 + 0.755 * i, 1.0), tilt = 1.5 * fmod(0.8 + 0.57 * i, 1.0);
    tell(study, speed, tilt, 2 * speed + tilt + fmod(1e4 * fabs(sin(12.9898 * (i + 1.0))), 1.0), FCPS_ROLLOUT_OK);
  }
  fcps_study_check *check = check_of(study);
  const fcps_checked_output *o = check->outputs;
  assert_true(o->covered < 57 - 2 * sqrt(60 * 0.95 * 0.05) - 0.5);
  assert_true(o->is_overconfident);
  assert_false(o->is_careful);
  fcps_study_check_destroy(check);
  fcps_study_close(study);
}

static void refuse(const char *learner, int results, const char *field, const char *words)
{
  fcps_study *study = make_study(NULL, throw_yaml, learner);
  fcps_policy *policy = NULL;
  fcps_study_check *check = NULL;
  fcps_error error = {0};
  for (int i = 0; i < results; i++)
    throw_once(study);
  assert_ok(fcps_study_policy(study, &policy, NULL));
  assert_int_equal(fcps_study_check_model(study, policy, &check, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, field);
  if (strstr(error.message, words) == NULL) fail_msg("%s", error.message);
  assert_null(check);
  fcps_policy_destroy(policy);
  fcps_study_close(study);
}

static void what_cannot_be_checked_is_refused(void **state)
{
  (void)state;
  refuse("c-reps", 6, "learner", "c-reps has no Gaussian process");
  refuse("outcome", 4, "model", "4 results can be learnt from; a check needs at least 5");
  refuse("outcome", 0, "model", "0 results");
  refuse("outcome", 1, "model", "1 result can");
  fcps_study *study = make_study(NULL, throw_yaml, "outcome");
  fcps_study_check *check = NULL;
  fcps_error error = {0};
  assert_int_equal(fcps_study_check_model(study, NULL, &check, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "policy");
  assert_int_equal(fcps_study_check_model(study, NULL, NULL, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "check");
  fcps_study_check_destroy(NULL);
  fcps_study_close(study);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_that_grows_with_the_outcome_is_noticed),
      cmocka_unit_test(every_result_stands_under_its_number),
      cmocka_unit_test(only_results_that_the_model_learns_from_are_listed),
      cmocka_unit_test(a_lost_decimal_point_is_the_most_surprising),
      cmocka_unit_test(coverage_error_and_spread_follow_from_the_results),
      cmocka_unit_test(an_outcome_at_random_is_called_blind),
      cmocka_unit_test(intervals_that_miss_too_often_are_told),
      cmocka_unit_test(what_cannot_be_checked_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
