/* SPDX-License-Identifier: Apache-2.0 */
/* One small file per run holds its seconds as text; times.csv holds the means per learner. A run whose file is missing
 * or unreadable is left out of the mean. */
#include "lab/experiment/times.h"

#include "base/number.h"
#include "format/file.h"
#include "lab/experiment/single_run.h"
#include "lab/experiment/table_file.h"

#include <math.h>
#include <string.h>

enum { FILE_LIMIT = 64 };

fcps_status fcps_times_keep(const fcps_experiment *experiment, const char *directory, int row, uint64_t seed,
                            double seconds, fcps_error *error)
{
  char path[FCPS_EXPERIMENT_PATH], text[FCPS_NUMBER_SIZE];
  const fcps_status status = fcps_experiment_run_result_path(experiment, directory, row, seed, "seconds", path, error);
  if (status != FCPS_OK) return status;
  fcps_number_write(seconds, text);
  return fcps_file_replace(path, text, strlen(text), error);
}

/* NaN where the time of a run is not known. */
static double seconds_of(const fcps_experiment *experiment, const char *directory, int row, uint64_t seed)
{
  char path[FCPS_EXPERIMENT_PATH], *text = NULL;
  size_t length = 0;
  double seconds = NAN;
  if (fcps_experiment_run_result_path(experiment, directory, row, seed, "seconds", path, NULL) != FCPS_OK) return NAN;
  if (fcps_file_read(path, FILE_LIMIT, &text, &length, NULL) != FCPS_OK) return NAN;
  if (!fcps_number_read(text, &seconds)) seconds = NAN;
  fcps_free(text);
  return seconds;
}

fcps_status fcps_times_write(const fcps_experiment *experiment, const char *directory, fcps_error *error)
{
  static const char *const names[] = {"learner", "runs", "seconds", "milliseconds_an_episode", NULL};
  fcps_table_file file;
  const fcps_status status = fcps_table_file_begin(&file, names, error);
  if (status != FCPS_OK) return status;
  for (int row = 0; row < experiment->row_count; row++) {
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < experiment->seed_count; i++) {
      const double seconds = seconds_of(experiment, directory, row, experiment->seeds[i]);
      if (!isnan(seconds)) sum += seconds, count++;
    }
    const double mean = count > 0 ? sum / count : NAN;
    fcps_csv_write_text(&file.csv, experiment->rows[row].label);
    fcps_csv_write_integer(&file.csv, count);
    fcps_csv_write_number(&file.csv, mean);
    fcps_csv_write_number(&file.csv, 1e3 * mean / (double)fcps_experiment_episodes(experiment));
    fcps_csv_end_row(&file.csv);
  }
  return fcps_table_file_end(&file, experiment, directory, "times.csv", error);
}
