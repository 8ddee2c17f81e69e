/* SPDX-License-Identifier: Apache-2.0 */
/* A reward formula in one context, taken apart:
 *
 *   R = terms(parameters) + sum over some outcomes of h_j(o_j) + rest(the other outcomes, parameters)
 *
 * where each h_j consists of straight pieces (pieces.h) in an outcome that is clipped to its bounds. Outcomes are
 * independent, so means and variances of the parts add up. The h_j have closed forms; only the rest needs nodes, in
 * fewer dimensions.
 *
 * With a quadrature of |o - t| the mean has a kink at every node, and searches end at kinks; the closed form is smooth.
 * Most rests are straight in one outcome if the others are fixed. They are integrated exactly over that outcome
 * (conditional.c). Ten nodes over another outcome are then enough, because the integration rounds off the kinks
 * (sum_conditional.c). Pieces are kept apart from conditional forms, and sums have a curvature and a screening of their
 * own, because 1,000 targets take 2, 4 to 6 and 1.4 to 4 times as long without them (bench_formula, 60 results). With a
 * jump each context is searched alone: the mean has more local maxima than searches side by side have starts. */
#ifndef FCPS_REWARD_SUM_FORM_H
#define FCPS_REWARD_SUM_FORM_H

#include "problem/reward.h"
#include "reward/pieces.h"

/* -- Conditional forms (conditional.c) -- */

/* A function of few outcomes that has a conditional form: for all values of the outer outcomes it consists of straight
 * pieces in one outcome, the inner one. Examples are -max(|a - 3|, |b - 4|), |a b - 5| and `a > b ? 1 : -|b|`. For
 * given outer outcomes its expectation over the inner one is exact, with all kinks and jumps. As a function of the
 * outer outcomes this expectation is smooth, because integration rounds off the kinks. So a rule with few nodes over
 * the outer outcomes is enough. Nodes over all outcomes would be near a kink or miss it.
 *
 * Kinks and jumps along the inner outcome are at the roots of lines: the argument of an absolute value, or the
 * difference of the arguments of a comparison or a maximum. If such an argument itself contains an absolute value or
 * the like, it becomes several lines, one for each of its straight functions. A line whose root turns out to be neither
 * kink nor jump divides a piece into two, which changes nothing. */

/* The most lines along the inner outcome, outer outcomes, and borders along a single outer outcome. */
enum { FCPS_CONDITIONAL_LINES = 16, FCPS_CONDITIONAL_OUTER = 2, FCPS_CONDITIONAL_BREAKS = 4 };

typedef struct fcps_conditional {
  int inner;          /* the index of the inner outcome's value; -1: there is no conditional form */
  fcps_formula lines; /* some of its steps are the lines */
  int lines_count, line_steps[FCPS_CONDITIONAL_LINES];

  /* the smallest width over which the expectation rounds a kink off, in scales of the outer outcomes; 0: the width
   * depends on the place */
  double width;

  /* the values of the only outer outcome at which the function has kinks or jumps whatever the inner one is */
  int breaks_count;
  double breaks[FCPS_CONDITIONAL_BREAKS];
} fcps_conditional;

/* The outcomes of the function: `count` indices of values, each with a typical value and a scale. */
typedef struct fcps_conditional_outcomes {
  int count;
  const int *indices;
  const double *typical, *scale;
} fcps_conditional_outcomes;

/* Finds a conditional form; `inner` is -1 if there is no such form. Returns false without memory. */
bool fcps_conditional_create(fcps_conditional *conditional, const fcps_formula *function, int values_count,
                             const fcps_conditional_outcomes *outcomes);
void fcps_conditional_destroy(fcps_conditional *conditional);

/* -- Sums -- */

typedef struct fcps_sum_branches fcps_sum_branches; /* sum_branches.c */

typedef struct fcps_sum_form {
  double *context;     /* target, then environment; NULL: the form is empty */
  fcps_formula whole;  /* the reward if there is an outcome; values have the indices of the reward's formula */
  fcps_formula absent; /* the reward of a trial without an outcome */
  fcps_formula terms;
  fcps_formula rest;                        /* has no steps if there is no rest */
  bool has_parameters, rest_has_parameters; /* whether the whole, and the rest, depend on parameters */
  bool is_kinked;                           /* the rest has kinks in its outcomes */
  bool has_steps;                           /* the whole jumps in its outcomes */
  int rest_count;                           /* the number of outcomes in the rest */
  int *rest_outcomes;                       /* the indices of these outcomes */
  fcps_conditional conditional;             /* the conditional form of the rest; see fcps_sum_form_look_along */
  bool *has_pieces;                         /* of each outcome: whether it has pieces */
  fcps_pieces *pieces;
  fcps_sum_branches *branches; /* of the whole; NULL if the whole has no jumps */
  bool is_concave; /* in the outcomes, up to their bounds: the form has no rest, and all pieces are concave */
} fcps_sum_form;

/* Splits the formula for a context. Returns false without memory; the form is then empty. */
bool fcps_sum_form_create(fcps_sum_form *form, const fcps_reward_formula *reward, const fcps_problem *problem,
                          const double *target, const double *environment);
void fcps_sum_form_destroy(fcps_sum_form *form);

/* Splits a formula in which the context is already replaced by numbers. */
bool fcps_sum_form_create_whole(fcps_sum_form *form, const fcps_reward_formula *reward, const fcps_problem *problem,
                                const fcps_formula *whole);

/* Allocates the branches of a formula (sum_branches.c). Returns false without memory. */
bool fcps_sum_branches_create(fcps_sum_branches **branches, const fcps_formula *whole,
                              const fcps_reward_formula *reward);
void fcps_sum_branches_destroy(fcps_sum_branches *branches);

/* Finds the conditional form of the rest for a typical outcome and the scales of outcomes. Returns false without
 * memory. */
bool fcps_sum_form_look_along(fcps_sum_form *form, const fcps_reward_formula *reward, const double *typical,
                              const double *scale);

/* Whether the form was made for this context. */
bool fcps_sum_form_is_of(const fcps_sum_form *form, const fcps_problem *problem, const double *target,
                         const double *environment);

#endif
