/* SPDX-License-Identifier: Apache-2.0 */
/* With N_ji of S votes for representer i in outcome j of J, and N_i = sum_j N_ji,
 *   G = H(mean_j p_j) - mean_j H(p_j) = log J + (sum_ji N_ji log N_ji - sum_i N_i log N_i)/(J S),
 * which is 0 where the trial moves nothing. */
#include "acquisition/outcome_es.h"

#include "base/memory.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Added to the diagonal of covariances, times sf^2: representers may lie close together. */
static const double jitter = 1e-7;

/* A trial that explains less than this part of every representer's variance tells nothing about a context. */
static const double least_share = 0.01;

/* What is believed in one context. */
typedef struct context_belief {
  fcps_belief representers; /* unit, features, whitened covariances and factor; no samples of its own */
  const double *target;     /* borrowed */
  double weight;
  double *variance;           /* m: of the representers, unit scale */
  double *outcomes;           /* m x S rows of outcomes, in their own units */
  double *environments;       /* m x S rows, as the reward wants them */
  double *parameters;         /* the same */
  double *chance, *otherwise; /* m: that there is an outcome, and the reward without */
} context_belief;

struct fcps_outcome_es {
  fcps_outcome_es_settings settings;
  const fcps_model *model;
  int contexts, capacity, q;
  context_belief *beliefs;
  double *z, *extra;  /* q x S x m and q x S standard normals */
  double *w;          /* J x q */
  double *count_logs; /* N log N for N <= J S */
  double *share;      /* contexts: gain of the last trial in each */

  double *k, *b;       /* m x trials */
  double *u;           /* S x q, in the outcomes' own units per unit of k */
  double *moved;       /* m x S rows of outcomes */
  double *rewards;     /* m x S */
  double *best;        /* S */
  bool *present;       /* m x S, all true */
  int *winner, *votes; /* S; J x m */
  double *scale;       /* q */
};

/* ----------------------------------------------------------------------------------------------------------- life */

static void fill_numbers(fcps_outcome_es *es, uint64_t seed)
{
  const fcps_outcome_es_settings *s = &es->settings;
  fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_SAMPLE, 2);
  fcps_rng_normals(&rng, es->q * s->samples * s->representers, es->z);
  fcps_rng_normals(&rng, es->q * s->samples, es->extra);
  // opposite pairs: the mean over outcomes is then exactly the present belief's
  const int half = s->outcomes / 2 * es->q;
  fcps_rng_normals(&rng, half, es->w);
  for (int i = 0; i < half; i++)
    es->w[half + i] = -es->w[i];
  for (int i = 1; i <= s->outcomes * s->samples; i++)
    es->count_logs[i] = i * log(i);
  for (int i = 0; i < s->representers * s->samples; i++)
    es->present[i] = true;
}

static bool allocate(fcps_outcome_es *es, int most)
{
  const fcps_outcome_es_settings *s = &es->settings;
  const size_t m = (size_t)s->representers, samples = (size_t)s->samples, outcomes = (size_t)s->outcomes;
  const size_t q = (size_t)es->q, rows = m * samples, contexts = (size_t)es->capacity;
  es->beliefs = fcps_allocate(contexts, sizeof *es->beliefs);
  es->z = fcps_allocate(q * samples * (m + 1) + outcomes * q + outcomes * samples + 1 + contexts +
                            2 * m * (size_t)most + samples * q + rows * (q + 1) + samples + q,
                        sizeof(double));
  es->present = fcps_allocate(rows, sizeof(bool));
  es->winner = fcps_allocate(samples + outcomes * m, sizeof(int));
  if (es->beliefs == NULL || es->z == NULL || es->present == NULL || es->winner == NULL) return false;
  es->extra = es->z + q * samples * m;
  es->w = es->extra + q * samples;
  es->count_logs = es->w + outcomes * q;
  es->share = es->count_logs + outcomes * samples + 1;
  es->k = es->share + contexts;
  es->b = es->k + m * (size_t)most;
  es->u = es->b + m * (size_t)most;
  es->moved = es->u + samples * q;
  es->rewards = es->moved + rows * q;
  es->best = es->rewards + rows;
  es->scale = es->best + samples;
  es->votes = es->winner + samples;
  return true;
}

fcps_status fcps_outcome_es_create(fcps_outcome_es **es, const fcps_outcome_es_settings *settings,
                                   const fcps_model *model, int contexts, int most, uint64_t seed)
{
  fcps_outcome_es *made = fcps_allocate(1, sizeof *made);
  *es = NULL;
  if (made == NULL) return FCPS_ERR_MEMORY;
  made->settings = *settings;
  made->model = model;
  made->capacity = contexts;
  made->q = model->problem->outcome.count;
  if (!allocate(made, most)) {
    fcps_outcome_es_destroy(made);
    return FCPS_ERR_MEMORY;
  }
  fill_numbers(made, seed);
  *es = made;
  return FCPS_OK;
}

void fcps_outcome_es_destroy(fcps_outcome_es *es)
{
  if (es == NULL) return;
  for (int t = 0; t < es->contexts; t++) {
    fcps_belief_destroy(&es->beliefs[t].representers);
    free(es->beliefs[t].variance);
  }
  free(es->beliefs);
  free(es->z);
  free(es->present);
  free(es->winner);
  free(es);
}

/* --------------------------------------------------------------------------------------------------------- beliefs */

static bool allocate_belief(const fcps_outcome_es *es, context_belief *b, int count)
{
  const fcps_model *model = es->model;
  const size_t m = (size_t)count, n = (size_t)model->parameters.count, dim = (size_t)model->gp->dim;
  const size_t rows = m * (size_t)es->settings.samples, e = (size_t)model->problem->environment.count;
  fcps_belief *r = &b->representers;
  r->count = count;
  r->block = fcps_allocate(m * n + (m + 1) * dim + m * (size_t)model->gp->factored + m * m, sizeof(double));
  b->variance = fcps_allocate(3 * m + rows * ((size_t)es->q + e + n), sizeof(double));
  if (r->block == NULL || b->variance == NULL) return false;
  r->unit = r->block;
  r->features = r->unit + m * n; // and one row of scratch
  r->whitened = r->features + (m + 1) * dim;
  r->factor = r->whitened + m * (size_t)model->gp->factored;
  b->chance = b->variance + m;
  b->otherwise = b->chance + m;
  b->outcomes = b->otherwise + m;
  b->environments = b->outcomes + rows * (size_t)es->q;
  b->parameters = b->environments + rows * e;
  return true;
}

/* Features of the representers, their whitened covariances, and the factor of their posterior covariance. */
static fcps_status factorize(const fcps_model *model, const fcps_view *view, const double *unit, context_belief *b)
{
  const fcps_gp *gp = model->gp;
  fcps_belief *r = &b->representers;
  const size_t m = (size_t)r->count, dim = (size_t)gp->dim, n = (size_t)model->parameters.count;
  const size_t first = (size_t)model->context.width;
  double *backup = fcps_allocate(m * m, sizeof(double));
  if (backup == NULL) return FCPS_ERR_MEMORY;
  memcpy(r->unit, unit, m * n * sizeof(double));
  for (size_t i = 0; i < m; i++) {
    memcpy(r->features + i * dim, fcps_view_context(view), first * sizeof(double));
    fcps_embed(&model->parameters, unit + i * n, r->features + i * dim + first);
  }
  fcps_gp_whiten(gp, r->count, r->features, r->features + m * dim, r->whitened);
  fcps_gp_prior_covariance(gp, r->count, r->features, r->count, r->features, r->factor);
  if (gp->factored > 0)
    fcps_multiply_self(r->count, gp->factored, -1.0, r->whitened, gp->factored, 1.0, r->factor, r->count);
  for (size_t i = 0; i < m; i++) {
    r->factor[i * m + i] += jitter * exp(2.0 * gp->hyper[gp->dim]);
    b->variance[i] = r->factor[i * m + i];
  }
  const fcps_status status = fcps_chol_factor(r->count, r->factor, r->count, backup, NULL);
  free(backup);
  return status;
}

/* Rows m x S of outcomes mean + scale Lz z, and of what the reward needs besides. */
static fcps_status draw_outcomes(const fcps_outcome_es *es, const fcps_gp_outputs *outputs, context_belief *b)
{
  const fcps_belief *r = &b->representers;
  const size_t m = (size_t)r->count, q = (size_t)es->q, samples = (size_t)es->settings.samples;
  fcps_gp_work work = {0};
  double *mean = fcps_allocate(m * q, sizeof(double));
  fcps_status status = mean != NULL ? fcps_gp_work_reserve(&work, es->model->gp, r->count) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    fcps_gp_predict(es->model->gp, outputs, r->count, r->features, &work, mean, NULL);
    for (size_t i = 0; i < m; i++)
      for (size_t s = 0; s < samples; s++)
        for (size_t o = 0; o < q; o++) {
          const double *z = es->z + (o * samples + s) * (size_t)es->settings.representers;
          double sum = 0.0;
          for (size_t l = 0; l <= i; l++)
            sum += r->factor[l * m + i] * z[l];
          b->outcomes[(i * samples + s) * q + o] = mean[i * q + o] + outputs->scale[o] * sum;
        }
  }
  fcps_gp_work_destroy(&work);
  free(mean);
  return status;
}

/* Environment and parameters of every row, and what a representer earns without an outcome. */
static fcps_status fill_rows(fcps_outcome_es *es, const double *environment, context_belief *b, fcps_error *error)
{
  const fcps_problem *problem = es->model->problem;
  const size_t m = (size_t)b->representers.count, samples = (size_t)es->settings.samples;
  const size_t e = (size_t)problem->environment.count, p = (size_t)problem->parameters.count;
  for (size_t i = 0; i < m; i++) {
    double *parameters = b->parameters + i * samples * p;
    fcps_space_from_unit(&problem->parameters, b->representers.unit + i * p, parameters);
    for (size_t s = 0; s < samples; s++) {
      if (e > 0) memcpy(b->environments + (i * samples + s) * e, environment, e * sizeof(double));
      if (s > 0) memcpy(parameters + s * p, parameters, p * sizeof(double));
    }
  }
  // the first of each representer's rows, one below the other
  double *rows = es->moved;
  bool absent[1] = {false};
  fcps_status status = FCPS_OK;
  memset(rows, 0, (size_t)es->q * sizeof(double));
  for (size_t i = 0; i < m && status == FCPS_OK; i++) {
    const double *at = b->environments + i * samples * e, *parameters = b->parameters + i * samples * p;
    status = fcps_model_chances(es->model, 1, at, parameters, b->chance + i, error);
    if (status == FCPS_OK)
      status = fcps_problem_score(problem, 1, b->target, at, parameters, rows, absent, b->otherwise + i, error);
    if (isfinite(b->otherwise[i])) continue;
    b->otherwise[i] = 0.0; // nobody knows: nothing to weigh with
    b->chance[i] = 1.0;
  }
  return status;
}

fcps_status fcps_outcome_es_add(fcps_outcome_es *es, const fcps_view *view, const double *target,
                                const double *environment, int count, const double *unit, double weight,
                                fcps_error *error)
{
  if (es->contexts == es->capacity || count < 1 || count > es->settings.representers) return FCPS_ERR_ARGUMENT;
  const fcps_gp_outputs *outputs = fcps_view_outputs(view);
  context_belief *b = es->beliefs + es->contexts++;
  *b = (context_belief){.target = target, .weight = weight};
  if (!allocate_belief(es, b, count)) return FCPS_ERR_MEMORY;
  memcpy(es->scale, outputs->scale, (size_t)es->q * sizeof(double));
  fcps_status status = factorize(es->model, view, unit, b);
  if (status == FCPS_OK) status = draw_outcomes(es, outputs, b);
  return status == FCPS_OK ? fill_rows(es, environment, b, error) : status;
}

/* ----------------------------------------------------------------------------------------------------------- gains */

/* u of every sample and outcome dimension, times the outcome's scale: es->u[s*q + o]. */
static void mix(const fcps_outcome_es *es, int m, const double *b)
{
  const size_t q = (size_t)es->q, samples = (size_t)es->settings.samples;
  const double rest = sqrt(fmax(0.0, 1.0 - fcps_dot(m, b, b))); // rounding may bring |b| above 1
  for (size_t o = 0; o < q; o++)
    for (size_t s = 0; s < samples; s++) {
      const double *z = es->z + (o * samples + s) * (size_t)es->settings.representers;
      es->u[s * q + o] = es->scale[o] * (fcps_dot(m, b, z) + rest * es->extra[o * samples + s]);
    }
}

/* Outcomes of all samples after outcome j of the trial, inside their bounds. */
static void move(const fcps_outcome_es *es, const context_belief *b, const double *k, int j)
{
  const size_t q = (size_t)es->q, samples = (size_t)es->settings.samples, m = (size_t)b->representers.count;
  const fcps_dimension *dims = es->model->problem->outcome.dims;
  for (size_t o = 0; o < q; o++) {
    const bool is_bounded = dims[o].lower < dims[o].upper;
    const double lower = is_bounded ? dims[o].lower : -INFINITY, upper = is_bounded ? dims[o].upper : INFINITY;
    const double w = es->scale[o] * es->w[(size_t)j * q + o];
    for (size_t i = 0; i < m; i++)
      for (size_t s = 0; s < samples; s++) {
        const size_t at = (i * samples + s) * q + o;
        const double value = b->outcomes[at] + k[i] * (w - es->u[s * q + o]);
        es->moved[at] = value < lower ? lower : value > upper ? upper : value;
      }
  }
}

/* Every sample votes for its best representer; the first of equals wins, and what is no number never does. */
static void vote(const fcps_outcome_es *es, const context_belief *b, int *votes)
{
  const int samples = es->settings.samples, m = b->representers.count;
  for (int s = 0; s < samples; s++) {
    es->best[s] = -INFINITY;
    es->winner[s] = 0;
  }
  for (int i = 0; i < m; i++) {
    const double *rewards = es->rewards + (size_t)i * (size_t)samples, p = b->chance[i], other = b->otherwise[i];
    for (int s = 0; s < samples; s++) {
      const double value = other + p * (rewards[s] - other);
      const bool wins = value > es->best[s];
      es->winner[s] = wins ? i : es->winner[s];
      es->best[s] = wins ? value : es->best[s];
    }
  }
  memset(votes, 0, (size_t)m * sizeof *votes);
  for (int s = 0; s < samples; s++)
    votes[es->winner[s]]++;
}

/* See the head of this file. */
static double gain_of_votes(const fcps_outcome_es *es, int m)
{
  const int outcomes = es->settings.outcomes;
  double sum = 0.0;
  for (int i = 0; i < m; i++) {
    int total = 0;
    for (int j = 0; j < outcomes; j++) {
      const int count = es->votes[(size_t)j * (size_t)m + (size_t)i];
      total += count;
      sum += es->count_logs[count];
    }
    sum -= es->count_logs[total];
  }
  return log(outcomes) + sum / ((double)outcomes * es->settings.samples);
}

/* Whether a trial moves a context's outcomes at all. */
static bool is_far(const context_belief *b, const double *k)
{
  for (int i = 0; i < b->representers.count; i++)
    if (k[i] * k[i] > least_share * b->variance[i]) return false;
  return true;
}

/* What one trial tells about one context. */
static fcps_status gain_in(fcps_outcome_es *es, const context_belief *b, const double *k, const double *mixed,
                           double *gain, fcps_error *error)
{
  const int m = b->representers.count;
  fcps_status status = FCPS_OK;
  *gain = 0.0;
  if (m < 2 || is_far(b, k)) return FCPS_OK;
  mix(es, m, mixed);
  for (int j = 0; j < es->settings.outcomes && status == FCPS_OK; j++) {
    move(es, b, k, j);
    status = fcps_problem_score(es->model->problem, m * es->settings.samples, b->target, b->environments, b->parameters,
                                es->moved, es->present, es->rewards, error);
    vote(es, b, es->votes + (size_t)j * (size_t)m);
  }
  *gain = b->weight * gain_of_votes(es, m);
  return status;
}

fcps_status fcps_outcome_es_gains(fcps_outcome_es *es, const fcps_trials *trials, double *gains, fcps_error *error)
{
  const fcps_gp *gp = es->model->gp;
  for (int i = 0; i < trials->count; i++)
    gains[i] = 0.0;
  for (int t = 0; t < es->contexts; t++) {
    const context_belief *b = es->beliefs + t;
    const size_t m = (size_t)b->representers.count;
    fcps_belief_slopes(gp, &b->representers, trials, es->k);
    memcpy(es->b, es->k, m * (size_t)trials->count * sizeof(double));
    fcps_chol_solve_lower((int)m, b->representers.factor, (int)m, trials->count, es->b, (int)m);
    for (size_t i = 0; i < (size_t)trials->count; i++) {
      const fcps_status status = gain_in(es, b, es->k + i * m, es->b + i * m, es->share + t, error);
      if (status != FCPS_OK) return status;
      gains[i] += es->share[t];
    }
  }
  return FCPS_OK;
}

int fcps_outcome_es_main_context(const fcps_outcome_es *es)
{
  int best = 0;
  for (int t = 1; t < es->contexts; t++)
    if (es->share[t] > es->share[best]) best = t;
  return best;
}
