/* SPDX-License-Identifier: Apache-2.0 */
/* A study of a built-in task stores its origin, a text from which the task is created at each opening. */
#include "base/error.h"
#include "format/json.h"

#include <fcps/lab/run.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *fcps_run_origin(const char *task, const fcps_setting *settings, uint64_t seed)
{
  if (task == NULL) return NULL;
  char seed_text[32];
  snprintf(seed_text, sizeof seed_text, "%" PRIu64, seed); /* not every seed is a number of JSON */
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "task", fcps_json_from_text(task));
  fcps_json_put(&json, "task_settings", fcps_json_from_settings(settings));
  fcps_json_put(&json, "seed", fcps_json_from_text(seed_text));
  return fcps_json_finish(json);
}

static fcps_status make_task(const fcps_json *json, fcps_task **task, fcps_error *error)
{
  const char *name = fcps_json_text(fcps_json_get(json, "task")), *seed = fcps_json_text(fcps_json_get(json, "seed"));
  char *end = NULL;
  const uint64_t number = seed != NULL ? strtoull(seed, &end, 10) : 0;
  if (name == NULL || seed == NULL || end == seed || *end)
    return fcps_error_set(error, FCPS_ERR_DAMAGED, "origin", "the study does not name its task.");
  fcps_setting *settings = fcps_json_settings(fcps_json_get(json, "task_settings"));
  const fcps_status status =
      settings != NULL ? fcps_task_create(task, name, settings, number, error) : fcps_error_memory(error);
  free(settings);
  return status;
}

static fcps_status make(const char *origin, void **owner, const fcps_problem **problem, fcps_error *error)
{
  fcps_json *json = NULL;
  fcps_task *task = NULL;
  fcps_status status = fcps_json_read(&json, origin, strlen(origin), "origin", error);
  if (status == FCPS_OK) status = make_task(json, &task, error);
  fcps_json_destroy(json);
  if (status != FCPS_OK) return status;
  *owner = task;
  *problem = fcps_task_problem(task);
  return FCPS_OK;
}

static void destroy(void *owner)
{
  fcps_task_destroy(owner);
}

static const char *name(const void *owner)
{
  return fcps_task_name(owner);
}

const fcps_study_maker *fcps_run_maker(void)
{
  static const fcps_study_maker maker = {make, destroy, name};
  return &maker;
}

fcps_task *fcps_run_task(const fcps_study *study)
{
  return fcps_study_origin(study) != NULL ? fcps_study_owner(study) : NULL;
}
