/* SPDX-License-Identifier: Apache-2.0 */
/* Baselines that are not the paper's. A claim that one learner beats another leans on the other: where that one is
 * weaker or stronger than the paper's own, the claim must be read with it. */
#ifndef FCPS_REPORT_READ_BASELINES_H
#define FCPS_REPORT_READ_BASELINES_H

#include "lab/report/read/saved_experiments.h"

/* What is to be said of the rows that a claim compares its first row with, into `text`: "" where none of them differs
 * from the paper's numbers by more than two standard errors. The numbers may be those of another experiment that has
 * the same learner with the same settings on the same task. */
char *fcps_baselines_say(const fcps_saved_experiments *all, const fcps_saved_experiment *saved, int claim, size_t size,
                         char *text);

#endif
