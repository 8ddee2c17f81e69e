/* SPDX-License-Identifier: Apache-2.0 */
/* After a refusal, every function returns at once with a value that is safe to use. So a caller may read a whole map
 * before it tests `status`. */
#include "lab/experiment/reader.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/settings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fcps_reader_refuse(fcps_reader *reader, const fcps_yaml_node *node, fcps_status status, const char *field,
                        const char *format, ...)
{
  if (reader->status != FCPS_OK) return;
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  reader->status = fcps_yaml_error(reader->yaml, node, status, field, reader->error, "%s", message);
}

void *fcps_reader_allocate(fcps_reader *reader, size_t count, size_t size)
{
  if (reader->status != FCPS_OK) return NULL;
  void *memory = fcps_allocate(count, size);
  if (memory == NULL) reader->status = fcps_error_memory(reader->error);
  return memory;
}

void fcps_reader_only(fcps_reader *reader, const fcps_yaml_node *map, const char *const *known)
{
  if (reader->status == FCPS_OK) reader->status = fcps_yaml_only(reader->yaml, map, known, reader->error);
}

/* Finds the node of a required key. If the key is missing, the error points at the map. */
static const fcps_yaml_node *needed(fcps_reader *reader, const fcps_yaml_node *map, const char *key)
{
  const fcps_yaml_node *node = fcps_yaml_get(map, key);
  if (node == NULL) fcps_reader_refuse(reader, map, FCPS_ERR_FORMAT, key, "is missing here; write \"%s: ...\"", key);
  return node;
}

const fcps_yaml_node *fcps_reader_node(fcps_reader *reader, const fcps_yaml_node *map, const char *key,
                                       fcps_yaml_kind kind)
{
  const fcps_yaml_node *node = needed(reader, map, key);
  if (reader->status == FCPS_OK) reader->status = fcps_yaml_expect(reader->yaml, node, kind, key, reader->error);
  return reader->status == FCPS_OK ? node : NULL;
}

const char *fcps_reader_text(fcps_reader *reader, const fcps_yaml_node *map, const char *key)
{
  const fcps_yaml_node *node = needed(reader, map, key);
  const char *text = NULL;
  if (reader->status == FCPS_OK) reader->status = fcps_yaml_text(reader->yaml, node, key, &text, reader->error);
  return text;
}

const char *fcps_reader_text_or(fcps_reader *reader, const fcps_yaml_node *map, const char *key, const char *fallback)
{
  return fcps_yaml_get(map, key) != NULL ? fcps_reader_text(reader, map, key) : fallback;
}

int64_t fcps_reader_integer(fcps_reader *reader, const fcps_yaml_node *map, const char *key, int64_t lower,
                            int64_t upper)
{
  const fcps_yaml_node *node = needed(reader, map, key);
  int64_t value = lower;
  if (reader->status == FCPS_OK) reader->status = fcps_yaml_integer(reader->yaml, node, key, &value, reader->error);
  if (value < lower || value > upper) {
    fcps_reader_refuse(reader, node, FCPS_ERR_BOUNDS, key, "%lld is out of range; choose from %lld to %lld",
                       (long long)value, (long long)lower, (long long)upper);
  }
  return value;
}

double fcps_reader_number(fcps_reader *reader, const fcps_yaml_node *map, const char *key)
{
  const fcps_yaml_node *node = needed(reader, map, key);
  double value = NAN;
  if (reader->status == FCPS_OK) reader->status = fcps_yaml_number(reader->yaml, node, key, &value, reader->error);
  return value;
}

bool fcps_reader_bool_or(fcps_reader *reader, const fcps_yaml_node *map, const char *key, bool fallback)
{
  const fcps_yaml_node *node = fcps_yaml_get(map, key);
  bool value = fallback;
  if (node != NULL && reader->status == FCPS_OK) {
    reader->status = fcps_yaml_bool(reader->yaml, node, key, &value, reader->error);
  }
  return value;
}

const char *fcps_reader_label(fcps_reader *reader, const fcps_yaml_node *map, const char *key)
{
  const char *text = fcps_reader_text(reader, map, key);
  if (text != NULL &&
      (!*text || strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(text) || strlen(text) > 64)) {
    fcps_reader_refuse(reader, fcps_yaml_get(map, key), FCPS_ERR_FORMAT, key,
                       "\"%.64s\" cannot name files; use 1 to 64 lower-case letters, digits and hyphens", text);
  }
  return text;
}

int fcps_reader_choice(fcps_reader *reader, const fcps_yaml_node *map, const char *key, const char *const *choices)
{
  const char *text = fcps_reader_text(reader, map, key);
  if (text == NULL) return 0;
  int count = 0;
  for (; choices[count] != NULL; count++) {
    if (strcmp(choices[count], text) == 0) return count;
  }
  char hint[256];
  fcps_reader_refuse(reader, fcps_yaml_get(map, key), FCPS_ERR_UNKNOWN_NAME, key, "there is no \"%.64s\" here; %s",
                     text, fcps_name_hint(text, count, choices, sizeof hint, hint));
  return 0;
}

void fcps_reader_numbers(fcps_reader *reader, const fcps_yaml_node *list, const char *field, int count, double *values)
{
  if (reader->status == FCPS_OK) {
    reader->status = fcps_yaml_expect(reader->yaml, list, FCPS_YAML_LIST, field, reader->error);
  }
  if (reader->status != FCPS_OK) return;
  if (list->count != count) {
    fcps_reader_refuse(reader, list, FCPS_ERR_FORMAT, field, "expected %d numbers, got %d", count, list->count);
  }
  for (int i = 0; i < count && reader->status == FCPS_OK; i++) {
    reader->status = fcps_yaml_number(reader->yaml, list->children[i], field, values + i, reader->error);
  }
}

fcps_setting *fcps_reader_settings(fcps_reader *reader, const fcps_yaml_node *map, const char *key)
{
  const fcps_yaml_node *node =
      fcps_yaml_get(map, key) != NULL ? fcps_reader_node(reader, map, key, FCPS_YAML_MAP) : NULL;
  const int count = node != NULL ? node->count : 0;
  fcps_setting *settings = fcps_reader_allocate(reader, (size_t)count + 1, sizeof *settings);
  for (int i = 0; i < count && settings != NULL; i++) {
    settings[i].name = node->keys[i];
    settings[i].value = fcps_reader_text(reader, node, node->keys[i]);
  }
  return settings;
}

int fcps_reader_count_settings(const fcps_setting *settings)
{
  int count = 0;
  while (settings != NULL && settings[count].name != NULL)
    count++;
  return count;
}

fcps_setting *fcps_reader_merge_settings(fcps_reader *reader, const fcps_setting *base, const fcps_setting *changes)
{
  const int most = fcps_reader_count_settings(base), count = fcps_reader_count_settings(changes);
  fcps_setting *all = fcps_reader_allocate(reader, (size_t)(most + count + 1), sizeof *all);
  int kept = 0;
  for (int i = 0; i < most && all != NULL; i++)
    if (fcps_setting_value(changes, base[i].name) == NULL) all[kept++] = base[i];
  if (all != NULL && count > 0) memcpy(all + kept, changes, (size_t)count * sizeof *changes);
  return all;
}

void fcps_reader_refuse_deviation(fcps_reader *reader, const fcps_yaml_node *node)
{
  fcps_reader_refuse(reader, node, FCPS_ERR_BOUNDS, "paper",
                     "%s is less than 0; the second number is a standard deviation", node->text);
}

void fcps_reader_meaningless(fcps_reader *reader, const fcps_yaml_node *map, const char *key, const char *reason)
{
  const fcps_yaml_node *child = fcps_yaml_get(map, key);
  if (child != NULL)
    fcps_reader_refuse(reader, child, FCPS_ERR_FORMAT, key, "has no meaning here: %s. Leave it out", reason);
}
