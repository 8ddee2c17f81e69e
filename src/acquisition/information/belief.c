/* SPDX-License-Identifier: Apache-2.0 */
/* Representers: the winners of joint posterior draws at promising points (Thompson sampling), the greedy point always
 * among them, so that they are as dense as the belief about the maximum is. */
#include "acquisition/information/belief.h"

#include "base/memory.h"
#include "gp/joint.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Added to the diagonals of covariances, times sf^2: posterior covariances of close points are singular. */
static const double draw_jitter = 1e-6, belief_jitter = 1e-7;

/* What the beliefs of one context are made from. */
typedef struct workshop {
  const fcps_belief_builder *entropy;
  const fcps_model *model;
  int outputs, candidates; /* candidates = best + others */
  double *features;        /* pool x dim */
  double *whitened;        /* rows x pool */
  double *mean;            /* pool x outputs, in the outputs' own units; a constant scale and offset do not matter */
  double *covariance;      /* candidates x candidates */
  double *backup;          /* the same size */
  double *gathered;        /* rows x candidates */
  double *places;          /* candidates x dim: features of the candidates */
  double *draws;           /* candidates x draws */
  double *centre;          /* candidates: mean in unit scale */
  int *chosen;             /* candidates: pool indices */
  int *winners;            /* representers: pool indices */
  bool *taken;             /* pool */
  fcps_gp_work work;
} workshop;

static void close_workshop(workshop *w)
{
  free(w->features);
  free(w->chosen);
  free(w->taken);
  fcps_gp_work_destroy(&w->work);
}

static fcps_status open_workshop(workshop *w)
{
  const fcps_belief_settings *s = &w->entropy->settings;
  const fcps_gp *gp = w->model->gp;
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
  w->places = w->gathered + rows * c;
  w->draws = w->places + c * dim;
  w->centre = w->draws + c * (size_t)s->draws;
  w->winners = w->chosen + c;
  return fcps_gp_work_reserve(&w->work, gp, 0);
}

/* Features, whitened covariances and means of the whole pool, seen from the context. */
static void prepare_pool(workshop *w, const fcps_gp_outputs *outputs, const double *context)
{
  const fcps_model *model = w->model;
  const size_t dim = (size_t)model->gp->dim, first = (size_t)model->context.width, n = (size_t)w->entropy->n;
  const int pool = w->entropy->settings.pool;
  for (size_t i = 0; i < (size_t)pool; i++) {
    memcpy(w->features + i * dim, context, first * sizeof(double));
    fcps_embed(&model->parameters, w->entropy->pool + i * n, w->features + i * dim + first);
  }
  const fcps_gp_query query = {.count = pool, .points = w->features, .mean = w->mean, .whitened = w->whitened};
  fcps_gp_predict(model->gp, outputs, &query, &w->work);
}

/* The candidates of one output: those with the largest mean, largest first, and the last of the others in the pool. */
static void choose_candidates(workshop *w, int output)
{
  const fcps_belief_settings *s = &w->entropy->settings;
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

/* Posterior covariance of `count` pool points, factorized in `covariance` (count x count), with their features and
 * whitened covariances gathered into the given places. */
static fcps_status factorize(const workshop *w, int count, const int *chosen, double jitter, double *places,
                             double *gathered, double *covariance)
{
  const fcps_gp *gp = w->model->gp;
  const size_t dim = (size_t)gp->dim, rows = (size_t)gp->factored;
  for (size_t i = 0; i < (size_t)count; i++) {
    const size_t from = (size_t)chosen[i];
    memcpy(places + i * dim, w->features + from * dim, dim * sizeof(double));
    memcpy(gathered + i * rows, w->whitened + from * rows, rows * sizeof(double));
  }
  fcps_gp_covariance_within(gp, (fcps_gp_points){count, places, gathered}, jitter, covariance);
  const fcps_status status = fcps_chol_factor(count, covariance, count, w->backup, NULL);
  for (size_t j = 1; j < (size_t)count; j++)
    memset(covariance + j * (size_t)count, 0, j * sizeof(double)); /* above the diagonal, for products */
  return status;
}

/* Pool indices of the representers: the greedy point, then the distinct winners of joint draws. */
static int find_winners(workshop *w)
{
  const fcps_belief_settings *s = &w->entropy->settings;
  const int c = w->candidates;
  fcps_multiply_nn(c, s->draws, c, 1.0, w->covariance, c, w->entropy->thompson, c, 0.0, w->draws, c);
  memset(w->taken, 0, (size_t)s->pool * sizeof(bool));
  int found = 0;
  w->winners[found++] = w->chosen[0];
  w->taken[w->chosen[0]] = true;
  for (int d = 0; d < s->draws && found < s->representers; d++) {
    const double *draw = w->draws + (size_t)d * (size_t)c;
    int best = 0;
    for (int i = 1; i < c; i++)
      if (w->centre[i] + draw[i] > w->centre[best] + draw[best]) best = i;
    const int winner = w->chosen[best];
    if (!w->taken[winner]) w->winners[found++] = winner;
    w->taken[winner] = true;
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

/* The mean of a pool point, in unit scale. */
static double mean_of(const workshop *w, int point, int output, const fcps_gp_outputs *outputs)
{
  const double mean = w->mean[(size_t)point * (size_t)w->outputs + (size_t)output];
  return (mean - outputs->offset[output]) / outputs->scale[output];
}

/* f_s = mu + Lz z_s, as rows of floats. */
static fcps_status draw_samples(const workshop *w, fcps_belief *b)
{
  const fcps_belief_settings *s = &w->entropy->settings;
  const size_t m = (size_t)b->count, samples = (size_t)s->samples;
  double *f = fcps_allocate(m * samples, sizeof(double));
  if (f == NULL) return FCPS_ERR_MEMORY;
  fcps_multiply_nn(b->count, s->samples, b->count, 1.0, b->factor, b->count, w->entropy->normals, s->representers, 0.0,
                   f, b->count);
  for (size_t i = 0; i < m; i++)
    for (size_t k = 0; k < samples; k++)
      b->samples[i * samples + k] = (float)(b->mean[i] + f[k * m + i]);
  free(f);
  return FCPS_OK;
}

static fcps_status make_belief(workshop *w, int output, const fcps_gp_outputs *outputs, fcps_belief *b)
{
  const fcps_gp *gp = w->model->gp;
  const size_t n = (size_t)w->entropy->n;
  choose_candidates(w, output);
  for (int i = 0; i < w->candidates; i++)
    w->centre[i] = mean_of(w, w->chosen[i], output, outputs);
  fcps_status status = factorize(w, w->candidates, w->chosen, draw_jitter, w->places, w->gathered, w->covariance);
  if (status != FCPS_OK) return status;

  const int count = find_winners(w);
  if (!allocate_belief(b, count, n, (size_t)gp->dim, (size_t)gp->factored, (size_t)w->entropy->settings.samples))
    return FCPS_ERR_MEMORY;
  b->scale = outputs->scale[output];
  for (int i = 0; i < count; i++) {
    memcpy(b->x + (size_t)i * n, w->entropy->pool + (size_t)w->winners[i] * n, n * sizeof(double));
    b->mean[i] = mean_of(w, w->winners[i], output, outputs);
  }
  status = factorize(w, count, w->winners, belief_jitter, b->features, b->whitened, b->factor);
  return status == FCPS_OK ? draw_samples(w, b) : status;
}

fcps_status fcps_beliefs_create(const fcps_belief_builder *entropy, const fcps_model *model,
                                const fcps_gp_outputs *outputs, const double *context, fcps_belief *beliefs)
{
  workshop w = {.entropy = entropy,
                .model = model,
                .outputs = outputs->outputs,
                .candidates = entropy->settings.best + entropy->settings.others};
  fcps_status status = open_workshop(&w);
  if (status == FCPS_OK) prepare_pool(&w, outputs, context);
  for (int o = 0; o < outputs->outputs && status == FCPS_OK; o++)
    status = make_belief(&w, o, outputs, beliefs + o);
  for (int o = 0; o < outputs->outputs && status != FCPS_OK; o++)
    fcps_belief_destroy(beliefs + o);
  close_workshop(&w);
  return status;
}

void fcps_belief_destroy(fcps_belief *belief)
{
  free(belief->block);
  free(belief->samples);
  free(belief->notes);
  *belief = (fcps_belief){0};
}
