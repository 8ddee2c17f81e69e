/* SPDX-License-Identifier: Apache-2.0 */
/* Quadrature over a standard normal: products of Gauss-Hermite rules in few dimensions, mirrored points in more. */
#include "reward/quadrature.h"

#include "base/memory.h"
#include "base/rng.h"
#include "linalg/dense.h"
#include "space/points.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The most dimensions of a product rule, and of Halton's sequence; the number of nodes without a product rule. */
enum { PRODUCT_DIMENSIONS = 3, HALTON_DIMENSIONS = 8, PAIRED_NODES = 64 };
enum { LONGEST_SIDE = 64 };
static const int nodes_a_side[PRODUCT_DIMENSIONS + 1] = {1, 16, 6, 4},
                                                   fine_side[PRODUCT_DIMENSIONS + 1] = {1, 64, 16, 6};

/* The method of Golub and Welsch: the nodes are the eigenvalues of the Jacobi matrix of the Hermite polynomials, whose
 * off-diagonal is sqrt(i), and the weights are the squared first components of its eigenvectors [golub1969]. */
fcps_status fcps_gauss_hermite(int count, double *nodes, double *weights)
{
  const size_t n = (size_t)count;
  double *jacobi = fcps_allocate(n * n + (size_t)fcps_eigen_work(count), sizeof(double));
  if (jacobi == NULL) return FCPS_ERR_MEMORY;
  for (size_t i = 1; i < n; i++)
    jacobi[(i - 1) * n + i] = sqrt((double)i);
  const fcps_status status = fcps_eigen_symmetric(count, jacobi, count, nodes, jacobi + n * n);
  for (size_t i = 0; i < n && status == FCPS_OK; i++)
    weights[i] = jacobi[i * n] * jacobi[i * n];
  free(jacobi);
  return status;
}

static fcps_status fill_product(fcps_quadrature *q, int side)
{
  double nodes[LONGEST_SIDE], weights[LONGEST_SIDE];
  const fcps_status status = fcps_gauss_hermite(side, nodes, weights);
  for (int i = 0; i < q->count && status == FCPS_OK; i++) {
    q->weights[i] = 1.0;
    for (int d = 0, rest = i; d < q->dimensions; d++, rest /= side) {
      q->nodes[i * q->dimensions + d] = nodes[rest % side];
      q->weights[i] *= weights[rest % side];
    }
  }
  return status;
}

/* Draws normal points: pairs of coordinates of Halton's sequence, transformed by Box and Muller's method. */
static fcps_status draw_halton(fcps_quadrature *q, int half)
{
  const int n = q->dimensions, width = n + n % 2;
  double *uniforms = fcps_allocate((size_t)width * (size_t)half, sizeof(double));
  if (uniforms == NULL) return FCPS_ERR_MEMORY;
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_SAMPLE, 0);
  fcps_points_halton(&rng, width, 0, half, uniforms);
  for (int d = 0; d < n; d++)
    for (int i = 0; i < half; i++) {
      const double *pair = uniforms + (size_t)i * (size_t)width + (size_t)(d - d % 2);
      const double radius = sqrt(-2.0 * log(fmax(pair[0], 1e-12))), angle = 6.283185307179586 * pair[1];
      q->nodes[i * n + d] = radius * (d % 2 == 0 ? cos(angle) : sin(angle));
    }
  free(uniforms);
  return FCPS_OK;
}

/* Makes coordinate number `d` of the points orthogonal to an earlier coordinate. */
static void part_from(fcps_quadrature *q, int half, int d, int earlier)
{
  const int n = q->dimensions;
  double product = 0.0, squares = 0.0;
  for (int i = 0; i < half; i++) {
    product += q->nodes[i * n + d] * q->nodes[i * n + earlier];
    squares += q->nodes[i * n + earlier] * q->nodes[i * n + earlier];
  }
  for (int i = 0; i < half; i++)
    q->nodes[i * n + d] -= product / squares * q->nodes[i * n + earlier];
}

/* Draws normal points at random, for many dimensions. Halton's sequence is useless for these: its later bases are
 * larger than the number of points, so its coordinates change together. With so few points some coordinates are
 * correlated by chance, so the first ones are made orthogonal (Gram and Schmidt), as many as there are pairs. */
static void draw_normals(fcps_quadrature *q, int half)
{
  fcps_rng rng = fcps_rng_stream(0, FCPS_PURPOSE_SAMPLE, 0);
  fcps_rng_normals(&rng, half * q->dimensions, q->nodes);
  for (int d = 1; d < q->dimensions && d < half; d++)
    for (int earlier = 0; earlier < d; earlier++)
      part_from(q, half, d, earlier);
}

/* Adds the mirror images to half of the nodes, and scales every coordinate to variance 1. The means of linear functions
 * and of squared coordinates are then exact. */
static fcps_status fill_pairs(fcps_quadrature *q)
{
  const int n = q->dimensions, half = q->count / 2;
  fcps_status status = FCPS_OK;
  if (n <= HALTON_DIMENSIONS)
    status = draw_halton(q, half);
  else
    draw_normals(q, half);
  for (int d = 0; d < n && status == FCPS_OK; d++) {
    double squares = 0.0;
    for (int i = 0; i < half; i++)
      squares += q->nodes[i * n + d] * q->nodes[i * n + d];
    for (int i = 0; i < half; i++) {
      q->nodes[i * n + d] /= sqrt(squares / half);
      q->nodes[(half + i) * n + d] = -q->nodes[i * n + d];
    }
  }
  for (int i = 0; i < q->count; i++)
    q->weights[i] = 1.0 / q->count;
  return status;
}

/* Creates a product rule, or mirrored pairs of points if `side` is 0. */
static fcps_status create(fcps_quadrature *quadrature, int dimensions, int side)
{
  fcps_quadrature made = {.dimensions = dimensions, .count = side > 0 ? 1 : PAIRED_NODES};
  for (int d = 0; d < dimensions && side > 0; d++)
    made.count *= side;
  made.nodes = fcps_allocate((size_t)made.count * (size_t)dimensions, sizeof(double));
  made.weights = fcps_allocate((size_t)made.count, sizeof(double));
  fcps_status status = made.nodes != NULL && made.weights != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = side > 0 ? fill_product(&made, side) : fill_pairs(&made);
  if (status != FCPS_OK) {
    fcps_quadrature_destroy(&made);
    return status;
  }
  *quadrature = made;
  return FCPS_OK;
}

fcps_status fcps_quadrature_create(fcps_quadrature *quadrature, int dimensions)
{
  return create(quadrature, dimensions, dimensions <= PRODUCT_DIMENSIONS ? nodes_a_side[dimensions] : 0);
}

fcps_status fcps_quadrature_create_fine(fcps_quadrature *quadrature, int dimensions)
{
  return create(quadrature, dimensions, dimensions <= PRODUCT_DIMENSIONS ? fine_side[dimensions] : 0);
}

fcps_status fcps_quadrature_create_product(fcps_quadrature *quadrature, int dimensions, int side)
{
  assert(side > 0 && side <= LONGEST_SIDE);
  return create(quadrature, dimensions, side);
}

void fcps_quadrature_destroy(fcps_quadrature *quadrature)
{
  free(quadrature->nodes);
  free(quadrature->weights);
  *quadrature = (fcps_quadrature){0};
}
