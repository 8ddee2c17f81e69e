/* SPDX-License-Identifier: Apache-2.0 */
/* A study driven by an external program: the same asks and results whether it is interrupted or not. */
#include "../study/study_fixture.h"

#include "study/inside.h"

#include <fcps/run.h>

#include <signal.h>
#include <sys/wait.h>

static char drive_yaml[1200];

static void write_yaml(const char *contexts, int fail_every)
{
  snprintf(drive_yaml, sizeof drive_yaml,
           "%scontexts: %s\nrun: {command: [python3, %s/tests/run/throw.py, \"%d\"], timeout_s: 30}\n", throw_yaml,
           contexts, TEST_SOURCE_DIR, fail_every);
}

/* Stops, or kills the process, after so many episodes. */
typedef struct limit {
  int left;
  bool is_deadly;
} limit;

static fcps_status count_down(void *user, const fcps_episode *episode)
{
  limit *l = user;
  if (episode->is_earlier || --l->left > 0) return FCPS_OK;
  if (l->is_deadly) kill(getpid(), SIGKILL);
  return FCPS_ERR_STOPPED;
}

static fcps_status drive(fcps_study *study, int episodes, limit *l, fcps_error *error)
{
  const fcps_run_options options = {.episodes = episodes, .on_episode = l != NULL ? count_down : NULL, .user = l};
  return fcps_run_program(study, NULL, &options, error);
}

static void expect_same(fcps_study *a, fcps_study *b)
{
  assert_int_equal(fcps_study_result_count(a), fcps_study_result_count(b));
  for (int i = 0; i < fcps_study_result_count(a); i++) {
    fcps_stored_result x, y;
    fcps_study_result_at(a, i, &x);
    fcps_study_result_at(b, i, &y);
    assert_int_equal(x.ask, y.ask);
    assert_memory_equal(x.result.rollout.target, y.result.rollout.target, sizeof(double));
    assert_memory_equal(x.result.rollout.parameters, y.result.rollout.parameters, 2 * sizeof(double));
    assert_int_equal(x.result.rollout.status, y.result.rollout.status);
    if (x.result.rollout.outcome != NULL)
      assert_memory_equal(x.result.rollout.outcome, y.result.rollout.outcome, sizeof(double));
  }
}

static void a_run_that_is_killed_again_and_again_ends_the_same(void **state)
{
  (void)state;
  enum { EPISODES = 14 };
  write_yaml("uniform", 6);
  fcps_study *straight = make_study(NULL, drive_yaml, "bo-fcps");
  fcps_error error = {0};
  if (drive(straight, EPISODES, NULL, &error) != FCPS_OK) fail_msg("%s", error.message);
  fcps_study_close(make_study(test_path, drive_yaml, "bo-fcps"));
  for (int kills = 0; kills < 6; kills++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      fcps_study *s = NULL;
      limit deadly = {1 + kills % 3, true};
      if (fcps_study_open(&s, test_path, NULL, NULL) != FCPS_OK) _exit(1);
      drive(s, EPISODES, &deadly, NULL);
      _exit(2);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how));
  }
  fcps_study *s = open_study(test_path);
  if (drive(s, EPISODES, NULL, &error) != FCPS_OK) fail_msg("%s", error.message);
  expect_same(straight, s);
  assert_ok(drive(s, EPISODES, NULL, &error)); /* nothing is left to do */
  assert_int_equal(fcps_study_result_count(s), EPISODES);
  fcps_study_close(s);
  fcps_study_close(straight);
}

/* What a run has left behind keeps the study held, also after the run itself has let it go. */
static void a_hold_lasts_while_a_child_has_it(void **state)
{
  (void)state;
  fcps_error error = {0};
  write_yaml("uniform", 0);
  fcps_study *s = make_study(test_path, drive_yaml, NULL);
  assert_ok(fcps_study_hold(s, &error));
  assert_true(fcps_study_hold_file(s) >= 0);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    pause();
    _exit(0);
  }
  fcps_study_close(s);
  s = open_study(test_path);
  assert_status(drive(s, 1, NULL, &error), FCPS_ERR_LOCKED);
  kill(child, SIGKILL);
  assert_int_equal(waitpid(child, NULL, 0), child);
  assert_ok(drive(s, 1, NULL, &error));
  fcps_study_close(s);
}

static void an_unfinished_ask_is_run_again(void **state)
{
  (void)state;
  write_yaml("uniform", 0);
  fcps_study *s = make_study(test_path, drive_yaml, NULL);
  const double target = 2.5, wind = 0.5;
  fcps_ask ask;
  assert_ok(fcps_study_ask(s, "run", &target, &wind, &ask, NULL));
  fcps_study_close(s);
  s = open_study(test_path);
  assert_ok(drive(s, 2, NULL, NULL));
  assert_int_equal(fcps_study_ask_count(s), 2);
  fcps_stored_result stored;
  fcps_study_result_at(s, 0, &stored);
  assert_int_equal(stored.ask, 1);
  assert_near(stored.result.rollout.target[0], 2.5, 0);
  fcps_study_close(s);
}

static void the_program_or_a_file_can_say_the_contexts(void **state)
{
  (void)state;
  fcps_error error = {0};
  fcps_stored_result stored;
  write_yaml("program", 0);
  fcps_study *s = make_study(NULL, drive_yaml, NULL);
  if (drive(s, 3, NULL, &error) != FCPS_OK) fail_msg("%s", error.message);
  fcps_study_result_at(s, 2, &stored);
  assert_near(stored.result.rollout.target[0], 3.0, 0);
  assert_near(stored.result.rollout.environment[0], 0.1, 0);
  fcps_study_close(s);

  char csv[160], contexts[200];
  snprintf(csv, sizeof csv, "%s/contexts.csv", test_folder);
  snprintf(contexts, sizeof contexts, "{csv: %s}", csv);
  FILE *file = fopen(csv, "w");
  fprintf(file, "wind,x\n0.5,1\n-0.5,2\n");
  fclose(file);
  write_yaml(contexts, 0);
  s = make_study(NULL, drive_yaml, NULL);
  if (drive(s, 3, NULL, &error) != FCPS_OK) fail_msg("%s", error.message);
  fcps_study_result_at(s, 1, &stored);
  assert_near(stored.result.rollout.target[0], 2.0, 0);
  assert_near(stored.result.rollout.environment[0], -0.5, 0);
  fcps_study_result_at(s, 2, &stored);
  assert_near(stored.result.rollout.target[0], 1.0, 0);
  fcps_study_close(s);

  write_yaml("{boxes: [{x: [1, 1.5]}, {x: [4, 4.5], wind: [0, 0]}]}", 0);
  s = make_study(NULL, drive_yaml, NULL);
  if (drive(s, 12, NULL, &error) != FCPS_OK) fail_msg("%s", error.message);
  int high = 0;
  for (int i = 0; i < 12; i++) {
    fcps_study_result_at(s, i, &stored);
    const double x = stored.result.rollout.target[0];
    assert_true((x >= 1 && x <= 1.5) || (x >= 4 && x <= 4.5 && stored.result.rollout.environment[0] == 0));
    high += x >= 4;
  }
  assert_in_range(high, 1, 11);
  fcps_study_close(s);
}

static void too_many_failures_end_the_run(void **state)
{
  (void)state;
  fcps_error error = {0};
  write_yaml("uniform", 1);
  fcps_study *s = make_study(NULL, drive_yaml, NULL);
  assert_status(drive(s, 50, NULL, &error), FCPS_ERR_FAILURE_RATE);
  assert_non_null(strstr(error.message, "slipped"));
  assert_int_equal(fcps_study_result_count(s), 5); /* all are stored */
  fcps_study_close(s);
}

static void a_short_run_in_which_all_fails_says_so(void **state)
{
  (void)state;
  fcps_error error = {0};
  write_yaml("uniform", 1);
  fcps_study *s = make_study(NULL, drive_yaml, NULL);
  assert_status(drive(s, 3, NULL, &error), FCPS_ERR_FAILURE_RATE);
  assert_int_equal(fcps_study_result_count(s), 3);
  fcps_study_close(s);
  write_yaml("uniform", 2);
  s = make_study(NULL, drive_yaml, NULL);
  assert_ok(drive(s, 2, NULL, &error));
  fcps_study_close(s);
}

/* A failure before the program's first answer is not evidence: the study is as if the run had not begun. */
static void a_broken_program_leaves_its_ask_for_the_next_run(void **state)
{
  (void)state;
  enum { EPISODES = 4 };
  static const char *const commands[] = {"./no-such-program", "python3, -c, import no_such_module"};
  fcps_error error = {0};
  write_yaml("uniform", 0);
  fcps_study *straight = make_study(NULL, drive_yaml, "bo-fcps");
  assert_ok(drive(straight, EPISODES, NULL, &error));

  fcps_study *s = make_study(test_path, drive_yaml, "bo-fcps");
  for (int i = 0; i < 2; i++) {
    char yaml[1200];
    fcps_problem_file *file = NULL;
    const fcps_run_options options = {.episodes = EPISODES};
    snprintf(yaml, sizeof yaml, "%srun: {command: [%s], timeout_s: 30}\n", throw_yaml, commands[i]);
    assert_ok(fcps_problem_file_parse(&file, yaml, strlen(yaml), "o.yaml", NULL, NULL));
    assert_status(fcps_run_program(s, file, &options, &error), FCPS_ERR_PROGRAM);
    fcps_problem_file_destroy(file);
    assert_int_equal(fcps_study_result_count(s), 0);
    assert_int_equal(fcps_study_ask_count(s), 1);
  }
  assert_ok(drive(s, EPISODES, NULL, &error));
  expect_same(straight, s);
  fcps_study_close(s);
  fcps_study_close(straight);
}

static void a_run_goes_on_where_a_measurement_broke(void **state)
{
  (void)state;
  fcps_error error = {0};
  write_yaml("uniform", -3);
  fcps_study *s = make_study(test_path, drive_yaml, "bo-fcps");
  if (drive(s, 8, NULL, &error) != FCPS_OK) fail_msg("%s", error.message);
  for (int i = 0; i < 8; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(s, i, &stored);
    assert_int_equal(stored.is_flagged, (i + 1) % 3 == 0);
    assert_non_null(stored.result.rollout.outcome);
  }
  fcps_study_close(s);
}

static void a_file_with_other_dimensions_is_refused(void **state)
{
  (void)state;
  static const char other[] = "parameters: {speed: [0, 1]}\noutcome: [land]\nreward: land\n"
                              "run: {command: [python3], timeout_s: 1}\n";
  fcps_problem_file *file = NULL;
  fcps_error error = {0};
  write_yaml("uniform", 0);
  fcps_study *s = make_study(NULL, drive_yaml, NULL);
  assert_ok(fcps_problem_file_parse(&file, other, strlen(other), "o.yaml", NULL, NULL));
  const fcps_run_options options = {.episodes = 3};
  assert_status(fcps_run_program(s, file, &options, &error), FCPS_ERR_UNSUPPORTED);
  fcps_problem_file_destroy(file);
  fcps_study_close(s);
  s = make_study(NULL, throw_yaml, NULL);
  assert_status(drive(s, 3, NULL, &error), FCPS_ERR_ARGUMENT); /* no program */
  fcps_study_close(s);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(a_run_that_is_killed_again_and_again_ends_the_same),
      TEST(a_hold_lasts_while_a_child_has_it),
      TEST(an_unfinished_ask_is_run_again),
      TEST(the_program_or_a_file_can_say_the_contexts),
      TEST(too_many_failures_end_the_run),
      TEST(a_short_run_in_which_all_fails_says_so),
      TEST(a_broken_program_leaves_its_ask_for_the_next_run),
      TEST(a_run_goes_on_where_a_measurement_broke),
      TEST(a_file_with_other_dimensions_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
