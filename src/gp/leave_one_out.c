/* SPDX-License-Identifier: Apache-2.0 */
/* With K the matrix of all rows, noise on its diagonal, and outputs y around an offset c [rasmussen2006, Eq. 5.12]:
 *
 *   mu_i = y_i - [K^-1 (y - c 1)]_i / [K^-1]_ii,   s_i^2 = scale^2 / [K^-1]_ii
 *
 * Each row may have its own c, because K^-1 (y - c 1) = K^-1 y - c K^-1 1. Here c is the mean of the other rows, as a
 * GP without row i would have it. If the mean is estimated by generalized least squares, the estimate without row i
 * follows from the solution for all rows by
 *
 *   v' K_-i^-1 w = v' K^-1 w - [K^-1 v]_i [K^-1 w]_i / [K^-1]_ii
 *
 * whose left side has all entries of v and w but the i-th. The offset of the other rows is first subtracted from the
 * outputs, so that no digits are lost if outputs are large and differ by little. */
#include "gp/leave_one_out.h"

#include "base/memory.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fcps_leave_one_out {
  int count;
  double *inverse;         /* K^-1, both triangles */
  double *weights, weight; /* K^-1 1, and 1' K^-1 1 */
  int *aside;              /* scratch: the rows that the offset leaves out */
  size_t room;             /* the size of `aside` */
  double *centred;         /* scratch: one output of all rows, less an offset */
};

static double sum_of(int count, const double *x)
{
  double sum = 0.0;
  for (int i = 0; i < count; i++)
    sum += x[i];
  return sum;
}

/* -- Create and destroy -- */

void fcps_leave_one_out_destroy(fcps_leave_one_out *leave_one_out)
{
  if (leave_one_out == NULL) return;
  free(leave_one_out->inverse);
  free(leave_one_out->weights);
  free(leave_one_out->aside);
  free(leave_one_out->centred);
  free(leave_one_out);
}

static void invert(fcps_leave_one_out *loo, const fcps_gp *gp)
{
  const size_t n = (size_t)loo->count;
  fcps_chol_inverse(loo->count, gp->factor, gp->capacity, loo->inverse);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < j; i++)
      loo->inverse[j * n + i] = loo->inverse[i * n + j];
  for (size_t i = 0; i < n; i++)
    loo->weights[i] = sum_of(loo->count, loo->inverse + i * n);
  loo->weight = sum_of(loo->count, loo->weights);
}

fcps_status fcps_leave_one_out_create(fcps_leave_one_out **made, const fcps_gp *gp, int count)
{
  *made = NULL;
  if (count < 2 || count > gp->factored) return FCPS_ERR_ARGUMENT;
  const size_t n = (size_t)count;
  fcps_leave_one_out *loo = fcps_allocate(1, sizeof *loo);
  if (loo == NULL) return FCPS_ERR_MEMORY;
  loo->count = count;
  loo->inverse = fcps_allocate(n * n, sizeof(double));
  loo->weights = fcps_allocate(n, sizeof(double));
  loo->centred = fcps_allocate(n, sizeof(double));
  if (loo->inverse == NULL || loo->weights == NULL || loo->centred == NULL) {
    fcps_leave_one_out_destroy(loo);
    return FCPS_ERR_MEMORY;
  }
  invert(loo, gp);
  *made = loo;
  return FCPS_OK;
}

/* -- One row -- */

/* Inserts a row into `count` rows in ascending order, and keeps the order: fcps_gp_normalize is then fastest (gp.c). */
static void insert(int row, int count, int *rows)
{
  for (; count > 0 && rows[count - 1] > row; count--)
    rows[count] = rows[count - 1];
  rows[count] = row;
}

/* Writes the offsets of all outputs, followed by their scales. Both are estimated from all rows except `row`. */
static fcps_status normalize_others(fcps_leave_one_out *loo, fcps_gp_norm norm, int row, int outputs, const double *y,
                                    double *norms)
{
  if (!fcps_reserve((void **)&loo->aside, &loo->room, (size_t)norm.aside_count + 1, sizeof(int)))
    return FCPS_ERR_MEMORY;
  for (int i = 0; i < norm.aside_count; i++)
    insert(norm.aside[i], i, loo->aside);
  insert(row, norm.aside_count++, loo->aside);
  norm.aside = loo->aside;
  fcps_gp_normalize(norm, loo->count, outputs, y, norms, norms + outputs);
  return FCPS_OK;
}

/* The generalized least squares mean of all rows except `row`. The outputs may have any offset. */
static double gls_mean_of_others(const fcps_leave_one_out *loo, int row, double alpha, double diagonal)
{
  const double weight = loo->weight - loo->weights[row] * loo->weights[row] / diagonal;
  const double sum = fcps_dot(loo->count, loo->weights, loo->centred) - loo->weights[row] * alpha / diagonal;
  return weight > 0 ? sum / weight : 0.0;
}

fcps_status fcps_leave_one_out_row(fcps_leave_one_out *leave_one_out, fcps_gp_norm norm, int row, int outputs,
                                   const double *y, fcps_left_out *result)
{
  fcps_leave_one_out *loo = leave_one_out;
  const size_t n = (size_t)loo->count;
  const double *line = loo->inverse + (size_t)row * n;
  const double diagonal = line[row];
  double *norms = fcps_allocate(2 * (size_t)outputs, sizeof(double));
  if (norms == NULL) return FCPS_ERR_MEMORY;
  const double *offset = norms, *scale = norms + outputs;
  const fcps_status status = normalize_others(loo, norm, row, outputs, y, norms);
  for (int o = 0; o < outputs && status == FCPS_OK; o++) {
    const double *column = y + (size_t)o * n;
    for (size_t i = 0; i < n; i++)
      loo->centred[i] = column[i] - offset[o];
    loo->centred[row] = 0.0; /* its own value cancels out of its prediction; 0 gives the smallest rounding errors */
    const double alpha = fcps_dot(loo->count, line, loo->centred);
    const double mu = norm.mean == FCPS_MEAN_GLS ? gls_mean_of_others(loo, row, alpha, diagonal) : 0.0;
    const double mean = offset[o] - (alpha - mu * loo->weights[row]) / diagonal;
    result[o] = (fcps_left_out){.mean = mean, .variance = scale[o] * scale[o] / diagonal, .scale = scale[o]};
  }
  free(norms);
  return status;
}

/* -- Rows without their neighbours -- */

/* With K the matrix of all rows, alpha = K^-1 y, and B a row i with its neighbours [rasmussen2006, Eq. 5.12 for
 * blocks]:
 *
 *   y_B - mu_B = ([K^-1]_BB)^-1 alpha_B,     cov = ([K^-1]_BB)^-1
 *
 * So with v = ([K^-1]_BB)^-1 e_i the standardized error of row i is z = v' alpha_B / sqrt(v_i). One solve serves every
 * output. */

/* With fewer than LEAST_ROWS rows there are too few errors to estimate a quantile. At most MOST_LOOKED_AT rows are
 * predicted, evenly spread over their order. A row is left out together with its nearest rows: one in SHARE of all
 * rows, but at most MOST_NEIGHBOURS. */
enum { LEAST_ROWS = 12, MOST_LOOKED_AT = 200, SHARE = 20, MOST_NEIGHBOURS = 30 };

/* The 97.5 % quantile of the standard normal distribution, and the largest factor of a widening. */
static const double quantile = 1.959963984540054, widest = 3.0;

typedef struct neighbour {
  double distance;
  int row;
} neighbour;

typedef struct looking {
  const fcps_gp *gp;
  int rows, block;
  double *inverse;                  /* K^-1, rows x rows, both triangles */
  neighbour *order;                 /* one entry per row */
  double *matrix, *backup, *column; /* two matrices of block x block, and one column */
} looking;

/* A row with more additional noise than this is skipped: it tells nothing, not even about deviations. */
static const double mute = 1e5;

static int nearer(const void *a, const void *b)
{
  const neighbour *left = a, *right = b;
  if (left->distance != right->distance) return left->distance < right->distance ? -1 : 1;
  return left->row - right->row;
}

/* Sorts all rows by their distance from row i, which then comes first. */
static void sort_around(looking *l, int i)
{
  const fcps_gp *gp = l->gp;
  for (int j = 0; j < l->rows; j++) {
    const double square = fcps_gp_squared_distance(gp, i, j);
    l->order[j] = (neighbour){j == i ? -1.0 : square, j};
  }
  qsort(l->order, (size_t)l->rows, sizeof *l->order, nearer);
}

/* Computes column = ([K^-1]_BB)^-1 e_i, where row i is the first of the block B. */
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

/* Returns the factor of the widening from the absolute errors. Sorts the errors. */
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
