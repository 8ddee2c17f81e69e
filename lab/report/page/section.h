/* SPDX-License-Identifier: Apache-2.0 */
/* The section of one experiment on the page, made from its saved results alone. */
#ifndef FCPS_REPORT_PAGE_SECTION_H
#define FCPS_REPORT_PAGE_SECTION_H

#include "lab/report/read/saved_experiments.h"

/* `all` holds the experiments beside it, whose rows may say how strong its baselines are. */
void fcps_section_write(FILE *page, const fcps_saved_experiments *all, const fcps_saved_experiment *saved);

/* Writes a verdict as a coloured word, after the number of claims where `count` > 0. */
void fcps_section_verdict(FILE *page, const char *verdict, int count);

#endif
