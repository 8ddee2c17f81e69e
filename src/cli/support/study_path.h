/* SPDX-License-Identifier: Apache-2.0 */
/* What a user meant by a path: an address of a server, a file beside it, or something that is not a study. */
#ifndef FCPS_CLI_SUPPORT_STUDY_PATH_H
#define FCPS_CLI_SUPPORT_STUDY_PATH_H

#include <fcps/base.h>

/* Fails with what was probably meant where a text is https://HOST:PORT/STUDY, http:/..., or HOST:PORT/STUDY without
 * http://; FCPS_OK where it is not an address at all. */
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
 * commands put otherwise; `text` itself where it has none, or where `room` is too small. */
const char *cli_no_file_text(const char *text, size_t size, char *room);

#endif
