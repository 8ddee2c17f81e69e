/* SPDX-License-Identifier: Apache-2.0 */
/* What the acquisitions that ask how much a trial tells have in common: a belief about the maximum in a context, trials
 * seen from there, and a search that needs no gradient. Each of them is the gain of a trial. In the context of an ask
 * its own gain counts; learners that choose contexts sum gains over many (contextual/contextual_gain.h). */
#ifndef FCPS_ACQUISITION_INFORMATION_GAIN_H
#define FCPS_ACQUISITION_INFORMATION_GAIN_H

#include "acquisition/acquisition.h"
#include "acquisition/information/belief.h"

typedef struct fcps_gain {
  /* OPTIONAL: what is the same for all trials, into belief->gain_state; false when there is no memory. */
  bool (*prepare)(const fcps_belief_source *source, fcps_belief *belief);

  /* OPTIONAL: adds what of the belief could not be used. */
  void (*report)(const fcps_belief_builder *builder, const fcps_belief *belief, fcps_decision_report *report);

  /* Scratch for `most` trials at once, for any belief; freed with free. NULL when there is no memory. */
  void *(*scratch)(const fcps_belief_builder *builder, int most);

  /* Adds to gains[i] what trial i is worth to the belief: nats, or reward. */
  void (*add)(const fcps_belief_builder *builder, const fcps_gp *gp, const fcps_belief *belief,
              const fcps_candidates *trials, void *scratch, double *gains);
} fcps_gain;

/* The beliefs of all outputs in a context, each studied. `beliefs` has room for them, zeroed. */
fcps_status fcps_gain_beliefs(const fcps_gain *gain, const fcps_belief_builder *builder, const fcps_model *model,
                              const fcps_gp_outputs *outputs, const double *context, fcps_belief *beliefs);

/* Adds what of a belief could not be used to `report`, which may be NULL. */
void fcps_gain_report(const fcps_gain *gain, const fcps_belief_builder *builder, const fcps_belief *belief,
                      fcps_decision_report *report);

/* `select` of acquisitions with a gain, which is decision->acquisition->gain: the parameters with the largest gain
 * times the probability not to fail, in the context of the decision. */
fcps_status fcps_gain_select(const fcps_decision *decision, double *x);

/* What trials in one context are worth there. */
typedef struct fcps_gain_query {
  const fcps_gain *gain;
  fcps_belief_builder builder;
  const fcps_model *model;
  const fcps_gp_outputs *outputs;
  const double *context; /* features */
  fcps_belief belief;
  double *beta; /* L' alpha, for means of trials */
  fcps_candidates trials;
  void *scratch;
} fcps_gain_query;

/* With room for `most` trials; a failure leaves nothing to close. */
fcps_status fcps_gain_query_open(fcps_gain_query *query, const fcps_gain *gain, const fcps_belief_settings *settings,
                                 fcps_posterior *posterior, int most, fcps_rng rng);
void fcps_gain_query_close(fcps_gain_query *query);

/* gains := those of trials with `count` parameter vectors (rows, unit cube) in the query's context. */
void fcps_gain_query_values(fcps_gain_query *query, int count, const double *x, double *gains);

/* -- Lines (kg.c) -- */

/* The upper envelope of lines under a standard normal variable. */

typedef struct fcps_line {
  double height, slope; /* height + slope w */
} fcps_line;

/* E_w max_i (height_i + slope_i w) - max_i height_i for a standard normal w, never negative. Reorders the lines. */
double fcps_line_envelope_gain(int count, fcps_line *lines);

#endif
