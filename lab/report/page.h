/* SPDX-License-Identifier: Apache-2.0 */
/* The report: one HTML page about all experiments. */
#ifndef FCPS_LAB_REPORT_PAGE_H
#define FCPS_LAB_REPORT_PAGE_H

#include "lab/report/saved.h"

#include <fcps/base.h>

#include <stdio.h>

/* Writes DIRECTORY/report.html from every folder in DIRECTORY that has the results of an experiment. */
fcps_status fcps_report_page_write(const char *directory, fcps_error *error);

/* -- The results of an experiment as text for a terminal, and its claims as JSON -- */

/* Reads DIRECTORY/NAME, and prints its table and its claims with their verdicts. In the table each row of the paper
 * stands above ours. The other experiments in DIRECTORY are read too, because their rows may show how strong the
 * baselines of this experiment are. */
fcps_status fcps_report_table_print(FILE *stream, const char *directory, const char *name, fcps_error *error);

/* Prints the claims, one JSON object per line. */
fcps_status fcps_report_table_json(FILE *stream, const char *directory, const char *name, fcps_error *error);

/* The processor time of an experiment's learners. Times differ from run to run, so they are printed but are not
 * results. */

/* For each learner in times.csv, prints processor seconds per run and milliseconds per episode. Prints nothing if that
 * file does not exist. */
fcps_status fcps_report_times_print(FILE *stream, const char *folder, fcps_error *error);

/* -- The section of one experiment on the page, made only from its saved results -- */

/* Writes the section of the experiment `saved`. `all` has all experiments, whose rows may show how strong the baselines
 * of `saved` are. */
void fcps_section_write(FILE *page, const fcps_saved_experiments *all, const fcps_saved_experiment *saved);

/* Writes a verdict as a coloured word; if `count` > 0, after this number of claims. */
void fcps_section_verdict(FILE *page, const char *verdict, int count);

/* Writes ", 16 November 2026": the day of the newest results. */
void fcps_made_by_day(FILE *page, const fcps_saved_experiments *all);

#endif
