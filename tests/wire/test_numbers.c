/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers by name: every bit comes back, and a value that is not a number is named. */
#include "lines.h"

static void every_number_comes_back_with_its_bits(void **state)
{
  (void)state;
  static const double cases[] = {0.0, -0.0, 0.1, 1e300, -5e-324, 3, NAN, INFINITY, -INFINITY};
  fcps_problem_file *file = problem_of(formula_yaml);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double written[2] = {cases[i], 1.5};
    double read[2] = {7, 7};
    char *text = fcps_json_finish(fcps_wire_numbers_write(&file->problem.target, written));
    fcps_json *json = parse(text);
    assert_ok(fcps_wire_numbers_read(&file->problem.target, "target", json, read, NULL));
    if (isnan(cases[i]))
      assert_true(isnan(read[0]));
    else
      assert_memory_equal(read, written, sizeof read);
    fcps_json_destroy(json);
    fcps_free(text);
  }
  fcps_problem_file_destroy(file);
}

static void absent_numbers_are_null_and_those_of_an_empty_space_an_empty_object(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_of(told_yaml);
  const double nothing = 0;
  expect_line(fcps_wire_numbers_write(&file->problem.target, NULL), "null");
  expect_line(fcps_wire_numbers_write(&file->problem.environment, &nothing), "{}");
  fcps_problem_file_destroy(file);
}

static void what_is_missing_or_no_number_is_named(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"{\"x\": 1}", "the answer's \"target\" has no number \"y\""},
      {"{\"x\": 1, \"Y\": 2}", "the answer's \"target\" has no number \"y\"; it has \"Y\": misspelt?"},
      {"{\"x\": \"1\", \"y\": 2}", "the answer's \"target\" has no number \"x\": \"x\" is the text \"1\": write "
                                   "the number without quotes"},
      {"{\"x\": null, \"y\": 2}", "the answer's \"target\" has no number \"x\": it is null"},
      {"{\"x\": [1], \"y\": 2}", "the answer's \"target\" has no number \"x\": it is a list"},
      {"{\"x\": true, \"y\": 2}", "the answer's \"target\" has no number \"x\": it is true or false"},
      {"[1, 2]", "the answer's \"target\" is not an object: write {\"x\": NUMBER, \"y\": NUMBER}"},
      {"null", "the answer's \"target\" is not an object: write {\"x\": NUMBER, \"y\": NUMBER}"},
      {"3", "the answer's \"target\" is not an object: write {\"x\": NUMBER, \"y\": NUMBER}"}};
  fcps_problem_file *file = problem_of(formula_yaml);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_json *json = parse(cases[i][0]);
    fcps_error error = {0};
    double read[2];
    assert_status(fcps_wire_numbers_read(&file->problem.target, "target", json, read, &error), FCPS_ERR_FORMAT);
    assert_string_equal(error.field, "target");
    assert_string_equal(error.message, cases[i][1]);
    fcps_json_destroy(json);
  }
  fcps_problem_file_destroy(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_number_comes_back_with_its_bits),
      cmocka_unit_test(absent_numbers_are_null_and_those_of_an_empty_space_an_empty_object),
      cmocka_unit_test(what_is_missing_or_no_number_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
