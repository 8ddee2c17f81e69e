/* SPDX-License-Identifier: Apache-2.0 */
/* HTML: texts and pictures in a page that needs no other file. Texts from result files reach a page only through these
 * functions, which escape them. */
#ifndef FCPS_REPORT_HTML_H
#define FCPS_REPORT_HTML_H

#include <fcps/base.h>

#include <stdio.h>

/* Writes a text, and escapes the characters that mean something in HTML. */
void fcps_html_text(FILE *page, const char *text);

/* Embeds an SVG file in the page. If the file does not exist, writes a sentence that says so. */
void fcps_html_picture(FILE *page, const char *path, const char *description);

/* The style of pages. */
extern const char fcps_page_style[]; /* the style as CSS */

#endif
