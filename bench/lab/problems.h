/* SPDX-License-Identifier: Apache-2.0 */
/* Published test functions as problems with contexts: settings are chosen on one half; the others say whether the choice
 * holds. */
#ifndef FCPS_BENCH_LAB_PROBLEMS_H
#define FCPS_BENCH_LAB_PROBLEMS_H

typedef struct lab_problem {
  const char *name;
  char half;        /* 'a': to choose on, 'b' and 'c': to report on */
  const char *text; /* what a user would write */

  /* The outcome of a trial in an environment, without noise; `noise` is a standard normal, 0 in evaluations. */
  void (*run)(const double *environment, const double *parameters, double noise, double *outcome);
} lab_problem;

/* Both end with a row without a name. */
extern const lab_problem lab_problems[], lab_more[];

#endif
