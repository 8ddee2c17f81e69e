/* SPDX-License-Identifier: Apache-2.0 */
/* Motions: stepping, sequences, invariances, order of convergence, and the pre-flight check. */
#include "check.h"

#include <fcps/primitive.h>

#include <stdlib.h>
#include <string.h>

/* A wavy primitive of two dimensions. */
static fcps_primitive *wavy(bool fades_in)
{
  fcps_primitive_settings settings = fcps_primitive_settings_default(2);
  settings.fades_in = fades_in;
  fcps_primitive *primitive;
  double weights[50];
  for (int i = 0; i < 50; i++)
    weights[i] = 80 * sin(0.7 * i + 1);
  assert_ok(fcps_primitive_create(&primitive, &settings, NULL));
  assert_ok(fcps_primitive_set_weights(primitive, weights, NULL));
  return primitive;
}

static fcps_motion *aimed(const fcps_primitive *primitive, double duration, double dt)
{
  fcps_motion *motion;
  assert_ok(
      fcps_motion_create(&motion, 1, &(fcps_motion_part){.primitive = primitive, .duration = duration}, dt, NULL));
  assert_ok(fcps_motion_set_goal(motion, 0, (double[]){1, -0.5}, (double[]){0.6 / duration, 0.4 / duration}));
  return motion;
}

static const double start[] = {0.3, 0.1};

static void steps_give_the_rows_of_the_trajectory(void **state)
{
  (void)state;
  fcps_primitive *primitive = wavy(true);
  fcps_motion *motion = aimed(primitive, 0.5, 0.01);
  double positions[51 * 2], velocities[51 * 2], accelerations[50 * 2];
  assert_int_equal(fcps_motion_step_count(motion), 50);
  fcps_motion_trajectory(motion, start, NULL, positions, velocities, accelerations);
  double y[2] = {start[0], start[1]}, v[2] = {0, 0}, a[2];
  for (int k = 0; k < 50; k++) {
    assert_memory_equal(y, positions + 2 * k, sizeof y);
    assert_memory_equal(v, velocities + 2 * k, sizeof v);
    fcps_motion_step(motion, k, y, v, a);
    assert_memory_equal(a, accelerations + 2 * k, sizeof a);
  }
  /* past the end the position stays */
  fcps_motion_step(motion, 50, y, v, a);
  assert_memory_equal(y, positions + 100, sizeof y);
  assert_true(v[0] == 0 && v[1] == 0 && a[0] == 0);
  fcps_motion_destroy(motion);
  fcps_primitive_destroy(primitive);
}

static void the_shape_does_not_change_with_the_duration(void **state)
{
  (void)state;
  fcps_primitive *primitive = wavy(true);
  fcps_motion *fast = aimed(primitive, 0.5, 0.001), *slow = aimed(primitive, 2, 0.004);
  double y[2][2] = {{start[0], start[1]}, {start[0], start[1]}}, v[2][2] = {{0, 0}, {0, 0}};
  assert_int_equal(fcps_motion_step_count(fast), fcps_motion_step_count(slow));
  for (int k = 0; k < 500; k++) {
    fcps_motion_step(fast, k, y[0], v[0], NULL);
    fcps_motion_step(slow, k, y[1], v[1], NULL);
    for (int j = 0; j < 2; j++) {
      assert_near(y[1][j], y[0][j], 1e-11);
      assert_near(4 * v[1][j], v[0][j], 1e-11);
    }
  }
  fcps_motion_destroy(fast);
  fcps_motion_destroy(slow);
  fcps_primitive_destroy(primitive);
}

/* Distance of the end point from that of a very small step. */
static double end_error(const fcps_primitive *primitive, double dt, const double *exact, double *end)
{
  fcps_motion *motion = aimed(primitive, 1, dt);
  double v[2] = {0, 0};
  end[0] = start[0], end[1] = start[1];
  for (int k = 0; k < fcps_motion_step_count(motion) / 2; k++)
    fcps_motion_step(motion, k, end, v, NULL);
  fcps_motion_destroy(motion);
  return exact != NULL ? hypot(end[0] - exact[0], end[1] - exact[1]) : 0;
}

static void halving_the_step_halves_the_error(void **state)
{
  (void)state;
  fcps_primitive *primitive = wavy(true);
  double exact[2], end[2];
  end_error(primitive, 1.0 / 1024000, NULL, exact);
  double last = end_error(primitive, 1.0 / 500, exact, end);
  for (int n = 1000; n <= 8000; n *= 2) {
    const double next = end_error(primitive, 1.0 / n, exact, end);
    assert_near(last / next, 2, 0.05);
    last = next;
  }
  fcps_primitive_destroy(primitive);
}

static void fading_in_removes_the_jump_of_the_acceleration(void **state)
{
  (void)state;
  for (int fades = 0; fades < 2; fades++) {
    fcps_primitive_settings settings = fcps_primitive_settings_default(1);
    settings.fades_in = fades;
    fcps_primitive *primitive;
    fcps_motion *motion;
    assert_ok(fcps_primitive_create(&primitive, &settings, NULL));
    assert_ok(fcps_motion_create(&motion, 1, &(fcps_motion_part){primitive, 1, false}, 0.001, NULL));
    assert_ok(fcps_motion_set_goal(motion, 0, (double[]){1}, NULL));
    double y = 0, v = 0, a;
    fcps_motion_step(motion, 0, &y, &v, &a);
    assert_near(a, fades ? 0 : 25 * 6.25, 1e-12);
    fcps_motion_destroy(motion);
    fcps_primitive_destroy(primitive);
  }
}

static void a_sequence_is_continuous_and_may_start_parts_from_rest(void **state)
{
  (void)state;
  fcps_primitive *shaped = wavy(true), *plain;
  const fcps_primitive_settings settings = fcps_primitive_settings_default(2);
  assert_ok(fcps_primitive_create(&plain, &settings, NULL));
  for (int rest = 0; rest < 2; rest++) {
    fcps_motion *motion;
    const fcps_motion_part parts[] = {{shaped, 0.5, false}, {plain, 0.25, rest}};
    assert_ok(fcps_motion_create(&motion, 2, parts, 0.001, NULL));
    assert_int_equal(fcps_motion_step_count(motion), 750);
    assert_ok(fcps_motion_set_goal(motion, 0, (double[]){1, 1}, (double[]){2, 1}));
    assert_ok(fcps_motion_set_goal(motion, 1, (double[]){0, 2}, NULL));
    double positions[751 * 2], velocities[751 * 2];
    fcps_motion_trajectory(motion, start, NULL, positions, velocities, NULL);
    for (int i = 2; i < 751 * 2; i++)
      assert_true(fabs(positions[i] - positions[i - 2]) < 0.03);
    /* the first step of part 2: acceleration from rest is 0 because of the fading in */
    assert_near(velocities[2 * 500], 2, 0.1);
    assert_near(velocities[2 * 501], rest ? 0 : velocities[2 * 500], 1e-12);
    assert_near(positions[2 * 750], 0, 1e-3);
    assert_near(positions[2 * 750 + 1], 2, 1e-3);
    fcps_motion_destroy(motion);
  }
  fcps_primitive_destroy(shaped);
  fcps_primitive_destroy(plain);
}

static bool left_of(void *user, const double *position)
{
  return position[0] < *(const double *)user;
}

static void the_check_names_kind_dimension_and_time(void **state)
{
  (void)state;
  fcps_primitive *primitive;
  fcps_motion *motion;
  const fcps_primitive_settings settings = fcps_primitive_settings_default(2);
  assert_ok(fcps_primitive_create(&primitive, &settings, NULL));
  assert_ok(fcps_motion_create(&motion, 1, &(fcps_motion_part){primitive, 1, false}, 0.001, NULL));
  assert_ok(fcps_motion_set_goal(motion, 0, (double[]){1, 0.1}, NULL));
  const double origin[] = {0, 0};
  double positions[1001 * 2], velocities[1001 * 2], accelerations[1000 * 2];
  fcps_motion_trajectory(motion, origin, NULL, positions, velocities, accelerations);

  double wall = 0.75;
  const double upper[] = {0.5, 1}, fast[] = {100, 0.2}, hard[] = {1, 1e6};
  const fcps_limits limits = {.upper = upper, .velocity = fast, .acceleration = hard, .inside = left_of, .user = &wall};
  fcps_violation found[8];
  int count;
  assert_ok(fcps_motion_check(motion, origin, NULL, &limits, 8, found, &count));
  assert_int_equal(count, 4);

  assert_int_equal(found[0].kind, FCPS_LIMIT_POSITION);
  assert_int_equal(found[0].dimension, 0);
  const int crossing = (int)lround(found[0].time / 0.001);
  assert_true(positions[2 * crossing] > 0.5 && positions[2 * (crossing - 1)] <= 0.5);
  assert_near(found[0].limit, 0.5, 0);

  assert_int_equal(found[1].kind, FCPS_LIMIT_VELOCITY);
  assert_int_equal(found[1].dimension, 1);
  double peak = 0;
  for (int k = 0; k <= 1000; k++)
    peak = fmax(peak, fabs(velocities[2 * k + 1]));
  assert_true(found[1].value == peak && found[1].time < found[1].worst_time);

  assert_int_equal(found[2].kind, FCPS_LIMIT_ACCELERATION);
  assert_int_equal(found[2].dimension, 0);
  assert_int_equal(found[3].kind, FCPS_LIMIT_WORKSPACE);
  assert_true(positions[2 * (int)lround(found[3].time / 0.001)] >= wall);

  char text[128];
  assert_string_equal(fcps_violation_format(&(fcps_violation){FCPS_LIMIT_VELOCITY, 1, 0.28, 0.31, 2.5, 2}, 128, text),
                      "velocity of dimension 1 reaches 2.5 at 0.31 s (limit 2, broken from 0.28 s)");
  /* too little room: counted all the same */
  assert_ok(fcps_motion_check(motion, origin, NULL, &limits, 1, found, &count));
  assert_int_equal(count, 4);
  fcps_motion_destroy(motion);
  fcps_primitive_destroy(primitive);
}

static void a_good_motion_passes_and_an_infinite_one_does_not(void **state)
{
  (void)state;
  fcps_primitive *primitive = wavy(true);
  fcps_motion *motion = aimed(primitive, 1, 0.002);
  fcps_violation found;
  int count;
  const double lower[] = {-10, -10}, upper[] = {10, 10};
  const fcps_limits wide = {.lower = lower, .upper = upper}, none = {.lower = NULL};
  assert_ok(fcps_motion_check(motion, start, NULL, &wide, 1, &found, &count));
  assert_int_equal(count, 0);
  assert_ok(fcps_motion_check(motion, (double[]){NAN, 0}, NULL, &none, 1, &found, &count));
  assert_true(count > 0);
  assert_status(fcps_motion_check(motion, start, NULL, NULL, 1, &found, &count), FCPS_ERR_ARGUMENT);
  fcps_motion_destroy(motion);
  fcps_primitive_destroy(primitive);
}

static void bad_parts_and_goals_are_refused(void **state)
{
  (void)state;
  fcps_error error;
  fcps_motion *motion;
  fcps_primitive *two = wavy(true), *one;
  const fcps_primitive_settings settings = fcps_primitive_settings_default(1);
  assert_ok(fcps_primitive_create(&one, &settings, NULL));
  assert_status(fcps_motion_create(&motion, 1, &(fcps_motion_part){one, 0, false}, 0.1, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "duration");
  assert_status(fcps_motion_create(&motion, 1, &(fcps_motion_part){one, 1, false}, -0.1, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "dt");
  assert_status(fcps_motion_create(&motion, 1, &(fcps_motion_part){one, 1e9, false}, 1e-3, &error), FCPS_ERR_ARGUMENT);
  assert_status(fcps_motion_create(&motion, 2, (fcps_motion_part[]){{one, 1, false}, {two, 1, false}}, 0.1, &error),
                FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "primitive");
  assert_null(motion);

  motion = aimed(two, 1, 0.1);
  assert_status(fcps_motion_set_goal(motion, 1, start, NULL), FCPS_ERR_ARGUMENT);
  assert_status(fcps_motion_set_goal(motion, 0, (double[]){0, NAN}, NULL), FCPS_ERR_NOT_FINITE);
  fcps_motion_destroy(motion);
  fcps_motion_destroy(NULL);
  fcps_primitive_destroy(one);
  fcps_primitive_destroy(two);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(steps_give_the_rows_of_the_trajectory),
      cmocka_unit_test(the_shape_does_not_change_with_the_duration),
      cmocka_unit_test(halving_the_step_halves_the_error),
      cmocka_unit_test(fading_in_removes_the_jump_of_the_acceleration),
      cmocka_unit_test(a_sequence_is_continuous_and_may_start_parts_from_rest),
      cmocka_unit_test(the_check_names_kind_dimension_and_time),
      cmocka_unit_test(a_good_motion_passes_and_an_infinite_one_does_not),
      cmocka_unit_test(bad_parts_and_goals_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
