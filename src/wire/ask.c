/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads asks and their contexts. */
#include "wire/wire.h"

#include "base/error.h"
#include "problem/formula/conditions.h"

fcps_json *fcps_wire_trial_write(const fcps_problem *p, const fcps_ask *ask)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "ask", fcps_json_from_integer(ask->id));
  fcps_json_put(&object, "target", fcps_wire_numbers_write(&p->target, ask->target));
  fcps_json_put(&object, "environment", fcps_wire_numbers_write(&p->environment, ask->environment));
  fcps_json_put(&object, "parameters", fcps_wire_parameters_write(p, ask->target, ask->environment, ask->parameters));
  fcps_wire_cost_put(&object, p, ask->target, ask->environment, ask->parameters);
  return object;
}

void fcps_wire_cost_put(fcps_json **object, const fcps_problem *p, const double *target, const double *environment,
                        const double *parameters)
{
  double cost;
  if (p->cost != NULL && fcps_problem_cost(p, target, environment, parameters, &cost, NULL) == FCPS_OK)
    fcps_json_put(object, "cost", fcps_json_from_number(cost));
}

/* Puts the known numbers of an expectation under "expected": {"outcome": {...}, "outcome_sd": {...}, "reward": -0.2,
 * ...}. */
void fcps_wire_expectation_put(fcps_json **object, const fcps_problem *p, const double *target,
                               const double *environment, const double *parameters, const fcps_expectation *e)
{
  if (!e->has_outcome && !e->has_reward) return;
  fcps_json *expected = fcps_json_object();
  if (e->has_outcome) {
    fcps_json_put(&expected, "outcome", fcps_wire_numbers_write(&p->outcome, e->outcome));
    fcps_json_put(&expected, "outcome_sd", fcps_wire_numbers_write(&p->outcome, e->outcome_deviation));
  }
  if (e->has_reward) {
    fcps_json_put(&expected, "reward", fcps_json_from_number(e->reward));
    fcps_json_put(&expected, "reward_sd", fcps_json_from_number(e->reward_deviation));
  }
  fcps_json_put(&expected, "chance_of_success", fcps_json_from_number(e->chance_of_success));
  fcps_json_put(&expected, "chance_of_outcome", fcps_json_from_number(e->chance_of_outcome));
  if (e->has_outcome)
    fcps_wire_chances_put(&expected, p, target, environment, parameters, e->outcome, e->outcome_deviation);
  fcps_json_put(object, "expected", expected);
}

fcps_json *fcps_wire_ask_write(const fcps_problem *p, const fcps_ask *ask)
{
  fcps_json *object = fcps_wire_trial_write(p, ask);
  fcps_wire_expectation_put(&object, p, ask->target, ask->environment, ask->parameters, &ask->expectation);
  return object;
}

static bool read_numbers(const fcps_json *json, const char *first, double *a, const char *second, double *b)
{
  return fcps_json_number(fcps_json_get(json, first), a) && fcps_json_number(fcps_json_get(json, second), b);
}

/* Reads "expected"; `numbers` has room for the outcome and its deviations. */
static fcps_status read_expectation(const fcps_problem *p, const fcps_json *json, double *numbers, fcps_expectation *e,
                                    fcps_error *error)
{
  *e = (fcps_expectation){.has_outcome = fcps_json_get(json, "outcome") != NULL,
                          .has_reward = fcps_json_get(json, "reward") != NULL};
  if (json == NULL) return FCPS_OK;
  if ((e->has_reward && !read_numbers(json, "reward", &e->reward, "reward_sd", &e->reward_deviation)) ||
      !read_numbers(json, "chance_of_success", &e->chance_of_success, "chance_of_outcome", &e->chance_of_outcome))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "STUDY", "the server's ask expects something that is not a number");
  if (!e->has_outcome) return FCPS_OK;
  e->outcome = numbers;
  e->outcome_deviation = numbers + p->outcome.count;
  const fcps_status status =
      fcps_wire_numbers_read(&p->outcome, "outcome", fcps_json_get(json, "outcome"), numbers, error);
  if (status != FCPS_OK) return status;
  return fcps_wire_numbers_read(&p->outcome, "outcome_sd", fcps_json_get(json, "outcome_sd"),
                                numbers + p->outcome.count, error);
}

fcps_status fcps_wire_context_read(const fcps_problem *p, const fcps_json *json, double *target, double *environment,
                                   fcps_error *error)
{
  fcps_status status = FCPS_OK;
  if (p->target.count)
    status = fcps_wire_numbers_read(&p->target, "target", fcps_json_get(json, "target"), target, error);
  if (status == FCPS_OK && p->environment.count)
    status =
        fcps_wire_numbers_read(&p->environment, "environment", fcps_json_get(json, "environment"), environment, error);
  return status;
}

int fcps_wire_ask_width(const fcps_problem *p)
{
  return p->target.count + p->environment.count + p->parameters.count + 2 * p->outcome.count;
}

fcps_status fcps_wire_ask_read(const fcps_problem *p, const fcps_json *json, double *numbers, fcps_ask *ask,
                               fcps_error *error)
{
  double *environment = numbers + p->target.count, *parameters = environment + p->environment.count;
  *ask = (fcps_ask){.target = numbers, .environment = environment, .parameters = parameters, .client = ""};
  if (!fcps_json_integer(fcps_json_get(json, "ask"), &ask->id) ||
      !fcps_json_bool(fcps_json_get(json, "repeated"), &ask->is_repeated))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "STUDY", "the server did not answer with an ask");
  fcps_status status = fcps_wire_context_read(p, json, numbers, environment, error);
  if (status == FCPS_OK)
    status = read_expectation(p, fcps_json_get(json, "expected"), parameters + p->parameters.count, &ask->expectation,
                              error);
  if (status != FCPS_OK || p->parameters.count == 0) return status;
  status = fcps_wire_numbers_read(&p->parameters, "parameters", fcps_json_get(json, "parameters"), parameters, error);
  return status == FCPS_OK ? fcps_problem_rest(p, numbers, environment, parameters, error) : status;
}
