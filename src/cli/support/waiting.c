/* SPDX-License-Identifier: Apache-2.0 */
/* What takes less than two seconds says nothing. The time that is left supposes that the rest goes on at the same pace. */
#include "cli/support/waiting.h"

#include "base/clock.h"
#include "cli/support/progress.h"

#include <stdio.h>
#include <unistd.h>

/* Seconds of silence at the beginning, and between lines that stay. */
static const double patience = 2.0, log_pause = 5.0;

void cli_waiting_begin(cli_waiting *waiting, const char *what, int total)
{
  const double now = fcps_clock_seconds();
  *waiting = (cli_waiting){.what = what,
                           .total = total,
                           .is_terminal = isatty(STDERR_FILENO) == 1,
                           .start = now,
                           .last_line = now + patience - log_pause};
}

void cli_waiting_at(cli_waiting *waiting, int done)
{
  const double now = fcps_clock_seconds(), gone = now - waiting->start;
  char left[32];
  if (done >= waiting->total || gone < patience) return;
  if (!waiting->is_terminal && now - waiting->last_line < log_pause) return;
  waiting->last_line = now;
  waiting->has_line = waiting->is_terminal;
  cli_progress_duration(gone / done * (waiting->total - done), sizeof left, left);
  fprintf(stderr, "%s%s %d/%d   %s left%s", waiting->is_terminal ? "\r" : "", waiting->what, done, waiting->total, left,
          waiting->is_terminal ? "\033[K" : "\n");
  fflush(stderr);
}

void cli_waiting_end(cli_waiting *waiting)
{
  if (waiting->has_line) fputs("\r\033[K", stderr);
  waiting->has_line = false;
}
