/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding happens after splitting, once, and in place: a text never grows by it. */
#include "serve/http/head.h"

#include "base/memory.h"
#include "base/number.h"
#include "format/text.h"

#include <stdlib.h>
#include <string.h>

/* Decodes %41 to A, in place. Returns false if the result is not a text. */
static bool decode(char *text, bool plus_is_blank)
{
  char *to = text;
  for (const char *from = text; *from != '\0'; from++) {
    char c = *from;
    if (c == '%') {
      const int byte = fcps_percent_read(from);
      if (byte < 0) return false;
      c = (char)byte;
      from += 2;
    } else if (c == '+' && plus_is_blank) {
      c = ' ';
    }
    if ((unsigned char)c < ' ' || c == 127) return false;
    *to++ = c;
  }
  *to = '\0';
  for (size_t length; *text != '\0'; text += length)
    if ((length = fcps_utf8_length(text)) == 0) return false;
  return true;
}

static bool is_plain_word(const char *word)
{
  return *word != '\0' && strcmp(word, ".") != 0 && strcmp(word, "..") != 0 && strpbrk(word, "/\\") == NULL;
}

static int read_words(fcps_query *q, char *path)
{
  if (strcmp(path, "/") == 0) return 0;
  for (char *word = path + 1; word != NULL;) {
    char *slash = strchr(word, '/');
    if (slash != NULL) *slash++ = '\0';
    if (q->word_count == FCPS_QUERY_WORDS_MAX) return 404;
    if (*word == '\0' && slash == NULL) return 404; /* a slash at the end */
    if (!decode(word, false) || !is_plain_word(word)) return 400;
    q->words[q->word_count++] = word;
    word = slash;
  }
  return 0;
}

static int read_values(fcps_query *q, char *text)
{
  while (text != NULL && *text != '\0') {
    char *next = strchr(text, '&');
    if (next != NULL) *next++ = '\0';
    char *value = strchr(text, '=');
    if (value == NULL || q->value_count == FCPS_QUERY_VALUES_MAX) return 400;
    *value++ = '\0';
    if (!decode(text, true) || !decode(value, true) || fcps_query_get(q, text) != NULL) return 400;
    q->values[q->value_count++] = (fcps_query_value){text, value};
    text = next;
  }
  return 0;
}

int fcps_query_read(fcps_query *q, const char *target)
{
  *q = (fcps_query){.text = fcps_copy_text(target)};
  if (q->text == NULL) return 503;
  if (q->text[0] != '/') return 400;
  char *values = strchr(q->text, '?');
  if (values != NULL) *values++ = '\0';
  const int status = read_words(q, q->text);
  return status == 0 ? read_values(q, values) : status;
}

void fcps_query_destroy(fcps_query *q)
{
  free(q->text);
  *q = (fcps_query){0};
}

const char *fcps_query_get(const fcps_query *q, const char *name)
{
  for (int i = 0; i < q->value_count; i++)
    if (strcmp(q->values[i].name, name) == 0) return q->values[i].value;
  return NULL;
}
