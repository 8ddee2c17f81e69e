/* SPDX-License-Identifier: Apache-2.0 */
/* Errors as a user sees them: a stable code, the words, and an exit code for scripts. Codes and exit codes are
 * promises: a new status gets its line here, an old one keeps its number. */
#include "cli/support/fail.h"

#include "base/error.h"
#include "format/shown.h"
#include "wire/failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int cli_exit_code(fcps_status status)
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
  char text[1024], code[FCPS_WIRE_CODE_SIZE];
  fprintf(stderr, "fcps: %s: ", fcps_wire_failure_code(error->status, code));
  fcps_shown_write_lines(stderr, fcps_error_format(error, sizeof text, text));
  fputc('\n', stderr);
  return cli_exit_code(error->status);
}

fcps_status cli_flush(fcps_error *error)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return FCPS_OK;
  const char *reason = errno == EPIPE ? "its reader went away" : strerror(errno);
  return fcps_error_set(error, FCPS_ERR_IO, "standard output", "results could not be written: %s", reason);
}
