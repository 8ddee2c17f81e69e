/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of points in the unit cube, as rows of n numbers: random, regular and spread out. The points depend only on the
 * arguments and the random stream. */
#ifndef FCPS_SPACE_POINTS_H
#define FCPS_SPACE_POINTS_H

#include "base/rng.h"

#include <fcps/base.h>

void fcps_points_uniform(fcps_rng *rng, int n, int count, double *points);

/* Writes a regular grid that includes the faces: `per_side`^n points, of which the last coordinate changes fastest. */
void fcps_points_grid(int n, int per_side, double *points);

/* Writes a Latin hypercube: in each coordinate, each of `count` equal slices has one point [mckay1979]. */
fcps_status fcps_points_latin(fcps_rng *rng, int n, int count, double *points);

/* Writes `count` points of the Halton sequence, from number `first` on, with a random shift modulo 1 [halton1960,
 * cranley1976]. */
void fcps_points_halton(fcps_rng *rng, int n, int first, int count, double *points);

/* The spread of point `p`: the smallest squared distance from `count` other points and from the faces of the cube,
 *   min( min_j |p - p_j|^2, 4 w_d^2 over dimensions d with a face ),   w_d = distance to the nearer face.
 * A dimension that wraps, or that is marked in `open` (may be NULL), has no face. */
double fcps_points_spread(int n, const bool *wraps, const bool *open, int count, const double *points, const double *p);

/* Writes the next point of a maximin design: of `candidates` uniform points, the one with the largest spread. The
 * distance along a dimension that wraps is the chord of a circle of diameter 1: a model sees an angle in this way. The
 * first point is near the centre. */
void fcps_points_maximin(fcps_rng *rng, int n, const bool *wraps, int count, const double *points, int candidates,
                         double *next);

#endif
