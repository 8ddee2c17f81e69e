/* SPDX-License-Identifier: Apache-2.0 */
/* This file is compiled with -O3 -fno-math-errno (CMakeLists.txt): then gcc turns the loop over exp into calls of
 * glibc's vector exp (libmvec, error below 2 ulp), without -ffast-math. target_clones lets a portable binary pick the
 * widest instructions at run time. The loops stay plain under ThreadSanitizer, where a cloned function crashes at
 * start-up, and with clang, which does not know `simd`. The clones are static, with plain functions in front of them,
 * because gcc exports a cloned function and its resolver even if they are hidden.
 */
#include "gp/kernels/kernel.h"

#include <math.h>

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

void fcps_vexp(int count, double *x)
{
  int padded = count;
  while (padded % FCPS_VEXP_LANES != 0)
    x[padded++] = 0.0;
  exponentials(padded, x);
}

void fcps_squared_distances(int count, int dim, const double *points, int stride, const double *restrict x,
                            double *restrict s)
{
  squared_distances(count, dim, points, stride, x, s);
}
