/* SPDX-License-Identifier: Apache-2.0 */
/* The section of one experiment on the page, made from its saved results alone. */
#ifndef FCPS_LAB_REPORT_SECTION_H
#define FCPS_LAB_REPORT_SECTION_H

#include "lab/report/saved_experiment.h"

#include <stdio.h>

/* `all` holds the experiments beside it, whose rows may say how strong its baselines are. */
void fcps_section_write(FILE *page, const fcps_saved_experiments *all, const fcps_saved_experiment *saved);

/* Writes a verdict as a coloured word, after the number of claims where `count` > 0. */
void fcps_section_verdict(FILE *page, const char *verdict, int count);

/* How and when results were made: the command that makes them again, and the day. */

/* A paragraph with the command of one experiment, and ", 16 November 2026": the day of the newest of all. */
void fcps_made_by_command(FILE *page, const fcps_json *summary);
void fcps_made_by_day(FILE *page, const fcps_saved_experiments *all);

#endif
