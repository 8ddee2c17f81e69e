/* SPDX-License-Identifier: Apache-2.0 */
/* Brings the learner of a study up to date from the journal, saves it with each ask, and rehearses it.
 *
 * The transaction of an ask also stores the state of the learner, with the sequence of the ask's record. The state does
 * not contain the results that the learner was told, because the journal has them. To go on, a process loads the state
 * and those results, and then tells the learner the later results in the order of the journal. A process that never
 * stopped makes the same calls in the same order, so both get the same bits. A change of the problem, or of the choice
 * of results, resets the learner: earlier states are void, and a new learner is told all results that count.
 *
 * Invariant: within a transaction the stored state of the learner is only read (fcps_study_read_learner). Everything
 * that takes time or calls the user's functions (making the learner, telling it, fitting) is done after the
 * transaction, so that reading a study keeps no other process from storing a result. */
#include "learner/learner.h"
#include "base/error.h"
#include "base/number.h"
#include "insight/rehearsal.h"
#include "policy/policy_impl.h"
#include "problem/problem.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fcps_study_drop_learner(fcps_study *s)
{
  fcps_learner_destroy(s->learner);
  s->learner = NULL;
  s->learner_sequence = s->learner_ask_sequence = 0;
  s->has_head = false;
}

void fcps_study_drop_saved(fcps_study *s)
{
  free(s->saved_head);
  free(s->saved_state);
  s->saved_head = s->saved_state = NULL;
}

/* Returns what the learner is told about a result. */
static fcps_rollout as_rollout(const fcps_stored_result *stored)
{
  fcps_rollout rollout = stored->result.rollout;
  /* The environment of this outcome is unknown, so only the fact that the trial failed is used. */
  if (stored->is_misplaced) rollout.status = FCPS_ROLLOUT_UNSTABLE;
  return rollout;
}

/* The learner's id of an ask. FCPS_NOT_ASKED if a later ask has the same id, which is possible in old studies: a
 * learner that was made again once counted from 1. */
static int64_t learner_id(const fcps_study *s, int64_t ask_id)
{
  const study_ask *ask = fcps_study_find_ask(s, ask_id);
  if (ask == NULL) return FCPS_NOT_ASKED;
  for (const study_ask *later = s->asks + s->ask_count - 1; later > ask; later--)
    if (later->learner_id == ask->learner_id) return FCPS_NOT_ASKED;
  return ask->learner_id;
}

static fcps_status tell_learner(fcps_study *s, fcps_learner *learner, int64_t id, const fcps_stored_result *stored,
                                fcps_error *error)
{
  const fcps_rollout rollout = as_rollout(stored);
  fcps_status status = fcps_learner_tell(learner, id, &rollout);
  /* The learner has given up the ask, but its result still counts. */
  if (status == FCPS_ERR_UNKNOWN_ASK) status = fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout);
  if (status == FCPS_ERR_MEMORY) return fcps_error_memory(error);
  /* A function of the user that fails now may work next time. So the result must not be left out for ever. */
  if (status == FCPS_ERR_CALLBACK && error != NULL) *error = *fcps_learner_error(learner);
  if (status == FCPS_ERR_CALLBACK) return status;
  /* No result may prevent an ask. A result that the learner refuses is left out; that the learner is full is reported
   * once. */
  const bool is_full = status == FCPS_ERR_UNSUPPORTED;
  if (is_full && !s->is_learner_full)
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_TOO_MANY_RESULTS", "result %lld and later ones are not used: %s",
                 (long long)stored->sequence, fcps_learner_error(learner)->message);
  s->is_learner_full |= is_full;
  if (status != FCPS_OK && !is_full)
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_TELL_SKIPPED", "result %lld is not used: %s",
                 (long long)stored->sequence, fcps_learner_error(learner)->message);
  return FCPS_OK;
}

/* Tells the learner the results that count up to the last reset, and then the later results in order, up to those that
 * the saved state knows. */
static fcps_status refill(void *user, fcps_learner *learner, fcps_error *error)
{
  fcps_study *s = user;
  fcps_status status = FCPS_OK;
  for (size_t i = 0; status == FCPS_OK && i < s->result_count; i++) {
    const fcps_stored_result *stored = &s->results[i];
    const bool was_told = stored->sequence <= s->learner_reset_sequence ? stored->is_used : stored->result_number == 1;
    if (was_told && stored->sequence <= s->learner_sequence)
      status = tell_learner(s, learner, FCPS_NOT_ASKED, stored, error);
  }
  return status;
}

/* Whether the learner in memory does not know an ask of another process, or has learnt from records that a change made
 * void. */
static bool is_outdated(const fcps_study *s)
{
  const int64_t last_ask = s->ask_count ? s->asks[s->ask_count - 1].sequence : 0;
  const bool has_asks = last_ask <= s->learner_sequence || last_ask <= s->learner_ask_sequence;
  return !has_asks || s->learner_reset_sequence > s->learner_sequence;
}

fcps_status fcps_study_read_learner(fcps_study *s, fcps_error *error)
{
  /* Another process has asked since, and the state that it stored contains its ask. */
  if (s->learner != NULL && is_outdated(s)) fcps_study_drop_learner(s);
  fcps_study_drop_saved(s);
  if (s->learner != NULL) return FCPS_OK;

  char *sequence = NULL;
  int64_t reached = 0;
  fcps_status status = fcps_store_get(s->store, "learner.sequence", &sequence, error);
  if (status == FCPS_OK && sequence != NULL && fcps_integer_read(sequence, &reached) &&
      reached > s->learner_reset_sequence && reached <= s->sequence) {
    status = fcps_store_get(s->store, "learner.state", &s->saved_state, error);
    if (status == FCPS_OK) status = fcps_store_get(s->store, "learner.head", &s->saved_head, error);
    s->saved_sequence = reached;
  }
  free(sequence);
  return status;
}

/* Loads the learner that was saved with the last ask. If that ask is older than the last reset, there is no learner to
 * load. */
static fcps_status load_learner(fcps_study *s, fcps_error *error)
{
  s->is_remade = false;
  if (s->saved_state == NULL) return FCPS_OK;
  fcps_error why = {0};
  s->learner_sequence = s->saved_sequence;
  const fcps_status status =
      fcps_learner_load_partial(&s->learner, &s->guarded, s->saved_head, s->saved_state, refill, s, &why);
  if (status == FCPS_ERR_MEMORY) return fcps_error_memory(error);
  if (status == FCPS_ERR_CALLBACK && error != NULL) *error = why;
  if (status == FCPS_ERR_CALLBACK) return status;
  s->is_remade = status != FCPS_OK;
  if (s->is_remade)
    fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_STATE_UNREADABLE",
                 "the learner's state cannot be read and is made again from the rollouts: %s", why.message);
  return FCPS_OK;
}

/* Tells a new learner about earlier asks, so that it does not repeat them and knows which are pending. */
static fcps_status follow_asks(fcps_study *s, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  for (size_t i = 0; status == FCPS_OK && i < s->ask_count; i++) {
    const study_ask *ask = &s->asks[i];
    /* In a damaged journal the id may be any number. */
    const bool is_one = fcps_learner_follow(s->learner, ask->learner_id);
    if (is_one && ask->state == FCPS_ASK_PENDING && learner_id(s, ask->id) != FCPS_NOT_ASKED)
      status = fcps_learner_store_pending(s->learner, ask->learner_id, ask->numbers,
                                          ask->numbers + fcps_study_environment_offset(s),
                                          ask->numbers + fcps_study_parameters_offset(s), error);
  }
  return status;
}

/* Makes a new learner and tells it all results that count, up to the last reset. */
static fcps_status replay(fcps_study *s, fcps_error *error)
{
  fcps_status status = fcps_learner_create(&s->learner, &s->guarded, s->learner_name, s->settings, s->seed, error);
  if (status != FCPS_OK) return status;
  fcps_learner_set_log(s->learner, s->options.log);
  s->learner_sequence = s->learner_reset_sequence;
  status = refill(s, s->learner, error);
  return status != FCPS_OK ? status : follow_asks(s, error);
}

/* Lets the learner forget the asks that were given up since. Asks with results need nothing here, because the learner
 * is told their results. */
static void forget_asks(fcps_study *s)
{
  for (size_t i = 0; i < s->ask_count; i++)
    if (s->asks[i].state == FCPS_ASK_FORGOTTEN) fcps_learner_forget(s->learner, learner_id(s, s->asks[i].id));
}

fcps_status fcps_study_catch_up(fcps_study *s, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  if (s->learner == NULL) {
    status = load_learner(s, error);
    if (status == FCPS_OK && s->learner != NULL) fcps_learner_set_log(s->learner, s->options.log);
    const bool is_loaded = s->learner != NULL;
    if (status == FCPS_OK && !is_loaded) status = replay(s, error);
    if (status == FCPS_OK) fcps_study_hear_doubts(s, is_loaded);
  }
  fcps_study_drop_saved(s);
  for (size_t i = 0; status == FCPS_OK && i < s->result_count; i++)
    if (s->results[i].sequence > s->learner_sequence && s->results[i].result_number == 1)
      status = tell_learner(s, s->learner, learner_id(s, s->results[i].ask), &s->results[i], error);
  if (status == FCPS_OK) {
    forget_asks(s);
    s->learner_sequence = s->sequence;
  } else {
    fcps_study_drop_learner(s);
  }
  return status;
}

/* Stores under `key` a text that the learner writes. */
static fcps_status save_part(fcps_study *s, const char *key,
                             fcps_status (*save)(const fcps_learner *learner, char **text, fcps_error *error),
                             fcps_error *error)
{
  char *text = NULL;
  fcps_status status = save(s->learner, &text, error);
  if (status == FCPS_OK) status = fcps_store_set(s->store, key, text, error);
  free(text);
  return status;
}

fcps_status fcps_study_save_learner(fcps_study *s, int64_t ask_sequence, int64_t told_sequence, fcps_error *error)
{
  char number[24];
  snprintf(number, sizeof number, "%lld", (long long)told_sequence);
  fcps_status status = FCPS_OK;
  if (!s->has_head) status = save_part(s, "learner.head", fcps_learner_save_head, error);
  if (status == FCPS_OK) status = save_part(s, "learner.state", fcps_learner_save_partial, error);
  if (status == FCPS_OK) status = fcps_store_set(s->store, "learner.sequence", number, error);
  if (status != FCPS_OK) return status;
  s->has_head = true;
  s->learner_sequence = told_sequence;
  s->learner_ask_sequence = ask_sequence;
  return FCPS_OK;
}

/* Returns how many of the first results contain all results that count except the last `last` of them. */
static size_t end_without_last(const fcps_study *s, int last)
{
  size_t end = s->result_count;
  for (; end > 0 && last > 0; end--)
    last -= s->results[end - 1].is_used;
  return end;
}

/* Makes a new learner and tells it results that count, from the first `end` results: `most` of them, spread evenly, or
 * all if there are fewer. */
static fcps_status make_told_learner(fcps_study *s, const char *name, const fcps_setting *settings, size_t end,
                                     int64_t most, fcps_learner **learner, fcps_error *error)
{
  int64_t count = 0, seen = 0;
  for (size_t i = 0; i < end; i++)
    count += s->results[i].is_used;
  s->lent_count = s->old_count + 1;
  fcps_status status = fcps_learner_create(learner, &s->guarded, name, settings, s->seed, error);
  for (size_t i = 0; i < end && status == FCPS_OK; i++) {
    if (!s->results[i].is_used) continue;
    const bool is_told = count <= most || (seen + 1) * most / count > seen * most / count;
    if (is_told) status = tell_learner(s, *learner, FCPS_NOT_ASKED, &s->results[i], error);
    seen++;
  }
  return status;
}

/* Makes such a learner and returns its policy. */
static fcps_status make_policy(fcps_study *s, size_t end, int64_t most, fcps_policy **policy, fcps_error *error)
{
  fcps_learner *learner = NULL;
  *policy = NULL;
  /* The learner and the policy may call functions of the user, which must not use the study. */
  const bool was_held = fcps_study_set_held(s, true);
  fcps_status status = make_told_learner(s, s->learner_name, s->settings, end, most, &learner, error);
  if (status == FCPS_OK) {
    status = fcps_learner_policy(learner, policy);
    if (status != FCPS_OK && error != NULL) *error = *fcps_learner_error(learner);
  }
  fcps_learner_destroy(learner);
  fcps_study_set_held(s, was_held);
  return status;
}

fcps_status fcps_study_earlier_policy(fcps_study *s, int last, fcps_policy **policy, fcps_error *error)
{
  return make_policy(s, end_without_last(s, last), INT64_MAX, policy, error);
}

fcps_status fcps_study_stand_in_learner(fcps_study *s, const char *name, fcps_learner **learner, fcps_error *error)
{
  const fcps_status status = make_told_learner(s, name, NULL, s->result_count, INT64_MAX, learner, error);
  if (status == FCPS_OK) return FCPS_OK;
  fcps_learner_destroy(*learner);
  *learner = NULL;
  return status;
}

fcps_status fcps_study_policy_before(fcps_study *s, int64_t sequence, fcps_policy **policy, fcps_error *error)
{
  size_t end = 0;
  while (end < s->result_count && s->results[end].sequence < sequence)
    end++;
  return make_policy(s, end, INT64_MAX, policy, error);
}

fcps_status fcps_study_sketch(fcps_study *s, int most, fcps_policy **policy, fcps_error *error)
{
  if (policy == NULL) return fcps_error_null(error, "policy");
  *policy = NULL;
  fcps_status status = fcps_study_enter(s, error);
  if (status != FCPS_OK) return status;
  if (most < 1) return fcps_error_set(error, FCPS_ERR_ARGUMENT, "most", "%d results; give at least 1.", most);
  status = fcps_study_refresh(s, error);
  return status == FCPS_OK ? make_policy(s, s->result_count, most, policy, error) : status;
}

/* Begins a call that needs the learner. Afterwards the learner has been told everything that is stored. */
static fcps_status bring_up_to_date(fcps_study *s, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK) status = fcps_study_begin(s, false, error);
  if (status != FCPS_OK) return status;
  status = fcps_study_read_learner(s, error);
  status = fcps_study_end(s, status, error);
  return status == FCPS_OK ? fcps_study_catch_up(s, error) : status;
}

fcps_status fcps_study_policy(fcps_study *s, fcps_policy **policy, fcps_error *error)
{
  if (policy == NULL) return fcps_error_null(error, "policy");
  *policy = NULL;
  fcps_status status = bring_up_to_date(s, error);
  if (status != FCPS_OK) return status;
  /* The policy may call functions of the user, which must not use the study. */
  const bool was_held = fcps_study_set_held(s, true);
  s->lent_count = s->old_count + 1;
  status = fcps_learner_policy(s->learner, policy);
  if (status == FCPS_OK) fcps_study_look_again(s, fcps_study_look_for_exactness, *policy);
  fcps_study_set_held(s, was_held);
  if (status != FCPS_OK && error != NULL) *error = *fcps_learner_error(s->learner);
  if (status == FCPS_OK)
    fcps_study_say_doubts(s, (*policy)->ops->model != NULL ? (*policy)->ops->model(*policy) : NULL);
  return status;
}

/* -- Rehearsals --
 *
 * Further trials of a study are rehearsed by its own model (insight/rehearsal.h). If a learner has no suitable model,
 * another learner is rehearsed, which learns the outcomes or the reported rewards from the same results. */

/* The least number of results for a rehearsal: two more than the model has inputs. */
static int least_results(const fcps_model *model)
{
  return model->problem->environment.count + model->problem->parameters.count + 2;
}

static fcps_status check_results(const fcps_model *model, fcps_error *error)
{
  const int least = least_results(model);
  if (model->training.count >= least) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "",
                        "a forecast needs %d results that the model can learn from, two more than there are dimensions "
                        "of environment and parameters; there are %d. "
                        "Tell more results first",
                        least, model->training.count);
}

/* Makes the searches of a rehearsal smaller. A rehearsal makes thousands of choices, and each may be a little worse
 * than a real one. An acquisition that is slow or needs no model is replaced by UCB. */
static void simplify(fcps_learner_habits *habits, fcps_acquisition_settings *settings)
{
  enum { CANDIDATES = 100, STARTS = 1 };
  const fcps_acquisition *a = habits->acquisition;
  fcps_search_settings *searches[] = {&settings->search, &habits->policy.search};
  *settings = *habits->settings;
  habits->settings = settings;
  for (int i = 0; i < 2; i++) {
    searches[i]->kind = FCPS_SEARCH_MULTISTART;
    if (searches[i]->candidates > CANDIDATES) searches[i]->candidates = CANDIDATES;
    searches[i]->starts = STARTS;
    searches[i]->is_rough = true;
  }
  if (a->select == NULL || !a->needs_model || a->gain != NULL) habits->acquisition = &fcps_acquisition_ucb;
}

static fcps_status rehearse(const fcps_study *s, const fcps_policy *policy, const fcps_learner_habits *habits,
                            const fcps_study_rehearsal *wanted, double *rewards, fcps_error *error)
{
  fcps_rehearsal_plan plan = {.model = policy->ops->model(policy),
                              .habits = *habits,
                              .seed = s->seed,
                              .worlds = wanted->worlds,
                              .trials = wanted->trials,
                              .looks = wanted->looks,
                              .parallel = wanted->parallel,
                              .progress = wanted->progress,
                              .user = wanted->user};
  fcps_acquisition_settings settings;
  simplify(&plan.habits, &settings);
  const fcps_status status = check_results(plan.model, error);
  return status == FCPS_OK ? fcps_rehearsal_run(&plan, rewards, error) : status;
}

/* Rehearses with the model, policy and habits of a learner. If the model cannot be rehearsed, *can is false and nothing
 * is done. */
static fcps_status rehearse_learner(fcps_study *s, fcps_learner *learner, const fcps_study_rehearsal *wanted,
                                    double *rewards, bool *can, fcps_error *error)
{
  fcps_learner_habits habits;
  fcps_policy *policy = NULL;
  const fcps_model *model = fcps_learner_model(learner);
  *can =
      model != NULL && !fcps_model_kind_has_outputs_per_target(model->ops) && fcps_learner_habits_of(learner, &habits);
  if (!*can) return FCPS_OK;
  fcps_status status = fcps_learner_policy(learner, &policy);
  if (status != FCPS_OK && error != NULL) *error = *fcps_learner_error(learner);
  if (status == FCPS_OK) status = rehearse(s, policy, &habits, wanted, rewards, error);
  fcps_policy_destroy(policy);
  return status;
}

fcps_status fcps_study_rehearse(fcps_study *s, fcps_study_rehearsal *wanted, double *rewards, fcps_error *error)
{
  fcps_learner *stand_in = NULL;
  bool can = false;
  fcps_status status = bring_up_to_date(s, error);
  if (status != FCPS_OK) return status;
  wanted->learner = s->learner_name;
  const bool was_held = fcps_study_set_held(s, true);
  status = rehearse_learner(s, s->learner, wanted, rewards, &can, error);
  if (status == FCPS_OK && !can) {
    wanted->learner = s->problem.outcome.count > 0 && s->problem.reward != NULL ? "outcome" : "bo-cps";
    status = fcps_study_stand_in_learner(s, wanted->learner, &stand_in, error);
    if (status == FCPS_OK) status = rehearse_learner(s, stand_in, wanted, rewards, &can, error);
    fcps_learner_destroy(stand_in);
  }
  fcps_study_set_held(s, was_held);
  return status;
}

/* Returns the second largest gain among the worlds, so that about one world in ten gains more. A world without a reward
 * gains nothing. */
static double large_gain(int worlds, const double *before, const double *after)
{
  double gains[FCPS_GAIN_WORLDS];
  for (int i = 0; i < worlds; i++)
    gains[i] = isfinite(after[i] - before[i]) ? after[i] - before[i] : 0.0;
  qsort(gains, (size_t)worlds, sizeof *gains, fcps_number_compare);
  return fmax(gains[worlds - 2], 0.0);
}

fcps_status fcps_study_rehearse_gain(fcps_study *s, const fcps_policy *policy, double *gain, fcps_error *error)
{
  const fcps_study_rehearsal wanted = {
      .worlds = FCPS_GAIN_WORLDS, .trials = FCPS_GAIN_TRIALS, .looks = 1, .parallel = 1};
  fcps_learner_habits habits;
  double rewards[2 * FCPS_GAIN_WORLDS];
  const fcps_model *model = policy->ops->model != NULL ? policy->ops->model(policy) : NULL;
  *gain = 0.0;
  if (model == NULL || fcps_model_kind_has_outputs_per_target(model->ops) || s->learner == NULL ||
      !fcps_learner_habits_of(s->learner, &habits) || model->training.count < least_results(model))
    return FCPS_OK;
  const bool was_held = fcps_study_set_held(s, true);
  const fcps_status status = rehearse(s, policy, &habits, &wanted, rewards, error);
  fcps_study_set_held(s, was_held);
  if (status == FCPS_OK) *gain = large_gain(FCPS_GAIN_WORLDS, rewards, rewards + FCPS_GAIN_WORLDS);
  return status;
}
