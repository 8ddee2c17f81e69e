/* SPDX-License-Identifier: Apache-2.0 */
/* What a learner that chooses contexts is asked, and its answer, in the unit cube: the bookkeeping between the contract
 * of fcps_learner_choose and an acquisition's select_context.
 *
 * Invariant: values of the problem that are not free are never written, so that they keep their bits. */
#ifndef FCPS_LEARNER_BO_CONTEXT_CHOICE_H
#define FCPS_LEARNER_BO_CONTEXT_CHOICE_H

#include "learner/learner_impl.h"

typedef struct fcps_bo_context_choice {
  const fcps_problem *problem;
  int environments, targets; /* coordinates of the context: environment first */
  bool *is_free;             /* of the context */
  double *context;           /* what is not free is the caller's; the rest is the middle until it is chosen */
  double *x;                 /* parameters */
} fcps_bo_context_choice;

/* Borrows the problem. Close it in every case. */
fcps_status fcps_bo_context_choice_open(fcps_bo_context_choice *choice, const fcps_problem *problem,
                                        const fcps_free_dimensions *free_dimensions, const double *target,
                                        const double *environment);
void fcps_bo_context_choice_close(fcps_bo_context_choice *choice);

/* Writes the choice in the problem's own units. */
fcps_status fcps_bo_context_choice_write(const fcps_bo_context_choice *choice, double *target, double *environment,
                                         double *parameters);

#endif
