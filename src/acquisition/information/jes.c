/* SPDX-License-Identifier: Apache-2.0 */
/* Joint entropy search: the information of a trial about the place of the maximum and its reward together
 * [hvarfner2022; tu2022].
 *
 * Each joint draw of the belief has an optimal pair: the representer z at which it is largest, and its value f* there.
 * Given both, the reward at a trial is the GP conditioned on f(z) = f*,
 *   mean + c (f* - mu_z)/v_z,    v' = v - c^2/v_z,    c = cov(f(x), f(z)),
 * truncated at f*. The gain is
 *   1/2 log(v + sn^2) - mean over draws of (1/2 log(v' + sn^2) - the information of the truncation).
 * The truncation expresses that f* is the maximum. */
#include "acquisition/information/gain.h"
#include "base/normal.h"

#include "base/memory.h"

#include <math.h>

typedef struct optimal_pair {
  int index;       /* index of the representer z */
  double distance; /* f* - mu_z */
  double value;    /* f* */
  double variance; /* v_z */
} optimal_pair;

static optimal_pair optimal_pair_of(const fcps_belief_builder *builder, const fcps_belief *belief, int sample)
{
  const size_t samples = (size_t)builder->settings.samples, m = (size_t)belief->count;
  const size_t best = (size_t)fcps_belief_best(builder, belief, sample);
  optimal_pair pair = {.index = (int)best, .value = belief->samples[best * samples + (size_t)sample]};
  pair.distance = pair.value - belief->mean[best];
  for (size_t j = 0; j <= best; j++)
    pair.variance += belief->factor[j * m + best] * belief->factor[j * m + best];
  return pair;
}

/* Writes the optimal pairs to the gain state. */
static bool find_optimal_pairs(const fcps_belief_source *source, fcps_belief *belief)
{
  const int draws = source->builder->settings.optimal_pairs;
  optimal_pair *pairs = fcps_allocate((size_t)draws, sizeof *pairs);
  for (int d = 0; d < draws && pairs != NULL; d++)
    pairs[d] = optimal_pair_of(source->builder, belief, d);
  belief->gain_state = pairs;
  return pairs != NULL;
}

/* The scratch has room for slopes: representers x trials. */
static void *create_scratch(const fcps_belief_builder *builder, int most)
{
  return fcps_allocate((size_t)builder->settings.representers * (size_t)most, sizeof(double));
}

/* Returns the information of one draw about a trial with this mean, the variances v and q = v + sn^2, and the
 * covariance c with z.
 */
static double gain_of_pair(const optimal_pair *pair, double mean, double c, double v, double q)
{
  const double left = fmax(v - c * c / pair->variance, FCPS_VARIANCE_FLOOR), reading = left + (q - v);
  const double g = (pair->value - mean - c * pair->distance / pair->variance) / sqrt(left);
  return 0.5 * log(q / reading) + fcps_truncated_normal_gain(g, left / reading);
}

static void add_gains(const fcps_belief_builder *builder, const fcps_gp *gp, const fcps_belief *belief,
                      const fcps_candidates *trials, void *scratch, double *gains)
{
  double *slopes = scratch;
  const optimal_pair *pairs = belief->gain_state;
  const int draws = builder->settings.optimal_pairs;
  const double sn2 = fcps_gp_noise(gp);
  fcps_belief_slopes(gp, belief, trials, slopes);
  for (int t = 0; t < trials->count; t++) {
    const double q = trials->variance[t], *k = slopes + (size_t)t * (size_t)belief->count;
    for (int d = 0; d < draws; d++)
      gains[t] += gain_of_pair(pairs + d, trials->mean[t], k[pairs[d].index] * sqrt(q), q - sn2, q) / draws;
  }
}

static const fcps_gain gain = {.prepare = find_optimal_pairs, .scratch = create_scratch, .add = add_gains};

const fcps_acquisition fcps_acquisition_jes = FCPS_GAIN_ACQUISITION("jes", gain);
