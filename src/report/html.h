/* SPDX-License-Identifier: Apache-2.0 */
/* HTML: texts and pictures inside a page that needs no other file. Every text of a result file is written by these
 * functions. */
#ifndef FCPS_REPORT_HTML_H
#define FCPS_REPORT_HTML_H

#include <fcps/base.h>

#include <stdio.h>

/* Writes a text and escapes the characters that have a meaning in HTML. */
void fcps_html_text(FILE *page, const char *text);

/* Embeds an SVG file in the page; if it does not exist, writes a sentence that says so. */
void fcps_html_picture(FILE *page, const char *path, const char *description);

/* The style of pages. */
extern const char fcps_page_style[]; /* CSS */

#endif
