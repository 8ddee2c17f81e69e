/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one number that are straight between breaks, such as -|o - 3| or `o > 3 ? 1 : 0`, and what to expect of
 * them if the number is Gaussian. The expectation has a closed form, with kinks and jumps, where a quadrature sees
 * each of them at a node or not at all. */
#ifndef FCPS_REWARD_PIECES_H
#define FCPS_REWARD_PIECES_H

#include "problem/formula/formula.h"

enum { FCPS_PIECES_MOST = 12 };

/* Piece i is levels[i] + slopes[i] o, from breaks[i - 1] to breaks[i]; the first and the last have no end. */
typedef struct fcps_pieces {
  int breaks_count;
  double breaks[FCPS_PIECES_MOST]; /* ascending */
  double levels[FCPS_PIECES_MOST + 1], slopes[FCPS_PIECES_MOST + 1];
} fcps_pieces;

/* Makes pieces of a formula whose only value is `index`. false: it is not made of few straight pieces, or there is no
 * memory. What it is in single points is not kept. */
bool fcps_pieces_find(fcps_pieces *pieces, const fcps_formula *formula, int index);

/* The function of the number clipped to these bounds; false: too many pieces. */
bool fcps_pieces_clip(fcps_pieces *pieces, double lower, double upper);

/* Whether it is concave: no jumps, and slopes that never grow. */
bool fcps_pieces_are_concave(const fcps_pieces *pieces);

double fcps_pieces_value(const fcps_pieces *pieces, double at);

/* -- Integrals (integrals.c) -- */

/* An end of a piece along a standard normal z: where it is, with the density there and what lies below it. An end that
 * nothing lies behind has no density, and its z does not matter. */
typedef struct fcps_edge {
  double z, density, below;
} fcps_edge;

/* Sums over the pieces of a function f of z: E f, E(f z) and E(f (z^2 - 1)), and the same of f^2. */
typedef struct fcps_integrals {
  double f[3], square[3];
} fcps_integrals;

/* Which of them are wanted: E f, also E f^2, or all. */
typedef enum fcps_wanted { FCPS_WANTED_MEAN, FCPS_WANTED_VARIANCE, FCPS_WANTED_SLOPES } fcps_wanted;

/* Adds the piece c + b z between two edges. */
void fcps_integrals_add(fcps_integrals *sums, fcps_wanted wanted, double c, double b, const fcps_edge *low,
                        const fcps_edge *high);

/* The edge at z. */
fcps_edge fcps_edge_at(double z);

/* The moments for a number ~ N(m, s^2), s > 0, and their derivatives. */
typedef struct fcps_pieces_moments {
  double mean, variance;
  double mean_m, mean_s, variance_m, variance_s;
} fcps_pieces_moments;

fcps_pieces_moments fcps_pieces_expect(const fcps_pieces *pieces, double m, double s);

/* The mean alone. */
double fcps_pieces_mean(const fcps_pieces *pieces, double m, double s);

/* How much the mean bends down in m, so that a parabola with this curvature and the slope at m stays below it. For
 * concave pieces. */
double fcps_pieces_bend(const fcps_pieces *pieces, double m, double s);

#endif
