/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that misbehave in every way: each is ended in time and leaves nothing behind, and its rollout names the
 * reason. */
#include "run/program/external.h"

#include "base/process.h"
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* how long it may take to end a program: 2.5 s by our own limits, and what a busy machine needs */
static const double most_s = 5.0;

static const double target = 0.5, speed = 1.25;

/* A program that misbehaves from an ask on. */
static fcps_problem_file *problem_for(const char *how, int first, bool is_once, double limit_s)
{
  char yaml[600];
  fcps_problem_file *file = NULL;
  fcps_error error = {0};
  snprintf(yaml, sizeof yaml,
           "target: {x: [0, 1]}\nparameters: {speed: [0, 2]}\noutcome: [land]\nreward: -abs(x-land)\n"
           "run: {command: [%s/tests/misbehave, %s, \"%d\", \"of %d\"], timeout_s: %g, mode: %s}\n",
           TEST_BINARY_DIR, how, first, (int)getpid(), limit_s, is_once ? "once" : "serve");
  if (fcps_problem_file_parse(&file, yaml, strlen(yaml), "t.yaml", NULL, &error) != FCPS_OK)
    fail_msg("%s", error.message);
  return file;
}

/* The trial of an ask. */
static fcps_status run(fcps_external *x, int64_t id, const double *wished, fcps_result *answer, fcps_error *error)
{
  const fcps_ask ask = {.id = id, .target = wished, .environment = wished, .parameters = &speed};
  return fcps_external_run(x, &ask, answer, error);
}

static int open_files(void)
{
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (folder != NULL && readdir(folder) != NULL)
    count++;
  if (folder != NULL) closedir(folder);
  return count;
}

static void sleep_briefly(void)
{
  nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
}

/* Rollouts by a program that answers them all. */
static void expect_rollouts(bool once, int count)
{
  fcps_problem_file *file = problem_for("good", 1, once, 20);
  fcps_external *x = NULL;
  fcps_result answer;
  assert_ok(fcps_external_create(&x, file, NULL, NULL));
  for (int64_t ask = 1; ask <= count; ask++) {
    assert_ok(run(x, ask, &target, &answer, NULL));
    if (answer.rollout.status != FCPS_ROLLOUT_OK) fail_msg("%s", answer.message);
    assert_near(answer.rollout.outcome[0], 2.5, 0);
  }
  fcps_external_destroy(x);
  fcps_problem_file_destroy(file);
}

static void a_long_lived_program_serves_many_rollouts(void **state)
{
  (void)state;
  expect_rollouts(false, 50);
}

static void one_process_a_rollout_works_too(void **state)
{
  (void)state;
  expect_rollouts(true, 3);
}

static const struct {
  const char *how;
  fcps_rollout_status status;
  const char *words;
} cases[] = {{"failed", FCPS_ROLLOUT_FAILED, "gripper slipped"},
             {"exit-0", FCPS_ROLLOUT_FAILED, "exit code 0"},
             {"exit-3", FCPS_ROLLOUT_FAILED, "cannot open the arm"},
             {"segv", FCPS_ROLLOUT_FAILED, "signal 11"},
             {"sleep", FCPS_ROLLOUT_TIMEOUT, "no answer in time"},
             {"ignore-term", FCPS_ROLLOUT_TIMEOUT, "signal 9"},
             {"grandchild", FCPS_ROLLOUT_FAILED, "exit code 0"},
             {"flood", FCPS_ROLLOUT_FAILED, "mebibyte"},
             {"flood-lines", FCPS_ROLLOUT_TIMEOUT, "no answer in time"},
             {"half-line", FCPS_ROLLOUT_FAILED, "outco"},
             {"not-json", FCPS_ROLLOUT_FAILED, "not JSON"},
             {"nan", FCPS_ROLLOUT_FAILED, "not JSON, which has no NaN: write \"nan\""},
             {"wrong-id", FCPS_ROLLOUT_FAILED, "a request that was not sent"},
             {"minus-one", FCPS_ROLLOUT_FAILED, "a request that was not sent, ask -1"},
             {"no-id", FCPS_ROLLOUT_FAILED, "the answer needs \"ask\": 2; received: {\"outcome\""},
             {"text-id", FCPS_ROLLOUT_FAILED, "the answer needs \"ask\": 2; received: {\"ask\": \"2\""},
             {"missing-name", FCPS_ROLLOUT_FAILED, "\"land\""},
             {"executed-nan", FCPS_ROLLOUT_FAILED, "executed.speed"},
             {"executed-other", FCPS_ROLLOUT_FAILED, "\"speed\""},
             {"drip", FCPS_ROLLOUT_TIMEOUT, "no answer in time"},
             {"close", FCPS_ROLLOUT_FAILED, "closed its output"}};
enum { CASES = sizeof cases / sizeof *cases };

static void every_misbehaviour_has_its_status_and_its_reason(void **state)
{
  (void)state;
  const int before = open_files();
  for (int i = 0; i < CASES; i++) {
    /* a program that must be waited for gets little time, the others get what a busy machine needs */
    const double limit_s = cases[i].status == FCPS_ROLLOUT_TIMEOUT ? 1.5 : 20;
    fcps_problem_file *file = problem_for(cases[i].how, 2, false, limit_s);
    fcps_external *x = NULL;
    fcps_result answer;
    assert_ok(fcps_external_create(&x, file, NULL, NULL));
    assert_ok(run(x, 1, &target, &answer, NULL)); /* it can answer */
    const double start = fcps_clock_seconds();
    assert_ok(run(x, 2, &target, &answer, NULL));
    const double lasted = fcps_clock_seconds() - start;
    if (answer.rollout.status != cases[i].status || strstr(answer.message, cases[i].words) == NULL)
      fail_msg("%s: %s: %s", cases[i].how, fcps_rollout_status_text(answer.rollout.status), answer.message);
    if (lasted > limit_s + most_s) fail_msg("%s took %g s", cases[i].how, lasted);
    /* the next rollout finds a program again */
    if (limit_s > 2) assert_ok(run(x, 3, &target, &answer, NULL));
    fcps_external_destroy(x);
    fcps_problem_file_destroy(file);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left, dead or alive */
    assert_int_equal(errno, ECHILD);
  }
  assert_int_equal(open_files(), before);
}

/* What one of several processes saw. */
typedef struct crowd_report {
  int runs, late, wrong, children, files, longest_ms;
} crowd_report;

/* Runs `count` programs one after the other, every one misbehaving in another way. */
static crowd_report misbehave(int first, int count, double limit_s)
{
  crowd_report report = {.runs = count};
  const int before = open_files();
  for (int i = first; i < first + count; i++) {
    fcps_problem_file *file = problem_for(cases[i % CASES].how, 1, i % 3 == 0, limit_s);
    fcps_external *x = NULL;
    fcps_result answer;
    assert_ok(fcps_external_create(&x, file, NULL, NULL));
    const double start = fcps_clock_seconds();
    const fcps_status status = run(x, 1, &target, &answer, NULL);
    const double lasted = fcps_clock_seconds() - start;
    const fcps_rollout_status found = answer.rollout.status; /* also of a program that has not answered yet */
    fcps_external_destroy(x);
    fcps_problem_file_destroy(file);
    /* on a busy machine any of them may run out of its short time first */
    report.wrong += found != cases[i % CASES].status && found != FCPS_ROLLOUT_TIMEOUT;
    report.wrong += status != FCPS_OK && status != FCPS_ERR_PROGRAM;
    report.late += lasted > limit_s + most_s;
    report.longest_ms = (int)fmax(report.longest_ms, 1e3 * lasted);
    report.children += waitpid(-1, NULL, WNOHANG) != -1;
  }
  report.files = open_files() - before;
  return report;
}

/* FCPS_TEST_LONG=1: a thousand runs, sixteen at a time, a fifth of a second for each. */
static void a_crowd_of_misbehaving_programs_leaves_nothing_behind(void **state)
{
  (void)state;
  enum { WORKERS = 16 };
  const int each = getenv("FCPS_TEST_LONG") != NULL ? 63 : 3;
  int ends[2];
  crowd_report all = {0}, one;
  assert_int_equal(pipe(ends), 0);
  for (int w = 0; w < WORKERS; w++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      one = misbehave(w * each, each, 0.2);
      _exit(write(ends[1], &one, sizeof one) != sizeof one);
    }
  }
  close(ends[1]);
  while (read(ends[0], &one, sizeof one) == sizeof one) {
    all.runs += one.runs;
    all.late += one.late;
    all.wrong += one.wrong;
    all.children += one.children;
    all.files += one.files;
    all.longest_ms = (int)fmax(all.longest_ms, one.longest_ms);
  }
  close(ends[0]);
  for (int w = 0; w < WORKERS; w++)
    assert_true(wait(NULL) > 0);
  struct rusage use;
  assert_int_equal(getrusage(RUSAGE_CHILDREN, &use), 0);
  printf("# %d runs, the longest %d ms; late %d, of another status %d, children left %d, files left %d, at most %ld "
         "KiB\n",
         all.runs, all.longest_ms, all.late, all.wrong, all.children, all.files, use.ru_maxrss);
  assert_int_equal(all.runs, WORKERS * each);
  assert_int_equal(all.late + all.wrong + all.children + all.files, 0);
}

/* -- What a program leaves behind -- */

/* how many processes of this machine are programs that this process has started */
static int count_running(void)
{
  int count = 0;
  char mark[32];
  DIR *folder = opendir("/proc");
  snprintf(mark, sizeof mark, "of %d", (int)getpid());
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    char path[300], words[1000] = "";
    snprintf(path, sizeof path, "/proc/%s/cmdline", entry->d_name);
    FILE *file = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? fopen(path, "r") : NULL;
    if (file == NULL) continue;
    const size_t length = fread(words, 1, sizeof words - 1, file);
    fclose(file);
    count += length > strlen(mark) && strcmp(words + length - 1 - strlen(mark), mark) == 0;
  }
  closedir(folder);
  return count;
}

static void what_left_its_group_or_session_ends_with_the_program(void **state)
{
  (void)state;
  static const char *const ways[] = {"leave-group", "daemon", "stubborn"};
  for (int i = 0; i < 3; i++) {
    fcps_problem_file *file = problem_for(ways[i], 1, false, 0.5);
    fcps_external *x = NULL;
    fcps_result answer;
    assert_ok(fcps_external_create(&x, file, NULL, NULL));
    const double start = fcps_clock_seconds();
    assert_status(run(x, 1, &target, &answer, NULL), FCPS_ERR_PROGRAM); /* it has never answered */
    assert_int_equal(answer.rollout.status, FCPS_ROLLOUT_TIMEOUT);
    if (fcps_clock_seconds() - start > 0.5 + most_s) fail_msg("%s took %g s", ways[i], fcps_clock_seconds() - start);
    assert_int_equal(count_running(), 0);
    fcps_external_destroy(x);
    fcps_problem_file_destroy(file);
  }
}

static void a_daemon_of_a_program_that_answered_ends_with_it(void **state)
{
  (void)state;
  for (int once = 0; once < 2; once++) {
    fcps_problem_file *file = problem_for("leave-daemon", 1, once, 20);
    fcps_external *x = NULL;
    fcps_result answer;
    assert_ok(fcps_external_create(&x, file, NULL, NULL));
    assert_ok(run(x, 1, &target, &answer, NULL));
    assert_int_equal(answer.rollout.status, FCPS_ROLLOUT_OK);
    assert_int_equal(count_running(), once ? 0 : 2);
    fcps_external_destroy(x);
    assert_int_equal(count_running(), 0);
    fcps_problem_file_destroy(file);
  }
}

/* the children of a process, as far as the system tells; their number, and the first */
static int count_children(long process, long *first)
{
  char path[64];
  int count = 0;
  long child;
  snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", process, process);
  FILE *file = fopen(path, "r");
  *first = 0;
  for (; file != NULL && fscanf(file, "%ld", &child) == 1; count++)
    if (count == 0) *first = child;
  if (file != NULL) fclose(file);
  return count;
}

static void orphans_that_have_ended_do_not_pile_up(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_for("orphans", 1, false, 20);
  fcps_external *x = NULL;
  fcps_result answer;
  long guardian, program;
  assert_ok(fcps_external_create(&x, file, NULL, NULL));
  for (int64_t ask = 1; ask <= 20; ask++)
    assert_ok(run(x, ask, &target, &answer, NULL));
  count_children(getpid(), &guardian);
  if (guardian == 0) skip_because("the kernel lists no children of a process (CONFIG_PROC_CHILDREN)");
  sleep_briefly();
  assert_int_equal(count_children(guardian, &program), 1);
  fcps_external_destroy(x);
  fcps_problem_file_destroy(file);
}

/* a program that the user may not end: it runs as root, with its mode bit */
static void run_what_cannot_be_ended(const char *program, int report)
{
  char yaml[600], words[200] = "";
  fcps_problem_file *file = NULL;
  fcps_external *x = NULL;
  fcps_result answer;
  fcps_error error = {0};
  if (setgid(65534) != 0 || setuid(65534) != 0) _exit(1);
  snprintf(yaml, sizeof yaml,
           "target: {x: [0, 1]}\nparameters: {speed: [0, 2]}\noutcome: [land]\nreward: -abs(x-land)\n"
           "run: {command: [%s, other-user, \"1\"], timeout_s: 0.5}\n",
           program);
  if (fcps_problem_file_parse(&file, yaml, strlen(yaml), "t.yaml", NULL, NULL) != FCPS_OK) _exit(2);
  if (fcps_external_create(&x, file, NULL, NULL) != FCPS_OK) _exit(3);
  if (run(x, 1, &target, &answer, NULL) != FCPS_ERR_PROGRAM || answer.rollout.status != FCPS_ROLLOUT_TIMEOUT) _exit(4);
  if (strstr(answer.message, "could not be ended and still runs") == NULL) _exit(5);
  /* a second one would move beside the first */
  if (run(x, 2, &target, &answer, &error) != FCPS_ERR_PROGRAM) _exit(6);
  if (sscanf(error.message, "%*[^:]: no second one is started while process %199[0-9]", words) != 1) _exit(7);
  if (fcps_external_end(x, &error) != FCPS_ERR_PROGRAM || strstr(error.message, words) == NULL) _exit(8);
  fcps_external_destroy(x);
  fcps_problem_file_destroy(file);
  _exit(write(report, words, sizeof words) != sizeof words);
}

static void what_cannot_be_ended_is_named_and_no_second_one_starts(void **state)
{
  (void)state;
  char folder[] = "/tmp/fcps-test-XXXXXX", program[64], command[400], words[200] = "";
  int ends[2], how = 0;
  if (geteuid() != 0) skip_because("only root can make a program that its starter may not end: run it as root");
  assert_non_null(mkdtemp(folder));
  snprintf(program, sizeof program, "%s/misbehave", folder);
  snprintf(command, sizeof command, "chmod 755 %s && cp %s/tests/misbehave %s && chmod 4755 %s", folder,
           TEST_BINARY_DIR, program, program);
  assert_int_equal(system(command), 0);
  assert_int_equal(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) run_what_cannot_be_ended(program, ends[1]);
  close(ends[1]);
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_int_equal(WIFEXITED(how) ? WEXITSTATUS(how) : -1, 0);
  assert_int_equal(read(ends[0], words, sizeof words), sizeof words);
  close(ends[0]);
  assert_int_equal(kill((pid_t)atol(words), SIGKILL), 0); /* the process that was named is there */
  unlink(program);
  rmdir(folder);
}

/* -- The process that it is called from -- */

static void a_program_has_no_descriptor_of_ours(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_for("files", 1, false, 20);
  fcps_external *first = NULL, *second = NULL, *holding = NULL;
  fcps_result answer;
  const int inherited = dup(0), hold = dup(0); /* not closed on exec */
  assert_ok(fcps_external_create(&first, file, NULL, NULL));
  assert_ok(fcps_external_create(&second, file, NULL, NULL));
  assert_ok(fcps_external_create(&holding, file, &(fcps_external_options){.program = {hold, -1, 0}}, NULL));
  assert_ok(run(first, 1, &target, &answer, NULL));
  assert_near(answer.rollout.outcome[0], 3, 0);
  assert_ok(run(second, 1, &target, &answer, NULL));
  assert_near(answer.rollout.outcome[0], 3, 0);
  assert_ok(run(holding, 1, &target, &answer, NULL));
  assert_near(answer.rollout.outcome[0], 4, 0);
  fcps_external_destroy(first);
  fcps_external_destroy(second);
  fcps_external_destroy(holding);
  fcps_problem_file_destroy(file);
  close(inherited);
  close(hold);
}

/* in a child: what the process has set for itself does not reach the program */
static void run_in(void (*prepare)(void), const char *how, const char *words)
{
  const pid_t child = fork();
  if (child == 0) {
    fcps_problem_file *file = problem_for(how, 2, false, 20);
    fcps_external *x = NULL;
    fcps_result answer;
    prepare();
    if (fcps_external_create(&x, file, NULL, NULL) != FCPS_OK) _exit(1);
    const double start = fcps_clock_seconds();
    if (run(x, 1, &target, &answer, NULL) != FCPS_OK || answer.rollout.status != FCPS_ROLLOUT_OK) _exit(2);
    if (run(x, 2, &target, &answer, NULL) != FCPS_OK || strstr(answer.message, words) == NULL) _exit(3);
    fcps_external_destroy(x);
    fcps_problem_file_destroy(file);
    _exit(fcps_clock_seconds() - start < 10 ? 0 : 4);
  }
  int how_ended = 0;
  assert_int_equal(waitpid(child, &how_ended, 0), child);
  assert_int_equal(WIFEXITED(how_ended) ? WEXITSTATUS(how_ended) : -1, 0);
}

static void close_streams(void)
{
  for (int file = 0; file < 3; file++)
    close(file);
}

static void ignore_children(void)
{
  signal(SIGCHLD, SIG_IGN);
}

static void hold_signals_back(void)
{
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, NULL);
}

static void what_a_process_set_for_itself_does_not_matter(void **state)
{
  (void)state;
  run_in(close_streams, "exit-3", "exit code 3); last output: cannot open the arm");
  run_in(ignore_children, "exit-3", "exit code 3");
  run_in(ignore_children, "segv", "signal 11");
  run_in(hold_signals_back, "segv", "signal 11");
}

/* -- Answers -- */

static void an_answer_before_its_question_is_no_answer(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_for("early", 1, false, 20);
  fcps_external *x = NULL;
  fcps_result answer;
  fcps_error error = {0};
  assert_ok(fcps_external_create(&x, file, NULL, NULL));
  assert_ok(run(x, 1, &target, &answer, NULL));
  assert_near(answer.rollout.outcome[0], 2.5, 0);
  assert_status(run(x, 2, &target, &answer, &error), FCPS_ERR_PROGRAM);
  assert_non_null(
      strstr(error.message, "the program answered ask 2 before it was asked; received: {\"ask\": 2, \"outcome\": "));
  fcps_external_destroy(x);
  fcps_problem_file_destroy(file);
}

static void a_program_that_speaks_first_is_refused(void **state)
{
  (void)state;
  static const char *const ways[] = {"unasked-slow", "unasked-fast"};
  for (int i = 0; i < 2; i++) {
    fcps_problem_file *file = problem_for(ways[i], 1, false, 20);
    fcps_external *x = NULL;
    fcps_result answer;
    fcps_error error = {0};
    assert_ok(fcps_external_create(&x, file, NULL, NULL));
    fcps_status status = run(x, 1, &target, &answer, &error);
    /* one that reads its first question before we have read its words is found by its second answer */
    if (i == 1 && status == FCPS_OK) {
      sleep_briefly();
      status = run(x, 2, &target, &answer, &error);
      assert_non_null(strstr(error.message, "answered ask 1 twice, and the second answer differs"));
    } else {
      assert_non_null(strstr(error.message, "answered ask 1 before it was asked"));
    }
    assert_int_equal(status, FCPS_ERR_PROGRAM);
    fcps_external_destroy(x);
    fcps_problem_file_destroy(file);
  }
}

static void repetitions_without_end_run_out_of_time(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_for("again-and-again", 1, false, 0.7);
  fcps_external *x = NULL;
  fcps_result answer;
  assert_ok(fcps_external_create(&x, file, NULL, NULL));
  assert_ok(run(x, 1, &target, &answer, NULL));
  assert_int_equal(answer.rollout.status, FCPS_ROLLOUT_OK);
  const double start = fcps_clock_seconds();
  assert_ok(run(x, 2, &target, &answer, NULL));
  assert_int_equal(answer.rollout.status, FCPS_ROLLOUT_TIMEOUT);
  assert_true(fcps_clock_seconds() - start < 0.7 + most_s);
  fcps_external_destroy(x);
  fcps_problem_file_destroy(file);
}

static void chatter_repetitions_absence_and_nan_texts_are_understood(void **state)
{
  (void)state;
  static const char *const ways[] = {"chatty", "twice", "absent", "nan-text", "failed-null", "failed-false"};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    fcps_problem_file *file = problem_for(ways[i], 1, false, 20);
    fcps_external *x = NULL;
    fcps_result answer;
    assert_ok(fcps_external_create(&x, file, NULL, NULL));
    for (int64_t ask = 1; ask <= 3; ask++) {
      assert_ok(run(x, ask, &target, &answer, NULL));
      if (answer.rollout.status != FCPS_ROLLOUT_OK) fail_msg("%s: %s", ways[i], answer.message);
      if (i < 2) assert_near(answer.rollout.outcome[0], 2.5, 0);
      if (i == 2) assert_null(answer.rollout.outcome);
      if (i == 3) assert_true(isnan(answer.rollout.outcome[0]));
    }
    fcps_external_destroy(x);
    fcps_problem_file_destroy(file);
  }
}

static void what_was_executed_can_be_said_also_of_a_failure(void **state)
{
  (void)state;
  static const char *const ways[] = {"executed", "executed-failed", "executed-nan", "good"};
  for (int i = 0; i < 4; i++) {
    fcps_problem_file *file = problem_for(ways[i], 1, false, 20);
    fcps_external *x = NULL;
    fcps_result answer;
    assert_ok(fcps_external_create(&x, file, NULL, NULL));
    assert_status(run(x, 1, &target, &answer, NULL), i == 2 ? FCPS_ERR_PROGRAM : FCPS_OK); /* its first answer */
    assert_int_equal(answer.rollout.parameters != NULL, i < 2);
    if (i < 2) assert_near(answer.rollout.parameters[0], 0.75, 0);
    assert_int_equal(answer.rollout.status == FCPS_ROLLOUT_OK, i == 0 || i == 3);
    fcps_external_destroy(x);
    fcps_problem_file_destroy(file);
  }
}

static void note_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  char *notes = user;
  assert_int_equal(level, FCPS_LOG_WARNING);
  assert_string_equal(code, "W_ANSWER_KEY");
  snprintf(notes + strlen(notes), 1000 - strlen(notes), "%s\n", message);
}

static void keys_that_are_not_used_are_named_once(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_for("more-keys", 1, false, 20);
  fcps_external *x = NULL;
  fcps_result answer;
  char notes[1000] = "";
  assert_ok(fcps_external_create(&x, file,
                                 &(fcps_external_options){.program = {-1, -1, 0}, .log = {note_warning, notes}}, NULL));
  for (int64_t ask = 1; ask <= 3; ask++) {
    assert_ok(run(x, ask, &target, &answer, NULL));
    assert_int_equal(answer.rollout.status, FCPS_ROLLOUT_OK);
  }
  assert_string_equal(notes,
                      "the answer's \"reward\" is not used: the reward of this problem is a formula, which scores "
                      "the outcome.\n"
                      "the answer's \"parameters\" is not used: what was executed goes under \"executed\".\n"
                      "the answer's \"foo\" is not used: no key of an answer has this name.\n");
  fcps_external_destroy(x);
  fcps_problem_file_destroy(file);
}

static void count_stray(void *user, fcps_log_level level, const char *code, const char *message)
{
  int *count = user;
  assert_int_equal(level, FCPS_LOG_WARNING);
  assert_string_equal(code, "W_ANSWER_OF_ANOTHER");
  assert_non_null(strstr(message, "answered ask 3, which was given to another program"));
  ++*count;
}

/* With several programs, numbers between one's own are those of others. */
static void an_answer_to_another_programs_ask_is_said_and_not_used(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_for("of-another", 1, false, 20);
  fcps_external *x = NULL;
  fcps_result answer;
  int warnings = 0;
  assert_ok(fcps_external_create(
      &x, file, &(fcps_external_options){.program = {-1, -1, 0}, .log = {count_stray, &warnings}}, NULL));
  for (int64_t ask = 2; ask <= 6; ask += 2) {
    assert_ok(run(x, ask, &target, &answer, NULL));
    assert_int_equal(answer.rollout.status, FCPS_ROLLOUT_OK);
    assert_near(answer.rollout.outcome[0], 2.5, 0);
  }
  assert_int_equal(warnings, 1);
  fcps_external_destroy(x);
  fcps_problem_file_destroy(file);
}

static void names_that_are_not_used_are_named_too(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_for("other-names", 1, false, 20);
  fcps_external *x = NULL;
  fcps_result answer;
  char notes[1000] = "";
  assert_ok(fcps_external_create(&x, file,
                                 &(fcps_external_options){.program = {-1, -1, 0}, .log = {note_warning, notes}}, NULL));
  assert_ok(run(x, 1, &target, &answer, NULL));
  assert_int_equal(answer.rollout.status, FCPS_ROLLOUT_OK);
  assert_string_equal(notes, "the answer's \"outcome.fell\" is not used: the problem has no such name there.\n"
                             "the answer's \"executed.sped\" is not used: the problem has no such name there.\n");
  fcps_external_destroy(x);
  fcps_problem_file_destroy(file);
}

/* The first rollout is refused, with these words. */
static void expect_broken(fcps_problem_file *file, const char *words)
{
  fcps_external *x = NULL;
  fcps_result answer;
  fcps_error error = {0};
  assert_ok(fcps_external_create(&x, file, NULL, NULL));
  for (int64_t ask = 1; ask <= 2; ask++) {
    assert_status(run(x, ask, &target, &answer, &error), FCPS_ERR_PROGRAM);
    if (strstr(error.message, words) == NULL) fail_msg("no \"%s\" in: %s", words, error.message);
    if (error.message[strlen(error.message) - 1] != '.') fail_msg("cut off: %s", error.message);
  }
  fcps_external_destroy(x);
  fcps_problem_file_destroy(file);
}

static void a_program_that_cannot_be_started_is_named_and_no_rollout(void **state)
{
  (void)state;
  static const struct {
    const char *command, *words;
  } programs[] = {
      {"./no-such-program", "no-such-program: the program, or the interpreter in its first line, does not exist"},
      {TEST_SOURCE_DIR "/tests", "/tests: it is not executable"}};
  for (int i = 0; i < 2; i++) {
    char yaml[600];
    fcps_problem_file *file = NULL;
    snprintf(yaml, sizeof yaml,
             "target: {x: [0, 1]}\nparameters: {speed: [0, 2]}\noutcome: [land]\nreward: land\n"
             "run: {command: [%s], timeout_s: 5}\n",
             programs[i].command);
    assert_ok(fcps_problem_file_parse(&file, yaml, strlen(yaml), "/tmp/t.yaml", NULL, NULL));
    expect_broken(file, programs[i].words);
  }
}

static void a_program_that_never_answered_is_broken_not_its_trials(void **state)
{
  (void)state;
  static const char *const ways[][2] = {
      {"exit-0", "exit code 0"},  {"exit-3", "cannot open the arm"}, {"segv", "signal 11"},
      {"half-line", "outco"},     {"not-json", "not JSON"},          {"flood", "mebibyte"},
      {"no-id", "needs \"ask\""}, {"missing-name", "\"land\""},      {"executed-nan", "executed.speed"}};
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    for (int once = 0; once < 2; once++)
      expect_broken(problem_for(ways[i][0], 1, once, 20), ways[i][1]);
}

static void the_program_can_say_the_context(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_for("contexts", 1, false, 20);
  fcps_external *x = NULL;
  fcps_result answer;
  fcps_error error = {0};
  double seen = 0;
  assert_ok(fcps_external_create(&x, file, NULL, NULL));
  assert_ok(fcps_external_context(x, 3, &seen, NULL, &error));
  assert_near(seen, 0.3, 0);
  assert_ok(run(x, 1, &seen, &answer, NULL));
  assert_int_equal(answer.rollout.status, FCPS_ROLLOUT_OK);
  fcps_external_destroy(x);
  fcps_problem_file_destroy(file);
}

static bool stop_soon(void *user)
{
  return ++*(int *)user > 3;
}

static void waiting_can_be_stopped(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_for("sleep", 1, false, 60);
  fcps_external *x = NULL;
  fcps_result answer;
  int polls = 0;
  assert_ok(fcps_external_create(
      &x, file, &(fcps_external_options){.program = {-1, -1, 0}, .stop = stop_soon, .user = &polls}, NULL));
  const double start = fcps_clock_seconds();
  assert_status(run(x, 1, &target, &answer, NULL), FCPS_ERR_STOPPED);
  assert_true(fcps_clock_seconds() - start < 10.0);
  fcps_external_destroy(x);
  fcps_problem_file_destroy(file);
}

/* A finished trial is not done again: an answer that the program gives while it ends counts. */
static void an_answer_in_the_last_moment_counts(void **state)
{
  (void)state;
  fcps_problem_file *file = problem_for("last-word", 1, false, 60);
  fcps_external *x = NULL;
  fcps_result answer;
  int polls = 0;
  assert_ok(fcps_external_create(
      &x, file, &(fcps_external_options){.program = {-1, -1, 0}, .stop = stop_soon, .user = &polls}, NULL));
  assert_ok(run(x, 1, &target, &answer, NULL));
  assert_int_equal(answer.rollout.status, FCPS_ROLLOUT_OK);
  assert_near(answer.rollout.outcome[0], 2.5, 0);
  fcps_external_destroy(x);
  fcps_problem_file_destroy(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_long_lived_program_serves_many_rollouts),
      cmocka_unit_test(one_process_a_rollout_works_too),
      cmocka_unit_test(every_misbehaviour_has_its_status_and_its_reason),
      cmocka_unit_test(a_crowd_of_misbehaving_programs_leaves_nothing_behind),
      cmocka_unit_test(what_left_its_group_or_session_ends_with_the_program),
      cmocka_unit_test(a_daemon_of_a_program_that_answered_ends_with_it),
      cmocka_unit_test(orphans_that_have_ended_do_not_pile_up),
      cmocka_unit_test(what_cannot_be_ended_is_named_and_no_second_one_starts),
      cmocka_unit_test(a_program_has_no_descriptor_of_ours),
      cmocka_unit_test(what_a_process_set_for_itself_does_not_matter),
      cmocka_unit_test(an_answer_before_its_question_is_no_answer),
      cmocka_unit_test(a_program_that_speaks_first_is_refused),
      cmocka_unit_test(repetitions_without_end_run_out_of_time),
      cmocka_unit_test(chatter_repetitions_absence_and_nan_texts_are_understood),
      cmocka_unit_test(an_answer_to_another_programs_ask_is_said_and_not_used),
      cmocka_unit_test(what_was_executed_can_be_said_also_of_a_failure),
      cmocka_unit_test(keys_that_are_not_used_are_named_once),
      cmocka_unit_test(names_that_are_not_used_are_named_too),
      cmocka_unit_test(a_program_that_cannot_be_started_is_named_and_no_rollout),
      cmocka_unit_test(a_program_that_never_answered_is_broken_not_its_trials),
      cmocka_unit_test(the_program_can_say_the_context),
      cmocka_unit_test(waiting_can_be_stopped),
      cmocka_unit_test(an_answer_in_the_last_moment_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
