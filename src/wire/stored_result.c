/* SPDX-License-Identifier: Apache-2.0 */
/* Stored results: one line each, in the log, in an export and while a run shows its episodes. */
#include "problem/deviation.h"
#include "wire/wire.h"

#include <math.h>

/* the numbers of a rollout, which stand side by side in every line */
static void put_numbers(fcps_json **object, const fcps_problem *p, const fcps_rollout *r)
{
  fcps_json_put(object, "target", fcps_wire_numbers_write(&p->target, r->target));
  fcps_json_put(object, "environment", fcps_wire_numbers_write(&p->environment, r->environment));
  fcps_json_put(object, "parameters", fcps_wire_numbers_write(&p->parameters, r->parameters));
  fcps_json_put(object, "outcome", fcps_wire_numbers_write(&p->outcome, r->outcome));
  if (r->outcome_deviation != NULL)
    fcps_json_put(object, "outcome_sd", fcps_wire_numbers_write(&p->outcome, r->outcome_deviation));
}

void fcps_wire_deviation_column(const fcps_problem *p, int outcome, char name[FCPS_WIRE_COLUMN_SIZE])
{
  fcps_rollout_deviation_column(p, outcome, name);
}

/* {"outcome": "volume", "expected": 35, "deviation": 2} */
static void put_suspicion(fcps_json **object, const fcps_problem *p, const fcps_stored_result *stored)
{
  fcps_json *suspicion = fcps_json_object();
  fcps_json_put(&suspicion, "outcome", fcps_json_from_text(p->outcome.dims[stored->suspect_outcome].name));
  fcps_json_put(&suspicion, "expected", fcps_json_from_number(stored->expected));
  fcps_json_put(&suspicion, "deviation", fcps_json_from_number(stored->expected_deviation));
  fcps_json_put(object, "suspect", suspicion);
}

fcps_json *fcps_wire_stored_result_write(const fcps_problem *p, const fcps_stored_result *stored)
{
  const fcps_result *result = &stored->result;
  const fcps_rollout *r = &result->rollout;
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "result", fcps_json_from_integer(stored->sequence));
  fcps_json_put(&object, "ask", stored->ask != FCPS_NOT_ASKED ? fcps_json_from_integer(stored->ask) : fcps_json_null());
  fcps_json_put(&object, "status", fcps_json_from_text(fcps_rollout_ending_text(p, r)));
  put_numbers(&object, p, r);
  fcps_json_put(&object, "reward", isfinite(r->reward) ? fcps_json_from_number(r->reward) : fcps_json_null());
  fcps_wire_expectation_put(&object, p, r->target, r->environment, r->parameters, &stored->expectation);
  if (isfinite(r->hindsight_reward))
    fcps_json_put(&object, "hindsight_reward", fcps_json_from_number(r->hindsight_reward));
  fcps_json_put(&object, "evidence", fcps_json_from_integer(stored->result_number));
  fcps_json_put(&object, "used", fcps_json_from_bool(stored->is_used));
  fcps_json_put(&object, "flagged", fcps_json_from_bool(stored->is_flagged));
  if (stored->is_suspect) put_suspicion(&object, p, stored);
  if (stored->result.rollout.is_confirmed) fcps_json_put(&object, "confirmed", fcps_json_from_bool(true));
  fcps_json_put(&object, "client", fcps_json_from_text(result->client));
  fcps_json_put(&object, "message", fcps_json_from_text(result->message));
  if (result->key != NULL) fcps_json_put(&object, "key", fcps_json_from_text(result->key));
  return object;
}

fcps_json *fcps_wire_episode_write(const fcps_problem *p, int64_t episode, const fcps_stored_result *stored)
{
  const fcps_rollout *r = &stored->result.rollout;
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "episode", fcps_json_from_integer(episode));
  fcps_json_put(&object, "ask", fcps_json_from_integer(stored->ask));
  put_numbers(&object, p, r);
  fcps_json_put(&object, "reward", fcps_json_from_known(r->reward));
  fcps_json_put(&object, "status", fcps_json_from_text(fcps_rollout_ending_text(p, r)));
  return object;
}
