/* SPDX-License-Identifier: Apache-2.0 */
/* Asks for workers on other machines: asks under leases (fcps/study_lease.h), signs of life, and what a worker must
 * know of a study.
 *
 * Repeating a request is harmless: a worker with an unfinished ask gets that ask again. Signs of life are written, and
 * yet a server runs them among the reading operations: behind asks they could wait longer than a lease lasts. */
#include "base/error.h"
#include "operation/functions.h"
#include "problem/contexts.h"
#include "run/loop.h"
#include "study/inside.h"
#include "wire/wire.h"

#include <fcps/study_lease.h>

#include <string.h>

/* the usual length of a lease, in ms */
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

/* The source of an ask's context: the request, or else the distribution of the problem file. */
typedef struct context_source {
  fcps_call_contexts given;
  fcps_problem_file *file; /* a copy, since an amendment replaces the study's own */
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

/* Opens the source of contexts; *is_chosen says that the learner chooses the context. */
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
