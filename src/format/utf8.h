/* SPDX-License-Identifier: Apache-2.0 */
/* UTF-8: the check of texts that come from outside. */
#ifndef FCPS_FORMAT_UTF8_H
#define FCPS_FORMAT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The number of bytes (1 to 4) of the well-formed character at the beginning of `text`; 0 when there is none. `text`
 * ends with a 0, which counts as a character of one byte. */
size_t fcps_utf8_length(const char *text);

/* The character at the beginning of `text` and its number of bytes. A byte that begins no well-formed character counts as
 * U+FFFD, the replacement character, of one byte. */
uint32_t fcps_utf8_decode(const char *text, size_t *length);

/* Writes a text with U+FFFD in the place of what XML and HTML do not allow: most control characters, and bytes that are
 * not UTF-8; marks that change the direction of text are shown by their numbers, [U+202E]. `escape` (may be NULL) writes a character of its own way and returns true, or returns false. */
void fcps_utf8_write_xml(FILE *stream, const char *text, bool (*escape)(FILE *stream, char c));

#endif
