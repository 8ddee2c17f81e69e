/* SPDX-License-Identifier: Apache-2.0 */
/* What the kinds of classifier share: a GP over the inputs, whose prediction each kind reads as a probability. */
#ifndef FCPS_MODEL_FEASIBILITY_LABEL_CLASSIFIER_IMPL_H
#define FCPS_MODEL_FEASIBILITY_LABEL_CLASSIFIER_IMPL_H

#include "gp/query.h"
#include "model/feasibility/label_classifier.h"

/* Fewer labels, or all of one kind, say nothing about lengths. */
enum { FCPS_LABELS_LEAST_TO_FIT = 4 };

typedef struct fcps_label_ops {
  /* How alike the labels of two places are. */
  const fcps_kernel *(*kernel)(const fcps_labels *labels);

  /* Makes `outputs` from the labels of all rows of `gp`; without any, leaves them empty where the GP has no say. */
  fcps_status (*learn)(fcps_label_classifier *classifier, const fcps_labels *labels);

  /* The probability of a yes where the GP predicts this mean and variance; the derivatives by both. */
  double (*probability)(const fcps_label_classifier *classifier, double mean, double variance, double *by_mean,
                        double *by_variance);
} fcps_label_ops;

extern const fcps_label_ops fcps_label_probit;
extern const fcps_label_ops fcps_label_regression;

struct fcps_label_classifier {
  const fcps_label_ops *ops;
  const fcps_label_prior *prior; /* of the probit kind */
  fcps_gp *gp;
  fcps_gp_outputs outputs;
  fcps_gp_work work;
  double mean;   /* of the GP before any label */
  double rate;   /* the probability where the GP has no say */
  double weight; /* of the GP */
  double log_likelihood;
};

#endif
