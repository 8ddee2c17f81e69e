/* SPDX-License-Identifier: Apache-2.0 */
/* Limits on outcomes: asks and policies come close to them and keep them with their probability, starting from a safe
 * trial. A learner that is loaded continues with the same bytes. Learners that cannot keep limits refuse them. */
#include "base/rng.h"
#include "check.h"
#include "learner/learner.h"
#include "model/posterior/posterior.h"

#include <fcps/learner.h>
#include <fcps/policy.h>
#include <fcps/problem_file.h>

#include <string.h>

/* The yield grows in the direction in which the peak exceeds its limit. */
static const char text[] = "environment: {heat: [0, 1]}\n"
                           "parameters: {temp: [0, 1], dose: [0, 1]}\n"
                           "outcome: [yield, peak]\n"
                           "reward: yield\n"
                           "constraints: [temp + dose <= 1.8]\n"
                           "limits: {peak: {at_most: 80, chance: 0.9}}\n"
                           "safe: [{temp: 0.1, dose: 0.2}]\n";

static void trial(fcps_rng *rng, double heat, const double *p, double *outcome)
{
  outcome[0] = 1 - (p[0] - 0.9) * (p[0] - 0.9) - (p[1] - 0.8) * (p[1] - 0.8) + 0.01 * fcps_rng_normal(rng);
  outcome[1] = 50 + 35 * p[0] + 25 * p[0] * p[1] + 6 * heat + fcps_rng_normal(rng);
}

static fcps_problem_file *read_file(void)
{
  fcps_problem_file *file = NULL;
  fcps_error error = {0};
  if (fcps_problem_file_parse(&file, text, strlen(text), "process", NULL, &error) != FCPS_OK)
    fail_msg("%s", error.message);
  return file;
}

static fcps_learner *make(const fcps_problem_file *file, const char *name)
{
  fcps_learner *learner = NULL;
  fcps_error error = {0};
  if (fcps_learner_create(&learner, &file->problem, name, NULL, 1001, &error) != FCPS_OK) fail_msg("%s", error.message);
  return learner;
}

/* `count` trials; how many of them broke the limit. */
static int go_on(fcps_learner *learner, fcps_rng *rng, int count, double *last)
{
  int broken = 0;
  for (int i = 0; i < count; i++) {
    const double heat = 0.25 * (i % 5);
    double outcome[2];
    int64_t id;
    assert_ok(fcps_learner_ask(learner, NULL, &heat, last, &id));
    assert_true(last[0] + last[1] <= 1.8 + 1e-9);
    trial(rng, heat, last, outcome);
    broken += outcome[1] > 80;
    assert_ok(
        fcps_learner_tell(learner, id, &(fcps_rollout){.environment = &heat, .parameters = last, .outcome = outcome}));
  }
  return broken;
}

static void they_are_kept_with_their_chance(void **state)
{
  (void)state;
  fcps_problem_file *file = read_file();
  fcps_learner *learner = make(file, "outcome");
  fcps_policy *policy = NULL;
  fcps_rng rng = fcps_rng_stream(1001, FCPS_PURPOSE_TEST, 0);
  double p[2];
  go_on(learner, &rng, 1, p);
  assert_near(p[0], 0.1, 0);
  assert_near(p[1], 0.2, 0);
  assert_true(go_on(learner, &rng, 11, p) <= 1);
  assert_true(go_on(learner, &rng, 28, p) <= 7); /* 2.8 are expected; more than 7 are in 1 of 100 */
  assert_ok(fcps_learner_policy(learner, &policy));
  for (double heat = 0; heat <= 1; heat += 0.25) {
    double mean[2], deviation[2];
    fcps_prediction prediction = {.outcome = mean, .outcome_deviation = deviation};
    assert_ok(fcps_policy_query(policy, NULL, &heat, p, &prediction));
    const double peak = 50 + 35 * p[0] + 25 * p[0] * p[1] + 6 * heat;
    assert_true(peak < 80 && peak > 75); /* as near as the noise of 1 allows */
    assert_true(p[0] + p[1] > 0.9);
  }
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
  fcps_problem_file_destroy(file);
}

/* Several asks at once: no result shows yet how far a step may go. */
static void before_the_first_result_only_safe_trials_are_asked_for(void **state)
{
  (void)state;
  fcps_problem_file *file = read_file();
  fcps_learner *learner = make(file, "outcome");
  for (int i = 0; i < 6; i++) {
    const double heat = 0.1 * i;
    double p[2];
    int64_t id;
    assert_ok(fcps_learner_ask(learner, NULL, &heat, p, &id));
    assert_near(p[0], 0.1, 0);
    assert_near(p[1], 0.2, 0);
  }
  fcps_learner_destroy(learner);
  fcps_problem_file_destroy(file);
}

static void a_loaded_learner_goes_on_with_the_same_bytes(void **state)
{
  (void)state;
  for (int at = 0; at < 16; at += 5) {
    fcps_problem_file *file = read_file();
    fcps_learner *learner = make(file, "outcome"), *loaded = NULL;
    fcps_error error;
    fcps_rng rng = fcps_rng_stream(1002, FCPS_PURPOSE_TEST, 0), again;
    double p[2], q[2];
    char *saved = NULL;
    go_on(learner, &rng, at, p);
    assert_ok(fcps_learner_save(learner, &saved, &error));
    assert_ok(fcps_learner_load(&loaded, &file->problem, saved, &error));
    again = rng;
    go_on(learner, &rng, 4, p);
    go_on(loaded, &again, 4, q);
    assert_memory_equal(p, q, sizeof p);
    fcps_free(saved);
    fcps_learner_destroy(loaded);
    fcps_learner_destroy(learner);
    fcps_problem_file_destroy(file);
  }
}

/* The function that searches see has the slope that they are told, inside the limits and outside. */
static void the_slope_of_a_limited_reward_is_that_of_differences(void **state)
{
  (void)state;
  fcps_problem_file *file = read_file();
  fcps_learner *learner = make(file, "outcome");
  fcps_rng rng = fcps_rng_stream(1003, FCPS_PURPOSE_TEST, 0);
  double p[2], heat = 0.5;
  fcps_error error;
  fcps_posterior *posterior = NULL;
  int64_t id;
  go_on(learner, &rng, 15, p);
  assert_ok(fcps_learner_ask(learner, NULL, &heat, p, &id)); /* the model is up to date after an ask */
  assert_ok(fcps_posterior_create(&posterior, fcps_learner_model(learner), NULL, &heat, &error));
  for (int i = 0; i < 20; i++) {
    double x[2] = {0.05 + 0.9 * fcps_rng_uniform(&rng), 0.05 + 0.9 * fcps_rng_uniform(&rng)}, mean, slope[2];
    fcps_posterior_gradients(posterior, 1, x, &mean, NULL, slope, NULL);
    for (int d = 0; d < 2; d++) {
      double moved[2][2] = {{x[0], x[1]}, {x[0], x[1]}}, values[2];
      moved[0][d] -= 1e-4;
      moved[1][d] += 1e-4;
      fcps_posterior_moments(posterior, 2, moved[0], values, NULL);
      assert_near(slope[d], (values[1] - values[0]) / 2e-4, 0.02);
    }
  }
  fcps_posterior_destroy(posterior);
  fcps_learner_destroy(learner);
  fcps_problem_file_destroy(file);
}

static void who_cannot_keep_them_refuses(void **state)
{
  (void)state;
  static const char *const refused[] = {"bo-fcps", "bo-cps", "c-reps", "c-cma-es", "crkr", "random", "faces", "aces"};
  fcps_problem_file *file = read_file();
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    fcps_learner *learner = NULL;
    fcps_error error = {0};
    assert_status(fcps_learner_create(&learner, &file->problem, refused[i], NULL, 1, &error), FCPS_ERR_UNSUPPORTED);
    assert_string_equal(error.field, "limits");
    assert_non_null(strstr(error.message, refused[i]));
  }
  fcps_problem_file_destroy(file);
}

/* The parameters of a chosen context are those of an ask in it. */
static void they_are_kept_in_chosen_contexts(void **state)
{
  (void)state;
  fcps_problem_file *file = read_file();
  fcps_learner *active = make(file, "outcome-active"), *asked = make(file, "outcome-active");
  fcps_rng rng = fcps_rng_stream(1002, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < 15; i++) {
    double heat, p[2], same[2], outcome[2];
    int64_t id;
    assert_ok(fcps_learner_choose(active, NULL, NULL, &heat, p, &id));
    assert_true(i > 0 || (p[0] == 0.1 && p[1] == 0.2));
    trial(&rng, heat, p, outcome);
    const fcps_rollout rollout = {.environment = &heat, .parameters = p, .outcome = outcome};
    assert_ok(fcps_learner_tell(active, id, &rollout));
    assert_ok(fcps_learner_ask(asked, NULL, &heat, same, &id));
    assert_memory_equal(p, same, sizeof p);
    assert_ok(fcps_learner_tell(asked, id, &rollout));
  }
  fcps_learner_destroy(asked);
  fcps_learner_destroy(active);
  fcps_problem_file_destroy(file);
}

/* A result that broke a limit is not taken for a mistake, and no similar trial is asked for again. */
static void a_broken_limit_is_believed_however_surprising(void **state)
{
  (void)state;
  fcps_problem_file *file = read_file();
  fcps_learner *learner = make(file, "outcome");
  fcps_rng rng = fcps_rng_stream(1003, FCPS_PURPOSE_TEST, 0);
  double last[2];
  go_on(learner, &rng, 14, last);
  const double heat = 0.5, here[2] = {last[0], last[1]}, high[2] = {0.9, 2000}, fine[2] = {0.9, 2000 * 0.01};
  assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED,
                              &(fcps_rollout){.environment = &heat, .parameters = here, .outcome = high}));
  const fcps_model *model = fcps_learner_model(learner);
  assert_true(model->training.confirmed[model->training.count - 1]);
  assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED,
                              &(fcps_rollout){.environment = &heat, .parameters = here, .outcome = fine}));
  assert_false(model->training.confirmed[model->training.count - 1]);
  fcps_learner_destroy(learner);
  fcps_problem_file_destroy(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_are_kept_with_their_chance),
      cmocka_unit_test(before_the_first_result_only_safe_trials_are_asked_for),
      cmocka_unit_test(a_loaded_learner_goes_on_with_the_same_bytes),
      cmocka_unit_test(the_slope_of_a_limited_reward_is_that_of_differences),
      cmocka_unit_test(who_cannot_keep_them_refuses),
      cmocka_unit_test(they_are_kept_in_chosen_contexts),
      cmocka_unit_test(a_broken_limit_is_believed_however_surprising),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
