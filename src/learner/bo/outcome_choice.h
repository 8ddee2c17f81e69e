/* SPDX-License-Identifier: Apache-2.0 */
/* One decision of outcome-active, which outcome_active.c makes: trials and the first of them in outcome_trials.c, what
 * a trial is worth and the search for the best one in outcome_search.c. */
#ifndef FCPS_LEARNER_BO_OUTCOME_CHOICE_H
#define FCPS_LEARNER_BO_OUTCOME_CHOICE_H

#include "acquisition/contextual/ivr.h"
#include "acquisition/contextual/outcome_es.h"
#include "learner/bo/bo.h"

/* Contexts whose greedy parameters are looked at, and trials that are looked at together, at most. */
enum { FCPS_CHOICE_ACTS = 64, FCPS_CHOICE_TRIALS = 400 };

/* A trial is a point of the unit cube: environment, then parameters. */
typedef struct fcps_outcome_choice {
  const fcps_learner *learner;
  const fcps_model *model;
  fcps_choice_criterion criterion;
  int environments, parameters;                /* widths */
  const bool *is_free;                         /* of the environment; NULL: all of it */
  const double *fixed;                         /* environment, unit coordinates of what is not free */
  bool *wraps;                                 /* environments + parameters */
  double *targets;                             /* ACTS rows */
  double *greedy;                              /* ACTS rows of trials: the context and what the policy does there */
  double *real_environments, *real_parameters; /* TRIALS rows in the problem's units */
  double *chances;                             /* TRIALS */
  double *trials_free;                         /* TRIALS rows of trials: scratch of the search */
  int parts;                                   /* GPs of the model */
  fcps_ivr *ivr;                               /* one a part */
  fcps_candidates *trials;                     /* one a part */
  fcps_outcome_es *es;
  fcps_status failure;
  fcps_error *error;
} fcps_outcome_choice;

/* Puts the environment's dimensions that are not free back to what they are. */
void fcps_choice_hold_fixed(const fcps_outcome_choice *c, double *trial);

/* A random trial in which something happens, if a few draws find one: where nothing does there is nothing to learn. */
fcps_status fcps_choice_draw(fcps_outcome_choice *c, fcps_rng *rng, double *trial);

/* c->chances of `count` trials: that they do not fail and have an outcome. */
fcps_status fcps_choice_chances(fcps_outcome_choice *c, int count, const double *trials);

/* A first trial: apart from earlier ones, away from the faces, and likely to have an outcome. */
fcps_status fcps_choice_design(fcps_outcome_choice *c, fcps_rng rng, double *trial);

/* The trial that is worth most, and the target it helps (an index into c->targets). */
fcps_status fcps_choice_search(fcps_outcome_choice *c, int64_t id, double *trial, int *helped);

#endif
