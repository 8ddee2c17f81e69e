/* SPDX-License-Identifier: Apache-2.0 */
/* What a trial is worth over many contexts:
 *
 *   value(s_q, theta_q) = p(s_q, theta_q) sum_c G^{s_c}(s_q, theta_q)       over representer contexts s_c near s_q
 *
 * p is the chance that the trial does not fail, 1 while none has. G is what it is worth in one context: the loss of
 * entropy about the best parameters in the papers, or any other gain.
 *
 * With the joint model this is the criterion of ACES [metzen2015b]: contexts are inputs, and a trial tells about
 * another target through the kernel. With the rescored model it is that of FACES [pinsler2019, Eq. 9]: the rewards are
 * scored again for each of a few targets, a trial tells about all of them alike, and the target of the trial does not
 * matter.
 *
 * Symbols: s_c = fcps_representer_context, G = fcps_gain, (s_q, theta_q) = a trial.
 */
#ifndef FCPS_ACQUISITION_CONTEXTUAL_CONTEXTUAL_GAIN_H
#define FCPS_ACQUISITION_CONTEXTUAL_CONTEXTUAL_GAIN_H

#include "acquisition/information/gain.h"

/* The representer contexts of a decision: `count` rows of the context's coordinates that the model sees (the joint
 * model sees all, the rescored one those of the environment), each with all of `targets` targets. */
typedef struct fcps_representer_contexts {
  int count, targets;
  double *x;             /* rows in the unit cube */
  double *target_values; /* rows in their own units */
} fcps_representer_contexts;

/* A Latin hypercube of each. `contexts` may be half-built after a failure: destroy it. */
fcps_status fcps_representer_contexts_draw(fcps_representer_contexts *contexts, const fcps_context_decision *decision);
void fcps_representer_contexts_destroy(fcps_representer_contexts *contexts);

/* One of them, with a belief about the best parameters for each target. */
typedef struct fcps_representer_context {
  double *x;            /* coordinates of the context that the model sees */
  double *features;     /* its features */
  fcps_belief *beliefs; /* one per target */
} fcps_representer_context;

/* What trials are worth. If the model has split, a trial tells nothing about the other child: there is
 * one query per child, whose representer contexts are those of that child. */
typedef struct fcps_contextual_query {
  const fcps_context_decision *decision;
  const fcps_gain *gain;
  const fcps_model *model; /* the child */
  fcps_belief_builder builder;
  fcps_gp_outputs outputs; /* for all targets */
  int seen;                /* coordinates of the context that the model sees */
  int count;               /* representer contexts of this child */
  fcps_representer_context *contexts;
  int free_count;
  int *free_dims;        /* which of the seen coordinates vary */
  double *lower, *upper; /* their bounds in this child */
  double *fixed;         /* all seen coordinates; the free ones vary */
  bool *wraps;           /* of all coordinates of a trial */

  /* the trials of one call, `most` of them */
  int most;
  fcps_candidates trials; /* all */
  fcps_candidates near;   /* those near a representer context */
  int *members;           /* which trials these are */
  void *scratch;
  double *beta;     /* L' alpha of each target */
  double *means;    /* most x targets: of all trials */
  double *distance; /* most x contexts: scaled squared distances */
  double *gains;    /* most */
} fcps_contextual_query;

/* With room for `most` trials. `child` is -1 if the model has not split; `context` has the coordinates that are not
 * free. Sets `is_empty` where these lie in the other child: then nothing can be asked. Close it in every case; it
 * starts zeroed. */
fcps_status fcps_contextual_query_open(fcps_contextual_query *query, const fcps_context_decision *decision,
                                       const fcps_representer_contexts *contexts, int child, const double *context,
                                       int most, bool *is_empty, fcps_error *error);
void fcps_contextual_query_close(fcps_contextual_query *query);

/* The numbers of a trial: the free coordinates of the context, as fractions of the child's range, then the parameters.
 * Values of `count` of them (rows). */
int fcps_contextual_query_width(const fcps_contextual_query *query);
void fcps_contextual_query_values(fcps_contextual_query *query, int count, const double *trials, double *values);

/* The beliefs: smaller than in one context, because there are many and their errors average out. */
extern const fcps_belief_settings fcps_contextual_belief_settings;

#endif
