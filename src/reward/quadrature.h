/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and weights for expectations over a standard normal in a few dimensions. */
#ifndef FCPS_REWARD_QUADRATURE_H
#define FCPS_REWARD_QUADRATURE_H

#include <fcps/base.h>

typedef struct fcps_quadrature {
  int dimensions, count;
  double *nodes;   /* count x dimensions, rows */
  double *weights; /* `count` numbers, whose sum is 1 */
} fcps_quadrature;

/* Creates a quadrature: for up to three dimensions a product of Gauss-Hermite rules, for up to eight quasi-random
 * normal points, and for more dimensions random points. The nodes are always the same (common random numbers), so that their error
 * cancels out of differences between candidates. */
fcps_status fcps_quadrature_create(fcps_quadrature *quadrature, int dimensions);

/* Creates a finer quadrature for functions with kinks and steps. For up to three dimensions it has more nodes, at most
 * FCPS_QUADRATURE_FINE. */
enum { FCPS_QUADRATURE_FINE = 256 };
fcps_status fcps_quadrature_create_fine(fcps_quadrature *quadrature, int dimensions);

/* Creates a product of Gauss-Hermite rules with `side` nodes in each dimension, at most 64. */
fcps_status fcps_quadrature_create_product(fcps_quadrature *quadrature, int dimensions, int side);
void fcps_quadrature_destroy(fcps_quadrature *quadrature);

/* Computes the Gauss-Hermite rule with `count` nodes for a standard normal; nodes ascend. */
fcps_status fcps_gauss_hermite(int count, double *nodes, double *weights);

#endif
