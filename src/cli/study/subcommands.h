/* SPDX-License-Identifier: Apache-2.0 */
/* The commands behind `fcps study`. Each opens its study, does one thing and closes it. */
#ifndef FCPS_CLI_STUDY_SUBCOMMANDS_H
#define FCPS_CLI_STUDY_SUBCOMMANDS_H

#include "cli/support/commands.h"

fcps_command_fn fcps_study_command_new, fcps_study_command_ask, fcps_study_command_choose, fcps_study_command_tell,
    fcps_study_command_forget, fcps_study_command_best, fcps_study_command_status, fcps_study_command_log,
    fcps_study_command_export, fcps_study_command_import, fcps_study_command_amend, fcps_study_command_repair;

#endif
