/* SPDX-License-Identifier: Apache-2.0 */
/* Creating, opening and closing a study. Every call on a study is one transaction.
 *
 * Every call begins a transaction of the store, brings the index up to date with what other processes have stored
 * (journal.c), does its work and commits. Invariants:
 *   - between two calls no transaction is open, and the index says what the store says up to `sequence`;
 *   - after a failed writing call nothing of it is stored; the index is built again where it had gone ahead, and the
 *     learner, which may have asked for nothing, is dropped;
 *   - the problem is always the stored text with all changes of the journal applied in order;
 *   - problem files that a change has replaced live until the study is closed: policies made before still use them.
 * Where and how a study is kept is known to its store alone: here it is a URL.
 */
#include "base/error.h"
#include "base/memory.h"
#include "study/hold.h"
#include "study/study_impl.h"

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
  if (options != NULL) s->options = *options;
  if (s->options.clock_ms == NULL) s->options.clock_ms = wall_clock_ms;
  return FCPS_OK;
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
  while (s->old_count > 0)
    fcps_problem_file_destroy(s->old_files[--s->old_count]);
}

fcps_status fcps_study_read_problem(fcps_study *s, const fcps_setting *extra, fcps_error *error)
{
  if (s->text == NULL) return FCPS_OK;
  fcps_setting *changes = fcps_allocate(s->event_count + 2, sizeof *changes);
  if (changes == NULL) return fcps_error_memory(error);
  size_t count = 0;
  for (size_t i = 0; i < s->event_count; i++)
    if (s->events[i].is_change) changes[count++] = (fcps_setting){s->events[i].code, s->events[i].text};
  if (extra != NULL) changes[count++] = *extra;

  fcps_problem_file *file = NULL;
  const fcps_status status = fcps_problem_file_parse(&file, s->text, strlen(s->text), s->text_name, changes, error);
  free(changes);
  if (status != FCPS_OK) return status;
  if (s->file != NULL && !retire(s, s->file)) {
    fcps_problem_file_destroy(file);
    return fcps_error_memory(error);
  }
  fcps_study_drop_learner(s); /* it points into the old file */
  s->file = file;
  s->problem = file->problem;
  return FCPS_OK;
}

static fcps_status refresh_visit(void *user, const fcps_journal_record *record, fcps_error *error)
{
  return fcps_study_index(user, record, error);
}

/* what the store has done and wants said, once */
static void pass_notice_on(fcps_study *s)
{
  if (s->store->notice == NULL) return;
  fcps_log_say(&s->options.log, FCPS_LOG_WARNING, "W_STALE_JOURNAL", "%s", s->store->notice);
  free(s->store->notice);
  s->store->notice = NULL;
}

fcps_status fcps_study_begin(fcps_study *s, bool writing, fcps_error *error)
{
  fcps_status status = fcps_store_begin(s->store, writing, error);
  pass_notice_on(s);
  if (status != FCPS_OK) return status;
  const int64_t before = s->learner_reset_sequence;
  status = fcps_store_each(s->store, s->sequence, refresh_visit, s, error);
  /* another process may have changed the problem */
  if (status == FCPS_OK && s->learner_reset_sequence != before) status = fcps_study_read_problem(s, NULL, error);
  if (status != FCPS_OK) fcps_store_rollback(s->store);
  s->begin_sequence = s->sequence;
  return status;
}

fcps_status fcps_study_end(fcps_study *s, fcps_status status, fcps_error *error)
{
  const bool was_writing = s->store->is_writing;
  if (status == FCPS_OK)
    status = fcps_store_commit(s->store, error);
  else
    fcps_store_rollback(s->store);
  if (status == FCPS_OK || !was_writing) return status;
  /* what was indexed since may not be stored, and the learner may have asked for nothing */
  fcps_study_drop_learner(s);
  if (s->sequence != s->begin_sequence) {
    fcps_study_clear_index(s);
    fcps_study_refresh(s, NULL);
  }
  return status;
}

fcps_status fcps_study_write(fcps_study *s, fcps_journal_record *record, fcps_error *error)
{
  record->time_ms = s->options.clock_ms(s->options.clock_user);
  if (record->client == NULL) record->client = "";
  if (record->text == NULL) record->text = "";
  const fcps_status status = fcps_store_append(s->store, record, &record->sequence, error);
  return status != FCPS_OK ? status : fcps_study_index(s, record, error);
}

fcps_status fcps_study_refresh(fcps_study *s, fcps_error *error)
{
  const fcps_status status = fcps_study_begin(s, false, error);
  return status != FCPS_OK ? status : fcps_study_end(s, FCPS_OK, error);
}

fcps_status fcps_study_create(fcps_study **study, const char *url, const fcps_study_setup *setup,
                              const fcps_study_options *options, fcps_error *error)
{
  *study = NULL;
  fcps_study *s = NULL;
  char *settings = NULL;
  fcps_status status = allocate_study(&s, options, error);
  if (status == FCPS_OK) status = fcps_study_prepare(s, setup, &settings, error);
  if (status == FCPS_OK) status = fcps_store_create(&s->store, url, store_options(&s->options), error);
  if (status == FCPS_OK) status = fcps_study_write_setup(s, settings, error);
  if (status == FCPS_OK) status = fcps_store_commit(s->store, error);
  free(settings);
  if (status != FCPS_OK) {
    fcps_study_close(s); /* what was not committed is gone */
    return status;
  }
  pass_notice_on(s);
  *study = s;
  return FCPS_OK;
}

fcps_status fcps_study_open(fcps_study **study, const char *url, const fcps_study_options *options, fcps_error *error)
{
  *study = NULL;
  fcps_study *s = NULL;
  fcps_status status = allocate_study(&s, options, error);
  if (status == FCPS_OK) status = fcps_store_open(&s->store, url, store_options(options), error);
  if (status == FCPS_OK) status = fcps_store_begin(s->store, false, error);
  if (status == FCPS_OK) {
    status = fcps_study_read_setup(s, error);
    fcps_store_rollback(s->store);
  }
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
  return fcps_store_exists(exists, url, error);
}

fcps_status fcps_study_remove(const char *url, fcps_error *error)
{
  return fcps_store_remove(url, false, error);
}

fcps_status fcps_study_repair(const char *url, const char *to, int64_t *records, fcps_error *error)
{
  return fcps_store_repair(url, to, records, error);
}

fcps_status fcps_study_backup(const char *url, const char *to, bool may_replace, int64_t *records, fcps_error *error)
{
  return fcps_store_backup(url, to, may_replace, records, error);
}

fcps_status fcps_study_restore(const char *from, const char *url, char **kept, int64_t *records, fcps_error *error)
{
  return fcps_store_restore(from, url, kept, records, error);
}

fcps_status fcps_study_hold(fcps_study *s, fcps_error *error)
{
  return fcps_store_hold(s->store, error);
}

int fcps_study_hold_file(const fcps_study *s)
{
  return fcps_store_hold_file(s->store);
}

bool fcps_study_hold_add(const fcps_study *s, const char *words)
{
  return fcps_store_hold_add(s->store, words);
}

void fcps_study_close(fcps_study *s)
{
  if (s == NULL) return;
  fcps_study_drop_learner(s);
  fcps_study_clear_index(s);
  free(s->asks);
  free(s->results);
  free(s->events);
  fcps_store_close(s->store);
  fcps_problem_file_destroy(s->file);
  fcps_study_drop_old_files(s);
  free(s->old_files);
  if (s->owner != NULL) s->options.maker->destroy(s->owner);
  free(s->origin);
  free(s->settings);
  fcps_json_destroy(s->settings_json);
  free(s->learner_name);
  free(s->text_name);
  free(s->text);
  free(s);
}

const char *fcps_study_url(const fcps_study *s)
{
  return s->store->ops->is_shared ? s->store->name : NULL;
}

const fcps_problem *fcps_study_problem(const fcps_study *s)
{
  return &s->problem;
}

const fcps_problem_file *fcps_study_file(const fcps_study *s)
{
  return s->file;
}

const char *fcps_study_origin(const fcps_study *s)
{
  return s->origin;
}

void *fcps_study_owner(const fcps_study *s)
{
  return s->owner;
}

const fcps_setting *fcps_study_settings(const fcps_study *s)
{
  return s->settings;
}

const char *fcps_study_learner(const fcps_study *s)
{
  return s->learner_name;
}

uint64_t fcps_study_seed(const fcps_study *s)
{
  return s->seed;
}
