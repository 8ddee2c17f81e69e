/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a study that exists, for every command that works on one. */
#ifndef FCPS_CLI_SUPPORT_OPEN_STUDY_H
#define FCPS_CLI_SUPPORT_OPEN_STUDY_H

#include <fcps/study.h>

/* Opens a study of a problem file or of a built-in task; its warnings go to stderr. */
fcps_status cli_open_study(fcps_study **study, const char *path, fcps_error *error);

/* Whether what the library calls damaged was never a study: a table, a problem, a policy or another text. */
bool cli_open_study_never(const char *path);

#endif
