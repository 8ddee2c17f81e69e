/* SPDX-License-Identifier: Apache-2.0 */
/* The copy of a served study stands in for it: it knows where results wait, and the asks that they belong to. They are told to the server
 * alone: a file that is told to a copy would be lost with it. */
#include "cli/support/kept.h"

#include "cli/support/remote.h"
#include "run/kept.h"
#include "study/beside.h"
#include "study/stand_in.h"

#include <stddef.h>

typedef struct served_study {
  const fcps_study *copy;
  const char *url;
} served_study;

fcps_status cli_kept_find(fcps_study *study, const char *path, fcps_error *error)
{
  const char *identity = fcps_study_identity(study);
  if (!cli_remote_is(path) || identity == NULL) return FCPS_OK;
  return fcps_study_stand_in(study, path, identity, error);
}

static fcps_status take(void *user, const fcps_ask *kept, const fcps_result *result, fcps_error *error)
{
  const served_study *served = user;
  fcps_receipt receipt;
  const fcps_status status = fcps_run_check_kept_of(served->copy, kept, error);
  if (status != FCPS_OK) return status;
  return cli_remote_tell(served->url, fcps_study_problem(served->copy), kept->id, result, &receipt, error);
}

fcps_status cli_kept_tell(fcps_study *study, const char *path, const fcps_run_patience *patience, int *stored,
                          fcps_error *error)
{
  if (!cli_remote_is(path)) return fcps_run_tell_kept(study, patience, stored, error);
  served_study served = {study, path};
  const fcps_kept_taker taker = {take, &served};
  const fcps_status status = cli_kept_find(study, path, error);
  return status == FCPS_OK ? fcps_run_give_kept(study, &taker, patience, stored, error) : status;
}
