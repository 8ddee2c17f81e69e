/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that come from outside: whether they are UTF-8, and how they may be written.
 *
 * Files hold the exact text. A text is changed only when it is shown, because only then is it known what could obey it:
 * a terminal or XML (this file), or a spreadsheet (csv_write.c). */
#ifndef FCPS_FORMAT_TEXT_H
#define FCPS_FORMAT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The number of bytes (1 to 4) of the well-formed character at the beginning of `text`; 0 if the bytes are not well
 * formed. `text` ends with a 0, which counts as a character of one byte. */
size_t fcps_utf8_length(const char *text);

/* Writes a text for XML and HTML. U+FFFD replaces what they do not allow: most control characters, and bytes that are
 * not UTF-8. Marks that change the direction of text are shown by their numbers, as in [U+202E]. `escape` (may be NULL)
 * may write a character in its own way and return true, or else return false. */
void fcps_utf8_write_xml(FILE *stream, const char *text, bool (*escape)(FILE *stream, char c));

/* -- Texts as they may be shown -- */

/* How texts from users, files and programs are shown on a terminal. All characters that could move the cursor, colour,
 * reorder or forge lines are made visible: \n, \t, \x1b for a byte, \u202e for a character. All others are
 * shown as they are. */

/* The text on one line. Returns `text` itself if nothing has to be changed; otherwise writes it to `room`, cut to
 * `size` bytes. */
const char *fcps_shown_line(const char *text, size_t size, char *room);

/* Writes the text on one line. */
void fcps_shown_write(FILE *stream, const char *text);

/* Writes a text that may have several lines, such as a message of another program. All lines but the first are
 * indented, so that no line looks like one of ours. */
void fcps_shown_write_lines(FILE *stream, const char *text);

#endif
