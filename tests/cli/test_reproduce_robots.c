/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps reproduce` with a robot: rollouts are kept, and results do not depend on whether one was simulated or read from
 * the cache. Skipped, with a message, if the robot module is not built. */
#include "cli/program.h"

#include "robots.h"

static const char *const experiment_text = "name: small\n"
                                           "title: A robot\n"
                                           "task: {name: thrower, settings: {contexts: 3}}\n"
                                           "episodes: 15\n"
                                           "evaluate: 5\n"
                                           "seeds: 1-2\n"
                                           "learners:\n"
                                           "  - {label: random, learner: random}\n"
                                           "  - {label: outcome, learner: outcome}\n";

static const char *const drawn_text =
    "figures:\n"
    "  - {kind: curves, name: offline, title: Curves, measure: offline, rows: [random, outcome]}\n"
    "lines:\n"
    "  - {title: no throw, value: -1.25, made_by: fcps oracle thrower}\n"
    "panel:\n"
    "  figure: both\n"
    "  title: A throw\n"
    "  picture:\n"
    "    target: {x: 0.4, y: 0.8}\n"
    "    parameters: {hand_x: 0, hand_y: 1.25, hand_z: 0, speed_x: 0.5, speed_y: 0.5, speed_z: 0.5}\n"
    "    time: 0.5\n";

static char experiment_path[512];

static test_folder folder_with_experiment(bool is_drawn)
{
  const test_folder folder = folder_create();
  char text[2048];
  snprintf(experiment_path, sizeof experiment_path, "%s", folder_file(&folder, "small.yaml"));
  snprintf(text, sizeof text, "%s%s", experiment_text, is_drawn ? drawn_text : "");
  file_write(experiment_path, text);
  return folder;
}

/* Runs the experiment to its end, with one more option or none. */
static void reproduce(const test_folder *folder, const char *out, const char *option)
{
  program_result result = program(folder, "reproduce", experiment_path, "--out", folder_file(folder, out), "--jobs",
                                  "2", option ? option : "--quiet");
  if (result.code != 0) fail_msg("exit code %d: %s", result.code, result.err);
  program_free(&result);
}

/* Does all runs again, from the cache. */
static void reproduce_again(const test_folder *folder, const char *out)
{
  char name[64];
  snprintf(name, sizeof name, "%s/small", out);
  remove_tree(folder_file(folder, name));
  reproduce(folder, out, NULL);
}

static void assert_same_results(const test_folder *folder, const char *a, const char *b)
{
  static const char *const tables[] = {"results.csv", "curves.csv", "map.csv", "summary.json"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    char name_a[64], name_b[64];
    snprintf(name_a, sizeof name_a, "%s/small/%s", a, tables[i]);
    snprintf(name_b, sizeof name_b, "%s/small/%s", b, tables[i]);
    assert_same_file(folder_file(folder, name_a), folder_file(folder, name_b));
  }
}

/* The one file of the cache in OUT. */
static const char *cache_file(const test_folder *folder, const char *out)
{
  static char path[1024];
  char name[64];
  int count = 0;
  snprintf(name, sizeof name, "%s/cache", out);
  DIR *directory = opendir(folder_file(folder, name));
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%.500s/%.255s", folder_file(folder, name), entry->d_name);
    count++;
  }
  closedir(directory);
  assert_int_equal(count, 1);
  return path;
}

static off_t size_of(const char *path)
{
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  return about.st_size;
}

static void remembered_rollouts_give_the_bytes_of_simulated_ones(void **state)
{
  (void)state;
  need_robots();
  const test_folder folder = folder_with_experiment(false);
  reproduce(&folder, "simulated", "--no-cache");
  assert_int_equal(access(folder_file(&folder, "simulated/cache"), F_OK), -1);
  reproduce(&folder, "kept", NULL);
  assert_same_results(&folder, "simulated", "kept");

  const off_t kept = size_of(cache_file(&folder, "kept"));
  assert_true(kept >=
              4 * 15 * 9 * (off_t)sizeof(double)); /* every episode's rollout: 6 inputs, 2 outcomes, a checksum */
  reproduce_again(&folder, "kept");
  assert_same_results(&folder, "simulated", "kept");
  assert_int_equal(size_of(cache_file(&folder, "kept")), kept); /* nothing was simulated */
  folder_remove(&folder);
}

static void a_damaged_cache_changes_nothing_and_mends(void **state)
{
  (void)state;
  need_robots();
  const test_folder folder = folder_with_experiment(false);
  reproduce(&folder, "simulated", "--no-cache");
  reproduce(&folder, "kept", NULL);
  const off_t kept = size_of(cache_file(&folder, "kept"));

  FILE *file = fopen(cache_file(&folder, "kept"), "r+b");
  assert_non_null(file);
  for (long place = 50; place < kept / 2; place += 72 * 3) { /* a byte of every third record, also in outcomes */
    fseek(file, place, SEEK_SET);
    fputc('x', file);
  }
  fseek(file, 0, SEEK_END);
  fputs("half a record", file);
  fclose(file);

  reproduce_again(&folder, "kept");
  assert_same_results(&folder, "simulated", "kept");
  const off_t mended = size_of(cache_file(&folder, "kept"));
  assert_true(mended > kept && mended % 72 == 0);
  reproduce_again(&folder, "kept");
  assert_same_results(&folder, "simulated", "kept");
  assert_int_equal(size_of(cache_file(&folder, "kept")), mended);

  file_write(cache_file(&folder, "kept"), "not a cache at all");
  reproduce_again(&folder, "kept");
  assert_same_results(&folder, "simulated", "kept");
  folder_remove(&folder);
}

/* Two processes at a time append to the file when they are killed. */
static void killed_runs_leave_a_cache_that_can_be_used(void **state)
{
  (void)state;
  need_robots();
  const test_folder folder = folder_with_experiment(false);
  reproduce(&folder, "simulated", "--no-cache");
  char *out = strdup(folder_file(&folder, "kept"));
  for (int attempt = 1; attempt <= 3; attempt++) {
    const char *const line[] = {"reproduce", experiment_path, "--out", out, "--jobs", "2", "--quiet", NULL};
    const pid_t child = program_start(&folder, line, false);
    const struct timespec pause = {.tv_nsec = 200000000L * attempt};
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    program_result ended = program_wait(&folder, child);
    program_free(&ended);
  }
  free(out);
  reproduce(&folder, "kept", NULL);
  assert_same_results(&folder, "simulated", "kept");
  folder_remove(&folder);
}

/* Whether a file begins as PNG files do. */
static bool is_png(const char *path)
{
  char *text = file_text(path);
  const bool is = text != NULL && memcmp(text, "\x89PNG", 4) == 0;
  free(text);
  return is;
}

static void a_shared_figure_shows_the_task_and_the_lines(void **state)
{
  (void)state;
  need_robots();
  const test_folder folder = folder_with_experiment(true);
  program_result result =
      program(&folder, "reproduce", experiment_path, "--out", folder_file(&folder, "out"), "--quick", "--seeds", "1");
  assert_int_equal(result.code, 0);
  assert_non_null(strstr(result.out, "no throw"));
  assert_non_null(strstr(result.out, "-1.25\n"));
  char *page = file_text(folder_file(&folder, "out/report.html"));
  assert_non_null(strstr(page, "no throw<br><small><code>fcps oracle thrower</code>"));
  free(page);
  if (strstr(result.err, "W_NO_FIGURE") != NULL) {
    print_message("skipped: figures cannot be drawn here: %s\n", result.err);
  } else {
    assert_true(is_png(folder_file(&folder, "out/small/task.png")));
    assert_true(is_png(folder_file(&folder, "out/both.png")));
    char *drawing = file_text(folder_file(&folder, "out/both.svg"));
    assert_non_null(strstr(drawing, "A throw"));
    assert_non_null(strstr(drawing, "no throw"));
    assert_non_null(strstr(drawing, "<image"));
    free(drawing);
  }
  program_free(&result);
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(remembered_rollouts_give_the_bytes_of_simulated_ones),
      cmocka_unit_test(a_damaged_cache_changes_nothing_and_mends),
      cmocka_unit_test(killed_runs_leave_a_cache_that_can_be_used),
      cmocka_unit_test(a_shared_figure_shows_the_task_and_the_lines),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  return exit_code_with_robots(failed);
}
