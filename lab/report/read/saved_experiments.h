/* SPDX-License-Identifier: Apache-2.0 */
/* The saved results of all experiments in a folder of results. */
#ifndef FCPS_REPORT_READ_SAVED_EXPERIMENTS_H
#define FCPS_REPORT_READ_SAVED_EXPERIMENTS_H

#include "lab/report/read/saved_experiment.h"

typedef struct fcps_saved_experiments {
  fcps_saved_experiment *items; /* in the order of the page */
  size_t count, capacity;
} fcps_saved_experiments;

/* Reads the experiments that are finished, and ignores other folders. */
fcps_status fcps_saved_experiments_read(fcps_saved_experiments *all, const char *directory, fcps_error *error);
void fcps_saved_experiments_destroy(fcps_saved_experiments *all);

#endif
