/* SPDX-License-Identifier: Apache-2.0 */
/* Creating, opening and closing a study, and its transactions.
 *
 * Every call begins a transaction of the store, brings the index up to date with the records of other processes
 * (journal.c), does its work and commits. An ask reads in one transaction and stores in a second one (ask.c).
 * Invariants:
 *   - a transaction is short: nothing is fitted in it and no function of the user is called. The exception is an ask
 *     that other processes overtook twice;
 *   - between two calls no transaction is open, and the index holds the records of the store up to `sequence`;
 *   - a writing call that fails stores nothing; the index is built again if it had gone ahead, and the learner is
 *     dropped, because it may know an ask that was not stored;
 *   - the problem is always the stored text with all changes of the journal applied in order;
 *   - problem files that a change has replaced live until the study is closed: earlier policies still use them.
 * Only the store knows where and how a study is kept; here that is a URL.
 */
#include "base/error.h"
#include "base/memory.h"
#include "problem/formula/conditions.h"
#include "problem/limits.h"
#include "store/store.h"
#include "study/inside.h"
#include "study/remarks/remarks.h"
#include "study/study_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DEFAULT_WAIT_MS = 5000 };

static int64_t wall_clock_ms(void *user)
{
  (void)user;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static fcps_status allocate_study(fcps_study **study, const fcps_study_options *options, fcps_error *error)
{
  fcps_study *s = fcps_allocate(1, sizeof *s);
  *study = s;
  if (s == NULL) return fcps_error_memory(error);
  s->callbacks = fcps_allocate(1, sizeof *s->callbacks);
  if (s->callbacks == NULL) return fcps_error_memory(error);
  if (options != NULL) s->options = *options;
  s->options.log = fcps_callbacks_guard_log(s->callbacks, s->options.log);
  if (s->options.clock_ms == NULL) s->options.clock_ms = wall_clock_ms;
  return FCPS_OK;
}

fcps_status fcps_study_enter(fcps_study *s, fcps_error *error)
{
  return s != NULL ? fcps_callbacks_begin(s->callbacks, "study", error) : fcps_error_null(error, "study");
}

void fcps_study_set_problem(fcps_study *s, const fcps_problem *problem)
{
  s->problem = s->guarded = *problem;
  fcps_callbacks_guard(s->callbacks, &s->guarded);
}

bool fcps_study_set_held(fcps_study *s, bool is_held)
{
  const bool was_held = s->callbacks->is_held;
  s->callbacks->is_held = is_held;
  return was_held;
}

/* Returns the time. The clock may be a callback of the user. */
static int64_t present_time(const fcps_study *s)
{
  const bool was_inside = s->callbacks->is_inside;
  s->callbacks->is_inside = true;
  const int64_t time_ms = s->options.clock_ms(s->options.clock_user);
  s->callbacks->is_inside = was_inside;
  return time_ms;
}

static fcps_store_options store_options(const fcps_study_options *options)
{
  const bool is_default = options == NULL || options->wait_ms <= 0;
  return (fcps_store_options){.is_relaxed = options != NULL && options->is_relaxed,
                              .wait_ms = is_default ? DEFAULT_WAIT_MS : options->wait_ms};
}

static bool retire(fcps_study *s, fcps_problem_file *file)
{
  void *files = s->old_files;
  if (!fcps_reserve(&files, &s->old_capacity, s->old_count + 1, sizeof *s->old_files)) return false;
  s->old_files = files;
  s->old_files[s->old_count++] = file;
  return true;
}

void fcps_study_drop_old_files(fcps_study *s)
{
  while (s->old_count > s->lent_count)
    fcps_problem_file_destroy(s->old_files[--s->old_count]);
}

/* Parameters that do not apply have the value of a bound. Bounds may have changed, so these values are set again in all
 * that is stored. */
static fcps_status rest_all(fcps_study *s, fcps_error *error)
{
  const int environment = fcps_study_environment_offset(s), parameters = fcps_study_parameters_offset(s);
  fcps_status status = FCPS_OK;
  for (size_t i = 0; i < s->ask_count + s->result_count && status == FCPS_OK; i++) {
    const bool is_ask = i < s->ask_count;
    /* The numbers of a result begin at its target, and the study owns them. */
    double *numbers =
        is_ask ? s->asks[i].numbers : (double *)(uintptr_t)s->results[i - s->ask_count].result.rollout.target;
    status = fcps_problem_rest(&s->problem, numbers, numbers + environment, numbers + parameters, error);
  }
  return status;
}

fcps_status fcps_study_read_problem(fcps_study *s, const fcps_setting *extra, fcps_error *error)
{
  if (s->text == NULL) return FCPS_OK;
  fcps_setting *changes = fcps_allocate(s->event_count + 2, sizeof *changes);
  if (changes == NULL) return fcps_error_memory(error);
  size_t count = 0;
  for (size_t i = 0; i < s->event_count; i++)
    if (fcps_study_is_problem_change(&s->events[i]))
      changes[count++] = (fcps_setting){s->events[i].code, s->events[i].text};
  if (extra != NULL) changes[count++] = *extra;

  fcps_problem_file *file = NULL;
  const fcps_status status = fcps_problem_file_parse(&file, s->text, strlen(s->text), s->text_name, changes, error);
  free(changes);
  if (status != FCPS_OK) return status;
  if (s->file != NULL && !retire(s, s->file)) {
    fcps_problem_file_destroy(file);
    return fcps_error_memory(error);
  }
  if (s->learner != NULL) fcps_study_drop_learner(s); /* The learner points into the old file, so it must go. */
  s->file = file;
  fcps_study_set_problem(s, &file->problem);
  return rest_all(s, error);
}

static fcps_status refresh_visit(void *user, const fcps_journal_record *record, fcps_error *error)
{
  return fcps_study_index(user, record, error);
}

/* Logs once what the store has to tell the user. */
static void pass_notice_on(fcps_study *s)
{
  if (s->store->notice == NULL) return;
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_STALE_JOURNAL", "%s", s->store->notice);
  free(s->store->notice);
  s->store->notice = NULL;
}

fcps_status fcps_study_begin(fcps_study *s, bool writing, fcps_error *error)
{
  if (writing) s->time_ms = present_time(s);
  pass_notice_on(s);
  fcps_status status = fcps_store_begin(s->store, writing, error);
  if (status != FCPS_OK) return status;
  const int64_t before = s->learner_reset_sequence;
  status = fcps_store_each(s->store, s->sequence, refresh_visit, s, error);
  /* Another process may have changed the problem or the learner. */
  if (status == FCPS_OK && s->learner_reset_sequence != before) status = fcps_study_read_stored_problem(s, error);
  if (status == FCPS_OK && s->learner_reset_sequence != before) status = fcps_study_take_learner(s, error);
  if (status != FCPS_OK) fcps_store_rollback(s->store);
  s->begin_sequence = s->sequence;
  return status;
}

/* Warns if a study lies on a network file system: once for each handle that writes, and outside transactions. */
static void warn_of_network(fcps_study *s)
{
  const char *network = s->is_place_known ? NULL : fcps_store_network(s->store->name);
  s->is_place_known = true;
  if (network == NULL) return;
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_NETWORK_FILE_SYSTEM",
               "%s is on a network file system (%s), where locks and stored results may be lost. Keep the study on a "
               "local disk and copy it with a backup",
               s->store->name, network);
}

fcps_status fcps_study_end(fcps_study *s, fcps_status status, fcps_error *error)
{
  const bool was_writing = s->store->is_writing;
  if (status == FCPS_OK)
    status = fcps_store_commit(s->store, error);
  else
    fcps_store_rollback(s->store);
  if (status == FCPS_OK && was_writing) warn_of_network(s);
  if (status == FCPS_OK || !was_writing) return status;
  /* Records that were indexed since the transaction began may not be stored, and the learner's last ask may be lost. */
  fcps_study_drop_learner(s);
  if (s->sequence != s->begin_sequence) {
    fcps_study_clear_index(s);
    fcps_study_refresh(s, NULL);
  }
  return status;
}

fcps_status fcps_study_write(fcps_study *s, fcps_journal_record *record, fcps_error *error)
{
  record->time_ms = s->time_ms;
  if (record->client == NULL) record->client = "";
  if (record->text == NULL) record->text = "";
  const fcps_status status = fcps_store_append(s->store, record, &record->sequence, error);
  return status != FCPS_OK ? status : fcps_study_index(s, record, error);
}

fcps_status fcps_study_refresh(fcps_study *s, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK) status = fcps_study_begin(s, false, error);
  return status != FCPS_OK ? status : fcps_study_end(s, FCPS_OK, error);
}

/* -- Space on the disk for awaited results --
 *
 * While an ask is pending, the store keeps space for the commit of its result. Invariants: no ask is given without this
 * space; only a writing transaction that sees no pending ask frees it. So an ask that another process makes meanwhile
 * does not lose its space. Either it is committed before, and the transaction sees it; or it is committed later, and
 * then it checks for its space again (ask.c). If a full disk has used the space up, the study keeps as much as there is
 * room for. */

/* The reserved bytes hold the record of a result, the pages it touches, and their copies in the store's journal. */
enum { RESERVED_BYTES = 128 * 1024, LEAST_BYTES = 16 * 1024 };

fcps_status fcps_study_keep_space(fcps_study *s, fcps_error *error)
{
  return fcps_store_reserve(s->store, RESERVED_BYTES, error);
}

static bool has_pending(const fcps_study *s)
{
  for (size_t i = 0; i < s->ask_count; i++)
    if (s->asks[i].state == FCPS_ASK_PENDING) return true;
  return false;
}

void fcps_study_give_space_back(fcps_study *s)
{
  if (!has_pending(s)) fcps_store_reserve(s->store, 0, NULL);
}

void fcps_study_keep_what_is_left(fcps_study *s)
{
  if (!has_pending(s)) return;
  for (size_t bytes = RESERVED_BYTES; bytes >= LEAST_BYTES; bytes /= 2)
    if (fcps_store_reserve(s->store, bytes, NULL) == FCPS_OK) return;
}

/* Refuses an empty name, because it would make a file without a name. */
static fcps_status check_url(const char *url, fcps_error *error)
{
  if (url == NULL || *url != '\0') return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "url",
                        "the name of the study is empty; give a path, as in throw.fcps");
}

/* Warns, once, that a word is not tried because no safe trial has it. */
static void warn_of_unsafe_word(const fcps_study *s)
{
  int d;
  double word;
  if (!fcps_problem_find_unsafe_word(&s->problem, &d, &word)) return;
  const fcps_dimension *dim = &s->problem.parameters.dims[d];
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_UNSAFE_WORD",
               "no safe trial has %s=%s, so asks may never try it: without a result nobody knows whether it keeps the "
               "limits. Add a safe trial with it; without `safe`, every word is tried once, and may break a limit then",
               dim->name, fcps_dimension_word(dim, word));
}

/* Warns, once, that no parameters are known that keep the limits. */
static void warn_of_blindness(const fcps_study *s)
{
  const fcps_space *parameters = &s->problem.parameters;
  bool has_words = false;
  warn_of_unsafe_word(s);
  if (s->problem.limit_count == 0 || s->problem.safe_count > 0) return;
  for (int d = 0; d < parameters->count; d++)
    has_words = has_words || parameters->dims[d].choices != NULL;
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_BLIND_START",
               "no parameters are known yet that keep every limit, so the first trials%s are blind and may break one. "
               "If you know such parameters, name them in the problem file: safe: [{...}]%s",
               has_words ? ", and the first one with each word," : "",
               has_words ? ", with an entry for each word that may be tried" : "");
}

fcps_status fcps_study_create(fcps_study **study, const char *url, const fcps_study_setup *setup,
                              const fcps_study_options *options, fcps_error *error)
{
  if (study == NULL) return fcps_error_null(error, "study");
  *study = NULL;
  if (setup == NULL) return fcps_error_null(error, "setup");
  fcps_study *s = NULL;
  char *settings = NULL;
  fcps_status status = check_url(url, error);
  if (status == FCPS_OK) status = allocate_study(&s, options, error);
  if (status == FCPS_OK) status = fcps_study_prepare(s, setup, &settings, error);
  if (status == FCPS_OK) status = fcps_store_create(&s->store, url, store_options(&s->options), error);
  if (status == FCPS_OK) status = fcps_study_write_setup(s, settings, error);
  if (status == FCPS_OK) status = fcps_store_commit(s->store, error);
  if (status == FCPS_OK) warn_of_network(s);
  if (status == FCPS_OK) warn_of_blindness(s);
  free(settings);
  if (status != FCPS_OK) {
    fcps_study_close(s); /* Nothing was committed, so nothing of the study stays. */
    return status;
  }
  pass_notice_on(s);
  fcps_study_look_again(s, fcps_study_look_at_reward, NULL);
  *study = s;
  return FCPS_OK;
}

fcps_status fcps_study_open(fcps_study **study, const char *url, const fcps_study_options *options, fcps_error *error)
{
  if (study == NULL) return fcps_error_null(error, "study");
  *study = NULL;
  fcps_study *s = NULL;
  fcps_status status = check_url(url, error);
  if (status == FCPS_OK) status = allocate_study(&s, options, error);
  if (status == FCPS_OK) status = fcps_store_open(&s->store, url, store_options(options), error);
  if (status == FCPS_OK) status = fcps_study_read_setup(s, error);
  if (status == FCPS_OK) status = fcps_study_refresh(s, error);
  if (status != FCPS_OK) {
    fcps_study_close(s);
    return status;
  }
  *study = s;
  return FCPS_OK;
}

fcps_status fcps_study_exists(bool *exists, const char *url, fcps_error *error)
{
  if (exists == NULL) return fcps_error_null(error, "exists");
  *exists = false;
  const fcps_status status = check_url(url, error);
  return status == FCPS_OK ? fcps_store_exists(exists, url, error) : status;
}

fcps_status fcps_study_remove(const char *url, fcps_error *error)
{
  const fcps_status status = check_url(url, error);
  return status == FCPS_OK ? fcps_store_remove(url, false, error) : status;
}

/* Writes how many records were lost, and which ones, as in "2 records: 3, 7". The caller frees the text. */
static char *write_lost(const char *lost)
{
  const size_t size = strlen(lost) + 64;
  const long long count = fcps_lost_count(lost);
  char *text = fcps_allocate(size, 1);
  if (text != NULL) snprintf(text, size, "%lld record%s: %s", count, count == 1 ? "" : "s", lost);
  return text;
}

/* Adds a note that tells readers of a repaired study which records are lost. */
static fcps_status note_lost(fcps_store *store, const char *lost, fcps_error *error)
{
  int64_t sequence = 0;
  char *text = write_lost(lost);
  if (text == NULL) return fcps_error_memory(error);
  const fcps_journal_record note = {.kind = FCPS_JOURNAL_NOTE,
                                    .time_ms = wall_clock_ms(NULL),
                                    .reward = NAN,
                                    .hindsight_reward = NAN,
                                    .client = STUDY_LOST_CODE,
                                    .text = text};
  fcps_status status = fcps_store_begin(store, true, error);
  if (status == FCPS_OK) status = fcps_store_append(store, &note, &sequence, error);
  if (status == FCPS_OK) status = fcps_store_commit(store, error);
  free(text);
  return status;
}

/* Checks that the names of both studies are given. */
static fcps_status check_both(const char *from_name, const char *from, const char *to_name, const char *to,
                              fcps_error *error)
{
  if (from == NULL) return fcps_error_null(error, from_name);
  if (to == NULL) return fcps_error_null(error, to_name);
  const fcps_status status = check_url(from, error);
  return status == FCPS_OK ? check_url(to, error) : status;
}

fcps_status fcps_study_repair(const char *url, const char *to, int64_t *records, fcps_error *error)
{
  int64_t unwanted;
  if (records == NULL) records = &unwanted;
  *records = 0;
  fcps_store *store = NULL;
  char *lost = NULL;
  fcps_status status = check_both("url", url, "to", to, error);
  if (status == FCPS_OK) status = fcps_store_repair(url, to, records, error);
  if (status == FCPS_OK) status = fcps_store_open(&store, to, store_options(NULL), error);
  if (status == FCPS_OK) status = fcps_store_begin(store, false, error);
  if (status == FCPS_OK) {
    status = fcps_store_get(store, FCPS_LOST_KEY, &lost, error);
    fcps_store_rollback(store);
  }
  if (status == FCPS_OK && lost != NULL) status = note_lost(store, lost, error);
  fcps_store_close(store);
  free(lost);
  return status;
}

fcps_status fcps_study_backup(const char *url, const char *to, bool may_replace, int64_t *records, fcps_error *error)
{
  int64_t unwanted;
  const fcps_status status = check_both("url", url, "to", to, error);
  return status == FCPS_OK ? fcps_store_backup(url, to, may_replace, records != NULL ? records : &unwanted, error)
                           : status;
}

fcps_status fcps_study_copy(const char *url, const char *to, int64_t *records, fcps_error *error)
{
  int64_t unwanted;
  const fcps_status status = check_both("url", url, "to", to, error);
  return status == FCPS_OK ? fcps_store_copy(url, to, store_options(NULL), records != NULL ? records : &unwanted, error)
                           : status;
}

fcps_status fcps_study_restore(const char *from, const char *url, bool may_replace, char **kept, int64_t *records,
                               fcps_error *error)
{
  int64_t unwanted;
  if (kept == NULL) return fcps_error_null(error, "kept");
  *kept = NULL;
  const fcps_status status = check_both("from", from, "url", url, error);
  return status == FCPS_OK
             ? fcps_store_restore(from, url, may_replace, kept, records != NULL ? records : &unwanted, error)
             : status;
}

fcps_status fcps_study_hold(fcps_study *s, fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  /* Before holding: if workers are alive, the study is not held at all. */
  if (status == FCPS_OK) status = fcps_study_refuse_workers(s, error);
  if (status == FCPS_OK) status = fcps_store_hold(s->store, error);
  /* After holding: a worker may have begun in between, but from now on none can. */
  return status == FCPS_OK ? fcps_study_refuse_workers(s, error) : status;
}

bool fcps_study_is_held(fcps_study *s, fcps_error *who)
{
  return fcps_study_enter(s, NULL) == FCPS_OK && fcps_store_is_held(s->store, who);
}

const char *fcps_study_identity(const fcps_study *s)
{
  if (s != NULL && s->stand_in_identity != NULL) return s->stand_in_identity;
  return s != NULL ? fcps_store_identity(s->store) : NULL;
}

void fcps_study_close(fcps_study *s)
{
  if (s == NULL) return;
  if (s->callbacks != NULL && fcps_callbacks_check(s->callbacks, "study", NULL) != FCPS_OK) return;
  if (s->learner != NULL) fcps_study_drop_learner(s);
  if (s->saved_state != NULL || s->saved_head != NULL) fcps_study_drop_saved(s);
  fcps_study_clear_index(s);
  free(s->asks);
  free(s->results);
  free(s->events);
  free(s->marks);
  if (s->remarks != NULL) fcps_study_free_remarks(s);
  free(s->leases);
  free(s->stand_in_url);
  free(s->stand_in_identity);
  free(s->word);
  fcps_store_close(s->store);
  fcps_problem_file_destroy(s->file);
  s->lent_count = 0;
  fcps_study_drop_old_files(s);
  free(s->old_files);
  if (s->owner != NULL && s->options.maker->destroy != NULL) s->options.maker->destroy(s->owner);
  free(s->origin);
  free(s->settings);
  fcps_json_destroy(s->settings_json);
  free(s->learner_name);
  free(s->made_learner);
  free(s->made_settings);
  free(s->text_name);
  free(s->text);
  free(s->callbacks);
  free(s);
}

const char *fcps_study_url(const fcps_study *s)
{
  if (s != NULL && s->stand_in_url != NULL) return s->stand_in_url;
  return s != NULL && s->store->ops->is_shared ? s->store->name : NULL;
}

fcps_status fcps_study_beside(const fcps_study *s, const char *end, char **path, fcps_error *error)
{
  if (s->stand_in_identity == NULL) return fcps_store_beside(s->store, end, path, error);
  *path = fcps_store_state_path(s->stand_in_identity, end);
  return *path != NULL ? FCPS_OK : fcps_error_memory(error);
}

const fcps_problem *fcps_study_problem(const fcps_study *s)
{
  return s != NULL ? &s->problem : NULL;
}

const fcps_problem_file *fcps_study_file(const fcps_study *s)
{
  return s != NULL ? s->file : NULL;
}

const char *fcps_study_origin(const fcps_study *s)
{
  return s != NULL ? s->origin : NULL;
}

void *fcps_study_owner(const fcps_study *s)
{
  return s != NULL ? s->owner : NULL;
}

const char *fcps_study_name(const fcps_study *s)
{
  if (s == NULL) return NULL;
  if (s->owner != NULL && s->options.maker->name != NULL) return s->options.maker->name(s->owner);
  const fcps_problem_file *file = fcps_study_file(s);
  return file != NULL ? file->name : NULL;
}

const fcps_setting *fcps_study_settings(const fcps_study *s)
{
  return s != NULL ? s->settings : NULL;
}

const char *fcps_study_learner(const fcps_study *s)
{
  return s != NULL ? s->learner_name : NULL;
}

uint64_t fcps_study_seed(const fcps_study *s)
{
  return s != NULL ? s->seed : 0;
}

const char *fcps_study_word(const fcps_study *s)
{
  if (s->word != NULL) return s->word;
  return s->store->ops->is_shared ? s->store->word : "STUDY";
}

fcps_status fcps_study_set_word(fcps_study *s, const char *word, fcps_error *error)
{
  char *copy = fcps_copy_text(word);
  if (copy == NULL) return fcps_error_memory(error);
  free(s->word);
  s->word = copy;
  return FCPS_OK;
}

fcps_status fcps_study_set_address(fcps_study *s, const char *address, fcps_error *error)
{
  char room[2000];
  return fcps_study_set_word(s, fcps_shell_word(address, sizeof room, room), error);
}

fcps_status fcps_study_stand_in(fcps_study *s, const char *url, const char *identity, fcps_error *error)
{
  char *url_copy = fcps_copy_text(url), *identity_copy = fcps_copy_text(identity);
  if (url_copy == NULL || identity_copy == NULL) {
    free(url_copy);
    free(identity_copy);
    return fcps_error_memory(error);
  }
  free(s->stand_in_url);
  free(s->stand_in_identity);
  s->stand_in_url = url_copy;
  s->stand_in_identity = identity_copy;
  return fcps_study_set_address(s, url, error);
}

int64_t fcps_study_sequence(const fcps_study *study)
{
  return study->sequence;
}

void fcps_study_share_seen(fcps_study *study, fcps_store_seen *latest)
{
  fcps_store_share_seen(study->store, latest);
}

int fcps_study_hold_file(const fcps_study *s)
{
  return fcps_store_hold_file(s->store);
}

int fcps_study_claimed_file(const fcps_study *s)
{
  return fcps_store_claimed_file(s->store);
}

int64_t fcps_study_ask_sequence(const fcps_study *s, int64_t ask)
{
  const study_ask *found = fcps_study_find_ask(s, ask);
  return found != NULL ? found->sequence : 0;
}
