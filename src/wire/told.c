/* SPDX-License-Identifier: Apache-2.0 */
/* What is told about a trial, as a request to a server: what fcps_wire_result_read reads, with the ask, who did it, and in
 * which way it failed. */
#include "wire/wire.h"

#include <math.h>

static void put_numbers(fcps_json **object, const char *key, const fcps_space *space, const double *values)
{
  if (values != NULL && space->count > 0) fcps_json_put(object, key, fcps_wire_numbers_write(space, values));
}

fcps_json *fcps_wire_told_write(const fcps_problem *p, int64_t ask, const fcps_result *result)
{
  const fcps_rollout *r = &result->rollout;
  fcps_json *object = fcps_json_object();
  if (ask != FCPS_NOT_ASKED) fcps_json_put(&object, "ask", fcps_json_from_integer(ask));
  if (ask == FCPS_NOT_ASKED) put_numbers(&object, "target", &p->target, r->target);
  put_numbers(&object, "environment", &p->environment, r->environment);
  put_numbers(&object, "executed", &p->parameters, r->parameters);
  const bool has_words = result->message != NULL && *result->message != '\0';
  if (r->status != FCPS_ROLLOUT_OK) /* an empty text would say that nothing failed */
    fcps_json_put(&object, "failed", has_words ? fcps_json_from_text(result->message) : fcps_json_from_bool(true));
  else if (p->outcome.count > 0)
    fcps_json_put(&object, "outcome", fcps_wire_numbers_write(&p->outcome, r->outcome));
  fcps_json_put(&object, "status", fcps_json_from_text(fcps_rollout_status_text(r->status)));
  if (r->status == FCPS_ROLLOUT_OK) put_numbers(&object, "outcome_sd", &p->outcome, r->outcome_deviation);
  if (p->reward == NULL && !isnan(r->reward)) fcps_json_put(&object, "reward", fcps_json_from_number(r->reward));
  if (p->reward == NULL && !isnan(r->hindsight_reward))
    fcps_json_put(&object, "hindsight_reward", fcps_json_from_number(r->hindsight_reward));
  if (result->client != NULL && *result->client != '\0')
    fcps_json_put(&object, "client", fcps_json_from_text(result->client));
  if (result->key != NULL) fcps_json_put(&object, "key", fcps_json_from_text(result->key));
  return object;
}
