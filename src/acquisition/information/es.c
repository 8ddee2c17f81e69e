/* SPDX-License-Identifier: Apache-2.0 */
/* Entropy search: how much a trial is expected to tell about the place of the best parameters [hennig2012; pinsler2019,
 * Sec. V-A].
 *
 * p_i is the probability that representer i of m has the largest reward. A trial at x with outcome y changes it. The
 * gain is the expected loss of entropy, in nats,
 *   G(x) = H[p] - E_y H[p | x, y].
 * With S = Lz Lz', samples f_s = mu + Lz z_s, b = Lz^-1 k (so |b| <= 1) and u_s = b' z_s + sqrt(1 - |b|^2) zeta_s,
 *   f_s + k (w - u_s)
 * is an exact sample of the posterior after the outcome w. So no trial x and no outcome w needs a new factorization.
 * Each sample votes for its largest component, and G follows from the votes (belief.h).
 *
 * Symbols: Lz = belief->factor, f_s = belief->samples, z_s and zeta_s = builder->z and extra, k and b as named.
 */
#include "acquisition/information/gain.h"

#include "acquisition/information/belief.h"
#include "base/memory.h"
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

/* Scratch memory, in one allocation. */
typedef struct es_scratch {
  double *k, *b; /* m x trials */
  float *slopes, *mixed, *u, *values;
  int *index, *counts;
} es_scratch;

static void *create_scratch(const fcps_belief_builder *builder, int most)
{
  const fcps_belief_settings *s = &builder->settings;
  const size_t m = (size_t)s->representers, block = m * (size_t)most, samples = (size_t)s->samples;
  const size_t doubles = 2 * block, floats = 2 * m + 3 * samples, ints = samples + m * (size_t)s->outcomes;
  es_scratch *scratch =
      fcps_allocate(1, sizeof *scratch + doubles * sizeof(double) + floats * sizeof(float) + ints * sizeof(int));
  if (scratch == NULL) return NULL;
  scratch->k = (double *)(scratch + 1);
  scratch->b = scratch->k + block;
  scratch->slopes = (float *)(scratch->b + block);
  scratch->mixed = scratch->slopes + m;
  scratch->u = scratch->mixed + m;
  scratch->values = scratch->u + samples;
  scratch->index = (int *)(scratch->values + 2 * samples);
  scratch->counts = scratch->index + samples;
  return scratch;
}

static void add_gains(const fcps_belief_builder *builder, const fcps_gp *gp, const fcps_belief *belief,
                      const fcps_candidates *trials, void *scratch, double *gains)
{
  const es_scratch *g = scratch;
  const int m = belief->count, samples = builder->settings.samples;
  const size_t numbers = (size_t)m * (size_t)trials->count;

  /* b = Lz^-1 k for all trials */
  fcps_belief_slopes(gp, belief, trials, g->k);
  memcpy(g->b, g->k, numbers * sizeof(double));
  fcps_chol_solve_lower(m, belief->factor, m, trials->count, g->b, m);

  for (int i = 0; i < trials->count; i++) {
    const double *k = g->k + (size_t)i * (size_t)m, *b = g->b + (size_t)i * (size_t)m;
    for (int r = 0; r < m; r++) {
      g->slopes[r] = (float)k[r];
      g->mixed[r] = (float)b[r];
    }
    const double rest = sqrt(fmax(0.0, 1.0 - fcps_dot(m, b, b))); /* rounding may bring |b| above 1 */
    fcps_mix_normals(m, samples, g->mixed, builder->z, (float)rest, builder->extra, g->u);
    fcps_argmax_counts(m, samples, builder->settings.outcomes, belief->samples, g->slopes, g->u, builder->outcomes,
                       g->values, g->index, g->counts);
    gains[i] += fcps_vote_entropy_gain(builder->settings.outcomes, samples, m, g->counts, builder->count_logs);
  }
}

static const fcps_gain gain = {.scratch = create_scratch, .add = add_gains};

const fcps_acquisition fcps_acquisition_es = FCPS_GAIN_ACQUISITION("es", gain);
