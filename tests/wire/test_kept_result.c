/* SPDX-License-Identifier: Apache-2.0 */
/* Results that wait to be stored come back unchanged, and any other line is refused. */
#include "lines.h"

enum { ROOM = 16 };

static const double target[] = {1, 2}, environment[] = {0.1}, parameters[] = {1.5, 5e-324}, outcome[] = {NAN, -0.0},
                    executed[] = {1.25, 0.5}, measured[] = {INFINITY};

static void what_was_told_is_read_again_bit_by_bit(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  for (int status = 0; status < FCPS_ROLLOUT_STATUS_COUNT; status++) {
    const fcps_ask ask = {.id = 7, .target = target, .environment = environment, .parameters = parameters};
    const fcps_result told = {.rollout = {.environment = measured,
                                          .parameters = executed,
                                          .outcome = outcome,
                                          .reward = -0.25,
                                          .hindsight_reward = NAN,
                                          .status = (fcps_rollout_status)status},
                              .client = "robot \"1\"",
                              .message = "gr\xc3\xbc\xc3\x9f"
                                         "e\n"};
    char *text = fcps_json_finish(fcps_wire_kept_write(&file->problem, &ask, &told));
    fcps_json *json = parse(text);
    double numbers[ROOM];
    assert_in_range(fcps_wire_kept_width(&file->problem), 0, ROOM);
    fcps_ask read;
    fcps_result result;
    assert_ok(fcps_wire_kept_read(&file->problem, json, numbers, &read, &result, NULL));
    assert_int_equal(read.id, 7);
    assert_memory_equal(read.target, target, sizeof target);
    assert_memory_equal(read.environment, environment, sizeof environment);
    assert_memory_equal(read.parameters, parameters, sizeof parameters);
    const fcps_rollout *r = &result.rollout;
    assert_int_equal(r->status, status);
    assert_null(r->target);
    assert_memory_equal(r->environment, measured, sizeof measured);
    assert_memory_equal(r->parameters, executed, sizeof executed);
    assert_true(isnan(r->outcome[0]) && r->outcome[1] == 0 && signbit(r->outcome[1]));
    assert_true(r->reward == -0.25 && isnan(r->hindsight_reward));
    assert_string_equal(result.client, told.client);
    assert_string_equal(result.message, told.message);
    assert_null(result.key);
    fcps_json_destroy(json);
    fcps_free(text);
  }
  fcps_problem_file_destroy(file);
}

static void a_trial_without_an_ask_has_its_own_context_and_key(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(formula_yaml);
  const fcps_result told = {.rollout = {.target = target, .environment = environment, .parameters = parameters},
                            .key = "monday-3"};
  char *text = fcps_json_finish(fcps_wire_kept_write(&file->problem, NULL, &told));
  fcps_json *json = parse(text);
  double numbers[ROOM];
  fcps_ask ask;
  fcps_result result;
  assert_ok(fcps_wire_kept_read(&file->problem, json, numbers, &ask, &result, NULL));
  assert_int_equal(ask.id, FCPS_NOT_ASKED);
  assert_memory_equal(result.rollout.target, target, sizeof target);
  assert_memory_equal(result.rollout.parameters, parameters, sizeof parameters);
  assert_null(result.rollout.outcome);
  assert_string_equal(result.key, "monday-3");
  fcps_json_destroy(json);
  fcps_free(text);
  fcps_problem_file_destroy(file);
}

static void what_is_no_kept_result_is_refused(void **state)
{
  (void)state;
  static const char *const lines[] = {"{}",
                                      "[]",
                                      "7",
                                      "{\"ask\": 7}",
                                      "{\"told\": []}",
                                      "{\"told\": {}}",
                                      "{\"told\": {\"status\": \"good\"}}",
                                      "{\"ask\": \"7\", \"told\": {\"status\": \"ok\"}}",
                                      "{\"ask\": -1, \"told\": {\"status\": \"ok\"}}",
                                      "{\"ask\": 7, \"target\": {\"x\": 1}, \"told\": {\"status\": \"ok\"}}",
                                      "{\"told\": {\"status\": \"ok\", \"reward\": \"much\"}}",
                                      "{\"told\": {\"status\": \"ok\", \"outcome\": {\"land\": 1}}}"};
  fcps_problem_file *file = problem_of(formula_yaml);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    double numbers[ROOM];
    fcps_ask ask;
    fcps_result result;
    fcps_json *json = parse(lines[i]);
    const fcps_status status = fcps_wire_kept_read(&file->problem, json, numbers, &ask, &result, NULL);
    if (status != FCPS_ERR_FORMAT) fail_msg("%s: status %d", lines[i], (int)status);
    fcps_json_destroy(json);
  }
  fcps_problem_file_destroy(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_was_told_is_read_again_bit_by_bit),
      cmocka_unit_test(a_trial_without_an_ask_has_its_own_context_and_key),
      cmocka_unit_test(what_is_no_kept_result_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
