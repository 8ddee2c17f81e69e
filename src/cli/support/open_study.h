/* SPDX-License-Identifier: Apache-2.0 */
/* The doors of commands: wherever a study is, its warnings go to stderr, and a mistyped path is answered with what was
 * meant. */
#ifndef FCPS_CLI_SUPPORT_OPEN_STUDY_H
#define FCPS_CLI_SUPPORT_OPEN_STUDY_H

#include "door/door.h"

/* How long a command waits for a study, and that it keeps what it tells: until Ctrl-C. */
extern const fcps_run_patience cli_patience;

/* What a door to this address is opened with, for a command without patience. */
fcps_door_options cli_door_options(const char *address);

/* Opens the door to a study. With `patience` (NULL: none) as in fcps_door_options. */
fcps_status cli_open_door(fcps_door **door, const char *path, const fcps_run_patience *patience, fcps_error *error);

/* Of a server that cannot be reached: an error of input and output, as of a missing file. `door` may be NULL. */
fcps_status cli_door_failure(const fcps_door *door, fcps_status status, fcps_error *error);

/* fcps_door_do; a server that cannot be reached is then an error of input and output, as a missing file is. */
fcps_status cli_door_do(fcps_door *door, const char *operation, const fcps_json *request, fcps_door_answer *answer,
                        fcps_error *error);

/* The whole study behind the door (fcps_door_study); refuses outputs of the command that are files of its problem. */
fcps_status cli_door_study(fcps_door *door, fcps_study **study, fcps_error *error);

/* Opens the door, and gives the whole study behind it, which lives as long. */
fcps_status cli_open_study(fcps_door **door, fcps_study **study, const char *path, fcps_error *error);

/* The place of a copy of a study, which is gone with the program. */
const char *cli_copy_place(void);

/* Takes the tokens out of the arguments of the program, and remembers them: no message may show one. */
void cli_hide_tokens(int argc, char **argv);

/* The token that was taken from the address of this server; NULL: none was. */
const char *cli_token(const char *address);

#endif
