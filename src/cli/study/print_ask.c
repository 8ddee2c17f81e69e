/* SPDX-License-Identifier: Apache-2.0 */
/* How an ask is shown. */
#include "cli/study/print_ask.h"

#include "cli/support/values.h"
#include "wire/wire.h"

void cli_ask_print(const fcps_problem *p, const fcps_ask *ask)
{
  printf("ask %lld%s\n  target       ", (long long)ask->id, ask->is_repeated ? " (unfinished, again)" : "");
  cli_values_print(stdout, &p->target, ask->target);
  printf("\n  environment  ");
  cli_values_print(stdout, &p->environment, ask->environment);
  printf("\n  parameters   ");
  cli_values_print(stdout, &p->parameters, ask->parameters);
  printf("\n");
}

fcps_json *cli_ask_json(const fcps_problem *p, const fcps_ask *ask)
{
  fcps_json *object = fcps_wire_ask_write(p, ask);
  fcps_json_put(&object, "repeated", fcps_json_from_bool(ask->is_repeated));
  return object;
}
