/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers and gains of entropy search.
 *
 * With S = Lz Lz', samples f_s = mu + Lz z_s, b = Lz^-1 k (so |b| <= 1) and u_s = b' z_s + sqrt(1 - |b|^2) zeta_s,
 *   f_s + k (w - u_s)
 * is an exact sample of the posterior after the outcome w: no new factorization for any x or w. Each sample votes for
 * its largest component, and with N_ji votes for representer i in outcome j of J,
 *   G = H(mean_j p_j) - mean_j H(p_j) = log J + (sum_ji N_ji log N_ji - sum_i N_i log N_i)/(J S),  N_i = sum_j N_ji:
 * both terms from the same samples, never negative.
 */
#include "acquisition/entropy.h"

#include "acquisition/winners.h"
#include "base/memory.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rollouts whose parameters are in the pool. */
enum { POOL_ROLLOUTS = 40 };

/* Inverse of the standard normal distribution function by bisection: a handful of values, once. */
static double normal_quantile(double p)
{
  double low = -10.0, high = 10.0;
  for (int i = 0; i < 80; i++) {
    const double middle = 0.5 * (low + high);
    if (0.5 * erfc(-middle / sqrt(2.0)) < p)
      low = middle;
    else
      high = middle;
  }
  return 0.5 * (low + high);
}

static void fill_pool(fcps_entropy *e, const fcps_model *model, fcps_rng rng)
{
  const int rows = model->evidence.count;
  int made = 0;
  for (int i = rows - 1; i >= 0 && made < POOL_ROLLOUTS && made < e->settings.pool / 4; i--, made++)
    fcps_space_to_unit(&model->problem->parameters, fcps_rollouts_parameters(&model->evidence, i),
                       e->pool + (size_t)made * (size_t)e->n);
  fcps_points_uniform(&rng, e->n, e->settings.pool - made, e->pool + (size_t)made * (size_t)e->n);
}

/* The numbers that stay the same for a whole run. */
static void fill_numbers(fcps_entropy *e, uint64_t seed)
{
  const fcps_entropy_settings *s = &e->settings;
  fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_SAMPLE, 0);
  fcps_rng_normals(&rng, s->representers * s->samples, e->normals);
  for (int i = 0; i < s->samples; i++)
    for (int r = 0; r < s->representers; r++)
      e->z[(size_t)r * (size_t)s->samples + (size_t)i] =
          (float)e->normals[(size_t)i * (size_t)s->representers + (size_t)r];
  for (int i = 0; i < s->samples; i++)
    e->extra[i] = (float)fcps_rng_normal(&rng);
  rng = fcps_rng_stream(seed, FCPS_PURPOSE_SAMPLE, 1);
  fcps_rng_normals(&rng, (s->best + s->others) * s->draws, e->thompson);
  for (int j = 0; j < s->outcomes; j++)
    e->outcomes[j] = (float)normal_quantile((2.0 * j + 1.0) / (2.0 * s->outcomes));
  for (int i = 1; i <= s->outcomes * s->samples; i++)
    e->count_logs[i] = i * log(i);
}

fcps_status fcps_entropy_create(fcps_entropy *entropy, const fcps_entropy_settings *settings, const fcps_model *model,
                                fcps_rng rng)
{
  const fcps_entropy_settings *s = settings;
  *entropy = (fcps_entropy){.settings = *s, .n = model->parameters.count};
  const size_t m = (size_t)s->representers, samples = (size_t)s->samples, outcomes = (size_t)s->outcomes;
  entropy->pool = fcps_allocate((size_t)s->pool * (size_t)entropy->n, sizeof(double));
  entropy->thompson = fcps_allocate((size_t)(s->best + s->others) * (size_t)s->draws, sizeof(double));
  entropy->normals = fcps_allocate(m * samples, sizeof(double));
  entropy->z = fcps_allocate(m * samples, sizeof(float));
  entropy->extra = fcps_allocate(samples, sizeof(float));
  entropy->outcomes = fcps_allocate(outcomes, sizeof(float));
  entropy->count_logs = fcps_allocate(outcomes * samples + 1, sizeof(double));
  if (entropy->pool == NULL || entropy->thompson == NULL || entropy->normals == NULL || entropy->z == NULL ||
      entropy->extra == NULL || entropy->outcomes == NULL || entropy->count_logs == NULL) {
    fcps_entropy_destroy(entropy);
    return FCPS_ERR_MEMORY;
  }
  fill_pool(entropy, model, rng);
  fill_numbers(entropy, rng.seed);
  return FCPS_OK;
}

void fcps_entropy_destroy(fcps_entropy *entropy)
{
  free(entropy->pool);
  free(entropy->thompson);
  free(entropy->normals);
  free(entropy->z);
  free(entropy->extra);
  free(entropy->outcomes);
  free(entropy->count_logs);
  *entropy = (fcps_entropy){0};
}

fcps_status fcps_trials_create(fcps_trials *trials, const fcps_gp *gp, int most)
{
  const size_t count = (size_t)most;
  *trials = (fcps_trials){0};
  trials->features = fcps_allocate(count * (size_t)gp->dim + (size_t)gp->dim, sizeof(double));
  trials->whitened = fcps_allocate(count * (size_t)gp->factored, sizeof(double));
  trials->variance = fcps_allocate(count, sizeof(double));
  if (trials->features != NULL && trials->whitened != NULL && trials->variance != NULL) return FCPS_OK;
  fcps_trials_destroy(trials);
  return FCPS_ERR_MEMORY;
}

void fcps_trials_destroy(fcps_trials *trials)
{
  free(trials->features);
  free(trials->whitened);
  free(trials->variance);
  *trials = (fcps_trials){0};
}

void fcps_trials_prepare(fcps_trials *trials, const fcps_gp *gp, int count)
{
  const double sf2 = exp(2.0 * gp->hyper[gp->dim]), sn2 = fcps_gp_noise(gp);
  const size_t rows = (size_t)gp->factored;
  trials->count = count;
  // behind the last row of features there is room for one row of scratch
  fcps_gp_whiten(gp, count, trials->features, trials->features + (size_t)count * (size_t)gp->dim, trials->whitened);
  for (int i = 0; i < count; i++) {
    const double *v = trials->whitened + (size_t)i * rows;
    trials->variance[i] = fmax(FCPS_VARIANCE_FLOOR, sf2 - fcps_dot(gp->factored, v, v)) + sn2;
  }
}

/* Scratch for gains, in one allocation. */
typedef struct gain_scratch {
  double *k, *b; /* m x trials */
  float *slopes, *mixed, *u, *values;
  int *index, *counts;
} gain_scratch;

void *fcps_gain_scratch(const fcps_entropy *entropy, int most)
{
  const fcps_entropy_settings *s = &entropy->settings;
  const size_t m = (size_t)s->representers, block = m * (size_t)most, samples = (size_t)s->samples;
  const size_t doubles = 2 * block, floats = 2 * m + 3 * samples, ints = samples + m * (size_t)s->outcomes;
  gain_scratch *scratch =
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

/* log J + (sum N_ji log N_ji - sum N_i log N_i)/(J S). */
static double gain_of_counts(const fcps_entropy *e, int m, const int *counts)
{
  const int outcomes = e->settings.outcomes;
  double sum = 0.0;
  for (int i = 0; i < m; i++) {
    int total = 0;
    for (int j = 0; j < outcomes; j++) {
      const int count = counts[(size_t)j * (size_t)m + (size_t)i];
      total += count;
      sum += e->count_logs[count];
    }
    sum -= e->count_logs[total];
  }
  return log(outcomes) + sum / ((double)outcomes * e->settings.samples);
}

void fcps_belief_slopes(const fcps_gp *gp, const fcps_belief *belief, const fcps_trials *trials, double *k)
{
  const int m = belief->count, rows = gp->factored;
  fcps_gp_prior_covariance(gp, m, belief->features, trials->count, trials->features, k);
  if (rows > 0)
    fcps_multiply_tn(m, trials->count, rows, -1.0, belief->whitened, rows, trials->whitened, rows, 1.0, k, m);
  for (int i = 0; i < trials->count; i++) {
    const double scale = 1.0 / sqrt(trials->variance[i]);
    for (size_t r = (size_t)i * (size_t)m; r < (size_t)(i + 1) * (size_t)m; r++)
      k[r] *= scale;
  }
}

void fcps_belief_gain(const fcps_entropy *entropy, const fcps_gp *gp, const fcps_belief *belief,
                      const fcps_trials *trials, void *scratch, double *gains)
{
  const gain_scratch *g = scratch;
  const int m = belief->count, samples = entropy->settings.samples;
  const size_t numbers = (size_t)m * (size_t)trials->count;

  // b = Lz^-1 k for all trials
  fcps_belief_slopes(gp, belief, trials, g->k);
  memcpy(g->b, g->k, numbers * sizeof(double));
  fcps_chol_solve_lower(m, belief->factor, m, trials->count, g->b, m);

  for (int i = 0; i < trials->count; i++) {
    const double *k = g->k + (size_t)i * (size_t)m, *b = g->b + (size_t)i * (size_t)m;
    for (int r = 0; r < m; r++) {
      g->slopes[r] = (float)k[r];
      g->mixed[r] = (float)b[r];
    }
    const double rest = sqrt(fmax(0.0, 1.0 - fcps_dot(m, b, b))); // rounding may bring |b| above 1
    fcps_mix_normals(m, samples, g->mixed, entropy->z, (float)rest, entropy->extra, g->u);
    fcps_count_winners(m, samples, entropy->settings.outcomes, belief->samples, g->slopes, g->u, entropy->outcomes,
                       g->values, g->index, g->counts);
    gains[i] += gain_of_counts(entropy, m, g->counts);
  }
}
