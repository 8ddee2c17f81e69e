/* SPDX-License-Identifier: Apache-2.0 */
/* A record: its folder begun, or continued where an earlier run left it. */
#include "run/record_impl.h"

#include "base/error.h"
#include "base/memory.h"
#include "format/file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Takes in what a row that is kept says: the reward of an episode, the mean of an evaluation; NaN where it is empty. */
typedef fcps_status kept_row_fn(fcps_record *record, int64_t episode, double value, fcps_error *error);

static fcps_status use_episode(fcps_record *record, int64_t episode, double reward, fcps_error *error)
{
  (void)episode;
  return fcps_record_add_reward(record, reward, error);
}

static fcps_status use_offline(fcps_record *record, int64_t episode, double mean, fcps_error *error)
{
  (void)error;
  record->offline_episode = episode;
  record->offline_mean = mean;
  return FCPS_OK;
}

typedef struct result_table {
  const char *name, *value_column;
  void (*write_header)(const fcps_record *record, fcps_csv_writer *csv);
  kept_row_fn *use;
} result_table;

static const result_table episode_table = {"episodes.csv", "reward", fcps_record_episode_header, use_episode};
static const result_table offline_table = {"offline.csv", "mean", fcps_record_offline_header, use_offline};

/* Copies the rows of a table up to episode `kept`. */
static fcps_status copy_kept_rows(fcps_record *record, const result_table *kind, const fcps_csv *table, int64_t kept,
                                  fcps_csv_writer *csv, fcps_error *error)
{
  int episodes, values;
  fcps_status status = fcps_csv_require(table, "episode", &episodes, error);
  if (status == FCPS_OK) status = fcps_csv_require(table, kind->value_column, &values, error);
  for (int row = 0; row < table->rows && status == FCPS_OK; row++) {
    double episode = 0.0, value = NAN;
    status = fcps_csv_number(table, row, episodes, &episode, error);
    if (status == FCPS_OK && episode > (double)kept) break;
    if (status == FCPS_OK && *fcps_csv_cell(table, row, values)) {
      status = fcps_csv_number(table, row, values, &value, error);
    }
    if (status == FCPS_OK) status = kind->use(record, (int64_t)episode, value, error);
    for (int column = 0; column < table->columns; column++) {
      fcps_csv_write_text(csv, fcps_csv_cell(table, row, column));
    }
    fcps_csv_end_row(csv);
  }
  return status;
}

static fcps_status keep_rows(fcps_record *record, const result_table *kind, const char *path, int64_t kept,
                             fcps_csv_writer *csv, fcps_error *error)
{
  fcps_csv table;
  fcps_status status = fcps_csv_read_file(&table, path, error);
  if (status != FCPS_OK) return status;
  status = copy_kept_rows(record, kind, &table, kept, csv, error);
  fcps_csv_destroy(&table);
  return status;
}

/* A table with its header and the rows that are kept, opened for more rows. */
static fcps_status open_table(fcps_record *record, const result_table *kind, int64_t kept, FILE **stream,
                              fcps_error *error)
{
  char path[FCPS_RECORD_PATH], *text = NULL;
  size_t length = 0;
  fcps_status status = fcps_file_join(record->directory, kind->name, sizeof path, path, error);
  if (status != FCPS_OK) return status;
  FILE *memory = open_memstream(&text, &length);
  if (!memory) return fcps_error_memory(error);

  fcps_csv_writer csv = {.stream = memory};
  kind->write_header(record, &csv);
  if (kept > 0) status = keep_rows(record, kind, path, kept, &csv, error);
  if (fclose(memory) != 0 && status == FCPS_OK) status = fcps_error_memory(error);
  if (status == FCPS_OK) status = fcps_file_replace(path, text, length, error);
  free(text);
  if (status != FCPS_OK) return status;

  *stream = fopen(path, "ae");
  if (*stream) return FCPS_OK;
  return fcps_error_at(error, FCPS_ERR_IO, path, 0, 0, NULL, "cannot be opened: %s", strerror(errno));
}

/* The folder for a record that starts from nothing: the map of an earlier run is not its map. */
static fcps_status begin(const fcps_record *record, fcps_error *error)
{
  char path[FCPS_RECORD_PATH];
  fcps_status status = fcps_file_make_directory(record->directory, error);
  if (status == FCPS_OK) status = fcps_file_join(record->directory, "map.csv", sizeof path, path, error);
  if (status == FCPS_OK) remove(path);
  return status;
}

static fcps_status open_files(fcps_record *record, int64_t kept, fcps_error *error)
{
  fcps_status status = kept > 0 ? fcps_record_source_match(record, error) : begin(record, error);
  if (status == FCPS_OK) status = open_table(record, &episode_table, kept, &record->episodes, error);
  if (status == FCPS_OK && fcps_record_count(record) != kept) {
    return fcps_error_at(
        error, FCPS_ERR_FORMAT, record->directory, 0, 0, NULL,
        "its episodes.csv has %d episodes where %d were to be continued; continue in the folder of that "
        "run, or start again without the saved state",
        (int)fcps_record_count(record), (int)kept);
  }
  if (status == FCPS_OK) status = open_table(record, &offline_table, kept, &record->offline, error);
  // a run that is cut off is still known by its source
  return status == FCPS_OK ? fcps_record_finish(record, NAN, error) : status;
}

fcps_status fcps_record_create(fcps_record **record, const char *directory, fcps_task *task,
                               const fcps_record_source *source, int64_t kept, fcps_error *error)
{
  *record = NULL;
  fcps_record *created = fcps_allocate(1, sizeof *created);
  if (!created) return fcps_error_memory(error);
  created->task = task;
  created->offline_mean = NAN;
  created->directory = fcps_copy_text(directory);
  created->source = fcps_record_source_write(fcps_task_name(task), source);
  const fcps_status status =
      created->directory && created->source ? open_files(created, kept, error) : fcps_error_memory(error);
  if (status != FCPS_OK) {
    fcps_record_destroy(created);
    return status;
  }
  *record = created;
  return FCPS_OK;
}

void fcps_record_destroy(fcps_record *record)
{
  if (!record) return;
  if (record->episodes) fclose(record->episodes);
  if (record->offline) fclose(record->offline);
  fcps_json_destroy(record->source);
  free(record->directory);
  free(record->cumulative);
  free(record);
}

int64_t fcps_record_count(const fcps_record *record)
{
  return (int64_t)record->count;
}

double fcps_record_cumulative(const fcps_record *record, int64_t episodes)
{
  if (episodes < 1 || episodes > fcps_record_count(record)) return NAN;
  return record->cumulative[episodes - 1];
}

double fcps_record_offline_mean(const fcps_record *record)
{
  return record->offline_mean;
}
