/* SPDX-License-Identifier: Apache-2.0 */
/* The definition of an experiment when its first run began, and the description of later changes. */
#include "lab/experiment/example.h"

#include "format/file.h"
#include "lab/experiment/experiment_impl.h"

#define CLAIM_ONE "claims:\n  - {claim: one, kind: reaches, measure: offline, rows: [good], at: 20, level: -5}\n"

/* Opens the text and keeps its definition in the folder. */
static void keep(const test_folder *folder, const char *text, bool is_quick)
{
  fcps_error error = {0};
  fcps_experiment *experiment = example_open(folder, text);
  if (is_quick) fcps_experiment_set_quick(experiment);
  assert_ok(fcps_file_make_directory(folder_file(folder, "example"), &error));
  assert_ok(fcps_definition_keep(experiment, folder->path, &error));
  fcps_experiment_destroy(experiment);
}

/* The first claim and the first row of another text, in the kept definition. */
static void compare(const test_folder *folder, const char *text, char **claim_was, char **row_was, int *removed)
{
  fcps_error error = {0};
  fcps_experiment *experiment = example_open(folder, text);
  fcps_json *kept = NULL;
  assert_ok(fcps_definition_read(&kept, experiment, folder->path, &error));
  *claim_was = fcps_definition_claim_was(kept, experiment, 0);
  *row_was = fcps_definition_row_was(kept, experiment, 0);
  fcps_json *list = fcps_definition_removed_claims(kept, experiment);
  *removed = fcps_json_count(list);
  fcps_json_destroy(list);
  fcps_json_destroy(kept);
  fcps_experiment_destroy(experiment);
}

static void assert_changes(const char *later, const char *claim_was, const char *row_was, int removed)
{
  const test_folder folder = folder_create();
  keep(&folder, EXAMPLE_HEAD EXAMPLE_LEARNERS CLAIM_ONE, false);
  keep(&folder, later, false); /* the text that was kept first stays */
  char *claim = NULL, *row = NULL;
  int count = -1;
  compare(&folder, later, &claim, &row, &count);
  if (*claim_was == '\0' ? *claim != '\0' : strstr(claim, claim_was) == NULL) fail_msg("claim: %s", claim);
  if (*row_was == '\0' ? *row != '\0' : strstr(row, row_was) == NULL) fail_msg("row: %s", row);
  assert_int_equal(count, removed);
  free(claim);
  free(row);
  folder_remove(&folder);
}

static void what_is_the_same_is_not_mentioned(void **state)
{
  (void)state;
  assert_changes(EXAMPLE_HEAD EXAMPLE_LEARNERS CLAIM_ONE, "", "", 0);
  /* a comment is not a change of the definition */
  assert_changes("# a comment\n" EXAMPLE_HEAD EXAMPLE_LEARNERS CLAIM_ONE, "", "", 0);
}

static void a_changed_claim_is_shown_with_what_it_was(void **state)
{
  (void)state;
  assert_changes(EXAMPLE_HEAD EXAMPLE_LEARNERS
                 "claims:\n  - {claim: one, kind: reaches, measure: offline, rows: [good], at: 20, level: -6}\n",
                 "\"level\":-5.0", "", 0);
  assert_changes(EXAMPLE_HEAD EXAMPLE_LEARNERS
                 "claims:\n  - {claim: two, kind: reaches, measure: offline, rows: [good], at: 20, level: -5}\n",
                 "added after the first run", "", 1);
}

static void a_changed_row_is_shown_with_what_it_was(void **state)
{
  (void)state;
  assert_changes(EXAMPLE_HEAD "learners:\n  - {label: good, learner: bo-cps, settings: {kappa: 3}}\n"
                              "  - {label: bad, title: Bad one, learner: random}\n" CLAIM_ONE,
                 "", "was {\"label\":\"good\"", 0);
}

static void a_quick_look_keeps_no_definition(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  keep(&folder, EXAMPLE_HEAD EXAMPLE_LEARNERS CLAIM_ONE, true);
  char *claim = NULL, *row = NULL;
  int removed = -1;
  compare(&folder, EXAMPLE_HEAD EXAMPLE_LEARNERS CLAIM_ONE, &claim, &row, &removed);
  assert_string_equal(claim, "");
  assert_int_not_equal(access(folder_file(&folder, "example/definition.json"), F_OK), 0);
  free(claim);
  free(row);
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_the_same_is_not_mentioned),
      cmocka_unit_test(a_changed_claim_is_shown_with_what_it_was),
      cmocka_unit_test(a_changed_row_is_shown_with_what_it_was),
      cmocka_unit_test(a_quick_look_keeps_no_definition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
