/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a trial with a model of outcomes, which ivr.c and outcome_es.c share: they only say what a trial is
 * worth to the acts of the greedy policy.
 *
 * An act is a context together with what the greedy policy does there. Acts are spread over the target space; a trial
 * is worth what the criterion says, summed over acts and weighted by the probabilities that there is an outcome: of the
 * trial, and of the act. */
#ifndef FCPS_ACQUISITION_CONTEXTUAL_OUTCOME_SEARCH_H
#define FCPS_ACQUISITION_CONTEXTUAL_OUTCOME_SEARCH_H

#include "acquisition/acquisition.h"
#include "acquisition/contextual/outcome_trials.h"
#include "acquisition/information/belief.h"

/* Acts, and trials that are looked at together, at most. */
enum { FCPS_OUTCOME_ACTS = 64, FCPS_OUTCOME_TRIALS = 400 };

typedef struct fcps_outcome_search fcps_outcome_search;

/* How criteria differ. */
typedef struct fcps_outcome_criterion {
  int candidates;                           /* trials that are looked at first, at least FCPS_OUTCOME_ACTS */
  fcps_shrinking_search_settings narrowing; /* the steps from the best of them */

  /* Builds search->state from the acts. */
  fcps_status (*prepare)(fcps_outcome_search *search, fcps_rng rng);
  void (*release)(fcps_outcome_search *search); /* search->state may be NULL or half-built */

  /* What the first `count` of search->candidates are worth to all acts. */
  fcps_status (*gains)(fcps_outcome_search *search, int count, double *values);

  /* The act that the only trial of the last call is worth most to. */
  int (*main_act)(const fcps_outcome_search *search);
} fcps_outcome_criterion;

struct fcps_outcome_search {
  const fcps_outcome_criterion *criterion;
  fcps_outcome_trials trials;
  uint64_t seed;               /* of the run */
  double *targets_x, *targets; /* rows, one per act: in the unit cube, and in their own units */
  double *acts;                /* rows of trials */
  double *act_probabilities;   /* one per act: that it has an outcome */
  double *copies;              /* FCPS_OUTCOME_TRIALS rows: trials with what is fixed put back */
  int gp_count;                /* GPs of the model */
  fcps_candidates *candidates; /* one per GP, with the same trials */
  fcps_status failure;         /* of a callback, from an objective that could not return it */
  void *state;                 /* the criterion's own */
};

/* fcps_acquisition.select_context with a criterion. Writes the free coordinates of the environment, and those of the
 * target that the trial is worth most to. */
fcps_status fcps_outcome_search_select(const fcps_outcome_criterion *criterion, const fcps_context_decision *decision,
                                       double *context, double *x, fcps_error *error);

/* For criteria: the target of an act, the GP's inputs of a trial, and the model as it is seen from the context of an
 * act (whose environment is then in the first row of trials.own_environments). */
const double *fcps_outcome_search_target(const fcps_outcome_search *search, int act);
void fcps_outcome_search_features(const fcps_outcome_search *search, const double *trial, double *features);
fcps_status fcps_outcome_search_posterior(fcps_outcome_search *search, int act, fcps_posterior **posterior);

#endif
