/* SPDX-License-Identifier: Apache-2.0 */
/* The loop that entropy search spends its time in, vectorized for the machine at hand. */
#ifndef FCPS_ACQUISITION_INFORMATION_ARGMAX_COUNTS_H
#define FCPS_ACQUISITION_INFORMATION_ARGMAX_COUNTS_H

/* counts[j*m + i] := how many of `samples` samples s have their largest value at i, in the outcome w[j], where
 *   value_i(s) = f[i*samples + s] + k[i] (w[j] - u[s]),   i < m,  j < outcomes;
 * the first of equal values wins. `scratch` holds 2*samples numbers, `index` samples of them. */
void fcps_argmax_counts(int m, int samples, int outcomes, const float *f, const float *k, const float *u,
                        const float *w, float *scratch, int *index, int *counts);

/* u[s] := sum_i b[i] z[i*samples + s] + rest extra[s]. */
void fcps_mix_normals(int m, int samples, const float *b, const float *z, float rest, const float *extra, float *u);

#endif
