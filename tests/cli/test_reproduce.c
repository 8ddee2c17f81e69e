/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps reproduce`: the same bytes after every kind of interruption, and messages for everything that cannot be done.
 */
#include "cli/program.h"

#include "format/csv.h"

#include <sys/resource.h>

/* Two learners, three seeds, long enough to be interrupted. */
static const char *const experiment_text =
    "name: small\n"
    "title: Two learners & <one> task\n"
    "caveat: \"Three < thirty seeds\"\n"
    "task: {name: cannon, settings: {grid: 5}}\n"
    "episodes: 60\n"
    "evaluate: 20\n"
    "seeds: 1-3\n"
    "contexts: {boxes: [{x: [-11, 0]}]}\n"
    "learners:\n"
    "  - {label: fcps, title: BO-FCPS, learner: bo-fcps, paper: {50: [-300, 30]}}\n"
    "  - {label: random, title: Random, learner: random, ours: true, note: \"a < b\"}\n"
    "claims:\n"
    "  - {claim: \"BO-FCPS & friends win\", kind: order, rows: [fcps, random], measure: cumulative, at: 60}\n"
    "  - {claim: It gets there, kind: reaches, rows: [fcps], measure: offline, at: 60, level: -5, note: Five is a "
    "lot.}\n"
    "  - {claim: It varies, kind: spread, rows: [fcps, random], measure: offline, at: 60, level: 1}\n"
    "  - {claim: It helps, kind: difference, rows: [fcps, random], measure: unseen, at: 60, paper: [3]}\n"
    "figures:\n"
    "  - {kind: curves, name: offline, title: Curves, measure: offline, rows: [fcps, random]}\n"
    "  - {kind: curves, name: online, title: Sums, measure: cumulative, rows: [fcps, random]}\n"
    "  - {kind: maps, name: maps, title: Maps, rows: [fcps, random]}\n";

static char experiment_path[512];

static test_folder folder_with_experiment(void)
{
  const test_folder folder = folder_create();
  snprintf(experiment_path, sizeof experiment_path, "%s", folder_file(&folder, "small.yaml"));
  file_write(experiment_path, experiment_text);
  return folder;
}

static void assert_done(program_result result)
{
  if (result.code != 0) fail_msg("exit code %d: %s", result.code, result.err);
  program_free(&result);
}

/* The tables of two folders are the same bytes. */
static void assert_same_tables(const test_folder *a, const char *out_a, const test_folder *b, const char *out_b)
{
  static const char *const tables[] = {"results.csv", "curves.csv", "map.csv", "claims.csv", "summary.json"};
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
    char name_a[128], name_b[128];
    snprintf(name_a, sizeof name_a, "%s/small/%s", out_a, tables[i]);
    snprintf(name_b, sizeof name_b, "%s/small/%s", out_b, tables[i]);
    assert_same_file(folder_file(a, name_a), folder_file(b, name_b));
  }
}

static int count_runs(const test_folder *folder, const char *out)
{
  char name[128];
  int count = 0;
  snprintf(name, sizeof name, "%s/small/runs", out);
  DIR *directory = opendir(folder_file(folder, name));
  for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;) {
    const char *end = strrchr(entry->d_name, '.');
    count += end != NULL && strcmp(end, ".json") == 0;
  }
  if (directory != NULL) closedir(directory);
  return count;
}

/* Waits until the experiment has so many finished runs; half a minute at most. */
static void wait_for_runs(const test_folder *folder, const char *out, int wanted)
{
  const struct timespec pause = {.tv_nsec = 5000000};
  for (int i = 0; i < 6000 && count_runs(folder, out) < wanted; i++)
    nanosleep(&pause, NULL);
  assert_true(count_runs(folder, out) >= wanted);
}

static void tables_do_not_depend_on_the_number_of_jobs(void **state)
{
  (void)state;
  const test_folder folder = folder_with_experiment();
  char *one = strdup(folder_file(&folder, "one")), *two = strdup(folder_file(&folder, "two"));
  program_result first = program(&folder, "reproduce", experiment_path, "--jobs", "1", "--out", one);
  assert_int_equal(first.code, 0);
  program_result second = program(&folder, "reproduce", experiment_path, "--jobs", "2", "--out", two);
  assert_int_equal(second.code, 0);
  assert_string_equal(first.out, second.out);
  assert_same_tables(&folder, "one", &folder, "two");
  assert_same_file(folder_file(&folder, "one/report.html"), folder_file(&folder, "two/report.html"));
  program_free(&first);
  program_free(&second);
  free(one);
  free(two);
  folder_remove(&folder);
}

static void a_killed_reproduction_goes_on_to_the_same_bytes(void **state)
{
  (void)state;
  const test_folder folder = folder_with_experiment();
  char *whole = strdup(folder_file(&folder, "whole")), *killed = strdup(folder_file(&folder, "killed"));
  assert_done(program(&folder, "reproduce", experiment_path, "--out", whole));

  const char *const line[] = {"reproduce", experiment_path, "--out", killed, "--jobs", "1", NULL};
  const pid_t child = program_start(&folder, line, false);
  wait_for_runs(&folder, "killed", 2);
  assert_int_equal(kill(child, SIGKILL), 0);
  program_result ended = program_wait(&folder, child);
  assert_int_equal(ended.code, -1);
  program_free(&ended);
  const int kept = count_runs(&folder, "killed");
  assert_in_range(kept, 2, 5);

  /* what was finished is not run again: its file keeps its time */
  struct stat before, after;
  char *run = strdup(folder_file(&folder, "killed/small/runs/fcps-seed1.json"));
  assert_int_equal(stat(run, &before), 0);
  assert_done(program(&folder, "reproduce", experiment_path, "--out", killed));
  assert_int_equal(stat(run, &after), 0);
  assert_int_equal(before.st_ino, after.st_ino);
  assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
  assert_same_tables(&folder, "whole", &folder, "killed");
  free(run);
  free(whole);
  free(killed);
  folder_remove(&folder);
}

static void an_interrupted_reproduction_says_how_to_go_on(void **state)
{
  (void)state;
  const test_folder folder = folder_with_experiment();
  char *out = strdup(folder_file(&folder, "out"));
  const char *const line[] = {"reproduce", experiment_path, "--out", out, "--jobs", "2", NULL};
  const pid_t child = program_start(&folder, line, false);
  wait_for_runs(&folder, "out", 1);
  assert_int_equal(kill(child, SIGINT), 0);
  assert_refused(program_wait(&folder, child), 130, "to continue, give the same command again");
  free(out);
  folder_remove(&folder);
}

static void a_changed_setting_is_run_again(void **state)
{
  (void)state;
  const test_folder folder = folder_with_experiment();
  char *out = strdup(folder_file(&folder, "out"));
  assert_done(program(&folder, "reproduce", experiment_path, "--quick", "--out", out));
  char *before = file_text(folder_file(&folder, "out/small/results.csv"));
  char *changed = strdup(experiment_text);
  char *place = strstr(changed, "learner: random");
  memcpy(place, "learner: bo-cps", strlen("learner: bo-cps"));
  file_write(experiment_path, changed);
  assert_done(program(&folder, "reproduce", experiment_path, "--quick", "--out", out));
  char *after = file_text(folder_file(&folder, "out/small/results.csv"));
  assert_string_not_equal(before, after);
  free(changed);
  free(before);
  free(after);
  free(out);
  folder_remove(&folder);
}

static void a_sweep_is_drawn_and_times_are_kept_apart(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  const char *path = strdup(folder_file(&folder, "small.yaml"));
  char *out = strdup(folder_file(&folder, "out"));
  file_write(path, "name: small\ntitle: A sweep\ntask: stage\nepisodes: 12\nevaluate: 12\nseeds: 1-2\n"
                   "sweep: {setting: targets, values: [0, 4], title: target dimensions}\n"
                   "learners:\n"
                   "  - {label: cps, title: BO-CPS, learner: bo-cps}\n"
                   "  - {label: fcps, title: BO-FCPS, learner: bo-fcps}\n"
                   "claims:\n"
                   "  - {claim: It grows, kind: trend, rows: [fcps, cps], measure: cumulative, at: 12}\n"
                   "figures:\n"
                   "  - {kind: sweep, name: gain, title: Gain, measure: cumulative, rows: [fcps], against: cps}\n");
  program_result result = program(&folder, "reproduce", path, "--out", out);
  if (result.code != 0) fail_msg("exit code %d: %s", result.code, result.err);
  assert_non_null(strstr(result.out, "BO-FCPS, targets 4"));
  assert_non_null(strstr(result.err, "ms per episode"));
  assert_null(strstr(result.out, "ms per episode"));
  program_free(&result);
  char *figure = file_text(folder_file(&folder, "out/small/gain.svg"));
  if (figure != NULL) assert_non_null(strstr(figure, "beyond that of BO-CPS")); /* where gnuplot is installed */
  fcps_csv times;
  fcps_error error = {0};
  assert_ok(fcps_csv_read_file(&times, folder_file(&folder, "out/small/times.csv"), &error));
  assert_int_equal(times.rows, 4);
  for (int i = 0; i < times.rows; i++) {
    double seconds;
    assert_ok(fcps_csv_number(&times, i, fcps_csv_column(&times, "seconds"), &seconds, &error));
    assert_true(seconds > 0 && seconds < 600);
  }
  fcps_csv_destroy(&times);
  /* a run without targets is the same for both learners; one with four is not */
  char *results = file_text(folder_file(&folder, "out/small/summary.json"));
  assert_non_null(strstr(results, "[0.0,0.0,0.0]"));
  free(results);
  free(figure);
  free(out);
  free((char *)path);
  folder_remove(&folder);
}

/* A text as HTML writes it. */
static void escape(const char *text, size_t size, char *escaped)
{
  size_t used = 0;
  for (; *text && used + 8 < size; text++) {
    const char *name = *text == '&'   ? "&amp;"
                       : *text == '<' ? "&lt;"
                       : *text == '>' ? "&gt;"
                       : *text == '"' ? "&quot;"
                                      : NULL;
    used += (size_t)(name != NULL ? snprintf(escaped + used, size - used, "%s", name)
                                  : snprintf(escaped + used, size - used, "%c", *text));
  }
}

static void the_report_has_every_claim_and_figure(void **state)
{
  (void)state;
  const test_folder folder = folder_with_experiment();
  char *out = strdup(folder_file(&folder, "out"));
  assert_done(program(&folder, "reproduce", experiment_path, "--quick", "--out", out));
  char *page = file_text(folder_file(&folder, "out/report.html"));
  assert_non_null(page);
  assert_non_null(strstr(page, "Made by <code>fcps reproduce small --quick</code>"));
  char *footer = strstr(page, "<footer>fcps ");
  assert_non_null(footer);
  assert_non_null(strstr(footer, " 20")); /* the day: 16 November 2026 */
  const char *caveat = strstr(page, "Three &lt; thirty seeds"), *tally = strstr(page, "class=\"tally\"");
  assert_true(caveat != NULL && tally != NULL && caveat < tally);
  fcps_csv claims;
  fcps_error error = {0};
  assert_ok(fcps_csv_read_file(&claims, folder_file(&folder, "out/small/claims.csv"), &error));
  assert_int_equal(claims.rows, 5); /* one of them the row's own number */
  for (int i = 0; i < claims.rows; i++) {
    char escaped[512];
    escape(fcps_csv_cell(&claims, i, fcps_csv_column(&claims, "claim")), sizeof escaped, escaped);
    if (strstr(page, escaped) == NULL) fail_msg("the report lacks \"%s\"", escaped);
  }
  fcps_csv_destroy(&claims);
  int pictures = 0;
  for (const char *place = page; (place = strstr(place, "data:image/svg+xml;base64,")) != NULL; place++)
    pictures++;
  assert_int_equal(pictures, 3);
  assert_null(strstr(page, "<one>")); /* what the file says is text, not markup */
  assert_null(strstr(page, "src=\"http"));
  assert_null(strstr(page, "href=\"http"));
  free(page);
  free(out);
  folder_remove(&folder);
}

static void claims_are_lines_of_json(void **state)
{
  (void)state;
  const test_folder folder = folder_with_experiment();
  program_result result =
      program(&folder, "reproduce", experiment_path, "--quick", "--json", "--out", folder_file(&folder, "out"));
  assert_int_equal(result.code, 0);
  assert_non_null(
      strstr(result.out, "{\"experiment\":\"small\",\"claim\":\"BO-FCPS: cumulative reward after 50 episodes\""));
  assert_non_null(
      strstr(result.out, "\"verdict\":\"not judged\"")); /* a claim about episode 60, which a quick look does not
                                                            reach */
  program_free(&result);
  folder_remove(&folder);
}

static void what_cannot_be_done_is_said(void **state)
{
  (void)state;
  const test_folder folder = folder_with_experiment();
  assert_refused(program(&folder, "reproduce"), 2, "name an experiment");
  assert_refused(program(&folder, "reproduce", "tabel1"), 2, "did you mean table1");
  assert_refused(program(&folder, "reproduce", "table1", "--seeds", "4-2"), 2, "list of different seeds");
  assert_refused(program(&folder, "reproduce", "table1", "--jobs", "0"), 2, "out of range");
  assert_refused(program(&folder, "reproduce", "/nowhere/x.yaml"), 4, "cannot be opened");
  assert_refused(program(&folder, "reproduce", experiment_path, "--out", "/dev/null/x"), 4, "cannot be created");
  file_write(experiment_path, "name: small\ntitel: x\n");
  assert_refused(program(&folder, "reproduce", experiment_path), 2, "small.yaml:2:1: titel");
  folder_remove(&folder);
}

/* For a program, a file that may not grow is like a full disk. */
static void a_full_disk_ends_with_words_and_keeps_what_is_finished(void **state)
{
  (void)state;
  const test_folder folder = folder_with_experiment();
  char *out = strdup(folder_file(&folder, "out"));
  assert_done(program(&folder, "reproduce", experiment_path, "--out", out, "--seeds", "1"));
  assert_int_equal(count_runs(&folder, "out"), 2);

  struct rlimit usual, tight;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
  tight = usual;
  tight.rlim_cur = 1000;
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
  const char *const line[] = {"reproduce", experiment_path, "--out", out, "--quiet", NULL};
  const pid_t child = program_start(&folder, line, false);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
  signal(SIGXFSZ, handler);
  assert_refused(program_wait(&folder, child), 4, "NOT stored");
  assert_int_equal(count_runs(&folder, "out"), 2);
  assert_done(program(&folder, "reproduce", experiment_path, "--out", out));
  assert_int_equal(count_runs(&folder, "out"), 6);
  free(out);
  folder_remove(&folder);
}

static void experiments_are_listed(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  program_result result = program(&folder, "experiments");
  assert_int_equal(result.code, 0);
  const char *first = strstr(result.out, "table1: "), *second = strstr(result.out, "acquisition: ");
  assert_non_null(first);
  assert_non_null(second);
  assert_true(first < second); /* the paper's order */
  program_free(&result);
  result = program(&folder, "experiments", "--json");
  assert_non_null(strstr(result.out, "{\"name\":\"table1\""));
  program_free(&result);
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tables_do_not_depend_on_the_number_of_jobs),
      cmocka_unit_test(a_killed_reproduction_goes_on_to_the_same_bytes),
      cmocka_unit_test(an_interrupted_reproduction_says_how_to_go_on),
      cmocka_unit_test(a_changed_setting_is_run_again),
      cmocka_unit_test(a_sweep_is_drawn_and_times_are_kept_apart),
      cmocka_unit_test(the_report_has_every_claim_and_figure),
      cmocka_unit_test(claims_are_lines_of_json),
      cmocka_unit_test(what_cannot_be_done_is_said),
      cmocka_unit_test(a_full_disk_ends_with_words_and_keeps_what_is_finished),
      cmocka_unit_test(experiments_are_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
