/* SPDX-License-Identifier: Apache-2.0 */
/* "Did you mean": a file that is there, for the name of one that is not. */
#ifndef FCPS_CLI_SUPPORT_NEAR_FILE_H
#define FCPS_CLI_SUPPORT_NEAR_FILE_H

#include <fcps/base.h>

enum { CLI_NEAR_FILE = 512 };

/* Writes the name that may have been meant: `path` with `ending` (NULL: none) behind it, or the nearest name in its
 * folder; for ".fcps" that of a study. False: `path` exists, or nothing is near. */
bool cli_near_file(const char *path, const char *ending, char near[CLI_NEAR_FILE]);

/* Adds the question to a message about `path`, or that it is a link that leads nowhere. */
void cli_near_file_hint(const char *path, const char *ending, fcps_error *error);

#endif
