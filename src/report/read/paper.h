/* SPDX-License-Identifier: Apache-2.0 */
/* The paper's numbers: the only place where they are written. */
#ifndef FCPS_REPORT_READ_PAPER_H
#define FCPS_REPORT_READ_PAPER_H

/* A row of the paper's Table I: mean and standard deviation of the cumulative reward over ten runs. */
enum { FCPS_PAPER_MARKS = 3 };
typedef struct fcps_paper_row {
  const char *task, *learner;
  double mean[FCPS_PAPER_MARKS], deviation[FCPS_PAPER_MARKS];
} fcps_paper_row;

/* After how many episodes the table is read: 50, 100, 150. */
extern const int fcps_paper_marks[FCPS_PAPER_MARKS];

/* The row of a task and learner; NULL where the paper has none. */
const fcps_paper_row *fcps_paper_find(const char *task, const char *learner);

#endif
