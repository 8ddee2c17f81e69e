/* SPDX-License-Identifier: Apache-2.0 */
/* What a user should know: about the model after a fit, steps that were taken to keep it going and outcomes that it
 * cannot see; about a decision, draws that could not be used. */
#include "learner/bo/bo.h"

#include "base/error.h"
#include "gp/fit.h"

#include <math.h>

/* With one scale for all outcomes the noise that a GP always allows for is a thousandth of it: what varies a hundred
 * times less than another outcome is mostly lost. */
static const double most_different = 100.0;

/* Standard deviation of one outcome over the training data; 0 where it does not vary. */
static double deviation_of(const fcps_rollouts *training, int outcome)
{
  double mean = 0.0, squares = 0.0;
  for (int i = 0; i < training->count; i++)
    mean += fcps_rollouts_outcome(training, i)[outcome] / training->count;
  for (int i = 0; i < training->count; i++)
    squares += pow(fcps_rollouts_outcome(training, i)[outcome] - mean, 2.0);
  return squares > 0.0 ? sqrt(squares / training->count) : 0.0;
}

static void warn_of_scales(const fcps_learner *learner, const fcps_model *model)
{
  const fcps_space *outcome = &learner->problem.outcome;
  int large = 0, small = -1;
  double largest = 0.0, smallest = INFINITY;
  for (int o = 0; o < outcome->count; o++) {
    const double deviation = deviation_of(&model->training, o);
    if (deviation > largest) largest = deviation, large = o;
    if (deviation > 0.0 && deviation < smallest) smallest = deviation, small = o;
  }
  if (small < 0 || !(largest > most_different * smallest)) return;
  fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_OUTCOME_SCALES",
               "outcome %s varies %.0f times less than %s and is lost beside it: use separate=on, or other units",
               outcome->dims[small].name, largest / smallest, outcome->dims[large].name);
}

void fcps_bo_warn(const fcps_learner *learner, fcps_fit_result result)
{
  const fcps_bo *b = learner->state;
  const fcps_model *model = b->model;
  const double jitter = fcps_model_jitter(model);
  if (result == FCPS_FIT_KEPT)
    fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_GP_FIT_KEPT",
                 "no start of the fit gave a finite likelihood; the last hyper-parameters stay");
  if (result == FCPS_FIT_DEFAULT)
    fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_GP_DEFAULTS",
                 "the fitted hyper-parameters could not be used; the prior's are");
  if (model->training.count > FCPS_FIT_ROWS)
    fcps_log_say(&learner->log, FCPS_LOG_INFO, "I_GP_SUBSET",
                 "hyper-parameters were fitted to %d of %d rows; predictions use them all", FCPS_FIT_ROWS,
                 model->training.count);
  if (jitter > 0)
    fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_GP_JITTER",
                 "kernel matrix not positive definite; added %.2g to its diagonal", jitter);
  if (fcps_model_kind_predicts_outcomes(model->ops) && model->settings.norm.scaling == FCPS_SCALING_SHARED)
    warn_of_scales(learner, model);
}

void fcps_bo_warn_of_decision(const fcps_learner *learner, const fcps_decision_report *report)
{
  if (report->left_out > 0)
    fcps_log_say(&learner->log, FCPS_LOG_WARNING, "W_PES_LEFT_OUT",
                 "expectation propagation did not converge for %d of %d draws of the maximum; %s", report->left_out,
                 report->draws,
                 report->left_out < report->draws ? "they are left out"
                                                  : "this trial is chosen with the condition on itself alone");
}
