/* SPDX-License-Identifier: Apache-2.0 */
/* Joint entropy search: what a trial tells about where the best parameters are and how large
 * their reward is, together [hvarfner2022; tu2022].
 *
 * Each joint draw of the belief has a winner z with the value f*. Given both, the reward at a trial is the GP
 * conditioned on f(z) = f*,
 *   mean + c (f* - mu_z)/v_z,    v' = v - c^2/v_z,    c = cov(f(x), f(z)),
 * cut off at f*, and the gain is
 *   1/2 log(v + sn^2) - mean over draws of (1/2 log(v' + sn^2) - what the cut tells);
 * without the cut a draw would not know that f* is the maximum. */
#include "acquisition/information/gain.h"
#include "acquisition/information/truncated_normal.h"

#include "base/memory.h"

#include <math.h>

typedef struct winner {
  int index;       /* representer */
  double distance; /* f* - mu_z */
  double value;    /* f* */
  double variance; /* v_z */
} winner;

static winner winner_of(const fcps_belief_builder *entropy, const fcps_belief *belief, size_t sample)
{
  const size_t samples = (size_t)entropy->settings.samples, m = (size_t)belief->count;
  size_t best = 0;
  for (size_t i = 1; i < m; i++)
    if (belief->samples[i * samples + sample] > belief->samples[best * samples + sample]) best = i;
  winner w = {.index = (int)best, .value = belief->samples[best * samples + sample]};
  w.distance = w.value - belief->mean[best];
  for (size_t j = 0; j <= best; j++)
    w.variance += belief->factor[j * m + best] * belief->factor[j * m + best];
  return w;
}

/* The notes are the winners. */
static bool find_winners(const fcps_belief_builder *entropy, fcps_belief *belief)
{
  winner *winners = fcps_allocate((size_t)entropy->settings.winners, sizeof *winners);
  for (int d = 0; d < entropy->settings.winners && winners != NULL; d++)
    winners[d] = winner_of(entropy, belief, (size_t)d);
  belief->notes = winners;
  return winners != NULL;
}

/* Slopes: representers x trials. */
static void *create_scratch(const fcps_belief_builder *entropy, int most)
{
  return fcps_allocate((size_t)entropy->settings.representers * (size_t)most, sizeof(double));
}

/* What one draw tells about a trial with mean and variances v, v + sn^2, whose covariance with the winner is c. */
static double gain_of_winner(const winner *w, double mean, double c, double v, double q)
{
  const double left = fmax(v - c * c / w->variance, FCPS_VARIANCE_FLOOR), reading = left + (q - v);
  const double g = (w->value - mean - c * w->distance / w->variance) / sqrt(left);
  return 0.5 * log(q / reading) + fcps_truncated_normal_gain(g, left / reading);
}

static void add_gains(const fcps_belief_builder *entropy, const fcps_gp *gp, const fcps_belief *belief,
                      const fcps_candidates *trials, void *scratch, double *gains)
{
  double *slopes = scratch;
  const winner *winners = belief->notes;
  const int draws = entropy->settings.winners;
  const double sn2 = fcps_gp_noise(gp);
  fcps_belief_slopes(gp, belief, trials, slopes);
  for (int t = 0; t < trials->count; t++) {
    const double q = trials->variance[t], *k = slopes + (size_t)t * (size_t)belief->count;
    for (int d = 0; d < draws; d++)
      gains[t] += gain_of_winner(winners + d, trials->mean[t], k[winners[d].index] * sqrt(q), q - sn2, q) / draws;
  }
}

const fcps_gain fcps_gain_jes = {.study = find_winners, .scratch = create_scratch, .add = add_gains};

const fcps_acquisition fcps_acquisition_jes = {.name = "jes",
                                               .needs_model = true,
                                               .select = fcps_gain_select,
                                               .select_context = fcps_contextual_gain_select,
                                               .gain = &fcps_gain_jes,
                                               .outputs = FCPS_OUTPUTS_REWARDS};
