/* SPDX-License-Identifier: Apache-2.0 */
/* An ask as text for people and as JSON for programs. */
#ifndef FCPS_CLI_STUDY_PRINT_ASK_H
#define FCPS_CLI_STUDY_PRINT_ASK_H

#include "format/json.h"

#include <fcps/study.h>

/* Prints its number, its context and its parameters, a line each. */
void cli_ask_print(const fcps_problem *problem, const fcps_ask *ask);

/* The same as an object, with whether it is repeated; NULL where there is no memory. */
fcps_json *cli_ask_json(const fcps_problem *problem, const fcps_ask *ask);

#endif
