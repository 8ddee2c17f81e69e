/* SPDX-License-Identifier: Apache-2.0 */
/* The result files of an experiment, read back (fcps/lab/experiment.h lists them). */
#ifndef FCPS_LAB_REPORT_SAVED_EXPERIMENT_H
#define FCPS_LAB_REPORT_SAVED_EXPERIMENT_H

#include "format/csv.h"
#include "format/json.h"

enum { FCPS_SAVED_EXPERIMENT_PATH = 4096 };

typedef struct fcps_saved_experiment {
  char folder[FCPS_SAVED_EXPERIMENT_PATH];
  fcps_json *summary;
  fcps_csv curves, claims, map; /* the map has no rows if there is no map.csv */
} fcps_saved_experiment;

fcps_status fcps_saved_experiment_read(fcps_saved_experiment *saved, const char *folder, fcps_error *error);
void fcps_saved_experiment_destroy(fcps_saved_experiment *saved);

/* Writes FOLDER/NAME. Fails if the path is too long. */
fcps_status fcps_saved_experiment_path(const fcps_saved_experiment *saved, const char *name,
                                       char path[FCPS_SAVED_EXPERIMENT_PATH], fcps_error *error);

/* Return a row (learner) or figure of the summary, by index or label; NULL if it does not exist. */
const fcps_json *fcps_saved_experiment_row(const fcps_saved_experiment *saved, int index);
const fcps_json *fcps_saved_experiment_row_labelled(const fcps_saved_experiment *saved, const char *label);
const fcps_json *fcps_saved_experiment_figure(const fcps_saved_experiment *saved, int index);

/* A level to compare offline curves with: an object with title and made_by. *value receives the level. NULL past the
 * end. */
const fcps_json *fcps_saved_experiment_line(const fcps_saved_experiment *saved, int index, double *value);

/* A row's cumulative reward after a number of episodes: mean and deviation in the paper (NaN: the paper has none), and
 * our mean and deviation. */
typedef struct fcps_saved_experiment_mark {
  double episode, paper_mean, paper_sd, mean, sd;
} fcps_saved_experiment_mark;
int fcps_saved_experiment_mark_count(const fcps_json *row);
fcps_saved_experiment_mark fcps_saved_experiment_mark_at(const fcps_json *row, int index);
bool fcps_saved_experiment_has_paper(const fcps_json *row); /* whether the row has a number of the paper */

/* The text of a cell of claims.csv, by the name of its column; "" if there is no such column. */
const char *fcps_saved_experiment_claim(const fcps_saved_experiment *saved, int claim, const char *column);

/* Whether a claim is ours, and not the paper's. */
bool fcps_saved_experiment_claim_is_ours(const fcps_saved_experiment *saved, int claim);

/* The number of claims with this verdict: claims of the paper, or claims of ours (`are_ours`). */
int fcps_saved_experiment_count(const fcps_saved_experiment *saved, const char *verdict, bool are_ours);

/* Writes a mean and its deviation, as in "-303 ± 34", with the decimals that their size needs; "" if the mean is NaN.
 * Returns `text`. */
char *fcps_saved_experiment_number(double mean, double sd, size_t size, char *text);

/* The saved results of all experiments in a folder of results. */

typedef struct fcps_saved_experiments {
  fcps_saved_experiment *items; /* in the order in which the page shows them */
  size_t count, capacity;
} fcps_saved_experiments;

/* Reads the experiments that are finished, and ignores other folders. */
fcps_status fcps_saved_experiments_read(fcps_saved_experiments *all, const char *directory, fcps_error *error);
void fcps_saved_experiments_destroy(fcps_saved_experiments *all);

/* -- Baselines that differ from the paper's --
 *
 * A claim that one learner beats another depends on both. If the other learner is weaker or stronger than in the paper,
 * a reader of the claim must know it. */

/* Writes a remark about the rows with which a claim compares its first row. The remark is "" if none of these rows
 * differs from the paper's numbers by more than two standard errors. The numbers may stand in another experiment that
 * has the same learner with the same settings on the same task. */
char *fcps_baselines_say(const fcps_saved_experiments *all, const fcps_saved_experiment *saved, int claim, size_t size,
                         char *text);

/* -- The result files of a run, read back (fcps/lab/run.h lists them) -- */

typedef struct fcps_saved_run {
  fcps_csv episodes, offline, map; /* the map has no rows if there is no map.csv */
  fcps_json *summary;
} fcps_saved_run;

fcps_status fcps_saved_run_read(fcps_saved_run *results, const char *directory, fcps_error *error);
void fcps_saved_run_destroy(fcps_saved_run *results);

/* A number of a table; NaN if the cell is empty. */
fcps_status fcps_saved_run_number(const fcps_csv *table, int row, int column, double *value, fcps_error *error);

/* A text of the source in the run's summary: fcps_saved_run_source(results, "task") is "cannon". "" if the key is
 * unknown. */
const char *fcps_saved_run_source(const fcps_saved_run *results, const char *key);

/* The number of target dimensions, and the label of one of them, as in "name (unit)". */
int fcps_saved_run_target_count(const fcps_saved_run *results);
char *fcps_saved_run_target_label(const fcps_saved_run *results, int index, size_t size, char *label);

#endif
