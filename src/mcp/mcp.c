/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of the protocol: JSON-RPC 2.0, one object per line. A request of revision 2026-07-28 states its revision
 * and its sender in _meta. A request of an older revision has no _meta, and belongs to the client that began with
 * `initialize`. Requests of both kinds may come in any order. */
#include "mcp/mcp.h"

#include "base/error.h"
#include "base/memory.h"
#include "door/client.h"
#include "mcp/mcp_impl.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char revision[] = "2026-07-28", version_key[] = "io.modelcontextprotocol/protocolVersion",
                  client_key[] = "io.modelcontextprotocol/clientInfo",
                  capabilities_key[] = "io.modelcontextprotocol/clientCapabilities",
                  server_key[] = "io.modelcontextprotocol/serverInfo";
/* clients of any other revision are offered the first one */
static const char *const older_revisions[] = {"2025-11-25", "2025-06-18"};

/* Codes of JSON-RPC, and one of the protocol itself. */
enum {
  BAD_JSON = -32700,
  BAD_MESSAGE = -32600,
  NO_METHOD = -32601,
  BAD_PARAMS = -32602,
  NO_MEMORY = -32603,
  BAD_REVISION = -32022
};

/* -- Studies -- */

/* Writes a name as one word: letters, digits and . _ - stay as they are. */
static void clean_name(const char *name, char clean[MCP_NAME_SIZE])
{
  size_t length = 0;
  for (; *name != '\0' && length < MCP_NAME_SIZE - 1; name++) {
    const char c = *name;
    const bool is_kept =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (is_kept || (length > 0 && clean[length - 1] != '-')) clean[length++] = is_kept ? c : '-';
  }
  while (length > 0 && clean[length - 1] == '-')
    length--;
  clean[length] = '\0';
  if (length == 0) snprintf(clean, MCP_NAME_SIZE, "unnamed");
}

/* Names a study by one word: "throw" for rigs/throw.fcps and for http://127.0.0.1:8017/throw. For a study in a
 * database it is the name there. */
static bool name_study(const char *address, char name[MCP_NAME_SIZE])
{
  const char *slash = strrchr(address, '/');
  const bool is_served = fcps_client_is_url(address);
  char *said = is_served ? fcps_copy_text(slash != NULL ? slash + 1 : address) : fcps_store_study_name(address);
  if (said != NULL) clean_name(said, name);
  free(said);
  return said != NULL;
}

static fcps_status open_study(fcps_mcp *mcp, int index, fcps_error *error)
{
  const fcps_mcp_options *o = &mcp->options;
  mcp_study *study = &mcp->studies[index];
  const fcps_door_options options = {
      .study = {.log = o->log}, .token = o->tokens != NULL ? o->tokens[index] : NULL, .stop = o->stop, .user = o->user};
  if (!name_study(o->studies[index], study->name)) return fcps_error_memory(error);
  for (int i = 0; i < index; i++)
    if (strcmp(mcp->studies[i].name, study->name) == 0)
      return fcps_error_set(error, FCPS_ERR_ARGUMENT, "STUDY",
                            "%.200s and %.200s would both be called \"%s\"; rename one", o->studies[i],
                            o->studies[index], study->name);
  return fcps_door_open(&study->door, o->studies[index], &options, error);
}

static fcps_status open_studies(fcps_mcp *mcp, fcps_error *error)
{
  const int count = mcp->options.study_count;
  fcps_status status = FCPS_OK;
  mcp->studies = fcps_allocate((size_t)count, sizeof *mcp->studies);
  mcp->names = fcps_allocate((size_t)count, MCP_NAME_SIZE);
  if (mcp->studies == NULL || mcp->names == NULL) return fcps_error_memory(error);
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    status = open_study(mcp, i, error);
    if (i > 0) strcat(mcp->names, " ");
    strcat(mcp->names, mcp->studies[i].name);
  }
  return status;
}

fcps_status fcps_mcp_create(fcps_mcp **result, const fcps_mcp_options *options, fcps_error *error)
{
  fcps_mcp *mcp = fcps_allocate(1, sizeof *mcp);
  *result = NULL;
  if (mcp == NULL) return fcps_error_memory(error);
  mcp->options = *options;
  const fcps_status status = open_studies(mcp, error);
  if (status == FCPS_OK)
    *result = mcp;
  else
    fcps_mcp_destroy(mcp);
  return status;
}

void fcps_mcp_destroy(fcps_mcp *mcp)
{
  if (mcp == NULL) return;
  for (int i = 0; i < mcp->options.study_count && mcp->studies != NULL; i++)
    fcps_door_close(mcp->studies[i].door);
  free(mcp->studies);
  free(mcp->names);
  free(mcp);
}

/* -- Messages -- */

/* A request, and why it is refused; if it is not refused, the code is 0. */
typedef struct request {
  const char *method;
  const fcps_json *params, *meta;
  bool is_older; /* its revision is older than 2026-07-28 */
  char client[MCP_CLIENT_SIZE];
  int code;
  char words[400];
  fcps_json *data;
} request;

static fcps_json *refuse(request *r, int code, const char *words)
{
  r->code = code;
  snprintf(r->words, sizeof r->words, "%s", words);
  return NULL;
}

/* Begins an answer, without its result or error. If the id is missing, it is null. */
static fcps_json *begin_answer(const fcps_json *id)
{
  int64_t number = 0;
  fcps_json *answer = fcps_json_object(), *same = NULL;
  if (fcps_json_text(id) != NULL)
    same = fcps_json_from_text(fcps_json_text(id));
  else
    same = fcps_json_integer(id, &number) ? fcps_json_from_integer(number) : fcps_json_null();
  fcps_json_put(&answer, "jsonrpc", fcps_json_from_text("2.0"));
  fcps_json_put(&answer, "id", same);
  return answer;
}

static char *write_refusal(const fcps_json *id, int code, const char *words, fcps_json *data)
{
  fcps_json *answer = begin_answer(id), *error = fcps_json_object();
  fcps_json_put(&error, "code", fcps_json_from_integer(code));
  fcps_json_put(&error, "message", fcps_json_from_text(words));
  if (data != NULL) fcps_json_put(&error, "data", data);
  fcps_json_put(&answer, "error", error);
  return fcps_json_finish(answer);
}

char *fcps_mcp_refuse_line(void)
{
  return write_refusal(NULL, BAD_JSON, "a line has at most 1048576 bytes", NULL);
}

/* -- Who asks -- */

static void read_client(const fcps_json *info, char client[MCP_CLIENT_SIZE])
{
  char name[MCP_NAME_SIZE];
  const char *said = fcps_json_text(fcps_json_get(info, "name"));
  clean_name(said != NULL ? said : "", name);
  snprintf(client, MCP_CLIENT_SIZE, "mcp:%s", name);
}

static fcps_json *list_text(const char *only)
{
  fcps_json *list = fcps_json_array();
  fcps_json_add(&list, fcps_json_from_text(only));
  return list;
}

/* Finds out the revision of the request, and who sent it. */
static bool read_sender(const fcps_mcp *mcp, request *r)
{
  const fcps_json *told = fcps_json_get(r->meta, version_key);
  const char *version = fcps_json_text(told);
  r->is_older = told == NULL && mcp->has_begun;
  memcpy(r->client, mcp->client, sizeof r->client);
  if (r->is_older) return true;
  read_client(fcps_json_get(r->meta, client_key), r->client);
  if (version == NULL || !fcps_json_is_object(fcps_json_get(r->meta, capabilities_key))) {
    refuse(r, BAD_PARAMS,
           "params._meta must have io.modelcontextprotocol/protocolVersion (\"2026-07-28\") and "
           "io.modelcontextprotocol/clientCapabilities ({}); or begin with initialize, as revision 2025-11-25 does");
  } else if (strcmp(version, revision) != 0) {
    refuse(r, BAD_REVISION, "Unsupported protocol version");
    r->data = fcps_json_object();
    fcps_json_put(&r->data, "supported", list_text(revision));
    fcps_json_put(&r->data, "requested", fcps_json_from_text(version));
  }
  return r->code == 0;
}

/* -- Methods -- */

static fcps_json *write_server(void)
{
  fcps_json *server = fcps_json_object();
  fcps_json_put(&server, "name", fcps_json_from_text("fcps"));
  fcps_json_put(&server, "title", fcps_json_from_text("fcps: which parameters to use in which situation"));
  fcps_json_put(&server, "version", fcps_json_from_text(fcps_version()));
  return server;
}

static fcps_json *write_capabilities(void)
{
  fcps_json *capabilities = fcps_json_object();
  fcps_json_put(&capabilities, "tools", fcps_json_object());
  return capabilities;
}

static fcps_json *write_instructions(const fcps_mcp *mcp)
{
  static const char first[] =
      "A study learns from few expensive trials which parameters to use in which situation. Call problem "
      "first: it names the target (what is wanted), the environment (what is given), the parameters and "
      "the outcomes, with bounds and units. Numbers are objects by name: {\"x\": 3}. best and retarget "
      "answer from what is known and cost no trial.";
  static const char asking[] =
      " ask takes one of a limited number of trials: its parameters are to be tried in reality, for the "
      "context that you give. Never invent parameters or a result.";
  static const char telling[] = " tell stores what was measured, under the number of its ask; it cannot be taken back.";
  char text[1200];
  snprintf(text, sizeof text, "%s%s%s", first, mcp->options.may >= FCPS_RIGHT_ASK ? asking : "",
           mcp->options.may >= FCPS_RIGHT_TELL ? telling : "");
  return fcps_json_from_text(text);
}

static fcps_json *initialize(fcps_mcp *mcp, request *r)
{
  const char *wanted = fcps_json_text(fcps_json_get(r->params, "protocolVersion")), *agreed = older_revisions[0];
  if (wanted == NULL) return refuse(r, BAD_PARAMS, "params.protocolVersion is missing, such as \"2025-11-25\"");
  for (size_t i = 0; i < sizeof older_revisions / sizeof *older_revisions; i++)
    if (strcmp(older_revisions[i], wanted) == 0) agreed = older_revisions[i];
  read_client(fcps_json_get(r->params, "clientInfo"), mcp->client);
  mcp->has_begun = true;
  fcps_json *result = fcps_json_object();
  fcps_json_put(&result, "protocolVersion", fcps_json_from_text(agreed));
  fcps_json_put(&result, "capabilities", write_capabilities());
  fcps_json_put(&result, "serverInfo", write_server());
  fcps_json_put(&result, "instructions", write_instructions(mcp));
  return result;
}

/* Says how long a client may keep an answer: until this process ends. The next process may allow less. */
static void put_lifetime(fcps_json **result)
{
  fcps_json_put(result, "ttlMs", fcps_json_from_integer(60000));
  fcps_json_put(result, "cacheScope", fcps_json_from_text("private"));
}

static fcps_json *discover(fcps_mcp *mcp, request *r)
{
  (void)r;
  fcps_json *result = fcps_json_object();
  fcps_json_put(&result, "supportedVersions", list_text(revision));
  fcps_json_put(&result, "capabilities", write_capabilities());
  fcps_json_put(&result, "instructions", write_instructions(mcp));
  put_lifetime(&result);
  return result;
}

static fcps_json *ping(fcps_mcp *mcp, request *r)
{
  (void)mcp, (void)r;
  return fcps_json_object();
}

static fcps_json *list_tools(fcps_mcp *mcp, request *r)
{
  const fcps_json *cursor = fcps_json_get(r->params, "cursor");
  if (cursor != NULL && !fcps_json_is_null(cursor))
    return refuse(r, BAD_PARAMS, "params.cursor is not one of this server: all tools come in one answer");
  fcps_json *result = fcps_json_object();
  fcps_json_put(&result, "tools", fcps_mcp_write_tools(mcp));
  if (!r->is_older) put_lifetime(&result);
  return result;
}

static fcps_json *refuse_tool(const fcps_mcp *mcp, request *r, const char *name)
{
  static const char *const rights[] = {"read", "ask", "tell"};
  const fcps_operation *o = fcps_operation_find(name);
  r->code = BAD_PARAMS;
  if (o != NULL && o->right > mcp->options.may && o->right < FCPS_RIGHT_MANAGE)
    snprintf(r->words, sizeof r->words, "the tool %s is not allowed here: this server was started with --may %s",
             o->name, rights[mcp->options.may]);
  else
    snprintf(r->words, sizeof r->words, "Unknown tool: %.60s", name);
  return NULL;
}

static fcps_json *call_tool(fcps_mcp *mcp, request *r)
{
  const char *name = fcps_json_text(fcps_json_get(r->params, "name"));
  const fcps_json *arguments = fcps_json_get(r->params, "arguments");
  const fcps_operation *tool = name != NULL ? fcps_mcp_find_tool(mcp, name) : NULL;
  if (name == NULL) return refuse(r, BAD_PARAMS, "params.name is missing: the name of a tool");
  if (tool == NULL) return refuse_tool(mcp, r, name);
  if (arguments != NULL && !fcps_json_is_object(arguments) && !fcps_json_is_null(arguments))
    return refuse(r, BAD_PARAMS, "params.arguments must be an object");
  return fcps_mcp_call(mcp, tool, r->client, arguments);
}

/* -- From a line to its answer -- */

typedef struct method {
  const char *name;
  /* whether the method exists before revision 2026-07-28, and from it on */
  bool is_older, is_newer;
  /* returns the result; NULL: the request was refused, or memory ran out */
  fcps_json *(*run)(fcps_mcp *mcp, request *r);
} method;

static const method methods[] = {
    {"server/discover", false, true, discover},
    {"tools/list", true, true, list_tools},
    {"tools/call", true, true, call_tool},
    {"initialize", true, false, initialize},
    {"ping", true, false, ping},
};

static const method *find_method(const char *name)
{
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (strcmp(methods[i].name, name) == 0) return &methods[i];
  return NULL;
}

static fcps_json *run_method(fcps_mcp *mcp, request *r)
{
  const method *m = find_method(r->method);
  const bool is_first = m != NULL && !m->is_newer; /* these methods are allowed before a client has begun */
  r->is_older = is_first;
  if (r->params != NULL && !fcps_json_is_object(r->params)) return refuse(r, BAD_PARAMS, "params must be an object");
  if (is_first && fcps_json_get(r->meta, version_key) != NULL && m->run == ping) m = NULL;
  if (!is_first && !read_sender(mcp, r)) return NULL;
  if (m != NULL && (r->is_older ? m->is_older : m->is_newer || is_first)) return m->run(mcp, r);
  r->code = NO_METHOD;
  snprintf(r->words, sizeof r->words, "there is no method %.80s here", r->method);
  return NULL;
}

static char *answer_request(fcps_mcp *mcp, const fcps_json *id, request *r)
{
  fcps_json *result = run_method(mcp, r);
  if (result == NULL && r->code == 0) refuse(r, NO_MEMORY, "there is too little memory");
  if (result == NULL) return write_refusal(id, r->code, r->words, r->data);
  if (!r->is_older) {
    fcps_json *meta = fcps_json_object();
    fcps_json_put(&meta, server_key, write_server());
    fcps_json_put(&result, "resultType", fcps_json_from_text("complete"));
    fcps_json_put(&result, "_meta", meta);
  }
  fcps_json *answer = begin_answer(id);
  fcps_json_put(&answer, "result", result);
  return fcps_json_finish(answer);
}

static char *answer_message(fcps_mcp *mcp, const fcps_json *message)
{
  int64_t number = 0;
  const fcps_json *id = fcps_json_get(message, "id"), *method_name = fcps_json_get(message, "method");
  const char *version = fcps_json_text(fcps_json_get(message, "jsonrpc"));
  const bool has_id = fcps_json_text(id) != NULL || fcps_json_integer(id, &number);
  request r = {.method = fcps_json_text(method_name), .params = fcps_json_get(message, "params")};
  r.meta = fcps_json_get(r.params, "_meta");
  if (fcps_json_is_array(message))
    return write_refusal(NULL, BAD_MESSAGE, "batches are refused: send one message a line", NULL);
  if (!fcps_json_is_object(message) || version == NULL || strcmp(version, "2.0") != 0)
    return write_refusal(id, BAD_MESSAGE, "a message is an object with \"jsonrpc\": \"2.0\"", NULL);
  if (method_name == NULL && (fcps_json_get(message, "result") != NULL || fcps_json_get(message, "error") != NULL))
    return NULL; /* It is an answer, but nothing was asked. */
  if (r.method == NULL) return write_refusal(id, BAD_MESSAGE, "\"method\" must be a text", NULL);
  if (id == NULL) return NULL; /* Notifications change nothing here. */
  if (!has_id) return write_refusal(NULL, BAD_MESSAGE, "\"id\" must be a text or a whole number", NULL);
  return answer_request(mcp, id, &r);
}

char *fcps_mcp_answer(fcps_mcp *mcp, const char *line, size_t length)
{
  fcps_json *message = NULL;
  fcps_error error = {0};
  size_t blanks = 0;
  while (blanks < length && strchr(" \t\r\n", line[blanks]) != NULL && line[blanks] != '\0')
    blanks++;
  if (blanks == length) return NULL;
  if (length > MCP_LINE_MAX) return fcps_mcp_refuse_line();
  if (fcps_json_read(&message, line, length, "the line", &error) != FCPS_OK)
    return write_refusal(NULL, error.status == FCPS_ERR_MEMORY ? NO_MEMORY : BAD_JSON, error.message, NULL);
  char *answer = answer_message(mcp, message);
  fcps_json_destroy(message);
  return answer;
}
