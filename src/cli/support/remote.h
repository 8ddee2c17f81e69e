/* SPDX-License-Identifier: Apache-2.0 */
/* A study behind `fcps serve`, where a command is given http://HOST:PORT/STUDY instead of a file.
 *
 * What a command reads, it reads from a copy that the server makes (cli_open_study): so every command that only looks
 * works as it does on a file. What it changes, it changes at the server: the functions below are those of fcps/study.h
 * with the URL in the place of the study. The token comes from the URL, or from the token file (FCPS_TOKEN_FILE).
 */
#ifndef FCPS_CLI_SUPPORT_REMOTE_H
#define FCPS_CLI_SUPPORT_REMOTE_H

#include <fcps/study.h>

bool cli_remote_is(const char *path);

/* Whether nothing answers at the address now. */
bool cli_remote_is_away(const char *url);

/* Takes the tokens out of the arguments of the program, and remembers them: no message may show one. */
void cli_remote_hide_tokens(int argc, char **argv);

/* The token that was taken from the address of this server; NULL: none was. */
const char *cli_remote_token(const char *url);

/* Fetches a copy of the study, and says where it is; it is removed when the program ends. */
fcps_status cli_remote_copy(const char *url, const char **path, fcps_error *error);

/* The same, where the copy is to replace the file `onto` in the end: refused where that is the study itself. */
fcps_status cli_remote_copy_onto(const char *url, const char *onto, const char **path, fcps_error *error);

/* Asks; their numbers live until the program ends. */
fcps_status cli_remote_ask(const char *url, const fcps_problem *problem, const char *client, const double *target,
                           const double *environment, fcps_ask *ask, fcps_error *error);
fcps_status cli_remote_choose(const char *url, const fcps_problem *problem, const char *client,
                              const fcps_free_dimensions *free_dims, const double *target, const double *environment,
                              fcps_ask *ask, fcps_error *error);
fcps_status cli_remote_ask_many(const char *url, const fcps_problem *problem, int count,
                                const fcps_ask_contexts *contexts, fcps_ask *asks, fcps_error *error);
fcps_status cli_remote_forget(const char *url, int64_t id, fcps_error *error);

/* Results. */
fcps_status cli_remote_tell(const char *url, const fcps_problem *problem, int64_t id, const fcps_result *result,
                            fcps_receipt *receipt, fcps_error *error);
/* As fcps_study_import or, with `again`, fcps_study_import_again, in one transaction of the server. */
fcps_status cli_remote_import(const char *url, const char *file, bool again, int *added, int *skipped,
                              fcps_error *error);
fcps_status cli_remote_use_result(const char *url, int64_t sequence, bool is_used, fcps_error *error);
fcps_status cli_remote_confirm(const char *url, int64_t sequence, fcps_error *error);

/* Changes. `reward`, or the bounds of a dimension as "LOWER,UPPER". */
fcps_status cli_remote_amend(const char *url, const char *what, const char *value, fcps_error *error);
fcps_status cli_remote_amend_learner(const char *url, const char *learner, const fcps_setting *settings,
                                     fcps_error *error);

/* Makes a study at a server that was started with --make. */
fcps_status cli_remote_create(const char *url, const fcps_study_setup *setup, fcps_error *error);

#endif
