/* SPDX-License-Identifier: Apache-2.0 */
/* The report: one HTML page about all experiments. */
#ifndef FCPS_LAB_REPORT_PAGE_H
#define FCPS_LAB_REPORT_PAGE_H

#include "lab/report/saved.h"

#include <fcps/base.h>

#include <stdio.h>

/* Writes DIRECTORY/report.html from every folder in DIRECTORY that has the results of an experiment. */
fcps_status fcps_report_page_write(const char *directory, fcps_error *error);

/* The results of an experiment as text for a terminal, or its claims as JSON. */

/* Reads DIRECTORY/NAME and prints its table, with each row of the paper above ours, and its claims with their verdicts.
 * The other experiments in DIRECTORY are read too, because their rows may show how strong its baselines are. */
fcps_status fcps_report_table_print(FILE *stream, const char *directory, const char *name, fcps_error *error);

/* Prints the claims, one JSON object per line. */
fcps_status fcps_report_table_json(FILE *stream, const char *directory, const char *name, fcps_error *error);

/* The processor time of an experiment's learners. Times differ from run to run, so they are printed but belong to no
 * result. */

/* Prints processor seconds per run and milliseconds per episode for each learner, if times.csv has them. */
fcps_status fcps_report_times_print(FILE *stream, const char *folder, fcps_error *error);

/* -- The section of one experiment on the page, made only from its saved results -- */

/* Writes the section. `all` has all experiments, whose rows may show how strong this one's baselines are. */
void fcps_section_write(FILE *page, const fcps_saved_experiments *all, const fcps_saved_experiment *saved);

/* Writes a verdict as a coloured word, after the number of claims if `count` > 0. */
void fcps_section_verdict(FILE *page, const char *verdict, int count);

/* Writes ", 16 November 2026": the day of the newest results. */
void fcps_made_by_day(FILE *page, const fcps_saved_experiments *all);

#endif
