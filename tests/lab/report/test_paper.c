/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's numbers: found by task and learner, and equal to those of experiments/table1.yaml. */
#include "check.h"
#include "lab/experiment/experiment_impl.h"
#include "lab/report/paper.h"

static void the_papers_rows_are_found_by_task_and_learner(void **state)
{
  (void)state;
  const fcps_paper_row *row = fcps_paper_find("cannon", "bo-fcps");
  assert_non_null(row);
  assert_int_equal(fcps_paper_marks[2], 150);
  assert_near(row->mean[2], -499, 0);
  assert_near(row->deviation[0], 34, 0);
  assert_null(fcps_paper_find("cannon", "random"));
  assert_null(fcps_paper_find("thrower", "bo-fcps"));
}

/* `fcps run` and `fcps reproduce table1` both show the paper's table: the two copies of its numbers must agree. */
static void table_1_has_the_numbers_that_a_run_is_compared_with(void **state)
{
  (void)state;
  fcps_experiment *experiment = NULL;
  fcps_error error = {0};
  assert_ok(fcps_experiment_open(&experiment, TEST_SOURCE_DIR "/experiments/table1.yaml", &error));
  int compared = 0;
  for (int i = 0; i < experiment->row_count; i++) {
    const fcps_row *row = &experiment->rows[i];
    const fcps_paper_row *paper = fcps_paper_find("cannon", row->learner);
    for (int j = 0; j < row->paper_count; j++, compared++) {
      assert_non_null(paper);
      assert_int_equal(row->paper[j].episode, fcps_paper_marks[j]);
      assert_near(row->paper[j].mean, paper->mean[j], 0);
      assert_near(row->paper[j].sd, paper->deviation[j], 0);
    }
  }
  assert_true(compared >= 12);
  fcps_experiment_destroy(experiment);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_papers_rows_are_found_by_task_and_learner),
      cmocka_unit_test(table_1_has_the_numbers_that_a_run_is_compared_with),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
