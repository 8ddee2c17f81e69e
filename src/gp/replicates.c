/* SPDX-License-Identifier: Apache-2.0 */
/* Places, their weighted means, and what is left of the rows around them. Only inputs that are equal to the last bit
 * are one place: rows that are merely near have covariances that differ. */
#include "gp/replicates.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_inputs(const fcps_gp *gp, int a, int b)
{
  for (int d = 0; d < gp->dim; d++) {
    const double *x = gp->inputs + (size_t)d * (size_t)gp->capacity;
    if (x[a] != x[b]) return false;
  }
  return true;
}

fcps_status fcps_replicates_create(fcps_replicates *r, const fcps_gp *gp, int rows, int outputs)
{
  *r = (fcps_replicates){.rows = rows, .outputs = outputs};
  r->place = fcps_allocate((size_t)rows, sizeof(int));
  int *first = fcps_allocate((size_t)rows, sizeof(int)); /* row of each place */
  if (r->place == NULL || first == NULL) {
    free(first);
    return FCPS_ERR_MEMORY;
  }
  for (int i = 0; i < rows; i++) {
    int place = 0;
    while (place < r->places && !same_inputs(gp, first[place], i))
      place++;
    if (place == r->places) first[r->places++] = i;
    r->place[i] = place;
  }
  free(first);
  r->variance = fcps_allocate((size_t)r->places, sizeof(double));
  r->mean = fcps_allocate((size_t)r->places * (size_t)outputs, sizeof(double));
  return r->variance != NULL && r->mean != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
}

void fcps_replicates_destroy(fcps_replicates *r)
{
  free(r->place);
  free(r->variance);
  free(r->mean);
  *r = (fcps_replicates){0};
}

fcps_status fcps_replicates_places(const fcps_replicates *r, const fcps_gp *gp, fcps_gp **places)
{
  fcps_status status = fcps_gp_create(places, gp->dim, gp->kernel);
  double *input = fcps_allocate((size_t)gp->dim, sizeof(double));
  if (input == NULL) status = FCPS_ERR_MEMORY;
  for (int i = 0; i < r->rows && status == FCPS_OK; i++) {
    if (r->place[i] < (*places)->count) continue; /* its place is there */
    for (int d = 0; d < gp->dim; d++)
      input[d] = gp->inputs[(size_t)d * (size_t)gp->capacity + (size_t)i];
    status = fcps_gp_add(*places, input);
  }
  free(input);
  if (status != FCPS_OK) {
    fcps_gp_destroy(*places);
    *places = NULL;
  }
  return status;
}

static double variance_of_row(const fcps_measured *measured, int row)
{
  return measured->sn2 + measured->noise[row];
}

void fcps_replicates_average(fcps_replicates *r, const fcps_measured *measured)
{
  const size_t n = (size_t)r->rows, m = (size_t)r->places, q = (size_t)r->outputs;
  memset(r->variance, 0, m * sizeof(double));
  memset(r->mean, 0, m * q * sizeof(double));
  for (int i = 0; i < r->rows; i++) {
    const double weight = 1.0 / variance_of_row(measured, i);
    r->variance[r->place[i]] += weight;
    for (size_t o = 0; o < q; o++)
      r->mean[o * m + (size_t)r->place[i]] += weight * measured->y[o * n + (size_t)i];
  }
  for (size_t g = 0; g < m; g++) {
    r->variance[g] = 1.0 / r->variance[g];
    for (size_t o = 0; o < q; o++)
      r->mean[o * m + g] *= r->variance[g];
  }
}

double fcps_replicates_scatter(const fcps_replicates *r, const fcps_measured *measured)
{
  const double log_2pi = 1.8378770664093453;
  const size_t n = (size_t)r->rows, m = (size_t)r->places, q = (size_t)r->outputs;
  double sum = 0.0;
  for (size_t g = 0; g < m; g++)
    sum += 0.5 * (double)q * (log_2pi + log(r->variance[g]));
  for (size_t i = 0; i < n; i++) {
    const double v = variance_of_row(measured, (int)i);
    sum -= 0.5 * (double)q * (log_2pi + log(v));
    for (size_t o = 0; o < q; o++) {
      const double rest = measured->y[o * n + i] - r->mean[o * m + (size_t)r->place[i]];
      sum -= 0.5 * rest * rest / v;
    }
  }
  return sum;
}

double fcps_replicates_trace(const fcps_replicates *r, const fcps_measured *measured, const double *alpha,
                             const double *w)
{
  const size_t n = (size_t)r->rows, m = (size_t)r->places, q = (size_t)r->outputs;
  double trace = 0.0;
  for (size_t i = 0; i < n; i++) {
    const size_t g = (size_t)r->place[i];
    const double v = variance_of_row(measured, (int)i), spread = r->variance[g];
    double squares = 0.0, of_place = 0.0;
    for (size_t o = 0; o < q; o++) {
      const double at = alpha[o * m + g], rest = measured->y[o * n + i] - r->mean[o * m + g] + spread * at;
      squares += rest * rest;
      of_place += at * at;
    }
    const double inverse = of_place - w[g * (m + 1)]; /* q (K^-1)_gg */
    trace += (squares + (double)q * spread - spread * spread * inverse) / (v * v) - (double)q / v;
  }
  return trace;
}
