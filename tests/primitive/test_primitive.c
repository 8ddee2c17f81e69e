/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives and imitation: limits in closed form, invariances, and values of independent software. */
#include "check.h"

#include "format/csv.h"
#include "primitive/primitive_impl.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2001 };

/* The lift of the Fetch tasks: up 0.1 m in the first quarter, down in the last third. */
static double lift(double start, double goal, double s)
{
  return start + (goal - start) * fcps_minimum_jerk(s) +
         0.1 * (fcps_minimum_jerk(s / 0.25) - fcps_minimum_jerk((s - 0.65) / 0.35));
}

/* The swing of the thrower in y: towards 1.25 with velocity 0.5 within 0.75 s. */
static double swing(double s)
{
  return fcps_minimum_jerk(s / 0.4) * (1.25 - 0.5 * 0.75 * (1 - s));
}

static fcps_primitive *make(int dimensions, bool fades_in, int basis_count)
{
  fcps_primitive_settings settings = fcps_primitive_settings_default(dimensions);
  settings.fades_in = fades_in;
  settings.basis_count = basis_count;
  fcps_primitive *primitive;
  assert_ok(fcps_primitive_create(&primitive, &settings, NULL));
  return primitive;
}

static fcps_motion *play_one(const fcps_primitive *primitive, double duration, double dt)
{
  fcps_motion *motion;
  assert_ok(
      fcps_motion_create(&motion, 1, &(fcps_motion_part){.primitive = primitive, .duration = duration}, dt, NULL));
  return motion;
}

/* Position and velocity of a one-dimensional motion at its end. */
static void end_of(const fcps_motion *motion, double start, double *y, double *v)
{
  *y = start, *v = 0;
  for (int k = 0; k < fcps_motion_step_count(motion); k++)
    fcps_motion_step(motion, k, y, v, NULL);
}

static void an_unshaped_primitive_reaches_goal_and_goal_velocity(void **state)
{
  (void)state;
  fcps_primitive *primitive = make(1, true, 25);
  for (int fine = 0; fine < 2; fine++) {
    fcps_motion *motion = play_one(primitive, 1, fine ? 0.001 : 0.04);
    assert_ok(fcps_motion_set_goal(motion, 0, (double[]){1}, (double[]){1}));
    double y, v;
    end_of(motion, 0, &y, &v);
    assert_near(y, 1, fine ? 2e-5 : 3e-4);
    assert_near(v, 1, fine ? 2e-4 : 2e-3);
    fcps_motion_destroy(motion);
  }
  fcps_primitive_destroy(primitive);
}

/* A smooth bump 0.1 high: value, first and second derivative at u. */
static void bump(double u, double out[3])
{
  const double w = u * (1 - u), slope = 1 - 2 * u;
  out[0] = 6.4 * w * w * w;
  out[1] = 19.2 * w * w * slope;
  out[2] = 38.4 * w * (slope * slope - w);
}

/* Root mean square distance between the motion of an imitated bump and the bump. */
static double error_of(const fcps_primitive *primitive, double dt)
{
  fcps_motion *motion = play_one(primitive, 1, dt);
  double y = 0, v = 0, sum = 0, expected[3];
  const int steps = fcps_motion_step_count(motion);
  for (int k = 0; k < steps; k++) {
    fcps_motion_step(motion, k, &y, &v, NULL);
    bump((k + 1) * dt, expected);
    sum += (y - expected[0]) * (y - expected[0]);
  }
  fcps_motion_destroy(motion);
  return sqrt(sum / steps);
}

static void imitation_of_a_bump_has_the_known_error(void **state)
{
  (void)state;
  enum { COUNT = 101 };
  double rows[3][COUNT], out[3];
  for (int t = 0; t < COUNT; t++) {
    bump((double)t / (COUNT - 1), out);
    for (int order = 0; order < 3; order++)
      rows[order][t] = out[order];
  }
  fcps_primitive *primitive = make(1, true, 25);
  const fcps_demonstration analytic = {COUNT, 1, rows[0], rows[1], rows[2], NULL},
                           sampled = {COUNT, 1, rows[0], NULL, NULL, NULL};
  assert_ok(fcps_primitive_imitate(primitive, &analytic, 1e-10, NULL));
  assert_true(error_of(primitive, 0.001) < 1e-4);
  assert_true(error_of(primitive, 0.01) < 1e-3);
  assert_ok(fcps_primitive_imitate(primitive, &sampled, 1e-10, NULL));
  assert_true(error_of(primitive, 0.001) < 1e-3); /* the error of differences of 101 samples */
  fcps_primitive_destroy(primitive);
}

/* The weights that another implementation of the robot tasks found (printed with one decimal there). */
static void lift_and_swing_have_the_weights_of_another_implementation(void **state)
{
  (void)state;
  static double path[SAMPLES][2];
  for (int t = 0; t < SAMPLES; t++) {
    path[t][0] = lift(0.413638, 0.425, (double)t / (SAMPLES - 1));
    path[t][1] = swing((double)t / (SAMPLES - 1));
  }
  const fcps_demonstration demonstration = {
      .count = SAMPLES, .duration = 0.75, .positions = path[0], .end_velocity = (double[]){0, 0.5}};
  fcps_primitive *primitive = make(2, true, 25);
  assert_ok(fcps_primitive_imitate(primitive, &demonstration, 1e-8, NULL));
  const double expected[2][5] = {{-54.5, -173.6, 148.0, -795.3, -787.3}, {-17.6, 122.1, -1462.5, -697.6, -100.3}};
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 5; i++)
      assert_true(fabs(fcps_primitive_weights(primitive)[25 * j + 6 * i] - expected[j][i]) < 0.06);
  fcps_primitive_destroy(primitive);
}

/* Values of movement_primitives for the variant that both have; see tests/reference/primitive_ordinary.py. */
static void the_ordinary_variant_agrees_with_independent_software(void **state)
{
  (void)state;
  enum { COUNT = 10 };
  fcps_primitive *primitive = make(2, false, COUNT);
  double weights[2 * COUNT], basis[COUNT];
  for (int i = 0; i < COUNT; i++)
    weights[i] = 100 * sin(i + 1), weights[COUNT + i] = 60 * cos(2 * i);
  assert_ok(fcps_primitive_set_weights(primitive, weights, NULL));
  fcps_csv csv;
  assert_ok(fcps_csv_read_file(&csv, TEST_SOURCE_DIR "/tests/reference/primitive_ordinary.csv", NULL));

  const double dt = 2e-5;
  fcps_motion *motion = play_one(primitive, 1.5, dt);
  assert_ok(fcps_motion_set_goal(motion, 0, (double[]){1, 0.5}, NULL));
  double y[2] = {0.2, -1}, v[2] = {0, 0};
  int k = 0;
  for (int row = 0; row < csv.rows; row++) {
    double expected[5];
    for (int c = 0; c < 5; c++)
      assert_ok(fcps_csv_number(&csv, row, c, &expected[c], NULL));
    fcps_primitive_basis(primitive, fcps_primitive_phase(primitive, expected[0] / 1.5), basis);
    while (k < (int)lround(expected[0] / dt))
      fcps_motion_step(motion, k++, y, v, NULL);
    for (int j = 0; j < 2; j++) {
      double forcing = 0;
      for (int i = 0; i < COUNT; i++)
        forcing += basis[i] * weights[j * COUNT + i];
      assert_near(forcing, expected[1 + j], 1e-10);
      assert_near(y[j], expected[3 + j], 1e-4);
    }
  }
  assert_int_equal(csv.rows, 31);
  fcps_csv_destroy(&csv);
  fcps_motion_destroy(motion);
  fcps_primitive_destroy(primitive);
}

static void minimum_jerk_rests_at_both_ends(void **state)
{
  (void)state;
  assert_true(fcps_minimum_jerk(-1) == 0 && fcps_minimum_jerk(0) == 0);
  assert_true(fcps_minimum_jerk(0.5) == 0.5);
  assert_true(fcps_minimum_jerk(1) == 1 && fcps_minimum_jerk(2) == 1);
  const double h = 1e-4; /* velocity and acceleration vanish at the ends: what is left is of third order */
  assert_near(fcps_minimum_jerk(h) / (h * h * h), 10, 2e-3);
  assert_near((1 - fcps_minimum_jerk(1 - h)) / (h * h * h), 10, 2e-3);
}

static void bad_settings_weights_and_demonstrations_are_refused(void **state)
{
  (void)state;
  fcps_error error;
  fcps_primitive *primitive;
  fcps_primitive_settings settings = fcps_primitive_settings_default(0);
  assert_status(fcps_primitive_create(&primitive, &settings, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "dimensions");
  assert_null(primitive);
  settings = fcps_primitive_settings_default(1);
  settings.gain = NAN;
  assert_status(fcps_primitive_create(&primitive, &settings, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "gain");

  primitive = make(1, true, 3);
  assert_status(fcps_primitive_set_weights(primitive, (double[]){0, INFINITY, 0}, &error), FCPS_ERR_NOT_FINITE);
  const double three[] = {0, 1, 2}, broken[] = {0, NAN, 2};
  assert_status(fcps_primitive_imitate(primitive, &(fcps_demonstration){2, 1, three, NULL, NULL, NULL}, 0, &error),
                FCPS_ERR_ARGUMENT);
  assert_status(fcps_primitive_imitate(primitive, &(fcps_demonstration){3, -1, three, NULL, NULL, NULL}, 0, &error),
                FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "duration");
  assert_status(fcps_primitive_imitate(primitive, &(fcps_demonstration){3, 1, broken, NULL, NULL, NULL}, 0, &error),
                FCPS_ERR_NOT_FINITE);
  for (int i = 0; i < 3; i++)
    assert_true(fcps_primitive_weights(primitive)[i] == 0);
  fcps_primitive_destroy(primitive);
  fcps_primitive_destroy(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_unshaped_primitive_reaches_goal_and_goal_velocity),
      cmocka_unit_test(imitation_of_a_bump_has_the_known_error),
      cmocka_unit_test(lift_and_swing_have_the_weights_of_another_implementation),
      cmocka_unit_test(the_ordinary_variant_agrees_with_independent_software),
      cmocka_unit_test(minimum_jerk_rests_at_both_ends),
      cmocka_unit_test(bad_settings_weights_and_demonstrations_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
