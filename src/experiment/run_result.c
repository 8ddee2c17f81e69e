/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a run: one JSON object with its source (what it is a run of) and its numbers. A run counts as done only
 * when its source is, word for word, the one that would be run now; so a changed setting is run again, and nothing else
 * is. */
#include "base/error.h"
#include "base/memory.h"
#include "experiment/single_run.h"
#include "format/file.h"
#include "format/json.h"
#include "linalg/dense.h"
#include "problem/boxes.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 28 };

fcps_status fcps_run_result_path(const fcps_experiment *experiment, const char *directory, int row, uint64_t seed,
                                 const char *ending, char path[FCPS_EXPERIMENT_PATH], fcps_error *error)
{
  char file[128];
  snprintf(file, sizeof file, "runs/%s-seed%" PRIu64 ".%s", experiment->rows[row].label, seed, ending);
  return fcps_experiment_path(experiment, directory, file, path, error);
}

/* -- Writing -- */

static fcps_json *boxes_json(const fcps_experiment *experiment)
{
  fcps_json *json = fcps_json_array();
  const int sides = 2 * fcps_context_width(fcps_experiment_problem(experiment));
  for (int i = 0; i < experiment->box_count; i++)
    fcps_json_add(&json, fcps_json_from_numbers(sides, experiment->boxes + i * sides));
  return json;
}

static fcps_json *source_json(const fcps_experiment *experiment, int row, uint64_t seed)
{
  char program[32], seed_text[32];
  snprintf(program, sizeof program, "%016" PRIx64, experiment->program);
  snprintf(seed_text, sizeof seed_text, "%" PRIu64, seed);
  const fcps_row *learner = &experiment->rows[row];
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "version", fcps_json_from_text(fcps_version()));
  fcps_json_put(&json, "program", fcps_json_from_text(program));
  fcps_json_put(&json, "blas", fcps_json_from_text(fcps_blas_core()));
  fcps_json_put(&json, "task", fcps_json_from_text(experiment->task));
  fcps_json_put(&json, "task_settings", fcps_json_from_settings(learner->task_settings));
  fcps_json_put(&json, "contexts", boxes_json(experiment));
  fcps_json_put(&json, "learner", fcps_json_from_text(learner->learner));
  fcps_json_put(&json, "settings", fcps_json_from_settings(learner->settings));
  fcps_json_put(&json, "episodes", fcps_json_from_integer(fcps_experiment_episodes(experiment)));
  fcps_json_put(&json, "evaluate", fcps_json_from_integer(experiment->evaluate_every));
  fcps_json_put(&json, "seed", fcps_json_from_text(seed_text));
  return json;
}

char *fcps_run_result_source(const fcps_experiment *experiment, int row, uint64_t seed)
{
  fcps_json *json = source_json(experiment, row, seed);
  char *text = fcps_json_write(json);
  fcps_json_destroy(json);
  return text;
}

static fcps_json *single_json(const fcps_run_result *single, const fcps_experiment *experiment, int row, uint64_t seed)
{
  const int contexts = single->context_count, episodes = (int)single->episodes;
  const int targets = contexts * single->target_count, environments = contexts * single->environment_count;
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "source", source_json(experiment, row, seed));
  fcps_json_put(&json, "target_count", fcps_json_from_integer(single->target_count));
  fcps_json_put(&json, "environment_count", fcps_json_from_integer(single->environment_count));
  fcps_json_put(&json, "rewards", fcps_json_from_numbers(episodes, single->rewards));
  fcps_json_put(&json, "offline", fcps_json_from_numbers(episodes, single->offline));
  fcps_json_put(&json, "targets", fcps_json_from_numbers(targets, single->targets));
  fcps_json_put(&json, "environments", fcps_json_from_numbers(environments, single->environments));
  fcps_json_put(&json, "map", fcps_json_from_numbers(contexts, single->map));
  fcps_json_put(&json, "optimum", fcps_json_from_number(single->optimum));
  return json;
}

fcps_status fcps_run_result_write(const fcps_run_result *single, const fcps_experiment *experiment,
                                  const char *directory, int row, uint64_t seed, fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH];
  fcps_status status = fcps_run_result_path(experiment, directory, row, seed, "json", path, error);
  if (status != FCPS_OK) return status;

  fcps_json *json = single_json(single, experiment, row, seed);
  char *text = fcps_json_write(json);
  status = text != NULL ? fcps_file_replace(path, text, strlen(text), error) : fcps_error_memory(error);
  fcps_free(text);
  fcps_json_destroy(json);
  return status;
}

/* -- Reading -- */

static fcps_status read_json(fcps_json **json, const fcps_experiment *experiment, const char *directory, int row,
                             uint64_t seed, fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH], *text = NULL;
  size_t length = 0;
  fcps_status status = fcps_run_result_path(experiment, directory, row, seed, "json", path, error);
  if (status == FCPS_OK) status = fcps_file_read(path, FILE_LIMIT, &text, &length, error);
  if (status == FCPS_OK) status = fcps_json_read(json, text, length, path, error);
  fcps_free(text);
  return status;
}

static bool has_same_source(const fcps_json *json, const fcps_experiment *experiment, int row, uint64_t seed)
{
  char *expected = fcps_run_result_source(experiment, row, seed);
  const fcps_json *found = fcps_json_get(json, "source");
  char *stored = fcps_json_write(found);
  const bool is_same = expected != NULL && stored != NULL && strcmp(expected, stored) == 0;
  fcps_free(expected);
  fcps_free(stored);
  return is_same;
}

bool fcps_run_result_is_done(const fcps_experiment *experiment, const char *directory, int row, uint64_t seed)
{
  fcps_json *json = NULL;
  if (read_json(&json, experiment, directory, row, seed, NULL) != FCPS_OK) return false;
  const bool is_done = has_same_source(json, experiment, row, seed);
  fcps_json_destroy(json);
  return is_done;
}

/* An array of numbers under a key, as a new array; `count` is how many there must be. */
static bool take(const fcps_json *json, const char *key, int count, double **values)
{
  *values = fcps_allocate((size_t)count, sizeof **values);
  return *values && fcps_json_numbers(fcps_json_get(json, key), count, *values);
}

static bool take_count(const fcps_json *json, const char *key, int *count)
{
  int64_t value = 0;
  const bool is_good = fcps_json_integer(fcps_json_get(json, key), &value) && value >= 0 && value <= FCPS_SPACE_MAX;
  *count = is_good ? (int)value : 0;
  return is_good;
}

static bool take_numbers(fcps_run_result *single, const fcps_json *json)
{
  const int episodes = (int)single->episodes, contexts = fcps_json_count(fcps_json_get(json, "map"));
  single->context_count = contexts;
  return take_count(json, "target_count", &single->target_count) &&
         take_count(json, "environment_count", &single->environment_count) &&
         take(json, "rewards", episodes, &single->rewards) && take(json, "offline", episodes, &single->offline) &&
         take(json, "targets", contexts * single->target_count, &single->targets) &&
         take(json, "environments", contexts * single->environment_count, &single->environments) &&
         take(json, "map", contexts, &single->map) &&
         fcps_json_number(fcps_json_get(json, "optimum"), &single->optimum);
}

/* A reward that nobody knows adds nothing. */
static bool sum_rewards(fcps_run_result *single)
{
  single->cumulative = fcps_allocate((size_t)single->episodes, sizeof *single->cumulative);
  double sum = 0.0;
  for (int64_t i = 0; i < single->episodes && single->cumulative != NULL; i++) {
    if (!isnan(single->rewards[i])) sum += single->rewards[i];
    single->cumulative[i] = sum;
  }
  return single->cumulative != NULL;
}

fcps_status fcps_run_result_read(fcps_run_result *single, const fcps_experiment *experiment, const char *directory,
                                 int row, uint64_t seed, fcps_error *error)
{
  *single = (fcps_run_result){.episodes = fcps_experiment_episodes(experiment)};
  fcps_json *json = NULL;
  fcps_status status = read_json(&json, experiment, directory, row, seed, error);
  if (status == FCPS_OK && (!take_numbers(single, json) || !sum_rewards(single))) {
    status = fcps_error_set(error, FCPS_ERR_FORMAT, experiment->rows[row].label,
                            "the file of the run with seed %" PRIu64 " is damaged; delete it and run again", seed);
  }
  fcps_json_destroy(json);
  if (status != FCPS_OK) fcps_run_result_destroy(single);
  return status;
}

void fcps_run_result_destroy(fcps_run_result *single)
{
  free(single->rewards);
  free(single->cumulative);
  free(single->offline);
  free(single->targets);
  free(single->environments);
  free(single->map);
  *single = (fcps_run_result){0};
}
