/* SPDX-License-Identifier: Apache-2.0 */
/* All squared distances are computed first, and then the kernel once for all of them, because its exponentials are fast
 * on blocks. Equal pairs give equal bits in every call and at every place. */
#include "gp/kernels/covariance.h"

#include "base/memory.h"
#include "gp/kernels/kernel.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>

/* Replaces squared distances k by sf^2 phi, and writes h to slope. */
static void from_distances(const fcps_gp *gp, size_t count, double *k, double *slope)
{
  gp->kernel->eval(count, k, k, slope);
  const double sf2 = fcps_gp_signal_variance(gp);
  for (size_t i = 0; i < count; i++)
    k[i] *= sf2;
}

/* Adds the squared distances, in inputs that are words, between a point and the first `rows` rows. `x` holds the inputs
 * of the point from input `first` on. */
static void add_words(const fcps_gp *gp, int first, int width, int rows, const double *x, double *s)
{
  for (int d = first; d < first + width && d < gp->tables.inputs; d++) {
    const fcps_table *table = gp->tables.of + d;
    const double weight = exp(-2.0 * gp->hyper[d]), *column = gp->inputs + (size_t)d * (size_t)gp->capacity;
    if (table->count == 0) continue;
    const double *square = table->square + fcps_tables_word(table, x[d - first]) * table->count;
    for (int i = 0; i < rows; i++)
      s[i] += weight * square[fcps_tables_word(table, column[i])];
  }
}

void fcps_gp_squared_distances(const fcps_gp *gp, int first, int width, int rows, int count, const double *points,
                               double *scratch, double *s)
{
  const double *inputs = gp->scaled + (size_t)first * (size_t)gp->capacity;
  double *inverse = scratch, *scaled = scratch + width;
  for (int d = 0; d < width; d++)
    inverse[d] = fcps_gp_inverse_length(gp, first + d);
  for (int j = 0; j < count; j++) {
    for (int d = 0; d < width; d++)
      scaled[d] = points[(size_t)j * (size_t)width + (size_t)d] * inverse[d];
    fcps_squared_distances(rows, width, inputs, gp->capacity, scaled, s + (size_t)j * (size_t)rows);
    add_words(gp, first, width, rows, points + (size_t)j * (size_t)width, s + (size_t)j * (size_t)rows);
  }
}

void fcps_gp_covariances(const fcps_gp *gp, int rows, int count, const double *points, double *scratch, double *k,
                         double *slope)
{
  fcps_gp_squared_distances(gp, 0, gp->dim, rows, count, points, scratch, k);
  from_distances(gp, (size_t)rows * (size_t)count, k, slope);
}

void fcps_gp_covariances_of_row(const fcps_gp *gp, int row, double *scaled, double *k)
{
  for (int d = 0; d < gp->dim; d++)
    scaled[d] = gp->scaled[(size_t)d * (size_t)gp->capacity + (size_t)row];
  fcps_squared_distances(row, gp->dim, gp->scaled, gp->capacity, scaled, k);
  if (gp->tables.inputs > 0) {
    fcps_gp_row(gp, row, scaled);
    add_words(gp, 0, gp->dim, row, scaled, k);
  }
  from_distances(gp, (size_t)row, k, NULL);
}

void fcps_gp_prior_covariances(const fcps_gp *gp, int m, const double *a, int n, const double *b, double *k)
{
  const size_t dim = (size_t)gp->dim, total = (size_t)m * (size_t)n;
  for (size_t i = 0; i < total; i++)
    k[i] = 0.0;
  for (size_t d = 0; d < dim; d++) {
    const double weight = exp(-2.0 * gp->hyper[d]);
    const bool is_number = !fcps_tables_has_words(&gp->tables, (int)d);
    double *s = k;
    for (size_t j = 0; j < (size_t)n; j++)
      for (size_t i = 0; i < (size_t)m; i++, s++) {
        if (is_number) {
          const double t = a[i * dim + d] - b[j * dim + d];
          *s += weight * t * t;
        } else {
          *s += weight * fcps_tables_square(&gp->tables, (int)d, a[i * dim + d], b[j * dim + d]);
        }
      }
  }
  from_distances(gp, total, k, NULL);
}

/* -- All pairs of rows -- */

/* dK/dlog l_d = sf^2 h(s) (x_d - x'_d)^2/l_d^2,   dK/dlog sf = 2 sf^2 phi   [rasmussen2006, Eq. 5.9] */

/* Notes the words of all rows. */
static fcps_status find_words(fcps_pair_covariance *p, const fcps_gp *gp)
{
  if (gp->tables.inputs == 0) return FCPS_OK;
  p->words = fcps_allocate((size_t)p->rows * (size_t)p->dim, sizeof *p->words);
  if (p->words == NULL) return FCPS_ERR_MEMORY;
  for (int d = 0; d < p->dim; d++)
    for (int i = 0; i < p->rows && fcps_tables_has_words(&gp->tables, d); i++)
      p->words[d * p->rows + i] =
          fcps_tables_word(&gp->tables.of[d], gp->inputs[(size_t)d * (size_t)gp->capacity + (size_t)i]);
  return FCPS_OK;
}

void fcps_pair_covariance_set_table(fcps_pair_covariance *p, int input, int count, const double *square)
{
  const int *word = p->words + input * p->rows;
  double *of_pair = p->squares + (size_t)input * (size_t)p->pairs;
  for (int j = 0; j < p->rows; j++)
    for (int i = j + 1; i < p->rows; i++)
      *of_pair++ = square[word[i] * count + word[j]];
}

/* Here dK/d square = -sf^2 h(s)/(2 l_d^2) for each pair of rows with these two words. */
void fcps_pair_covariance_table_gradient(const fcps_pair_covariance *p, const double *hyper, int input, int count,
                                         double *by_square)
{
  const int *word = p->words + input * p->rows;
  const double factor = -0.5 * fcps_gp_hyper_signal_variance(p->dim, hyper) * p->weight[input];
  const double *slope = p->slope;
  for (int j = 0; j < p->rows; j++)
    for (int i = j + 1; i < p->rows; i++)
      by_square[word[i] * count + word[j]] += factor * *slope++;
}

static void fill_squares(fcps_pair_covariance *p, const fcps_gp *gp)
{
  for (int d = 0; d < p->dim; d++) {
    const double *x = gp->inputs + (size_t)d * (size_t)gp->capacity;
    double *square = p->squares + (size_t)d * (size_t)p->pairs;
    const bool is_number = !fcps_tables_has_words(&gp->tables, d);
    for (int j = 0; j < p->rows; j++)
      for (int i = j + 1; i < p->rows; i++)
        *square++ = is_number ? (x[i] - x[j]) * (x[i] - x[j]) : fcps_tables_square(&gp->tables, d, x[i], x[j]);
  }
}

fcps_status fcps_pair_covariance_create(fcps_pair_covariance *p, const fcps_gp *gp, int rows)
{
  *p = (fcps_pair_covariance){.kernel = gp->kernel, .rows = rows, .dim = gp->dim, .pairs = rows * (rows - 1) / 2};
  const size_t pairs = (size_t)p->pairs, dim = (size_t)p->dim;
  p->squares = fcps_allocate(pairs * dim, sizeof(double));
  p->phi = fcps_allocate(pairs, sizeof(double));
  p->slope = fcps_allocate(pairs, sizeof(double));
  p->weight = fcps_allocate(dim, sizeof(double));
  if (p->squares == NULL || p->phi == NULL || p->slope == NULL || p->weight == NULL) return FCPS_ERR_MEMORY;
  fill_squares(p, gp);
  return find_words(p, gp);
}

void fcps_pair_covariance_destroy(fcps_pair_covariance *p)
{
  free(p->squares);
  free(p->phi);
  free(p->slope);
  free(p->weight);
  free(p->words);
}

void fcps_pair_covariance_fill(fcps_pair_covariance *p, const double *hyper, double *k)
{
  const double sf2 = fcps_gp_hyper_signal_variance(p->dim, hyper);
  for (int d = 0; d < p->dim; d++)
    p->weight[d] = exp(-2.0 * hyper[d]);
  fcps_multiply_nn(p->pairs, 1, p->dim, 1.0, p->squares, p->pairs, p->weight, p->dim, 0.0, p->phi, p->pairs);
  p->kernel->eval((size_t)p->pairs, p->phi, p->phi, p->slope);
  const double *phi = p->phi;
  for (int j = 0; j < p->rows; j++) {
    double *column = k + (size_t)j * (size_t)p->rows;
    for (int i = j + 1; i < p->rows; i++)
      column[i] = sf2 * *phi++;
  }
}

double fcps_pair_covariance_gradient(fcps_pair_covariance *p, const double *hyper, const double *w, double *gradient)
{
  const double sf2 = fcps_gp_hyper_signal_variance(p->dim, hyper);
  double trace = 0.0, pairs_phi = 0.0;
  size_t pair = 0;
  for (int j = 0; j < p->rows; j++) {
    const double *column = w + (size_t)j * (size_t)p->rows;
    trace += column[j];
    for (int i = j + 1; i < p->rows; i++, pair++) {
      pairs_phi += column[i] * p->phi[pair];
      p->slope[pair] *= column[i];
    }
  }
  fcps_multiply_tn(p->dim, 1, p->pairs, sf2, p->squares, p->pairs, p->slope, p->pairs, 0.0, gradient, p->dim);
  for (int d = 0; d < p->dim; d++)
    gradient[d] *= p->weight[d];
  gradient[p->dim] = sf2 * (trace + 2.0 * pairs_phi);
  return trace;
}
