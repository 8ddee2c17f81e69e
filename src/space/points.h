/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of points in the unit cube, as rows of n numbers: random, regular and spread out. Points depend on the arguments
 * and the random stream alone. */
#ifndef FCPS_SPACE_POINTS_H
#define FCPS_SPACE_POINTS_H

#include "base/rng.h"

#include <fcps/base.h>

void fcps_points_uniform(fcps_rng *rng, int n, int count, double *points);

/* A regular grid that includes the faces: `per_side`^n points, the last coordinate changes fastest. */
void fcps_points_grid(int n, int per_side, double *points);

/* Latin hypercube: each coordinate has one point in each of `count` equal slices [mckay1979]. */
fcps_status fcps_points_latin(fcps_rng *rng, int n, int count, double *points);

/* Halton sequence with a random shift modulo 1 [halton1960, cranley1976]; points first, first+1, ... */
void fcps_points_halton(fcps_rng *rng, int n, int first, int count, double *points);

/* The spread of point `p`: its squared distance to `count` others and to the faces of the cube,
 *   min( min_j |p - p_j|^2, 4 w_d^2 over dimensions d with a face ),   w_d = distance to the nearer face.
 * A dimension that wraps, or that is marked in `open` (may be NULL), has no face. */
double fcps_points_spread(int n, const bool *wraps, const bool *open, int count, const double *points, const double *p);

/* The next point of a maximin design: the one of `candidates` uniform points that has the largest spread. The distance
 * along a dimension that wraps is the chord of a circle of diameter 1, which is how a model sees an angle. The first
 * point is near the centre. */
void fcps_points_maximin(fcps_rng *rng, int n, const bool *wraps, int count, const double *points, int candidates,
                         double *next);

#endif
