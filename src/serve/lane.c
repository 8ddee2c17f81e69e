/* SPDX-License-Identifier: Apache-2.0 */
/* Does the jobs of a lane. Between jobs a lane keeps its open study, the last policy, the suspects that were found, and
 * the latest answers of the model. If the study file is replaced, the lane does not open the new file. The new file may
 * have other asks with the same numbers, so a result could be stored for a trial that was never done. The lane refuses
 * all jobs until the server is started again. */
#include "serve/lane.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "operation/call.h"
#include "serve/names.h"
#include "study/inside.h"
#include "wire/wire.h"

#include <fcps/run.h>

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* WAITING_MAX: the most jobs that wait in one lane. NOTICE_MS: how often a study is checked for changes while somebody
 * listens. RARELY: this many times more rarely if nobody listens. */
enum { WAITING_MAX = 512, NOTICE_MS = 250, RARELY = 8 };

/* The longest time of a forecast, in seconds. Other jobs that need the model wait for it. It ends earlier if its client
 * goes away. */
enum { FORECAST_S = 120 };

struct fcps_lane {
  fcps_lane_options options;
  char *name, *path, *folder;
  fcps_study *study;
  fcps_call_kept kept; /* what calls share as long as the study does not change */
  int64_t noticed_sequence;
  fcps_remembered remembered; /* the latest answers, in a lane that asks the model */
  fcps_json *warnings;        /* the warnings of the present job; NULL: none so far */
  char *summary;              /* the summary of the study when it was opened */
  int waits;                  /* how often the lane has waited without getting a job */

  pthread_t thread;
  bool has_thread, has_lock, has_wake;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  /* These fields are only used under the lock: */
  fcps_request *first, **last;
  int waiting;
  bool is_stopping;
};

void fcps_request_destroy(fcps_request *job)
{
  if (job == NULL) return;
  if (job->counted != NULL) *job->counted -= job->length;
  fcps_query_destroy(&job->query);
  fcps_free(job->answer.body);
  fcps_free(job->summary);
  fcps_free(job->made);
  free(job->body);
  free(job);
}

/* -- Remembering -- */

/* Questions are compared byte by byte. If the same question is written in another way, the model is asked again, which
 * does no harm. Answers to requests with values in their path are not remembered. */

/* A longer answer is a file, which nobody asks for twice. */
enum { ANSWER_MAX = 1 << 20 };

static void forget(fcps_remembered_item *item)
{
  free(item->question);
  fcps_free(item->answer.body);
  *item = (fcps_remembered_item){0};
}

void fcps_remembered_clear(fcps_remembered *r)
{
  for (int i = 0; i < FCPS_REMEMBERED_MAX; i++)
    forget(r->items + i);
}

static bool is_same(const fcps_remembered_item *item, const fcps_request *job)
{
  return item->operation == job->operation && item->length == job->length &&
         (job->length == 0 || memcmp(item->question, job->body, job->length) == 0);
}

bool fcps_remembered_find(fcps_remembered *r, int64_t sequence, fcps_request *job)
{
  if (sequence != r->sequence) fcps_remembered_clear(r);
  r->sequence = sequence;
  for (int i = 0; i < FCPS_REMEMBERED_MAX && job->query.value_count == 0; i++) {
    const fcps_remembered_item *item = r->items + i;
    if (!is_same(item, job)) continue;
    char *body = fcps_copy(item->answer.body, item->answer.length, 1);
    if (body == NULL) return false;
    job->answer = item->answer;
    job->answer.body = body;
    return true;
  }
  return false;
}

void fcps_remembered_add(fcps_remembered *r, const fcps_request *job)
{
  const fcps_answer *answer = &job->answer;
  if (job->query.value_count > 0 || answer->is_passing || answer->status != 200 || answer->length == 0 ||
      answer->length > ANSWER_MAX)
    return;
  fcps_remembered_item *item = r->items + r->next;
  forget(item);
  *item = (fcps_remembered_item){.operation = job->operation, .length = job->length, .answer = *answer};
  item->answer.body = fcps_copy(answer->body, answer->length, 1);
  item->question = job->length > 0 ? fcps_copy(job->body, job->length, 1) : NULL;
  if (item->answer.body == NULL || (job->length > 0 && item->question == NULL))
    forget(item);
  else
    r->next = (r->next + 1) % FCPS_REMEMBERED_MAX;
}

/* -- The study -- */

static void close_study(fcps_lane *lane)
{
  fcps_call_kept_clear(&lane->kept);
  fcps_remembered_clear(&lane->remembered);
  fcps_study_close(lane->study);
  lane->study = NULL;
}

/* Keeps a warning for the answer, and sends it to the log of the server. */
static void note_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  fcps_lane *lane = user;
  if (level != FCPS_LOG_WARNING) return;
  fcps_wire_warning_add(&lane->warnings, code, message);
  fcps_log_say(&lane->options.log, level, code, "%s: %s", lane->name != NULL ? lane->name : "a new study", message);
}

static fcps_status open_study(fcps_lane *lane, fcps_error *error)
{
  const fcps_study_options options = {.log = {note_warning, lane}, .maker = lane->options.maker};
  if (lane->path == NULL) return FCPS_OK;
  const fcps_status status = fcps_study_open(&lane->study, lane->path, &options, error);
  /* The client does not have the file of the study, so messages call it STUDY. */
  return status == FCPS_OK ? fcps_study_set_word(lane->study, "STUDY", error) : status;
}

/* Writes the entry of a study in the list of all studies: {"study": "throw", "sequence": 12, "rollouts": 7, ...}. */
static char *summarize(const fcps_lane *lane)
{
  fcps_wire_tally tally;
  if (lane->study == NULL || fcps_wire_tally_create(&tally, lane->study, NULL) != FCPS_OK) return NULL;
  const fcps_problem_file *file = fcps_study_file(lane->study);
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "study", fcps_json_from_text(lane->name));
  fcps_json_put(&object, "problem", fcps_json_from_text(file != NULL ? file->name : lane->name));
  fcps_json_put(&object, "learner", fcps_json_from_text(fcps_study_learner(lane->study)));
  fcps_json_put(&object, "sequence", fcps_json_from_integer(fcps_study_sequence(lane->study)));
  fcps_json_put(&object, "rollouts", fcps_json_from_integer(tally.counts.results));
  fcps_json_put(&object, "failed", fcps_json_from_integer(tally.counts.failed));
  fcps_json_put(&object, "pending", fcps_json_from_integer(tally.pending));
  fcps_json_put(&object, "best_reward", fcps_json_from_known(tally.reward_count > 0 ? tally.best : NAN));
  fcps_json_put(&object, "recent_reward", fcps_json_from_known(tally.reward_count > 0 ? tally.recent : NAN));
  fcps_wire_tally_destroy(&tally);
  return fcps_json_finish(object);
}

/* -- One job -- */

static void answer_failure(fcps_answer *answer, const fcps_error *why, int status)
{
  fcps_free(answer->body);
  *answer = (fcps_answer){.status = status, .body = fcps_json_finish(fcps_wire_failure_write(why))};
  answer->length = answer->body != NULL ? strlen(answer->body) : 0;
}

static void answer_call(fcps_answer *answer, fcps_call *call, fcps_json **warnings)
{
  fcps_wire_warnings_put(&call->json, warnings);
  *answer = (fcps_answer){.status = call->status != 0 ? call->status : 200,
                          .type = call->type,
                          .file_ending = call->file_ending,
                          .is_passing = call->is_passing,
                          .body = call->text != NULL ? call->text : fcps_json_finish(call->json)};
  call->text = NULL;
  call->json = NULL;
  const fcps_error memory = {.status = FCPS_ERR_MEMORY, .message = "there is no memory for the answer"};
  if (answer->body != NULL)
    answer->length = call->length > 0 ? call->length : strlen(answer->body);
  else
    answer_failure(answer, &memory, 503);
}

static fcps_status read_request(const fcps_request *job, fcps_json **request, fcps_error *error)
{
  if ((job->operation->flags & FCPS_OPERATION_BY_GET) != 0)
    return fcps_route_read_query(job->operation, &job->query, request, error);
  const fcps_status status = fcps_json_read(request, job->body, job->length, "the body", error);
  if (status != FCPS_OK || fcps_json_is_object(*request)) return status;
  return fcps_error_set(error, FCPS_ERR_FORMAT, "", "the body must be a JSON object, such as {\"ask\": 7}");
}

/* Before and after a lane reads the study, shares the number of the last record that it has seen. So each lane finds
 * every record that another lane has mentioned in an answer. */
static void share_seen(fcps_lane *lane)
{
  fcps_lanes_seen *seen = lane->options.seen;
  if (seen == NULL || lane->study == NULL) return;
  pthread_mutex_lock(&seen->lock);
  fcps_study_share_seen(lane->study, &seen->latest);
  pthread_mutex_unlock(&seen->lock);
}

/* Brings the study up to date. A lane that stores does this within its transactions. */
static fcps_status prepare_study(fcps_lane *lane, fcps_error *error)
{
  return lane->options.is_looking ? fcps_study_refresh(lane->study, error) : FCPS_OK;
}

/* After a job, notes the last record of the study, and forgets the warnings of the job. */
static void note_state(fcps_lane *lane, fcps_request *job)
{
  if (lane->study != NULL) job->sequence = lane->noticed_sequence = fcps_study_sequence(lane->study);
  job->summary = summarize(lane);
  const char *identity = lane->study != NULL ? fcps_study_identity(lane->study) : NULL;
  if (identity != NULL) snprintf(job->answer.identity, sizeof job->answer.identity, "%s", identity);
  fcps_json_destroy(lane->warnings);
  lane->warnings = NULL;
}

static void answer_job(fcps_lane *lane, fcps_request *job, fcps_status status, fcps_error *error)
{
  fcps_json *request = NULL;
  fcps_making making = {.folder = lane->folder, .names = lane->options.names};
  if (status == FCPS_OK) status = read_request(job, &request, error);
  fcps_call call = {.operation = job->operation,
                    .study = lane->study,
                    .name = lane->name,
                    .request = request,
                    .kept = &lane->kept,
                    .log = {note_warning, lane},
                    .time_limit_s = FORECAST_S,
                    .is_left = &job->is_left,
                    .server = &making};
  if (status == FCPS_OK) status = fcps_call_run(&call, error);
  if (status == FCPS_OK)
    answer_call(&job->answer, &call, &lane->warnings);
  else
    answer_failure(&job->answer, error, call.status != 0 ? call.status : fcps_call_http_status(status));
  job->made = status == FCPS_OK ? making.made : NULL;
  if (status != FCPS_OK) fcps_free(making.made);
  fcps_json_destroy(call.json);
  fcps_free(call.text);
  fcps_json_destroy(request);
}

static void do_job(fcps_lane *lane, fcps_request *job)
{
  fcps_error error = {0};
  share_seen(lane);
  const fcps_status status = prepare_study(lane, &error);
  const bool is_model = fcps_route_place_of(job->operation) == FCPS_ROUTE_MODEL && status == FCPS_OK;
  if (!is_model || !fcps_remembered_find(&lane->remembered, fcps_study_sequence(lane->study), job)) {
    answer_job(lane, job, status, &error);
    if (is_model) fcps_remembered_add(&lane->remembered, job);
  }
  share_seen(lane);
  note_state(lane, job);
}

/* -- The thread -- */

/* If other processes have stored something, reports it as a job without a request. */
static void notice(fcps_lane *lane)
{
  if (lane->study == NULL) return;
  if (atomic_load(lane->options.listeners) == 0 && ++lane->waits % RARELY != 0) return;
  share_seen(lane);
  if (fcps_study_refresh(lane->study, NULL) != FCPS_OK) return;
  share_seen(lane);
  const int64_t sequence = fcps_study_sequence(lane->study);
  fcps_request *job = sequence != lane->noticed_sequence ? fcps_allocate(1, sizeof *job) : NULL;
  if (job == NULL) return;
  lane->noticed_sequence = sequence;
  job->served = lane->options.served;
  job->sequence = sequence;
  job->summary = summarize(lane);
  lane->options.finish(lane->options.user, job);
}

/* Takes the next job. Returns NULL if none came for a while, or if none will come any more (*is_over). */
static fcps_request *take(fcps_lane *lane, bool *is_over)
{
  const struct timespec until = fcps_clock_in(NOTICE_MS);
  int waited = 0;
  pthread_mutex_lock(&lane->lock);
  while (lane->first == NULL && !lane->is_stopping && waited == 0)
    waited = lane->options.is_watching ? pthread_cond_timedwait(&lane->wake, &lane->lock, &until)
                                       : pthread_cond_wait(&lane->wake, &lane->lock);
  fcps_request *job = lane->first;
  if (job != NULL) {
    lane->first = job->next;
    if (lane->first == NULL) lane->last = &lane->first;
    job->next = NULL;
    lane->waiting--;
  }
  *is_over = job == NULL && lane->is_stopping;
  pthread_mutex_unlock(&lane->lock);
  return job;
}

static void *work(void *argument)
{
  fcps_lane *lane = argument;
  for (bool is_over = false; !is_over;) {
    fcps_request *job = take(lane, &is_over);
    if (job != NULL) {
      do_job(lane, job);
      lane->options.finish(lane->options.user, job);
    } else if (!is_over) {
      notice(lane);
    }
  }
  return NULL;
}

static bool start(fcps_lane *lane)
{
  pthread_condattr_t attributes;
  sigset_t all, before;
  lane->has_lock = pthread_mutex_init(&lane->lock, NULL) == 0;
  if (!lane->has_lock || pthread_condattr_init(&attributes) != 0) return false;
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  lane->has_wake = pthread_cond_init(&lane->wake, &attributes) == 0;
  pthread_condattr_destroy(&attributes);
  sigfillset(&all); /* Signals go to the thread of the loop. */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  lane->has_thread = lane->has_wake && pthread_create(&lane->thread, NULL, work, lane) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return lane->has_thread;
}

fcps_status fcps_lane_create(fcps_lane **result, const fcps_lane_options *options, fcps_error *error)
{
  fcps_lane *lane = fcps_allocate(1, sizeof *lane);
  *result = NULL;
  if (lane == NULL) return fcps_error_memory(error);
  lane->options = *options;
  lane->name = fcps_copy_text(options->name);
  lane->path = fcps_copy_text(options->path);
  lane->folder = fcps_copy_text(options->folder);
  lane->last = &lane->first;
  lane->kept.suspects_sequence = lane->noticed_sequence = -1;
  fcps_status status = FCPS_OK;
  if ((options->name != NULL && lane->name == NULL) || (options->path != NULL && lane->path == NULL) ||
      (options->folder != NULL && lane->folder == NULL))
    status = fcps_error_memory(error);
  if (status == FCPS_OK) status = open_study(lane, error);
  if (status == FCPS_OK) lane->summary = summarize(lane);
  if (status == FCPS_OK && !start(lane))
    status = fcps_error_set(error, FCPS_ERR_MEMORY, "", "no thread could be started for a study");
  if (status != FCPS_OK)
    fcps_lane_destroy(lane);
  else
    *result = lane;
  return status;
}

char *fcps_lane_take_summary(fcps_lane *lane)
{
  char *summary = lane->summary;
  lane->summary = NULL;
  return summary;
}

bool fcps_lane_add(fcps_lane *lane, fcps_request *job)
{
  pthread_mutex_lock(&lane->lock);
  const bool has_room = lane->waiting < WAITING_MAX && !lane->is_stopping;
  if (has_room) {
    job->next = NULL;
    *lane->last = job;
    lane->last = &job->next;
    lane->waiting++;
    pthread_cond_signal(&lane->wake);
  }
  pthread_mutex_unlock(&lane->lock);
  return has_room;
}

/* Lets the lane end after its present jobs. */
static void stop_lane(fcps_lane *lane)
{
  if (lane == NULL || !lane->has_thread) return;
  pthread_mutex_lock(&lane->lock);
  lane->is_stopping = true;
  pthread_cond_signal(&lane->wake);
  pthread_mutex_unlock(&lane->lock);
}

void fcps_lane_destroy(fcps_lane *lane)
{
  if (lane == NULL) return;
  stop_lane(lane);
  if (lane->has_thread) pthread_join(lane->thread, NULL);
  if (lane->has_wake) pthread_cond_destroy(&lane->wake);
  if (lane->has_lock) pthread_mutex_destroy(&lane->lock);
  close_study(lane);
  fcps_json_destroy(lane->warnings);
  fcps_free(lane->summary);
  free(lane->name);
  free(lane->path);
  free(lane->folder);
  free(lane);
}
