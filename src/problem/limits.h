/* SPDX-License-Identifier: Apache-2.0 */
/* Limits: what must not happen, as margins of an outcome in one context. A limit is kept where all its margins are not
 * negative. The largest of several numbers has a margin for each of them, and so has an absolute value for both sides: such
 * limits are exact where each margin is straight in the outcome. */
#ifndef FCPS_PROBLEM_LIMITS_H
#define FCPS_PROBLEM_LIMITS_H

#include "problem/feasible.h"
#include "problem/formula/formula.h"

#include <fcps/problem.h>

typedef struct fcps_problem_margin {
  fcps_formula formula; /* over targets, environment, parameters and outcome, in this order */
  int limit;
} fcps_problem_margin;

typedef struct fcps_problem_limits {
  const fcps_problem *problem; /* borrowed */
  int count;                   /* of margins */
  fcps_problem_margin *margins;
  size_t capacity;
  fcps_formula_input *inputs;
  double *work;
} fcps_problem_limits; /* belongs to one thread at a time */

/* Reads those of a problem. A mistake has the field "limits.NAME" and, in a formula, the column. */
fcps_status fcps_problem_limits_read(fcps_problem_limits *limits, const fcps_problem *problem, fcps_error *error);
void fcps_problem_limits_free(fcps_problem_limits *limits);

/* One trial, as it was or is expected. */
typedef struct fcps_problem_trial {
  const double *target, *environment, *parameters, *outcome, *deviation; /* NULL: 0 */
} fcps_problem_trial;

/* The margins of what happened, in values[count]; NaN where a formula has no value. */
void fcps_problem_limits_margins(fcps_problem_limits *limits, const fcps_problem_trial *trial, double *values);

/* The chance of each limit (may be NULL), and of all. */
double fcps_problem_limits_chances(fcps_problem_limits *limits, const fcps_problem_trial *trial, double *chances);

/* By how many deviations each limit and all of them are kept more surely than they are to be; negative: they are not kept
 * with their chances. `all`: that of all limits together; they are to be kept with the smallest of the chances. */
double fcps_problem_limits_slack(fcps_problem_limits *limits, const fcps_problem_trial *trial);

/* Whether an expected trial keeps the limits with their chance, and with what chance it keeps all. This judges what is shown. */
fcps_status fcps_problem_limits_judge(const fcps_problem *problem, const fcps_problem_trial *trial, double *chance,
                                      bool *is_kept, fcps_error *error);

/* Whether a trial broke one. */
bool fcps_problem_limits_broken(const fcps_problem *problem, const fcps_rollout *rollout);

/* -- As parts of a problem -- */

/* Gives a problem, whose other parts are copies, copies of the limits and safe trials of another; after a failure it is to be
 * freed. */
fcps_status fcps_problem_limits_copy(fcps_problem *problem, const fcps_problem *from);
void fcps_problem_limits_drop(fcps_problem *problem);

/* The next safe trial from number `first` on that is meant for a context and keeps its constraints; -1: there is none. */
int fcps_problem_next_safe(const fcps_problem *problem, fcps_feasible *set, int first, const double *target,
                           const double *environment);

/* Refuses limits that cannot be read and safe trials that cannot be done. */
fcps_status fcps_problem_limits_check(const fcps_problem *problem, fcps_error *error);

#endif
