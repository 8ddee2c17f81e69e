/* SPDX-License-Identifier: Apache-2.0 */
/* Starting, ending and talking to an external program. */
#include "run/program/program.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LINE_LIMIT = 1 << 20, KEPT_OUTPUT = 4096, POLL_MS = 50, KILL_AFTER_MS = 2000 };

struct fcps_program {
  const char *const *command;
  const char *folder;
  pid_t pid;                 /* 0: not running */
  int input, output, errors; /* our ends of its pipes; -1: closed */
  char *request;             /* the line that is being sent */
  size_t request_capacity;
  char *line; /* what came since the last line end */
  size_t length, capacity, consumed;
  char kept[KEPT_OUTPUT + 1];
  size_t kept_length;
  char fate[80];
};

fcps_status fcps_program_create(fcps_program **program, const char *const *command, const char *folder,
                                fcps_error *error)
{
  fcps_program *p = fcps_allocate(1, sizeof *p);
  *program = p;
  if (p == NULL) return fcps_error_memory(error);
  p->command = command;
  p->folder = folder != NULL && *folder ? folder : NULL;
  p->input = p->output = p->errors = -1;
  return FCPS_OK;
}

const char *fcps_program_fate(const fcps_program *p)
{
  return p->fate;
}

const char *fcps_program_output(const fcps_program *p)
{
  return p->kept;
}

/* keeps the last of what was printed */
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
  /* a zero byte would hide what comes after it */
  for (size_t i = old; i < p->kept_length; i++)
    if (p->kept[i] == '\0') p->kept[i] = '?';
  p->kept[p->kept_length] = '\0';
}

static void close_end(int *end)
{
  if (*end >= 0) close(*end);
  *end = -1;
}

static void set_flags(int file, bool is_nonblocking)
{
  fcntl(file, F_SETFD, FD_CLOEXEC);
  if (is_nonblocking) fcntl(file, F_SETFL, fcntl(file, F_GETFL) | O_NONBLOCK);
}

/* three pipes: [0] to its stdin, [1] from its stdout, [2] from its stderr */
static bool make_pipes(int pipes[3][2])
{
  for (int i = 0; i < 3; i++) {
    if (pipe(pipes[i]) != 0) {
      while (i-- > 0) {
        close(pipes[i][0]);
        close(pipes[i][1]);
      }
      return false;
    }
    const int ours = i == 0 ? 1 : 0;
    set_flags(pipes[i][ours], true);
    set_flags(pipes[i][1 - ours], false);
  }
  return true;
}

/* in the child: only calls that are safe after fork */
static void become_program(const fcps_program *p, int pipes[3][2])
{
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  if (dup2(pipes[0][0], 0) < 0 || dup2(pipes[1][1], 1) < 0 || dup2(pipes[2][1], 2) < 0) _exit(126);
  if (p->folder != NULL && chdir(p->folder) != 0) _exit(126);
  execvp(p->command[0], (char *const *)(uintptr_t)p->command);
  _exit(errno == ENOENT ? 127 : 126);
}

static bool start(fcps_program *p)
{
  int pipes[3][2];
  if (!make_pipes(pipes)) return false;
  const pid_t pid = fork();
  if (pid == 0) become_program(p, pipes);
  close(pipes[0][0]);
  close(pipes[1][1]);
  close(pipes[2][1]);
  p->input = pipes[0][1];
  p->output = pipes[1][0];
  p->errors = pipes[2][0];
  if (pid < 0) {
    close_end(&p->input);
    close_end(&p->output);
    close_end(&p->errors);
    return false;
  }
  setpgid(pid, pid); /* both sides do it, so that it is done whoever comes first */
  p->pid = pid;
  p->length = p->consumed = p->kept_length = 0;
  p->kept[0] = p->fate[0] = '\0';
  return true;
}

static void sleep_ms(long ms)
{
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* whether the program has ended; it is not reaped, so that its group keeps its number */
static bool has_ended(const fcps_program *p)
{
  siginfo_t info = {0};
  return waitid(P_PID, (id_t)p->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == p->pid;
}

static bool ends_within(const fcps_program *p, long ms)
{
  const double limit = fcps_clock_seconds() + (double)ms / 1000.0;
  while (!has_ended(p)) {
    if (fcps_clock_seconds() >= limit) return false;
    sleep_ms(5);
  }
  return true;
}

void fcps_program_end_now(fcps_program *p, double patience_s)
{
  if (p->pid == 0) return;
  close_end(&p->input);
  if (!ends_within(p, (long)(patience_s * 1000.0))) {
    kill(-p->pid, SIGTERM);
    ends_within(p, KILL_AFTER_MS);
  }
  kill(-p->pid, SIGKILL); /* also what the program left behind */
  int how = 0;
  while (waitpid(p->pid, &how, 0) < 0 && errno == EINTR)
    continue;
  if (WIFSIGNALED(how))
    snprintf(p->fate, sizeof p->fate, "signal %d", WTERMSIG(how));
  else
    snprintf(p->fate, sizeof p->fate, "exit code %d", WEXITSTATUS(how));
  p->pid = 0;
  close_end(&p->output);
  close_end(&p->errors);
}

void fcps_program_destroy(fcps_program *p)
{
  if (p == NULL) return;
  fcps_program_end_now(p, 0.5);
  free(p->request);
  free(p->line);
  free(p);
}

/* Writes without raising SIGPIPE in our process: it is held back in this thread, and taken away if it came. */
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

/* takes what is there; false at the end of the stream */
static bool take_errors(fcps_program *p)
{
  char bytes[4096];
  const ssize_t count = read(p->errors, bytes, sizeof bytes);
  if (count > 0) keep(p, bytes, (size_t)count);
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool take_output(fcps_program *p)
{
  /* forget the line that was handed out */
  if (p->consumed) {
    memmove(p->line, p->line + p->consumed, p->length - p->consumed);
    p->length -= p->consumed;
    p->consumed = 0;
  }
  void *items = p->line;
  if (!fcps_reserve(&items, &p->capacity, p->length + 4097, 1)) return false;
  p->line = items;
  const ssize_t count = read(p->output, p->line + p->length, 4096);
  if (count > 0) p->length += (size_t)count;
  return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR));
}

/* the next line that may be an answer; other lines are kept as output */
static bool next_line(fcps_program *p, const char **answer)
{
  while (p->consumed < p->length) {
    char *begin = p->line + p->consumed, *end = memchr(begin, '\n', p->length - p->consumed);
    if (end == NULL) return false;
    p->consumed += (size_t)(end - begin) + 1;
    *end = '\0';
    if (end > begin && end[-1] == '\r') end[-1] = '\0';
    if (*begin == '{') {
      *answer = begin;
      return true;
    }
    keep(p, begin, strlen(begin));
    keep(p, "\n", 1);
  }
  return false;
}

/* What is being said and awaited in one exchange. */
typedef struct exchange {
  const char *rest; /* of the request, still to be written */
  size_t rest_length;
  double deadline;
  fcps_program_stop_fn *stop;
  void *user;
} exchange;

static void send_some(fcps_program *p, exchange *x)
{
  const ssize_t count = write_quietly(p->input, x->rest, x->rest_length);
  if (count > 0) {
    x->rest += count;
    x->rest_length -= (size_t)count;
  } else if (count < 0 && errno != EAGAIN && errno != EINTR) {
    x->rest_length = 0; /* it does not listen; its output will tell */
  }
}

/* waits for something to happen on the pipes, and handles it; false when the output has ended */
static bool step(fcps_program *p, exchange *x, int wait_ms)
{
  struct pollfd ends[3] = {{.fd = p->output, .events = POLLIN},
                           {.fd = p->errors, .events = POLLIN},
                           {.fd = x->rest_length ? p->input : -1, .events = POLLOUT}};
  if (poll(ends, 3, wait_ms) <= 0) return true;
  if (ends[2].revents) send_some(p, x);
  if (ends[1].revents && !take_errors(p)) close_end(&p->errors);
  return !ends[0].revents || take_output(p);
}

static fcps_program_end converse(fcps_program *p, exchange *x, const char **answer)
{
  bool is_silent = false; /* it has ended, and what it wrote before has been read */
  for (;;) {
    /* output from before the request is not an answer to it */
    if (x->rest_length == 0 && next_line(p, answer)) return FCPS_PROGRAM_ANSWERED;
    if (p->length - p->consumed > LINE_LIMIT) return FCPS_PROGRAM_GARBLED;
    if (x->stop != NULL && x->stop(x->user)) return FCPS_PROGRAM_STOPPED;
    const double left = x->deadline - fcps_clock_seconds();
    if (left <= 0.0) return FCPS_PROGRAM_TIMEOUT;
    if (is_silent) return FCPS_PROGRAM_CRASHED;
    const size_t before = p->length - p->consumed;
    const bool ended = has_ended(p);
    if (!step(p, x, left * 1000.0 < POLL_MS ? (int)(left * 1000.0) + 1 : POLL_MS)) is_silent = true;
    /* somebody it left behind may hold the pipe open: its own end is what counts */
    if (ended && p->length - p->consumed == before) is_silent = true;
  }
}

/* what is left in the pipes explains why it ended */
static void drain(fcps_program *p)
{
  char bytes[4096];
  ssize_t count = 1;
  for (int i = 0; i < 64 && p->errors >= 0 && count > 0; i++)
    if ((count = read(p->errors, bytes, sizeof bytes)) > 0) keep(p, bytes, (size_t)count);
  if (p->length > p->consumed) keep(p, p->line + p->consumed, p->length - p->consumed);
}

fcps_program_end fcps_program_await(fcps_program *p, double deadline, fcps_program_stop_fn *stop, void *user,
                                    const char **answer)
{
  exchange x = {"", 0, deadline, stop, user};
  *answer = NULL;
  if (p->pid == 0) return FCPS_PROGRAM_CRASHED;
  const fcps_program_end end = converse(p, &x, answer);
  if (end == FCPS_PROGRAM_ANSWERED) return end;
  drain(p);
  fcps_program_end_now(p, 0.0);
  return end;
}

/* whether the child came to its end in become_program, and why */
static bool was_never_there(fcps_program *p)
{
  const char *why = NULL;
  if (strcmp(p->fate, "exit code 127") == 0) why = "the program, or the interpreter in its first line, does not exist";
  if (strcmp(p->fate, "exit code 126") == 0) why = "it is not executable";
  if (why == NULL || *p->kept) return false;
  snprintf(p->fate, sizeof p->fate, "%s", why);
  return true;
}

static fcps_program_end not_started(fcps_program *p)
{
  snprintf(p->fate, sizeof p->fate, "there is no memory or process for it");
  return FCPS_PROGRAM_NOT_FOUND;
}

fcps_program_end fcps_program_exchange(fcps_program *p, const char *line, double deadline, fcps_program_stop_fn *stop,
                                       void *user, const char **answer)
{
  *answer = NULL;
  const size_t length = strlen(line);
  if (!fcps_reserve((void **)&p->request, &p->request_capacity, length + 1, 1)) return not_started(p);
  memcpy(p->request, line, length);
  p->request[length] = '\n';

  if (p->pid && has_ended(p)) fcps_program_end_now(p, 0.0);
  if (!p->pid && !start(p)) return not_started(p);
  exchange x = {p->request, length + 1, deadline, stop, user};
  const fcps_program_end end = converse(p, &x, answer);
  if (end == FCPS_PROGRAM_ANSWERED) return end;
  drain(p);
  fcps_program_end_now(p, 0.0);
  return end == FCPS_PROGRAM_CRASHED && was_never_there(p) ? FCPS_PROGRAM_NOT_FOUND : end;
}
