/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of the paper's Table I [pinsler2019], for the summary of `fcps run`. experiments/table1.yaml repeats them
 * as claims of an experiment; tests/lab/report/test_paper.c checks that the two agree. */
#ifndef FCPS_LAB_REPORT_PAPER_H
#define FCPS_LAB_REPORT_PAPER_H

/* A row of the paper's Table I: mean and standard deviation of the cumulative reward over ten runs. */
enum { FCPS_PAPER_MARKS = 3 };
typedef struct fcps_paper_row {
  const char *task, *learner;
  double mean[FCPS_PAPER_MARKS], deviation[FCPS_PAPER_MARKS];
} fcps_paper_row;

/* The numbers of episodes that the table's columns stand for: 50, 100, 150. */
extern const int fcps_paper_marks[FCPS_PAPER_MARKS];

/* The row of a task and a learner; NULL if the paper has no such row. */
const fcps_paper_row *fcps_paper_find(const char *task, const char *learner);

#endif
