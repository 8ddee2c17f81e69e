/* SPDX-License-Identifier: Apache-2.0 */
/* Results that wait on disk, of a study in a file or behind a server. */
#ifndef FCPS_CLI_SUPPORT_KEPT_H
#define FCPS_CLI_SUPPORT_KEPT_H

#include <fcps/run.h>

/* Lets fcps_run_kept_count of a study that was opened from `path` count those of the served study, where it is a copy of one. */
fcps_status cli_kept_find(fcps_study *study, const char *path, fcps_error *error);

/* How many wait for it on this machine in all. */
int cli_kept_count(const fcps_study *study, const char *path);

/* fcps_run_tell_kept to the study at `path`. */
fcps_status cli_kept_tell(fcps_study *study, const char *path, const fcps_run_patience *patience, int *stored,
                          fcps_error *error);

/* Also those that workers of this machine kept for it while a server had it; *stored is increased. */
fcps_status cli_kept_tell_apart(fcps_study *study, const char *path, const fcps_run_patience *patience, int *stored,
                                fcps_error *error);

#endif
