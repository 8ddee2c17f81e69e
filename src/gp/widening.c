/* SPDX-License-Identifier: Apache-2.0 */
/* With K the matrix of all rows, alpha = K^-1 y, and B a row i with its neighbours [rasmussen2006, Eq. 5.12 for blocks]:
 *
 *   y_B - mu_B = ([K^-1]_BB)^-1 alpha_B,     cov = ([K^-1]_BB)^-1
 *
 * So with v = ([K^-1]_BB)^-1 e_i the standardized error of row i is z = v' alpha_B / sqrt(v_i), for every output from one
 * solve. */
#include "gp/widening.h"

#include "base/memory.h"
#include "linalg/cholesky.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer rows say nothing about the tail; of more, as many are looked at, evenly spread over their order. A row is left
 * out with one of SHARE rows around it. */
enum { LEAST_ROWS = 12, MOST_LOOKED_AT = 200, SHARE = 20, MOST_NEIGHBOURS = 30 };

/* The 97.5 % quantile of the standard normal distribution, and the widest factor that is believed. */
static const double quantile = 1.959963984540054, widest = 3.0;

typedef struct neighbour {
  double distance;
  int row;
} neighbour;

typedef struct looking {
  const fcps_gp *gp;
  int rows, block;
  double *inverse;                  /* rows x rows, both triangles */
  neighbour *order;                 /* rows */
  double *matrix, *backup, *column; /* block x block twice, block */
} looking;

/* A row with more noise says nothing, also of deviations. */
static const double mute = 1e5;

static int nearer(const void *a, const void *b)
{
  const neighbour *left = a, *right = b;
  if (left->distance != right->distance) return left->distance < right->distance ? -1 : 1;
  return left->row - right->row;
}

/* order := all rows by their distance from row i, itself first. */
static void sort_around(looking *l, int i)
{
  const fcps_gp *gp = l->gp;
  for (int j = 0; j < l->rows; j++) {
    double sum = 0.0;
    for (int d = 0; d < gp->dim; d++) {
      const double *x = gp->scaled + (size_t)d * (size_t)gp->capacity;
      sum += (x[i] - x[j]) * (x[i] - x[j]);
    }
    l->order[j] = (neighbour){j == i ? -1.0 : sum, j};
  }
  qsort(l->order, (size_t)l->rows, sizeof *l->order, nearer);
}

/* column := ([K^-1]_BB)^-1 e_i, where i is the first of the block. */
static fcps_status solve_block(looking *l)
{
  const size_t b = (size_t)l->block, n = (size_t)l->rows;
  for (size_t c = 0; c < b; c++)
    for (size_t r = 0; r < b; r++)
      l->matrix[c * b + r] = l->inverse[(size_t)l->order[c].row * n + (size_t)l->order[r].row];
  memset(l->column, 0, b * sizeof(double));
  l->column[0] = 1.0;
  const fcps_status status = fcps_chol_factor(l->block, l->matrix, l->block, l->backup, NULL);
  if (status != FCPS_OK) return status;
  fcps_chol_solve_lower(l->block, l->matrix, l->block, 1, l->column, l->block);
  fcps_chol_solve_upper(l->block, l->matrix, l->block, 1, l->column, l->block);
  return FCPS_OK;
}

static int ascending(const void *a, const void *b)
{
  const double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

/* The factor from the absolute errors, which it sorts. */
static double factor_of(int count, double *errors)
{
  qsort(errors, (size_t)count, sizeof *errors, ascending);
  const double covered = errors[(int)(0.95 * count)];
  return fmin(widest, fmax(1.0, covered / quantile));
}

static fcps_status look(looking *l, const fcps_gp_outputs *outputs, int count, double *errors, double *factors)
{
  const size_t n = (size_t)l->rows;
  fcps_status status = FCPS_OK;
  int heard = 0;
  for (int k = 0; k < count && status == FCPS_OK; k++) {
    const int row = (int)((int64_t)k * l->rows / count);
    if (l->gp->noise[row] > mute) continue;
    sort_around(l, row);
    status = solve_block(l);
    for (int o = 0; o < outputs->outputs && status == FCPS_OK; o++) {
      double error = 0.0;
      for (int c = 0; c < l->block; c++)
        error += l->column[c] * outputs->alpha[(size_t)o * n + (size_t)l->order[c].row];
      errors[o * count + heard] = fabs(error) / sqrt(l->column[0]);
    }
    heard++;
  }
  for (int o = 0; o < outputs->outputs && status == FCPS_OK && heard >= LEAST_ROWS; o++)
    factors[o] = factor_of(heard, errors + o * count);
  return status;
}

fcps_status fcps_gp_widening(const fcps_gp *gp, const fcps_gp_outputs *outputs, double *factors)
{
  const int rows = gp->factored, count = rows < MOST_LOOKED_AT ? rows : MOST_LOOKED_AT;
  for (int o = 0; o < outputs->outputs; o++)
    factors[o] = 1.0;
  if (rows < LEAST_ROWS || outputs->count != rows) return FCPS_OK;
  const int some = 1 + rows / SHARE, block = some < MOST_NEIGHBOURS ? some : MOST_NEIGHBOURS;
  const size_t n = (size_t)rows, b = (size_t)block;
  looking l = {.gp = gp,
               .rows = rows,
               .block = block,
               .inverse = fcps_allocate(n * n, sizeof(double)),
               .order = fcps_allocate(n, sizeof(neighbour)),
               .matrix = fcps_allocate(b * (2 * b + 1), sizeof(double))};
  double *errors = fcps_allocate((size_t)(count * outputs->outputs), sizeof(double));
  fcps_status status = FCPS_ERR_MEMORY;
  if (l.inverse != NULL && l.order != NULL && l.matrix != NULL && errors != NULL) {
    l.backup = l.matrix + b * b;
    l.column = l.backup + b * b;
    fcps_chol_inverse(rows, gp->factor, gp->capacity, l.inverse);
    for (size_t j = 0; j < n; j++)
      for (size_t i = 0; i < j; i++)
        l.inverse[j * n + i] = l.inverse[i * n + j];
    status = look(&l, outputs, count, errors, factors);
  }
  free(l.inverse);
  free(l.order);
  free(l.matrix);
  free(errors);
  return status;
}
