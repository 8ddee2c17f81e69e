/* SPDX-License-Identifier: Apache-2.0 */
/* The setup of a study: problem, learner, settings and seed.
 *
 * These are texts of the store. The first transaction writes them, each opening reads them, and they never change:
 * changes of the problem or of the learner are records of the journal. A setup that cannot work (a learner that
 * cannot serve the problem, a setting that does not exist) is refused before anything is stored. A problem made from
 * callbacks is not stored, but its spaces are: the problem given at opening must have the same spaces.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "format/json.h"
#include "learner/learner_impl.h"
#include "problem/problem.h"
#include "problem/save.h"
#include "study/study_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes the learner's settings as a JSON object of texts; settings in `given` have precedence over those of the
 * file. */
static fcps_status write_settings(const fcps_study *s, const fcps_setting *given, char **text, fcps_error *error)
{
  fcps_json *object = fcps_json_object();
  const fcps_setting *const lists[] = {s->file != NULL ? s->file->settings : NULL, given};
  for (int l = 0; l < 2; l++)
    for (const fcps_setting *setting = lists[l]; setting != NULL && setting->name != NULL; setting++)
      fcps_json_put(&object, setting->name, fcps_json_from_text(setting->value));
  *text = fcps_json_finish(object);
  return *text ? FCPS_OK : fcps_error_memory(error);
}

static fcps_status set_text(fcps_study *s, fcps_status status, const char *key, const char *text, fcps_error *error)
{
  if (status != FCPS_OK || text == NULL) return status;
  return fcps_store_set(s->store, key, text, error);
}

fcps_status fcps_study_write_setup(fcps_study *s, const char *settings, fcps_error *error)
{
  char seed[32];
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)s->seed);
  fcps_status status = set_text(s, FCPS_OK, "problem", s->text, error);
  status = set_text(s, status, "problem.name", s->text_name, error);
  status = set_text(s, status, "origin", s->origin, error);
  status = set_text(s, status, "learner", s->made_learner, error);
  status = set_text(s, status, "settings", settings, error);
  status = set_text(s, status, "seed", seed, error);
  if (status != FCPS_OK || s->text != NULL) return status;
  fcps_json *spaces = fcps_problem_write_spaces(&s->problem);
  char *text = fcps_json_write(spaces);
  status = text != NULL ? fcps_store_set(s->store, "spaces", text, error) : fcps_error_memory(error);
  fcps_json_destroy(spaces);
  free(text);
  return status;
}

/* Refuses an unsuitable learner before a file is made. If the problem file names the learner, the error has that
 * position. */
static fcps_status check_learner(fcps_study *s, const fcps_study_setup *setup, fcps_error *error)
{
  fcps_learner *learner = NULL;
  fcps_error inner = {0};
  int line, column;
  const fcps_status status = fcps_learner_create(&learner, &s->guarded, s->learner_name, s->settings, s->seed, &inner);
  fcps_learner_destroy(learner);
  if (status == FCPS_OK) return FCPS_OK;
  const bool is_name = strcmp(inner.field, "learner") == 0;
  const char *key = is_name ? "name" : inner.field;
  /* If the caller gave the learner or the setting, the problem file is not wrong. */
  const bool is_given = is_name ? setup->learner != NULL : fcps_setting_value(setup->settings, key) != NULL;
  bool has_position = s->file != NULL && !is_given && fcps_problem_file_learner_position(s->file, key, &line, &column);
  /* The setting is a default of the learner that the file names, so the error points at the learner's name. */
  if (!has_position && s->file != NULL && !is_given && setup->learner == NULL)
    has_position = fcps_problem_file_learner_position(s->file, key = "name", &line, &column);
  if (error != NULL) *error = inner;
  if (!has_position) return status;
  char field[sizeof inner.field + sizeof "learner."];
  snprintf(field, sizeof field, "learner.%s", key);
  return fcps_error_at(error, status, s->file->file, line, column, field, "%s", inner.message);
}

/* The learner of a study whose setup names none is the first of these that can work with the problem. */
static const char *default_learner(const fcps_problem *problem)
{
  static const char *const preferred[] = {"outcome", "bo-fcps", "bo-cps"};
  for (size_t p = problem->outcome.count > 0 ? 0 : 1; p < sizeof preferred / sizeof *preferred; p++) {
    const fcps_learner_entry *entry = fcps_learner_entry_find(preferred[p], NULL);
    if (entry != NULL && (problem->reward != NULL || !entry->info.needs_reward)) return preferred[p];
  }
  return "random";
}

/* Makes the problem from the study's origin, such as a built-in task. */
static fcps_status make_problem(fcps_study *s, fcps_error *error)
{
  if (s->options.maker->make == NULL) return fcps_error_null(error, "maker.make");
  const fcps_problem *problem = NULL;
  const fcps_status status = s->options.maker->make(s->origin, &s->owner, &problem, error);
  if (status == FCPS_OK && problem == NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "maker", "the maker made no problem of the study's origin");
  if (status == FCPS_OK) fcps_study_set_problem(s, problem);
  return status;
}

/* Takes the problem of a new study, which the setup gives in one of three ways. */
static fcps_status take_problem(fcps_study *s, const fcps_study_setup *setup, fcps_error *error)
{
  if ((setup->text != NULL) + (setup->problem != NULL) + (setup->origin != NULL) > 1)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "problem", "give one of text, problem and origin, not several");
  if (setup->text != NULL) {
    s->text = fcps_copy_text(setup->text);
    s->text_name = fcps_copy_text(setup->text_name != NULL ? setup->text_name : "problem");
    return s->text != NULL && s->text_name != NULL ? fcps_study_read_problem(s, NULL, error) : fcps_error_memory(error);
  }
  if (setup->problem != NULL) {
    fcps_study_set_problem(s, setup->problem);
    return fcps_problem_check(setup->problem, error);
  }
  if (setup->origin != NULL && s->options.maker != NULL) {
    s->origin = fcps_copy_text(setup->origin);
    return s->origin != NULL ? make_problem(s, error) : fcps_error_memory(error);
  }
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "problem", "a study needs a problem.");
}

fcps_status fcps_study_prepare(fcps_study *s, const fcps_study_setup *setup, char **settings, fcps_error *error)
{
  fcps_status status = take_problem(s, setup, error);
  if (status != FCPS_OK) return status;
  const char *said = setup->learner != NULL ? setup->learner : s->file != NULL ? s->file->learner : NULL;
  s->made_learner = fcps_copy_text(said != NULL ? said : default_learner(&s->problem));
  s->seed = setup->seed;
  if (s->made_learner == NULL) return fcps_error_memory(error);
  status = write_settings(s, setup->settings, settings, error);
  if (status == FCPS_OK) s->made_settings = fcps_copy_text(*settings);
  if (status == FCPS_OK && s->made_settings == NULL) status = fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_study_take_learner(s, error);
  if (status == FCPS_OK) status = check_learner(s, setup, error);
  return status;
}

/* The texts of a stored setup that are only needed while it is read. */
typedef struct setup_texts {
  char *seed, *spaces;
} setup_texts;

static fcps_status refuse_missing(const fcps_study *s, const char *key, fcps_error *error)
{
  return fcps_error_set(error, FCPS_ERR_DAMAGED, "", "%s has no '%s': its making was interrupted, or it is damaged.",
                        s->store->name, key);
}

static fcps_status need_text(fcps_study *s, fcps_status status, const char *key, char **text, fcps_error *error)
{
  if (status != FCPS_OK) return status;
  status = fcps_store_get(s->store, key, text, error);
  return status == FCPS_OK && *text == NULL ? refuse_missing(s, key, error) : status;
}

static fcps_status match_problem(fcps_study *s, const char *text, fcps_error *error)
{
  fcps_json *spaces = NULL;
  if (text == NULL) return refuse_missing(s, "problem", error);
  if (s->origin != NULL && s->options.problem == NULL && s->options.maker == NULL)
    return fcps_error_set(error, FCPS_ERR_UNAVAILABLE, "problem",
                          "%s was made from a built-in task, and this program was built without tasks (FCPS_LAB). With "
                          "this program only backup, copy and repair work on it.",
                          s->store->name);
  if (s->options.problem == NULL && s->origin == NULL)
    return fcps_error_set(
        error, FCPS_ERR_UNSUPPORTED, "problem",
        "the reward of %s is a function of the program that made it, so only that program can open it: from "
        "Python, fcps.Study(PATH, problem) with a problem whose reward is a function; its rollouts() "
        "are the results. Here backup, copy and repair work; a study whose reward is a formula is "
        "open to every command.",
        s->store->name);
  fcps_status status = FCPS_OK;
  if (s->options.problem != NULL)
    fcps_study_set_problem(s, s->options.problem);
  else
    status = make_problem(s, error);
  if (status == FCPS_OK) status = fcps_json_read(&spaces, text, strlen(text), s->store->name, error);
  if (status == FCPS_OK) status = fcps_problem_match_spaces(&s->problem, spaces, error);
  fcps_json_destroy(spaces);
  return status;
}

/* Reads the stored problem with all changes. If this fails, the stored text is damaged; the user's problem file is
 * not to blame, although the stored text has its name. */
fcps_status fcps_study_read_stored_problem(fcps_study *s, fcps_error *error)
{
  fcps_error inner = {0};
  const fcps_status status = fcps_study_read_problem(s, NULL, &inner);
  if (status == FCPS_OK) return FCPS_OK;
  if (status == FCPS_ERR_MEMORY) return fcps_error_memory(error);
  return fcps_error_set(
      error, FCPS_ERR_DAMAGED, "",
      "the problem that %s stores cannot be read (%.200s). It was changed after it was written, or a newer fcps wrote "
      "it; the file it was made from is not affected. Save the results: fcps study repair %s --to NEW",
      s->store->name, inner.message, s->store->name);
}

static fcps_status read_texts(fcps_study *s, setup_texts *texts, fcps_error *error)
{
  fcps_status status = fcps_store_get(s->store, "problem", &s->text, error);
  if (s->text != NULL) status = need_text(s, status, "problem.name", &s->text_name, error);
  if (status == FCPS_OK) status = fcps_store_get(s->store, "origin", &s->origin, error);
  status = need_text(s, status, "learner", &s->made_learner, error);
  status = need_text(s, status, "settings", &s->made_settings, error);
  status = need_text(s, status, "seed", &texts->seed, error);
  if (status == FCPS_OK) status = fcps_store_get(s->store, "spaces", &texts->spaces, error);
  return status;
}

/* Makes the problem, learner and seed from the texts. It is called outside transactions, because the caller's `maker`
 * may take long. */
static fcps_status use_texts(fcps_study *s, const setup_texts *texts, fcps_error *error)
{
  fcps_status status =
      s->text != NULL ? fcps_study_read_stored_problem(s, error) : match_problem(s, texts->spaces, error);
  if (status == FCPS_OK) status = fcps_study_take_learner(s, error);
  if (status != FCPS_OK) return status;
  char *end = NULL;
  s->seed = strtoull(texts->seed, &end, 10);
  return *end ? fcps_error_set(error, FCPS_ERR_DAMAGED, "seed", "'%.40s' is not a seed.", texts->seed) : FCPS_OK;
}

fcps_status fcps_study_read_setup(fcps_study *s, fcps_error *error)
{
  setup_texts texts = {0};
  fcps_status status = fcps_store_begin(s->store, false, error);
  if (status != FCPS_OK) return status;
  status = read_texts(s, &texts, error);
  fcps_store_rollback(s->store);
  if (status == FCPS_OK) status = use_texts(s, &texts, error);
  free(texts.seed);
  free(texts.spaces);
  return status;
}

/* -- Changes of the learner: another learner, or other settings --
 *
 * A change is a record of the journal with the code "learner" or "setting.NAME". So the history shows it, other
 * processes follow it, and after a kill the study has either the old learner or the new one. The learner of a study is
 * the one of its setup with all these changes applied in order; another learner begins with its own defaults. As after
 * every change, earlier states of the learner are void (learner.c): the new learner is told every result that counts,
 * and knows which asks are pending.
 *
 * Invariant: a change is stored only if a learner can be made with it. A change that has no effect is not stored.
 *
 * The settings of one learner are not passed on to another learner. A version of fcps that does not know these records
 * takes them for changes of the problem file, and refuses the study. */

static const char learner_code[] = "learner", setting_start[] = "setting.";

bool fcps_study_is_learner_change(const char *code)
{
  return strcmp(code, learner_code) == 0 || strncmp(code, setting_start, strlen(setting_start)) == 0;
}

bool fcps_study_is_problem_change(const study_event *event)
{
  return event->is_change && !fcps_study_is_learner_change(event->code);
}

/* -- The choice of the learner -- */

/* The name of a learner (borrowed), and its settings as a JSON object of texts. */
typedef struct choice {
  const char *name;
  fcps_json *settings;
} choice;

static void change(choice *c, const char *code, const char *text)
{
  if (strcmp(code, learner_code) == 0) {
    c->name = text;
    fcps_json_destroy(c->settings);
    c->settings = fcps_json_object();
  } else {
    fcps_json_put(&c->settings, code + strlen(setting_start), fcps_json_from_text(text));
  }
}

/* Finds the learner and settings of the study's setup, changed by its first `events` events. */
static fcps_status choice_after(const fcps_study *s, size_t events, choice *c, fcps_error *error)
{
  const char *place = s->store != NULL ? s->store->name : NULL;
  *c = (choice){.name = s->made_learner};
  const fcps_status status = fcps_json_read(&c->settings, s->made_settings, strlen(s->made_settings), place, error);
  if (status != FCPS_OK) return status;
  for (size_t i = 0; i < events; i++)
    if (s->events[i].is_change && fcps_study_is_learner_change(s->events[i].code))
      change(c, s->events[i].code, s->events[i].text);
  return c->settings != NULL ? FCPS_OK : fcps_error_memory(error);
}

fcps_status fcps_study_take_learner(fcps_study *s, fcps_error *error)
{
  choice c;
  fcps_status status = choice_after(s, s->event_count, &c, error);
  if (status != FCPS_OK) return status;
  fcps_setting *settings = fcps_json_settings(c.settings);
  char *name = fcps_copy_text(c.name);
  if (settings == NULL || name == NULL)
    status = fcps_error_memory(error);
  else if (s->store != NULL && fcps_learner_entry_find(name, NULL) == NULL)
    status = fcps_error_set(error, FCPS_ERR_FORMAT, "",
                            "%s has a learner that this fcps does not know: a newer fcps made it, or it was changed. "
                            "Nothing was changed now.",
                            s->store->name);
  if (status != FCPS_OK) {
    free(settings);
    free(name);
    fcps_json_destroy(c.settings);
    return status;
  }
  free(s->settings);
  free(s->learner_name);
  fcps_json_destroy(s->settings_json);
  s->settings = settings;
  s->learner_name = name;
  s->settings_json = c.settings;
  return FCPS_OK;
}

fcps_status fcps_study_replaced_learner(const fcps_study *s, int index, char **text, fcps_error *error)
{
  const char *code = s->events[index].code, *old = NULL;
  choice c;
  fcps_setting *settings = NULL;
  fcps_status status = choice_after(s, (size_t)index, &c, error);
  if (status != FCPS_OK) return status;
  if (strcmp(code, learner_code) == 0) {
    old = c.name;
  } else {
    const char *name = code + strlen(setting_start);
    settings = fcps_json_settings(c.settings);
    old = fcps_setting_value(settings, name);
    if (old == NULL) old = fcps_learner_default(c.name, name);
  }
  *text = fcps_copy_text(old != NULL ? old : "");
  if (*text == NULL) status = fcps_error_memory(error);
  free(settings);
  fcps_json_destroy(c.settings);
  return status;
}

/* -- The amendment -- */

/* Refuses a choice with which no learner can be made, before anything is stored. */
static fcps_status try_choice(const fcps_study *s, const char *learner, const fcps_setting *settings, fcps_error *error)
{
  choice c = {.name = s->learner_name, .settings = fcps_json_from_settings(learner == NULL ? s->settings : NULL)};
  if (learner != NULL) c.name = learner;
  for (; settings != NULL && settings->name != NULL; settings++)
    fcps_json_put(&c.settings, settings->name, fcps_json_from_text(settings->value));
  fcps_setting *list = c.settings != NULL ? fcps_json_settings(c.settings) : NULL;
  fcps_learner *made = NULL;
  const fcps_status status =
      list != NULL ? fcps_learner_create(&made, &s->guarded, c.name, list, s->seed, error) : fcps_error_memory(error);
  fcps_learner_destroy(made);
  free(list);
  fcps_json_destroy(c.settings);
  return status;
}

static fcps_status write_change(fcps_study *s, const char *code, const char *text, fcps_error *error)
{
  fcps_journal_record record = {.kind = FCPS_JOURNAL_CHANGE, .client = code, .text = text};
  return fcps_study_write(s, &record, error);
}

static fcps_status write_changes(fcps_study *s, const char *learner, const fcps_setting *settings, fcps_error *error)
{
  fcps_status status = learner != NULL ? write_change(s, learner_code, learner, error) : FCPS_OK;
  for (; status == FCPS_OK && settings != NULL && settings->name != NULL; settings++) {
    const char *old = learner == NULL ? fcps_setting_value(s->settings, settings->name) : NULL;
    if (old != NULL && strcmp(old, settings->value) == 0) continue;
    const size_t size = sizeof setting_start + strlen(settings->name);
    char *code = fcps_allocate(size, 1);
    if (code == NULL) return fcps_error_memory(error);
    snprintf(code, size, "%s%s", setting_start, settings->name);
    status = write_change(s, code, settings->value, error);
    free(code);
  }
  return status;
}

static fcps_status check_arguments(const char *learner, const fcps_setting *settings, fcps_error *error)
{
  if (learner == NULL && (settings == NULL || settings->name == NULL)) return fcps_error_null(error, "learner");
  for (; settings != NULL && settings->name != NULL; settings++)
    if (settings->value == NULL) return fcps_error_null(error, settings->name);
  return FCPS_OK;
}

fcps_status fcps_study_amend_learner(fcps_study *s, const char *learner, const fcps_setting *settings,
                                     fcps_error *error)
{
  fcps_status status = fcps_study_enter(s, error);
  if (status == FCPS_OK) status = check_arguments(learner, settings, error);
  if (status == FCPS_OK) status = fcps_study_begin(s, true, error);
  if (status != FCPS_OK) return status;
  /* The learner stays the same, and so do its settings. */
  if (learner != NULL && strcmp(learner, s->learner_name) == 0) learner = NULL;
  status = try_choice(s, learner, settings, error);
  if (status == FCPS_OK) status = write_changes(s, learner, settings, error);
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK) return fcps_study_take_learner(s, error);
  /* Goes back to the stored learner. The user sees the first error, not an error of going back. */
  if (fcps_study_refresh(s, NULL) == FCPS_OK) (void)fcps_study_take_learner(s, NULL);
  return status;
}
