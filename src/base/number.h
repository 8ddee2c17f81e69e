/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text, independent of the locale. */
#ifndef FCPS_BASE_NUMBER_H
#define FCPS_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any number that fcps_number_write writes. */
#define FCPS_NUMBER_SIZE 32

/* Reads a whole text as one number ("1.5", "-2e3", "nan", "inf"); false when it is not one. */
bool fcps_number_read(const char *text, double *value);

/* Reads a whole text as one integer; false when it is not one or does not fit. */
bool fcps_integer_read(const char *text, int64_t *value);

/* The order of two doubles behind the pointers, for qsort. */
int fcps_number_compare(const void *a, const void *b);

/* Writes the shortest decimal text that reads back as the same bits. Returns `text`. */
char *fcps_number_write(double value, char text[FCPS_NUMBER_SIZE]);

#endif
