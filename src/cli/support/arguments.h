/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a command as a table: each row is an option or an argument, and says where its value goes. */
#ifndef FCPS_CLI_SUPPORT_ARGUMENTS_H
#define FCPS_CLI_SUPPORT_ARGUMENTS_H

#include "cli/support/cli.h"

#include <stddef.h>

typedef enum fcps_argument_kind {
  FCPS_ARGUMENT_NEEDED,  /* const char *: without an option, in the order of the rows */
  FCPS_ARGUMENT_LEFT,    /* the same, may be left out; after those that are needed */
  FCPS_ARGUMENT_TEXT,    /* const char *: the value of an option */
  FCPS_ARGUMENT_SWITCH,  /* bool: an option without a value */
  FCPS_ARGUMENT_COUNT,   /* int64_t, not negative */
  FCPS_ARGUMENT_SETTINGS /* fcps_setting_list: may be repeated */
} fcps_argument_kind;

typedef struct fcps_argument {
  fcps_argument_kind kind;
  const char *name; /* of the option; or what help calls the argument */
  size_t place;     /* offset of the value in the command's struct */
  char letter;      /* short form of the option; 0: none */
  const char *value, *help;
} fcps_argument;

/* Fills `values` from the arguments; the table ends with a row without a name. `doc` is for argp. */
fcps_status fcps_arguments_parse(const fcps_argument *table, const char *doc, int argc, char **argv, void *values,
                                 fcps_error *error);

#endif
