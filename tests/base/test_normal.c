/* SPDX-License-Identifier: Apache-2.0 */
#include "base/normal.h"

#include "check.h"

#include <math.h>

/* Quantiles as tables of the distribution have them. */
static void tabled_quantiles_have_their_chances(void **state)
{
  (void)state;
  static const double table[][2] = {{0.5, 0.0},       {0.75, 0.740697}, {0.9, 1.533206},
                                    {0.95, 2.131847}, {0.99, 3.746947}, {0.999, 7.173182}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    assert_near(fcps_student_cdf(table[i][1]), table[i][0], 1e-6);
    assert_near(fcps_student_quantile(table[i][0]), table[i][1], 2e-6);
    assert_near(fcps_student_quantile(1.0 - table[i][0]), -table[i][1], 2e-6);
  }
}

/* Also far out, where the closed form gives way to a series. */
static void a_quantile_undoes_the_chance(void **state)
{
  (void)state;
  for (double t = -1e6; t < -1e-3; t *= 0.7) {
    const double p = fcps_student_cdf(t);
    assert_true(p > 0.0);
    assert_true(fabs(fcps_student_quantile(p) - t) <= 2e-3 * fabs(t));
  }
}

/* Integrated by Simpson's rule. */
static void the_chance_is_the_integral_of_the_density(void **state)
{
  (void)state;
  enum { STEPS = 2000 };
  const double a = -3.0, b = 1.7, h = (b - a) / STEPS;
  double sum = 0.0;
  for (int i = 0; i <= STEPS; i++) {
    const double t = a + h * i, density = 0.375 * pow(1.0 + t * t / 4.0, -2.5);
    sum += density * (i == 0 || i == STEPS ? 1.0 : i % 2 == 1 ? 4.0 : 2.0) * h / 3.0;
  }
  assert_near(fcps_student_cdf(b) - fcps_student_cdf(a), sum, 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(tabled_quantiles_have_their_chances),
                                     cmocka_unit_test(a_quantile_undoes_the_chance),
                                     cmocka_unit_test(the_chance_is_the_integral_of_the_density)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
