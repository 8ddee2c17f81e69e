/* SPDX-License-Identifier: Apache-2.0 */
/* Results as they are received: every form is understood, every mistake is refused with its key, and no truncated or
 * altered line does harm. */
#include "lines.h"

enum { ROOM = 8 };

static const char whole_line[] = "{\"ask\": 7, \"outcome\": {\"land\": 2.5, \"height\": \"nan\"}, "
                                 "\"environment\": {\"wind\": 0.5}, \"executed\": {\"speed\": 1.25, \"tilt\": 0.5}}";

static fcps_status read_line(const char *yaml, const char *line, double *numbers, fcps_result *result,
                             fcps_error *error)
{
  fcps_problem_file *file = problem_of(yaml);
  fcps_json *json = parse(line);
  assert_in_range(fcps_wire_result_width(&file->problem), 0, ROOM);
  const fcps_status status = fcps_wire_result_read(&file->problem, json, numbers, result, error);
  static char message[200]; /* it points into the JSON */
  if (result->message != NULL) {
    snprintf(message, sizeof message, "%s", result->message);
    result->message = message;
  }
  fcps_json_destroy(json);
  fcps_problem_file_destroy(file);
  return status;
}

static void all_that_a_result_can_say_is_read(void **state)
{
  (void)state;
  double numbers[ROOM];
  fcps_result result;
  assert_ok(read_line(formula_yaml, whole_line, numbers, &result, NULL));
  const fcps_rollout *r = &result.rollout;
  assert_int_equal(r->status, FCPS_ROLLOUT_OK);
  assert_true(r->outcome[0] == 2.5 && isnan(r->outcome[1]) && r->environment[0] == 0.5);
  assert_true(r->parameters[0] == 1.25 && r->parameters[1] == 0.5);
  assert_true(r->target == NULL && isnan(r->reward) && isnan(r->hindsight_reward));
  assert_true(result.message == NULL && result.client == NULL && result.key == NULL);
}

static void what_is_not_said_is_as_asked(void **state)
{
  (void)state;
  double numbers[ROOM];
  fcps_result result;
  assert_ok(read_line(formula_yaml, "{\"outcome\": null}", numbers, &result, NULL));
  const fcps_rollout *r = &result.rollout;
  assert_int_equal(r->status, FCPS_ROLLOUT_OK);
  assert_true(r->outcome == NULL && r->environment == NULL && r->parameters == NULL);
}

static void a_failure_keeps_its_reason_and_where_it_happened(void **state)
{
  (void)state;
  double numbers[ROOM];
  fcps_result result;
  assert_ok(read_line(formula_yaml, "{\"failed\": \"gripper slipped\", \"environment\": {\"wind\": 1}}", numbers,
                      &result, NULL));
  assert_int_equal(result.rollout.status, FCPS_ROLLOUT_FAILED);
  assert_string_equal(result.message, "gripper slipped");
  assert_true(result.rollout.environment[0] == 1 && result.rollout.outcome == NULL);
  /* the failure says more than what is wrong with the rest */
  assert_ok(read_line(formula_yaml, "{\"failed\": true, \"environment\": 3, \"outcome\": 4}", numbers, &result, NULL));
  assert_int_equal(result.rollout.status, FCPS_ROLLOUT_FAILED);
  assert_true(result.message == NULL && result.rollout.environment == NULL);
}

static void an_empty_failure_is_none(void **state)
{
  (void)state;
  static const char *const none[] = {"\"\"", "false", "null"};
  char line[200];
  double numbers[ROOM];
  fcps_result result;
  fcps_error error = {0};
  for (int i = 0; i < 3; i++) {
    snprintf(line, sizeof line, "{\"failed\": %s, \"outcome\": {\"land\": 1, \"height\": 2}}", none[i]);
    assert_ok(read_line(formula_yaml, line, numbers, &result, NULL));
    assert_int_equal(result.rollout.status, FCPS_ROLLOUT_OK);
    assert_true(result.rollout.outcome[1] == 2);
    if (i == 0) continue;
    snprintf(line, sizeof line, "{\"failed\": %s}", none[i]);
    assert_status(read_line(formula_yaml, line, numbers, &result, &error), FCPS_ERR_FORMAT);
    assert_string_equal(error.field, "outcome");
  }
  /* alone, an empty text is a failure without words, which a request must say more clearly */
  assert_ok(read_line(formula_yaml, "{\"failed\": \"\"}", numbers, &result, NULL));
  assert_int_equal(result.rollout.status, FCPS_ROLLOUT_FAILED);
}

static fcps_status check_line(const char *line, fcps_error *error)
{
  fcps_problem_file *file = problem_of(formula_yaml);
  fcps_json *json = parse(line);
  const fcps_status status = fcps_wire_result_check(&file->problem, json, error);
  fcps_json_destroy(json);
  fcps_problem_file_destroy(file);
  return status;
}

static void a_request_is_judged_more_strictly_than_an_answer(void **state)
{
  (void)state;
  static const struct {
    const char *line, *field;
  } wrong[] = {
      {"{\"failed\": \"x\", \"environment\": {}}", "environment"},
      {"{\"failed\": true, \"environment\": 3}", "environment"},
      {"{\"failed\": true, \"executed\": {\"speed\": 1}}", "executed"},
      {"{\"failed\": true, \"executed\": {\"speed\": \"nan\", \"tilt\": 1}}", "executed.speed"},
      {"{\"failed\": true, \"outcome\": {\"land\": 1, \"height\": 2}}", "failed"},
      {"{\"failed\": true, \"reward\": 1}", "reward"},
      {"{\"failed\": 7}", "failed"},
      {"{\"failed\": \"\"}", "outcome"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    fcps_error error = {0};
    if (check_line(wrong[i].line, &error) == FCPS_OK || strcmp(error.field, wrong[i].field) != 0)
      fail_msg("%s: %s: %s", wrong[i].line, error.field, error.message);
  }
  assert_ok(check_line("{\"failed\": true, \"outcome\": null, \"executed\": {\"speed\": 1, \"tilt\": 1}}", NULL));
  assert_ok(check_line("{\"outcome\": null, \"failed\": \"\"}", NULL));
}

static void told_rewards_are_read_where_the_problem_has_no_formula(void **state)
{
  (void)state;
  double numbers[ROOM];
  fcps_result result;
  assert_ok(read_line(told_yaml, "{\"reward\": -1.5, \"hindsight_reward\": 2}", numbers, &result, NULL));
  assert_true(result.rollout.reward == -1.5 && result.rollout.hindsight_reward == 2);
  assert_ok(read_line(told_yaml, "{\"reward\": \"-inf\"}", numbers, &result, NULL));
  assert_true(result.rollout.reward == -INFINITY && isnan(result.rollout.hindsight_reward));
  assert_ok(read_line(formula_yaml, "{\"outcome\": null, \"reward\": \"much\"}", numbers, &result, NULL));
  assert_true(isnan(result.rollout.reward));
}

static void every_mistake_is_refused_with_its_key(void **state)
{
  (void)state;
  static const struct {
    const char *yaml, *line;
    fcps_status status;
    const char *field, *words;
  } cases[] = {
      {formula_yaml, "[]", FCPS_ERR_FORMAT, "", "the answer must be an object"},
      {formula_yaml, "{}", FCPS_ERR_FORMAT, "outcome", "neither \"outcome\" nor \"failed\""},
      {formula_yaml, "{\"Outcome\": null}", FCPS_ERR_FORMAT, "outcome", "neither \"outcome\" nor \"failed\""},
      {formula_yaml, "{\"outcome\": 3}", FCPS_ERR_FORMAT, "outcome", "the answer's \"outcome\" is not an object"},
      {formula_yaml, "{\"outcome\": {\"land\": 1}}", FCPS_ERR_FORMAT, "outcome", "no number \"height\""},
      {formula_yaml, "{\"outcome\": {\"land\": \"1\", \"height\": 1}}", FCPS_ERR_FORMAT, "outcome",
       "no number \"land\""},
      {formula_yaml, "{\"outcome\": null, \"environment\": null}", FCPS_ERR_FORMAT, "environment", "is not an object"},
      {formula_yaml, "{\"outcome\": null, \"environment\": {\"wnd\": 1}}", FCPS_ERR_FORMAT, "environment", "\"wind\""},
      {formula_yaml, "{\"outcome\": null, \"executed\": {\"speed\": 1}}", FCPS_ERR_FORMAT, "executed", "\"tilt\""},
      {formula_yaml, "{\"outcome\": null, \"executed\": {\"speed\": \"nan\", \"tilt\": 1}}", FCPS_ERR_NOT_FINITE,
       "executed.speed", ""},
      {told_yaml, "{\"reward\": \"much\"}", FCPS_ERR_FORMAT, "reward", "the answer's \"reward\" is not a number"},
      {told_yaml, "{\"reward\": 1, \"hindsight_reward\": null}", FCPS_ERR_FORMAT, "hindsight_reward",
       "is not a number"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double numbers[ROOM];
    fcps_result result;
    fcps_error error = {0};
    const fcps_status status = read_line(cases[i].yaml, cases[i].line, numbers, &result, &error);
    if (status != cases[i].status || strcmp(error.field, cases[i].field) != 0 ||
        strstr(error.message, cases[i].words) == NULL)
      fail_msg("%s: %s: %s: %s", cases[i].line, fcps_status_text(status), error.field, error.message);
    assert_int_equal(result.rollout.status, FCPS_ROLLOUT_FAILED);
    assert_true(result.rollout.outcome == NULL && result.rollout.parameters == NULL);
  }
}

static void what_was_read_before_a_mistake_stays(void **state)
{
  (void)state;
  double numbers[ROOM];
  fcps_result result;
  assert_status(read_line(formula_yaml, "{\"outcome\": 3, \"environment\": {\"wind\": -1}}", numbers, &result, NULL),
                FCPS_ERR_FORMAT);
  assert_true(result.rollout.environment[0] == -1);
}

static void note_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  assert_int_equal(level, FCPS_LOG_WARNING);
  assert_string_equal(code, "W_ANSWER_KEY");
  strcat(strcat(user, message), "\n");
}

/* What is said of the keys of a line. */
static bool warn_of(const char *yaml, const char *line, char *notes)
{
  fcps_problem_file *file = problem_of(yaml);
  fcps_json *json = parse(line);
  notes[0] = '\0';
  const bool has_warned = fcps_wire_result_warn(&file->problem, json, &(fcps_log){note_warning, notes});
  fcps_json_destroy(json);
  fcps_problem_file_destroy(file);
  return has_warned;
}

static void keys_that_are_not_used_are_named_with_the_reason(void **state)
{
  (void)state;
  char notes[1000];
  assert_false(warn_of(formula_yaml, whole_line, notes));
  assert_false(warn_of(told_yaml, "{\"reward\": 1, \"hindsight_reward\": 1, \"failed\": \"\"}", notes));
  assert_string_equal(notes, "");
  assert_true(warn_of(formula_yaml, "{\"reward\": 1, \"parameters\": {}, \"target\": {}, \"outcom\": 1}", notes));
  assert_string_equal(notes,
                      "the answer's \"reward\" is not used: the reward of this problem is a formula, which scores "
                      "the outcome.\n"
                      "the answer's \"parameters\" is not used: what was executed goes under \"executed\".\n"
                      "the answer's \"target\" is not used: the target comes from the ask; it is not measured.\n"
                      "the answer's \"outcom\" is not used: no key of an answer has this name.\n");
  assert_false(warn_of(formula_yaml, "[1, 2]", notes));
  assert_true(warn_of(formula_yaml, "{\"failed\": true, \"outcome\": {\"land\": 1, \"height\": 2}}", notes));
  assert_non_null(strstr(notes, "\"outcome\" is not used"));
}

/* Reads a line with any content; the outcome is a result, or an error with a message. */
static void read_anything(const fcps_problem *problem, const char *line, size_t length)
{
  double numbers[ROOM];
  fcps_result result;
  fcps_error error = {0};
  fcps_json *json = NULL;
  if (fcps_json_read(&json, line, length, "line", &error) != FCPS_OK) {
    assert_true(*error.message != '\0');
    return;
  }
  const fcps_status status = fcps_wire_result_read(problem, json, numbers, &result, &error);
  assert_true((status == FCPS_OK) == (*error.message == '\0'));
  if (status != FCPS_OK) assert_int_equal(result.rollout.status, FCPS_ROLLOUT_FAILED);
  fcps_wire_result_warn(problem, json, &(fcps_log){NULL, NULL});
  fcps_json_destroy(json);
}

static void cut_and_altered_lines_do_no_harm(void **state)
{
  (void)state;
  static const char letters[] = "{}[]\",:0n\xFF ";
  const size_t length = strlen(whole_line);
  const char *const yamls[] = {formula_yaml, told_yaml};
  for (int y = 0; y < 2; y++) {
    fcps_problem_file *file = problem_of(yamls[y]);
    for (size_t cut = 0; cut <= length; cut++)
      read_anything(&file->problem, whole_line, cut);
    for (size_t i = 0; i < length; i++)
      for (size_t l = 0; l < sizeof letters; l++) {
        char line[sizeof whole_line];
        memcpy(line, whole_line, sizeof line);
        line[i] = letters[l];
        read_anything(&file->problem, line, length);
      }
    fcps_problem_file_destroy(file);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_that_a_result_can_say_is_read),
      cmocka_unit_test(what_is_not_said_is_as_asked),
      cmocka_unit_test(a_failure_keeps_its_reason_and_where_it_happened),
      cmocka_unit_test(an_empty_failure_is_none),
      cmocka_unit_test(a_request_is_judged_more_strictly_than_an_answer),
      cmocka_unit_test(told_rewards_are_read_where_the_problem_has_no_formula),
      cmocka_unit_test(every_mistake_is_refused_with_its_key),
      cmocka_unit_test(what_was_read_before_a_mistake_stays),
      cmocka_unit_test(keys_that_are_not_used_are_named_with_the_reason),
      cmocka_unit_test(cut_and_altered_lines_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
