/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads numbers by name: the form of the four spaces of a problem. */
#include "base/error.h"
#include "base/number.h"
#include "problem/formula/conditions.h"
#include "problem/quantity.h"
#include "space/space.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>
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
