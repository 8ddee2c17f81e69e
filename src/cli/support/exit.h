/* SPDX-License-Identifier: Apache-2.0 */
/* How a command ends: every status has one exit code, and all errors are printed in one form. */
#ifndef FCPS_CLI_SUPPORT_FAIL_H
#define FCPS_CLI_SUPPORT_FAIL_H

#include <fcps/base.h>
#include <fcps/study.h>

#include <stdbool.h>

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

/* -- Signals --
 *
 * Ctrl-C, a request to end and the end of the terminal are noted, so that a run can stop between two episodes. Temporary
 * folders are removed then. */

/* From now on Ctrl-C, a request to end and a hang-up are noted; a second Ctrl-C or request ends the program at once. */
void cli_interrupt_watch(void);

/* The same, but a second signal does not end the program either, because typed words must be kept first. */
void cli_interrupt_watch_all(void);

/* Whether a signal was noted; for the `stop` of a run. */
bool cli_interrupt_stops(void *unused);

/* The kinds of temporary folders in /tmp, one of each. They are removed when the program ends, even by Ctrl-C, TERM
 * or a hang-up: a copy of a study may be large, and is private. */
typedef enum cli_passing { CLI_PASSING_COPY, CLI_PASSING_REPORT, CLI_PASSING_COUNT } cli_passing;

/* Makes the folder for one file of this name, and returns the file's path, which lives until the folder is removed;
 * NULL if /tmp has no room. An earlier folder of the same kind is removed. */
const char *cli_passing_folder_make(cli_passing kind, const char *name);

void cli_passing_folder_remove(cli_passing kind);

#endif
