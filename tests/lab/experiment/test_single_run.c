/* SPDX-License-Identifier: Apache-2.0 */
/* One run of an experiment: its files, when it counts as done, and how it continues after an interruption. */
#include "lab/experiment/example.h"

#include "lab/experiment/experiment_impl.h"
#include "lab/experiment/single_run.h"
#include "problem/contexts.h"

#define SHORT_HEAD                                                                                                     \
  "name: example\ntitle: t\ntask: {name: cannon, settings: {grid: 3}}\nepisodes: 6\nevaluate: 4\nseeds: 1-2\n"

static void a_run_leaves_its_numbers(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_experiment *experiment = example_open(&folder, SHORT_HEAD EXAMPLE_LEARNERS);
  fcps_error error = {0};
  assert_false(fcps_experiment_run_result_is_done(experiment, folder.path, 0, 2));
  assert_ok(fcps_experiment_run_one(experiment, folder.path, "good", 2, NULL, NULL, &error));
  assert_true(fcps_experiment_run_result_is_done(experiment, folder.path, 0, 2));
  assert_false(fcps_experiment_run_result_is_done(experiment, folder.path, 0, 1));
  assert_int_equal(fcps_experiment_done_count(experiment, folder.path), 1);

  fcps_experiment_run_result single;
  assert_ok(fcps_experiment_run_result_read(&single, experiment, folder.path, 0, 2, &error));
  assert_int_equal(single.episodes, 6);
  assert_int_equal(single.context_count, 9);
  assert_true(isnan(single.offline[2]));
  double sum = 0;
  for (int i = 0; i < 9; i++)
    sum += single.map[i];
  assert_near(single.offline[5], sum / 9, 1e-14); /* the map is of the last evaluation, after the last episode */
  assert_true(!isnan(single.offline[3]));
  sum = 0;
  for (int i = 0; i < 6; i++)
    sum += single.rewards[i];
  assert_near(single.cumulative[5], sum, 1e-14);
  fcps_experiment_run_result_destroy(&single);
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

/* Only the first row of a world searches for the best there. */
static void rows_with_another_task_have_another_optimum(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_experiment *experiment = example_open(
      &folder, "name: example\ntitle: t\ntask: long-arm\nsweep: {setting: joints, values: [10, 20]}\nepisodes: 2\n"
               "evaluate: 2\nseeds: 1-2\nlearners: [{label: one, learner: random}, {label: two, learner: random}]\n");
  static const char *const labels[] = {"one-10", "one-20", "two-10", "two-20"};
  double optimum[4];
  fcps_error error = {0};
  for (int row = 0; row < 4; row++) {
    fcps_experiment_run_result single;
    assert_ok(fcps_experiment_run_one(experiment, folder.path, labels[row], 1, NULL, NULL, &error));
    assert_ok(fcps_experiment_run_result_read(&single, experiment, folder.path, row, 1, &error));
    optimum[row] = single.optimum;
    fcps_experiment_run_result_destroy(&single);
    assert_int_equal(fcps_experiment_first_in_world(experiment, row), row % 2);
  }
  assert_true(optimum[0] < optimum[1] && optimum[1] < 0); /* an arm of few joints must bend them more */
  assert_true(isnan(optimum[2]) && isnan(optimum[3]));
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

/* A finished run counts only for the experiment that it belongs to. */
static void another_setting_protocol_or_program_is_another_run(void **state)
{
  (void)state;
  static const char *const others[] = {
      SHORT_HEAD "learners: [{label: good, learner: random, settings: {kernel: matern32}}]\n",
      SHORT_HEAD "learners: [{label: good, learner: bo-cps, settings: {kernel: se}}]\n",
      SHORT_HEAD EXAMPLE_BOXES "learners: [{label: good, learner: random, settings: {kernel: se}}]\n",
      "name: example\ntitle: t\ntask: {name: cannon, settings: {grid: 4}}\nepisodes: 6\nevaluate: 4\n" EXAMPLE_LEARNERS,
      "name: example\ntitle: t\ntask: {name: cannon, settings: {grid: 3}}\nepisodes: 7\nevaluate: 4\n" EXAMPLE_LEARNERS,
      "name: example\ntitle: t\ntask: {name: cannon, settings: {grid: 3}}\nepisodes: 6\nevaluate: 5\n" EXAMPLE_LEARNERS,
  };
  const test_folder folder = folder_create();
  fcps_experiment *experiment = example_open(&folder, SHORT_HEAD EXAMPLE_LEARNERS);
  fcps_error error = {0};
  assert_ok(fcps_experiment_run_one(experiment, folder.path, "good", 1, NULL, NULL, &error));
  assert_true(fcps_experiment_run_result_is_done(experiment, folder.path, 0, 1));
  assert_ok(
      fcps_experiment_set_program(experiment, folder_file(&folder, "example.yaml"), &error)); /* any file will do */
  assert_false(fcps_experiment_run_result_is_done(experiment, folder.path, 0, 1));
  fcps_experiment_destroy(experiment);
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    experiment = example_open(&folder, others[i]);
    if (fcps_experiment_run_result_is_done(experiment, folder.path, 0, 1))
      fail_msg("taken for the same run:\n%s", others[i]);
    fcps_experiment_destroy(experiment);
  }
  folder_remove(&folder);
}

static void a_damaged_file_is_no_finished_run(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_experiment *experiment = example_open(&folder, SHORT_HEAD EXAMPLE_LEARNERS);
  fcps_error error = {0};
  assert_ok(fcps_experiment_run_one(experiment, folder.path, "bad", 1, NULL, NULL, &error));
  const char *path = folder_file(&folder, "example/runs/bad-seed1.json");
  char *text = file_text(path);
  text[strlen(text) / 2] = '\0';
  file_write(path, text);
  free(text);
  assert_false(fcps_experiment_run_result_is_done(experiment, folder.path, 1, 1));
  fcps_experiment_run_result single;
  assert_status(fcps_experiment_run_result_read(&single, experiment, folder.path, 1, 1, &error), FCPS_ERR_FORMAT);
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

static bool stop_at_once(void *user)
{
  (void)user;
  return true;
}

static void a_run_that_is_stopped_or_refused_leaves_nothing(void **state)
{
  (void)state;
  const test_folder folder = folder_create();
  fcps_experiment *experiment = example_open(&folder, SHORT_HEAD EXAMPLE_LEARNERS);
  fcps_error error = {0};
  assert_status(fcps_experiment_run_one(experiment, folder.path, "good", 1, stop_at_once, NULL, &error),
                FCPS_ERR_STOPPED);
  assert_status(fcps_experiment_run_one(experiment, folder.path, "ugly", 1, NULL, NULL, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_int_equal(fcps_experiment_done_count(experiment, folder.path), 0);
  assert_status(fcps_experiment_run_one(experiment, "/dev/null", "good", 1, NULL, NULL, &error), FCPS_ERR_IO);
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

static bool stop_after(void *user)
{
  int *left = user;
  return (*left)-- == 0;
}

/* Six episodes are asked for six times whether to stop; a run that goes on only for those that are left. */
static void a_run_that_was_cut_off_goes_on_to_the_same_bytes(void **state)
{
  (void)state;
  const test_folder whole = folder_create(), parts = folder_create();
  fcps_experiment *experiment = example_open(&whole, SHORT_HEAD EXAMPLE_LEARNERS);
  fcps_error error = {0};
  assert_ok(fcps_experiment_run_one(experiment, whole.path, "good", 1, NULL, NULL, &error));

  int left = 5;
  assert_status(fcps_experiment_run_one(experiment, parts.path, "good", 1, stop_after, &left, &error),
                FCPS_ERR_STOPPED);
  assert_false(fcps_experiment_run_result_is_done(experiment, parts.path, 0, 1));
  left = 100;
  assert_ok(fcps_experiment_run_one(experiment, parts.path, "good", 1, stop_after, &left, &error));
  assert_int_equal(left, 99);
  assert_same_file(folder_file(&whole, "example/runs/good-seed1.json"),
                   folder_file(&parts, "example/runs/good-seed1.json"));

  /* a study of another program is begun again, and so is a damaged one */
  assert_ok(fcps_experiment_set_program(experiment, folder_file(&whole, "example.yaml"), &error));
  left = 100;
  assert_ok(fcps_experiment_run_one(experiment, parts.path, "good", 1, stop_after, &left, &error));
  assert_int_equal(left, 94);
  file_write(folder_file(&parts, "example/runs/good-seed1.fcps"), "this is not a study, and not even a database");
  assert_ok(fcps_experiment_run_one(experiment, parts.path, "good", 1, NULL, NULL, &error));
  fcps_experiment_destroy(experiment);
  folder_remove(&whole);
  folder_remove(&parts);
}

static void contexts_come_from_the_boxes_by_their_volume(void **state)
{
  (void)state;
  enum { DRAWS = 4000 };
  const test_folder folder = folder_create();
  fcps_experiment *experiment = example_open(
      &folder, EXAMPLE_HEAD "contexts: {boxes: [{x: [-11, -8], y: [0, 1]}, {x: [2, 11]}]}\n" EXAMPLE_LEARNERS);
  const fcps_problem *problem = fcps_experiment_problem(experiment);
  int first = 0;
  double target[2], again[2], sum = 0;
  for (int i = 0; i < DRAWS; i++) {
    fcps_boxes_draw(problem, experiment->box_count, experiment->boxes, 5, i, target, NULL);
    assert_true(fcps_boxes_contain(problem, experiment->box_count, experiment->boxes, target, NULL));
    first += target[0] < 0;
    sum += target[1];
    fcps_boxes_draw(problem, experiment->box_count, experiment->boxes, 5, i, again, NULL);
    assert_memory_equal(target, again, sizeof target);
  }
  /* volumes 3 and 198: the first box gets 1.5 % of the draws, within four deviations */
  const double share = 3.0 / 201.0;
  assert_near(first / (double)DRAWS, share, 4 * sqrt(share / DRAWS));
  assert_near(sum / DRAWS, 0, 4 * 22 / sqrt(12.0 * DRAWS));
  const double border[2] = {2, 11}, outside[2] = {1.9, 0};
  assert_true(fcps_boxes_contain(problem, experiment->box_count, experiment->boxes, border, NULL));
  assert_false(fcps_boxes_contain(problem, experiment->box_count, experiment->boxes, outside, NULL));
  fcps_experiment_destroy(experiment);
  folder_remove(&folder);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_leaves_its_numbers),
      cmocka_unit_test(rows_with_another_task_have_another_optimum),
      cmocka_unit_test(another_setting_protocol_or_program_is_another_run),
      cmocka_unit_test(a_damaged_file_is_no_finished_run),
      cmocka_unit_test(a_run_that_is_stopped_or_refused_leaves_nothing),
      cmocka_unit_test(a_run_that_was_cut_off_goes_on_to_the_same_bytes),
      cmocka_unit_test(contexts_come_from_the_boxes_by_their_volume),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
