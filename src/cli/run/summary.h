/* SPDX-License-Identifier: Apache-2.0 */
/* What a run prints of its episodes and trials. */
#ifndef FCPS_CLI_RUN_SUMMARY_H
#define FCPS_CLI_RUN_SUMMARY_H

#include "cli/run/options.h"

/* Prints on stderr how the trials of the study ended, how many of them are episodes where that is another number, and
 * which failures are taken for an outage. Where a summary follows, the trials are counted there. */
void cli_run_summary_count(const cli_run_command *command, fcps_study *study, bool has_summary);

/* Prints on stderr, after --until-converged, whether that ended the run, and if not, what stands against it. */
void cli_run_summary_converged(const cli_run_command *command, const fcps_study *study, const fcps_outlook *outlook);

/* One episode as a line of JSON. */
fcps_status cli_run_summary_episode(const fcps_problem *problem, const fcps_episode *episode, fcps_error *error);

#endif
