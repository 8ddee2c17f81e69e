/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a policy for one context, as `fcps study best` and `fcps policy query` do. */
#ifndef FCPS_CLI_SUPPORT_QUERY_H
#define FCPS_CLI_SUPPORT_QUERY_H

#include "cli/support/arguments.h"

typedef struct fcps_query {
  const char *target, *environment; /* "x=3,y=4", as typed; may be NULL */
  bool as_json;
} fcps_query;

/* The rows that fill one. */
extern const fcps_argument fcps_query_arguments[];

/* Queries the policy for the context and prints the answer. */
fcps_status fcps_query_print(const fcps_query *query, fcps_policy *policy, const fcps_problem *problem,
                             fcps_error *error);

#endif
