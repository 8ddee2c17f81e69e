/* SPDX-License-Identifier: Apache-2.0 */
/* A run may end in any way: hung up, asked to end, killed, without its guardian. Its program and all processes that the
 * program started end with it, and the next run begins only after they have ended. The programs
 * (tests/run/program/misbehave.c) write to a file which of them was moving at what time. */
#define _XOPEN_SOURCE 700 /* terminals */
#include "cli/program.h"

#define MISBEHAVE TEST_BINARY_DIR "/tests/misbehave"

enum { WAIT_MS = 20000, STEP_MS = 10 };

static void rest(void)
{
  nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
}

/* -- The trace -- */

/* The moves of one kind: how often, and the times of the first and last. */
typedef struct movement {
  int count;
  double first, last;
} movement;

static movement movement_of(const test_folder *folder, const char *how, bool is_other)
{
  movement found = {0};
  char *text = file_text(folder_file(folder, "trace"));
  for (char *line = text != NULL ? strtok(text, "\n") : NULL; line != NULL; line = strtok(NULL, "\n")) {
    long process;
    double time;
    char name[32];
    if (sscanf(line, "%ld %lf %31s", &process, &time, name) != 3 || (strcmp(name, how) != 0) != is_other) continue;
    if (found.count++ == 0) found.first = time;
    found.last = time;
  }
  free(text);
  return found;
}

static void await_movement(const test_folder *folder, const char *how)
{
  for (int ms = 0; movement_of(folder, how, false).count < 3; ms += STEP_MS) {
    if (ms > WAIT_MS) fail_msg("%s does not begin to move: %s", how, file_text(folder_file(folder, "stderr")));
    rest();
  }
}

/* -- Runs -- */

static void write_problem(const test_folder *folder, const char *name, const char *how)
{
  char yaml[700];
  snprintf(yaml, sizeof yaml,
           "target: {x: [0, 1]}\nparameters: {speed: [0, 2]}\noutcome: [land]\nreward: -abs(x-land)\n"
           "run: {command: [env, MISBEHAVE_TRACE=%s, %s, %s, \"1\"], timeout_s: 60}\n",
           folder_file(folder, "trace"), MISBEHAVE, how);
  file_write(folder_file(folder, name), yaml);
}

static pid_t start_run(const test_folder *folder, const char *problem, const char *episodes)
{
  const char *const arguments[] = {"run",        folder_file(folder, problem),
                                   "--episodes", episodes,
                                   "--store",    folder_file(folder, "s.fcps"),
                                   "--learner",  "random",
                                   "--quiet",    NULL};
  return program_start(folder, arguments, false);
}

/* how a process ended; fails if it takes too long */
static int await_end(pid_t process)
{
  int how = 0;
  for (int ms = 0; waitpid(process, &how, WNOHANG) == 0; ms += STEP_MS) {
    if (ms > WAIT_MS) fail_msg("process %ld does not end", (long)process);
    rest();
  }
  return how;
}

/* the same study again, with a program that moves once: it must wait until nothing else moves */
static void expect_next_run(const test_folder *folder)
{
  write_problem(folder, "next.yaml", "touch");
  program_result next = program_wait(folder, start_run(folder, "next.yaml", "1"));
  if (next.code != 0) fail_msg("the next run: exit code %d: %s", next.code, next.err);
  program_free(&next);
  const movement next_one = movement_of(folder, "touch", false);
  assert_true(next_one.count > 0);
  for (int i = 0; i < 20; i++)
    rest();
  const movement before = movement_of(folder, "touch", true);
  if (before.last >= next_one.first) fail_msg("two moved at once, for %g s", before.last - next_one.first);
  char *lock = file_text(folder_file(folder, "s.fcps-lock"));
  assert_null(lock);
}

/* -- The ends -- */

typedef struct ending {
  const char *how; /* the program */
  int signal_number;
  test_folder folder;
  pid_t run;
} ending;

/* All at the same time: each takes seconds, without computing. */
static void however_a_run_ends_its_program_ends_before_the_next_begins(void **state)
{
  (void)state;
  static const struct {
    const char *how;
    int signal_number;
  } ways[] = {{"move", SIGHUP},         {"move", SIGTERM},       {"move", SIGINT},     {"move", SIGKILL},
              {"daemon", SIGHUP},       {"daemon", SIGKILL},     {"stubborn", SIGHUP}, {"stubborn", SIGKILL},
              {"leave-group", SIGTERM}, {"leave-group", SIGKILL}};
  enum { COUNT = sizeof ways / sizeof *ways };
  ending endings[COUNT];
  for (int i = 0; i < COUNT; i++) {
    ending *e = &endings[i];
    *e = (ending){.how = ways[i].how, .signal_number = ways[i].signal_number, .folder = folder_create()};
    write_problem(&e->folder, "p.yaml", e->how);
    e->run = start_run(&e->folder, "p.yaml", "1");
  }
  for (int i = 0; i < COUNT; i++)
    await_movement(&endings[i].folder, endings[i].how);
  for (int i = 0; i < COUNT; i++) {
    assert_int_equal(kill(endings[i].run, endings[i].signal_number), 0);
    if (endings[i].signal_number == SIGHUP) kill(endings[i].run, SIGHUP); /* a terminal may hang up twice */
  }
  for (int i = 0; i < COUNT; i++) {
    ending *e = &endings[i];
    const int how = await_end(e->run);
    if (e->signal_number == SIGKILL)
      assert_true(WIFSIGNALED(how));
    else if (!WIFEXITED(how) || WEXITSTATUS(how) != 130)
      fail_msg("%s, signal %d: %s", e->how, e->signal_number, file_text(folder_file(&e->folder, "stderr")));
    expect_next_run(&e->folder);
    folder_remove(&e->folder);
  }
}

/* the kernel hangs up, and the output of the run is lost from then on */
static void a_terminal_that_goes_away_ends_the_run_in_order(void **state)
{
  (void)state;
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0 || access(ptsname(terminal), R_OK | W_OK) != 0)
    skip_because("there is no pseudo-terminal (mount devpts at /dev/pts)");
  const test_folder folder = folder_create();
  write_problem(&folder, "p.yaml", "move");
  const char *name = ptsname(terminal);
  const pid_t run = fork();
  if (run == 0) {
    setsid(); /* the first terminal that the leader of a session opens becomes the session's */
    const int side = open(name, O_RDWR);
    for (int file = 0; file < 3; file++)
      dup2(side, file);
    close(terminal);
    execl(TEST_BINARY_DIR "/fcps", "fcps", "run", folder_file(&folder, "p.yaml"), "--episodes", "3", "--learner",
          "random", "--store", folder_file(&folder, "s.fcps"), (char *)NULL);
    _exit(1);
  }
  await_movement(&folder, "move");
  close(terminal);
  const int how = await_end(run);
  assert_true(WIFEXITED(how));
  assert_int_equal(WEXITSTATUS(how), 130);
  expect_next_run(&folder);
  folder_remove(&folder);
}

static void nohup_is_respected(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "p.yaml", "a-second");
  signal(SIGHUP, SIG_IGN);
  const pid_t run = start_run(&folder, "p.yaml", "1");
  signal(SIGHUP, SIG_DFL);
  await_movement(&folder, "a-second");
  kill(run, SIGHUP);
  const int how = await_end(run);
  assert_true(WIFEXITED(how) && WEXITSTATUS(how) == 0);
  folder_remove(&folder);
}

/* nobody has asked for the end of the killed run: a process of it is still listed */
static void a_run_that_nobody_has_waited_for_counts_as_gone(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "p.yaml", "stubborn");
  const pid_t run = start_run(&folder, "p.yaml", "1");
  await_movement(&folder, "stubborn");
  kill(run, SIGKILL);
  for (int i = 0; i < 5; i++)
    rest();
  expect_next_run(&folder);
  await_end(run);
  folder_remove(&folder);
}

/* the children of a process, as the kernel lists them: the first; 0: none */
static pid_t first_child(pid_t process)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)process, (long)process);
  FILE *file = fopen(path, "r");
  long child = 0;
  if (file == NULL) return 0;
  if (fscanf(file, "%ld", &child) != 1) child = 0;
  fclose(file);
  return (pid_t)child;
}

/* Killed from outside, the guardian takes the program with it; what else there is, nobody knows. */
static void without_its_guardian_a_run_ends(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "p.yaml", "move");
  const pid_t run = start_run(&folder, "p.yaml", "3");
  await_movement(&folder, "move");
  const pid_t guardian = first_child(run);
  if (guardian == 0) skip_because("the kernel lists no children of a process (CONFIG_PROC_CHILDREN)");
  assert_int_equal(kill(guardian, SIGKILL), 0);
  assert_refused(program_wait(&folder, run), 6, "its guardian");
  expect_next_run(&folder);
  folder_remove(&folder);
}

/* Both are killed, and a process of the program, which has the lock, lives on: it is named, and nothing moves beside
 * it. */
static void a_run_is_refused_while_something_of_the_last_one_moves(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  write_problem(&folder, "p.yaml", "child");
  const pid_t run = start_run(&folder, "p.yaml", "1");
  await_movement(&folder, "child");
  const pid_t guardian = first_child(run);
  if (guardian == 0) skip_because("the kernel lists no children of a process (CONFIG_PROC_CHILDREN)");
  kill(guardian, SIGSTOP); /* so that it does nothing before it dies */
  kill(run, SIGKILL);
  kill(guardian, SIGKILL);
  await_end(run);
  write_problem(&folder, "next.yaml", "touch");
  char *trace = file_text(folder_file(&folder, "trace")), words[80];
  const long process = strtol(trace, NULL, 10);
  free(trace);
  snprintf(words, sizeof words, "a program that it started still runs: process %ld (misbehave). End that", process);
  assert_refused(program_wait(&folder, start_run(&folder, "next.yaml", "1")), 5, words);
  assert_int_equal(movement_of(&folder, "touch", false).count, 0);
  kill((pid_t)process, SIGKILL);
  expect_next_run(&folder);
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(however_a_run_ends_its_program_ends_before_the_next_begins),
      cmocka_unit_test(a_terminal_that_goes_away_ends_the_run_in_order),
      cmocka_unit_test(nohup_is_respected),
      cmocka_unit_test(a_run_that_nobody_has_waited_for_counts_as_gone),
      cmocka_unit_test(without_its_guardian_a_run_ends),
      cmocka_unit_test(a_run_is_refused_while_something_of_the_last_one_moves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
