/* SPDX-License-Identifier: Apache-2.0 */
/* Leave-one-out predictions: what a model would have predicted for each of its rollouts without that rollout
 * (gp/leave_one_out.h). They show how far the model can be trusted, and which results surprise it.
 *
 * Hyper-parameters, the split in two and the noise of inexact inputs are kept as they were learnt from all rollouts. If
 * there are samples of the hyper-parameters, the prediction is their mixture.
 *
 * The leave-one-out errors widen the deviation that a user is shown for a trial (fcps_model_widening), noise included.
 * This happens after the parameters are chosen. The choice of parameters uses the GP's own deviation. */
#ifndef FCPS_MODEL_LEAVE_ONE_OUT_H
#define FCPS_MODEL_LEAVE_ONE_OUT_H

#include "model/model.h"

/* One row for each training rollout, in their order; one column for each output: the outcomes, or the reward in the
 * rollout's own context. All are in the problem's units. */
typedef struct fcps_model_left_out {
  int rows, outputs;
  double *told;      /* the value that the model learns from: outcomes are clipped to their bounds */
  double *mean;      /* prediction from the other rollouts; NaN if there are none on the rollout's side of a split */
  double *deviation; /* predicted deviation of the told value from the mean, noise included; NaN if the mean is NaN */
} fcps_model_left_out;

/* Predicts every training rollout from the others. The model must be up to date (fcps_model_refresh). */
fcps_status fcps_model_leave_one_out(const fcps_model *model, fcps_model_left_out *result, fcps_error *error);
void fcps_model_left_out_destroy(fcps_model_left_out *result);

/* Computes for each outcome the factor by which the deviations that a model predicts must be widened
 * (gp/leave_one_out.h), at least 1. All factors are 1 if the model has split or has samples of its hyper-parameters.
 * The model must be up to date and predict outcomes. */
fcps_status fcps_model_widening(const fcps_model *model, double *factors, fcps_error *error);

/* -- Few results --
 *
 * While results are few, a deviation is widened before it is shown, and before limits are judged by it. */

enum { FCPS_FEW_MANY = 20 };

typedef struct fcps_few {
  int count;
  double factor; /* 1 if there are many results: nothing is widened */
} fcps_few;

/* Returns the widening for `count` results and `inputs` inputs. */
fcps_few fcps_few_of(int count, int inputs);

/* Returns the widened deviation of a predicted number. `seen` has the values of the results so far, `stride` apart. */
double fcps_few_widen(const fcps_few *few, double predicted, int stride, const double *seen, double deviation);

/* Widens the deviations of a predicted outcome in place. If `outcome` is NULL, the prediction is 0. */
void fcps_few_widen_outcomes(const fcps_few *few, const fcps_rollouts *seen, const double *outcome, double *deviation);

#endif
