/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, factor and outputs of a Gaussian process [rasmussen2006, Algorithm 2.1, lines 2 and 3]:
 *
 *   L := cholesky(K + sn^2 I),   alpha := L' \ (L \ y)
 *
 * Lines 4 to 6, predictions, are in query.c; line 7, the likelihood, is in likelihood.c. The factor has the first
 * `factored` of `count` rows. covariance.c computes every covariance in it, row by row, so a factor that grew and a
 * factor that was computed at once have the same bits. */
#include "gp/gp.h"

#include "base/memory.h"
#include "base/settings.h"
#include "gp/kernels/covariance.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *fcps_gp_mean_name(int index)
{
  static const char *const names[] = {
      [FCPS_MEAN_CENTRED] = "centred", [FCPS_MEAN_GLS] = "gls", [FCPS_MEAN_ZERO] = "zero"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

const char *fcps_gp_scaling_name(int index)
{
  static const char *const names[] = {[FCPS_SCALING_EACH] = "each",
                                      [FCPS_SCALING_SHARED] = "shared",
                                      [FCPS_SCALING_NONE] = "none",
                                      [FCPS_SCALING_METRIC] = "metric"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

fcps_status fcps_gp_create(fcps_gp **gp, int dim, const fcps_kernel *kernel)
{
  *gp = NULL;
  if (dim < 0 || kernel == NULL) return FCPS_ERR_ARGUMENT;
  fcps_gp *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return FCPS_ERR_MEMORY;
  made->dim = dim;
  made->kernel = kernel;
  made->hyper = fcps_allocate((size_t)FCPS_HYPER_COUNT(dim), sizeof(double));
  if (made->hyper == NULL) {
    fcps_gp_destroy(made);
    return FCPS_ERR_MEMORY;
  }
  *gp = made;
  return FCPS_OK;
}

fcps_status fcps_gp_create_like(fcps_gp **gp, const fcps_gp *other)
{
  fcps_status status = fcps_gp_create(gp, other->dim, other->kernel);
  if (status == FCPS_OK) status = fcps_gp_set_tables(*gp, &other->tables);
  if (status == FCPS_OK) return status;
  fcps_gp_destroy(*gp);
  *gp = NULL;
  return status;
}

void fcps_gp_destroy(fcps_gp *gp)
{
  if (gp == NULL) return;
  fcps_tables_free(&gp->tables);
  free(gp->hyper);
  free(gp->inputs);
  free(gp->scaled);
  free(gp->factor);
  free(gp->noise);
  free(gp);
}

/* Moves inputs and factor into arrays for `capacity` rows. */
static fcps_status change_capacity(fcps_gp *gp, int capacity)
{
  const size_t rows = (size_t)capacity, width = gp->dim > 0 ? (size_t)gp->dim : 1;
  double *inputs = fcps_allocate(rows * width, sizeof(double));
  double *scaled = fcps_allocate(rows * width, sizeof(double));
  double *factor = fcps_allocate(rows * rows, sizeof(double));
  double *noise = fcps_allocate(rows, sizeof(double));
  if (inputs == NULL || scaled == NULL || factor == NULL || noise == NULL) {
    free(inputs);
    free(scaled);
    free(factor);
    free(noise);
    return FCPS_ERR_MEMORY;
  }
  if (gp->count > 0) memcpy(noise, gp->noise, (size_t)gp->count * sizeof(double));
  for (int d = 0; d < gp->dim && gp->count > 0; d++) {
    const size_t from = (size_t)d * (size_t)gp->capacity, to = (size_t)d * rows;
    memcpy(inputs + to, gp->inputs + from, (size_t)gp->count * sizeof(double));
    memcpy(scaled + to, gp->scaled + from, (size_t)gp->count * sizeof(double));
  }
  for (int j = 0; j < gp->factored; j++)
    memcpy(factor + (size_t)j * rows, gp->factor + (size_t)j * (size_t)gp->capacity,
           (size_t)gp->factored * sizeof(double));
  free(gp->inputs);
  free(gp->scaled);
  free(gp->factor);
  free(gp->noise);
  gp->inputs = inputs;
  gp->scaled = scaled;
  gp->factor = factor;
  gp->noise = noise;
  gp->capacity = capacity;
  return FCPS_OK;
}

fcps_status fcps_gp_copy(const fcps_gp *gp, fcps_gp **copy)
{
  fcps_status status = fcps_gp_create_like(copy, gp);
  if (status != FCPS_OK) return status;
  fcps_gp *made = *copy;
  memcpy(made->hyper, gp->hyper, (size_t)FCPS_HYPER_COUNT(gp->dim) * sizeof(double));
  if (gp->capacity > 0) {
    status = change_capacity(made, gp->capacity);
    if (status != FCPS_OK) {
      fcps_gp_destroy(made);
      *copy = NULL;
      return status;
    }
    const size_t rows = (size_t)gp->capacity;
    memcpy(made->inputs, gp->inputs, rows * (size_t)gp->dim * sizeof(double));
    memcpy(made->scaled, gp->scaled, rows * (size_t)gp->dim * sizeof(double));
    memcpy(made->factor, gp->factor, rows * rows * sizeof(double));
    memcpy(made->noise, gp->noise, rows * sizeof(double));
  }
  made->count = gp->count;
  made->factored = gp->factored;
  made->base = gp->base;
  made->jitter = gp->jitter;
  made->usual_noise = gp->usual_noise;
  return FCPS_OK;
}

double fcps_gp_inverse_length(const fcps_gp *gp, int input)
{
  return fcps_tables_has_words(&gp->tables, input) ? 0.0 : exp(-gp->hyper[input]);
}

static void scale_inputs(fcps_gp *gp)
{
  for (int d = 0; d < gp->dim; d++) {
    const double inverse = fcps_gp_inverse_length(gp, d);
    const size_t column = (size_t)d * (size_t)gp->capacity;
    for (int i = 0; i < gp->count; i++)
      gp->scaled[column + (size_t)i] = gp->inputs[column + (size_t)i] * inverse;
  }
  gp->factored = 0;
}

void fcps_gp_set_hyper(fcps_gp *gp, const double *hyper)
{
  memmove(gp->hyper, hyper, (size_t)FCPS_HYPER_COUNT(gp->dim) * sizeof(double));
  scale_inputs(gp);
}

fcps_status fcps_gp_set_tables(fcps_gp *gp, const fcps_tables *tables)
{
  const fcps_status status = fcps_tables_copy(tables, &gp->tables);
  if (status == FCPS_OK) scale_inputs(gp);
  return status;
}

void fcps_gp_set_noise(fcps_gp *gp, int rows, const double *noise, double usual)
{
  for (int i = 0; i < gp->count; i++)
    gp->noise[i] = i < rows ? noise[i] : usual;
  gp->usual_noise = usual;
  gp->factored = 0;
}

double fcps_gp_signal_variance(const fcps_gp *gp)
{
  return fcps_gp_hyper_signal_variance(gp->dim, gp->hyper);
}

double fcps_gp_noise(const fcps_gp *gp)
{
  return fcps_gp_hyper_noise_variance(gp->dim, gp->hyper) + gp->usual_noise;
}

void fcps_gp_row(const fcps_gp *gp, int row, double *inputs)
{
  for (int d = 0; d < gp->dim; d++)
    inputs[d] = gp->inputs[(size_t)d * (size_t)gp->capacity + (size_t)row];
}

static double squared_distance_of_words(const fcps_gp *gp, int a, int b)
{
  double sum = 0.0;
  for (int d = 0; d < gp->dim && d < gp->tables.inputs; d++) {
    const double *column = gp->inputs + (size_t)d * (size_t)gp->capacity;
    if (fcps_tables_has_words(&gp->tables, d))
      sum += exp(-2.0 * gp->hyper[d]) * fcps_tables_square(&gp->tables, d, column[a], column[b]);
  }
  return sum;
}

double fcps_gp_squared_distance(const fcps_gp *gp, int a, int b)
{
  double sum = 0.0;
  for (int d = 0; d < gp->dim; d++) {
    const double *column = gp->scaled + (size_t)d * (size_t)gp->capacity;
    sum += (column[a] - column[b]) * (column[a] - column[b]);
  }
  return sum + squared_distance_of_words(gp, a, b);
}

fcps_status fcps_gp_add(fcps_gp *gp, const double *input)
{
  if (gp->count == gp->capacity) {
    const fcps_status status = change_capacity(gp, gp->capacity < 16 ? 16 : gp->capacity + gp->capacity / 2);
    if (status != FCPS_OK) return status;
  }
  for (int d = 0; d < gp->dim; d++) {
    const size_t place = (size_t)d * (size_t)gp->capacity + (size_t)gp->count;
    gp->inputs[place] = input[d];
    gp->scaled[place] = input[d] * fcps_gp_inverse_length(gp, d);
  }
  gp->noise[gp->count] = gp->usual_noise;
  gp->count++;
  return FCPS_OK;
}

void fcps_gp_truncate(fcps_gp *gp, int count)
{
  if (count < gp->count) gp->count = count;
  if (count < gp->factored) gp->factored = count;
}

/* The diagonal of K + sn^2 I, without the additional noise of single rows. */
static double diagonal_of(const fcps_gp *gp)
{
  return fcps_gp_signal_variance(gp) + fcps_gp_hyper_noise_variance(gp->dim, gp->hyper);
}

fcps_status fcps_gp_factorize(fcps_gp *gp, int rows)
{
  if (rows < 0 || rows > gp->count) return FCPS_ERR_ARGUMENT;
  gp->factored = 0;
  gp->base = rows;
  gp->jitter = 0.0;
  if (rows == 0) return FCPS_OK;

  const size_t n = (size_t)rows, ld = (size_t)gp->capacity;
  double *backup = fcps_allocate(n * n + n + (size_t)gp->dim, sizeof(double));
  if (backup == NULL) return FCPS_ERR_MEMORY;
  double *k = backup + n * n, *x = k + n;

  /* the lower triangle, row by row as in a factor that grows, so equal pairs of rows give equal bits */
  const double diagonal = diagonal_of(gp);
  for (int i = 0; i < rows; i++) {
    fcps_gp_covariances_of_row(gp, i, x, k);
    for (int j = 0; j < i; j++)
      gp->factor[(size_t)j * ld + (size_t)i] = k[j];
    gp->factor[(size_t)i * ld + (size_t)i] = diagonal + gp->noise[i];
  }
  const fcps_status status = fcps_chol_factor(rows, gp->factor, gp->capacity, backup, &gp->jitter);
  if (status == FCPS_OK) gp->factored = rows;
  free(backup);
  return status;
}

fcps_status fcps_gp_grow(fcps_gp *gp)
{
  if (gp->factored == gp->count) return FCPS_OK;
  if (gp->factored == 0) return fcps_gp_factorize(gp, gp->count);
  double *k = fcps_allocate((size_t)gp->count + (size_t)gp->dim, sizeof(double));
  if (k == NULL) return FCPS_ERR_MEMORY;
  fcps_status status = FCPS_OK;
  const double diagonal = diagonal_of(gp) + gp->jitter;
  while (gp->factored < gp->count && status == FCPS_OK) {
    const int row = gp->factored;
    fcps_gp_covariances_of_row(gp, row, k + gp->count, k);
    status = fcps_chol_append(row, gp->factor, gp->capacity, k, diagonal + gp->noise[row]);
    if (status == FCPS_OK) gp->factored++;
  }
  free(k);
  return status == FCPS_ERR_NOT_POSITIVE ? fcps_gp_factorize(gp, gp->count) : status;
}

static double mean_of(int count, const double *y)
{
  double sum = 0.0;
  for (int i = 0; i < count; i++)
    sum += y[i];
  return count > 0 ? sum / count : 0.0;
}

/* A walk through the rows that are not aside (fcps_gp_norm: left out of offset and scale). It searches only for the
 * next row that is aside, instead of asking for every row whether it is aside: leave-one-out normalizes nearly the same
 * rows once for every row. If the numbers in `aside` ascend, as leave-one-out gives them, the walk takes O(rows); in
 * any other order it searches all of `aside` each time. */
typedef struct way {
  const fcps_gp_norm *norm;
  bool is_rising;
  int passed; /* if is_rising: the number of rows aside that the walk has passed */
} way;

static bool is_rising(int count, const int *rows)
{
  for (int i = 1; i < count; i++)
    if (rows[i] < rows[i - 1]) return false;
  return true;
}

/* The first row from `from` on that is aside; `count` if no such row is left. */
static int next_aside(way *w, int from, int count)
{
  const fcps_gp_norm *norm = w->norm;
  int next = count;
  while (w->is_rising && w->passed < norm->aside_count && norm->aside[w->passed] < from)
    w->passed++;
  const int last = w->is_rising && w->passed < norm->aside_count ? w->passed + 1 : norm->aside_count;
  for (int i = w->passed; i < last; i++)
    if (norm->aside[i] >= from && norm->aside[i] < next) next = norm->aside[i];
  return next;
}

/* The number of the first `count` rows that are not aside. */
static int count_seen(way w, int count)
{
  int seen = 0;
  for (int i = 0, end; i < count; i = end + 1) {
    end = next_aside(&w, i, count);
    seen += end - i;
  }
  return seen;
}

/* The mean of the rows that are not aside. `seen` is their number. */
static double centre_of(way w, int count, int seen, const double *y)
{
  double sum = 0.0;
  for (int i = 0, end; i < count; i = end + 1) {
    end = next_aside(&w, i, count);
    for (int k = i; k < end; k++)
      sum += y[k];
  }
  return seen > 0 ? sum / seen : 0.0;
}

static double squares_around(way w, int count, const double *y, double centre)
{
  double sum = 0.0;
  for (int i = 0, end; i < count; i = end + 1) {
    end = next_aside(&w, i, count);
    for (int k = i; k < end; k++)
      sum += (y[k] - centre) * (y[k] - centre);
  }
  return sum;
}

/* The scale of an output. If the output is constant up to rounding, its scale is far below any relevant difference. */
static double scale_of(double squares, double degrees, double offset)
{
  const double deviation = degrees > 0 ? sqrt(squares / degrees) : 0.0;
  return deviation > 1e-11 * fabs(offset) ? deviation : 1e-6 * fmax(1.0, fabs(offset));
}

static double weight_of(const fcps_gp_norm *norm, int output)
{
  return norm->scaling == FCPS_SCALING_METRIC ? norm->weights[output] : 1.0;
}

bool fcps_gp_norm_counts(const fcps_gp_norm *norm, int output)
{
  const bool is_idle = norm->idle != NULL && norm->idle[output];
  return !is_idle && (norm->weights == NULL || weight_of(norm, output) > 0.0);
}

/* Gives all outputs one scale, after each is multiplied by its weight. On entry scale[o] is the sum of squares of an
 * output that counts; on return it is the output's scale. */
static void share_scale(const fcps_gp_norm *norm, int seen, int outputs, const double *centres, double *scale)
{
  double squares = 0.0, largest = 0.0;
  int sharing = 0;
  for (int o = 0; o < outputs; o++) {
    const double weight = weight_of(norm, o);
    if (weight > 0.0) squares += weight * weight * scale[o];
    largest = fmax(largest, weight * fabs(centres[o]));
    sharing += weight > 0.0;
  }
  for (int o = 0; o < outputs; o++)
    if (weight_of(norm, o) > 0.0)
      scale[o] = scale_of(squares, (double)(seen - 1) * sharing, largest) / weight_of(norm, o);
}

void fcps_gp_normalize(fcps_gp_norm norm, int count, int outputs, const double *y, double *offset, double *scale)
{
  const way all = {.norm = &norm, .is_rising = is_rising(norm.aside_count, norm.aside)};
  const int seen = count_seen(all, count);
  const bool is_scaled = norm.scaling != FCPS_SCALING_NONE && seen >= 2;
  const bool is_shared = is_scaled && (norm.scaling == FCPS_SCALING_SHARED ||
                                       (norm.scaling == FCPS_SCALING_METRIC && norm.weights != NULL));
  for (int o = 0; o < outputs; o++) {
    const double *column = y + (size_t)o * (size_t)count;
    offset[o] = centre_of(all, count, seen, column);
    scale[o] = is_scaled ? squares_around(all, count, column, offset[o]) : 1.0;
    if (is_scaled && !(is_shared && weight_of(&norm, o) > 0.0)) scale[o] = scale_of(scale[o], seen - 1, offset[o]);
  }
  if (is_shared) share_scale(&norm, seen, outputs, offset, scale);
  for (int i = 0; i < norm.pair_count && outputs > 1; i++) {
    double *first = scale + norm.pairs[2 * i], *second = scale + norm.pairs[2 * i + 1];
    if (*first != *second) *first = *second = sqrt(0.5 * (*first * *first + *second * *second));
  }
  for (int o = 0; o < outputs && norm.mean == FCPS_MEAN_ZERO; o++)
    offset[o] = 0.0;
}

void fcps_gp_outputs_destroy(fcps_gp_outputs *outputs)
{
  free(outputs->alpha);
  free(outputs->offset);
  free(outputs->scale);
  *outputs = (fcps_gp_outputs){0};
}

/* Replaces B by K^-1 B. K is the matrix of the first `n` rows, whose factor is the leading block. */
static void solve(const fcps_gp *gp, int n, int columns, double *b)
{
  fcps_chol_solve_lower(n, gp->factor, gp->capacity, columns, b, n);
  fcps_chol_solve_upper(n, gp->factor, gp->capacity, columns, b, n);
}

/* Generalized least squares: computes mu = (1' K^-1 y)/(1' K^-1 1), and turns the alpha of y into the alpha of y - mu
 * [rasmussen2006, Sec. 2.7]. */
static fcps_status subtract_gls_mean(const fcps_gp *gp, fcps_gp_outputs *result)
{
  const int n = result->count;
  double *ones = fcps_allocate((size_t)n, sizeof(double));
  if (ones == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < n; i++)
    ones[i] = 1.0;
  solve(gp, n, 1, ones);
  const double weight = mean_of(n, ones) * n;
  for (int o = 0; o < result->outputs; o++) {
    double *alpha = result->alpha + (size_t)o * (size_t)n;
    const double mu = weight > 0 ? mean_of(n, alpha) * n / weight : 0.0;
    for (int i = 0; i < n; i++)
      alpha[i] -= mu * ones[i];
    result->offset[o] += mu * result->scale[o];
  }
  free(ones);
  return FCPS_OK;
}

fcps_status fcps_gp_condition(const fcps_gp *gp, fcps_gp_norm norm, int count, int outputs, const double *y,
                              fcps_gp_outputs *result)
{
  if (count < 0 || count > gp->factored || outputs < 1) return FCPS_ERR_ARGUMENT;
  const size_t n = (size_t)count, q = (size_t)outputs;
  fcps_gp_outputs_destroy(result);
  result->alpha = fcps_allocate(n * q, sizeof(double));
  result->offset = fcps_allocate(q, sizeof(double));
  result->scale = fcps_allocate(q, sizeof(double));
  if (result->alpha == NULL || result->offset == NULL || result->scale == NULL) {
    fcps_gp_outputs_destroy(result);
    return FCPS_ERR_MEMORY;
  }
  result->count = count;
  result->outputs = outputs;
  fcps_gp_normalize(norm, count, outputs, y, result->offset, result->scale);
  for (size_t o = 0; o < q; o++)
    for (size_t i = 0; i < n; i++)
      result->alpha[o * n + i] = (y[o * n + i] - result->offset[o]) / result->scale[o];
  if (count == 0) return FCPS_OK;
  solve(gp, count, outputs, result->alpha);
  return norm.mean == FCPS_MEAN_GLS ? subtract_gls_mean(gp, result) : FCPS_OK;
}
