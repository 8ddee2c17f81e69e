/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives and imitation: closed-form limits, invariances, and values of independent software. */
#include "check.h"

#include "format/csv.h"
#include "primitive/primitive_impl.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 2001 };

/* The lift of the Fetch tasks: up 0.1 m in the first quarter, down in the last third. */
static void lift(double start, double goal, double duration, double (*rows)[SAMPLES])
{
  for (int t = 0; t < SAMPLES; t++) {
    const double s = (double)t / (SAMPLES - 1);
    double move[3], up[3], down[3];
    fcps_minimum_jerk(s, &move[0], &move[1], &move[2]);
    fcps_minimum_jerk(s / 0.25, &up[0], &up[1], &up[2]);
    fcps_minimum_jerk((s - 0.65) / 0.35, &down[0], &down[1], &down[2]);
    rows[0][t] = start + (goal - start) * move[0] + 0.1 * (up[0] - down[0]);
    rows[1][t] = ((goal - start) * move[1] + 0.1 * (up[1] / 0.25 - down[1] / 0.35)) / duration;
    rows[2][t] =
        ((goal - start) * move[2] + 0.1 * (up[2] / (0.25 * 0.25) - down[2] / (0.35 * 0.35))) / (duration * duration);
  }
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

static void imitation_of_a_bump_has_the_known_error(void **state)
{
  (void)state;
  enum { COUNT = 101 };
  double positions[COUNT], velocities[COUNT], accelerations[COUNT];
  for (int t = 0; t < COUNT; t++) {
    const double u = (double)t / (COUNT - 1), w = u * (1 - u);
    positions[t] = 6.4 * w * w * w; /* 0.1 high, smooth at both ends */
    velocities[t] = 19.2 * w * w * (1 - 2 * u);
    accelerations[t] = 38.4 * w * ((1 - 2 * u) * (1 - 2 * u) - w);
  }
  fcps_primitive *primitive = make(1, true, 25);
  const fcps_demonstration demo = {COUNT, 1, positions, velocities, accelerations};
  assert_ok(fcps_primitive_imitate(primitive, &demo, 1e-10, NULL));

  const double dt[] = {0.001, 0.01}, limit[] = {1e-4, 1e-3};
  for (int i = 0; i < 2; i++) {
    fcps_motion *motion = play_one(primitive, 1, dt[i]);
    double y = 0, v = 0, sum = 0;
    const int steps = fcps_motion_step_count(motion);
    for (int k = 0; k < steps; k++) {
      fcps_motion_step(motion, k, &y, &v, NULL);
      const double u = (k + 1) * dt[i], w = u * (1 - u);
      sum += pow(y - 6.4 * w * w * w, 2);
    }
    assert_true(sqrt(sum / steps) < limit[i]);
    fcps_motion_destroy(motion);
  }
  fcps_primitive_destroy(primitive);
}

static void sampled_and_analytic_demonstrations_agree(void **state)
{
  (void)state;
  static double rows[3][SAMPLES];
  lift(0.41, 0.425, 1, rows);
  fcps_primitive *analytic = make(1, true, 25), *sampled = make(1, true, 25);
  assert_ok(fcps_primitive_imitate(analytic, &(fcps_demonstration){SAMPLES, 1, rows[0], rows[1], rows[2]}, 1e-8, NULL));
  assert_ok(fcps_primitive_imitate(sampled, &(fcps_demonstration){SAMPLES, 1, rows[0], NULL, NULL}, 1e-8, NULL));
  fcps_motion *motions[2] = {play_one(analytic, 1, 0.002), play_one(sampled, 1, 0.002)};
  double y[2] = {0.41, 0.41}, v[2] = {0, 0};
  for (int m = 0; m < 2; m++)
    assert_ok(fcps_motion_set_goal(motions[m], 0, (double[]){0.425}, NULL));
  for (int k = 0; k < fcps_motion_step_count(motions[0]); k++) {
    for (int m = 0; m < 2; m++)
      fcps_motion_step(motions[m], k, &y[m], &v[m], NULL);
    assert_near(y[1], y[0], 2e-4);
  }
  for (int m = 0; m < 2; m++)
    fcps_motion_destroy(motions[m]);
  fcps_primitive_destroy(analytic);
  fcps_primitive_destroy(sampled);
}

/* The weights that the prototype of the Fetch push found for its lift (printed with one decimal there). */
static void the_lift_has_the_weights_of_the_prototype(void **state)
{
  (void)state;
  static double rows[3][SAMPLES];
  lift(0.413638, 0.425, 1, rows);
  fcps_primitive *primitive = make(1, true, 25);
  assert_ok(
      fcps_primitive_imitate(primitive, &(fcps_demonstration){SAMPLES, 1, rows[0], rows[1], rows[2]}, 1e-8, NULL));
  const double expected[] = {-54.5, -173.6, 148.0, -795.3, -787.3};
  for (int i = 0; i < 5; i++)
    assert_near(fcps_primitive_weights(primitive)[6 * i], expected[i], 2e-3);
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

static void minimum_jerk_rests_at_both_ends_and_its_rates_are_its_derivatives(void **state)
{
  (void)state;
  double value, rate, acceleration, more[3], less[3];
  for (double s = -0.5; s <= 1.5; s += 0.5) {
    fcps_minimum_jerk(s, &value, &rate, &acceleration);
    assert_near(value, s == 0.5 ? 0.5 : s >= 1, 0);
    assert_near(rate, s == 0.5 ? 1.875 : 0, 0);
    assert_near(acceleration, 0, 0);
  }
  const double h = 1e-5;
  for (double s = 0.05; s < 1; s += 0.1) {
    fcps_minimum_jerk(s, &value, &rate, &acceleration);
    fcps_minimum_jerk(s + h, &more[0], &more[1], &more[2]);
    fcps_minimum_jerk(s - h, &less[0], &less[1], &less[2]);
    assert_near((more[0] - less[0]) / (2 * h), rate, 1e-8);
    assert_near((more[1] - less[1]) / (2 * h), acceleration, 1e-8);
  }
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
  assert_status(fcps_primitive_imitate(primitive, &(fcps_demonstration){2, 1, three, NULL, NULL}, 0, &error),
                FCPS_ERR_ARGUMENT);
  assert_status(fcps_primitive_imitate(primitive, &(fcps_demonstration){3, -1, three, NULL, NULL}, 0, &error),
                FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "duration");
  assert_status(fcps_primitive_imitate(primitive, &(fcps_demonstration){3, 1, broken, NULL, NULL}, 0, &error),
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
      cmocka_unit_test(sampled_and_analytic_demonstrations_agree),
      cmocka_unit_test(the_lift_has_the_weights_of_the_prototype),
      cmocka_unit_test(the_ordinary_variant_agrees_with_independent_software),
      cmocka_unit_test(minimum_jerk_rests_at_both_ends_and_its_rates_are_its_derivatives),
      cmocka_unit_test(bad_settings_weights_and_demonstrations_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
