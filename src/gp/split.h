/* SPDX-License-Identifier: Apache-2.0 */
/* Whether one Gaussian process explains the data, or two: one on each side of a threshold in one input.
 *
 * A stationary GP cannot have a break: it takes the length-scales of the easy side and is confidently wrong on the
 * other. Two independent GPs can, at the price of sharing nothing; the marginal likelihood says whether that pays
 * [gramacy2008].
 */
#ifndef FCPS_GP_SPLIT_H
#define FCPS_GP_SPLIT_H

#include "gp/fit.h"

typedef struct fcps_split {
  int input;        /* along which the rows part; -1: they do not */
  double threshold; /* rows with a smaller value are on side 0, the others on side 1 */
  double gain;      /* what it gains over one GP, in nats an output, after its price; positive: it pays */
} fcps_split;

#define FCPS_NO_SPLIT ((fcps_split){.input = -1})

/* Two GPs explain any data better than one, if each may choose hyper-parameters and a gap may be picked at will. The
 * price of a split is therefore one nat for each hyper-parameter of the second GP (what fitting it to data gains by
 * chance), and the logarithm of the number of gaps. Outputs count on average, not in sum: rewards of one trial for
 * several targets are not independent.
 *
 * Looks for the best split of the data's rows along the inputs that `may_split` (dim flags) allows, at every gap
 * between two values. Every gap is judged by its likelihood under a few fixed hyper-parameters; the best few then by
 * hyper-parameters fitted to each side, from one start with `budget` evaluations. Outputs are standardized over all
 * rows, whatever the data's norm, and the prior is used even if it is flat: a side of a few rows needs it. `input`
 * is -1 if no gap exists. */
fcps_status fcps_gp_split_find(const fcps_gp *gp, const fcps_gp_data *data, const bool *may_split, int budget,
                               fcps_split *split);

#endif
