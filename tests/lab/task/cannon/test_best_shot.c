/* SPDX-License-Identifier: Apache-2.0 */
/* The best shot at a target: closed forms on flat ground, and no search may find a better one. */
#include "lab/task/cannon/cannon.h"

#include "base/rng.h"
#include "check.h"

static const double TWO_PI = 6.283185307179586;

static double clip(double value, double lower, double upper)
{
  return fmin(fmax(value, lower), upper);
}

static double reward_of(const fcps_cannon *cannon, const double *target, const double *shot)
{
  double landing[2];
  fcps_cannon_shoot(cannon, shot, landing);
  return fcps_cannon_reward(target, landing, shot[FCPS_CANNON_SPEED]);
}

static void draw_target(fcps_rng *rng, double *target)
{
  for (int i = 0; i < 2; i++)
    target[i] = FCPS_CANNON_REACH * (2.0 * fcps_rng_uniform(rng) - 1.0);
}

/* On flat ground a ball that is recorded at step k must clear step k - 1, and 45 degrees do that with the least
 * v^2 = g d_{k-1}. */
static void on_flat_ground_a_step_is_reached_with_the_least_speed(void **state)
{
  (void)state;
  fcps_cannon cannon;
  fcps_cannon_build(&cannon, 1, 0, false);
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < 100; i++) {
    double target[2], shot[3];
    draw_target(&rng, target);
    const double distance = hypot(target[0], target[1]);
    double expected = -INFINITY;
    for (int step = 1; step < 200; step++) {
      const double squared = fmax(0.01, FCPS_CANNON_GRAVITY * FCPS_CANNON_STEP * (step - 1));
      expected = fmax(expected, -fabs(distance - FCPS_CANNON_STEP * step) - FCPS_CANNON_PENALTY * squared);
    }
    assert_near(fcps_cannon_best_shot(&cannon, target, shot), expected, 1e-9);
  }
}

/* With exact landing the target is hit, with v^2 = g d. */
static void on_flat_ground_an_exact_landing_hits_the_target(void **state)
{
  (void)state;
  fcps_cannon cannon;
  fcps_cannon_build(&cannon, 1, 0, true);
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  for (int i = 0; i < 100; i++) {
    double target[2], shot[3];
    draw_target(&rng, target);
    const double distance = hypot(target[0], target[1]);
    assert_near(fcps_cannon_best_shot(&cannon, target, shot), -FCPS_CANNON_PENALTY * FCPS_CANNON_GRAVITY * distance,
                1e-6);
    assert_near(shot[FCPS_CANNON_TILT], TWO_PI / 8.0, 1e-2);
  }
}

static void the_best_shot_earns_what_is_said_of_it(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    fcps_cannon cannon;
    fcps_cannon_build(&cannon, seed, (int)(seed % 4) * 15, seed % 2 == 0);
    fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, 0);
    for (int i = 0; i < 10; i++) {
      double target[2], shot[3];
      draw_target(&rng, target);
      const double reward = fcps_cannon_best_shot(&cannon, target, shot);
      assert_near(reward_of(&cannon, target, shot), reward, 1e-9);
      assert_in_range((uintmax_t)(shot[FCPS_CANNON_TURN] / TWO_PI), 0, 0);
      assert_true(shot[FCPS_CANNON_TILT] >= FCPS_CANNON_TILT_LOWER && shot[FCPS_CANNON_TILT] <= FCPS_CANNON_TILT_UPPER);
      assert_true(shot[FCPS_CANNON_SPEED] >= FCPS_CANNON_SPEED_LOWER);
      assert_true(shot[FCPS_CANNON_SPEED] <= FCPS_CANNON_SPEED_UPPER);
    }
  }
}

/* A search by trials, in turn, tilt and the range on flat ground: uniform shots, then steps of all sizes from the
 * best. */
static double search_by_trials(const fcps_cannon *cannon, const double *target, fcps_rng *rng)
{
  const double lower[3] = {0.0, FCPS_CANNON_TILT_LOWER, 0.0}, upper[3] = {TWO_PI, FCPS_CANNON_TILT_UPPER, 20.0};
  double best[3] = {0}, reward = -INFINITY;
  for (int trial = 0; trial < 20000; trial++) {
    const double width = pow(10.0, -5.0 * fcps_rng_uniform(rng));
    double point[3];
    for (int i = 0; i < 3; i++) {
      const double range = upper[i] - lower[i];
      point[i] =
          trial < 5000 ? lower[i] + range * fcps_rng_uniform(rng) : best[i] + range * width * fcps_rng_normal(rng);
      if (i != FCPS_CANNON_TURN) point[i] = clip(point[i], lower[i], upper[i]);
    }
    const double speed = sqrt(FCPS_CANNON_GRAVITY * point[2] / sin(2.0 * point[1]));
    const double shot[3] = {point[0], point[1], clip(speed, FCPS_CANNON_SPEED_LOWER, FCPS_CANNON_SPEED_UPPER)};
    const double earned = reward_of(cannon, target, shot);
    if (earned > reward) {
      reward = earned;
      for (int i = 0; i < 3; i++)
        best[i] = point[i];
    }
  }
  return reward;
}

static void no_search_by_trials_finds_a_better_shot(void **state)
{
  (void)state;
  double gap = 0.0;
  enum { WORLDS = 12 };
  for (uint64_t seed = 1; seed <= WORLDS; seed++) {
    fcps_cannon cannon;
    fcps_cannon_build(&cannon, seed, seed % 3 == 0 ? 30 : 10, seed % 2 == 0);
    fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, 1);
    double target[2], shot[3];
    draw_target(&rng, target);
    const double best = fcps_cannon_best_shot(&cannon, target, shot);
    const double found = search_by_trials(&cannon, target, &rng);
    assert_true(best >= found - 1e-6);
    gap += (best - found) / WORLDS;
  }
  assert_true(gap < 0.03); /* and the search was a good one */
}

/* Around one high, narrow hill a ball must be steep enough to clear its top and still come down close behind it. */
static void behind_a_high_hill_the_best_shot_is_a_steep_one(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 2);
  for (int i = 0; i < 8; i++) {
    const fcps_cannon cannon = {
        .hill_count = 1, .hills = {{.x = 4.0, .height = 3.0, .width = 0.8}}, .is_landing_exact = i % 2 == 1};
    const double target[2] = {3.2 + 0.5 * (i / 2), 0.05};
    double shot[3];
    const double best = fcps_cannon_best_shot(&cannon, target, shot);
    assert_near(reward_of(&cannon, target, shot), best, 1e-9);
    assert_true(best >= search_by_trials(&cannon, target, &rng) - 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_flat_ground_a_step_is_reached_with_the_least_speed),
      cmocka_unit_test(on_flat_ground_an_exact_landing_hits_the_target),
      cmocka_unit_test(the_best_shot_earns_what_is_said_of_it),
      cmocka_unit_test(no_search_by_trials_finds_a_better_shot),
      cmocka_unit_test(behind_a_high_hill_the_best_shot_is_a_steep_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
