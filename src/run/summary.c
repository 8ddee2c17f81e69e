/* SPDX-License-Identifier: Apache-2.0 */
/* summary.json: what ran, and what came out. */
#include "run/record_impl.h"

#include "base/error.h"
#include "format/file.h"
#include "linalg/dense.h"
#include "problem/state.h"

#include <math.h>
#include <string.h>

/* A number; null where it is not known. */
static fcps_json *known(double value)
{
  return isnan(value) ? fcps_json_null() : fcps_json_from_number(value);
}

static fcps_json *settings_json(const fcps_setting *settings)
{
  fcps_json *json = fcps_json_object();
  unsigned failed = !json;
  for (; settings && settings->name; settings++) {
    failed |= fcps_json_set(json, settings->name, fcps_json_from_text(settings->value));
  }
  return fcps_json_whole(json, failed);
}

fcps_json *fcps_record_source_write(const char *task, const fcps_record_source *source)
{
  fcps_json *json = fcps_json_object();
  unsigned failed = fcps_json_set(json, "task", fcps_json_from_text(task));
  failed |= fcps_json_set(json, "task_settings", settings_json(source->task_settings));
  failed |= fcps_json_set(json, "learner", fcps_json_from_text(source->learner));
  failed |= fcps_json_set(json, "learner_settings", settings_json(source->learner_settings));
  failed |= fcps_json_set(json, "seed", fcps_json_from_integer((int64_t)source->seed));
  return fcps_json_whole(json, failed);
}

static bool is_same_text(const fcps_json *a, const fcps_json *b)
{
  char *text_a = a ? fcps_json_write(a) : NULL, *text_b = b ? fcps_json_write(b) : NULL;
  const bool is_same = text_a && text_b && strcmp(text_a, text_b) == 0;
  fcps_free(text_a);
  fcps_free(text_b);
  return is_same;
}

fcps_status fcps_record_source_match(const fcps_record *record, fcps_error *error)
{
  char path[FCPS_RECORD_PATH], *text = NULL;
  size_t length = 0;
  fcps_json *summary = NULL;
  fcps_status status = fcps_file_join(record->directory, "summary.json", sizeof path, path, error);
  if (status != FCPS_OK) return status;
  if (fcps_file_read(path, FCPS_RECORD_LIMIT, &text, &length, NULL) != FCPS_OK) {
    return fcps_error_at(error, FCPS_ERR_ARGUMENT, path, 0, 0, NULL,
                         "there is no run here that could be continued; give the folder of the run whose state was "
                         "saved, or no state");
  }
  status = fcps_json_read(&summary, text, length, path, error);
  if (status == FCPS_OK && !is_same_text(record->source, fcps_json_get(summary, "source"))) {
    status = fcps_error_at(error, FCPS_ERR_ARGUMENT, path, 0, 0, NULL,
                           "another task, learner, setting or seed ran here; continue with the same ones, or choose "
                           "another folder and state file");
  }
  fcps_json_destroy(summary);
  fcps_free(text);
  return status;
}

static fcps_json *copy_json(const fcps_json *json)
{
  char *text = fcps_json_write(json);
  fcps_json *copy = NULL;
  if (text) fcps_json_read(&copy, text, strlen(text), "", NULL);
  fcps_free(text);
  return copy;
}

/* Every fifty episodes, as the paper's table, and the last. */
static fcps_json *cumulative_json(const fcps_record *record)
{
  enum { EVERY = 50 };
  const int64_t count = fcps_record_count(record);
  fcps_json *json = fcps_json_object();
  unsigned failed = !json;
  for (int64_t mark = 0; mark < count;) {
    mark = mark + EVERY < count ? mark + EVERY : count;
    char key[32];
    snprintf(key, sizeof key, "%lld", (long long)mark);
    failed |= fcps_json_set(json, key, fcps_json_from_number(fcps_record_cumulative(record, mark)));
  }
  return fcps_json_whole(json, failed);
}

/* What came out, into `json`; returns 0 when all of it did. */
static unsigned set_results(fcps_json *json, const fcps_record *record)
{
  unsigned failed = fcps_json_set(json, "episodes", fcps_json_from_integer(fcps_record_count(record)));
  failed |= fcps_json_set(json, "cumulative", cumulative_json(record));
  failed |= fcps_json_set(json, "offline_mean", known(record->offline_mean));
  return failed;
}

char *fcps_record_summary(const fcps_record *record)
{
  fcps_json *json = fcps_json_object();
  char *text = set_results(json, record) == 0 ? fcps_json_write(json) : NULL;
  fcps_json_destroy(json);
  return text;
}

static fcps_json *summary_json(const fcps_record *record, double optimum)
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

fcps_status fcps_record_finish(fcps_record *record, double optimum, fcps_error *error)
{
  char path[FCPS_RECORD_PATH];
  fcps_status status = fcps_file_join(record->directory, "summary.json", sizeof path, path, error);
  if (status != FCPS_OK) return status;

  fcps_json *json = summary_json(record, optimum);
  char *text = json ? fcps_json_write(json) : NULL;
  status = text ? fcps_file_replace(path, text, strlen(text), error) : fcps_error_memory(error);
  fcps_free(text);
  fcps_json_destroy(json);
  return status;
}
