/* SPDX-License-Identifier: Apache-2.0 */
/* Deviations that were told with the results, as noise of a model's rows (row_noise.h).
 *
 * A row's noise is what was told, squared and in the unit scale of the output, beside the sn^2 that all rows share and
 * that is fitted. So sn^2 is what nobody told: where every row has its deviation, its prior lets it vanish. Rows
 * without a deviation have no noise of their own.
 *
 *   outcome            s_ij^2/scale_j^2 of outcome j; outputs of one factorization share the mean of their noises
 *                      (separate=on: each has its own)
 *   rescored, joint    the variance of the reward for the trial's own target (problem/deviation.h) over the rewards'
 *                      squared scale: one factorization serves every target, so the noise cannot depend on the one that
 *                      is asked for. Rewards that are told have no noise of their own: nobody knows how they follow
 *                      from the outcome
 *
 * The scale is that of the last fit, as it is for sn^2: rows that come later are measured by it until the next fit.
 */
#ifndef FCPS_MODEL_TOLD_NOISE_H
#define FCPS_MODEL_TOLD_NOISE_H

#include <fcps/base.h>

typedef struct fcps_model fcps_model;

/* The largest noise of a row, in unit scale: beyond it a row says nothing. */
#define FCPS_TOLD_NOISE_MOST 1e6

/* Measures all rows anew; to be called before a fit. Sets whether the prior of sn lets it vanish. */
fcps_status fcps_told_noise_update(fcps_model *model, fcps_error *error);

/* Whether all rows have the noise that was told for them; else the next refresh gives it to them, and no factor may
 * grow by them before. */
bool fcps_told_noise_is_complete(const fcps_model *model);

/* Gives the rows that came since the last update their noise, before the factor grows by them. */
fcps_status fcps_told_noise_grow(fcps_model *model);

#endif
