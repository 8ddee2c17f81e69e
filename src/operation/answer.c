/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that an answer belongs to its request. A proxy or another program may also answer "200 OK", so an answer
 * acknowledges something only if it has all fields that its row demands. */
#include "base/error.h"
#include "operation/functions.h"

#include <math.h>
#include <string.h>

/* Whether `value` repeats `given`. A request may give some numbers of a space, or a result by its name. */
static bool is_as_given(const fcps_json *given, const fcps_json *value)
{
  double wanted = NAN, number = NAN;
  if (given == NULL || fcps_json_is_null(given) || fcps_json_text(given) != NULL) return true;
  if (!fcps_json_is_object(given))
    return fcps_json_number(given, &wanted) && fcps_json_number(value, &number) && wanted == number;
  for (int i = 0; i < fcps_json_count(given); i++) {
    const char *name = fcps_json_key(given, i);
    if (!is_as_given(fcps_json_get(given, name), fcps_json_get(value, name))) return false;
  }
  return true;
}

static bool is_given(const fcps_json *request, const char *name)
{
  const fcps_json *value = fcps_json_get(request, name);
  return value != NULL && !fcps_json_is_null(value);
}

/* Whether the context of the answer may differ from the request: a named client gets its unfinished ask again, and that
 * ask may be for another context. */
static bool is_asked_before(const fcps_json *request, const fcps_json *answer)
{
  const char *client = fcps_json_text(fcps_json_get(request, "client"));
  bool is_repeated = false;
  (void)fcps_json_bool(fcps_json_get(answer, "repeated"), &is_repeated);
  return client != NULL && *client != '\0' && is_repeated;
}

typedef struct checking {
  const fcps_json *request; /* the whole request; NULL: an empty one */
  fcps_error *error;
} checking;

static fcps_status check_object(const checking *c, const fcps_field *fields, const fcps_json *given,
                                const fcps_json *object, bool are_several);

/* Checks the parts of a list. In an answer to several contexts each part repeats its context, unless the contexts came
 * as a table. */
static fcps_status check_parts(const checking *c, const fcps_field *f, const fcps_json *list)
{
  const bool is_answer = (f->flags & FCPS_FIELD_SEVERAL) != 0;
  const fcps_json *contexts = is_given(c->request, "contexts") ? fcps_json_get(c->request, "contexts") : NULL;
  int64_t count = fcps_json_is_array(contexts) ? fcps_json_count(contexts) : fcps_json_count(list);
  (void)fcps_json_whole(fcps_json_get(c->request, "count"), &count);
  fcps_status status = FCPS_OK;
  if (is_answer && fcps_json_count(list) != count)
    return fcps_error_set(c->error, FCPS_ERR_FORMAT, f->name, "it has another number of \"%s\"", f->name);
  for (int i = 0; f->of != NULL && i < fcps_json_count(list) && status == FCPS_OK; i++) {
    const fcps_json *given = contexts != NULL ? fcps_json_at(contexts, i) : c->request;
    status = check_object(c, f->of, is_answer ? given : NULL, fcps_json_at(list, i), false);
  }
  return status;
}

static fcps_status check_numbers(const checking *c, const fcps_field *f, const fcps_json *numbers)
{
  double number = 0;
  bool are = fcps_json_is_object(numbers);
  for (int i = 0; are && i < fcps_json_count(numbers); i++) {
    const fcps_json *value = fcps_json_get(numbers, fcps_json_key(numbers, i));
    are = fcps_json_number(value, &number) || fcps_json_text(value) != NULL; /* a word */
  }
  return are ? FCPS_OK : fcps_error_set(c->error, FCPS_ERR_FORMAT, f->name, "its \"%s\" are not numbers", f->name);
}

static fcps_status check_field(const checking *c, const fcps_field *f, bool is_needed, const fcps_json *given,
                               const fcps_json *value)
{
  const bool is_null = value == NULL || fcps_json_is_null(value);
  bool truth = true;
  if (is_needed && (value == NULL || (is_null && (f->flags & FCPS_FIELD_NULLABLE) == 0)))
    return fcps_error_set(c->error, FCPS_ERR_FORMAT, f->name, "it has no \"%s\"", f->name);
  if (!is_as_given(given, value))
    return fcps_error_set(c->error, FCPS_ERR_FORMAT, f->name, "its \"%s\" is not that of the request", f->name);
  const fcps_status status = is_null ? FCPS_OK : fcps_call_check_value(f, value, c->error);
  if (is_null || status != FCPS_OK) return status;
  if ((f->flags & FCPS_FIELD_TRUE) != 0 && fcps_json_bool(value, &truth) && !truth)
    return fcps_error_set(c->error, FCPS_ERR_FORMAT, f->name, "its \"%s\" is false", f->name);
  if (f->type == FCPS_FIELD_NUMBERS) return check_numbers(c, f, value);
  if (f->type == FCPS_FIELD_LIST) return check_parts(c, f, value);
  return f->type == FCPS_FIELD_OBJECT && f->of != NULL ? check_object(c, f->of, NULL, value, false) : FCPS_OK;
}

static fcps_status check_object(const checking *c, const fcps_field *fields, const fcps_json *given,
                                const fcps_json *object, bool are_several)
{
  const unsigned needed = are_several ? FCPS_FIELD_SEVERAL : FCPS_FIELD_NEEDED;
  const bool is_free = are_several || is_asked_before(c->request, object);
  fcps_status status = FCPS_OK;
  if (!fcps_json_is_object(object)) return fcps_error_set(c->error, FCPS_ERR_FORMAT, "", "it is not a JSON object");
  for (const fcps_field *f = fields; f->name != NULL && status == FCPS_OK; f++) {
    const bool is_same = !is_free && (f->flags & FCPS_FIELD_SAME) != 0;
    status = check_field(c, f, (f->flags & needed) != 0, is_same ? fcps_json_get(given, f->name) : NULL,
                         fcps_json_get(object, f->name));
  }
  return status;
}

fcps_status fcps_operation_check_answer(const fcps_operation *operation, const fcps_json *request,
                                        const fcps_json *answer, fcps_error *error)
{
  bool are_several = false;
  for (const fcps_field *f = operation->answer; f->name != NULL; f++)
    are_several |= (f->flags & FCPS_FIELD_SEVERAL) != 0;
  are_several &= is_given(request, "count") || is_given(request, "contexts");
  return check_object(&(checking){request, error}, operation->answer, request, answer, are_several);
}

const char *fcps_operation_type(const fcps_operation *operation, const fcps_json *request)
{
  const char *format = fcps_json_text(fcps_json_get(request, "format"));
  return operation->type != NULL || format == NULL || strcmp(format, "csv") != 0 ? operation->type : "text/csv";
}
