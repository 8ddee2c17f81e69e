/* SPDX-License-Identifier: Apache-2.0 */
/* Many contexts at once: the same candidates serve every context, and what does not depend on the context is done once.
 *
 * Common to all contexts are the covariances of candidates and rows, the pair of triangular solves (many right-hand
 * sides), and the means as one matrix product; with predicted outcomes also the outcomes of all candidates. Another
 * environment changes a factor of the covariances alone if the kernel is separable (gp/query.h), so that
 * contexts in different environments still share most of the work.
 *
 * Not for models that have the target among their inputs or average over samples of their hyper-parameters.
 */
#ifndef FCPS_SEARCH_BATCH_H
#define FCPS_SEARCH_BATCH_H

#include "search/search.h"

typedef struct fcps_batch fcps_batch;

/* Contexts that a batch takes at once. */
#define FCPS_BATCH_CONTEXTS 256

/* Borrows the model, the candidates (rows, unit cube; at least 1) and `error` until destroyed. */
fcps_status fcps_batch_create(fcps_batch **batch, const fcps_model *model, int candidates, const double *x,
                              fcps_error *error);
void fcps_batch_destroy(fcps_batch *batch);

/* Takes the first `taken` of `count` contexts (rows of both): those that can be handled together, at least one, at most
 * FCPS_BATCH_CONTEXTS. Borrows the targets until the next call. */
fcps_status fcps_batch_set_contexts(fcps_batch *batch, int count, const double *targets, const double *environments,
                                    int *taken);

/* How the next questions are asked; before the first call as acquisitions ask. */
void fcps_batch_set_view(fcps_batch *batch, fcps_penalty_view view);

/* The posterior in one of them, and the mean rewards of the candidates there. They are exact, except if
 * fcps_batch_can_maximize: then they are upper bounds if few contexts share an environment, and otherwise exact
 * wherever they may be among the largest, and elsewhere lower bounds (fcps_expected_reward_screen). The posterior
 * belongs to the batch and lives until the next call. */
fcps_status fcps_batch_posterior(fcps_batch *batch, int context, fcps_posterior **posterior, double *means);

/* The deviation of what the better trials earn in one of them. */
double fcps_batch_lead(const fcps_batch *batch, int context);

/* The reward expected of one parameter vector per context (rows), and its deviation; both may be NULL. */
fcps_status fcps_batch_predict(fcps_batch *batch, const double *x, double *means, double *deviations);

/* The chances of one parameter vector per context (fcps_posterior_chances). */
fcps_status fcps_batch_chances(fcps_batch *batch, const double *x, double *outcome, double *success);

/* The best parameters for each of the contexts (rows, unit cube): from the best candidates of every one searches go on
 * side by side, so that their covariances and triangular solves are products of matrices. Only if outcomes are
 * predicted and the reward is a distance in closed form, or a formula: fcps_batch_can_maximize, once contexts are set. */
bool fcps_batch_can_maximize(const fcps_batch *batch);
fcps_status fcps_batch_maximize(fcps_batch *batch, const fcps_search_settings *settings, double *x);

#endif
