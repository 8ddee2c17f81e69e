/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study tell` and `fcps run` while another process reads their study for a long time: they keep the result, say
 * where, and wait. After Ctrl-C the result stays on disk, and the next command stores it, so no trial is done twice. */
#include "program.h"

#include "store/store.h"

static const char throw_yaml[] = "target: {x: [0, 5]}\n"
                                 "parameters: {speed: [0, 3]}\n"
                                 "outcome: [land]\n"
                                 "reward: -abs(x - land)\n"
                                 "learner: {name: random}\n"
                                 "run: {command: [sh, throw.sh], timeout_s: 60, mode: once}\n";

/* counts its trials in the file `trials`, and begins when the file `go` is there */
static const char throw_sh[] = "read line\necho >>trials\nuntil [ -e go ]; do sleep 0.05; done\n"
                               "echo '{\"ask\": 1, \"outcome\": {\"land\": 2.5}}'\n";

/* A command on a study of its own, and a process that reads that study. */
typedef struct scene {
  test_folder folder;
  char path[512], kept[512];
  fcps_store *reader;
  pid_t child;
} scene;

static void write_file(const test_folder *folder, const char *name, const char *text)
{
  FILE *file = fopen(folder_file(folder, name), "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void expect_exit(scene *s, program_result result, int code, const char *words)
{
  if (result.code != code || (strstr(result.err, words) == NULL && strstr(result.out, words) == NULL))
    fail_msg("%s: exit code %d, expected %d with \"%s\" in: %s%s", s->path, result.code, code, words, result.out,
             result.err);
  program_free(&result);
}

static void open_scene(scene *s)
{
  *s = (scene){.folder = folder_create()};
  snprintf(s->path, sizeof s->path, "%s", folder_file(&s->folder, "throw.fcps"));
  snprintf(s->kept, sizeof s->kept, "%s", folder_file(&s->folder, "throw.fcps-kept-1.json"));
  write_file(&s->folder, "throw.yaml", throw_yaml);
  write_file(&s->folder, "throw.sh", throw_sh);
  char yaml[512];
  snprintf(yaml, sizeof yaml, "%s", folder_file(&s->folder, "throw.yaml"));
  expect_exit(s, program(&s->folder, "study", "new", s->path, "--problem", yaml), 0, "");
}

static void begin_reading(scene *s)
{
  char *text = NULL;
  assert_ok(fcps_store_open(&s->reader, s->path, (fcps_store_options){.wait_ms = 5000}, NULL));
  assert_ok(fcps_store_begin(s->reader, false, NULL));
  assert_ok(fcps_store_get(s->reader, "seed", &text, NULL));
  free(text);
}

static void end_reading(scene *s)
{
  fcps_store_close(s->reader);
  s->reader = NULL;
}

static void close_scene(scene *s)
{
  folder_remove(&s->folder);
}

static void start_tell(scene *s)
{
  open_scene(s);
  expect_exit(s, program(&s->folder, "study", "ask", s->path, "--target", "x=3", "--client", "robot"), 0, "ask 1");
  begin_reading(s);
  const char *const tell[] = {"study", "tell", s->path, "1", "--outcome", "land=2.5", NULL};
  s->child = program_start(&s->folder, tell, false);
}

static void await_file(const char *path)
{
  for (int i = 0; i < 1200 && access(path, F_OK) != 0; i++)
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  if (access(path, F_OK) != 0) fail_msg("%s is not there", path);
}

static const char *run_yaml(const scene *s, char *yaml)
{
  snprintf(yaml, 512, "%s", folder_file(&s->folder, "throw.yaml"));
  return yaml;
}

static void start_run(scene *s)
{
  char yaml[512], trials[512];
  open_scene(s);
  const char *const run[] = {"run", run_yaml(s, yaml), "--store", s->path, "--episodes", "1", NULL};
  s->child = program_start(&s->folder, run, false);
  snprintf(trials, sizeof trials, "%s", folder_file(&s->folder, "trials"));
  await_file(trials);
  begin_reading(s);
  write_file(&s->folder, "go", "");
}

static void a_result_is_kept_until_the_reader_ends_and_over_ctrl_c(void **state)
{
  (void)state;
  scene patient, stopped, run;
  char yaml[512];
  start_tell(&patient);
  start_tell(&stopped);
  start_run(&run);
  await_file(patient.kept);
  await_file(stopped.kept);
  await_file(run.kept);

  end_reading(&patient);
  kill(stopped.child, SIGINT);
  kill(run.child, SIGTERM);
  program_result result = program_wait(&patient.folder, patient.child);
  assert_words(result.err, "W_RESULT_WAITS: the result of ask 1 is kept in ");
  expect_exit(&patient, result, 0, "stored result of ask 1");
  assert_int_not_equal(access(patient.kept, F_OK), 0);

  expect_exit(&stopped, program_wait(&stopped.folder, stopped.child), 130, "throw.fcps-kept-1.json");
  expect_exit(&run, program_wait(&run.folder, run.child), 130, "to continue, give the same command again");
  end_reading(&stopped);
  end_reading(&run);

  /* a command that reads sees the result, and a command that asks does not do the trial again */
  expect_exit(&stopped, program(&stopped.folder, "study", "status", stopped.path), 0, "1 result is kept beside");
  expect_exit(&stopped, program(&stopped.folder, "study", "status", stopped.path, "--json"), 0, "\"kept_results\":1");
  expect_exit(&stopped, program(&stopped.folder, "study", "tell", stopped.path, "--kept", "--outcome", "land=1"), 2,
              "--kept");
  expect_exit(&stopped, program(&stopped.folder, "study", "ask", stopped.path, "--target", "x=3", "--client", "robot"),
              0, "ask 2");
  assert_int_not_equal(access(stopped.kept, F_OK), 0);
  expect_exit(&stopped, program(&stopped.folder, "study", "tell", stopped.path, "--kept"), 0, "stored 0 kept results");

  expect_exit(&run, program(&run.folder, "run", run_yaml(&run, yaml), "--store", run.path, "--episodes", "1"), 0,
              "W_KEPT_STORED");
  expect_exit(&run, program(&run.folder, "study", "log", run.path, "--json"), 0, "\"land\":2.5");
  char *trials = file_text(folder_file(&run.folder, "trials"));
  assert_string_equal(trials, "\n");
  free(trials);
  close_scene(&patient);
  close_scene(&stopped);
  close_scene(&run);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_result_is_kept_until_the_reader_ends_and_over_ctrl_c),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
