/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that are words. The distance of two words is not a difference of numbers: such an input has a table of squared
 * distances, which replace (x - x')^2 in the kernel (kernels/kernel.h) and are divided by the same length-scale.
 *
 * The value of a word is its place in the unit interval, of which each word has an equal share. */
#ifndef FCPS_GP_TABLES_H
#define FCPS_GP_TABLES_H

#include <fcps/base.h>

#include <stdbool.h>

typedef struct fcps_table {
  int count;      /* the number of words; 0: the input is a number */
  double *square; /* count x count, symmetric, 0 for a word and itself */
} fcps_table;

/* The tables of the first `inputs` inputs; all others are numbers. */
typedef struct fcps_tables {
  int inputs;
  fcps_table *of;
} fcps_tables;

/* Makes a deep copy. Frees the previous contents of `copy`, which must be zeroed at first. If it fails, `copy` does not
 * change. */
fcps_status fcps_tables_copy(const fcps_tables *tables, fcps_tables *copy);
void fcps_tables_free(fcps_tables *tables);

/* Gives input `input`, which must exist, a table of `count` words with all distances 0, unless it has a table of that
 * size. */
fcps_status fcps_tables_add(fcps_tables *tables, int input, int count);

bool fcps_tables_has_words(const fcps_tables *tables, int input);

/* The index of the word at a place of the unit interval. */
int fcps_tables_word(const fcps_table *table, double x);

/* The squared distance of two values of an input: (a - b)^2 of numbers, or from the table. */
double fcps_tables_square(const fcps_tables *tables, int input, double a, double b);

#endif
