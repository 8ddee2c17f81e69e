/* SPDX-License-Identifier: Apache-2.0 */
/* Every run has summary.json, episodes.csv and offline.csv. A map.csv that is missing counts as an empty table. */
#include "lab/report/saved_run.h"

#include "format/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, SUMMARY_LIMIT = 1 << 20 };

static fcps_status read_table(fcps_csv *table, const char *directory, const char *name, bool is_optional,
                              fcps_error *error)
{
  char path[PATH_SIZE];
  const fcps_status status = fcps_file_join(directory, name, sizeof path, path, error);
  if (status != FCPS_OK) return status;
  if (is_optional && access(path, F_OK) != 0) return FCPS_OK;
  return fcps_csv_read_file(table, path, error);
}

static fcps_status read_summary(fcps_saved_run *results, const char *directory, fcps_error *error)
{
  char path[PATH_SIZE];
  const fcps_status status = fcps_file_join(directory, "summary.json", sizeof path, path, error);
  return status == FCPS_OK ? fcps_json_read_file(&results->summary, path, SUMMARY_LIMIT, error) : status;
}

fcps_status fcps_saved_run_read(fcps_saved_run *results, const char *directory, fcps_error *error)
{
  *results = (fcps_saved_run){0};
  fcps_status status = read_summary(results, directory, error);
  if (status == FCPS_OK) status = read_table(&results->episodes, directory, "episodes.csv", false, error);
  if (status == FCPS_OK) status = read_table(&results->offline, directory, "offline.csv", false, error);
  if (status == FCPS_OK) status = read_table(&results->map, directory, "map.csv", true, error);
  if (status != FCPS_OK) fcps_saved_run_destroy(results);
  return status;
}

void fcps_saved_run_destroy(fcps_saved_run *results)
{
  fcps_csv_destroy(&results->episodes);
  fcps_csv_destroy(&results->offline);
  fcps_csv_destroy(&results->map);
  fcps_json_destroy(results->summary);
  *results = (fcps_saved_run){0};
}

fcps_status fcps_saved_run_number(const fcps_csv *table, int row, int column, double *value, fcps_error *error)
{
  *value = NAN;
  if (*fcps_csv_cell(table, row, column) == '\0') return FCPS_OK;
  return fcps_csv_number(table, row, column, value, error);
}

const char *fcps_saved_run_source(const fcps_saved_run *results, const char *key)
{
  return fcps_json_get_text(fcps_json_get(results->summary, "source"), key, "");
}

static const fcps_json *target_space(const fcps_saved_run *results)
{
  return fcps_json_get(fcps_json_get(results->summary, "spaces"), "target");
}

int fcps_saved_run_target_count(const fcps_saved_run *results)
{
  return fcps_json_count(target_space(results));
}

char *fcps_saved_run_target_label(const fcps_saved_run *results, int index, size_t size, char *label)
{
  /* a dimension is [name, lower, upper, period, scale, unit] */
  const fcps_json *dimension = fcps_json_at(target_space(results), index);
  const char *name = fcps_json_text(fcps_json_at(dimension, 0)), *unit = fcps_json_text(fcps_json_at(dimension, 5));
  if (unit != NULL && *unit)
    snprintf(label, size, "%s (%s)", name != NULL ? name : "", unit);
  else
    snprintf(label, size, "%s", name != NULL ? name : "");
  return label;
}
