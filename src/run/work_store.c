/* SPDX-License-Identifier: Apache-2.0 */
/* A worker's study in a store: each call is one of the study's own. */
#include "run/work.h"

#include <stddef.h>

static fcps_status ask(void *self, const fcps_lease_request *request, bool is_observed, fcps_ask *asked,
                       fcps_error *error)
{
  (void)is_observed; /* the caller draws what it has not observed */
  return fcps_study_ask_leased(self, request, asked, error);
}

static fcps_status renew(void *self, const char *worker, const char *session, int lease_ms, fcps_error *error)
{
  return fcps_study_renew_leases(self, worker, session, lease_ms, NULL, error);
}

static fcps_status tell(void *self, const fcps_ask *asked, const fcps_result *result, const fcps_run_patience *patience,
                        fcps_stored_result *stored, fcps_error *error)
{
  const fcps_status status = fcps_run_tell(self, asked->id, result, patience, NULL, error);
  *stored = (fcps_stored_result){.ask = 0};
  if (status == FCPS_OK || status == FCPS_ERR_CONFLICT) (void)fcps_study_result_of(self, asked->id, stored);
  return status;
}

static fcps_status tell_kept(void *self, const fcps_run_patience *patience, fcps_error *error)
{
  return fcps_run_tell_kept(self, patience, NULL, error);
}

static int64_t count_asks(void *self)
{
  return fcps_study_ask_count(self);
}

static fcps_status wait_for_others(void *self, int wait_ms, bool *is_over, fcps_error *error)
{
  int count = 0;
  const fcps_status status = fcps_study_read_leases(self, &count, NULL, error);
  *is_over = status == FCPS_OK && count == 0;
  return status == FCPS_OK && !*is_over ? fcps_study_wait(self, wait_ms, error) : status;
}

static fcps_status look_ahead(void *self, fcps_outlook *outlook, fcps_error *error)
{
  fcps_policy *policy = NULL;
  fcps_status status = fcps_study_policy(self, &policy, error);
  if (status == FCPS_OK) status = fcps_study_outlook(self, policy, outlook, NULL, NULL, error);
  fcps_policy_destroy(policy);
  return status;
}

fcps_work_place fcps_work_place_store(fcps_study *study)
{
  return (fcps_work_place){.self = study,
                           .ask = ask,
                           .renew = renew,
                           .tell = tell,
                           .tell_kept = tell_kept,
                           .count_asks = count_asks,
                           .wait = wait_for_others,
                           .look_ahead = look_ahead};
}
