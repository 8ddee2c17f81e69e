/* SPDX-License-Identifier: Apache-2.0 */
/* The result files of a run: creating the folder and opening its tables. */
#include "lab/run/run_output_impl.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"

#include <math.h>
#include <stdlib.h>

typedef struct result_table {
  const char *name;
  void (*write_header)(const fcps_run_output *output, fcps_csv_writer *csv);
} result_table;

static const result_table episode_table = {"episodes.csv", fcps_run_output_episode_header};
static const result_table offline_table = {"offline.csv", fcps_run_output_offline_header};

/* A table with its header, opened for rows. */
static fcps_status open_table(fcps_run_output *output, const result_table *kind, fcps_draft **table, fcps_error *error)
{
  char path[FCPS_RUN_OUTPUT_PATH];
  fcps_status status = fcps_file_join(output->directory, kind->name, sizeof path, path, error);
  if (status == FCPS_OK) status = fcps_draft_open(table, path, error);
  if (status != FCPS_OK) return status;
  fcps_csv_writer csv = {.stream = fcps_draft_stream(*table)};
  kind->write_header(output, &csv);
  return FCPS_OK;
}

/* Where the map is; an error where it may not be removed. */
static fcps_status find_map(const fcps_run_output *output, char map[FCPS_RUN_OUTPUT_PATH], fcps_error *error)
{
  const fcps_status status = fcps_file_join(output->directory, "map.csv", FCPS_RUN_OUTPUT_PATH, map, error);
  return status == FCPS_OK ? fcps_draft_check(map, error) : status;
}

static fcps_status open_files(fcps_run_output *output, fcps_error *error)
{
  char map[FCPS_RUN_OUTPUT_PATH];
  fcps_status status = fcps_file_make_directory(output->directory, error);
  if (status == FCPS_OK) status = find_map(output, map, error);
  if (status == FCPS_OK) status = open_table(output, &episode_table, &output->episodes, error);
  if (status == FCPS_OK) status = open_table(output, &offline_table, &output->offline, error);
  /* so that an interrupted run can be identified */
  return status == FCPS_OK ? fcps_run_output_summarize(output, NAN, error) : status;
}

fcps_status fcps_run_output_publish(fcps_run_output *output, fcps_error *error)
{
  if (output->is_published) return FCPS_OK;
  char map[FCPS_RUN_OUTPUT_PATH];
  fcps_status status = find_map(output, map, error);
  if (status == FCPS_OK) remove(map); /* the map of an earlier run is not the map of this one */
  if (status == FCPS_OK) status = fcps_draft_publish(output->episodes, error);
  if (status == FCPS_OK) status = fcps_draft_publish(output->offline, error);
  output->is_published = status == FCPS_OK;
  return status;
}

fcps_status fcps_run_output_create(fcps_run_output **output, const char *directory, const fcps_study *study,
                                   fcps_error *error)
{
  if (output == NULL) return fcps_error_null(error, "output");
  *output = NULL;
  if (directory == NULL) return fcps_error_null(error, "directory");
  if (study == NULL) return fcps_error_null(error, "study");
  if (fcps_run_task(study) == NULL)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "study",
                          "only a study of a built-in task can write result files.");
  fcps_run_output *created = fcps_allocate(1, sizeof *created);
  if (created == NULL) return fcps_error_memory(error);
  created->task = fcps_run_task(study);
  created->offline_mean = NAN;
  created->directory = fcps_copy_text(directory);
  created->source = fcps_run_output_source_write(study);
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
  /* tables that did not get as far as those of the earlier run leave them as they are */
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
