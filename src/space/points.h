/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of points in the unit cube (rows of n numbers): random, regular and spread out. */
#ifndef FCPS_SPACE_POINTS_H
#define FCPS_SPACE_POINTS_H

#include "base/rng.h"

#include <fcps/base.h>

void fcps_points_uniform(fcps_rng *rng, int n, int count, double *points);

/* A regular grid with borders: `per_side`^n points, the last coordinate fastest. */
void fcps_points_grid(int n, int per_side, double *points);

/* Latin hypercube: each coordinate has one point in each of `count` equal slices [mckay1979]. */
fcps_status fcps_points_latin(fcps_rng *rng, int n, int count, double *points);

/* Halton sequence with a random shift modulo 1 [halton1960, cranley1976]; points first, first+1, ... */
void fcps_points_halton(fcps_rng *rng, int n, int first, int count, double *points);

/* How well point `p` keeps apart from `count` others and away from faces:
 *   min( min_j |p - p_j|^2, 4 w_d^2 over dimensions d with a face ),   w_d = distance to the nearer face.
 * A dimension has none where it wraps or where `open` (may be NULL) says so. */
double fcps_points_spread(int n, const bool *wraps, const bool *open, int count, const double *points, const double *p);

/* The next point of a maximin design: of `candidates` uniform ones the one with the largest spread; distances go round
 * where `wraps` says so (chord of a circle of diameter 1, as a model sees an angle). The first point is near the
 * centre. */
void fcps_points_maximin(fcps_rng *rng, int n, const bool *wraps, int count, const double *points, int candidates,
                         double *next);

#endif
