/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/likelihood.c and fit.c. */
#include "base/rng.h"
#include "check.h"
#include "gp/fit.h"
#include "usual_prior.h"

#include <stdlib.h>
#include <string.h>

static const fcps_hyper_prior prior = USUAL_PRIOR(0.8);

static fcps_gp *random_rows(int dim, int rows, const fcps_kernel *kernel, fcps_rng *rng)
{
  fcps_gp *gp;
  double x[16];
  assert_ok(fcps_gp_create(&gp, dim, kernel));
  fcps_hyper_centre(&prior, dim, gp->hyper);
  for (int i = 0; i < rows; i++) {
    fcps_rng_uniforms(rng, dim, x);
    assert_ok(fcps_gp_add(gp, x));
  }
  return gp;
}

/* one row: lml = -y^2/(2 (f + s)) - log(f + s)/2 - log(2 pi)/2 */
static void one_row_matches_the_closed_form(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_rows(2, 1, &fcps_kernel_se, &rng);
  fcps_hyper_prior flat = prior;
  flat.is_flat = true;
  fcps_likelihood *likelihood;
  const double y = 1.7, hyper[] = {log(0.3), log(0.6), 0.5 * log(2.5), 0.5 * log(0.3)};
  assert_ok(
      fcps_likelihood_create(&likelihood, gp, &flat, (fcps_gp_norm){FCPS_MEAN_ZERO, FCPS_SCALING_NONE}, 1, 1, &y));
  assert_near(fcps_likelihood_value(likelihood, hyper, NULL),
              -y * y / (2 * 2.8) - 0.5 * log(2.8) - 0.5 * log(2 * 3.141592653589793), 1e-12);
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(gp);
}

static void check_gradient(int dim, int outputs, fcps_gp_mean mean, const fcps_kernel *kernel, fcps_rng *rng)
{
  enum { ROWS = 15 };
  fcps_gp *gp = random_rows(dim, ROWS, kernel, rng);
  fcps_likelihood *likelihood;
  double y[3 * ROWS], hyper[16], gradient[16];
  fcps_rng_normals(rng, outputs * ROWS, y);
  assert_ok(fcps_likelihood_create(&likelihood, gp, &prior, (fcps_gp_norm){mean, FCPS_SCALING_EACH}, ROWS, outputs, y));
  for (int trial = 0; trial < 10; trial++) {
    for (int i = 0; i < FCPS_HYPER_COUNT(dim); i++)
      hyper[i] = log(0.2 + 0.8 * fcps_rng_uniform(rng));
    fcps_likelihood_value(likelihood, hyper, gradient);
    for (int i = 0; i < FCPS_HYPER_COUNT(dim); i++) {
      const double step = 1e-5, middle = hyper[i];
      hyper[i] = middle + step;
      const double above = fcps_likelihood_value(likelihood, hyper, NULL);
      hyper[i] = middle - step;
      const double below = fcps_likelihood_value(likelihood, hyper, NULL);
      hyper[i] = middle;
      assert_near(gradient[i], (above - below) / (2 * step), 1e-5);
    }
  }
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(gp);
}

static void gradients_match_finite_differences(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  for (int k = 0; fcps_kernel_at(k) != NULL; k++)
    for (int dim = 1; dim <= 10; dim++) {
      check_gradient(dim, 1, FCPS_MEAN_CENTRED, fcps_kernel_at(k), &rng);
      check_gradient(dim, 3, FCPS_MEAN_CENTRED, fcps_kernel_at(k), &rng);
      check_gradient(dim, 2, FCPS_MEAN_GLS, fcps_kernel_at(k), &rng);
    }
}

static void outputs_that_share_a_matrix_add_up(void **state)
{
  (void)state;
  enum { ROWS = 9 };
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_rows(3, ROWS, &fcps_kernel_matern52, &rng);
  fcps_hyper_prior flat = prior;
  flat.is_flat = true;
  const fcps_gp_norm norm = {FCPS_MEAN_CENTRED, FCPS_SCALING_EACH};
  double y[2 * ROWS], sum = 0;
  fcps_rng_normals(&rng, 2 * ROWS, y);
  for (int o = 0; o < 3; o++) {
    fcps_likelihood *likelihood;
    assert_ok(fcps_likelihood_create(&likelihood, gp, &flat, norm, ROWS, o < 2 ? 1 : 2, o < 2 ? y + o * ROWS : y));
    const double value = fcps_likelihood_value(likelihood, gp->hyper, NULL);
    if (o < 2)
      sum += value;
    else
      assert_near(value, sum, 1e-12);
    fcps_likelihood_destroy(likelihood);
  }
  fcps_gp_destroy(gp);
}

/* an optimum by nudging: no hyper-parameter moved a little gives more evidence */
static void a_fit_is_an_optimum_and_finds_the_relevant_input(void **state)
{
  (void)state;
  enum { ROWS = 40 };
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_rows(2, ROWS, &fcps_kernel_se, &rng);
  const fcps_gp_norm norm = {FCPS_MEAN_CENTRED, FCPS_SCALING_EACH};
  double y[ROWS];
  for (int i = 0; i < ROWS; i++)
    y[i] = sin(9 * gp->inputs[i]) + 0.05 * fcps_rng_normal(&rng); /* the second is idle */
  fcps_fit_result result;
  assert_ok(fcps_gp_fit(gp, &prior, norm, (fcps_fit_settings){.starts = 3, .budget = 100}, ROWS, 1, y, rng, &result));
  assert_int_equal(result, FCPS_FIT_OK);
  assert_int_equal(gp->factored, ROWS);
  assert_true(gp->hyper[0] < log(0.5) && gp->hyper[1] > gp->hyper[0] + 1);
  fcps_likelihood *likelihood;
  assert_ok(fcps_likelihood_create(&likelihood, gp, &prior, norm, ROWS, 1, y));
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
    fcps_gp *gp = random_rows(2, ROWS, &fcps_kernel_se, &rng);
    double y[ROWS] = {0};
    y[7] = extremes[e];
    fcps_fit_result result;
    assert_ok(fcps_gp_fit(gp, &prior, (fcps_gp_norm){FCPS_MEAN_CENTRED, FCPS_SCALING_EACH},
                          (fcps_fit_settings){.starts = 2, .budget = 25}, ROWS, 1, y, rng, &result));
    for (int i = 0; i < 4; i++)
      assert_true(isfinite(gp->hyper[i]));
    assert_int_equal(gp->factored, ROWS);
    fcps_gp_destroy(gp);
  }
}

static void without_a_finite_evidence_hyper_parameters_stay(void **state)
{
  (void)state;
  enum { ROWS = 10 };
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 1);
  fcps_gp *gp = random_rows(2, ROWS, &fcps_kernel_se, &rng);
  double y[ROWS] = {NAN}, before[4];
  memcpy(before, gp->hyper, sizeof before);
  fcps_fit_result result;
  assert_ok(fcps_gp_fit(gp, &prior, (fcps_gp_norm){FCPS_MEAN_CENTRED, FCPS_SCALING_EACH},
                        (fcps_fit_settings){.starts = 2, .budget = 25}, ROWS, 1, y, rng, &result));
  assert_int_equal(result, FCPS_FIT_KEPT);
  assert_memory_equal(gp->hyper, before, sizeof before);
  fcps_gp_destroy(gp);
}

static void small_differences_have_a_scale_of_their_own(void **state)
{
  (void)state;
  const double offsets[] = {0, 1, 1e8}, sizes[] = {1e-20, 1e-8, 1.0};
  for (int i = 0; i < 3; i++) {
    double offset, scale;
    const double y[4] = {offsets[i], offsets[i] + sizes[i], offsets[i] + 2 * sizes[i], offsets[i] + 3 * sizes[i]};
    fcps_gp_normalize((fcps_gp_norm){FCPS_MEAN_CENTRED, FCPS_SCALING_EACH}, 4, 1, y, &offset, &scale);
    assert_near(scale / sizes[i], sqrt(5.0 / 3.0), 1e-6);
  }
}

/* of more rows than FCPS_FIT_ROWS, these: i rows/FCPS_FIT_ROWS; all others are without influence on the fit */
static void a_fit_looks_at_a_bounded_number_of_rows(void **state)
{
  (void)state;
  enum { ROWS = 2 * FCPS_FIT_ROWS };
  const fcps_gp_norm norm = {FCPS_MEAN_ZERO, FCPS_SCALING_NONE};
  const fcps_fit_settings settings = {.starts = 1, .budget = 4};
  fcps_rng rng = fcps_rng_stream(11, FCPS_PURPOSE_TEST, 0);
  fcps_gp *all = random_rows(1, ROWS, &fcps_kernel_se, &rng), *half;
  fcps_fit_result result;
  double *y = malloc(2 * ROWS * sizeof *y), *chosen = y + ROWS;
  assert_non_null(y);
  assert_ok(fcps_gp_create(&half, 1, &fcps_kernel_se));
  fcps_hyper_centre(&prior, 1, half->hyper);
  for (int i = 0; i < ROWS; i++) {
    y[i] = i % 2 == 0 ? sin(7.0 * all->inputs[i]) : 50.0 * fcps_rng_normal(&rng);
    if (i % 2 == 0) chosen[i / 2] = y[i];
    if (i % 2 == 0) assert_ok(fcps_gp_add(half, all->inputs + i));
  }
  assert_ok(fcps_gp_fit(all, &prior, norm, settings, ROWS, 1, y, rng, &result));
  assert_ok(fcps_gp_fit(half, &prior, norm, settings, FCPS_FIT_ROWS, 1, chosen, rng, &result));
  assert_memory_equal(all->hyper, half->hyper, FCPS_HYPER_COUNT(1) * sizeof(double));
  assert_int_equal(all->factored, ROWS);
  assert_int_equal(half->factored, FCPS_FIT_ROWS);
  free(y);
  fcps_gp_destroy(half);
  fcps_gp_destroy(all);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_row_matches_the_closed_form),
      cmocka_unit_test(gradients_match_finite_differences),
      cmocka_unit_test(outputs_that_share_a_matrix_add_up),
      cmocka_unit_test(a_fit_is_an_optimum_and_finds_the_relevant_input),
      cmocka_unit_test(degenerate_outputs_still_leave_usable_hyper_parameters),
      cmocka_unit_test(without_a_finite_evidence_hyper_parameters_stay),
      cmocka_unit_test(small_differences_have_a_scale_of_their_own),
      cmocka_unit_test(a_fit_looks_at_a_bounded_number_of_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
