/* SPDX-License-Identifier: Apache-2.0 */
/* Amendments of the learner: another learner, or other settings.
 *
 * A change is a record of the journal with the code "learner" or "setting.NAME". So it stands in the history, other
 * processes follow it, and after a kill the study has the old learner or the new one, nothing between. The learner
 * of a study is the one of its setup with all these changes applied in order; another learner begins with its own
 * defaults. As after every change, earlier states of the learner are void (learner.c): the new learner is told every
 * result that counts, and knows which asks are pending.
 *
 * Invariant: a change is stored only if a learner can be made with it. A change that has no effect is not stored.
 *
 * The settings of one learner are not passed on to another learner. A version of fcps that does not know these
 * records takes them for changes of the problem file, and refuses the study.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "learner/learner_impl.h"
#include "study/study_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
  /* the learner stays, with its settings */
  if (learner != NULL && strcmp(learner, s->learner_name) == 0) learner = NULL;
  status = try_choice(s, learner, settings, error);
  if (status == FCPS_OK) status = write_changes(s, learner, settings, error);
  status = fcps_study_end(s, status, error);
  if (status == FCPS_OK) return fcps_study_take_learner(s, error);
  /* go back to the stored learner; the user sees the first error, not that of the way back */
  if (fcps_study_refresh(s, NULL) == FCPS_OK) (void)fcps_study_take_learner(s, NULL);
  return status;
}
