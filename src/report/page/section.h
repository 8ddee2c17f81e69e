/* SPDX-License-Identifier: Apache-2.0 */
/* An experiment's part of the page. */
#ifndef FCPS_REPORT_PAGE_SECTION_H
#define FCPS_REPORT_PAGE_SECTION_H

#include "report/read/saved_experiment.h"

void fcps_section_write(FILE *page, const fcps_saved_experiment *saved);

/* A verdict as a coloured word; with `count` > 0 the number of claims before it. */
void fcps_section_verdict(FILE *page, const char *verdict, int count);

#endif
