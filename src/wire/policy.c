/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what a policy answers for a context, the outlook of a policy, and the health of its model. */
#include "base/memory.h"
#include "wire/wire.h"

#include <math.h>
#include <stdlib.h>

/* Puts the values of a context that are out of bounds; puts nothing if all are within. */
static void put_outside(fcps_json **object, const fcps_problem *p, const double *target, const double *environment)
{
  fcps_outside outside;
  if (!fcps_problem_outside(p, target, environment, 0, &outside)) return;
  fcps_json *list = fcps_json_array();
  for (int i = 0; fcps_problem_outside(p, target, environment, i, &outside); i++) {
    fcps_json *value = fcps_json_object();
    fcps_json_put(&value, "space", fcps_json_from_text(outside.space));
    fcps_json_put(&value, "name", fcps_json_from_text(outside.dimension->name));
    fcps_json_put(&value, "value", fcps_json_from_number(outside.value));
    fcps_json_put(&value, "lower", fcps_json_from_number(outside.dimension->lower));
    fcps_json_put(&value, "upper", fcps_json_from_number(outside.dimension->upper));
    fcps_json_add(&list, value);
  }
  fcps_json_put(object, "outside", list);
}

fcps_json *fcps_wire_prediction_write(const fcps_problem *p, const double *target, const double *environment,
                                      const double *parameters, const fcps_prediction *prediction)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "target", fcps_wire_numbers_write(&p->target, target));
  fcps_json_put(&object, "environment", fcps_wire_numbers_write(&p->environment, environment));
  fcps_json_put(&object, "parameters", fcps_wire_parameters_write(p, target, environment, parameters));
  if (prediction->has_reward) {
    fcps_json_put(&object, "predicted_reward", fcps_json_from_known(prediction->reward));
    fcps_json_put(&object, "predicted_reward_sd", fcps_json_from_known(prediction->reward_deviation));
  }
  if (prediction->has_reward) {
    fcps_json_put(&object, "chance_of_success", fcps_json_from_known(prediction->chance_of_success));
    fcps_json_put(&object, "chance_of_outcome", fcps_json_from_known(prediction->chance_of_outcome));
    fcps_json_put(&object, "success_reward", fcps_json_from_known(prediction->success_reward));
    fcps_json_put(&object, "success_reward_sd", fcps_json_from_known(prediction->success_reward_deviation));
    if (prediction->lacking_results > 0)
      fcps_json_put(&object, "lacking_results", fcps_json_from_integer(prediction->lacking_results));
  }
  if (prediction->has_outcome) {
    fcps_json_put(&object, "predicted_outcome", fcps_wire_numbers_write(&p->outcome, prediction->outcome));
    fcps_json_put(&object, "predicted_outcome_sd", fcps_wire_numbers_write(&p->outcome, prediction->outcome_deviation));
    fcps_wire_chances_put(&object, p, target, environment, parameters, prediction->outcome,
                          prediction->outcome_deviation);
  }
  put_outside(&object, p, target, environment);
  return object;
}

fcps_json *fcps_wire_answer_write(const fcps_problem *p, const fcps_policy *policy, const double *target,
                                  const double *environment, const double *parameters,
                                  const fcps_prediction *prediction)
{
  fcps_json *object = fcps_wire_prediction_write(p, target, environment, parameters, prediction);
  const char *lacks = fcps_wire_policy_lacks(policy);
  fcps_wire_units_put(&object, p);
  fcps_json_put_text(&object, "lacks", lacks);
  return object;
}

void fcps_wire_outlook_put(fcps_json **object, const fcps_problem *p, const fcps_outlook *o, const double *target,
                           const double *environment)
{
  fcps_json_put(object, "predicted_reward", fcps_json_from_known(o->reward));
  fcps_json_put(object, "predicted_reward_sd", fcps_json_from_known(o->deviation));
  fcps_json_put(object, "predicted_reward_reducible_sd", fcps_json_from_known(o->reducible_deviation));
  fcps_json_put(object, "worst_reward", fcps_json_from_known(o->worst_reward));
  fcps_json_put(object, "worst_target", fcps_wire_numbers_write(&p->target, target));
  fcps_json_put(object, "worst_environment", fcps_wire_numbers_write(&p->environment, environment));
  if (o->without_value > 0) fcps_json_put(object, "contexts_without_value", fcps_json_from_integer(o->without_value));
  if (o->low_chance > 0) fcps_json_put(object, "contexts_with_low_chance", fcps_json_from_integer(o->low_chance));
  fcps_json_put(object, "gain", fcps_json_from_known(o->gain));
  if (o->caution_cost > 0) fcps_json_put(object, "caution_cost", fcps_json_from_number(o->caution_cost));
  if (o->edge_gain > 0) fcps_json_put(object, "edge_gain", fcps_json_from_number(o->edge_gain));
  if (o->untried_gain > 0) fcps_json_put(object, "untried_gain", fcps_json_from_number(o->untried_gain));
  fcps_json_put(object, "converged", fcps_json_from_bool(o->is_converged));
}

/* Puts the length-scales of those dimensions of a space that are inputs of the model. */
static void put_lengths(fcps_json **object, const fcps_space *space, const double *lengths)
{
  for (int i = 0; i < space->count; i++)
    if (isfinite(lengths[i])) fcps_json_put(object, space->dims[i].name, fcps_json_from_number(lengths[i]));
}

static fcps_json *write_lengths(const fcps_problem *p, const fcps_health *h)
{
  fcps_json *object = fcps_json_object();
  put_lengths(&object, &p->environment, h->environment_lengths);
  put_lengths(&object, &p->target, h->target_lengths);
  put_lengths(&object, &p->parameters, h->parameter_lengths);
  return object;
}

/* Writes the structures that one Gaussian process believes in. */
static fcps_json *write_beliefs(const fcps_health *h)
{
  fcps_json *array = fcps_json_array();
  for (int i = 0; i < h->finding_count; i++) {
    fcps_json *one = fcps_json_object();
    fcps_json_put(&one, "name", fcps_json_from_text(h->findings[i].name));
    fcps_json_put(&one, "words", fcps_json_from_text(h->findings[i].words));
    fcps_json_put(&one, "log_odds", fcps_json_from_known(h->findings[i].log_odds));
    fcps_json_put(&one, "claimed", fcps_json_from_bool(h->findings[i].is_claimed));
    fcps_json_add(&array, one);
  }
  return array;
}

static fcps_json *write_process(const fcps_problem *p, const fcps_health *h)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "model", fcps_json_from_text(h->model));
  fcps_json_put(&object, "output", fcps_json_from_text(h->output));
  if (h->split_by != NULL) {
    fcps_json_put(&object, "split_by", fcps_json_from_text(h->split_by));
    fcps_json_put(&object, "side", fcps_json_from_text(h->is_upper_side ? "upper" : "lower"));
  }
  fcps_json_put(&object, "rollouts", fcps_json_from_integer(h->rollouts));
  fcps_json_put(&object, "others", fcps_json_from_integer(h->others));
  fcps_json_put(&object, h->is_noise_share ? "noise_share" : "noise", fcps_json_from_number(h->noise));
  if (h->most_noise > h->least_noise) {
    fcps_json_put(&object, h->is_noise_share ? "least_noise_share" : "least_noise",
                  fcps_json_from_number(h->least_noise));
    fcps_json_put(&object, h->is_noise_share ? "most_noise_share" : "most_noise", fcps_json_from_number(h->most_noise));
  }
  fcps_json_put(&object, "length_shares", write_lengths(p, h));
  fcps_json_put(&object, "jitter", fcps_json_from_number(h->jitter));
  fcps_json_put(&object, "fallback", h->fallback != NULL ? fcps_json_from_text(h->fallback) : fcps_json_null());
  fcps_json_put(&object, "structures", write_beliefs(h));
  return object;
}

fcps_json *fcps_wire_health_write(const fcps_problem *p, const fcps_policy *policy)
{
  const size_t width = (size_t)(p->environment.count + p->target.count + p->parameters.count);
  double *lengths = fcps_allocate(width, sizeof *lengths);
  if (lengths == NULL) return NULL;
  fcps_health health = {.environment_lengths = lengths,
                        .target_lengths = lengths + p->environment.count,
                        .parameter_lengths = lengths + p->environment.count + p->target.count};
  fcps_json *array = fcps_json_array();
  for (int i = 0; array != NULL && fcps_policy_health(policy, i, &health); i++)
    fcps_json_add(&array, write_process(p, &health));
  free(lengths);
  return array;
}

/* -- Checked models -- */

/* The numbers of a result are written by the names of the outputs, as in an outcome. */

static fcps_json *write_output(const fcps_checked_output *o)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "name", fcps_json_from_text(o->name));
  fcps_json_put(&object, "unit", fcps_json_from_text(o->unit));
  fcps_json_put(&object, "predicted", fcps_json_from_integer(o->predicted));
  fcps_json_put(&object, "covered", fcps_json_from_integer(o->covered));
  fcps_json_put(&object, "error", fcps_json_from_known(o->error));
  fcps_json_put(&object, "median_error", fcps_json_from_known(o->median_error));
  fcps_json_put(&object, "spread", fcps_json_from_known(o->spread));
  fcps_json_put(&object, "overconfident", fcps_json_from_bool(o->is_overconfident));
  fcps_json_put(&object, "careful", fcps_json_from_bool(o->is_careful));
  fcps_json_put(&object, "blind", fcps_json_from_bool(o->is_blind));
  fcps_json_put(&object, "noise_grows", fcps_json_from_bool(o->is_noise_growing));
  return object;
}

static fcps_json *write_values(const fcps_study_check *check, const double *values)
{
  fcps_json *object = fcps_json_object();
  for (int o = 0; o < check->output_count; o++)
    fcps_json_put(&object, check->outputs[o].name, fcps_json_from_known(values[o]));
  return object;
}

static fcps_json *write_result(const fcps_study_check *check, const fcps_checked_result *r)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "sequence", fcps_json_from_integer(r->sequence));
  fcps_json_put(&object, "ask", r->ask != FCPS_NOT_ASKED ? fcps_json_from_integer(r->ask) : fcps_json_null());
  fcps_json_put(&object, "result", fcps_json_from_integer(r->result_number));
  fcps_json_put(&object, "told", write_values(check, r->told));
  fcps_json_put(&object, "expected", write_values(check, r->expected));
  fcps_json_put(&object, "deviation", write_values(check, r->deviation));
  fcps_json_put(&object, "surprise", fcps_json_from_known(r->surprise));
  return object;
}

fcps_json *fcps_wire_check_write(const fcps_study_check *check)
{
  fcps_json *outputs = fcps_json_array(), *results = fcps_json_array(), *object = fcps_json_object();
  for (int i = 0; i < check->output_count; i++)
    fcps_json_add(&outputs, write_output(check->outputs + i));
  for (int i = 0; i < check->result_count; i++)
    fcps_json_add(&results, write_result(check, check->results + i));
  fcps_json_put(&object, "model", fcps_json_from_text(check->model));
  fcps_json_put(&object, "outputs", outputs);
  fcps_json_put(&object, "results", results);
  return object;
}
