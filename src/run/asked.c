/* SPDX-License-Identifier: Apache-2.0 */
/* The asks and evaluations of a run. This file keeps no state: every function reads the study anew. */
#include "run/loop.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Clients -- */

void fcps_run_client_name(int worker, char client[FCPS_RUN_CLIENT_SIZE])
{
  if (worker == 0)
    snprintf(client, FCPS_RUN_CLIENT_SIZE, FCPS_RUN_CLIENT);
  else
    snprintf(client, FCPS_RUN_CLIENT_SIZE, FCPS_RUN_CLIENT "/%d", worker + 1);
}

int fcps_run_client_worker(const char *client)
{
  static const char first[] = FCPS_RUN_CLIENT;
  char name[FCPS_RUN_CLIENT_SIZE];
  if (strcmp(client, first) == 0) return 0;
  if (strncmp(client, first, sizeof first - 1) != 0 || client[sizeof first - 1] != '/') return -1;
  const long number = strtol(client + sizeof first, NULL, 10);
  if (number < 2 || number > FCPS_RUN_MOST_PARALLEL) return -1;
  fcps_run_client_name((int)number - 1, name);
  /* The name counts only if it is written exactly as fcps_run_client_name writes it. */
  return strcmp(client, name) == 0 ? (int)number - 1 : -1;
}

bool fcps_run_owns_client(const char *client)
{
  static const size_t length = sizeof FCPS_RUN_CLIENT - 1;
  if (client == NULL || strncmp(client, FCPS_RUN_CLIENT, length) != 0) return false;
  return client[length] == '\0' || client[length] == '/';
}

/* -- Asks -- */

int64_t fcps_run_asked_count(const fcps_study *study, int64_t *unfinished)
{
  int64_t count = 0;
  *unfinished = 0;
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    fcps_ask ask;
    fcps_study_ask_at(study, i, &ask);
    if (fcps_run_client_worker(ask.client) < 0) continue;
    count++;
    *unfinished += ask.state == FCPS_ASK_PENDING;
  }
  return count;
}

int64_t fcps_run_asked_episode(const fcps_study *study, int64_t id)
{
  int64_t episode = 0;
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    fcps_ask ask;
    fcps_study_ask_at(study, i, &ask);
    if (ask.id == id) break;
    episode += fcps_run_client_worker(ask.client) >= 0;
  }
  return episode;
}

/* -- Earlier episodes -- */

static int compare_asks(const void *first, const void *second)
{
  const fcps_run_earlier *a = first, *b = second;
  return a->ask < b->ask ? -1 : a->ask > b->ask;
}

static int compare_results(const void *first, const void *second)
{
  const fcps_run_earlier *a = first, *b = second;
  if (a->sequence != b->sequence) return a->sequence < b->sequence ? -1 : 1;
  return compare_asks(first, second);
}

/* Lists the asks that are no longer unfinished, in the order in which they were asked. */
static int64_t list_asks(const fcps_study *study, fcps_run_earlier *list)
{
  int64_t count = 0, episode = 0;
  for (int i = 0; i < fcps_study_ask_count(study); i++) {
    fcps_ask ask;
    fcps_study_ask_at(study, i, &ask);
    if (fcps_run_client_worker(ask.client) < 0) continue;
    if (ask.state != FCPS_ASK_PENDING) list[count++] = (fcps_run_earlier){.ask = ask.id, .episode = episode};
    episode++;
  }
  return count;
}

/* Notes for each ask the sequence of its first result. This is when the trial ended, even if another result of the ask
 * is used today. */
static void find_results(const fcps_study *study, fcps_run_earlier *list, int64_t count)
{
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result result;
    fcps_study_result_at(study, i, &result);
    const fcps_run_earlier key = {.ask = result.ask};
    fcps_run_earlier *found = bsearch(&key, list, (size_t)count, sizeof *list, compare_asks);
    if (found != NULL && found->sequence == 0) found->sequence = result.sequence;
  }
  for (int64_t i = 1; i < count; i++)
    if (list[i].sequence == 0) list[i].sequence = list[i - 1].sequence;
}

fcps_run_earlier *fcps_run_earlier_list(const fcps_study *study, int64_t *count)
{
  int64_t unfinished;
  const int64_t asked = fcps_run_asked_count(study, &unfinished);
  fcps_run_earlier *list = fcps_allocate((size_t)(asked - unfinished), sizeof *list);
  *count = 0;
  if (list == NULL || asked == unfinished) return list;
  *count = list_asks(study, list);
  find_results(study, list, *count);
  qsort(list, (size_t)*count, sizeof *list, compare_results);
  return list;
}

/* -- Evaluations: notes of the study, {"episode": 20, "mean": -3.25} -- */

static const char evaluation[] = "EVALUATION";

/* Whether a note is the evaluation after this episode. If so, *mean receives its value. */
static bool read_note(const char *text, int64_t episode, double *mean)
{
  fcps_json *json = NULL;
  int64_t noted = 0;
  const bool is_it = fcps_json_read(&json, text, strlen(text), evaluation, NULL) == FCPS_OK &&
                     fcps_json_integer(fcps_json_get(json, "episode"), &noted) && noted == episode &&
                     fcps_json_number(fcps_json_get(json, "mean"), mean);
  fcps_json_destroy(json);
  return is_it;
}

bool fcps_run_find_offline(const fcps_study *study, int64_t episode, double *mean)
{
  const fcps_study_event *event;
  for (int i = 0; (event = fcps_study_event_at(study, i)) != NULL; i++)
    if (strcmp(event->code, evaluation) == 0 && read_note(event->text, episode, mean)) return true;
  return false;
}

fcps_status fcps_run_note_offline(fcps_study *study, int64_t episode, double mean, fcps_error *error)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "episode", fcps_json_from_integer(episode));
  fcps_json_put(&json, "mean", fcps_json_from_number(mean));
  char *text = fcps_json_finish(json);
  const fcps_status status = text != NULL ? fcps_study_note(study, evaluation, text, error) : fcps_error_memory(error);
  fcps_free(text);
  return status;
}
