/* SPDX-License-Identifier: Apache-2.0 */
/* A number that means nothing yet is for programs, which are told so; people see words in its place. */
#include "cli/support/query.h"

#include "base/number.h"
#include "cli/support/shown.h"
#include "cli/support/values.h"

#include <math.h>
#include <stdio.h>

static double number_of(const fcps_json *answer, const char *key)
{
  double value = NAN;
  (void)fcps_json_number(fcps_json_get(answer, key), &value);
  return value;
}

/* a chance where something may go wrong */
static void print_chance(const char *what, double chance)
{
  if (chance < 1.0) printf("\n%-13s with chance %.2f", what, chance);
}

static void print_part(const char *label, const fcps_json *answer, const char *key)
{
  printf("%s", label);
  cli_numbers_print(stdout, fcps_json_get(answer, key), answer);
}

static void print_reward(const fcps_json *answer, int lacking, bool may_go_wrong)
{
  const double reward = number_of(answer, "predicted_reward");
  const char *lacks = fcps_json_text(fcps_json_get(answer, "lacks"));
  char mean[FCPS_NUMBER_SIZE], deviation[FCPS_NUMBER_SIZE];
  if (isnan(reward)) {
    printf("\nreward       %s",
           lacks != NULL ? cli_shown(lacks) : "none: the reward of what is expected to happen has no value");
    return;
  }
  if (lacking > 0) {
    printf("\nreward       too few results to say: %d more %s needed", lacking, lacking == 1 ? "is" : "are");
    return;
  }
  printf("\nreward       %s +- %s%s", fcps_number_show(reward, mean),
         fcps_number_show(number_of(answer, "predicted_reward_sd"), deviation),
         may_go_wrong ? " (with what may go wrong)" : "");
  if (may_go_wrong)
    printf("\n  ends well  %s +- %s if it does", fcps_number_show(number_of(answer, "success_reward"), mean),
           fcps_number_show(number_of(answer, "success_reward_sd"), deviation));
}

void cli_query_print(const fcps_json *answer)
{
  const double success = number_of(answer, "chance_of_success"), outcome = number_of(answer, "chance_of_outcome");
  int64_t lacking = 0;
  (void)fcps_json_integer(fcps_json_get(answer, "lacking_results"), &lacking);
  print_part("target       ", answer, "target");
  print_part("\nenvironment  ", answer, "environment");
  print_part("\nparameters   ", answer, "parameters");
  if (fcps_json_get(answer, "predicted_reward") != NULL)
    print_reward(answer, (int)lacking, success < 1.0 || outcome < 1.0);
  print_chance("does not fail", success);
  print_chance("has outcome", outcome);
  if (fcps_json_get(answer, "predicted_outcome") != NULL) {
    print_part("\noutcome      ", answer, "predicted_outcome");
    if (lacking == 0) print_part("\n  deviation  ", answer, "predicted_outcome_sd");
  }
  const fcps_json *limits = fcps_json_get(answer, "limits");
  for (int i = 0; i < fcps_json_count(limits); i++)
    printf("\n%-12s %s with chance %.3f", i == 0 ? "keeps" : "", cli_shown(fcps_json_key(limits, i)),
           number_of(limits, fcps_json_key(limits, i)));
  printf("\n");
}
