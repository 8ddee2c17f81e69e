/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps run FILE --parallel N`: N programs that behave well or badly, and how such a run ends and continues. The
 * programs are tests/run/program/fleet.c, which write down their asks, and misbehave.c, which write down that they
 * move. */
#include "cli/program.h"

#include "store/store.h"

#include <ctype.h>
#include <sys/resource.h>

#define FLEET     TEST_BINARY_DIR "/tests/fleet"
#define MISBEHAVE TEST_BINARY_DIR "/tests/misbehave"

enum { MOST = 64, WAIT_MS = 20000, STEP_MS = 10 };

static void rest(void)
{
  nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
}

/* -- Runs -- */

static void write_problem(const test_folder *folder, const char *how, int from, const char *more)
{
  char yaml[900];
  snprintf(yaml, sizeof yaml,
           "target: {x: [0, 1]}\nparameters: {speed: [0, 2]}\noutcome: [land]\nreward: -abs(x-land)\n"
           "run: {command: [%s, %s, %s, \"%d\"], timeout_s: %d}\n%s",
           FLEET, folder_file(folder, "trace"), how, from, strcmp(how, "hang") == 0 ? 2 : 60, more);
  file_write(folder_file(folder, "p.yaml"), yaml);
}

static program_result run_many(const test_folder *folder, const char *parallel, const char *episodes)
{
  return program(folder, "run", folder_file(folder, "p.yaml"), "--parallel", parallel, "-n", episodes, "--learner",
                 "random", "--store", folder_file(folder, "s.fcps"), "--quiet");
}

static void expect_code(const program_result *result, int code)
{
  if (result->code != code) fail_msg("exit code %d, expected %d: %s", result->code, code, result->err);
}

/* -- What the programs saw -- */

/* How often each ask was begun, and by which program last. */
typedef struct begun {
  int count[MOST], worker[MOST], total;
  long process[MOST];
} begun;

static begun read_trace(const test_folder *folder, const char *what)
{
  begun found = {0};
  char *text = file_text(folder_file(folder, "trace"));
  for (char *line = text != NULL ? strtok(text, "\n") : NULL; line != NULL; line = strtok(NULL, "\n")) {
    char kind[16];
    int number, worker;
    long process;
    if (sscanf(line, "%15s %d %d %ld", kind, &number, &worker, &process) != 4 || strcmp(kind, what) != 0) continue;
    assert_in_range(number, 1, MOST - 1);
    found.count[number]++;
    found.worker[number] = worker;
    found.process[number] = process;
    found.total++;
  }
  free(text);
  return found;
}

static void expect_each_once(const begun *found, int episodes)
{
  for (int i = 1; i <= episodes; i++)
    if (found->count[i] != 1) fail_msg("ask %d was run %d times", i, found->count[i]);
  assert_int_equal(found->total, episodes);
}

/* "rollouts  20 results: 19 with an outcome, 0 without, 1 failed; ...; 0 asks unfinished" */
static void expect_status(const test_folder *folder, const char *rollouts, const char *unfinished)
{
  program_result status = program(folder, "study", "status", folder_file(folder, "s.fcps"));
  expect_code(&status, 0);
  assert_words(status.out, rollouts);
  assert_words(status.out, unfinished);
  program_free(&status);
}

/* -- Programs that do well -- */

static void four_programs_share_the_asks(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "well", 0, "");
  program_result run = run_many(&folder, "4", "30");
  expect_code(&run, 0);
  const begun asks = read_trace(&folder, "begin");
  expect_each_once(&asks, 30);
  long process[5] = {0};
  for (int i = 1; i <= 30; i++) {
    assert_in_range(asks.worker[i], 1, 4);
    if (i <= 4) assert_int_equal(asks.worker[i], i); /* they begin in order */
    long *of = &process[asks.worker[i]];
    if (*of != 0) assert_int_equal(*of, asks.process[i]); /* each is one process */
    *of = asks.process[i];
  }
  expect_status(&folder, "rollouts 30 results: 30 with an outcome, 0 without, 0 failed", "0 asks unfinished");
  int lines = 0;
  for (const char *c = run.out; *c; c++)
    lines += *c == '\n';
  assert_int_equal(lines, 30);
  program_free(&run);

  program_result again = run_many(&folder, "3", "30");
  expect_code(&again, 0);
  assert_string_equal(again.out, "");
  program_free(&again);
  folder_remove(&folder);
}

/* the line of progress counts what is done, and JSON has each episode once */
static void progress_and_json_hold(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "key", 0, "");
  program_result run = program(&folder, "run", folder_file(&folder, "p.yaml"), "--parallel", "3", "-n", "12",
                               "--learner", "random", "--json");
  expect_code(&run, 0);
  for (int i = 1; i <= 12; i++) {
    char words[40];
    snprintf(words, sizeof words, "{\"episode\":%d,", i);
    const char *first = strstr(run.out, words);
    if (first == NULL || strstr(first + 1, words) != NULL) fail_msg("episode %d: %s", i, run.out);
  }
  assert_words(run.err, "12 episodes in");
  const char *warning = strstr(run.err, "W_ANSWER_KEY");
  assert_non_null(warning);
  assert_null(strstr(warning + 1, "W_ANSWER_KEY")); /* of one of the programs, because they are alike */
  program_free(&run);
  folder_remove(&folder);
}

static void every_program_supplies_contexts(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "well", 0, "contexts: program\n");
  program_result run = run_many(&folder, "3", "10");
  expect_code(&run, 0);
  const begun asks = read_trace(&folder, "begin"), contexts = read_trace(&folder, "context");
  expect_each_once(&asks, 10);
  expect_each_once(&contexts, 10);
  program_free(&run);
  folder_remove(&folder);
}

static void a_run_with_one_program_knows_its_number_too(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "well", 0, "");
  program_result run = run_many(&folder, "1", "2");
  expect_code(&run, 0);
  assert_int_equal(read_trace(&folder, "begin").worker[2], 1);
  program_free(&run);
  folder_remove(&folder);
}

/* -- Programs that do badly -- */

/* `at`: an ask that is the first of its program, and a later one */
static void a_program_that_fails_costs_its_own_trial(void **state)
{
  (void)state;
  static const struct {
    const char *how, *words;
  } ways[] = {{"crash", "exit code 3"}, {"hang", "no answer in time"}, {"garbage", "not JSON"}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    for (int at = 2; at <= 9; at += 7) {
      const test_folder folder = folder_create();
      write_problem(&folder, ways[i].how, at, "");
      program_result run = run_many(&folder, "4", "14");
      expect_code(&run, 0);
      assert_words(run.err, ways[i].words);
      const begun asks = read_trace(&folder, "begin");
      expect_each_once(&asks, 14);
      expect_status(&folder, "rollouts 14 results: 13 with an outcome, 0 without, 1 failed", "0 asks unfinished");
      program_free(&run);
      folder_remove(&folder);
    }
}

/* it would use up the trials of the other programs */
static void a_program_that_never_answers_gets_no_more_trials(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "dead", 0, "");
  program_result run = run_many(&folder, "4", "20");
  expect_code(&run, 0);
  assert_words(run.err, "W_PROGRAM_LEFT_OUT");
  assert_words(run.err, "program 2 of 4");
  const begun asks = read_trace(&folder, "begin");
  expect_each_once(&asks, 20);
  int lost[2] = {0}, count = 0;
  for (int i = 1; i <= 20 && count < 2; i++)
    if (asks.worker[i] == 2) lost[count++] = i;
  char names[40], command[600];
  snprintf(names, sizeof names, "%d.1,%d.1", lost[0], lost[1]);
  snprintf(command, sizeof command, "fcps study amend %s --drop %s", folder_file(&folder, "s.fcps"), names);
  assert_words(run.err, command);
  expect_status(&folder, "rollouts 20 results: 18 with an outcome, 0 without, 2 failed", "0 asks unfinished");
  program_result amend = program(&folder, "study", "amend", folder_file(&folder, "s.fcps"), "--drop", names);
  expect_code(&amend, 0);
  expect_status(&folder, "rollouts 18 results: 18 with an outcome, 0 without, 0 failed", "0 asks unfinished");
  program_free(&amend);
  program_free(&run);
  folder_remove(&folder);
}

static void programs_that_are_all_broken_store_nothing(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "mute", 1, "");
  assert_refused(run_many(&folder, "3", "10"), 6, "Nothing is stored for ask");
  expect_status(&folder, "rollouts 0", "3 asks unfinished");
  /* the next run begins with the same asks */
  write_problem(&folder, "well", 0, "");
  program_result run = run_many(&folder, "2", "10");
  expect_code(&run, 0);
  expect_status(&folder, "rollouts 10 results: 10 with an outcome, 0 without, 0 failed", "0 asks unfinished");
  program_free(&run);

  file_write(folder_file(&folder, "p.yaml"),
             "target: {x: [0, 1]}\nparameters: {speed: [0, 2]}\noutcome: [land]\nreward: -abs(x-land)\n"
             "run: {command: [./nobody], timeout_s: 2}\n");
  assert_refused(run_many(&folder, "4", "20"), 6, "does not exist");
  folder_remove(&folder);
}

/* if all programs fail later, the run ends as with one program, and the results under way are stored */
static void too_many_failures_end_the_run(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "mute", 6, "");
  program_result run = run_many(&folder, "3", "40");
  expect_code(&run, 7);
  assert_words(run.err, "rollouts failed, so the run stops");
  const begun asks = read_trace(&folder, "begin");
  assert_in_range(asks.total, 10, 13);
  expect_each_once(&asks, asks.total);
  char words[40];
  snprintf(words, sizeof words, "rollouts %d results:", asks.total);
  expect_status(&folder, words, "0 asks unfinished");
  program_free(&run);
  folder_remove(&folder);
}

/* no answer of such a program is reliable: this ends the run, but not the trials of the others */
static void a_program_that_answers_in_two_ways_ends_the_run(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "other", 5, "");
  program_result run = run_many(&folder, "3", "30");
  expect_code(&run, 6);
  assert_words(run.err, "of 3: the program answered ask 5 twice");
  const begun asks = read_trace(&folder, "begin");
  for (int i = 1; i < MOST; i++)
    assert_in_range(asks.count[i], 0, 1);
  expect_status(&folder, "0 failed", "1 ask unfinished");
  program_free(&run);
  folder_remove(&folder);
}

/* -- Ends -- */

/* Lets as many processes move as there are programs. */
static int count_movers(const test_folder *folder, double *last)
{
  long seen[MOST];
  int count = 0;
  char *text = file_text(folder_file(folder, "trace"));
  for (char *line = text != NULL ? strtok(text, "\n") : NULL; line != NULL; line = strtok(NULL, "\n")) {
    long process;
    double time;
    char how[32];
    if (sscanf(line, "%ld %lf %31s", &process, &time, how) != 3 || strcmp(how, "touch") == 0) continue;
    *last = time;
    int i = 0;
    while (i < count && seen[i] != process)
      i++;
    if (i == count && count < MOST) seen[count++] = process;
  }
  free(text);
  return count;
}

static void write_movers(const test_folder *folder, const char *how)
{
  char yaml[700];
  snprintf(yaml, sizeof yaml,
           "target: {x: [0, 1]}\nparameters: {speed: [0, 2]}\noutcome: [land]\nreward: -abs(x-land)\n"
           "run: {command: [env, MISBEHAVE_TRACE=%s, %s, %s, \"1\"], timeout_s: 60}\n",
           folder_file(folder, "trace"), MISBEHAVE, how);
  file_write(folder_file(folder, "p.yaml"), yaml);
}

static pid_t start_run(const test_folder *folder, const char *parallel, const char *episodes)
{
  const char *const arguments[] = {
      "run",     folder_file(folder, "p.yaml"), "--parallel", parallel, "-n", episodes, "--learner", "random",
      "--store", folder_file(folder, "s.fcps"), "--quiet",    NULL};
  return program_start(folder, arguments, false);
}

static int await_end(pid_t process)
{
  int how = 0;
  for (int ms = 0; waitpid(process, &how, WNOHANG) == 0; ms += STEP_MS) {
    if (ms > WAIT_MS) fail_msg("process %ld does not end", (long)process);
    rest();
  }
  return how;
}

/* All at once: each takes seconds, without computing. */
static void however_a_run_ends_all_of_its_programs_end(void **state)
{
  (void)state;
  static const struct {
    const char *how;
    int signal_number;
  } ways[] = {{"move", SIGINT}, {"move", SIGTERM}, {"move", SIGHUP}, {"move", SIGKILL}, {"stubborn", SIGTERM}};
  enum { COUNT = sizeof ways / sizeof *ways, PROGRAMS = 3 };
  test_folder folders[COUNT];
  pid_t runs[COUNT];
  double last = 0;
  for (int i = 0; i < COUNT; i++) {
    folders[i] = folder_create();
    write_movers(&folders[i], ways[i].how);
    runs[i] = start_run(&folders[i], "3", "9");
  }
  for (int i = 0; i < COUNT; i++)
    for (int ms = 0; count_movers(&folders[i], &last) < PROGRAMS; ms += STEP_MS) {
      if (ms > WAIT_MS) fail_msg("only %d move", count_movers(&folders[i], &last));
      rest();
    }
  for (int i = 0; i < COUNT; i++)
    assert_int_equal(kill(runs[i], ways[i].signal_number), 0);
  for (int i = 0; i < COUNT; i++) {
    const int how = await_end(runs[i]);
    if (ways[i].signal_number == SIGKILL)
      assert_true(WIFSIGNALED(how));
    else if (!WIFEXITED(how) || WEXITSTATUS(how) != 130)
      fail_msg("%s, signal %d: %s", ways[i].how, ways[i].signal_number, file_text(folder_file(&folders[i], "stderr")));
    /* the next run begins only when all processes are gone, and takes up all three asks */
    write_movers(&folders[i], "touch");
    program_result next = program_wait(&folders[i], start_run(&folders[i], "2", "3"));
    expect_code(&next, 0);
    program_free(&next);
    double before = 0, after = 0;
    count_movers(&folders[i], &before);
    for (int j = 0; j < 20; j++)
      rest();
    assert_int_equal(count_movers(&folders[i], &after), PROGRAMS);
    assert_true(before == after);
    expect_status(&folders[i], "rollouts 3 results: 3 with an outcome, 0 without, 0 failed", "0 asks unfinished");
    folder_remove(&folders[i]);
  }
}

/* killed again and again at any place, with other numbers of programs: each ask ends with one result */
static void a_run_that_is_killed_again_and_again_completes(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  static const char *const parallel[] = {"4", "2", "5", "1", "3"};
  write_problem(&folder, "well", 0, "");
  for (int i = 0; i < 5; i++) {
    const int before = read_trace(&folder, "begin").total;
    const pid_t run = start_run(&folder, parallel[i], "60");
    for (int ms = 0; read_trace(&folder, "begin").total < before + 7 && ms < WAIT_MS; ms += STEP_MS)
      rest();
    kill(run, i % 2 == 0 ? SIGKILL : SIGTERM);
    await_end(run);
  }
  program_result run = run_many(&folder, "4", "60");
  expect_code(&run, 0);
  const begun asks = read_trace(&folder, "begin");
  for (int i = 1; i <= 60; i++)
    assert_in_range(asks.count[i], 1, 6); /* the asks under way are run once more */
  assert_int_equal(asks.count[61], 0);
  expect_status(&folder, "rollouts 60 results: 60 with an outcome, 0 without, 0 failed", "0 asks unfinished");
  program_free(&run);
  folder_remove(&folder);
}

/* one program has answered while another moves: its result is stored, and not run again */
static void what_is_finished_when_the_run_is_stopped_is_stored(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "slow", 2, "");
  const pid_t run = start_run(&folder, "2", "40");
  for (int ms = 0; read_trace(&folder, "begin").total < 6 && ms < WAIT_MS; ms += STEP_MS)
    rest();
  kill(run, SIGINT);
  assert_int_equal(WEXITSTATUS(await_end(run)), 130);
  write_problem(&folder, "well", 0, "");
  program_result next = run_many(&folder, "2", "40");
  expect_code(&next, 0);
  const begun asks = read_trace(&folder, "begin");
  assert_int_equal(asks.count[2], 2); /* it was under way */
  int repeated = 0;
  for (int i = 1; i <= 40; i++)
    repeated += asks.count[i] - 1;
  assert_in_range(repeated, 1, 2); /* and at most one other */
  expect_status(&folder, "rollouts 40 results: 40 with an outcome, 0 without, 0 failed", "0 asks unfinished");
  program_free(&next);
  folder_remove(&folder);
}

/* Three results come while another process reads the study for a long time: all are on disk when the run is killed. */
static void results_that_cannot_be_stored_are_all_kept(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_store *reader = NULL;
  char *text = NULL;
  write_problem(&folder, "gate", 1, "");
  const pid_t run = start_run(&folder, "3", "3");
  for (int ms = 0; read_trace(&folder, "begin").total < 3 && ms < WAIT_MS; ms += STEP_MS)
    rest();
  assert_ok(fcps_store_open(&reader, folder_file(&folder, "s.fcps"), (fcps_store_options){.wait_ms = 5000}, NULL));
  assert_ok(fcps_store_begin(reader, false, NULL));
  assert_ok(fcps_store_get(reader, "seed", &text, NULL));
  free(text);
  file_write(folder_file(&folder, "trace-go"), "");
  for (int i = 1; i <= 3; i++) {
    char name[40];
    snprintf(name, sizeof name, "s.fcps-kept-%d.json", i);
    for (int ms = 0; access(folder_file(&folder, name), F_OK) != 0; ms += STEP_MS) {
      if (ms > WAIT_MS) fail_msg("%s is not there: %s", name, file_text(folder_file(&folder, "stderr")));
      rest();
    }
  }
  kill(run, SIGKILL);
  await_end(run);
  fcps_store_close(reader);
  program_result next = run_many(&folder, "2", "3");
  expect_code(&next, 0);
  assert_words(next.err, "W_KEPT_STORED");
  assert_int_equal(read_trace(&folder, "begin").total, 3); /* no trial is done twice */
  expect_status(&folder, "rollouts 3 results: 3 with an outcome, 0 without, 0 failed", "0 asks unfinished");
  program_free(&next);
  folder_remove(&folder);
}

/* -- Refusals -- */

static void a_number_without_sense_is_refused(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "well", 0, "");
  static const char *const numbers[] = {"0", "257", "-1", "two"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    assert_refused(run_many(&folder, numbers[i], "3"), 2, "--parallel");
  /* more programs than there can be open files */
  struct rlimit limit, small;
  assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
  small = (struct rlimit){.rlim_cur = 256, .rlim_max = limit.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &small), 0);
  assert_refused(run_many(&folder, "100", "3"), 2, "ulimit -n");
  assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
  assert_int_equal(read_trace(&folder, "begin").total, 0);
  /* the names under which the programs ask are theirs */
  assert_refused(program(&folder, "study", "ask", folder_file(&folder, "s.fcps"), "--client", "run/2", "-t", "x=0"), 2,
                 "--client");
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(four_programs_share_the_asks),
      cmocka_unit_test(progress_and_json_hold),
      cmocka_unit_test(every_program_supplies_contexts),
      cmocka_unit_test(a_run_with_one_program_knows_its_number_too),
      cmocka_unit_test(a_program_that_fails_costs_its_own_trial),
      cmocka_unit_test(a_program_that_never_answers_gets_no_more_trials),
      cmocka_unit_test(programs_that_are_all_broken_store_nothing),
      cmocka_unit_test(too_many_failures_end_the_run),
      cmocka_unit_test(a_program_that_answers_in_two_ways_ends_the_run),
      cmocka_unit_test(however_a_run_ends_all_of_its_programs_end),
      cmocka_unit_test(a_run_that_is_killed_again_and_again_completes),
      cmocka_unit_test(what_is_finished_when_the_run_is_stopped_is_stored),
      cmocka_unit_test(results_that_cannot_be_stored_are_all_kept),
      cmocka_unit_test(a_number_without_sense_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
