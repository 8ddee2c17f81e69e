/* SPDX-License-Identifier: Apache-2.0 */
/* The characters that are made visible: control characters (U+0000 to U+001F, U+007F to U+009F), line and paragraph
 * separators, marks that change the direction of text [UAX 9], and bytes that are not UTF-8. */
#include "format/shown.h"

#include "format/utf8.h"

#include <stdbool.h>
#include <string.h>

enum { ESCAPED = 12 };

static bool is_hidden(uint32_t code)
{
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x61C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

/* The next character of a text as it is shown; its number of bytes in the text is added to `*text`. */
static void show_next(const char **text, char shown[ESCAPED])
{
  size_t length;
  const uint32_t code = fcps_utf8_decode(*text, &length);
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
    if (is_hidden(fcps_utf8_decode(text, &length)) || (length == 1 && (unsigned char)*text > 0x7F)) return false;
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
