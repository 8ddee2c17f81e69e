/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/gp.c: the factor, its growth, and conditioning on outputs. */
#include "gp/query.h"
#include "gp/random_gp.h"

#include <stdlib.h>
#include <string.h>

static const fcps_gp_norm plain = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE};

static void a_grown_factor_equals_a_fresh_one(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  enum { ROWS = 60 };
  fcps_gp *gp = random_gp(4, ROWS, &fcps_kernel_matern32, &rng), *copy;
  assert_ok(fcps_gp_copy(gp, &copy));
  assert_ok(fcps_gp_factorize(gp, 20));
  assert_ok(fcps_gp_grow(gp));
  assert_int_equal(gp->base, 20);
  assert_ok(fcps_gp_factorize(copy, ROWS));
  for (int j = 0; j < ROWS; j++)
    for (int i = j; i < ROWS; i++)
      assert_near(gp->factor[j * gp->capacity + i], copy->factor[j * copy->capacity + i], 1e-10);
  fcps_gp_destroy(copy);
  fcps_gp_destroy(gp);
}

/* the same rows, base and hyper-parameters give the same bits: resuming relies on this */
static void a_factor_rebuilt_from_base_has_the_same_bits(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  enum { ROWS = 70, BASE = 33 };
  fcps_gp *grown = random_gp(3, BASE, &fcps_kernel_se, &rng), *rebuilt;
  assert_ok(fcps_gp_factorize(grown, BASE));
  for (int i = BASE; i < ROWS; i++) { /* one row, one growth at a time, through several capacities */
    double x[3];
    fcps_rng_uniforms(&rng, 3, x);
    assert_ok(fcps_gp_add(grown, x));
    assert_ok(fcps_gp_grow(grown));
  }
  assert_ok(fcps_gp_copy(grown, &rebuilt));
  fcps_gp_set_hyper(rebuilt, grown->hyper);
  assert_ok(fcps_gp_factorize(rebuilt, BASE));
  assert_ok(fcps_gp_grow(rebuilt));
  for (int j = 0; j < ROWS; j++)
    for (int i = j; i < ROWS; i++)
      assert_true(grown->factor[j * grown->capacity + i] == rebuilt->factor[j * rebuilt->capacity + i]);
  fcps_gp_destroy(rebuilt);
  fcps_gp_destroy(grown);
}

static void a_grown_factor_knows_the_noise(void **state)
{
  (void)state;
  double y[NOISY_ROWS], noise[NOISY_ROWS], y_again[NOISY_ROWS], noise_again[NOISY_ROWS];
  fcps_gp *gp = noisy_gp(NOISY_ROWS, y, noise), *grown = noisy_gp(4, y_again, noise_again), *copy = NULL;
  fcps_gp_set_noise(gp, 4, noise, 0.17);
  assert_ok(fcps_gp_factorize(gp, NOISY_ROWS));
  fcps_gp_set_noise(grown, 4, noise, 0.17);
  assert_ok(fcps_gp_factorize(grown, 4));
  for (int i = 4; i < NOISY_ROWS; i++) {
    const double input[NOISY_DIM] = {gp->inputs[i], gp->inputs[gp->capacity + i]};
    assert_ok(fcps_gp_add(grown, input)); /* with the usual noise */
  }
  assert_ok(fcps_gp_grow(grown));
  assert_ok(fcps_gp_copy(grown, &copy));
  for (int j = 0; j < NOISY_ROWS; j++)
    for (int i = j; i < NOISY_ROWS; i++) {
      assert_near(grown->factor[j * grown->capacity + i], gp->factor[j * gp->capacity + i], 1e-12);
      assert_true(copy->factor[j * copy->capacity + i] == grown->factor[j * grown->capacity + i]);
    }
  assert_memory_equal(copy->noise, grown->noise, NOISY_ROWS * sizeof(double));
  assert_near(fcps_gp_noise(copy), exp(-4.0) + 0.17, 1e-12);
  fcps_gp_destroy(gp);
  fcps_gp_destroy(grown);
  fcps_gp_destroy(copy);
}

static void identical_rows_are_survived(void **state)
{
  (void)state;
  const double x[2] = {0.4, 0.6}, hyper[] = {log(1e-8), log(1e8), log(1e6), log(1e-12)};
  for (int rows = 1; rows <= 300; rows += 13) {
    fcps_gp *gp;
    fcps_gp_outputs outputs = {0};
    fcps_gp_work work = {0};
    double mean, variance, *y = calloc((size_t)rows, sizeof *y);
    assert_ok(fcps_gp_create(&gp, 2, &fcps_kernel_se));
    fcps_gp_set_hyper(gp, hyper);
    for (int i = 0; i < rows; i++)
      assert_ok(fcps_gp_add(gp, x));
    assert_ok(fcps_gp_grow(gp));
    assert_ok(fcps_gp_condition(gp, plain, rows, 1, y, &outputs));
    assert_ok(fcps_gp_work_reserve(&work, gp, 1));
    fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = x, .mean = &mean, .variance = &variance},
                    &work);
    assert_true(isfinite(mean) && variance >= 0);
    free(y);
    fcps_gp_work_destroy(&work);
    fcps_gp_outputs_destroy(&outputs);
    fcps_gp_destroy(gp);
  }
}

/* y = 7 + noise: far from every row the posterior returns to the GLS mean */
static void the_gls_mean_weighs_rows_by_their_information(void **state)
{
  (void)state;
  const double hyper[] = {log(0.5), 0.0, log(0.1)};
  const double x[] = {0.0, 0.01, 1.0}, y[] = {2.0, 2.0, 8.0}, far[] = {50.0};
  fcps_gp *gp;
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  double mean;
  assert_ok(fcps_gp_create(&gp, 1, &fcps_kernel_se));
  fcps_gp_set_hyper(gp, hyper);
  for (int i = 0; i < 3; i++)
    assert_ok(fcps_gp_add(gp, x + i));
  assert_ok(fcps_gp_grow(gp));
  assert_ok(
      fcps_gp_condition(gp, (fcps_gp_norm){.mean = FCPS_MEAN_GLS, .scaling = FCPS_SCALING_NONE}, 3, 1, y, &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = far, .mean = &mean}, &work);
  /* two rows at one place count nearly as one: between (2+2+8)/3 = 4 and (2+8)/2 = 5, nearer to 5 */
  assert_true(mean > 4.9 && mean < 5.0);
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

static void constant_outputs_are_predicted_as_they_are(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(7, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(2, 5, &fcps_kernel_se, &rng);
  fcps_gp_outputs outputs = {0};
  fcps_gp_work work = {0};
  const double y[5] = {-4, -4, -4, -4, -4}, x[2] = {0.5, 0.5};
  double mean;
  assert_ok(fcps_gp_grow(gp));
  assert_ok(fcps_gp_condition(gp, (fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH}, 5, 1, y,
                              &outputs));
  assert_ok(fcps_gp_work_reserve(&work, gp, 1));
  fcps_gp_predict(gp, &outputs, &(fcps_gp_query){.count = 1, .points = x, .mean = &mean}, &work);
  assert_near(mean, -4.0, 1e-12);
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&outputs);
  fcps_gp_destroy(gp);
}

static void small_differences_have_a_scale_of_their_own(void **state)
{
  (void)state;
  const double offsets[] = {0, 1, 1e8}, sizes[] = {1e-20, 1e-8, 1.0};
  for (int i = 0; i < 3; i++) {
    double offset, scale;
    const double y[4] = {offsets[i], offsets[i] + sizes[i], offsets[i] + 2 * sizes[i], offsets[i] + 3 * sizes[i]};
    fcps_gp_normalize((fcps_gp_norm){.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH}, 4, 1, y, &offset,
                      &scale);
    assert_near(scale / sizes[i], sqrt(5.0 / 3.0), 1e-6);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_grown_factor_equals_a_fresh_one),
      cmocka_unit_test(a_factor_rebuilt_from_base_has_the_same_bits),
      cmocka_unit_test(a_grown_factor_knows_the_noise),
      cmocka_unit_test(identical_rows_are_survived),
      cmocka_unit_test(the_gls_mean_weighs_rows_by_their_information),
      cmocka_unit_test(constant_outputs_are_predicted_as_they_are),
      cmocka_unit_test(small_differences_have_a_scale_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
