/* SPDX-License-Identifier: Apache-2.0 */
/* The probability of a yes: a small model of yes/no labels over inputs in the unit cube. It depends only on its labels,
 * so it need not be saved. */
#ifndef FCPS_GP_LABEL_PROBIT_H
#define FCPS_GP_LABEL_PROBIT_H

#include "gp/kernels/kernel.h"

#include <fcps/base.h>

typedef struct fcps_label_probit fcps_label_probit;

/* The belief about labels before any label is known. With `edges`, regions of equal labels have long borders; with
 * `posts`, they are small patches. */
typedef struct fcps_label_prior fcps_label_prior;
extern const fcps_label_prior fcps_label_prior_edges, fcps_label_prior_posts;

/* Rows of inputs and their labels; the arrays are borrowed. */
typedef struct fcps_labels {
  int dim, count;       /* `count` may be 0 */
  const double *inputs; /* rows */
  const bool *answers;
  const fcps_tables *tables; /* distances between words; NULL: all inputs are numbers */
  double base;               /* the probability far from all labels, in (0, 1) */
  const fcps_label_prior *prior;
} fcps_labels;

fcps_status fcps_label_probit_create(fcps_label_probit **classifier, const fcps_labels *labels);
void fcps_label_probit_destroy(fcps_label_probit *classifier);

/* The log likelihood of the labels. A higher one means that the model explains them better. */
double fcps_label_probit_log_likelihood(const fcps_label_probit *classifier);

/* Computes probabilities, in (0, 1), at `count` points (rows), raised to the power 1 + caution: p^(1 + caution). With
 * caution c, a choice values a yes as if c more trials had to succeed too. Probabilities never get so small that two
 * points look alike. A caution of 0 gives the probabilities themselves; a caution between -1 and 0 prefers uncertain
 * points. fcps_label_probit_gradient also gives the gradient, at one point. */
void fcps_label_probit_predict(fcps_label_probit *classifier, double caution, int count, const double *points,
                               double *probability);
void fcps_label_probit_gradient(fcps_label_probit *classifier, double caution, const double *point, double *probability,
                                double *gradient);

#endif
