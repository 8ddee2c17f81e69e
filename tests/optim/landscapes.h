/* SPDX-License-Identifier: Apache-2.0 */
/* Objectives with known maxima, on the unit cube, with gradients; each counts its calls and checks that they stay in
 * the cube. The classic test functions are minimized in the literature, and negated here. */
#ifndef FCPS_TESTS_OPTIM_LANDSCAPES_H
#define FCPS_TESTS_OPTIM_LANDSCAPES_H

#include "check.h"

#include "optim/optim.h"

#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct landscape landscape;
struct landscape {
  fcps_objective_fn *formula;
  double lower, upper; /* the cube stands for [lower, upper]^n where a formula has a box of its own */
  double centre[16], weight[16];
  double cliff; /* the objective is NaN if x[0] > cliff; 0 for nowhere */
  int calls;
};

/* - sum 100 (x_i+1 - x_i^2)^2 + (1 - x_i)^2; the maximum is 0 at all ones. */
static inline double rosenbrock(void *user, int n, const double *u, double *gradient)
{
  const landscape *land = user;
  const double range = land->upper - land->lower;
  double sum = 0;
  if (gradient != NULL) memset(gradient, 0, (size_t)n * sizeof *gradient);
  for (int i = 0; i + 1 < n; i++) {
    const double x = land->lower + range * u[i], a = land->lower + range * u[i + 1] - x * x, b = 1 - x;
    sum += 100 * a * a + b * b;
    if (gradient != NULL) gradient[i] += range * (400 * x * a + 2 * b);
    if (gradient != NULL) gradient[i + 1] -= range * 200 * a;
  }
  return -sum;
}

/* Branin on [-5, 10] x [0, 15]: three equal maxima of -0.397887. */
static inline double branin(void *user, int n, const double *u, double *gradient)
{
  (void)user, (void)n;
  const double x = -5 + 15 * u[0], y = 15 * u[1], b = 5.1 / (4 * pi * pi), c = 5 / pi, t = 1 / (8 * pi);
  const double q = y - b * x * x + c * x - 6;
  if (gradient != NULL) gradient[0] = -15 * (2 * q * (c - 2 * b * x) - 10 * (1 - t) * sin(x));
  if (gradient != NULL) gradient[1] = -15 * 2 * q;
  return -(q * q + 10 * (1 - t) * cos(x) + 10);
}

/* Hartmann's function of six variables: the maximum is 3.322368 at (0.20169, 0.150011, ...). */
static inline double hartmann6(void *user, int n, const double *x, double *gradient)
{
  (void)user;
  static const double alpha[4] = {1, 1.2, 3, 3.2};
  static const double a[4][6] = {
      {10, 3, 17, 3.5, 1.7, 8}, {0.05, 10, 17, 0.1, 8, 14}, {3, 3.5, 1.7, 10, 17, 8}, {17, 8, 0.05, 10, 0.1, 14}};
  static const double p[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                 {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                 {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                 {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
  double sum = 0;
  if (gradient != NULL) memset(gradient, 0, (size_t)n * sizeof *gradient);
  for (int k = 0; k < 4; k++) {
    double r = 0;
    for (int i = 0; i < n; i++)
      r += a[k][i] * (x[i] - p[k][i]) * (x[i] - p[k][i]);
    const double bump = alpha[k] * exp(-r);
    sum += bump;
    for (int i = 0; gradient != NULL && i < n; i++)
      gradient[i] -= 2 * a[k][i] * (x[i] - p[k][i]) * bump;
  }
  return sum;
}

/* - sum weight_i (x_i - centre_i)^2: in a box the maximum is the centre, clipped. */
static inline double bowl(void *user, int n, const double *x, double *gradient)
{
  const landscape *land = user;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double gap = x[i] - land->centre[i];
    sum -= land->weight[i] * gap * gap;
    if (gradient != NULL) gradient[i] = -2 * land->weight[i] * gap;
  }
  return sum;
}

/* sum weight_i cos(2 pi (x_i - centre_i)): a full circle in each coordinate. */
static inline double waves(void *user, int n, const double *x, double *gradient)
{
  const landscape *land = user;
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double angle = 2 * pi * (x[i] - land->centre[i]);
    sum += land->weight[i] * cos(angle);
    if (gradient != NULL) gradient[i] = -2 * pi * land->weight[i] * sin(angle);
  }
  return sum;
}

static inline double evaluate(void *user, int n, const double *x, double *gradient)
{
  landscape *land = user;
  land->calls++;
  for (int i = 0; i < n; i++)
    assert_true(x[i] >= 0 && x[i] <= 1);
  const double value = land->formula(user, n, x, gradient);
  if (land->cliff > 0 && x[0] > land->cliff) {
    for (int i = 0; gradient != NULL && i < n; i++)
      gradient[i] = NAN;
    return NAN;
  }
  return value;
}

static inline void evaluate_batch(void *user, int n, int count, const double *points, double *values)
{
  for (int i = 0; i < count; i++)
    values[i] = evaluate(user, n, points + i * n, NULL);
}

static inline fcps_objective objective_of(landscape *land, int n)
{
  return (fcps_objective){.n = n, .value = evaluate, .batch = evaluate_batch, .user = land};
}

/* No small change of one coordinate, inside the cube, finds more: this is a check of an optimum without knowing it. */
static inline void assert_no_nudge_improves(landscape *land, int n, const double *x, double value, double nudge,
                                            double tolerance)
{
  double near[32];
  for (int i = 0; i < 2 * n; i++) {
    memcpy(near, x, (size_t)n * sizeof *x);
    near[i / 2] = fmin(fmax(near[i / 2] + (i % 2 ? nudge : -nudge), 0), 1);
    assert_true(!(evaluate(land, n, near, NULL) > value + tolerance));
  }
}

#endif
