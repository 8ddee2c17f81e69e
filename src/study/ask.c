/* SPDX-License-Identifier: Apache-2.0 */
/* Asking: parameters for a context, stored before they are shown.
 *
 * Invariants: an ask and the learner's state that made it are stored in one transaction before the ask is shown; no
 * ask is given unless there is room to store its result; a client with an unfinished ask gets that one again.
 */
#include "base/error.h"
#include "base/memory.h"
#include "study/study_impl.h"

#include <stdlib.h>
#include <string.h>

static void show(const fcps_study *s, const study_ask *stored, bool is_repeated, fcps_ask *ask)
{
  fcps_study_ask_at(s, (int)(stored - s->asks), ask);
  ask->is_repeated = is_repeated;
}

/* the unfinished ask of a client that has one */
static const study_ask *pending_of(const fcps_study *s, const char *client)
{
  if (client == NULL || !*client) return NULL;
  for (size_t i = s->ask_count; i-- > 0;)
    if (s->asks[i].state == FCPS_ASK_PENDING && strcmp(s->asks[i].client, client) == 0) return &s->asks[i];
  return NULL;
}

/* lets the learner ask, or choose where `free_dims` is given; `numbers` has the context and receives all */
static fcps_status ask_learner(fcps_study *s, const fcps_free_dimensions *free_dims, double *numbers, int64_t *id,
                               fcps_error *error)
{
  double *environment = numbers + fcps_study_environment_offset(s),
         *parameters = numbers + fcps_study_parameters_offset(s);
  const fcps_status status = free_dims != NULL
                                 ? fcps_learner_choose(s->learner, free_dims, numbers, environment, parameters, id)
                                 : fcps_learner_ask(s->learner, numbers, environment, parameters, id);
  if (status != FCPS_OK && error != NULL) *error = *fcps_learner_error(s->learner);
  return status;
}

static fcps_status note_remade(fcps_study *s, fcps_error *error)
{
  if (!s->is_remade) return FCPS_OK;
  fcps_journal_record note = {.kind = FCPS_JOURNAL_NOTE,
                              .client = STUDY_REMADE_CODE,
                              .text = "the learner's state could not be read; it was made again from the rollouts"};
  s->is_remade = false;
  return fcps_study_write(s, &note, error);
}

static fcps_status write_ask(fcps_study *s, const char *client, const double *numbers, int64_t learner_id,
                             fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  fcps_journal_record record = {.kind = FCPS_JOURNAL_ASK,
                                .ask = s->ask_count ? s->asks[s->ask_count - 1].id + 1 : 1,
                                .other = learner_id,
                                .target = {p->target.count, numbers},
                                .environment = {p->environment.count, numbers + fcps_study_environment_offset(s)},
                                .parameters = {p->parameters.count, numbers + fcps_study_parameters_offset(s)},
                                .client = client};
  fcps_status status = fcps_study_write(s, &record, error);
  if (status == FCPS_OK) status = fcps_study_save_learner(s, record.sequence, error);
  return status;
}

/* one transaction: the learner's ask, its state and the record */
static fcps_status ask_and_store(fcps_study *s, const char *client, const fcps_free_dimensions *free_dims,
                                 double *numbers, fcps_ask *ask, fcps_error *error)
{
  int64_t learner_id = 0;
  fcps_status status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  const study_ask *pending = pending_of(s, client);
  if (pending != NULL) {
    show(s, pending, true, ask);
    fcps_store_rollback(s->store);
    return FCPS_OK;
  }
  status = fcps_study_catch_up(s, error);
  if (status == FCPS_OK) status = note_remade(s, error);
  if (status == FCPS_OK) status = ask_learner(s, free_dims, numbers, &learner_id, error);
  if (status == FCPS_OK) status = write_ask(s, client, numbers, learner_id, error);
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK) show(s, &s->asks[s->ask_count - 1], false, ask);
  return status;
}

static fcps_status new_ask(fcps_study *s, const char *client, const fcps_free_dimensions *free_dims,
                           const double *target, const double *environment, fcps_ask *ask, fcps_error *error)
{
  /* without room for the result no ask is given */
  fcps_status status = fcps_study_keep_space(s, error);
  if (status != FCPS_OK) return status;
  double *numbers = fcps_allocate((size_t)fcps_study_width(s), sizeof *numbers);
  if (numbers == NULL) return fcps_error_memory(error);
  if (target != NULL) memcpy(numbers, target, (size_t)s->problem.target.count * sizeof *numbers);
  if (environment != NULL)
    memcpy(numbers + fcps_study_environment_offset(s), environment,
           (size_t)s->problem.environment.count * sizeof *numbers);
  status = ask_and_store(s, client, free_dims, numbers, ask, error);
  free(numbers);
  /* a tell that saw no pending ask may have given the space back before this one was committed */
  return status != FCPS_OK ? status : fcps_study_keep_space(s, error);
}

fcps_status fcps_study_ask(fcps_study *s, const char *client, const double *target, const double *environment,
                           fcps_ask *ask, fcps_error *error)
{
  if ((target == NULL && s->problem.target.count) || (environment == NULL && s->problem.environment.count))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, target != NULL ? "environment" : "target",
                          "the context is missing.");
  return new_ask(s, client, NULL, target, environment, ask, error);
}

fcps_status fcps_study_choose(fcps_study *s, const char *client, const fcps_free_dimensions *free_dims,
                              const double *target, const double *environment, fcps_ask *ask, fcps_error *error)
{
  static const fcps_free_dimensions all_free = {NULL, NULL};
  return new_ask(s, client, free_dims != NULL ? free_dims : &all_free, target, environment, ask, error);
}

fcps_status fcps_study_forget(fcps_study *s, int64_t id, fcps_error *error)
{
  fcps_status status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  const study_ask *ask = fcps_study_find_ask(s, id);
  fcps_journal_record record = {.kind = FCPS_JOURNAL_FORGET, .ask = id};
  if (ask == NULL)
    status = fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "ask", "there is no ask %lld.", (long long)id);
  else if (ask->state == FCPS_ASK_TOLD)
    status = fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "ask", "ask %lld has its result already.", (long long)id);
  else if (ask->state == FCPS_ASK_PENDING)
    status = fcps_study_write(s, &record, error);
  return fcps_study_end(s, status, error);
}
