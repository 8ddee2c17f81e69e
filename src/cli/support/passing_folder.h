/* SPDX-License-Identifier: Apache-2.0 */
/* Folders in /tmp that are gone with the program, also if Ctrl-C, TERM or a hang-up ends it: a copy of a study may be large, and
 * is nobody else's business. */
#ifndef FCPS_CLI_SUPPORT_PASSING_FOLDER_H
#define FCPS_CLI_SUPPORT_PASSING_FOLDER_H

/* What a folder is for; there is one of each. */
typedef enum cli_passing { CLI_PASSING_COPY, CLI_PASSING_REPORT, CLI_PASSING_COUNT } cli_passing;

/* Makes the folder with room for one file of this name, and returns the file's path, which lives until the folder is removed; NULL
 * if /tmp has no room. An earlier folder of the same kind is removed. */
const char *cli_passing_folder_make(cli_passing kind, const char *name);

void cli_passing_folder_remove(cli_passing kind);

#endif
