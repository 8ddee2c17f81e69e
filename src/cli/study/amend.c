/* SPDX-License-Identifier: Apache-2.0 */
/* What `fcps study amend` has beside its row: which results count. They are named as people name them, so that the study is
 * read; each change is an operation of its own. Nothing that was stored is ever removed. */
#include "base/error.h"
#include "cli/study/named_results.h"
#include "cli/study/study.h"
#include "cli/support/open_study.h"
#include "cli/support/shown.h"

#include <stdio.h>
#include <string.h>

static const cli_argument own[] = {
    {CLI_ARGUMENT_TEXT, "use", offsetof(cli_request, use), 'u', "RESULT,...",
     .help = "Use this one of several results: ASK.N, or its number in the log if it has no ask; also a range, "
             "30.1-39.1"},
    {CLI_ARGUMENT_TEXT, "drop", offsetof(cli_request, drop), 'd', "RESULT,...",
     .help = "Stop using these results, also ranges (30.1-39.1), or all that are `failed`, have `no-outcome` or are "
             "`not-finite`; they stay stored, and --use takes them back"},
    {CLI_ARGUMENT_TEXT, "confirm", offsetof(cli_request, confirm), .value = "RESULT,...",
     .help = "These results, also ranges (30.1-39.1), surprise the model (W_SURPRISE, W_UNIT) and are right all the "
             "same: count them as any other"},
    {0}};

static fcps_status check(cli_request *r)
{
  const fcps_json *json = r->json;
  const bool is_learner = fcps_json_get(json, "learner") != NULL || fcps_json_get(json, "settings") != NULL;
  const int changes = (fcps_json_get(json, "reward") != NULL) + (fcps_json_get(json, "limits") != NULL) +
                      (fcps_json_get(json, "bounds") != NULL) + (r->use != NULL) + (r->drop != NULL) +
                      (r->confirm != NULL) + is_learner;
  if (changes == 1) return FCPS_OK;
  return fcps_error_set(
      &r->error, FCPS_ERR_ARGUMENT, "",
      "give one of --reward, --limits, --bounds, --use, --drop, --confirm, and --learner with or without "
      "--set");
}

static fcps_status change(cli_request *r, const char *operation, int64_t sequence)
{
  fcps_json *request = fcps_json_object();
  fcps_door_answer answer = {NULL};
  fcps_json_put(&request, "result", fcps_json_from_integer(sequence));
  const fcps_status status = cli_door_do(r->door, operation, request, &answer, &r->error);
  fcps_door_answer_destroy(&answer);
  fcps_json_destroy(request);
  return status;
}

static fcps_status amend_use(const fcps_study *study, cli_request *r)
{
  cli_named_results named = {0};
  fcps_status status = cli_named_results_find(study, "--use", r->use, &named, &r->error);
  for (size_t i = 0; i < named.count && status == FCPS_OK; i++) {
    status = change(r, "use", named.items[i].sequence);
    if (status == FCPS_OK && named.items[i].is_used) printf("result %s counts already; ", named.items[i].name);
  }
  cli_named_results_destroy(&named);
  return status;
}

/* Whether a result is of the kind that a word of --drop names. */
static bool is_of_kind(const fcps_problem *problem, const fcps_stored_result *r, const char *kind)
{
  const fcps_rollout *rollout = &r->result.rollout;
  const bool has_failed = rollout->status != FCPS_ROLLOUT_OK;
  const bool is_absent = !has_failed && rollout->outcome == NULL && problem->outcome.count > 0;
  if (strcmp(kind, "failed") == 0) return has_failed;
  if (strcmp(kind, "no-outcome") == 0) return is_absent;
  return !has_failed && !is_absent && r->is_flagged;
}

/* Drops every result of a kind that still counts. The sequences stay the same while results are dropped. */
static fcps_status drop_kind(const fcps_study *study, cli_request *a, int *dropped)
{
  fcps_status status = FCPS_OK;
  bool was_dropped = false; /* to drop twice is as good as once */
  for (int i = 0; status == FCPS_OK && i < fcps_study_result_count(study); i++) {
    fcps_stored_result r;
    fcps_study_result_at(study, i, &r);
    if (!is_of_kind(fcps_study_problem(study), &r, a->drop)) continue;
    was_dropped |= !r.is_used;
    if (!r.is_used) continue;
    status = change(a, "drop", r.sequence);
    ++*dropped;
  }
  if (status != FCPS_OK || *dropped > 0 || was_dropped) return status;
  return fcps_error_set(&a->error, FCPS_ERR_UNKNOWN_ASK, "--drop", "no result that counts is %s", a->drop);
}

/* Drops the results of a list, and counts those that counted. */
static fcps_status drop_named(const fcps_study *study, cli_request *a, int *dropped)
{
  cli_named_results named = {0};
  fcps_status status = cli_named_results_find(study, "--drop", a->drop, &named, &a->error);
  for (size_t i = 0; i < named.count && status == FCPS_OK; i++) {
    status = change(a, "drop", named.items[i].sequence);
    *dropped += named.items[i].is_used;
    if (status == FCPS_OK && !named.items[i].is_used) printf("result %s did not count before; ", named.items[i].name);
  }
  cli_named_results_destroy(&named);
  return status;
}

static fcps_status amend_drop(const fcps_study *study, cli_request *a)
{
  static const char *const kinds[] = {"failed", "no-outcome", "not-finite"};
  fcps_status status = FCPS_OK;
  int dropped = 0;
  bool is_kind = false;
  for (int i = 0; i < 3; i++)
    is_kind |= strcmp(a->drop, kinds[i]) == 0;
  status = is_kind ? drop_kind(study, a, &dropped) : drop_named(study, a, &dropped);
  if (status == FCPS_OK) printf("dropped %d result%s; ", dropped, dropped == 1 ? "" : "s");
  return status;
}

static void print_confirmed(const cli_named_result *named)
{
  if (named->is_confirmed)
    printf("result %s was confirmed before; ", named->name);
  else if (!named->is_used)
    printf("result %s does not count: it was %s. It is confirmed, but counts only after --use %s; ", named->name,
           named->was_used ? "dropped or replaced" : "never accepted", named->name);
  else if (named->went_wrong)
    printf("result %s is held against its parameters, and never taken for part of an outage; ", named->name);
  else if (named->is_suspect)
    printf("result %s counts as any other now; ", named->name);
  else
    printf("result %s is no suspect: it counts as any other already, and will never be one; ", named->name);
}

static fcps_status amend_confirmation(fcps_study *study, cli_request *r)
{
  cli_named_results named = {0};
  (void)fcps_study_find_suspects(study, NULL, NULL); /* a confirmation needs no model that works */
  fcps_status status = cli_named_results_find(study, "--confirm", r->confirm, &named, &r->error);
  for (size_t i = 0; i < named.count && status == FCPS_OK; i++) {
    status = change(r, "confirm", named.items[i].sequence);
    if (status == FCPS_OK) print_confirmed(&named.items[i]);
  }
  cli_named_results_destroy(&named);
  return status;
}

static fcps_status run(cli_request *r, int argc, char **argv)
{
  fcps_study *study = NULL;
  (void)argc, (void)argv;
  if (r->use == NULL && r->drop == NULL && r->confirm == NULL) return cli_operation_do(r, NULL);
  fcps_status status = cli_open_study(&r->door, &study, r->path, &r->error);
  if (status == FCPS_OK && r->confirm != NULL)
    status = amend_confirmation(study, r);
  else if (status == FCPS_OK)
    status = r->use != NULL ? amend_use(study, r) : amend_drop(study, r);
  if (status == FCPS_OK) printf("amended %s; %d stored results\n", cli_shown(r->path), fcps_study_result_count(study));
  return status;
}

const cli_special cli_study_amend = {"amend", own, check, run};
