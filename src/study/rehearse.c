/* SPDX-License-Identifier: Apache-2.0 */
/* Rehearses further trials of a study by its own model (insight/rehearsal.h). A learner without a suitable model is
 * replaced by one that learns the outcomes, or the reported rewards, from the same results. */
#include "base/error.h"
#include "insight/rehearsal.h"
#include "learner/learner.h"
#include "policy/policy_impl.h"
#include "study/inside.h"
#include "study/study_impl.h"

#include <stdlib.h>

/* Refuses a model with too few results: two more than inputs are needed. */
static fcps_status check_results(const fcps_model *model, fcps_error *error)
{
  const int least = model->problem->environment.count + model->problem->parameters.count + 2;
  if (model->training.count >= least) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "",
                        "a forecast needs %d results that the model can learn from, two more than there are dimensions "
                        "of environment and parameters; there are %d. "
                        "Tell more results first",
                        least, model->training.count);
}

/* Makes searches small, because a rehearsal makes thousands of choices and each may be a little worse than a real one.
 * An acquisition that is slow or needs no model is replaced by UCB. */
static void simplify(fcps_learner_habits *habits, fcps_acquisition_settings *settings)
{
  enum { CANDIDATES = 100, STARTS = 1 };
  const fcps_acquisition *a = habits->acquisition;
  fcps_search_settings *searches[] = {&settings->search, &habits->policy.search};
  *settings = *habits->settings;
  habits->settings = settings;
  for (int i = 0; i < 2; i++) {
    searches[i]->kind = FCPS_SEARCH_MULTISTART;
    if (searches[i]->candidates > CANDIDATES) searches[i]->candidates = CANDIDATES;
    searches[i]->starts = STARTS;
  }
  if (a->select == NULL || !a->needs_model || a->gain != NULL) habits->acquisition = &fcps_acquisition_ucb;
}

static fcps_status rehearse(const fcps_study *s, const fcps_policy *policy, const fcps_learner_habits *habits,
                            const fcps_study_rehearsal *wanted, double *rewards, fcps_error *error)
{
  fcps_rehearsal_plan plan = {.model = policy->ops->model(policy),
                              .habits = *habits,
                              .seed = s->seed,
                              .worlds = wanted->worlds,
                              .trials = wanted->trials,
                              .looks = wanted->looks,
                              .parallel = wanted->parallel,
                              .progress = wanted->progress,
                              .user = wanted->user};
  fcps_acquisition_settings settings;
  simplify(&plan.habits, &settings);
  const fcps_status status = check_results(plan.model, error);
  return status == FCPS_OK ? fcps_rehearsal_run(&plan, rewards, error) : status;
}

/* Rehearses with the model, policy and habits of a learner. *can: whether its model can be rehearsed; if not, nothing
 * is done. */
static fcps_status rehearse_learner(fcps_study *s, fcps_learner *learner, const fcps_study_rehearsal *wanted,
                                    double *rewards, bool *can, fcps_error *error)
{
  fcps_learner_habits habits;
  fcps_policy *policy = NULL;
  const fcps_model *model = fcps_learner_model(learner);
  *can =
      model != NULL && !fcps_model_kind_has_outputs_per_target(model->ops) && fcps_learner_habits_of(learner, &habits);
  if (!*can) return FCPS_OK;
  fcps_status status = fcps_learner_policy(learner, &policy);
  if (status != FCPS_OK && error != NULL) *error = *fcps_learner_error(learner);
  if (status == FCPS_OK) status = rehearse(s, policy, &habits, wanted, rewards, error);
  fcps_policy_destroy(policy);
  return status;
}

fcps_status fcps_study_rehearse(fcps_study *s, fcps_study_rehearsal *wanted, double *rewards, fcps_error *error)
{
  fcps_learner *stand_in = NULL;
  bool can = false;
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK) status = fcps_study_begin(s, false, error);
  if (status != FCPS_OK) return status;
  status = fcps_study_read_learner(s, error);
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK) status = fcps_study_catch_up(s, error);
  if (status != FCPS_OK) return status;
  wanted->learner = s->learner_name;
  const bool was_held = fcps_study_set_held(s, true);
  status = rehearse_learner(s, s->learner, wanted, rewards, &can, error);
  if (status == FCPS_OK && !can) {
    wanted->learner = s->problem.outcome.count > 0 && s->problem.reward != NULL ? "outcome" : "bo-cps";
    status = fcps_study_stand_in_learner(s, wanted->learner, &stand_in, error);
    if (status == FCPS_OK) status = rehearse_learner(s, stand_in, wanted, rewards, &can, error);
    fcps_learner_destroy(stand_in);
  }
  fcps_study_set_held(s, was_held);
  return status;
}
