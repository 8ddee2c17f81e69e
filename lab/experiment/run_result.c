/* SPDX-License-Identifier: Apache-2.0 */
/* The result file of a run: one JSON object with its numbers and its source, which is everything that the numbers
 * depend on. A run counts as done only if the source in its file is exactly the present one. So a run is done again
 * only if something that it depends on has changed.
 *
 * Each run also stores the measurements, beyond rewards, that only some claims need. So a new claim can be judged from
 * finished runs. */
#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"
#include "format/json.h"
#include "lab/experiment/single_run.h"
#include "linalg/dense.h"
#include "problem/contexts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_LIMIT = 1 << 28 };

fcps_status fcps_experiment_run_result_path(const fcps_experiment *experiment, const char *directory, int row,
                                            uint64_t seed, const char *ending, char path[FCPS_EXPERIMENT_PATH],
                                            fcps_error *error)
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
  fcps_json_put(&json, "task", fcps_json_from_text(learner->task));
  fcps_json_put(&json, "task_settings", fcps_json_from_settings(learner->task_settings));
  fcps_json_put(&json, "contexts", boxes_json(experiment));
  fcps_json_put(&json, "learner", fcps_json_from_text(learner->learner));
  fcps_json_put(&json, "settings", fcps_json_from_settings(learner->settings));
  fcps_json_put(&json, "episodes", fcps_json_from_integer(fcps_experiment_episodes(experiment)));
  fcps_json_put(&json, "evaluate", fcps_json_from_integer(experiment->evaluate_every));
  fcps_json_put(&json, "seed", fcps_json_from_text(seed_text));
  if (fcps_experiment_needs_random_level(experiment)) fcps_json_put(&json, "random_level", fcps_json_from_bool(true));
  if (fcps_experiment_needs_intervals(experiment)) fcps_json_put(&json, "intervals", fcps_json_from_bool(true));
  if (fcps_experiment_needs_last_model(experiment)) fcps_json_put(&json, "last_model", fcps_json_from_bool(true));
  return json;
}

char *fcps_experiment_run_result_source(const fcps_experiment *experiment, int row, uint64_t seed)
{
  fcps_json *json = source_json(experiment, row, seed);
  char *text = fcps_json_write(json);
  fcps_json_destroy(json);
  return text;
}

static fcps_json *result_json(const fcps_experiment_run_result *result, const fcps_experiment *experiment, int row,
                              uint64_t seed)
{
  const int contexts = result->context_count, episodes = (int)result->episodes;
  const int targets = contexts * result->target_count, environments = contexts * result->environment_count;
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "source", source_json(experiment, row, seed));
  fcps_json_put(&json, "target_count", fcps_json_from_integer(result->target_count));
  fcps_json_put(&json, "environment_count", fcps_json_from_integer(result->environment_count));
  fcps_json_put(&json, "rewards", fcps_json_from_numbers(episodes, result->rewards));
  fcps_json_put(&json, "offline", fcps_json_from_numbers(episodes, result->offline));
  if (result->broken != NULL) fcps_json_put(&json, "broken", fcps_json_from_numbers(episodes, result->broken));
  fcps_json_put(&json, "targets", fcps_json_from_numbers(targets, result->targets));
  fcps_json_put(&json, "environments", fcps_json_from_numbers(environments, result->environments));
  fcps_json_put(&json, "map", fcps_json_from_numbers(contexts, result->map));
  fcps_json_put(&json, "fallen", fcps_json_from_number(result->fallen));
  fcps_json_put(&json, "expected", fcps_json_from_number(result->expected));
  fcps_json_put(&json, "random", fcps_json_from_number(result->random));
  fcps_json_put(&json, "accuracy", fcps_json_from_number(result->accuracy));
  fcps_json_put(&json, "locked", fcps_json_from_number(result->locked));
  fcps_json_put(&json, "ignored", fcps_json_from_number(result->ignored));
  fcps_json_put(&json, "outcomes_inside", fcps_json_from_number(result->kept.outcomes));
  fcps_json_put(&json, "rewards_inside", fcps_json_from_number(result->kept.rewards));
  fcps_json_put(&json, "earned", fcps_json_from_number(result->kept.earned));
  fcps_json_put(&json, "optimum", fcps_json_from_number(result->optimum));
  return json;
}

fcps_status fcps_experiment_run_result_write(const fcps_experiment_run_result *result,
                                             const fcps_experiment *experiment, const char *directory, int row,
                                             uint64_t seed, fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH];
  fcps_status status = fcps_experiment_run_result_path(experiment, directory, row, seed, "json", path, error);
  if (status != FCPS_OK) return status;

  fcps_json *json = result_json(result, experiment, row, seed);
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
  char path[FCPS_EXPERIMENT_PATH];
  const fcps_status status = fcps_experiment_run_result_path(experiment, directory, row, seed, "json", path, error);
  return status == FCPS_OK ? fcps_json_read_file(json, path, FILE_LIMIT, error) : status;
}

static bool has_same_source(const fcps_json *json, const fcps_experiment *experiment, int row, uint64_t seed)
{
  char *expected = fcps_experiment_run_result_source(experiment, row, seed);
  const fcps_json *found = fcps_json_get(json, "source");
  char *stored = fcps_json_write(found);
  const bool is_same = expected != NULL && stored != NULL && strcmp(expected, stored) == 0;
  fcps_free(expected);
  fcps_free(stored);
  return is_same;
}

bool fcps_experiment_run_result_is_done(const fcps_experiment *experiment, const char *directory, int row,
                                        uint64_t seed)
{
  fcps_json *json = NULL;
  if (read_json(&json, experiment, directory, row, seed, NULL) != FCPS_OK) return false;
  const bool is_done = has_same_source(json, experiment, row, seed);
  fcps_json_destroy(json);
  return is_done;
}

/* Copies the array of numbers under a key into a new array. Returns false if it does not have exactly `count`
 * numbers. */
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

static bool take_numbers(fcps_experiment_run_result *result, const fcps_json *json)
{
  const int episodes = (int)result->episodes, contexts = fcps_json_count(fcps_json_get(json, "map"));
  result->context_count = contexts;
  return take_count(json, "target_count", &result->target_count) &&
         take_count(json, "environment_count", &result->environment_count) &&
         (fcps_json_get(json, "broken") == NULL || take(json, "broken", episodes, &result->broken)) &&
         take(json, "rewards", episodes, &result->rewards) && take(json, "offline", episodes, &result->offline) &&
         take(json, "targets", contexts * result->target_count, &result->targets) &&
         take(json, "environments", contexts * result->environment_count, &result->environments) &&
         take(json, "map", contexts, &result->map) &&
         fcps_json_number(fcps_json_get(json, "fallen"), &result->fallen) &&
         fcps_json_number(fcps_json_get(json, "expected"), &result->expected) &&
         fcps_json_number(fcps_json_get(json, "random"), &result->random) &&
         fcps_json_number(fcps_json_get(json, "accuracy"), &result->accuracy) &&
         fcps_json_number(fcps_json_get(json, "locked"), &result->locked) &&
         fcps_json_number(fcps_json_get(json, "ignored"), &result->ignored) &&
         fcps_json_number(fcps_json_get(json, "outcomes_inside"), &result->kept.outcomes) &&
         fcps_json_number(fcps_json_get(json, "rewards_inside"), &result->kept.rewards) &&
         fcps_json_number(fcps_json_get(json, "earned"), &result->kept.earned) &&
         fcps_json_number(fcps_json_get(json, "optimum"), &result->optimum);
}

/* Computes the cumulative reward at each episode. An unknown reward adds nothing. Returns false if there is no
 * memory. */
static bool sum_rewards(fcps_experiment_run_result *result)
{
  result->cumulative = fcps_allocate((size_t)result->episodes, sizeof *result->cumulative);
  double sum = 0.0;
  for (int64_t i = 0; i < result->episodes && result->cumulative != NULL; i++) {
    if (!isnan(result->rewards[i])) sum += result->rewards[i];
    result->cumulative[i] = sum;
  }
  return result->cumulative != NULL;
}

fcps_status fcps_experiment_run_result_read(fcps_experiment_run_result *result, const fcps_experiment *experiment,
                                            const char *directory, int row, uint64_t seed, fcps_error *error)
{
  *result = (fcps_experiment_run_result){.episodes = fcps_experiment_episodes(experiment)};
  fcps_json *json = NULL;
  fcps_status status = read_json(&json, experiment, directory, row, seed, error);
  if (status == FCPS_OK && (!take_numbers(result, json) || !sum_rewards(result))) {
    status = fcps_error_set(error, FCPS_ERR_FORMAT, experiment->rows[row].label,
                            "the file of the run with seed %" PRIu64 " is damaged; delete it and run again", seed);
  }
  fcps_json_destroy(json);
  if (status != FCPS_OK) fcps_experiment_run_result_destroy(result);
  return status;
}

void fcps_experiment_run_result_destroy(fcps_experiment_run_result *result)
{
  free(result->rewards);
  free(result->cumulative);
  free(result->offline);
  free(result->broken);
  free(result->targets);
  free(result->environments);
  free(result->map);
  *result = (fcps_experiment_run_result){0};
}
