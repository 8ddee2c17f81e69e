/* SPDX-License-Identifier: Apache-2.0 */
/* How a command ends, by itself or by a signal.
 *
 * Errors are printed with a stable code, the message, and an exit code for scripts. Codes and exit codes are promises: a new
 * status gets its own line here, and an old one keeps its number. */
#include "cli/support/exit.h"

#include "base/error.h"
#include "cli/support/open_study.h"
#include "cli/support/values.h"
#include "format/text.h"
#include "wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The exit code of a status. */
static int exit_code(fcps_status status)
{
  switch (status) {
  case FCPS_OK:
    return 0;
  case FCPS_ERR_ARGUMENT:
  case FCPS_ERR_NOT_FINITE:
  case FCPS_ERR_BOUNDS:
  case FCPS_ERR_UNKNOWN_NAME:
  case FCPS_ERR_UNSUPPORTED:
  case FCPS_ERR_UNAVAILABLE:
  case FCPS_ERR_FORMAT:
  case FCPS_ERR_UNKNOWN_ASK:
  case FCPS_ERR_CONFLICT:
    return CLI_EXIT_USAGE;
  case FCPS_ERR_DAMAGED:
    return CLI_EXIT_DAMAGED;
  case FCPS_ERR_IO:
  case FCPS_ERR_STORE:
  case FCPS_ERR_STORE_FULL:
    return CLI_EXIT_STORAGE;
  case FCPS_ERR_LOCKED:
    return CLI_EXIT_LOCKED;
  case FCPS_ERR_CALLBACK:
  case FCPS_ERR_PROGRAM:
    return CLI_EXIT_SIMULATOR;
  case FCPS_ERR_FAILURE_RATE:
  case FCPS_ERR_NO_REWARD:
    return CLI_EXIT_FAILURES;
  case FCPS_ERR_STOPPED:
    return CLI_EXIT_INTERRUPT;
  case FCPS_ERR_MEMORY:
  case FCPS_ERR_NOT_POSITIVE:
  case FCPS_ERR_INTERNAL:
  case FCPS_ERR_BUSY:
  case FCPS_STATUS_COUNT:
    break;
  }
  return CLI_EXIT_INTERNAL;
}

int cli_fail(const fcps_error *error)
{
  char text[1024], room[1200], code[FCPS_WIRE_CODE_SIZE];
  fcps_error said = *error;
  if (said.status == FCPS_ERR_IO) cli_near_file_hint(said.file, ".yaml", &said);
  fprintf(stderr, "fcps: %s: ", fcps_wire_failure_code(said.status, code));
  fcps_shown_write_lines(stderr, cli_no_file_text(fcps_error_format(&said, sizeof text, text), sizeof room, room));
  fputc('\n', stderr);
  return exit_code(error->status);
}

/* Whether the reader of standard output went away, as in `fcps study log STUDY | head`. */
static bool has_reader_left(void)
{
  struct pollfd end = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&end, 1, 0) == 1 && (end.revents & POLLERR) != 0;
}

/* Sends the rest of the output nowhere, because nobody reads it. A run goes on, because its trials are stored
 * anyway. */
static fcps_status drop_output(fcps_error *error)
{
  const int nowhere = open("/dev/null", O_WRONLY);
  const bool is_replaced = nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0;
  if (nowhere >= 0) close(nowhere);
  clearerr(stdout);
  if (is_replaced) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_IO, "standard output", "its reader went away");
}

fcps_status cli_flush(fcps_error *error)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return FCPS_OK;
  const char *reason = strerror(errno);
  if (has_reader_left()) return drop_output(error);
  return fcps_error_set(error, FCPS_ERR_IO, "standard output", "results could not be written: %s", reason);
}

/* -- Warnings -- */

static void (*listener)(const char *code);

void cli_log_listen(void (*hear)(const char *code))
{
  listener = hear;
}

static void print_warning(void *user, fcps_log_level level, const char *code, const char *message)
{
  (void)user;
  if (level == FCPS_LOG_WARNING) cli_warn(code, "%s", message);
  if (level == FCPS_LOG_INFO && listener != NULL) listener(code);
}

const fcps_log cli_log = {.write = print_warning};

void cli_warn(const char *code, const char *format, ...)
{
  char said[2048], room[2400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(said, sizeof said, format, arguments);
  va_end(arguments);
  const char *message = cli_no_file_text(said, sizeof room, room);
  fprintf(stderr, "fcps: %s: ", cli_shown(code));
  fcps_shown_write_lines(stderr, message);
  fputc('\n', stderr);
}

/* -- Signals --
 *
 * The program handles signals, the library never does. Whether a signal came is the program's only global state.
 *
 * A terminal that goes away often sends SIGHUP twice, through the shell and through the kernel, so a hang-up never ends
 * the program at once. If the parent process lets us ignore SIGHUP, as nohup does, it stays ignored. */

static atomic_bool interrupted; /* an atomic, because several threads may read it */

static void note(int number)
{
  (void)number;
  atomic_store(&interrupted, true);
}

static void watch(int flags)
{
  struct sigaction action = {.sa_handler = note};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | flags;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  struct sigaction before = {.sa_handler = SIG_DFL};
  action.sa_flags = SA_RESTART;
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, NULL);
}

void cli_interrupt_watch(void)
{
  watch((int)SA_RESETHAND); /* A second signal ends the program at once, as if the program did not watch signals. */
}

void cli_interrupt_watch_all(void)
{
  watch(0);
}

bool cli_interrupt_stops(void *unused)
{
  (void)unused;
  return atomic_load(&interrupted);
}

/* -- Temporary folders -- */

/* Temporary folders must also be removed by a signal that ends the program. A signal handler may only call a few
 * functions, so the names are stored here beforehand. If the program watches signals (cli_interrupt_watch), it ends in
 * the normal way, and atexit removes the folders. */

/* A temporary folder, its only file, and the name of that file while it is being written (format/file.h). */
typedef struct passing {
  char folder[64], file[128], draft[192];
} passing;

static passing places[CLI_PASSING_COUNT];
static pid_t owner; /* the process that made the folders and removes them; a child after fork must not remove them */

static void remove_place(const passing *place)
{
  if (place->folder[0] == '\0') return;
  unlink(place->draft);
  unlink(place->file);
  rmdir(place->folder);
}

static void remove_all(void)
{
  for (int i = 0; i < CLI_PASSING_COUNT && getpid() == owner; i++)
    remove_place(&places[i]);
}

static void on_signal(int number)
{
  remove_all();
  signal(number, SIG_DFL);
  raise(number);
}

static void watch_to_remove(void)
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  owner = getpid();
  atexit(remove_all);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct sigaction before = {.sa_handler = SIG_IGN}, action = {.sa_handler = on_signal};
    sigfillset(&action.sa_mask);
    if (sigaction(numbers[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL) sigaction(numbers[i], &action, NULL);
  }
}

const char *cli_passing_folder_make(cli_passing kind, const char *name)
{
  static const char *const words[CLI_PASSING_COUNT] = {"copy", "report"};
  const char *ending = strrchr(name, '.');
  char folder[sizeof places->folder], file[sizeof places->file];
  if (owner == 0) watch_to_remove();
  cli_passing_folder_remove(kind);
  passing *place = &places[kind];
  snprintf(folder, sizeof folder, "/tmp/fcps-%s-XXXXXX", words[kind]);
  if (mkdtemp(folder) == NULL) return NULL;
  snprintf(file, sizeof file, "%s/%.40s", folder, name);
  snprintf(place->draft, sizeof place->draft, "%s.new-%ld-0%s", file, (long)getpid(), ending != NULL ? ending : "");
  memcpy(place->file, file, sizeof file);
  memcpy(place->folder, folder, sizeof folder);
  return place->file;
}

void cli_passing_folder_remove(cli_passing kind)
{
  remove_place(&places[kind]);
  places[kind] = (passing){.folder = ""};
}
