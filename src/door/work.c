/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a worker (run/work.h) on a study behind a server. Each call is one request, which may be repeated.
 *
 * The loop needs the study's problem and setup. It finds them in a study in memory that stands in for the served one.
 * The worker's own results are told to this study, so the loop can comment on them as on results in a file. It is
 * never asked for parameters.
 *
 * The loop gives signs of life while it waits for an answer: a server may have many asks to make before this one.
 * After the caller wants to stop, the loop waits a few seconds longer, because the answer may be the receipt of a
 * finished trial. */
#include "door/door.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "door/client.h"
#include "run/kept.h"
#include "run/work.h"
#include "study/inside.h"
#include "wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds to wait for an answer after the caller wants to stop, and for the answer to a sign of life. A sign of life
 * may be lost, because the next one makes up for it. */
static const double stop_patience = 5.0, sign_patience = 5.0;

/* The most programs that may work at the same time. */
enum { TOLD_KNOWN = 256 };

typedef struct served_place {
  fcps_client client;
  fcps_log log;
  fcps_study *study;        /* the study in memory that stands in for the served one */
  double *numbers;          /* the numbers of the last ask */
  int64_t asks, leases;     /* counts of the study, as the last answer to an ask said */
  int64_t told[TOLD_KNOWN]; /* the latest asks whose results the server has acknowledged */
  unsigned told_next;
  double stopped;           /* when the caller was first noticed to want to stop; 0: never */
  double sign_until;        /* when to give up waiting for an answer to a sign of life */
  bool (*idle)(void *user); /* the function of the loop */
  void *idle_user;
} served_place;

/* -- Waiting for answers -- */

static bool give_up(void *user)
{
  served_place *place = user;
  if (place->idle == NULL || !place->idle(place->idle_user)) return false;
  if (place->stopped == 0) place->stopped = fcps_clock_seconds();
  return fcps_clock_seconds() - place->stopped > stop_patience;
}

static bool give_up_sign(void *user)
{
  const served_place *place = user;
  return fcps_clock_seconds() > place->sign_until;
}

static void set_idle(void *self, bool (*idle)(void *user), void *user)
{
  served_place *place = self;
  place->idle = idle;
  place->idle_user = user;
}

/* -- Asks -- */

/* Writes the request for an ask. Without a context, the server draws it, or its learner chooses it. */
static fcps_json *write_request(const served_place *place, const fcps_lease_request *request, bool is_observed)
{
  const fcps_problem *p = fcps_study_problem(place->study);
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "worker", fcps_json_from_text(request->worker));
  fcps_json_put(&object, "session", fcps_json_from_text(request->session));
  fcps_json_put(&object, "lease_ms", fcps_json_from_integer(request->lease_ms));
  if (request->budget > 0) fcps_json_put(&object, "budget", fcps_json_from_number(request->budget));
  if (request->most_asks > 0) fcps_json_put(&object, "most_asks", fcps_json_from_integer(request->most_asks));
  if (request->context == NULL || (!is_observed && fcps_study_file(place->study)->contexts != FCPS_CONTEXT_CSV))
    return object;
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX];
  request->context(request->user, place->asks, target, environment);
  if (p->target.count > 0) fcps_json_put(&object, "target", fcps_wire_numbers_write(&p->target, target));
  if (p->environment.count > 0)
    fcps_json_put(&object, "environment", fcps_wire_numbers_write(&p->environment, environment));
  return object;
}

/* Whether the server has acknowledged the result of an ask, as far as this worker remembers: only the latest asks are
 * noted. */
static bool is_told(const served_place *place, int64_t id)
{
  for (int i = 0; i < TOLD_KNOWN && id != 0; i++)
    if (place->told[i] == id) return true;
  return false;
}

static fcps_status ask(void *self, const fcps_lease_request *request, bool is_observed, fcps_ask *asked,
                       fcps_error *error)
{
  served_place *place = self;
  fcps_json *answer = NULL;
  *asked = (fcps_ask){0};
  fcps_status status =
      fcps_client_ask(&place->client, "lease", write_request(place, request, is_observed), &answer, error);
  if (status != FCPS_OK) return status;
  fcps_client_say_warnings(&place->client, answer, &place->log);
  (void)fcps_json_whole(fcps_json_get(answer, "asks"), &place->asks);
  (void)fcps_json_whole(fcps_json_get(answer, "leases"), &place->leases);
  if (!fcps_json_is_null(fcps_json_get(answer, "ask")))
    status = fcps_wire_ask_read(fcps_study_problem(place->study), answer, place->numbers, asked, error);
  if (status == FCPS_OK && is_told(place, asked->id))
    status = fcps_error_set(error, FCPS_ERR_IO, "STUDY",
                            "the server gives ask %lld again, although it has acknowledged its result: it stores "
                            "nothing, or its study was set back. Look at it before you begin again",
                            (long long)asked->id);
  fcps_json_destroy(answer);
  return status;
}

static fcps_status renew(void *self, const char *worker, const char *session, int lease_ms, fcps_error *error)
{
  served_place *place = self;
  fcps_client client = place->client;
  fcps_json *object = fcps_json_object(), *answer = NULL;
  fcps_json_put(&object, "worker", fcps_json_from_text(worker));
  fcps_json_put(&object, "session", fcps_json_from_text(session));
  if (lease_ms > 0) fcps_json_put(&object, "lease_ms", fcps_json_from_integer(lease_ms));
  client.stop = give_up_sign;
  place->sign_until = fcps_clock_seconds() + sign_patience;
  const fcps_status status = fcps_client_ask(&client, lease_ms > 0 ? "renew" : "release", object, &answer, error);
  fcps_json_destroy(answer);
  return status;
}

static int64_t count_asks(void *self)
{
  const served_place *place = self;
  return place->asks;
}

static fcps_status wait_for_others(void *self, int wait_ms, bool *is_over, fcps_error *error)
{
  const served_place *place = self;
  (void)error;
  *is_over = place->leases == 0;
  if (!*is_over) fcps_clock_pause(wait_ms);
  return FCPS_OK;
}

static fcps_status look_ahead(void *self, fcps_outlook *outlook, fcps_error *error)
{
  const served_place *place = self;
  fcps_json *answer = NULL;
  const fcps_status status = fcps_client_ask(&place->client, "status", NULL, &answer, error);
  *outlook = (fcps_outlook){0};
  /* If this is missing, nothing is known yet. */
  (void)fcps_json_bool(fcps_json_get(answer, "converged"), &outlook->is_converged);
  fcps_json_destroy(answer);
  return status;
}

/* -- Results -- */

/* Fills in the result as the study has it. Numbers that were not measured are those of the ask. */
static void fill_stored(const fcps_ask *asked, const fcps_result *result, const fcps_receipt *receipt,
                        fcps_stored_result *stored)
{
  *stored = (fcps_stored_result){
      .ask = asked->id, .result_number = 1, .is_used = true, .is_flagged = receipt->is_flagged, .result = *result};
  fcps_rollout *r = &stored->result.rollout;
  r->target = asked->target;
  if (r->environment == NULL) r->environment = asked->environment;
  if (r->parameters == NULL) r->parameters = asked->parameters;
  r->reward = receipt->reward;
}

static fcps_status tell(void *self, const fcps_ask *asked, const fcps_result *result, const fcps_run_patience *patience,
                        fcps_stored_result *stored, fcps_error *error)
{
  served_place *place = self;
  fcps_json *answer = NULL;
  fcps_receipt receipt;
  (void)patience; /* The loop repeats a call that failed. */
  *stored = (fcps_stored_result){.ask = 0};
  const fcps_status status =
      fcps_client_ask(&place->client, "tell", fcps_wire_told_write(fcps_study_problem(place->study), asked->id, result),
                      &answer, error);
  if (status != FCPS_OK) return status;
  fcps_client_say_warnings(&place->client, answer, &place->log);
  fcps_wire_receipt_read(answer, asked->id, &receipt);
  place->told[place->told_next++ % TOLD_KNOWN] = asked->id;
  fcps_json_destroy(answer);
  fill_stored(asked, result, &receipt, stored);
  /* This study only serves to describe the result. */
  (void)fcps_study_tell(place->study, FCPS_NOT_ASKED, &stored->result, NULL, NULL);
  return FCPS_OK;
}

/* -- Results that waited -- */

/* Finds the ask with this id in a list. If it is not there, the id of the ask found is 0. */
static fcps_status find_ask(const fcps_problem *p, int64_t id, const fcps_json *list, double *numbers, fcps_ask *found,
                            fcps_error *error)
{
  *found = (fcps_ask){.id = 0};
  for (int i = 0; i < fcps_json_count(list); i++) {
    int64_t number = 0;
    const fcps_json *item = fcps_json_at(list, i);
    if (!fcps_json_integer(fcps_json_get(item, "ask"), &number) || number != id) continue;
    return fcps_wire_ask_read(p, item, numbers, found, error);
  }
  return FCPS_OK;
}

/* Refuses a result that waited here if its ask has other numbers now: somebody may have replaced the server's study
 * by an older copy. */
static fcps_status check_kept(const served_place *place, const fcps_ask *kept, fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(place->study);
  fcps_json *answer = NULL;
  fcps_ask there;
  double *numbers = fcps_allocate((size_t)fcps_wire_ask_width(p), sizeof *numbers);
  if (numbers == NULL) return fcps_error_memory(error);
  fcps_json *request = fcps_json_object();
  fcps_json_put(&request, "state", fcps_json_from_text("all"));
  fcps_status status = fcps_client_ask(&place->client, "asks", request, &answer, error);
  if (status == FCPS_OK) status = find_ask(p, kept->id, fcps_json_get(answer, "asks"), numbers, &there, error);
  if (status == FCPS_OK) status = fcps_run_check_kept(p, kept, there.id != 0 ? &there : NULL, error);
  fcps_json_destroy(answer);
  free(numbers);
  return status;
}

static fcps_status take_kept(void *user, const fcps_ask *kept, const fcps_result *result, fcps_error *error)
{
  const served_place *place = user;
  fcps_json *answer = NULL;
  fcps_status status = check_kept(place, kept, error);
  if (status == FCPS_OK)
    status = fcps_client_ask(&place->client, "tell",
                             fcps_wire_told_write(fcps_study_problem(place->study), kept->id, result), &answer, error);
  fcps_json_destroy(answer);
  return status;
}

static fcps_status tell_kept(void *self, const fcps_run_patience *patience, fcps_error *error)
{
  served_place *place = self;
  const fcps_kept_taker taker = {take_kept, place};
  return fcps_run_give_kept(place->study, &taker, patience, NULL, error);
}

/* -- Beginning -- */

/* Makes the study that stands in for the served one, as the server describes it, with its present learner. If a learner
 * that was amended does not fit the problem, the learner of the problem file is used. */
static fcps_status make_stand_in(served_place *place, const char *url, const fcps_json *told, fcps_error *error)
{
  const char *identity = fcps_json_text(fcps_json_get(told, "identity"));
  char id[560];
  int64_t seed = 0;
  fcps_setting *settings = fcps_json_settings(fcps_json_get(told, "settings"));
  fcps_study_setup setup = {.text = fcps_json_text(fcps_json_get(told, "problem")),
                            .text_name = fcps_json_text(fcps_json_get(told, "file")),
                            .learner = fcps_json_text(fcps_json_get(told, "learner")),
                            .settings = settings};
  if (setup.text == NULL || settings == NULL || !fcps_json_integer(fcps_json_get(told, "seed"), &seed)) {
    free(settings);
    return fcps_error_set(error, FCPS_ERR_FORMAT, "STUDY",
                          "the server's answer lacks the problem, the settings or the seed of the study; without them "
                          "no worker can begin");
  }
  setup.seed = (uint64_t)seed;
  (void)fcps_json_integer(fcps_json_get(told, "asks"), &place->asks);
  snprintf(id, sizeof id, "served-%s-%s-%s", place->client.host, place->client.port, place->client.name);
  fcps_status status = fcps_study_create(&place->study, "memory:", &setup, NULL, NULL);
  setup.learner = NULL;
  setup.settings = NULL;
  if (status != FCPS_OK) status = fcps_study_create(&place->study, "memory:", &setup, NULL, error);
  free(settings);
  return status == FCPS_OK ? fcps_study_stand_in(place->study, url, identity != NULL ? identity : id, error) : status;
}

/* Reads how the server describes the study. Waits until the server answers. */
static fcps_status read_study(served_place *place, const fcps_work_options *options, fcps_json **told,
                              fcps_error *error)
{
  double pause = 0;
  fcps_status status;
  while ((status = fcps_client_ask(&place->client, "work", NULL, told, error)) == FCPS_ERR_LOCKED) {
    if (pause == 0)
      fcps_log_say(&options->log, FCPS_LOG_WARNING, "W_STUDY_LOCKED", "waiting for the study: %s", error->message);
    if (!fcps_work_back_off(options->stop, options->user, &pause))
      return fcps_error_set(error, FCPS_ERR_STOPPED, "", "stopped before the server answered");
  }
  return status;
}

/* Refuses to begin while a run has the study, as for a file. */
static fcps_status check_held(const fcps_json *told, fcps_error *error)
{
  const char *who = fcps_json_text(fcps_json_get(told, "held"));
  if (who == NULL) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", FCPS_WORK_BESIDE_RUN, who);
}

static fcps_status open_place(served_place *place, const char *url, const char *token, const fcps_work_options *options,
                              fcps_error *error)
{
  fcps_json *told = NULL;
  char shown[1100];
  fcps_status status = fcps_client_open(&place->client, url, token, error);
  if (status == FCPS_OK && place->client.study[0] == '\0')
    status =
        fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY", "%.100s names no study; write http://HOST:PORT/STUDY", url);
  if (status != FCPS_OK) return status;
  place->client.stop = give_up;
  place->client.user = place;
  fcps_client_write_address(&place->client, sizeof shown, shown);
  status = read_study(place, options, &told, error);
  if (status == FCPS_OK) status = check_held(told, error);
  if (status == FCPS_OK) status = make_stand_in(place, shown, told, error);
  fcps_json_destroy(told);
  if (status != FCPS_OK) return status;
  place->numbers = fcps_allocate((size_t)fcps_wire_ask_width(fcps_study_problem(place->study)), sizeof *place->numbers);
  return place->numbers != NULL ? FCPS_OK : fcps_error_memory(error);
}

fcps_status fcps_client_work(const char *url, const char *token, const fcps_problem_file *file,
                             const fcps_work_options *options, int64_t *done, fcps_error *error)
{
  served_place self = {.log = options->log};
  *done = 0;
  fcps_status status = open_place(&self, url, token, options, error);
  if (status == FCPS_OK) {
    const fcps_work_place place = {
        .self = &self,
        .ask = ask,
        .renew = renew,
        .tell = tell,
        .tell_kept = tell_kept,
        .count_asks = count_asks,
        .wait = wait_for_others,
        .look_ahead = look_ahead,
        /* A server reads no table of contexts, so the loop itself draws from such a table. */
        .draws_contexts = fcps_study_file(self.study)->contexts != FCPS_CONTEXT_CSV,
        .set_idle = set_idle};
    status = fcps_work_at(&place, self.study, file, options, done, error);
  }
  fcps_study_close(self.study);
  free(self.numbers);
  return status;
}
