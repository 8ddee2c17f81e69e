/* SPDX-License-Identifier: Apache-2.0 */
/* Published test functions as problems with contexts. Settings are chosen on one half; the others show whether the
 * choice is good. */
#ifndef FCPS_BENCH_LAB_PROBLEMS_H
#define FCPS_BENCH_LAB_PROBLEMS_H

typedef struct lab_problem {
  const char *name;
  char half;        /* 'a': for choosing settings, 'b' and 'c': for reports */
  const char *text; /* the problem file */

  /* Computes the outcome of a trial in an environment; `noise` is a standard normal, 0 in evaluations. */
  void (*run)(const double *environment, const double *parameters, double noise, double *outcome);
} lab_problem;

/* The lists of functions; each ends with a row without a name. */
extern const lab_problem lab_problems[], lab_more[];

#endif
