/* SPDX-License-Identifier: Apache-2.0 */
/* Max-value entropy search: the information of a trial about the largest reward, not about its place [wang2017]. Given
 * the maximum, the reward of a trial is a Gaussian truncated at the maximum, and the measurement is this reward plus
 * noise [takeno2020].
 *
 * Maxima come from the joint draws of the belief. Their distribution is divided into strata, and each stratum is
 * represented by its middle. */
#include "acquisition/information/gain.h"
#include "base/normal.h"

#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>

/* Writes the maxima to the gain state. */
static bool find_maxima(const fcps_belief_source *source, fcps_belief *belief)
{
  const fcps_belief_settings *settings = &source->builder->settings;
  const size_t samples = (size_t)settings->samples, strata = (size_t)settings->maxima;
  const size_t m = (size_t)belief->count;
  double *maxima = fcps_allocate(samples, sizeof(double));
  if (maxima == NULL) return false;
  for (size_t s = 0; s < samples; s++) {
    maxima[s] = belief->samples[s];
    for (size_t i = 1; i < m; i++)
      maxima[s] = fmax(maxima[s], belief->samples[i * samples + s]);
  }
  qsort(maxima, samples, sizeof *maxima, fcps_number_compare);
  for (size_t k = 0; k < strata; k++)
    maxima[k] = maxima[(2 * k + 1) * samples / (2 * strata)]; /* never reads a number that it has overwritten */
  belief->gain_state = maxima;
  return true;
}

/* No scratch is needed, but the contract reads NULL as a lack of memory. */
static void *create_scratch(const fcps_belief_builder *builder, int most)
{
  (void)builder, (void)most;
  return fcps_allocate(1, 1);
}

static void add_gains(const fcps_belief_builder *builder, const fcps_gp *gp, const fcps_belief *belief,
                      const fcps_candidates *trials, void *scratch, double *gains)
{
  (void)scratch;
  const int strata = builder->settings.maxima;
  const double *maxima = belief->gain_state, sn2 = fcps_gp_noise(gp);
  for (int t = 0; t < trials->count; t++) {
    const double q = trials->variance[t], v = q - sn2;
    for (int k = 0; k < strata; k++)
      gains[t] += fcps_truncated_normal_gain((maxima[k] - trials->mean[t]) / sqrt(v), v / q) / strata;
  }
}

static const fcps_gain gain = {.prepare = find_maxima, .scratch = create_scratch, .add = add_gains};

const fcps_acquisition fcps_acquisition_mes = FCPS_GAIN_ACQUISITION("mes", gain);
