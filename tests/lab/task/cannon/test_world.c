/* SPDX-License-Identifier: Apache-2.0 */
/* The cannon's ground and flights, compared with formulas by hand. */
#include "lab/task/cannon/cannon.h"

#include "base/rng.h"
#include "check.h"

#include <string.h>

static const double TWO_PI = 6.283185307179586;

static double range_on_flat_ground(double tilt, double speed)
{
  return speed * speed * sin(2.0 * tilt) / FCPS_CANNON_GRAVITY;
}

/* A shot whose ball comes down before the edge of the world. */
static void draw_shot(fcps_rng *rng, double *parameters)
{
  do {
    parameters[FCPS_CANNON_TURN] = TWO_PI * fcps_rng_uniform(rng);
    parameters[FCPS_CANNON_TILT] =
        FCPS_CANNON_TILT_LOWER + (FCPS_CANNON_TILT_UPPER - FCPS_CANNON_TILT_LOWER) * fcps_rng_uniform(rng);
    parameters[FCPS_CANNON_SPEED] =
        FCPS_CANNON_SPEED_LOWER + (FCPS_CANNON_SPEED_UPPER - FCPS_CANNON_SPEED_LOWER) * fcps_rng_uniform(rng);
  } while (range_on_flat_ground(parameters[FCPS_CANNON_TILT], parameters[FCPS_CANNON_SPEED]) > 23.0);
}

static void a_ball_on_flat_ground_lands_where_the_parabola_does(void **state)
{
  (void)state;
  fcps_cannon cannon;
  fcps_cannon_build(&cannon, 3, 0, true);
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < 500; i++) {
    double shot[3], landing[2];
    draw_shot(&rng, shot);
    fcps_cannon_shoot(&cannon, shot, landing);
    const double range = range_on_flat_ground(shot[FCPS_CANNON_TILT], shot[FCPS_CANNON_SPEED]);
    assert_near(landing[0], range * cos(shot[FCPS_CANNON_TURN]), 1e-9);
    assert_near(landing[1], range * sin(shot[FCPS_CANNON_TURN]), 1e-9);
  }
}

static void a_landing_by_steps_is_the_first_step_beyond_the_parabola(void **state)
{
  (void)state;
  fcps_cannon cannon;
  fcps_cannon_build(&cannon, 3, 0, false);
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < 500; i++) {
    double shot[3], landing[2];
    draw_shot(&rng, shot);
    fcps_cannon_shoot(&cannon, shot, landing);
    const double range = range_on_flat_ground(shot[FCPS_CANNON_TILT], shot[FCPS_CANNON_SPEED]);
    const double distance = hypot(landing[0], landing[1]), steps = distance / FCPS_CANNON_STEP;
    assert_true(distance > range - 1e-9 && distance <= range + FCPS_CANNON_STEP + 1e-9);
    assert_near(steps, round(steps), 1e-9);
  }
}

static void an_exact_landing_among_hills_is_on_the_ground(void **state)
{
  (void)state;
  fcps_cannon cannon;
  fcps_cannon_build(&cannon, 5, 10, true);
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < 500; i++) {
    double shot[3], flight[3 * 2];
    draw_shot(&rng, shot);
    fcps_cannon_flight(&cannon, shot, 2, flight);
    assert_near(flight[2], cannon.base, 1e-12);
    assert_near(flight[5], fcps_cannon_ground(&cannon, flight[3], flight[4]), 1e-7);
  }
}

static void a_hill_stops_a_ball_that_flies_into_it(void **state)
{
  (void)state;
  fcps_cannon cannon = {.hill_count = 1, .hills = {{.x = 4.0, .height = 5.0, .width = 1.0}}, .is_landing_exact = true};
  const double shot[3] = {0.0, 0.3, 4.5}, beside[3] = {1.5, 0.3, 4.5};
  double landing[2];
  fcps_cannon_shoot(&cannon, shot, landing);
  assert_true(landing[0] > 1.0 && landing[0] < 4.0);
  fcps_cannon_shoot(&cannon, beside, landing);
  assert_near(hypot(landing[0], landing[1]), range_on_flat_ground(0.3, 4.5), 1e-6);
}

static void a_ball_beyond_the_edge_is_followed_no_further(void **state)
{
  (void)state;
  fcps_cannon cannon;
  fcps_cannon_build(&cannon, 1, 0, false);
  const double shot[3] = {0.0, 0.785398, 5.0};
  double landing[2];
  fcps_cannon_shoot(&cannon, shot, landing);
  assert_true(landing[0] > FCPS_CANNON_EDGE && landing[0] < FCPS_CANNON_EDGE + FCPS_CANNON_STEP + 1e-9);
}

static void hills_stand_at_equal_angles_with_sizes_in_their_ranges(void **state)
{
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    fcps_cannon cannon;
    fcps_cannon_build(&cannon, seed, 10, false);
    for (int i = 0; i < 10; i++) {
      const fcps_cannon_hill *hill = &cannon.hills[i];
      const double distance = hypot(hill->x, hill->y), angle = TWO_PI * i / 10;
      assert_true(distance >= 2.0 && distance <= 10.0);
      assert_near(hill->x, distance * cos(angle), 1e-12);
      assert_near(hill->y, distance * sin(angle), 1e-12);
      assert_true(hill->height >= 0.1 && hill->height <= 0.5);
      assert_true(hill->width >= 0.5 && hill->width <= 8.0);
    }
    assert_near(cannon.base, fcps_cannon_ground(&cannon, 0.0, 0.0), 0.0);
  }
}

static void hills_are_drawn_distances_first_then_heights_then_widths(void **state)
{
  (void)state;
  fcps_cannon cannon;
  fcps_cannon_build(&cannon, 42, 3, false);
  fcps_rng rng = fcps_rng_stream(42, FCPS_PURPOSE_WORLD, 0);
  for (int i = 0; i < 3; i++) {
    assert_near(hypot(cannon.hills[i].x, cannon.hills[i].y), 2.0 + 8.0 * fcps_rng_uniform(&rng), 1e-12);
  }
  for (int i = 0; i < 3; i++)
    assert_near(cannon.hills[i].height, 0.1 + 0.4 * fcps_rng_uniform(&rng), 1e-12);
  for (int i = 0; i < 3; i++)
    assert_near(cannon.hills[i].width, 0.5 + 7.5 * fcps_rng_uniform(&rng), 1e-12);
}

static void the_same_seed_builds_the_same_world_and_another_one_does_not(void **state)
{
  (void)state;
  fcps_cannon a, b, c;
  fcps_cannon_build(&a, 7, 10, false);
  fcps_cannon_build(&b, 7, 10, false);
  fcps_cannon_build(&c, 8, 10, false);
  assert_memory_equal(a.hills, b.hills, sizeof a.hills);
  assert_true(memcmp(a.hills, c.hills, sizeof a.hills) != 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_ball_on_flat_ground_lands_where_the_parabola_does),
      cmocka_unit_test(a_landing_by_steps_is_the_first_step_beyond_the_parabola),
      cmocka_unit_test(an_exact_landing_among_hills_is_on_the_ground),
      cmocka_unit_test(a_hill_stops_a_ball_that_flies_into_it),
      cmocka_unit_test(a_ball_beyond_the_edge_is_followed_no_further),
      cmocka_unit_test(hills_stand_at_equal_angles_with_sizes_in_their_ranges),
      cmocka_unit_test(hills_are_drawn_distances_first_then_heights_then_widths),
      cmocka_unit_test(the_same_seed_builds_the_same_world_and_another_one_does_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
