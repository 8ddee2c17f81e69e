/* SPDX-License-Identifier: Apache-2.0 */
/* The value of a trial over many contexts:
 *
 *   value(s_q, theta_q) = p(s_q, theta_q) sum_c G^{s_c}(s_q, theta_q)       over representer contexts s_c near s_q
 *
 * p is the probability that the trial does not fail, which is 1 while no trial has failed. G is the gain in one
 * context: in the papers the loss of entropy about the best parameters, but any gain can be used.
 *
 * With the joint model this is the criterion of ACES [metzen2015b]: contexts are inputs, and the kernel determines how
 * much a trial tells about another target. With the rescored model it is that of FACES [pinsler2019, Eq. 9]: rewards
 * are computed again for each of a few targets, so a trial tells the same about all of them, whatever its own target.
 *
 * Symbols: s_c = fcps_representer_context, G = fcps_gain, (s_q, theta_q) = a trial.
 */
#ifndef FCPS_ACQUISITION_CONTEXTUAL_CONTEXTUAL_GAIN_H
#define FCPS_ACQUISITION_CONTEXTUAL_CONTEXTUAL_GAIN_H

#include "acquisition/information/gain.h"

/* The representer contexts of a decision: `count` rows with the coordinates of the context that the model uses. The
 * joint model uses all. The rescored model only uses the environment, and each row is combined with all of `targets`
 * targets.
 */
typedef struct fcps_representer_contexts {
  int count, targets;
  double *x;             /* rows in the unit cube */
  double *target_values; /* rows in their own units */
} fcps_representer_contexts;

/* Draws a Latin hypercube of environments (joint model: contexts) and one of targets. The caller must destroy
 * `contexts` even after a failure. */
fcps_status fcps_representer_contexts_draw(fcps_representer_contexts *contexts, const fcps_context_decision *decision);
void fcps_representer_contexts_destroy(fcps_representer_contexts *contexts);

/* One representer context, with a belief about the best parameters for each target. */
typedef struct fcps_representer_context {
  double *x;            /* coordinates of the context that the model uses */
  double *features;     /* the features of x */
  fcps_belief *beliefs; /* one per target */
} fcps_representer_context;

/* A query for the values of trials. If the model has split, a trial tells nothing about contexts in the other child, so
 * there is one query per child, with the representer contexts of that child. */
typedef struct fcps_contextual_query {
  const fcps_context_decision *decision;
  const fcps_gain *gain;
  const fcps_model *model; /* the child; the model itself if it has not split */
  fcps_belief_builder builder;
  fcps_gp_outputs outputs; /* for all targets */
  int seen;                /* number of coordinates of the context that the model uses */
  int count;               /* the number of representer contexts of this child */
  fcps_representer_context *contexts;
  int free_count;
  int *free_dims;        /* which of the `seen` coordinates vary */
  double *lower, *upper; /* their bounds in this child */
  double *fixed;         /* the values of all `seen` coordinates; those of free ones are not used */
  bool *wraps;           /* for each coordinate of a trial: whether it wraps around */

  /* the trials of one call, at most `most` */
  int most;
  fcps_candidates trials; /* all trials */
  fcps_candidates near;   /* the trials near a representer context */
  int *members;           /* the numbers of the trials in `near` */
  void *scratch;
  double *beta;     /* L' alpha of each target */
  double *means;    /* most x targets: means of all trials */
  double *distance; /* most x contexts: scaled squared distances */
  double *gains;    /* room for one number per trial */
} fcps_contextual_query;

/* Opens a query with room for `most` trials. `child` is -1 if the model has not split. `context` has the coordinates
 * that are not free. Sets *is_empty if these are in the other child; the query then has no values. The query must be
 * zeroed before, and closed in every case. */
fcps_status fcps_contextual_query_open(fcps_contextual_query *query, const fcps_context_decision *decision,
                                       const fcps_representer_contexts *contexts, int child, const double *context,
                                       int most, bool *is_empty, fcps_error *error);
void fcps_contextual_query_close(fcps_contextual_query *query);

/* `width` returns the number of coordinates of a trial: the free ones of the context, as fractions of the child's
 * range, then the parameters. `values` computes the values of `count` trials (rows). */
int fcps_contextual_query_width(const fcps_contextual_query *query);
void fcps_contextual_query_values(fcps_contextual_query *query, int count, const double *trials, double *values);

/* The numbers of points and samples in the belief of one context. They are smaller than for a decision in one context,
 * because the errors of many contexts average out. */
extern const fcps_belief_settings fcps_contextual_belief_settings;

#endif
