/* SPDX-License-Identifier: Apache-2.0 */
/* Beliefs about the maximum, by representers. Joint posterior draws are made at promising points, and the point at
 * which a draw is largest becomes a representer (Thompson sampling). So the density of representers follows the belief
 * about the maximum.
 *
 * Invariants: the point with the largest mean is always the first representer; each representer is listed once; the
 * samples of a belief are exact joint draws, up to the jitter of its factor. */
#include "acquisition/information/belief.h"

#include "base/memory.h"
#include "base/normal.h"
#include "gp/query.h"
#include "linalg/dense.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* These shares of sf^2 are added to the diagonals of covariances, because posterior covariances of close points are
 * singular. */
static const double draw_jitter = 1e-6, belief_jitter = 1e-7;

/* Scratch to make the beliefs of one context: the pool with its posterior in the context, and the candidates of one
 * output. */
typedef struct belief_scratch {
  const fcps_belief_builder *builder;
  const fcps_model *model;
  int outputs, candidates; /* candidates = best + others */
  double *features;        /* features of the pool: pool x dim */
  double *whitened;        /* whitened covariances: rows x pool */
  double *mean;            /* pool x outputs, in the outputs' own units; a constant scale and offset do not matter */
  double *covariance;      /* candidates x candidates */
  double *backup;          /* scratch to factorize the covariance */
  double *gathered;        /* rows x candidates of `whitened` */
  double *chosen_features; /* candidates x dim: features of the candidates */
  double *draws;           /* candidates x draws */
  double *centre;          /* candidates: mean in unit scale */
  int *chosen;             /* candidates: pool indices */
  int *representers;       /* pool indices */
  bool *taken;             /* which points of the pool are taken */
  fcps_gp_work work;
} belief_scratch;

static void free_scratch(belief_scratch *w)
{
  free(w->features);
  free(w->chosen);
  free(w->taken);
  fcps_gp_work_destroy(&w->work);
}

static fcps_status allocate_scratch(belief_scratch *w)
{
  const fcps_belief_settings *s = &w->builder->settings;
  const fcps_gp *gp = w->model->gps.gp[0];
  const size_t pool = (size_t)s->pool, dim = (size_t)gp->dim, rows = (size_t)gp->factored;
  const size_t c = (size_t)w->candidates;
  w->features = fcps_allocate(pool * dim + rows * pool + pool * (size_t)w->outputs + 2 * c * c + rows * c + c * dim +
                                  c * (size_t)s->draws + c,
                              sizeof(double));
  w->chosen = fcps_allocate(c + (size_t)s->representers, sizeof(int));
  w->taken = fcps_allocate(pool, sizeof(bool));
  if (w->features == NULL || w->chosen == NULL || w->taken == NULL) return FCPS_ERR_MEMORY;
  w->whitened = w->features + pool * dim;
  w->mean = w->whitened + rows * pool;
  w->covariance = w->mean + pool * (size_t)w->outputs;
  w->backup = w->covariance + c * c;
  w->gathered = w->backup + c * c;
  w->chosen_features = w->gathered + rows * c;
  w->draws = w->chosen_features + c * dim;
  w->centre = w->draws + c * (size_t)s->draws;
  w->representers = w->chosen + c;
  return fcps_gp_work_reserve(&w->work, gp, 0);
}

/* Computes the features, whitened covariances and means of the whole pool in the context. */
static void prepare_pool(belief_scratch *w, const fcps_gp_outputs *outputs, const double *context)
{
  const fcps_model *model = w->model;
  const size_t dim = (size_t)model->layout.features, first = (size_t)model->layout.context.width,
               n = (size_t)w->builder->n;
  const int pool = w->builder->settings.pool;
  for (size_t i = 0; i < (size_t)pool; i++) {
    memcpy(w->features + i * dim, context, first * sizeof(double));
    fcps_embed(&model->layout.parameters, w->builder->pool + i * n, w->features + i * dim + first);
  }
  const fcps_gp_query query = {.count = pool, .points = w->features, .mean = w->mean, .whitened = w->whitened};
  fcps_gp_predict(model->gps.gp[0], outputs, &query, &w->work);
}

/* Chooses the candidates of one output: the points with the largest mean, largest first, and the last of the other
 * points in the pool. */
static void choose_candidates(belief_scratch *w, int output)
{
  const fcps_belief_settings *s = &w->builder->settings;
  const size_t outputs = (size_t)w->outputs;
  memset(w->taken, 0, (size_t)s->pool * sizeof(bool));
  int made = 0;
  for (; made < s->best; made++) {
    int best = -1;
    for (int i = 0; i < s->pool; i++)
      if (!w->taken[i] && (best < 0 || w->mean[(size_t)i * outputs + (size_t)output] >
                                           w->mean[(size_t)best * outputs + (size_t)output]))
        best = i;
    w->taken[best] = true;
    w->chosen[made] = best;
  }
  for (int i = s->pool - 1; i >= 0 && made < w->candidates; i--)
    if (!w->taken[i]) w->chosen[made++] = i;
}

/* Factorizes the posterior covariance of `count` pool points in `covariance` (count x count), and writes their features
 * and whitened covariances to `features` and `gathered`. */
static fcps_status factorize(const belief_scratch *w, int count, const int *chosen, double jitter, double *features,
                             double *gathered, double *covariance)
{
  const fcps_gp *gp = w->model->gps.gp[0];
  const size_t dim = (size_t)gp->dim, rows = (size_t)gp->factored;
  for (size_t i = 0; i < (size_t)count; i++) {
    const size_t from = (size_t)chosen[i];
    memcpy(features + i * dim, w->features + from * dim, dim * sizeof(double));
    memcpy(gathered + i * rows, w->whitened + from * rows, rows * sizeof(double));
  }
  fcps_gp_covariance_within(gp, (fcps_gp_points){count, features, gathered}, jitter, covariance);
  const fcps_status status = fcps_chol_factor(count, covariance, count, w->backup, NULL);
  for (size_t j = 1; j < (size_t)count; j++)
    memset(covariance + j * (size_t)count, 0, j * sizeof(double)); /* zeros above the diagonal, for products */
  return status;
}

/* Chooses the representers (pool indices): the point with the largest mean, then the points at which joint draws are
 * largest, each once. Returns their number. */
static int choose_representers(belief_scratch *w)
{
  const fcps_belief_settings *s = &w->builder->settings;
  const int c = w->candidates;
  fcps_multiply_nn(c, s->draws, c, 1.0, w->covariance, c, w->builder->thompson, c, 0.0, w->draws, c);
  memset(w->taken, 0, (size_t)s->pool * sizeof(bool));
  int found = 0;
  w->representers[found++] = w->chosen[0];
  w->taken[w->chosen[0]] = true;
  for (int d = 0; d < s->draws && found < s->representers; d++) {
    const double *draw = w->draws + (size_t)d * (size_t)c;
    int best = 0;
    for (int i = 1; i < c; i++)
      if (w->centre[i] + draw[i] > w->centre[best] + draw[best]) best = i;
    const int largest = w->chosen[best];
    if (!w->taken[largest]) w->representers[found++] = largest;
    w->taken[largest] = true;
  }
  return found;
}

static bool allocate_belief(fcps_belief *b, int count, size_t n, size_t dim, size_t rows, size_t samples)
{
  const size_t m = (size_t)count;
  *b = (fcps_belief){.count = count};
  b->block = fcps_allocate(m * n + m * dim + m * rows + m * m + m, sizeof(double));
  b->samples = fcps_allocate(m * samples, sizeof(float));
  if (b->block == NULL || b->samples == NULL) return false;
  b->x = b->block;
  b->features = b->x + m * n;
  b->whitened = b->features + m * dim;
  b->factor = b->whitened + m * rows;
  b->mean = b->factor + m * m;
  return true;
}

/* Returns the mean of a pool point, in unit scale. */
static double mean_of(const belief_scratch *w, int point, int output, const fcps_gp_outputs *outputs)
{
  const double mean = w->mean[(size_t)point * (size_t)w->outputs + (size_t)output];
  return (mean - outputs->offset[output]) / outputs->scale[output];
}

/* Draws the samples f_s = mu + Lz z_s, as rows of floats. */
static fcps_status draw_samples(const belief_scratch *w, fcps_belief *b)
{
  const fcps_belief_settings *s = &w->builder->settings;
  const size_t m = (size_t)b->count, samples = (size_t)s->samples;
  double *f = fcps_allocate(m * samples, sizeof(double));
  if (f == NULL) return FCPS_ERR_MEMORY;
  fcps_multiply_nn(b->count, s->samples, b->count, 1.0, b->factor, b->count, w->builder->normals, s->representers, 0.0,
                   f, b->count);
  for (size_t i = 0; i < m; i++)
    for (size_t k = 0; k < samples; k++)
      b->samples[i * samples + k] = (float)(b->mean[i] + f[k * m + i]);
  free(f);
  return FCPS_OK;
}

static fcps_status make_belief(belief_scratch *w, int output, const fcps_gp_outputs *outputs, fcps_belief *b)
{
  const fcps_gp *gp = w->model->gps.gp[0];
  const size_t n = (size_t)w->builder->n;
  choose_candidates(w, output);
  for (int i = 0; i < w->candidates; i++)
    w->centre[i] = mean_of(w, w->chosen[i], output, outputs);
  fcps_status status =
      factorize(w, w->candidates, w->chosen, draw_jitter, w->chosen_features, w->gathered, w->covariance);
  if (status != FCPS_OK) return status;

  const int count = choose_representers(w);
  if (!allocate_belief(b, count, n, (size_t)gp->dim, (size_t)gp->factored, (size_t)w->builder->settings.samples))
    return FCPS_ERR_MEMORY;
  b->scale = outputs->scale[output];
  for (int i = 0; i < count; i++) {
    memcpy(b->x + (size_t)i * n, w->builder->pool + (size_t)w->representers[i] * n, n * sizeof(double));
    b->mean[i] = mean_of(w, w->representers[i], output, outputs);
  }
  status = factorize(w, count, w->representers, belief_jitter, b->features, b->whitened, b->factor);
  return status == FCPS_OK ? draw_samples(w, b) : status;
}

fcps_status fcps_beliefs_create(const fcps_belief_builder *builder, const fcps_model *model,
                                const fcps_gp_outputs *outputs, const double *context, fcps_belief *beliefs)
{
  belief_scratch w = {.builder = builder,
                      .model = model,
                      .outputs = outputs->outputs,
                      .candidates = builder->settings.best + builder->settings.others};
  fcps_status status = allocate_scratch(&w);
  if (status == FCPS_OK) prepare_pool(&w, outputs, context);
  for (int o = 0; o < outputs->outputs && status == FCPS_OK; o++)
    status = make_belief(&w, o, outputs, beliefs + o);
  for (int o = 0; o < outputs->outputs && status != FCPS_OK; o++)
    fcps_belief_destroy(beliefs + o);
  free_scratch(&w);
  return status;
}

int fcps_belief_best(const fcps_belief_builder *builder, const fcps_belief *belief, int sample)
{
  const size_t samples = (size_t)builder->settings.samples, s = (size_t)sample;
  int best = 0;
  for (int i = 1; i < belief->count; i++)
    if (belief->samples[(size_t)i * samples + s] > belief->samples[(size_t)best * samples + s]) best = i;
  return best;
}

void fcps_belief_destroy(fcps_belief *belief)
{
  free(belief->block);
  free(belief->samples);
  free(belief->gain_state);
  *belief = (fcps_belief){0};
}

/* -- Builders -- */

/* A builder of beliefs has the pool of parameters and the random numbers. The covariances of trials are below it.
 *
 * Invariants: each ask has a pool of its own; the random numbers that estimate entropies depend only on the run's
 * seed. */

/* The most rollouts whose parameters are in the pool. */
enum { POOL_ROLLOUTS = 40 };

static void fill_pool(fcps_belief_builder *e, const fcps_model *model, fcps_rng rng)
{
  const int rows = model->training.count;
  int made = 0;
  for (int i = rows - 1; i >= 0 && made < POOL_ROLLOUTS && made < e->settings.pool / 4; i--, made++)
    fcps_space_to_unit(&model->problem->parameters, fcps_rollouts_parameters(&model->training, i),
                       e->pool + (size_t)made * (size_t)e->n);
  fcps_points_uniform(&rng, e->n, e->settings.pool - made, e->pool + (size_t)made * (size_t)e->n);
}

/* Draws the random numbers that stay the same for a whole run. */
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
    e->outcomes[j] = (float)fcps_normal_quantile((2.0 * j + 1.0) / (2.0 * s->outcomes));
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

/* -- Votes -- */

/* Computes the gain from counts of votes and a table of N log N; the formula is in the header. */

void fcps_vote_entropy_logs(int most, double *logs)
{
  logs[0] = 0.0;
  for (int i = 1; i <= most; i++)
    logs[i] = i * log(i);
}

double fcps_vote_entropy_gain(int outcomes, int samples, int m, const int *votes, const double *logs)
{
  double sum = 0.0;
  for (int i = 0; i < m; i++) {
    int total = 0;
    for (int j = 0; j < outcomes; j++) {
      const int count = votes[(size_t)j * (size_t)m + (size_t)i];
      total += count;
      sum += logs[count];
    }
    sum -= logs[total];
  }
  return log(outcomes) + sum / ((double)outcomes * samples);
}
