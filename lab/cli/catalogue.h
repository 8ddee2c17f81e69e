/* SPDX-License-Identifier: Apache-2.0 */
/* The experiments that come with the program, one YAML file each, and the path of the program itself. */
#ifndef FCPS_LAB_CLI_CATALOGUE_H
#define FCPS_LAB_CLI_CATALOGUE_H

#include <fcps/lab/experiment.h>

enum { CLI_CATALOGUE_PATH = 4096 };

/* Writes the path of the running program. */
fcps_status cli_catalogue_program(char path[CLI_CATALOGUE_PATH], fcps_error *error);

/* A growing list of open experiments, which owns them. */
typedef struct cli_catalogue {
  fcps_experiment **items;
  size_t count, capacity;
} cli_catalogue;

/* Opens all experiments, in the order that their files give. If the task of an experiment needs a part that is not
 * installed, the experiment is left out, with a message. */
fcps_status cli_catalogue_open_all(cli_catalogue *catalogue, fcps_error *error);

/* Opens one experiment, by its name or by the path of its file, and adds it. */
fcps_status cli_catalogue_open(cli_catalogue *catalogue, const char *name, fcps_error *error);

void cli_catalogue_destroy(cli_catalogue *catalogue);

#endif
