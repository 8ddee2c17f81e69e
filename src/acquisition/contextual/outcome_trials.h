/* SPDX-License-Identifier: Apache-2.0 */
/* Trials for a model of outcomes: points of the unit cube, environment first, then parameters. A trial's outcome does
 * not depend on its target, so the target is not a part of it. */
#ifndef FCPS_ACQUISITION_CONTEXTUAL_OUTCOME_TRIALS_H
#define FCPS_ACQUISITION_CONTEXTUAL_OUTCOME_TRIALS_H

#include "base/rng.h"
#include "model/model.h"
#include "model/posterior/posterior.h"

typedef struct fcps_outcome_trials {
  const fcps_model *model;
  int environments, parameters, width;       /* width = environments + parameters */
  int most;                                  /* trials that probabilities can be asked for at once */
  const bool *is_free;                       /* environments: which coordinates may be chosen (borrowed) */
  const double *fixed;                       /* environments: the others, unit cube (borrowed) */
  bool *wraps;                               /* width */
  double *own_environments, *own_parameters; /* most rows, in the problem's own units */
  double *probabilities;                     /* most: that a trial does not fail, has an outcome and moves something */
  fcps_error *error;                         /* borrowed */
} fcps_outcome_trials;

/* Borrows everything given. A failure leaves nothing to destroy. */
fcps_status fcps_outcome_trials_create(fcps_outcome_trials *trials, const fcps_model *model, const bool *is_free,
                                       const double *fixed, int most, fcps_error *error);
void fcps_outcome_trials_destroy(fcps_outcome_trials *trials);

/* Puts the environment's coordinates that are not free back to what they are. */
void fcps_outcome_trials_hold_fixed(const fcps_outcome_trials *trials, double *trial);

/* A random trial in which something happens, if a few draws find one: where nothing does there is nothing to learn. */
fcps_status fcps_outcome_trials_draw(fcps_outcome_trials *trials, fcps_rng *rng, double *trial);

/* trials->probabilities of `count` trials (rows). */
fcps_status fcps_outcome_trials_find_probabilities(fcps_outcome_trials *trials, int count, const double *x);

#endif
