/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text, independent of the locale. All numbers in texts and files are read and written here, and a number
 * that was written reads back with the same bits. */
#ifndef FCPS_BASE_NUMBER_H
#define FCPS_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that hold any number that fcps_number_write writes. */
#define FCPS_NUMBER_SIZE 32

/* Reads a whole text as one number ("1.5", "-2e3", "nan", "inf"); false when the text is not one. */
bool fcps_number_read(const char *text, double *value);

/* Reads a whole text as one integer; false when the text is not one, or the integer does not fit. */
bool fcps_integer_read(const char *text, int64_t *value);

/* Compares the doubles behind two pointers, for qsort. */
int fcps_number_compare(const void *a, const void *b);

/* Writes the shortest decimal text that reads back as the same bits. Returns `text`. */
char *fcps_number_write(double value, char text[FCPS_NUMBER_SIZE]);

/* Writes a number for people: four significant digits, all digits before the point, no zeros at the end; "278.9", "12035",
 * "0.00123", "1.2e-07". A zero has no sign. Returns `text`. */
char *fcps_number_show(double value, char text[FCPS_NUMBER_SIZE]);

/* -- Bytes as text -- */

/* Writes bytes as two digits 0-9a-f each, and the end of the text. */
void fcps_hex_write(size_t count, const void *bytes, char *text);

/* Draws random bytes and writes them so. Returns false if the system has no random numbers. */
bool fcps_hex_draw(size_t count, char *text);

/* Tells whether a text is `digits` digits 0-9a-f. */
bool fcps_hex_is(const char *text, size_t digits);

/* The byte that a text begins with in an address, as %20; -1 if a percent sign and two digits do not stand there. */
int fcps_percent_read(const char *text);

#endif
