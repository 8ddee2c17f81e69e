/* SPDX-License-Identifier: Apache-2.0 */
/* The probability of a yes: a small model of yes/no labels over inputs in the unit cube. It is a function of its labels
 * alone: nothing of it needs to be saved. */
#ifndef FCPS_MODEL_FEASIBILITY_LABEL_CLASSIFIER_H
#define FCPS_MODEL_FEASIBILITY_LABEL_CLASSIFIER_H

#include <fcps/base.h>

typedef struct fcps_label_classifier fcps_label_classifier;

/* How labels are believed; the names are those of settings and files, NULL past the end. */
typedef enum fcps_label_kind { FCPS_LABELS_PROBIT, FCPS_LABELS_REGRESSION } fcps_label_kind;
const char *fcps_label_kind_name(int index);

/* What is believed of labels before any (probit): edges that are long, or patches as small as a post. */
typedef struct fcps_label_prior fcps_label_prior;
extern const fcps_label_prior fcps_label_prior_edges, fcps_label_prior_posts;

/* Rows of inputs and their labels; borrowed. */
typedef struct fcps_labels {
  int dim, count;       /* `count` may be 0 */
  const double *inputs; /* rows */
  const bool *answers;
  double base; /* the probability where nothing is known, in (0, 1) */
  const fcps_label_prior *prior;
} fcps_labels;

fcps_status fcps_label_classifier_create(fcps_label_classifier **classifier, fcps_label_kind kind,
                                         const fcps_labels *labels);
void fcps_label_classifier_destroy(fcps_label_classifier *classifier);

/* Log likelihood of the labels: higher explains them better. */
double fcps_label_classifier_log_likelihood(const fcps_label_classifier *classifier);

/* Probabilities at `count` points (rows), in (0, 1); the gradient at one. */
void fcps_label_classifier_predict(fcps_label_classifier *classifier, int count, const double *points,
                                   double *probability);
void fcps_label_classifier_gradient(fcps_label_classifier *classifier, const double *point, double *probability,
                                    double *gradient);

/* The same as a choice sees it that must go well `caution` times more: p^(1 + caution). It never gets so small that two
 * points look alike. A caution of 0 gives the probabilities themselves, one between -1 and 0 is curious. */
void fcps_label_classifier_predict_cautious(fcps_label_classifier *classifier, double caution, int count,
                                            const double *points, double *probability);
void fcps_label_classifier_gradient_cautious(fcps_label_classifier *classifier, double caution, const double *point,
                                             double *probability, double *gradient);

#endif
