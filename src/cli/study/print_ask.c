/* SPDX-License-Identifier: Apache-2.0 */
/* How an ask is shown. */
#include "cli/study/print_ask.h"

#include "base/number.h"
#include "cli/support/shown.h"
#include "cli/support/values.h"
#include "wire/wire.h"

/* What was predicted of it, if anything was. */
static void print_expectation(const fcps_problem *p, const fcps_expectation *e)
{
  char mean[FCPS_NUMBER_SIZE], deviation[FCPS_NUMBER_SIZE];
  const double chance = e->chance_of_success * e->chance_of_outcome;
  if (!e->has_outcome && !e->has_reward) return;
  printf("  expected    ");
  for (int i = 0; e->has_outcome && i < p->outcome.count; i++)
    printf(" %s=%s +- %s", cli_shown(p->outcome.dims[i].name), fcps_number_show(e->outcome[i], mean),
           fcps_number_show(e->outcome_deviation[i], deviation));
  if (e->has_reward)
    printf("%s reward %s +- %s", e->has_outcome ? "," : "", fcps_number_show(e->reward, mean),
           fcps_number_show(e->reward_deviation, deviation));
  if (chance < 1.0) printf(", with chance %.2f", chance);
  printf("\n");
}

void cli_ask_print(const fcps_problem *p, const fcps_ask *ask)
{
  printf("ask %lld%s\n  target       ", (long long)ask->id, ask->is_repeated ? " (unfinished, again)" : "");
  cli_values_print(stdout, &p->target, ask->target);
  printf("\n  environment  ");
  cli_values_print(stdout, &p->environment, ask->environment);
  printf("\n  parameters   ");
  cli_values_print(stdout, &p->parameters, ask->parameters);
  printf("\n");
  print_expectation(p, &ask->expectation);
}

fcps_json *cli_ask_json(const fcps_problem *p, const fcps_ask *ask)
{
  fcps_json *object = fcps_wire_ask_write(p, ask);
  fcps_json_put(&object, "repeated", fcps_json_from_bool(ask->is_repeated));
  return object;
}
