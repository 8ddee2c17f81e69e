/* SPDX-License-Identifier: Apache-2.0 */
/* HTML: texts and pictures inside a page that needs no other file. */
#ifndef FCPS_REPORT_PAGE_HTML_H
#define FCPS_REPORT_PAGE_HTML_H

#include <fcps/base.h>

#include <stdio.h>

/* Writes a text with the letters that mean something to HTML escaped. */
void fcps_html_text(FILE *page, const char *text);

/* Writes an SVG file as a picture within the page. A file that is not there leaves a sentence instead. */
void fcps_html_picture(FILE *page, const char *path, const char *description);

#endif
