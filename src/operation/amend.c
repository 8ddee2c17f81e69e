/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of the problem and of the learner. A change that is already there is not made again, so that a repeated
 * request adds nothing to the history. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "operation/functions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A reward under which no stored result has a finite one is a mistake, unless the client insists. */
static fcps_status amend_reward(fcps_call *call, const char *reward, bool is_forced, fcps_error *error)
{
  const fcps_problem_file *file = fcps_study_file(call->study);
  const fcps_setting change = {"reward", reward};
  fcps_study_counts counts;
  char why[256];
  if (file != NULL && file->reward != NULL && strcmp(file->reward, reward) == 0) return FCPS_OK;
  const fcps_status status = fcps_study_preview(call->study, &change, &counts, why, error);
  if (status != FCPS_OK) return status;
  const int scored = counts.results - counts.failed;
  if (scored > 0 && counts.rewards_not_finite == scored && !is_forced)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "reward",
                          "none of the %d stored results that did not fail would have a finite reward: %s. Nothing is "
                          "changed; to change it all the same, add \"force\": true",
                          scored, why);
  return fcps_study_amend(call->study, "reward", reward, error);
}

/* {"speed": [0.1, 6]} */
static fcps_status amend_bounds(fcps_call *call, const fcps_json *bounds, fcps_error *error)
{
  const char *name = fcps_json_key(bounds, 0);
  double values[2];
  char what[FCPS_NAME_MAX + 16], value[2 * FCPS_NUMBER_SIZE + 2], lower[FCPS_NUMBER_SIZE], upper[FCPS_NUMBER_SIZE];
  if (!fcps_json_is_object(bounds) || fcps_json_count(bounds) != 1 || name == NULL || strlen(name) > FCPS_NAME_MAX ||
      !fcps_json_numbers(fcps_json_get(bounds, name), 2, values))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "bounds", "give the bounds of one dimension: {\"speed\": [0.1, 6]}");
  snprintf(what, sizeof what, "bounds.%s", name);
  snprintf(value, sizeof value, "%s,%s", fcps_number_write(values[0], lower), fcps_number_write(values[1], upper));
  return fcps_study_amend(call->study, what, value, error);
}

static fcps_status amend_learner(fcps_call *call, const char *learner, fcps_error *error)
{
  fcps_setting *settings = NULL;
  fcps_status status = fcps_call_settings(call, "settings", &settings, error);
  if (status == FCPS_OK) status = fcps_study_amend_learner(call->study, learner, settings, error);
  free(settings);
  return status;
}

fcps_status fcps_operation_amend(fcps_call *call, fcps_error *error)
{
  const char *reward = fcps_call_text(call, "reward"), *learner = fcps_call_text(call, "learner");
  const fcps_json *bounds = fcps_call_get(call, "bounds"), *settings = fcps_call_get(call, "settings");
  const bool is_forced = fcps_call_bool(call, "force");
  fcps_status status = FCPS_OK;
  if ((reward != NULL) + (bounds != NULL) + (learner != NULL || settings != NULL) != 1)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "",
                            "give one change: \"reward\", \"bounds\", or \"learner\" with its \"settings\"");
  if (status == FCPS_OK) status = fcps_study_refresh(call->study, error);
  if (status != FCPS_OK) return status;
  if (reward != NULL)
    status = amend_reward(call, reward, is_forced, error);
  else if (bounds != NULL)
    status = amend_bounds(call, bounds, error);
  else
    status = amend_learner(call, learner, error);
  if (status != FCPS_OK) return status;
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "amended", fcps_json_from_bool(true));
  return FCPS_OK;
}
