/* SPDX-License-Identifier: Apache-2.0 */
/* Reads requests strictly. A misspelt key is refused, and the error names the nearest right key. A warning would not be
 * enough, because a robot's program would not read it. */
#include "operation/call.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "format/csv.h"
#include "space/space.h"
#include "study/inside.h"
#include "wire/wire.h"

#include <fcps/run.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Values -- */

const fcps_json *fcps_call_get(const fcps_call *call, const char *name)
{
  const fcps_json *value = fcps_json_get(call->request, name);
  return value == NULL || fcps_json_is_null(value) ? NULL : value;
}

const char *fcps_call_text(const fcps_call *call, const char *name)
{
  return fcps_json_text(fcps_call_get(call, name));
}

int64_t fcps_call_integer(const fcps_call *call, const char *name, int64_t otherwise)
{
  int64_t value = otherwise;
  (void)fcps_json_whole(fcps_call_get(call, name), &value);
  return value;
}

bool fcps_call_bool(const fcps_call *call, const char *name)
{
  bool value = false;
  (void)fcps_json_bool(fcps_call_get(call, name), &value);
  return value;
}

/* Refuses the client names of `fcps run`. A run recognizes its own asks by their client, and would take the ask of
 * another program for its own. */
fcps_status fcps_call_client(const fcps_call *call, const char **client, fcps_error *error)
{
  *client = fcps_call_text(call, "client");
  if (!fcps_run_owns_client(*client)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "client", "\"%.40s\" is a client of `fcps run`; choose another name",
                        *client);
}

fcps_status fcps_call_budget(const fcps_call *call, double *budget, fcps_error *error)
{
  *budget = 0.0;
  if (fcps_call_get(call, "budget") == NULL) return FCPS_OK;
  if (fcps_json_number(fcps_call_get(call, "budget"), budget) && *budget > 0.0 && isfinite(*budget)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, "budget", "\"budget\" must be a finite number above zero");
}

fcps_status fcps_call_settings(const fcps_call *call, const char *name, fcps_setting **settings, fcps_error *error)
{
  const fcps_json *json = fcps_call_get(call, name);
  *settings = json != NULL ? fcps_json_settings(json) : NULL;
  return json == NULL || *settings != NULL ? FCPS_OK : fcps_error_memory(error);
}

/* -- The check of a request -- */

static const fcps_field *find_field(const fcps_field *fields, const char *name)
{
  for (; fields->name != NULL; fields++)
    if (strcmp(fields->name, name) == 0) return fields;
  return NULL;
}

static fcps_status refuse_key(const fcps_field *fields, const char *key, fcps_error *error)
{
  enum { FIELDS_MAX = 32 };
  const char *names[FIELDS_MAX];
  char hint[256];
  int count = 0;
  for (; fields->name != NULL && count < FIELDS_MAX; fields++)
    names[count++] = fields->name;
  if (count == 0) return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, key, "there is no key \"%.60s\" here", key);
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, key, "there is no key \"%.60s\" here; %s", key,
                        fcps_name_hint(key, count, names, sizeof hint, hint));
}

static bool are_texts(const fcps_json *object)
{
  bool are = fcps_json_is_object(object);
  for (int i = 0; are && i < fcps_json_count(object); i++)
    are = fcps_json_text(fcps_json_get(object, fcps_json_key(object, i))) != NULL;
  return are;
}

static bool is_of_choices(const char *choices, const char *text)
{
  const size_t length = strlen(text);
  for (const char *word = choices; *word != '\0'; word += strspn(word, " ")) {
    const size_t size = strcspn(word, " ");
    if (size == length && strncmp(word, text, size) == 0) return true;
    word += size;
  }
  return false;
}

/* Writes a list of choices in words, as in "json, csv or pdf". */
static char *list_choices(const char *choices, size_t size, char *text)
{
  size_t length = 0;
  *text = '\0';
  for (const char *word = choices; *word != '\0';) {
    const int word_length = (int)strcspn(word, " ");
    const char *next = word + word_length + strspn(word + word_length, " ");
    const bool is_last = *next == '\0';
    const int added = snprintf(text + length, size - length, "%s%.*s",
                               length == 0 ? ""
                               : is_last   ? " or "
                                           : ", ",
                               word_length, word);
    if (added < 0 || (size_t)added >= size - length) return text;
    length += (size_t)added;
    word = next;
  }
  return text;
}

static fcps_status check_text(const fcps_field *f, const fcps_json *value, fcps_error *error)
{
  const char *text = fcps_json_text(value);
  char choices[200];
  if (text == NULL) return fcps_error_set(error, FCPS_ERR_FORMAT, f->name, "\"%s\" is not a text", f->name);
  if (f->choices == NULL || is_of_choices(f->choices, text)) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, f->name, "\"%.40s\" is not a %s; choose %s", text, f->name,
                        list_choices(f->choices, sizeof choices, choices));
}

static fcps_status check_integer(const fcps_field *f, const fcps_json *value, fcps_error *error)
{
  int64_t number = 0;
  const bool has_limits = f->most != 0;
  if (fcps_json_whole(value, &number) && (!has_limits || (number >= f->least && number <= f->most))) return FCPS_OK;
  if (!has_limits || f->most == INT64_MAX)
    return fcps_error_set(error, FCPS_ERR_FORMAT, f->name, "\"%s\" must be a whole number from %lld on", f->name,
                          (long long)f->least);
  return fcps_error_set(error, FCPS_ERR_FORMAT, f->name, "\"%s\" must be a whole number from %lld to %lld", f->name,
                        (long long)f->least, (long long)f->most);
}

static fcps_status check_list(const fcps_field *f, const fcps_json *value, fcps_error *error)
{
  const int count = fcps_json_count(value);
  if (fcps_json_is_array(value) && (f->most == 0 || (count >= 1 && count <= f->most))) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, f->name, "\"%s\" must be an array of 1 to %lld contexts", f->name,
                        (long long)f->most);
}

static fcps_status check_kind(const fcps_field *f, bool is_right, const char *wanted, fcps_error *error)
{
  if (is_right) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_FORMAT, f->name, "\"%s\" must be %s", f->name, wanted);
}

fcps_status fcps_call_check_value(const fcps_field *f, const fcps_json *value, fcps_error *error)
{
  bool truth = false;
  int64_t number = 0;
  double real = 0;
  switch (f->type) {
  case FCPS_FIELD_TEXT:
    return check_text(f, value, error);
  case FCPS_FIELD_INTEGER:
    return check_integer(f, value, error);
  case FCPS_FIELD_NUMBER:
    return check_kind(f, fcps_json_number(value, &real), "a number", error);
  case FCPS_FIELD_BOOLEAN:
    return check_kind(f, fcps_json_bool(value, &truth), "true or false", error);
  case FCPS_FIELD_NUMBERS:
    return FCPS_OK; /* Only the function of the operation knows the space of these numbers. */
  case FCPS_FIELD_BOUNDS:
    return check_kind(f, fcps_json_is_object(value), "the bounds of one dimension: {\"speed\": [0.1, 6]}", error);
  case FCPS_FIELD_SETTINGS:
    return check_kind(f, are_texts(value), "an object of texts: {\"kappa\": \"1\"}", error);
  case FCPS_FIELD_PART:
    return check_kind(f, fcps_json_text(value) != NULL || fcps_json_is_object(value) || fcps_json_is_array(value),
                      "as in a problem file: a list or an object, or its text", error);
  case FCPS_FIELD_CONTEXTS:
    return fcps_json_text(value) != NULL ? FCPS_OK : check_list(f, value, error);
  case FCPS_FIELD_RESULT:
    return check_kind(f, fcps_json_text(value) != NULL || (fcps_json_integer(value, &number) && number > 0),
                      "the number of a result, as rollouts have it, or its name: 7.2 is the second of ask 7", error);
  case FCPS_FIELD_OBJECT:
    return check_kind(f, fcps_json_is_object(value), "an object", error);
  case FCPS_FIELD_VALUES:
  case FCPS_FIELD_LIST:
    return check_kind(f, fcps_json_is_array(value), "an array", error);
  case FCPS_FIELD_REASON: /* The function of the operation judges these together with the other fields of the trial. */
    break;
  }
  return FCPS_OK;
}

static fcps_status check_request(const fcps_call *call, fcps_error *error)
{
  const fcps_field *fields = call->operation->request;
  for (int i = 0; i < fcps_json_count(call->request); i++) {
    const char *key = fcps_json_key(call->request, i);
    if (find_field(fields, key != NULL ? key : "") == NULL) return refuse_key(fields, key != NULL ? key : "", error);
  }
  for (const fcps_field *f = fields; f->name != NULL; f++) {
    const fcps_json *value = fcps_call_get(call, f->name);
    if (value == NULL && (f->flags & FCPS_FIELD_NEEDED) != 0)
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, f->name, "\"%s\" is missing: %s", f->name, f->help);
    const fcps_status status = value != NULL ? fcps_call_check_value(f, value, error) : FCPS_OK;
    if (status != FCPS_OK) return status;
  }
  return FCPS_OK;
}

/* -- Numbers with a unit -- */

static const fcps_dimension *find_dimension(const fcps_problem *p, const char *name)
{
  const fcps_space *const spaces[] = {&p->target, &p->environment, &p->parameters, &p->outcome};
  for (int s = 0; s < 4 && name != NULL; s++) {
    const int index = fcps_space_find(spaces[s], name);
    if (index >= 0) return &spaces[s]->dims[index];
  }
  return NULL;
}

/* Returns the text of a number with a unit, such as "5 mm"; NULL if the value is anything else. */
static const char *text_of(const fcps_json *value)
{
  const char *text = fcps_json_text(value);
  double number;
  return text != NULL && !fcps_number_read(text, &number) ? text
                                                          /* A number as text without a unit, such as "55", is a mistake
                                                           * of the program that sent it. */
                                                          : NULL;
}

/* Copies numbers by name, and converts those that have a unit. Returns NULL if no number has a unit. A name belongs to
 * only one space, so `key` is only for errors. */
static fcps_status read_units(const fcps_problem *p, const char *key, const fcps_json *numbers, fcps_json **found,
                              fcps_error *error)
{
  fcps_status status = FCPS_OK;
  *found = NULL;
  for (int i = 0; fcps_json_is_object(numbers) && i < fcps_json_count(numbers) && status == FCPS_OK; i++) {
    const char *name = fcps_json_key(numbers, i), *text = text_of(fcps_json_get(numbers, name));
    const fcps_dimension *dim = find_dimension(p, name);
    double value = 0;
    if (text == NULL || dim == NULL || dim->choices != NULL) continue; /* A word stays as it is. */
    if (*found == NULL) *found = fcps_json_copy(numbers);
    status = fcps_wire_number_read(dim, text, key, &value, error);
    fcps_json_put(found, name, fcps_json_from_number(value));
  }
  return status;
}

/* Copies the request with all numbers that have a unit converted. The caller destroys the copy; NULL if no number has a
 * unit. */
static fcps_status read_request_units(const fcps_call *call, fcps_json **request, fcps_error *error)
{
  fcps_status status = FCPS_OK;
  *request = NULL;
  for (const fcps_field *f = call->operation->request; f->name != NULL && status == FCPS_OK; f++) {
    fcps_json *numbers = NULL;
    if (f->type != FCPS_FIELD_NUMBERS) continue;
    status = read_units(fcps_study_problem(call->study), f->name, fcps_call_get(call, f->name), &numbers, error);
    if (numbers == NULL) continue;
    if (*request == NULL) *request = fcps_json_copy(call->request);
    fcps_json_put(request, f->name, numbers);
  }
  return status;
}

/* Replaces "the answer" by "the request" in a message, because the readers of src/wire are written for answers of
 * programs. */
static void speak_of_requests(fcps_error *error)
{
  static const char ours[] = "the answer", theirs[] = "the request";
  const fcps_error said = *error;
  if (strncmp(said.message, ours, strlen(ours)) == 0)
    snprintf(error->message, sizeof error->message, "%s%.*s", theirs, (int)(sizeof said.message - sizeof theirs),
             said.message + strlen(ours));
}

fcps_status fcps_call_run(fcps_call *call, fcps_error *error)
{
  fcps_error unwanted = {0};
  if (error == NULL) error = &unwanted;
  fcps_status status = check_request(call, error);
  const fcps_json *given = call->request;
  fcps_json *whole = NULL;
  if (status == FCPS_OK) status = read_request_units(call, &whole, error);
  if (whole != NULL) call->request = whole;
  if (status == FCPS_OK) status = call->operation->run(call, error);
  call->request = given;
  fcps_json_destroy(whole);
  if (status != FCPS_OK) speak_of_requests(error);
  return status;
}

/* -- Contexts -- */

/* Says in words to which other space a name belongs; NULL if no space has it. */
static const char *find_elsewhere(const fcps_problem *p, const char *name)
{
  if (fcps_space_find(&p->target, name) >= 0) return "a target: give it with \"target\"";
  if (fcps_space_find(&p->environment, name) >= 0) return "an environment: give it with \"environment\"";
  if (fcps_space_find(&p->parameters, name) >= 0) return "a parameter";
  return fcps_space_find(&p->outcome, name) >= 0 ? "an outcome, which is told with \"outcome\"" : NULL;
}

static fcps_status refuse_name(const fcps_problem *p, const fcps_space *space, const char *key, const char *name,
                               fcps_error *error)
{
  const char *names[FCPS_SPACE_MAX], *elsewhere = find_elsewhere(p, name);
  char hint[256];
  if (elsewhere != NULL) return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, key, "\"%.60s\" is %s", name, elsewhere);
  if (space->count == 0)
    return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, key, "this problem has no dimensions under \"%s\"", key);
  for (int i = 0; i < space->count; i++)
    names[i] = space->dims[i].name;
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, key, "\"%s\" has no \"%.60s\"; %s", key, name,
                        fcps_name_hint(name, space->count, names, sizeof hint, hint));
}

static fcps_status refuse_missing(const fcps_space *space, const char *key, int index, fcps_error *error)
{
  const fcps_choices *choices = space->dims[index].choices;
  const int count = choices != NULL ? choices->count : space->count;
  char all[300] = "";
  for (int i = 0; i < count; i++) {
    const size_t used = strlen(all);
    snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "",
             choices != NULL ? choices->words[i] : space->dims[i].name);
  }
  return fcps_error_set(error, FCPS_ERR_ARGUMENT, key, "%s is missing; \"%s\" needs %s: %s", space->dims[index].name,
                        key, choices != NULL ? "one of the words" : "a value for each of", all);
}

/* Refuses a wrong name, or a word that its dimension does not have. */
static fcps_status check_pair(const fcps_problem *p, const fcps_space *space, const char *key, const char *name,
                              const fcps_json *value, fcps_error *error)
{
  const int index = fcps_space_find(space, name);
  double place;
  if (index < 0) return refuse_name(p, space, key, name, error);
  if (space->dims[index].choices == NULL || fcps_json_text(value) == NULL) return FCPS_OK;
  return fcps_wire_number_read(&space->dims[index], fcps_json_text(value), key, &place, error);
}

fcps_status fcps_call_check_names(const fcps_problem *p, const fcps_space *space, const char *key,
                                  const fcps_json *object, bool is_complete, fcps_error *error)
{
  const bool is_object = fcps_json_is_object(object);
  for (int i = 0; i < fcps_json_count(object) && is_object; i++) {
    const char *name = fcps_json_key(object, i);
    const fcps_status status =
        name != NULL ? check_pair(p, space, key, name, fcps_json_get(object, name), error) : FCPS_OK;
    if (status != FCPS_OK) return status;
  }
  for (int i = 0; i < space->count && is_complete && (is_object || object == NULL); i++)
    if (fcps_json_get(object, space->dims[i].name) == NULL && space->dims[i].when == NULL)
      return refuse_missing(space, key, i, error);
  return FCPS_OK;
}

static fcps_status read_context(const fcps_problem *p, const fcps_json *object, double *target, double *environment,
                                fcps_error *error)
{
  fcps_status status = fcps_call_check_names(p, &p->target, "target", fcps_json_get(object, "target"), true, error);
  if (status == FCPS_OK)
    status =
        fcps_call_check_names(p, &p->environment, "environment", fcps_json_get(object, "environment"), true, error);
  return status == FCPS_OK ? fcps_wire_context_read(p, object, target, environment, error) : status;
}

static fcps_status make_room(fcps_call_contexts *c, const fcps_problem *p, int count, fcps_error *error)
{
  c->count = count;
  c->targets = fcps_allocate((size_t)count * (size_t)p->target.count, sizeof *c->targets);
  c->environments = fcps_allocate((size_t)count * (size_t)p->environment.count, sizeof *c->environments);
  return c->targets == NULL || c->environments == NULL ? fcps_error_memory(error) : FCPS_OK;
}

/* Reads contexts from a table with a column for each dimension. */
static fcps_status read_table(fcps_call_contexts *c, const fcps_call *call, const char *text, int64_t most,
                              fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(call->study);
  const char *file = fcps_call_text(call, "file");
  fcps_csv csv = {0};
  fcps_status status = fcps_csv_read_text(&csv, text, strlen(text), file != NULL ? file : "contexts", error);
  if (status != FCPS_OK) return status;
  if (csv.rows < 1 || csv.rows > most)
    status = fcps_error_at(error, FCPS_ERR_FORMAT, csv.file, 1, 0, "contexts",
                           "the file has %d rows; give 1 to %lld contexts at once", csv.rows, (long long)most);
  if (status == FCPS_OK) status = make_room(c, p, csv.rows, error);
  if (status == FCPS_OK) status = fcps_wire_contexts_read(&csv, p, c->targets, c->environments, error);
  if (status == FCPS_OK) status = fcps_wire_contexts_check(&csv, p, c->targets, c->environments, error);
  fcps_csv_destroy(&csv);
  return status;
}

static fcps_status read_list(fcps_call_contexts *c, const fcps_problem *p, const fcps_json *list, fcps_error *error)
{
  fcps_status status = make_room(c, p, fcps_json_count(list), error);
  for (int i = 0; i < c->count && status == FCPS_OK; i++)
    status = read_context(p, fcps_json_at(list, i), c->targets + i * p->target.count,
                          c->environments + i * p->environment.count, error);
  return status;
}

fcps_status fcps_call_contexts_create(fcps_call_contexts *c, const fcps_call *call, fcps_error *error)
{
  const fcps_problem *p = fcps_study_problem(call->study);
  const fcps_json *list = fcps_call_get(call, "contexts");
  const char *table = fcps_json_text(list);
  *c = (fcps_call_contexts){.is_list = list != NULL};
  if (list != NULL && (fcps_call_get(call, "target") != NULL || fcps_call_get(call, "environment") != NULL))
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "contexts",
                          "the contexts come from \"contexts\"; leave out \"target\" and \"environment\"");
  if (table != NULL) return read_table(c, call, table, find_field(call->operation->request, "contexts")->most, error);
  if (list != NULL) return read_list(c, p, list, error);
  const fcps_status status = make_room(c, p, 1, error);
  return status == FCPS_OK ? read_context(p, call->request, c->targets, c->environments, error) : status;
}

void fcps_call_contexts_destroy(fcps_call_contexts *c)
{
  free(c->targets);
  free(c->environments);
  *c = (fcps_call_contexts){0};
}

/* -- What is kept -- */

void fcps_call_kept_clear(fcps_call_kept *kept)
{
  if (kept->policy != NULL) fcps_policy_destroy(kept->policy);
  *kept = (fcps_call_kept){.suspects_sequence = -1};
}

fcps_status fcps_call_policy(fcps_call *call, fcps_policy **policy, fcps_error *error)
{
  fcps_call_kept *kept = call->kept;
  const int64_t sequence = fcps_study_sequence(call->study);
  fcps_status status = FCPS_OK;
  if (kept->policy == NULL || kept->policy_sequence != sequence) {
    fcps_call_kept_clear(kept);
    status = fcps_study_policy(call->study, &kept->policy, error);
    kept->policy_sequence = fcps_study_sequence(call->study);
  }
  *policy = kept->policy;
  return status;
}

void fcps_call_find_suspects(fcps_call *call)
{
  fcps_call_kept *kept = call->kept;
  if (kept->suspects_sequence == fcps_study_sequence(call->study)) return;
  (void)fcps_study_find_suspects(call->study, NULL, NULL);
  kept->suspects_sequence = fcps_study_sequence(call->study);
}

/* -- Failures -- */

int fcps_call_http_status(fcps_status status)
{
  switch (status) {
  case FCPS_OK:
    return 200;
  case FCPS_ERR_ARGUMENT:
  case FCPS_ERR_NOT_FINITE:
  case FCPS_ERR_BOUNDS:
  case FCPS_ERR_UNKNOWN_NAME:
  case FCPS_ERR_FORMAT:
    return 400;
  case FCPS_ERR_UNKNOWN_ASK:
    return 404;
  case FCPS_ERR_CONFLICT:
    return 409;
  case FCPS_ERR_UNSUPPORTED:
    return 422;
  case FCPS_ERR_UNAVAILABLE:
    return 501;
  case FCPS_ERR_LOCKED:
  case FCPS_ERR_MEMORY:
  case FCPS_ERR_STOPPED:
  case FCPS_ERR_STORE:
    return 503; /* Nothing was acknowledged, so the client may try again. */
  case FCPS_ERR_STORE_FULL:
    return 507;
  case FCPS_ERR_IO:
  case FCPS_ERR_NOT_POSITIVE:
  case FCPS_ERR_CALLBACK:
  case FCPS_ERR_DAMAGED:
  case FCPS_ERR_PROGRAM:
  case FCPS_ERR_FAILURE_RATE:
  case FCPS_ERR_INTERNAL:
  case FCPS_ERR_BUSY:
  case FCPS_ERR_NO_REWARD:
  case FCPS_STATUS_COUNT:
    break;
  }
  return 500;
}
