/* SPDX-License-Identifier: Apache-2.0 */
/* The conversation with a user's program: an ask goes out, and lines come in until one answers it.
 *
 * wire/wire.h describes the form of asks and results; this file decides who speaks when. A line that the program wrote
 * before it had read any part of the request is never an answer to it. Once a program has given a usable answer, it
 * counts as working: a later failure belongs to the trial and not to the program. The exception is a program that
 * answers what it was not asked yet, or answers one ask in two ways, because then none of its answers can be trusted.
 * x->message explains the last failure. */
#include "run/program/external.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "problem/formula/conditions.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_SIZE = 6000, FAULT_SIZE = 240 };

static const char fault_of_leaving[] = "ended well without an answer";

/* The requests of one kind that were sent, and the last answer. */
typedef struct requests {
  const char *key;
  /* numbers of the first and the last request, and of the last one that was answered; 0: none */
  int64_t first, last, answered;
  char *answer; /* the text of the answer to request `answered` */
  /* the number of every request that was sent; if there are several programs, other programs got the numbers in
   * between */
  int64_t *sent;
  size_t sent_count, sent_room;
} requests;

struct fcps_external {
  const fcps_problem_file *file;
  char *folder;
  fcps_program *program;
  fcps_external_options options;
  double *numbers; /* the numbers of the last result */
  requests asks, contexts;
  bool has_answered; /* it has once given a usable answer: so it starts, and follows the rules */
  /* in this exchange the program answered what it had not been asked, or one request in two ways */
  bool is_untimely;
  bool is_unproven; /* the last trial would count as failed if the program had ever given a usable answer */
  /* how often the program had been started at the last exchange, and how many asks that process has answered */
  int starts, served;
  bool is_to_blame;       /* it ended the last trial without a usable answer, but not because time ran out */
  bool has_warned;        /* it was already warned of keys that are not used */
  char fault[FAULT_SIZE]; /* the mistake in the last answer; "" if there was none */
  char message[MESSAGE_SIZE];
  bool has_strayed; /* the program has answered an ask of another program, and was warned of */
};

fcps_status fcps_external_create(fcps_external **external, const fcps_problem_file *file,
                                 const fcps_external_options *options, fcps_error *error)
{
  static const fcps_external_options usual = {.program = {.hold = -1, .guarded = -1}};
  if (options == NULL) options = &usual;
  *external = NULL;
  if (file->command == NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "run",
                          "the problem has no program to run; add `run: {command: [PROGRAM, ...], timeout_s: 30}`.");
  fcps_external *x = fcps_allocate(1, sizeof *x);
  if (x == NULL) return fcps_error_memory(error);
  x->file = file;
  x->options = *options;
  x->asks.key = "ask";
  x->contexts.key = "context";
  /* Relative names in a problem file start at the folder of the file. */
  const char *slash = strrchr(file->file, '/');
  const size_t length = slash != NULL ? (size_t)(slash - file->file) + 1 : 0;
  x->folder = fcps_allocate(length + 1, 1);
  x->numbers = fcps_allocate((size_t)fcps_wire_result_width(&file->problem), sizeof *x->numbers);
  fcps_status status = x->folder != NULL && x->numbers != NULL ? FCPS_OK : fcps_error_memory(error);
  if (status == FCPS_OK) {
    memcpy(x->folder, file->file, length);
    status = fcps_program_create(&x->program, file->command, x->folder, &options->program, error);
  }
  if (status != FCPS_OK) {
    fcps_external_destroy(x);
    return status;
  }
  *external = x;
  return FCPS_OK;
}

fcps_external_verdict fcps_external_judge(const fcps_external *x)
{
  return (fcps_external_verdict){x->has_answered, x->is_unproven, x->is_to_blame, x->asks.last, x->fault};
}

void fcps_external_destroy(fcps_external *x)
{
  if (x == NULL) return;
  fcps_program_destroy(x->program);
  free(x->asks.answer);
  free(x->contexts.answer);
  free(x->asks.sent);
  free(x->contexts.sent);
  free(x->folder);
  free(x->numbers);
  free(x);
}

fcps_status fcps_external_end(fcps_external *x, fcps_error *error)
{
  fcps_program_end_now(x->program, FCPS_PROGRAM_PATIENCE_S);
  const char *left = fcps_program_left(x->program);
  if (*left == '\0') return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_PROGRAM, "run",
                        "the run has ended, but %s, which its program started, could not be ended and still runs. End "
                        "it before the next run.",
                        left);
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

/* Notes what is wrong with an answer, and the answer itself. */
static void say_fault(fcps_external *x, const fcps_error *why)
{
  const bool has_field = why->status == FCPS_ERR_NOT_FINITE;
  snprintf(x->fault, sizeof x->fault, "%.160s%s%.60s%s", why->message, has_field ? " (" : "",
           has_field ? why->field : "", has_field ? ")" : "");
  snprintf(x->message, sizeof x->message, "%s; received: %.400s", x->fault,
           x->asks.answer != NULL ? x->asks.answer : "");
}

/* Reads what the program answers about the trial. If the answer cannot be read, the trial counts as failed for that
 * reason. */
static void read_answer(fcps_external *x, const fcps_ask *ask, fcps_json **json, fcps_result *result)
{
  const fcps_problem *p = &x->file->problem;
  fcps_error error = {0};
  /* Only one answer is warned of, because the others are alike. */
  if (!x->has_warned) x->has_warned = fcps_wire_result_warn(p, *json, &x->options.log);
  double shown[FCPS_SPACE_MAX];
  fcps_wire_part_complete(&p->parameters, "executed",
                          fcps_wire_shown(p, ask->target, ask->environment, ask->parameters, shown), json);
  fcps_status status = fcps_wire_result_read(p, *json, x->numbers, result, &error);
  const fcps_rollout *r = &result->rollout;
  if (status == FCPS_OK && r->parameters != NULL)
    status = fcps_problem_take_parameters(p, "executed", ask->target,
                                          r->environment != NULL ? r->environment : ask->environment,
                                          x->numbers + p->environment.count, &error);
  x->has_answered |= status == FCPS_OK;
  if (status != FCPS_OK)
    say_fault(x, &error);
  else if (result->rollout.status != FCPS_ROLLOUT_OK)
    say(x, result->message != NULL ? result->message : "the program reports a failure", "");
  result->message = x->message;
}

/* Whether a program ended with exit code 0 and without an answer, although further requests should follow. No
 * parameters can cause that. */
static bool has_left(const fcps_external *x)
{
  return !x->file->process_per_rollout && strcmp(fcps_program_fate(x->program), "exit code 0") == 0;
}

/* Whether the program ended so after its first answer. Then it may be made for a single trial. */
static bool is_single(const fcps_external *x)
{
  return has_left(x) && x->served == 1 && x->starts == fcps_program_starts(x->program);
}

/* Explains why there is no answer. */
static void explain(fcps_external *x, fcps_program_end end)
{
  char detail[256];
  snprintf(detail, sizeof detail, "%s", fcps_program_fate(x->program));
  switch (end) {
  case FCPS_PROGRAM_TIMEOUT:
    snprintf(detail, sizeof detail, "%.6g s; %s", x->file->timeout_s, fcps_program_fate(x->program));
    say(x, *fcps_program_output(x->program) ? "no answer in time" : "no answer in time, and it has printed nothing",
        detail);
    break;
  case FCPS_PROGRAM_CRASHED:
    if (has_left(x) && x->has_answered) snprintf(x->fault, sizeof x->fault, "%s", fault_of_leaving);
    say(x,
        is_single(x) ? "the program ended or closed its output without an answer; if it does one trial and ends, add "
                       "`mode: once` to `run`"
                     : "the program ended or closed its output without an answer",
        detail);
    break;
  case FCPS_PROGRAM_GARBLED:
    say(x, "a line of more than a mebibyte", "");
    break;
  case FCPS_PROGRAM_UNGUARDED:
    say(x, "the program cannot be relied on to have ended", detail);
    break;
  default:
    snprintf(detail, sizeof detail, "%.180s: %s", x->file->command[0], fcps_program_fate(x->program));
    say(x, "the program cannot be started", detail);
    break;
  }
}

/* -- Lines -- */

/* What a line is, while the answer to the last request of one kind is awaited. */
typedef enum line_kind {
  LINE_ANSWER,
  LINE_REPETITION, /* the same answer that was given before */
  LINE_OF_ANOTHER, /* an answer to what another program was asked */
  LINE_EARLY,      /* an answer to a request that the program has not read, or that was not sent yet */
  LINE_OTHER,      /* a second answer that differs from the first */
  LINE_UNASKED,    /* an answer to a request that was never sent */
  LINE_NAMELESS,   /* an object that does not say what it answers */
  LINE_NOT_JSON
} line_kind;

typedef struct judged_line {
  const char *text;
  const char *mistake; /* why the line could not be read; "" if it could */
  const requests *of;  /* the kind of request that it says it answers; may be NULL */
  int64_t number;
  line_kind kind;
} judged_line;

/* Finds the request that a line answers. It may be of the awaited kind, or of the other kind, because a program may
 * repeat its last answer. */
static const requests *find_request(const fcps_external *x, const requests *awaited, const fcps_json *json,
                                    int64_t *number)
{
  const requests *other = awaited == &x->asks ? &x->contexts : &x->asks;
  if (fcps_json_whole(fcps_json_get(json, awaited->key), number)) return awaited;
  return other->last > 0 && fcps_json_whole(fcps_json_get(json, other->key), number) ? other : NULL;
}

/* Whether the request with this number was sent. If memory ran out when sent requests were noted, the answer is yes. */
static bool was_sent(const requests *r, int64_t number)
{
  for (size_t i = 0; i < r->sent_count; i++)
    if (r->sent[i] == number) return true;
  return r->sent_count == 0;
}

/* Judges what a line is. `is_early` says that the program wrote the line before it had read the last request. */
static judged_line judge_line(const fcps_external *x, const requests *awaited, const char *text, const fcps_json *json,
                              const char *mistake, bool is_early)
{
  judged_line line = {.text = text, .mistake = mistake, .kind = LINE_NOT_JSON};
  if (json == NULL) return line;
  const requests *r = line.of = find_request(x, awaited, json, &line.number);
  if (r == NULL)
    line.kind = LINE_NAMELESS;
  else if (line.number < r->first || (line.number > r->last && r == awaited && !is_early))
    line.kind = LINE_UNASKED;
  else if (line.number > r->last || (r == awaited && line.number == r->last && is_early))
    line.kind = LINE_EARLY;
  else if (line.number == r->last && r->answered != r->last)
    line.kind = LINE_ANSWER;
  else if (line.number == r->answered && r->answer != NULL && strcmp(text, r->answer) != 0)
    line.kind = LINE_OTHER;
  else
    line.kind = was_sent(r, line.number) ? LINE_REPETITION : LINE_OF_ANOTHER;
  return line;
}

/* Explains what is wrong with a line, and how to write it right. */
static void explain_line(fcps_external *x, const requests *awaited, const judged_line *line)
{
  static const char *const faults[] = {[LINE_EARLY] = "early",
                                       [LINE_OTHER] = "two answers",
                                       [LINE_UNASKED] = "unasked",
                                       [LINE_NAMELESS] = "nameless",
                                       [LINE_NOT_JSON] = "not JSON"};
  char why[320] = "";
  /* The same mistake must have the same words, so they contain no number. */
  snprintf(x->fault, sizeof x->fault, "%s", faults[line->kind]);
  const long long number = (long long)line->number;
  switch (line->kind) {
  case LINE_NOT_JSON:
    if (strncmp(line->mistake, "has ", 4) == 0)
      snprintf(why, sizeof why, "the answer %.300s", line->mistake);
    else
      snprintf(why, sizeof why, "the answer is not JSON%s",
               strstr(line->text, "NaN") != NULL || strstr(line->text, "Infinity") != NULL
                   ? ", which has no NaN: write \"nan\", \"inf\" or \"-inf\" in quotes"
               : strchr(line->text, '{') != NULL && strchr(line->text, '}') == NULL
                   ? ", or only its beginning: an answer is one line, without line breaks"
                   : "");
    break;
  case LINE_NAMELESS:
    snprintf(why, sizeof why, "the answer needs \"%s\": %lld", awaited->key, (long long)awaited->last);
    break;
  case LINE_EARLY:
    snprintf(why, sizeof why, "the program answered %s %lld before it was asked", line->of->key, number);
    break;
  case LINE_OTHER:
    snprintf(why, sizeof why, "the program answered %s %lld twice, and the second answer differs", line->of->key,
             number);
    break;
  default:
    snprintf(why, sizeof why, "an answer to a request that was not sent, %s %lld", line->of->key, number);
    break;
  }
  snprintf(x->message, sizeof x->message, "%s; received: %.400s", why, line->text);
}

/* Warns once if the program answers an ask of another program, because a program that confuses asks will do so
 * again. */
static void warn_of_stray(fcps_external *x, const judged_line *line)
{
  if (!x->has_strayed)
    fcps_log_say(
        &x->options.log, FCPS_LOG_WARNING, "W_ANSWER_OF_ANOTHER",
        "a program answered %s %lld, which was given to another program. The answer is ignored; a program must "
        "answer only its own asks.",
        line->of->key, (long long)line->number);
  x->has_strayed = true;
}

/* Judges a line. Returns true if the program may continue; *json is then the answer, or NULL if the line is no answer
 * and may be ignored. Returns false if the program has broken the rules; it is then ended, and x->message says why. */
static bool take_line(fcps_external *x, requests *awaited, const char *text, bool is_early, fcps_json **json)
{
  fcps_error error = {0};
  if (fcps_json_read(json, text, strlen(text), "answer", &error) != FCPS_OK) *json = NULL;
  const judged_line line = judge_line(x, awaited, text, *json, error.message, is_early);
  if (line.kind == LINE_ANSWER) {
    free(awaited->answer);
    awaited->answer = fcps_copy_text(text); /* If memory ran out, a repeated answer is recognized only by its number. */
    awaited->answered = line.number;
    return true;
  }
  fcps_json_destroy(*json);
  *json = NULL;
  if (line.kind == LINE_REPETITION) return true;
  if (line.kind == LINE_OF_ANOTHER) {
    warn_of_stray(x, &line);
    return true;
  }
  explain_line(x, awaited, &line);
  x->is_untimely = line.kind == LINE_EARLY || line.kind == LINE_OTHER;
  fcps_program_end_now(x->program, 0.0);
  return false;
}

/* -- The conversation -- */

static void begin_request(requests *r, int64_t id)
{
  if (r->first == 0 || id < r->first) r->first = id;
  if (r->answered == id) r->answered = 0; /* The same request is sent again. */
  r->last = id;
  if (fcps_reserve((void **)&r->sent, &r->sent_room, r->sent_count + 1, sizeof *r->sent)) r->sent[r->sent_count++] = id;
}

/* Sends a line and reads answers until the one to `id`. Lines that came before are judged first, because a program that
 * does not wait for requests must not move a robot. *json is the answer; NULL if there is none, with the reason in
 * x->message. */
static fcps_program_end converse(fcps_external *x, const char *request, requests *awaited, int64_t id, fcps_json **json)
{
  const double deadline = fcps_clock_seconds() + x->file->timeout_s;
  const char *line = NULL;
  *json = NULL;
  x->is_untimely = false;
  begin_request(awaited, id);
  while (fcps_clock_seconds() < deadline && fcps_program_overhear(x->program, &line))
    if (!take_line(x, awaited, line, true, json)) return FCPS_PROGRAM_GARBLED;

  fcps_program_end end = fcps_program_exchange(x->program, request, deadline, x->options.stop, x->options.user, &line);
  while (end == FCPS_PROGRAM_ANSWERED) {
    if (!take_line(x, awaited, line, fcps_program_is_early(x->program), json)) return FCPS_PROGRAM_GARBLED;
    if (*json != NULL) return end;
    end = fcps_program_await(x->program, deadline, x->options.stop, x->options.user, &line);
  }
  explain(x, end);
  return end;
}

/* Whether an exchange shows that the program and not the trial failed: the program could not be started, does not wait
 * for requests, or has never given a usable answer. (A program that has given one may crash or be slow in one
 * trial.) */
static bool is_broken(fcps_external *x, fcps_program_end end)
{
  x->is_unproven = false;
  if (end == FCPS_PROGRAM_NOT_FOUND || end == FCPS_PROGRAM_UNGUARDED || x->is_untimely) return true;
  x->is_unproven = !x->has_answered;
  return x->is_unproven;
}

/* Returns what the user can do about a program that has ended an exchange in this way. */
static const char *advice(const fcps_external *x, fcps_program_end end)
{
  if (end == FCPS_PROGRAM_TIMEOUT && fcps_program_has_talked(x->program))
    return "An answer is one line of JSON that begins with {, as in {\"ask\": 1, \"outcome\": {\"NAME\": 0.5}}; other "
           "lines "
           "are passed over. If the program needs more time, raise timeout_s.";
  if (end == FCPS_PROGRAM_TIMEOUT)
    return "Often the answer waits in a buffer: flush after each line (print(..., flush=True) in Python, "
           "fflush(stdout) in C). If the program needs more time, raise timeout_s.";
  if (end == FCPS_PROGRAM_CRASHED)
    return "Repair the program and run again. If the trial itself breaks the program, tell that ask as failed.";
  return "Repair the program and run again.";
}

/* Stops because the program is broken. If its message is too long, the beginning (what happened) and the end (what was
 * printed last) are kept. */
static fcps_status refuse_broken(const fcps_external *x, fcps_program_end end, fcps_error *error)
{
  enum { BEGINNING = 150, END = 90 };
  const size_t length = strlen(x->message);
  const char *last = length > BEGINNING + END ? x->message + length - END : "";
  return fcps_error_set(error, FCPS_ERR_PROGRAM, "run",
                        "%.*s%s%s. Nothing is stored for ask %lld: it comes first again. %s",
                        *last ? BEGINNING : BEGINNING + END, x->message, *last ? " ... " : "", last,
                        (long long)x->asks.last, advice(x, end));
}

fcps_status fcps_external_refuse_again(const fcps_external *x, int64_t first, const char *study, fcps_error *error)
{
  const bool has_left_again = strcmp(x->fault, fault_of_leaving) == 0;
  return fcps_error_set(error, FCPS_ERR_PROGRAM, "run",
                        "%.240s. This is the second %s of ask %lld, so the run stops. Nothing is stored "
                        "for ask %lld: it comes first again. %s, and take the first one out: "
                        "fcps study amend %.60s --drop %lld.1",
                        x->message, has_left_again ? "end like that" : "answer like that", (long long)first,
                        (long long)x->asks.last,
                        has_left_again ? "Let the program serve until its input ends, or add `mode: once` to `run`"
                                       : "Repair the program",
                        study, (long long)first);
}

fcps_status fcps_external_run(fcps_external *x, const fcps_ask *ask, fcps_result *result, fcps_error *error)
{
  char *request = fcps_json_finish(fcps_wire_trial_write(&x->file->problem, ask));
  if (request == NULL) return fcps_error_memory(error);
  fcps_json *json = NULL;
  x->message[0] = x->fault[0] = '\0';
  *result = (fcps_result){.rollout = {.reward = NAN, .hindsight_reward = NAN, .status = FCPS_ROLLOUT_FAILED},
                          .message = x->message};
  const fcps_program_end end = converse(x, request, &x->asks, ask->id, &json);
  const int starts = fcps_program_starts(x->program);
  x->served = json == NULL ? 0 : x->starts == starts ? x->served + 1 : 1;
  x->starts = starts;
  free(request);
  if (end == FCPS_PROGRAM_STOPPED) return fcps_error_set(error, FCPS_ERR_STOPPED, "", "stopped on request");
  if (end == FCPS_PROGRAM_TIMEOUT) result->rollout.status = FCPS_ROLLOUT_TIMEOUT;
  if (json != NULL) read_answer(x, ask, &json, result);
  x->is_to_blame = x->fault[0] != '\0' || (json == NULL && end != FCPS_PROGRAM_TIMEOUT);
  fcps_json_destroy(json);
  /* A program that serves a single rollout gets time to end in order. */
  if (x->file->process_per_rollout) fcps_program_end_now(x->program, 1.0);
  return is_broken(x, end) ? refuse_broken(x, end, error) : FCPS_OK;
}

fcps_status fcps_external_context(fcps_external *x, int64_t episode, double *target, double *environment,
                                  fcps_error *error)
{
  char request[64];
  fcps_json *json = NULL;
  fcps_error why = {0};
  snprintf(request, sizeof request, "{\"context\": %lld}", (long long)episode);
  const fcps_program_end end = converse(x, request, &x->contexts, episode, &json);
  if (end == FCPS_PROGRAM_STOPPED) return fcps_error_set(error, FCPS_ERR_STOPPED, "", "stopped on request");
  if (json == NULL)
    return fcps_error_set(error, FCPS_ERR_PROGRAM, "contexts", "asked for a context: %.400s", x->message);
  const fcps_status status = fcps_wire_context_read(&x->file->problem, json, target, environment, &why);
  fcps_json_destroy(json);
  return status == FCPS_OK ? FCPS_OK : fcps_error_set(error, FCPS_ERR_PROGRAM, why.field, "%s", why.message);
}
