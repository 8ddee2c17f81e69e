/* SPDX-License-Identifier: Apache-2.0 */
/* Models of rewards over one or two parameters, without any context, for tests that draw from them by brute force. */
#ifndef FCPS_TESTS_ACQUISITION_INFORMATION_HILL_H
#define FCPS_TESTS_ACQUISITION_INFORMATION_HILL_H

#include "acquisition/information/gain.h"
#include "check.h"
#include "gp/query.h"
#include "linalg/dense.h"

#include <stdlib.h>
#include <string.h>

enum { HILL_MOST = 2, HILL_ROWS = 6 };

static const fcps_dimension hill_dims[HILL_MOST] = {{.name = "along", .upper = 1}, {.name = "across", .upper = 1}};

static inline fcps_problem hill_problem(int n)
{
  return (fcps_problem){.parameters = {n, hill_dims}};
}

/* A few rewards, and the prior's hyper-parameters. */
static inline fcps_model *hill_model(const fcps_problem *problem, const fcps_kernel *kernel)
{
  const fcps_model_settings settings = {.kernel = kernel,
                                        .norm = {.mean = FCPS_MEAN_ZERO, .scaling = FCPS_SCALING_NONE},
                                        .prior = {.length = 0.25,
                                                  .length_sd = 1,
                                                  .signal = 1,
                                                  .signal_sd = 1,
                                                  .noise = 0.1,
                                                  .noise_sd = 1,
                                                  .noise_floor = 1e-3},
                                        .fit = {.starts = 1, .budget = 10}};
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_joint, problem, &settings));
  for (int i = 0; i < HILL_ROWS; i++) {
    const double x[HILL_MOST] = {fmod(0.05 + 0.19 * i, 1.0), fmod(0.3 + 0.37 * i, 1.0)};
    const double reward = sin(7 * x[0]) - (problem->parameters.count > 1 ? pow(x[1] - 0.4, 2) : 0.0);
    const fcps_rollout rollout = {.parameters = x, .reward = reward};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

/* Mean and covariance (column-major) of `count` points, in unit scale. */
static inline void hill_joint(const fcps_model *model, const fcps_gp_outputs *outputs, int count, const double *x,
                              double *mean, double *covariance)
{
  const fcps_gp *gp = fcps_model_gp(model, 0);
  double *whitened = malloc(sizeof(double) * (size_t)gp->factored * (size_t)count);
  assert_non_null(whitened);
  fcps_gp_work work = {0};
  assert_ok(fcps_gp_work_reserve(&work, gp, 0));
  fcps_gp_predict(gp, outputs, &(fcps_gp_query){.count = count, .points = x, .mean = mean, .whitened = whitened},
                  &work);
  const fcps_gp_points set = {count, x, whitened};
  fcps_gp_covariance_between(gp, set, set, covariance);
  fcps_gp_work_destroy(&work);
  free(whitened);
}

/* Conditions the Gaussian on component `i` being 0, known with variance `noise`. */
static inline void hill_condition(int count, double *mean, double *covariance, int i, double noise)
{
  double column[64];
  const double total = covariance[i * count + i] + noise, off = mean[i];
  assert_true(count <= 64);
  for (int a = 0; a < count; a++)
    column[a] = covariance[i * count + a];
  for (int a = 0; a < count; a++) {
    mean[a] -= column[a] * off / total;
    for (int b = 0; b < count; b++)
      covariance[b * count + a] -= column[a] * column[b] / total;
  }
}

#endif
