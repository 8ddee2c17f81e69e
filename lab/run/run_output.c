/* SPDX-License-Identifier: Apache-2.0 */
/* The result files of a run: its folder and tables, their rows, and the summary. */
#include "base/error.h"
#include "base/memory.h"
#include "format/csv.h"
#include "format/file.h"
#include "format/json.h"
#include "linalg/dense.h"
#include "problem/save.h"

#include <fcps/lab/run.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest number of bytes in a path. */
enum { PATH = 4096 };

struct fcps_run_output {
  fcps_task *task;
  char *directory;
  fcps_json *source; /* the task, the learner and their settings, as in summary.json */
  /* tables under temporary names; the first row that an earlier run did not have gives them their names */
  fcps_draft *episodes, *offline;
  bool is_published;
  double *cumulative; /* at i: the sum of the rewards of the first i + 1 episodes; an unknown reward counts as 0 */
  size_t count, capacity;
  double offline_mean;
};

/* -- Files -- */

/* Writes the path of map.csv. Fails if that file is a study, because a study must not be removed. */
static fcps_status find_map(const fcps_run_output *output, char map[PATH], fcps_error *error)
{
  const fcps_status status = fcps_file_join(output->directory, "map.csv", PATH, map, error);
  return status == FCPS_OK ? fcps_draft_check(map, error) : status;
}

/* Gives the tables their final names. The caller waits with this until they have all rows of the earlier run, so that
 * no rows are lost if the run is killed. */
static fcps_status publish(fcps_run_output *output, fcps_error *error)
{
  if (output->is_published) return FCPS_OK;
  char map[PATH];
  fcps_status status = find_map(output, map, error);
  if (status == FCPS_OK) remove(map); /* the map of an earlier run does not belong to this one */
  if (status == FCPS_OK) status = fcps_draft_publish(output->episodes, error);
  if (status == FCPS_OK) status = fcps_draft_publish(output->offline, error);
  output->is_published = status == FCPS_OK;
  return status;
}

/* -- Rows -- */

/* Each space has its columns in a table, in this order. */
enum { SPACES = 4 };
static const char *const space_labels[SPACES] = {"target", "environment", "parameters", "outcome"};

static void problem_spaces(const fcps_run_output *output, const fcps_space *spaces[SPACES])
{
  const fcps_problem *problem = fcps_task_problem(output->task);
  spaces[0] = &problem->target;
  spaces[1] = &problem->environment;
  spaces[2] = &problem->parameters;
  spaces[3] = &problem->outcome;
}

static void write_space_names(fcps_csv_writer *csv, const fcps_run_output *output)
{
  const fcps_space *spaces[SPACES];
  problem_spaces(output, spaces);
  for (int s = 0; s < SPACES; s++) {
    for (int i = 0; i < spaces[s]->count; i++) {
      char name[256];
      snprintf(name, sizeof name, "%s.%s", space_labels[s], spaces[s]->dims[i].name);
      fcps_csv_write_text(csv, name);
    }
  }
}

/* Writes the values of one row, space by space. The columns of a space are left empty if its array is NULL. */
static void write_space_values(fcps_csv_writer *csv, const fcps_run_output *output, const double *const values[SPACES])
{
  const fcps_space *spaces[SPACES];
  problem_spaces(output, spaces);
  for (int s = 0; s < SPACES; s++) {
    for (int i = 0; i < spaces[s]->count; i++)
      fcps_csv_write_number(csv, values[s] != NULL ? values[s][i] : NAN);
  }
}

/* Write the header rows: of episodes.csv, and of offline.csv. */
static void write_episode_header(const fcps_run_output *output, fcps_csv_writer *csv)
{
  fcps_csv_write_text(csv, "episode");
  write_space_names(csv, output);
  fcps_csv_write_text(csv, "reward");
  fcps_csv_write_text(csv, "status");
  fcps_csv_end_row(csv);
}

static void write_offline_header(const fcps_run_output *output, fcps_csv_writer *csv)
{
  (void)output;
  fcps_csv_write_text(csv, "episode");
  fcps_csv_write_text(csv, "mean");
  fcps_csv_end_row(csv);
}

/* Appends the cumulative reward after one more episode, which has this reward. */
static fcps_status add_reward(fcps_run_output *output, double reward, fcps_error *error)
{
  if (!fcps_reserve((void **)&output->cumulative, &output->capacity, output->count + 1, sizeof *output->cumulative)) {
    return fcps_error_memory(error);
  }
  const double before = output->count > 0 ? output->cumulative[output->count - 1] : 0.0;
  output->cumulative[output->count++] = isnan(reward) ? before : before + reward;
  return FCPS_OK;
}

/* Writes rows to disk. If the row `is_earlier` (an earlier run already had it), the table keeps its temporary name;
 * otherwise the tables get their final names. */
static fcps_status flush(fcps_run_output *output, FILE *stream, bool is_earlier, fcps_error *error)
{
  if (fflush(stream) == 0 && !ferror(stream)) return is_earlier ? FCPS_OK : publish(output, error);
  return fcps_error_at(error, FCPS_ERR_IO, output->directory, 0, 0, NULL,
                       "a result could not be written: %s; make room and run again", strerror(errno));
}

fcps_status fcps_run_output_episode(fcps_run_output *output, const fcps_episode *episode, fcps_error *error)
{
  if (output == NULL) return fcps_error_null(error, "output");
  if (episode == NULL) return fcps_error_null(error, "episode");
  const fcps_rollout *r = &episode->stored.result.rollout;
  if (r->parameters == NULL) return fcps_error_null(error, "parameters");
  const double *const values[SPACES] = {r->target, r->environment, r->parameters, r->outcome};
  fcps_csv_writer csv = {.stream = fcps_draft_stream(output->episodes)};
  fcps_csv_write_integer(&csv, episode->episode);
  write_space_values(&csv, output, values);
  fcps_csv_write_number(&csv, r->reward);
  fcps_csv_write_text(&csv, fcps_rollout_ending_text(fcps_task_problem(output->task), r));
  fcps_csv_end_row(&csv);
  const fcps_status status = flush(output, csv.stream, episode->is_earlier, error);
  return status == FCPS_OK ? add_reward(output, r->reward, error) : status;
}

static void write_map(fcps_run_output *output, const fcps_offline *offline, fcps_csv_writer *csv)
{
  const fcps_problem *problem = fcps_task_problem(output->task);
  const fcps_evaluation *contexts = fcps_task_evaluation(output->task);
  write_space_names(csv, output);
  fcps_csv_write_text(csv, "reward");
  fcps_csv_end_row(csv);
  for (int i = 0; i < offline->count; i++) {
    const size_t row = (size_t)i;
    const double *const values[SPACES] = {
        contexts->targets != NULL ? contexts->targets + row * (size_t)problem->target.count : NULL,
        contexts->environments != NULL ? contexts->environments + row * (size_t)problem->environment.count : NULL,
        offline->parameters + row * (size_t)problem->parameters.count,
        offline->present[i] ? offline->outcomes + row * (size_t)problem->outcome.count : NULL};
    write_space_values(csv, output, values);
    fcps_csv_write_number(csv, offline->rewards[i]);
    fcps_csv_end_row(csv);
  }
}

static fcps_status replace_map(fcps_run_output *output, const fcps_offline *offline, fcps_error *error)
{
  char path[PATH], *text = NULL;
  size_t length = 0;
  fcps_status status = fcps_file_join(output->directory, "map.csv", sizeof path, path, error);
  if (status != FCPS_OK) return status;
  FILE *memory = open_memstream(&text, &length);
  if (memory == NULL) return fcps_error_memory(error);

  fcps_csv_writer csv = {.stream = memory};
  write_map(output, offline, &csv);
  status = fclose(memory) == 0 ? fcps_file_replace(path, text, length, error) : fcps_error_memory(error);
  free(text);
  return status;
}

fcps_status fcps_run_output_offline(fcps_run_output *output, const fcps_offline *offline, fcps_error *error)
{
  if (output == NULL) return fcps_error_null(error, "output");
  if (offline == NULL) return fcps_error_null(error, "offline");
  if (offline->count > 0 && (offline->rewards == NULL || offline->parameters == NULL || offline->outcomes == NULL ||
                             offline->present == NULL))
    return fcps_error_null(error, "rewards, parameters, outcomes and present");
  fcps_csv_writer csv = {.stream = fcps_draft_stream(output->offline)};
  fcps_csv_write_integer(&csv, offline->episode);
  fcps_csv_write_number(&csv, offline->mean);
  fcps_csv_end_row(&csv);
  const fcps_status status = flush(output, csv.stream, offline->is_earlier, error);
  if (status != FCPS_OK) return status;
  output->offline_mean = offline->mean;
  return offline->is_earlier ? FCPS_OK : replace_map(output, offline, error);
}

/* -- The summary -- */

static fcps_json *copy_json(const fcps_json *json)
{
  char *text = fcps_json_write(json);
  fcps_json *copy = NULL;
  if (text != NULL) fcps_json_read(&copy, text, strlen(text), "", NULL);
  fcps_free(text);
  return copy;
}

/* Describes what was run, as JSON; NULL if there is no memory. */
static fcps_json *write_source(const fcps_study *study)
{
  const char *origin = fcps_study_origin(study);
  fcps_json *task = NULL, *json = fcps_json_object();
  fcps_json_read(&task, origin, strlen(origin), "origin", NULL); /* if that fails, the task stays NULL */
  fcps_json_put(&json, "task", copy_json(fcps_json_get(task, "task")));
  fcps_json_put(&json, "task_settings", copy_json(fcps_json_get(task, "task_settings")));
  fcps_json_put(&json, "learner", fcps_json_from_text(fcps_study_learner(study)));
  fcps_json_put(&json, "learner_settings", fcps_json_from_settings(fcps_study_settings(study)));
  fcps_json_put(&json, "seed", fcps_json_from_integer((int64_t)fcps_study_seed(study)));
  fcps_json_destroy(task);
  return json;
}

/* The cumulative reward after every fifty episodes, as in the paper's table, and after the last. */
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

/* Writes the results to `json`. */
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

/* Writes summary.json. */
static fcps_status summarize(fcps_run_output *output, double optimum, fcps_error *error)
{
  char path[PATH];
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
  const fcps_status status = publish(output, error);
  return status == FCPS_OK ? summarize(output, optimum, error) : status;
}

/* -- The output -- */

typedef struct result_table {
  const char *name;
  void (*write_header)(const fcps_run_output *output, fcps_csv_writer *csv);
} result_table;

static const result_table episode_table = {"episodes.csv", write_episode_header};
static const result_table offline_table = {"offline.csv", write_offline_header};

/* Opens a table and writes its header. */
static fcps_status open_table(fcps_run_output *output, const result_table *kind, fcps_draft **table, fcps_error *error)
{
  char path[PATH];
  fcps_status status = fcps_file_join(output->directory, kind->name, sizeof path, path, error);
  if (status == FCPS_OK) status = fcps_draft_open(table, path, error);
  if (status != FCPS_OK) return status;
  fcps_csv_writer csv = {.stream = fcps_draft_stream(*table)};
  kind->write_header(output, &csv);
  return FCPS_OK;
}

static fcps_status open_files(fcps_run_output *output, fcps_error *error)
{
  char map[PATH];
  fcps_status status = fcps_file_make_directory(output->directory, error);
  if (status == FCPS_OK) status = find_map(output, map, error);
  if (status == FCPS_OK) status = open_table(output, &episode_table, &output->episodes, error);
  if (status == FCPS_OK) status = open_table(output, &offline_table, &output->offline, error);
  /* the summary is written at once, so that an interrupted run can be identified */
  return status == FCPS_OK ? summarize(output, NAN, error) : status;
}

fcps_status fcps_run_output_create(fcps_run_output **output, const char *directory, const fcps_study *study,
                                   fcps_error *error)
{
  if (output == NULL) return fcps_error_null(error, "output");
  *output = NULL;
  if (directory == NULL) return fcps_error_null(error, "directory");
  if (study == NULL) return fcps_error_null(error, "study");
  if (fcps_run_task(study) == NULL)
    return fcps_error_set(
        error, FCPS_ERR_UNSUPPORTED, "study",
        "only a study of a built-in task has result files; make it with fcps_run_origin and fcps_run_maker");
  fcps_run_output *created = fcps_allocate(1, sizeof *created);
  if (created == NULL) return fcps_error_memory(error);
  created->task = fcps_run_task(study);
  created->offline_mean = NAN;
  created->directory = fcps_copy_text(directory);
  created->source = write_source(study);
  const fcps_status status =
      created->directory != NULL && created->source != NULL ? open_files(created, error) : fcps_error_memory(error);
  if (status != FCPS_OK) {
    fcps_run_output_destroy(created);
    return status;
  }
  *output = created;
  return FCPS_OK;
}

void fcps_run_output_destroy(fcps_run_output *output)
{
  if (output == NULL) return;
  /* if this run ended before it had all rows of the earlier run, the old tables stay */
  const fcps_status status = output->is_published ? FCPS_OK : FCPS_ERR_STOPPED;
  fcps_draft_finish(output->episodes, status, NULL);
  fcps_draft_finish(output->offline, status, NULL);
  fcps_json_destroy(output->source);
  free(output->directory);
  free(output->cumulative);
  free(output);
}

int64_t fcps_run_output_count(const fcps_run_output *output)
{
  return output != NULL ? (int64_t)output->count : 0;
}

double fcps_run_output_cumulative(const fcps_run_output *output, int64_t episodes)
{
  if (episodes < 1 || episodes > fcps_run_output_count(output)) return NAN;
  return output->cumulative[episodes - 1];
}

double fcps_run_output_offline_mean(const fcps_run_output *output)
{
  return output != NULL ? output->offline_mean : NAN;
}
