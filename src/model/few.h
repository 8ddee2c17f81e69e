/* SPDX-License-Identifier: Apache-2.0 */
/* How much wider deviations are while results are few: what is shown is widened, and limits are judged by it. */
#ifndef FCPS_MODEL_FEW_H
#define FCPS_MODEL_FEW_H

#include "problem/rollouts.h"

enum { FCPS_FEW_MANY = 20 };

typedef struct fcps_few {
  int count;
  double factor; /* 1: results are many, and nothing is widened */
} fcps_few;

/* With a number of results and of inputs. */
fcps_few fcps_few_of(int count, int inputs);

/* The deviation of a number, where `count` others, `stride` apart, were seen. */
double fcps_few_widen(const fcps_few *few, double predicted, int stride, const double *seen, double deviation);

/* The deviations of an outcome (NULL: it is 0). */
void fcps_few_widen_outcomes(const fcps_few *few, const fcps_rollouts *seen, const double *outcome, double *deviation);

#endif
