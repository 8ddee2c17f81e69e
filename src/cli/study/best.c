/* SPDX-License-Identifier: Apache-2.0 */
/* `fcps study best` and `fcps policy`: what has been learnt, for one context. */
#include "cli/policy/query.h"

#include "base/error.h"
#include "base/number.h"
#include "cli/support/print_json.h"
#include "wire/wire.h"

#include <stdlib.h>

static void print_text(const fcps_problem *p, const double *target, const double *environment, const double *parameters,
                       const fcps_prediction *prediction)
{
  char mean[FCPS_NUMBER_SIZE], deviation[FCPS_NUMBER_SIZE];
  printf("target       ");
  fcps_values_print(stdout, &p->target, target);
  printf("\nenvironment  ");
  fcps_values_print(stdout, &p->environment, environment);
  printf("\nparameters   ");
  fcps_values_print(stdout, &p->parameters, parameters);
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

fcps_status fcps_cli_query(fcps_policy *policy, const fcps_problem *p, const char *target_text,
                           const char *environment_text, bool as_json, fcps_error *error)
{
  double *target = fcps_cli_numbers(p->target.count), *environment = fcps_cli_numbers(p->environment.count);
  double *parameters = fcps_cli_numbers(p->parameters.count);
  fcps_prediction prediction = {.outcome = fcps_cli_numbers(p->outcome.count),
                                .outcome_deviation = fcps_cli_numbers(p->outcome.count)};
  fcps_status status = fcps_values_read(&p->target, "--target", target_text, true, target, NULL, error);
  if (status == FCPS_OK)
    status = fcps_values_read(&p->environment, "--environment", environment_text, true, environment, NULL, error);
  if (status == FCPS_OK) {
    status = fcps_policy_query(policy, target, environment, parameters, &prediction);
    if (status != FCPS_OK) *error = *fcps_policy_error(policy);
  }
  if (status == FCPS_OK && as_json)
    status =
        fcps_cli_print_json(stdout, fcps_wire_prediction_write(p, target, environment, parameters, &prediction), error);
  else if (status == FCPS_OK)
    print_text(p, target, environment, parameters, &prediction);
  free(target);
  free(environment);
  free(parameters);
  free(prediction.outcome);
  free(prediction.outcome_deviation);
  return status;
}

static const fcps_argument table[] = {FCPS_QUERY_ARGUMENTS("STUDY"), {0}};

static const char doc[] = "Shows the best parameters known for a context, and what they are expected to earn.\v"
                          "Example, with examples/simulator/throw.yaml:\n"
                          "  fcps study best throw.fcps --target x=1,y=2 --environment wind=0\n";

int fcps_study_command_best(int argc, char **argv)
{
  fcps_query_arguments a = {0};
  fcps_study *study = NULL;
  fcps_policy *policy = NULL;
  fcps_status status = fcps_arguments_parse(table, doc, argc, argv, &a, &a.error);
  if (status == FCPS_OK) status = fcps_cli_open_study(&study, a.path, &a.error);
  if (status == FCPS_OK) status = fcps_study_policy(study, &policy, &a.error);
  if (status == FCPS_OK)
    status = fcps_cli_query(policy, fcps_study_problem(study), a.target, a.environment, a.as_json, &a.error);
  if (status == FCPS_OK) fcps_cli_warn_if_empty(study);
  fcps_policy_destroy(policy);
  fcps_study_close(study);
  return status != FCPS_OK ? fcps_cli_fail(&a.error) : 0;
}
