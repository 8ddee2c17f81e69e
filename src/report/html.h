/* SPDX-License-Identifier: Apache-2.0 */
/* HTML: texts and pictures inside a page that needs no other file. Every text of a result file passes through here. */
#ifndef FCPS_REPORT_HTML_H
#define FCPS_REPORT_HTML_H

#include <fcps/base.h>

#include <stdio.h>

/* Writes a text; characters that have a meaning in HTML are escaped. */
void fcps_html_text(FILE *page, const char *text);

/* Writes an SVG file as a picture within the page, or a sentence if the file does not exist. */
void fcps_html_picture(FILE *page, const char *path, const char *description);

/* The style of pages. */
extern const char fcps_page_style[]; /* CSS */

#endif
