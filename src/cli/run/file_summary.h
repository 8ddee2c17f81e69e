/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a run of a problem file: what was learnt, the figure, and the commands that come next. */
#ifndef FCPS_CLI_RUN_FILE_SUMMARY_H
#define FCPS_CLI_RUN_FILE_SUMMARY_H

#include "cli/run/options.h"

/* The study beside a problem file: NAME.fcps for NAME.yaml. */
fcps_status cli_run_file_store(const char *path, char store[CLI_RUN_PATH], fcps_error *error);

/* Prints the summary and draws the figure, NAME-figure.svg and .png beside the study, or beside the problem
 * file where the study is in a database. */
fcps_status cli_run_file_summary(const cli_run_command *command, fcps_study *study, fcps_error *error);

#endif
