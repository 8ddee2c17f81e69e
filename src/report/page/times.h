/* SPDX-License-Identifier: Apache-2.0 */
/* What the learners of an experiment cost, beside the table of what they gained. */
#ifndef FCPS_REPORT_PAGE_TIMES_H
#define FCPS_REPORT_PAGE_TIMES_H

#include <fcps/base.h>

#include <stdio.h>

/* Prints processor seconds a run and milliseconds an episode of each learner, where times.csv says them. For people
 * alone: the numbers are others each time. */
fcps_status fcps_report_times_print(FILE *stream, const char *folder, fcps_error *error);

#endif
