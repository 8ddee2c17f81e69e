/* SPDX-License-Identifier: Apache-2.0 */
/* Each ask knows those before it, so asks become slower: the time that is left follows from the latest ones. */
#include "cli/study/study.h"

#include "base/clock.h"
#include "cli/support/log.h"
#include "cli/support/progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* As in the progress of a run: seconds between lines, and the weight of the newest ask in the pace. */
static const double terminal_pause = 0.05, log_pause = 5.0, newest = 0.1;

static struct {
  int count, made;
  bool is_terminal;
  double pace, last_ask, last_line;
} asking;

static void hear(const char *code)
{
  if (strcmp(code, "I_ASKED") != 0) return;
  const double now = fcps_clock_seconds(), seconds = now - asking.last_ask;
  char left[32];
  asking.pace = asking.made == 0 ? seconds : (1.0 - newest) * asking.pace + newest * seconds;
  asking.last_ask = now;
  asking.made++;
  if (now - asking.last_line < (asking.is_terminal ? terminal_pause : log_pause)) return;
  asking.last_line = now;
  fprintf(stderr, "%sask %d/%d   %s left%s", asking.is_terminal ? "\r" : "", asking.made, asking.count,
          cli_progress_duration(asking.pace * (asking.count - asking.made), sizeof left, left),
          asking.is_terminal ? "\033[K" : "\n");
  fflush(stderr);
}

void cli_ask_progress_begin(int count)
{
  const double now = fcps_clock_seconds();
  asking.count = count;
  asking.made = 0;
  asking.is_terminal = isatty(STDERR_FILENO) == 1;
  asking.last_ask = asking.last_line = now;
  cli_log_listen(hear);
}

void cli_ask_progress_end(void)
{
  cli_log_listen(NULL);
  if (asking.is_terminal) fputs("\r\033[K", stderr);
}
