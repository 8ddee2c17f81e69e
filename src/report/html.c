/* SPDX-License-Identifier: Apache-2.0 */
/* Escaping and embedding. A picture is embedded as base64, so that the page needs no other file. */
#include "report/html.h"

#include "format/file.h"
#include "format/text.h"

enum { PICTURE_LIMIT = 1 << 26 };

static bool escape(FILE *page, char c)
{
  const char *name = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '"' ? "&quot;" : NULL;
  return name != NULL && fputs(name, page) >= 0;
}

void fcps_html_text(FILE *page, const char *text)
{
  fcps_utf8_write_xml(page, text, escape);
}

/* Base64 [RFC 4648]: three bytes become four letters. */
static void write_base64(FILE *page, size_t length, const char *bytes)
{
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < length; i += 3) {
    const unsigned a = (unsigned char)bytes[i];
    const unsigned b = i + 1 < length ? (unsigned char)bytes[i + 1] : 0;
    const unsigned c = i + 2 < length ? (unsigned char)bytes[i + 2] : 0;
    const unsigned group = a << 16 | b << 8 | c;
    fputc(letters[group >> 18 & 63], page);
    fputc(letters[group >> 12 & 63], page);
    fputc(i + 1 < length ? letters[group >> 6 & 63] : '=', page);
    fputc(i + 2 < length ? letters[group & 63] : '=', page);
  }
}

/* An <img> keeps the names inside a drawing private, so that one page can hold several drawings. */
void fcps_html_picture(FILE *page, const char *path, const char *description)
{
  char *bytes = NULL;
  size_t length = 0;
  if (fcps_file_read(path, PICTURE_LIMIT, &bytes, &length, NULL) != FCPS_OK) {
    fputs("<p class=\"missing\">The figure \xe2\x80\x9c", page);
    fcps_html_text(page, description);
    fputs("\xe2\x80\x9d was not drawn; it needs gnuplot.</p>\n", page);
    return;
  }
  fputs("<img alt=\"", page);
  fcps_html_text(page, description);
  fputs("\" src=\"data:image/svg+xml;base64,", page);
  write_base64(page, length, bytes);
  fputs("\">\n", page);
  fcps_free(bytes);
}
