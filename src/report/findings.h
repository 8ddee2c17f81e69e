/* SPDX-License-Identifier: Apache-2.0 */
/* The result files of an experiment, read back (experiment.h says what they are). */
#ifndef FCPS_REPORT_FINDINGS_H
#define FCPS_REPORT_FINDINGS_H

#include "format/csv.h"
#include "format/json.h"

enum { FCPS_FINDINGS_PATH = 4096 };

typedef struct fcps_findings {
  char folder[FCPS_FINDINGS_PATH];
  fcps_json *summary;
  fcps_csv curves, claims, map; /* a map that is not there has no rows */
} fcps_findings;

fcps_status fcps_findings_read(fcps_findings *findings, const char *folder, fcps_error *error);
void fcps_findings_destroy(fcps_findings *findings);

/* FOLDER/NAME. Fails when it does not fit. */
fcps_status fcps_findings_path(const fcps_findings *findings, const char *name, char path[FCPS_FINDINGS_PATH],
                               fcps_error *error);

/* A text or a whole number of the summary; "" and 0 where it has none. */
const char *fcps_findings_text(const fcps_json *object, const char *key);
int64_t fcps_findings_integer(const fcps_json *object, const char *key);

/* The rows (learners) and figures of the summary; NULL past the end. */
const fcps_json *fcps_findings_row(const fcps_findings *findings, int index);
const fcps_json *fcps_findings_row_labelled(const fcps_findings *findings, const char *label);
const fcps_json *fcps_findings_figure(const fcps_findings *findings, int index);

/* A level that offline curves are seen against (title, made_by); its value in *value. NULL past the end. */
const fcps_json *fcps_findings_line(const fcps_findings *findings, int index, double *value);

/* A row's cumulative reward at one of its marks: the paper's mean and deviation (NaN: none), and ours. */
typedef struct fcps_findings_mark {
  double episode, paper_mean, paper_sd, mean, sd;
} fcps_findings_mark;
int fcps_findings_mark_count(const fcps_json *row);
fcps_findings_mark fcps_findings_mark_at(const fcps_json *row, int index);
bool fcps_findings_has_paper(const fcps_json *row); /* whether a mark has a number of the paper's */

/* A cell of the claims by its column's name; "" where there is no such column. */
const char *fcps_findings_claim(const fcps_findings *findings, int claim, const char *column);

/* Number of claims with this verdict. */
int fcps_findings_count(const fcps_findings *findings, const char *verdict);

/* "-303 ± 34": a mean and its deviation with the decimals that their size needs; "" where the mean is NaN. */
char *fcps_findings_number(double mean, double sd, size_t size, char *text);

#endif
