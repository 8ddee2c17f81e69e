/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether one Gaussian process explains the data, or two: one on each side of a threshold in one input.
 *
 * A stationary GP cannot model a break: it takes the length-scales of the smoother side and is confidently wrong on the
 * other. Two independent GPs can model it, but they share nothing. The marginal likelihood says which is better
 * [gramacy2008]. */
#ifndef FCPS_GP_SPLIT_H
#define FCPS_GP_SPLIT_H

#include "gp/fit.h"

typedef struct fcps_split {
  int input;        /* the input along which the rows are split; -1: no split was found */
  double threshold; /* rows with a smaller value are on side 0, the others on side 1 */
  double gain;      /* the gain over one GP in nats per output, less the price of a split; if it is positive, split */
} fcps_split;

#define FCPS_NO_SPLIT ((fcps_split){.input = -1})

/* Two GPs explain any data better than one if each may choose its hyper-parameters and the gap may be chosen freely.
 * The price of a split is therefore one nat for each hyper-parameter of the second GP (the gain by chance from fitting
 * it to data), plus the logarithm of the number of gaps. Outputs count on average, not in sum, because rewards of one
 * trial for several targets are not independent.
 *
 * Finds the best split of the data's rows along the inputs that `may_split` (dim flags) allows, among all gaps between
 * two values. Every gap is scored by its likelihood under a few fixed hyper-parameters. The best few gaps are then
 * compared with hyper-parameters fitted to each side, from one start with `budget` evaluations. Outputs are
 * standardized over all rows, whatever the data's norm. The prior is used even if it is flat, because a side with few
 * rows needs it. `input` is -1 if there is no gap. */
fcps_status fcps_gp_split_find(const fcps_gp *gp, const fcps_gp_data *data, const bool *may_split, int budget,
                               fcps_split *split);

#endif
