/* SPDX-License-Identifier: Apache-2.0 */
/* What a user should know: about the model after a fit, steps that were taken to keep it going; about a decision, draws that could not be used. */
#include "learner/bo/bo.h"

#include "base/error.h"
#include "gp/fit.h"

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
