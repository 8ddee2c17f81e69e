/* SPDX-License-Identifier: Apache-2.0 */
/* The side of fcps in its conversation with a guardian: starting it, reading its reports, ordering it to end. Every
 * wait here has a limit. */
#include "run/program/guardian.h"

#include "base/memory.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* How much longer than its own limits the guardian may take to answer. If it takes longer, it does not run: it may have
 * been stopped. */
enum { SLACK_MS = 1000 };

static void close_channel(fcps_guardian *g)
{
  if (g->pid != 0 && g->channel >= 0) close(g->channel);
  g->channel = -1;
}

/* Opens the channel: channel[0] belongs to this process, and channel[1] to the guardian. Both numbers are above those
 * of the standard streams, which may be closed. */
static bool open_channel(int channel[2])
{
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return false;
  for (int i = 0; i < 2; i++) {
    channel[i] = fcntl(pair[i], F_DUPFD_CLOEXEC, 3);
    close(pair[i]);
  }
  if (channel[0] >= 0 && channel[1] >= 0) return true;
  for (int i = 0; i < 2; i++)
    if (channel[i] >= 0) close(channel[i]);
  return false;
}

bool fcps_guardian_start(fcps_guardian *g, const fcps_guardian_launch *launch)
{
  int channel[2];
  sigset_t all, before;
  if (!open_channel(channel)) return false;
  /* No signal handler of this process may run in the guardian, so the guardian blocks all signals. */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0) fcps_guardian_live(launch, channel[1], parent);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(channel[1]);
  if (pid < 0) {
    close(channel[0]);
    return false;
  }
  *g = (fcps_guardian){.pid = pid, .channel = channel[0]};
  return true;
}

static void take_report(fcps_guardian *g, const guardian_report *report)
{
  switch ((guardian_report_kind)report->kind) {
  case GUARDIAN_STARTED:
    g->program = (pid_t)report->value;
    break;
  case GUARDIAN_UNBORN:
    g->is_unborn = true;
    break;
  case GUARDIAN_ENDED:
    g->has_ended = true;
    g->how = report->value;
    break;
  case GUARDIAN_LEFT:
    if (g->left_count < FCPS_GUARDIAN_MOST_LEFT) g->left[g->left_count++] = (pid_t)report->value;
    break;
  case GUARDIAN_OVER:
    g->is_over = true;
    break;
  }
}

/* Cleans up after a guardian that has ended. If its last report is missing, the guardian was killed, and the program
 * was killed with it. The rest of the program's process group is then killed here. */
static void bury(fcps_guardian *g)
{
  close_channel(g);
  while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
    continue;
  if (g->is_over) return;
  g->is_lost = true;
  if (g->program > 0) kill(-g->program, SIGKILL);
}

void fcps_guardian_listen(fcps_guardian *g)
{
  while (g->pid != 0 && g->channel >= 0) {
    guardian_report report;
    const ssize_t count = recv(g->channel, &report, sizeof report, MSG_DONTWAIT);
    if (count == (ssize_t)sizeof report)
      take_report(g, &report);
    else if (count < 0 && errno == EINTR)
      continue;
    else if (count < 0 && errno == EAGAIN)
      return;
    else
      bury(g);
  }
}

void fcps_guardian_end(fcps_guardian *g, double patience_s)
{
  const guardian_order order = {(int32_t)(patience_s * 1000.0)};
  const int most_ms = order.patience_ms + GUARDIAN_KILL_AFTER_MS + GUARDIAN_NAME_AFTER_MS + SLACK_MS;
  const double limit = fcps_clock_seconds() + most_ms / 1000.0;
  fcps_guardian_listen(g);
  if (g->pid != 0 && g->channel >= 0) (void)!send(g->channel, &order, sizeof order, MSG_NOSIGNAL);
  while (g->pid != 0 && g->channel >= 0 && g->left_count == 0) {
    const double left = limit - fcps_clock_seconds();
    if (left <= 0.0) break;
    poll(&(struct pollfd){.fd = g->channel, .events = POLLIN}, 1, (int)(left * 1000.0) + 1);
    fcps_guardian_listen(g);
  }
  /* A guardian that does not answer cannot be relied on, so it is itself named as a process that is left. */
  if (g->pid != 0 && g->channel >= 0 && g->left_count == 0) g->left[g->left_count++] = g->pid;
}

bool fcps_guardian_has_left(fcps_guardian *g)
{
  fcps_guardian_listen(g);
  return g->pid != 0 && !g->is_over;
}

const char *fcps_guardian_left_text(const fcps_guardian *g, size_t size, char *text)
{
  int length = 0;
  text[0] = '\0';
  for (int i = 0; i < g->left_count && length >= 0 && (size_t)length < size; i++)
    length += snprintf(text + length, size - (size_t)length, "%s%ld", i > 0 ? ", " : "process ", (long)g->left[i]);
  return text;
}

void fcps_guardian_forget(fcps_guardian *g)
{
  fcps_guardian_listen(g);
  close_channel(g);
  *g = (fcps_guardian){.channel = -1};
}

/* -- Environment -- */

/* The environment is one block of memory: the pointers, and behind them the texts. */

extern char **environ;

enum { WORKER_SIZE = 32, MOST_ADDED = 2 };

/* Python buffers what it prints to a pipe. Without this variable a program that forgets to flush would seem to hang. */
static const char unbuffered[] = "PYTHONUNBUFFERED=1";

/* Whether a variable NAME=VALUE has the same name as `setting`. */
static bool is_of(const char *variable, const char *setting)
{
  const size_t length = strcspn(setting, "=") + 1;
  return strncmp(variable, setting, length) == 0;
}

static bool is_set(const char *setting)
{
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++)
    if (is_of(*variable, setting)) return true;
  return false;
}

char **fcps_program_environment(int worker)
{
  char number[WORKER_SIZE];
  const char *added[MOST_ADDED] = {number,
                                   /* If the user has set the variable, that value stays. */
                                   is_set(unbuffered) ? NULL : unbuffered};
  size_t count = 0, bytes = sizeof number + sizeof unbuffered;
  snprintf(number, sizeof number, FCPS_PROGRAM_WORKER "=%d", worker);
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
    count++;
    bytes += strlen(*variable) + 1;
  }
  char **block = fcps_allocate((count + MOST_ADDED + 1) * sizeof *block + bytes, 1), **place = block;
  if (block == NULL) return NULL;
  char *text = (char *)(block + count + MOST_ADDED + 1);
  for (int i = 0; i < MOST_ADDED; i++) {
    if (added[i] == NULL) continue;
    const size_t size = strlen(added[i]) + 1;
    *place++ = memcpy(text, added[i], size);
    text += size;
  }
  for (char **variable = environ; variable != NULL && *variable != NULL; variable++) {
    if (is_of(*variable, number)) continue;
    const size_t size = strlen(*variable) + 1;
    *place++ = memcpy(text, *variable, size);
    text += size;
  }
  return block; /* The block was zeroed, so the list ends with NULL. */
}
