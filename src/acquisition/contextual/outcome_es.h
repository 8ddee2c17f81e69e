/* SPDX-License-Identifier: Apache-2.0 */
/* Entropy search on outcomes: how much a trial anywhere is expected to tell about the best parameters in many contexts.
 *
 * The outcomes o of representers in a context are jointly Gaussian, and their rewards R(target, environment, theta_i,
 * o_i) are exact, so that samples of the outcomes vote for the best representer. A trial at x with outcome y moves all
 * outcomes by k (w - u), as in belief.h, with one standard normal w and u for each dimension of the outcome; the gain
 * is
 *
 *   sum_t weight_t (H[p_t] - E_y H[p_t | x, y])       over contexts t,
 *
 * with both terms from the same samples. A trial's outcome does not depend on its target, so one trial tells about all.
 *
 * Symbols: k and b as in es.c, w = es->w, u = es->u, weight_t = es->weights.
 */
#ifndef FCPS_ACQUISITION_CONTEXTUAL_OUTCOME_ES_H
#define FCPS_ACQUISITION_CONTEXTUAL_OUTCOME_ES_H

#include "acquisition/information/belief.h"

typedef struct fcps_outcome_es_settings {
  int representers; /* m, at most, in a context */
  int samples;      /* S: joint samples of their outcomes */
  int outcomes;     /* J, even: outcomes that the trial may have */
} fcps_outcome_es_settings;

typedef struct fcps_outcome_es fcps_outcome_es;

/* Room for `contexts` contexts and the gains of `most` trials at once. Borrows the model (outcome outputs). The
 * numbers that estimate entropies follow from `seed` alone: a search does not chase noise. */
fcps_status fcps_outcome_es_create(fcps_outcome_es **es, const fcps_outcome_es_settings *settings,
                                   const fcps_model *model, int contexts, int most, uint64_t seed);
void fcps_outcome_es_destroy(fcps_outcome_es *es);

/* Adds a context, from which `posterior` sees the model, with `count` representers (rows, unit cube). Borrows the
 * target. */
fcps_status fcps_outcome_es_add(fcps_outcome_es *es, const fcps_posterior *posterior, const double *target,
                                const double *environment, int count, const double *x, double weight,
                                fcps_error *error);

/* Gains of prepared trials: one set of them per GP of the model, with the same trials. */
fcps_status fcps_outcome_es_gains(fcps_outcome_es *es, const fcps_candidates *trials, double *gains, fcps_error *error);

/* The context that the last trial of the last call tells most about. */
int fcps_outcome_es_main_context(const fcps_outcome_es *es);

#endif
