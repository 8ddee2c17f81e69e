/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/fit.c: optima, results, and the number of rows that a fit uses. */
#include "gp/fit.h"

#include "check.h"
#include "gp/random_gp.h"
#include "usual_prior.h"

#include <stdlib.h>
#include <string.h>

static const fcps_hyper_prior prior = USUAL_PRIOR(0.8);

/* an optimum: no hyper-parameter that is moved a little gives a larger likelihood */
static void a_fit_is_an_optimum_and_finds_the_relevant_input(void **state)
{
  (void)state;
  enum { ROWS = 40 };
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp_of_prior(&prior, 2, ROWS, &fcps_kernel_se, &rng);
  const fcps_gp_norm norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH};
  double y[ROWS];
  for (int i = 0; i < ROWS; i++)
    y[i] = sin(9 * gp->inputs[i]) + 0.05 * fcps_rng_normal(&rng); /* the second is idle */
  fcps_fit_result result;
  assert_ok(fcps_gp_fit(gp, &(fcps_gp_data){ROWS, 1, y, norm, &prior}, (fcps_fit_settings){.starts = 3, .budget = 100},
                        rng, &result));
  assert_int_equal(result, FCPS_FIT_OK);
  assert_int_equal(gp->factored, ROWS);
  assert_true(gp->hyper[0] < log(0.5) && gp->hyper[1] > gp->hyper[0] + 1);
  fcps_likelihood *likelihood;
  assert_ok(fcps_likelihood_create(&likelihood, gp, &(fcps_gp_data){ROWS, 1, y, norm, &prior}));
  double hyper[4];
  memcpy(hyper, gp->hyper, sizeof hyper);
  const double best = fcps_likelihood_value(likelihood, hyper, NULL);
  for (int i = 0; i < 4; i++)
    for (int sign = -1; sign <= 1; sign += 2) {
      hyper[i] = gp->hyper[i] + 0.05 * sign;
      assert_true(fcps_likelihood_value(likelihood, hyper, NULL) < best + 1e-4);
      hyper[i] = gp->hyper[i];
    }
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(gp);
}

static void degenerate_outputs_still_leave_usable_hyper_parameters(void **state)
{
  (void)state;
  enum { ROWS = 30 };
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  const double extremes[] = {0.0, 1e12, 1e90};
  for (int e = 0; e < 3; e++) {
    fcps_gp *gp = random_gp_of_prior(&prior, 2, ROWS, &fcps_kernel_se, &rng);
    double y[ROWS] = {0};
    y[7] = extremes[e];
    fcps_fit_result result;
    assert_ok(fcps_gp_fit(
        gp,
        &(fcps_gp_data){ROWS, 1, y, (fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH}, &prior},
        (fcps_fit_settings){.starts = 2, .budget = 25}, rng, &result));
    for (int i = 0; i < 4; i++)
      assert_true(isfinite(gp->hyper[i]));
    assert_int_equal(gp->factored, ROWS);
    fcps_gp_destroy(gp);
  }
}

static void without_a_finite_likelihood_hyper_parameters_stay(void **state)
{
  (void)state;
  enum { ROWS = 10 };
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 1);
  fcps_gp *gp = random_gp_of_prior(&prior, 2, ROWS, &fcps_kernel_se, &rng);
  double y[ROWS] = {NAN}, before[4];
  memcpy(before, gp->hyper, sizeof before);
  fcps_fit_result result;
  assert_ok(fcps_gp_fit(
      gp, &(fcps_gp_data){ROWS, 1, y, (fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH}, &prior},
      (fcps_fit_settings){.starts = 2, .budget = 25}, rng, &result));
  assert_int_equal(result, FCPS_FIT_KEPT);
  assert_memory_equal(gp->hyper, before, sizeof before);
  fcps_gp_destroy(gp);
}

/* if there are more rows than FCPS_FIT_ROWS, a fit uses the rows i rows/FCPS_FIT_ROWS, and no others */
static void a_fit_looks_at_a_bounded_number_of_rows(void **state)
{
  (void)state;
  enum { ROWS = 2 * FCPS_FIT_ROWS };
  const fcps_gp_norm norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};
  const fcps_fit_settings settings = {.starts = 1, .budget = 4};
  fcps_rng rng = fcps_rng_stream(11, FCPS_PURPOSE_TEST, 0);
  fcps_gp *all = random_gp_of_prior(&prior, 1, ROWS, &fcps_kernel_se, &rng), *half;
  fcps_fit_result result;
  double *y = malloc(2 * ROWS * sizeof *y), *chosen = y + ROWS;
  assert_non_null(y);
  assert_ok(fcps_gp_create(&half, 1, &fcps_kernel_se));
  fcps_gp_hyper_centre(&prior, 1, half->hyper);
  for (int i = 0; i < ROWS; i++) {
    y[i] = i % 2 == 0 ? sin(7.0 * all->inputs[i]) : 50.0 * fcps_rng_normal(&rng);
    if (i % 2 == 0) chosen[i / 2] = y[i];
    if (i % 2 == 0) assert_ok(fcps_gp_add(half, all->inputs + i));
  }
  assert_ok(fcps_gp_fit(all, &(fcps_gp_data){ROWS, 1, y, norm, &prior}, settings, rng, &result));
  assert_ok(fcps_gp_fit(half, &(fcps_gp_data){FCPS_FIT_ROWS, 1, chosen, norm, &prior}, settings, rng, &result));
  assert_memory_equal(all->hyper, half->hyper, FCPS_HYPER_COUNT(1) * sizeof(double));
  assert_int_equal(all->factored, ROWS);
  assert_int_equal(half->factored, FCPS_FIT_ROWS);
  free(y);
  fcps_gp_destroy(half);
  fcps_gp_destroy(all);
}

/* Plain maximum likelihood of raw outputs: in other units the same function has the same fit, converted. */
static void without_scale_and_prior_deviations_are_as_large_as_the_outputs(void **state)
{
  (void)state;
  enum { ROWS = 40 };
  const double unit = 1000.0;
  const fcps_gp_norm norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};
  const fcps_fit_settings settings = {.starts = 2, .budget = 200};
  fcps_hyper_prior flat = prior;
  flat.is_flat = true;
  fcps_rng rng = fcps_rng_stream(12, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp_of_prior(&flat, 1, ROWS, &fcps_kernel_se, &rng);
  fcps_fit_result result;
  double y[ROWS], first[FCPS_HYPER_COUNT(1)];
  for (int i = 0; i < ROWS; i++)
    y[i] = 2.0 * sin(7.0 * gp->inputs[i]) + 0.3 * fcps_rng_normal(&rng);
  assert_ok(fcps_gp_fit(gp, &(fcps_gp_data){ROWS, 1, y, norm, &flat}, settings, rng, &result));
  memcpy(first, gp->hyper, sizeof first);
  for (int i = 0; i < ROWS; i++)
    y[i] *= unit;
  assert_ok(fcps_gp_fit(gp, &(fcps_gp_data){ROWS, 1, y, norm, &flat}, settings, rng, &result));
  assert_near(gp->hyper[0], first[0], 0.05);
  assert_near(gp->hyper[1], first[1] + log(unit), 0.05);
  assert_near(gp->hyper[2], first[2] + log(unit), 0.05);
  fcps_gp_destroy(gp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fit_is_an_optimum_and_finds_the_relevant_input),
      cmocka_unit_test(degenerate_outputs_still_leave_usable_hyper_parameters),
      cmocka_unit_test(without_a_finite_likelihood_hyper_parameters_stay),
      cmocka_unit_test(a_fit_looks_at_a_bounded_number_of_rows),
      cmocka_unit_test(without_scale_and_prior_deviations_are_as_large_as_the_outputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
