/* SPDX-License-Identifier: Apache-2.0 */
/* Notes Ctrl-C, a request to end and the end of the terminal, so that a run can stop between two episodes; and
 * removes temporary folders then. */
#ifndef FCPS_CLI_SUPPORT_INTERRUPT_H
#define FCPS_CLI_SUPPORT_INTERRUPT_H

#include <stdbool.h>

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
