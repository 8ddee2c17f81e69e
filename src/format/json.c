/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as text: parsing with the place of a mistake, and writing on one line. Values are a thin cover over Jansson, whose
 * json_t hides behind fcps_json: json_build.c makes them, json_value.c looks inside. */
#include "base/error.h"
#include "base/memory.h"
#include "format/json_impl.h"

#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 64

/* -- Reading -- */

/* Refuses nesting deeper than MOST_DEPTH, with its place; Jansson's own limit is 2048 and says no place. Brackets that
 * do not match are left to the parser. */
static fcps_status check_depth(const char *text, size_t length, const char *file, fcps_error *error)
{
  int depth = 0, line = 1, column = 0;
  bool in_text = false;
  for (size_t i = 0; i < length; i++) {
    const char letter = text[i];
    const bool is_continuation = ((unsigned char)letter & 0xC0) == 0x80;
    if (!is_continuation) column++;
    if (letter == '\n') {
      line++;
      column = 0;
    }
    if (in_text && letter == '\\') {
      i++; /* what is escaped ends no text */
      column++;
    } else if (letter == '"') {
      in_text = !in_text;
    } else if (!in_text && (letter == '[' || letter == '{')) {
      depth++;
    } else if (!in_text && (letter == ']' || letter == '}')) {
      depth--;
    }
    if (depth > MOST_DEPTH)
      return fcps_error_at(error, FCPS_ERR_FORMAT, file, line, column, NULL, "is nested deeper than %d levels",
                           MOST_DEPTH);
  }
  return FCPS_OK;
}

fcps_status fcps_json_read(fcps_json **json, const char *text, size_t length, const char *file, fcps_error *error)
{
  const fcps_status status = check_depth(text, length, file, error);
  if (status != FCPS_OK) return status;

  json_error_t mistake;
  json_t *value = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &mistake);
  if (value == NULL) {
    if (json_error_code(&mistake) == json_error_out_of_memory) return fcps_error_memory(error);
    return fcps_error_at(error, FCPS_ERR_FORMAT, file, mistake.line > 0 ? mistake.line : 1,
                         mistake.column > 0 ? mistake.column : 1, NULL, "is not JSON: %s", mistake.text);
  }
  *json = from_jansson(value);
  return FCPS_OK;
}

/* -- Writing -- */

typedef struct growing_text {
  char *text;
  size_t length, capacity;
  bool has_failed; /* Jansson 2.14 goes on when the key of an object could not be taken */
} growing_text;

static int take(const char *piece, size_t length, void *user)
{
  growing_text *grown = user;
  if (grown->has_failed || !fcps_reserve((void **)&grown->text, &grown->capacity, grown->length + length + 1, 1)) {
    grown->has_failed = true;
    return -1;
  }
  memcpy(grown->text + grown->length, piece, length);
  grown->length += length;
  grown->text[grown->length] = 0;
  return 0;
}

char *fcps_json_write(const fcps_json *json)
{
  /* into memory of our own, which fcps_free frees whatever allocator Jansson was given; 17 digits keep every bit */
  if (json == NULL) return NULL;
  growing_text grown = {0};
  const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(17);
  if (json_dump_callback(to_jansson(json), take, &grown, flags) || grown.has_failed) {
    free(grown.text);
    return NULL;
  }
  return grown.text;
}

char *fcps_json_finish(fcps_json *json)
{
  char *text = fcps_json_write(json);
  fcps_json_destroy(json);
  return text;
}
