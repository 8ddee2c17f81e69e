/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a served study that wait on this machine: what a worker could not tell its server is in the user's folder
 * (store/store.h, fcps_store_state_path). */
#ifndef FCPS_DOOR_CLIENT_KEPT_H
#define FCPS_DOOR_CLIENT_KEPT_H

#include <fcps/run.h>

/* Lets a copy of the study at `url` stand in for it, so that fcps_run_kept_count counts what waits for it here. */
fcps_status fcps_client_find_kept(fcps_study *copy, const char *url, fcps_error *error);

/* fcps_run_tell_kept to the server. */
fcps_status fcps_client_tell_kept(fcps_study *copy, const char *url, const char *token,
                                  const fcps_run_patience *patience, int *stored, fcps_error *error);

/* The other way round, for a study that this process has opened itself: how many results clients of this machine kept for it while a
 * server had it, and their telling to the study. */
int fcps_client_count_kept(const fcps_study *study);
fcps_status fcps_client_tell_kept_to(fcps_study *study, const fcps_run_patience *patience, int *stored,
                                     fcps_error *error);

#endif
