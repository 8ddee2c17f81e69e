/* SPDX-License-Identifier: Apache-2.0 */
/* Results in which nothing moved: the outcome of a push that missed.
 *
 * Such an outcome is always the same: each of its numbers is one that does not change, such as a displacement of 0, or
 * one that the environment told before, such as where the object stood. Two results agree by chance only where outcomes
 * have few values. So a rest is a rule that several results keep exactly, at different places, while the others have
 * values of their own. An outcome that is 0 or 1, a count, a number of few digits, and outcomes that are all the same
 * have no rest. Nor have results that agree one after the other and never else: their time explains them, not their place.
 *
 * Exactly means to a billionth of the range that the outcome was seen in, which is what a simulator's sums leave. */
#ifndef FCPS_MODEL_COMPOSITE_REST_H
#define FCPS_MODEL_COMPOSITE_REST_H

#include <fcps/problem.h>

typedef struct fcps_model fcps_model;

/* Of one outcome where nothing moves: a dimension of the environment, or a number. */
typedef struct fcps_rest_value {
  int environment; /* -1: the number */
  double number;
  double tolerance;
} fcps_rest_value;

typedef struct fcps_rest {
  int outcomes; /* 0: there is no rest */
  fcps_rest_value values[FCPS_SPACE_MAX];
} fcps_rest;

/* Finds the rest of a model's training rollouts; `rest` has no outcomes where there is none. */
fcps_status fcps_rest_find(const fcps_model *model, fcps_rest *rest);

/* Whether nothing moved. */
bool fcps_rest_includes(const fcps_rest *rest, const double *environment, const double *outcome);

/* The outcome where nothing moves. */
void fcps_rest_outcome(const fcps_rest *rest, const double *environment, double *outcome);

#endif
