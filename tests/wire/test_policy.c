/* SPDX-License-Identifier: Apache-2.0 */
/* The policy's answers: predictions, outlooks, and the health of its models. */
#include "lines.h"

static const double target[2] = {0.5, 4}, environment[1] = {-0.25}, parameters[2] = {1.5, 0.125};

static void an_answer_has_what_is_predicted_and_nothing_else(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  double mean[2] = {2, 3}, deviation[2] = {0.5, 0.25};
  fcps_prediction prediction = {.outcome = mean, .outcome_deviation = deviation};
  expect_line(fcps_wire_prediction_write(&file->problem, target, environment, parameters, &prediction),
              "{\"target\":{\"x\":0.5,\"y\":4.0},\"environment\":{\"wind\":-0.25},"
              "\"parameters\":{\"speed\":1.5,\"tilt\":0.125}}");
  prediction.has_reward = prediction.has_outcome = true;
  prediction.reward = -1;
  prediction.reward_deviation = 0.5;
  prediction.chance_of_success = 0.75;
  prediction.chance_of_outcome = 1;
  prediction.success_reward = -0.75;
  prediction.success_reward_deviation = 0.25;
  prediction.lacking_results = 2;
  expect_line(fcps_wire_prediction_write(&file->problem, target, environment, parameters, &prediction),
              "{\"target\":{\"x\":0.5,\"y\":4.0},\"environment\":{\"wind\":-0.25},"
              "\"parameters\":{\"speed\":1.5,\"tilt\":0.125},\"predicted_reward\":-1.0,\"predicted_reward_sd\":0.5,"
              "\"chance_of_success\":0.75,"
              "\"chance_of_outcome\":1.0,\"success_reward\":-0.75,\"success_reward_sd\":0.25,\"lacking_results\":2,"
              "\"predicted_outcome\":{\"land\":2.0,\"height\":3.0},"
              "\"predicted_outcome_sd\":{\"land\":0.5,\"height\":0.25}}");
  fcps_problem_file_destroy(file);
}

static void an_answer_outside_the_bounds_says_where(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  const fcps_dimension *wind = &file->problem.environment.dims[0];
  const double outside = wind->upper + 1;
  char expected[400];
  snprintf(expected, sizeof expected,
           "{\"target\":{\"x\":0.5,\"y\":4.0},\"environment\":{\"wind\":%.1f},"
           "\"parameters\":{\"speed\":1.5,\"tilt\":0.125},"
           "\"outside\":[{\"space\":\"environment\",\"name\":\"wind\",\"value\":%.1f,\"lower\":%.1f,\"upper\":%.1f}]}",
           outside, outside, wind->lower, wind->upper);
  expect_line(fcps_wire_prediction_write(&file->problem, target, &outside, parameters, &(fcps_prediction){0}),
              expected);
  fcps_problem_file_destroy(file);
}

static void an_outlook_is_null_where_nothing_is_predicted(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  const fcps_outlook known = {.reward = -1,
                              .deviation = 0.5,
                              .reducible_deviation = 0.125,
                              .worst_reward = -2,
                              .gain = 0.25,
                              .is_converged = true};
  const fcps_outlook unknown = {
      .reward = NAN, .deviation = NAN, .reducible_deviation = NAN, .worst_reward = NAN, .gain = NAN};
  fcps_json *json = fcps_json_object();
  fcps_wire_outlook_put(&json, &file->problem, &known, target, environment);
  expect_line(json, "{\"predicted_reward\":-1.0,\"predicted_reward_sd\":0.5,"
                    "\"predicted_reward_reducible_sd\":0.125,\"worst_reward\":-2.0,"
                    "\"worst_target\":{\"x\":0.5,\"y\":4.0},\"worst_environment\":{\"wind\":-0.25},"
                    "\"gain\":0.25,\"converged\":true}");
  const fcps_outlook risky = {.reward = -1,
                              .deviation = 0.5,
                              .reducible_deviation = 0.125,
                              .worst_reward = -2,
                              .low_chance = 3,
                              .gain = 0.25,
                              .edge_gain = 0.125,
                              .untried_gain = 0.0625};
  json = fcps_json_object();
  fcps_wire_outlook_put(&json, &file->problem, &risky, target, environment);
  expect_line(
      json,
      "{\"predicted_reward\":-1.0,\"predicted_reward_sd\":0.5,\"predicted_reward_reducible_sd\":0.125,\"worst_reward\":"
      "-2.0,"
      "\"worst_target\":{\"x\":0.5,\"y\":4.0},\"worst_environment\":{\"wind\":-0.25},"
      "\"contexts_with_low_chance\":3,\"gain\":0.25,\"edge_gain\":0.125,\"untried_gain\":0.0625,\"converged\":false}");
  json = fcps_json_object();
  fcps_wire_outlook_put(&json, &file->problem, &unknown, NULL, NULL);
  expect_line(json, "{\"predicted_reward\":null,\"predicted_reward_sd\":null,"
                    "\"predicted_reward_reducible_sd\":null,\"worst_reward\":null,"
                    "\"worst_target\":null,\"worst_environment\":null,\"gain\":null,\"converged\":false}");
  fcps_problem_file_destroy(file);
}

/* A policy that was told a few rollouts. */
static fcps_policy *learn(fcps_learner **learner, const fcps_problem *problem, const char *name)
{
  fcps_policy *policy = NULL;
  assert_ok(fcps_learner_create(learner, problem, name, NULL, 3, NULL));
  for (int i = 0; i < 8; i++) {
    const double wish[2] = {0.5 * i, 1}, wind = 0.1 * i, chosen[2] = {0.3 * i, 1.4 - 0.15 * i};
    const double seen[2] = {chosen[0] * chosen[1] + wind, chosen[1]};
    const fcps_rollout rollout = {.target = wish, .environment = &wind, .parameters = chosen, .outcome = seen};
    assert_ok(fcps_learner_tell(*learner, FCPS_NOT_ASKED, &rollout));
  }
  assert_ok(fcps_learner_policy(*learner, &policy));
  return policy;
}

static void the_health_of_each_process_is_an_object(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  fcps_learner *learner = NULL;
  fcps_policy *policy = learn(&learner, &file->problem, "outcome");
  fcps_json *json = fcps_wire_health_write(&file->problem, policy);
  const int count = fcps_json_count(json);
  assert_true(count >= 1);
  for (int i = 0; i < count; i++) {
    const fcps_json *one = fcps_json_at(json, i);
    int64_t rollouts = 0;
    assert_string_equal(fcps_json_text(fcps_json_get(one, "model")), "outcome");
    assert_true(fcps_json_integer(fcps_json_get(one, "rollouts"), &rollouts) && rollouts == 8);
    assert_true(fcps_json_is_null(fcps_json_get(one, "fallback")) ||
                fcps_json_text(fcps_json_get(one, "fallback")) != NULL);
    const fcps_json *lengths = fcps_json_get(one, "length_shares");
    assert_int_equal(fcps_json_count(lengths), 3); /* the model does not see the target */
    assert_string_equal(fcps_json_key(lengths, 0), "wind");
    assert_null(fcps_json_get(lengths, "x"));
  }
  fcps_json_destroy(json);
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
  fcps_problem_file_destroy(file);
}

static void a_policy_without_a_model_has_nothing_to_say_of_its_health(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  fcps_learner *learner = NULL;
  fcps_policy *policy = learn(&learner, &file->problem, "c-reps");
  expect_line(fcps_wire_health_write(&file->problem, policy), "[]");
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
  fcps_problem_file_destroy(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_answer_has_what_is_predicted_and_nothing_else),
      cmocka_unit_test(an_answer_outside_the_bounds_says_where),
      cmocka_unit_test(an_outlook_is_null_where_nothing_is_predicted),
      cmocka_unit_test(the_health_of_each_process_is_an_object),
      cmocka_unit_test(a_policy_without_a_model_has_nothing_to_say_of_its_health),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
