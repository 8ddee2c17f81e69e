/* SPDX-License-Identifier: Apache-2.0 */
/* One line per row of times.csv, with the title of its learner. */
#include "lab/report/page/times.h"

#include "base/number.h"
#include "format/text.h"
#include "lab/report/read/saved_experiment.h"

#include <unistd.h>

static void print_time(FILE *stream, const fcps_saved_experiment *saved, const fcps_csv *times, const int columns[3],
                       int row)
{
  double seconds, milliseconds;
  const fcps_json *learner = fcps_saved_experiment_row_labelled(saved, fcps_csv_cell(times, row, columns[0]));
  if (learner == NULL || !fcps_number_read(fcps_csv_cell(times, row, columns[1]), &seconds) ||
      !fcps_number_read(fcps_csv_cell(times, row, columns[2]), &milliseconds))
    return;
  fprintf(stream, "%10.2f %10.2f   ", seconds, milliseconds);
  fcps_shown_write(stream, fcps_saved_experiment_text(learner, "title"));
  fputc('\n', stream);
}

static fcps_status print_times(FILE *stream, const fcps_saved_experiment *saved, const char *path, fcps_error *error)
{
  fcps_csv times = {0};
  int columns[3];
  fcps_status status = fcps_csv_read_file(&times, path, error);
  if (status != FCPS_OK) return status;
  status = fcps_csv_require(&times, "learner", &columns[0], error);
  if (status == FCPS_OK) status = fcps_csv_require(&times, "seconds", &columns[1], error);
  if (status == FCPS_OK) status = fcps_csv_require(&times, "milliseconds_an_episode", &columns[2], error);
  if (status == FCPS_OK) fputs(" s per run, ms per episode (processor time, without evaluations)\n", stream);
  for (int row = 0; row < times.rows && status == FCPS_OK; row++)
    print_time(stream, saved, &times, columns, row);
  fcps_csv_destroy(&times);
  return status;
}

fcps_status fcps_report_times_print(FILE *stream, const char *folder, fcps_error *error)
{
  fcps_saved_experiment saved;
  char path[FCPS_SAVED_EXPERIMENT_PATH];
  fcps_status status = fcps_saved_experiment_read(&saved, folder, error);
  if (status != FCPS_OK) return status;
  status = fcps_saved_experiment_path(&saved, "times.csv", path, error);
  if (status == FCPS_OK && access(path, F_OK) == 0) status = print_times(stream, &saved, path, error);
  fcps_saved_experiment_destroy(&saved);
  return status;
}
