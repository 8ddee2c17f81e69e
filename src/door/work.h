/* SPDX-License-Identifier: Apache-2.0 */
/* A worker on a study behind a server. */
#ifndef FCPS_DOOR_WORK_H
#define FCPS_DOOR_WORK_H

#include <fcps/run_work.h>

/* fcps_work on http://HOST:PORT/STUDY; `token` as in fcps_client_open. A server that is away is waited for, at the beginning as later. */
fcps_status fcps_client_work(const char *url, const char *token, const fcps_problem_file *file,
                             const fcps_work_options *options, int64_t *done, fcps_error *error);

#endif
