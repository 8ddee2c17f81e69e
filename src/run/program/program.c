/* SPDX-License-Identifier: Apache-2.0 */
/* Starts and ends an external program, and exchanges lines with it. */
#include "run/program/program.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/process.h"
#include "run/program/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE_LIMIT = 1 << 20, KEPT_OUTPUT = 4096, POLL_MS = 50 };

struct fcps_program {
  const char *const *command;
  const char *folder;
  char **environment; /* NULL: the environment of this process */
  int hold, guarded;  /* descriptors, as in fcps_program_options */
  bool is_running;
  int starts;
  /* guardian of the running program, or of the last one as long as some of its processes are left */
  fcps_guardian guardian;
  int input, output, errors; /* this side's ends of the program's pipes; -1: closed */
  char *request;             /* the line that is being sent */
  size_t request_capacity;
  char *line; /* what came since the last line was complete */
  size_t length, capacity, consumed;
  size_t early;          /* bytes of `line` before this index came before the program read the request */
  size_t request_length; /* length of the last request */
  size_t overheard;      /* bytes that came since then and were read without a request */
  bool is_early;         /* whether the line that was handed out last came before the request was read */
  bool has_talked;       /* since the last request, lines came that are not answers */
  char kept[KEPT_OUTPUT + 1];
  size_t kept_length;
  char fate[200], left[100];
};

fcps_status fcps_program_create(fcps_program **program, const char *const *command, const char *folder,
                                const fcps_program_options *options, fcps_error *error)
{
  fcps_program *p = *program = fcps_allocate(1, sizeof *p);
  if (p == NULL) return fcps_error_memory(error);
  p->command = command;
  p->folder = folder != NULL && *folder ? folder : NULL;
  p->hold = options->hold;
  p->guarded = options->guarded;
  p->input = p->output = p->errors = p->guardian.channel = -1;
  if (options->worker > 0) p->environment = fcps_program_environment(options->worker);
  return options->worker > 0 && p->environment == NULL ? fcps_error_memory(error) : FCPS_OK;
}

int fcps_program_starts(const fcps_program *p)
{
  return p->starts;
}

const char *fcps_program_fate(const fcps_program *p)
{
  return p->fate;
}

const char *fcps_program_left(fcps_program *p)
{
  p->left[0] = '\0';
  if (!p->is_running && fcps_guardian_has_left(&p->guardian) && !p->guardian.is_lost)
    fcps_guardian_left_text(&p->guardian, sizeof p->left, p->left);
  return p->left;
}

const char *fcps_program_output(const fcps_program *p)
{
  return p->kept;
}

bool fcps_program_has_talked(const fcps_program *p)
{
  return p->has_talked;
}

/* Keeps the end of what the program printed. */
static void keep(fcps_program *p, const char *bytes, size_t length)
{
  if (length > KEPT_OUTPUT) {
    bytes += length - KEPT_OUTPUT;
    length = KEPT_OUTPUT;
  }
  const size_t room = KEPT_OUTPUT - length, old = p->kept_length < room ? p->kept_length : room;
  memmove(p->kept, p->kept + p->kept_length - old, old);
  memcpy(p->kept + old, bytes, length);
  p->kept_length = old + length;
  /* A zero byte would hide what comes after it. */
  for (size_t i = old; i < p->kept_length; i++)
    if (p->kept[i] == '\0') p->kept[i] = '?';
  p->kept[p->kept_length] = '\0';
}

static void close_end(int *end)
{
  if (*end >= 0) close(*end);
  *end = -1;
}

/* Moves the end of a pipe to a number above those of the standard streams, which may be closed. Returns -1 if that
 * fails. */
static int settle_end(int end, bool is_nonblocking)
{
  const int file = end > 2 ? end : fcntl(end, F_DUPFD, 3);
  if (file != end) close(end);
  if (file < 0) return -1;
  fcntl(file, F_SETFD, FD_CLOEXEC);
  if (is_nonblocking) fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
  return file;
}

/* Makes three pipes: [0] leads to the program's stdin, [1] comes from its stdout, [2] from its stderr. */
static bool make_pipes(int pipes[3][2])
{
  bool is_made = true;
  for (int i = 0; i < 3; i++)
    pipes[i][0] = pipes[i][1] = -1;
  for (int i = 0; i < 3 && is_made; i++) {
    is_made = pipe(pipes[i]) == 0;
    for (int end = 0; end < 2 && is_made; end++)
      pipes[i][end] = settle_end(pipes[i][end], end == (i == 0 ? 1 : 0));
    is_made = is_made && pipes[i][0] >= 0 && pipes[i][1] >= 0;
  }
  for (int i = 0; i < 3 && !is_made; i++) {
    close_end(&pipes[i][0]);
    close_end(&pipes[i][1]);
  }
  return is_made;
}

static bool start(fcps_program *p)
{
  int pipes[3][2];
  if (!make_pipes(pipes)) return false;
  const fcps_guardian_launch launch = {.command = p->command,
                                       .folder = p->folder,
                                       .environment = p->environment,
                                       .ends = {pipes[0][0], pipes[1][1], pipes[2][1]},
                                       .hold = p->hold,
                                       .kept = p->guarded};
  p->is_running = fcps_guardian_start(&p->guardian, &launch);
  p->starts++;
  close(pipes[0][0]);
  close(pipes[1][1]);
  close(pipes[2][1]);
  p->input = pipes[0][1];
  p->output = pipes[1][0];
  p->errors = pipes[2][0];
  if (!p->is_running) {
    close_end(&p->input);
    close_end(&p->output);
    close_end(&p->errors);
    return false;
  }
  p->length = p->consumed = p->early = p->kept_length = 0;
  p->kept[0] = p->fate[0] = '\0';
  return true;
}

static bool has_ended(fcps_program *p)
{
  fcps_guardian_listen(&p->guardian);
  return p->guardian.has_ended || p->guardian.is_over || p->guardian.is_lost;
}

/* Describes how the program ended. */
static void describe_end(fcps_program *p)
{
  const fcps_guardian *g = &p->guardian;
  char left[100];
  int length = 0;
  if (g->is_unborn)
    snprintf(p->fate, sizeof p->fate, "there is no memory or process for it");
  else if (g->is_lost)
    snprintf(p->fate, sizeof p->fate, "its guardian, process %ld, was killed", (long)g->pid);
  else if (g->has_ended && WIFSIGNALED(g->how))
    length = snprintf(p->fate, sizeof p->fate, "signal %d", WTERMSIG(g->how));
  else if (g->has_ended)
    length = snprintf(p->fate, sizeof p->fate, "exit code %d", WEXITSTATUS(g->how));
  if (g->left_count > 0)
    snprintf(p->fate + length, sizeof p->fate - (size_t)length, "%s%s could not be ended and still runs",
             length > 0 ? "; " : "", fcps_guardian_left_text(g, sizeof left, left));
}

void fcps_program_end_now(fcps_program *p, double patience)
{
  if (!p->is_running) return;
  close_end(&p->input);
  fcps_guardian_end(&p->guardian, patience);
  describe_end(p);
  p->is_running = false;
  close_end(&p->output);
  close_end(&p->errors);
}

void fcps_program_destroy(fcps_program *p)
{
  if (p == NULL) return;
  fcps_program_end_now(p, FCPS_PROGRAM_PATIENCE_S);
  fcps_guardian_forget(&p->guardian);
  free(p->environment);
  free(p->request);
  free(p->line);
  free(p);
}

/* Writes without raising SIGPIPE in our process: the thread blocks the signal and, if it came, removes it. */
static ssize_t write_quietly(int file, const char *bytes, size_t length)
{
  sigset_t pipe_signal, before, pending;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const ssize_t written = write(file, bytes, length);
  const int reason = errno;
  if (written < 0 && reason == EPIPE && !was_pending) sigtimedwait(&pipe_signal, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = reason;
  return written;
}

/* The state of one exchange. */
typedef struct exchange {
  const char *rest; /* the part of the request that is still to be written */
  size_t rest_length;
  double deadline;
  fcps_program_stop_fn *stop;
  void *user;
  bool is_stopping; /* the program was asked to end; an answer in its last moments still counts */
} exchange;

/* Reads what the program has printed on stderr. Returns false at the end of the stream. */
static bool take_errors(fcps_program *p)
{
  char bytes[4096];
  const ssize_t count = read(p->errors, bytes, sizeof bytes);
  if (count > 0) keep(p, bytes, (size_t)count);
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Whether the program has read any part of the last request, so that part of it has left the pipe. */
static bool is_request_read(const fcps_program *p, const exchange *x)
{
  int unread = 0;
  if (x->rest_length > 0) return false;
  return p->input < 0 || ioctl(p->input, FIONREAD, &unread) != 0 || (size_t)unread < p->request_length;
}

static bool take_output(fcps_program *p, const exchange *x)
{
  /* Remove the line that was handed out. */
  if (p->consumed) {
    memmove(p->line, p->line + p->consumed, p->length - p->consumed);
    p->length -= p->consumed;
    p->early = p->early > p->consumed ? p->early - p->consumed : 0;
    p->consumed = 0;
  }
  void *items = p->line;
  if (!fcps_reserve(&items, &p->capacity, p->length + 4097, 1)) return false;
  p->line = items;
  const ssize_t count = read(p->output, p->line + p->length, 4096);
  if (count > 0) p->length += (size_t)count;
  if (count > 0 && !is_request_read(p, x)) p->early = p->length;
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

/* Takes the next line that may be an answer. Other lines are kept as output. */
static bool next_line(fcps_program *p, const char **answer)
{
  while (p->consumed < p->length) {
    char *begin = p->line + p->consumed, *end = memchr(begin, '\n', p->length - p->consumed);
    if (end == NULL) return false;
    p->consumed += (size_t)(end - begin) + 1;
    *end = '\0';
    if (end > begin && end[-1] == '\r') end[-1] = '\0';
    if (*begin == '{') {
      p->is_early = (size_t)(begin - p->line) < p->early;
      *answer = begin;
      return true;
    }
    p->has_talked |= *begin != '\0';
    keep(p, begin, strlen(begin));
    keep(p, "\n", 1);
  }
  return false;
}

static void send_some(fcps_program *p, exchange *x)
{
  const ssize_t count = write_quietly(p->input, x->rest, x->rest_length);
  if (count > 0) {
    x->rest += count;
    x->rest_length -= (size_t)count;
  } else if (count < 0 && errno != EAGAIN && errno != EINTR) {
    x->rest_length = 0; /* The program does not read its input. Why, its output will tell. */
  }
}

/* Waits for an event on the pipes, and handles it. Returns false when the program's output has ended. */
static bool step(fcps_program *p, exchange *x, int wait_ms)
{
  struct pollfd ends[4] = {{.fd = p->output, .events = POLLIN},
                           {.fd = p->errors, .events = POLLIN},
                           {.fd = x->rest_length ? p->input : -1, .events = POLLOUT},
                           {.fd = p->guardian.channel, .events = POLLIN}}; /* The end of the program ends the wait. */
  if (poll(ends, 4, wait_ms) <= 0) return true;
  if (ends[2].revents) send_some(p, x);
  if (ends[1].revents && !take_errors(p)) close_end(&p->errors);
  return !ends[0].revents || take_output(p, x);
}

/* Ends the program's input, which asks the program to end, and gives it a moment to answer the request. */
static void begin_to_stop(fcps_program *p, exchange *x)
{
  close_end(&p->input);
  x->is_stopping = true;
  x->deadline = fmin(x->deadline, fcps_clock_seconds() + FCPS_PROGRAM_PATIENCE_S);
}

static fcps_program_end converse(fcps_program *p, exchange *x, const char **answer)
{
  bool is_silent = false; /* the program has ended, and all its output has been read */
  for (;;) {
    /* Output from before the request cannot answer it. */
    if (x->rest_length == 0 && next_line(p, answer)) return FCPS_PROGRAM_ANSWERED;
    if (p->length - p->consumed > LINE_LIMIT) return FCPS_PROGRAM_GARBLED;
    if (!x->is_stopping && x->stop != NULL && x->stop(x->user)) {
      if (x->rest_length > 0) return FCPS_PROGRAM_STOPPED;
      begin_to_stop(p, x);
    }
    const double left = x->deadline - fcps_clock_seconds();
    if (left <= 0.0) return x->is_stopping ? FCPS_PROGRAM_STOPPED : FCPS_PROGRAM_TIMEOUT;
    if (is_silent) return x->is_stopping ? FCPS_PROGRAM_STOPPED : FCPS_PROGRAM_CRASHED;
    const size_t before = p->length - p->consumed;
    const bool ended = has_ended(p);
    if (!step(p, x, left * 1000.0 < POLL_MS ? (int)(left * 1000.0) + 1 : POLL_MS)) is_silent = true;
    /* A process that the program started may hold the pipe open, so the end of the program itself counts. */
    if (ended && p->length - p->consumed == before) is_silent = true;
  }
}

/* Keeps the output that is left in the pipes, because it may explain why the program ended. */
static void drain(fcps_program *p)
{
  char bytes[4096];
  ssize_t count = 1;
  for (int i = 0; i < 64 && p->errors >= 0 && count > 0; i++)
    if ((count = read(p->errors, bytes, sizeof bytes)) > 0) keep(p, bytes, (size_t)count);
  if (p->length > p->consumed) keep(p, p->line + p->consumed, p->length - p->consumed);
}

/* Ends a program that did not answer. A program that is stopped by the user gets time to stop moving, unless it already
 * had it. */
static fcps_program_end give_up(fcps_program *p, const exchange *x, fcps_program_end end)
{
  drain(p);
  fcps_program_end_now(p, end == FCPS_PROGRAM_STOPPED && !x->is_stopping ? FCPS_PROGRAM_PATIENCE_S : 0.0);
  return p->guardian.is_lost && end != FCPS_PROGRAM_STOPPED ? FCPS_PROGRAM_UNGUARDED : end;
}

fcps_program_end fcps_program_await(fcps_program *p, double deadline, fcps_program_stop_fn *stop, void *user,
                                    const char **answer)
{
  exchange x = {"", 0, deadline, stop, user, false};
  *answer = NULL;
  if (!p->is_running) return FCPS_PROGRAM_CRASHED;
  const fcps_program_end end = converse(p, &x, answer);
  return end == FCPS_PROGRAM_ANSWERED ? end : give_up(p, &x, end);
}

bool fcps_program_overhear(fcps_program *p, const char **line)
{
  const exchange none = {.rest = "", .rest_length = 1}; /* There is no request. */
  *line = NULL;
  if (!p->is_running || p->output < 0) return false;
  while (!next_line(p, line)) {
    const size_t before = p->length - p->consumed;
    /* A pipe never holds more than LINE_LIMIT bytes. If more came, the program goes on writing while it is read. */
    if (p->overheard > LINE_LIMIT || !take_output(p, &none) || p->length - p->consumed == before) return false;
    p->overheard += p->length - p->consumed - before;
  }
  return true;
}

bool fcps_program_is_early(const fcps_program *p)
{
  return p->is_early;
}

/* Whether the child process ended before it could become the program. If so, notes why. */
static bool was_never_there(fcps_program *p)
{
  const char *why = NULL;
  if (p->guardian.is_unborn) return true;
  if (!p->guardian.has_ended || !WIFEXITED(p->guardian.how)) return false;
  if (WEXITSTATUS(p->guardian.how) == 127) why = "the program, or the interpreter in its first line, does not exist";
  if (WEXITSTATUS(p->guardian.how) == 126) why = "it is not executable";
  if (why == NULL || *p->kept) return false;
  snprintf(p->fate, sizeof p->fate, "%s", why);
  return true;
}

static fcps_program_end not_started(fcps_program *p)
{
  snprintf(p->fate, sizeof p->fate, "there is no memory or process for it");
  return FCPS_PROGRAM_NOT_FOUND;
}

/* Whether no process of the last program runs any more. Two programs must never run at once, because both would move
 * the robot. */
static bool is_clear(fcps_program *p)
{
  if (!fcps_guardian_has_left(&p->guardian)) return true;
  if (p->guardian.is_lost)
    snprintf(p->fate, sizeof p->fate,
             "its guardian was killed, so what the last one has started may still run; see to it that nothing does");
  else
    snprintf(p->fate, sizeof p->fate, "no second one is started while %s of the last one still runs; end it first",
             fcps_program_left(p));
  return false;
}

fcps_program_end fcps_program_exchange(fcps_program *p, const char *line, double deadline, fcps_program_stop_fn *stop,
                                       void *user, const char **answer)
{
  *answer = NULL;
  const size_t length = strlen(line);
  if (!fcps_reserve((void **)&p->request, &p->request_capacity, length + 1, 1)) return not_started(p);
  memcpy(p->request, line, length);
  p->request[length] = '\n';
  p->request_length = length + 1;
  p->overheard = 0;
  p->has_talked = false;

  if (p->is_running && has_ended(p)) fcps_program_end_now(p, 0.0);
  if (!p->is_running && !is_clear(p)) return p->guardian.is_lost ? FCPS_PROGRAM_UNGUARDED : FCPS_PROGRAM_NOT_FOUND;
  if (!p->is_running && !start(p)) return not_started(p);
  exchange x = {p->request, length + 1, deadline, stop, user, false};
  fcps_program_end end = converse(p, &x, answer);
  if (end == FCPS_PROGRAM_ANSWERED) return end;
  end = give_up(p, &x, end);
  return end == FCPS_PROGRAM_CRASHED && was_never_there(p) ? FCPS_PROGRAM_NOT_FOUND : end;
}
