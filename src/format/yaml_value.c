/* SPDX-License-Identifier: Apache-2.0 */
/* Values out of a YAML tree. A refusal says the file, the line, the column and what was expected there. */
#include "base/error.h"
#include "base/number.h"
#include "base/settings.h"
#include "format/yaml_impl.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const fcps_yaml_node *fcps_yaml_root(const fcps_yaml *yaml)
{
  return yaml->root;
}

const char *fcps_yaml_file(const fcps_yaml *yaml)
{
  return yaml->file;
}

const fcps_yaml_node *fcps_yaml_get(const fcps_yaml_node *map, const char *key)
{
  if (map == NULL || map->kind != FCPS_YAML_MAP) return NULL;
  for (int i = 0; i < map->count; i++)
    if (strcmp(map->keys[i], key) == 0) return map->children[i];
  return NULL;
}

fcps_status fcps_yaml_error(const fcps_yaml *yaml, const fcps_yaml_node *node, fcps_status status, const char *field,
                            fcps_error *error, const char *format, ...)
{
  char message[2 * sizeof error->message]; /* fcps_error_at cuts it to size */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return fcps_error_at(error, status, yaml->file, node != NULL ? node->line : 0, node != NULL ? node->column : 0, field,
                       "%s", message);
}

/* The value of a node in words, for an error. */
static const char *describe(const fcps_yaml_node *node)
{
  switch (node->kind) {
  case FCPS_YAML_LIST:
    return "a list";
  case FCPS_YAML_MAP:
    return "a map";
  case FCPS_YAML_TEXT:
    break;
  }
  return node->is_quoted ? "quoted text" : node->text[0] ? "text" : "nothing";
}

static fcps_status refuse_value(const fcps_yaml *yaml, const fcps_yaml_node *node, const char *field,
                                const char *expected, fcps_error *error)
{
  if (node == NULL)
    return fcps_yaml_error(yaml, node, FCPS_ERR_FORMAT, field, error, "is missing; %s is needed", expected);
  if (node->kind == FCPS_YAML_TEXT && node->text[0])
    return fcps_yaml_error(yaml, node, FCPS_ERR_FORMAT, field, error, "expected %s, got the %s \"%.64s\"", expected,
                           describe(node), node->text);
  return fcps_yaml_error(yaml, node, FCPS_ERR_FORMAT, field, error, "expected %s, got %s", expected, describe(node));
}

/* Whether a node may be a number or a switch: quoted text never is. */
static bool is_plain(const fcps_yaml_node *node)
{
  return node != NULL && node->kind == FCPS_YAML_TEXT && !node->is_quoted;
}

fcps_status fcps_yaml_number(const fcps_yaml *yaml, const fcps_yaml_node *node, const char *field, double *value,
                             fcps_error *error)
{
  double number;
  if (!is_plain(node) || !fcps_number_read(node->text, &number))
    return refuse_value(yaml, node, field, "a number", error);
  if (!isfinite(number))
    return fcps_yaml_error(yaml, node, FCPS_ERR_NOT_FINITE, field, error, "expected a finite number, got %s",
                           node->text);
  *value = number;
  return FCPS_OK;
}

fcps_status fcps_yaml_integer(const fcps_yaml *yaml, const fcps_yaml_node *node, const char *field, int64_t *value,
                              fcps_error *error)
{
  if (!is_plain(node) || !fcps_integer_read(node->text, value))
    return refuse_value(yaml, node, field, "a whole number", error);
  return FCPS_OK;
}

fcps_status fcps_yaml_bool(const fcps_yaml *yaml, const fcps_yaml_node *node, const char *field, bool *value,
                           fcps_error *error)
{
  if (!is_plain(node) || !fcps_switch_read(node->text, value))
    return refuse_value(yaml, node, field, "true or false", error);
  return FCPS_OK;
}

fcps_status fcps_yaml_text(const fcps_yaml *yaml, const fcps_yaml_node *node, const char *field, const char **value,
                           fcps_error *error)
{
  const bool is_text = node != NULL && node->kind == FCPS_YAML_TEXT && (node->is_quoted || node->text[0]);
  if (!is_text) return refuse_value(yaml, node, field, "a text", error);
  *value = node->text;
  return FCPS_OK;
}

fcps_status fcps_yaml_range(const fcps_yaml *yaml, const fcps_yaml_node *node, const char *field, double *lower,
                            double *upper, fcps_error *error)
{
  if (node == NULL || node->kind != FCPS_YAML_LIST || node->count != 2)
    return fcps_yaml_error(yaml, node, FCPS_ERR_FORMAT, field, error, "expected [LOWER, UPPER].");
  const fcps_status status = fcps_yaml_number(yaml, node->children[0], field, lower, error);
  return status == FCPS_OK ? fcps_yaml_number(yaml, node->children[1], field, upper, error) : status;
}

fcps_status fcps_yaml_expect(const fcps_yaml *yaml, const fcps_yaml_node *node, fcps_yaml_kind kind, const char *field,
                             fcps_error *error)
{
  static const char *const expected[] = {
      [FCPS_YAML_TEXT] = "a text", [FCPS_YAML_LIST] = "a list", [FCPS_YAML_MAP] = "a map"};
  return node != NULL && node->kind == kind ? FCPS_OK : refuse_value(yaml, node, field, expected[kind], error);
}

fcps_status fcps_yaml_only(const fcps_yaml *yaml, const fcps_yaml_node *map, const char *const *known,
                           fcps_error *error)
{
  const fcps_status status = fcps_yaml_expect(yaml, map, FCPS_YAML_MAP, NULL, error);
  if (status != FCPS_OK) return status;

  int count = 0;
  while (known[count] != NULL)
    count++;
  for (int i = 0; i < map->count; i++) {
    bool found = false;
    for (int j = 0; j < count && !found; j++)
      found = strcmp(map->keys[i], known[j]) == 0;
    if (found) continue;

    char hint[400];
    const fcps_yaml_tree *child = fcps_yaml_tree_of(map->children[i]);
    return fcps_error_at(error, FCPS_ERR_UNKNOWN_NAME, yaml->file, child->key_line, child->key_column, map->keys[i],
                         "there is no such key here; %s",
                         fcps_name_hint(map->keys[i], count, known, sizeof hint, hint));
  }
  return FCPS_OK;
}
