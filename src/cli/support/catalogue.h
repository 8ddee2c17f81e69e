/* SPDX-License-Identifier: Apache-2.0 */
/* The experiments that come with the program, one YAML file each, and where the program itself is. */
#ifndef FCPS_CLI_SUPPORT_CATALOGUE_H
#define FCPS_CLI_SUPPORT_CATALOGUE_H

#include <fcps/experiment.h>

enum { FCPS_CATALOGUE_PATH = 4096 };

/* The path of the running program. */
fcps_status fcps_catalogue_program(char path[FCPS_CATALOGUE_PATH], fcps_error *error);

/* A growing list of open experiments; owns them. */
typedef struct fcps_catalogue {
  fcps_experiment **items;
  size_t count, capacity;
} fcps_catalogue;

/* Opens all experiments there are, in their order. One whose task needs a part that is not installed is left out, with
 * a message. */
fcps_status fcps_catalogue_open_all(fcps_catalogue *catalogue, fcps_error *error);

/* Opens one, by its name or by the path of its file, and adds it. */
fcps_status fcps_catalogue_open(fcps_catalogue *catalogue, const char *name, fcps_error *error);

void fcps_catalogue_destroy(fcps_catalogue *catalogue);

#endif
