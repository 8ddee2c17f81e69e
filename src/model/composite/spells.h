/* SPDX-License-Identifier: Apache-2.0 */
/* Spells: runs of rows, in the order told, whose output is a constant factor times what the others say, as after a change
 * of unit: 1000 for micrometres among millimetres.
 *
 * With P the inverse of the kernel matrix, a constant mean taken out, n rows have the likelihood (v' P v)^(-n/2), where
 * the scale is the likeliest one. If the rows of a run R are divided by f, v' P v is a parabola in 1/f, so the likeliest
 * factor has a closed form, and from sums over P all runs are compared, each in O(1). The likelihood must pay for the
 * number of runs and factors that were compared.
 *
 * Those hyper-parameters know R, and may be bent by it. So they are fitted again without R, and R is looked for again. The
 * other rows then predict it. It is a spell if
 *   - most rows of R are near others: their predictive deviation is less than half of that before any row. A search that
 *     converges ends in small numbers at one place; there the others say nothing;
 *   - three rows at least are clear: far from the prediction as told, and near it once divided by f. None contradicts.
 * One wild row makes any story likely. It is put aside, and the search begins again. The next spell is looked for in what
 * is brought back.
 *
 * A spell that came first, or one that lasts, cannot be told from its counterpart by the numbers. Of two parts the later
 * one is the spell, unless the earlier one has less than a third of the rows.
 *
 * Outputs in a frame (model/frame.h) turn: there both of a pair are brought back together. */
#ifndef FCPS_MODEL_COMPOSITE_SPELLS_H
#define FCPS_MODEL_COMPOSITE_SPELLS_H

#include <fcps/base.h>

typedef struct fcps_model fcps_model;

/* The spell that a row is in. */
typedef struct fcps_row_spell {
  double factor; /* what was told is so many times what the others say; 0: the row is in no spell */
  int output;
  double distance; /* from what the others say, in spreads of the output */
} fcps_row_spell;

/* Finds the spells; `spells`: one for each training rollout. y: training rollouts x outputs. The GPs must be factorized,
 * and the noise of rows counts as it is. Confirmed rows are in none. Outputs that often have the very same value are not
 * looked at, except for rows of a dead sensor (stuck.h). */
fcps_status fcps_spells_find(const fcps_model *model, int outputs, const double *y, const bool *stuck,
                             fcps_row_spell *spells);

#endif
