/* SPDX-License-Identifier: Apache-2.0 */
/* openapi.json describes the operations and the further paths of a server. Every $ref in it exists, and every path in
 * it leads to its operation. */
#include "check.h"

#include "serve/route.h"

#include <stdio.h>
#include <string.h>

static fcps_json *read_description(void)
{
  char *text = fcps_operation_openapi(fcps_route_own);
  fcps_json *json = NULL;
  fcps_error error = {0};
  assert_non_null(text);
  if (fcps_json_read(&json, text, strlen(text), "openapi.json", &error) != FCPS_OK)
    fail_msg("openapi.json:%d: %s", error.line, error.message);
  fcps_free(text);
  return json;
}

/* the operation that a server does for a path */
static const fcps_operation *find(const char *path, const char *method)
{
  const fcps_operation *operation = NULL;
  const char *study = NULL;
  fcps_query query = {0};
  assert_int_equal(fcps_query_read(&query, path), 0);
  const int status =
      fcps_route_find(strcmp(method, "get") == 0 ? FCPS_HEAD_GET : FCPS_HEAD_POST, &query, &operation, &study);
  fcps_query_destroy(&query);
  return status == 0 ? operation : NULL;
}

static void every_path_leads_to_its_operation(void **state)
{
  fcps_json *json = read_description();
  const fcps_json *paths = fcps_json_get(json, "paths");
  int described = 0, operations = 0;
  (void)state;
  for (int i = 0; i < fcps_json_count(paths); i++) {
    const char *path = fcps_json_key(paths, i);
    char of_throw[100];
    const char *mark = strstr(path, "{study}");
    snprintf(of_throw, sizeof of_throw, "%.*s%s%s", mark != NULL ? (int)(mark - path) : (int)strlen(path), path,
             mark != NULL ? "throw" : "", mark != NULL ? mark + strlen("{study}") : "");
    for (int m = 0; m < fcps_json_count(fcps_json_get(paths, path)); m++, described++) {
      const char *method = fcps_json_key(fcps_json_get(paths, path), m);
      const fcps_json *about = fcps_json_get(fcps_json_get(paths, path), method);
      const fcps_operation *operation = find(of_throw, method);
      if (operation == NULL) fail_msg("%s %s leads nowhere", method, path);
      assert_string_equal(fcps_json_text(fcps_json_get(about, "operationId")), operation->name);
    }
  }
  while (fcps_operation_at(operations) != NULL)
    operations++;
  for (const fcps_operation *own = fcps_route_own; own->name != NULL; own++)
    operations++;
  assert_int_equal(described, operations);
  fcps_json_destroy(json);
}

/* follows "#/a/b/c" */
static const fcps_json *follow(const fcps_json *json, const char *reference)
{
  assert_memory_equal(reference, "#/", 2);
  for (const char *word = reference + 2; json != NULL && *word != '\0';) {
    char key[64];
    const size_t length = strcspn(word, "/");
    snprintf(key, sizeof key, "%.*s", (int)length, word);
    json = fcps_json_get(json, key);
    word += length + (word[length] == '/');
  }
  return json;
}

static void check_references(const fcps_json *root, const fcps_json *json)
{
  const char *reference = fcps_json_text(fcps_json_get(json, "$ref"));
  if (reference != NULL && follow(root, reference) == NULL) fail_msg("openapi.json: %s leads nowhere", reference);
  for (int i = 0; i < fcps_json_count(json); i++)
    check_references(root,
                     fcps_json_is_array(json) ? fcps_json_at(json, i) : fcps_json_get(json, fcps_json_key(json, i)));
}

static void references_lead_somewhere(void **state)
{
  fcps_json *json = read_description();
  (void)state;
  check_references(json, json);
  fcps_json_destroy(json);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_path_leads_to_its_operation),
      cmocka_unit_test(references_lead_somewhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
