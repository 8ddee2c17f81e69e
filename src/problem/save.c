/* SPDX-License-Identifier: Apache-2.0 */
/* Spaces and rollouts as JSON, read back with the same bits. A dimension and a rollout are arrays, whose order is
 * written above each function. Scales and statuses are written by name. */
#include "problem/save.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"

#include <stdlib.h>
#include <string.h>

static fcps_json *write_texts(int count, const char *const *texts)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < count; i++)
    fcps_json_add(&json, fcps_json_from_text(texts[i]));
  return json;
}

void fcps_problem_put_choices(fcps_json **object, const fcps_choices *choices)
{
  const int properties = choices->property_count;
  fcps_json_put(object, "choices", write_texts(choices->count, choices->words));
  if (choices->is_ordered) fcps_json_put(object, "ordered", fcps_json_from_bool(true));
  if (choices->is_alike) fcps_json_put(object, "alike", fcps_json_from_bool(true));
  fcps_json *known = fcps_json_object();
  for (int p = 0; p < properties; p++) {
    fcps_json *values = fcps_json_array();
    for (int i = 0; i < choices->count; i++)
      fcps_json_add(&values, fcps_json_from_number(choices->known[i * properties + p]));
    fcps_json_put(&known, choices->properties[p], values);
  }
  if (properties > 0)
    fcps_json_put(object, "known", known);
  else
    fcps_json_destroy(known);
}

/* Writes [name, lower, upper, period, scale, unit], and then the step, the choices and the condition if there are
 * any. */
static fcps_json *write_dimension(const fcps_dimension *dim)
{
  fcps_json *json = fcps_json_array();
  fcps_json_add(&json, fcps_json_from_text(dim->name));
  fcps_json_add(&json, fcps_json_from_number(dim->lower));
  fcps_json_add(&json, fcps_json_from_number(dim->upper));
  fcps_json_add(&json, fcps_json_from_number(dim->period));
  fcps_json_add(&json, fcps_json_from_text(fcps_scale_name((int)dim->scale)));
  fcps_json_add(&json, fcps_json_from_text(dim->unit != NULL ? dim->unit : ""));
  if (dim->step != 0) fcps_json_add(&json, fcps_json_from_number(dim->step));
  if (dim->choices != NULL) {
    fcps_json *choices = fcps_json_object();
    fcps_problem_put_choices(&choices, dim->choices);
    fcps_json_add(&json, choices);
  }
  if (dim->when != NULL) {
    fcps_json *condition = fcps_json_object();
    fcps_json_put(&condition, "when", fcps_json_from_text(dim->when));
    fcps_json_add(&json, condition);
  }
  return json;
}

static fcps_json *write_space(const fcps_space *space)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < space->count; i++)
    fcps_json_add(&json, write_dimension(space->dims + i));
  return json;
}

fcps_json *fcps_problem_write_spaces(const fcps_problem *problem)
{
  fcps_json *json = fcps_json_object();
  fcps_json_put(&json, "target", write_space(&problem->target));
  fcps_json_put(&json, "environment", write_space(&problem->environment));
  fcps_json_put(&json, "parameters", write_space(&problem->parameters));
  fcps_json_put(&json, "outcome", write_space(&problem->outcome));
  if (problem->constraint_count > 0)
    fcps_json_put(&json, "constraints", write_texts(problem->constraint_count, problem->constraints));
  return json;
}

fcps_status fcps_problem_take_constraints(fcps_problem *problem, const fcps_json *spaces, fcps_error *error)
{
  const fcps_json *saved = fcps_json_get(spaces, "constraints");
  const int count = saved != NULL ? fcps_json_count(saved) : 0;
  const char **texts = fcps_allocate((size_t)count, sizeof *texts);
  if (texts == NULL) return fcps_error_memory(error);
  fcps_status status = FCPS_OK;
  for (int i = 0; i < count && status == FCPS_OK; i++)
    if ((texts[i] = fcps_json_text(fcps_json_at(saved, i))) == NULL)
      status = fcps_error_set(error, FCPS_ERR_FORMAT, "constraints", "the saved text has one that is not a formula");
  if (status == FCPS_OK && count > 0) {
    fcps_problem with = *problem;
    with.constraint_count = count;
    with.constraints = texts;
    status = fcps_problem_check(&with, error);
  }
  if (status == FCPS_OK && count > 0) {
    fcps_problem_free_constraints(problem);
    status = fcps_problem_copy_constraints(problem, count, texts) == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
  }
  free(texts);
  return status;
}

/* Compares the texts of two values; equal spaces have equal texts. Returns false if there is no memory. */
static bool same_text(const fcps_json *a, const fcps_json *b, bool *same)
{
  char *text_a = fcps_json_write(a), *text_b = fcps_json_write(b);
  const bool ok = text_a != NULL && text_b != NULL;
  if (ok) *same = strcmp(text_a, text_b) == 0;
  fcps_free(text_a);
  fcps_free(text_b);
  return ok;
}

/* -- Comparing -- */

/* Returns the name of a written dimension; "" if it has none. */
static const char *name_of(const fcps_json *dimension)
{
  const char *name = dimension != NULL ? fcps_json_text(fcps_json_at(dimension, 0)) : NULL;
  return name != NULL ? name : "";
}

/* Refuses a saved space, and names the first dimension that differs. */
static fcps_status refuse_space(const char *space, const fcps_json *own, const fcps_json *saved, fcps_error *error)
{
  static const char remedy[] = "load it with its own problem";
  int i = 0;
  bool same = true;
  while (fcps_json_at(own, i) != NULL && fcps_json_at(saved, i) != NULL && same) {
    if (!same_text(fcps_json_at(own, i), fcps_json_at(saved, i), &same)) return fcps_error_memory(error);
    i += same;
  }
  const char *here = name_of(fcps_json_at(own, i)), *there = name_of(fcps_json_at(saved, i));
  if (*there == '\0')
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, space, "the saved text has no \"%s\"; %s", here, remedy);
  if (*here == '\0')
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, space, "the saved text also has \"%s\"; %s", there, remedy);
  if (strcmp(here, there) != 0)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, space,
                          "the saved text has \"%s\" where the problem has \"%s\"; %s", there, here, remedy);
  return fcps_error_set(
      error, FCPS_ERR_UNSUPPORTED, space,
      "in the saved text \"%s\" has other bounds or words, or another period, scale, unit, step or condition; %s", here,
      remedy);
}

fcps_status fcps_problem_match_spaces(const fcps_problem *problem, const fcps_json *spaces, fcps_error *error)
{
  static const char *const names[] = {"target", "environment", "parameters", "outcome"};
  fcps_json *own = fcps_problem_write_spaces(problem);
  fcps_status status = own != NULL ? FCPS_OK : fcps_error_memory(error);
  for (int i = 0; i < 4 && status == FCPS_OK; i++) {
    const fcps_json *saved = fcps_json_get(spaces, names[i]);
    bool same = false;
    if (saved == NULL)
      status = fcps_error_set(error, FCPS_ERR_FORMAT, names[i], "the saved text has no such space");
    else if (!same_text(fcps_json_get(own, names[i]), saved, &same))
      status = fcps_error_memory(error);
    else if (!same)
      status = refuse_space(names[i], fcps_json_get(own, names[i]), saved, error);
  }
  fcps_json_destroy(own);
  return status;
}

/* Writes [target, environment, parameters, outcome or null, reward, hindsight, status], then the deviations of the
 * outcome if they are known, and true if it was confirmed. */
static fcps_json *write_rollout(const fcps_rollouts *rollouts, int index)
{
  const fcps_rollout r = fcps_rollouts_at(rollouts, index);
  fcps_json *json = fcps_json_array();
  fcps_json_add(&json, fcps_json_from_numbers(rollouts->target_width, r.target));
  fcps_json_add(&json, fcps_json_from_numbers(rollouts->environment_width, r.environment));
  fcps_json_add(&json, fcps_json_from_numbers(rollouts->parameters_width, r.parameters));
  fcps_json_add(&json,
                r.outcome != NULL ? fcps_json_from_numbers(rollouts->outcome_width, r.outcome) : fcps_json_null());
  fcps_json_add(&json, fcps_json_from_number(r.reward));
  fcps_json_add(&json, fcps_json_from_number(r.hindsight_reward));
  fcps_json_add(&json, fcps_json_from_text(fcps_rollout_status_text(r.status)));
  if (r.outcome_deviation != NULL)
    fcps_json_add(&json, fcps_json_from_numbers(rollouts->outcome_width, r.outcome_deviation));
  if (r.is_confirmed) fcps_json_add(&json, fcps_json_from_bool(true));
  return json;
}

fcps_json *fcps_rollouts_write(const fcps_rollouts *rollouts)
{
  fcps_json *json = fcps_json_array();
  for (int i = 0; i < rollouts->count && json != NULL; i++)
    fcps_json_add(&json, write_rollout(rollouts, i));
  return json;
}

static const char *status_choice(int index)
{
  return index >= 0 && index < FCPS_ROLLOUT_STATUS_COUNT ? fcps_rollout_status_text((fcps_rollout_status)index) : NULL;
}

/* Reads deviations. They must be finite and not negative, and the outcome must be present. */
static bool read_deviation(const fcps_rollouts *rollouts, const fcps_json *json, bool present, double *deviation)
{
  bool ok = present && fcps_json_numbers(json, rollouts->outcome_width, deviation) &&
            fcps_rollout_values_usable(rollouts->outcome_width, deviation);
  for (int i = 0; i < rollouts->outcome_width && ok; i++)
    ok = deviation[i] >= 0;
  return ok;
}

static fcps_status read_rollout(fcps_rollouts *rollouts, const fcps_json *json, double *numbers, fcps_error *error)
{
  double *target = numbers, *environment = target + rollouts->target_width;
  double *parameters = environment + rollouts->environment_width;
  double *outcome = parameters + rollouts->parameters_width, *deviation = outcome + rollouts->outcome_width;
  const fcps_json *saved_outcome = fcps_json_at(json, 3), *saved_deviation = fcps_json_at(json, 7);
  const bool present = saved_outcome != NULL && !fcps_json_is_null(saved_outcome);
  int status;
  fcps_rollout rollout = {.target = target, .environment = environment, .parameters = parameters};
  if (fcps_json_bool(saved_deviation, &rollout.is_confirmed))
    saved_deviation = NULL;
  else
    (void)fcps_json_bool(fcps_json_at(json, 8), &rollout.is_confirmed);
  const bool ok = fcps_json_numbers(fcps_json_at(json, 0), rollouts->target_width, target) &&
                  fcps_json_numbers(fcps_json_at(json, 1), rollouts->environment_width, environment) &&
                  fcps_json_numbers(fcps_json_at(json, 2), rollouts->parameters_width, parameters) &&
                  (!present || fcps_json_numbers(saved_outcome, rollouts->outcome_width, outcome)) &&
                  fcps_json_number(fcps_json_at(json, 4), &rollout.reward) &&
                  fcps_json_number(fcps_json_at(json, 5), &rollout.hindsight_reward) &&
                  fcps_json_choice(fcps_json_at(json, 6), status_choice, &status) &&
                  (saved_deviation == NULL || read_deviation(rollouts, saved_deviation, present, deviation));
  if (!ok)
    return fcps_error_set(error, FCPS_ERR_FORMAT, "rollouts", "rollout %d of the saved text is malformed",
                          rollouts->count + 1);
  if (!fcps_rollout_values_usable((int)(outcome - numbers), numbers))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "rollouts",
                          "rollout %d of the saved text has a context or parameters that are not usable numbers",
                          rollouts->count + 1);
  rollout.outcome = present ? outcome : NULL;
  rollout.outcome_deviation = saved_deviation != NULL ? deviation : NULL;
  rollout.status = (fcps_rollout_status)status;
  return fcps_rollouts_add(rollouts, &rollout) == FCPS_OK ? FCPS_OK : fcps_error_memory(error);
}

fcps_status fcps_rollouts_read(fcps_rollouts *rollouts, const fcps_json *json, fcps_error *error)
{
  if (!fcps_json_is_array(json))
    return fcps_error_set(error, FCPS_ERR_FORMAT, "rollouts", "the saved text has no list of rollouts");
  const int width =
      rollouts->target_width + rollouts->environment_width + rollouts->parameters_width + 2 * rollouts->outcome_width;
  double *numbers = fcps_allocate((size_t)width, sizeof(double));
  if (numbers == NULL) return fcps_error_memory(error);
  fcps_status status = FCPS_OK;
  for (int i = 0; i < fcps_json_count(json) && status == FCPS_OK; i++)
    status = read_rollout(rollouts, fcps_json_at(json, i), numbers, error);
  free(numbers);
  return status;
}
