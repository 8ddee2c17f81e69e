/* SPDX-License-Identifier: Apache-2.0 */
/* Making a study: its problem, its learner, and no study at all if they do not fit each other. */
#include "study_fixture.h"

#include <unistd.h>

static void a_problem_with_callbacks_must_be_given_again(void **state)
{
  (void)state;
  static const fcps_dimension dims[] = {{"a", 0, 1, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL},
                                        {"b", 0, 2, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL}};
  const fcps_problem problem = {.target = {1, dims}, .parameters = {1, dims + 1}}, other = {.parameters = {2, dims}};
  const fcps_study_setup setup = {.problem = &problem, .learner = "random", .seed = 1};
  fcps_study *s = NULL;
  fcps_error error = {0};
  assert_ok(fcps_study_create(&s, test_path, &setup, NULL, &error));
  fcps_study_close(s);
  assert_status(fcps_study_open(&s, test_path, NULL, &error), FCPS_ERR_UNSUPPORTED);
  assert_true(fcps_study_open(&s, test_path, &(fcps_study_options){.problem = &other}, &error) != FCPS_OK);
  assert_ok(fcps_study_open(&s, test_path, &(fcps_study_options){.problem = &problem}, &error));
  fcps_ask ask;
  const double a = 0.5;
  assert_ok(fcps_study_ask(s, NULL, &a, NULL, &ask, &error));
  fcps_study_close(s);
}

static void a_study_that_cannot_be_made_leaves_no_file(void **state)
{
  (void)state;
  fcps_study *s = NULL;
  fcps_error error = {0};
  const fcps_study_setup wrong = {.text = throw_yaml, .learner = "bo-fcsp"},
                         told = {.text = told_yaml, .learner = "bo-fcps"};
  assert_status(fcps_study_create(&s, test_path, &wrong, NULL, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_status(fcps_study_create(&s, test_path, &told, NULL, &error), FCPS_ERR_UNSUPPORTED);
  assert_null(s);
  assert_int_not_equal(access(test_path, F_OK), 0);
}

static void the_usual_learner_is_one_that_can_serve_the_problem(void **state)
{
  (void)state;
  static const char *const cases[][2] = {
      {"target: {a: [0, 1]}\nparameters: {p: [0, 1]}\noutcome: [o]\nreward: -abs(a - o)\n", "outcome"},
      {"target: {a: [0, 1]}\nparameters: {p: [0, 1]}\nreward: -abs(a - p)\n", "bo-fcps"},
      {"target: {a: [0, 1]}\nparameters: {p: [0, 1]}\nreward: told\n", "bo-cps"}};
  for (int i = 0; i < 3; i++) {
    fcps_study *s = NULL;
    assert_ok(fcps_study_create(&s, NULL, &(fcps_study_setup){.text = cases[i][0]}, NULL, NULL));
    assert_string_equal(fcps_study_learner(s), cases[i][1]);
    fcps_study_close(s);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_problem_with_callbacks_must_be_given_again),
      TEST(a_study_that_cannot_be_made_leaves_no_file),
      TEST(the_usual_learner_is_one_that_can_serve_the_problem),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
