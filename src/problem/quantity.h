/* SPDX-License-Identifier: Apache-2.0 */
/* Units as people write them: "mm", "N/mm2", "degC", "kilopascals". The usual quantities of a workshop or laboratory
 * are known. Any other word is accepted without a message, but not treated as a unit. */
#ifndef FCPS_PROBLEM_QUANTITY_H
#define FCPS_PROBLEM_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>

enum { FCPS_QUANTITY_BASES = 6 };

/* A number x in a unit is factor*x + shift in the basic unit of its kind. Units of one kind have the same exponents of
 * metre, kilogram, second, kelvin, radian and ampere. */
typedef struct fcps_quantity {
  double factor, shift;
  int exponents[FCPS_QUANTITY_BASES];
} fcps_quantity;

/* Reads the unit in a text, which may be NULL; false: the unit is not known. */
bool fcps_quantity_read(fcps_quantity *quantity, const char *text);

/* Whether two texts mean one unit: they are compared as quantities or, if one is not known, as words. */
bool fcps_quantity_is_same(const char *a, const char *b);

/* Whether both are of one kind, such as lengths. */
bool fcps_quantity_is_of_kind(const fcps_quantity *a, const fcps_quantity *b);

/* Whether both are of one kind, but a number means different amounts in them. */
bool fcps_quantity_differs(const fcps_quantity *a, const fcps_quantity *b);

/* Names the unit in which numbers are *factor times as large as in the unit `right`, within 5 %: "mm" for m and 1000.
 * *factor becomes exact. false: no such unit is known. */
bool fcps_quantity_name_ratio(const char *right, double *factor, size_t size, char *name);

#endif
