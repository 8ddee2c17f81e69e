/* SPDX-License-Identifier: Apache-2.0 */
/* Reading fails where a file is missing or malformed. A field that is missing in a good file reads as "", 0, NaN or
 * NULL. */
#include "lab/report/read/saved_experiment.h"

#include "base/error.h"
#include "format/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SUMMARY_LIMIT = 1 << 24 };

/* -- Reading -- */

fcps_status fcps_saved_experiment_path(const fcps_saved_experiment *saved, const char *name,
                                       char path[FCPS_SAVED_EXPERIMENT_PATH], fcps_error *error)
{
  return fcps_file_join(saved->folder, name, FCPS_SAVED_EXPERIMENT_PATH, path, error);
}

static fcps_status read_summary(fcps_saved_experiment *saved, fcps_error *error)
{
  char path[FCPS_SAVED_EXPERIMENT_PATH], *text = NULL;
  size_t length = 0;
  fcps_status status = fcps_saved_experiment_path(saved, "summary.json", path, error);
  if (status == FCPS_OK) status = fcps_file_read(path, SUMMARY_LIMIT, &text, &length, error);
  if (status == FCPS_OK) status = fcps_json_read(&saved->summary, text, length, path, error);
  fcps_free(text);
  return status;
}

static fcps_status read_table(fcps_csv *table, const fcps_saved_experiment *saved, const char *name, bool is_optional,
                              fcps_error *error)
{
  char path[FCPS_SAVED_EXPERIMENT_PATH];
  const fcps_status status = fcps_saved_experiment_path(saved, name, path, error);
  if (status != FCPS_OK) return status;
  if (is_optional && access(path, F_OK) != 0) return FCPS_OK;
  return fcps_csv_read_file(table, path, error);
}

fcps_status fcps_saved_experiment_read(fcps_saved_experiment *saved, const char *folder, fcps_error *error)
{
  *saved = (fcps_saved_experiment){0};
  if (snprintf(saved->folder, FCPS_SAVED_EXPERIMENT_PATH, "%s", folder) >= FCPS_SAVED_EXPERIMENT_PATH) {
    return fcps_error_set(error, FCPS_ERR_IO, "directory", "the path of the folder is too long");
  }
  fcps_status status = read_summary(saved, error);
  if (status == FCPS_OK) status = read_table(&saved->curves, saved, "curves.csv", false, error);
  if (status == FCPS_OK) status = read_table(&saved->claims, saved, "claims.csv", false, error);
  if (status == FCPS_OK) status = read_table(&saved->map, saved, "map.csv", true, error);
  if (status != FCPS_OK) fcps_saved_experiment_destroy(saved);
  return status;
}

void fcps_saved_experiment_destroy(fcps_saved_experiment *saved)
{
  fcps_json_destroy(saved->summary);
  fcps_csv_destroy(&saved->curves);
  fcps_csv_destroy(&saved->claims);
  fcps_csv_destroy(&saved->map);
  *saved = (fcps_saved_experiment){0};
}

/* -- Looking inside -- */

const char *fcps_saved_experiment_text(const fcps_json *object, const char *key)
{
  const char *text = fcps_json_text(fcps_json_get(object, key));
  return text != NULL ? text : "";
}

int64_t fcps_saved_experiment_integer(const fcps_json *object, const char *key)
{
  int64_t value = 0;
  return fcps_json_integer(fcps_json_get(object, key), &value) ? value : 0;
}

const fcps_json *fcps_saved_experiment_row(const fcps_saved_experiment *saved, int index)
{
  return fcps_json_at(fcps_json_get(saved->summary, "rows"), index);
}

const fcps_json *fcps_saved_experiment_row_labelled(const fcps_saved_experiment *saved, const char *label)
{
  const fcps_json *row;
  for (int i = 0; (row = fcps_saved_experiment_row(saved, i)) != NULL; i++) {
    if (strcmp(fcps_saved_experiment_text(row, "label"), label) == 0) return row;
  }
  return NULL;
}

const fcps_json *fcps_saved_experiment_figure(const fcps_saved_experiment *saved, int index)
{
  return fcps_json_at(fcps_json_get(saved->summary, "figures"), index);
}

const fcps_json *fcps_saved_experiment_line(const fcps_saved_experiment *saved, int index, double *value)
{
  const fcps_json *line = fcps_json_at(fcps_json_get(saved->summary, "lines"), index);
  *value = NAN;
  if (line != NULL) fcps_json_number(fcps_json_get(line, "value"), value);
  return line;
}

int fcps_saved_experiment_mark_count(const fcps_json *row)
{
  return fcps_json_count(fcps_json_get(row, "cumulative"));
}

fcps_saved_experiment_mark fcps_saved_experiment_mark_at(const fcps_json *row, int index)
{
  double values[5] = {NAN, NAN, NAN, NAN, NAN};
  fcps_json_numbers(fcps_json_at(fcps_json_get(row, "cumulative"), index), 5, values);
  return (fcps_saved_experiment_mark){values[0], values[1], values[2], values[3], values[4]};
}

bool fcps_saved_experiment_has_paper(const fcps_json *row)
{
  for (int i = 0; i < fcps_saved_experiment_mark_count(row); i++) {
    if (!isnan(fcps_saved_experiment_mark_at(row, i).paper_mean)) return true;
  }
  return false;
}

const char *fcps_saved_experiment_claim(const fcps_saved_experiment *saved, int claim, const char *column)
{
  const int index = fcps_csv_column(&saved->claims, column);
  return index >= 0 ? fcps_csv_cell(&saved->claims, claim, index) : "";
}

bool fcps_saved_experiment_claim_is_ours(const fcps_saved_experiment *saved, int claim)
{
  return strcmp(fcps_saved_experiment_claim(saved, claim, "source"), "ours") == 0;
}

int fcps_saved_experiment_count(const fcps_saved_experiment *saved, const char *verdict, bool are_ours)
{
  int count = 0;
  for (int i = 0; i < saved->claims.rows; i++)
    count += fcps_saved_experiment_claim_is_ours(saved, i) == are_ours &&
             strcmp(fcps_saved_experiment_claim(saved, i, "verdict"), verdict) == 0;
  return count;
}

char *fcps_saved_experiment_number(double mean, double sd, size_t size, char *text)
{
  const int decimals = fabs(mean) >= 100.0 ? 0 : fabs(mean) >= 1.0 ? 2 : 3;
  if (isnan(mean))
    text[0] = '\0';
  else if (isnan(sd))
    snprintf(text, size, "%.*f", decimals, mean);
  else
    snprintf(text, size, "%.*f ± %.*f", decimals, mean, decimals, sd);
  return text;
}
