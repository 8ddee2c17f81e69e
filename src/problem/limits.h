/* SPDX-License-Identifier: Apache-2.0 */
/* Limits say what must not happen. Here they are margins of an outcome in one context. A limit is kept if none of its
 * margins is negative. The largest of several numbers has one margin for each of them, and an absolute value one for
 * each side: such limits are exact if each margin is linear in the outcome. */
#ifndef FCPS_PROBLEM_LIMITS_H
#define FCPS_PROBLEM_LIMITS_H

#include "problem/feasible.h"
#include "problem/formula/formula.h"

#include <fcps/problem.h>

typedef struct fcps_problem_margin {
  fcps_formula formula; /* the formula, over targets, environment, parameters and outcome, in this order */
  int limit;
} fcps_problem_margin;

typedef struct fcps_problem_limits {
  const fcps_problem *problem; /* borrowed */
  int count;                   /* the number of margins */
  fcps_problem_margin *margins;
  size_t capacity;
  fcps_formula_input *inputs;
  double *work;
} fcps_problem_limits; /* belongs to one thread at a time */

/* Reads the limits of a problem. An error has the field "limits.NAME"; for a formula its message says the column. */
fcps_status fcps_problem_limits_read(fcps_problem_limits *limits, const fcps_problem *problem, fcps_error *error);
void fcps_problem_limits_free(fcps_problem_limits *limits);

/* One trial, as it was told or as it is expected. */
typedef struct fcps_problem_trial {
  const double *target, *environment, *parameters, *outcome, *deviation; /* `deviation` NULL: the outcome is exact */
} fcps_problem_trial;

/* Computes the margins of a trial into values[count]; NaN if a formula has no value. */
void fcps_problem_limits_margins(fcps_problem_limits *limits, const fcps_problem_trial *trial, double *values);

/* Computes the chance to keep each limit (`chances` may be NULL), and returns the chance to keep all of them. */
double fcps_problem_limits_chances(fcps_problem_limits *limits, const fcps_problem_trial *trial, double *chances);

/* By how many deviations each limit is kept more surely than it must be; negative if its chance is too small. Returns
 * the same for all limits together, whose common chance must reach the smallest of their chances. */
double fcps_problem_limits_slack(fcps_problem_limits *limits, const fcps_problem_trial *trial);

/* Judges an expected trial: whether it keeps the limits with their chances, and the chance that it keeps all. Users see
 * the same chance. */
fcps_status fcps_problem_limits_judge(const fcps_problem *problem, const fcps_problem_trial *trial, double *chance,
                                      bool *is_kept, fcps_error *error);

/* Whether a trial broke a limit. */
bool fcps_problem_limits_broken(const fcps_problem *problem, const fcps_rollout *rollout);

/* -- As parts of a problem -- */

/* Copies the limits and safe trials of another problem into `problem`, whose other parts are copies already. After a
 * failure the caller frees the problem. */
fcps_status fcps_problem_limits_copy(fcps_problem *problem, const fcps_problem *from);
void fcps_problem_limits_drop(fcps_problem *problem);

/* The next safe trial, from index `first` on, that is meant for this context and keeps its constraints; -1: there is no
 * other. */
int fcps_problem_next_safe(const fcps_problem *problem, fcps_feasible *set, int first, const double *target,
                           const double *environment);

/* Whether there are limits and safe trials, but no safe trial with this word of a parameter. Finds the first such word:
 * its dimension and its value; false if there is none. */
bool fcps_problem_is_unsafe_word(const fcps_problem *problem, int dimension, double word);
bool fcps_problem_find_unsafe_word(const fcps_problem *problem, int *dimension, double *word);

/* Refuses limits that cannot be read and safe trials that cannot be done. */
fcps_status fcps_problem_limits_check(const fcps_problem *problem, fcps_error *error);

#endif
