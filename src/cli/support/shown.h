/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed: texts of users, files and programs within a line, and JSON. */
#ifndef FCPS_CLI_SUPPORT_SHOWN_H
#define FCPS_CLI_SUPPORT_SHOWN_H

#include "format/json.h"

#include <stdio.h>

/* The text as a terminal may show it (format/text.h). It lives until the eighth call after this one. */
const char *cli_shown(const char *text);

/* The same as one word of a command that a shell reads. */
const char *cli_shown_word(const char *text);

/* For programs that read what a command prints, one value per line: prints `json` as a line and destroys it. NULL is a value that could not be built: there was no memory. */
fcps_status cli_print_json(FILE *stream, fcps_json *json, fcps_error *error);

#endif
