/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels, the list of all of them, and the distances between words.
 *
 * This file is compiled with -O3 -fno-math-errno (CMakeLists.txt): then gcc turns the loop over exp into calls of
 * glibc's vector exp (libmvec, error below 2 ulp), without -ffast-math. target_clones lets a portable binary choose the
 * widest instructions at run time. The loops stay plain under ThreadSanitizer, where a cloned function crashes at
 * start-up, and with clang, which does not know `simd`. The clones are static, with plain functions that call them,
 * because gcc exports a cloned function and its resolver even if they are hidden. */
#include "gp/kernels/kernel.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Exponentials and squared distances -- */

/* Kernels take exponentials in blocks of this size. The vector exp takes LANES numbers at once. */
enum { BLOCK = 256, LANES = 8 };

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define FOR_EACH_MACHINE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
__attribute__((simd("notinbranch"))) extern double exp(double);
#else
#define FOR_EACH_MACHINE
#endif

FOR_EACH_MACHINE
static void exponentials(int count, double *x)
{
  for (int i = 0; i < count; i++)
    x[i] = exp(x[i]);
}

FOR_EACH_MACHINE
static void squared_distances(int count, int dim, const double *points, int stride, const double *restrict x,
                              double *restrict s)
{
  for (int i = 0; i < count; i++)
    s[i] = 0.0;
  for (int d = 0; d < dim; d++) {
    const double *restrict p = points + (long)d * stride;
    const double xd = x[d];
    for (int i = 0; i < count; i++) {
      const double t = p[i] - xd;
      s[i] += t * t;
    }
  }
}

/* Replaces x[i] by exp(x[i]) for `count` numbers. The buffer must have room up to the next multiple of LANES: the rest
 * is padded, so that every value is computed with vector instructions. */
static void take_exponentials(int count, double *x)
{
  int padded = count;
  while (padded % LANES != 0)
    x[padded++] = 0.0;
  exponentials(padded, x);
}

void fcps_squared_distances(int count, int dim, const double *points, int stride, const double *restrict x,
                            double *restrict s)
{
  squared_distances(count, dim, points, stride, x, s);
}

/* -- Kernels -- */

/* Squared exponential: phi(s) = exp(-s/2), h(s) = c(s) = phi(s) [rasmussen2006, Eq. 4.9]. */
static void eval_se(size_t count, const double *s, double *value, double *slope)
{
  double e[BLOCK];
  for (size_t start = 0; start < count; start += BLOCK) {
    const int block = count - start < BLOCK ? (int)(count - start) : BLOCK;
    for (int i = 0; i < block; i++)
      e[i] = -0.5 * s[start + (size_t)i];
    take_exponentials(block, e);
    for (int i = 0; i < block; i++)
      value[start + (size_t)i] = e[i];
    if (slope != NULL)
      for (int i = 0; i < block; i++)
        slope[start + (size_t)i] = e[i];
  }
}

static double curvature_se(double s)
{
  return exp(-0.5 * s);
}

const fcps_kernel fcps_kernel_se = {.name = "se", .is_separable = true, .eval = eval_se, .curvature = curvature_se};

/* The Matern kernels [rasmussen2006, Eq. 4.17]:
 *   3/2: with a = sqrt(3 s), phi = (1 + a) exp(-a), h = 3 exp(-a), c = 9 exp(-a)/a;
 *   5/2: with a = sqrt(5 s), phi = (1 + a + a^2/3) exp(-a), h = 5/3 (1 + a) exp(-a), c = 25/3 exp(-a). */

/* Fills a block of at most BLOCK numbers with a = root sqrt(s) and e = exp(-a). Returns how many numbers it has. */
static int begin_block(size_t left, const double *s, double root, double *a, double *e)
{
  const int block = left < BLOCK ? (int)left : BLOCK;
  for (int i = 0; i < block; i++)
    a[i] = root * sqrt(s[i]);
  for (int i = 0; i < block; i++)
    e[i] = -a[i];
  take_exponentials(block, e);
  return block;
}

static void eval_32(size_t count, const double *s, double *value, double *slope)
{
  const double root3 = 1.7320508075688772;
  double a[BLOCK], e[BLOCK];
  for (size_t start = 0; start < count; start += BLOCK) {
    const int block = begin_block(count - start, s + start, root3, a, e);
    for (int i = 0; i < block; i++)
      value[start + (size_t)i] = (1.0 + a[i]) * e[i];
    for (int i = 0; slope != NULL && i < block; i++)
      slope[start + (size_t)i] = 3.0 * e[i];
  }
}

static double curvature_32(double s)
{
  const double a = sqrt(3.0 * s);
  return a > 0.0 ? 9.0 * exp(-a) / a : INFINITY;
}

const fcps_kernel fcps_kernel_matern32 = {.name = "matern32", .eval = eval_32, .curvature = curvature_32};

static void eval_52(size_t count, const double *s, double *value, double *slope)
{
  const double root5 = 2.2360679774997898;
  double a[BLOCK], e[BLOCK];
  for (size_t start = 0; start < count; start += BLOCK) {
    const int block = begin_block(count - start, s + start, root5, a, e);
    for (int i = 0; i < block; i++)
      value[start + (size_t)i] = (1.0 + a[i] + a[i] * a[i] / 3.0) * e[i];
    for (int i = 0; slope != NULL && i < block; i++)
      slope[start + (size_t)i] = 5.0 / 3.0 * (1.0 + a[i]) * e[i];
  }
}

static double curvature_52(double s)
{
  return 25.0 / 3.0 * exp(-sqrt(5.0 * s));
}

const fcps_kernel fcps_kernel_matern52 = {.name = "matern52", .eval = eval_52, .curvature = curvature_52};

/* The list of all kernels, in the order in which settings list them. The order may change. The meaning of a name may
 * not, because saved models name their kernel. */
static const fcps_kernel *const kernels[] = {
    &fcps_kernel_se,
    &fcps_kernel_matern32,
    &fcps_kernel_matern52,
};

const fcps_kernel *fcps_kernel_at(int index)
{
  const int count = (int)(sizeof kernels / sizeof *kernels);
  return index >= 0 && index < count ? kernels[index] : NULL;
}

const fcps_kernel *fcps_kernel_find(const char *name)
{
  for (int i = 0; fcps_kernel_at(i) != NULL; i++)
    if (name != NULL && strcmp(fcps_kernel_at(i)->name, name) == 0) return fcps_kernel_at(i);
  return NULL;
}

/* -- Distances between words -- */

void fcps_tables_free(fcps_tables *tables)
{
  for (int i = 0; i < tables->inputs; i++)
    free(tables->of[i].square);
  free(tables->of);
  *tables = (fcps_tables){0};
}

fcps_status fcps_tables_add(fcps_tables *tables, int input, int count)
{
  fcps_table *table = tables->of + input;
  if (table->count == count) return FCPS_OK;
  double *square = fcps_allocate((size_t)count * (size_t)count, sizeof *square);
  if (square == NULL) return FCPS_ERR_MEMORY;
  free(table->square);
  *table = (fcps_table){.count = count, .square = square};
  return FCPS_OK;
}

fcps_status fcps_tables_copy(const fcps_tables *tables, fcps_tables *copy)
{
  fcps_tables made = {.inputs = tables->inputs, .of = NULL};
  if (tables->inputs > 0) made.of = fcps_allocate((size_t)tables->inputs, sizeof *made.of);
  fcps_status status = tables->inputs == 0 || made.of != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status != FCPS_OK) return status;
  for (int i = 0; i < tables->inputs && status == FCPS_OK; i++) {
    const fcps_table *from = tables->of + i;
    const size_t count = (size_t)from->count;
    if (count == 0) continue;
    status = fcps_tables_add(&made, i, from->count);
    if (status == FCPS_OK) memcpy(made.of[i].square, from->square, count * count * sizeof(double));
  }
  if (status != FCPS_OK) {
    fcps_tables_free(&made);
    return status;
  }
  fcps_tables_free(copy);
  *copy = made;
  return FCPS_OK;
}

bool fcps_tables_has_words(const fcps_tables *tables, int input)
{
  return input < tables->inputs && tables->of[input].count > 0;
}

int fcps_tables_word(const fcps_table *table, double x)
{
  const double place = x * table->count;
  if (!(place > 0.0)) return 0;
  return place < table->count ? (int)place : table->count - 1;
}

double fcps_tables_square(const fcps_tables *tables, int input, double a, double b)
{
  if (!fcps_tables_has_words(tables, input)) return (a - b) * (a - b);
  const fcps_table *table = tables->of + input;
  return table->square[fcps_tables_word(table, a) * table->count + fcps_tables_word(table, b)];
}
