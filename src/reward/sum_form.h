/* SPDX-License-Identifier: Apache-2.0 */
/* A reward formula in one context, taken apart:
 *
 *   R = terms(parameters) + sum over some outcomes of h_j(o_j) + rest(the other outcomes, parameters)
 *
 * Each h_j consists of straight pieces (pieces.h) in an outcome that is clipped to its bounds. Outcomes are
 * independent, so means and variances of the parts add up. The h_j have closed forms; only the rest needs nodes, in
 * fewer dimensions.
 *
 * With a quadrature of |o - t| the mean has a kink at every node, and searches end at kinks; the closed form is smooth.
 * Most rests are straight in one outcome if the others are fixed. They are integrated exactly over that outcome
 * (conditional.c). Ten nodes over another outcome are then enough, because the integration rounds off the kinks
 * (sum_conditional.c). Pieces are kept apart from conditional forms, and sums have their own curvature and screening,
 * because without each of these 1,000 targets take 2, 4 to 6 and 1.4 to 4 times as long (bench_formula, 60 results). If
 * a formula jumps, each context is searched alone: the mean has more local maxima than searches side by side have
 * starts. */
#ifndef FCPS_REWARD_SUM_FORM_H
#define FCPS_REWARD_SUM_FORM_H

#include "problem/reward.h"
#include "reward/pieces.h"

/* -- Conditional forms (conditional.c) -- */

/* A function of few outcomes has a conditional form if, for all values of the outer outcomes, it consists of straight
 * pieces in one outcome, the inner one. Examples are -max(|a - 3|, |b - 4|), |a b - 5| and `a > b ? 1 : -|b|`. For
 * given outer outcomes its expectation over the inner one is exact, with all kinks and jumps. As a function of the
 * outer outcomes this expectation is smooth, because integration rounds off the kinks. So a rule with few nodes over
 * the outer outcomes is enough. Nodes over all outcomes would be near a kink or miss it.
 *
 * Kinks and jumps along the inner outcome are at the roots of lines. A line is the argument of an absolute value, or
 * the difference of the arguments of a comparison or a maximum. If such an argument itself contains an absolute value
 * or the like, it becomes several lines, one for each of its straight functions. If the root of a line proves to be
 * neither a kink nor a jump, it divides a piece into two, which changes nothing. */

/* The most lines along the inner outcome, the most outer outcomes, and the most borders along a single outer
 * outcome. */
enum { FCPS_CONDITIONAL_LINES = 16, FCPS_CONDITIONAL_OUTER = 2, FCPS_CONDITIONAL_BREAKS = 4 };

typedef struct fcps_conditional {
  int inner;          /* the index of the inner outcome's value; -1: there is no conditional form */
  fcps_formula lines; /* a formula; some of its steps are the lines */
  int lines_count, line_steps[FCPS_CONDITIONAL_LINES];

  /* the smallest width, in scales of the outer outcomes, over which the expectation rounds a kink off; 0: the width
   * depends on the place */
  double width;

  /* the values of the only outer outcome at which the function has kinks or jumps for every inner outcome */
  int breaks_count;
  double breaks[FCPS_CONDITIONAL_BREAKS];
} fcps_conditional;

/* The outcomes of the function: `count` indices of values, each with a typical value and a scale. */
typedef struct fcps_conditional_outcomes {
  int count;
  const int *indices;
  const double *typical, *scale;
} fcps_conditional_outcomes;

/* Finds a conditional form; `inner` is -1 if there is none. Returns false if there is no memory. */
bool fcps_conditional_create(fcps_conditional *conditional, const fcps_formula *function, int values_count,
                             const fcps_conditional_outcomes *outcomes);
void fcps_conditional_destroy(fcps_conditional *conditional);

/* -- Sums -- */

typedef struct fcps_sum_branches fcps_sum_branches; /* sum_branches.c */

typedef struct fcps_sum_form {
  double *context; /* target, then environment; NULL: the form is empty */
  /* the reward of a trial with an outcome; its values have the same indices as in the reward's formula */
  fcps_formula whole;
  fcps_formula absent; /* the reward of a trial without an outcome */
  fcps_formula terms;
  fcps_formula rest;                        /* without steps if there is no rest */
  bool has_parameters, rest_has_parameters; /* whether the whole, and the rest, depend on parameters */
  bool is_kinked;                           /* whether the rest has kinks in its outcomes */
  bool has_steps;                           /* whether the whole jumps in its outcomes */
  int rest_count;                           /* the number of outcomes in the rest */
  int *rest_outcomes;                       /* the indices of these outcomes */
  fcps_conditional conditional;             /* the conditional form of the rest; see fcps_sum_form_look_along */
  bool *has_pieces;                         /* per outcome: whether it has pieces */
  fcps_pieces *pieces;
  fcps_sum_branches *branches; /* the branches of the whole; NULL if it has no jumps */
  /* whether the reward is concave in the outcomes, up to their bounds: it has no rest, and all pieces are concave */
  bool is_concave;
} fcps_sum_form;

/* Splits the formula for a context. Returns false if there is no memory; the form is then empty. */
bool fcps_sum_form_create(fcps_sum_form *form, const fcps_reward_formula *reward, const fcps_problem *problem,
                          const double *target, const double *environment);
void fcps_sum_form_destroy(fcps_sum_form *form);

/* Splits a formula in which numbers already replace the context. Returns false if there is no memory. */
bool fcps_sum_form_create_whole(fcps_sum_form *form, const fcps_reward_formula *reward, const fcps_problem *problem,
                                const fcps_formula *whole);

/* Allocates the branches of a formula (sum_branches.c). Returns false if there is no memory. */
bool fcps_sum_branches_create(fcps_sum_branches **branches, const fcps_formula *whole,
                              const fcps_reward_formula *reward);
void fcps_sum_branches_destroy(fcps_sum_branches *branches);

/* Finds the conditional form of the rest, given a typical value and a scale of each outcome. Returns false if there is
 * no memory. */
bool fcps_sum_form_look_along(fcps_sum_form *form, const fcps_reward_formula *reward, const double *typical,
                              const double *scale);

/* Whether the form was made for this context. */
bool fcps_sum_form_is_of(const fcps_sum_form *form, const fcps_problem *problem, const double *target,
                         const double *environment);

#endif
