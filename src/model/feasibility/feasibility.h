/* SPDX-License-Identifier: Apache-2.0 */
/* What may go wrong with a trial: it fails, or it ends without an outcome. Two classifiers learn both from all
 * rollouts, rows of the GP or not; failure_penalty.h says what that makes of a predicted reward.
 *
 * Invariants: a classifier is a function of the rollouts alone, up to date after fcps_model_refresh; there is none
 * before the first rollout that went wrong. Inputs are features of environment and parameters, never of the target. */
#ifndef FCPS_MODEL_FEASIBILITY_FEASIBILITY_H
#define FCPS_MODEL_FEASIBILITY_FEASIBILITY_H

#include "model/feasibility/label_classifier.h"
#include "model/feasibility/outage.h"
#include "model/feasibility/scatter.h"

typedef struct fcps_model fcps_model;

typedef struct fcps_feasibility {
  fcps_label_classifier *feasible; /* that a trial does not fail; NULL while none has */
  fcps_label_classifier
      *present; /* that there is an outcome, where outcomes are predicted; NULL while none was absent */
  bool presence_ignores_parameters; /* the parameters are not among the inputs of `present` */
  fcps_outage outage;               /* the one that is believed: `feasible` knows nothing of its failures */
  double chance; /* how probable it is that chance explains the failures of `feasible`, not their places (scatter.h) */
  double rate;   /* how often a trial then does not fail, wherever it is */
  int rows;      /* rollouts that both know */
} fcps_feasibility;

/* Learns both where rollouts came since the last time; part of fcps_model_refresh. */
fcps_status fcps_model_learn_feasibility(fcps_model *model);

/* Drops both, where they were learnt from rollouts that were taken back. */
void fcps_model_forget_feasibility(fcps_model *model);

/* The probability that each of `count` trials (rows in the problem's own units) does not fail and has an outcome. */
fcps_status fcps_model_feasibility(const fcps_model *model, int count, const double *environments,
                                   const double *parameters, double *probabilities, fcps_error *error);

/* The number of inputs of both classifiers. */
int fcps_model_feasibility_dim(const fcps_model *model);

/* Multiplies `values` of `count` trials, given by the GP's inputs (rows), by the probability that they do not fail: for
 * what a trial is worth, never negative, where a failed one is worth nothing. Leaves them as they are while no trial
 * has failed. `row` is scratch for the inputs of a classifier. */
void fcps_model_scale_by_feasibility(const fcps_model *model, int count, const double *features, double *row,
                                     double *values);

#endif
