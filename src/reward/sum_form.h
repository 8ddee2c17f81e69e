/* SPDX-License-Identifier: Apache-2.0 */
/* A reward formula in one context, taken apart:
 *
 *   R = terms(parameters) + sum over some outcomes of h_j(o_j) + rest(the other outcomes, parameters)
 *
 * where each h_j is made of straight pieces (pieces.h), of the outcome clipped to its bounds. Outcomes are independent,
 * so means and variances of the parts add up: the h_j have closed forms, and only the rest needs nodes, in fewer
 * dimensions. */
#ifndef FCPS_REWARD_SUM_FORM_H
#define FCPS_REWARD_SUM_FORM_H

#include "problem/reward.h"
#include "reward/conditional.h"
#include "reward/pieces.h"

typedef struct fcps_sum_form {
  double *context;     /* target, then environment; NULL: the form is empty */
  fcps_formula whole;  /* the reward where there is an outcome; values have the indices of the reward's formula */
  fcps_formula absent; /* and where there is none */
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
