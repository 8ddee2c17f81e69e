/* SPDX-License-Identifier: Apache-2.0 */
/* What may go wrong with a trial: it fails, or it ends without an outcome. Two classifiers learn both from all
 * rollouts, rows of the GP or not; failure_penalty.h says what that makes of a predicted reward. A third learns whether
 * something moves, where the model believes that this is a question of its own (structures/contact.c).
 *
 * Invariants: a classifier is a function of the rollouts and of that belief alone, up to date after fcps_model_refresh;
 * there is none before the first rollout that went wrong. Inputs are features of environment and parameters, never of
 * the target. */
#ifndef FCPS_MODEL_FEASIBILITY_FEASIBILITY_H
#define FCPS_MODEL_FEASIBILITY_FEASIBILITY_H

#include "gp/label_probit.h"
#include "model/description.h"
#include "model/feasibility/outage.h"

/* What it is learnt from: all trials of a model. */
typedef struct fcps_trials {
  const fcps_layout *layout;
  const fcps_description *description; /* says what is at rest */
  const fcps_rollouts *training, *others;
  const int *told_before; /* how many training rollouts were told before each of the others */
} fcps_trials;

typedef struct fcps_feasibility {
  fcps_label_probit *feasible; /* that a trial does not fail; NULL while none has */
  fcps_label_probit *present;  /* that there is an outcome, where outcomes are predicted; NULL while none was absent */
  fcps_label_probit *moves;    /* that something moves; NULL: that is not a question of its own */
  bool presence_ignores_parameters; /* the parameters are not among the inputs of `present` */
  fcps_outage outage;               /* the one that is believed: `feasible` knows nothing of its failures */
  fcps_outage absence;              /* the same of absent outcomes, and `present` */
  double chance; /* how probable it is that chance explains the failures of `feasible`, not their places (scatter.h) */
  double rate;   /* how often a trial then does not fail, wherever it is */
  int rows;      /* rollouts that all know */
} fcps_feasibility;

/* Learns them where trials came since the last time. */
fcps_status fcps_feasibility_learn(fcps_feasibility *feasibility, const fcps_trials *trials);

/* Drops them, where they were learnt from trials that were taken back, or by another belief. */
void fcps_feasibility_forget(fcps_feasibility *feasibility);

/* Whether a trial belongs to an outage that is believed in; `others` are those that it was learnt from. */
bool fcps_feasibility_excuses(const fcps_feasibility *feasibility, const fcps_rollouts *others,
                              const fcps_rollout *rollout);

/* The probability that each of `count` trials (rows in the problem's own units) does not fail and has an outcome. */
fcps_status fcps_feasibility_chances(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                                     const double *environments, const double *parameters, double *probabilities,
                                     fcps_error *error);

/* Multiplies `values` of such trials by the probability that something moves, where that is a question of its own. */
void fcps_feasibility_scale_by_movement(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                                        const double *environments, const double *parameters, double *values);

/* Multiplies `values` of `count` trials, given by the features of rows, by the probability that they do not fail: for
 * what a trial is worth, never negative, where a failed one is worth nothing. */
void fcps_feasibility_scale(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                            const double *features, double *values);

/* The log likelihood of which rollouts source[0 ... count - 1] move, by a classifier of their places. */
fcps_status fcps_feasibility_explain_movement(const fcps_layout *layout, const fcps_rollouts *rollouts, int count,
                                              const int *source, const bool *moves, double *log_likelihood);

/* The probability that something moves in each training rollout, as others say: every fifth is left out at a time. */
fcps_status fcps_feasibility_leave_out_movement(const fcps_trials *trials, double *probabilities);

#endif
