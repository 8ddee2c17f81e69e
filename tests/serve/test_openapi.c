/* SPDX-License-Identifier: Apache-2.0 */
/* openapi.json describes the routes, all of them and no others; and every $ref in it leads somewhere. */
#include "check.h"

#include "serve/assets.h"
#include "serve/route.h"

#include <stdio.h>
#include <string.h>

static fcps_json *read_description(void)
{
  const fcps_asset *asset = fcps_asset_find("/openapi.json");
  fcps_json *json = NULL;
  fcps_error error = {0};
  assert_non_null(asset);
  if (fcps_json_read(&json, (const char *)asset->bytes, asset->length, asset->path, &error) != FCPS_OK)
    fail_msg("openapi.json:%d: %s", error.line, error.message);
  return json;
}

static void every_route_is_described(void **state)
{
  fcps_json *json = read_description();
  const fcps_json *paths = fcps_json_get(json, "paths");
  const fcps_route *route;
  (void)state;
  for (int i = 0; (route = fcps_route_at(i)) != NULL; i++) {
    const fcps_json *path = fcps_json_get(paths, route->path);
    if (fcps_json_get(path, route->method == FCPS_HEAD_GET ? "get" : "post") == NULL)
      fail_msg("openapi.json has no %s", route->path);
  }
  fcps_json_destroy(json);
}

static void every_description_has_its_route(void **state)
{
  fcps_json *json = read_description();
  const fcps_json *paths = fcps_json_get(json, "paths");
  int described = 0, routes = 0;
  (void)state;
  for (int i = 0; i < fcps_json_count(paths); i++)
    described += fcps_json_count(fcps_json_get(paths, fcps_json_key(paths, i)));
  while (fcps_route_at(routes) != NULL)
    routes++;
  assert_int_equal(described, routes);
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
      cmocka_unit_test(every_route_is_described),
      cmocka_unit_test(every_description_has_its_route),
      cmocka_unit_test(references_lead_somewhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
