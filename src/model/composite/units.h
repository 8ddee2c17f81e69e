/* SPDX-License-Identifier: Apache-2.0 */
/* Spells in another unit: runs of rows, in the order told, whose output is what the others say, times the same usual
 * factor: micrometres where the others are metres, minutes instead of seconds, degrees Fahrenheit instead of Celsius.
 *
 * With P the inverse of the kernel matrix, a constant mean taken out, the rows have the likelihood (v' P v)^(-n/2), where
 * the scale is the likeliest one. A spell R with the unit u says that v is right only after the rows of R were brought
 * back from u. For outputs of one sign v are logarithms, so that a factor is a shift of R; else v are the outputs, and
 * the factor of each row is part of the density. From sums over P the likelihood of any R follows in O(1): all runs and all
 * units are compared, and the best is kept, where
 *   - the likelihood grows by far more than the best of so many tries does by chance;
 *   - rows of R, each judged by all others, agree with u, at least three of them clearly, and nobody contradicts;
 *   - their factor is that of u, as well as it can be told;
 *   - no row is wild after that: one wild row makes any story likely. It is put aside, and the search begins again.
 * Then the next spell is looked for in what is brought back. No fit is needed: hyper-parameters that a spell has bent still
 * show it, and the fit that follows knows better where it ends.
 *
 * A spell that came first, or one that lasts, cannot be told from its counterpart by the numbers. Of two parts the later one is
 * in another unit, unless the earlier one has less than a third of the rows.
 *
 * Outputs in a frame (model/frame.h) turn: there both of a pair are brought back together. */
#ifndef FCPS_MODEL_COMPOSITE_UNITS_H
#define FCPS_MODEL_COMPOSITE_UNITS_H

#include <fcps/base.h>

typedef struct fcps_model fcps_model;

/* A unit: what is told is `factor` times what is right, plus `shift`. */
typedef struct fcps_unit {
  double factor, shift;
  const char *name; /* "minutes instead of seconds"; "": a power of ten, which may have many names */
} fcps_unit;

/* The unit with this number, from 1; NULL past the end. */
const fcps_unit *fcps_unit_at(int number);

/* What is said of a row: the number of the unit of its spell, 0 where there is none, and in which output. */
typedef struct fcps_row_unit {
  int unit, output;
  double distance; /* from what is right, in spreads of the output */
} fcps_row_unit;

/* Finds the spells; `units`: one for each training rollout. y: training rollouts x outputs. The GPs must be factorized, and
 * the noise of rows counts as it is. Confirmed rows are in none; outputs that often have the very same value are not
 * looked at, but for rows of a dead sensor (stuck.h). */
fcps_status fcps_units_find(const fcps_model *model, int outputs, const double *y, const bool *stuck,
                            fcps_row_unit *units);

#endif
