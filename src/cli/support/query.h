/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a policy for one context, as `fcps study best` and `fcps policy query` do. */
#ifndef FCPS_CLI_SUPPORT_QUERY_H
#define FCPS_CLI_SUPPORT_QUERY_H

#include "cli/support/arguments.h"

typedef struct cli_query {
  const char *target, *environment; /* "x=3,y=4", as typed; may be NULL */
  bool as_json, is_strict;
} cli_query;

/* The rows that fill one. */
extern const cli_argument cli_query_arguments[];

/* Queries the policy for the context and prints the answer. */
fcps_status cli_query_print(const cli_query *query, fcps_policy *policy, const fcps_problem *problem,
                            fcps_error *error);

#endif
