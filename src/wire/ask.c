/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads the values of a problem by name, asks with their contexts, and limits. */
#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "problem/formula/conditions.h"
#include "problem/quantity.h"
#include "space/space.h"
#include "wire/wire.h"

#include <fcps/problem.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

fcps_json *fcps_wire_value_write(const fcps_dimension *dim, double value)
{
  const char *word = fcps_dimension_word(dim, value);
  return word != NULL ? fcps_json_from_text(word) : fcps_json_from_number(value);
}

/* Returns the text of a word. A program may also write 2, true or false for a word of this name; `number` has room for
 * the digits. */
static const char *word_of(const fcps_json *json, char number[FCPS_NUMBER_SIZE])
{
  double value = 0;
  bool truth = false;
  if (fcps_json_text(json) != NULL) return fcps_json_text(json);
  if (fcps_json_number(json, &value)) return fcps_number_write(value, number);
  return fcps_json_bool(json, &truth) ? (truth ? "true" : "false") : NULL;
}

bool fcps_wire_value_read(const fcps_dimension *dim, const fcps_json *json, double *value)
{
  char number[FCPS_NUMBER_SIZE];
  if (dim->choices == NULL) return fcps_json_number(json, value);
  const int index = fcps_choices_find(dim->choices, word_of(json, number));
  if (index >= 0) *value = index;
  return index >= 0;
}

fcps_json *fcps_wire_numbers_write(const fcps_space *space, const double *values)
{
  if (values == NULL) return fcps_json_null();
  fcps_json *object = fcps_json_object();
  for (int i = 0; i < space->count; i++)
    if (space->dims[i].when == NULL || !isnan(values[i]))
      fcps_json_put(&object, space->dims[i].name, fcps_wire_value_write(&space->dims[i], values[i]));
  return object;
}

fcps_json *fcps_wire_parameters_write(const fcps_problem *problem, const double *target, const double *environment,
                                      const double *parameters)
{
  double shown[FCPS_SPACE_MAX];
  if (parameters == NULL) return fcps_json_null();
  return fcps_wire_numbers_write(&problem->parameters,
                                 fcps_wire_shown(problem, target, environment, parameters, shown));
}

const double *fcps_wire_shown(const fcps_problem *problem, const double *target, const double *environment,
                              const double *parameters, double *shown)
{
  memcpy(shown, parameters, (size_t)problem->parameters.count * sizeof *shown);
  return fcps_problem_leave_out(problem, target, environment, shown, NULL) == FCPS_OK ? shown : parameters;
}

static void put_object(fcps_json **object, const char *key, fcps_json *value)
{
  if (fcps_json_count(value) > 0)
    fcps_json_put(object, key, value);
  else
    fcps_json_destroy(value);
}

void fcps_wire_units_put(fcps_json **object, const fcps_problem *p)
{
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  fcps_json *units = fcps_json_object(), *steps = fcps_json_object();
  for (int s = 0; s < 4; s++)
    for (int i = 0; i < spaces[s]->count; i++) {
      const fcps_dimension *dim = &spaces[s]->dims[i];
      if (dim->choices != NULL) continue;
      const double step = dim->scale == FCPS_SCALE_INTEGER ? 1.0 : dim->step;
      if (dim->unit != NULL) fcps_json_put(&units, dim->name, fcps_json_from_text(dim->unit));
      if (step > 0) fcps_json_put(&steps, dim->name, fcps_json_from_number(step));
    }
  put_object(object, "units", units);
  put_object(object, "steps", steps);
}

/* -- What is wrong with an answer -- */

static const char *kind_of(const fcps_json *json)
{
  bool truth;
  if (fcps_json_is_array(json)) return "a list";
  if (fcps_json_is_object(json)) return "an object";
  return fcps_json_bool(json, &truth) ? "true or false" : "null";
}

/* Returns the key of an object that is most similar to `name` and is not one of the `count` `known` keys; NULL if no
 * key is similar. */
static const char *find_misspelt(const fcps_json *json, const char *name, int count, const char *const *known)
{
  enum { MOST = 64 };
  const char *names[MOST];
  int used = 0;
  for (int i = 0; i < fcps_json_count(json) && used < MOST; i++) {
    const char *key = fcps_json_key(json, i);
    bool is_known = key == NULL;
    for (int k = 0; k < count && !is_known; k++)
      is_known = strcmp(key, known[k]) == 0;
    if (!is_known) names[used++] = key;
  }
  return fcps_nearest_name(name, used, names);
}

char *fcps_wire_misspelt_hint(const fcps_json *json, const char *name, int count, const char *const *known, size_t size,
                              char *text)
{
  const char *misspelt = find_misspelt(json, name, count, known);
  text[0] = '\0';
  if (misspelt != NULL) snprintf(text, size, "; it has \"%.60s\": misspelt?", misspelt);
  return text;
}

static fcps_status refuse_word(const fcps_dimension *dim, const char *word, const char *field, fcps_error *error)
{
  fcps_error inner = {0};
  const fcps_status status = fcps_choices_refuse(dim, word, field, &inner);
  return fcps_error_set(error, status, field, "%.400s. For a new one: fcps study amend STUDY --add-choice %s=WORD",
                        inner.message, dim->name);
}

/* Writes an example of the object of a space: {"x": NUMBER, "y": NUMBER}. */
static char *space_example(const fcps_space *space, size_t size, char *text)
{
  size_t length = (size_t)snprintf(text, size, "{");
  for (int i = 0; i < space->count && length < size; i++)
    length += (size_t)snprintf(text + length, size - length, "%s\"%s\": %s", i > 0 ? ", " : "", space->dims[i].name,
                               space->dims[i].choices != NULL ? "\"WORD\"" : "NUMBER");
  if (length < size) snprintf(text + length, size - length, "}");
  return text;
}

static fcps_status refuse_missing(const fcps_space *space, const char *key, const fcps_json *json, int index,
                                  fcps_error *error)
{
  const char *name = space->dims[index].name, *known[FCPS_SPACE_MAX];
  const fcps_json *value = fcps_json_get(json, name);
  const char *text = fcps_json_text(value);
  const fcps_dimension *dim = &space->dims[index];
  char hint[120], number[FCPS_NUMBER_SIZE];
  for (int i = 0; i < space->count; i++)
    known[i] = space->dims[i].name;
  if (value != NULL && dim->choices != NULL && word_of(value, number) != NULL)
    return refuse_word(dim, word_of(value, number), key, error);
  if (value == NULL)
    return fcps_error_set(error, FCPS_ERR_FORMAT, key, "the answer's \"%s\" has no %s \"%s\"%s", key,
                          dim->choices != NULL ? "word" : "number", name,
                          fcps_wire_misspelt_hint(json, name, space->count, known, sizeof hint, hint));
  if (text != NULL)
    return fcps_error_set(error, FCPS_ERR_FORMAT, key,
                          "the answer's \"%s\" has no number \"%s\": \"%s\" is the text \"%.40s\": write the number "
                          "without quotes",
                          key, name, name, text);
  return fcps_error_set(error, FCPS_ERR_FORMAT, key, "the answer's \"%s\" has no %s \"%s\": it is %s", key,
                        dim->choices != NULL ? "word" : "number", name, kind_of(value));
}

/* Returns the length of the number at the beginning of a text; 0 if the text does not begin with a number. */
static size_t number_length(const char *text, double *value)
{
  char number[64];
  size_t length = strspn(text, "+-.0123456789eE");
  for (; length > 0; length--) { /* "3eV" is 3, followed by a unit */
    snprintf(number, sizeof number, "%.*s", (int)length, text);
    if (length < sizeof number && fcps_number_read(number, value)) return length;
  }
  return 0;
}

fcps_status fcps_wire_number_read(const fcps_dimension *dim, const char *text, const char *field, double *value,
                                  fcps_error *error)
{
  if (dim->choices != NULL) {
    const int index = fcps_choices_find(dim->choices, text);
    *value = index;
    return index >= 0 ? FCPS_OK : refuse_word(dim, text, field, error);
  }
  if (fcps_number_read(text, value)) return FCPS_OK;
  const size_t length = number_length(text, value);
  const char *unit = text + length + strspn(text + length, " ");
  fcps_quantity known;
  if (length > 0 && dim->unit != NULL && fcps_quantity_is_same(unit, dim->unit)) return FCPS_OK;
  if (length == 0 || dim->unit == NULL || !fcps_quantity_read(&known, unit))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, field, "\"%.60s\" of %s is not a number%s", text, dim->name,
                          strchr(text, ',') != NULL ? ": decimals have a point, as in 0.5" : "");
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, field,
                        "\"%.60s\" is in %.40s, and %s is in %.40s: nothing is converted; give it in %.40s", text, unit,
                        dim->name, dim->unit, dim->unit);
}

fcps_status fcps_wire_numbers_read(const fcps_space *space, const char *key, const fcps_json *json, double *values,
                                   fcps_error *error)
{
  char example[160];
  if (!fcps_json_is_object(json))
    return fcps_error_set(error, FCPS_ERR_FORMAT, key, "the answer's \"%s\" is not an object: write %s", key,
                          space_example(space, sizeof example, example));
  for (int i = 0; i < space->count; i++) {
    const fcps_json *value = fcps_json_get(json, space->dims[i].name);
    if (value == NULL && space->dims[i].when != NULL)
      values[i] = NAN;
    else if (!fcps_wire_value_read(&space->dims[i], value, &values[i]))
      return refuse_missing(space, key, json, i, error);
  }
  return FCPS_OK;
}

/* -- Asks and their contexts -- */

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

/* The results with an outcome, counted for one limit: those that measured what it needs, and the others. */
typedef struct tally {
  int results, broken, unmeasured;
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
    tallies[i].unmeasured += isnan(kept[i]);
    if (isnan(kept[i])) continue;
    tallies[i].results++;
    tallies[i].broken += !(kept[i] > 0.5);
    tallies[i].foretold += is_foretold;
    if (is_foretold) tallies[i].expected += 1.0 - chances[i];
    if (is_foretold) tallies[i].surprises += !(kept[i] > 0.5);
  }
}

/* Puts "limits": {"apex": {"results": 40, "broken": 2, "unmeasured": 3, "foretold": 35, "foretold_broken": 1, "expected":
 * 1.4}}. */
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
    fcps_json_put(&one, "unmeasured", fcps_json_from_integer(tallies[i].unmeasured));
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
