/* SPDX-License-Identifier: Apache-2.0 */
#include "report/findings.h"

#include "base/error.h"
#include "format/file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SUMMARY_LIMIT = 1 << 24 };

/* ------------------------------------------------------------------------------------------------- reading */

fcps_status fcps_findings_path(const fcps_findings *findings, const char *name, char path[FCPS_FINDINGS_PATH],
                               fcps_error *error)
{
  return fcps_file_join(findings->folder, name, FCPS_FINDINGS_PATH, path, error);
}

static fcps_status read_summary(fcps_findings *findings, fcps_error *error)
{
  char path[FCPS_FINDINGS_PATH], *text = NULL;
  size_t length = 0;
  fcps_status status = fcps_findings_path(findings, "summary.json", path, error);
  if (status == FCPS_OK) status = fcps_file_read(path, SUMMARY_LIMIT, &text, &length, error);
  if (status == FCPS_OK) status = fcps_json_read(&findings->summary, text, length, path, error);
  fcps_free(text);
  return status;
}

static fcps_status read_table(fcps_csv *table, const fcps_findings *findings, const char *name, bool is_optional,
                              fcps_error *error)
{
  char path[FCPS_FINDINGS_PATH];
  const fcps_status status = fcps_findings_path(findings, name, path, error);
  if (status != FCPS_OK) return status;
  if (is_optional && access(path, F_OK) != 0) return FCPS_OK;
  return fcps_csv_read_file(table, path, error);
}

fcps_status fcps_findings_read(fcps_findings *findings, const char *folder, fcps_error *error)
{
  *findings = (fcps_findings){0};
  if (snprintf(findings->folder, FCPS_FINDINGS_PATH, "%s", folder) >= FCPS_FINDINGS_PATH) {
    return fcps_error_set(error, FCPS_ERR_IO, "directory", "the path of the folder is too long");
  }
  fcps_status status = read_summary(findings, error);
  if (status == FCPS_OK) status = read_table(&findings->curves, findings, "curves.csv", false, error);
  if (status == FCPS_OK) status = read_table(&findings->claims, findings, "claims.csv", false, error);
  if (status == FCPS_OK) status = read_table(&findings->map, findings, "map.csv", true, error);
  if (status != FCPS_OK) fcps_findings_destroy(findings);
  return status;
}

void fcps_findings_destroy(fcps_findings *findings)
{
  fcps_json_destroy(findings->summary);
  fcps_csv_destroy(&findings->curves);
  fcps_csv_destroy(&findings->claims);
  fcps_csv_destroy(&findings->map);
  *findings = (fcps_findings){0};
}

/* ------------------------------------------------------------------------------------------- looking inside */

const char *fcps_findings_text(const fcps_json *object, const char *key)
{
  const char *text = fcps_json_text(fcps_json_get(object, key));
  return text ? text : "";
}

int64_t fcps_findings_integer(const fcps_json *object, const char *key)
{
  int64_t value = 0;
  return fcps_json_integer(fcps_json_get(object, key), &value) ? value : 0;
}

const fcps_json *fcps_findings_row(const fcps_findings *findings, int index)
{
  return fcps_json_at(fcps_json_get(findings->summary, "rows"), index);
}

const fcps_json *fcps_findings_row_labelled(const fcps_findings *findings, const char *label)
{
  const fcps_json *row;
  for (int i = 0; (row = fcps_findings_row(findings, i)) != NULL; i++) {
    if (strcmp(fcps_findings_text(row, "label"), label) == 0) return row;
  }
  return NULL;
}

const fcps_json *fcps_findings_figure(const fcps_findings *findings, int index)
{
  return fcps_json_at(fcps_json_get(findings->summary, "figures"), index);
}

const fcps_json *fcps_findings_line(const fcps_findings *findings, int index, double *value)
{
  const fcps_json *line = fcps_json_at(fcps_json_get(findings->summary, "lines"), index);
  *value = NAN;
  if (line) fcps_json_number(fcps_json_get(line, "value"), value);
  return line;
}

int fcps_findings_mark_count(const fcps_json *row)
{
  return fcps_json_count(fcps_json_get(row, "cumulative"));
}

fcps_findings_mark fcps_findings_mark_at(const fcps_json *row, int index)
{
  double values[5] = {NAN, NAN, NAN, NAN, NAN};
  fcps_json_numbers(fcps_json_at(fcps_json_get(row, "cumulative"), index), 5, values);
  return (fcps_findings_mark){values[0], values[1], values[2], values[3], values[4]};
}

bool fcps_findings_has_paper(const fcps_json *row)
{
  for (int i = 0; i < fcps_findings_mark_count(row); i++) {
    if (!isnan(fcps_findings_mark_at(row, i).paper_mean)) return true;
  }
  return false;
}

const char *fcps_findings_claim(const fcps_findings *findings, int claim, const char *column)
{
  const int index = fcps_csv_column(&findings->claims, column);
  return index >= 0 ? fcps_csv_cell(&findings->claims, claim, index) : "";
}

int fcps_findings_count(const fcps_findings *findings, const char *verdict)
{
  int count = 0;
  for (int i = 0; i < findings->claims.rows; i++)
    count += strcmp(fcps_findings_claim(findings, i, "verdict"), verdict) == 0;
  return count;
}

char *fcps_findings_number(double mean, double sd, size_t size, char *text)
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
