/* SPDX-License-Identifier: Apache-2.0 */
/* Reading YAML into a tree. The tree is built from libyaml's events, which know the line and column of every item, even
 * of an alias. A file that must be refused is refused during parsing, before its tree becomes large. */
#include "format/yaml.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/settings.h"
#include "format/file.h"
#include "format/text.h"

#include <stdlib.h>
#include <string.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <yaml.h>

#define MOST_BYTES ((size_t)1 << 20)
#define MOST_DEPTH 64

/* The document. Its users do not see these fields. */
struct fcps_yaml {
  char *file;
  const fcps_yaml_node *root;
};

/* Every fcps_yaml_node is the first member of a yaml_tree. */
typedef struct yaml_tree {
  fcps_yaml_node node;
  int key_line, key_column;        /* of a child of a map: the position of its key */
  const fcps_yaml_node **children; /* the same array as node.children, but writable */
  const char **keys;
  size_t children_capacity, keys_capacity;
} yaml_tree;

static const yaml_tree *tree_of(const fcps_yaml_node *node)
{
  return (const yaml_tree *)(const void *)node;
}

typedef struct reader {
  yaml_parser_t parser;
  const char *text;
  size_t length;
  const char *name;
  fcps_error *error;
} reader;

static fcps_status refuse(const reader *in, yaml_mark_t mark, const char *what)
{
  return fcps_error_at(in->error, FCPS_ERR_FORMAT, in->name, (int)mark.line + 1, (int)mark.column + 1, NULL, "%s",
                       what);
}

/* -- Events -- */

/* Finds line and column (in characters) of a byte: libyaml gives only the offset of bytes that it cannot read. */
static yaml_mark_t mark_of_byte(const reader *in, size_t offset)
{
  yaml_mark_t mark = {0};
  for (size_t i = 0; i < offset && i < in->length; i++) {
    const bool is_continuation = ((unsigned char)in->text[i] & 0xC0) == 0x80;
    mark.column += is_continuation ? 0 : 1;
    if (in->text[i] != '\n') continue;
    mark.line++;
    mark.column = 0;
  }
  return mark;
}

/* Returns the byte at a mark, whose column counts characters; 0 at the end of the text. */
static char byte_at(const reader *in, yaml_mark_t mark)
{
  const char *at = in->text, *end = in->text + in->length;
  for (size_t line = 0; line < mark.line && at < end; at++)
    line += *at == '\n';
  for (size_t column = 0; column < mark.column && at < end; column++)
    for (at++; at < end && ((unsigned char)*at & 0xC0) == 0x80;)
      at++;
  return at < end ? *at : '\0';
}

/* Returns a hint about the usual mistakes: a text that begins with %, a tab, or a formula such as a ? b : c, whose ": "
 * YAML takes for the end of a key. "" for other mistakes. */
static const char *hint_of(const reader *in, yaml_mark_t mark)
{
  const yaml_parser_t *parser = &in->parser;
  const char byte = byte_at(in, mark);
  if (byte == '%') return ". A text that begins with % needs quotes: \"%\"";
  if (byte == '\t') return ". It is a tab: YAML is indented with spaces; put spaces in its place";
  const bool is_colon = parser->problem != NULL && strstr(parser->problem, "mapping values are not allowed") != NULL;
  return is_colon ? ". Put a text or formula that holds \": \" in quotes, as in reward: \"present ? -distance : -30\""
                  : "";
}

static fcps_status refuse_syntax(const reader *in)
{
  const yaml_parser_t *parser = &in->parser;
  if (parser->error == YAML_MEMORY_ERROR) return fcps_error_memory(in->error);
  const bool unreadable = parser->error == YAML_READER_ERROR;
  const yaml_mark_t mark = unreadable ? mark_of_byte(in, parser->problem_offset) : parser->problem_mark;
  return fcps_error_at(in->error, FCPS_ERR_FORMAT, in->name, (int)mark.line + 1, (int)mark.column + 1, NULL,
                       "is not %s: %s%s%s%s", unreadable ? "UTF-8 text" : "YAML",
                       parser->problem != NULL ? parser->problem : "unreadable", parser->context != NULL ? " " : "",
                       parser->context != NULL ? parser->context : "", hint_of(in, mark));
}

/* Reads the next event, which the caller deletes; after a failure there is no event to delete. Aliases are refused,
 * because a few nested ones turn a small file into a huge tree. */
static fcps_status next_event(reader *in, yaml_event_t *event)
{
  if (!yaml_parser_parse(&in->parser, event)) return refuse_syntax(in);
  if (event->type != YAML_ALIAS_EVENT) return FCPS_OK;
  const yaml_mark_t mark = event->start_mark;
  yaml_event_delete(event);
  return refuse(in, mark, "aliases (*name) are not understood here; write the value out");
}

/* -- Nodes -- */

static void destroy_node(const fcps_yaml_node *node)
{
  if (node == NULL) return;
  for (int i = 0; i < node->count; i++) {
    if (node->keys != NULL) free((void *)node->keys[i]);
    destroy_node(node->children[i]);
  }
  free((void *)node->keys);
  free((void *)node->children);
  free((void *)node->text);
  free((void *)node);
}

static fcps_status copy_scalar(const reader *in, const yaml_event_t *event, char **text)
{
  const char *value = (const char *)event->data.scalar.value;
  if (strlen(value) != event->data.scalar.length)
    return refuse(in, event->start_mark, "a text may not contain \\0; delete it");
  *text = fcps_copy_text(value);
  return *text ? FCPS_OK : fcps_error_memory(in->error);
}

static fcps_status read_node(reader *in, const yaml_event_t *event, int depth, yaml_tree **tree);

/* Reads the node that begins with `event`, and appends it to the children of `parent`. A child of a map has a key,
 * which the map then owns. */
static fcps_status read_child(reader *in, const yaml_event_t *event, int depth, yaml_tree *parent, char **key,
                              yaml_mark_t key_mark)
{
  const size_t needed = (size_t)parent->node.count + 1;
  const bool has_room =
      fcps_reserve((void **)&parent->children, &parent->children_capacity, needed, sizeof(void *)) &&
      (key == NULL || fcps_reserve((void **)&parent->keys, &parent->keys_capacity, needed, sizeof(void *)));
  parent->node.children = parent->children;
  parent->node.keys = parent->keys;
  if (!has_room) return fcps_error_memory(in->error);

  yaml_tree *child;
  const fcps_status status = read_node(in, event, depth + 1, &child);
  if (status != FCPS_OK) return status;
  child->key_line = (int)key_mark.line + 1;
  child->key_column = (int)key_mark.column + 1;
  parent->children[parent->node.count] = &child->node;
  if (key != NULL) {
    parent->keys[parent->node.count] = *key;
    *key = NULL;
  }
  parent->node.count++;
  return FCPS_OK;
}

/* Reads the value after the key in `event` as a child of `map`. */
static fcps_status read_entry(reader *in, const yaml_event_t *event, int depth, yaml_tree *map)
{
  if (event->type != YAML_SCALAR_EVENT) return refuse(in, event->start_mark, "a key must be a text");
  char *key;
  fcps_status status = copy_scalar(in, event, &key);
  if (status != FCPS_OK) return status;

  yaml_event_t value;
  status = next_event(in, &value);
  if (status == FCPS_OK) {
    status = read_child(in, &value, depth, map, &key, event->start_mark);
    yaml_event_delete(&value);
  }
  free(key);
  return status;
}

static fcps_status check_duplicates(const reader *in, const fcps_yaml_node *map)
{
  int first, second;
  if (!fcps_duplicate_find(map->count, map->keys, &first, &second)) return fcps_error_memory(in->error);
  if (second < 0) return FCPS_OK;
  const yaml_tree *child = tree_of(map->children[second]);
  return fcps_error_at(in->error, FCPS_ERR_FORMAT, in->name, child->key_line, child->key_column, map->keys[second],
                       "the key is given twice, first in line %d; remove one", tree_of(map->children[first])->key_line);
}

/* Reads the children of a list or map up to its end. */
static fcps_status read_children(reader *in, int depth, yaml_tree *parent)
{
  const bool is_map = parent->node.kind == FCPS_YAML_MAP;
  fcps_status status = FCPS_OK;
  for (bool more = true; more && status == FCPS_OK;) {
    yaml_event_t event;
    status = next_event(in, &event);
    if (status != FCPS_OK) return status;
    more = event.type != YAML_SEQUENCE_END_EVENT && event.type != YAML_MAPPING_END_EVENT;
    if (more && is_map) status = read_entry(in, &event, depth, parent);
    if (more && !is_map) status = read_child(in, &event, depth, parent, NULL, event.start_mark);
    yaml_event_delete(&event);
  }
  if (status == FCPS_OK && is_map) status = check_duplicates(in, &parent->node);
  return status;
}

/* Reads the node that begins with `event`, at depth `depth` of the tree. */
static fcps_status read_node(reader *in, const yaml_event_t *event, int depth, yaml_tree **tree)
{
  if (depth > MOST_DEPTH)
    return fcps_error_at(in->error, FCPS_ERR_FORMAT, in->name, (int)event->start_mark.line + 1,
                         (int)event->start_mark.column + 1, NULL, "is nested deeper than %d levels", MOST_DEPTH);

  yaml_tree *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return fcps_error_memory(in->error);
  made->node.line = (int)event->start_mark.line + 1;
  made->node.column = (int)event->start_mark.column + 1;

  fcps_status status;
  if (event->type == YAML_SCALAR_EVENT) {
    char *text = NULL;
    const yaml_scalar_style_t style = event->data.scalar.style;
    made->node.kind = FCPS_YAML_TEXT;
    made->node.is_quoted = style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    status = copy_scalar(in, event, &text);
    made->node.text = text;
  } else {
    made->node.kind = event->type == YAML_MAPPING_START_EVENT ? FCPS_YAML_MAP : FCPS_YAML_LIST;
    status = read_children(in, depth, made);
  }
  if (status != FCPS_OK) {
    destroy_node(&made->node);
    return status;
  }
  *tree = made;
  return FCPS_OK;
}

/* -- Documents -- */

/* Reads the whole stream, which must hold exactly one document. */
static fcps_status read_document(reader *in, const fcps_yaml_node **root)
{
  yaml_event_t event;
  yaml_tree *tree = NULL;
  fcps_status status = FCPS_OK;
  for (bool more = true; more && status == FCPS_OK;) {
    status = next_event(in, &event);
    if (status != FCPS_OK) break;
    switch (event.type) {
    case YAML_STREAM_START_EVENT:
    case YAML_DOCUMENT_END_EVENT:
      break;
    case YAML_STREAM_END_EVENT:
      more = false;
      break;
    case YAML_DOCUMENT_START_EVENT:
      if (tree != NULL)
        status = refuse(in, event.start_mark, "a second document begins here, but only one is read; leave one out");
      break;
    default:
      status = read_node(in, &event, 1, &tree);
    }
    yaml_event_delete(&event);
  }
  if (status == FCPS_OK && tree == NULL) status = refuse(in, (yaml_mark_t){0}, "is empty");
  if (status != FCPS_OK && tree != NULL) destroy_node(&tree->node);
  if (status == FCPS_OK) *root = &tree->node;
  return status;
}

fcps_status fcps_yaml_read_text(fcps_yaml **yaml, const char *text, size_t length, const char *name, fcps_error *error)
{
  if (length > MOST_BYTES)
    return fcps_error_at(error, FCPS_ERR_FORMAT, name, 0, 0, NULL,
                         "is larger than %zu bytes, the most that is read here", MOST_BYTES);
  const char *zero = memchr(text, '\0', length);
  if (zero != NULL) { /* libyaml would take a zero byte for the end of the text and ignore the rest */
    int line = 1;
    for (const char *c = text; c < zero; c++)
      line += *c == '\n';
    return fcps_error_at(error, FCPS_ERR_FORMAT, name, line, 0, NULL,
                         "there is a zero byte, which a text does not have; delete it");
  }
  /* libyaml would count a byte order mark as a column, and then overlook a "---" after it */
  const size_t mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  reader in = {.text = text + mark, .length = length - mark, .name = name, .error = error};
  fcps_yaml *made = fcps_allocate(1, sizeof *made);
  if (made != NULL) made->file = fcps_copy_text(name);
  if (made == NULL || made->file == NULL || !yaml_parser_initialize(&in.parser)) {
    fcps_yaml_destroy(made);
    return fcps_error_memory(error);
  }
  yaml_parser_set_encoding(&in.parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&in.parser, (const unsigned char *)in.text, in.length);
  const fcps_status status = read_document(&in, &made->root);
  yaml_parser_delete(&in.parser);
  if (status != FCPS_OK) {
    fcps_yaml_destroy(made);
    return status;
  }
  *yaml = made;
  return FCPS_OK;
}

fcps_status fcps_yaml_read_file(fcps_yaml **yaml, const char *path, fcps_error *error)
{
  char *text;
  size_t length;
  fcps_status status = fcps_file_read(path, MOST_BYTES, &text, &length, error);
  if (status != FCPS_OK) return status;
  status = fcps_yaml_read_text(yaml, text, length, path, error);
  free(text);
  return status;
}

void fcps_yaml_destroy(fcps_yaml *yaml)
{
  if (yaml == NULL) return;
  destroy_node(yaml->root);
  free(yaml->file);
  free(yaml);
}

/* -- Values -- */

/* Values from a YAML tree. A refusal says the file, the line, the column and what was expected there. */

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
  char message[2 * sizeof error->message]; /* fcps_error_at cuts the message to its size */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return fcps_error_at(error, status, yaml->file, node != NULL ? node->line : 0, node != NULL ? node->column : 0, field,
                       "%s", message);
}

/* Returns the value of a node in words, for an error. */
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
  if (node == NULL) return fcps_yaml_error(yaml, node, FCPS_ERR_FORMAT, field, error, "is missing; give %s", expected);
  if (node->kind == FCPS_YAML_TEXT && node->text[0])
    return fcps_yaml_error(yaml, node, FCPS_ERR_FORMAT, field, error, "expected %s, got the %s \"%.64s\"", expected,
                           describe(node), node->text);
  return fcps_yaml_error(yaml, node, FCPS_ERR_FORMAT, field, error, "expected %s, got %s", expected, describe(node));
}

/* Tells whether a node may be a number or a switch. A quoted text is neither. */
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
    return fcps_yaml_error(yaml, node, FCPS_ERR_FORMAT, field, error, "expected [LOWER, UPPER]%s.",
                           node == NULL || node->kind != FCPS_YAML_LIST ? ""
                           : node->count > 2 ? ": two numbers, with a point before decimals, as in [0.5, 3]"
                                             : ": two numbers, with a comma between the two, as in [40, 80]");
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
    const bool is_number = map->keys[i][strspn(map->keys[i], "0123456789")] == '\0';
    if (is_number) /* as in {chance: 0,95} */
      return fcps_error_at(error, FCPS_ERR_UNKNOWN_NAME, yaml->file, tree_of(map->children[i])->key_line,
                           tree_of(map->children[i])->key_column, map->keys[i],
                           "there is no such key here; decimals have a point, as in 0.95");
    const yaml_tree *child = tree_of(map->children[i]);
    return fcps_error_at(error, FCPS_ERR_UNKNOWN_NAME, yaml->file, child->key_line, child->key_column, map->keys[i],
                         "there is no such key here; %s",
                         fcps_name_hint(map->keys[i], count, known, sizeof hint, hint));
  }
  return FCPS_OK;
}
