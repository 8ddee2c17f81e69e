/* SPDX-License-Identifier: Apache-2.0 */
/* Asks. Repeating a request is harmless if it names its client: a client gets its unfinished ask again. If the client
 * "robot" asks for several trials at once, these belong to robot, robot/2, robot/3 and so on, like those of the workers
 * of a run. Without a client every request makes new asks. */
#include "base/error.h"
#include "base/memory.h"
#include "operation/call.h"
#include "problem/contexts.h"
#include "run/loop.h"
#include "space/space.h"
#include "study/inside.h"
#include "wire/wire.h"

#include <fcps/study.h>
#include <fcps/study_lease.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Compares numbers exactly. Both were read from texts, and equal texts give equal bits. */

static bool is_same(const fcps_space *space, const bool *is_free, const double *given, const double *asked)
{
  for (int i = 0; i < space->count; i++)
    if ((is_free == NULL || !is_free[i]) && given[i] != asked[i]) return false;
  return true;
}

/* Whether an ask that is repeated has another context than the request. The client must then not take it for an answer
 * to its request. Free dimensions are not compared (NULL: no dimension is free). */
static bool is_other_context(const fcps_problem *p, const fcps_free_dimensions *free_dims, const double *target,
                             const double *environment, const fcps_ask *ask)
{
  const bool *free_target = free_dims != NULL ? free_dims->target : NULL;
  const bool *free_environment = free_dims != NULL ? free_dims->environment : NULL;
  return ask->is_repeated && !(is_same(&p->target, free_target, target, ask->target) &&
                               is_same(&p->environment, free_environment, environment, ask->environment));
}

static fcps_json *write_ask(const fcps_problem *p, const fcps_ask *ask)
{
  static const char *const states[] = {"pending", "told", "forgotten"};
  fcps_json *object = fcps_wire_ask_write(p, ask);
  fcps_json_put(&object, "repeated", fcps_json_from_bool(ask->is_repeated));
  fcps_json_put(&object, "client", fcps_json_from_text(ask->client));
  fcps_json_put(&object, "state", fcps_json_from_text(states[ask->state]));
  fcps_wire_units_put(&object, p);
  return object;
}

/* -- Looking at them -- */

fcps_status fcps_operation_asks(fcps_call *call, fcps_error *error)
{
  const char *state = fcps_call_text(call, "state");
  const bool is_all = state != NULL && strcmp(state, "all") == 0;
  (void)error;
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < fcps_study_ask_count(call->study); i++) {
    fcps_ask ask;
    fcps_study_ask_at(call->study, i, &ask);
    if (is_all || ask.state == FCPS_ASK_PENDING) fcps_json_add(&list, write_ask(fcps_study_problem(call->study), &ask));
  }
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "asks", list);
  return FCPS_OK;
}

/* -- Asking -- */

static void warn_of_other_context(const fcps_call *call, const fcps_free_dimensions *is_free, const double *target,
                                  const double *environment, const fcps_ask *ask)
{
  if (!is_other_context(fcps_study_problem(call->study), is_free, target, environment, ask)) return;
  fcps_log_say(&call->log, FCPS_LOG_WARNING, "W_OTHER_CONTEXT",
               "this is the unfinished ask %lld of %s, with its own context, not the one that was given now. Tell its "
               "result first, or give it up: fcps study forget %s %lld",
               (long long)ask->id, ask->client, fcps_study_word(call->study), (long long)ask->id);
}

/* Writes the name under which the client makes its ask `index`. A name that becomes too long is cut, but stays too long
 * for the check that follows, which refuses it. */
static void name_client(const char *client, int index, char name[FCPS_STUDY_CLIENT_MAX + 2])
{
  snprintf(name, FCPS_STUDY_CLIENT_MAX + 2, index > 0 ? "%s/%d" : "%s", client, index + 1);
}

/* Makes one ask for each context. The asks of a client are made one by one, each under a name of its own. */
static fcps_status ask_for_client(fcps_call *call, const char *client, int count, const fcps_call_contexts *c,
                                  fcps_json **list, fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(call->study);
  char name[FCPS_STUDY_CLIENT_MAX + 2];
  name_client(client, count - 1, name);
  fcps_status status = fcps_study_check_client(name, error); /* The longest name is checked before any ask is made. */
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    const int row = c->count > 1 ? i : 0;
    fcps_ask ask;
    name_client(client, i, name);
    const double *target = c->targets + row * p->target.count;
    const double *environment = c->environments + row * p->environment.count;
    status = fcps_study_ask(call->study, name, target, environment, &ask, error);
    p = fcps_study_problem(call->study);
    if (status != FCPS_OK) break;
    warn_of_other_context(call, NULL, target, environment, &ask);
    fcps_json_add(list, write_ask(p, &ask));
  }
  return status;
}

static fcps_status ask_for_anybody(fcps_call *call, int count, const fcps_call_contexts *c, fcps_json **list,
                                   fcps_error *error)
{
  const fcps_ask_contexts contexts = {c->count, c->targets, c->environments};
  fcps_ask *asks = fcps_allocate((size_t)count, sizeof *asks);
  if (asks == NULL) return fcps_error_memory(error);
  const fcps_status status = fcps_study_ask_many(call->study, count, &contexts, asks, error);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    fcps_json_add(list, write_ask(fcps_study_problem(call->study), asks + i));
  free(asks);
  return status;
}

static fcps_status ask_several(fcps_call *call, const char *client, int64_t count, const fcps_call_contexts *c,
                               fcps_error *error)
{
  const int asks = c->is_list ? c->count : (int)count;
  fcps_json *list = fcps_json_array();
  const fcps_status status = client != NULL && *client != '\0' ? ask_for_client(call, client, asks, c, &list, error)
                                                               : ask_for_anybody(call, asks, c, &list, error);
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "asks", list);
  return status;
}

static fcps_status ask_once(fcps_call *call, const char *client, const fcps_call_contexts *c, fcps_error *error)
{
  fcps_ask ask;
  const fcps_status status = fcps_study_ask(call->study, client, c->targets, c->environments, &ask, error);
  if (status != FCPS_OK) return status;
  warn_of_other_context(call, NULL, c->targets, c->environments, &ask);
  call->json = write_ask(fcps_study_problem(call->study), &ask);
  return FCPS_OK;
}

static fcps_status set_budget(fcps_call *call, fcps_error *error)
{
  double budget;
  const fcps_status status = fcps_call_budget(call, &budget, error);
  return status == FCPS_OK ? fcps_study_set_budget(call->study, budget, error) : status;
}

fcps_status fcps_operation_ask(fcps_call *call, fcps_error *error)
{
  const char *client = NULL;
  const int64_t count = fcps_call_integer(call, "count", 0);
  fcps_call_contexts contexts = {0};
  fcps_status status = fcps_call_client(call, &client, error);
  if (status == FCPS_OK) /* Another process may have amended the study since the last ask. */
    status = fcps_study_refresh(call->study, error);
  if (status == FCPS_OK) status = fcps_call_contexts_create(&contexts, call, error);
  if (status == FCPS_OK && contexts.is_list && count > 0)
    status = fcps_error_set(error, FCPS_ERR_ARGUMENT, "count",
                            "\"contexts\" gives one ask for each context; give one of \"count\" and \"contexts\"");
  fcps_study_set_strict(call->study, fcps_call_bool(call, "strict"));
  if (status == FCPS_OK) status = set_budget(call, error);
  if (status == FCPS_OK)
    status = contexts.is_list || count > 0 ? ask_several(call, client, count, &contexts, error)
                                           : ask_once(call, client, &contexts, error);
  fcps_study_set_strict(call->study, false);
  (void)fcps_study_set_budget(call->study, 0.0, NULL);
  fcps_call_contexts_destroy(&contexts);
  return status;
}

/* -- Choosing -- */

/* Reads the numbers that are given. All other dimensions are free: the learner chooses them. */
static fcps_status read_some(const fcps_problem *p, const fcps_json *object, const fcps_space *space, const char *key,
                             double *values, bool *is_free, fcps_error *error)
{
  for (int i = 0; i < space->count; i++) {
    const fcps_json *value = fcps_json_get(object, space->dims[i].name);
    is_free[i] = value == NULL || fcps_json_is_null(value);
    values[i] = space->dims[i].lower;
    const fcps_space alone = {1, &space->dims[i]};
    if (is_free[i]) continue;
    if (alone.dims->choices == NULL && !fcps_json_number(value, values + i))
      return fcps_error_set(error, FCPS_ERR_FORMAT, key, "\"%s.%s\" is not a number", key, space->dims[i].name);
    const fcps_status status = fcps_wire_numbers_read(&alone, key, object, values + i, error);
    if (status != FCPS_OK) return status;
  }
  return fcps_call_check_names(p, space, key, object, false, error);
}

fcps_status fcps_operation_choose(fcps_call *call, fcps_error *error)
{
  const char *client = NULL;
  double target[FCPS_SPACE_MAX], environment[FCPS_SPACE_MAX];
  bool free_target[FCPS_SPACE_MAX], free_environment[FCPS_SPACE_MAX];
  const fcps_free_dimensions is_free = {free_target, free_environment};
  fcps_ask ask;
  fcps_status status = fcps_call_client(call, &client, error);
  if (status == FCPS_OK) status = fcps_study_refresh(call->study, error);
  const fcps_problem *p = fcps_study_problem(call->study);
  if (status == FCPS_OK)
    status = read_some(p, fcps_json_get(call->request, "target"), &p->target, "target", target, free_target, error);
  if (status == FCPS_OK)
    status = read_some(p, fcps_json_get(call->request, "environment"), &p->environment, "environment", environment,
                       free_environment, error);
  if (status == FCPS_OK) status = set_budget(call, error);
  if (status == FCPS_OK) status = fcps_study_choose(call->study, client, &is_free, target, environment, &ask, error);
  (void)fcps_study_set_budget(call->study, 0.0, NULL);
  if (status == FCPS_OK) warn_of_other_context(call, &is_free, target, environment, &ask);
  if (status == FCPS_OK) call->json = write_ask(fcps_study_problem(call->study), &ask);
  return status;
}

/* -- Giving up -- */

fcps_status fcps_operation_forget(fcps_call *call, fcps_error *error)
{
  const int64_t id = fcps_call_integer(call, "ask", 0);
  const fcps_status status = fcps_study_forget(call->study, id, error);
  if (status != FCPS_OK) return status;
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "ask", fcps_json_from_integer(id));
  fcps_json_put(&call->json, "state", fcps_json_from_text("forgotten"));
  return FCPS_OK;
}

/* -- Workers on other machines --
 *
 * Workers ask under leases (fcps/study_lease.h) and give signs of life.
 *
 * Repeating a request is harmless: a worker with an unfinished ask gets that ask again. A sign of life is stored. A
 * server nevertheless runs it among the operations that only read, because it might wait behind asks for longer than a
 * lease lasts. */

/* The usual length of a lease, in milliseconds. */
enum { LEASE_USUAL = 60000 };

/* -- What a worker must know -- */

fcps_status fcps_operation_work(fcps_call *call, fcps_error *error)
{
  fcps_study *study = call->study;
  fcps_error who = {0};
  const fcps_problem_file *file = fcps_study_file(study);
  const char *identity = fcps_study_identity(study);
  if (file == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "",
                          "this study was not made from a problem file, so workers have "
                          "no program to run");
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "problem", fcps_json_from_text(file->text));
  fcps_json_put(&call->json, "file", fcps_json_from_text(file->file));
  fcps_json_put(&call->json, "learner", fcps_json_from_text(fcps_study_learner(study)));
  fcps_json_put(&call->json, "settings", fcps_json_from_settings(fcps_study_settings(study)));
  fcps_json_put(&call->json, "seed", fcps_json_from_integer((int64_t)fcps_study_seed(study)));
  fcps_json_put(&call->json, "identity", identity != NULL ? fcps_json_from_text(identity) : fcps_json_null());
  fcps_json_put(&call->json, "asks", fcps_json_from_integer(fcps_study_ask_count(study)));
  if (fcps_study_is_held(study, &who)) fcps_json_put(&call->json, "held", fcps_json_from_text(who.message));
  return FCPS_OK;
}

/* -- Asking -- */

/* Where the context of an ask comes from: the request or, if it gives none, the distribution of the problem file. */
typedef struct context_source {
  fcps_call_contexts given;
  fcps_problem_file *file; /* a copy, because an amendment replaces the study's own file */
  fcps_contexts *drawn;
  const fcps_problem *problem;
} context_source;

static void fill_context(void *user, int64_t index, double *target, double *environment)
{
  const context_source *source = user;
  const fcps_problem *p = source->problem;
  if (source->drawn != NULL) {
    fcps_contexts_draw(source->drawn, index, target, environment);
    return;
  }
  if (p->target.count > 0) memcpy(target, source->given.targets, (size_t)p->target.count * sizeof *target);
  if (p->environment.count > 0)
    memcpy(environment, source->given.environments, (size_t)p->environment.count * sizeof *environment);
}

static void clear_source(context_source *source)
{
  fcps_call_contexts_destroy(&source->given);
  fcps_contexts_destroy(source->drawn);
  fcps_problem_file_destroy(source->file);
}

static fcps_status open_file(context_source *source, const fcps_call *call, fcps_error *error)
{
  const fcps_problem_file *own = fcps_study_file(call->study);
  if (own == NULL || own->contexts == FCPS_CONTEXT_PROGRAM)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "target",
                          "the program of this study observes the context: give \"target\" and \"environment\"");
  if (own->contexts == FCPS_CONTEXT_CSV)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "target",
                          "the contexts of this study are in a file, and a server reads none: give \"target\" and "
                          "\"environment\"");
  fcps_status status = fcps_problem_file_parse(&source->file, own->text, strlen(own->text), own->file, NULL, error);
  if (status == FCPS_OK)
    status = fcps_contexts_create(&source->drawn, source->file, fcps_study_seed(call->study), error);
  return status;
}

/* Opens the source of contexts. *is_chosen says whether the learner chooses the context instead. */
static fcps_status open_source(context_source *source, fcps_call *call, bool *is_chosen, fcps_error *error)
{
  const bool is_given = fcps_call_get(call, "target") != NULL || fcps_call_get(call, "environment") != NULL;
  source->problem = fcps_study_problem(call->study);
  *is_chosen = !is_given && fcps_run_learner_chooses(call->study);
  if (*is_chosen) return FCPS_OK;
  return is_given ? fcps_call_contexts_create(&source->given, call, error) : open_file(source, call, error);
}

static fcps_status write_leased(fcps_call *call, const fcps_ask *ask, fcps_error *error)
{
  int leases = 0;
  const fcps_status status = fcps_study_read_leases(call->study, &leases, NULL, error);
  if (status != FCPS_OK) return status;
  call->json = ask->id != 0 ? fcps_wire_ask_write(fcps_study_problem(call->study), ask) : fcps_json_object();
  if (ask->id == 0) fcps_json_put(&call->json, "ask", fcps_json_null());
  fcps_json_put(&call->json, "repeated", fcps_json_from_bool(ask->is_repeated));
  fcps_json_put(&call->json, "leases", fcps_json_from_integer(leases));
  fcps_json_put(&call->json, "asks", fcps_json_from_integer(fcps_study_ask_count(call->study)));
  return FCPS_OK;
}

fcps_status fcps_operation_lease(fcps_call *call, fcps_error *error)
{
  context_source source = {.problem = NULL};
  bool is_chosen = false;
  fcps_ask ask;
  fcps_lease_request request = {.user = &source,
                                .worker = fcps_call_text(call, "worker"),
                                .session = fcps_call_text(call, "session"),
                                .lease_ms = (int)fcps_call_integer(call, "lease_ms", LEASE_USUAL),
                                .most_asks = fcps_call_integer(call, "most_asks", 0)};
  fcps_status status = fcps_call_budget(call, &request.budget, error);
  if (status == FCPS_OK) status = fcps_study_refresh(call->study, error);
  if (status == FCPS_OK) status = open_source(&source, call, &is_chosen, error);
  request.context = is_chosen ? NULL : fill_context;
  if (status == FCPS_OK) status = fcps_study_ask_leased(call->study, &request, &ask, error);
  if (status == FCPS_OK) status = write_leased(call, &ask, error);
  clear_source(&source);
  return status;
}

/* -- Signs of life -- */

static fcps_status renew(fcps_call *call, int lease_ms, fcps_error *error)
{
  const char *worker = fcps_call_text(call, "worker"), *session = fcps_call_text(call, "session");
  int leases = 0;
  const fcps_status status = fcps_study_renew_leases(call->study, worker, session, lease_ms, &leases, error);
  if (status != FCPS_OK) return status;
  call->json = fcps_json_object();
  fcps_json_put(&call->json, "worker", fcps_json_from_text(worker));
  fcps_json_put(&call->json, "leases", fcps_json_from_integer(leases));
  return FCPS_OK;
}

fcps_status fcps_operation_renew(fcps_call *call, fcps_error *error)
{
  return renew(call, (int)fcps_call_integer(call, "lease_ms", LEASE_USUAL), error);
}

fcps_status fcps_operation_release(fcps_call *call, fcps_error *error)
{
  return renew(call, 0, error);
}
