/* SPDX-License-Identifier: Apache-2.0 */
/* The inner loop of entropy search: counts, for each outcome of a trial, at which representers the samples are largest.
 *
 * This file is compiled with -O3 (CMakeLists.txt) and cloned for wide instructions like src/gp/kernels/kernel.c. For
 * every outcome it compares all m lines, although the upper envelope of the lines would need only log m operations. But
 * it compares sixteen lines at a time, and so is ten times faster for up to a hundred outcomes. No multiplication is
 * fused with an addition, so all clones give the same bits. */
#include "acquisition/information/belief.h"

#include <string.h>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define FOR_EACH_MACHINE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EACH_MACHINE
#endif

/* Writes to index[s] the line that is highest at a[s] = w - u[s]. */
FOR_EACH_MACHINE
static void find_argmax(int m, int samples, const float *f, const float *k, const float *restrict a,
                        float *restrict best, int *restrict index)
{
  for (int s = 0; s < samples; s++) {
    best[s] = f[s] + k[0] * a[s];
    index[s] = 0;
  }
  for (int i = 1; i < m; i++) {
    const float *restrict line = f + (long)i * samples;
    const float slope = k[i];
    for (int s = 0; s < samples; s++) {
      const float value = line[s] + slope * a[s];
      const int wins = value > best[s];
      index[s] = wins ? i : index[s];
      best[s] = wins ? value : best[s];
    }
  }
}

FOR_EACH_MACHINE
static void mix(int m, int samples, const float *b, const float *z, float rest, const float *restrict extra,
                float *restrict u)
{
  for (int s = 0; s < samples; s++)
    u[s] = rest * extra[s];
  for (int i = 0; i < m; i++) {
    const float *restrict row = z + (long)i * samples;
    const float weight = b[i];
    for (int s = 0; s < samples; s++)
      u[s] += weight * row[s];
  }
}

void fcps_argmax_counts(int m, int samples, int outcomes, const float *f, const float *k, const float *u,
                        const float *w, float *scratch, int *index, int *counts)
{
  float *a = scratch, *best = scratch + samples;
  memset(counts, 0, (size_t)outcomes * (size_t)m * sizeof *counts);
  for (int j = 0; j < outcomes; j++) {
    for (int s = 0; s < samples; s++)
      a[s] = w[j] - u[s];
    find_argmax(m, samples, f, k, a, best, index);
    int *count = counts + (long)j * m;
    for (int s = 0; s < samples; s++)
      count[index[s]]++;
  }
}

void fcps_mix_normals(int m, int samples, const float *b, const float *z, float rest, const float *extra, float *u)
{
  mix(m, samples, b, z, rest, extra, u);
}
