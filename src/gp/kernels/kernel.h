/* SPDX-License-Identifier: Apache-2.0 */
/* Covariance functions: k(x, x') = sf^2 phi(s),  s = sum_d (x_d - x'_d)^2 / l_d^2.
 *
 * A kernel has its radial function phi and a slope h(s) = -2 dphi/ds, which gives every first derivative:
 *   dk/dx_d      = -sf^2 h(s) (x_d - x'_d)/l_d^2
 *   dk/dlog l_d  =  sf^2 h(s) (x_d - x'_d)^2/l_d^2
 * Second derivatives also need its curvature c(s) = 4 d^2phi/ds^2 (derivatives.h). */
#ifndef FCPS_GP_KERNELS_KERNEL_H
#define FCPS_GP_KERNELS_KERNEL_H

#include <fcps/base.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct fcps_kernel {
  const char *name;
  bool is_separable; /* phi of a sum of squares is the product of phi of its terms (query.h) */

  /* Computes phi and (if `slope` is not NULL) h at `count` squared distances. `value` may be `s` itself. Equal
   * distances must give equal bits at every place: factors that grow row by row rely on it. */
  void (*eval)(size_t count, const double *s, double *value, double *slope);

  /* Returns c at one squared distance. If the process has no second derivative, c is infinite at distance 0. */
  double (*curvature)(double s);
} fcps_kernel;

extern const fcps_kernel fcps_kernel_se;
extern const fcps_kernel fcps_kernel_matern32;
extern const fcps_kernel fcps_kernel_matern52;

/* The first function returns the kernel at a place of the list, NULL past its end. The second returns the kernel with
 * this name; NULL if no kernel has it, or if `name` is NULL. */
const fcps_kernel *fcps_kernel_at(int index);
const fcps_kernel *fcps_kernel_find(const char *name);

/* s[i] := sum_d (points[d*stride + i] - x[d])^2 for `count` points in structure-of-arrays layout. Equal inputs give equal
 * bits at every place of the array. */
void fcps_squared_distances(int count, int dim, const double *points, int stride, const double *x, double *s);

/* -- Inputs that are words --
 *
 * The distance of two words is not a difference of numbers: such an input has a table of squared distances, which
 * replace (x - x')^2 in the kernel and are divided by the same length-scale.
 *
 * The value of a word is its place in the unit interval, of which each word has an equal share. */

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

/* Returns the index of the word whose share of the unit interval contains x. */
int fcps_tables_word(const fcps_table *table, double x);

/* Returns the squared distance of two values of an input: (a - b)^2 for numbers; for words, the entry of the table. */
double fcps_tables_square(const fcps_tables *tables, int input, double a, double b);

#endif
