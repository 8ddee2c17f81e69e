/* SPDX-License-Identifier: Apache-2.0 */
/* Trials that went wrong by their time, not by their place: a power cut, an empty tank, a scale that was unplugged.
 *
 * Trials that fail, or have no outcome, one after the other, while others before or after end well, have two explanations.
 * Either their parameters are to blame, and then a classifier must explain them by where they are; or there was an outage,
 * which can begin and end with any of the n(n + 1)/2 stretches of n trials, and the classifier need explain only the rest:
 *
 *   log p(labels | outage) = log p(labels of the others) - log(n(n + 1)/2)
 *
 * The better explanation is believed. So five innocent failures at the start soon cost nothing, and a corner in which
 * every trial fails stays one: near each other, failures explain each other.
 *
 * Failures are an outage only when it is over: a trial has ended well since. Until then their places are to blame, and
 * the next ask is elsewhere, which tells the two apart: in an outage it fails too. An excuse at once would bring the next
 * ask back to the same place; where that is a real edge with the highest promise behind it, failures would go on for
 * ever, each excused by the ones before.
 *
 * If outcomes are often absent, long stretches without any are not an outage: it must be a third of all trials at most,
 * and longer than all other absences together. So these cannot go on for ever. */
#ifndef FCPS_MODEL_FEASIBILITY_OUTAGE_H
#define FCPS_MODEL_FEASIBILITY_OUTAGE_H

#include "problem/rollouts.h"

/* What went wrong with the trials of an outage. */
typedef enum fcps_outage_kind { FCPS_OUTAGE_FAILURES, FCPS_OUTAGE_ABSENCES } fcps_outage_kind;

/* A stretch of a model's other trials, those that are not rows, which went wrong one after the other. */
typedef struct fcps_outage {
  int first, count; /* count 0: there is none */
} fcps_outage;

/* The longest such stretch that may be one; none if it is too short to be more than chance. `training` trials ended well,
 * told_before[i] of them before trial i of the others. */
fcps_outage fcps_outage_find(const fcps_rollouts *others, const int *told_before, int training, fcps_outage_kind kind);

/* Whether a trial is one of those. */
bool fcps_outage_has(fcps_outage outage, const fcps_rollouts *others, const fcps_rollout *rollout);

/* The logarithm of the prior chance of one particular stretch, if all stretches of `trials` trials are equally likely. */
double fcps_outage_log_chance(int trials);

#endif
