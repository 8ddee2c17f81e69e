/* SPDX-License-Identifier: Apache-2.0 */
/* The progress of a run on stderr: one live line on a terminal, a plain line every few seconds elsewhere. */
#ifndef FCPS_CLI_SUPPORT_PROGRESS_H
#define FCPS_CLI_SUPPORT_PROGRESS_H

#include <fcps/run.h>

typedef struct cli_progress {
  bool is_quiet, is_terminal;
  int64_t episodes; /* the number of episodes in all */
  int64_t count;    /* the number of episodes so far, and the sum of their rewards */
  double sum, best;
  int64_t failed;
  double offline;         /* offline mean reward; NaN before the first evaluation */
  double pace;            /* average time of an episode in seconds, in which recent episodes count more */
  double asking, running; /* total time in ask and in rollouts, in seconds */
  double start, last_episode, last_line;
} cli_progress;

void cli_progress_begin(cli_progress *progress, int64_t episodes, bool is_quiet);
void cli_progress_episode(cli_progress *progress, const fcps_episode *episode);
void cli_progress_offline(cli_progress *progress, const fcps_offline *offline);

/* Writes a duration as "41 s", "3 min 20 s" or "2 h 5 min". Returns `text`. */
char *cli_progress_duration(double seconds, size_t size, char *text);

/* Removes the live line, so that something else can be printed. */
void cli_progress_clear(const cli_progress *progress);

/* Prints how long the episodes took. */
void cli_progress_end(cli_progress *progress);

/* -- Waiting: the remaining time, on stderr, of a command that takes more than two seconds: one live line on a
 * terminal, a plain line every few seconds elsewhere -- */

typedef struct cli_waiting {
  const char *what; /* what the user waits for, such as "contexts"; borrowed */
  int total;
  bool is_terminal, has_line;
  double start, last_line;
} cli_waiting;

void cli_waiting_begin(cli_waiting *waiting, const char *what, int total);

/* Shows that `done` of the items are done. */
void cli_waiting_at(cli_waiting *waiting, int done);

/* Removes the live line. */
void cli_waiting_end(cli_waiting *waiting);

#endif
