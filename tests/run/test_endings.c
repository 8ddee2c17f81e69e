/* SPDX-License-Identifier: Apache-2.0 */
/* A run without any usable result stops, and names the formula, the value or the messages that caused it. */
#include "../study/study_fixture.h"

#include <fcps/run.h>

static char drive_yaml[1200];

/* The throw with another reward (NULL: its own) and a program that breaks every `fail_every`-th trial. */
static void write_yaml(const char *reward, int fail_every)
{
  char problem[600];
  const char *line = strstr(throw_yaml, "reward:"), *rest = strstr(line, "learner:");
  if (reward != NULL)
    snprintf(problem, sizeof problem, "%.*sreward: \"%s\"\n%s", (int)(line - throw_yaml), throw_yaml, reward, rest);
  else
    snprintf(problem, sizeof problem, "%s", throw_yaml);
  snprintf(drive_yaml, sizeof drive_yaml, "%srun: {command: [python3, %s/tests/run/throw.py, \"%d\"], timeout_s: 30}\n",
           problem, TEST_SOURCE_DIR, fail_every);
}

typedef struct heard {
  int complaints;
} heard;

static void listen(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)level, (void)message;
  ((heard *)user)->complaints += strcmp(code, "W_NOTHING_ENDS_WELL") == 0;
}

static fcps_status drive(fcps_study *study, int episodes, heard *h, fcps_error *error)
{
  const fcps_run_options options = {.episodes = episodes, .log = {listen, h}};
  *error = (fcps_error){0};
  return fcps_run_program(study, NULL, &options, error);
}

static void a_reward_that_is_never_finite_stops_the_run(void **state)
{
  (void)state;
  heard h = {0};
  fcps_error error;
  write_yaml("-speed/log(1)", 0);
  fcps_study *s = make_study(test_path, drive_yaml, NULL);
  assert_int_equal(drive(s, 40, &h, &error), FCPS_ERR_NO_REWARD);
  assert_string_equal(error.field, "reward");
  assert_non_null(strstr(error.message, "-speed/log(1): \"-speed/log(1)\" is -inf where speed="));
  assert_non_null(strstr(error.message, "throw.fcps --reward"));
  assert_int_equal(fcps_study_result_count(s), 5);
  /* another run does not begin: it could only repeat this */
  assert_int_equal(drive(s, 40, &h, &error), FCPS_ERR_NO_REWARD);
  assert_int_equal(fcps_study_result_count(s), 5);
  assert_ok(drive(s, 5, &h, &error)); /* nothing to do */
  /* with another reward it goes on */
  assert_ok(fcps_study_amend(s, "reward", "-abs(x-land)", NULL));
  const fcps_run_options options = {.episodes = 7};
  char amended[1300];
  const char *line = strstr(drive_yaml, "reward:");
  snprintf(amended, sizeof amended, "%.*sreward: -abs(x-land)\n%s", (int)(line - drive_yaml), drive_yaml,
           strchr(line, '\n') + 1);
  fcps_problem_file *file = NULL;
  assert_ok(fcps_problem_file_parse(&file, amended, strlen(amended), "throw.yaml", NULL, NULL));
  assert_ok(fcps_run_program(s, file, &options, &error));
  assert_int_equal(fcps_study_result_count(s), 7);
  fcps_problem_file_destroy(file);
  fcps_study_close(s);
}

static void a_short_run_without_a_finite_reward_fails_in_the_end(void **state)
{
  (void)state;
  heard h = {0};
  fcps_error error;
  write_yaml("sqrt(-1-speed)", 0);
  fcps_study *s = make_study(NULL, drive_yaml, NULL);
  assert_int_equal(drive(s, 2, &h, &error), FCPS_ERR_NO_REWARD);
  assert_non_null(strstr(error.message, "\"sqrt(-1-speed)\" is nan where speed="));
  assert_int_equal(fcps_study_result_count(s), 2);
  fcps_study_close(s);
}

static void a_run_in_which_everything_fails_asks_whether_the_parameters_are_to_blame(void **state)
{
  (void)state;
  heard h = {0};
  fcps_error error;
  write_yaml(NULL, 1);
  fcps_study *s = make_study(test_path, drive_yaml, NULL);
  assert_int_equal(drive(s, 3, &h, &error), FCPS_ERR_FAILURE_RATE);
  assert_non_null(strstr(error.message, "3 x \"slipped\""));
  assert_int_equal(drive(s, 40, &h, &error), FCPS_ERR_FAILURE_RATE);
  assert_non_null(
      strstr(error.message, "5 of 5 rollouts failed, so the run stops: all 8 trials failed: 8 x \"slipped\""));
  assert_non_null(strstr(error.message, "parameters are seldom the cause"));
  assert_non_null(strstr(error.message, "throw.fcps --drop failed"));
  fcps_study_close(s);
}

static void a_run_that_ends_well_hears_nothing(void **state)
{
  (void)state;
  heard h = {0};
  fcps_error error;
  write_yaml(NULL, 3);
  fcps_study *s = make_study(NULL, drive_yaml, NULL);
  assert_ok(drive(s, 9, &h, &error));
  assert_int_equal(h.complaints, 0);
  fcps_study_close(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_reward_that_is_never_finite_stops_the_run, make_folder, remove_folder),
      cmocka_unit_test(a_short_run_without_a_finite_reward_fails_in_the_end),
      cmocka_unit_test_setup_teardown(a_run_in_which_everything_fails_asks_whether_the_parameters_are_to_blame,
                                      make_folder, remove_folder),
      cmocka_unit_test(a_run_that_ends_well_hears_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
