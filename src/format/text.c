/* SPDX-License-Identifier: Apache-2.0 */
/* Texts from outside. RFC 3629 forbids overlong forms, surrogates and numbers above 10FFFF, so they are refused. */
#include "format/text.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Reads the well-formed character at the beginning of `text`. Returns its number of bytes; 0 if they are malformed. */
static size_t read_character(const char *text, uint32_t *code)
{
  /* for each length: the bits of the lead byte that belong to the code point, and the first code point that needs it */
  static const uint32_t lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07}, smallest[] = {0, 0, 0x80, 0x800, 0x10000};

  const unsigned char lead = (unsigned char)text[0];
  const size_t length = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 0;
  *code = lead & lead_mask[length];
  for (size_t i = 1; i < length; i++) {
    const unsigned char next = (unsigned char)text[i];
    if ((next & 0xC0) != 0x80) return 0;
    *code = *code << 6 | (next & 0x3F);
  }
  const bool is_surrogate = *code >= 0xD800 && *code <= 0xDFFF;
  return *code >= smallest[length] && *code <= 0x10FFFF && !is_surrogate ? length : 0;
}

size_t fcps_utf8_length(const char *text)
{
  uint32_t code;
  return read_character(text, &code);
}

/* Returns the character at the beginning of `text`, and its number of bytes. A byte that does not begin a well-formed
 * character counts as one character, U+FFFD (the replacement character). */
static uint32_t decode(const char *text, size_t *length)
{
  enum { REPLACEMENT = 0xFFFD };
  uint32_t code;
  *length = read_character(text, &code);
  if (*length > 0) return code;
  *length = 1;
  return REPLACEMENT;
}

/* Tells whether XML 1.0 allows the character [section 2.2]. The control characters from U+007F to U+009F are useless,
 * so they count as not allowed. */
static bool is_xml(uint32_t code)
{
  const bool is_control =
      (code < 0x20 && code != '\t' && code != '\n' && code != '\r') || (code >= 0x7F && code < 0xA0);
  return !is_control && code != 0xFFFE && code != 0xFFFF;
}

/* Tells whether a character changes the direction of text [UAX 9]: it can make a text look like another one. */
static bool is_turning(uint32_t code)
{
  return code == 0x61C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

void fcps_utf8_write_xml(FILE *stream, const char *text, bool (*escape)(FILE *stream, char c))
{
  size_t length;
  for (; *text; text += length) {
    const uint32_t code = decode(text, &length);
    if (!is_xml(code) || (length == 1 && code > 0x7F))
      fputs("\xEF\xBF\xBD", stream);
    else if (is_turning(code))
      fprintf(stream, "[U+%04X]", (unsigned)code);
    else if (length > 1 || escape == NULL || !escape(stream, *text))
      fwrite(text, 1, length, stream);
  }
}

/* -- Texts as they may be shown -- */

/* The characters that are made visible: control characters (U+0000 to U+001F, U+007F to U+009F), line and paragraph
 * separators, marks that change the direction of text [UAX 9], and bytes that are not UTF-8. */

enum { ESCAPED = 12 };

static bool is_hidden(uint32_t code)
{
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x61C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/* Writes the next character of a text as it is shown, and moves `*text` past it. */
static void show_next(const char **text, char shown[ESCAPED])
{
  size_t length;
  const uint32_t code = decode(*text, &length);
  const unsigned char byte = (unsigned char)**text;
  const bool is_stray = length == 1 && byte > 0x7F;
  if (code == '\n' || code == '\t' || code == '\r')
    snprintf(shown, ESCAPED, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
  else if (is_stray || (is_hidden(code) && length == 1))
    snprintf(shown, ESCAPED, "\\x%02x", byte);
  else if (is_hidden(code))
    snprintf(shown, ESCAPED, "\\u%04x", (unsigned)code);
  else
    snprintf(shown, ESCAPED, "%.*s", (int)length, *text);
  *text += length;
}

static bool is_plain(const char *text)
{
  size_t length;
  for (; *text; text += length)
    if (is_hidden(decode(text, &length)) || (length == 1 && (unsigned char)*text > 0x7F)) return false;
  return true;
}

const char *fcps_shown_line(const char *text, size_t size, char *room)
{
  if (is_plain(text)) return text;
  size_t used = 0;
  room[0] = 0;
  while (*text) {
    char shown[ESCAPED];
    show_next(&text, shown);
    if (used + strlen(shown) >= size) break;
    strcpy(room + used, shown);
    used += strlen(shown);
  }
  return room;
}

static void write_shown(FILE *stream, const char *text, bool has_lines)
{
  while (*text) {
    char shown[ESCAPED];
    const char *c = text;
    show_next(&text, shown);
    if (has_lines && *c == '\n')
      fputs("\n    ", stream);
    else
      fputs(has_lines && *c == '\t' ? "\t" : shown, stream);
  }
}

void fcps_shown_write(FILE *stream, const char *text)
{
  write_shown(stream, text, false);
}

void fcps_shown_write_lines(FILE *stream, const char *text)
{
  write_shown(stream, text, true);
}
