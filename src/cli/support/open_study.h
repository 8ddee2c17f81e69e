/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the doors to studies for commands. Wherever a study is, its warnings go to stderr, and an error about a
 * mistyped path says what was probably meant. */
#ifndef FCPS_CLI_SUPPORT_OPEN_STUDY_H
#define FCPS_CLI_SUPPORT_OPEN_STUDY_H

#include "door/door.h"

#include <fcps/base.h>
#include <fcps/study.h>

/* How commands wait for a study that is busy or away: until Ctrl-C. Results that were told meanwhile are kept in a
 * file. */
extern const fcps_run_patience cli_patience;

/* Returns the options for a door to this address, for a command that does not wait (no `patience`). */
fcps_door_options cli_door_options(const char *address);

/* Opens the door to a study. `patience` is as in fcps_door_options (NULL: the command does not wait). */
fcps_status cli_open_door(fcps_door **door, const char *path, const fcps_run_patience *patience, fcps_error *error);

/* Turns a failure to reach a server into an error of input and output, as for a missing file; returns any other status
 * as it is. `door` may be NULL. */
fcps_status cli_door_failure(const fcps_door *door, fcps_status status, fcps_error *error);

/* Calls fcps_door_do; if the server cannot be reached, that is an error of input and output, as for a missing file. */
fcps_status cli_door_do(fcps_door *door, const char *operation, const fcps_json *request, fcps_door_answer *answer,
                        fcps_error *error);

/* Reads the whole study behind the door (fcps_door_study); refuses outputs of the command that are files of its
 * problem. */
fcps_status cli_door_study(fcps_door *door, fcps_study **study, fcps_error *error);

/* Opens the door and reads the whole study behind it, which lives as long as the door. */
fcps_status cli_open_study(fcps_door **door, fcps_study **study, const char *path, fcps_error *error);

/* Returns the path for a temporary copy of a study. */
const char *cli_copy_place(void);

/* Removes the tokens from the program's arguments, because no message may show a token, and remembers them. */
void cli_hide_tokens(int argc, char **argv);

/* Returns the token that came with the address of this server; NULL if none came. */
const char *cli_token(const char *address);

/* -- Advice about a path: an address of a server, a similar name, or a file that is not a study -- */

/* If a text is nearly an address (https://HOST:PORT/STUDY, http:/..., or HOST:PORT/STUDY without http://), fails and
 * says what was probably meant; Returns FCPS_OK if the text is not similar to an address. */
fcps_status cli_near_address_check(const char *text, fcps_error *error);

/* Appends "Did you mean ...?" to a message about `path`. The suggestion is the path with `ending` (may be NULL), or the
 * most similar name in its folder; if `ending` is ".fcps", that name must be of a study. If the path is a link that
 * leads nowhere, the message says that instead. */
void cli_near_file_hint(const char *path, const char *ending, fcps_error *error);

/* Whether a file was written by `fcps policy export`. */
bool cli_path_is_policy(const char *path);

/* Whether a file that the library calls a damaged study was never one, but a table, a problem file, a policy or another
 * text. */
bool cli_path_is_no_study(const char *path);

/* Rewrites advice about a study in memory. In commands the library calls such a study STUDY (study/inside.h). That is
 * right for a program which has the study open, but no shell command reaches it. So the advice becomes one about a
 * study with a file. Returns the new text, or `text` itself if it contains no such command or if `room` is too
 * small. */
const char *cli_no_file_text(const char *text, size_t size, char *room);

/* -- Files that the arguments of a command name --
 *
 * A command may not overwrite a study, a problem file, a program or
 * another text of the user, another of its outputs, a file that it reads, or a file with an ending that it never
 * writes. */

enum { CLI_NAMED_FILES = 80 };

typedef struct cli_named_file {
  const char *option; /* the option without its "--"; NULL: an argument without an option */
  const char *path;
  const char *endings; /* the endings of files that the command writes, as in "csv txt" */
} cli_named_file;

typedef struct cli_named_files {
  int count;
  cli_named_file items[CLI_NAMED_FILES];
} cli_named_files;

/* Checks the named files; files are compared by identity, not by name. Files that a command writes into `folders` may
 * have any name, so no file that it reads may be in them. The error FCPS_ERR_ARGUMENT names the option and the file. */
fcps_status cli_named_files_check(const cli_named_files *read, const cli_named_files *written,
                                  const cli_named_files *folders, fcps_error *error);

/* Once the study is open, checks in the same way the files that its problem names: its program, every word of the
 * command, and the table of contexts. The outputs are those of the last cli_named_files_check. */
fcps_status cli_named_files_check_study(const fcps_study *study, fcps_error *error);

/* Refuses standard output and standard error that go to a study, as in `>> throw.fcps`. */
fcps_status cli_named_files_check_streams(fcps_error *error);

#endif
