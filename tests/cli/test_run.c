/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps run`: its output and files are the same each time, also after an interruption. */
#include "shared_folder.h"

#include "format/json.h"

static fcps_json *line_json(const char *line, size_t length)
{
  fcps_json *json = NULL;
  fcps_error error = {0};
  if (fcps_json_read(&json, line, length, "line", &error) != FCPS_OK) fail_msg("%s", error.message);
  return json;
}

static void assert_number(const fcps_json *object, const char *space, const char *name)
{
  double value;
  assert_true(fcps_json_number(fcps_json_get(fcps_json_get(object, space), name), &value));
  assert_true(isfinite(value));
}

static void each_episode_is_a_line_of_json_and_the_last_a_summary(void **state)
{
  (void)state;
  program_result run = program(&folder, "run", "cannon", "--learner", "random", "--episodes", "7", "--seed", "3",
                               "--json", "--quiet", "--no-figure", "--out", folder_file(&folder, "json"));
  assert_int_equal(run.code, 0);
  assert_string_equal(run.err, "");

  double sum = 0.0;
  const char *line = run.out;
  for (int episode = 1; episode <= 7; episode++) {
    const size_t length = strcspn(line, "\n");
    fcps_json *json = line_json(line, length);
    int64_t number;
    double reward;
    assert_true(fcps_json_integer(fcps_json_get(json, "episode"), &number));
    assert_int_equal(number, episode);
    assert_number(json, "target", "x");
    assert_number(json, "target", "y");
    assert_number(json, "parameters", "turn");
    assert_number(json, "parameters", "tilt");
    assert_number(json, "parameters", "speed");
    assert_number(json, "outcome", "land_x");
    assert_number(json, "outcome", "land_y");
    assert_true(fcps_json_is_object(fcps_json_get(json, "environment")));
    assert_int_equal(fcps_json_count(fcps_json_get(json, "environment")), 0);
    assert_true(fcps_json_number(fcps_json_get(json, "reward"), &reward));
    assert_string_equal(fcps_json_text(fcps_json_get(json, "status")), "ok");
    sum += reward;
    fcps_json_destroy(json);
    line += length + 1;
  }
  fcps_json *json = line_json(line, strcspn(line, "\n"));
  const fcps_json *summary = fcps_json_get(json, "summary");
  double cumulative;
  assert_true(fcps_json_number(fcps_json_get(fcps_json_get(summary, "cumulative"), "7"), &cumulative));
  assert_near(cumulative, sum, 1e-9);
  assert_true(fcps_json_number(fcps_json_get(summary, "offline_mean"), &cumulative));
  fcps_json_destroy(json);
  assert_string_equal(line + strcspn(line, "\n"), "\n");
  program_free(&run);
}

/* Two folders have the same result files. */
static void assert_same_results(const char *one, const char *other)
{
  static const char *const files[] = {"episodes.csv", "offline.csv", "map.csv", "summary.json"};
  for (int i = 0; i < 4; i++) {
    char a[512], b[512];
    snprintf(a, sizeof a, "%s/%s", one, files[i]);
    snprintf(b, sizeof b, "%s/%s", other, files[i]);
    assert_same_file(a, b);
  }
}

static void the_same_command_twice_gives_the_same_bytes(void **state)
{
  (void)state;
  const char *const names[] = {"first", "second"};
  program_result runs[2];
  for (int i = 0; i < 2; i++) {
    runs[i] = program(&folder, "run", "cannon", "-n", "15", "-s", "2", "-j", "-q", "--set", "kappa=1", "--task-set",
                      "hills=4", "--out", folder_file(&folder, names[i]));
    assert_int_equal(runs[i].code, 0);
  }
  assert_string_equal(runs[0].out, runs[1].out);
  assert_same_results(folder_file(&folder, "first"), folder_file(&folder, "second"));
  program_free(&runs[0]);
  program_free(&runs[1]);
}

static void a_finished_command_again_prints_and_keeps_the_same(void **state)
{
  (void)state;
  char out[128], copy[128], command[400];
  snprintf(out, sizeof out, "%s/again", folder.path);
  snprintf(copy, sizeof copy, "%s/before", folder.path);
  const char *const arguments[] = {"run",     "cannon", "-n",      "12",          "-q",    "-e", "5", "--set",
                                   "kappa=1", "--set",  "kappa=2", "--no-figure", "--out", out,  NULL};
  program_result first = program_run(&folder, arguments);
  assert_int_equal(first.code, 0);
  snprintf(command, sizeof command, "cp -r %s %s", out, copy);
  assert_int_equal(system(command), 0);
  program_result second = program_run(&folder, arguments);
  assert_int_equal(second.code, 0);
  assert_string_equal(first.out, second.out);
  assert_same_results(out, copy);
  program_free(&first);
  program_free(&second);

  /* more episodes go on: the same as so many from the beginning */
  program_result more =
      program(&folder, "run", "cannon", "-n", "17", "-q", "-e", "5", "--set", "kappa=2", "--no-figure", "--out", out);
  program_result whole = program(&folder, "run", "cannon", "-n", "17", "-q", "-e", "5", "--set", "kappa=2",
                                 "--no-figure", "--out", folder_file(&folder, "seventeen"));
  assert_int_equal(more.code, 0);
  assert_int_equal(whole.code, 0);
  char seventeen[128], a[160], b[160];
  snprintf(seventeen, sizeof seventeen, "%s/seventeen", folder.path);
  snprintf(a, sizeof a, "%s/episodes.csv", out);
  snprintf(b, sizeof b, "%s/episodes.csv", seventeen);
  assert_same_file(a, b);
  program_free(&more);
  program_free(&whole);
}

static void another_command_does_not_touch_the_results_of_an_earlier_one(void **state)
{
  (void)state;
  char out[128], copy[128], command[400];
  snprintf(out, sizeof out, "%s/kept", folder.path);
  snprintf(copy, sizeof copy, "%s/kept-before", folder.path);
  program_result run = program(&folder, "run", "cannon", "-n", "6", "-q", "--no-figure", "--out", out);
  assert_int_equal(run.code, 0);
  program_free(&run);
  snprintf(command, sizeof command, "cp -r %s %s", out, copy);
  assert_int_equal(system(command), 0);

  const char *const others[][2] = {
      {"--set", "kappa=2"}, {"--learner", "random"}, {"--seed", "2"}, {"--task-set", "hills=4"}};
  for (int i = 0; i < 4; i++)
    assert_refused(
        program(&folder, "run", "cannon", "-n", "3", "-q", "--no-figure", others[i][0], others[i][1], "--out", out), 2,
        "--out DIR");
  assert_refused(program(&folder, "run", "cannon-active", "-n", "3", "-q", "--no-figure", "--out", out), 2,
                 "--out DIR");
  snprintf(command, sizeof command, "diff -r %s %s", out, copy);
  assert_int_equal(system(command), 0);
}

static void the_table_shows_the_run_beside_the_paper(void **state)
{
  (void)state;
  program_result run = program(&folder, "run", "cannon", "-l", "bo-cps", "-n", "52", "-e", "0", "-q", "--no-figure",
                               "--set", "refit=50", "--out", folder_file(&folder, "table"));
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.out, "bo-cps on cannon, seed 1\n"));
  assert_words(run.out, "cumulative reward after 50 52 episodes");
  assert_words(run.out, "the paper, bo-cps -461\n");
  assert_words(run.out, "its standard deviation 28\n");
  assert_non_null(strstr(run.out, "offline mean reward, 225 contexts without noise"));
  assert_words(run.out, "best possible policy -0.466");
  program_free(&run);
}

static void a_missing_gnuplot_costs_only_the_figure(void **state)
{
  (void)state;
  char *path = strdup(getenv("PATH"));
  assert_int_equal(setenv("PATH", "/nonexistent", 1), 0);
  program_result run = program(&folder, "run", "cannon", "-n", "3", "-q", "--out", folder_file(&folder, "no-gnuplot"));
  assert_int_equal(setenv("PATH", path, 1), 0);
  free(path);
  assert_int_equal(run.code, 0);
  assert_non_null(strstr(run.err, "W_NO_FIGURE: gnuplot: "));
  assert_null(strstr(run.out, "figure.svg"));
  program_free(&run);
}

/* Waits, a minute at most, until the run has recorded an episode. */
static bool has_recorded(const char *csv, const char *episode)
{
  for (int i = 0; i < 12000; i++) {
    char *text = file_text(csv);
    const bool has = text != NULL && strstr(text, episode) != NULL;
    free(text);
    if (has) return true;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  return false;
}

static void an_interrupted_run_says_how_to_go_on_and_does(void **state)
{
  (void)state;
  char whole_out[128], parts_out[128], csv[160];
  snprintf(whole_out, sizeof whole_out, "%s/whole", folder.path);
  snprintf(parts_out, sizeof parts_out, "%s/parts", folder.path);
  snprintf(csv, sizeof csv, "%s/episodes.csv", parts_out);
  const char *const arguments[] = {"run", "cannon",      "-n",    "60",      "-j", "-e",
                                   "20",  "--no-figure", "--out", parts_out, NULL};

  const pid_t child = program_start(&folder, arguments, false);
  const bool begun = has_recorded(csv, "\n20,");
  kill(child, SIGINT);
  program_result first = program_wait(&folder, child);
  assert_true(begun);
  assert_int_equal(first.code, 130);
  assert_non_null(strstr(first.err, "nothing is lost: to continue, give the same command again"));

  program_result second = program_run(&folder, arguments);
  program_result whole =
      program(&folder, "run", "cannon", "-n", "60", "-j", "-e", "20", "--no-figure", "--out", whole_out);
  assert_int_equal(second.code, 0);
  assert_int_equal(whole.code, 0);
  assert_memory_equal(whole.out, first.out, strlen(first.out));
  assert_string_equal(whole.out + strlen(first.out), second.out);
  assert_same_results(whole_out, parts_out);
  program_free(&first);
  program_free(&second);
  program_free(&whole);
}

/* The unfinished episode is run again. The output and the study may differ by it; the files may not. */
static void a_killed_run_goes_on_to_the_same_files(void **state)
{
  (void)state;
  char whole_out[128], parts_out[128], store[128], csv[160];
  snprintf(whole_out, sizeof whole_out, "%s/unkilled", folder.path);
  snprintf(parts_out, sizeof parts_out, "%s/killed", folder.path);
  snprintf(store, sizeof store, "%s/killed.fcps", folder.path);
  snprintf(csv, sizeof csv, "%s/episodes.csv", parts_out);
  const char *const arguments[] = {"run", "cannon-active", "-l", "faces", "-n",    "18",      "-q",      "-e",
                                   "7",   "--no-figure",   "-s", "5",     "--out", parts_out, "--store", store,
                                   NULL};
  const pid_t child = program_start(&folder, arguments, false);
  const bool begun = has_recorded(csv, "\n12,");
  kill(child, SIGKILL);
  program_result first = program_wait(&folder, child);
  assert_true(begun);
  assert_int_equal(first.code, -1);
  program_result second = program_run(&folder, arguments);
  program_result whole = program(&folder, "run", "cannon-active", "-l", "faces", "-n", "18", "-q", "-e", "7",
                                 "--no-figure", "-s", "5", "--out", whole_out);
  assert_int_equal(second.code, 0);
  assert_int_equal(whole.code, 0);
  assert_same_results(whole_out, parts_out);

  /* the study is one like any other */
  program_result log = program(&folder, "study", "log", store, "--json");
  int lines = 0;
  for (const char *line = log.out; (line = strchr(line, '\n')) != NULL; line++)
    lines++;
  assert_int_equal(lines, 18);
  program_free(&log);
  program_free(&first);
  program_free(&second);
  program_free(&whole);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_episode_is_a_line_of_json_and_the_last_a_summary),
      cmocka_unit_test(the_same_command_twice_gives_the_same_bytes),
      cmocka_unit_test(a_finished_command_again_prints_and_keeps_the_same),
      cmocka_unit_test(another_command_does_not_touch_the_results_of_an_earlier_one),
      cmocka_unit_test(the_table_shows_the_run_beside_the_paper),
      cmocka_unit_test(a_missing_gnuplot_costs_only_the_figure),
      cmocka_unit_test(an_interrupted_run_says_how_to_go_on_and_does),
      cmocka_unit_test(a_killed_run_goes_on_to_the_same_files),
  };
  return cmocka_run_group_tests(tests, create_folder, delete_folder);
}
