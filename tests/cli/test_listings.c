/* SPDX-License-Identifier: Apache-2.0 */
/* Help, version, tasks, learners and pictures. */
#include "shared_folder.h"

#include "format/json.h"

static void assert_prints(program_result result, const char *words)
{
  if (result.code != 0 || strstr(result.out, words) == NULL) {
    fail_msg("exit code %d, expected \"%s\" in: %s%s", result.code, words, result.out, result.err);
  }
  program_free(&result);
}

/* The help begins with what an engineer needs; the laboratory has a group of its own. */
static void help_has_two_groups(void **state)
{
  (void)state;
  static const char *const order[] = {"\n  init ",     "\n  check ",       "\n  run ",       "\n  study ",
                                      "\n  work ",     "\n  serve ",       "\n  retarget ",  "\n  policy ",
                                      "\n  learners ", "\n  help ",        "\n  version ",   "\nThe laboratory",
                                      "\n  tasks ",    "\n  experiments ", "\n  reproduce ", "\n  sweep ",
                                      "\n  render ",   "\n  oracle ",      "\nExample:"};
  program_result result = program(&folder, "help");
  const char *at = result.out;
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    const char *next = strstr(at, order[i]);
    if (next == NULL) fail_msg("not in its place: %s", order[i] + 1);
    at = next;
  }
  program_free(&result);
}

static void help_and_version_are_at_hand(void **state)
{
  (void)state;
  assert_prints(program(&folder, "--version"), fcps_version());
  assert_prints(program(&folder, "--help"), "Usage: fcps COMMAND");
  assert_prints(program(&folder, "help"), "fcps run cannon");
  const char *const commands[] = {"run", "tasks", "learners", "render"};
  for (int i = 0; i < 4; i++) {
    assert_prints(program(&folder, commands[i], "--help"), "Example:");
    assert_prints(program(&folder, "help", commands[i]), "Example:");
    assert_prints(program(&folder, commands[i], "-h"), "Example:");
  }
  assert_prints(program(&folder, "help", "help"), "Usage: fcps COMMAND");
  assert_prints(program(&folder, "help", "study", "tell"), "Usage: fcps study tell");
  assert_prints(program(&folder, "study", "tell", "-h"), "Usage: fcps study tell");
  assert_prints(program(&folder, "help", "policy"), "Usage: fcps policy");
}

static void a_listing_shows_one_by_its_name(void **state)
{
  (void)state;
  const char *const listings[][3] = {{"tasks", "cannon", "\nstage: "}, {"learners", "outcome", "\n  bo-fcps "}};
  for (int i = 0; i < 2; i++) {
    char head[32];
    snprintf(head, sizeof head, "%s: ", listings[i][1]);
    program_result all = program(&folder, listings[i][0]), one = program(&folder, listings[i][0], listings[i][1]);
    assert_int_equal(one.code, 0);
    assert_int_equal(strncmp(one.out, head, strlen(head)), 0);
    assert_non_null(strstr(all.out, listings[i][2]));
    assert_null(strstr(one.out, listings[i][2]));
    program_free(&all);
    program_free(&one);
  }
}

static void tasks_are_listed_with_spaces_and_settings(void **state)
{
  (void)state;
  program_result result = program(&folder, "tasks");
  assert_int_equal(result.code, 0);
  assert_non_null(strstr(result.out, "cannon: "));
  assert_words(result.out, "turn [0, 6.28319] rad, period 6.28319");
  assert_words(result.out, "hills 10 whole, 0 to 64");
  program_free(&result);
}

/* The first line as JSON. */
static fcps_json *first_object(const char *text)
{
  fcps_json *json = NULL;
  fcps_error error = {0};
  if (fcps_json_read(&json, text, strcspn(text, "\n"), "line", &error) != FCPS_OK) fail_msg("%s", error.message);
  return json;
}

static void listings_can_be_read_by_programs(void **state)
{
  (void)state;
  program_result tasks = program(&folder, "tasks", "--json"), learners = program(&folder, "learners", "--json");
  fcps_json *task = first_object(tasks.out), *learner = first_object(learners.out);
  const fcps_json *turn = fcps_json_at(fcps_json_get(task, "parameters"), 0);
  double period;
  assert_string_equal(fcps_json_text(fcps_json_get(turn, "name")), "turn");
  assert_true(fcps_json_number(fcps_json_get(turn, "period"), &period));
  assert_near(period, 6.283185307179586, 1e-15);
  const fcps_json *landing = fcps_json_at(fcps_json_get(task, "settings"), 2);
  assert_string_equal(fcps_json_text(fcps_json_get(landing, "default")), "step");
  assert_string_equal(fcps_json_text(fcps_json_at(fcps_json_get(landing, "choices"), 1)), "exact");
  assert_non_null(fcps_json_text(fcps_json_get(learner, "name")));
  assert_true(fcps_json_count(fcps_json_get(learner, "settings")) > 0);
  fcps_json_destroy(task);
  fcps_json_destroy(learner);
  program_free(&tasks);
  program_free(&learners);
}

/* The list shows a learner's own defaults, not those of the table of all learners. */
static void a_learners_own_defaults_are_shown(void **state)
{
  (void)state;
  program_result result = program(&folder, "learners", "bo-cps");
  char *own = strstr(result.out, "bo-cps: ");
  assert_non_null(own);
  char *next = strstr(own, "\n\n");
  if (next != NULL) *next = '\0';
  assert_words(own, "model joint ");
  program_free(&result);
}

static void a_level_that_a_task_does_not_have_is_null(void **state)
{
  (void)state;
  assert_prints(program(&folder, "oracle", "cannon", "--json"), "\"idle\":null");
}

static void a_task_is_drawn_with_the_best_shots_or_with_learnt_ones(void **state)
{
  (void)state;
  if (system("gnuplot --version > /dev/null 2>&1") != 0) skip_because("gnuplot is missing (Debian: gnuplot-nox)");
  char best[128], learnt[128], study[128];
  snprintf(best, sizeof best, "%s/best.svg", folder.path);
  snprintf(learnt, sizeof learnt, "%s/learnt.svg", folder.path);
  snprintf(study, sizeof study, "%s/learnt.fcps", folder.path);
  assert_prints(program(&folder, "render", "cannon", "-s", "2", "-o", best), best);
  assert_prints(program(&folder, "run", "cannon", "-n", "6", "-s", "2", "-q", "--no-figure", "--store", study, "--out",
                        folder_file(&folder, "results")),
                "results");
  assert_prints(program(&folder, "render", "cannon", "--study", study, "-o", learnt), learnt);
  char *best_text = file_text(best), *learnt_text = file_text(learnt);
  assert_non_null(strstr(best_text, "landings"));
  assert_string_not_equal(best_text, learnt_text);
  free(best_text);
  free(learnt_text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(help_has_two_groups),
      cmocka_unit_test(help_and_version_are_at_hand),
      cmocka_unit_test(a_listing_shows_one_by_its_name),
      cmocka_unit_test(tasks_are_listed_with_spaces_and_settings),
      cmocka_unit_test(listings_can_be_read_by_programs),
      cmocka_unit_test(a_learners_own_defaults_are_shown),
      cmocka_unit_test(a_level_that_a_task_does_not_have_is_null),
      cmocka_unit_test(a_task_is_drawn_with_the_best_shots_or_with_learnt_ones),
  };
  return cmocka_run_group_tests(tests, create_folder, delete_folder);
}
