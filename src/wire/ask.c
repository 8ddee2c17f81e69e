/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads asks and their contexts, and writes limits. */
#include "base/error.h"
#include "base/memory.h"
#include "problem/formula/conditions.h"
#include "wire/wire.h"

#include <fcps/problem.h>

#include <math.h>
#include <stdlib.h>

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

/* -- Limits: the chance that a trial keeps them, and how often trials broke them -- */

/* Puts "limits": {"apex": 0.97} and "chance_of_limits": 0.97. */
void fcps_wire_chances_put(fcps_json **object, const fcps_problem *p, const double *target, const double *environment,
                           const double *parameters, const double *outcome, const double *deviation)
{
  double chances[FCPS_SPACE_MAX], all;
  if (p->limit_count == 0 || p->limit_count > FCPS_SPACE_MAX || outcome == NULL ||
      fcps_problem_limit_chances(p, target, environment, parameters, outcome, deviation, chances, &all, NULL) !=
          FCPS_OK)
    return;
  fcps_json *limits = fcps_json_object();
  for (int i = 0; i < p->limit_count; i++)
    fcps_json_put(&limits, p->limits[i].name, fcps_json_from_known(chances[i]));
  fcps_json_put(object, "limits", limits);
  fcps_json_put(object, "chance_of_limits", fcps_json_from_known(all));
}

/* The results with an outcome, counted for one limit. */
typedef struct tally {
  int results, broken;
  int foretold, surprises; /* results whose ask had a prediction; of these, results that broke the limit */
  double expected;         /* how many of these the predictions expected to break it */
} tally;

static void count(const fcps_problem *p, const fcps_stored_result *stored, tally *tallies)
{
  const fcps_rollout *r = &stored->result.rollout;
  const fcps_expectation *e = &stored->expectation;
  double kept[FCPS_SPACE_MAX], chances[FCPS_SPACE_MAX], all;
  if (!stored->is_used || r->status != FCPS_ROLLOUT_OK || r->outcome == NULL ||
      fcps_problem_limit_chances(p, r->target, r->environment, r->parameters, r->outcome, NULL, kept, &all, NULL) !=
          FCPS_OK)
    return;
  const bool is_foretold =
      e->has_outcome && fcps_problem_limit_chances(p, r->target, r->environment, r->parameters, e->outcome,
                                                   e->outcome_deviation, chances, &all, NULL) == FCPS_OK;
  for (int i = 0; i < p->limit_count; i++) {
    tallies[i].results++;
    tallies[i].broken += !(kept[i] > 0.5);
    tallies[i].foretold += is_foretold;
    if (is_foretold) tallies[i].expected += 1.0 - chances[i];
    if (is_foretold) tallies[i].surprises += !(kept[i] > 0.5);
  }
}

/* Puts "limits": {"apex": {"results": 40, "broken": 2, "foretold": 35, "foretold_broken": 1, "expected": 1.4}}. */
void fcps_wire_limits_put(fcps_json **object, const fcps_study *study)
{
  const fcps_problem *p = fcps_study_problem(study);
  if (p->limit_count == 0 || p->limit_count > FCPS_SPACE_MAX) return;
  tally *tallies = fcps_allocate((size_t)p->limit_count, sizeof *tallies);
  if (tallies == NULL) return;
  for (int i = 0; i < fcps_study_result_count(study); i++) {
    fcps_stored_result stored;
    fcps_study_result_at(study, i, &stored);
    count(p, &stored, tallies);
  }
  fcps_json *limits = fcps_json_object();
  for (int i = 0; i < p->limit_count; i++) {
    fcps_json *one = fcps_json_object();
    fcps_json_put(&one, "results", fcps_json_from_integer(tallies[i].results));
    fcps_json_put(&one, "broken", fcps_json_from_integer(tallies[i].broken));
    fcps_json_put(&one, "foretold", fcps_json_from_integer(tallies[i].foretold));
    fcps_json_put(&one, "foretold_broken", fcps_json_from_integer(tallies[i].surprises));
    fcps_json_put(&one, "expected", fcps_json_from_known(tallies[i].expected));
    fcps_json_put(&limits, p->limits[i].name, one);
  }
  fcps_json_put(object, "limits", limits);
  free(tallies);
}

/* Writes the limits in the form of a problem file: {"apex": {"at_most": "1.2", "chance": 0.95}}. */
fcps_json *fcps_wire_limits_write(const fcps_problem *p)
{
  fcps_json *limits = fcps_json_object();
  for (int i = 0; i < p->limit_count; i++) {
    fcps_json *one = fcps_json_object();
    fcps_json_put_text(&one, "of", p->limits[i].of);
    fcps_json_put_text(&one, "at_most", p->limits[i].at_most);
    fcps_json_put_text(&one, "at_least", p->limits[i].at_least);
    fcps_json_put(&one, "chance", fcps_json_from_number(p->limits[i].chance));
    fcps_json_put(&limits, p->limits[i].name, one);
  }
  return limits;
}

/* Puts the numbers of a safe trial that are given; a context may be given in part. */
static void put_given(fcps_json **trial, const fcps_space *space, const double *values)
{
  for (int d = 0; values != NULL && d < space->count; d++)
    if (!isnan(values[d])) fcps_json_put(trial, space->dims[d].name, fcps_wire_value_write(&space->dims[d], values[d]));
}

fcps_json *fcps_wire_safe_write(const fcps_problem *p)
{
  fcps_json *list = fcps_json_array();
  for (int i = 0; i < p->safe_count; i++) {
    fcps_json *trial = fcps_json_object();
    put_given(&trial, &p->target, p->safe[i].target);
    put_given(&trial, &p->environment, p->safe[i].environment);
    put_given(&trial, &p->parameters, p->safe[i].parameters);
    fcps_json_add(&list, trial);
  }
  return list;
}
