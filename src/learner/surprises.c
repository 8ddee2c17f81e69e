/* SPDX-License-Identifier: Apache-2.0 */
/* Asking an algorithm what it does not believe, where it can be asked. */
#include "learner/surprises.h"

#include "learner/learner_impl.h"

bool fcps_learner_can_doubt(const char *name)
{
  const fcps_learner_entry *entry = fcps_learner_entry_find(name, NULL);
  return entry != NULL && entry->ops->surprises != NULL;
}

fcps_status fcps_learner_find_surprises(fcps_learner *learner, bool is_brief, fcps_surprises *found, fcps_error *error)
{
  if (learner->entry->ops->surprises == NULL) return FCPS_OK;
  const fcps_status status = fcps_callbacks_begin(&learner->callbacks, "learner", error);
  return status == FCPS_OK ? learner->entry->ops->surprises(learner, is_brief, found, error) : status;
}
