/* SPDX-License-Identifier: Apache-2.0 */
/* Joint entropy search in the context of the ask: what a trial tells about where the best parameters are and how large
 * their reward is, together [hvarfner2022; tu2022].
 *
 * Each joint draw of the belief has a winner z with the value f*. Given both, the reward at a trial is the GP conditioned
 * on f(z) = f*,
 *   mean + c (f* - mu_z)/v_z,    v' = v - c^2/v_z,    c = cov(f(x), f(z)),
 * cut off at f*, and the gain is
 *   1/2 log(v + sn^2) - mean over draws of (1/2 log(v' + sn^2) - what the cut tells);
 * without the cut a draw would not know that f* is the maximum. */
#include "acquisition/gain.h"
#include "acquisition/truncation.h"

#include "base/memory.h"

#include <math.h>

enum { DRAWS = 32 };

typedef struct winner {
  int index;       /* representer */
  double distance; /* f* - mu_z */
  double value;    /* f* */
  double variance; /* v_z */
} winner;

typedef struct jes_scratch {
  winner winners[DRAWS];
  double slopes[]; /* representers x trials */
} jes_scratch;

static winner winner_of(const fcps_question *question, size_t sample)
{
  const fcps_belief *belief = &question->belief;
  const size_t samples = (size_t)question->entropy.settings.samples, m = (size_t)belief->count;
  size_t best = 0;
  for (size_t i = 1; i < m; i++)
    if (belief->samples[i * samples + sample] > belief->samples[best * samples + sample]) best = i;
  winner w = {.index = (int)best, .value = belief->samples[best * samples + sample]};
  w.distance = w.value - question->mu[best];
  for (size_t j = 0; j <= best; j++)
    w.variance += belief->factor[j * m + best] * belief->factor[j * m + best];
  return w;
}

static void *prepare(const fcps_question *question, int most)
{
  const size_t m = (size_t)question->belief.count;
  jes_scratch *scratch = fcps_allocate(1, sizeof *scratch + m * (size_t)most * sizeof(double));
  if (scratch == NULL) return NULL;
  for (int d = 0; d < DRAWS; d++)
    scratch->winners[d] = winner_of(question, (size_t)(d % question->entropy.settings.samples));
  return scratch;
}

/* What one draw tells about a trial with mean and variances v, v + sn^2, whose covariance with the winner is c. */
static double gain_of_winner(const winner *w, double mean, double c, double v, double q)
{
  const double left = fmax(v - c * c / w->variance, FCPS_VARIANCE_FLOOR), reading = left + (q - v);
  const double g = (w->value - mean - c * w->distance / w->variance) / sqrt(left);
  return 0.5 * log(q / reading) + fcps_truncation_gain(g, left / reading);
}

static void gains(const fcps_question *question, double *gains)
{
  jes_scratch *scratch = question->scratch;
  const fcps_gp *gp = question->model->gp;
  const size_t m = (size_t)question->belief.count;
  const double sn2 = fcps_gp_noise(gp);
  fcps_belief_slopes(gp, &question->belief, &question->trials, scratch->slopes);
  for (int t = 0; t < question->trials.count; t++) {
    const double q = question->trials.variance[t], *k = scratch->slopes + (size_t)t * m;
    gains[t] = 0.0;
    for (int d = 0; d < DRAWS; d++) {
      const winner *w = scratch->winners + d;
      gains[t] += gain_of_winner(w, question->mean[t], k[w->index] * sqrt(q), q - sn2, q) / DRAWS;
    }
  }
}

const fcps_gain fcps_gain_jes = {prepare, gains};

static fcps_status select_jes(const fcps_decision *decision, double *unit)
{
  return fcps_gain_select(decision, &fcps_gain_jes, unit);
}

const fcps_acquisition fcps_acquisition_jes = {"jes", true, select_jes, true};
