/* SPDX-License-Identifier: Apache-2.0 */
#include "task/program/external.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/json.h"
#include "space/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = 6000 };

struct fcps_external {
  const fcps_problem_file *file;
  char *folder;
  fcps_program *program;
  fcps_program_stop_fn *stop;
  void *user;
  double *outcome, *environment, *executed;
  bool has_answered; /* at least once: it starts, and speaks as it should */
  bool has_warned;   /* of keys that are not used */
  fcps_log log;
  char message[MESSAGE_SIZE];
};

fcps_status fcps_external_create(fcps_external **external, const fcps_problem_file *file, fcps_error *error)
{
  *external = NULL;
  if (file->command == NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "run",
                          "the problem has no program to run; add `run: {command: [PROGRAM, ...], timeout_s: 30}`.");
  fcps_external *x = fcps_allocate(1, sizeof *x);
  if (x == NULL) return fcps_error_memory(error);
  x->file = file;
  /* relative names in a problem file start at its folder */
  const char *slash = strrchr(file->file, '/');
  const size_t length = slash != NULL ? (size_t)(slash - file->file) + 1 : 0;
  x->folder = fcps_allocate(length + 1, 1);
  x->outcome = fcps_allocate((size_t)file->problem.outcome.count, sizeof(double));
  x->environment = fcps_allocate((size_t)file->problem.environment.count, sizeof(double));
  x->executed = fcps_allocate((size_t)file->problem.parameters.count, sizeof(double));
  const bool has_all = x->folder != NULL && x->outcome != NULL && x->environment != NULL && x->executed != NULL;
  fcps_status status = has_all ? FCPS_OK : fcps_error_memory(error);
  if (status == FCPS_OK) {
    memcpy(x->folder, file->file, length);
    status = fcps_program_create(&x->program, file->command, x->folder, error);
  }
  if (status != FCPS_OK) {
    fcps_external_destroy(x);
    return status;
  }
  *external = x;
  return FCPS_OK;
}

void fcps_external_destroy(fcps_external *x)
{
  if (x == NULL) return;
  fcps_program_destroy(x->program);
  free(x->folder);
  free(x->outcome);
  free(x->environment);
  free(x->executed);
  free(x);
}

void fcps_external_set_stop(fcps_external *x, fcps_program_stop_fn *stop, void *user)
{
  x->stop = stop;
  x->user = user;
}

void fcps_external_set_log(fcps_external *x, fcps_log log)
{
  x->log = log;
}

/* {"x": 1, "y": 2}; NULL when there is no memory */
static fcps_json *named_numbers(const fcps_space *space, const double *values)
{
  fcps_json *object = fcps_json_object();
  for (int i = 0; object != NULL && i < space->count; i++)
    if (fcps_json_set(object, space->dims[i].name, fcps_json_from_number(values[i])) != FCPS_OK) {
      fcps_json_destroy(object);
      return NULL;
    }
  return object;
}

static char *write_request(const fcps_external *x, int64_t ask, const double *target, const double *environment,
                           const double *parameters)
{
  const fcps_problem *p = &x->file->problem;
  fcps_json *object = fcps_json_object();
  char *text = NULL;
  if (object != NULL && fcps_json_set(object, "ask", fcps_json_from_integer(ask)) == FCPS_OK &&
      fcps_json_set(object, "target", named_numbers(&p->target, target)) == FCPS_OK &&
      fcps_json_set(object, "environment", named_numbers(&p->environment, environment)) == FCPS_OK &&
      fcps_json_set(object, "parameters", named_numbers(&p->parameters, parameters)) == FCPS_OK)
    text = fcps_json_write(object);
  fcps_json_destroy(object);
  return text;
}

/* numbers by name; the first that is missing or no number is named in `error` */
static fcps_status read_numbers(const fcps_json *object, const fcps_space *space, const char *label, double *values,
                                fcps_error *error)
{
  if (!fcps_json_is_object(object))
    return fcps_error_set(error, FCPS_ERR_PROGRAM, label, "the answer's \"%s\" is no object", label);
  for (int i = 0; i < space->count; i++)
    if (!fcps_json_number(fcps_json_get(object, space->dims[i].name), &values[i]))
      return fcps_error_set(error, FCPS_ERR_PROGRAM, label, "the answer's \"%s\" has no number \"%s\"", label,
                            space->dims[i].name);
  return FCPS_OK;
}

static void say(fcps_external *x, const char *what, const char *detail)
{
  const char *output = fcps_program_output(x->program);
  size_t length = strlen(output);
  while (length > 0 && output[length - 1] == '\n')
    length--;
  snprintf(x->message, sizeof x->message, "%s%s%s%s%s%.*s", what, *detail ? " (" : "", detail, *detail ? ")" : "",
           length > 0 ? "; last output: " : "", (int)length, output);
}

/* a reward that may be told; false where it is told and no number */
static bool read_reward(fcps_external *x, const fcps_json *json, const char *key, double *reward)
{
  const fcps_json *told = fcps_json_get(json, key);
  if (told == NULL || fcps_json_number(told, reward)) return true;
  char words[64];
  snprintf(words, sizeof words, "the answer's \"%s\" is no number", key);
  say(x, words, "");
  return false;
}

/* the numbers under `key` into `values`, to which *part then points; false where they are there and wrong */
static bool read_part(fcps_external *x, const fcps_json *json, const char *key, const fcps_space *space, double *values,
                      const double **part)
{
  fcps_error error = {0};
  const fcps_json *object = fcps_json_get(json, key);
  if (object == NULL) return true;
  if (read_numbers(object, space, key, values, &error) != FCPS_OK) {
    say(x, error.message, "");
    return false;
  }
  *part = values;
  return true;
}

/* parameters without a value belong to no rollout: a study would refuse them */
static bool read_executed(fcps_external *x, const fcps_json *json, fcps_answer *answer)
{
  const fcps_space *space = &x->file->problem.parameters;
  fcps_error error = {0};
  if (!read_part(x, json, "executed", space, x->executed, &answer->executed)) return false;
  if (answer->executed == NULL || fcps_space_check_values(space, "executed", x->executed, false, &error) == FCPS_OK)
    return true;
  answer->executed = NULL;
  say(x, error.message, error.field);
  return false;
}

/* why a key of an answer is not used; NULL: it is */
static const char *unused_reason(const fcps_problem *p, const char *key)
{
  static const char *const used[] = {"ask", "outcome", "failed", "environment", "executed"};
  for (size_t i = 0; i < sizeof used / sizeof *used; i++)
    if (strcmp(key, used[i]) == 0) return NULL;
  if (strcmp(key, "reward") == 0 || strcmp(key, "hindsight_reward") == 0)
    return p->reward != NULL ? "the reward of this problem is a formula, which scores the outcome" : NULL;
  if (strcmp(key, "parameters") == 0) return "what was executed goes under \"executed\"";
  if (strcmp(key, "target") == 0) return "a target is wished, not measured";
  return "no key of an answer has this name";
}

/* what would vanish in silence; said of one answer, because the others are alike */
static void warn_unused(fcps_external *x, const fcps_json *json)
{
  const bool has_warned = x->has_warned;
  for (int i = 0; !has_warned && i < fcps_json_count(json); i++) {
    const char *key = fcps_json_key(json, i), *reason = unused_reason(&x->file->problem, key);
    if (reason == NULL) continue;
    fcps_log_say(&x->log, FCPS_LOG_WARNING, "W_ANSWER_KEY", "the answer's \"%.60s\" is not used: %s.", key, reason);
    x->has_warned = true;
  }
}

static fcps_rollout_status read_answer(fcps_external *x, const fcps_json *json, fcps_answer *answer)
{
  const fcps_problem *p = &x->file->problem;
  const fcps_json *outcome = fcps_json_get(json, "outcome"), *failed = fcps_json_get(json, "failed");
  warn_unused(x, json);
  /* where and how a trial was done belongs to one that failed, too */
  const bool is_placed = read_part(x, json, "environment", &p->environment, x->environment, &answer->environment) &&
                         read_executed(x, json, answer);
  if (failed != NULL) {
    const char *reason = fcps_json_text(failed);
    say(x, reason != NULL ? reason : "the program reports a failure", "");
    return FCPS_ROLLOUT_FAILED;
  }
  if (!is_placed) return FCPS_ROLLOUT_FAILED;
  if (p->reward == NULL && (!read_reward(x, json, "reward", &answer->reward) ||
                            !read_reward(x, json, "hindsight_reward", &answer->hindsight_reward)))
    return FCPS_ROLLOUT_FAILED;
  if (outcome == NULL && (p->reward != NULL || p->outcome.count)) {
    say(x, "the answer has neither \"outcome\" nor \"failed\"", "");
    return FCPS_ROLLOUT_FAILED;
  }
  if (outcome == NULL || fcps_json_is_null(outcome)) return FCPS_ROLLOUT_OK;
  return read_part(x, json, "outcome", &p->outcome, x->outcome, &answer->outcome) ? FCPS_ROLLOUT_OK
                                                                                  : FCPS_ROLLOUT_FAILED;
}

/* why there is no answer */
static void explain(fcps_external *x, fcps_program_end end)
{
  char detail[256];
  snprintf(detail, sizeof detail, "%s", fcps_program_fate(x->program));
  switch (end) {
  case FCPS_PROGRAM_TIMEOUT:
    say(x, "no answer in time, ended", detail);
    break;
  case FCPS_PROGRAM_CRASHED:
    say(x, "the program ended or closed its output without an answer", detail);
    break;
  case FCPS_PROGRAM_GARBLED:
    say(x, "a line of more than a mebibyte", "");
    break;
  default:
    snprintf(detail, sizeof detail, "%.180s: %s", x->file->command[0], fcps_program_fate(x->program));
    say(x, "the program cannot be started", detail);
    break;
  }
}

/* what is wrong with a line that should be the answer `id`, and how to say it right */
static void explain_line(fcps_external *x, const char *line, const char *key, int64_t id, bool is_json, bool has_id)
{
  char why[120] = "an answer to nothing asked";
  if (!is_json && (strstr(line, "NaN") != NULL || strstr(line, "Infinity") != NULL))
    snprintf(why, sizeof why, "the answer is not JSON, which has no NaN: write \"nan\", \"inf\" or \"-inf\" in quotes");
  else if (!is_json)
    snprintf(why, sizeof why, "the answer is not JSON");
  else if (!has_id)
    snprintf(why, sizeof why, "the answer needs \"%s\": %lld", key, (long long)id);
  snprintf(x->message, sizeof x->message, "%s: %.200s", why, line);
}

/* Sends a line and reads answers until the one with `key`: `id`. An answer to an earlier one is a repetition and is
 * passed over; anything else ends the program, which has lost its place. *json is the answer; NULL where there is none,
 * with the reason in x->message. */
static fcps_program_end converse(fcps_external *x, const char *request, const char *key, int64_t id, fcps_json **json)
{
  const double deadline = fcps_clock_seconds() + x->file->timeout_s;
  const char *line = NULL;
  *json = NULL;
  fcps_program_end end = fcps_program_exchange(x->program, request, deadline, x->stop, x->user, &line);
  while (end == FCPS_PROGRAM_ANSWERED) {
    fcps_error error = {0};
    int64_t number = 0;
    const fcps_status status = fcps_json_read(json, line, strlen(line), "answer", &error);
    const bool has_id = status == FCPS_OK && fcps_json_integer(fcps_json_get(*json, key), &number);
    if (has_id && number == id) {
      x->has_answered = true;
      return end;
    }
    if (has_id && number < id) {
      fcps_json_destroy(*json);
      *json = NULL;
      end = fcps_program_await(x->program, deadline, x->stop, x->user, &line);
      continue;
    }
    explain_line(x, line, key, id, status == FCPS_OK, has_id);
    fcps_json_destroy(*json);
    *json = NULL;
    fcps_program_end_now(x->program, 0.0);
    return FCPS_PROGRAM_GARBLED;
  }
  explain(x, end);
  return end;
}

/* Whether an exchange tells of the program and not of the trial: it could not be started, or has never yet given an
 * answer that could be read. (One that is slow may be slow for what it was asked.) */
static bool is_broken(const fcps_external *x, fcps_program_end end)
{
  if (end == FCPS_PROGRAM_NOT_FOUND) return true;
  return !x->has_answered && (end == FCPS_PROGRAM_CRASHED || end == FCPS_PROGRAM_GARBLED);
}

/* a message that is too long for an error is known by its beginning (what happened) and its end (the last that was
 * printed) */
static fcps_status refuse_broken(const fcps_external *x, int64_t ask, bool has_crashed, fcps_error *error)
{
  enum { BEGINNING = 160, END = 120 };
  const size_t length = strlen(x->message);
  const char *end = length > BEGINNING + END ? x->message + length - END : "";
  return fcps_error_set(error, FCPS_ERR_PROGRAM, "run",
                        "%.*s%s%s. Nothing is stored of ask %lld, with which the next run begins: mend the program "
                        "and run again.%s",
                        *end ? BEGINNING : BEGINNING + END, x->message, *end ? " ... " : "", end, (long long)ask,
                        has_crashed ? " Where the trial itself breaks the program, tell that ask as failed." : "");
}

fcps_status fcps_external_run(fcps_external *x, int64_t ask, const double *target, const double *environment,
                              const double *parameters, fcps_answer *answer, fcps_error *error)
{
  char *request = write_request(x, ask, target, environment, parameters);
  if (request == NULL) return fcps_error_memory(error);
  fcps_json *json = NULL;
  x->message[0] = '\0';
  *answer = (fcps_answer){.status = FCPS_ROLLOUT_FAILED, .reward = NAN, .hindsight_reward = NAN, .message = x->message};
  const fcps_program_end end = converse(x, request, "ask", ask, &json);
  free(request);
  if (end == FCPS_PROGRAM_STOPPED) return fcps_error_set(error, FCPS_ERR_STOPPED, "", "stopped on request");
  if (is_broken(x, end)) return refuse_broken(x, ask, end == FCPS_PROGRAM_CRASHED, error);
  if (end == FCPS_PROGRAM_TIMEOUT) answer->status = FCPS_ROLLOUT_TIMEOUT;
  if (json != NULL) answer->status = read_answer(x, json, answer);
  fcps_json_destroy(json);
  /* one that serves a single rollout gets its time to end well */
  if (x->file->process_per_rollout) fcps_program_end_now(x->program, 1.0);
  return FCPS_OK;
}

fcps_status fcps_external_context(fcps_external *x, int64_t episode, double *target, double *environment,
                                  fcps_error *error)
{
  const fcps_problem *p = &x->file->problem;
  char request[64];
  fcps_json *json = NULL;
  snprintf(request, sizeof request, "{\"context\": %lld}", (long long)episode);
  const fcps_program_end end = converse(x, request, "context", episode, &json);
  if (end == FCPS_PROGRAM_STOPPED) return fcps_error_set(error, FCPS_ERR_STOPPED, "", "stopped on request");
  if (json == NULL)
    return fcps_error_set(error, FCPS_ERR_PROGRAM, "contexts", "asked for a context: %.400s", x->message);
  fcps_status status = FCPS_OK;
  if (p->target.count) status = read_numbers(fcps_json_get(json, "target"), &p->target, "target", target, error);
  if (status == FCPS_OK && p->environment.count)
    status = read_numbers(fcps_json_get(json, "environment"), &p->environment, "environment", environment, error);
  fcps_json_destroy(json);
  return status;
}
