/* SPDX-License-Identifier: Apache-2.0 */
/* Ctrl-C, a request to end and the end of the terminal, noted so that a run can stop between two episodes;
 * and what is removed then. */
#ifndef FCPS_CLI_SUPPORT_INTERRUPT_H
#define FCPS_CLI_SUPPORT_INTERRUPT_H

#include <stdbool.h>

/* From now on Ctrl-C, a request to end and a hang-up are noted; a second one of the first two ends the program at once. */
void cli_interrupt_watch(void);

/* The same, but a second signal does not end the program either: what was typed must be kept first. */
void cli_interrupt_watch_all(void);

/* Whether one was noted, as the `stop` of a run. */
bool cli_interrupt_stops(void *unused);

/* Folders in /tmp that are gone with the program, also if Ctrl-C, TERM or a hang-up ends it: a copy of a study may be
 * large, and is nobody else's business. What a folder is for; there is one of each. */
typedef enum cli_passing { CLI_PASSING_COPY, CLI_PASSING_REPORT, CLI_PASSING_COUNT } cli_passing;

/* Makes the folder with room for one file of this name, and returns the file's path, which lives until the folder is
 * removed; NULL if /tmp has no room. An earlier folder of the same kind is removed. */
const char *cli_passing_folder_make(cli_passing kind, const char *name);

void cli_passing_folder_remove(cli_passing kind);

#endif
