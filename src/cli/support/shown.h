/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed: texts of users, files and programs within a line, and JSON. */
#ifndef FCPS_CLI_SUPPORT_SHOWN_H
#define FCPS_CLI_SUPPORT_SHOWN_H

#include "format/json.h"

#include <fcps/base.h>
#include <stdio.h>

/* The text as a terminal may show it (format/text.h). It lives until the eighth call after this one. */
const char *cli_shown(const char *text);

/* The same as one word of a command that a shell reads. */
const char *cli_shown_word(const char *text);

/* For programs that read what a command prints, one value per line: prints `json` as a line and destroys it. NULL is a
 * value that could not be built: there was no memory. */
fcps_status cli_print_json(FILE *stream, fcps_json *json, fcps_error *error);

/* Where a table goes that has the exact text of users: stdout, or memory if that is a terminal. Finishing then shows it
 * there, with what a terminal would obey made visible. */
typedef struct cli_shown_output {
  FILE *stream; /* NULL: there is no memory */
  char *text;
  size_t length;
} cli_shown_output;
void cli_shown_output_open(cli_shown_output *output);
fcps_status cli_shown_output_finish(cli_shown_output *output, fcps_status status, fcps_error *error);

/* Writes a text, which ends with a 0, to stdout: exact or as above. In a table, quotes hold a line end. */
void cli_shown_print(const char *text, size_t length, bool is_table);

#endif
