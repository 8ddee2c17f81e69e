/* SPDX-License-Identifier: Apache-2.0 */
/* Making, opening and closing a study, and the transaction that every call on it is. */
#include "base/error.h"
#include "base/memory.h"
#include "format/json.h"
#include "problem/problem.h"
#include "problem/state.h"
#include "study/study_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DEFAULT_WAIT_MS = 5000 };

static int64_t wall_clock_ms(void *user)
{
  (void)user;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static fcps_status allocate_study(fcps_study **study, const char *path, const fcps_study_options *options,
                                  fcps_error *error)
{
  fcps_study *s = fcps_allocate(1, sizeof *s);
  *study = s;
  if (!s) return fcps_error_memory(error);
  s->hold = -1;
  if (options) s->options = *options;
  if (!s->options.clock_ms) s->options.clock_ms = wall_clock_ms;
  if (s->options.wait_ms <= 0) s->options.wait_ms = DEFAULT_WAIT_MS;
  if (path && !(s->path = fcps_copy_text(path))) return fcps_error_memory(error);
  return FCPS_OK;
}

fcps_status fcps_study_read_problem(fcps_study *s, const fcps_setting *extra, fcps_error *error)
{
  if (!s->text) return FCPS_OK;
  fcps_setting *changes = fcps_allocate(s->event_count + 2, sizeof *changes);
  if (!changes) return fcps_error_memory(error);
  size_t count = 0;
  for (size_t i = 0; i < s->event_count; i++)
    if (s->events[i].is_change) changes[count++] = (fcps_setting){s->events[i].code, s->events[i].text};
  if (extra) changes[count++] = *extra;

  fcps_problem_file *file = NULL;
  const fcps_status status = fcps_problem_file_parse(&file, s->text, strlen(s->text), s->text_name, changes, error);
  free(changes);
  if (status) return status;
  fcps_study_drop_learner(s); // it points into the old file
  fcps_problem_file_destroy(s->file);
  s->file = file;
  s->problem = file->problem;
  return FCPS_OK;
}

static fcps_status refresh_visit(void *user, const fcps_store_record *record, fcps_error *error)
{
  return fcps_study_index(user, record, error);
}

fcps_status fcps_study_begin(fcps_study *s, bool writing, fcps_error *error)
{
  fcps_status status = fcps_store_begin(s->store, writing, error);
  if (status) return status;
  const int64_t before = s->turning_point;
  status = fcps_store_each(s->store, s->sequence, refresh_visit, s, error);
  // another process may have changed the problem
  if (!status && s->turning_point != before) status = fcps_study_read_problem(s, NULL, error);
  if (status) fcps_store_rollback(s->store);
  s->begin_sequence = s->sequence;
  return status;
}

fcps_status fcps_study_end(fcps_study *s, fcps_status status, fcps_error *error)
{
  const bool was_writing = s->store->is_writing;
  if (!status)
    status = fcps_store_commit(s->store, error);
  else
    fcps_store_rollback(s->store);
  if (!status || !was_writing) return status;
  // what was indexed since may not be stored, and the learner may have asked for nothing
  fcps_study_drop_learner(s);
  if (s->sequence != s->begin_sequence) {
    fcps_study_clear_index(s);
    fcps_study_refresh(s, NULL);
  }
  return status;
}

fcps_status fcps_study_write(fcps_study *s, fcps_store_record *record, fcps_error *error)
{
  record->time_ms = s->options.clock_ms(s->options.clock_user);
  if (!record->client) record->client = "";
  if (!record->text) record->text = "";
  const fcps_status status = fcps_store_append(s->store, record, &record->sequence, error);
  return status ? status : fcps_study_index(s, record, error);
}

fcps_status fcps_study_refresh(fcps_study *s, fcps_error *error)
{
  const fcps_status status = fcps_study_begin(s, false, error);
  return status ? status : fcps_study_end(s, FCPS_OK, error);
}

// the learner's settings as a JSON object of texts, those of `given` over those of the file
static fcps_status write_settings(const fcps_study *s, const fcps_setting *given, char **text, fcps_error *error)
{
  fcps_json *object = fcps_json_object();
  const fcps_setting *const lists[] = {s->file ? s->file->settings : NULL, given};
  fcps_status status = object ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int l = 0; l < 2; l++)
    for (const fcps_setting *setting = lists[l]; !status && setting && setting->name; setting++)
      status = fcps_json_set(object, setting->name, fcps_json_from_text(setting->value));
  *text = status ? NULL : fcps_json_write(object);
  fcps_json_destroy(object);
  return *text ? FCPS_OK : fcps_error_memory(error);
}

// settings of the learner from the stored JSON text
static fcps_status read_settings(fcps_study *s, const char *text, fcps_error *error)
{
  fcps_json *object = NULL;
  fcps_status status = fcps_json_read(&object, text, strlen(text), s->path, error);
  if (status) return status;
  const int count = fcps_json_count(object);
  size_t size = 0;
  for (int i = 0; i < count; i++) {
    const char *key = fcps_json_key(object, i), *value = fcps_json_text(fcps_json_get(object, key));
    size += strlen(key) + (value ? strlen(value) : 0) + 2;
  }
  s->settings = fcps_allocate((size_t)count + 1, sizeof *s->settings);
  s->settings_text = fcps_allocate(size + 1, 1);
  if (!s->settings || !s->settings_text) status = fcps_error_memory(error);
  char *end = s->settings_text;
  for (int i = 0; !status && i < count; i++) {
    const char *key = fcps_json_key(object, i), *value = fcps_json_text(fcps_json_get(object, key));
    s->settings[i].name = strcpy(end, key);
    end += strlen(key) + 1;
    s->settings[i].value = strcpy(end, value ? value : "");
    end += strlen(end) + 1;
  }
  fcps_json_destroy(object);
  return status;
}

static fcps_status set_text(fcps_study *s, fcps_status status, const char *key, const char *text, fcps_error *error)
{
  if (status || !text) return status;
  return fcps_store_set(s->store, key, text, error);
}

// the first transaction: everything that a later opening needs
static fcps_status write_setup(fcps_study *s, const fcps_study_setup *setup, const char *settings, fcps_error *error)
{
  char seed[32];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)setup->seed);
  fcps_status status = set_text(s, FCPS_OK, "problem", setup->text, error);
  status = set_text(s, status, "problem.name", setup->text ? s->text_name : NULL, error);
  status = set_text(s, status, "learner", s->learner_name, error);
  status = set_text(s, status, "settings", settings, error);
  status = set_text(s, status, "seed", seed, error);
  if (status || setup->text) return status;
  fcps_json *spaces = fcps_problem_write_spaces(setup->problem);
  char *text = spaces ? fcps_json_write(spaces) : NULL;
  status = text ? fcps_store_set(s->store, "spaces", text, error) : fcps_error_memory(error);
  fcps_json_destroy(spaces);
  free(text);
  return status;
}

// a learner that the problem does not allow is refused before a file is made
static fcps_status check_learner(fcps_study *s, fcps_error *error)
{
  fcps_learner *learner = NULL;
  const fcps_status status = fcps_learner_create(&learner, &s->problem, s->learner_name, s->settings, s->seed, error);
  fcps_learner_destroy(learner);
  return status;
}

// where nothing is said: the first of these that can serve the problem
static const char *default_learner(bool has_reward)
{
  static const char *const preferred[] = {"outcome", "bo-fcps", "bo-cps"};
  for (size_t p = 0; p < sizeof preferred / sizeof *preferred; p++) {
    const fcps_learner_info *info;
    for (int i = 0; (info = fcps_learner_info_at(i)); i++)
      if (strcmp(info->name, preferred[p]) == 0 && (has_reward || !info->needs_reward)) return info->name;
  }
  return "random";
}

static fcps_status prepare(fcps_study *s, const fcps_study_setup *setup, char **settings, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  if (setup->text) {
    s->text = fcps_copy_text(setup->text);
    s->text_name = fcps_copy_text(setup->text_name ? setup->text_name : "problem");
    if (!s->text || !s->text_name) return fcps_error_memory(error);
    status = fcps_study_read_problem(s, NULL, error);
  } else if (setup->problem) {
    s->problem = *setup->problem;
    status = fcps_problem_check(setup->problem, error);
  } else {
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "problem", "a study needs a problem.");
  }
  if (status) return status;
  const char *said = setup->learner ? setup->learner : s->file ? s->file->learner : NULL;
  s->learner_name = fcps_copy_text(said ? said : default_learner(s->problem.reward != NULL));
  s->seed = setup->seed;
  if (!s->learner_name) return fcps_error_memory(error);
  status = write_settings(s, setup->settings, settings, error);
  if (!status) status = read_settings(s, *settings, error);
  if (!status) status = check_learner(s, error);
  return status;
}

fcps_status fcps_study_create(fcps_study **study, const char *path, const fcps_study_setup *setup,
                              const fcps_study_options *options, fcps_error *error)
{
  *study = NULL;
  fcps_study *s = NULL;
  char *settings = NULL;
  fcps_status status = allocate_study(&s, path, options, error);
  if (!status) status = prepare(s, setup, &settings, error);
  const fcps_store_options how = {s ? s->options.is_relaxed : false, s ? s->options.wait_ms : 0};
  if (!status && path)
    status = fcps_store_sqlite_create(&s->store, path, how, error);
  else if (!status) {
    status = fcps_store_memory(&s->store, error);
    if (!status) status = fcps_store_begin(s->store, true, error);
  }
  const bool is_made = status == FCPS_OK;
  if (!status) status = write_setup(s, setup, settings, error);
  if (!status) status = fcps_store_commit(s->store, error);
  free(settings);
  if (status) {
    fcps_study_close(s);
    if (is_made && path) unlink(path);
    return status;
  }
  *study = s;
  return FCPS_OK;
}

static fcps_status need_text(fcps_study *s, fcps_status status, const char *key, char **text, fcps_error *error)
{
  if (status) return status;
  status = fcps_store_get(s->store, key, text, error);
  if (!status && !*text)
    return fcps_error_set(error, FCPS_ERR_DAMAGED, "", "%s has no '%s': its making was interrupted, or it is damaged.",
                          s->path, key);
  return status;
}

static fcps_status match_problem(fcps_study *s, fcps_error *error)
{
  char *text = NULL;
  fcps_json *spaces = NULL;
  if (!s->options.problem)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "problem",
                          "this study was made by a program of its own, which must open it.");
  fcps_status status = need_text(s, FCPS_OK, "spaces", &text, error);
  if (!status) status = fcps_json_read(&spaces, text, strlen(text), s->path, error);
  if (!status) status = fcps_problem_match_spaces(s->options.problem, spaces, error);
  if (!status) s->problem = *s->options.problem;
  fcps_json_destroy(spaces);
  free(text);
  return status;
}

static fcps_status read_setup(fcps_study *s, fcps_error *error)
{
  char *settings = NULL, *seed = NULL;
  fcps_status status = fcps_store_get(s->store, "problem", &s->text, error);
  if (s->text) status = need_text(s, status, "problem.name", &s->text_name, error);
  status = need_text(s, status, "learner", &s->learner_name, error);
  status = need_text(s, status, "settings", &settings, error);
  status = need_text(s, status, "seed", &seed, error);
  if (!status) status = s->text ? fcps_study_read_problem(s, NULL, error) : match_problem(s, error);
  if (!status) status = read_settings(s, settings, error);
  if (!status) {
    char *end = NULL;
    s->seed = strtoull(seed, &end, 10);
    if (*end) status = fcps_error_set(error, FCPS_ERR_DAMAGED, "seed", "'%.40s' is no seed.", seed);
  }
  free(settings);
  free(seed);
  return status;
}

fcps_status fcps_study_open(fcps_study **study, const char *path, const fcps_study_options *options, fcps_error *error)
{
  *study = NULL;
  fcps_study *s = NULL;
  fcps_status status = allocate_study(&s, path, options, error);
  const fcps_store_options how = {s ? s->options.is_relaxed : false, s ? s->options.wait_ms : 0};
  if (!status) status = fcps_store_sqlite_open(&s->store, path, how, error);
  if (!status) status = fcps_store_begin(s->store, false, error);
  if (!status) {
    status = read_setup(s, error);
    fcps_store_rollback(s->store);
  }
  if (!status) status = fcps_study_refresh(s, error);
  if (status) {
    fcps_study_close(s);
    return status;
  }
  *study = s;
  return FCPS_OK;
}

void fcps_study_close(fcps_study *s)
{
  if (!s) return;
  fcps_study_drop_learner(s);
  fcps_study_clear_index(s);
  free(s->asks);
  free(s->tells);
  free(s->events);
  fcps_study_release(s);
  fcps_store_close(s->store);
  fcps_problem_file_destroy(s->file);
  free(s->settings);
  free(s->settings_text);
  free(s->learner_name);
  free(s->text_name);
  free(s->text);
  free(s->path);
  free(s);
}

const fcps_problem *fcps_study_problem(const fcps_study *s)
{
  return &s->problem;
}

const fcps_problem_file *fcps_study_file(const fcps_study *s)
{
  return s->file;
}

const char *fcps_study_learner(const fcps_study *s)
{
  return s->learner_name;
}

uint64_t fcps_study_seed(const fcps_study *s)
{
  return s->seed;
}
