/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of a policy for one context, for people and for programs. */
#include "cli/support/query.h"

#include "base/error.h"
#include "base/number.h"
#include "cli/support/points.h"
#include "cli/support/print_json.h"
#include "cli/support/values.h"
#include "wire/wire.h"

#include <stdio.h>

const fcps_argument fcps_query_arguments[] = {
    {FCPS_ARGUMENT_TEXT, "target", offsetof(fcps_query, target), 't', "NAME=NUMBER,...",
     .help = "The target: what you want to happen"},
    {FCPS_ARGUMENT_TEXT, "environment", offsetof(fcps_query, environment), 'e', "NAME=NUMBER,...",
     .help = "The environment: the situation that is given"},
    {FCPS_ARGUMENT_SWITCH, "json", offsetof(fcps_query, as_json), 'j', .help = "Print one JSON object"},
    {0}};

static void print_text(const fcps_problem *p, const fcps_points *at, const fcps_prediction *prediction)
{
  char mean[FCPS_NUMBER_SIZE], deviation[FCPS_NUMBER_SIZE];
  printf("target       ");
  fcps_values_print(stdout, &p->target, at->target);
  printf("\nenvironment  ");
  fcps_values_print(stdout, &p->environment, at->environment);
  printf("\nparameters   ");
  fcps_values_print(stdout, &p->parameters, at->parameters);
  if (prediction->has_reward)
    printf("\nreward       %s +- %s", fcps_number_write(prediction->reward, mean),
           fcps_number_write(prediction->reward_deviation, deviation));
  if (prediction->has_outcome) {
    printf("\noutcome      ");
    fcps_values_print(stdout, &p->outcome, prediction->outcome);
    printf("\n  deviation  ");
    fcps_values_print(stdout, &p->outcome, prediction->outcome_deviation);
  }
  printf("\n");
}

static fcps_status answer(const fcps_query *query, fcps_policy *policy, const fcps_problem *p, fcps_points *at,
                          fcps_prediction *prediction, fcps_error *error)
{
  fcps_status status = fcps_values_read(&p->target, "--target", query->target, true, at->target, NULL, error);
  if (status == FCPS_OK)
    status = fcps_values_read(&p->environment, "--environment", query->environment, true, at->environment, NULL, error);
  if (status != FCPS_OK) return status;
  status = fcps_policy_query(policy, at->target, at->environment, at->parameters, prediction);
  if (status != FCPS_OK) *error = *fcps_policy_error(policy);
  return status;
}

fcps_status fcps_query_print(const fcps_query *query, fcps_policy *policy, const fcps_problem *p, fcps_error *error)
{
  fcps_points at = {0}, deviations = {0};
  fcps_status status = fcps_points_create(&at, p, 1, error);
  if (status == FCPS_OK) status = fcps_points_create(&deviations, p, 1, error);
  fcps_prediction prediction = {.outcome = at.outcome, .outcome_deviation = deviations.outcome};
  if (status == FCPS_OK) status = answer(query, policy, p, &at, &prediction, error);
  if (status == FCPS_OK && query->as_json)
    status = fcps_cli_print_json(
        stdout, fcps_wire_prediction_write(p, at.target, at.environment, at.parameters, &prediction), error);
  else if (status == FCPS_OK)
    print_text(p, &at, &prediction);
  fcps_points_destroy(&at);
  fcps_points_destroy(&deviations);
  return status;
}
