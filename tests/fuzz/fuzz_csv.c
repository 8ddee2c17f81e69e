/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a CSV: an error with a message, or a table that reads as the same after it is written again; and as old
 * rollouts for a study, of which either all rows are stored or none. */
#include "fuzz.h"
#include "input_file.h"
#include "kinds.h"

#include "format/csv.h"

#include <fcps/study.h>

#include <string.h>

static void write_table(const fcps_csv *csv, const char *path)
{
  fcps_csv_writer writer = {.stream = fopen(path, "wb")};
  if (writer.stream == NULL) abort();
  for (int row = -1; row < csv->rows; row++) {
    for (int column = 0; column < csv->columns; column++)
      fcps_csv_write_text(&writer, row < 0 ? csv->header[column] : fcps_csv_cell(csv, row, column));
    fcps_csv_end_row(&writer);
  }
  if (fclose(writer.stream) != 0) abort();
}

/* A table whose only name is empty has an empty first line, which no reader can tell from none. */
static bool has_header(const fcps_csv *csv)
{
  return csv->columns > 1 || csv->header[0][0];
}

static void check_table(const fcps_csv *csv)
{
  fcps_csv again = {0};
  if (!has_header(csv)) return;
  write_table(csv, made_path);
  if (fcps_csv_read_file(&again, made_path, NULL) != FCPS_OK) abort();
  if (again.rows != csv->rows || again.columns != csv->columns) abort();
  for (int column = 0; column < csv->columns; column++) {
    if (strcmp(again.header[column], csv->header[column]) != 0) abort();
    for (int row = 0; row < csv->rows; row++)
      if (strcmp(fcps_csv_cell(&again, row, column), fcps_csv_cell(csv, row, column)) != 0) abort();
  }
  fcps_csv_destroy(&again);
}

static void import_rows(int problem)
{
  fcps_study *study = NULL;
  const fcps_study_setup setup = {.text = fuzz_problems[problem], .text_name = "fuzz.yaml", .learner = "c-reps"};
  fcps_error error = {0};
  int added = 0, skipped = 0;
  if (fcps_study_create(&study, NULL, &setup, NULL, NULL) != FCPS_OK) abort();
  const fcps_status status = fcps_study_import(study, input_path, &added, &skipped, &error);
  if (fcps_study_result_count(study) != (status == FCPS_OK ? added : 0)) abort();
  if (status != FCPS_OK && !error.message[0]) abort();
  fcps_study_close(study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!write_input(data, size)) return 0;
  fcps_csv csv = {0};
  fcps_error error = {0};
  if (fcps_csv_read_file(&csv, input_path, &error) != FCPS_OK) {
    if (!error.message[0]) abort();
    return 0;
  }
  check_table(&csv);
  fcps_csv_destroy(&csv);
  for (int problem = 0; problem < FUZZ_PROBLEMS; problem++)
    import_rows(problem);
  return 0;
}
