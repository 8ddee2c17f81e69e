/* SPDX-License-Identifier: Apache-2.0 */
/* Imitation: the forcing f that would have produced a demonstration, and the weights w that fit it best.
 *
 *   f_t = T^2 y_d'' - (1 - z) a (a/4 (g_m - y_d) + T (g' - y_d'))     g, g' = end of the demonstration
 *   w   = (X'X + ridge I)^-1 X' f,   X[t,i] = z psi_i / sum psi
 *
 * X does not depend on the dimension, so one factorization serves all dimensions. */
#include "primitive/primitive_impl.h"

#include "base/error.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct workspace {
  double *rates[2]; /* rooms for velocities and accelerations that the demonstration does not give */
  double *basis;    /* X: count x n, one column per basis function */
  double *forcing;  /* f: count x dimensions */
  double *normal;   /* X'X + ridge I */
  double *backup;   /* the scratch of fcps_chol_factor */
  double *weights;  /* n x dimensions */
  double *row;      /* room for one row of X */
} workspace;

static void workspace_free(workspace *w)
{
  free(w->rates[0]);
  free(w->rates[1]);
  free(w->basis);
  free(w->forcing);
  free(w->normal);
  free(w->backup);
  free(w->weights);
  free(w->row);
}

static bool workspace_allocate(workspace *w, size_t count, size_t n, size_t dimensions)
{
  *w = (workspace){
      .rates = {fcps_allocate(count * dimensions, sizeof(double)), fcps_allocate(count * dimensions, sizeof(double))},
      .basis = fcps_allocate(count * n, sizeof(double)),
      .forcing = fcps_allocate(count * dimensions, sizeof(double)),
      .normal = fcps_allocate(n * n, sizeof(double)),
      .backup = fcps_allocate(n * n, sizeof(double)),
      .weights = fcps_allocate(n * dimensions, sizeof(double)),
      .row = fcps_allocate(n, sizeof(double))};
  return w->rates[0] != NULL && w->rates[1] != NULL && w->basis != NULL && w->forcing != NULL && w->normal != NULL &&
         w->backup != NULL && w->weights != NULL && w->row != NULL;
}

/* Differentiates rows of `dimensions` numbers. `dt` is the time between rows. Uses central differences inside, and
 * one-sided differences of second order at the ends. */
static void differentiate(int count, int dimensions, double dt, const double *values, double *rates)
{
  const int d = dimensions;
  for (int j = 0; j < d; j++) {
    const double *y = values + j, *end = values + (count - 1) * d + j;
    rates[j] = (-3 * y[0] + 4 * y[d] - y[2 * d]) / (2 * dt);
    rates[(count - 1) * d + j] = (3 * end[0] - 4 * end[-d] + end[-2 * d]) / (2 * dt);
    for (int t = 1; t + 1 < count; t++)
      rates[t * d + j] = (y[(t + 1) * d] - y[(t - 1) * d]) / (2 * dt);
  }
}

/* A demonstration with more samples is refused: most likely it is a mistake. With 4096 dimensions it would also
 * overflow the type of indices. */
enum { MOST_SAMPLES = 100000 };

static fcps_status check_demonstration(const fcps_primitive *primitive, const fcps_demonstration *demo, double ridge,
                                       fcps_error *error)
{
  if (primitive == NULL) return fcps_error_null(error, "primitive");
  if (demo == NULL) return fcps_error_null(error, "demonstration");
  if (demo->positions == NULL) return fcps_error_null(error, "positions");
  if (demo->count < 3)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "count", "a demonstration needs 3 samples or more, not %d",
                          demo->count);
  if (demo->count > MOST_SAMPLES)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "count", "a demonstration has at most %d samples, not %d",
                          MOST_SAMPLES, demo->count);
  if (!(demo->duration > 0 && isfinite(demo->duration)))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "duration", "is %g; it must be positive", demo->duration);
  if (!(ridge >= 0 && isfinite(ridge)))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "ridge", "is %g; it must be 0 or positive", ridge);
  const double *const parts[] = {demo->positions, demo->velocities, demo->accelerations};
  const char *const names[] = {"positions", "velocities", "accelerations"};
  const int total = demo->count * primitive->settings.dimensions;
  for (int p = 0; p < 3; p++)
    for (int i = 0; parts[p] != NULL && i < total; i++)
      if (!isfinite(parts[p][i]))
        return fcps_error_set(error, FCPS_ERR_NOT_FINITE, names[p], "sample %d is NaN or infinite",
                              i / primitive->settings.dimensions + 1);
  for (int j = 0; demo->end_velocity != NULL && j < primitive->settings.dimensions; j++)
    if (!isfinite(demo->end_velocity[j]))
      return fcps_error_set(error, FCPS_ERR_NOT_FINITE, "end_velocity", "of dimension %d is NaN or infinite", j + 1);
  return FCPS_OK;
}

/* Computes X, and f for each dimension. */
static void target_forcing(const fcps_primitive *primitive, const fcps_demonstration *demo, const double *velocities,
                           const double *accelerations, workspace *w)
{
  const int count = demo->count, d = primitive->settings.dimensions, n = primitive->settings.basis_count;
  const double T = demo->duration;
  const double *goal = demo->positions + (count - 1) * d;
  const double *goal_velocity = demo->end_velocity != NULL ? demo->end_velocity : velocities + (count - 1) * d;

  for (int t = 0; t < count; t++) {
    const double fraction = (double)t / (count - 1);
    const double z = fcps_primitive_phase(primitive, fraction), fade = fcps_primitive_fade(primitive, z);
    fcps_primitive_basis(primitive, z, w->row);
    for (int i = 0; i < n; i++)
      w->basis[i * count + t] = w->row[i];
    for (int j = 0; j < d; j++)
      w->forcing[j * count + t] =
          T * T * accelerations[t * d + j] -
          fade * fcps_primitive_pull(primitive->settings.gain, T, fraction * T, goal[j], goal_velocity[j],
                                     demo->positions[t * d + j], velocities[t * d + j]);
  }
}

fcps_status fcps_primitive_imitate(fcps_primitive *primitive, const fcps_demonstration *demo, double ridge,
                                   fcps_error *error)
{
  fcps_status status = check_demonstration(primitive, demo, ridge, error);
  if (status == FCPS_OK) status = fcps_blas_reserve(error);
  if (status != FCPS_OK) return status;
  const int count = demo->count, d = primitive->settings.dimensions, n = primitive->settings.basis_count;
  workspace w;
  if (!workspace_allocate(&w, (size_t)count, (size_t)n, (size_t)d)) {
    workspace_free(&w);
    return fcps_error_memory(error);
  }

  const double dt = demo->duration / (count - 1);
  const double *velocities = demo->velocities, *accelerations = demo->accelerations;
  if (velocities == NULL) {
    differentiate(count, d, dt, demo->positions, w.rates[0]);
    velocities = w.rates[0];
  }
  if (accelerations == NULL) {
    differentiate(count, d, dt, velocities, w.rates[1]);
    accelerations = w.rates[1];
  }
  target_forcing(primitive, demo, velocities, accelerations, &w);

  fcps_multiply_self(n, count, 1, w.basis, count, 0, w.normal, n);
  for (int i = 0; i < n; i++)
    w.normal[i * n + i] += ridge;
  fcps_multiply_tn(n, d, count, 1, w.basis, count, w.forcing, count, 0, w.weights, n);
  status = fcps_chol_factor(n, w.normal, n, w.backup, NULL);
  if (status == FCPS_OK) {
    fcps_chol_solve_lower(n, w.normal, n, d, w.weights, n);
    fcps_chol_solve_upper(n, w.normal, n, d, w.weights, n);
    memcpy(primitive->weights, w.weights, (size_t)n * (size_t)d * sizeof(double));
  } else {
    fcps_error_set(error, status, "demonstration",
                   "does not determine %d weights; use fewer basis functions, more samples or a larger ridge", n);
  }
  workspace_free(&w);
  return status;
}
