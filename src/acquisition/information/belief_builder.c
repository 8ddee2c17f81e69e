/* SPDX-License-Identifier: Apache-2.0 */
/* What beliefs and trials are made with: the pool of parameters, the random numbers, and the covariances of trials;
 * beliefs themselves are made in belief.c.
 *
 * Invariants: the pool differs from ask to ask, the numbers that estimate entropies depend on the run's seed alone. */
#include "acquisition/information/belief.h"

#include "acquisition/information/vote_entropy.h"
#include "base/memory.h"
#include "gp/joint.h"
#include "linalg/dense.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>

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

static void fill_pool(fcps_belief_builder *e, const fcps_model *model, fcps_rng rng)
{
  const int rows = model->training.count;
  int made = 0;
  for (int i = rows - 1; i >= 0 && made < POOL_ROLLOUTS && made < e->settings.pool / 4; i--, made++)
    fcps_space_to_unit(&model->problem->parameters, fcps_rollouts_parameters(&model->training, i),
                       e->pool + (size_t)made * (size_t)e->n);
  fcps_points_uniform(&rng, e->n, e->settings.pool - made, e->pool + (size_t)made * (size_t)e->n);
}

/* The numbers that stay the same for a whole run. */
static void fill_numbers(fcps_belief_builder *e, uint64_t seed)
{
  const fcps_belief_settings *s = &e->settings;
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
  fcps_vote_entropy_logs(s->outcomes * s->samples, e->count_logs);
}

fcps_status fcps_belief_builder_create(fcps_belief_builder *builder, const fcps_belief_settings *settings,
                                       const fcps_model *model, fcps_rng rng)
{
  const fcps_belief_settings *s = settings;
  *builder = (fcps_belief_builder){.settings = *s, .n = model->layout.parameters.count};
  const size_t m = (size_t)s->representers, samples = (size_t)s->samples, outcomes = (size_t)s->outcomes;
  builder->pool = fcps_allocate((size_t)s->pool * (size_t)builder->n, sizeof(double));
  builder->thompson = fcps_allocate((size_t)(s->best + s->others) * (size_t)s->draws, sizeof(double));
  builder->normals = fcps_allocate(m * samples, sizeof(double));
  builder->z = fcps_allocate(m * samples, sizeof(float));
  builder->extra = fcps_allocate(samples, sizeof(float));
  builder->outcomes = fcps_allocate(outcomes, sizeof(float));
  builder->count_logs = fcps_allocate(outcomes * samples + 1, sizeof(double));
  if (builder->pool == NULL || builder->thompson == NULL || builder->normals == NULL || builder->z == NULL ||
      builder->extra == NULL || builder->outcomes == NULL || builder->count_logs == NULL) {
    fcps_belief_builder_destroy(builder);
    return FCPS_ERR_MEMORY;
  }
  fill_pool(builder, model, rng);
  fill_numbers(builder, rng.seed);
  return FCPS_OK;
}

void fcps_belief_builder_destroy(fcps_belief_builder *builder)
{
  free(builder->pool);
  free(builder->thompson);
  free(builder->normals);
  free(builder->z);
  free(builder->extra);
  free(builder->outcomes);
  free(builder->count_logs);
  *builder = (fcps_belief_builder){0};
}

fcps_status fcps_candidates_create(fcps_candidates *trials, const fcps_gp *gp, int most)
{
  const size_t count = (size_t)most;
  *trials = (fcps_candidates){0};
  trials->features = fcps_allocate(count * (size_t)gp->dim, sizeof(double));
  trials->whitened = fcps_allocate(count * (size_t)gp->factored, sizeof(double));
  trials->variance = fcps_allocate(2 * count, sizeof(double));
  const bool has_room = trials->features != NULL && trials->whitened != NULL && trials->variance != NULL;
  const fcps_status status = has_room ? fcps_gp_work_reserve(&trials->work, gp, 0) : FCPS_ERR_MEMORY;
  if (status != FCPS_OK) {
    fcps_candidates_destroy(trials);
    return status;
  }
  trials->mean = trials->variance + count;
  return FCPS_OK;
}

void fcps_candidates_destroy(fcps_candidates *trials)
{
  free(trials->features);
  free(trials->whitened);
  free(trials->variance);
  fcps_gp_work_destroy(&trials->work);
  *trials = (fcps_candidates){0};
}

void fcps_candidates_prepare(fcps_candidates *trials, const fcps_gp *gp, int count)
{
  const fcps_gp_query query = {
      .count = count, .points = trials->features, .variance = trials->variance, .whitened = trials->whitened};
  const double sn2 = fcps_gp_noise(gp);
  trials->count = count;
  fcps_gp_predict(gp, NULL, &query, &trials->work);
  for (int i = 0; i < count; i++)
    trials->variance[i] += sn2;
}

void fcps_belief_slopes(const fcps_gp *gp, const fcps_belief *belief, const fcps_candidates *trials, double *k)
{
  const int m = belief->count;
  fcps_gp_covariance_between(gp, (fcps_gp_points){m, belief->features, belief->whitened},
                             (fcps_gp_points){trials->count, trials->features, trials->whitened}, k);
  for (int i = 0; i < trials->count; i++) {
    const double scale = 1.0 / sqrt(trials->variance[i]);
    for (size_t r = (size_t)i * (size_t)m; r < (size_t)(i + 1) * (size_t)m; r++)
      k[r] *= scale;
  }
}

void fcps_candidates_predict(const fcps_candidates *trials, const fcps_gp *gp, const fcps_gp_outputs *outputs,
                             const double *beta, double *means)
{
  const int rows = outputs->count;
  for (size_t i = 0; i < (size_t)trials->count * (size_t)outputs->outputs; i++)
    means[i] = 0.0;
  if (rows > 0)
    fcps_multiply_tn(trials->count, outputs->outputs, rows, 1.0, trials->whitened, gp->factored, beta, rows, 0.0, means,
                     trials->count);
}
