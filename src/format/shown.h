/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that come from users, files and programs, as they may be shown on a terminal. Whatever could move the cursor,
 * colour, reorder or forge lines is made visible: \n, \t, \x1b for a byte, \u202e for a character. All else is shown as
 * it is. Files and JSON hold the exact text. */
#ifndef FCPS_FORMAT_SHOWN_H
#define FCPS_FORMAT_SHOWN_H

#include <stddef.h>
#include <stdio.h>

/* The text on one line: `text` itself where nothing has to be changed, otherwise in `room`, cut to `size` bytes. */
const char *fcps_shown_line(const char *text, size_t size, char *room);

/* Writes the text on one line. */
void fcps_shown_write(FILE *stream, const char *text);

/* Writes a text that may have several lines, such as what a program said: those after the first are indented, so that
 * none of them looks like a line of ours. */
void fcps_shown_write_lines(FILE *stream, const char *text);

#endif
