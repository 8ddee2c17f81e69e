/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a policy for one context (fcps_wire_answer_write), for people. */
#ifndef FCPS_CLI_SUPPORT_QUERY_H
#define FCPS_CLI_SUPPORT_QUERY_H

#include "format/json.h"

void cli_query_print(const fcps_json *answer);

#endif
