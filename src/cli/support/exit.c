/* SPDX-License-Identifier: Apache-2.0 */
/* Prints errors: a stable code, the message, and an exit code for scripts. Codes and exit codes are promises: a new
 * status gets its own line here, and an old one keeps its number. */
#include "cli/support/fail.h"

#include "base/error.h"
#include "cli/support/open_study.h"
#include "cli/support/shown.h"
#include "format/text.h"
#include "wire/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
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

/* Whether the reader of standard output has gone away, as in `fcps study log STUDY | head`. */
static bool has_reader_left(void)
{
  struct pollfd end = {.fd = STDOUT_FILENO, .events = POLLOUT};
  return poll(&end, 1, 0) == 1 && (end.revents & POLLERR) != 0;
}

/* Sends the rest of the output nowhere, because nobody reads it. A run goes on: its trials are stored, and the lines
 * were only a view of them. */
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
