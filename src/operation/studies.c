/* SPDX-License-Identifier: Apache-2.0 */
/* A study as a whole: its state, its problem, and a copy of it as a file for commands that only read. */
#include "base/error.h"
#include "format/file.h"
#include "operation/functions.h"
#include "study/inside.h"
#include "wire/status.h"
#include "wire/wire.h"

#include <fcps/run.h>
#include <fcps/study_lease.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- Looking -- */

fcps_status fcps_operation_problem(fcps_call *call, fcps_error *error)
{
  const char *name = fcps_study_name(call->study);
  (void)error;
  call->json = fcps_wire_problem_write(call->study, name != NULL ? name : call->name);
  const char *identity = fcps_study_identity(call->study);
  if (identity != NULL) fcps_json_put(&call->json, "identity", fcps_json_from_text(identity));
  return FCPS_OK;
}

fcps_status fcps_operation_status(fcps_call *call, fcps_error *error)
{
  fcps_wire_tally tally = {.rewards = NULL};
  fcps_policy *policy = NULL;
  fcps_outlook outlook = {0};
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX];
  char text[512];
  int leases = 0;
  fcps_call_find_suspects(call);
  fcps_status status = fcps_study_read_leases(call->study, &leases, NULL, error);
  call->is_passing = leases > 0; /* leases end by themselves and leave no record */
  if (status == FCPS_OK) status = fcps_wire_tally_create(&tally, call->study, error);
  if (status == FCPS_OK && tally.reward_count > 0) status = fcps_call_policy(call, &policy, error);
  if (status == FCPS_OK && policy != NULL)
    status = fcps_study_outlook(call->study, policy, &outlook, target, environment, error);
  if (status == FCPS_OK) {
    call->json = fcps_wire_status_write(call->study, &tally, policy, &outlook, target, environment);
    fcps_json_put(&call->json, "study", fcps_json_from_text(call->name));
    fcps_json_put(&call->json, "seed", fcps_json_from_integer((int64_t)fcps_study_seed(call->study)));
    fcps_json_put(&call->json, "sequence", fcps_json_from_integer(fcps_study_sequence(call->study)));
    fcps_json *warnings = fcps_wire_remarks_write(call->study);
    if (warnings != NULL) fcps_json_put(&call->json, "warnings", warnings);
    const char *lacks = policy != NULL ? fcps_wire_policy_lacks(policy) : NULL;
    if (lacks != NULL)
      fcps_json_put(&call->json, "lacks", fcps_json_from_text(lacks));
    else if (policy != NULL && fcps_policy_predicts_reward(policy))
      fcps_json_put(&call->json, "going_on", fcps_json_from_text(fcps_wire_going_on_text(call->study, &outlook, text)));
    if (fcps_study_complain(call->study, sizeof text, text))
      fcps_json_put(&call->json, "complaint", fcps_json_from_text(text));
  }
  fcps_wire_tally_destroy(&tally);
  return status;
}

/* -- A copy, as a file: of one state of it, whatever store it is in -- */

enum { COPY_LIMIT = 1 << 30 };

/* Whether "DEVICE:NUMBER" is the study's own file. A copy written over it would lose the results that come meanwhile. */
static bool is_the_study(const char *path, const char *file)
{
  struct stat own;
  unsigned long long device = 0, number = 0;
  return file != NULL && sscanf(file, "%llu:%llu", &device, &number) == 2 && stat(path, &own) == 0 &&
         own.st_dev == device && own.st_ino == number;
}

fcps_status fcps_operation_file(fcps_call *call, fcps_error *error)
{
  char folder[] = "/tmp/fcps-serve-XXXXXX", path[64];
  const char *url = fcps_study_url(call->study);
  if (url == NULL) return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "this study has no file");
  if (is_the_study(url, fcps_call_text(call, "not")))
    return fcps_error_set(error, FCPS_ERR_CONFLICT, "",
                          "this is the very file that the server serves, not a copy of it; choose another name");
  if (mkdtemp(folder) == NULL) return fcps_error_set(error, FCPS_ERR_IO, "", "there is no folder for a copy in /tmp");
  snprintf(path, sizeof path, "%s/study.fcps", folder);
  fcps_status status = fcps_study_copy(url, path, NULL, error);
  if (status == FCPS_OK) status = fcps_file_read(path, COPY_LIMIT, &call->text, &call->length, error);
  unlink(path);
  rmdir(folder);
  call->type = "application/octet-stream";
  call->file_ending = ".fcps";
  return status;
}
