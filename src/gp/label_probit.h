/* SPDX-License-Identifier: Apache-2.0 */
/* The probability of a yes: a small model of yes/no labels over inputs in the unit cube. It is a function of its labels
 * alone: nothing of it needs to be saved. */
#ifndef FCPS_GP_LABEL_PROBIT_H
#define FCPS_GP_LABEL_PROBIT_H

#include "gp/tables.h"

#include <fcps/base.h>

typedef struct fcps_label_probit fcps_label_probit;

/* What is believed of labels before any: edges that are long, or patches as small as a post. */
typedef struct fcps_label_prior fcps_label_prior;
extern const fcps_label_prior fcps_label_prior_edges, fcps_label_prior_posts;

/* Rows of inputs and their labels; borrowed. */
typedef struct fcps_labels {
  int dim, count;       /* `count` may be 0 */
  const double *inputs; /* rows */
  const bool *answers;
  const fcps_tables *tables; /* of inputs that are words; NULL: all are numbers */
  double base;               /* the probability where nothing is known, in (0, 1) */
  const fcps_label_prior *prior;
} fcps_labels;

fcps_status fcps_label_probit_create(fcps_label_probit **classifier, const fcps_labels *labels);
void fcps_label_probit_destroy(fcps_label_probit *classifier);

/* Log likelihood of the labels: higher explains them better. */
double fcps_label_probit_log_likelihood(const fcps_label_probit *classifier);

/* Probabilities at `count` points (rows), in (0, 1), as a choice sees them that must go well `caution` times more:
 * p^(1 + caution). They never get so small that two points look alike. A caution of 0 gives the probabilities themselves,
 * one between -1 and 0 is curious. And the gradient at one point. */
void fcps_label_probit_predict(fcps_label_probit *classifier, double caution, int count, const double *points,
                               double *probability);
void fcps_label_probit_gradient(fcps_label_probit *classifier, double caution, const double *point, double *probability,
                                double *gradient);

#endif
