/* SPDX-License-Identifier: Apache-2.0 */
/* The processor time of an experiment's learners. Times differ from run to run, so they are printed for people and are
 * part of no result. */
#ifndef FCPS_REPORT_PAGE_TIMES_H
#define FCPS_REPORT_PAGE_TIMES_H

#include <fcps/base.h>

#include <stdio.h>

/* Prints processor seconds per run and milliseconds per episode for each learner, where times.csv has them. */
fcps_status fcps_report_times_print(FILE *stream, const char *folder, fcps_error *error);

#endif
