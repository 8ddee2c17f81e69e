/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that are words. How far two words are from each other is no difference of numbers: an input has a table of squared
 * distances, which takes the place of (x - x')^2 in the kernel (kernels/kernel.h) and shares its length-scale.
 *
 * A word is its place in the unit interval, of which each word has an equal share. */
#ifndef FCPS_GP_TABLES_H
#define FCPS_GP_TABLES_H

#include <fcps/base.h>

#include <stdbool.h>

typedef struct fcps_table {
  int count;      /* words; 0: the input is a number */
  double *square; /* count x count, symmetric, 0 for a word and itself */
} fcps_table;

/* Of the first `inputs` inputs; all others are numbers. */
typedef struct fcps_tables {
  int inputs;
  fcps_table *of;
} fcps_tables;

/* A deep copy; frees what `copy` had, which starts zeroed. On failure `copy` has not changed. */
fcps_status fcps_tables_copy(const fcps_tables *tables, fcps_tables *copy);
void fcps_tables_free(fcps_tables *tables);

/* Gives input `input`, which there must be, a table of `count` words with squares 0, unless it has one of that size. */
fcps_status fcps_tables_add(fcps_tables *tables, int input, int count);

bool fcps_tables_has_words(const fcps_tables *tables, int input);

/* The word at a place. */
int fcps_tables_word(const fcps_table *table, double x);

/* (a - b)^2 of numbers, or what the table says. */
double fcps_tables_square(const fcps_tables *tables, int input, double a, double b);

#endif
