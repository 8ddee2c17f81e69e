/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/likelihood.c: variances, bounds, and the log prior against finite differences. */
#include "gp/gp.h"

#include "base/rng.h"
#include "check.h"
#include "usual_prior.h"

#include <string.h>

enum { DIM = 3 };

static void variances_are_squares_of_deviations(void **state)
{
  (void)state;
  const double hyper[DIM + 2] = {0.1, 0.2, 0.3, log(1.5), log(0.2)};
  assert_near(fcps_gp_hyper_signal_variance(DIM, hyper), 2.25, 1e-14);
  assert_near(fcps_gp_hyper_noise_variance(DIM, hyper), 0.04, 1e-15);
}

static void the_centre_is_within_the_bounds_and_the_most_likely(void **state)
{
  (void)state;
  const double stretch[DIM] = {1.0, 3.0, 0.5};
  fcps_hyper_prior prior = USUAL_PRIOR(0.8);
  double centre[DIM + 2], lower[DIM + 2], upper[DIM + 2];
  prior.stretch = stretch;
  fcps_gp_hyper_centre(&prior, DIM, centre);
  fcps_gp_hyper_bounds(&prior, DIM, lower, upper);
  assert_near(centre[1], log(0.4 * 3.0), 1e-14);
  assert_near(fcps_gp_hyper_log_prior(&prior, DIM, centre, NULL), 0.0, 1e-14);
  for (int i = 0; i < DIM + 2; i++) {
    assert_true(lower[i] < centre[i] && centre[i] < upper[i]);
    centre[i] += 0.1;
    assert_true(fcps_gp_hyper_log_prior(&prior, DIM, centre, NULL) < -1e-4);
    centre[i] -= 0.1;
  }
}

/* with and without the long tail, whose two parts meet with one value and one slope; the gradient is added to */
static void gradients_of_the_log_prior_match_finite_differences(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  for (int trial = 0; trial < 40; trial++) {
    fcps_hyper_prior prior = USUAL_PRIOR(0.5);
    double hyper[DIM + 2], gradient[DIM + 2];
    prior.has_long_tail = trial % 2 == 1;
    prior.noise_may_vanish = trial % 3 == 1;
    for (int i = 0; i < DIM + 2; i++) {
      hyper[i] = 4.0 * fcps_rng_uniform(&rng) - 2.5;
      gradient[i] = 7.0;
    }
    if (trial == 1) hyper[0] = log(prior.length) + prior.length_sd; /* where they meet */
    fcps_gp_hyper_log_prior(&prior, DIM, hyper, gradient);
    for (int i = 0; i < DIM + 2; i++) {
      const double middle = hyper[i], step = 1e-5;
      hyper[i] = middle + step;
      const double above = fcps_gp_hyper_log_prior(&prior, DIM, hyper, NULL);
      hyper[i] = middle - step;
      const double below = fcps_gp_hyper_log_prior(&prior, DIM, hyper, NULL);
      hyper[i] = middle;
      assert_near(gradient[i] - 7.0, (above - below) / (2 * step), 2e-5);
    }
  }
}

static void noise_that_may_vanish_is_as_likely_below_its_centre_as_there(void **state)
{
  (void)state;
  fcps_hyper_prior prior = USUAL_PRIOR(0.5);
  double at[DIM + 2], below[DIM + 2], above[DIM + 2];
  fcps_gp_hyper_centre(&prior, DIM, at);
  memcpy(below, at, sizeof at);
  memcpy(above, at, sizeof at);
  below[DIM + 1] -= 3.0;
  above[DIM + 1] += 3.0;
  const double centre = fcps_gp_hyper_log_prior(&prior, DIM, at, NULL);
  const double usual_above = fcps_gp_hyper_log_prior(&prior, DIM, above, NULL);
  assert_true(fcps_gp_hyper_log_prior(&prior, DIM, below, NULL) < centre);
  prior.noise_may_vanish = true;
  assert_near(fcps_gp_hyper_log_prior(&prior, DIM, at, NULL), centre, 0);
  assert_near(fcps_gp_hyper_log_prior(&prior, DIM, below, NULL), centre, 0);
  assert_near(fcps_gp_hyper_log_prior(&prior, DIM, above, NULL), usual_above, 0);
}

static void a_flat_prior_says_nothing(void **state)
{
  (void)state;
  const fcps_hyper_prior flat = {.is_flat = true};
  double hyper[DIM + 2] = {3.0}, gradient[DIM + 2] = {1.0};
  assert_true(fcps_gp_hyper_log_prior(&flat, DIM, hyper, gradient) == 0.0);
  assert_true(gradient[0] == 1.0 && gradient[DIM] == 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(variances_are_squares_of_deviations),
      cmocka_unit_test(the_centre_is_within_the_bounds_and_the_most_likely),
      cmocka_unit_test(gradients_of_the_log_prior_match_finite_differences),
      cmocka_unit_test(noise_that_may_vanish_is_as_likely_below_its_centre_as_there),
      cmocka_unit_test(a_flat_prior_says_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
