/* SPDX-License-Identifier: Apache-2.0 */
/* levels.json holds its source, everything that the numbers depend on: another program, task or number of rollouts
 * computes them again. */
#include "lab/experiment/oracle_levels.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "format/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 1, FILE_LIMIT = 1 << 20 };

static const char file_name[] = "levels.json";

char *fcps_oracle_levels_command(const fcps_experiment *experiment, size_t size, char *text)
{
  size_t length =
      (size_t)snprintf(text, size, "fcps oracle %s --rollouts %d", experiment->task, experiment->oracle_rollouts);
  for (const fcps_setting *s = experiment->task_settings; s->name != NULL && length < size; s++)
    length += (size_t)snprintf(text + length, size - length, " --task-set %s=%s", s->name, s->value);
  return text;
}

static fcps_json *source_json(const fcps_experiment *experiment)
{
  char program[32], command[1024];
  snprintf(program, sizeof program, "%016" PRIx64, experiment->program);
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "program", fcps_json_from_text(program));
  fcps_json_put(&json, "command", fcps_json_from_text(fcps_oracle_levels_command(experiment, sizeof command, command)));
  return json;
}

/* Whether the kept file is of this source; then its numbers. */
static bool read_kept(const fcps_experiment *experiment, const char *path, fcps_oracle_levels *levels)
{
  char *text = NULL;
  size_t length = 0;
  fcps_json *json = NULL;
  bool is_it = fcps_file_read(path, FILE_LIMIT, &text, &length, NULL) == FCPS_OK &&
               fcps_json_read(&json, text, length, path, NULL) == FCPS_OK;
  char *wanted = fcps_json_finish(source_json(experiment)), *found = fcps_json_write(fcps_json_get(json, "source"));
  is_it = is_it && wanted != NULL && found != NULL && strcmp(wanted, found) == 0 &&
          fcps_json_number(fcps_json_get(json, "idle"), &levels->idle) &&
          fcps_json_number(fcps_json_get(json, "random"), &levels->random) &&
          fcps_json_number(fcps_json_get(json, "best"), &levels->best);
  fcps_free(wanted);
  fcps_free(found);
  fcps_free(text);
  fcps_json_destroy(json);
  return is_it;
}

static fcps_status keep(const fcps_experiment *experiment, const char *path, const fcps_oracle_levels *levels,
                        fcps_error *error)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "source", source_json(experiment));
  fcps_json_put(&json, "idle", fcps_json_from_number(levels->idle));
  fcps_json_put(&json, "random", fcps_json_from_number(levels->random));
  fcps_json_put(&json, "best", fcps_json_from_number(levels->best));
  char *text = fcps_json_finish(json);
  const fcps_status status =
      text != NULL ? fcps_file_replace(path, text, strlen(text), error) : fcps_error_memory(error);
  fcps_free(text);
  return status;
}

/* The task with a search of so many rollouts. */
static fcps_status create_task(const fcps_experiment *experiment, fcps_task **task, fcps_error *error)
{
  const int count = fcps_reader_count_settings(experiment->task_settings);
  fcps_setting *settings = fcps_allocate((size_t)count + 2, sizeof *settings);
  if (settings == NULL) return fcps_error_memory(error);
  char rollouts[32];
  snprintf(rollouts, sizeof rollouts, "%d", experiment->oracle_rollouts);
  memcpy(settings, experiment->task_settings, (size_t)count * sizeof *settings);
  settings[count] = (fcps_setting){"oracle_rollouts", rollouts};
  const fcps_status status = fcps_task_create(task, experiment->task, settings, SEED, error);
  free(settings);
  return status;
}

fcps_status fcps_oracle_levels_find(const fcps_experiment *experiment, const char *directory,
                                    fcps_oracle_levels *levels, fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH];
  *levels = (fcps_oracle_levels){NAN, NAN, NAN};
  if (experiment->oracle_rollouts == 0 || experiment->is_quick) return FCPS_OK;
  fcps_status status = fcps_experiment_path(experiment, directory, file_name, path, error);
  if (status != FCPS_OK || read_kept(experiment, path, levels)) return status;
  fcps_task *task = NULL;
  status = create_task(experiment, &task, error);
  if (status == FCPS_OK) status = fcps_oracle_measure(task, SEED, levels, error);
  if (status == FCPS_OK) status = keep(experiment, path, levels, error);
  fcps_task_destroy(task);
  return status;
}
