/* SPDX-License-Identifier: Apache-2.0 */
/* GPs that tests of the room ask: random rows with mixed hyper-parameters, and rows that are noisier than others. */
#ifndef FCPS_TESTS_GP_RANDOM_GP_H
#define FCPS_TESTS_GP_RANDOM_GP_H

#include "base/rng.h"
#include "check.h"
#include "gp/gp.h"

/* A GP with `rows` random rows in the unit cube and the hyper-parameters at the centre of `prior`. */
static inline fcps_gp *random_gp_of_prior(const fcps_hyper_prior *prior, int dim, int rows, const fcps_kernel *kernel,
                                          fcps_rng *rng)
{
  fcps_gp *gp;
  double x[16];
  assert_ok(fcps_gp_create(&gp, dim, kernel));
  fcps_gp_hyper_centre(prior, dim, gp->hyper);
  for (int i = 0; i < rows; i++) {
    fcps_rng_uniforms(rng, dim, x);
    assert_ok(fcps_gp_add(gp, x));
  }
  return gp;
}

/* A GP with `rows` random rows in the unit cube and mixed hyper-parameters. */
static inline fcps_gp *random_gp(int dim, int rows, const fcps_kernel *kernel, fcps_rng *rng)
{
  fcps_gp *gp;
  double hyper[16], x[16];
  assert_ok(fcps_gp_create(&gp, dim, kernel));
  for (int d = 0; d < dim; d++)
    hyper[d] = log(0.3 + fcps_rng_uniform(rng));
  hyper[dim] = log(1.3);
  hyper[dim + 1] = log(0.1);
  fcps_gp_set_hyper(gp, hyper);
  for (int i = 0; i < rows; i++) {
    fcps_rng_uniforms(rng, dim, x);
    assert_ok(fcps_gp_add(gp, x));
  }
  return gp;
}

/* `rows` rows of two inputs, with outputs y and variances of their noise beyond sn^2, which the GP does not have
 * yet. */
enum { NOISY_ROWS = 9, NOISY_DIM = 2 };
static const double noisy_hyper[NOISY_DIM + 2] = {-0.9, -0.4, 0.2, -2.0};
static inline fcps_gp *noisy_gp(int rows, double *y, double *noise)
{
  fcps_gp *gp = NULL;
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_gp_create(&gp, NOISY_DIM, &fcps_kernel_se));
  fcps_gp_set_hyper(gp, noisy_hyper);
  for (int i = 0; i < rows; i++) {
    double input[NOISY_DIM];
    fcps_rng_uniforms(&rng, NOISY_DIM, input);
    assert_ok(fcps_gp_add(gp, input));
    y[i] = sin(5 * input[0]) + input[1];
    noise[i] = 0.3 * fcps_rng_uniform(&rng);
  }
  return gp;
}

#endif
