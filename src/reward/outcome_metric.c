/* SPDX-License-Identifier: Apache-2.0 */
/* With achieved(o) = A o + b the weight of outcome j is the length of column j of A. The target's coordinates have one
 * unit if the rows of A diag(1/weights) are orthogonal and equally long. This holds if each coordinate is one outcome,
 * in whatever unit, and also for a rotated frame. A follows from calling `achieved` at a few outcomes, in the middle of
 * the environments. */
#include "reward/outcome_metric.h"

#include "base/memory.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative differences up to this count as rounding. */
static const double rounding = 1e-6;

/* Writes the probes: outcomes at 0, at 1 along each axis, and at 1 along all axes; environments in the middle. */
static void place_probes(const fcps_problem *problem, int q, double *environments, double *outcomes)
{
  const int e = problem->environment.count;
  double middle[FCPS_SPACE_MAX];
  for (int i = 0; i < e; i++)
    middle[i] = 0.5;
  for (int row = 0; row < q + 2; row++) {
    fcps_space_from_unit(&problem->environment, middle, environments + row * e);
    for (int j = 0; j < q; j++)
      outcomes[row * q + j] = row == j + 1 || row == q + 1 ? 1.0 : 0.0;
  }
}

/* Whether the map is linear: the target of the last probe follows from those of the others. */
static bool is_linear(int k, int q, const double *targets)
{
  for (int i = 0; i < k; i++) {
    double sum = targets[i], reach = fabs(targets[i]);
    for (int j = 0; j < q; j++) {
      sum += targets[(j + 1) * k + i] - targets[i];
      reach += fabs(targets[(j + 1) * k + i] - targets[i]);
    }
    if (!(fabs(sum - targets[(q + 1) * k + i]) <= rounding * reach)) return false;
  }
  return true;
}

/* Computes the lengths of the columns of A. Returns whether at least one is positive. */
static bool measure_columns(int k, int q, const double *targets, double *weights)
{
  double largest = 0.0;
  for (int j = 0; j < q; j++) {
    double squares = 0.0;
    for (int i = 0; i < k; i++)
      squares += pow(targets[(j + 1) * k + i] - targets[i], 2.0);
    weights[j] = sqrt(squares);
    if (!isfinite(weights[j])) return false;
    largest = fmax(largest, weights[j]);
  }
  return largest > 0.0;
}

/* Whether the rows of A diag(1/weights) are orthogonal and equally long. */
static bool is_isotropic(int k, int q, const double *targets, const double *weights)
{
  double size = 0.0;
  for (int i = 0; i < k; i++)
    for (int l = 0; l <= i; l++) {
      double product = 0.0;
      for (int j = 0; j < q; j++)
        if (weights[j] > 0.0)
          product += (targets[(j + 1) * k + i] - targets[i]) * (targets[(j + 1) * k + l] - targets[l]) /
                     (weights[j] * weights[j]);
      if (i == 0) size = product;
      if (!(fabs(product - (i == l ? size : 0.0)) <= rounding * size)) return false;
    }
  return true;
}

bool fcps_metric_find_weights(const fcps_problem *problem, double *weights)
{
  const int k = problem->target.count, q = problem->outcome.count, e = problem->environment.count;
  if (!problem->is_distance || problem->achieved == NULL || k < 1 || q < k) return false;
  const size_t rows = (size_t)q + 2;
  double *environments = fcps_allocate(rows * (size_t)(e + q + k), sizeof(double));
  if (environments == NULL) return false;
  double *outcomes = environments + rows * (size_t)e, *targets = outcomes + rows * (size_t)q;
  place_probes(problem, q, environments, outcomes);
  const bool is_found = problem->achieved(problem->user, (int)rows, environments, outcomes, targets) == FCPS_OK &&
                        is_linear(k, q, targets) && measure_columns(k, q, targets, weights) &&
                        is_isotropic(k, q, targets, weights);
  free(environments);
  return is_found;
}
