/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a policy for one context: shared by `fcps study best` and `fcps policy query`. */
#ifndef FCPS_CLI_POLICY_CLI_H
#define FCPS_CLI_POLICY_CLI_H

#include "cli/study_cli.h"

typedef struct fcps_query_arguments {
  const char *path, *target, *environment;
  bool as_json;
  fcps_error error;
} fcps_query_arguments;

extern const struct argp_option fcps_query_options[];
error_t fcps_query_parse(int key, char *text, struct argp_state *state);

/* Queries the policy for the context in the two texts and prints the answer. */
fcps_status fcps_cli_query(fcps_policy *policy, const fcps_problem *problem, const char *target,
                           const char *environment, bool as_json, fcps_error *error);

#endif
