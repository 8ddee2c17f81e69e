/* SPDX-License-Identifier: Apache-2.0 */
/* Printing: texts of users, files and programs within a line, and JSON. */
#ifndef FCPS_CLI_SUPPORT_SHOWN_H
#define FCPS_CLI_SUPPORT_SHOWN_H

#include "format/json.h"

#include <fcps/base.h>
#include <stdio.h>

/* The text in a form that is safe for a terminal (format/text.h). It lives until the eighth call after this one. */
const char *cli_shown(const char *text);

/* The same, quoted as one word of a shell command. */
const char *cli_shown_word(const char *text);

/* Prints `json` as one line, for programs that read the output, and destroys it. NULL stands for a value that could
 * not be made because memory ran out. */
fcps_status cli_print_json(FILE *stream, fcps_json *json, fcps_error *error);

/* The output of a table with the exact texts of users: stdout, or memory if stdout is a terminal. Then
 * cli_shown_output_finish prints it with control characters made visible. */
typedef struct cli_shown_output {
  FILE *stream; /* NULL: memory ran out */
  char *text;
  size_t length;
} cli_shown_output;
void cli_shown_output_open(cli_shown_output *output);
fcps_status cli_shown_output_finish(cli_shown_output *output, fcps_status status, fcps_error *error);

/* Writes a zero-terminated text to stdout: unchanged, or, on a terminal, with control characters made visible. In a
 * table, a line end between quotes belongs to its cell and is made visible too. */
void cli_shown_print(const char *text, size_t length, bool is_table);

#endif
