/* SPDX-License-Identifier: Apache-2.0 */
/* Whether an answer is one to the request. A proxy, another program or a server of another kind may answer "200 OK" as well:
 * only an answer that says what its row says it must acknowledges anything. */
#include "operation/operation.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/* -- What a value is -- */

static bool are_numbers(const fcps_json *object)
{
  double number = 0;
  bool are = fcps_json_is_object(object);
  for (int i = 0; are && i < fcps_json_count(object); i++)
    are = fcps_json_number(fcps_json_get(object, fcps_json_key(object, i)), &number);
  return are;
}

static bool is_of_type(const fcps_field *f, const fcps_json *value)
{
  int64_t whole = 0;
  double number = 0;
  bool truth = false;
  switch (f->type) {
  case FCPS_FIELD_TEXT:
    return fcps_json_text(value) != NULL;
  case FCPS_FIELD_INTEGER:
    return fcps_json_whole(value, &whole);
  case FCPS_FIELD_NUMBER:
    return fcps_json_number(value, &number);
  case FCPS_FIELD_BOOLEAN:
    return fcps_json_bool(value, &truth) && (truth || (f->flags & FCPS_FIELD_TRUE) == 0);
  case FCPS_FIELD_NUMBERS:
    return are_numbers(value);
  case FCPS_FIELD_SETTINGS:
  case FCPS_FIELD_BOUNDS:
  case FCPS_FIELD_OBJECT:
    return fcps_json_is_object(value);
  case FCPS_FIELD_LIST:
    return fcps_json_is_array(value);
  case FCPS_FIELD_CONTEXTS:
  case FCPS_FIELD_REASON:
  case FCPS_FIELD_RESULT:
    break;
  }
  return true;
}

static bool is_same_number(const fcps_json *a, const fcps_json *b)
{
  double first = NAN, second = NAN;
  return fcps_json_number(a, &first) && fcps_json_number(b, &second) &&
         (first == second || (isnan(first) && isnan(second)));
}

/* Whether the answer has what was given. A request may give some numbers of a space, and the name of a result. */
static bool is_as_given(const fcps_json *given, const fcps_json *value)
{
  bool is = true;
  if (given == NULL || fcps_json_is_null(given) || fcps_json_text(given) != NULL) return true;
  if (!fcps_json_is_object(given)) return is_same_number(given, value);
  for (int i = 0; is && i < fcps_json_count(given); i++) {
    const fcps_json *number = fcps_json_get(given, fcps_json_key(given, i));
    is = fcps_json_is_null(number) || is_same_number(number, fcps_json_get(value, fcps_json_key(given, i)));
  }
  return is;
}

/* -- An object and its fields -- */

static bool is_given(const fcps_json *request, const char *name)
{
  const fcps_json *value = fcps_json_get(request, name);
  return value != NULL && !fcps_json_is_null(value);
}

/* a client that is named gets its unfinished ask again, whose context may be another one */
static bool is_asked_before(const fcps_json *request, const fcps_json *answer)
{
  const char *client = fcps_json_text(fcps_json_get(request, "client"));
  bool is_repeated = false;
  return client != NULL && *client != '\0' && fcps_json_bool(fcps_json_get(answer, "repeated"), &is_repeated) &&
         is_repeated;
}

/* what is asked for in one part of a call for several; NULL: it stands in a table */
static const fcps_json *part_of(const fcps_json *request, int index)
{
  return is_given(request, "contexts") ? fcps_json_at(fcps_json_get(request, "contexts"), index) : request;
}

typedef struct checking {
  const fcps_json *request; /* the whole of it; NULL: there is none */
  fcps_error *error;
} checking;

static fcps_status check_object(const checking *c, const fcps_field *fields, const fcps_json *given,
                                const fcps_json *object, bool are_several);

/* as many as were asked for */
static bool is_complete(const fcps_json *request, const fcps_json *list)
{
  const fcps_json *contexts = fcps_json_get(request, "contexts");
  int64_t count = fcps_json_is_array(contexts) ? fcps_json_count(contexts) : fcps_json_count(list);
  (void)fcps_json_whole(fcps_json_get(request, "count"), &count);
  return fcps_json_count(list) == count;
}

static fcps_status check_parts(const checking *c, const fcps_field *f, const fcps_json *list)
{
  const bool is_answer = (f->flags & FCPS_FIELD_SEVERAL) != 0;
  fcps_status status = FCPS_OK;
  if (is_answer && !is_complete(c->request, list))
    return fcps_error_set(c->error, FCPS_ERR_FORMAT, f->name, "it has another number of \"%s\"", f->name);
  for (int i = 0; f->of != NULL && i < fcps_json_count(list) && status == FCPS_OK; i++)
    status = check_object(c, f->of, is_answer ? part_of(c->request, i) : NULL, fcps_json_at(list, i), false);
  return status;
}

static fcps_status check_field(const checking *c, const fcps_field *f, bool is_needed, const fcps_json *given,
                               const fcps_json *value)
{
  const bool is_missing = value == NULL || (fcps_json_is_null(value) && (f->flags & FCPS_FIELD_NULLABLE) == 0);
  if (is_missing && is_needed) return fcps_error_set(c->error, FCPS_ERR_FORMAT, f->name, "it has no \"%s\"", f->name);
  if (!is_as_given(given, value))
    return fcps_error_set(c->error, FCPS_ERR_FORMAT, f->name, "its \"%s\" is not that of the request", f->name);
  if (is_missing || fcps_json_is_null(value)) return FCPS_OK;
  if (!is_of_type(f, value))
    return fcps_error_set(c->error, FCPS_ERR_FORMAT, f->name, "its \"%s\" is not as it should be", f->name);
  if (f->type == FCPS_FIELD_LIST) return check_parts(c, f, value);
  return f->type == FCPS_FIELD_OBJECT && f->of != NULL ? check_object(c, f->of, NULL, value, false) : FCPS_OK;
}

static fcps_status check_object(const checking *c, const fcps_field *fields, const fcps_json *given,
                                const fcps_json *object, bool are_several)
{
  const unsigned needed = are_several ? FCPS_FIELD_SEVERAL : FCPS_FIELD_NEEDED;
  fcps_status status = FCPS_OK;
  if (!fcps_json_is_object(object)) return fcps_error_set(c->error, FCPS_ERR_FORMAT, "", "it is not a JSON object");
  const bool is_free = given == NULL || are_several || is_asked_before(c->request, object);
  for (const fcps_field *f = fields; f->name != NULL && status == FCPS_OK; f++) {
    const bool is_echo = !is_free && (f->flags & FCPS_FIELD_SAME) != 0;
    status = check_field(c, f, (f->flags & needed) != 0, is_echo ? fcps_json_get(given, f->name) : NULL,
                         fcps_json_get(object, f->name));
  }
  return status;
}

fcps_status fcps_operation_check_answer(const fcps_operation *operation, const fcps_json *request,
                                        const fcps_json *answer, fcps_error *error)
{
  const checking c = {request, error};
  bool has_several = false;
  for (const fcps_field *f = operation->answer; f->name != NULL; f++)
    has_several |= (f->flags & FCPS_FIELD_SEVERAL) != 0;
  const bool are_several = has_several && (is_given(request, "count") || is_given(request, "contexts"));
  return check_object(&c, operation->answer, request, answer, are_several);
}

const char *fcps_operation_type(const fcps_operation *operation, const fcps_json *request)
{
  const char *format = fcps_json_text(fcps_json_get(request, "format"));
  return operation->type != NULL || format == NULL || strcmp(format, "csv") != 0 ? operation->type : "text/csv";
}
