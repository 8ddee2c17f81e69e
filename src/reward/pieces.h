/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one number that are straight between breaks, such as -|o - 3| or `o > 3 ? 1 : 0`, and their expectation
 * if the number is Gaussian. The expectation has a closed form, even with kinks and jumps. A quadrature would either
 * have a node near a kink or miss the kink. */
#ifndef FCPS_REWARD_PIECES_H
#define FCPS_REWARD_PIECES_H

#include "problem/formula/formula.h"

enum { FCPS_PIECES_MOST = 12 };

/* Piece i is levels[i] + slopes[i] o, from breaks[i - 1] to breaks[i]. The first piece begins at -infinity, the last
 * ends at infinity. */
typedef struct fcps_pieces {
  int breaks_count;
  double breaks[FCPS_PIECES_MOST]; /* ascending */
  double levels[FCPS_PIECES_MOST + 1], slopes[FCPS_PIECES_MOST + 1];
} fcps_pieces;

/* Finds the pieces of a formula that depends on one value, number `index`. Returns false if the formula does not
 * consist of few straight pieces, or if there is no memory. A value that the formula has only at a single point is
 * lost. */
bool fcps_pieces_find(fcps_pieces *pieces, const fcps_formula *formula, int index);

/* Replaces the function by one that first clips its number to these bounds. Returns false if it has too many pieces. */
bool fcps_pieces_clip(fcps_pieces *pieces, double lower, double upper);

/* Whether the function is concave: it has no jumps, and its slopes never increase. */
bool fcps_pieces_are_concave(const fcps_pieces *pieces);

double fcps_pieces_value(const fcps_pieces *pieces, double at);

/* -- Integrals -- */

/* An end of a piece along a standard normal z: its z, the density at it, and the probability below it. An infinite end
 * has density 0, and its z is not used. */
typedef struct fcps_edge {
  double z, density, below;
} fcps_edge;

/* Sums over the pieces of a function f of z: E f, E(f z) and E(f (z^2 - 1)), and the same for f^2. */
typedef struct fcps_integrals {
  double f[3], square[3];
} fcps_integrals;

/* Which sums are computed: E f; E f and E f^2; or all. */
typedef enum fcps_wanted { FCPS_WANTED_MEAN, FCPS_WANTED_VARIANCE, FCPS_WANTED_SLOPES } fcps_wanted;

/* Adds the piece c + b z between two edges. */
void fcps_integrals_add(fcps_integrals *sums, fcps_wanted wanted, double c, double b, const fcps_edge *low,
                        const fcps_edge *high);

/* Makes an edge at z. */
fcps_edge fcps_edge_at(double z);

/* Mean and variance of the function of a number ~ N(m, s^2), s > 0, and their derivatives by m and s. */
typedef struct fcps_pieces_moments {
  double mean, variance;
  double mean_m, mean_s, variance_m, variance_s;
} fcps_pieces_moments;

fcps_pieces_moments fcps_pieces_expect(const fcps_pieces *pieces, double m, double s);

/* Returns only the mean. */
double fcps_pieces_mean(const fcps_pieces *pieces, double m, double s);

/* For concave pieces: the mean is a function of m. Returns the curvature of a parabola that touches this function at m
 * and is nowhere above it. */
double fcps_pieces_bend(const fcps_pieces *pieces, double m, double s);

#endif
