/* SPDX-License-Identifier: Apache-2.0 */
/* Asking: parameters for a context, stored before they are shown.
 *
 * A model may need seconds for an ask, and meanwhile others must be able to store their results. So an ask is made in
 * three steps: a short transaction reads what the learner is to know, the learner asks while no transaction is open,
 * and a second short transaction stores the ask. Between the two only results, forgotten asks and notes may have been
 * stored: the learner hears of them after its ask, in this process as in one that loads its state. Where somebody
 * asked, or something made the learner void, the ask is dropped and made again; after ASKS_IN_THE_OPEN of these it is
 * made while the store is locked, so that it always ends.
 *
 * Invariants: an ask and the learner's state that made it are stored in one transaction before the ask is shown; no
 * ask is given unless there is room to store its result; a client with an unfinished ask gets that one again; whoever
 * is alone gets the asks of a study that is locked throughout.
 */
#include "base/error.h"
#include "base/memory.h"
#include "study/study_impl.h"

#include <stdlib.h>
#include <string.h>

/* Asks that are made without a lock before one is made with it. */
enum { ASKS_IN_THE_OPEN = 2 };

/* What is asked for, and what the learner answers. */
typedef struct ask_request {
  const char *client;
  const fcps_free_dimensions *free_dims; /* NULL: the context is given */
  const double *target, *environment;
  double *numbers; /* context and parameters */
  int64_t learner_id;
} ask_request;

/* What an ask was made from. */
typedef struct ask_basis {
  int64_t sequence, reset_sequence;
  size_t ask_count;
} ask_basis;

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

/* lets the learner ask, or choose where dimensions are free */
static fcps_status ask_learner(fcps_study *s, ask_request *request, fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  double *numbers = request->numbers, *environment = numbers + fcps_study_environment_offset(s),
         *parameters = numbers + fcps_study_parameters_offset(s);
  memset(numbers, 0, (size_t)fcps_study_width(s) * sizeof *numbers); /* not what an earlier ask has left */
  if (request->target != NULL) memcpy(numbers, request->target, (size_t)p->target.count * sizeof *numbers);
  if (request->environment != NULL)
    memcpy(environment, request->environment, (size_t)p->environment.count * sizeof *numbers);
  const fcps_status status =
      request->free_dims != NULL
          ? fcps_learner_choose(s->learner, request->free_dims, numbers, environment, parameters, &request->learner_id)
          : fcps_learner_ask(s->learner, numbers, environment, parameters, &request->learner_id);
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

/* above all earlier ones; an ask that a repair lost may be known by its result alone */
static int64_t next_id(const fcps_study *s)
{
  int64_t last = s->ask_count > 0 ? s->asks[s->ask_count - 1].id : 0;
  for (size_t i = 0; i < s->result_count; i++)
    if (s->results[i].ask > last) last = s->results[i].ask;
  return last + 1;
}

/* The learner has been told the results up to the basis; where nothing came since, up to the ask itself. */
static fcps_status write_ask(fcps_study *s, const ask_request *request, const ask_basis *basis, fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  const double *numbers = request->numbers;
  const bool is_next = s->sequence == basis->sequence;
  fcps_journal_record record = {.kind = FCPS_JOURNAL_ASK,
                                .ask = next_id(s),
                                .other = request->learner_id,
                                .target = {p->target.count, numbers},
                                .environment = {p->environment.count, numbers + fcps_study_environment_offset(s)},
                                .parameters = {p->parameters.count, numbers + fcps_study_parameters_offset(s)},
                                .client = request->client};
  fcps_status status = fcps_study_write(s, &record, error);
  if (status == FCPS_OK)
    status = fcps_study_save_learner(s, record.sequence, is_next ? record.sequence : basis->sequence, error);
  return status;
}

static ask_basis present_basis(const fcps_study *s)
{
  return (ask_basis){s->sequence, s->learner_reset_sequence, s->ask_count};
}

/* Whether an ask of this basis may be stored after what the index holds now. A state that ends with a reset would be
 * taken for one that the reset made void. */
static bool may_follow(const fcps_study *s, const ask_basis *basis)
{
  if (s->sequence == basis->sequence) return true;
  return s->ask_count == basis->ask_count && s->learner_reset_sequence == basis->reset_sequence &&
         basis->sequence > basis->reset_sequence;
}

/* Ends a transaction in which the client turned out to have an unfinished ask. */
static bool give_again(fcps_study *s, const ask_request *request, fcps_ask *ask)
{
  const study_ask *pending = pending_of(s, request->client);
  if (pending == NULL) return false;
  show(s, pending, true, ask);
  fcps_store_rollback(s->store);
  return true;
}

/* one transaction: the learner's ask, its state and the record */
static fcps_status ask_locked(fcps_study *s, ask_request *request, fcps_ask *ask, fcps_error *error)
{
  fcps_status status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  if (give_again(s, request, ask)) return FCPS_OK;
  status = fcps_study_read_learner(s, error);
  if (status == FCPS_OK) status = fcps_study_catch_up(s, error);
  if (status == FCPS_OK) status = note_remade(s, error);
  const ask_basis basis = present_basis(s);
  if (status == FCPS_OK) status = ask_learner(s, request, error);
  if (status == FCPS_OK) status = write_ask(s, request, &basis, error);
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK) show(s, &s->asks[s->ask_count - 1], false, ask);
  return status;
}

/* the learner's ask, while others may write; the caller drops a learner that has asked for nothing */
static fcps_status ask_unlocked(fcps_study *s, ask_request *request, bool *is_made, fcps_error *error)
{
  fcps_status status = fcps_study_catch_up(s, error);
  *is_made = status == FCPS_OK && !s->is_remade; /* a reset and the ask that follows it belong together */
  return *is_made ? ask_learner(s, request, error) : status;
}

/* the same in two short transactions; *is_done is false where others were faster, and nothing was stored */
static fcps_status ask_in_the_open(fcps_study *s, ask_request *request, bool *is_done, fcps_ask *ask, fcps_error *error)
{
  bool is_made = false;
  fcps_status status = fcps_study_begin(s, false, error);
  if (status != FCPS_OK) return status;
  *is_done = give_again(s, request, ask);
  if (*is_done) return FCPS_OK;
  status = fcps_study_read_learner(s, error);
  status = fcps_study_end(s, status, error);
  const ask_basis basis = present_basis(s);
  if (status == FCPS_OK) status = ask_unlocked(s, request, &is_made, error);
  if (status == FCPS_OK && !is_made) return FCPS_OK;
  if (status == FCPS_OK) status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK || !may_follow(s, &basis)) {
    fcps_store_rollback(s->store);
    fcps_study_drop_learner(s);
    return status;
  }
  *is_done = true;
  /* a result that came meanwhile may have given the space back */
  status = fcps_study_keep_space(s, error);
  if (status == FCPS_OK) status = write_ask(s, request, &basis, error);
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK) show(s, &s->asks[s->ask_count - 1], false, ask);
  return status;
}

static fcps_status new_ask(fcps_study *s, ask_request *request, fcps_ask *ask, fcps_error *error)
{
  /* without room for the result no ask is given */
  fcps_status status = fcps_study_keep_space(s, error);
  if (status != FCPS_OK) return status;
  request->numbers = fcps_allocate((size_t)fcps_study_width(s), sizeof *request->numbers);
  if (request->numbers == NULL) return fcps_error_memory(error);
  bool is_done = false;
  for (int i = 0; i < ASKS_IN_THE_OPEN && status == FCPS_OK && !is_done; i++)
    status = ask_in_the_open(s, request, &is_done, ask, error);
  if (status == FCPS_OK && !is_done) status = ask_locked(s, request, ask, error);
  free(request->numbers);
  /* a tell that saw no pending ask may have given the space back before this one was committed */
  return status != FCPS_OK ? status : fcps_study_keep_space(s, error);
}

fcps_status fcps_study_ask(fcps_study *s, const char *client, const double *target, const double *environment,
                           fcps_ask *ask, fcps_error *error)
{
  const fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (ask == NULL) return fcps_error_null(error, "ask");
  const bool has_target = target != NULL || s->problem.target.count == 0;
  if (!has_target || (environment == NULL && s->problem.environment.count > 0))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, has_target ? "environment" : "target", "the context is missing.");
  ask_request request = {.client = client, .target = target, .environment = environment};
  return new_ask(s, &request, ask, error);
}

fcps_status fcps_study_choose(fcps_study *s, const char *client, const fcps_free_dimensions *free_dims,
                              const double *target, const double *environment, fcps_ask *ask, fcps_error *error)
{
  static const fcps_free_dimensions all_free = {NULL, NULL};
  const fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (ask == NULL) return fcps_error_null(error, "ask");
  ask_request request = {.client = client,
                         .free_dims = free_dims != NULL ? free_dims : &all_free,
                         .target = target,
                         .environment = environment};
  return new_ask(s, &request, ask, error);
}

fcps_status fcps_study_forget(fcps_study *s, int64_t id, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK) status = fcps_study_begin(s, true, error);
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
