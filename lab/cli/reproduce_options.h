/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `fcps reproduce`. */
#ifndef FCPS_CLI_REPRODUCE_OPTIONS_H
#define FCPS_CLI_REPRODUCE_OPTIONS_H

#include "cli/support/arguments.h"

typedef struct cli_reproduce_command {
  cli_argument_list names; /* experiments; of a single run, its label and seed */
  const char *seeds;       /* NULL: those of the files */
  const char *engine;      /* NULL: local */
  const char *directory;
  const char *sweep;   /* the file of a sweep, in place of names; NULL: none */
  const char *run_one; /* file of the experiment that one run is of; NULL: this is the whole */
  int64_t jobs;
  bool is_quick, as_json, is_quiet, no_cache; /* no_cache: rollouts are not kept between runs */
} cli_reproduce_command;

fcps_status cli_reproduce_command_parse(cli_reproduce_command *command, int argc, char **argv, fcps_error *error);

#endif
