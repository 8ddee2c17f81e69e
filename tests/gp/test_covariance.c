/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/gp/kernels/covariance.c: all functions give k = sf^2 phi(s), and those with rows give the same bits. */
#include "gp/kernels/covariance.h"

#include "gp/random_gp.h"

enum { DIM = 4, ROWS = 21 };

static void row_of(const fcps_gp *gp, int row, double *x)
{
  for (int d = 0; d < DIM; d++)
    x[d] = gp->inputs[d * gp->capacity + row];
}

static void a_row_and_a_point_in_its_place_have_the_same_covariances(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  for (int kernel = 0; fcps_kernel_at(kernel) != NULL; kernel++) {
    fcps_gp *gp = random_gp(DIM, ROWS, fcps_kernel_at(kernel), &rng);
    double points[ROWS * DIM], scratch[2 * DIM], all[ROWS * ROWS], slope[ROWS * ROWS], row[ROWS], prior[ROWS * ROWS];
    for (int i = 0; i < ROWS; i++)
      row_of(gp, i, points + i * DIM);
    fcps_gp_covariances(gp, ROWS, ROWS, points, scratch, all, slope);
    fcps_gp_prior_covariances(gp, ROWS, points, ROWS, points, prior);
    for (int i = 0; i < ROWS; i++) {
      fcps_gp_covariances_of_row(gp, i, scratch, row);
      assert_near(all[i * ROWS + i], 1.69, 1e-14);
      for (int j = 0; j < i; j++)
        assert_true(all[i * ROWS + j] == row[j]);
      for (int j = 0; j < ROWS; j++)
        assert_near(all[i * ROWS + j], prior[i * ROWS + j], 1e-13);
    }
    fcps_gp_destroy(gp);
  }
}

/* computed by hand, with the slope, and for some of the inputs */
static void covariances_follow_the_formula(void **state)
{
  (void)state;
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  fcps_gp *gp = random_gp(DIM, ROWS, &fcps_kernel_se, &rng);
  double point[DIM], scratch[2 * DIM], k[ROWS], slope[ROWS], partial[ROWS];
  fcps_rng_uniforms(&rng, DIM, point);
  fcps_gp_covariances(gp, ROWS, 1, point, scratch, k, slope);
  fcps_gp_squared_distances(gp, 1, 2, ROWS, 1, point + 1, scratch, partial);
  for (int i = 0; i < ROWS; i++) {
    double x[DIM], s[DIM], total = 0.0;
    row_of(gp, i, x);
    for (int d = 0; d < DIM; d++)
      total += s[d] = (x[d] - point[d]) * (x[d] - point[d]) / exp(2 * gp->hyper[d]);
    assert_near(k[i], 1.69 * exp(-0.5 * total), 1e-13);
    assert_near(slope[i], exp(-0.5 * total), 1e-13);
    assert_near(partial[i], s[1] + s[2], 1e-13);
  }
  fcps_gp_destroy(gp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_and_a_point_in_its_place_have_the_same_covariances),
      cmocka_unit_test(covariances_follow_the_formula),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
