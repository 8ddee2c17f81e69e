/* SPDX-License-Identifier: Apache-2.0 */
/* Shows progress on stderr. All times are printed there, so stdout is the same for every run. The remaining time
 * follows from a moving average, because asks become slower as a study grows. */
#include "cli/support/progress.h"

#include "base/number.h"
#include "base/process.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

/* The pause between two lines, in seconds: a terminal's line must not flicker, and a log must stay short. */
static const double terminal_pause = 0.05, log_pause = 5.0;

/* The weight of the newest episode in the average time of an episode. */
static const double newest = 0.1;

void cli_progress_begin(cli_progress *progress, int64_t episodes, bool is_quiet)
{
  const double now = fcps_clock_seconds();
  *progress = (cli_progress){.is_quiet = is_quiet,
                             .is_terminal = isatty(STDERR_FILENO) == 1,
                             .episodes = episodes,
                             .best = NAN,
                             .offline = NAN,
                             .start = now,
                             .last_episode = now,
                             .last_line = now};
}

char *cli_progress_duration(double seconds, size_t size, char *text)
{
  const long whole = lround(seconds);
  if (whole < 60)
    snprintf(text, size, "%ld s", whole);
  else if (whole < 3600)
    snprintf(text, size, "%ld min %ld s", whole / 60, whole % 60);
  else
    snprintf(text, size, "%ld h %ld min", whole / 3600, whole % 3600 / 60);
  return text;
}

static void show(const cli_progress *progress, const fcps_episode *episode)
{
  char left[32], offline[32] = "", failed[32] = "";
  if (!isnan(progress->offline)) snprintf(offline, sizeof offline, "   offline %.2f", progress->offline);
  if (progress->failed > 0) snprintf(failed, sizeof failed, "   %lld failed", (long long)progress->failed);
  fprintf(stderr, "%sepisode %lld/%lld   reward %.4g   mean %.4g   best %.4g%s%s   %s left%s",
          progress->is_terminal ? "\r" : "", (long long)episode->done, (long long)progress->episodes,
          episode->stored.result.rollout.reward, progress->sum / (double)progress->count, progress->best, offline,
          failed,
          cli_progress_duration(progress->pace * (double)(progress->episodes - episode->done), sizeof left, left),
          progress->is_terminal ? "\033[K" : "\n");
  fflush(stderr);
}

void cli_progress_episode(cli_progress *progress, const fcps_episode *episode)
{
  const double now = fcps_clock_seconds(), seconds = now - progress->last_episode;
  progress->last_episode = now;
  progress->pace = progress->count == 0 ? seconds : (1.0 - newest) * progress->pace + newest * seconds;
  progress->count++;
  const double reward = episode->stored.result.rollout.reward;
  progress->sum += isnan(reward) ? 0.0 : reward;
  progress->best = fmax(progress->best, reward); /* fmax skips NaN. */
  progress->failed += episode->stored.result.rollout.status != FCPS_ROLLOUT_OK;
  progress->asking += episode->ask_seconds;
  progress->running += episode->run_seconds;

  const double pause = progress->is_terminal ? terminal_pause : log_pause;
  if (progress->is_quiet || now - progress->last_line < pause) return;
  progress->last_line = now;
  show(progress, episode);
}

void cli_progress_offline(cli_progress *progress, const fcps_offline *offline)
{
  progress->offline = offline->mean;
}

void cli_progress_clear(const cli_progress *progress)
{
  if (!progress->is_quiet && progress->is_terminal) fputs("\r\033[K", stderr);
}

void cli_progress_end(cli_progress *progress)
{
  cli_progress_clear(progress);
  if (progress->is_quiet || progress->count == 0) return;
  const double count = (double)progress->count;
  char all[FCPS_NUMBER_SIZE], asking[FCPS_NUMBER_SIZE], running[FCPS_NUMBER_SIZE];
  fprintf(stderr, "%lld episode%s in %s s; on average an ask took %s ms and a rollout %s ms\n",
          (long long)progress->count, progress->count == 1 ? "" : "s",
          fcps_number_show(fcps_clock_seconds() - progress->start, all),
          fcps_number_show(1e3 * progress->asking / count, asking),
          fcps_number_show(1e3 * progress->running / count, running));
}

/* -- Waiting -- */

/* Progress of a computation that the user waits for. Nothing is shown for the first two seconds. The remaining time
 * assumes that all items take equally long. */

/* The time in seconds before the first line. */
static const double patience = 2.0;

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
