/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text, independent of the locale. All numbers in texts and files are read and written by these functions. A
 * number that was written reads back with the same bits. */
#ifndef FCPS_BASE_NUMBER_H
#define FCPS_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any number that fcps_number_write writes, in bytes. */
#define FCPS_NUMBER_SIZE 32

/* Reads a whole text as one number ("1.5", "-2e3", "nan", "inf"). Returns false if the text is not a number. */
bool fcps_number_read(const char *text, double *value);

/* Reads a whole text as one integer. Returns false if the text is not an integer, or one that does not fit. */
bool fcps_integer_read(const char *text, int64_t *value);

/* Compares the doubles behind two pointers, for qsort. */
int fcps_number_compare(const void *a, const void *b);

/* Writes the shortest decimal text that reads back as the same bits. Returns `text`. */
char *fcps_number_write(double value, char text[FCPS_NUMBER_SIZE]);

/* Writes a number for people: four significant digits but all digits before the point, and no zeros at the end, as in
 * "278.9", "12035", "0.00123", "1.2e-07". A zero has no sign. Returns `text`. */
char *fcps_number_show(double value, char text[FCPS_NUMBER_SIZE]);

/* -- Bytes as text -- */

/* Writes each byte as two digits 0-9a-f, and a 0 at the end. */
void fcps_hex_write(size_t count, const void *bytes, char *text);

/* Draws `count` random bytes and writes them like fcps_hex_write. Returns false if the system has no random numbers. */
bool fcps_hex_draw(size_t count, char *text);

/* Tells whether a text consists of exactly `digits` digits 0-9a-f. */
bool fcps_hex_is(const char *text, size_t digits);

/* Reads the percent-encoded byte, such as %20, with which a part of a web address begins. Returns -1 if the text does
 * not begin with a percent sign and two digits. */
int fcps_percent_read(const char *text);

#endif
