/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/base/normal.c. */
#include "acquisition/information/truncation.h"
#include "base/normal.h"
#include "check.h"

static void what_a_bound_tells_agrees_with_integration(void **state)
{
  (void)state;
  const double gs[] = {-4.0, -1.5, 0.0, 0.7, 2.5}, shares[] = {0.1, 0.5, 0.9, 0.98};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 4; j++)
      assert_near(fcps_truncated_normal_gain(gs[i], shares[j]), brute_truncation(gs[i], 1.0, 1.0 / shares[j] - 1.0),
                  5e-4);
}

/* the entropy of a Gaussian that is cut off has a closed form; close to no noise nothing may jump */
static void without_noise_it_is_the_entropy_of_a_cut_gaussian(void **state)
{
  (void)state;
  enum { STEPS = 400000 };
  for (double g = -3.0; g < 4.0; g += 0.9) {
    const double share = 0.5 * erfc(-g / sqrt(2.0)), pi = acos(-1.0);
    double entropy = 0;
    for (int i = 0; i < STEPS; i++) {
      const double f = -12.0 + (g + 12.0) * (i + 0.5) / STEPS, p = density(f, 1.0) / share;
      entropy -= p * log(p) * (g + 12.0) / STEPS;
    }
    assert_near(fcps_truncated_normal_gain(g, 1.0), 0.5 * log(2.0 * pi * exp(1.0)) - entropy, 1e-6);
    assert_near(fcps_truncated_normal_gain(g, 1.0 - 1e-9), fcps_truncated_normal_gain(g, 1.0), 1e-3);
  }
  assert_true(fcps_truncated_normal_gain(50.0, 0.9) == 0.0 && fcps_truncated_normal_gain(1.0, 0.0) == 0.0);
  assert_true(isfinite(fcps_truncated_normal_gain(-1e9, 0.9)) && isfinite(fcps_truncated_normal_gain(NAN, 0.9)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_bound_tells_agrees_with_integration),
      cmocka_unit_test(without_noise_it_is_the_entropy_of_a_cut_gaussian),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
