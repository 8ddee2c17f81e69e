/* SPDX-License-Identifier: Apache-2.0 */
/* What a model would have predicted for each of its rollouts, had it not seen that one (gp/leave_one_out.h): how much a
 * model can be believed, and which results surprise it.
 *
 * Hyper-parameters, the split in two and the noise of inexact inputs stay as all rollouts made them. If there are
 * samples of the hyper-parameters, the prediction is their mixture.
 *
 * A prediction is that of a trial: noise and these errors widen its deviation, after the parameters are chosen.
 * Asks and choices use the GP's own deviation. */
#ifndef FCPS_MODEL_LEAVE_ONE_OUT_H
#define FCPS_MODEL_LEAVE_ONE_OUT_H

#include "model/model.h"

/* A row for each training rollout, in their order; a column for each output: the outcomes, or the reward in the
 * rollout's own context. In the problem's units. */
typedef struct fcps_model_left_out {
  int rows, outputs;
  double *told;      /* as the model knows it: outcomes within their bounds */
  double *mean;      /* what the others say; NaN if there are no others that could, on the rollout's side of a split */
  double *deviation; /* of the told value around it, noise included; NaN with the mean */
} fcps_model_left_out;

/* Predicts every training rollout from the others. The model must be up to date (fcps_model_refresh). */
fcps_status fcps_model_leave_one_out(const fcps_model *model, fcps_model_left_out *result, fcps_error *error);
void fcps_model_left_out_destroy(fcps_model_left_out *result);

/* By how much the deviations that a model predicts for outcomes are too small (gp/leave_one_out.h), as one number: at
 * least 1. A split model or one with samples of its hyper-parameters is taken as it is. The model must be up to date and
 * predict outcomes. */
fcps_status fcps_model_widening(const fcps_model *model, double *widening, fcps_error *error);

/* -- Few results: how much wider deviations are while results are few. What is shown is widened, and limits are judged by it.
 * -- */

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
