/* SPDX-License-Identifier: Apache-2.0 */
/* JSON for programs that read what a command prints: one value per line. */
#ifndef FCPS_CLI_SUPPORT_PRINT_JSON_H
#define FCPS_CLI_SUPPORT_PRINT_JSON_H

#include "format/json.h"

#include <stdio.h>

/* Prints `json` as a line and destroys it. NULL is a value that could not be built: there was no memory. */
fcps_status cli_print_json(FILE *stream, fcps_json *json, fcps_error *error);

#endif
