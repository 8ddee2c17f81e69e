/* SPDX-License-Identifier: Apache-2.0 */
/* The closed forms against the radial density of a Gaussian, integrated numerically. */
#include "reward/expected_reward_impl.h"

#include "check.h"

static const double pi = 3.14159265358979323846;

/* Density of |delta + s z| at r: the Gaussian integrated over the sphere of radius r, by the angle to delta. In a plane
 * the integrand is periodic, so that equal steps converge at once; in space the integral is elementary. */
static double radial_density(int k, double d, double s, double r)
{
  const double near = exp(-(r - d) * (r - d) / (2 * s * s)), far = exp(-(r + d) * (r + d) / (2 * s * s));
  if (k == 1) return (near + far) / (s * sqrt(2 * pi));
  if (k == 3)
    return r * d > 1e-6 ? r / d * (near - far) / (s * sqrt(2 * pi)) : 2 * r * r / (s * s) * near / (s * sqrt(2 * pi));
  enum { ANGLES = 400 };
  double sum = 0;
  for (int i = 0; i < ANGLES; i++)
    sum += exp(-(r * r + d * d - 2 * r * d * cos(2 * pi * i / ANGLES)) / (2 * s * s));
  return r / (s * s) * sum / ANGLES;
}

static void integrate(int k, double d, double s, double *mean, double *deviation)
{
  enum { STEPS = 2000 };
  const double lower = fmax(0, d - 10 * s), h = (d + 10 * s - lower) / STEPS;
  double first = 0, second = 0;
  for (int i = 0; i <= STEPS; i++) {
    const double r = lower + h * i, weight = i == 0 || i == STEPS ? 1 : i % 2 == 1 ? 4 : 2;
    const double mass = weight * h / 3 * radial_density(k, d, s, r);
    first += mass * r;
    second += mass * r * r;
  }
  *mean = first;
  *deviation = sqrt(second - first * first);
}

static void moments_agree_with_the_integrated_density(void **state)
{
  (void)state;
  const double places[][2] = {{0, 1.3}, {1e-4, 0.7}, {0.2, 0.9}, {1.1, 0.8}, {2.5, 1.7}, {5, 0.9}, {9, 0.8}};
  for (int k = 1; k <= FCPS_DISTANCE_MAX; k++)
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
      double mean, deviation;
      const double d = places[i][0], s = places[i][1];
      integrate(k, d, s, &mean, &deviation);
      const fcps_distance m = fcps_distance_moments(k, d, s);
      assert_near(m.mean, mean, 1e-8);
      assert_near(m.deviation, deviation, 1e-7);
    }
}

static void derivatives_agree_with_differences(void **state)
{
  (void)state;
  const double places[][2] = {{0.05, 0.7}, {0.4, 0.9}, {3, 0.4}, {7, 0.3}, {40, 0.2}};
  for (int k = 1; k <= FCPS_DISTANCE_MAX; k++)
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
      const double d = places[i][0], s = places[i][1], h = 1e-5;
      const fcps_distance m = fcps_distance_moments(k, d, s);
      const fcps_distance d1 = fcps_distance_moments(k, d + h, s), d0 = fcps_distance_moments(k, d - h, s);
      const fcps_distance s1 = fcps_distance_moments(k, d, s + h), s0 = fcps_distance_moments(k, d, s - h);
      assert_near(m.mean_d, (d1.mean - d0.mean) / (2 * h), 1e-7);
      assert_near(m.mean_s, (s1.mean - s0.mean) / (2 * h), 1e-7);
      assert_near(m.deviation_d, (d1.deviation - d0.deviation) / (2 * h), 1e-6);
      assert_near(m.deviation_s, (s1.deviation - s0.deviation) / (2 * h), 1e-6);
    }
}

static void a_certain_point_is_at_its_distance(void **state)
{
  (void)state;
  for (int k = 1; k <= FCPS_DISTANCE_MAX; k++) {
    const fcps_distance m = fcps_distance_moments(k, 3.0, 1e-9);
    assert_near(m.mean, 3.0, 1e-12);
    assert_near(m.deviation, 1e-9, 1e-15);
    assert_near(m.mean_d, 1.0, 1e-9);
    /* both sides of where the far form takes over */
    const fcps_distance near = fcps_distance_moments(k, 0.9999e4, 1.0), far = fcps_distance_moments(k, 1.0001e4, 1.0);
    assert_near(near.deviation, far.deviation, 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moments_agree_with_the_integrated_density),
      cmocka_unit_test(derivatives_agree_with_differences),
      cmocka_unit_test(a_certain_point_is_at_its_distance),
  };
  return cmocka_run_group_tests_name("reward/distance", tests, NULL, NULL);
}
