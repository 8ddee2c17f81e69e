/* SPDX-License-Identifier: Apache-2.0 */
/* Saving and loading a learner: settings, rollouts, pending asks, and the state that the algorithm cannot rebuild.
 *
 * A resumed learner equals an uninterrupted one, bit for bit. All settings are saved, by name and as a user would type
 * them. Choices are saved as words, so the order of their list may change. A damaged text is refused, and no learner is
 * made. */
#include "problem/save.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "learner/learner.h"
#include "learner/learner_impl.h"
#include "problem/problem.h"

#include <stdlib.h>
#include <string.h>

/* The format of the saved text. It is raised when older programs cannot read a new text. Format 1 was never
 * released. */
enum { LEARNER_FORMAT = 2 };

/* Writes every setting, also one with its default value, because defaults may change. */
static fcps_json *write_settings(const fcps_learner *learner)
{
  const fcps_setting_table *table = learner->entry->info.settings;
  fcps_json *json = fcps_json_object();
  for (int i = 0; fcps_setting_at(table, i) != NULL; i++) {
    char text[FCPS_SETTING_WORDS_SIZE];
    fcps_settings_write(table, learner->settings, i, sizeof text, text);
    fcps_json_put(&json, fcps_setting_at(table, i)->name, fcps_json_from_text(text));
  }
  return json;
}

/* Writes a pending ask as [id, target, environment, parameters]. */
static fcps_json *write_one_pending(const fcps_problem *problem, const fcps_pending *pending)
{
  fcps_json *json = fcps_json_array();
  fcps_json_add(&json, fcps_json_from_integer(pending->id));
  fcps_json_add(&json, fcps_json_from_numbers(problem->target.count, pending->target));
  fcps_json_add(&json, fcps_json_from_numbers(problem->environment.count, pending->environment));
  fcps_json_add(&json, fcps_json_from_numbers(problem->parameters.count, pending->parameters));
  return json;
}

static fcps_json *write_pending(const fcps_learner *learner)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < learner->pending_count && json != NULL; i++)
    fcps_json_add(&json, write_one_pending(&learner->problem, learner->pending + i));
  return json;
}

/* Writes the part that never changes: the learner's name, settings and seed. */
static void put_head(fcps_json **json, const fcps_learner *learner)
{
  fcps_json_put(json, "fcps_learner", fcps_json_from_integer(LEARNER_FORMAT));
  fcps_json_put(json, "name", fcps_json_from_text(learner->entry->info.name));
  fcps_json_put(json, "seed", fcps_json_from_integer((int64_t)learner->seed));
  fcps_json_put(json, "settings", write_settings(learner));
  fcps_json_put(json, "spaces", fcps_problem_write_spaces(&learner->problem));
}

/* Writes the state, with the rollouts or with their number. */
static void put_state(fcps_json **json, const fcps_learner *learner, bool with_rollouts)
{
  fcps_json_put(json, "next_id", fcps_json_from_integer(learner->next_id));
  if (with_rollouts)
    fcps_json_put(json, "rollouts", fcps_rollouts_write(&learner->rollouts));
  else
    fcps_json_put(json, "rollout_count", fcps_json_from_integer(learner->rollouts.count));
  fcps_json_put(json, "pending", write_pending(learner));
  const fcps_learner_ops *ops = learner->entry->ops;
  fcps_json_put(json, "state", ops->write != NULL ? ops->write(learner) : fcps_json_object());
}

static fcps_status finish(fcps_json *json, char **text, fcps_error *error)
{
  *text = fcps_json_finish(json);
  return *text != NULL ? FCPS_OK : fcps_error_memory(error);
}

fcps_status fcps_learner_save(const fcps_learner *learner, char **text, fcps_error *error)
{
  if (text == NULL) return fcps_error_null(error, "text");
  *text = NULL;
  if (learner == NULL) return fcps_error_null(error, "learner");
  const fcps_status status = fcps_callbacks_check(&learner->callbacks, "learner", error);
  if (status != FCPS_OK) return status;
  fcps_json *json = fcps_json_object();
  put_head(&json, learner);
  put_state(&json, learner, true);
  return finish(json, text, error);
}

fcps_status fcps_learner_save_head(const fcps_learner *learner, char **text, fcps_error *error)
{
  fcps_json *json = fcps_json_object();
  put_head(&json, learner);
  return finish(json, text, error);
}

fcps_status fcps_learner_save_partial(const fcps_learner *learner, char **text, fcps_error *error)
{
  fcps_json *json = fcps_json_object();
  put_state(&json, learner, false);
  return finish(json, text, error);
}

/* Refuses a text in which a setting is missing, because all settings are saved. */
static fcps_status need_all_settings(const fcps_learner *learner, const fcps_json *saved, fcps_error *error)
{
  const fcps_setting_spec *spec;
  for (int i = 0; (spec = fcps_setting_at(learner->entry->info.settings, i)) != NULL; i++)
    if (fcps_json_text(fcps_json_get(saved, spec->name)) == NULL)
      return fcps_error_set(error, FCPS_ERR_FORMAT, spec->name,
                            "the saved learner lacks this setting; load another copy");
  return FCPS_OK;
}

/* Creates a learner with the saved name, settings and seed, still without rollouts. */
static fcps_status create_as_saved(fcps_learner **learner, const fcps_problem *problem, const fcps_json *json,
                                   fcps_error *error)
{
  const fcps_json *saved = fcps_json_get(json, "settings");
  int64_t seed = 0;
  if (!fcps_json_is_object(saved) || !fcps_json_integer(fcps_json_get(json, "seed"), &seed))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "settings", "the saved learner is damaged; load another copy");
  fcps_setting *settings = fcps_json_settings(saved);
  if (settings == NULL) return fcps_error_memory(error);
  fcps_status status = fcps_learner_create(learner, problem, fcps_json_text(fcps_json_get(json, "name")), settings,
                                           (uint64_t)seed, error);
  free(settings);
  if (status == FCPS_OK) status = need_all_settings(*learner, saved, error);
  return status;
}

static fcps_status read_rollouts(fcps_learner *learner, const fcps_json *json, fcps_error *error)
{
  fcps_rollouts rollouts;
  fcps_rollouts_init(&rollouts, &learner->problem);
  fcps_status status = fcps_rollouts_read(&rollouts, json, error);
  for (int i = 0; i < rollouts.count && status == FCPS_OK; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(&rollouts, i);
    status = fcps_learner_store_rollout(learner, &rollout, error);
  }
  fcps_rollouts_free(&rollouts);
  return status;
}

/* Reads one pending ask; returns false if it is malformed. `numbers` receives its arrays one after the other. They may
 * lie outside the bounds, which may have changed since. */
static bool read_one_pending(const fcps_learner *learner, const fcps_json *json, int64_t *id, double *numbers)
{
  const fcps_problem *p = &learner->problem;
  double *environment = numbers + p->target.count, *parameters = environment + p->environment.count;
  return fcps_json_is_array(json) && fcps_json_count(json) == 4 && fcps_json_integer(fcps_json_at(json, 0), id) &&
         *id > 0 && *id < learner->next_id && fcps_learner_find_pending(learner, *id) < 0 &&
         fcps_json_numbers(fcps_json_at(json, 1), p->target.count, numbers) &&
         fcps_json_numbers(fcps_json_at(json, 2), p->environment.count, environment) &&
         fcps_json_numbers(fcps_json_at(json, 3), p->parameters.count, parameters) &&
         fcps_rollout_values_usable(p->target.count + p->environment.count + p->parameters.count, numbers);
}

static fcps_status read_pending(fcps_learner *learner, const fcps_json *json, fcps_error *error)
{
  const fcps_problem *p = &learner->problem;
  const size_t width = (size_t)(p->target.count + p->environment.count + p->parameters.count);
  if (!fcps_json_is_array(json))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "pending",
                          "the saved text has no list of pending asks; load another copy");
  double *numbers = fcps_allocate(width, sizeof(double));
  if (numbers == NULL) return fcps_error_memory(error);
  fcps_status status = FCPS_OK;
  for (int i = 0; i < fcps_json_count(json) && status == FCPS_OK; i++) {
    const double *environment = numbers + p->target.count, *parameters = environment + p->environment.count;
    int64_t id = 0;
    if (read_one_pending(learner, fcps_json_at(json, i), &id, numbers))
      status = fcps_learner_store_pending(learner, id, numbers, environment, parameters, error);
    else
      status = fcps_error_set(error, FCPS_ERR_FORMAT, "pending",
                              "pending ask %d of the saved text is damaged; load another copy", i + 1);
  }
  free(numbers);
  return status;
}

/* Lets `refill` tell the rollouts that the text lacks, and checks their number. */
static fcps_status refill_rollouts(fcps_learner *learner, const fcps_json *json, fcps_learner_refill_fn *refill,
                                   void *user, fcps_error *error)
{
  int64_t count = -1;
  const fcps_status status = refill(user, learner, error);
  if (status != FCPS_OK) return status;
  if (fcps_json_integer(fcps_json_get(json, "rollout_count"), &count) && count == learner->rollouts.count)
    return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, "rollout_count",
                        "the saved learner was told another number of rollouts; give it the same ones");
}

/* Loads a learner from parsed texts: the name, settings and seed from `head`, the state from `json`. */
static fcps_status load_json(fcps_learner **learner, const fcps_problem *problem, const fcps_json *head,
                             const fcps_json *json, fcps_learner_refill_fn *refill, void *user, fcps_error *error)
{
  int64_t format = 0, next_id = 0;
  if (!fcps_json_integer(fcps_json_get(head, "fcps_learner"), &format))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "learner", "this text is not a saved learner");
  if (format != LEARNER_FORMAT)
    return fcps_error_set(error, FCPS_ERR_FORMAT, "learner",
                          "this learner was saved by another version of fcps (format %d); use that version",
                          (int)format);
  if (!fcps_json_integer(fcps_json_get(json, "next_id"), &next_id) || next_id < 1 || next_id > FCPS_LEARNER_MOST_ASKS)
    return fcps_error_set(error, FCPS_ERR_FORMAT, "next_id", "the saved learner is damaged; load another copy");
  fcps_status status = fcps_problem_match_spaces(problem, fcps_json_get(head, "spaces"), error);
  if (status == FCPS_OK) status = create_as_saved(learner, problem, head, error);
  if (status != FCPS_OK) {
    fcps_learner_destroy(*learner);
    *learner = NULL;
    return status;
  }
  const fcps_json *rollouts = fcps_json_get(json, "rollouts");
  status = refill != NULL && rollouts == NULL ? refill_rollouts(*learner, json, refill, user, error)
                                              : read_rollouts(*learner, rollouts, error);
  (*learner)->next_id = next_id;
  if (status == FCPS_OK) status = read_pending(*learner, fcps_json_get(json, "pending"), error);
  const fcps_learner_ops *ops = (*learner)->entry->ops;
  if (status == FCPS_OK && ops->read != NULL) status = ops->read(*learner, fcps_json_get(json, "state"), error);
  if (status != FCPS_OK) {
    fcps_learner_destroy(*learner);
    *learner = NULL;
  }
  return status;
}

fcps_status fcps_learner_load(fcps_learner **learner, const fcps_problem *problem, const char *text, fcps_error *error)
{
  if (learner == NULL) return fcps_error_null(error, "learner");
  *learner = NULL;
  if (text == NULL) return fcps_error_null(error, "text");
  return fcps_learner_load_partial(learner, problem, NULL, text, NULL, NULL, error);
}

fcps_status fcps_learner_load_partial(fcps_learner **learner, const fcps_problem *problem, const char *head,
                                      const char *text, fcps_learner_refill_fn *refill, void *user, fcps_error *error)
{
  *learner = NULL;
  fcps_status status = fcps_problem_check(problem, error);
  if (status != FCPS_OK) return status;
  fcps_json *head_json = NULL, *json = NULL;
  if (head != NULL) status = fcps_json_read(&head_json, head, strlen(head), "saved learner", error);
  if (status == FCPS_OK) status = fcps_json_read(&json, text, strlen(text), "saved learner", error);
  if (status == FCPS_OK)
    status = load_json(learner, problem, head != NULL ? head_json : json, json, refill, user, error);
  fcps_json_destroy(head_json);
  fcps_json_destroy(json);
  return status;
}
