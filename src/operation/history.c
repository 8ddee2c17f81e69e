/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what is stored: the results or events after a number, all results as a table, the learning curve, and the study
 * as a whole. */
#include "base/checksum.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "operation/call.h"
#include "study/inside.h"
#include "wire/wire.h"

#include <fcps/run.h>
#include <fcps/study_lease.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE_SIZE = 1000 };

/* Which rows a request wants. */
typedef struct row_range {
  int64_t after, limit, latest;
} row_range;

/* Reads which rows are wanted: those after a number, or the latest ones. */
static row_range read_range(const fcps_call *call)
{
  row_range range = {.after = fcps_call_integer(call, "after", 0), .latest = fcps_call_integer(call, "latest", 0)};
  range.limit = range.latest > 0 ? range.latest : fcps_call_integer(call, "limit", PAGE_SIZE);
  return range;
}

/* Returns the index of the first wanted row among `total` rows. */
static int first_of(const row_range *range, int total)
{
  return range->latest > 0 && range->latest < total ? total - (int)range->latest : 0;
}

/* Puts {"rollouts": [...], "last": 12, "more": false} into the answer. The client sends `last` as `after` in its next
 * request. */
static void put_list(fcps_call *call, const char *key, fcps_json *list, int64_t last, bool has_more)
{
  call->json = fcps_json_object();
  fcps_json_put(&call->json, key, list);
  fcps_json_put(&call->json, "last", fcps_json_from_integer(last));
  fcps_json_put(&call->json, "more", fcps_json_from_bool(has_more));
  fcps_json_put(&call->json, "sequence", fcps_json_from_integer(fcps_study_sequence(call->study)));
}

/* -- Whether what a client has is still true -- */

static uint64_t add_row(uint64_t digest, const fcps_stored_result *stored, bool is_left_out)
{
  const fcps_rollout *r = &stored->result.rollout;
  const unsigned char flags[] = {stored->is_used, stored->is_flagged, stored->is_misplaced, r->is_confirmed,
                                 is_left_out};
  digest = fcps_checksum_add(digest, &stored->sequence, sizeof stored->sequence);
  digest = fcps_checksum_add(digest, &r->reward, sizeof r->reward);
  return fcps_checksum_add(digest, flags, sizeof flags);
}

static void put_digest(fcps_json **object, const char *key, uint64_t digest)
{
  char text[17];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)digest);
  fcps_json_put(object, key, fcps_json_from_text(text));
}

/* Adds two checksums over everything that can change in stored results. `earlier` covers the results that the client
 * already has, `digest` all up to the last one of this answer. If `earlier` equals the `digest` of the previous answer,
 * no earlier result has changed, and the client only has to add the new rows. */
static void put_digests(fcps_call *call, int64_t after, int64_t last)
{
  const bool has_aims = fcps_wire_has_aims(call->study);
  uint64_t earlier = FCPS_CHECKSUM_START, digest = FCPS_CHECKSUM_START;
  for (int i = 0; i < fcps_study_result_count(call->study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(call->study, i, &stored);
    if (stored.sequence > last) break;
    digest = add_row(digest, &stored, has_aims && fcps_wire_is_aimless(call->study, &stored));
    if (stored.sequence <= after) earlier = digest;
  }
  put_digest(&call->json, "earlier", earlier);
  put_digest(&call->json, "digest", digest);
}

/* -- The journal -- */

static fcps_json *write_rollout(const fcps_study *study, const fcps_stored_result *stored)
{
  fcps_json *object = fcps_wire_stored_result_write(fcps_study_problem(study), stored);
  fcps_json_put(&object, "time_ms", fcps_json_from_integer(stored->time_ms));
  return object;
}

fcps_status fcps_operation_rollouts(fcps_call *call, fcps_error *error)
{
  const row_range range = read_range(call);
  (void)error;
  const int total = fcps_study_result_count(call->study);
  fcps_json *list = fcps_json_array();
  int64_t last = range.after;
  int count = 0;
  for (int i = first_of(&range, total); i < total && count <= range.limit; i++) {
    fcps_stored_result stored;
    fcps_study_result_at(call->study, i, &stored);
    if (stored.sequence <= range.after || ++count > range.limit) continue;
    fcps_json_add(&list, write_rollout(call->study, &stored));
    last = stored.sequence;
  }
  put_list(call, "rollouts", list, last, count > range.limit);
  put_digests(call, range.after, last);
  return FCPS_OK;
}

/* Lists the results that the model does not believe, and why. This is a separate operation, so that a page can show
 * results without waiting for the model. */
fcps_status fcps_operation_suspects(fcps_call *call, fcps_error *error)
{
  fcps_json *list = fcps_json_array();
  (void)error;
  fcps_call_find_suspects(call);
  for (int i = 0; i < fcps_study_result_count(call->study); i++) {
    char text[FCPS_SURPRISE_SIZE];
    fcps_stored_result stored;
    fcps_study_result_at(call->study, i, &stored);
    if (!stored.is_suspect) continue;
    fcps_study_surprise_text(call->study, &stored, text);
    fcps_json *object = fcps_json_object();
    fcps_json_put(&object, "result", fcps_json_from_integer(stored.sequence));
    fcps_wire_result_name_put(&object, &stored);
    fcps_json_put(&object, "surprise", fcps_json_from_text(text));
    fcps_json_add(&list, object);
  }
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "suspects", list);
  return FCPS_OK;
}

fcps_status fcps_operation_events(fcps_call *call, fcps_error *error)
{
  const row_range range = read_range(call);
  (void)error;
  fcps_json *list = fcps_json_array();
  const fcps_study_event *event;
  int64_t last = range.after;
  int count = 0, total = 0;
  while (range.latest > 0 && fcps_study_event_at(call->study, total) != NULL)
    total++;
  for (int i = first_of(&range, total); count <= range.limit && (event = fcps_study_event_at(call->study, i)) != NULL;
       i++) {
    if (event->sequence <= range.after || ++count > range.limit) continue;
    fcps_json_add(&list, fcps_wire_event_write(event));
    last = event->sequence;
  }
  put_list(call, "events", list, last, count > range.limit);
  return FCPS_OK;
}

fcps_status fcps_operation_table(fcps_call *call, fcps_error *error)
{
  size_t length = 0;
  FILE *stream = open_memstream(&call->text, &length);
  if (stream == NULL) return fcps_error_memory(error);
  fcps_call_find_suspects(call);
  fcps_wire_table_write(stream, call->study);
  const bool has_failed = ferror(stream) != 0;
  if (fclose(stream) != 0 || has_failed) return fcps_error_memory(error);
  call->type = "text/csv; charset=utf-8";
  call->file_ending = ".csv";
  return FCPS_OK;
}

/* Writes a point of the learning curve, for the last of `count` rewards. `recent` is a ring with the latest rewards. */
static fcps_json *write_point(const fcps_stored_result *stored, const double *recent, int count)
{
  const int length = count < FCPS_WIRE_RECENT ? count : FCPS_WIRE_RECENT;
  double mean = 0;
  for (int k = 0; k < length; k++)
    mean += recent[k] / length;
  fcps_json *point = fcps_json_object();
  fcps_json_put(&point, "result", fcps_json_from_integer(stored->sequence));
  fcps_json_put(&point, "reward", fcps_json_from_number(stored->result.rollout.reward));
  fcps_json_put(&point, "mean", fcps_json_from_number(mean));
  return point;
}

/* Answers with the learning curve: the reward of every result that counts, and the mean of the last ten rewards. */
fcps_status fcps_operation_curve(fcps_call *call, fcps_error *error)
{
  double recent[FCPS_WIRE_RECENT];
  int count = 0;
  const int64_t after = fcps_call_integer(call, "after", 0);
  const bool has_aims = fcps_wire_has_aims(call->study);
  int64_t last = 0;
  (void)error;
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < fcps_study_result_count(call->study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(call->study, i, &stored);
    last = stored.sequence;
    const double reward = stored.result.rollout.reward;
    if (!stored.is_used || stored.is_flagged || !isfinite(reward)) continue;
    if (has_aims && fcps_wire_is_aimless(call->study, &stored)) continue;
    recent[count++ % FCPS_WIRE_RECENT] = reward;
    if (stored.sequence > after) fcps_json_add(&list, write_point(&stored, recent, count));
  }
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "points", list);
  fcps_json_put(&call->json, "last", fcps_json_from_integer(last));
  put_digests(call, after, last);
  return FCPS_OK;
}

/* -- The study as a whole: its state, its problem, and a copy of it as a file for commands that only read -- */

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
  call->is_passing = leases > 0; /* Leases end by themselves, without a record in the study. */
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

/* Whether "DEVICE:NUMBER" is the study's own file. A copy written over this file would lose the results that are stored
 * meanwhile. */
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
