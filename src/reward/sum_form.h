/* SPDX-License-Identifier: Apache-2.0 */
/* A reward formula in one context, taken apart:
 *
 *   R = terms(parameters) + sum over some outcomes of h_j(o_j) + rest(the other outcomes, parameters)
 *
 * where each h_j is made of straight pieces (pieces.h), of the outcome clipped to its bounds. Outcomes are independent,
 * so means and variances of the parts add up: the h_j have closed forms, and only the rest needs nodes, in fewer
 * dimensions.
 *
 * A quadrature of |o - t| has a kink at every node, and searches end at kinks; the closed form is smooth. Most
 * rests are straight in one outcome if the others stand still: they are exact over that one (conditional.c), and
 * ten nodes over another then suffice, because the kinks have been averaged over (sum_conditional.c). Pieces are
 * kept apart from conditional forms, and sums have a curvature and a screening of their own, because 1,000 targets
 * take 2, 4 to 6 and 1.4 to 4 times as long without them (bench_formula, 60 results). A jump is searched one
 * context at a time: it has more hills than searches side by side begin on. */
#ifndef FCPS_REWARD_SUM_FORM_H
#define FCPS_REWARD_SUM_FORM_H

#include "problem/reward.h"
#include "reward/pieces.h"

/* -- Conditional forms (conditional.c) -- */

/* A function of few outcomes that is made of straight pieces in one of them, the inner one, whatever the others are: such as
 * -max(|a - 3|, |b - 4|), |a b - 5| or `a > b ? 1 : -|b|`. Given the outer outcomes, its expectation over the inner one is
 * exact, with all kinks and jumps; and as a function of the outer outcomes it is smooth, because the kinks have been
 * averaged over. So a short rule over the outer outcomes is enough, where nodes over all of them would meet each kink or
 * miss it.
 *
 * The places of kinks and jumps along the inner outcome are the roots of lines: what an absolute value is taken of, what
 * a comparison compares, what a maximum chooses from. A line may have such steps within itself; then there is a line for
 * each way to go through them. A line that is not a border after all divides a piece into two, and does no harm.
 */

/* Lines along the inner outcome; outer outcomes; borders along a single outer outcome. */
enum { FCPS_CONDITIONAL_LINES = 16, FCPS_CONDITIONAL_OUTER = 2, FCPS_CONDITIONAL_BREAKS = 4 };

typedef struct fcps_conditional {
  int inner;          /* the index of its value; -1: there is no such form */
  fcps_formula lines; /* many of its steps are lines */
  int lines_count, line_steps[FCPS_CONDITIONAL_LINES];

  double width; /* over which the expectation rounds kinks off, in scales of the outer outcomes, at the sharpest; 0:
                    it differs from place to place */

  /* where the function has kinks or jumps at one place of the only outer outcome */
  int breaks_count;
  double breaks[FCPS_CONDITIONAL_BREAKS];
} fcps_conditional;

/* Where the function is looked at, and what its outcomes are: `count` indices of values, each with a place where it may
 * be and its scale. */
typedef struct fcps_conditional_outcomes {
  int count;
  const int *indices;
  const double *typical, *scale;
} fcps_conditional_outcomes;

/* Looks for such a form. false: no memory. */
bool fcps_conditional_create(fcps_conditional *conditional, const fcps_formula *function, int values_count,
                             const fcps_conditional_outcomes *outcomes);
void fcps_conditional_destroy(fcps_conditional *conditional);

/* -- Sums -- */

typedef struct fcps_sum_form {
  double *context;     /* target, then environment; NULL: the form is empty */
  fcps_formula whole;  /* the reward if there is an outcome; values have the indices of the reward's formula */
  fcps_formula absent; /* and if there is none */
  fcps_formula terms;
  fcps_formula rest;                        /* without steps: there is none */
  bool has_parameters, rest_has_parameters; /* whether there are any in the whole, and in the rest */
  bool is_kinked;                           /* the rest has kinks in its outcomes */
  bool has_steps;                           /* the whole jumps in its outcomes */
  int rest_count;                           /* outcomes in it */
  int *rest_outcomes;                       /* which */
  fcps_conditional conditional; /* how the rest is made along one of its outcomes; see fcps_sum_form_look_along */
  bool *has_pieces;             /* of each outcome */
  fcps_pieces *pieces;
  bool is_concave; /* in the outcomes, up to their bounds: there is no rest, and all pieces are concave */
} fcps_sum_form;

/* false: no memory, and the form is empty. */
bool fcps_sum_form_create(fcps_sum_form *form, const fcps_reward_formula *reward, const fcps_problem *problem,
                          const double *target, const double *environment);
void fcps_sum_form_destroy(fcps_sum_form *form);

/* Looks for straight pieces in the rest, given an outcome that may happen and the scales of outcomes; false: no memory. */
bool fcps_sum_form_look_along(fcps_sum_form *form, const fcps_reward_formula *reward, const double *typical,
                              const double *scale);

/* Whether the form is that of a context. */
bool fcps_sum_form_is_of(const fcps_sum_form *form, const fcps_problem *problem, const double *target,
                         const double *environment);

#endif
