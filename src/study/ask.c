/* SPDX-License-Identifier: Apache-2.0 */
/* Asks: the learner's parameters for one or several contexts, stored before the caller sees them.
 *
 * A model may need seconds for an ask, and other processes must be able to store their results meanwhile. So an ask is
 * made in three steps: a short transaction reads what the learner must know, the learner asks while no transaction is
 * open, and a second short transaction stores the ask. If only results, notes and asks that were given up were stored
 * between the two transactions, the ask is valid: the learner is told of these records after its ask, both in this
 * process and in a process that loads its state. If another process asked meanwhile, or if a record made the learner
 * void, the ask is dropped and made again. After ASKS_IN_THE_OPEN tries the ask is made while the store is locked, so
 * making an ask always ends.
 *
 * Several asks of one call are made one after the other by the same learner and stored in one transaction.
 *
 * Invariants: an ask and the state of the learner that made it are stored in one transaction before the caller sees the
 * ask; of the asks of one call, all are stored or none; no ask is given unless there is room to store its result; a
 * client with an unfinished ask gets that ask again; a process that works alone gets the same asks as if it asked under
 * the lock.
 *
 * Results that were stored while the learner asked stand before the ask in the journal, but `learner.sequence` names
 * the last record that the learner knew: a process that loads the state tells the learner those results next. A learner
 * whose stored state cannot be read asks under the lock, because its reset and its ask are one transaction. No function
 * of the user is called in a transaction. */
#include "base/error.h"
#include "base/memory.h"
#include "learner/learner.h"
#include "problem/limits.h"
#include "problem/problem.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often an ask is tried without a lock before it is made under the lock. */
enum { ASKS_IN_THE_OPEN = 2 };

/* What the caller of an ask gives, and what the learner answers. */
typedef struct ask_request {
  int count; /* the number of asks to make */
  const char *client;
  /* which dimensions of the context the learner chooses; NULL: the caller gives whole contexts */
  const fcps_free_dimensions *free_dims;
  fcps_ask_contexts contexts;
  const fcps_lease_request *lease; /* NULL: the asks have no lease */
  double *leased_context;          /* memory for the context of a leased ask */
  double *numbers;                 /* one row for each ask: context, parameters and expectation */
  int64_t *learner_ids;
} ask_request;

/* What the learner knew when it made an ask: the last record, the last reset and the number of asks. */
typedef struct ask_basis {
  int64_t sequence, reset_sequence;
  size_t ask_count;
} ask_basis;

static void show(const fcps_study *s, const study_ask *stored, bool is_repeated, fcps_ask *ask)
{
  fcps_study_ask_at(s, (int)(stored - s->asks), ask);
  ask->is_repeated = is_repeated;
}

/* Whether the ask's own expectation says that its parameters may break the limits: the chance to keep them is less than
 * required. *all receives that chance. */
static bool is_unsure(const fcps_study *s, const fcps_problem_trial *trial, double *all)
{
  bool is_kept = true;
  return fcps_problem_limits_judge(&s->problem, trial, all, &is_kept, NULL) == FCPS_OK && !is_kept;
}

/* Returns the index of a parameter whose word among these has no result yet; -1 if there is none. */
static int find_new_word(const fcps_study *s, const double *parameters)
{
  for (int d = 0; d < s->problem.parameters.count; d++) {
    bool is_new = s->problem.parameters.dims[d].choices != NULL && s->problem.parameters.dims[d].when == NULL;
    for (size_t i = 0; i < s->result_count && is_new; i++)
      is_new = s->results[i].result.rollout.parameters[d] != parameters[d];
    if (is_new) return d;
  }
  return -1;
}

/* Whether parameters are declared safe and have a word without a result: the declaration is all that is known of it. */
static bool is_new_and_safe(const fcps_study *s, const double *parameters)
{
  const fcps_space *space = &s->problem.parameters;
  bool is_safe = false;
  for (int i = 0; i < s->problem.safe_count && !is_safe; i++) {
    is_safe = true;
    for (int d = 0; d < space->count; d++)
      is_safe = is_safe && fabs(s->problem.safe[i].parameters[d] - parameters[d]) <=
                               1e-9 * fmax(1.0, fabs(parameters[d])); /* it was in the unit cube */
  }
  return is_safe && find_new_word(s, parameters) >= 0;
}

static void warn_of_limits(const fcps_study *s, const fcps_ask *ask)
{
  double all;
  const fcps_problem_trial trial = {ask->target, ask->environment, ask->parameters, ask->expectation.outcome,
                                    ask->expectation.outcome_deviation};
  if (!ask->expectation.has_outcome || !is_unsure(s, &trial, &all)) return;
  const int d = s->problem.safe_count == 0 ? find_new_word(s, ask->parameters) : -1;
  if (d >= 0)
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_BLIND_START",
                 "ask %lld is the first trial with %s=%s, so it is blind and may break a limit; its other parameters "
                 "keep the limits most surely",
                 (long long)ask->id, s->problem.parameters.dims[d].name,
                 fcps_dimension_word(&s->problem.parameters.dims[d], ask->parameters[d]));
  else
    fcps_log_say(
        &s->options.log, FCPS_LOG_WARNING, "W_LIMIT",
        "ask %lld keeps all limits with a chance of %.3f, which is less than they require: no parameters are known yet "
        "that are safe enough in this context",
        (long long)ask->id, all);
}

/* Whether an ask without an expectation may break a limit. It counts as harmless if the study has safe trials, or a
 * result that kept the limits. */
static bool is_blind(const fcps_study *s)
{
  bool is_blind = s->problem.safe_count == 0;
  for (size_t i = 0; i < s->result_count && is_blind; i++)
    is_blind = !fcps_study_has_outcome(s, &s->results[i]) ||
               fcps_problem_limits_broken(&s->problem, &s->results[i].result.rollout);
  return is_blind;
}

void fcps_study_set_strict(fcps_study *s, bool is_strict)
{
  s->is_strict = is_strict;
}

/* Refuses a budget if the trials of the problem have no cost. */
static fcps_status check_budget(const fcps_study *s, double budget, fcps_error *error)
{
  if (budget == 0.0 || s->problem.cost != NULL) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "budget",
                        "this problem does not say what a trial costs; write a cost, as in `cost: 1 + 0.1*speed` (of a "
                        "study that exists: fcps study amend %.200s --cost FORMULA).",
                        fcps_study_word(s));
}

fcps_status fcps_study_set_budget(fcps_study *s, double budget, fcps_error *error)
{
  s->is_spent = false;
  if (!(budget >= 0.0) || isinf(budget))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "budget", "%g is not a budget; give a number above zero.", budget);
  const fcps_status status = check_budget(s, budget, error);
  if (status == FCPS_OK) s->budget = budget;
  return status;
}

bool fcps_study_is_spent(const fcps_study *s)
{
  return s->is_spent;
}

/* Refuses an ask whose cost is not usable, or whose cost would exceed the budget after the `earlier` asks of the same
 * call. */
static fcps_status check_cost(fcps_study *s, const double *rows, size_t width, int earlier, fcps_error *error)
{
  fcps_study_costs costs;
  double next = 0.0, sum = 0.0;
  s->is_spent = false;
  /* Another process may have amended the cost away since the budget was set. */
  fcps_status status = check_budget(s, s->budget, error);
  if (status != FCPS_OK || s->problem.cost == NULL) return status;
  status = fcps_study_cost(s, &costs, error);
  for (int i = 0; i <= earlier && status == FCPS_OK; i++) {
    const double *numbers = rows + (size_t)i * width;
    status = fcps_problem_cost(&s->problem, numbers, numbers + fcps_study_environment_offset(s),
                               numbers + fcps_study_parameters_offset(s), &next, error);
    sum += i < earlier ? next : 0.0;
  }
  if (status != FCPS_OK || s->budget == 0.0) return status;
  const double before = costs.spent + costs.pending + sum;
  s->is_spent = before + next > s->budget * (1.0 + 1e-12);
  if (!s->is_spent) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_BOUNDS, "budget",
                        "of %.6g there is %.6g left, and the next trial would cost %.6g", s->budget,
                        fmax(s->budget - before, 0.0), next);
}

/* In a strict study, refuses an ask that may break a limit. */
static fcps_status refuse_unsure(const fcps_study *s, const double *numbers, const double *expected, fcps_error *error)
{
  const int outcomes = s->problem.outcome.count;
  const bool has_outcome = outcomes > 0 && !isnan(expected[0]);
  double all = 0.0;
  if (!s->is_strict || s->problem.limit_count == 0) return FCPS_OK;
  if (!has_outcome && is_blind(s))
    return fcps_error_set(
        error, FCPS_ERR_BOUNDS, "limits",
        "no parameters are known yet that keep the limits; name such parameters, as in amend --safe '[{...}]', or "
        "ask without strict");
  const fcps_problem_trial trial = {numbers, numbers + fcps_study_environment_offset(s),
                                    numbers + fcps_study_parameters_offset(s), expected, expected + outcomes};
  if (!has_outcome || !is_unsure(s, &trial, &all) || is_new_and_safe(s, trial.parameters)) return FCPS_OK;
  return fcps_error_set(
      error, FCPS_ERR_BOUNDS, "limits",
      "no parameters are known that keep the limits with their chance here; the best ones keep them with chance %.3f",
      all);
}

/* Fills in the last `count` stored asks for the caller. */
static void show_last(const fcps_study *s, int count, fcps_ask *asks)
{
  for (int i = 0; i < count; i++) {
    show(s, s->asks + s->ask_count - (size_t)(count - i), false, asks + i);
    warn_of_limits(s, asks + i);
  }
}

/* Finds the unfinished ask of a client. */
static const study_ask *pending_of(const fcps_study *s, const char *client)
{
  if (client == NULL || !*client) return NULL;
  for (size_t i = s->ask_count; i-- > 0;)
    if (s->asks[i].state == FCPS_ASK_PENDING && strcmp(s->asks[i].client, client) == 0) return &s->asks[i];
  return NULL;
}

/* The width of an ask's row: context, parameters and expectation. */
static size_t row_width(const fcps_study *s)
{
  return (size_t)fcps_study_outcome_offset(s) + (size_t)fcps_study_expectation_width(s);
}
static double *numbers_of(const fcps_study *s, const ask_request *request, int index)
{
  return request->numbers + (size_t)index * row_width(s);
}
static double *expected_of(const fcps_study *s, const ask_request *request, int index)
{
  return numbers_of(s, request, index) + fcps_study_outcome_offset(s);
}

/* Row `index` of the targets or environments of the contexts. If there is only one row, it serves all asks. */
static const double *row_of(const ask_request *request, const double *rows, int width, int index)
{
  if (rows == NULL || width == 0) return NULL;
  return request->contexts.rows > 1 ? rows + (size_t)index * (size_t)width : rows;
}

/* Lets the learner ask, or choose the context if dimensions are free. */
static fcps_status ask_learner_once(fcps_study *s, ask_request *request, int index, fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  const double *target = row_of(request, request->contexts.targets, p->target.count, index);
  const double *given = row_of(request, request->contexts.environments, p->environment.count, index);
  double *numbers = numbers_of(s, request, index), *environment = numbers + fcps_study_environment_offset(s),
         *parameters = numbers + fcps_study_parameters_offset(s);
  int64_t *id = request->learner_ids + index;
  memset(numbers, 0, row_width(s) * sizeof *numbers); /* An earlier ask may have left numbers in this row. */
  if (target != NULL) memcpy(numbers, target, (size_t)p->target.count * sizeof *numbers);
  if (given != NULL) memcpy(environment, given, (size_t)p->environment.count * sizeof *numbers);
  fcps_learner_set_strict(s->learner, s->is_strict);
  const fcps_status status =
      request->free_dims != NULL
          ? fcps_learner_choose(s->learner, request->free_dims, numbers, environment, parameters, id)
          : fcps_learner_ask(s->learner, numbers, environment, parameters, id);
  if (status == FCPS_OK) {
    const fcps_status expected = fcps_study_expect(s, numbers, expected_of(s, request, index), error);
    const fcps_status paid =
        expected == FCPS_OK ? check_cost(s, request->numbers, row_width(s), index, error) : expected;
    return paid == FCPS_OK ? refuse_unsure(s, numbers, expected_of(s, request, index), error) : paid;
  }
  if (error == NULL) return status;
  const fcps_error *why = fcps_learner_error(s->learner);
  *error = *why;
  return request->contexts.rows > 1 ? fcps_error_set(error, status, why->field, "ask %d of %d: %.400s", index + 1,
                                                     request->count, why->message)
                                    : status;
}

/* Draws the context of a leased ask, which follows from the ask's place among all asks. If another worker asked at the
 * same time, the next try has the next place. */
static fcps_status draw_context(fcps_study *s, const ask_request *request, fcps_error *error)
{
  const fcps_lease_request *lease = request->lease;
  if (lease == NULL) return FCPS_OK;
  if (lease->most_asks > 0 && (int64_t)s->ask_count >= lease->most_asks)
    return fcps_error_set(error, FCPS_ERR_STOPPED, "", "the study has %lld asks", (long long)s->ask_count);
  if (lease->context == NULL) return FCPS_OK;
  const bool was_held = fcps_study_set_held(s, true);
  double *target = request->leased_context, *environment = target + fcps_study_environment_offset(s);
  for (int64_t i = 0; i < FCPS_CONTEXT_REDRAWS; i++) {
    lease->context(lease->user, (int64_t)s->ask_count + i * FCPS_CONTEXT_REDRAW_STRIDE, target, environment);
    if (fcps_problem_has_parameters(&s->problem, target, environment)) break;
  }
  fcps_study_set_held(s, was_held);
  return FCPS_OK;
}

/* Makes all asks of the request. Each ask takes account of those before it. After a failure the learner knows asks that
 * no caller gets, so the caller must drop the learner. */
static fcps_status ask_learner(fcps_study *s, ask_request *request, fcps_error *error)
{
  fcps_status status = draw_context(s, request, error);
  for (int i = 0; i < request->count && status == FCPS_OK; i++) {
    status = ask_learner_once(s, request, i, error);
    if (status == FCPS_OK && request->count > 1)
      fcps_log_say(&s->options.log, FCPS_LOG_INFO, "I_ASKED", "%d of %d asks are made", i + 1, request->count);
  }
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

/* The id of the next ask. It is above all earlier ids, including those of asks that a repair lost but whose results
 * remain. */
static int64_t next_id(const fcps_study *s)
{
  int64_t last = s->ask_count > 0 ? s->asks[s->ask_count - 1].id : 0;
  for (size_t i = 0; i < s->result_count; i++)
    if (s->results[i].ask > last) last = s->results[i].ask;
  return last + 1;
}

static fcps_status write_one(fcps_study *s, const ask_request *request, int index, int64_t *sequence, fcps_error *error)
{
  const fcps_problem *p = &s->problem;
  const double *numbers = numbers_of(s, request, index);
  fcps_journal_record record = {.kind = FCPS_JOURNAL_ASK,
                                .ask = next_id(s),
                                .other = request->learner_ids[index],
                                .target = {p->target.count, numbers},
                                .environment = {p->environment.count, numbers + fcps_study_environment_offset(s)},
                                .parameters = {p->parameters.count, numbers + fcps_study_parameters_offset(s)},
                                .client = request->client};
  if (fcps_study_expects(s, expected_of(s, request, index)))
    record.outcome = (fcps_numbers){fcps_study_expectation_width(s), expected_of(s, request, index)};
  const fcps_status status = fcps_study_write(s, &record, error);
  *sequence = record.sequence;
  return status;
}

/* Stores the asks and the learner's state. The state says up to which record the learner was told results: up to the
 * basis or, if nothing was stored since, up to the last ask itself. */
static fcps_status write_asks(fcps_study *s, ask_request *request, const ask_basis *basis, fcps_error *error)
{
  const bool is_next = s->sequence == basis->sequence;
  fcps_status status = FCPS_OK;
  int64_t last = 0;
  for (int i = 0; i < request->count && status == FCPS_OK; i++)
    status = write_one(s, request, i, &last, error);
  if (status == FCPS_OK) status = fcps_study_save_learner(s, last, is_next ? last : basis->sequence, error);
  if (status != FCPS_OK || request->lease == NULL) return status;
  return fcps_study_write_lease(s, s->asks[s->ask_count - 1].id, request->lease, error);
}

static ask_basis present_basis(const fcps_study *s)
{
  return (ask_basis){s->sequence, s->learner_reset_sequence, s->ask_count};
}

/* Whether an ask with this basis may be stored after the records that the index has now. It may not if results came and
 * the basis is the reset itself: its state would then look like one that the reset made void. */
static bool may_follow(const fcps_study *s, const ask_basis *basis)
{
  if (s->sequence == basis->sequence) return true;
  return s->ask_count == basis->ask_count && s->learner_reset_sequence == basis->reset_sequence &&
         basis->sequence > basis->reset_sequence;
}

/* Ends the transaction if the client has an unfinished ask, and returns that ask once more. Returns false if the client
 * has none. */
static bool give_again(fcps_study *s, const ask_request *request, fcps_ask *ask)
{
  /* A leased ask belongs to the worker that the lease names, not to a client. */
  const study_ask *pending = request->lease == NULL ? pending_of(s, request->client) : NULL;
  if (pending == NULL) return false;
  show(s, pending, true, ask);
  fcps_store_rollback(s->store);
  return true;
}

/* Makes the asks and stores them in the same transaction. */
static fcps_status ask_locked(fcps_study *s, ask_request *request, fcps_ask *asks, fcps_error *error)
{
  fcps_status status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  if (give_again(s, request, asks)) return FCPS_OK;
  status = fcps_study_read_learner(s, error);
  if (status == FCPS_OK) status = fcps_study_catch_up(s, error);
  if (status == FCPS_OK) status = note_remade(s, error);
  const ask_basis basis = present_basis(s);
  if (status == FCPS_OK) status = ask_learner(s, request, error);
  if (status == FCPS_OK) status = write_asks(s, request, &basis, error);
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK) show_last(s, request->count, asks);
  return status;
}

/* Lets the learner ask while other processes may write. If the learner did not ask, *is_made is false. */
static fcps_status ask_unlocked(fcps_study *s, ask_request *request, bool *is_made, fcps_error *error)
{
  fcps_status status = fcps_study_catch_up(s, error);
  /* A reset of the learner and the ask that follows it must be one transaction. */
  *is_made = status == FCPS_OK && !s->is_remade;
  return *is_made ? ask_learner(s, request, error) : status;
}

/* Makes the asks between two short transactions. If another process was faster, nothing is stored and *is_done is
 * false. */
static fcps_status ask_in_the_open(fcps_study *s, ask_request *request, bool *is_done, fcps_ask *asks,
                                   fcps_error *error)
{
  bool is_made = false;
  fcps_status status = fcps_study_begin(s, false, error);
  if (status != FCPS_OK) return status;
  *is_done = give_again(s, request, asks);
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
  /* A result that was stored meanwhile may have freed the space. */
  status = fcps_study_keep_space(s, error);
  if (status == FCPS_OK) status = write_asks(s, request, &basis, error);
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK) show_last(s, request->count, asks);
  return status;
}

/* Frees the space if the request itself was refused. If the study cannot be written at once, the next tell frees the
 * space. */
static void give_back_unused(fcps_study *s)
{
  if (fcps_study_begin(s, true, NULL) != FCPS_OK) return;
  fcps_study_give_space_back(s);
  fcps_study_end(s, FCPS_OK, NULL);
}

static fcps_status new_asks(fcps_study *s, ask_request *request, fcps_ask *asks, fcps_error *error)
{
  /* No ask is given out unless there is space for its result. */
  fcps_status status = fcps_study_keep_space(s, error);
  if (status != FCPS_OK) return status;
  const size_t count = (size_t)request->count;
  request->numbers = fcps_allocate(count * row_width(s), sizeof *request->numbers);
  request->learner_ids = fcps_allocate(count, sizeof *request->learner_ids);
  if (request->numbers == NULL || request->learner_ids == NULL) status = fcps_error_memory(error);
  bool is_done = false;
  for (int i = 0; i < ASKS_IN_THE_OPEN && status == FCPS_OK && !is_done; i++)
    status = ask_in_the_open(s, request, &is_done, asks, error);
  if (status == FCPS_OK && !is_done) status = ask_locked(s, request, asks, error);
  free(request->numbers);
  free(request->learner_ids);
  if (status == FCPS_ERR_BOUNDS || status == FCPS_ERR_ARGUMENT || status == FCPS_ERR_UNSUPPORTED) give_back_unused(s);
  if (status != FCPS_OK) return status;
  fcps_study_say_doubts(s, s->learner != NULL ? fcps_learner_model(s->learner) : NULL);
  /* The tell of another process may have freed the space before this ask was committed, because it saw no pending
   * ask. */
  return fcps_study_keep_space(s, error);
}

fcps_status fcps_study_check_client(const char *client, fcps_error *error)
{
  if (client == NULL || strlen(client) <= FCPS_STUDY_CLIENT_MAX) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "client",
                        "the name of a client that asks has at most %d bytes; this one has more.",
                        (int)FCPS_STUDY_CLIENT_MAX);
}

static fcps_status check_contexts(const fcps_study *s, const fcps_ask_contexts *contexts, fcps_error *error)
{
  const bool has_target = contexts->targets != NULL || s->problem.target.count == 0;
  if (has_target && (contexts->environments != NULL || s->problem.environment.count == 0)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, has_target ? "environment" : "target", "the context is missing.");
}

fcps_status fcps_study_ask(fcps_study *s, const char *client, const double *target, const double *environment,
                           fcps_ask *ask, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (ask == NULL) return fcps_error_null(error, "ask");
  ask_request request = {.count = 1, .client = client, .contexts = {1, target, environment}};
  status = fcps_study_check_client(client, error);
  if (status == FCPS_OK) status = check_contexts(s, &request.contexts, error);
  return status == FCPS_OK ? new_asks(s, &request, ask, error) : status;
}

fcps_status fcps_study_ask_many(fcps_study *s, int count, const fcps_ask_contexts *contexts, fcps_ask *asks,
                                fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (contexts == NULL) return fcps_error_null(error, "contexts");
  if (asks == NULL) return fcps_error_null(error, "asks");
  if (count < 1 || count > FCPS_ASKS_MAX)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "count", "%d asks at once; ask for 1 to %d.", count, FCPS_ASKS_MAX);
  if (contexts->rows != 1 && contexts->rows != count)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "contexts",
                          "there are %d contexts for %d asks; give one for each ask, or one for all.", contexts->rows,
                          count);
  ask_request request = {.count = count, .contexts = *contexts};
  status = check_contexts(s, contexts, error);
  return status == FCPS_OK ? new_asks(s, &request, asks, error) : status;
}

fcps_status fcps_study_choose(fcps_study *s, const char *client, const fcps_free_dimensions *free_dims,
                              const double *target, const double *environment, fcps_ask *ask, fcps_error *error)
{
  static const fcps_free_dimensions all_free = {NULL, NULL};
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK) status = fcps_study_check_client(client, error);
  if (status != FCPS_OK) return status;
  if (ask == NULL) return fcps_error_null(error, "ask");
  ask_request request = {.count = 1,
                         .client = client,
                         .free_dims = free_dims != NULL ? free_dims : &all_free,
                         .contexts = {1, target, environment}};
  return new_asks(s, &request, ask, error);
}

fcps_status fcps_study_new_leased(fcps_study *s, const fcps_lease_request *lease, fcps_ask *ask, fcps_error *error)
{
  static const fcps_free_dimensions all_free = {NULL, NULL};
  double *context = fcps_allocate((size_t)fcps_study_width(s), sizeof *context);
  if (context == NULL) return fcps_error_memory(error);
  ask_request request = {.count = 1,
                         .client = lease->worker,
                         .free_dims = lease->context == NULL ? &all_free : NULL,
                         .contexts = {1, context, context + fcps_study_environment_offset(s)},
                         .lease = lease,
                         .leased_context = context};
  const fcps_status status = new_asks(s, &request, ask, error);
  free(context);
  return status;
}

void fcps_study_show_again(const fcps_study *s, int64_t id, fcps_ask *ask)
{
  show(s, fcps_study_find_ask(s, id), true, ask);
}

fcps_status fcps_study_forget(fcps_study *s, int64_t id, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK) status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  const study_ask *ask = fcps_study_find_ask(s, id);
  fcps_journal_record record = {.kind = FCPS_JOURNAL_FORGET, .ask = id};
  if (ask == NULL)
    status = fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "ask",
                            "there is no ask %lld in this study; fcps study asks %.200s --state all lists them.",
                            (long long)id, fcps_study_word(s));
  else if (ask->state == FCPS_ASK_TOLD)
    status = fcps_error_set(error, FCPS_ERR_UNKNOWN_ASK, "ask",
                            "ask %lld has its result already; a result is taken out with amend --drop.", (long long)id);
  else if (ask->state == FCPS_ASK_PENDING)
    status = fcps_study_write(s, &record, error);
  return fcps_study_end(s, status, error);
}
