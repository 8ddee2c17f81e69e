/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a policy for one context, for people and for programs. */
#include "cli/support/query.h"

#include "base/number.h"
#include "cli/support/log.h"
#include "cli/support/print_json.h"
#include "cli/support/values.h"
#include "wire/status.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>

const cli_argument cli_query_arguments[] = {
    {CLI_ARGUMENT_TEXT, "target", offsetof(cli_query, target), 't', "NAME=NUMBER,...",
     .help = "The target: what you want to happen"},
    {CLI_ARGUMENT_TEXT, "environment", offsetof(cli_query, environment), 'e', "NAME=NUMBER,...",
     .help = "The environment: the situation that is given"},
    {CLI_ARGUMENT_SWITCH, "json", offsetof(cli_query, as_json), 'j', .help = "Print one JSON object"},
    {CLI_ARGUMENT_SWITCH, "strict", offsetof(cli_query, is_strict),
     .help = "Refuse a context outside its bounds; else it is answered with a warning"},
    {0}};

/* A chance where something may go wrong. */
static void print_chance(const char *what, double chance)
{
  if (chance < 1.0) printf("\n%-13s with chance %.2f", what, chance);
}

static bool may_go_wrong(const fcps_prediction *prediction)
{
  return prediction->chance_of_success < 1.0 || prediction->chance_of_outcome < 1.0;
}

/* `lacks` is what the policy lacks; NULL: nothing. */
static void print_text(const fcps_problem *p, const cli_points *at, const fcps_prediction *prediction,
                       const char *lacks)
{
  char mean[FCPS_NUMBER_SIZE], deviation[FCPS_NUMBER_SIZE];
  printf("target       ");
  cli_values_print(stdout, &p->target, at->target);
  printf("\nenvironment  ");
  cli_values_print(stdout, &p->environment, at->environment);
  printf("\nparameters   ");
  cli_values_print(stdout, &p->parameters, at->parameters);
  /* numbers that mean nothing yet are for programs, which are told so */
  const bool has_too_few = prediction->has_reward && !isnan(prediction->reward) && prediction->lacking_results > 0;
  if (has_too_few)
    printf("\nreward       too few results to say: %d more %s needed", prediction->lacking_results,
           prediction->lacking_results == 1 ? "is" : "are");
  else if (prediction->has_reward && isnan(prediction->reward))
    printf("\nreward       %s", lacks != NULL ? lacks : "none: the reward of what is expected to happen has no value");
  else if (prediction->has_reward)
    printf("\nreward       %s +- %s%s", fcps_number_show(prediction->reward, mean),
           fcps_number_show(prediction->reward_deviation, deviation),
           may_go_wrong(prediction) ? " (with what may go wrong)" : "");
  if (!isnan(prediction->reward) && !has_too_few && may_go_wrong(prediction))
    printf("\n  ends well  %s +- %s if it does", fcps_number_show(prediction->success_reward, mean),
           fcps_number_show(prediction->success_reward_deviation, deviation));
  print_chance("does not fail", prediction->chance_of_success);
  print_chance("has outcome", prediction->chance_of_outcome);
  if (prediction->has_outcome) {
    printf("\noutcome      ");
    cli_values_print(stdout, &p->outcome, prediction->outcome);
  }
  if (prediction->has_outcome && prediction->lacking_results == 0) {
    printf("\n  deviation  ");
    cli_values_print(stdout, &p->outcome, prediction->outcome_deviation);
  }
  printf("\n");
}

static fcps_status answer(const cli_query *query, fcps_policy *policy, const fcps_problem *p, cli_points *at,
                          fcps_prediction *prediction, fcps_error *error)
{
  fcps_status status = cli_values_read(p, &p->target, "--target", query->target, true, at->target, NULL, error);
  if (status == FCPS_OK)
    status =
        cli_values_read(p, &p->environment, "--environment", query->environment, true, at->environment, NULL, error);
  if (status != FCPS_OK) return status;
  fcps_policy_set_strict(policy, query->is_strict);
  fcps_policy_set_log(policy, cli_log);
  status = fcps_policy_query(policy, at->target, at->environment, at->parameters, prediction);
  if (status != FCPS_OK) *error = *fcps_policy_error(policy);
  return status;
}

fcps_status cli_query_print(const cli_query *query, fcps_policy *policy, const fcps_problem *p, fcps_error *error)
{
  cli_points at = {0}, deviations = {0};
  fcps_status status = cli_points_create(&at, p, 1, error);
  if (status == FCPS_OK) status = cli_points_create(&deviations, p, 1, error);
  fcps_prediction prediction = {.outcome = at.outcome, .outcome_deviation = deviations.outcome};
  if (status == FCPS_OK) status = answer(query, policy, p, &at, &prediction, error);
  if (status == FCPS_OK && query->as_json)
    status = cli_print_json(
        stdout, fcps_wire_prediction_write(p, at.target, at.environment, at.parameters, &prediction), error);
  else if (status == FCPS_OK)
    print_text(p, &at, &prediction, fcps_wire_policy_lacks(policy));
  cli_points_destroy(&at);
  cli_points_destroy(&deviations);
  return status;
}
