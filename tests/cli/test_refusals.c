/* SPDX-License-Identifier: Apache-2.0 */
/* Wrong arguments are refused with exit code 2, the name of the field, and advice. */
#include "shared_folder.h"

static void unknown_names_get_the_nearest_one(void **state)
{
  (void)state;
  assert_refused(program(&folder, "rum"), 2, "command: there is no command \"rum\"; did you mean run?");
  assert_refused(program(&folder, "run", "canon"), 2, "task: there is no task \"canon\"; did you mean cannon?");
  assert_refused(program(&folder, "run", "cannon", "--learner", "bo-fcsp"), 2, "did you mean bo-fcps?");
  assert_refused(program(&folder, "run", "cannon", "--epsiodes", "3"), 2, "did you mean episodes?");
  assert_refused(program(&folder, "run", "cannon", "--set", "kapa=1"), 2,
                 "kapa: there is no such setting; did you mean "
                 "kappa?");
  assert_refused(program(&folder, "run", "cannon", "--task-set", "hill=1"), 2, "did you mean hills?");
  assert_refused(program(&folder, "render", "canon"), 2, "did you mean cannon?");
  assert_refused(program(&folder, "help", "tusks"), 2, "did you mean tasks?");
  assert_refused(program(&folder, "tasks", "--jsno"), 2, "did you mean json?");
  assert_refused(program(&folder, "tasks", "canon"), 2, "task: there is no task \"canon\"; did you mean cannon?");
  assert_refused(program(&folder, "learners", "outcom"), 2, "did you mean outcome?");
  assert_refused(program(&folder, "experiments", "nonsense"), 2, "nonsense");
  assert_refused(program(&folder, "policy", "exprot"), 2, "there is no command \"exprot\"; did you mean export?");
}

static void values_that_are_none_are_named(void **state)
{
  (void)state;
  assert_refused(program(&folder, "run", "cannon", "--episodes", "many"), 2,
                 "--episodes: \"many\" is not a whole number");
  assert_refused(program(&folder, "run", "cannon", "--episodes", "0"), 2, "--episodes: 0 is out of range");
  assert_refused(program(&folder, "run", "cannon", "--seed", "-1"), 2, "--seed: -1 is out of range");
  assert_refused(program(&folder, "run", "cannon", "--seed", "1.5"), 2, "--seed: \"1.5\" is not a whole number");
  assert_refused(program(&folder, "run", "cannon", "--evaluate-every", "x"), 2, "--evaluate-every");
  assert_refused(program(&folder, "run", "cannon", "--set", "kappa"), 2, "--set: \"kappa\" is not NAME=VALUE");
  assert_refused(program(&folder, "run", "cannon", "--set", "=1"), 2, "--set");
  assert_refused(program(&folder, "run", "cannon", "--set", "kappa=-1"), 2, "kappa: ");
  assert_refused(program(&folder, "run", "cannon", "--set", "kernel=cubic"), 2, "kernel: ");
  assert_refused(program(&folder, "run", "cannon", "--task-set", "hills=65"), 2, "hills: ");
  assert_refused(program(&folder, "run", "cannon", "--task-set", "noise_deg=nan"), 2, "noise_deg: ");
  assert_refused(program(&folder, "run", "cannon", "--out", ""), 2, "--out: the path is empty");
  assert_refused(program(&folder, "render", "cannon", "--shots", "-3"), 2, "--shots");
  assert_refused(program(&folder, "render", "cannon", "-o", "picture.gif"), 2, "must end with .svg or .png");
  assert_refused(program(&folder, "render", "cannon", "--stages", "1,2"), 2, "leave out --stages");
}

static void missing_and_spare_arguments_are_named(void **state)
{
  (void)state;
  assert_refused(program(&folder, "run"), 2, "task: name a task");
  assert_refused(program(&folder, "run", "cannon", "cannon"), 2, "one argument too many");
  assert_refused(program(&folder, "run", "cannon", "--episodes"), 2, "--episodes: needs a value");
  assert_refused(program(&folder, "render"), 2, "task: name a task");
  assert_refused(program(&folder, "learners", "random", "outcome"), 2, "\"outcome\" is one argument too many");
  assert_refused(program(&folder, "policy"), 2, "Usage: fcps policy");
  program_result result = program_run(&folder, (const char *const[]){NULL});
  assert_refused(result, 2, "Usage: fcps COMMAND");
}

static void places_that_cannot_be_written_are_an_error_of_storage(void **state)
{
  (void)state;
  file_write(folder_file(&folder, "file"), "in the way");
  assert_refused(program(&folder, "run", "cannon", "-n", "2", "-q", "--out", folder_file(&folder, "file/results")), 4,
                 "E_IO: ");
  assert_refused(program(&folder, "render", "cannon", "-o", folder_file(&folder, "file/a.svg")), 4, "E_IO: ");
  assert_refused(program(&folder, "run", "cannon", "-n", "2", "-q", "--no-figure", "--out",
                         folder_file(&folder, "fine"), "--store", folder_file(&folder, "file/run.fcps")),
                 4, "E_IO: ");
}

static void a_study_of_something_else_is_refused(void **state)
{
  (void)state;
  char *results = strdup(folder_file(&folder, "results"));
  char *store = strdup(folder_file(&folder, "small.fcps"));
  file_write(folder_file(&folder, "text"), "no study at all, however long this text may become");
  assert_refused(program(&folder, "run", "cannon", "--out", results, "--store", folder_file(&folder, "text")), 2,
                 "text is not a study");
  /* a file with the name of a study may have been one */
  file_write(folder_file(&folder, "torn.fcps"), "no study at all, however long this text may become");
  assert_refused(program(&folder, "run", "cannon", "--out", results, "--store", folder_file(&folder, "torn.fcps")), 3,
                 "E_DAMAGED: ");
  program_result made = program(&folder, "run", "cannon", "-n", "2", "-q", "--no-figure", "-l", "random", "-s", "4",
                                "--task-set", "hills=3", "--out", results, "--store", store);
  assert_int_equal(made.code, 0);
  program_free(&made);
  const char *const others[][5] = {{"cannon", "-l", "bo-cps", "--learner: ", NULL},
                                   {"cannon", "-s", "5", "--seed: ", NULL},
                                   {"cannon", "--set", "kappa=1", "--set: ", NULL},
                                   {"cannon", "--task-set", "hills=4", "is a study of another task", NULL},
                                   {"cannon-active", "-s", "4", "is a study of another task", NULL}};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    assert_refused(
        program(&folder, "run", others[i][0], others[i][1], others[i][2], "--out", results, "--store", store), 2,
        others[i][3]);
  /* keys that are not given are as before */
  made = program(&folder, "run", "cannon", "-n", "3", "-q", "--no-figure", "--out", results, "--store", store);
  assert_int_equal(made.code, 0);
  assert_non_null(strstr(made.out, "random on cannon, seed 4\n"));
  program_free(&made);
  assert_refused(program(&folder, "render", "cannon", "--study", folder_file(&folder, "nothing")), 4, "E_IO: ");
  assert_refused(program(&folder, "render", "cannon-active", "--study", store), 2, "not a study of cannon-active");
  assert_refused(program(&folder, "run", "x.yaml", "--out", results), 2, "--out: only built-in tasks have it");
  free(results);
  free(store);
}

static void lost_results_are_noticed(void **state)
{
  (void)state;
  const char *const arguments[] = {
      "run", "cannon", "-n", "2", "-q", "--no-figure", "--out", folder_file(&folder, "closed"), NULL};
  program_result result = program_wait(&folder, program_start(&folder, arguments, true));
  assert_refused(result, 4, "standard output: results could not be written");
  const char *const listing[] = {"tasks", NULL};
  result = program_wait(&folder, program_start(&folder, listing, true));
  assert_refused(result, 4, "standard output: results could not be written");

  /* no result went into a file that took the number of the closed stream */
  char *csv = file_text(folder_file(&folder, "closed/episodes.csv"));
  assert_non_null(csv);
  assert_null(strstr(csv, "cumulative"));
  free(csv);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknown_names_get_the_nearest_one),
      cmocka_unit_test(values_that_are_none_are_named),
      cmocka_unit_test(missing_and_spare_arguments_are_named),
      cmocka_unit_test(places_that_cannot_be_written_are_an_error_of_storage),
      cmocka_unit_test(a_study_of_something_else_is_refused),
      cmocka_unit_test(lost_results_are_noticed),
  };
  return cmocka_run_group_tests(tests, create_folder, delete_folder);
}
