/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study tell`: the acknowledgement is printed after the result is stored. */
#include "base/error.h"
#include "base/number.h"
#include "cli/study_cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct arguments {
  const char *path, *ask, *outcome, *failed, *reward, *executed, *target, *environment, *client, *status, *key;
  bool has_no_outcome, as_json;
  fcps_error error;
} arguments;

enum { KEY_NO_OUTCOME = 256, KEY_STATUS, KEY_KEY };

static const struct argp_option options[] = {
    {"outcome", 'o', "NAME=NUMBER,...", 0, "What happened", 0},
    {"no-outcome", KEY_NO_OUTCOME, NULL, 0, "The trial ran, and nothing came of it", 0},
    {"failed", 'f', "REASON", 0, "The trial broke", 0},
    {"status", KEY_STATUS, "STATUS", 0, "failed (default with --failed), refused, timeout or unstable", 0},
    {"reward", 'r', "NUMBER", 0, "Its reward, where rewards are told", 0},
    {"executed", 'x', "NAME=NUMBER,...", 0, "Parameters that were executed, where they differ from the ask", 0},
    {"environment", 'e', "NAME=NUMBER,...", 0, "Environment that was measured, where it differs", 0},
    {"target", 't', "NAME=NUMBER,...", 0, "Target of a trial that nobody asked for", 0},
    {"key", KEY_KEY, "TEXT", 0, "Name of a trial that nobody asked for: told again under it, it counts once", 0},
    {"client", 'c', "NAME", 0, "Who tells", 0},
    {"json", 'j', NULL, 0, "One JSON object", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
  arguments *a = state->input;
  switch (key) {
  case 'o':
    a->outcome = text;
    break;
  case KEY_NO_OUTCOME:
    a->has_no_outcome = true;
    break;
  case 'f':
    a->failed = text;
    break;
  case KEY_STATUS:
    a->status = text;
    break;
  case 'r':
    a->reward = text;
    break;
  case 'x':
    a->executed = text;
    break;
  case 'e':
    a->environment = text;
    break;
  case 't':
    a->target = text;
    break;
  case KEY_KEY:
    a->key = text;
    break;
  case 'c':
    a->client = text;
    break;
  case 'j':
    a->as_json = true;
    break;
  case ARGP_KEY_ARG:
    if (a->path && a->ask) return fcps_cli_usage(state, "one result at a time");
    *(a->path ? &a->ask : &a->path) = text;
    break;
  case ARGP_KEY_END:
    if (!a->path) return fcps_cli_usage(state, "which STUDY?");
    if (a->ask && a->key) return fcps_cli_usage(state, "an ASK needs no --key: its number is its name");
    if ((a->outcome != NULL) + a->has_no_outcome + (a->failed != NULL) > 1)
      return fcps_cli_usage(state, "give one of --outcome, --no-outcome and --failed");
    if (!a->outcome && !a->has_no_outcome && !a->failed && !a->reward)
      return fcps_cli_usage(state, "what happened? Give --outcome, --no-outcome or --failed");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "STUDY [ASK]",
    .doc =
        "Stores the result of a trial. The same result again is harmless; a different one for the same ask is kept as "
        "evidence and refused. Without ASK it is a trial that nobody asked for: give its --target, --environment and "
        "--executed.\v"
        "Examples:\n"
        "  fcps study tell throw.fcps 7 --outcome land_x=2.7,land_y=4.4\n"
        "  fcps study tell throw.fcps 8 --failed \"gripper slipped\"\n"};

/* The numbers of a result; those of the ask where nothing else is said. */
typedef struct numbers {
  double *target, *environment, *parameters, *outcome;
} numbers;

static bool find_ask(const fcps_study *study, int64_t id, fcps_trial *trial)
{
  for (int i = fcps_study_ask_count(study) - 1; i >= 0; i--) {
    fcps_study_ask_at(study, i, trial);
    if (trial->id == id) return true;
  }
  return false;
}

static void copy(double *to, const double *from, int count)
{
  if (count) memcpy(to, from, (size_t)count * sizeof *to);
}

static fcps_status read_numbers(const fcps_study *study, arguments *a, int64_t id, numbers *n)
{
  const fcps_problem *p = fcps_study_problem(study);
  const bool is_unasked = id == FCPS_NOT_ASKED;
  fcps_trial trial;
  if (!is_unasked && !find_ask(study, id, &trial))
    return fcps_error_set(&a->error, FCPS_ERR_UNKNOWN_ASK, "ASK", "there is no ask %lld in %s", (long long)id, a->path);
  if (!is_unasked) {
    copy(n->target, trial.target, p->target.count);
    copy(n->environment, trial.environment, p->environment.count);
    copy(n->parameters, trial.parameters, p->parameters.count);
  }
  fcps_status status = fcps_values_read(&p->target, "--target", a->target, is_unasked, n->target, NULL, &a->error);
  if (!status)
    status =
        fcps_values_read(&p->environment, "--environment", a->environment, is_unasked, n->environment, NULL, &a->error);
  if (!status)
    status = fcps_values_read(&p->parameters, "--executed", a->executed, is_unasked, n->parameters, NULL, &a->error);
  if (!status && a->outcome)
    status = fcps_values_read(&p->outcome, "--outcome", a->outcome, true, n->outcome, NULL, &a->error);
  return status;
}

static fcps_status read_status(arguments *a, fcps_rollout_status *status)
{
  *status = a->failed ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK;
  if (!a->status) return FCPS_OK;
  for (int i = 0; i < FCPS_ROLLOUT_STATUS_COUNT; i++)
    if (strcmp(a->status, fcps_rollout_status_text((fcps_rollout_status)i)) == 0) {
      *status = (fcps_rollout_status)i;
      return FCPS_OK;
    }
  return fcps_error_set(&a->error, FCPS_ERR_UNKNOWN_NAME, "--status",
                        "\"%s\" is no status; choose ok, failed, refused, timeout or unstable", a->status);
}

static fcps_status read_reward(const fcps_problem *p, arguments *a, double *reward)
{
  *reward = NAN;
  if (!a->reward && !p->reward && !a->failed)
    return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "--reward", "rewards of this study are told: give --reward");
  if (a->reward && p->reward)
    return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "--reward",
                          "the reward of this study is a formula, which scores the outcome: leave --reward out");
  if (a->reward && !fcps_number_read(a->reward, reward))
    return fcps_error_set(&a->error, FCPS_ERR_ARGUMENT, "--reward", "\"%s\" is not a number", a->reward);
  return FCPS_OK;
}

static fcps_status print_receipt(const fcps_receipt *receipt, arguments *a)
{
  char number[FCPS_NUMBER_SIZE];
  fcps_number_write(receipt->reward, number);
  if (receipt->is_late)
    fprintf(stderr,
            "fcps: W_TELL_LATE: ask %lld had been given up or timed out; its result is stored and will be used.\n",
            (long long)receipt->ask);
  if (receipt->is_flagged)
    fprintf(stderr,
            "fcps: W_REWARD_NOT_FINITE: outcome or reward of this result is not finite. It is stored; the model "
            "does without it.\n");
  if (!a->as_json) {
    if (receipt->ask)
      printf("stored result of ask %lld", (long long)receipt->ask);
    else
      printf("stored a result that nobody asked for");
    printf("%s, reward %s\n", receipt->is_repeated ? " (was there already)" : "", number);
    return FCPS_OK;
  }
  fcps_status status = FCPS_OK;
  fcps_json *object = fcps_json_object();
  fcps_json_put(object, "ask", fcps_json_from_integer(receipt->ask), &status);
  fcps_json_put(object, "stored", fcps_json_from_bool(true), &status);
  fcps_json_put(object, "repeated", fcps_json_from_bool(receipt->is_repeated), &status);
  fcps_json_put(object, "late", fcps_json_from_bool(receipt->is_late), &status);
  fcps_json_put(object, "flagged", fcps_json_from_bool(receipt->is_flagged), &status);
  fcps_json_put(object, "reward", isfinite(receipt->reward) ? fcps_json_from_number(receipt->reward) : fcps_json_null(),
                &status);
  return fcps_json_print(object, status, &a->error);
}

static fcps_status tell(fcps_study *study, arguments *a, int64_t id)
{
  const fcps_problem *p = fcps_study_problem(study);
  numbers n = {fcps_cli_numbers(p->target.count), fcps_cli_numbers(p->environment.count),
               fcps_cli_numbers(p->parameters.count), fcps_cli_numbers(p->outcome.count)};
  fcps_study_result result = {.outcome = a->outcome ? n.outcome : NULL,
                              .hindsight_reward = NAN,
                              .target = n.target,
                              .environment = n.environment,
                              .parameters = n.parameters,
                              .client = a->client,
                              .message = a->failed,
                              .key = a->key};
  fcps_receipt receipt;
  fcps_status status = read_numbers(study, a, id, &n);
  if (!status) status = read_status(a, &result.status);
  if (!status) status = read_reward(p, a, &result.reward);
  if (!status) status = fcps_study_tell(study, id, &result, &receipt, &a->error);
  if (!status) status = print_receipt(&receipt, a);
  free(n.target);
  free(n.environment);
  free(n.parameters);
  free(n.outcome);
  return status;
}

int fcps_study_command_tell(int argc, char **argv)
{
  arguments a = {0};
  fcps_study *study = NULL;
  int64_t id = FCPS_NOT_ASKED;
  fcps_status status = fcps_options_parse(&argp, argc, argv, &a, &a.error);
  if (!status && a.ask) status = fcps_option_integer("ASK", a.ask, 1, INT64_MAX, &id, &a.error);
  if (!status) status = fcps_cli_open_study(&study, a.path, &a.error);
  if (!status) status = tell(study, &a, id);
  fcps_study_close(study);
  return status ? fcps_cli_fail(&a.error) : 0;
}
