/* SPDX-License-Identifier: Apache-2.0 */
/* The cannon as a task: spaces, contexts, noise, reward, evaluation, refusals. */
#include <fcps/lab/task.h>

#include "base/rng.h"
#include "check.h"
#include "format/csv.h"
#include "lab/task/cannon/cannon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double PI = 3.141592653589793;

static fcps_task *create(uint64_t seed, const fcps_setting *settings)
{
  fcps_task *task = NULL;
  fcps_error error = {0};
  if (fcps_task_create(&task, "cannon", settings, seed, &error) != FCPS_OK) fail_msg("%s", error.message);
  return task;
}

static void shoot(fcps_task *task, int64_t episode, const double *parameters, double *landing)
{
  fcps_rollout result;
  assert_ok(fcps_task_run(task, episode, NULL, parameters, landing, &result));
  assert_int_equal(result.status, FCPS_ROLLOUT_OK);
  assert_non_null(result.outcome);
}

static double reward_of(const fcps_task *task, const double *target, const double *parameters, const double *outcome)
{
  const fcps_problem *problem = fcps_task_problem(task);
  const bool present = outcome != NULL;
  double reward = 0.0;
  assert_ok(problem->reward(problem->user, 1, target, NULL, parameters, outcome, &present, &reward));
  return reward;
}

static void its_spaces_are_the_papers(void **state)
{
  (void)state;
  fcps_task *task = create(1, NULL);
  const fcps_problem *problem = fcps_task_problem(task);
  assert_int_equal(problem->target.count, 2);
  assert_int_equal(problem->environment.count, 0);
  assert_int_equal(problem->parameters.count, 3);
  assert_int_equal(problem->outcome.count, 2);
  assert_near(problem->parameters.dims[0].upper, 2.0 * PI, 1e-15);
  assert_near(problem->parameters.dims[0].period, 2.0 * PI, 1e-15);
  assert_near(problem->parameters.dims[1].upper, PI / 2.0 - 0.2, 1e-15);
  assert_near(problem->parameters.dims[2].upper, 5.0, 0.0);
  assert_true(problem->is_distance);
  fcps_task_destroy(task);
}

static void contexts_fill_the_square_evenly(void **state)
{
  (void)state;
  fcps_task *task = create(4, NULL);
  enum { EPISODES = 20000, CELLS = 8 };
  int counts[CELLS * CELLS] = {0};
  for (int64_t episode = 0; episode < EPISODES; episode++) {
    double target[2];
    fcps_task_context(task, episode, target, NULL);
    const int column = (int)floor((target[0] + 11.0) / 22.0 * CELLS);
    const int row = (int)floor((target[1] + 11.0) / 22.0 * CELLS);
    assert_in_range(column, 0, CELLS - 1);
    assert_in_range(row, 0, CELLS - 1);
    counts[CELLS * row + column]++;
  }
  /* chi-square with 63 degrees of freedom: 120 is exceeded once in 10^5 */
  double chi_square = 0.0;
  const double expected = (double)EPISODES / (CELLS * CELLS);
  for (int i = 0; i < CELLS * CELLS; i++)
    chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
  assert_true(chi_square < 120.0);
  fcps_task_destroy(task);
}

static void contexts_can_be_kept_to_two_quadrants(void **state)
{
  (void)state;
  fcps_task *task = create(4, (const fcps_setting[]){{"targets", "two-quadrants"}, {NULL, NULL}});
  int upper = 0;
  for (int64_t episode = 0; episode < 1000; episode++) {
    double target[2];
    fcps_task_context(task, episode, target, NULL);
    assert_true(target[0] * target[1] <= 0.0);
    upper += target[1] > 0.0;
  }
  assert_in_range(upper, 400, 600);
  fcps_task_destroy(task);
}

static void contexts_and_noise_are_those_of_the_episode_and_seed(void **state)
{
  (void)state;
  fcps_task *a = create(9, NULL), *b = create(9, NULL), *c = create(10, NULL);
  const double shot[3] = {1.0, 0.4, 4.0};
  double ta[2], tb[2], tc[2], la[2], lb[2], unused[2];
  shoot(a, 3, shot, unused); /* earlier runs make no difference */
  fcps_task_context(a, 17, ta, NULL);
  fcps_task_context(b, 17, tb, NULL);
  fcps_task_context(c, 17, tc, NULL);
  shoot(a, 17, shot, la);
  shoot(b, 17, shot, lb);
  assert_memory_equal(ta, tb, sizeof ta);
  assert_memory_equal(la, lb, sizeof la);
  assert_true(ta[0] != tc[0]);
  fcps_task_destroy(a);
  fcps_task_destroy(b);
  fcps_task_destroy(c);
}

/* On flat ground with exact landing the tilt can be read back from the range: noise must be all in the tilt, and have
 * the deviation of the setting. */
static void noise_disturbs_the_tilt_alone(void **state)
{
  (void)state;
  const fcps_setting settings[] = {{"hills", "0"}, {"landing", "exact"}, {"noise_deg", "2"}, {NULL, NULL}};
  fcps_task *task = create(5, settings);
  const double shot[3] = {0.7, 0.35, 4.0};
  enum { SHOTS = 4000 };
  double sum = 0.0, sum_of_squares = 0.0;
  for (int64_t episode = 0; episode < SHOTS; episode++) {
    double landing[2];
    shoot(task, episode, shot, landing);
    assert_near(atan2(landing[1], landing[0]), shot[0], 1e-9);
    const double tilt = 0.5 * asin(fmin(1.0, hypot(landing[0], landing[1]) * FCPS_CANNON_GRAVITY / 16.0));
    sum += tilt - shot[1];
    sum_of_squares += (tilt - shot[1]) * (tilt - shot[1]);
  }
  const double deviation = 2.0 * PI / 180.0;
  assert_true(fabs(sum / SHOTS) < 5.0 * deviation / sqrt(SHOTS));
  assert_near(sqrt(sum_of_squares / SHOTS) / deviation, 1.0, 5.0 / sqrt(2.0 * SHOTS));

  double quiet[2];
  shoot(task, -1, shot, quiet);
  assert_near(hypot(quiet[0], quiet[1]), 16.0 * sin(0.7) / FCPS_CANNON_GRAVITY, 1e-9);
  fcps_task_destroy(task);
}

static void the_reward_is_the_distance_and_the_price_of_speed(void **state)
{
  (void)state;
  fcps_task *task = create(1, NULL);
  const double target[2] = {3.0, -2.0}, shot[3] = {1.0, 0.5, 4.0}, outcome[2] = {6.0, 2.0};
  assert_near(reward_of(task, target, shot, outcome), -5.0 - 0.05 * 16.0, 1e-14);
  assert_true(isnan(reward_of(task, target, shot, NULL)));
  fcps_task_destroy(task);
}

static void the_reward_gradient_agrees_with_differences(void **state)
{
  (void)state;
  fcps_task *task = create(1, NULL);
  const fcps_problem *problem = fcps_task_problem(task);
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  const double step = 1e-6;
  for (int trial = 0; trial < 100; trial++) {
    double target[2], point[5], by_outcome[2], by_parameters[3];
    for (int i = 0; i < 2; i++)
      target[i] = 20.0 * fcps_rng_uniform(&rng) - 10.0;
    for (int i = 0; i < 5; i++)
      point[i] = i < 3 ? 0.2 + fcps_rng_uniform(&rng) : 20.0 * fcps_rng_uniform(&rng) - 10.0;
    assert_ok(problem->gradient(problem->user, 1, target, NULL, point, point + 3, by_outcome, by_parameters));
    for (int i = 0; i < 5; i++) {
      double above[5], below[5];
      memcpy(above, point, sizeof point);
      memcpy(below, point, sizeof point);
      above[i] += step;
      below[i] -= step;
      const double difference =
          (reward_of(task, target, above, above + 3) - reward_of(task, target, below, below + 3)) / (2.0 * step);
      assert_near(i < 3 ? by_parameters[i] : by_outcome[i - 3], difference, 1e-6);
    }
  }
  /* at the target itself there is no direction, and no NaN */
  const double target[2] = {1.0, 2.0}, shot[3] = {1.0, 0.5, 2.0};
  double by_outcome[2], by_parameters[3];
  assert_ok(problem->gradient(problem->user, 1, target, NULL, shot, target, by_outcome, by_parameters));
  assert_near(by_outcome[0], 0.0, 0.0);
  fcps_task_destroy(task);
}

static void what_was_hit_is_the_achieved_target(void **state)
{
  (void)state;
  fcps_task *task = create(1, NULL);
  const fcps_problem *problem = fcps_task_problem(task);
  const double outcomes[4] = {1.0, 2.0, 23.5, -4.0};
  double targets[4];
  assert_ok(problem->achieved(problem->user, 2, NULL, outcomes, targets));
  assert_memory_equal(targets, outcomes, sizeof targets);
  fcps_task_destroy(task);
}

static void the_evaluation_is_a_grid_with_borders(void **state)
{
  (void)state;
  fcps_task *task = create(1, NULL);
  const fcps_evaluation *evaluation = fcps_task_evaluation(task);
  assert_int_equal(evaluation->count, 225);
  assert_int_equal(evaluation->columns, 15);
  assert_near(evaluation->targets[0], -11.0, 0.0);
  assert_near(evaluation->targets[1], -11.0, 0.0);
  assert_near(evaluation->targets[2], -11.0, 0.0); /* the first dimension is slowest */
  assert_near(evaluation->targets[3], -11.0 + 22.0 / 14.0, 1e-14);
  assert_near(evaluation->targets[2 * 224], 11.0, 1e-14);
  assert_near(evaluation->targets[2 * 224 + 1], 11.0, 1e-14);
  fcps_task_destroy(task);
}

/* A uniform policy earns about -11.5, whatever the hills. */
static void random_shots_earn_what_is_known_of_them(void **state)
{
  (void)state;
  enum { WORLDS = 10, SHOTS = 2000 };
  double sum = 0.0;
  for (uint64_t seed = 1; seed <= WORLDS; seed++) {
    fcps_task *task = create(seed, NULL);
    fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, 0);
    for (int64_t episode = 0; episode < SHOTS; episode++) {
      const fcps_space *space = &fcps_task_problem(task)->parameters;
      double target[2], shot[3], landing[2];
      for (int i = 0; i < 3; i++) {
        shot[i] = space->dims[i].lower + (space->dims[i].upper - space->dims[i].lower) * fcps_rng_uniform(&rng);
      }
      fcps_task_context(task, episode, target, NULL);
      shoot(task, episode, shot, landing);
      sum += reward_of(task, target, shot, landing) / (WORLDS * SHOTS);
    }
    fcps_task_destroy(task);
  }
  assert_near(sum / -11.45, 1.0, 0.02);
}

static void the_optimum_is_near_the_prices_of_speed(void **state)
{
  (void)state;
  fcps_task *flat = create(1, (const fcps_setting[]){{"hills", "0"}, {"landing", "exact"}, {NULL, NULL}});
  const fcps_evaluation *evaluation = fcps_task_evaluation(flat);
  double mean = 0.0;
  for (int i = 0; i < evaluation->count; i++) {
    const double *target = evaluation->targets + 2 * i;
    mean -= 0.05 * FCPS_CANNON_GRAVITY * hypot(target[0], target[1]) / evaluation->count;
  }
  assert_near(fcps_task_optimum(flat), mean, 1e-5); /* the slowest ball cannot quite hit its own feet */
  fcps_task_destroy(flat);

  fcps_task *hilly = create(1, NULL);
  assert_near(fcps_task_optimum(hilly), -0.466, 0.005);
  assert_true(fcps_task_optimum(hilly) == fcps_task_optimum(hilly));
  fcps_task_destroy(hilly);
}

static void wrong_names_and_values_are_refused_with_the_right_ones(void **state)
{
  (void)state;
  fcps_task *task = NULL;
  fcps_error error = {0};
  assert_status(fcps_task_create(&task, "canon", NULL, 1, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_null(task);
  assert_string_equal(error.field, "task");
  assert_non_null(strstr(error.message, "did you mean cannon"));

  const fcps_setting unknown[] = {{"hill", "3"}, {NULL, NULL}}, outside[] = {{"hills", "65"}, {NULL, NULL}};
  assert_status(fcps_task_create(&task, "cannon", unknown, 1, &error), FCPS_ERR_UNKNOWN_NAME);
  assert_non_null(strstr(error.message, "hills"));
  assert_status(fcps_task_create(&task, "cannon", outside, 1, &error), FCPS_ERR_BOUNDS);
  assert_string_equal(error.field, "hills");

  task = create(1, NULL);
  double landing[2];
  fcps_rollout result;
  const double fast[3] = {1.0, 0.5, 6.0}, broken[3] = {1.0, NAN, 3.0};
  assert_status(fcps_task_run(task, 0, NULL, fast, landing, &result), FCPS_ERR_BOUNDS);
  assert_string_equal(fcps_task_error(task)->field, "parameters.speed");
  assert_status(fcps_task_run(task, 0, NULL, broken, landing, &result), FCPS_ERR_NOT_FINITE);
  assert_string_equal(fcps_task_error(task)->field, "parameters.tilt");
  fcps_task_destroy(task);
}

static int rows_of(const char *directory, const char *name)
{
  char path[256];
  fcps_csv csv;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  assert_ok(fcps_csv_read_file(&csv, path, NULL));
  const int rows = csv.rows;
  fcps_csv_destroy(&csv);
  assert_int_equal(remove(path), 0);
  return rows;
}

static void its_picture_has_ground_marks_and_flights(void **state)
{
  (void)state;
  fcps_task *task = create(1, NULL);
  char directory[] = "/tmp/fcps-sketch-XXXXXX";
  assert_non_null(mkdtemp(directory));
  const double targets[4] = {5.0, 5.0, -3.0, 1.0};
  assert_ok(fcps_task_sketch(task, 2, targets, NULL, NULL, directory));
  assert_int_equal(rows_of(directory, "surface.csv"), 101 * 101);
  assert_int_equal(rows_of(directory, "marks.csv"), 1 + 2 * 2);
  assert_int_equal(rows_of(directory, "paths.csv"), 2 * 60);
  rmdir(directory);
  assert_status(fcps_task_sketch(task, 2, targets, NULL, NULL, directory), FCPS_ERR_IO);
  fcps_task_destroy(task);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(its_spaces_are_the_papers),
      cmocka_unit_test(contexts_fill_the_square_evenly),
      cmocka_unit_test(contexts_can_be_kept_to_two_quadrants),
      cmocka_unit_test(contexts_and_noise_are_those_of_the_episode_and_seed),
      cmocka_unit_test(noise_disturbs_the_tilt_alone),
      cmocka_unit_test(the_reward_is_the_distance_and_the_price_of_speed),
      cmocka_unit_test(the_reward_gradient_agrees_with_differences),
      cmocka_unit_test(what_was_hit_is_the_achieved_target),
      cmocka_unit_test(the_evaluation_is_a_grid_with_borders),
      cmocka_unit_test(random_shots_earn_what_is_known_of_them),
      cmocka_unit_test(the_optimum_is_near_the_prices_of_speed),
      cmocka_unit_test(wrong_names_and_values_are_refused_with_the_right_ones),
      cmocka_unit_test(its_picture_has_ground_marks_and_flights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
