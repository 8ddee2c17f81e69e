/* SPDX-License-Identifier: Apache-2.0 */
/* The environment of a program: ours, with the number of its worker, and PYTHONUNBUFFERED=1 unless that is set. It is made before the fork, because nothing may be
 * allocated after it. */
#ifndef FCPS_RUN_PROGRAM_ENVIRONMENT_H
#define FCPS_RUN_PROGRAM_ENVIRONMENT_H

/* The variable that tells a program which of several it is, from 1. */
#define FCPS_PROGRAM_WORKER "FCPS_WORKER"

/* A copy of the environment of this process with these two; ends with NULL, one block to be freed with
 * fcps_free; NULL without memory. */
char **fcps_program_environment(int worker);

#endif
