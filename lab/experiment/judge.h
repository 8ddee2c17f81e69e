/* SPDX-License-Identifier: Apache-2.0 */
/* Judging claims: the paper's number, our number, and the verdict that follows from them. */
#ifndef FCPS_LAB_EXPERIMENT_JUDGE_H
#define FCPS_LAB_EXPERIMENT_JUDGE_H

#include "lab/experiment/results.h"

#include <stdbool.h>

typedef enum fcps_verdict {
  FCPS_VERDICT_BETTER, /* our number is more than two standard errors better than the paper's */
  /* our number is within two standard errors of the paper's; or the order or level holds by two or more */
  FCPS_VERDICT_REPRODUCED,
  FCPS_VERDICT_UNDECIDED, /* an order, a difference or a level whose opposite our runs do not exclude */
  /* our number is more than two standard errors worse than the paper's; or the opposite of the order or level holds */
  FCPS_VERDICT_NOT_REPRODUCED,
  FCPS_VERDICT_MET, /* MET and NOT_MET: the verdicts on claims of ours */
  FCPS_VERDICT_NOT_MET,
  FCPS_VERDICT_NOT_JUDGED /* a quick run, or too few runs or episodes */
} fcps_verdict;

const char *fcps_verdict_text(fcps_verdict verdict);

/* The verdict on a number of the paper. `difference` is ours minus the paper's; more is better. */
fcps_verdict fcps_verdict_of_number(double difference, double se);

/* The verdict on a gap that should be positive: undecided within two standard errors of zero. */
fcps_verdict fcps_verdict_of_gap(double gap, double se, bool is_ours);

/* The verdict on a level that we set ourselves: the mean reaches it (`margin` is not negative) or not. */
fcps_verdict fcps_verdict_of_own_level(double margin);

/* A claim with its verdict. */
typedef struct fcps_judgement {
  char claim[256], paper[128], detail[512];
  double ours, se; /* se: the standard error of our number */
  fcps_verdict verdict;
} fcps_judgement;

/* Judges one claim. `a` and `b` are scratch for one number per seed. */
void fcps_judge(const fcps_experiment_results *results, const fcps_claim *claim, double *a, double *b,
                fcps_judgement *judgement);

#endif
