/* SPDX-License-Identifier: Apache-2.0 */
/* What `fcps study tell` has beside its row. The acknowledgement is printed after the result is stored, so that what was
 * acknowledged is never lost. If another process uses the study, or its server is away, the command waits for its turn, and
 * Ctrl-C leaves the result on disk. */
#include "base/error.h"
#include "cli/study/study.h"
#include "cli/study/told_words.h"
#include "cli/support/interrupt.h"
#include "cli/support/log.h"
#include "cli/support/open_study.h"
#include "cli/support/print_json.h"
#include "cli/support/shown.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const cli_argument own[] = {
    {CLI_ARGUMENT_SWITCH, "kept", offsetof(cli_request, is_kept),
     .help = "Store the results that wait beside the study because it could not be written"},
    {0}};

/* The options together must be one result. */
static fcps_status check(cli_request *r)
{
  const fcps_json *json = r->json, *outcome = fcps_json_get(json, "outcome");
  const char *wrong = NULL, *status = fcps_json_text(fcps_json_get(json, "status")),
             *failed = fcps_json_text(fcps_json_get(json, "failed"));
  const bool has_outcome = fcps_json_is_object(outcome), is_ok = status != NULL && strcmp(status, "ok") == 0;
  const bool has_reward = fcps_json_get(json, "reward") != NULL, is_asked = fcps_json_get(json, "ask") != NULL;
  const bool was_executed = fcps_json_get(json, "executed") != NULL;
  const bool has_result = is_asked || outcome != NULL || failed != NULL || has_reward || was_executed;
  const int endings = (cli_request_text(r, "outcome") != NULL) + cli_request_is_null(r, "outcome") + (failed != NULL);
  if (r->is_kept && has_result)
    wrong = "--kept stores what waits already; tell this result with a command of its own";
  else if (r->is_kept)
    return FCPS_OK;
  else if (endings > 1)
    wrong = "give one of --outcome, --no-outcome and --failed";
  else if (!has_outcome && fcps_json_get(json, "outcome_sd") != NULL)
    wrong = "--outcome-sd says how exact an outcome is: give it with --outcome";
  else if (outcome == NULL && failed == NULL && !has_reward)
    wrong = "what happened? Give --outcome, --no-outcome or --failed";
  else if (failed != NULL && is_ok)
    wrong = "a failed trial does not have the status ok; leave out --failed or --status";
  else if (failed != NULL && has_reward)
    wrong = "a trial that failed has no reward; leave out --failed or --reward";
  else if (has_outcome && status != NULL && !is_ok)
    wrong =
        "a trial with an outcome has ended well; leave out --status, or say with --failed instead of --outcome why it "
        "has not";
  else if (failed != NULL && *failed == '\0')
    wrong = "--failed needs words: say why the trial failed, as in --failed \"gripper slipped\"";
  else if (!is_asked && !was_executed)
    wrong = "which ASK? For a trial without an ask, give --environment and --executed (and --target, if it is known)";
  if (wrong != NULL) return fcps_error_set(&r->error, FCPS_ERR_ARGUMENT, "", "%s", wrong);
  if (outcome == NULL && failed == NULL) fcps_json_put(&r->json, "outcome", fcps_json_null()); /* a reward alone */
  if (failed == NULL && status != NULL && !is_ok) fcps_json_put(&r->json, "failed", fcps_json_from_bool(true));
  return FCPS_OK;
}

/* -- Waiting -- */

/* One try: opens the door where it is not open yet, and tells. */
static fcps_status try_once(cli_request *r, fcps_status (*act)(cli_request *r, fcps_door_answer *answer),
                            fcps_door_answer *answer)
{
  const fcps_status status = r->door == NULL ? cli_open_door(&r->door, r->path, &cli_patience, &r->error) : FCPS_OK;
  return status == FCPS_OK ? act(r, answer) : status;
}

/* Tries as long as the study is in use, its database or its server is away. */
static fcps_status act_patiently(cli_request *r, fcps_status (*act)(cli_request *r, fcps_door_answer *answer),
                                 fcps_door_answer *answer)
{
  fcps_status status;
  bool has_said = false;
  while ((status = try_once(r, act, answer)) == FCPS_ERR_LOCKED && !cli_interrupt_stops(NULL)) {
    if (!has_said) cli_warn("W_STUDY_LOCKED", "%s Still trying.", r->error.message);
    has_said = true;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  }
  return status;
}

/* Whether the study was away until Ctrl-C: no door was opened, or none that answered. */
static bool has_given_up(const cli_request *r, fcps_status status)
{
  const bool had_no_answer = status == FCPS_ERR_STOPPED && (r->door == NULL || fcps_door_is_away(r->door));
  return cli_interrupt_stops(NULL) && (status == FCPS_ERR_LOCKED || had_no_answer);
}

static fcps_status keep_words(cli_request *r, int argc, char **argv)
{
  char path[CLI_TOLD_PATH];
  fcps_error why = {0};
  if (r->is_kept) return fcps_error_set(&r->error, FCPS_ERR_STOPPED, "", "stopped while the study was away");
  if (cli_told_words_keep(r->path, argc, argv, path, &why) != FCPS_OK)
    return fcps_error_set(&r->error, FCPS_ERR_STOPPED, "", "the result is NOT kept: %s", why.message);
  return fcps_error_set(&r->error, FCPS_ERR_STOPPED, "",
                        "stopped while the study was away. The result is kept in %.200s; to store it: fcps study tell "
                        "%.200s --kept",
                        path, cli_shown_word(r->path));
}

/* -- Telling -- */

static fcps_status tell(cli_request *r, fcps_door_answer *answer)
{
  const fcps_status status = fcps_door_do(r->door, r->operation, r->json, answer, &r->error);
  if (status == FCPS_OK) cli_told_words_note(r->path, fcps_door_identity(r->door));
  return status;
}

/* words that were typed while the study was away */
static fcps_status tell_words(void *user, int argc, char **argv, const char *identity, fcps_error *error)
{
  const cli_request *now = user;
  cli_request r = {0};
  fcps_door_answer answer = {NULL};
  fcps_status status = cli_request_parse(&r, now->operation, own, argc, argv);
  if (status == FCPS_OK) status = check(&r);
  if (status == FCPS_OK) fcps_json_put(&r.json, "identity", fcps_json_from_text(identity));
  r.door = now->door;
  if (status == FCPS_OK) status = act_patiently(&r, tell, &answer);
  r.door = NULL;
  if (status == FCPS_OK) status = cli_operation_print(&r, &answer);
  if (status != FCPS_OK) cli_request_speak(now->operation, &r.error);
  *error = r.error;
  fcps_door_answer_destroy(&answer);
  cli_request_destroy(&r);
  return status;
}

/* what waits beside the study, and what was typed while it was away */
static fcps_status tell_kept(cli_request *r, fcps_door_answer *answer)
{
  int stored = 0, said = 0, left = 0;
  fcps_door_kept kept = {0};
  fcps_status status = fcps_door_tell_kept(r->door, &stored, &r->error);
  if (status == FCPS_OK) status = fcps_door_count_kept(r->door, &kept, &r->error);
  if (status == FCPS_OK) status = cli_told_words_say(r->path, tell_words, r, &said, &left, &r->error);
  if (status != FCPS_OK) return status;
  left += kept.count + kept.apart;
  if (left > 0)
    return fcps_error_set(&r->error, FCPS_ERR_FORMAT, "--kept",
                          "%d kept result%s could not be stored, for the reasons above", left, left == 1 ? "" : "s");
  answer->json = fcps_json_object();
  fcps_json_put(&answer->json, "stored", fcps_json_from_integer(stored + said));
  return FCPS_OK;
}

static fcps_status print_kept(cli_request *r, fcps_door_answer *answer)
{
  int64_t stored = 0;
  if (r->as_json) return cli_operation_print(r, answer);
  (void)fcps_json_integer(fcps_json_get(answer->json, "stored"), &stored);
  printf("stored %lld kept result%s\n", (long long)stored, stored == 1 ? "" : "s");
  return FCPS_OK;
}

static fcps_status run(cli_request *r, int argc, char **argv)
{
  fcps_door_answer answer = {NULL};
  cli_interrupt_watch_all(); /* timeout(1) and hasty people send two: the words are kept after the first */
  fcps_status status = act_patiently(r, r->is_kept ? tell_kept : tell, &answer);
  if (has_given_up(r, status)) status = keep_words(r, argc, argv);
  if (status == FCPS_OK) status = r->is_kept ? print_kept(r, &answer) : cli_operation_print(r, &answer);
  fcps_door_answer_destroy(&answer);
  return status;
}

const cli_special cli_study_tell = {"tell", own, check, run};
