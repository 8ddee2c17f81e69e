/* SPDX-License-Identifier: Apache-2.0 */
/* The commands behind `fcps study`. Each opens its study, does one thing and closes it. */
#ifndef FCPS_CLI_STUDY_SUBCOMMANDS_H
#define FCPS_CLI_STUDY_SUBCOMMANDS_H

#include "cli/support/commands.h"

cli_command_fn cli_study_new, cli_study_ask, cli_study_choose, cli_study_tell, cli_study_forget, cli_study_best,
    cli_study_status, cli_study_log, cli_study_export, cli_study_import, cli_study_amend, cli_study_backup,
    cli_study_restore, cli_study_copy, cli_study_repair, cli_study_check_model, cli_study_report;

#endif
