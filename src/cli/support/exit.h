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

/* Writes out stdout; fails if the output did not arrive. It is not an error if the reader went away (`| head`): the
 * rest of the output is then dropped. */
fcps_status cli_flush(fcps_error *error);

/* -- Warnings: one line each on stderr, "fcps: W_CODE: words", never mixed with results -- */

/* Prints the warnings of the library. */
extern const fcps_log cli_log;

/* From now on calls `hear` with the code of each message of the library that is not a warning. NULL ends this. */
void cli_log_listen(void (*hear)(const char *code));

/* Prints a warning of the program. */
__attribute__((format(printf, 2, 3))) void cli_warn(const char *code, const char *format, ...);

/* -- Signals --
 *
 * Ctrl-C, TERM and a hang-up of the terminal are noted, so that a run can stop between two episodes. The temporary
 * folders are removed in these cases, too. */

/* From now on Ctrl-C, TERM and a hang-up are only noted. A second Ctrl-C or TERM ends the program at once. */
void cli_interrupt_watch(void);

/* The same, but a second signal does not end the program either, so that it has time to keep the typed words. */
void cli_interrupt_watch_all(void);

/* Whether a signal was noted. A run takes this function as its `stop`. */
bool cli_interrupt_stops(void *unused);

/* The kinds of temporary folders in /tmp; at most one folder of each kind exists. They are removed when the program
 * ends, even by Ctrl-C, TERM or a hang-up, because a copy of a study may be large and is private. */
typedef enum cli_passing { CLI_PASSING_COPY, CLI_PASSING_REPORT, CLI_PASSING_COUNT } cli_passing;

/* Makes a temporary folder for one file of this name, and returns the file's path, which is valid until the folder is
 * removed. Returns NULL if /tmp has no room. An earlier folder of the same kind is removed first. */
const char *cli_passing_folder_make(cli_passing kind, const char *name);

void cli_passing_folder_remove(cli_passing kind);

#endif
