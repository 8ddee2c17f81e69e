/* SPDX-License-Identifier: Apache-2.0 */
/* Asks as they are sent, and contexts as they are received. */
#include "lines.h"

static const double target[2] = {0.5, 4}, environment[1] = {-0.25}, parameters[2] = {1.5, 0.125};

static const fcps_ask ask = {.id = 7, .target = target, .environment = environment, .parameters = parameters};

static void an_ask_is_one_line_to_which_more_can_be_added(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  fcps_json *json = fcps_wire_ask_write(&file->problem, &ask);
  fcps_json_put(&json, "repeated", fcps_json_from_bool(true));
  expect_line(json, "{\"ask\":7,\"target\":{\"x\":0.5,\"y\":4.0},\"environment\":{\"wind\":-0.25},"
                    "\"parameters\":{\"speed\":1.5,\"tilt\":0.125},\"repeated\":true}");
  fcps_problem_file_destroy(file);
}

/* The expectation is for people, and is not sent to the program that does the trial; unknown numbers are missing. */
static void what_an_ask_expects_is_written_and_read_back(void **state)
{
  (void)state;
  static const double outcome[2] = {2.5, -1}, deviation[2] = {0.25, 0.1};
  fcps_problem_file *file = problem_of(formula_yaml);
  const fcps_problem *p = &file->problem;
  fcps_ask expecting = ask, read;
  expecting.expectation = (fcps_expectation){.has_outcome = true,
                                             .has_reward = true,
                                             .outcome = outcome,
                                             .outcome_deviation = deviation,
                                             .reward = -0.5,
                                             .reward_deviation = 0.125,
                                             .chance_of_success = 0.75,
                                             .chance_of_outcome = 1};
  double *numbers = malloc((size_t)fcps_wire_ask_width(p) * sizeof *numbers);
  for (int i = 0; i < 2; i++) {
    fcps_json *json = fcps_wire_ask_write(p, &expecting);
    const fcps_json *expected = fcps_json_get(json, "expected");
    assert_int_equal(fcps_json_get(expected, "reward") != NULL, i == 0);
    fcps_json_put(&json, "repeated", fcps_json_from_bool(false));
    assert_ok(fcps_wire_ask_read(p, json, numbers, &read, NULL));
    assert_memory_equal(read.expectation.outcome, outcome, (size_t)p->outcome.count * sizeof(double));
    assert_memory_equal(read.expectation.outcome_deviation, deviation, (size_t)p->outcome.count * sizeof(double));
    assert_true(read.expectation.reward == expecting.expectation.reward && read.expectation.chance_of_success == 0.75);
    fcps_json_destroy(json);
    expecting.expectation.has_reward = false;
    expecting.expectation.reward = 0;
  }
  fcps_json *json = fcps_wire_trial_write(p, &expecting), *bad = parse("{\"ask\": 7, \"repeated\": false}");
  assert_null(fcps_json_get(json, "expected"));
  fcps_json_put(&bad, "target", fcps_wire_numbers_write(&p->target, target));
  fcps_json_put(&bad, "environment", fcps_wire_numbers_write(&p->environment, environment));
  fcps_json_put(&bad, "expected", parse("{\"reward\": \"much\"}"));
  assert_status(fcps_wire_ask_read(p, bad, numbers, &read, NULL), FCPS_ERR_FORMAT);
  fcps_json_destroy(json);
  fcps_json_destroy(bad);
  free(numbers);
  fcps_problem_file_destroy(file);
}

static void the_context_of_an_ask_is_read_back(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  fcps_json *json = fcps_wire_ask_write(&file->problem, &ask);
  double seen[2], wind;
  assert_ok(fcps_wire_context_read(&file->problem, json, seen, &wind, NULL));
  assert_memory_equal(seen, target, sizeof seen);
  assert_true(wind == environment[0]);
  fcps_json_destroy(json);
  fcps_problem_file_destroy(file);
}

static void a_context_needs_only_the_spaces_that_have_dimensions(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(told_yaml);
  fcps_json *json = parse("{\"context\": 3, \"target\": {\"x\": 2}}");
  double seen = 0;
  assert_ok(fcps_wire_context_read(&file->problem, json, &seen, NULL, NULL));
  assert_true(seen == 2);
  fcps_json_destroy(json);
  fcps_problem_file_destroy(file);
}

static void a_context_that_lacks_something_is_refused_with_its_key(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"{}", "target"},
      {"[]", "target"},
      {"{\"Target\": {\"x\": 1, \"y\": 1}, \"environment\": {\"wind\": 0}}", "target"},
      {"{\"target\": {\"x\": 1, \"y\": \"1\"}, \"environment\": {\"wind\": 0}}", "target"},
      {"{\"target\": {\"x\": 1, \"y\": 1}}", "environment"},
      {"{\"target\": {\"x\": 1, \"y\": 1}, \"environment\": {}}", "environment"}};
  fcps_problem_file *file = problem_of(formula_yaml);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_json *json = parse(cases[i][0]);
    fcps_error error = {0};
    double seen[2], wind;
    assert_status(fcps_wire_context_read(&file->problem, json, seen, &wind, &error), FCPS_ERR_FORMAT);
    assert_string_equal(error.field, cases[i][1]);
    fcps_json_destroy(json);
  }
  fcps_problem_file_destroy(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_ask_is_one_line_to_which_more_can_be_added),
      cmocka_unit_test(what_an_ask_expects_is_written_and_read_back),
      cmocka_unit_test(the_context_of_an_ask_is_read_back),
      cmocka_unit_test(a_context_needs_only_the_spaces_that_have_dimensions),
      cmocka_unit_test(a_context_that_lacks_something_is_refused_with_its_key),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
