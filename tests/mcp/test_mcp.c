/* SPDX-License-Identifier: Apache-2.0 */
/* What a client of `fcps mcp` may send, and what it gets: messages, revisions, tools, and the promises of mcp/mcp.h. */
#include "check.h"
#include "folder.h"

#include "door/door.h"
#include "mcp/mcp.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char yaml[] = "name: throw\n"
                           "target: {mark: {range: [-1, 1], unit: m}}\n"
                           "environment: {wind: [-0.2, 0.2]}\n"
                           "parameters: {turn: {range: [0, 6.28], period: 6.28}, speed: {range: [0, 1], unit: m/s}}\n"
                           "outcome: [land]\n"
                           "reward: -abs(mark-land)\n";
static char throw_path[300], push_path[300];
static test_folder place;

#define META                                                                                                           \
  "\"_meta\": {\"io.modelcontextprotocol/protocolVersion\": \"2026-07-28\", "                                          \
  "\"io.modelcontextprotocol/clientCapabilities\": {}, \"io.modelcontextprotocol/clientInfo\": {\"name\": \"%s\"}}"
#define CONTEXT "\"target\": {\"mark\": 0.5}, \"environment\": {\"wind\": 0.1}"

static void make_study(char path[300], const char *name)
{
  fcps_study *study = NULL;
  const fcps_study_setup setup = {.text = yaml, .text_name = "throw.yaml", .learner = "random", .seed = 1};
  snprintf(path, 300, "%s", folder_file(&place, name));
  assert_ok(fcps_study_create(&study, path, &setup, NULL, NULL));
  fcps_study_close(study);
}

static int set_up(void **state)
{
  (void)state;
  place = folder_create();
  make_study(throw_path, "throw.fcps");
  make_study(push_path, "push it.fcps");
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  folder_remove(&place);
  return 0;
}

static fcps_mcp *open_mcp(fcps_operation_right may, int64_t trials, int studies)
{
  static const char *paths[2];
  fcps_mcp *mcp = NULL;
  fcps_error error = {0};
  paths[0] = throw_path, paths[1] = push_path;
  const fcps_mcp_options options = {.study_count = studies, .studies = paths, .may = may, .trials = trials};
  if (fcps_mcp_create(&mcp, &options, &error) != FCPS_OK) fail_msg("%s", error.message);
  return mcp;
}

/* the answer of a line, or NULL */
static fcps_json *say(fcps_mcp *mcp, const char *line, size_t length)
{
  char *text = fcps_mcp_answer(mcp, line, length);
  fcps_json *json = NULL;
  if (text == NULL) return NULL;
  assert_null(strchr(text, '\n'));
  assert_ok(fcps_json_read(&json, text, strlen(text), "the answer", NULL));
  assert_string_equal(fcps_json_text(fcps_json_get(json, "jsonrpc")), "2.0");
  assert_true((fcps_json_get(json, "result") == NULL) != (fcps_json_get(json, "error") == NULL));
  fcps_free(text);
  return json;
}

static int64_t whole(const fcps_json *object, const char *key)
{
  int64_t value = -999999;
  if (!fcps_json_integer(fcps_json_get(object, key), &value)) fail_msg("there is no number %s", key);
  return value;
}

/* a request that is refused with this code */
static void expect_refusal(fcps_mcp *mcp, const char *line, size_t length, int code, bool has_id)
{
  fcps_json *answer = say(mcp, line, length);
  if (answer == NULL || fcps_json_get(answer, "error") == NULL) fail_msg("not refused: %.200s", line);
  if (whole(fcps_json_get(answer, "error"), "code") != code)
    fail_msg("%.200s: %d, %s", line, (int)whole(fcps_json_get(answer, "error"), "code"),
             fcps_json_text(fcps_json_get(fcps_json_get(answer, "error"), "message")));
  if (fcps_json_is_null(fcps_json_get(answer, "id")) == has_id) fail_msg("id of %.200s", line);
  fcps_json_destroy(answer);
}

/* calls a tool of revision 2026-07-28 */
static fcps_json *call_as(fcps_mcp *mcp, const char *client, const char *tool, const char *arguments)
{
  static char line[40000];
  snprintf(line, sizeof line,
           "{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"tools/call\", \"params\": {\"name\": \"%s\", "
           "\"arguments\": %s, " META "}}",
           tool, arguments, client);
  fcps_json *answer = say(mcp, line, strlen(line));
  if (fcps_json_get(answer, "result") == NULL) fail_msg("refused: %s", line);
  return answer;
}

static const fcps_json *structured(const fcps_json *answer)
{
  return fcps_json_get(fcps_json_get(answer, "result"), "structuredContent");
}

/* a call that works; the text of its result is its JSON */
static fcps_json *call(fcps_mcp *mcp, const char *tool, const char *arguments)
{
  fcps_json *answer = call_as(mcp, "probe", tool, arguments);
  const fcps_json *result = fcps_json_get(answer, "result");
  const fcps_json *block = fcps_json_at(fcps_json_get(result, "content"), 0);
  bool is_error = true;
  char *same = fcps_json_write(structured(answer));
  assert_true(fcps_json_bool(fcps_json_get(result, "isError"), &is_error));
  if (is_error) fail_msg("%s %s: %s", tool, arguments, fcps_json_text(fcps_json_get(block, "text")));
  assert_string_equal(fcps_json_text(fcps_json_get(block, "text")), same);
  assert_string_equal(fcps_json_text(fcps_json_get(result, "resultType")), "complete");
  fcps_free(same);
  return answer;
}

/* a call that fails, with the code and the field of its error */
static void expect_failure(fcps_mcp *mcp, const char *tool, const char *arguments, const char *code, const char *field)
{
  fcps_json *answer = call_as(mcp, "probe", tool, arguments);
  const fcps_json *result = fcps_json_get(answer, "result"), *error = fcps_json_get(structured(answer), "error");
  const char *words = fcps_json_text(fcps_json_get(fcps_json_at(fcps_json_get(result, "content"), 0), "text"));
  bool is_error = false;
  (void)fcps_json_bool(fcps_json_get(result, "isError"), &is_error);
  if (!is_error || strcmp(fcps_json_text(fcps_json_get(error, "code")), code) != 0 ||
      strcmp(fcps_json_text(fcps_json_get(error, "field")), field) != 0)
    fail_msg("%s %s: %s", tool, arguments, words);
  assert_ptr_equal(strstr(words, code), words);
  fcps_json_destroy(answer);
}

static void forget_all(fcps_mcp *mcp)
{
  char arguments[64];
  fcps_json *answer = call(mcp, "asks", "{}");
  const fcps_json *list = fcps_json_get(structured(answer), "asks");
  for (int i = 0; i < fcps_json_count(list); i++) {
    snprintf(arguments, sizeof arguments, "{\"ask\": %d}", (int)whole(fcps_json_at(list, i), "ask"));
    fcps_json_destroy(call_as(mcp, "probe", "forget", arguments));
  }
  fcps_json_destroy(answer);
}

static int64_t ask_once(fcps_mcp *mcp)
{
  fcps_json *answer = call(mcp, "ask", "{" CONTEXT "}");
  const int64_t id = whole(structured(answer), "ask");
  fcps_json_destroy(answer);
  return id;
}

/* -- Messages -- */

#define LINE(text) text, sizeof text - 1

static void what_is_no_message_is_refused_and_forgotten(void **state)
{
  static const struct {
    const char *line;
    size_t length;
    int code;
    bool has_id;
  } cases[] = {
      {LINE("nonsense"), -32700, false},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\""), -32700, false},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": 1, \"id\": 2, \"method\": \"ping\"}"), -32700, false},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"} {}"), -32700, false},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"\xff\"}"), -32700, false},
      {LINE("{\"jsonrpc\": \"2.0\", \0 \"id\": 1, \"method\": \"ping\"}"), -32700, false},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": 123456789012345678901234567890, \"method\": \"ping\"}"), -32700, false},
      {LINE("[]"), -32600, false},
      {LINE("[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]"), -32600, false},
      {LINE("7"), -32600, false},
      {LINE("null"), -32600, false},
      {LINE("{\"id\": 1, \"method\": \"ping\"}"), -32600, true},
      {LINE("{\"jsonrpc\": 2.0, \"id\": 1, \"method\": \"ping\"}"), -32600, true},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"ping\"}"), -32600, false},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"ping\"}"), -32600, false},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"ping\"}"), -32600, false},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 7}"), -32600, true},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": 1}"), -32600, true},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\", \"params\": []}"), -32602, true},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}"), -32602, true},
      {LINE("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"initialize\"}"), -32602, true},
  };
  (void)state;
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_READ, 0, 1);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    expect_refusal(mcp, cases[i].line, cases[i].length, cases[i].code, cases[i].has_id);
    fcps_json_destroy(call(mcp, "asks", "{}"));
  }
  char *deep = calloc(1, 400);
  for (int i = 0; i < 100; i++)
    deep[i] = '[', deep[199 - i] = ']';
  expect_refusal(mcp, deep, 200, -32700, false);
  free(deep);
  fcps_mcp_destroy(mcp);
}

static void notifications_and_answers_get_nothing(void **state)
{
  static const char *const lines[] = {
      "",
      "  \t\r",
      "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}",
      "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": {\"requestId\": 1}}",
      "{\"jsonrpc\": \"2.0\", \"method\": \"tools/call\", \"params\": {\"name\": \"ask\", \"arguments\": {}}}",
      "{\"jsonrpc\": \"2.0\", \"method\": \"no/such\", \"params\": []}",
      "{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}",
      "{\"jsonrpc\": \"2.0\", \"id\": 1, \"error\": {\"code\": 1, \"message\": \"\"}}"};
  (void)state;
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_TELL, 1, 1);
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (fcps_mcp_answer(mcp, lines[i], strlen(lines[i])) != NULL) fail_msg("answered: %s", lines[i]);
  fcps_mcp_destroy(mcp);
}

static void an_answer_has_the_id_of_its_request(void **state)
{
  static const char *const ids[] = {"0",     "-5",   "9007199254740993",
                                    "\"a\"", "\"\"", "\"\xc3\xa4 \xe2\x82\xac \\u0001\""};
  (void)state;
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_READ, 0, 1);
  for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
    char line[200];
    fcps_json *wanted = NULL;
    snprintf(line, sizeof line, "{\"jsonrpc\": \"2.0\", \"id\": %s, \"method\": \"ping\"}", ids[i]);
    fcps_json *answer = say(mcp, line, strlen(line));
    assert_ok(fcps_json_read(&wanted, ids[i], strlen(ids[i]), "", NULL));
    char *one = fcps_json_write(wanted), *other = fcps_json_write(fcps_json_get(answer, "id"));
    assert_string_equal(one, other);
    fcps_free(one);
    fcps_free(other);
    fcps_json_destroy(wanted);
    fcps_json_destroy(answer);
  }
  fcps_mcp_destroy(mcp);
}

/* -- Revisions -- */

static fcps_json *ask_for(fcps_mcp *mcp, const char *method, const char *params)
{
  char line[1000];
  snprintf(line, sizeof line, "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"%s\", \"params\": {%s}}", method,
           params);
  return say(mcp, line, strlen(line));
}

static int code_of(fcps_mcp *mcp, const char *method, const char *params)
{
  fcps_json *answer = ask_for(mcp, method, params);
  const fcps_json *error = fcps_json_get(answer, "error");
  const int code = error != NULL ? (int)whole(error, "code") : 0;
  fcps_json_destroy(answer);
  return code;
}

static void a_request_says_its_revision(void **state)
{
#define VERSION  "\"io.modelcontextprotocol/protocolVersion\": "
#define NO_MEANS "\"io.modelcontextprotocol/clientCapabilities\": {}"
  (void)state;
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_READ, 0, 1);
  fcps_json *answer = ask_for(mcp, "server/discover", "\"_meta\": {" VERSION "\"2026-07-28\", " NO_MEANS "}");
  const fcps_json *result = fcps_json_get(answer, "result");
  assert_string_equal(fcps_json_text(fcps_json_at(fcps_json_get(result, "supportedVersions"), 0)), "2026-07-28");
  assert_non_null(fcps_json_get(fcps_json_get(result, "capabilities"), "tools"));
  assert_string_equal(fcps_json_text(fcps_json_get(result, "resultType")), "complete");
  assert_string_equal(fcps_json_text(fcps_json_get(result, "cacheScope")), "private");
  assert_true(whole(result, "ttlMs") >= 0);
  const fcps_json *server = fcps_json_get(fcps_json_get(result, "_meta"), "io.modelcontextprotocol/serverInfo");
  assert_string_equal(fcps_json_text(fcps_json_get(server, "name")), "fcps");
  fcps_json_destroy(answer);

  assert_int_equal(code_of(mcp, "tools/list", "\"_meta\": {" VERSION "\"2026-07-28\"}"), -32602);
  assert_int_equal(code_of(mcp, "tools/list", "\"_meta\": {" NO_MEANS "}"), -32602);
  assert_int_equal(code_of(mcp, "tools/list", "\"_meta\": {" VERSION "7, " NO_MEANS "}"), -32602);
  assert_int_equal(code_of(mcp, "tools/list", "\"_meta\": []"), -32602);
  assert_int_equal(code_of(mcp, "ping", "\"_meta\": {" VERSION "\"2026-07-28\", " NO_MEANS "}"), -32601);
  assert_int_equal(code_of(mcp, "resources/list", "\"_meta\": {" VERSION "\"2026-07-28\", " NO_MEANS "}"), -32601);
  answer = ask_for(mcp, "tools/list", "\"_meta\": {" VERSION "\"1900-01-01\", " NO_MEANS "}");
  assert_int_equal(whole(fcps_json_get(answer, "error"), "code"), -32022);
  const fcps_json *data = fcps_json_get(fcps_json_get(answer, "error"), "data");
  assert_string_equal(fcps_json_text(fcps_json_at(fcps_json_get(data, "supported"), 0)), "2026-07-28");
  assert_string_equal(fcps_json_text(fcps_json_get(data, "requested")), "1900-01-01");
  fcps_json_destroy(answer);
  fcps_mcp_destroy(mcp);
}

static void an_older_client_begins_with_initialize(void **state)
{
  static const char *const versions[][2] = {{"2025-06-18", "2025-06-18"},
                                            {"2025-11-25", "2025-11-25"},
                                            {"2024-11-05", "2025-11-25"},
                                            {"2026-07-28", "2025-11-25"}};
  (void)state;
  for (int i = 0; i < 4; i++) {
    char params[200];
    fcps_mcp *mcp = open_mcp(FCPS_RIGHT_READ, 0, 1);
    assert_int_equal(code_of(mcp, "ping", ""), 0);
    assert_int_equal(code_of(mcp, "tools/list", ""), -32602);
    snprintf(params, sizeof params,
             "\"protocolVersion\": \"%s\", \"capabilities\": {}, \"clientInfo\": {\"name\": \"old\"}", versions[i][0]);
    fcps_json *answer = ask_for(mcp, "initialize", params);
    assert_string_equal(fcps_json_text(fcps_json_get(fcps_json_get(answer, "result"), "protocolVersion")),
                        versions[i][1]);
    fcps_json_destroy(answer);
    answer = ask_for(mcp, "tools/list", "");
    assert_null(fcps_json_get(fcps_json_get(answer, "result"), "resultType"));
    fcps_json_destroy(answer);
    assert_int_equal(code_of(mcp, "server/discover", ""), -32601);
    assert_int_equal(code_of(mcp, "tools/list", "\"cursor\": \"x\""), -32602);
    fcps_json_destroy(call(mcp, "problem", "{}")); /* of a newer one, in between */
    fcps_mcp_destroy(mcp);
  }
}

/* -- Tools -- */

static void tools_are_the_rows_that_are_allowed(void **state)
{
  static const char *const wanted[] = {
      "best retarget status problem asks rollouts suspects events health check-model why forecast explain ",
      "ask choose forget best retarget status problem asks rollouts suspects events health check-model why forecast "
      "explain ",
      "ask choose tell forget best retarget status problem asks rollouts suspects events health check-model why "
      "forecast explain "};
  (void)state;
  for (int may = 0; may < 3; may++) {
    char names[400] = "";
    fcps_mcp *mcp = open_mcp((fcps_operation_right)may, 5, 1);
    fcps_json *answer = ask_for(mcp, "tools/list", "\"_meta\": {" VERSION "\"2026-07-28\", " NO_MEANS "}");
    const fcps_json *list = fcps_json_get(fcps_json_get(answer, "result"), "tools");
    for (int i = 0; i < fcps_json_count(list); i++) {
      const fcps_json *tool = fcps_json_at(list, i), *schema = fcps_json_get(tool, "inputSchema");
      const fcps_json *properties = fcps_json_get(schema, "properties"), *hints = fcps_json_get(tool, "annotations");
      const char *name = fcps_json_text(fcps_json_get(tool, "name"));
      static const char *const hidden[] = {"client", "file", "format", "key", "study"};
      bool reads = false, is_closed = true;
      snprintf(names + strlen(names), sizeof names - strlen(names), "%s ", name);
      assert_string_equal(fcps_json_text(fcps_json_get(schema, "type")), "object");
      assert_true(fcps_json_bool(fcps_json_get(schema, "additionalProperties"), &is_closed) && !is_closed);
      for (int k = 0; k < 5; k++)
        assert_null(fcps_json_get(properties, hidden[k]));
      assert_true(fcps_json_bool(fcps_json_get(hints, "readOnlyHint"), &reads));
      assert_int_equal(!reads, strstr("ask choose tell forget", name) != NULL);
    }
    assert_string_equal(names, wanted[may]);
    fcps_json_destroy(answer);
    fcps_mcp_destroy(mcp);
  }
}

static void what_is_not_allowed_is_no_tool(void **state)
{
  static const char *const never[] = {"amend", "import", "use",   "drop",  "confirm", "file",    "policy", "table",
                                      "work",  "lease",  "renew", "curve", "map",     "release", "no-such"};
  static const char line[] =
      "\"name\": \"%s\", \"arguments\": {}, \"_meta\": {" VERSION "\"2026-07-28\", " NO_MEANS "}";
  char params[300];
  (void)state;
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_MANAGE, 5, 1); /* whatever its caller allows */
  for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
    snprintf(params, sizeof params, line, never[i]);
    if (code_of(mcp, "tools/call", params) != -32602) fail_msg("%s was called", never[i]);
  }
  fcps_mcp_destroy(mcp);
  mcp = open_mcp(FCPS_RIGHT_ASK, 5, 1);
  snprintf(params, sizeof params, line, "tell");
  assert_int_equal(code_of(mcp, "tools/call", params), -32602);
  fcps_mcp_destroy(mcp);
}

/* -- Promises -- */

static void results_belong_to_asks_and_say_whose_they_are(void **state)
{
  char arguments[300];
  (void)state;
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_TELL, 5, 1);
  fcps_json *ask = call_as(mcp, "An\\u00e4 / assistant\\u202e\\n", "ask", "{" CONTEXT "}");
  const int64_t id = whole(structured(ask), "ask");
  assert_string_equal(fcps_json_text(fcps_json_get(structured(ask), "client")), "mcp:An-assistant");
  fcps_json_destroy(ask);
  expect_failure(mcp, "tell", "{\"outcome\": {\"land\": 0.2}}", "E_ARGUMENT", "ask");
  expect_failure(mcp, "tell", "{\"ask\": null, \"outcome\": {\"land\": 0.2}}", "E_ARGUMENT", "ask");
  expect_failure(
      mcp, "tell",
      "{\"outcome\": {\"land\": 0.2}, \"environment\": {\"wind\": 0}, \"executed\": {\"turn\": 1, \"speed\": 1}}",
      "E_ARGUMENT", "ask");
  expect_failure(mcp, "tell", "{\"ask\": 9999, \"outcome\": {\"land\": 0.2}}", "E_UNKNOWN_ASK", "ask");
  expect_failure(mcp, "tell", "{\"key\": \"k\", \"outcome\": {\"land\": 0.2}}", "E_UNKNOWN_NAME", "key");
  expect_failure(mcp, "tell", "{\"ask\": 1, \"target\": {\"mark\": 0}, \"outcome\": {\"land\": 0.2}}", "E_UNKNOWN_NAME",
                 "target");
  expect_failure(mcp, "tell", "{\"ask\": 1, \"client\": \"robot\", \"outcome\": {\"land\": 0.2}}", "E_UNKNOWN_NAME",
                 "client");
  static const char *const outside[] = {"1.001", "-1", "1e300", "\"nan\"", "\"inf\"", "\"1e50 m/s\""};
  for (int i = 0; i < 6; i++) {
    snprintf(arguments, sizeof arguments,
             "{\"ask\": %d, \"outcome\": {\"land\": 0.2}, \"executed\": {\"turn\": 9, \"speed\": %s}}", (int)id,
             outside[i]);
    expect_failure(mcp, "tell", arguments, "E_BOUNDS", "executed");
  }
  snprintf(arguments, sizeof arguments,
           "{\"ask\": %d, \"outcome\": {\"land\": 0.2}, \"executed\": {\"turn\": \"inf\", \"speed\": 1}}", (int)id);
  expect_failure(mcp, "tell", arguments, "E_BOUNDS", "executed");
  snprintf(arguments, sizeof arguments,
           "{\"ask\": %d, \"outcome\": {\"land\": 0.2}, \"executed\": {\"turn\": 9, \"speed\": 1}}", (int)id);
  fcps_json_destroy(call(mcp, "tell", arguments));
  fcps_json_destroy(call(mcp, "tell", arguments)); /* again */
  fcps_json *rows = call(mcp, "rollouts", "{\"latest\": 1}");
  const fcps_json *row = fcps_json_at(fcps_json_get(structured(rows), "rollouts"), 0);
  assert_string_equal(fcps_json_text(fcps_json_get(row, "client")), "mcp:probe");
  fcps_json_destroy(rows);
  fcps_mcp_destroy(mcp);
}

static void contradictions_come_to_an_end(void **state)
{
  char arguments[200];
  (void)state;
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_TELL, 5, 1);
  forget_all(mcp);
  const int64_t id = ask_once(mcp);
  for (int i = 0; i <= 20; i++) {
    snprintf(arguments, sizeof arguments, "{\"ask\": %d, \"outcome\": {\"land\": %d}}", (int)id, i);
    if (i == 0)
      fcps_json_destroy(call(mcp, "tell", arguments));
    else
      expect_failure(mcp, "tell", arguments, "E_CONFLICT", "ask");
  }
  expect_failure(mcp, "tell", arguments, "E_UNSUPPORTED", "ask");
  fcps_mcp_destroy(mcp);
}

static int64_t count_asks(void)
{
  fcps_door *door = NULL;
  fcps_door_answer answer;
  fcps_json *request = fcps_json_object();
  fcps_json_put(&request, "state", fcps_json_from_text("all"));
  assert_ok(fcps_door_open(&door, throw_path, NULL, NULL));
  assert_ok(fcps_door_do(door, fcps_operation_find("asks"), request, &answer, NULL));
  const int count = fcps_json_count(fcps_json_get(answer.json, "asks"));
  fcps_door_answer_destroy(&answer);
  fcps_json_destroy(request);
  fcps_door_close(door);
  return count;
}

static void a_budget_counts_new_asks(void **state)
{
  (void)state;
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_ASK, 4, 1);
  forget_all(mcp);
  const int64_t before = count_asks();
  const int64_t id = ask_once(mcp);
  fcps_json *again = call(mcp, "ask", "{" CONTEXT "}");
  assert_int_equal(whole(structured(again), "ask"), id);
  assert_int_equal(whole(structured(again), "trials_left"), 3);
  fcps_json_destroy(again);
  expect_failure(mcp, "ask", "{" CONTEXT ", \"count\": 6}", "E_UNSUPPORTED", "trials");
  again = call(mcp, "ask", "{\"contexts\": [{" CONTEXT "}, {" CONTEXT "}, {" CONTEXT "}]}"); /* the first is repeated */
  assert_int_equal(whole(structured(again), "trials_left"), 1);
  fcps_json_destroy(again);
  fcps_json_destroy(call(mcp, "ask", "{" CONTEXT ", \"count\": 3}"));
  forget_all(mcp);
  fcps_json_destroy(call(mcp, "ask", "{" CONTEXT "}"));
  fcps_json_destroy(call(mcp, "ask", "{" CONTEXT "}"));               /* no trial is left, but this ask exists
                                                                         already */
  fcps_json *other = call_as(mcp, "another", "ask", "{" CONTEXT "}"); /* a client with a new name gets no new budget */
  assert_string_equal(fcps_json_text(fcps_json_get(fcps_json_get(structured(other), "error"), "field")), "trials");
  fcps_json_destroy(other);
  forget_all(mcp);
  expect_failure(mcp, "ask", "{" CONTEXT "}", "E_UNSUPPORTED", "trials");
  expect_failure(mcp, "choose", "{}", "E_UNSUPPORTED", "trials");
  fcps_json_destroy(call(mcp, "best", "{" CONTEXT "}"));
  assert_int_equal(count_asks() - before, 4);
  fcps_mcp_destroy(mcp);

  mcp = open_mcp(FCPS_RIGHT_ASK, 1, 1); /* the first ask of a request that fails at its second is stored, and counts */
  expect_failure(mcp, "ask",
                 "{\"contexts\": [{" CONTEXT "}, {\"target\": {\"mark\": 7}, \"environment\": {\"wind\": 0}}]}",
                 "E_UNSUPPORTED", "trials");
  fcps_mcp_destroy(mcp);
  mcp = open_mcp(FCPS_RIGHT_ASK, 2, 1);
  expect_failure(mcp, "ask",
                 "{\"contexts\": [{" CONTEXT "}, {\"target\": {\"mark\": 7}, \"environment\": {\"wind\": 0}}]}",
                 "E_BOUNDS", "target.mark");
  assert_int_equal(count_asks() - before, 5);
  expect_failure(mcp, "ask", "{" CONTEXT ", \"count\": 3}", "E_UNSUPPORTED", "trials");
  fcps_mcp_destroy(mcp);
}

static void only_an_assistants_ask_is_given_up(void **state)
{
  fcps_door *door = NULL;
  fcps_door_answer answer;
  fcps_json *request = NULL;
  char arguments[64];
  (void)state;
  static const char robot[] = "{" CONTEXT ", \"client\": \"robot\"}";
  assert_ok(fcps_json_read(&request, robot, strlen(robot), "", NULL));
  assert_ok(fcps_door_open(&door, throw_path, NULL, NULL));
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_TELL, 4, 1);
  assert_ok(fcps_door_do(door, fcps_operation_find("ask"), request, &answer, NULL)); /* of another process */
  snprintf(arguments, sizeof arguments, "{\"ask\": %d}", (int)whole(answer.json, "ask"));
  expect_failure(mcp, "forget", arguments, "E_UNSUPPORTED", "ask");
  snprintf(arguments, sizeof arguments, "{\"ask\": %d.0}", (int)whole(answer.json, "ask"));
  expect_failure(mcp, "forget", arguments, "E_UNSUPPORTED", "ask");
  expect_failure(mcp, "forget", "{\"ask\": 100000}", "E_UNKNOWN_ASK", "ask");
  fcps_door_answer_destroy(&answer);
  fcps_door_close(door);
  fcps_json_destroy(request);
  fcps_mcp_destroy(mcp);
}

static void requests_and_answers_are_bounded(void **state)
{
  (void)state;
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_TELL, 400, 1);
  expect_failure(mcp, "ask", "{\"contexts\": \"mark,wind\\n0,0\\n\"}", "E_FORMAT", "contexts");
  expect_failure(mcp, "ask", "{\"contexts\": \"/etc/passwd\"}", "E_FORMAT", "contexts");
  expect_failure(mcp, "retarget", "{\"contexts\": [{}], \"file\": \"/etc/passwd\"}", "E_UNKNOWN_NAME", "file");
  expect_failure(mcp, "retarget", "{\"contexts\": [{}], \"format\": \"csv\"}", "E_UNKNOWN_NAME", "format");
  expect_failure(mcp, "ask", "{" CONTEXT ", \"count\": 201}", "E_FORMAT", "count");
  expect_failure(mcp, "rollouts", "{\"limit\": 201}", "E_FORMAT", "limit");
  expect_failure(mcp, "rollouts", "{\"latest\": 201.0}", "E_FORMAT", "latest");
  expect_failure(mcp, "problem", "{\"x\": 1}", "E_UNKNOWN_NAME", "x");
  expect_failure(mcp, "ask", "{\"targt\": {}}", "E_UNKNOWN_NAME", "targt");
  static char many[20000];
  size_t length = (size_t)snprintf(many, sizeof many, "{\"contexts\": [{" CONTEXT "}");
  for (int i = 1; i < 201; i++)
    length += (size_t)snprintf(many + length, sizeof many - length, ",{" CONTEXT "}");
  snprintf(many + length, sizeof many - length, "]}");
  expect_failure(mcp, "retarget", many, "E_FORMAT", "contexts");
  forget_all(mcp);
  fcps_json *asks = call(mcp, "ask", "{" CONTEXT ", \"count\": 60}");
  const fcps_json *list = fcps_json_get(structured(asks), "asks");
  for (int i = 0; i < 60; i++) {
    char arguments[100];
    snprintf(arguments, sizeof arguments, "{\"ask\": %d, \"outcome\": {\"land\": 0}}",
             (int)whole(fcps_json_at(list, i), "ask"));
    fcps_json_destroy(call(mcp, "tell", arguments));
  }
  fcps_json_destroy(asks);
  fcps_json *rows = call(mcp, "rollouts", "{}");
  bool has_more = false;
  assert_int_equal(fcps_json_count(fcps_json_get(structured(rows), "rollouts")), 50);
  assert_true(fcps_json_bool(fcps_json_get(structured(rows), "more"), &has_more) && has_more);
  fcps_json_destroy(rows);
  fcps_mcp_destroy(mcp);
}

static void a_study_is_called_by_its_name(void **state)
{
  (void)state;
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_TELL, 5, 2);
  fcps_json *answer = ask_for(mcp, "tools/list", "\"_meta\": {" VERSION "\"2026-07-28\", " NO_MEANS "}");
  const fcps_json *list = fcps_json_get(fcps_json_get(answer, "result"), "tools");
  for (int i = 0; i < fcps_json_count(list); i++) {
    const fcps_json *schema = fcps_json_get(fcps_json_at(list, i), "inputSchema");
    const fcps_json *names = fcps_json_get(fcps_json_get(fcps_json_get(schema, "properties"), "study"), "enum");
    assert_int_equal(fcps_json_count(names), 2);
    assert_string_equal(fcps_json_text(fcps_json_at(names, 0)), "throw");
    assert_string_equal(fcps_json_text(fcps_json_at(names, 1)), "push-it");
    assert_string_equal(fcps_json_text(fcps_json_at(fcps_json_get(schema, "required"), 0)), "study");
  }
  fcps_json_destroy(answer);
  expect_failure(mcp, "problem", "{}", "E_ARGUMENT", "study");
  expect_failure(mcp, "problem", "{\"study\": 7}", "E_UNKNOWN_NAME", "study");
  expect_failure(mcp, "problem", "{\"study\": \"thro\"}", "E_UNKNOWN_NAME", "study");
  const int64_t before = count_asks();
  fcps_json_destroy(call(mcp, "ask", "{\"study\": \"push-it\", " CONTEXT "}"));
  assert_int_equal(count_asks(), before);
  fcps_mcp_destroy(mcp);

  const char *const twice[] = {throw_path, throw_path};
  const fcps_mcp_options options = {.study_count = 2, .studies = twice};
  assert_int_equal(fcps_mcp_create(&mcp, &options, NULL), FCPS_ERR_ARGUMENT);
  assert_null(mcp);
}

/* -- Any lines -- */

static uint32_t draw(uint32_t *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

/* Pieces of good lines in any order, with bytes that are changed: each is answered with one line of JSON or with nothing,
 * the budget holds, and what was executed lies within its bounds. */
static void any_lines_keep_the_promises(void **state)
{
  static const char *const pieces[] = {"{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"tools/call\", \"params\": {",
                                       "\"name\": \"ask\", ",
                                       "\"name\": \"tell\", ",
                                       "\"name\": \"forget\", ",
                                       "\"name\": \"choose\", ",
                                       "\"name\": \"retarget\", ",
                                       "\"arguments\": {",
                                       CONTEXT,
                                       ", ",
                                       "\"ask\": 1",
                                       "\"ask\": 2",
                                       "\"outcome\": {\"land\": 0.3}",
                                       "\"executed\": {\"speed\": 7, \"turn\": 1}",
                                       "\"executed\": {\"speed\": 0.7, \"turn\": 1}",
                                       "\"contexts\": [{" CONTEXT "}]",
                                       "\"count\": 2",
                                       "}",
                                       "}}",
                                       "]",
                                       "null",
                                       "\"_meta\": {" VERSION "\"2026-07-28\", " NO_MEANS "}",
                                       "\"client\": \"robot\"",
                                       "\"failed\": \"\\u0000\"",
                                       "1e999",
                                       "\xf0\x9f\x98\x80",
                                       "\\ud800",
                                       "\"executed\": {\"speed\": \"nan\"}"};
  enum { PIECES = sizeof pieces / sizeof *pieces, LINES = 8000 };
  uint32_t seed = 1;
  int answered = 0, stored = 0;
  (void)state;
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_TELL, 40, 1);
  const int64_t before = count_asks();
  for (int i = 0; i < LINES; i++) {
    char line[2000] = "";
    size_t length = 0;
    const bool is_nearly_good = draw(&seed) % 2 == 0;
    uint32_t count = is_nearly_good ? draw(&seed) % 3 : draw(&seed) % 12;
    if (is_nearly_good) {
      char ask[40];
      snprintf(ask, sizeof ask, "\"ask\": %d", (int)before + (int)(draw(&seed) % 6));
      length = (size_t)snprintf(line, sizeof line, "%s%s%s, %s%s", pieces[0], pieces[1 + draw(&seed) % 5], pieces[20],
                                pieces[6], draw(&seed) % 2 == 0 ? CONTEXT : ask);
    }
    for (; count > 0; count--)
      length += (size_t)snprintf(line + length, sizeof line - length, "%s%s", is_nearly_good ? ", " : "",
                                 pieces[is_nearly_good ? 11 + draw(&seed) % 5 : draw(&seed) % PIECES]);
    if (is_nearly_good) length += (size_t)snprintf(line + length, sizeof line - length, "}}}");
    for (uint32_t k = draw(&seed) % 4; k > 1 && length > 0; k--)
      line[draw(&seed) % length] = (char)draw(&seed);
    fcps_json *answer = say(mcp, line, length);
    answered += answer != NULL;
    stored += fcps_json_get(structured(answer), "stored") != NULL;
    fcps_json_destroy(answer);
  }
  assert_true(answered > LINES / 2 && stored > 0);
  assert_true(count_asks() - before <= 40);
  fcps_json *rows = call(mcp, "rollouts", "{\"latest\": 200}");
  const fcps_json *list = fcps_json_get(structured(rows), "rollouts");
  for (int i = 0; i < fcps_json_count(list); i++) {
    double speed = -1;
    assert_true(fcps_json_number(fcps_json_get(fcps_json_get(fcps_json_at(list, i), "parameters"), "speed"), &speed));
    assert_true(speed >= 0 && speed <= 1);
  }
  fcps_json_destroy(rows);
  fcps_mcp_destroy(mcp);
}

/* -- Streams -- */

static void write_spaces(FILE *file, int count)
{
  for (int i = 0; i < count; i++)
    fputc(' ', file);
}

static void a_line_that_is_too_long_is_refused_and_the_next_is_read(void **state)
{
  static const char ping[] = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}";
  char text[1000] = "";
  (void)state;
  fcps_mcp *mcp = open_mcp(FCPS_RIGHT_READ, 0, 1);
  FILE *in = tmpfile(), *out = tmpfile();
  assert_true(in != NULL && out != NULL);
  write_spaces(in, 30000); /* a blank line, so that no other message begins within the following bytes */
  fprintf(in, "\n%s", ping);
  write_spaces(in, (1 << 20) - (int)strlen(ping));
  fputs("\n", in); /* the longest line that is allowed */
  fprintf(in, "%s", ping);
  write_spaces(in, (1 << 20) + 1 - (int)strlen(ping));
  fputs("\n", in);
  write_spaces(in, 3 << 20);
  fprintf(in, "%s\n%s\r\n\n%s", ping, ping, ping); /* the last has no end */
  rewind(in);
  assert_ok(fcps_mcp_run(mcp, fileno(in), fileno(out), NULL));
  rewind(out);
  const size_t length = fread(text, 1, sizeof text - 1, out);
  text[length] = '\0';
  static const char good[] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
  static const char bad[] = "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"a line has at "
                            "most 1048576 bytes\"}}\n";
  char wanted[1000];
  snprintf(wanted, sizeof wanted, "%s%s%s%s%s", good, bad, bad, good, good);
  assert_string_equal(text, wanted);
  fclose(in);
  fclose(out);
  fcps_mcp_destroy(mcp);
}

static bool stops(void *user)
{
  return ++*(int *)user > 2;
}

static void it_ends_when_it_is_told_to(void **state)
{
  int asked = 0, ends[2];
  (void)state;
  const char *const paths[] = {throw_path};
  const fcps_mcp_options options = {.study_count = 1, .studies = paths, .stop = stops, .user = &asked};
  fcps_mcp *mcp = NULL;
  assert_ok(fcps_mcp_create(&mcp, &options, NULL));
  assert_int_equal(pipe(ends), 0); /* the input is open, and nothing is written */
  assert_ok(fcps_mcp_run(mcp, ends[0], STDOUT_FILENO, NULL));
  close(ends[0]);
  close(ends[1]);
  fcps_mcp_destroy(mcp);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_no_message_is_refused_and_forgotten),
      cmocka_unit_test(notifications_and_answers_get_nothing),
      cmocka_unit_test(an_answer_has_the_id_of_its_request),
      cmocka_unit_test(a_request_says_its_revision),
      cmocka_unit_test(an_older_client_begins_with_initialize),
      cmocka_unit_test(tools_are_the_rows_that_are_allowed),
      cmocka_unit_test(what_is_not_allowed_is_no_tool),
      cmocka_unit_test(results_belong_to_asks_and_say_whose_they_are),
      cmocka_unit_test(contradictions_come_to_an_end),
      cmocka_unit_test(a_budget_counts_new_asks),
      cmocka_unit_test(only_an_assistants_ask_is_given_up),
      cmocka_unit_test(requests_and_answers_are_bounded),
      cmocka_unit_test(a_study_is_called_by_its_name),
      cmocka_unit_test(any_lines_keep_the_promises),
      cmocka_unit_test(a_line_that_is_too_long_is_refused_and_the_next_is_read),
      cmocka_unit_test(it_ends_when_it_is_told_to),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
