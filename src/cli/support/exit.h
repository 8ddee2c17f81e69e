/* SPDX-License-Identifier: Apache-2.0 */
/* How a command ends: every status has one exit code, and all errors are printed in one form. */
#ifndef FCPS_CLI_SUPPORT_FAIL_H
#define FCPS_CLI_SUPPORT_FAIL_H

#include <fcps/base.h>
#include <fcps/study.h>

/* Exit codes beside 0. `fcps help` and docs/files.md list them. */
enum {
  CLI_EXIT_USAGE = 2,
  CLI_EXIT_DAMAGED = 3,
  CLI_EXIT_STORAGE = 4,
  CLI_EXIT_LOCKED = 5,
  CLI_EXIT_SIMULATOR = 6,
  CLI_EXIT_FAILURES = 7,
  CLI_EXIT_INTERNAL = 70,
  CLI_EXIT_INTERRUPT = 130
};

/* Prints an error on stderr, "fcps: E_BOUNDS: episodes: ...", and returns its exit code. */
int cli_fail(const fcps_error *error);

/* Flushes stdout; an error if the output did not arrive. If its reader went away (`| head`), the rest is dropped,
 * and that is not an error. */
fcps_status cli_flush(fcps_error *error);

/* -- Warnings: one line each on stderr, "fcps: W_CODE: words", never mixed with results -- */

/* Prints the warnings of the library. */
extern const fcps_log cli_log;

/* Lets a command receive the codes of the library's messages that are not warnings; NULL ends this. */
void cli_log_listen(void (*hear)(const char *code));

/* Prints a warning of the program. */
__attribute__((format(printf, 2, 3))) void cli_warn(const char *code, const char *format, ...);

#endif
