/* SPDX-License-Identifier: Apache-2.0 */
/* summary.json: what ran, and what came out. */
#include "run/run_output_impl.h"

#include "base/error.h"
#include "format/file.h"
#include "linalg/dense.h"
#include "problem/save.h"

#include <math.h>
#include <string.h>

/* A number; null where it is not known. */
static fcps_json *known(double value)
{
  return isnan(value) ? fcps_json_null() : fcps_json_from_number(value);
}

static fcps_json *copy_json(const fcps_json *json)
{
  char *text = json != NULL ? fcps_json_write(json) : NULL;
  fcps_json *copy = NULL;
  if (text != NULL) fcps_json_read(&copy, text, strlen(text), "", NULL);
  fcps_free(text);
  return copy;
}

fcps_json *fcps_run_output_source_write(const fcps_study *study)
{
  const char *origin = fcps_study_origin(study);
  fcps_json *task = NULL, *json = fcps_json_object();
  unsigned failed = fcps_json_read(&task, origin, strlen(origin), "origin", NULL);
  failed |= fcps_json_set(json, "task", copy_json(fcps_json_get(task, "task")));
  failed |= fcps_json_set(json, "task_settings", copy_json(fcps_json_get(task, "task_settings")));
  failed |= fcps_json_set(json, "learner", fcps_json_from_text(fcps_study_learner(study)));
  failed |= fcps_json_set(json, "learner_settings", fcps_json_from_settings(fcps_study_settings(study)));
  failed |= fcps_json_set(json, "seed", fcps_json_from_integer((int64_t)fcps_study_seed(study)));
  fcps_json_destroy(task);
  return fcps_json_whole(json, failed);
}

/* Every fifty episodes, as the paper's table, and the last. */
static fcps_json *cumulative_json(const fcps_run_output *record)
{
  enum { EVERY = 50 };
  const int64_t count = fcps_run_output_count(record);
  fcps_json *json = fcps_json_object();
  unsigned failed = json == NULL;
  for (int64_t mark = 0; mark < count;) {
    mark = mark + EVERY < count ? mark + EVERY : count;
    char key[32];
    snprintf(key, sizeof key, "%lld", (long long)mark);
    failed |= fcps_json_set(json, key, fcps_json_from_number(fcps_run_output_cumulative(record, mark)));
  }
  return fcps_json_whole(json, failed);
}

/* What came out, into `json`; returns 0 when all of it did. */
static unsigned set_results(fcps_json *json, const fcps_run_output *record)
{
  unsigned failed = fcps_json_set(json, "episodes", fcps_json_from_integer(fcps_run_output_count(record)));
  failed |= fcps_json_set(json, "cumulative", cumulative_json(record));
  failed |= fcps_json_set(json, "offline_mean", known(record->offline_mean));
  return failed;
}

char *fcps_run_output_summary(const fcps_run_output *record)
{
  fcps_json *json = fcps_json_object();
  char *text = set_results(json, record) == 0 ? fcps_json_write(json) : NULL;
  fcps_json_destroy(json);
  return text;
}

static fcps_json *summary_json(const fcps_run_output *record, double optimum)
{
  fcps_json *json = fcps_json_object();
  unsigned failed = fcps_json_set(json, "source", copy_json(record->source));
  failed |= fcps_json_set(json, "spaces", fcps_problem_write_spaces(fcps_task_problem(record->task)));
  failed |= fcps_json_set(json, "version", fcps_json_from_text(fcps_version()));
  failed |= fcps_json_set(json, "blas", fcps_json_from_text(fcps_blas_core()));
  failed |= set_results(json, record);
  failed |= fcps_json_set(json, "optimum", known(optimum));
  return fcps_json_whole(json, failed);
}

fcps_status fcps_run_output_finish(fcps_run_output *record, double optimum, fcps_error *error)
{
  char path[FCPS_RUN_OUTPUT_PATH];
  fcps_status status = fcps_file_join(record->directory, "summary.json", sizeof path, path, error);
  if (status != FCPS_OK) return status;

  fcps_json *json = summary_json(record, optimum);
  char *text = json != NULL ? fcps_json_write(json) : NULL;
  status = text != NULL ? fcps_file_replace(path, text, strlen(text), error) : fcps_error_memory(error);
  fcps_free(text);
  fcps_json_destroy(json);
  return status;
}
