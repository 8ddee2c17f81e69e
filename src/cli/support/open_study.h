/* SPDX-License-Identifier: Apache-2.0 */
/* The doors of commands: wherever a study is, its warnings go to stderr, and a mistyped path is answered with what was
 * meant. */
#ifndef FCPS_CLI_SUPPORT_OPEN_STUDY_H
#define FCPS_CLI_SUPPORT_OPEN_STUDY_H

#include "door/door.h"

#include <fcps/base.h>

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

/* -- What a user meant by a path: an address of a server, a file beside it, or something that is no study -- */

/* Fails with what was probably meant if a text is https://HOST:PORT/STUDY, http:/..., or HOST:PORT/STUDY without
 * http://; FCPS_OK if it is not an address at all. */
fcps_status cli_near_address_check(const char *text, fcps_error *error);

/* Adds "Did you mean ...?" to a message about `path`: the path with `ending` (NULL: none) behind it, or the nearest name in
 * its folder, for ".fcps" that of a study; or that it is a link that leads nowhere. */
void cli_near_file_hint(const char *path, const char *ending, fcps_error *error);

/* Whether a file is one of `fcps policy export`. */
bool cli_path_is_policy(const char *path);

/* Whether what the library calls damaged was never a study: a table, a problem, a policy or another text. */
bool cli_path_is_no_study(const char *path);

/* Advice about a study in memory. The library calls it STUDY in a command (study/inside.h), which suits who has it in a
 * program of their own. From a shell no command reaches it: the advice is for a study with a file. Returns the text with such
 * commands put otherwise; `text` itself if it has none, or where `room` is too small. */
const char *cli_no_file_text(const char *text, size_t size, char *room);

#endif
