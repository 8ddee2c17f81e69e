/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a policy for one context: shared by `fcps study best` and `fcps policy query`. */
#ifndef FCPS_CLI_POLICY_QUERY_H
#define FCPS_CLI_POLICY_QUERY_H

#include "cli/study/study_cli.h"

typedef struct fcps_query_arguments {
  const char *path, *target, *environment;
  bool as_json;
  fcps_error error;
} fcps_query_arguments;

/* Rows of a table of arguments; `file` is what help calls the file. */
#define FCPS_QUERY_ARGUMENTS(file)                                                                                      \
  {FCPS_ARGUMENT_NEEDED, file, offsetof(fcps_query_arguments, path), 0, NULL, NULL},                                    \
      {FCPS_ARGUMENT_TEXT, "target", offsetof(fcps_query_arguments, target), 't', "NAME=NUMBER,...", "What is wished"}, \
      {FCPS_ARGUMENT_TEXT, "environment",  offsetof(fcps_query_arguments, environment), 'e',                            \
       "NAME=NUMBER,...",  "What is given"},                                                                            \
  {                                                                                                                     \
    FCPS_ARGUMENT_SWITCH, "json", offsetof(fcps_query_arguments, as_json), 'j', NULL, "One JSON object"                 \
  }

/* Queries the policy for the context in the two texts and prints the answer. */
fcps_status fcps_cli_query(fcps_policy *policy, const fcps_problem *problem, const char *target,
                           const char *environment, bool as_json, fcps_error *error);

#endif
