/* SPDX-License-Identifier: Apache-2.0 */
/* Formulas with kinks and jumps in several outcomes: moments compared with dense sums, gradients with differences, and
 * the properties that are found along an outcome. */
#include "reward/sum_form.h"

#include "check.h"
#include "problem/problem.h"
#include "reward/expected_reward.h"
#include "space/space.h"

#include <string.h>

enum { MOST_OUTCOMES = 3 };
static const fcps_dimension targets[] = {{.name = "x", .lower = -9, .upper = 9},
                                         {.name = "y", .lower = -9, .upper = 9}};
static const fcps_dimension parameters[] = {{.name = "p", .lower = 0, .upper = 1}};
static const fcps_dimension outcomes[] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
static const fcps_dimension bounded[] = {{.name = "a", .lower = -0.2, .upper = 1.5}, {.name = "b"}, {.name = "c"}};
static const double target[2] = {0.8, -0.5}, scale[MOST_OUTCOMES] = {0.9, 1.1, 1.0},
                    typical[MOST_OUTCOMES] = {0.1, 0.2};

typedef struct setup {
  fcps_problem problem;
  fcps_reward *reward;
  fcps_expected_reward *expected;
} setup;

static void set_up(setup *s, const char *text, int count, const fcps_dimension *dims)
{
  static const char *const achieved[] = {"a", "b"};
  fcps_error error = {0};
  *s = (setup){.problem = {.target = {2, targets}, .parameters = {1, parameters}, .outcome = {count, dims}}};
  if (fcps_reward_create(&s->reward, &s->problem, text, achieved, &error) != FCPS_OK) fail_msg("%s", error.message);
  assert_ok(fcps_expected_reward_create(&s->expected, &s->problem, target, NULL, scale, typical, -50.0,
                                        FCPS_EXPECTED_REWARD_NODES, &error));
}

static void tear_down(setup *s)
{
  fcps_expected_reward_destroy(s->expected);
  fcps_reward_destroy(s->reward);
}

/* -- Moments -- */

/* Sums over a grid of all outcomes, `side` points each, with the problem's own reward. */
static void sum_up(const setup *s, int side, const double *mean, const double *deviations, double *first,
                   double *deviation)
{
  enum { ROWS = 1024 };
  static bool present[ROWS];
  static double rows[ROWS * MOST_OUTCOMES], given[ROWS], rewards[ROWS], weights[ROWS];
  const int q = s->problem.outcome.count;
  long total = 1;
  double sums[3] = {0};
  fcps_error error;
  for (int j = 0; j < q; j++)
    total *= side;
  for (long start = 0; start < total; start += ROWS) {
    const int count = total - start < ROWS ? (int)(total - start) : ROWS;
    for (int i = 0; i < count; i++) {
      long rest = start + i;
      weights[i] = 1.0;
      for (int j = 0; j < q; j++, rest /= side) {
        const double z = -6.0 + 12.0 * ((double)(rest % side) + 0.5) / side;
        rows[i * q + j] = fcps_dimension_clip(&s->problem.outcome.dims[j], mean[j] + deviations[j] * z);
        weights[i] *= exp(-0.5 * z * z);
      }
      given[i] = 0.4;
      present[i] = true;
    }
    assert_ok(fcps_problem_score(&s->problem, count, target, NULL, given, rows, present, rewards, &error));
    for (int i = 0; i < count; i++) {
      sums[0] += weights[i];
      sums[1] += weights[i] * rewards[i];
      sums[2] += weights[i] * rewards[i] * rewards[i];
    }
  }
  *first = sums[1] / sums[0];
  *deviation = sqrt(sums[2] / sums[0] - *first * *first);
}

typedef struct expectation {
  const char *text;
  int outcomes;
  double tolerance; /* of the grid, which is coarse for jumps, or of the rule where the borders are curved */
} expectation;

static const expectation expectations[] = {{"-max(abs(a - x), abs(b - y))", 2, 2e-4},
                                           {"-max(abs(a - x), abs(b - y)) - 0.1*p", 2, 2e-4},
                                           {"-max(2*abs(a - x), abs(b - y)/2, 0.3)", 2, 4e-4},
                                           {"min(a - x, b - y)", 2, 2e-4},
                                           {"-abs(a*b - x)", 2, 5e-3},
                                           {"-abs(a - x + 2*abs(b - y))", 2, 4e-4},
                                           {"a > x ? -1 : -abs(b - y)", 2, 6e-3},
                                           {"a > b ? abs(a) : -1", 2, 6e-3},
                                           {"a > x && b > y", 2, 6e-3},
                                           {"a*b*(a > x)", 2, 6e-3},
                                           {"-max(abs(a - x), abs(b - y)) - abs(c)", 3, 2e-3},
                                           {"-max(abs(a - x), abs(b - y), abs(c))", 3, 8e-3}};

static void moments_agree_with_dense_sums(void **state)
{
  (void)state;
  static const double means[][MOST_OUTCOMES] = {{0.6, -0.1, 0.2}, {0.8, -0.5, 0.0}, {1.9, -1.4, 0.5}};
  static const double variances[] = {0.2, 0.01, 1.0};
  const double x = 0.4;
  for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++)
    for (int k = 0; k < 3; k++)
      for (int has_bounds = 0; has_bounds < 2; has_bounds++) {
        const expectation *e = &expectations[i];
        const fcps_outcomes at = {1, &x, means[k], &variances[k], 1};
        const double tolerance = e->tolerance * (1.0 + 2.0 * variances[k]);
        double mean, alone, deviation, dense_mean, dense_deviation, deviations[MOST_OUTCOMES];
        fcps_error error;
        setup s;
        for (int j = 0; j < MOST_OUTCOMES; j++)
          deviations[j] = scale[j] * sqrt(variances[k]);
        set_up(&s, e->text, e->outcomes, has_bounds == 1 ? bounded : outcomes);
        assert_ok(fcps_expected_reward_moments(s.expected, &at, &mean, &deviation, &error));
        assert_ok(fcps_expected_reward_moments(s.expected, &at, &alone, NULL, &error));
        assert_near(mean, alone, 1e-12);
        sum_up(&s, e->outcomes == 2 ? 600 : 80, means[k], deviations, &dense_mean, &dense_deviation);
        if (!(fabs(mean - dense_mean) <= tolerance) || !(fabs(deviation - dense_deviation) <= 2 * tolerance + 1e-3))
          fail_msg("%s, case %d, bounds %d: %g +- %g, dense sums %g +- %g", e->text, k, has_bounds, mean, deviation,
                   dense_mean, dense_deviation);
        tear_down(&s);
      }
}

/* -- Gradients -- */

/* Means and a variance as smooth functions of the unit parameter, with their slopes. */
typedef struct belief {
  double mean[MOST_OUTCOMES], variance, mean_gradients[MOST_OUTCOMES], variance_gradient;
} belief;

static belief believe(double x)
{
  belief b = {.variance = 0.2 + 0.1 * cos(3 * x), .variance_gradient = -0.3 * sin(3 * x)};
  for (int j = 0; j < MOST_OUTCOMES; j++) {
    b.mean[j] = 0.8 * sin(2 * x + j);
    b.mean_gradients[j] = 1.6 * cos(2 * x + j);
  }
  return b;
}

static void moments_at(fcps_expected_reward *s, double x, double *mean, double *deviation)
{
  const belief b = believe(x);
  const fcps_outcomes at = {1, &x, b.mean, &b.variance, 1};
  fcps_error error;
  assert_ok(fcps_expected_reward_moments(s, &at, mean, deviation, &error));
}

/* Derivatives come from the density, so they agree with differences as far as the rule is exact. It is less so for
 * squares: max(a, b)^2 still has a jump in its third derivative by the outer outcome. */
static void gradients_agree_with_differences(void **state)
{
  (void)state;
  const double h = 1e-4, places[] = {0.13, 0.37, 0.81};
  for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++)
    for (int k = 0; k < 3; k++)
      for (int has_bounds = 0; has_bounds < 2; has_bounds++) {
        const expectation *e = &expectations[i];
        const double x = places[k], tolerance = fmax(1e-3, e->outcomes == 2 ? e->tolerance : 0.05);
        const belief b = believe(x);
        const fcps_outcome_slope at = {&x, b.mean, &b.variance, b.mean_gradients, &b.variance_gradient, 1, 0};
        double mean, deviation, by_mean, by_deviation, means[2], deviations[2];
        fcps_error error;
        setup s;
        set_up(&s, e->text, e->outcomes, has_bounds == 1 ? bounded : outcomes);
        assert_ok(fcps_expected_reward_gradient(s.expected, &at, &mean, &deviation, &by_mean, &by_deviation, &error));
        moments_at(s.expected, x + h, &means[0], &deviations[0]);
        moments_at(s.expected, x - h, &means[1], &deviations[1]);
        const double mean_slope = (means[0] - means[1]) / (2 * h),
                     deviation_slope = (deviations[0] - deviations[1]) / (2 * h);
        if (!(fabs(by_mean - mean_slope) <= tolerance) || !(fabs(by_deviation - deviation_slope) <= 10 * tolerance))
          fail_msg("%s, case %d, bounds %d: gradients %g, %g; differences %g, %g", e->text, k, has_bounds, by_mean,
                   by_deviation, mean_slope, deviation_slope);
        tear_down(&s);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moments_agree_with_dense_sums),
      cmocka_unit_test(gradients_agree_with_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
