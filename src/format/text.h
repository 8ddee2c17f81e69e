/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that come from outside: whether they are UTF-8, and how they may be written.
 *
 * Texts are exact in files and are changed only where they are shown, because only the place that shows a text
 * knows what could obey it: a terminal and XML (here) or a spreadsheet (csv_write.c). */
#ifndef FCPS_FORMAT_TEXT_H
#define FCPS_FORMAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The number of bytes (1 to 4) of the well-formed character at the beginning of `text`; 0 when there is none. `text`
 * ends with a 0, which counts as a character of one byte. */
size_t fcps_utf8_length(const char *text);

/* Writes a text with U+FFFD in the place of what XML and HTML do not allow: most control characters, and bytes that are
 * not UTF-8; marks that change the direction of text are shown by their numbers, [U+202E]. `escape` (may be NULL) writes
 * a character of its own way and returns true, or returns false. */
void fcps_utf8_write_xml(FILE *stream, const char *text, bool (*escape)(FILE *stream, char c));

/* -- Texts as they may be shown -- */

/* Texts that come from users, files and programs, as they may be shown on a terminal. Whatever could move the cursor,
 * colour, reorder or forge lines is made visible: \n, \t, \x1b for a byte, \u202e for a character. All else is shown as
 * it is. Files and JSON hold the exact text. */

/* The text on one line: `text` itself if nothing has to be changed, otherwise in `room`, cut to `size` bytes. */
const char *fcps_shown_line(const char *text, size_t size, char *room);

/* Writes the text on one line. */
void fcps_shown_write(FILE *stream, const char *text);

/* Writes a text that may have several lines, such as what a program said: those after the first are indented, so that
 * none of them looks like a line of ours. */
void fcps_shown_write_lines(FILE *stream, const char *text);

#endif
