/* SPDX-License-Identifier: Apache-2.0 */
/* Claims against results: what the paper says, what we measured, and the verdict that follows from the numbers. */
#ifndef FCPS_EXPERIMENT_JUDGE_H
#define FCPS_EXPERIMENT_JUDGE_H

#include "experiment/results.h"

typedef enum fcps_verdict {
  FCPS_VERDICT_BETTER,         /* more than two standard errors beyond the paper's number */
  FCPS_VERDICT_REPRODUCED,     /* within two; or an order or level that holds */
  FCPS_VERDICT_NOT_REPRODUCED, /* more than two short of it; or an order or level that does not hold */
  FCPS_VERDICT_NOT_JUDGED      /* too few runs or episodes to say */
} fcps_verdict;

const char *fcps_verdict_text(fcps_verdict verdict);

/* The verdict on a number of the paper's: `difference` is ours minus the paper's, more being better. */
fcps_verdict fcps_verdict_of_number(double difference, double se);

/* The verdict on a claim without one: `margin` is how much is to spare, negative where it fails. It is judged by the
 * means, as the paper judges it; the standard error is shown beside it. */
fcps_verdict fcps_verdict_of_margin(double margin);

/* A claim with its verdict. */
typedef struct fcps_judgement {
  char claim[256], paper[128], detail[512];
  double ours, se; /* se: of our number alone */
  fcps_verdict verdict;
} fcps_judgement;

/* Judges one claim. `a` and `b` are scratch for a number a seed. */
void fcps_judge(const fcps_experiment_results *results, const fcps_claim *claim, double *a, double *b,
                fcps_judgement *judgement);

#endif
