/* SPDX-License-Identifier: Apache-2.0 */
/* Results that wait on disk until they are stored, and the waiting itself. */
#ifndef FCPS_RUN_KEPT_H
#define FCPS_RUN_KEPT_H

#include <fcps/run.h>

enum { FCPS_RUN_KEPT_PATH = 4096 };

/* A result with the numbers of its ask as a line of JSON, freed with fcps_free; NULL without memory. */
char *fcps_run_kept_text(const fcps_study *study, int64_t id, const fcps_result *result);

/* Writes a result to a new file beside the study, synced, and its name to `path`, of FCPS_RUN_KEPT_PATH bytes. Fails
 * with FCPS_ERR_UNSUPPORTED where nothing can be kept beside the study. */
fcps_status fcps_run_keep(const fcps_study *study, int64_t ask, const fcps_result *result, char *path,
                          fcps_error *error);

/* Sleeps for *pause seconds, which then double up to a limit; false as soon as the caller wants to stop. */
bool fcps_run_pause(const fcps_run_patience *patience, double *pause);

#endif
