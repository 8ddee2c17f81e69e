/* SPDX-License-Identifier: Apache-2.0 */
/* Escapes texts and embeds pictures. A picture is embedded in base64, so that the page needs no other file. */
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

/* Embeds a picture as <img>. Names inside an <img> are private, so a page can hold several drawings. */
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

/* -- Style -- */

/* This style loads no other file. */
const char fcps_page_style[] =
    ":root { --ink: #24292f; --soft: #6a737d; --line: #e1e4e8; --paper: #f6f8fa; }\n"
    "body { margin: 0; color: var(--ink); background: white;\n"
    "  font: 16px/1.55 'DejaVu Sans', 'Segoe UI', 'Helvetica Neue', Arial, sans-serif; }\n"
    "header { background: #1d3557; color: white; padding: 2.2rem 1.5rem 1.4rem; }\n"
    "header > *, main, footer { max-width: 72rem; margin-left: auto; margin-right: auto; }\n"
    "h1 { margin: 0 auto .3rem; font-size: 1.9rem; font-weight: 600; }\n"
    ".lead { margin-top: 0; opacity: .85; }\n"
    "main { padding: 1rem 1.5rem 2rem; }\n"
    "section { border-top: 1px solid var(--line); margin-top: 2.5rem; overflow-x: auto; }\n"
    "h2 { margin: 1.6rem 0 .4rem; font-size: 1.4rem; }\n"
    "h3 { margin: 1.6rem 0 .5rem; font-size: 1.1rem; }\n"
    "a { color: #0072b2; }\n"
    "small { color: var(--soft); font-size: .78rem; line-height: 1.4; }\n"
    "code { font-family: 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: .92em; }\n"
    ".protocol, .reading { color: var(--soft); font-size: .9rem; }\n"
    ".missing { background: #fff4d6; padding: .5rem .8rem; border-radius: 4px; }\n"
    "table { border-collapse: collapse; width: 100%; font-size: .88rem; margin: 1rem 0; }\n"
    "th, td { padding: .38rem .55rem; text-align: left; vertical-align: top; }\n"
    "thead th { border-bottom: 2px solid var(--ink); font-weight: 600; vertical-align: bottom; }\n"
    "tbody th { font-weight: normal; max-width: 24rem; }\n"
    ".numbers td, .numbers thead th:not(:first-child), .recipes thead th { text-align: right; white-space: nowrap;\n"
    "  font-variant-numeric: tabular-nums; }\n"
    ".numbers thead tr + tr th { text-align: right !important; }\n"
    ".numbers thead th[colspan] { text-align: center; border-bottom: 1px solid var(--line); }\n"
    ".numbers tr.first th, .numbers tr.first td { border-top: 1px solid var(--line); }\n"
    ".numbers tr.paper td { color: var(--soft); background: var(--paper); }\n"
    ".numbers td.source { text-align: left; color: var(--soft); }\n"
    ".claims tr + tr td { border-top: 1px solid var(--line); }\n"
    ".claims td:nth-child(2), .claims td:nth-child(3) { white-space: nowrap; font-variant-numeric: tabular-nums; }\n"
    ".claims .claim { min-width: 19rem; }\n"
    ".claims td:nth-child(2) { white-space: normal; max-width: 12rem; }\n"
    ".claims td, .claims th { font-size: .85rem; }\n"
    ".ours { background: #e7e0f7; color: #4b2e83; border-radius: 3px; padding: 0 .35rem; font-size: .75rem; }\n"
    ".verdict { display: inline-block; border-radius: 1rem; padding: .05rem .7rem; font-size: .8rem; white-space: "
    "nowrap;\n"
    "  margin-right: .3rem; }\n"
    ".better { background: #cfe8f7; color: #004e7c; }\n"
    ".same { background: #d3f0e3; color: #00563f; }\n"
    ".worse { background: #fbdccb; color: #8a3c00; }\n"
    ".unsure { background: #fff4d6; color: #6b5200; }\n"
    ".open { background: #ececec; color: #555; }\n"
    ".changed { color: #8a3c00; }\n"
    ".caveat { margin-bottom: .5rem; }\n"
    ".named { list-style: none; padding: 0; margin-bottom: .6rem; }\n"
    "figure { margin: 1.2rem 0; text-align: center; }\n"
    "figure img { max-width: 100%; height: auto; }\n"
    "nav ol { padding-left: 1.3rem; }\n"
    "footer { padding: 1rem 1.5rem 3rem; color: var(--soft); font-size: .85rem; border-top: 1px solid var(--line); }\n"
    "@media (max-width: 48rem) { main { padding: .6rem; } h1 { font-size: 1.4rem; } tbody th { max-width: 12rem; }\n"
    "  table { display: block; overflow-x: auto; } .claims .claim { min-width: 12rem; } }\n"
    "@media print { header { background: none; color: black; } section { break-before: page; } }\n";
