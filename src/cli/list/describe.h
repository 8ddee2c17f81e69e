/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces and settings, for people and for programs: what the listings show of a task or a learner. */
#ifndef FCPS_CLI_LIST_DESCRIBE_H
#define FCPS_CLI_LIST_DESCRIBE_H

#include "format/json.h"

#include <fcps/fcps.h>

/* Prints a space under its label; nothing where it is empty. */
void cli_describe_space(const char *label, const fcps_space *space);

/* Prints a table of settings. `defaults` (may be NULL) are values that differ from the table's. */
void cli_describe_settings(const char *option, const fcps_setting_table *table, const fcps_setting *defaults);

/* The same as JSON; NULL when there is no memory. */
fcps_json *cli_describe_space_json(const fcps_space *space);
fcps_json *cli_describe_settings_json(const fcps_setting_table *table, const fcps_setting *defaults);

#endif
