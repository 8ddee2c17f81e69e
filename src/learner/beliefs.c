/* SPDX-License-Identifier: Apache-2.0 */
/* Asking an algorithm what it believes, if it can be asked. */
#include "learner/beliefs.h"

#include "learner/learner_impl.h"

fcps_status fcps_learner_expect(fcps_learner *learner, const double *target, const double *environment,
                                const double *parameters, fcps_prediction *prediction, fcps_error *error)
{
  prediction->has_reward = prediction->has_outcome = false;
  if (learner->entry->ops->expect == NULL) return FCPS_OK;
  fcps_error why = {0};
  fcps_status status = fcps_callbacks_begin(&learner->callbacks, "learner", &why);
  if (status == FCPS_OK) {
    learner->callbacks.is_held = true; /* a policy, which has callbacks of its own, reads the learner */
    status = learner->entry->ops->expect(learner, target, environment, parameters, prediction, &why);
    learner->callbacks.is_held = false;
  }
  if (status == FCPS_OK) return FCPS_OK;
  prediction->has_reward = prediction->has_outcome = false;
  /* a model that cannot be used stops no ask, and no expectation does */
  if (status != FCPS_ERR_CALLBACK && status != FCPS_ERR_MEMORY) return FCPS_OK;
  if (error != NULL) *error = why;
  return status;
}

bool fcps_learner_can_doubt(const char *name)
{
  const fcps_learner_entry *entry = fcps_learner_entry_find(name, NULL);
  return entry != NULL && entry->ops->surprises != NULL;
}

const fcps_model *fcps_learner_model(const fcps_learner *learner)
{
  return learner->entry->ops->model != NULL ? learner->entry->ops->model(learner) : NULL;
}

fcps_status fcps_learner_find_surprises(fcps_learner *learner, fcps_surprises *found, fcps_error *error)
{
  if (learner->entry->ops->surprises == NULL) return FCPS_OK;
  const fcps_status status = fcps_callbacks_begin(&learner->callbacks, "learner", error);
  return status == FCPS_OK ? learner->entry->ops->surprises(learner, found, error) : status;
}
