/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: a thin layer over Jansson, whose json_t is hidden behind fcps_json.
 *
 * Building: a value becomes NULL at the first step that fails, because there was no memory or because JSON cannot hold
 * a text. Every later step then only destroys its arguments. So a builder is a list of steps without checks, and its
 * last value says whether all of them worked. Reading: every function accepts NULL for a value that does not exist, and
 * then answers "no". So a path of several steps needs one check, at its end. */
#include "format/json.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"
#include "format/file.h"
#include "format/text.h"

#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Drops the const: Jansson's macros and iterators need json_t without it even for reading. */
static json_t *to_jansson(const fcps_json *json)
{
  return (json_t *)json;
}

static fcps_json *from_jansson(json_t *json)
{
  return (fcps_json *)json;
}

/* -- Building -- */

fcps_json *fcps_json_object(void)
{
  return from_jansson(json_object());
}

fcps_json *fcps_json_array(void)
{
  return from_jansson(json_array());
}

fcps_json *fcps_json_null(void)
{
  return from_jansson(json_null());
}

fcps_json *fcps_json_from_number(double value)
{
  /* JSON has no NaN and no infinity, and Jansson refuses them */
  if (isnan(value)) return from_jansson(json_string("nan"));
  if (isinf(value)) return from_jansson(json_string(value > 0 ? "inf" : "-inf"));
  return from_jansson(json_real(value));
}

fcps_json *fcps_json_from_known(double value)
{
  return isnan(value) ? fcps_json_null() : fcps_json_from_number(value);
}

fcps_json *fcps_json_from_integer(int64_t value)
{
  return from_jansson(json_integer(value));
}

fcps_json *fcps_json_from_bool(bool value)
{
  return from_jansson(json_boolean(value));
}

fcps_json *fcps_json_from_text(const char *value)
{
  static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */
  if (value == NULL) return NULL;

  char *clean = fcps_allocate(strlen(value) * (sizeof replacement - 1) + 1, 1);
  if (clean == NULL) return NULL;
  for (char *end = clean; *value;) {
    const size_t length = fcps_utf8_length(value);
    const size_t added = length > 0 ? length : sizeof replacement - 1;
    memcpy(end, length > 0 ? value : replacement, added);
    end += added;
    value += length > 0 ? length : 1;
  }
  json_t *text = json_string(clean);
  free(clean);
  return from_jansson(text);
}

fcps_json *fcps_json_from_numbers(int count, const double *values)
{
  fcps_json *array = fcps_json_array();
  for (int i = 0; i < count && array != NULL; i++)
    fcps_json_add(&array, fcps_json_from_number(values[i]));
  return array;
}

fcps_json *fcps_json_from_settings(const fcps_setting *settings)
{
  fcps_json *object = fcps_json_object();
  for (; settings != NULL && settings->name != NULL; settings++)
    fcps_json_put(&object, settings->name, fcps_json_from_text(settings->value));
  return object;
}

fcps_json *fcps_json_copy(const fcps_json *json)
{
  return from_jansson(json_deep_copy(to_jansson(json)));
}

void fcps_json_destroy(fcps_json *json)
{
  json_decref(to_jansson(json));
}

/* Keeps the value if the step succeeded; destroys it if the step failed. */
static void keep(fcps_json **json, bool has_failed)
{
  if (!has_failed) return;
  fcps_json_destroy(*json);
  *json = NULL;
}

/* Puts a value. Jansson's *_new functions own the value in every case. They fail if it is NULL, or if the container is
 * of the wrong kind. */
void fcps_json_put(fcps_json **object, const char *key, fcps_json *value)
{
  keep(object, json_object_set_new(to_jansson(*object), key, to_jansson(value)) != 0);
}

void fcps_json_put_text(fcps_json **object, const char *key, const char *text)
{
  if (text != NULL) fcps_json_put(object, key, fcps_json_from_text(text));
}

void fcps_json_add(fcps_json **array, fcps_json *value)
{
  keep(array, json_array_append_new(to_jansson(*array), to_jansson(value)) != 0);
}

/* -- Looking inside -- */

bool fcps_json_is_object(const fcps_json *json)
{
  return json != NULL && json_is_object(to_jansson(json));
}

bool fcps_json_is_array(const fcps_json *json)
{
  return json != NULL && json_is_array(to_jansson(json));
}

bool fcps_json_is_null(const fcps_json *json)
{
  return json != NULL && json_is_null(to_jansson(json));
}

int fcps_json_count(const fcps_json *json)
{
  if (fcps_json_is_array(json)) return (int)json_array_size(to_jansson(json));
  if (fcps_json_is_object(json)) return (int)json_object_size(to_jansson(json));
  return 0;
}

const fcps_json *fcps_json_get(const fcps_json *object, const char *key)
{
  return from_jansson(json_object_get(to_jansson(object), key));
}

const fcps_json *fcps_json_at(const fcps_json *array, int index)
{
  return index >= 0 ? from_jansson(json_array_get(to_jansson(array), (size_t)index)) : NULL;
}

const char *fcps_json_key(const fcps_json *object, int index)
{
  if (index < 0 || index >= fcps_json_count(object) || !fcps_json_is_object(object)) return NULL;
  void *place = json_object_iter(to_jansson(object));
  for (; index > 0; index--)
    place = json_object_iter_next(to_jansson(object), place);
  return json_object_iter_key(place);
}

bool fcps_json_number(const fcps_json *json, double *value)
{
  if (json == NULL) return false;
  if (json_is_number(to_jansson(json))) {
    *value = json_number_value(to_jansson(json));
    return true;
  }
  static const struct {
    const char *text;
    double value;
  } words[] = {{"nan", NAN}, {"inf", INFINITY}, {"-inf", -INFINITY}};
  const char *text = fcps_json_text(json);
  for (int i = 0; text != NULL && i < 3; i++) {
    if (strcmp(text, words[i].text) != 0) continue;
    *value = words[i].value;
    return true;
  }
  return false;
}

bool fcps_json_integer(const fcps_json *json, int64_t *value)
{
  if (json == NULL || !json_is_integer(to_jansson(json))) return false;
  *value = json_integer_value(to_jansson(json));
  return true;
}

bool fcps_json_whole(const fcps_json *json, int64_t *value)
{
  static const double exact = 9007199254740992.0; /* 2^53: up to this size a double can hold every integer */
  double number;
  if (fcps_json_integer(json, value)) return true;
  if (json == NULL || !json_is_real(to_jansson(json))) return false;
  number = json_real_value(to_jansson(json));
  if (!(fabs(number) <= exact) || number != floor(number)) return false;
  *value = (int64_t)number;
  return true;
}

bool fcps_json_bool(const fcps_json *json, bool *value)
{
  if (json == NULL || !json_is_boolean(to_jansson(json))) return false;
  *value = json_is_true(to_jansson(json));
  return true;
}

const char *fcps_json_text(const fcps_json *json)
{
  return json_string_value(to_jansson(json));
}

bool fcps_json_numbers(const fcps_json *array, int count, double *values)
{
  if (!fcps_json_is_array(array) || fcps_json_count(array) != count) return false;
  double ignored;
  for (int i = 0; i < count; i++)
    if (!fcps_json_number(fcps_json_at(array, i), &ignored)) return false;
  for (int i = 0; i < count; i++)
    fcps_json_number(fcps_json_at(array, i), &values[i]);
  return true;
}

fcps_setting *fcps_json_settings(const fcps_json *object)
{
  const int count = fcps_json_count(object);
  fcps_setting *settings = fcps_allocate((size_t)count + 1, sizeof *settings);
  for (int i = 0; settings != NULL && i < count; i++) {
    const char *name = fcps_json_key(object, i), *value = fcps_json_text(fcps_json_get(object, name));
    settings[i] = (fcps_setting){name, value != NULL ? value : ""};
  }
  return settings;
}

bool fcps_json_choice(const fcps_json *json, fcps_choice_fn *choice, int *index)
{
  const int named = fcps_choice_find(choice, fcps_json_text(json));
  if (named < 0) return false;
  *index = named;
  return true;
}

#define MOST_DEPTH 64

/* -- Reading -- */

/* Refuses nesting deeper than MOST_DEPTH, with its position. (Jansson's own limit is 2048, and its error has no
 * position.) Brackets that do not match are left to the parser. */
static fcps_status check_depth(const char *text, size_t length, const char *file, fcps_error *error)
{
  int depth = 0, line = 1, column = 0;
  bool in_text = false;
  for (size_t i = 0; i < length; i++) {
    const char letter = text[i];
    const bool is_continuation = ((unsigned char)letter & 0xC0) == 0x80;
    if (!is_continuation) column++;
    if (letter == '\n') {
      line++;
      column = 0;
    }
    if (in_text && letter == '\\') {
      i++; /* skips an escaped character, which cannot end the string */
      column++;
    } else if (letter == '"') {
      in_text = !in_text;
    } else if (!in_text && (letter == '[' || letter == '{')) {
      depth++;
    } else if (!in_text && (letter == ']' || letter == '}')) {
      depth--;
    }
    if (depth > MOST_DEPTH)
      return fcps_error_at(error, FCPS_ERR_FORMAT, file, line, column, NULL, "is nested deeper than %d levels",
                           MOST_DEPTH);
  }
  return FCPS_OK;
}

/* Returns the text of a refusal. JSON itself allows some of the refused keys and numbers, so the text does not say "not
 * JSON". */
static const char *fault_of(const json_error_t *mistake)
{
  switch (json_error_code(mistake)) {
  case json_error_duplicate_key:
    return "has one key twice: ";
  case json_error_numeric_overflow:
    return "has a number that is too large (a whole number beyond 9.2e18 needs an exponent, as in 1.5e20): ";
  default:
    return "is not JSON: ";
  }
}

fcps_status fcps_json_read(fcps_json **json, const char *text, size_t length, const char *file, fcps_error *error)
{
  const fcps_status status = check_depth(text, length, file, error);
  if (status != FCPS_OK) return status;

  json_error_t mistake;
  json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &mistake);
  if (value == NULL) {
    if (json_error_code(&mistake) == json_error_out_of_memory) return fcps_error_memory(error);
    return fcps_error_at(error, FCPS_ERR_FORMAT, file, mistake.line > 0 ? mistake.line : 1,
                         mistake.column > 0 ? mistake.column : 1, NULL, "%s%s", fault_of(&mistake), mistake.text);
  }
  *json = from_jansson(value);
  return FCPS_OK;
}

/* -- Writing -- */

typedef struct growing_text {
  char *text;
  size_t length, capacity;
  bool has_failed; /* Jansson 2.14 goes on if the callback could not take the key of an object */
} growing_text;

static int take(const char *piece, size_t length, void *user)
{
  growing_text *grown = user;
  if (grown->has_failed || !fcps_reserve((void **)&grown->text, &grown->capacity, grown->length + length + 1, 1)) {
    grown->has_failed = true;
    return -1;
  }
  memcpy(grown->text + grown->length, piece, length);
  grown->length += length;
  grown->text[grown->length] = 0;
  return 0;
}

char *fcps_json_write(const fcps_json *json)
{
  /* the text is in our own memory, which fcps_free can free, whatever allocator Jansson was given; 17 digits keep every
   * bit */
  if (json == NULL) return NULL;
  growing_text grown = {0};
  const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
  if (json_dump_callback(to_jansson(json), take, &grown, flags) || grown.has_failed) {
    free(grown.text);
    return NULL;
  }
  return grown.text;
}

char *fcps_json_finish(fcps_json *json)
{
  char *text = fcps_json_write(json);
  fcps_json_destroy(json);
  return text;
}

fcps_status fcps_json_read_file(fcps_json **json, const char *path, size_t limit, fcps_error *error)
{
  char *text = NULL;
  size_t length = 0;
  fcps_status status = fcps_file_read(path, limit, &text, &length, error);
  if (status == FCPS_OK) status = fcps_json_read(json, text, length, path, error);
  fcps_free(text);
  return status;
}

const char *fcps_json_get_text(const fcps_json *object, const char *key, const char *otherwise)
{
  const char *text = fcps_json_text(fcps_json_get(object, key));
  return text != NULL ? text : otherwise;
}

int64_t fcps_json_get_integer(const fcps_json *object, const char *key, int64_t otherwise)
{
  int64_t value = otherwise;
  return fcps_json_integer(fcps_json_get(object, key), &value) ? value : otherwise;
}

double fcps_json_get_number(const fcps_json *object, const char *key, double otherwise)
{
  double value = otherwise;
  return fcps_json_number(fcps_json_get(object, key), &value) ? value : otherwise;
}

bool fcps_json_is_true(const fcps_json *object, const char *key)
{
  bool value = false;
  return fcps_json_bool(fcps_json_get(object, key), &value) && value;
}
