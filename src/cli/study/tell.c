/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study tell`: stores the result of a trial. The acknowledgement is printed after the result is stored, so that
 * what was acknowledged is never lost. Where another process uses the study, it waits for its turn, and Ctrl-C leaves the
 * result on disk beside the study. */
#include "base/error.h"
#include "base/number.h"
#include "cli/study/subcommands.h"
#include "cli/study/told_words.h"
#include "cli/support/arguments.h"
#include "cli/support/fail.h"
#include "cli/support/interrupt.h"
#include "cli/support/kept.h"
#include "cli/support/log.h"
#include "cli/support/open_study.h"
#include "cli/support/print_json.h"
#include "cli/support/remote.h"
#include "cli/support/shown.h"
#include "cli/support/values.h"
#include "cli/support/warnings.h"
#include "wire/wire.h"

#include <fcps/run.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct arguments {
  const char *path, *ask, *outcome, *outcome_sd, *failed, *reward, *hindsight_reward, *executed, *target, *environment,
      *client, *status, *key;
  bool has_no_outcome, as_json, is_kept;
  fcps_error error;
} arguments;

static const cli_argument table[] = {
    {CLI_ARGUMENT_NEEDED, "STUDY", .offset = offsetof(arguments, path)},
    {CLI_ARGUMENT_OPTIONAL, "ASK", .offset = offsetof(arguments, ask)},
    {CLI_ARGUMENT_TEXT, "outcome", offsetof(arguments, outcome), 'o', "NAME=NUMBER,...", .help = "What happened"},
    {CLI_ARGUMENT_TEXT, "outcome-sd", offsetof(arguments, outcome_sd), .value = "NAME=NUMBER,...",
     .help = "How exact that is: one standard deviation for each outcome, 0 for exact"},
    {CLI_ARGUMENT_SWITCH, "no-outcome", offsetof(arguments, has_no_outcome),
     .help = "The trial ran, but it has no outcome"},
    {CLI_ARGUMENT_TEXT, "failed", offsetof(arguments, failed), 'f', "REASON",
     .help = "The trial failed, for this reason"},
    {CLI_ARGUMENT_TEXT, "status", offsetof(arguments, status), .value = "STATUS",
     .help = "How the trial ended: failed (default with --failed), refused, timeout or unstable"},
    {CLI_ARGUMENT_TEXT, "reward", offsetof(arguments, reward), 'r', "NUMBER",
     .help = "The reward, if the rewards of this study are told"},
    {CLI_ARGUMENT_TEXT, "hindsight-reward", offsetof(arguments, hindsight_reward), .value = "NUMBER",
     .help = "The reward for the achieved target, for learners with hindsight"},
    {CLI_ARGUMENT_TEXT, "executed", offsetof(arguments, executed), 'x', "NAME=NUMBER,...",
     .help = "The executed parameters, if they differ from the ask"},
    {CLI_ARGUMENT_TEXT, "environment", offsetof(arguments, environment), 'e', "NAME=NUMBER,...",
     .help = "The measured environment, if it differs from the ask"},
    {CLI_ARGUMENT_TEXT, "target", offsetof(arguments, target), 't', "NAME=NUMBER,...",
     .help = "The target of a trial without an ask"},
    {CLI_ARGUMENT_TEXT, "key", offsetof(arguments, key), .value = "TEXT",
     .help = "A key for a trial without an ask; the same result under the same key counts once"},
    {CLI_ARGUMENT_TEXT, "client", offsetof(arguments, client), 'c', "NAME", .help = "Name of the client that tells"},
    {CLI_ARGUMENT_SWITCH, "kept", offsetof(arguments, is_kept),
     .help = "Store the results that wait beside the study because it could not be written"},
    {CLI_ARGUMENT_SWITCH, "json", offsetof(arguments, as_json), 'j', .help = "Print one JSON object"},
    {0}};

static const char doc[] = "Stores the result of a trial. To tell the same result again is harmless. A different result "
                          "for the same ask is kept as evidence, but refused. For a trial without an ask, leave out "
                          "ASK and give --environment and --executed, and --target where it is known.\v"
                          "Examples:\n"
                          "  fcps study tell throw.fcps 1 --outcome land_x=0.64,land_y=-3.05\n"
                          "  fcps study tell throw.fcps 1 --outcome land_x=0.64,land_y=-3.05 --outcome-sd "
                          "land_x=0.1,land_y=0.2\n"
                          "  fcps study tell throw.fcps 2 --failed \"gripper slipped\"\n"
                          "  fcps study tell throw.fcps --kept\n";

/* The options together must be one result. */
static fcps_status check(arguments *a)
{
  const char *wrong = NULL;
  const bool has_result = a->ask != NULL || a->outcome != NULL || a->has_no_outcome || a->failed != NULL ||
                          a->reward != NULL || a->executed != NULL;
  if (a->is_kept && has_result)
    wrong = "--kept stores what waits already; tell this result with a command of its own";
  else if (a->is_kept)
    return FCPS_OK;
  else if ((a->outcome != NULL) + a->has_no_outcome + (a->failed != NULL) > 1)
    wrong = "give one of --outcome, --no-outcome and --failed";
  else if (a->outcome == NULL && a->outcome_sd != NULL)
    wrong = "--outcome-sd says how exact an outcome is: give it with --outcome";
  else if (a->outcome == NULL && !a->has_no_outcome && a->failed == NULL && a->reward == NULL)
    wrong = "what happened? Give --outcome, --no-outcome or --failed";
  else if (a->failed != NULL && a->status != NULL && strcmp(a->status, fcps_rollout_status_text(FCPS_ROLLOUT_OK)) == 0)
    wrong = "a failed trial does not have the status ok; leave out --failed or --status";
  else if (a->failed != NULL && a->reward != NULL)
    wrong = "a trial that failed has no reward; leave out --failed or --reward";
  else if (a->outcome != NULL && a->status != NULL && strcmp(a->status, fcps_rollout_status_text(FCPS_ROLLOUT_OK)) != 0)
    wrong =
        "a trial with an outcome has ended well; leave out --status, or say with --failed instead of --outcome why it "
        "has not";
  else if (a->failed != NULL && *a->failed == '\0')
    wrong = "--failed needs words: say why the trial failed, as in --failed \"gripper slipped\"";
  else if (a->ask != NULL && a->key != NULL)
    wrong = "an ASK does not need a --key: its number is its key";
  else if (a->ask == NULL && a->executed == NULL)
    wrong = "which ASK? For a trial without an ask, give --environment and --executed (and --target, if it is known)";
  return wrong != NULL ? fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "", "%s", wrong) : FCPS_OK;
}

static bool find_ask(const fcps_study *study, int64_t id, fcps_ask *ask)
{
  for (int i = fcps_study_ask_count(study) - 1; i >= 0; i--) {
    fcps_study_ask_at(study, i, ask);
    if (ask->id == id) return true;
  }
  return false;
}

static void copy(double *to, const double *from, int count)
{
  if (count) memcpy(to, from, (size_t)count * sizeof *to);
}

/* The numbers of a result; those of the ask where nothing else is said. */
static fcps_status read_numbers(const fcps_study *study, arguments *a, int64_t id, cli_points *n)
{
  const fcps_problem *p = fcps_study_problem(study);
  const bool is_unasked = id == FCPS_NOT_ASKED;
  fcps_ask ask;
  if (!is_unasked && !find_ask(study, id, &ask))
    return fcps_error_set(&a->error, FCPS_ERR_UNKNOWN_ASK, "ask", "there is no ask %lld in this study.", (long long)id);
  if (!is_unasked) {
    copy(n->target, ask.target, p->target.count);
    copy(n->environment, ask.environment, p->environment.count);
    copy(n->parameters, ask.parameters, p->parameters.count);
  }
  /* what happened does not depend on what was wanted, so a formula can score it for any target */
  const bool lacks_target = is_unasked && a->target == NULL && p->target.count > 0 && p->reward != NULL;
  for (int i = 0; i < p->target.count && lacks_target; i++)
    n->target[i] = 0.5 * (p->target.dims[i].lower + p->target.dims[i].upper);
  if (lacks_target)
    cli_warn("W_NO_TARGET",
             "no --target was given. No outcome depends on it: the result is stored with the middle of the "
             "targets' ranges, and scored for every other target when it is needed.");
  fcps_status status =
      cli_values_read(p, &p->target, "--target", a->target, is_unasked && !lacks_target, n->target, NULL, &a->error);
  if (status == FCPS_OK)
    status = cli_values_read(p, &p->environment, "--environment", a->environment, is_unasked, n->environment, NULL,
                             &a->error);
  if (status == FCPS_OK)
    status = cli_values_read(p, &p->parameters, "--executed", a->executed, is_unasked, n->parameters, NULL, &a->error);
  if (status == FCPS_OK && a->outcome != NULL)
    status = cli_values_read(p, &p->outcome, "--outcome", a->outcome, true, n->outcome, NULL, &a->error);
  return status;
}

/* `deviation` has room for the numbers of the outcome */
static fcps_status read_deviation(const fcps_problem *p, arguments *a, double *deviation, fcps_rollout *rollout)
{
  if (a->outcome_sd == NULL) return FCPS_OK;
  rollout->outcome_deviation = deviation;
  return cli_values_read(p, &p->outcome, "--outcome-sd", a->outcome_sd, true, deviation, NULL, &a->error);
}

static fcps_status read_status(arguments *a, fcps_rollout_status *status)
{
  *status = a->failed != NULL ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK;
  if (a->status == NULL) return FCPS_OK;
  for (int i = 0; i < FCPS_ROLLOUT_STATUS_COUNT; i++)
    if (strcmp(a->status, fcps_rollout_status_text((fcps_rollout_status)i)) == 0) {
      *status = (fcps_rollout_status)i;
      return FCPS_OK;
    }
  return fcps_error_set(&a->error, FCPS_ERR_UNKNOWN_NAME, "--status",
                        "\"%s\" is not a status; choose ok, failed, refused, timeout or unstable", a->status);
}

static fcps_status read_told(const fcps_problem *p, const char *option, const char *text, double *reward,
                             fcps_error *error)
{
  *reward = NAN;
  if (text != NULL && p->reward != NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option,
                          "the reward of this study is a formula, which scores the outcome; leave out %s", option);
  if (text != NULL && !fcps_number_read(text, reward))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, option, "\"%s\" is not a number", text);
  return FCPS_OK;
}

static fcps_status read_rewards(const fcps_problem *p, arguments *a, fcps_result *result)
{
  if (a->reward == NULL && p->reward == NULL && a->failed == NULL)
    return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "--reward",
                          "the rewards of this study are told; give --reward");
  const fcps_status status = read_told(p, "--reward", a->reward, &result->rollout.reward, &a->error);
  if (status != FCPS_OK) return status;
  return read_told(p, "--hindsight-reward", a->hindsight_reward, &result->rollout.hindsight_reward, &a->error);
}

/* what a person should know of a result that was stored */
static void warn(const fcps_study *study, const fcps_receipt *receipt, const arguments *a)
{
  fcps_stored_result stored = {0};
  if (!fcps_study_result_of(study, receipt->ask, &stored) && !receipt->is_repeated)
    fcps_study_result_at(study, fcps_study_result_count(study) - 1, &stored);
  if (receipt->is_late)
    cli_warn("W_TELL_LATE", "ask %lld had been given up or timed out; its result is stored and will be used.",
             (long long)receipt->ask);
  if (receipt->is_misplaced)
    cli_warn("W_ENVIRONMENT_NOT_FINITE", "the measured environment is NaN, infinite or beyond 1e100. The result is "
                                         "stored with the environment of the ask, but the model does not use it.");
  else if (receipt->is_flagged && a->has_no_outcome)
    cli_warn_no_reward();
  else if (receipt->is_flagged)
    cli_warn_unusable("this result", study, &stored);
}

/* somebody tells what somebody else was asked: on purpose, or with the wrong number */
static void warn_of_client(const fcps_study *study, int64_t id, const char *client)
{
  fcps_ask ask;
  if (client == NULL || id == FCPS_NOT_ASKED || !find_ask(study, id, &ask)) return;
  if (*ask.client == '\0' || strcmp(ask.client, client) == 0) return;
  cli_warn("W_OTHER_CLIENT",
           "ask %lld was given to %s, not to %s. Its result is stored; if the number is wrong, take it "
           "out with amend --drop.",
           (long long)id, ask.client, client);
}

static void print_receipt(const fcps_receipt *receipt)
{
  char number[FCPS_NUMBER_SIZE];
  fcps_number_show(receipt->reward, number);
  if (receipt->ask)
    printf("stored result of ask %lld", (long long)receipt->ask);
  else
    printf("stored a result that nobody asked for");
  printf("%s, %s%s\n", receipt->is_repeated ? " (was there already)" : "",
         isnan(receipt->reward) ? "no reward" : "reward ", isnan(receipt->reward) ? "" : number);
}

/* Waits for other processes until Ctrl-C, and keeps the result on disk meanwhile. */
static fcps_run_patience patience(void)
{
  return (fcps_run_patience){.is_kept = true, .stop = cli_interrupt_stops, .log = cli_log};
}

/* `n` is room for the numbers of the result, and in its second outcome for the deviations */
static fcps_status tell(fcps_study *study, arguments *a, int64_t id, cli_points *n)
{
  const fcps_problem *p = fcps_study_problem(study);
  fcps_result result = {.rollout = {.target = n->target,
                                    .environment = n->environment,
                                    .parameters = n->parameters,
                                    .outcome = a->outcome != NULL ? n->outcome : NULL},
                        .client = a->client,
                        .message = a->failed,
                        .key = a->key};
  const fcps_run_patience waiting = patience();
  fcps_receipt receipt;
  fcps_status status = read_numbers(study, a, id, n);
  if (status == FCPS_OK) status = read_deviation(p, a, n->outcome + p->outcome.count, &result.rollout);
  if (status == FCPS_OK) status = read_status(a, &result.rollout.status);
  if (status == FCPS_OK) status = read_rewards(p, a, &result);
  if (status == FCPS_OK)
    status = cli_remote_is(a->path) ? cli_remote_tell(a->path, p, id, &result, &receipt, &a->error)
                                    : fcps_run_tell(study, id, &result, &waiting, &receipt, &a->error);
  if (status == FCPS_OK) warn(study, &receipt, a);
  if (status == FCPS_OK && !receipt.is_repeated) warn_of_client(study, id, a->client);
  if (status != FCPS_OK) return status;
  cli_told_words_note(a->path, study);
  if (!a->as_json) {
    print_receipt(&receipt);
    return FCPS_OK;
  }
  fcps_json *object = fcps_wire_receipt_write(&receipt);
  cli_warnings_put(&object);
  return cli_print_json(stdout, object, &a->error);
}

/* Whether waiting may help: the study is in use, its database or its server is away. */
static bool is_away(fcps_status status, const char *path)
{
  return status == FCPS_ERR_LOCKED || (status == FCPS_ERR_IO && cli_remote_is(path) && cli_remote_is_away(path));
}

/* The study was away until Ctrl-C: what was typed is kept. */
static fcps_status keep_words(arguments *a, int argc, char **argv)
{
  char path[CLI_TOLD_PATH];
  fcps_error why = {0};
  if (a->is_kept) return fcps_error_set(&a->error, FCPS_ERR_STOPPED, "", "stopped while the study was away");
  if (cli_told_words_keep(a->path, argc, argv, path, &why) != FCPS_OK)
    return fcps_error_set(&a->error, FCPS_ERR_STOPPED, "", "the result is NOT kept: %s", why.message);
  return fcps_error_set(&a->error, FCPS_ERR_STOPPED, "",
                        "stopped while the study was away. The result is kept in %.200s; to store it: fcps study tell "
                        "%.200s --kept",
                        path, cli_shown_word(a->path));
}

/* Opens the study as soon as it is there, and no process keeps others from reading it. */
static fcps_status open_patiently(fcps_study **study, arguments *a)
{
  fcps_status status;
  bool has_said = false;
  while (is_away(status = cli_open_study(study, a->path, &a->error), a->path) && !cli_interrupt_stops(NULL)) {
    if (!has_said) cli_warn("W_STUDY_LOCKED", "%s Still trying.", a->error.message);
    has_said = true;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
  }
  return status;
}

/* what waits beside the study, and what was typed while it was away */
static fcps_status tell_kept(fcps_study *study, arguments *a)
{
  int stored = 0, said = 0, left = 0;
  const fcps_run_patience waiting = patience();
  fcps_status status = cli_kept_tell(study, a->path, &waiting, &stored, &a->error);
  if (status == FCPS_OK) status = cli_kept_tell_apart(study, a->path, &waiting, &stored, &a->error);
  const int left_beside = cli_kept_count(study, a->path);
  if (status == FCPS_OK) status = cli_told_words_say(a->path, study, cli_study_tell, &said, &left, &a->error);
  if (status != FCPS_OK) return status;
  stored += said;
  left += left_beside;
  if (left > 0)
    return fcps_error_set(&a->error, FCPS_ERR_FORMAT, "--kept",
                          "%d kept result%s could not be stored, for the reasons above", left, left == 1 ? "" : "s");
  if (!a->as_json) {
    printf("stored %d kept result%s\n", stored, stored == 1 ? "" : "s");
    return cli_flush(&a->error);
  }
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "stored", fcps_json_from_integer(stored));
  return cli_print_json(stdout, object, &a->error);
}

int cli_study_tell(int argc, char **argv)
{
  arguments a = {0};
  fcps_study *study = NULL;
  cli_points numbers = {0};
  int64_t id = FCPS_NOT_ASKED;
  fcps_status status = cli_arguments_parse(table, doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = check(&a);
  if (status == FCPS_OK && a.ask != NULL) status = cli_option_integer("ASK", a.ask, 1, INT64_MAX, &id, &a.error);
  cli_interrupt_watch();
  if (status == FCPS_OK) {
    status = open_patiently(&study, &a);
    if (status != FCPS_OK && cli_interrupt_stops(NULL) && is_away(status, a.path)) status = keep_words(&a, argc, argv);
  }
  if (status == FCPS_OK && !a.is_kept) status = cli_points_create(&numbers, fcps_study_problem(study), 2, &a.error);
  if (status == FCPS_OK) status = a.is_kept ? tell_kept(study, &a) : tell(study, &a, id, &numbers);
  cli_points_destroy(&numbers);
  fcps_study_close(study);
  return status != FCPS_OK ? cli_fail(&a.error) : 0;
}
