/* SPDX-License-Identifier: Apache-2.0 */
/* The workers of a study, for `fcps study status`. */
#ifndef FCPS_CLI_STUDY_WORKERS_H
#define FCPS_CLI_STUDY_WORKERS_H

#include <fcps/study.h>

/* A line for each worker; nothing where there is none. */
void cli_workers_print(const fcps_study *study);

#endif
