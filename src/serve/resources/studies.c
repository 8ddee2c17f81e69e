/* SPDX-License-Identifier: Apache-2.0 */
/* A study as a whole: its state, its problem, and making one. The only name from a request that reaches the file
 * system is that of a new study; it is a plain word, and the file is made, never replaced. */
#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "serve/names.h"
#include "serve/resources/resources.h"
#include "study/sequence.h"
#include "wire/made_from.h"
#include "wire/remarks.h"
#include "wire/status.h"
#include "wire/wire.h"

#include <fcps/run.h>
#include <fcps/study_lease.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- Looking -- */

fcps_status fcps_resource_problem(fcps_call *call, fcps_error *error)
{
  const char *name = fcps_study_name(call->study);
  (void)error;
  call->json = fcps_wire_problem_write(call->study, name != NULL ? name : call->name);
  const char *identity = fcps_study_identity(call->study);
  if (identity != NULL) fcps_json_put(&call->json, "identity", fcps_json_from_text(identity));
  return FCPS_OK;
}

fcps_status fcps_resource_status(fcps_call *call, fcps_error *error)
{
  fcps_wire_tally tally = {.rewards = NULL};
  fcps_policy *policy = NULL;
  fcps_outlook outlook = {0};
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX];
  char text[512];
  int leases = 0;
  fcps_call_find_suspects(call);
  fcps_status status = fcps_study_read_leases(call->study, &leases, NULL, error);
  call->is_passing = leases > 0; /* they end by themselves, without a record */
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

/* -- Making -- */

static fcps_status check_name(const char *name, fcps_error *error)
{
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  if (name != NULL && *name != '\0' && strlen(name) <= 64 && strspn(name, allowed) == strlen(name) && *name != '-')
    return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "name",
                        "the name of a study has 1 to 64 letters, digits, _ or -, and does not begin with -");
}

/* whether the study that is there was made from the same: then the request was repeated */
static bool is_made_already(const char *path, const fcps_study_setup *setup)
{
  fcps_study *there = NULL;
  const bool is_same = fcps_study_open(&there, path, NULL, NULL) == FCPS_OK && fcps_wire_is_made_from(there, setup);
  fcps_study_close(there);
  return is_same;
}

/* A problem that comes by request names no file: the server would read it for whoever sent it. What it says under `run` is data,
 * which no server runs. */
static fcps_status check_problem(const char *text, fcps_error *error)
{
  fcps_problem_file *file = NULL;
  fcps_status status = fcps_problem_file_parse(&file, text, strlen(text), "problem", NULL, error);
  if (status == FCPS_OK && file->contexts == FCPS_CONTEXT_CSV)
    status =
        fcps_error_at(error, FCPS_ERR_UNSUPPORTED, "problem", 0, 0, "contexts.csv",
                      "a problem that comes by request may not name a file; give contexts as boxes, or with each ask");
  fcps_problem_file_destroy(file);
  return status;
}

/* before anything is made: a study that no server can open beside the others is of no use to who made it */
static fcps_status check_room(fcps_call *call, const char *path, fcps_error *error)
{
  if (!fcps_names_is_full(call->names, path)) return FCPS_OK;
  call->status = 403;
  return fcps_error_set(
      error, FCPS_ERR_UNSUPPORTED, "name",
      "this server has %zu studies, as many as its limit of open files allows; nothing was made. Start "
      "it with a higher limit (ulimit -n, or LimitNOFILE= of a systemd unit), or another server for "
      "further studies",
      call->names->most);
}

static fcps_status make(fcps_call *call, const char *name, const fcps_study_setup *setup, fcps_error *error)
{
  char file[80], path[4096];
  fcps_study *study = NULL;
  bool is_repeated = false;
  const fcps_study_options options = {.log = call->log};
  snprintf(file, sizeof file, "%s.fcps", name);
  fcps_status status = fcps_file_join(call->folder, file, sizeof path, path, error);
  if (status == FCPS_OK && fcps_names_is_taken(call->names, path))
    status =
        fcps_error_set(error, FCPS_ERR_CONFLICT, "name",
                       "\"%s\" is the name of a study that is served from another folder; choose another name", name);
  if (status == FCPS_OK) status = check_room(call, path, error);
  if (status == FCPS_OK) status = fcps_study_create(&study, path, setup, &options, error);
  if (status == FCPS_ERR_STORE && (is_repeated = is_made_already(path, setup))) status = FCPS_OK;
  if (status == FCPS_ERR_STORE && access(path, F_OK) == 0) {
    call->status = 409;
    status = fcps_error_set(error, FCPS_ERR_STORE, "name",
                            "there is a study \"%s\" already, made from something else; choose another name", name);
  }
  fcps_study_close(study);
  if (status != FCPS_OK) return status;
  call->made = fcps_names_add(call->names, path) ? fcps_copy_text(path) : NULL;
  if (call->made == NULL) return fcps_error_memory(error);
  call->status = is_repeated ? 200 : 201;
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "study", fcps_json_from_text(name));
  fcps_json_put(&call->json, "repeated", fcps_json_from_bool(is_repeated));
  return FCPS_OK;
}

fcps_status fcps_resource_make(fcps_call *call, fcps_error *error)
{
  static const char *const keys[] = {"name", "problem", "learner", "settings", "seed", NULL};
  const char *name = NULL, *problem = NULL, *learner = NULL;
  fcps_setting *settings = NULL;
  int64_t seed = 1;
  fcps_status status = fcps_call_check_keys(call, keys, error);
  if (status == FCPS_OK && call->folder == NULL) {
    call->status = 403;
    status =
        fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "", "this server makes no studies; start it with --make FOLDER");
  }
  if (status == FCPS_OK) status = fcps_call_text(call, "name", &name, error);
  if (status == FCPS_OK) status = check_name(name, error);
  if (status == FCPS_OK) status = fcps_call_text(call, "problem", &problem, error);
  if (status == FCPS_OK && problem == NULL)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "problem", "give the text of a problem file under \"problem\"");
  if (status == FCPS_OK) status = check_problem(problem, error);
  if (status == FCPS_OK) status = fcps_call_text(call, "learner", &learner, error);
  if (status == FCPS_OK) status = fcps_call_integer(call, "seed", 0, INT64_MAX, &seed, error);
  if (status == FCPS_OK) status = fcps_call_settings(call, "settings", &settings, error);
  const fcps_study_setup setup = {
      .text = problem, .text_name = "problem", .learner = learner, .settings = settings, .seed = (uint64_t)seed};
  if (status == FCPS_OK) status = make(call, name, &setup, error);
  free(settings);
  return status;
}
