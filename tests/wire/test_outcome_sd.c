/* SPDX-License-Identifier: Apache-2.0 */
/* The deviations of an outcome in every line that has one: answers, kept results, the log and episodes. */
#include "lines.h"

enum { ROOM = 18 };

static fcps_status read_line(const char *line, double *numbers, fcps_result *result, fcps_error *error)
{
  fcps_problem_file *file = problem_of(formula_yaml);
  fcps_json *json = parse(line);
  assert_in_range(fcps_wire_result_width(&file->problem), 0, ROOM);
  const fcps_status status = fcps_wire_result_read(&file->problem, json, numbers, result, error);
  fcps_json_destroy(json);
  fcps_problem_file_destroy(file);
  return status;
}

static void an_answer_may_say_how_exact_it_is(void **state)
{
  (void)state;
  double numbers[ROOM];
  fcps_result result;
  assert_ok(read_line("{\"outcome\": {\"land\": 2, \"height\": 3}, \"outcome_sd\": {\"height\": 0, \"land\": 0.5}}",
                      numbers, &result, NULL));
  assert_true(result.rollout.outcome[0] == 2 && result.rollout.outcome[1] == 3);
  assert_true(result.rollout.outcome_deviation[0] == 0.5 && result.rollout.outcome_deviation[1] == 0);
  assert_ok(read_line("{\"outcome\": {\"land\": 2, \"height\": 3}}", numbers, &result, NULL));
  assert_null(result.rollout.outcome_deviation);
  assert_ok(read_line("{\"outcome\": {\"land\": 2, \"height\": 3}, \"outcome_sd\": null}", numbers, &result, NULL));
  assert_null(result.rollout.outcome_deviation);
  assert_ok(read_line("{\"failed\": \"slipped\", \"outcome_sd\": 3}", numbers, &result, NULL));
  assert_null(result.rollout.outcome_deviation);
}

static void note_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)level, (void)code;
  strcat(user, message);
}

/* What was measured counts, and the deviation is named. */
static void an_outcome_with_a_wrong_deviation_counts_without_it(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"{\"outcome\": {\"land\": 2, \"height\": 3}, \"outcome_sd\": {\"land\": -1, \"height\": 0}}", "outcome_sd.land"},
      {"{\"outcome\": {\"land\": 2, \"height\": 3}, \"outcome_sd\": {\"land\": 1, \"height\": \"nan\"}}",
       "outcome_sd.height"},
      {"{\"outcome\": {\"land\": 2, \"height\": 3}, \"outcome_sd\": {\"land\": \"inf\", \"height\": 0}}",
       "outcome_sd.land"},
      {"{\"outcome\": {\"land\": 2, \"height\": 3}, \"outcome_sd\": {\"land\": 1}}", "outcome_sd"},
      {"{\"outcome\": {\"land\": 2, \"height\": 3}, \"outcome_sd\": 0.1}", "outcome_sd"},
      {"{\"outcome\": null, \"outcome_sd\": {\"land\": 1, \"height\": 1}}", "outcome_sd"},
  };
  fcps_problem_file *file = problem_of(formula_yaml);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double numbers[ROOM];
    char notes[400] = "";
    fcps_result result;
    fcps_json *json = parse(cases[i][0]);
    assert_ok(read_line(cases[i][0], numbers, &result, NULL));
    assert_int_equal(result.rollout.status, FCPS_ROLLOUT_OK);
    assert_null(result.rollout.outcome_deviation);
    assert_true((result.rollout.outcome == NULL) == (strstr(cases[i][0], "null") != NULL));
    assert_true(fcps_wire_result_warn(&file->problem, json, &(fcps_log){.write = note_warning, .user = notes}));
    if (strstr(notes, cases[i][1]) == NULL) fail_msg("%s: %s", cases[i][0], notes);
    fcps_json_destroy(json);
  }
  fcps_problem_file_destroy(file);
}

static void misspelt_names_of_deviations_are_warned_of(void **state)
{
  (void)state;
  char notes[400] = "";
  fcps_problem_file *file = problem_of(formula_yaml);
  fcps_json *json = parse("{\"outcome\": {\"land\": 2, \"height\": 3}, \"outcome_sd\": {\"lnad\": 1}}");
  assert_true(fcps_wire_result_warn(&file->problem, json, &(fcps_log){note_warning, notes}));
  assert_non_null(strstr(notes, "outcome_sd.lnad"));
  fcps_json_destroy(json);
  json = parse("{\"outcome\": {\"land\": 2, \"height\": 3}, \"outcome_sd\": {\"land\": 1, \"height\": 1}}");
  assert_false(fcps_wire_result_warn(&file->problem, json, &(fcps_log){note_warning, notes}));
  fcps_json_destroy(json);
  fcps_problem_file_destroy(file);
}

static const double target[] = {0.5, 4}, wind[] = {-0.25}, parameters[] = {1.5, 0.125}, outcome[] = {2, 3},
                    deviation[] = {0.25, 0};

static fcps_rollout whole(void)
{
  return (fcps_rollout){.target = target,
                        .environment = wind,
                        .parameters = parameters,
                        .outcome = outcome,
                        .outcome_deviation = deviation,
                        .reward = -1.5,
                        .hindsight_reward = NAN};
}

static void a_kept_result_keeps_its_deviations(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  const fcps_result told = {.rollout = whole(), .key = "monday"};
  fcps_json *json = fcps_wire_kept_write(&file->problem, NULL, &told);
  double numbers[ROOM];
  fcps_ask ask;
  fcps_result result;
  assert_in_range(fcps_wire_kept_width(&file->problem), 0, ROOM);
  assert_ok(fcps_wire_kept_read(&file->problem, json, numbers, &ask, &result, NULL));
  assert_memory_equal(result.rollout.outcome, outcome, sizeof outcome);
  assert_memory_equal(result.rollout.outcome_deviation, deviation, sizeof deviation);
  fcps_json_destroy(json);
  fcps_problem_file_destroy(file);
}

#define NUMBERS                                                                                                        \
  "\"target\":{\"x\":0.5,\"y\":4.0},\"environment\":{\"wind\":-0.25},\"parameters\":{\"speed\":1.5,\"tilt\":0.125},"   \
  "\"outcome\":{\"land\":2.0,\"height\":3.0},\"outcome_sd\":{\"land\":0.25,\"height\":0.0},\"reward\":-1.5,"

static void log_and_episodes_show_them(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  const fcps_stored_result stored = {.sequence = 12,
                                     .ask = 7,
                                     .result_number = 1,
                                     .is_used = true,
                                     .result = {.rollout = whole(), .client = "", .message = ""}};
  expect_line(fcps_wire_stored_result_write(&file->problem, &stored),
              "{\"result\":12,\"name\":\"7.1\",\"ask\":7,\"status\":\"ok\"," NUMBERS
              "\"evidence\":1,\"used\":true,\"flagged\":false,\"client\":\"\",\"message\":\"\"}");
  expect_line(fcps_wire_episode_write(&file->problem, 3, &stored),
              "{\"episode\":3,\"ask\":7," NUMBERS "\"status\":\"ok\"}");
  fcps_problem_file_destroy(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_answer_may_say_how_exact_it_is),
      cmocka_unit_test(an_outcome_with_a_wrong_deviation_counts_without_it),
      cmocka_unit_test(misspelt_names_of_deviations_are_warned_of),
      cmocka_unit_test(a_kept_result_keeps_its_deviations),
      cmocka_unit_test(log_and_episodes_show_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
