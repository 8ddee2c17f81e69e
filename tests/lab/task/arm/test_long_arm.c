/* SPDX-License-Identifier: Apache-2.0 */
/* The long arm and its poses (long_arm.c, pose.c): kinematics, reward, gradient, and the least bent pose as the
 * optimum. */
#include "base/rng.h"
#include "check.h"
#include "lab/task/arm/long_arm.h"
#include "optim/optim.h"

#include <fcps/lab/task.h>

#include <stdio.h>
#include <string.h>

static const double effort = 0.1; /* of the mean square of the angles */

static fcps_task *make(const char *joints)
{
  fcps_task *task = NULL;
  fcps_error error;
  const fcps_setting settings[] = {{"joints", joints}, {NULL, NULL}};
  assert_ok(fcps_task_create(&task, "long-arm", settings, 1, &error));
  return task;
}

/* Bent by the same angle b at each of n joints, the arm is a polygon in a circle:
 *   hand = sin(n b/2) / (n sin(b/2)) (cos, sin)((n + 1) b/2) */
static void an_even_bend_puts_the_hand_on_a_circle(void **state)
{
  (void)state;
  const double bends[] = {1e-3, 0.05, -0.3, 0.9};
  fcps_task *task = make("30");
  for (int i = 0; i < 4; i++) {
    const double b = bends[i], chord = sin(15 * b) / (30 * sin(b / 2));
    double angles[30], hand[2];
    fcps_rollout result;
    for (int j = 0; j < 30; j++)
      angles[j] = b;
    assert_ok(fcps_task_run(task, i, NULL, angles, hand, &result));
    assert_non_null(result.outcome);
    assert_near(hand[0], chord * cos(15.5 * b), 1e-13);
    assert_near(hand[1], chord * sin(15.5 * b), 1e-13);
  }
  fcps_task_destroy(task);
}

static void the_reward_is_the_miss_and_the_effort(void **state)
{
  (void)state;
  fcps_task *task = make("10");
  const fcps_problem *p = fcps_task_problem(task);
  double angles[20], hands[4] = {0.1, 0.2, 0.5, -0.5}, rewards[2];
  const double target[2] = {0.4, -0.2}; /* 0.5 from the first hand */
  const bool present[2] = {true, false};
  for (int j = 0; j < 20; j++)
    angles[j] = j % 2 == 0 ? 0.5 : -0.5;
  assert_ok(p->reward(p->user, 2, target, NULL, angles, hands, present, rewards));
  assert_near(rewards[0], -0.5 - effort * 0.25, 1e-14);
  assert_true(isnan(rewards[1]));
  fcps_task_destroy(task);
}

static void the_gradient_agrees_with_differences(void **state)
{
  (void)state;
  fcps_task *task = make("10");
  const fcps_problem *p = fcps_task_problem(task);
  const double target[2] = {0.1, -0.2}, step = 1e-6;
  const bool present = true;
  double all[12] = {0.4, 0.3, 0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8, 0.9, -1}, slopes[12]; /* hand, then angles */
  assert_ok(p->gradient(p->user, 1, target, NULL, all + 2, all, slopes, slopes + 2));
  for (int i = 0; i < 12; i++) {
    double up, down;
    all[i] += step;
    assert_ok(p->reward(p->user, 1, target, NULL, all + 2, all, &present, &up));
    all[i] -= 2 * step;
    assert_ok(p->reward(p->user, 1, target, NULL, all + 2, all, &present, &down));
    all[i] += step;
    assert_near(slopes[i], (up - down) / (2 * step), 1e-8);
  }
  fcps_task_destroy(task);
}

/* For every target in the square and every number of joints that the task allows: on target, and within the limits. */
static void least_bent_poses_reach_their_targets(void **state)
{
  (void)state;
  const int joints[] = {10, 13, 20, 50, 100};
  for (int k = 0; k < 5; k++)
    for (int i = 0; i < 49; i++) {
      const double target[2] = {0.2 * (i / 7) - 0.6, 0.2 * (i % 7) - 0.6};
      double angles[FCPS_ARM_MOST_JOINTS], hand[2], sum = 0;
      const double bend = fcps_arm_least_bent(joints[k], target, angles);
      fcps_arm_hand(joints[k], angles, hand);
      assert_near(hand[0], target[0], 1e-9);
      assert_near(hand[1], target[1], 1e-9);
      for (int j = 0; j < joints[k]; j++) {
        assert_true(fabs(angles[j]) < 1);
        sum += angles[j] * angles[j];
      }
      assert_near(bend, sum / joints[k], 1e-14);
    }
}

typedef struct reach_problem {
  int joints;
  double target[2], blur;
} reach_problem;

/* The reward of angles = 2 x - 1, its edge rounded off by `blur`, with differences for the gradient: nothing in common
 * with how the best pose is computed. */
static double blurred_reward(const reach_problem *w, const double *x)
{
  double angles[FCPS_ARM_MOST_JOINTS], hand[2], sum = 0;
  for (int j = 0; j < w->joints; j++) {
    angles[j] = 2 * x[j] - 1;
    sum += angles[j] * angles[j];
  }
  fcps_arm_hand(w->joints, angles, hand);
  const double miss = hypot(w->target[0] - hand[0], w->target[1] - hand[1]);
  return -hypot(miss, w->blur) - effort * sum / w->joints;
}

static double climb(void *user, int n, const double *x, double *gradient)
{
  double moved[FCPS_ARM_MOST_JOINTS];
  memcpy(moved, x, (size_t)n * sizeof(double));
  for (int j = 0; j < n && gradient != NULL; j++) {
    const double step = 1e-6;
    moved[j] = x[j] + step;
    const double up = blurred_reward(user, moved);
    moved[j] = x[j] - step;
    gradient[j] = (up - blurred_reward(user, moved)) / (2 * step);
    moved[j] = x[j];
  }
  return blurred_reward(user, x);
}

/* The best of random poses, each climbed from with an edge that becomes sharper and sharper. */
static double best_climb(reach_problem *w, int starts, fcps_rng *rng)
{
  double best = -INFINITY, x[FCPS_ARM_MOST_JOINTS];
  for (int s = 0; s < starts; s++) {
    const double spread = s % 3 == 0 ? 0.5 : s % 3 == 1 ? 0.1 : 0.0, bend = 0.4 * (fcps_rng_uniform(rng) - 0.5);
    for (int j = 0; j < w->joints; j++)
      x[j] = fmin(fmax(0.5 + bend + spread * (2 * fcps_rng_uniform(rng) - 1), 0), 1);
    for (w->blur = 0.1; w->blur > 1e-5; w->blur *= 0.2) {
      const fcps_objective objective = {.n = w->joints, .value = climb, .user = w};
      fcps_optimum optimum;
      assert_ok(fcps_lbfgsb_maximize(&objective, 200, 1e-12, x, &optimum));
    }
    w->blur = 0;
    best = fmax(best, blurred_reward(w, x));
  }
  return best;
}

/* What climbs find is near the best pose, and never better. */
static void nothing_earns_more_than_the_least_bent_pose(void **state)
{
  (void)state;
  const double targets[4][2] = {{0.55, -0.3}, {-0.6, -0.6}, {0.05, 0.1}, {-0.4, 0.02}};
  for (int i = 0; i < 4; i++) {
    reach_problem w = {.joints = 20, .target = {targets[i][0], targets[i][1]}};
    fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, (uint64_t)i);
    double angles[FCPS_ARM_MOST_JOINTS], x[FCPS_ARM_MOST_JOINTS];
    const double best = -effort * fcps_arm_least_bent(20, targets[i], angles);
    const double climbed = best_climb(&w, 60, &rng);
    assert_true(climbed <= best + 1e-9);
    assert_near(climbed, best, 1e-5);
    for (int r = 0; r < 5000; r++) {
      for (int j = 0; j < 20; j++)
        x[j] = r % 2 == 0 ? fcps_rng_uniform(&rng) : 0.5 * (1 + angles[j]) + 0.01 * fcps_rng_normal(&rng);
      assert_true(blurred_reward(&w, x) <= best);
    }
  }
}

static void the_optimum_is_the_mean_over_the_evaluation(void **state)
{
  (void)state;
  fcps_task *task = make("20");
  const fcps_evaluation *evaluation = fcps_task_evaluation(task);
  double sum = 0, angles[20];
  assert_int_equal(evaluation->count, 36);
  assert_int_equal(evaluation->columns, 6);
  for (int i = 0; i < evaluation->count; i++)
    sum -= effort * fcps_arm_least_bent(20, evaluation->targets + 2 * i, angles);
  assert_near(fcps_task_optimum(task), sum / 36, 1e-14);
  assert_true(fcps_task_optimum(task) < -0.001 && fcps_task_optimum(task) > -0.01);
  fcps_task_destroy(task);
}

static void contexts_fill_the_square_and_differ_between_seeds(void **state)
{
  (void)state;
  fcps_task *task = make("20"), *other = NULL;
  fcps_error error;
  assert_ok(fcps_task_create(&other, "long-arm", NULL, 2, &error));
  int quadrants[4] = {0};
  for (int e = 0; e < 400; e++) {
    double target[2], elsewhere[2];
    fcps_task_context(task, e, target, NULL);
    fcps_task_context(other, e, elsewhere, NULL);
    assert_true(fabs(target[0]) <= 0.6 && fabs(target[1]) <= 0.6);
    assert_true(target[0] != elsewhere[0]);
    quadrants[2 * (target[0] > 0) + (target[1] > 0)]++;
  }
  for (int q = 0; q < 4; q++)
    assert_true(quadrants[q] > 60);
  fcps_task_destroy(task);
  fcps_task_destroy(other);
}

static void as_many_joints_as_asked_for_or_an_error(void **state)
{
  (void)state;
  const char *const wrong[] = {"9", "101", "-3", "20.5", "many"};
  const fcps_status statuses[] = {FCPS_ERR_BOUNDS, FCPS_ERR_BOUNDS, FCPS_ERR_BOUNDS, FCPS_ERR_ARGUMENT,
                                  FCPS_ERR_ARGUMENT};
  fcps_error error;
  fcps_task *task = make("100");
  const fcps_space *parameters = &fcps_task_problem(task)->parameters;
  assert_int_equal(parameters->count, 100);
  assert_string_equal(parameters->dims[0].name, "j1");
  assert_string_equal(parameters->dims[99].name, "j100");
  fcps_task_destroy(task);
  for (int i = 0; i < 5; i++) {
    const fcps_setting settings[] = {{"joints", wrong[i]}, {NULL, NULL}};
    assert_status(fcps_task_create(&task, "long-arm", settings, 1, &error), statuses[i]);
    assert_null(task);
    assert_string_equal(error.field, "joints");
    if (statuses[i] == FCPS_ERR_BOUNDS) assert_non_null(strstr(error.message, "10 to 100"));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_even_bend_puts_the_hand_on_a_circle),
      cmocka_unit_test(the_reward_is_the_miss_and_the_effort),
      cmocka_unit_test(the_gradient_agrees_with_differences),
      cmocka_unit_test(least_bent_poses_reach_their_targets),
      cmocka_unit_test(nothing_earns_more_than_the_least_bent_pose),
      cmocka_unit_test(the_optimum_is_the_mean_over_the_evaluation),
      cmocka_unit_test(contexts_fill_the_square_and_differ_between_seeds),
      cmocka_unit_test(as_many_joints_as_asked_for_or_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
