/* SPDX-License-Identifier: Apache-2.0 */
/* summary.json: what ran, and what came out. */
#include "lab/run/run_output_impl.h"

#include "base/error.h"
#include "format/file.h"
#include "linalg/dense.h"
#include "problem/save.h"

#include <string.h>

static fcps_json *copy_json(const fcps_json *json)
{
  char *text = fcps_json_write(json);
  fcps_json *copy = NULL;
  if (text != NULL) fcps_json_read(&copy, text, strlen(text), "", NULL);
  fcps_free(text);
  return copy;
}

fcps_json *fcps_run_output_source_write(const fcps_study *study)
{
  const char *origin = fcps_study_origin(study);
  fcps_json *task = NULL, *json = fcps_json_object();
  fcps_json_read(&task, origin, strlen(origin), "origin", NULL); /* where that fails, the task stays NULL */
  fcps_json_put(&json, "task", copy_json(fcps_json_get(task, "task")));
  fcps_json_put(&json, "task_settings", copy_json(fcps_json_get(task, "task_settings")));
  fcps_json_put(&json, "learner", fcps_json_from_text(fcps_study_learner(study)));
  fcps_json_put(&json, "learner_settings", fcps_json_from_settings(fcps_study_settings(study)));
  fcps_json_put(&json, "seed", fcps_json_from_integer((int64_t)fcps_study_seed(study)));
  fcps_json_destroy(task);
  return json;
}

/* Every fifty episodes, as the paper's table, and the last. */
static fcps_json *cumulative_json(const fcps_run_output *output)
{
  enum { EVERY = 50 };
  const int64_t count = fcps_run_output_count(output);
  fcps_json *json = fcps_json_object();
  for (int64_t mark = 0; mark < count;) {
    mark = mark + EVERY < count ? mark + EVERY : count;
    char key[32];
    snprintf(key, sizeof key, "%lld", (long long)mark);
    fcps_json_put(&json, key, fcps_json_from_number(fcps_run_output_cumulative(output, mark)));
  }
  return json;
}

/* What came out, into `json`. */
static void put_results(fcps_json **json, const fcps_run_output *output)
{
  fcps_json_put(json, "episodes", fcps_json_from_integer(fcps_run_output_count(output)));
  fcps_json_put(json, "cumulative", cumulative_json(output));
  fcps_json_put(json, "offline_mean", fcps_json_from_known(output->offline_mean));
}

char *fcps_run_output_summary(const fcps_run_output *output)
{
  if (output == NULL) return NULL;
  fcps_json *json = fcps_json_object();
  put_results(&json, output);
  return fcps_json_finish(json);
}

static fcps_json *summary_json(const fcps_run_output *output, double optimum)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "source", copy_json(output->source));
  fcps_json_put(&json, "spaces", fcps_problem_write_spaces(fcps_task_problem(output->task)));
  fcps_json_put(&json, "version", fcps_json_from_text(fcps_version()));
  fcps_json_put(&json, "blas", fcps_json_from_text(fcps_blas_core()));
  put_results(&json, output);
  fcps_json_put(&json, "optimum", fcps_json_from_known(optimum));
  return json;
}

fcps_status fcps_run_output_summarize(fcps_run_output *output, double optimum, fcps_error *error)
{
  char path[FCPS_RUN_OUTPUT_PATH];
  fcps_status status = fcps_file_join(output->directory, "summary.json", sizeof path, path, error);
  if (status != FCPS_OK) return status;

  char *text = fcps_json_finish(summary_json(output, optimum));
  status = text != NULL ? fcps_file_replace(path, text, strlen(text), error) : fcps_error_memory(error);
  fcps_free(text);
  return status;
}

fcps_status fcps_run_output_finish(fcps_run_output *output, double optimum, fcps_error *error)
{
  if (output == NULL) return fcps_error_null(error, "output");
  const fcps_status status = fcps_run_output_publish(output, error);
  return status == FCPS_OK ? fcps_run_output_summarize(output, optimum, error) : status;
}
