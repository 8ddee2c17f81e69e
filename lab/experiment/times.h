/* SPDX-License-Identifier: Apache-2.0 */
/* The processor times of runs. Times are not results: they differ each time, so they have their own files. */
#ifndef FCPS_EXPERIMENT_TIMES_H
#define FCPS_EXPERIMENT_TIMES_H

#include "lab/experiment/experiment_impl.h"

/* Keeps the processor seconds of one run's asks, rollouts and tells, in runs/LABEL-seedK.seconds. */
fcps_status fcps_times_keep(const fcps_experiment *experiment, const char *directory, int row, uint64_t seed,
                            double seconds, fcps_error *error);

/* Writes times.csv: one row per learner, with the mean over the seeds whose time is known. */
fcps_status fcps_times_write(const fcps_experiment *experiment, const char *directory, fcps_error *error);

#endif
