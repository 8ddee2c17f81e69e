/* SPDX-License-Identifier: Apache-2.0 */
/* Operations as tools, and their calls. Operations for workers and pages (FCPS_OPERATION_OF_PROGRAMS), for files and for changes of a study are not
 * tools.
 *
 * A request is built key by key from the fields of a row, which are also the schema that the client sees: a new row
 * is a tool by itself, and is safe if its right is true. The name of the client is not an argument, or an assistant
 * could take the ask of a robot. No tool describes its answer by a schema: a number may be the text "nan", and
 * strict clients would refuse it. */
#include "base/error.h"
#include "mcp/mcp_impl.h"
#include "wire/wire.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_tool(const fcps_mcp *mcp, const fcps_operation *o)
{
  return (o->flags & FCPS_OPERATION_OF_PROGRAMS) == 0 && o->type == NULL && o->right <= mcp->options.may &&
         o->right < FCPS_RIGHT_MANAGE;
}

const fcps_operation *fcps_mcp_find_tool(const fcps_mcp *mcp, const char *name)
{
  const fcps_operation *o = fcps_operation_find(name);
  return o != NULL && is_tool(mcp, o) ? o : NULL;
}

/* -- Fields -- */

/* Whether a client may give a field. It may not give the client's name, which is that of its program; the format,
 * because answers are JSON; or key and target, so that only the result of an ask can be told. */
static bool is_kept(const fcps_operation *tool, const fcps_field *f)
{
  const bool is_tell = strcmp(tool->name, "tell") == 0;
  if ((f->flags & FCPS_FIELD_UNSAID) != 0 || strcmp(f->name, "client") == 0 || strcmp(f->name, "format") == 0)
    return false;
  return !is_tell || (strcmp(f->name, "key") != 0 && strcmp(f->name, "target") != 0);
}

static void limit_field(const fcps_operation *tool, fcps_field *f)
{
  static const fcps_field context[] = {{.name = "target", .type = FCPS_FIELD_NUMBERS},
                                       {.name = "environment", .type = FCPS_FIELD_NUMBERS},
                                       {.name = NULL}};
  if (f->type == FCPS_FIELD_CONTEXTS) { /* here always a list, never the text of a table */
    f->type = FCPS_FIELD_LIST;
    f->of = context;
    f->help = "One for each of these contexts, at most 200: [{\"target\": {...}, \"environment\": {...}}, ...]";
    f->most = MCP_ROWS_MAX;
  }
  if (strcmp(f->name, "limit") == 0 || strcmp(f->name, "latest") == 0 || strcmp(f->name, "count") == 0)
    f->most = MCP_ROWS_MAX;
  if (strcmp(f->name, "limit") == 0) f->initial = "50"; /* the same number as MCP_ROWS_USUAL */
  if (strcmp(tool->name, "tell") == 0 && strcmp(f->name, "ask") == 0) {
    f->flags |= FCPS_FIELD_NEEDED;
    f->help = "The number of the ask whose trial it was";
  }
  if (strcmp(f->name, "executed") == 0)
    f->help = "The executed parameters, if they differ from the ask; within their bounds";
}

void fcps_mcp_fields(const fcps_mcp *mcp, const fcps_operation *tool, fcps_field fields[MCP_FIELDS_MAX])
{
  int count = 0;
  if (mcp->options.study_count > 1)
    fields[count++] = (fcps_field){.name = "study",
                                   .type = FCPS_FIELD_TEXT,
                                   .flags = FCPS_FIELD_NEEDED,
                                   .help = "Of which study",
                                   .choices = mcp->names};
  for (const fcps_field *f = tool->request; f->name != NULL && count < MCP_FIELDS_MAX - 1; f++) {
    if (!is_kept(tool, f)) continue;
    fields[count] = *f;
    limit_field(tool, &fields[count++]);
  }
  fields[count] = (fcps_field){.name = NULL};
}

/* -- The list -- */

/* Writes hints for the client. Repeating a call changes nothing more, because a client gets its unfinished ask again,
 * and a result is stored only once. No call removes anything that is stored. */
static fcps_json *write_annotations(const fcps_operation *o)
{
  fcps_json *object = fcps_json_object();
  fcps_json_put(&object, "readOnlyHint", fcps_json_from_bool(o->right == FCPS_RIGHT_READ));
  fcps_json_put(&object, "destructiveHint", fcps_json_from_bool(false));
  fcps_json_put(&object, "idempotentHint", fcps_json_from_bool(true));
  fcps_json_put(&object, "openWorldHint", fcps_json_from_bool(false));
  return object;
}

/* Writes what a tool does, as in "The spaces and the reward. Of ...". */
static fcps_json *write_description(const fcps_operation *o)
{
  char text[1000];
  snprintf(text, sizeof text, "%s.%s%s", o->summary, o->help != NULL ? " " : "", o->help != NULL ? o->help : "");
  return fcps_json_from_text(text);
}

static fcps_json *write_tool(const fcps_mcp *mcp, const fcps_operation *o)
{
  fcps_field fields[MCP_FIELDS_MAX];
  fcps_json *object = fcps_json_object();
  fcps_mcp_fields(mcp, o, fields);
  fcps_json_put(&object, "name", fcps_json_from_text(o->name));
  fcps_json_put(&object, "title", fcps_json_from_text(o->summary));
  fcps_json_put(&object, "description", write_description(o));
  fcps_json_put(&object, "inputSchema", fcps_operation_schema(fields));
  fcps_json_put(&object, "annotations", write_annotations(o));
  return object;
}

/* Lists the tools without an outputSchema: a number may be the text "nan", for which a strict client would refuse a
 * good answer. */
fcps_json *fcps_mcp_write_tools(const fcps_mcp *mcp)
{
  fcps_json *list = fcps_json_array();
  const fcps_operation *o;
  for (int i = 0; (o = fcps_operation_at(i)) != NULL; i++)
    if (is_tool(mcp, o)) fcps_json_add(&list, write_tool(mcp, o));
  return list;
}

/* -- Calls --
 *
 * The arguments of a client are copied key by key into the request, so the study receives nothing that the tool does
 * not describe. Then the promises of mcp.h are checked, and the door does the rest. */

typedef struct tool_call {
  fcps_mcp *mcp;
  const fcps_operation *tool;
  const char *client;
  const mcp_study *study;
  fcps_json *request;
} tool_call;

/* -- The request -- */

/* Refuses an unknown study. The error has the names of the known ones. */
static fcps_status refuse_study(const fcps_mcp *mcp, const char *name, fcps_error *error)
{
  enum { NAMES_MAX = 64 };
  const char *names[NAMES_MAX];
  char hint[300];
  int count = 0;
  for (; count < mcp->options.study_count && count < NAMES_MAX; count++)
    names[count] = mcp->studies[count].name;
  if (name == NULL)
    return fcps_error_set(error, FCPS_ERR_ARGUMENT, "study", "\"study\" is missing; choose from: %s", mcp->names);
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, "study", "there is no study \"%.60s\"; %s", name,
                        fcps_name_hint(name, count, names, sizeof hint, hint));
}

static fcps_status find_study(tool_call *call, const fcps_json *arguments, fcps_error *error)
{
  const fcps_mcp *mcp = call->mcp;
  const char *name = fcps_json_text(fcps_json_get(arguments, "study"));
  const bool is_said = fcps_json_get(arguments, "study") != NULL;
  for (int i = 0; i < mcp->options.study_count; i++)
    if ((!is_said && mcp->options.study_count == 1) || (name != NULL && strcmp(mcp->studies[i].name, name) == 0))
      call->study = &mcp->studies[i];
  return call->study != NULL ? FCPS_OK : refuse_study(mcp, is_said && name == NULL ? "" : name, error);
}

static const fcps_field *find_field(const fcps_field *fields, const char *name)
{
  while (fields->name != NULL && strcmp(fields->name, name) != 0)
    fields++;
  return fields->name != NULL ? fields : NULL;
}

static fcps_status refuse_key(const fcps_field *fields, const char *key, fcps_error *error)
{
  const char *names[MCP_FIELDS_MAX];
  char hint[300];
  int count = 0;
  for (; fields->name != NULL; fields++)
    names[count++] = fields->name;
  if (count == 0) return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, key, "this tool takes no arguments");
  return fcps_error_set(error, FCPS_ERR_UNKNOWN_NAME, key, "there is no argument \"%.60s\" here; %s", key,
                        fcps_name_hint(key, count, names, sizeof hint, hint));
}

/* Checks what is more restricted here than in the row. Everything else is checked together with the row. */
static fcps_status check_value(const fcps_field *f, const fcps_json *value, fcps_error *error)
{
  int64_t number = 0;
  const bool is_list = f->type == FCPS_FIELD_LIST && !fcps_json_is_null(value);
  if (is_list && (!fcps_json_is_array(value) || fcps_json_count(value) > f->most))
    return fcps_error_set(error, FCPS_ERR_FORMAT, f->name, "\"%s\" must be an array of at most %lld", f->name,
                          (long long)f->most);
  if (f->type == FCPS_FIELD_INTEGER && f->most == MCP_ROWS_MAX && fcps_json_whole(value, &number) && number > f->most)
    return fcps_error_set(error, FCPS_ERR_FORMAT, f->name, "\"%s\" is at most %lld here", f->name, (long long)f->most);
  return FCPS_OK;
}

static fcps_status write_request(tool_call *call, const fcps_json *arguments, fcps_error *error)
{
  fcps_field fields[MCP_FIELDS_MAX];
  const char *key;
  fcps_status status = FCPS_OK;
  fcps_mcp_fields(call->mcp, call->tool, fields);
  call->request = fcps_json_object();
  for (int i = 0; status == FCPS_OK && (key = fcps_json_key(arguments, i)) != NULL; i++) {
    const fcps_field *f = find_field(fields, key);
    const fcps_json *value = fcps_json_get(arguments, key);
    if (strcmp(key, "study") == 0) continue;
    status = f != NULL ? check_value(f, value, error) : refuse_key(fields, key, error);
    if (status == FCPS_OK) fcps_json_put(&call->request, key, fcps_json_copy(value));
  }
  if (find_field(call->tool->request, "client") != NULL)
    fcps_json_put(&call->request, "client", fcps_json_from_text(call->client));
  if (find_field(fields, "limit") != NULL && fcps_json_get(call->request, "limit") == NULL)
    fcps_json_put(&call->request, "limit", fcps_json_from_integer(MCP_ROWS_USUAL));
  return status == FCPS_OK && call->request == NULL ? fcps_error_memory(error) : status;
}

/* -- What is looked up -- */

static fcps_status look_up(const tool_call *call, const char *operation, fcps_json **json, fcps_error *error)
{
  fcps_door_answer answer = {0};
  const fcps_status status = fcps_door_do(call->study->door, fcps_operation_find(operation), NULL, &answer, error);
  *json = answer.json;
  return status;
}

/* Keeps promise (2): executed parameters lie within their bounds. An angle may be any number. */
static fcps_status check_executed(const tool_call *call, fcps_error *error)
{
  const fcps_json *executed = fcps_json_get(call->request, "executed");
  fcps_json *problem = NULL;
  if (executed == NULL || fcps_json_is_null(executed)) return FCPS_OK;
  fcps_status status = look_up(call, "problem", &problem, error);
  const fcps_json *list = fcps_json_get(problem, "parameters"), *dimension;
  for (int i = 0; status == FCPS_OK && (dimension = fcps_json_at(list, i)) != NULL; i++) {
    const char *name = fcps_json_text(fcps_json_get(dimension, "name"));
    const fcps_json *given = name != NULL ? fcps_json_get(executed, name) : NULL;
    double value = 0, lower = 0, upper = 0, period = 0;
    if (fcps_json_get(dimension, "choices") != NULL) continue; /* The check of the row judges words. */
    if (!fcps_json_number(given, &value)) {
      const fcps_dimension unit = {.name = name, .unit = fcps_json_text(fcps_json_get(dimension, "unit"))};
      const char *text = fcps_json_text(given);
      if (text == NULL) continue; /* It is absent, or the check of the row refuses it. */
      status = fcps_wire_number_read(&unit, text, "executed", &value, error); /* "2.5 mm" */
      if (status != FCPS_OK) break;
    }
    (void)fcps_json_number(fcps_json_get(dimension, "lower"), &lower);
    (void)fcps_json_number(fcps_json_get(dimension, "upper"), &upper);
    const bool is_angle = fcps_json_number(fcps_json_get(dimension, "period"), &period) && period > 0;
    if (is_angle ? isfinite(value) : value >= lower && value <= upper) continue;
    status =
        fcps_error_set(error, FCPS_ERR_BOUNDS, "executed",
                       "\"executed.%s\" is %g, outside its bounds %g to %g. If it was truly executed, a person tells "
                       "the result: fcps study tell",
                       name, value, lower, upper);
  }
  fcps_json_destroy(problem);
  return status;
}

/* Keeps promise (3): a client does not take away an ask on which a robot or a person is at work. */
static fcps_status check_forgotten(const tool_call *call, fcps_error *error)
{
  int64_t wanted = 0, number = 0;
  fcps_json *pending = NULL;
  (void)fcps_json_whole(fcps_json_get(call->request, "ask"), &wanted);
  fcps_status status = look_up(call, "asks", &pending, error);
  const fcps_json *list = fcps_json_get(pending, "asks"), *ask;
  for (int i = 0; status == FCPS_OK && (ask = fcps_json_at(list, i)) != NULL; i++) {
    const char *client = fcps_json_text(fcps_json_get(ask, "client"));
    if (!fcps_json_integer(fcps_json_get(ask, "ask"), &number) || number != wanted) continue;
    if (client == NULL || strncmp(client, "mcp:", 4) != 0)
      status = fcps_error_set(
          error, FCPS_ERR_UNSUPPORTED, "ask",
          "ask %lld belongs to a robot or a person, and may be under way; only a person may give it up: fcps "
          "study forget",
          (long long)number);
  }
  fcps_json_destroy(pending);
  return status;
}

/* -- The budget -- */

/* Returns how many asks a request makes at most; 0 if it makes none. */
static int count_asks(const tool_call *call)
{
  const fcps_json *contexts = fcps_json_get(call->request, "contexts");
  int64_t count = 1;
  if (call->tool->right != FCPS_RIGHT_ASK || find_field(call->tool->answer, "parameters") == NULL) return 0;
  if (fcps_json_count(contexts) > 0) return fcps_json_count(contexts);
  (void)fcps_json_whole(fcps_json_get(call->request, "count"), &count);
  return count >= 1 && count <= MCP_ROWS_MAX ? (int)count : 1;
}

/* Whether `client` is one of the first `count` of "mcp:NAME", "mcp:NAME/2", "mcp:NAME/3" and so on. */
static bool is_own(const char *client, const char *own, int count)
{
  const size_t length = strlen(own);
  int number = 1, end = 0;
  if (client == NULL || strncmp(client, own, length) != 0) return false;
  if (client[length] == '\0') return true;
  return sscanf(client + length, "/%d%n", &number, &end) == 1 && client[length + (size_t)end] == '\0' && number >= 2 &&
         number <= count;
}

/* Counts how many of `count` asks the client has already. It would get these again. */
static fcps_status count_pending(const tool_call *call, int count, int *pending, fcps_error *error)
{
  fcps_json *json = NULL;
  const fcps_status status = look_up(call, "asks", &json, error);
  const fcps_json *list = fcps_json_get(json, "asks"), *ask;
  *pending = 0;
  for (int i = 0; (ask = fcps_json_at(list, i)) != NULL; i++)
    *pending += is_own(fcps_json_text(fcps_json_get(ask, "client")), call->client, count);
  fcps_json_destroy(json);
  return status;
}

static fcps_status check_budget(const tool_call *call, int count, int pending, fcps_error *error)
{
  const int64_t most = call->mcp->options.trials, left = most > call->mcp->asked ? most - call->mcp->asked : 0;
  if (count - pending <= left) return FCPS_OK;
  return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "trials",
                        "this takes %d new ask%s, and %lld of %lld trials are left. Ask for fewer, tell the results of "
                        "asks that are under way, or let a person start this server again with more (--trials)",
                        count - pending, count - pending == 1 ? "" : "s", (long long)left, (long long)most);
}

/* Counts the new asks in an answer. */
static int count_new(const fcps_json *answer)
{
  const fcps_json *list = fcps_json_get(answer, "asks");
  bool is_repeated = false;
  int count = 0;
  for (int i = 0; i < fcps_json_count(list); i++)
    count += count_new(fcps_json_at(list, i));
  if (fcps_json_get(answer, "parameters") == NULL) return count;
  (void)fcps_json_bool(fcps_json_get(answer, "repeated"), &is_repeated);
  return count + !is_repeated;
}

/* Does an operation that asks, and counts the new asks. Even if the operation failed, some asks may have been
 * stored. */
static fcps_status do_asks(tool_call *call, int count, fcps_door_answer *answer, fcps_error *error)
{
  fcps_mcp *mcp = call->mcp;
  int before = 0, after = 0;
  fcps_status status = count_pending(call, count, &before, error);
  if (status == FCPS_OK) status = check_budget(call, count, before, error);
  if (status != FCPS_OK) return status;
  const double wanted = fcps_json_get_number(call->request, "budget", INFINITY);
  if (mcp->options.budget > 0.0 && !(wanted <= mcp->options.budget))
    fcps_json_put(&call->request, "budget", fcps_json_from_number(mcp->options.budget));
  status = fcps_door_do(call->study->door, call->tool, call->request, answer, error);
  if (status == FCPS_OK)
    mcp->asked += count_new(answer->json);
  else if (count_pending(call, count, &after, NULL) == FCPS_OK)
    mcp->asked += after > before ? after - before : 0;
  else
    mcp->asked += count - before;
  fcps_json_put(&answer->json, "trials_left", fcps_json_from_integer(mcp->options.trials - mcp->asked));
  return status;
}

/* -- The call -- */

static fcps_status do_tell(tool_call *call, fcps_door_answer *answer, fcps_error *error)
{
  fcps_mcp *mcp = call->mcp;
  const fcps_json *ask = fcps_json_get(call->request, "ask");
  if (ask == NULL || fcps_json_is_null(ask))
    return fcps_error_set(
        error, FCPS_ERR_ARGUMENT, "ask",
        "\"ask\" is missing: here only the result of an ask can be told. A trial that nobody asked for is "
        "told by a person: fcps study tell, or import");
  if (mcp->conflicts >= MCP_CONFLICTS_MAX)
    return fcps_error_set(error, FCPS_ERR_UNSUPPORTED, "ask",
                          "%d results contradicted what is stored, so no more are taken. A person must look at them "
                          "(fcps study log) and start this server again",
                          mcp->conflicts);
  fcps_status status = check_executed(call, error);
  if (status == FCPS_OK) status = fcps_door_do(call->study->door, call->tool, call->request, answer, error);
  mcp->conflicts += status == FCPS_ERR_CONFLICT;
  return status;
}

static fcps_status do_call(tool_call *call, const fcps_json *arguments, fcps_door_answer *answer, fcps_error *error)
{
  fcps_status status = find_study(call, arguments, error);
  if (status == FCPS_OK) status = write_request(call, arguments, error);
  if (status != FCPS_OK) return status;
  if (call->tool->right == FCPS_RIGHT_TELL) return do_tell(call, answer, error);
  const int count = count_asks(call);
  if (count > 0) return do_asks(call, count, answer, error);
  if (call->tool->right == FCPS_RIGHT_ASK) status = check_forgotten(call, error);
  return status == FCPS_OK ? fcps_door_do(call->study->door, call->tool, call->request, answer, error) : status;
}

/* -- The result -- */

static fcps_json *write_result(const char *text, fcps_json *structured, bool is_error)
{
  fcps_json *object = fcps_json_object(), *content = fcps_json_array(), *block = fcps_json_object();
  fcps_json_put(&block, "type", fcps_json_from_text("text"));
  fcps_json_put(&block, "text", fcps_json_from_text(text));
  fcps_json_add(&content, block);
  fcps_json_put(&object, "content", content);
  fcps_json_put(&object, "structuredContent", structured);
  fcps_json_put(&object, "isError", fcps_json_from_bool(is_error));
  return object;
}

static fcps_json *write_failure(const fcps_error *error)
{
  char text[sizeof error->field + sizeof error->message + FCPS_WIRE_CODE_SIZE + 4], code[FCPS_WIRE_CODE_SIZE];
  snprintf(text, sizeof text, "%s: %s%s%s", fcps_wire_failure_code(error->status, code), error->field,
           *error->field != '\0' ? ": " : "", error->message);
  return write_result(text, fcps_wire_failure_write(error), true);
}

fcps_json *fcps_mcp_call(fcps_mcp *mcp, const fcps_operation *tool, const char *client, const fcps_json *arguments)
{
  tool_call call = {.mcp = mcp, .tool = tool, .client = client};
  fcps_door_answer answer = {0};
  fcps_error error = {0};
  fcps_status status = do_call(&call, arguments, &answer, &error);
  char *text = status == FCPS_OK ? fcps_json_write(answer.json) : NULL;
  if (status == FCPS_OK && text == NULL) status = fcps_error_memory(&error);
  if (status == FCPS_OK && strlen(text) > MCP_ANSWER_MAX)
    status = fcps_error_set(&error, FCPS_ERR_UNSUPPORTED, "", "the answer has %zu bytes, more than %d; ask for less",
                            strlen(text), (int)MCP_ANSWER_MAX);
  fcps_json *result = NULL;
  if (status == FCPS_OK) {
    result = write_result(text, answer.json, false);
    answer.json = NULL;
  } else {
    result = write_failure(&error);
  }
  fcps_free(text);
  fcps_door_answer_destroy(&answer);
  fcps_json_destroy(call.request);
  return result;
}
