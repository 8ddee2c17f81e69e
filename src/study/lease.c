/* SPDX-License-Identifier: Apache-2.0 */
/* Leases: which worker works on which unfinished ask, and until when (fcps/study_lease.h).
 *
 * The leases are one named text of the store, {"12": ["worker", since, until, length], ...}. They are not records of
 * the journal, which must not grow with every sign of life; only the change of an ask's worker is recorded, as a
 * note. Invariants:
 *   - the text is read, changed and written within one writing transaction, so two workers cannot take the same ask;
 *   - an ask and its first lease are stored together, so every ask of a worker can be taken over;
 *   - a lease counts only while its ask is unfinished; the next writer of the text drops the others. So a tell need
 *     not know of leases;
 *   - times are those of the store, never of a worker. The store's clock may be set back. A lease whose end is
 *     further away than twice its length has ended; otherwise a dead worker would keep its ask until the clock has
 *     caught up. Smaller corrections of the clock take no ask from a living worker;
 *   - a name belongs to one session at a time, from its first lease until one lease length after its last sign of
 *     life. Meanwhile a second process of the same name gets no lease. The sessions are another text, {"name":
 *     ["session", until, length], ...}.
 */
#include "study/study_impl.h"

#include "base/error.h"
#include "base/memory.h"
#include "study/inside.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEASES_KEY   "leases"
#define SESSIONS_KEY "workers"

/* The note that an ask has another worker; its text names both workers. */
#define LEASE_ENDED_CODE "LEASE_ENDED"

/* The end that is written for a lease that its worker has given back. */
enum { GIVEN_BACK = 0 };

/* -- The text -- */

static fcps_status damaged(fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "", "the stored leases cannot be read. Nothing was changed.");
}

/* Returns the end of a lease. If the store's clock was set back by too much, the lease has ended. */
static int64_t find_end(const fcps_study *s, int64_t until_ms, int64_t length_ms)
{
  /* The length of a lease that a request asks for lies in this range. */
  const bool is_length = length_ms > 0 && length_ms <= INT_MAX;
  const bool is_set_back = is_length && until_ms > s->lease_time_ms + 2 * length_ms;
  return is_set_back ? s->lease_time_ms - 1 : until_ms;
}

static bool read_lease(const fcps_json *json, int index, study_lease *lease)
{
  const fcps_json *row = fcps_json_get(json, fcps_json_key(json, index));
  const char *worker = fcps_json_text(fcps_json_at(row, 0));
  char *end = NULL;
  lease->ask = strtoll(fcps_json_key(json, index), &end, 10);
  if (*end != '\0' || worker == NULL || strlen(worker) >= sizeof lease->worker ||
      !fcps_json_integer(fcps_json_at(row, 1), &lease->since_ms) ||
      !fcps_json_integer(fcps_json_at(row, 2), &lease->until_ms) ||
      !fcps_json_integer(fcps_json_at(row, 3), &lease->length_ms))
    return false;
  strcpy(lease->worker, worker);
  return true;
}

/* Copies the leases of unfinished asks from the JSON into the study. */
static fcps_status take_leases(fcps_study *s, const fcps_json *json, fcps_error *error)
{
  const int count = fcps_json_count(json);
  if (!fcps_reserve((void **)&s->leases, &s->lease_capacity, (size_t)count + 1, sizeof *s->leases))
    return fcps_error_memory(error);
  for (int i = 0; i < count; i++) {
    study_lease lease = {0};
    if (!read_lease(json, i, &lease)) return damaged(error);
    lease.until_ms = find_end(s, lease.until_ms, lease.length_ms);
    const study_ask *ask = fcps_study_find_ask(s, lease.ask);
    if (ask != NULL && ask->state == FCPS_ASK_PENDING) s->leases[s->lease_count++] = lease;
  }
  return FCPS_OK;
}

/* Within a transaction, reads the leases and the store's time. */
static fcps_status load(fcps_study *s, fcps_error *error)
{
  char *text = NULL;
  fcps_json *json = NULL;
  s->lease_count = 0;
  fcps_status status = fcps_store_time(s->store, &s->lease_time_ms, error);
  if (status == FCPS_OK) status = fcps_store_get(s->store, LEASES_KEY, &text, error);
  if (status == FCPS_OK && text != NULL) {
    status = fcps_json_read(&json, text, strlen(text), LEASES_KEY, NULL);
    if (status != FCPS_OK || !fcps_json_is_object(json)) status = damaged(error);
  }
  if (status == FCPS_OK && json != NULL) status = take_leases(s, json, error);
  fcps_json_destroy(json);
  free(text);
  return status;
}

static fcps_status save(fcps_study *s, fcps_error *error)
{
  fcps_json *json = fcps_json_object();
  for (size_t i = 0; i < s->lease_count; i++) {
    const study_lease *lease = &s->leases[i];
    char key[24];
    fcps_json *row = fcps_json_array();
    snprintf(key, sizeof key, "%lld", (long long)lease->ask);
    fcps_json_add(&row, fcps_json_from_text(lease->worker));
    fcps_json_add(&row, fcps_json_from_integer(lease->since_ms));
    fcps_json_add(&row, fcps_json_from_integer(lease->until_ms));
    fcps_json_add(&row, fcps_json_from_integer(lease->length_ms));
    fcps_json_put(&json, key, row);
  }
  char *text = fcps_json_finish(json);
  if (text == NULL) return fcps_error_memory(error);
  const fcps_status status = fcps_store_set(s->store, LEASES_KEY, text, error);
  fcps_free(text);
  return status;
}

/* -- Names of workers and sessions -- */

static bool is_of(const study_lease *lease, const char *worker)
{
  const size_t length = strlen(worker);
  return strncmp(lease->worker, worker, length) == 0 && (lease->worker[length] == '\0' || lease->worker[length] == '/');
}

/* Writes the name of a worker's process: the worker "bench/2" belongs to the process "bench". */
static void name_process(const char *worker, char process[FCPS_WORKER_NAME])
{
  snprintf(process, FCPS_WORKER_NAME, "%.*s", (int)strcspn(worker, "/"), worker);
}

static fcps_json *write_session(const char *session, int64_t until_ms, int64_t length_ms)
{
  fcps_json *row = fcps_json_array();
  fcps_json_add(&row, fcps_json_from_text(session));
  fcps_json_add(&row, fcps_json_from_integer(until_ms));
  fcps_json_add(&row, fcps_json_from_integer(length_ms));
  return row;
}

/* Within a transaction, after load, reads the sessions that have not ended. *is_taken says whether the name `process`
 * belongs to a session other than `session`. */
static fcps_status load_sessions(fcps_study *s, const char *process, const char *session, fcps_json **lasting,
                                 bool *is_taken, fcps_error *error)
{
  char *text = NULL;
  fcps_json *json = NULL;
  *lasting = fcps_json_object();
  *is_taken = false;
  fcps_status status = fcps_store_get(s->store, SESSIONS_KEY, &text, error);
  if (status == FCPS_OK && text != NULL && fcps_json_read(&json, text, strlen(text), SESSIONS_KEY, NULL) != FCPS_OK)
    status = damaged(error);
  for (int i = 0; status == FCPS_OK && i < fcps_json_count(json); i++) {
    const char *name = fcps_json_key(json, i);
    const fcps_json *row = fcps_json_get(json, name);
    const char *there = fcps_json_text(fcps_json_at(row, 0));
    int64_t until_ms = 0, length_ms = 0;
    if (there == NULL || !fcps_json_integer(fcps_json_at(row, 1), &until_ms)) {
      status = damaged(error);
      break;
    }
    (void)fcps_json_integer(fcps_json_at(row, 2), &length_ms);
    until_ms = find_end(s, until_ms, length_ms);
    if (until_ms < s->lease_time_ms || strcmp(name, process) == 0) {
      *is_taken |= until_ms >= s->lease_time_ms && strcmp(there, session) != 0;
      continue;
    }
    fcps_json_put(lasting, name, write_session(there, until_ms, length_ms));
  }
  fcps_json_destroy(json);
  free(text);
  return status;
}

static fcps_status save_sessions(fcps_study *s, fcps_json *lasting, fcps_error *error)
{
  char *text = fcps_json_finish(lasting);
  if (text == NULL) return fcps_error_memory(error);
  const fcps_status status = fcps_store_set(s->store, SESSIONS_KEY, text, error);
  fcps_free(text);
  return status;
}

/* Refuses a name that belongs to another session. If `is_written`, the name belongs to this session from now on or, if
 * lease_ms is 0, to no session. */
static fcps_status hold_name(fcps_study *s, const char *worker, const char *session, int lease_ms, bool is_written,
                             fcps_error *error)
{
  char process[FCPS_WORKER_NAME];
  fcps_json *lasting = NULL;
  bool is_taken = false;
  if (session == NULL) return FCPS_OK;
  name_process(worker, process);
  fcps_status status = load_sessions(s, process, session, &lasting, &is_taken, error);
  if (status == FCPS_OK && is_taken)
    status =
        fcps_error_set(error, FCPS_ERR_CONFLICT, "worker",
                       "another process works under the name \"%s\"; give each worker a name of its own (--name), or "
                       "wait until the lease of the other one ends",
                       process);
  if (status != FCPS_OK || !is_written) {
    fcps_json_destroy(lasting);
    return status;
  }
  if (lease_ms > 0) fcps_json_put(&lasting, process, write_session(session, s->lease_time_ms + lease_ms, lease_ms));
  return save_sessions(s, lasting, error);
}

/* -- Beside a run -- */

/* Refuses an ask while a run holds the study. A run takes all trials for its own and drives the robot, so nobody else
 * may get an ask. A worker checks for a run before it asks, and again after its lease is stored. A run checks for
 * workers before it holds the study, and again afterwards. So if both begin at once, at least one of them sees the
 * other. */
static fcps_status refuse_beside_run(fcps_study *s, fcps_error *error)
{
  fcps_error who = {0};
  if (!fcps_study_is_held(s, &who)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_LOCKED, "", "a run owns the study, and no worker gets an ask beside it: %.300s",
                        who.message);
}

static fcps_status refuse_worker(const fcps_study *s, const char *worker, int64_t until_ms, fcps_error *error)
{
  return fcps_error_set(
      error, FCPS_ERR_LOCKED, "",
      "the worker \"%s\" is at work on %.300s, and a run needs its study for itself. End the worker, or "
      "let it and others (fcps work) do the trials; one that was killed is forgotten in %lld s.",
      worker, fcps_study_url(s), (long long)((until_ms - s->lease_time_ms) / 1000 + 1));
}

/* After load, refuses if a worker is alive, and names the first one. A worker is alive if it has a session, or a lease
 * without a session. */
static fcps_status refuse_living(fcps_study *s, fcps_error *error)
{
  fcps_json *living = NULL;
  bool is_taken = false;
  fcps_status status = load_sessions(s, "", "", &living, &is_taken, error);
  if (status == FCPS_OK && fcps_json_count(living) > 0) {
    int64_t until_ms = 0;
    const char *worker = fcps_json_key(living, 0);
    (void)fcps_json_integer(fcps_json_at(fcps_json_get(living, worker), 1), &until_ms);
    status = refuse_worker(s, worker, until_ms, error);
  }
  fcps_json_destroy(living);
  for (size_t i = 0; status == FCPS_OK && i < s->lease_count; i++)
    if (s->leases[i].until_ms >= s->lease_time_ms)
      status = refuse_worker(s, s->leases[i].worker, s->leases[i].until_ms, error);
  return status;
}

fcps_status fcps_study_refuse_workers(fcps_study *s, fcps_error *error)
{
  fcps_status status = fcps_study_begin(s, false, error);
  if (status != FCPS_OK) return status;
  status = load(s, error);
  if (status == FCPS_OK) status = refuse_living(s, error);
  return fcps_study_end(s, status, error);
}

/* -- Giving and taking over -- */

static void give(fcps_study *s, study_lease *lease, const fcps_lease_request *request)
{
  snprintf(lease->worker, sizeof lease->worker, "%s", request->worker);
  lease->since_ms = s->lease_time_ms;
  lease->until_ms = s->lease_time_ms + request->lease_ms;
  lease->length_ms = request->lease_ms;
}

fcps_status fcps_study_write_lease(fcps_study *s, int64_t ask, const fcps_lease_request *request, fcps_error *error)
{
  fcps_status status = load(s, error);
  if (status == FCPS_OK) status = hold_name(s, request->worker, request->session, request->lease_ms, true, error);
  if (status != FCPS_OK) return status;
  if (!fcps_reserve((void **)&s->leases, &s->lease_capacity, s->lease_count + 1, sizeof *s->leases))
    return fcps_error_memory(error);
  study_lease *lease = &s->leases[s->lease_count++];
  lease->ask = ask;
  give(s, lease, request);
  return save(s, error);
}

/* Finds a lease that the worker has already. If it has none, finds the earliest ask whose lease has ended. NULL if
 * there is none. */
static study_lease *find_lease(const fcps_study *s, const char *worker)
{
  study_lease *found = NULL;
  for (size_t i = 0; i < s->lease_count; i++) {
    study_lease *lease = &s->leases[i];
    if (strcmp(lease->worker, worker) == 0) return lease;
    if (lease->until_ms < s->lease_time_ms && (found == NULL || lease->ask < found->ask)) found = lease;
  }
  return found;
}

static fcps_status note_change(fcps_study *s, const study_lease *lease, const char *worker, fcps_error *error)
{
  char text[3 * FCPS_WORKER_NAME];
  snprintf(text, sizeof text, "ask %lld: %s %s, and it went to %s", (long long)lease->ask, lease->worker,
           lease->until_ms == GIVEN_BACK ? "gave it back" : "was silent for too long", worker);
  fcps_journal_record note = {.kind = FCPS_JOURNAL_NOTE, .ask = lease->ask, .client = LEASE_ENDED_CODE, .text = text};
  return fcps_study_write(s, &note, error);
}

/* Gives the worker an ask whose lease has ended. *ask is 0 if there is no such ask. */
static fcps_status take_over(fcps_study *s, const fcps_lease_request *request, int64_t *ask, fcps_error *error)
{
  *ask = 0;
  fcps_status status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  status = load(s, error);
  if (status == FCPS_OK) status = hold_name(s, request->worker, request->session, request->lease_ms, true, error);
  study_lease *lease = status == FCPS_OK ? find_lease(s, request->worker) : NULL;
  if (lease == NULL) {
    fcps_store_rollback(s->store);
    return status;
  }
  if (strcmp(lease->worker, request->worker) != 0) status = note_change(s, lease, request->worker, error);
  give(s, lease, request);
  if (status == FCPS_OK) status = save(s, error);
  const int64_t taken = lease->ask;
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK) *ask = taken;
  return status;
}

/* *may says whether there is an ask to take over. The function only reads, so other processes can write meanwhile. */
static fcps_status may_take_over(fcps_study *s, const fcps_lease_request *request, bool *may, fcps_error *error)
{
  *may = false;
  fcps_status status = fcps_study_begin(s, false, error);
  if (status != FCPS_OK) return status;
  status = load(s, error);
  if (status == FCPS_OK) status = hold_name(s, request->worker, request->session, request->lease_ms, false, error);
  *may = status == FCPS_OK && find_lease(s, request->worker) != NULL;
  return fcps_study_end(s, status, error);
}

static fcps_status check_worker(const char *worker, fcps_error *error)
{
  if (worker == NULL) return fcps_error_null(error, "worker");
  const size_t length = strlen(worker);
  if (length > 0 && length < FCPS_WORKER_NAME) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "worker", "the name of a worker has 1 to %d bytes.",
                        FCPS_WORKER_NAME - 1);
}

static fcps_status ask_leased(fcps_study *s, const fcps_lease_request *request, fcps_ask *ask, fcps_error *error)
{
  bool may = false;
  int64_t taken = 0;
  fcps_status status = may_take_over(s, request, &may, error);
  if (status == FCPS_OK && may) status = take_over(s, request, &taken, error);
  if (status != FCPS_OK) return status;
  if (taken != 0) {
    fcps_study_show_again(s, taken, ask);
    return FCPS_OK;
  }
  if (request->most_asks > 0 && (int64_t)s->ask_count >= request->most_asks) return FCPS_OK;
  status = fcps_study_set_budget(s, request->budget, error);
  if (status == FCPS_OK) status = fcps_study_new_leased(s, request, ask, error);
  s->budget = 0.0;
  return status == FCPS_ERR_STOPPED || (status != FCPS_OK && s->is_spent) ? FCPS_OK : status;
}

fcps_status fcps_study_ask_leased(fcps_study *s, const fcps_lease_request *request, fcps_ask *ask, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (request == NULL) return fcps_error_null(error, "request");
  if (ask == NULL) return fcps_error_null(error, "ask");
  status = check_worker(request->worker, error);
  if (status == FCPS_OK && request->session != NULL && strlen(request->session) >= FCPS_WORKER_SESSION)
    status =
        fcps_error_set(error, FCPS_ERR_ARGUMENT, "session", "a session has at most %d bytes.", FCPS_WORKER_SESSION - 1);
  if (status == FCPS_OK && request->lease_ms < 1)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "lease_ms", "a lease lasts at least 1 ms.");
  if (status == FCPS_OK && request->most_asks < 0)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "most_asks", "a number of asks cannot be negative.");
  *ask = (fcps_ask){0};
  if (status == FCPS_OK) status = refuse_beside_run(s, error);
  if (status == FCPS_OK) status = ask_leased(s, request, ask, error);
  if (status != FCPS_OK || (status = refuse_beside_run(s, error)) == FCPS_OK) return status;
  *ask = (fcps_ask){0};
  /* Gives the ask back, so that the next worker gets it. */
  (void)fcps_study_renew_leases(s, request->worker, request->session, 0, NULL, NULL);
  return status;
}

/* -- Signs of life -- */

fcps_status fcps_study_renew_leases(fcps_study *s, const char *worker, const char *session, int lease_ms, int *count,
                                    fcps_error *error)
{
  int renewed = 0;
  if (count != NULL) *count = 0;
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK) status = check_worker(worker, error);
  if (status == FCPS_OK && lease_ms < 0)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "lease_ms", "a time cannot be negative.");
  if (status == FCPS_OK) status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  status = load(s, error);
  if (status == FCPS_OK) status = hold_name(s, worker, session, lease_ms, true, error);
  for (size_t i = 0; status == FCPS_OK && i < s->lease_count; i++) {
    if (!is_of(&s->leases[i], worker)) continue;
    s->leases[i].until_ms = lease_ms > 0 ? s->lease_time_ms + lease_ms : GIVEN_BACK;
    s->leases[i].length_ms = lease_ms;
    renewed++;
  }
  if (status == FCPS_OK && renewed == 0 && session == NULL) {
    fcps_store_rollback(s->store);
    return FCPS_OK;
  }
  if (status == FCPS_OK) status = save(s, error);
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK && count != NULL) *count = renewed;
  return status;
}

/* -- Looking -- */

fcps_status fcps_study_read_leases(fcps_study *s, int *count, int64_t *time_ms, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (count == NULL) return fcps_error_null(error, "count");
  *count = 0;
  status = fcps_study_begin(s, false, error);
  if (status != FCPS_OK) return status;
  status = load(s, error);
  status = fcps_study_end(s, status, error);
  if (status != FCPS_OK) return status;
  *count = (int)s->lease_count;
  if (time_ms != NULL) *time_ms = s->lease_time_ms;
  return FCPS_OK;
}

void fcps_study_lease_at(const fcps_study *s, int index, fcps_lease *lease)
{
  if (lease == NULL) return;
  *lease = (fcps_lease){.worker = ""};
  if (s == NULL || index < 0 || (size_t)index >= s->lease_count) return;
  const study_lease *stored = &s->leases[index];
  *lease = (fcps_lease){.ask = stored->ask,
                        .worker = stored->worker,
                        .since_ms = stored->since_ms,
                        .until_ms = stored->until_ms,
                        .has_ended = stored->until_ms < s->lease_time_ms};
}

fcps_status fcps_study_wait(fcps_study *s, int wait_ms, fcps_error *error)
{
  const fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (wait_ms < 0) return fcps_error_set(error, FCPS_ERR_ARGUMENT, "wait_ms", "a time cannot be negative.");
  return fcps_store_wait(s->store, wait_ms, error);
}
