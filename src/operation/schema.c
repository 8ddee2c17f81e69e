/* SPDX-License-Identifier: Apache-2.0 */
/* Writes fields as JSON schemas, and the description of a server (OpenAPI 3.0). The two formats have different ways to
 * allow null. Answers are checked against the same fields. */
#include "base/error.h"
#include "operation/call.h"
#include "operation/operation.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef enum dialect { SCHEMA_2020, OPENAPI_3 } dialect;

static fcps_json *text(const char *words)
{
  return fcps_json_from_text(words);
}

/* Returns {KEY: value}. */
static fcps_json *single(const char *key, fcps_json *value)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, key, value);
  return object;
}

static fcps_json *typed(const char *type)
{
  return single("type", text(type));
}

static fcps_json *refer(const char *to)
{
  return single("$ref", text(to));
}

static fcps_json *array_of(fcps_json *items)
{
  fcps_json *schema = typed("array");
  fcps_json_put(&schema, "items", items);
  return schema;
}

/* Returns the schema of objects with any names and with values of one kind. */
static fcps_json *by_name(fcps_json *values)
{
  fcps_json *schema = typed("object");
  fcps_json_put(&schema, "additionalProperties", values);
  return schema;
}

static fcps_json *one_of(fcps_json *first, fcps_json *second)
{
  fcps_json *list = fcps_json_array();
  fcps_json_add(&list, first);
  fcps_json_add(&list, second);
  return single("oneOf", list);
}

static fcps_json *list_words(const char *words)
{
  fcps_json *list = fcps_json_array();
  char word[80];
  for (int read = 0; sscanf(words, " %79s%n", word, &read) == 1; words += read)
    fcps_json_add(&list, text(word));
  return list;
}

/* Returns the schema of numbers and words by name. Some numbers are texts, because JSON has no NaN and no infinity. */
static fcps_json *numbers(void)
{
  fcps_json *schema = by_name(one_of(typed("number"), typed("string")));
  fcps_json_put(&schema, "description",
                text("Values by the names of their dimensions: a number (nan, inf and -inf are texts), or a word of a "
                     "dimension that chooses among words."));
  return schema;
}

static fcps_json *numbers_of(dialect d)
{
  return d == OPENAPI_3 ? refer("#/components/schemas/Numbers") : numbers();
}

static fcps_json *contexts_of(const fcps_field *f, dialect d)
{
  fcps_json *properties = fcps_json_object(), *item = typed("object");
  fcps_json_put(&properties, "target", numbers_of(d));
  fcps_json_put(&properties, "environment", numbers_of(d));
  fcps_json_put(&item, "properties", properties);
  fcps_json_put(&item, "additionalProperties", fcps_json_from_bool(false));
  fcps_json *list = array_of(item);
  fcps_json_put(&list, "maxItems", fcps_json_from_integer(f->most));
  return one_of(list, typed("string"));
}

static fcps_json *integer_of(const fcps_field *f)
{
  fcps_json *schema = typed("integer");
  if (f->most == 0) return schema;
  fcps_json_put(&schema, "minimum", fcps_json_from_integer(f->least));
  if (f->most != INT64_MAX) fcps_json_put(&schema, "maximum", fcps_json_from_integer(f->most));
  return schema;
}

static fcps_json *object_of(const fcps_field *fields, dialect d, bool is_closed);

static fcps_json *value_of(const fcps_field *f, dialect d)
{
  fcps_json *schema;
  switch (f->type) {
  case FCPS_FIELD_INTEGER:
    return integer_of(f);
  case FCPS_FIELD_NUMBER:
    return typed("number");
  case FCPS_FIELD_BOOLEAN:
    return typed("boolean");
  case FCPS_FIELD_NUMBERS:
    return numbers_of(d);
  case FCPS_FIELD_SETTINGS:
    return by_name(typed("string"));
  case FCPS_FIELD_BOUNDS:
    return by_name(array_of(typed("number")));
  case FCPS_FIELD_CONTEXTS:
    return contexts_of(f, d);
  case FCPS_FIELD_VALUES:
    return array_of(one_of(typed("number"), typed("string")));
  case FCPS_FIELD_PART:
    return one_of(typed("string"), one_of(typed("object"), array_of(one_of(typed("string"), typed("object")))));
  case FCPS_FIELD_REASON:
    return one_of(typed("string"), typed("boolean"));
  case FCPS_FIELD_RESULT:
    return one_of(typed("integer"), typed("string"));
  case FCPS_FIELD_OBJECT:
    return f->of != NULL ? object_of(f->of, d, false) : typed("object");
  case FCPS_FIELD_LIST:
    return array_of(f->of != NULL ? object_of(f->of, d, false) : typed("number"));
  case FCPS_FIELD_TEXT:
    break;
  }
  schema = typed("string");
  if (f->choices != NULL) fcps_json_put(&schema, "enum", list_words(f->choices));
  return schema;
}

static fcps_json *allow_null(fcps_json *schema, const fcps_field *f, dialect d)
{
  if ((f->flags & FCPS_FIELD_NULLABLE) == 0) return schema;
  if (d == SCHEMA_2020) return one_of(schema, typed("null"));
  fcps_json *all = fcps_json_array();
  fcps_json_add(&all, schema);
  /* Everything beside a "$ref" is ignored, so the reference is put into "allOf". */
  fcps_json *nullable = single("allOf", all);
  fcps_json_put(&nullable, "nullable", fcps_json_from_bool(true));
  return nullable;
}

static void put_initial(fcps_json **schema, const fcps_field *f)
{
  fcps_json *value = NULL;
  if (f->initial != NULL && fcps_json_read(&value, f->initial, strlen(f->initial), f->name, NULL) == FCPS_OK)
    fcps_json_put(schema, "default", value);
}

static fcps_json *field_of(const fcps_field *f, dialect d)
{
  fcps_json *schema = allow_null(value_of(f, d), f, d);
  /* Everything beside a "$ref" is ignored, so the reference is put into "allOf". */
  if (fcps_json_get(schema, "$ref") != NULL && f->help != NULL) {
    fcps_json *all = fcps_json_array();
    fcps_json_add(&all, schema);
    schema = single("allOf", all);
  }
  if (f->help != NULL) fcps_json_put(&schema, "description", text(f->help));
  put_initial(&schema, f);
  return schema;
}

/* Returns the schema of an object. If `is_closed`, it refuses other keys. */
static fcps_json *object_of(const fcps_field *fields, dialect d, bool is_closed)
{
  fcps_json *properties = fcps_json_object(), *needed = fcps_json_array(), *schema = typed("object");
  /* If the answer may be a list of several, no field of a single answer can be required. */
  bool is_of_one = true;
  for (const fcps_field *f = fields; f->name != NULL; f++) {
    fcps_json_put(&properties, f->name, field_of(f, d));
    if ((f->flags & FCPS_FIELD_NEEDED) != 0) fcps_json_add(&needed, text(f->name));
    is_of_one &= (f->flags & FCPS_FIELD_SEVERAL) == 0;
  }
  fcps_json_put(&schema, "properties", properties);
  if (fcps_json_count(needed) > 0 && is_of_one)
    fcps_json_put(&schema, "required", needed);
  else
    fcps_json_destroy(needed);
  if (is_closed) fcps_json_put(&schema, "additionalProperties", fcps_json_from_bool(false));
  return schema;
}

fcps_json *fcps_operation_schema(const fcps_field *request)
{
  return object_of(request, SCHEMA_2020, true);
}

/* -- OpenAPI -- */

/* Returns {"application/json": {"schema": ...}}, with the given media type. */
static fcps_json *content(const char *type, fcps_json *schema)
{
  char media[60];
  snprintf(media, sizeof media, "%.*s", (int)strcspn(type, ";"), type);
  return single(media, single("schema", schema));
}

static fcps_json *write_parameters(const fcps_operation *o, bool has_study)
{
  fcps_json *list = fcps_json_array();
  if (has_study) fcps_json_add(&list, refer("#/components/parameters/study"));
  for (const fcps_field *f = o->request; f->name != NULL && (o->flags & FCPS_OPERATION_BY_GET) != 0; f++) {
    fcps_json *parameter = single("name", text(f->name)), *schema = value_of(f, OPENAPI_3);
    put_initial(&schema, f);
    fcps_json_put(&parameter, "in", text("query"));
    if ((f->flags & FCPS_FIELD_NEEDED) != 0) fcps_json_put(&parameter, "required", fcps_json_from_bool(true));
    fcps_json_put(&parameter, "schema", schema);
    if (f->help != NULL) fcps_json_put(&parameter, "description", text(f->help));
    fcps_json_add(&list, parameter);
  }
  return list;
}

static fcps_json *write_responses(const fcps_operation *o)
{
  fcps_json *responses = fcps_json_object(), *right = fcps_json_object();
  fcps_json *schema = o->type == NULL ? object_of(o->answer, OPENAPI_3, false) : typed("string");
  fcps_json_put(&right, "description", text("What was asked for."));
  fcps_json_put(&right, "content", content(o->type != NULL ? o->type : "application/json", schema));
  fcps_json_put(&responses, "200", right);
  fcps_json_put(&responses, "default", refer("#/components/responses/Error"));
  return responses;
}

static fcps_json *write_operation(const fcps_operation *o, bool has_study)
{
  fcps_json *object = single("summary", text(o->summary)), *parameters = write_parameters(o, has_study);
  fcps_json_put(&object, "operationId", text(o->name));
  if (o->help != NULL) fcps_json_put(&object, "description", text(o->help));
  if (fcps_json_count(parameters) > 0)
    fcps_json_put(&object, "parameters", parameters);
  else
    fcps_json_destroy(parameters);
  if ((o->flags & FCPS_OPERATION_BY_GET) == 0) {
    fcps_json *body = single("required", fcps_json_from_bool(true));
    fcps_json_put(&body, "content", content("application/json", object_of(o->request, OPENAPI_3, true)));
    fcps_json_put(&object, "requestBody", body);
  }
  if ((o->flags & FCPS_OPERATION_IS_OPEN) != 0) fcps_json_put(&object, "security", fcps_json_array());
  fcps_json_put(&object, "responses", write_responses(o));
  return object;
}

/* Adds an operation at `path`, together with the operation of the table `others` (may be NULL) that has the same path
 * and the other HTTP method. */
static void put_operation(fcps_json **paths, const char *path, const fcps_operation *o, const fcps_operation *others,
                          bool has_study)
{
  const char *method = (o->flags & FCPS_OPERATION_BY_GET) != 0 ? "get" : "post";
  fcps_json *item = single(method, write_operation(o, has_study));
  for (const fcps_operation *other = others; other != NULL && other->name != NULL; other++)
    if (other != o && strcmp(other->path, path) == 0)
      fcps_json_put(&item, (other->flags & FCPS_OPERATION_BY_GET) != 0 ? "get" : "post",
                    write_operation(other, has_study));
  fcps_json_put(paths, path, item);
}

static fcps_json *write_paths(const fcps_operation *own)
{
  fcps_json *paths = fcps_json_object();
  const fcps_operation *o;
  for (o = own; o->name != NULL; o++)
    if (fcps_json_get(paths, o->path) == NULL) put_operation(&paths, o->path, o, own, false);
  for (int i = 0; (o = fcps_operation_at(i)) != NULL; i++) {
    char path[80];
    const char *word = fcps_operation_path(o);
    snprintf(path, sizeof path, "/v1/studies/{study}%s%s", *word != '\0' ? "/" : "", word);
    put_operation(&paths, path, o, NULL, true);
  }
  return paths;
}

/* The parts of openapi.json to which all operations refer. */
static const char frame[] =
    "{\"openapi\": \"3.0.3\","
    "\"info\": {\"title\": \"fcps serve\", \"version\": \"1\", \"description\": \"Ask and tell over HTTP. Every "
    "request but "
    "those for the page needs the token of the server. Keys that a request does not know are refused.\","
    "\"license\": {\"name\": \"Apache-2.0\"}},"
    "\"servers\": [{\"url\": \"/\"}], \"security\": [{\"token\": []}]}";
static const char study_parameter[] =
    "{\"name\": \"study\", \"in\": \"path\", \"required\": true, \"schema\": {\"type\": \"string\"},"
    "\"description\": \"The name of the study's file without its ending.\"}";
static const char error_response[] =
    "{\"description\": \"What went wrong, which field, and what to do. 400: the request is wrong; 401: the token; 403: "
    "Host or Origin; 404: no such path, study or ask; 409: another result is stored already; 422: not possible for "
    "this "
    "study; 503: nothing was stored, worth another try; 507: no space left.\","
    "\"content\": {\"application/json\": {\"schema\": {\"type\": \"object\", \"properties\": {\"error\": {\"type\": "
    "\"object\", \"properties\": {\"code\": {\"type\": \"string\"}, \"field\": {\"type\": \"string\"}, \"message\": "
    "{\"type\": "
    "\"string\"}, \"file\": {\"type\": \"string\"}, \"line\": {\"type\": \"integer\"}, \"column\": {\"type\": "
    "\"integer\"}}}}}}}}";

static fcps_json *parse(const char *words)
{
  fcps_json *json = NULL;
  return fcps_json_read(&json, words, strlen(words), "a text of the program", NULL) == FCPS_OK ? json : NULL;
}

char *fcps_operation_openapi(const fcps_operation *own)
{
  fcps_json *document = parse(frame), *components = fcps_json_object();
  fcps_json *token = typed("http");
  fcps_json_put(&token, "scheme", text("bearer"));
  fcps_json_put(&components, "securitySchemes", single("token", token));
  fcps_json_put(&components, "parameters", single("study", parse(study_parameter)));
  fcps_json_put(&components, "responses", single("Error", parse(error_response)));
  fcps_json_put(&components, "schemas", single("Numbers", numbers()));
  fcps_json_put(&document, "paths", write_paths(own));
  fcps_json_put(&document, "components", components);
  return fcps_json_finish(document);
}

/* -- Whether an answer belongs to its request --
 *
 * A proxy or another program may also answer "200 OK". So an answer counts as an acknowledgement only if it has all
 * fields that its row of the table needs. */

/* Whether `value` repeats `given`. A request may give only some numbers of a space, or name a result. */
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

/* Whether the context of the answer may differ from that of the request. A named client gets its unfinished ask again,
 * which may be for another context. */
static bool is_asked_before(const fcps_json *request, const fcps_json *answer)
{
  const char *client = fcps_json_text(fcps_json_get(request, "client"));
  bool is_repeated = false;
  (void)fcps_json_bool(fcps_json_get(answer, "repeated"), &is_repeated);
  return client != NULL && *client != '\0' && is_repeated;
}

typedef struct checking {
  const fcps_json *request; /* the whole request; NULL means an empty one */
  fcps_error *error;
} checking;

static fcps_status check_object(const checking *c, const fcps_field *fields, const fcps_json *given,
                                const fcps_json *object, bool are_several);

/* Checks the parts of a list. In an answer to several contexts, each part repeats its context, unless the contexts came
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
    are = fcps_json_number(value, &number) || fcps_json_text(value) != NULL; /* A text is a word. */
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
