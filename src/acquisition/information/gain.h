/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that acquisitions share which value the information of a trial: a belief about the maximum in a context,
 * the posterior of trials in it, and a search without gradients. Each of these acquisitions defines a gain: the value
 * of a trial. An ask uses the gain in its own context; learners that choose contexts add up the gains in many contexts
 * (contextual/contextual_gain.h). */
#ifndef FCPS_ACQUISITION_INFORMATION_GAIN_H
#define FCPS_ACQUISITION_INFORMATION_GAIN_H

#include "acquisition/acquisition.h"
#include "acquisition/information/belief.h"

typedef struct fcps_gain {
  /* OPTIONAL: writes the numbers that are the same for all trials to belief->gain_state. Returns false if memory runs
   * out. */
  bool (*prepare)(const fcps_belief_source *source, fcps_belief *belief);

  /* OPTIONAL: adds to a report how many draws of the belief could not be used. */
  void (*report)(const fcps_belief_builder *builder, const fcps_belief *belief, fcps_decision_report *report);

  /* Allocates scratch for at most `most` trials in one call, for any belief. The caller frees it. NULL if memory runs
   * out. */
  void *(*scratch)(const fcps_belief_builder *builder, int most);

  /* Adds to gains[i] the value of trial i for the belief, in nats or in units of reward. */
  void (*add)(const fcps_belief_builder *builder, const fcps_gp *gp, const fcps_belief *belief,
              const fcps_candidates *trials, void *scratch, double *gains);
} fcps_gain;

/* Creates the beliefs of all outputs in a context and calls `prepare` for each. `beliefs` has one element per output,
 * zeroed. */
fcps_status fcps_gain_beliefs(const fcps_gain *gain, const fcps_belief_builder *builder, const fcps_model *model,
                              const fcps_gp_outputs *outputs, const double *context, fcps_belief *beliefs);

/* Adds to `report`, which may be NULL, how many draws of a belief could not be used. */
void fcps_gain_report(const fcps_gain *gain, const fcps_belief_builder *builder, const fcps_belief *belief,
                      fcps_decision_report *report);

/* The `select` of acquisitions with a gain (decision->acquisition->gain): chooses the parameters with the largest gain
 * times the probability that the trial does not fail, in the context of the decision. */
fcps_status fcps_gain_select(const fcps_decision *decision, double *x);

/* The initializer of an acquisition with a gain. */
#define FCPS_GAIN_ACQUISITION(NAME, GAIN)                                                                              \
  {                                                                                                                    \
    .name = (NAME), .needs_model = true, .select = fcps_gain_select, .select_context = fcps_contextual_gain_select,    \
    .gain = &(GAIN), .outputs = FCPS_OUTPUTS_REWARDS                                                                   \
  }

/* A query for the gains of trials in one context. */
typedef struct fcps_gain_query {
  const fcps_gain *gain;
  fcps_belief_builder builder;
  const fcps_model *model;
  const fcps_gp_outputs *outputs;
  const double *context; /* features of the context */
  fcps_belief belief;
  double *beta; /* L' alpha, for means of trials */
  fcps_candidates trials;
  void *scratch;
} fcps_gain_query;

/* Opens a query with room for `most` trials. After a failure there is nothing to close. */
fcps_status fcps_gain_query_open(fcps_gain_query *query, const fcps_gain *gain, const fcps_belief_settings *settings,
                                 fcps_posterior *posterior, int most, fcps_rng rng);
void fcps_gain_query_close(fcps_gain_query *query);

/* Computes the gains of trials with `count` parameter vectors (rows, unit cube) in the query's context. */
void fcps_gain_query_values(fcps_gain_query *query, int count, const double *x, double *gains);

/* -- Lines (kg.c) -- */

/* The expectation of the largest of several linear functions of one standard normal variable. */

typedef struct fcps_line {
  double height, slope; /* height + slope w */
} fcps_line;

/* Returns the gain E_w max_i (height_i + slope_i w) - max_i height_i for a standard normal w, which is never negative.
 * Reorders the lines. */
double fcps_line_envelope_gain(int count, fcps_line *lines);

#endif
