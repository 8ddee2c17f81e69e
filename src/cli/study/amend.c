/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study amend` in addition to what its row of the table of operations does: decides which results count. The user
 * names results, so the command reads the study to find them. Each change of a result is a separate operation. A stored
 * result is never removed. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/study/study.h"
#include "cli/support/open_study.h"
#include "cli/support/values.h"
#include "wire/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Names of results -- */

/* The name of a result is first read as numbers. These are then compared with the results of the study, in the order in
 * which the results were told. */

typedef struct named_result {
  char name[FCPS_WIRE_RESULT_NAME_SIZE];
  int64_t sequence;
  bool is_used, was_used, is_suspect, is_confirmed, went_wrong; /* as they were before this command changed anything */
} named_result;

typedef struct named_results {
  named_result *items;
  size_t count, capacity;
} named_results;

/* The name of a result: ASK.N, or, if the result has no ask, the number of its record; N is then 0. */
typedef struct result_name {
  int64_t number, result_number;
} result_name;

/* Reads the first `length` characters of `text` as a name; false if they are no name. */
static bool read_name(const char *text, size_t length, result_name *name)
{
  char word[64], rest = 0;
  if (length == 0 || length >= sizeof word || strspn(text, "0123456789.") < length) return false;
  snprintf(word, sizeof word, "%.*s", (int)length, text);
  *name = (result_name){0};
  const int count = sscanf(word, "%" SCNd64 ".%" SCNd64 "%c", &name->number, &name->result_number, &rest);
  if (count == 1) return name->number >= 1 && strchr(word, '.') == NULL;
  return count == 2 && name->number >= 1 && name->result_number >= 1;
}

static bool is_between(const fcps_stored_result *r, result_name first, result_name last)
{
  const bool is_asked = first.result_number > 0;
  const int64_t number = is_asked ? r->ask : r->sequence;
  if ((r->ask != FCPS_NOT_ASKED) != is_asked || (is_asked && r->result_number != first.result_number)) return false;
  return number >= first.number && number <= last.number;
}

static fcps_status add(named_results *found, const fcps_stored_result *r)
{
  if (!fcps_reserve((void **)&found->items, &found->capacity, found->count + 1, sizeof *found->items))
    return FCPS_ERR_MEMORY;
  named_result *item = &found->items[found->count++];
  *item =
      (named_result){.sequence = r->sequence,
                     .is_used = r->is_used,
                     .was_used = r->was_used,
                     .is_suspect = r->is_suspect,
                     .is_confirmed = r->result.rollout.is_confirmed,
                     .went_wrong = r->result.rollout.status != FCPS_ROLLOUT_OK || r->result.rollout.outcome == NULL};
  fcps_wire_result_name(r, item->name);
  return FCPS_OK;
}

/* Finds the results that one word of a list names. */
static fcps_status find_word(const fcps_study *study, const char *option, const char *word, named_results *found,
                             fcps_error *error)
{
  result_name first, last;
  const char *dash = strchr(word, '-');
  const size_t length = dash != NULL ? (size_t)(dash - word) : strlen(word), before = found->count;
  bool is_name = read_name(word, length, &first);
  last = first;
  if (is_name && dash != NULL) is_name = read_name(dash + 1, strlen(dash + 1), &last);
  if (!is_name)
    return fcps_error_set(
        error, FCPS_ERR_ARGUMENT, option,
        "\"%s\" is not a result; write ASK.N as in 42.2, or the number of the result, or a range as in 30.1-39.1",
        word);
  if (first.result_number != last.result_number || first.number > last.number)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option,
                          "\"%s\" is not a range of results; write the smaller ask first and the same number behind "
                          "the point, as in 30.1-39.1",
                          word);
  fcps_status status = FCPS_OK;
  for (int i = 0; i < fcps_study_result_count(study) && status == FCPS_OK; i++) {
    fcps_stored_result r;
    fcps_study_result_at(study, i, &r);
    if (is_between(&r, first, last)) status = add(found, &r);
  }
  if (status != FCPS_OK) return fcps_error_memory(error);
  if (found->count > before) return FCPS_OK;
  fcps_stored_result counting;
  if (first.result_number == 0 && dash == NULL && fcps_study_result_of(study, first.number, &counting))
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, option,
                          "there is no result %s; the result of ask %s is called %s.%d", word, word, word,
                          counting.result_number);
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, option, "there is no result %s; `fcps study log` lists them",
                        word);
}

/* Finds all results of a list, separated by commas: ASK.N; for a result without an ask its number in the log; or a
 * range FIRST-LAST, which names all existing results from FIRST to LAST. Refuses a name without a result, and a range
 * without results. `option` is for errors. */
static fcps_status find_results(const fcps_study *study, const char *option, const char *text, named_results *found,
                                fcps_error *error)
{
  fcps_status status = *text ? FCPS_OK : find_word(study, option, "", found, error);
  for (const char *rest = text; status == FCPS_OK && *rest;) {
    char word[128];
    const size_t length = strcspn(rest, ",");
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), rest);
    status = find_word(study, option, word, found, error);
    rest += length + (rest[length] == ',');
  }
  return status;
}

static void destroy_results(named_results *found)
{
  free(found->items);
  *found = (named_results){0};
}

static const cli_argument own[] = {
    {CLI_ARGUMENT_TEXT, "use", offsetof(cli_request, use), 'u', "RESULT,...",
     .help = "Use this one of several results: ASK.N, or, without an ask, its number in the log; or a range, "
             "30.1-39.1"},
    {CLI_ARGUMENT_TEXT, "drop", offsetof(cli_request, drop), 'd', "RESULT,...",
     .help = "Stop using these results (also ranges, 30.1-39.1), or all of a kind: `failed`, `no-outcome`, "
             "`not-finite`. They stay stored, and --use takes them back"},
    {CLI_ARGUMENT_TEXT, "confirm", offsetof(cli_request, confirm), .value = "RESULT,...",
     .help = "Confirm results (also ranges, 30.1-39.1) that surprise the model (W_SURPRISE, W_UNIT) but are right: "
             "they count as any other result"},
    {0}};

static fcps_status check(cli_request *r)
{
  const fcps_json *json = r->json;
  const bool is_learner = fcps_json_get(json, "learner") != NULL || fcps_json_get(json, "settings") != NULL;
  const int changes = (fcps_json_get(json, "reward") != NULL) + (fcps_json_get(json, "limits") != NULL) +
                      (fcps_json_get(json, "constraints") != NULL) + (fcps_json_get(json, "safe") != NULL) +
                      (fcps_json_get(json, "cost") != NULL) + (fcps_json_get(json, "bounds") != NULL) +
                      (fcps_json_get(json, "add_choice") != NULL) + (r->use != NULL) + (r->drop != NULL) +
                      (r->confirm != NULL) + is_learner;
  if (changes == 1) return FCPS_OK;
  return fcps_error_set(
      &r->error, FCPS_ERR_ARGUMENT, "",
      "give one of --reward, --constraints, --limits, --safe, --cost, --bounds, --add-choice, --use, --drop, "
      "--confirm, and --learner with or without --set");
}

static fcps_status change(cli_request *r, const char *operation, int64_t sequence)
{
  fcps_json *request = fcps_json_object();
  fcps_door_answer answer = {0};
  fcps_json_put(&request, "result", fcps_json_from_integer(sequence));
  const fcps_status status = cli_door_do(r->door, operation, request, &answer, &r->error);
  fcps_door_answer_destroy(&answer);
  fcps_json_destroy(request);
  return status;
}

static fcps_status amend_use(const fcps_study *study, cli_request *r)
{
  named_results named = {0};
  fcps_status status = find_results(study, "--use", r->use, &named, &r->error);
  for (size_t i = 0; i < named.count && status == FCPS_OK; i++) {
    status = change(r, "use", named.items[i].sequence);
    if (status == FCPS_OK && named.items[i].is_used) printf("result %s counts already; ", named.items[i].name);
  }
  destroy_results(&named);
  return status;
}

/* Whether a result is of the kind that the value of --drop names. */
static bool is_of_kind(const fcps_problem *problem, const fcps_stored_result *r, const char *kind)
{
  const fcps_rollout *rollout = &r->result.rollout;
  const bool has_failed = rollout->status != FCPS_ROLLOUT_OK;
  const bool is_absent = !has_failed && rollout->outcome == NULL && problem->outcome.count > 0;
  if (strcmp(kind, "failed") == 0) return has_failed;
  if (strcmp(kind, "no-outcome") == 0) return is_absent;
  return !has_failed && !is_absent && r->is_flagged;
}

/* Drops every result of a kind that still counts. The sequence numbers of results do not change meanwhile. */
static fcps_status drop_kind(const fcps_study *study, cli_request *a, int *dropped)
{
  fcps_status status = FCPS_OK;
  bool was_dropped = false; /* It is not an error if all results of this kind were dropped before. */
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
  return fcps_error_set(&a->error, FCPS_ERR_UNKNOWN_ASK, "--drop",
                        "there is nothing to drop: no result of the kind \"%s\" counts", a->drop);
}

/* Drops the results of a list. Only those that counted before are counted in *dropped. */
static fcps_status drop_named(const fcps_study *study, cli_request *a, int *dropped)
{
  named_results named = {0};
  fcps_status status = find_results(study, "--drop", a->drop, &named, &a->error);
  for (size_t i = 0; i < named.count && status == FCPS_OK; i++) {
    status = change(a, "drop", named.items[i].sequence);
    *dropped += named.items[i].is_used;
    if (status == FCPS_OK && !named.items[i].is_used) printf("result %s did not count before; ", named.items[i].name);
  }
  destroy_results(&named);
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

static void print_confirmed(const named_result *named)
{
  if (named->is_confirmed)
    printf("result %s was confirmed before; ", named->name);
  else if (!named->is_used)
    printf("result %s does not count: it was %s. It is confirmed, but counts only after --use %s; ", named->name,
           named->was_used ? "dropped or replaced" : "never accepted", named->name);
  else if (named->went_wrong)
    printf("result %s counts against its parameters: it is never again taken for a failure of the machine; ",
           named->name);
  else if (named->is_suspect)
    printf("result %s now counts like any other; ", named->name);
  else
    printf("result %s is not suspect: it counts like any other, and will never become suspect; ", named->name);
}

static fcps_status amend_confirmation(fcps_study *study, cli_request *r)
{
  named_results named = {0};
  /* An error is ignored, because a result can be confirmed without a model, too. */
  (void)fcps_study_find_suspects(study, NULL, NULL);
  fcps_status status = find_results(study, "--confirm", r->confirm, &named, &r->error);
  for (size_t i = 0; i < named.count && status == FCPS_OK; i++) {
    status = change(r, "confirm", named.items[i].sequence);
    if (status == FCPS_OK) print_confirmed(&named.items[i]);
  }
  destroy_results(&named);
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
