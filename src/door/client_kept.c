/* SPDX-License-Identifier: Apache-2.0 */
/* The copy knows the asks that the results belong to. They are told to the server alone: what was told to a copy would be lost with it. */
#include "door/client_kept.h"

#include "door/client_study.h"
#include "run/kept.h"
#include "study/beside.h"
#include "study/stand_in.h"
#include "wire/wire.h"

#include <stddef.h>

typedef struct served_study {
  const fcps_study *copy;
  fcps_client client;
} served_study;

fcps_status fcps_client_find_kept(fcps_study *copy, const char *url, fcps_error *error)
{
  const char *identity = fcps_study_identity(copy);
  return identity != NULL ? fcps_study_stand_in(copy, url, identity, error) : FCPS_OK;
}

static fcps_status take(void *user, const fcps_ask *kept, const fcps_result *result, fcps_error *error)
{
  const served_study *served = user;
  fcps_json *answer = NULL;
  fcps_status status = fcps_run_check_kept_of(served->copy, kept, error);
  if (status == FCPS_OK)
    status = fcps_client_post(&served->client, "tell",
                              fcps_wire_told_write(fcps_study_problem(served->copy), kept->id, result), &answer, error);
  fcps_json_destroy(answer);
  return status;
}

fcps_status fcps_client_tell_kept(fcps_study *copy, const char *url, const char *token,
                                  const fcps_run_patience *patience, int *stored, fcps_error *error)
{
  served_study served = {.copy = copy};
  const fcps_kept_taker taker = {take, &served};
  fcps_status status = fcps_client_open(&served.client, url, token, error);
  if (status == FCPS_OK) status = fcps_client_find_kept(copy, url, error);
  return status == FCPS_OK ? fcps_run_give_kept(copy, &taker, patience, stored, error) : status;
}

int fcps_client_count_kept(const fcps_study *study)
{
  return fcps_run_kept_count_apart(study);
}

fcps_status fcps_client_tell_kept_to(fcps_study *study, const fcps_run_patience *patience, int *stored,
                                     fcps_error *error)
{
  return fcps_run_tell_kept_apart(study, patience, stored, error);
}
