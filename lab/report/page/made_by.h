/* SPDX-License-Identifier: Apache-2.0 */
/* How and when results were made: the command that makes them again, and the day. */
#ifndef FCPS_REPORT_PAGE_MADE_BY_H
#define FCPS_REPORT_PAGE_MADE_BY_H

#include "lab/report/read/saved_experiments.h"

#include <stdio.h>

/* A paragraph with the command of one experiment, and ", 16 November 2026": the day of the newest of all. */
void fcps_made_by_command(FILE *page, const fcps_json *summary);
void fcps_made_by_day(FILE *page, const fcps_saved_experiments *all);

#endif
