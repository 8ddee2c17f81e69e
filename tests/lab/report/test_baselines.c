/* SPDX-License-Identifier: Apache-2.0 */
/* A claim that compares with a baseline says if the baseline differs from the paper's (lab/report/saved.c).
 */
#include "check.h"
#include "folder.h"

#include "format/file.h"
#include "lab/report/saved.h"

#include <string.h>

/* Writes an experiment with two rows; the second has the paper's number -100 ± 10 (standard error 3.2). */
static void write_experiment(const test_folder *folder, const char *name, const char *settings, const char *mark)
{
  char file[256], text[2048];
  fcps_error error = {0};
  assert_ok(fcps_file_make_directory(folder_file(folder, name), &error));
  snprintf(file, sizeof file, "%s/summary.json", name);
  snprintf(text, sizeof text,
           "{\"name\":\"%s\",\"order\":1,\"task\":\"cannon\",\"seed_count\":25,\"rows\":["
           "{\"label\":\"new\",\"title\":\"New\",\"learner\":\"bo-fcps\",\"settings\":\"\",\"task_settings\":\"\","
           "\"cumulative\":[]},"
           "{\"label\":\"old\",\"title\":\"Old\",\"learner\":\"bo-cps\",\"settings\":\"%s\",\"task_settings\":\"\","
           "\"cumulative\":[%s]}]}",
           name, settings, mark);
  file_write(folder_file(folder, file), text);
  snprintf(file, sizeof file, "%s/curves.csv", name);
  file_write(folder_file(folder, file), "learner,episode\n");
  snprintf(file, sizeof file, "%s/claims.csv", name);
  file_write(folder_file(folder, file), "claim,rows\nNew beats old,new old\nOld earns it,old\nOld beats new,old new\n");
}

static void assert_said(const fcps_saved_experiments *all, size_t experiment, int claim, const char *words)
{
  char text[512];
  fcps_baselines_say(all, &all->items[experiment], claim, sizeof text, text);
  if (*words == '\0' ? *text != '\0' : strstr(text, words) == NULL) fail_msg("said: \"%s\"", text);
}

/* Ours is -80 ± 20 over 25 seeds: 20 above the paper's, 3.9 standard errors. */
static void a_claim_that_leans_on_a_stronger_baseline_says_so(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_saved_experiments all;
  fcps_error error = {0};
  write_experiment(&folder, "a", "kernel se", "[50,-100,10,-80,20]");
  assert_ok(fcps_saved_experiments_read(&all, folder.path, &error));
  assert_said(&all, 0, 0, "Old is stronger than the paper's: -80.00 ± 4.00 after 50 episodes, the paper -100 ± 3");
  assert_said(&all, 0, 1, ""); /* its own number has its own verdict */
  assert_said(&all, 0, 2, ""); /* the paper has no numbers of the other */
  fcps_saved_experiments_destroy(&all);
  folder_remove(&folder);
}

static void what_lies_within_two_standard_errors_is_not_said(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_saved_experiments all;
  fcps_error error = {0};
  write_experiment(&folder, "a", "kernel se", "[50,-100,10,-92,20]");
  assert_ok(fcps_saved_experiments_read(&all, folder.path, &error));
  assert_said(&all, 0, 0, "");
  fcps_saved_experiments_destroy(&all);
  folder_remove(&folder);
}

/* b has no numbers of the paper, but its baseline is that of a; the baseline of c has other settings. */
static void the_same_row_of_another_experiment_counts(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_saved_experiments all;
  fcps_error error = {0};
  write_experiment(&folder, "a", "kernel se", "[50,-100,10,-120,20]");
  write_experiment(&folder, "b", "kernel se", "[50,\"nan\",\"nan\",-90,20]");
  write_experiment(&folder, "c", "kernel matern32", "[50,\"nan\",\"nan\",-90,20]");
  assert_ok(fcps_saved_experiments_read(&all, folder.path, &error));
  assert_said(&all, 1, 0, "Old is weaker than the paper's: -120 ± 4");
  assert_said(&all, 2, 0, "");
  fcps_saved_experiments_destroy(&all);
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_claim_that_leans_on_a_stronger_baseline_says_so),
      cmocka_unit_test(what_lies_within_two_standard_errors_is_not_said),
      cmocka_unit_test(the_same_row_of_another_experiment_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
