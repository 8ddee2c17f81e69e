/* SPDX-License-Identifier: Apache-2.0 */
/* Searches for many contexts at once: the same candidates serve every context, and work that does not depend on the
 * context is done once.
 *
 * All contexts share the covariances of candidates and rows, the two triangular solves (with many right-hand sides),
 * and the means as one product of matrices. If outcomes are predicted, they also share the outcomes of all candidates.
 * If the kernel is separable (gp/query.h), another environment changes only one factor of the covariances, so that
 * contexts in different environments still share most of the work.
 *
 * Models with the target among their inputs, and models that average over samples of hyper-parameters, cannot be
 * searched in batches.
 */
#ifndef FCPS_SEARCH_BATCH_H
#define FCPS_SEARCH_BATCH_H

#include "search/search.h"

typedef struct fcps_batch fcps_batch;

/* The most contexts in a batch. */
#define FCPS_BATCH_CONTEXTS 256

/* Makes a batch. It borrows the model, the candidates (rows, unit cube; at least 1) and `error` until it is
 * destroyed. */
fcps_status fcps_batch_create(fcps_batch **batch, const fcps_model *model, int candidates, const double *x,
                              fcps_error *error);
void fcps_batch_destroy(fcps_batch *batch);

/* Takes the first contexts of `count` (rows of both arrays) that can be searched together, and writes their number to
 * *taken: between 1 and FCPS_BATCH_CONTEXTS. Borrows the targets until the next call. */
fcps_status fcps_batch_set_contexts(fcps_batch *batch, int count, const double *targets, const double *environments,
                                    int *taken);

/* Sets how the next predictions treat failures, limits and noise (fcps_penalty_view). Before the first call these are
 * treated as in acquisitions. */
void fcps_batch_set_view(fcps_batch *batch, fcps_penalty_view view);

/* Writes the posterior in one of the contexts, and the mean rewards of all candidates in it. The means are exact if
 * fcps_batch_can_maximize is false. If it is true and few contexts share the environment, the means are upper bounds.
 * Otherwise the means that may be among the largest are exact, and the others are lower bounds
 * (fcps_expected_reward_screen). The posterior belongs to the batch and lives until the next call. */
fcps_status fcps_batch_posterior(fcps_batch *batch, int context, fcps_posterior **posterior, double *means);

/* Returns the spread of the rewards in one of the contexts, estimated from the better trials (fcps_posterior_lead). */
double fcps_batch_lead(const fcps_batch *batch, int context);

/* Predicts the reward of one parameter vector per context (rows of x), and its deviation. `means` and `deviations` may
 * be NULL. A reward without a value is NaN. */
fcps_status fcps_batch_predict(fcps_batch *batch, const double *x, double *means, double *deviations);

/* Computes the chances of one parameter vector per context (fcps_posterior_chances). */
fcps_status fcps_batch_chances(fcps_batch *batch, const double *x, double *outcome, double *success);

/* Finds the best parameters for each of the contexts (rows, unit cube). The searches start from the best candidates of
 * each context and run side by side, so that their covariances and triangular solves are products of matrices.
 * fcps_batch_can_maximize returns whether this is possible: only if the model predicts outcomes with one GP, and the
 * reward is a formula or a distance in closed form. The contexts must be set before. */
bool fcps_batch_can_maximize(const fcps_batch *batch);
fcps_status fcps_batch_maximize(fcps_batch *batch, const fcps_search_settings *settings, double *x);

#endif
