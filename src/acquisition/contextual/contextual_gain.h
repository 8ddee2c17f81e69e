/* SPDX-License-Identifier: Apache-2.0 */
/* Search over contexts: which context and which parameters tell most about the best parameters everywhere.
 *
 *   value(s_q, theta_q) = p(s_q, theta_q) sum_c G^{s_c}(s_q, theta_q)       over representer contexts s_c near s_q
 *
 * p is the chance that the trial does not fail, 1 while none has. G is what it is worth in one context: the loss of
 * entropy about the best parameters in the paper, or any other gain.
 *
 * With the joint model this is ACES [metzen2015b]: contexts are inputs, and a trial tells about another target through
 * the kernel. With the rescored model it is FACES [pinsler2019, Eq. 9]: the rewards are scored again for each of a few
 * targets, a trial tells about all of them alike, and the target of the trial does not matter.
 */
#ifndef FCPS_ACQUISITION_CONTEXTUAL_CONTEXTUAL_GAIN_H
#define FCPS_ACQUISITION_CONTEXTUAL_CONTEXTUAL_GAIN_H

#include "acquisition/information/gain.h"
#include "base/rng.h"
#include "model/model.h"

typedef struct fcps_contextual_settings {
  int contexts;   /* representer contexts in all */
  int targets;    /* of which so many targets, each with all the same environments (rescored; joint: 1) */
  int neighbours; /* environments (joint: contexts) that a trial is taken to tell about: the nearest */
} fcps_contextual_settings;

/* One decision. `is_free` says which coordinates of the context may be chosen, those of the environment first;
 * `context` has them in the unit cube, `x` the parameters. */
typedef struct fcps_contextual_decision {
  const fcps_contextual_settings *settings;
  const fcps_gain *gain;
  const fcps_model *model; /* up to date, pending trials added */
  const bool *is_free;
  fcps_rng rng;
} fcps_contextual_decision;

/* Writes the free coordinates of `context` that the model sees (all but targets of the rescored one, which stay as they
 * are), and `x`. */
fcps_status fcps_contextual_select(const fcps_contextual_decision *decision, double *context, double *x,
                                   fcps_error *error);

/* The value of a trial in a given context: nothing may be free. */
fcps_status fcps_contextual_value(const fcps_contextual_decision *decision, double *context, double *x, double *value,
                                  fcps_error *error);

/* The beliefs: smaller than in one context, because there are many and their errors average out. */
extern const fcps_belief_settings fcps_contextual_belief_settings;

#endif
