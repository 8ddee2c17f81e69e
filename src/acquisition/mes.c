/* SPDX-License-Identifier: Apache-2.0 */
/* Max-value entropy search in the context of the ask: what a trial tells about how large the best reward is, not about
 * where [wang2017]. Given the maximum, the reward of a trial is a Gaussian cut off there, its reading that with noise
 * [takeno2020].
 *
 * Maxima come from the joint draws of the belief: strata of their distribution, each by its middle. */
#include "acquisition/gain.h"
#include "acquisition/truncation.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { MAXIMA = 16 };

static int compare(const void *a, const void *b)
{
  const double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

/* The first MAXIMA numbers of the result are the maxima. */
static void *prepare(const fcps_question *question, int most)
{
  (void)most;
  const size_t samples = (size_t)question->entropy.settings.samples, m = (size_t)question->belief.count;
  double *maxima = fcps_allocate(samples > MAXIMA ? samples : MAXIMA, sizeof(double));
  if (maxima == NULL) return NULL;
  for (size_t s = 0; s < samples; s++) {
    maxima[s] = question->belief.samples[s];
    for (size_t i = 1; i < m; i++)
      maxima[s] = fmax(maxima[s], question->belief.samples[i * samples + s]);
  }
  qsort(maxima, samples, sizeof *maxima, compare);
  for (size_t k = 0; k < MAXIMA; k++)
    maxima[k] = maxima[(2 * k + 1) * samples / (2 * MAXIMA)]; // reads at or after what it writes
  return maxima;
}

static void gains(const fcps_question *question, double *gains)
{
  const fcps_gp *gp = question->model->gp;
  const double *maxima = question->scratch, sn2 = fcps_gp_noise(gp);
  for (int t = 0; t < question->trials.count; t++) {
    const double q = question->trials.variance[t], v = q - sn2;
    gains[t] = 0.0;
    for (int k = 0; k < MAXIMA; k++)
      gains[t] += fcps_truncation_gain((maxima[k] - question->mean[t]) / sqrt(v), v / q) / MAXIMA;
  }
}

const fcps_gain fcps_gain_mes = {prepare, gains};

static fcps_status select_mes(const fcps_decision *decision, double *unit)
{
  return fcps_gain_select(decision, &fcps_gain_mes, unit);
}

const fcps_acquisition fcps_acquisition_mes = {"mes", true, select_mes, true};
