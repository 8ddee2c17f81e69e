/* SPDX-License-Identifier: Apache-2.0 */
/* The time that is left, on stderr, where a command keeps people waiting for more than two seconds: one live line on a
 * terminal, a plain line every few seconds elsewhere. */
#ifndef FCPS_CLI_SUPPORT_WAITING_H
#define FCPS_CLI_SUPPORT_WAITING_H

#include <stdbool.h>

typedef struct cli_waiting {
  const char *what; /* "contexts"; borrowed */
  int total;
  bool is_terminal, has_line;
  double start, last_line;
} cli_waiting;

void cli_waiting_begin(cli_waiting *waiting, const char *what, int total);

/* `done` of them are done now. */
void cli_waiting_at(cli_waiting *waiting, int done);

/* Removes the live line. */
void cli_waiting_end(cli_waiting *waiting);

#endif
