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
  bool is_separable; /* phi of a sum of squares is the product of the terms' phi (query.h) */

  /* Computes phi, and h unless `slope` is NULL, at `count` squared distances. `value` may be `s` itself. Equal
   * distances must give equal bits at every place: factors that grow row by row rely on it. */
  void (*eval)(size_t count, const double *s, double *value, double *slope);

  /* Returns c at one squared distance. At distance 0, c is infinite if the process has no second derivative. */
  double (*curvature)(double s);
} fcps_kernel;

extern const fcps_kernel fcps_kernel_se;
extern const fcps_kernel fcps_kernel_matern32;
extern const fcps_kernel fcps_kernel_matern52;

/* fcps_kernel_at returns kernel number `index` of the list; NULL past its end. fcps_kernel_find returns the kernel with
 * this name; NULL if no kernel has it, or if `name` is NULL. */
const fcps_kernel *fcps_kernel_at(int index);
const fcps_kernel *fcps_kernel_find(const char *name);

/* Computes s[i] = sum_d (points[d*stride + i] - x[d])^2 for `count` points. Equal inputs give equal bits at every place
 * of the array. */
void fcps_squared_distances(int count, int dim, const double *points, int stride, const double *x, double *s);

/* -- Inputs that are words --
 *
 * The distance between two words is not a difference of numbers. So an input that is words has a table of squared
 * distances, which replace (x - x')^2 in the kernel and are divided by the same length-scale.
 *
 * Each word has an equal share of the unit interval. A value stands for the word whose share contains it. */

typedef struct fcps_table {
  int count;      /* the number of words; 0: the input is a number */
  double *square; /* count x count, symmetric; 0 between a word and itself */
} fcps_table;

/* The tables of the first `inputs` inputs; all others are numbers. */
typedef struct fcps_tables {
  int inputs;
  fcps_table *of;
} fcps_tables;

/* Makes a deep copy. Frees the former contents of `copy`, which must be zeroed before its first use. If this fails,
 * `copy` does not change. */
fcps_status fcps_tables_copy(const fcps_tables *tables, fcps_tables *copy);
void fcps_tables_free(fcps_tables *tables);

/* Gives input number `input`, which must exist, a table of `count` words, with all distances 0. If the input already
 * has a table of that size, nothing changes. */
fcps_status fcps_tables_add(fcps_tables *tables, int input, int count);

bool fcps_tables_has_words(const fcps_tables *tables, int input);

/* Returns the index of the word whose share of the unit interval contains x. */
int fcps_tables_word(const fcps_table *table, double x);

/* Returns the squared distance of two values of an input: (a - b)^2 for numbers; for words, the entry of the table. */
double fcps_tables_square(const fcps_tables *tables, int input, double a, double b);

#endif
