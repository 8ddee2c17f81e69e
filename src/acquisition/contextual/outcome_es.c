/* SPDX-License-Identifier: Apache-2.0 */
/* Entropy search on outcomes: chooses the trial that tells most about which parameters are best in many contexts. The
 * formula and its symbols are in the header; acts and search are in outcome_search.c.
 *
 * Invariants: entropies before and after a trial are estimated with the same random numbers, so no gain is negative.
 * These depend only on the run's seed, so a search does not follow the noise of the estimate. A representer without an
 * outcome has the reward that the problem gives to absent outcomes. */
#include "acquisition/contextual/outcome_search.h"

#include "acquisition/information/belief.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "problem/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A trial counts as telling nothing about a context if it explains less than this part of the variance of each
 * representer of the context. */
static const double least_share = 0.01;

struct fcps_outcome_es {
  fcps_outcome_es_settings settings;
  const fcps_model *model;
  int contexts, capacity, q, gp_count;
  fcps_outcome_belief *beliefs;
  double *weights;    /* one per context */
  double *z, *extra;  /* q x S x m and q x S standard normals */
  double *w;          /* outcomes of a trial: J x q standard normals */
  double *count_logs; /* N log N for N <= J S */
  double *share;      /* contexts: gain of the last trial in each context */
  double *scale;      /* scale of each outcome */

  double *k, *b;       /* gp_count x trials x m */
  double *u;           /* S x q, in the outcomes' own units per unit of k */
  double *moved;       /* m x S rows of outcomes */
  double *rewards;     /* rewards of `moved`: m x S */
  double *best;        /* best reward of each sample */
  bool *present;       /* m x S, all true */
  int *argmax, *votes; /* best representer of each sample; J x m counts */
  size_t stride;       /* how many numbers of k one GP has */
};

/* -- Creating -- */

static void fill_numbers(fcps_outcome_es *es, uint64_t seed)
{
  const fcps_outcome_es_settings *s = &es->settings;
  fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_SAMPLE, 2);
  fcps_rng_normals(&rng, es->q * s->samples * s->representers, es->z);
  fcps_rng_normals(&rng, es->q * s->samples, es->extra);
  /* The numbers come in pairs of opposite sign, so that the mean over outcomes is exactly the present mean. */
  const int half = s->outcomes / 2 * es->q;
  fcps_rng_normals(&rng, half, es->w);
  for (int i = 0; i < half; i++)
    es->w[half + i] = -es->w[i];
  fcps_vote_entropy_logs(s->outcomes * s->samples, es->count_logs);
  for (int i = 0; i < s->representers * s->samples; i++)
    es->present[i] = true;
}

static bool allocate(fcps_outcome_es *es, int most)
{
  const fcps_outcome_es_settings *s = &es->settings;
  const size_t m = (size_t)s->representers, samples = (size_t)s->samples, outcomes = (size_t)s->outcomes;
  const size_t q = (size_t)es->q, rows = m * samples, contexts = (size_t)es->capacity;
  es->stride = m * (size_t)most;
  const size_t slopes = (size_t)es->gp_count * es->stride;
  es->beliefs = fcps_allocate(contexts, sizeof *es->beliefs);
  es->z = fcps_allocate(q * samples * (m + 1) + outcomes * q + outcomes * samples + 1 + 2 * contexts + q + 2 * slopes +
                            samples * q + rows * (q + 1) + samples,
                        sizeof(double));
  es->present = fcps_allocate(rows, sizeof(bool));
  es->argmax = fcps_allocate(samples + outcomes * m, sizeof(int));
  if (es->beliefs == NULL || es->z == NULL || es->present == NULL || es->argmax == NULL) return false;
  es->extra = es->z + q * samples * m;
  es->w = es->extra + q * samples;
  es->count_logs = es->w + outcomes * q;
  es->share = es->count_logs + outcomes * samples + 1;
  es->weights = es->share + contexts;
  es->scale = es->weights + contexts;
  es->k = es->scale + q;
  es->b = es->k + slopes;
  es->u = es->b + slopes;
  es->moved = es->u + samples * q;
  es->rewards = es->moved + rows * q;
  es->best = es->rewards + rows;
  es->votes = es->argmax + samples;
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
  made->gp_count = fcps_model_gp_count(model);
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
  for (int t = 0; t < es->contexts; t++)
    fcps_outcome_belief_destroy(es->beliefs + t);
  free(es->beliefs);
  free(es->z);
  free(es->present);
  free(es->argmax);
  free(es);
}

fcps_status fcps_outcome_es_add(fcps_outcome_es *es, const fcps_posterior *posterior, const double *target,
                                const double *environment, int count, const double *x, double weight, fcps_error *error)
{
  if (es->contexts == es->capacity || count < 1 || count > es->settings.representers) return FCPS_ERR_ARGUMENT;
  const fcps_outcome_normals normals = {es->settings.samples, es->settings.representers, es->z};
  const fcps_status status =
      fcps_outcome_belief_create(es->beliefs + es->contexts, posterior, target, environment, count, x, &normals, error);
  if (status != FCPS_OK) return status;
  es->weights[es->contexts++] = weight;
  memcpy(es->scale, fcps_posterior_outputs(posterior)->scale, (size_t)es->q * sizeof(double));
  return FCPS_OK;
}

/* -- Gains -- */

/* Returns the index of the GP that predicts an outcome. */
static size_t part_of(const fcps_outcome_es *es, size_t outcome)
{
  return es->gp_count > 1 ? outcome : 0;
}

/* Computes u of every sample and outcome dimension, times the outcome's scale: es->u[s*q + o]. `trial` is the index of
 * the trial's first number in k and b. */
static void mix(const fcps_outcome_es *es, int m, size_t trial)
{
  const size_t q = (size_t)es->q, samples = (size_t)es->settings.samples;
  for (size_t o = 0; o < q; o++) {
    const double *b = es->b + part_of(es, o) * es->stride + trial;
    const double rest = sqrt(fmax(0.0, 1.0 - fcps_dot(m, b, b))); /* rounding may bring |b| above 1 */
    for (size_t s = 0; s < samples; s++) {
      const double *z = es->z + (o * samples + s) * (size_t)es->settings.representers;
      es->u[s * q + o] = es->scale[o] * (fcps_dot(m, b, z) + rest * es->extra[o * samples + s]);
    }
  }
}

/* Turns the samples of all representers from the frame of the model back to that of the user. */
static void turn_back(const fcps_outcome_es *es, const fcps_outcome_belief *b)
{
  const size_t q = (size_t)es->q, samples = (size_t)es->settings.samples, dim = (size_t)es->model->layout.features;
  for (size_t i = 0; i < (size_t)b->count; i++)
    fcps_model_unsee_outcomes(es->model, b->rows + i * dim, samples, q, es->moved + i * samples * q);
}

/* Computes es->moved, the outcomes of all samples after outcome j of the trial, clipped to their bounds. */
static void move(const fcps_outcome_es *es, const fcps_outcome_belief *b, size_t trial, int j)
{
  const size_t q = (size_t)es->q, samples = (size_t)es->settings.samples, m = (size_t)b->count;
  const fcps_dimension *dims = es->model->problem->outcome.dims;
  for (size_t o = 0; o < q; o++) {
    const double w = es->scale[o] * es->w[(size_t)j * q + o], *k = es->k + part_of(es, o) * es->stride + trial;
    for (size_t i = 0; i < m; i++)
      for (size_t s = 0; s < samples; s++) {
        const size_t at = (i * samples + s) * q + o;
        es->moved[at] = b->outcomes[at] + k[i] * (w - es->u[s * q + o]);
      }
  }
  turn_back(es, b);
  for (size_t o = 0; o < q; o++) {
    const bool is_bounded = dims[o].lower < dims[o].upper;
    const double lower = is_bounded ? dims[o].lower : -INFINITY, upper = is_bounded ? dims[o].upper : INFINITY;
    for (size_t at = o; at < m * samples * q; at += q)
      es->moved[at] = es->moved[at] < lower ? lower : es->moved[at] > upper ? upper : es->moved[at];
  }
}

/* Lets every sample vote for its best representer, the first one if several are equal. A reward of NaN gets no vote. */
static void vote(const fcps_outcome_es *es, const fcps_outcome_belief *b, int *votes)
{
  const int samples = es->settings.samples, m = b->count;
  for (int s = 0; s < samples; s++) {
    es->best[s] = -INFINITY;
    es->argmax[s] = 0;
  }
  for (int i = 0; i < m; i++) {
    const double *rewards = es->rewards + (size_t)i * (size_t)samples, p = b->probability[i], other = b->otherwise[i];
    for (int s = 0; s < samples; s++) {
      const double value = other + p * (rewards[s] - other);
      const bool wins = value > es->best[s];
      es->argmax[s] = wins ? i : es->argmax[s];
      es->best[s] = wins ? value : es->best[s];
    }
  }
  memset(votes, 0, (size_t)m * sizeof *votes);
  for (int s = 0; s < samples; s++)
    votes[es->argmax[s]]++;
}

/* Whether a trial changes the outcomes in a context too little to matter (least_share). */
static bool is_far(const fcps_outcome_es *es, const fcps_outcome_belief *b, size_t trial)
{
  for (int part = 0; part < es->gp_count; part++) {
    const double *k = es->k + (size_t)part * es->stride + trial;
    const double *variance = b->variance + (size_t)part * (size_t)b->count;
    for (int i = 0; i < b->count; i++)
      if (k[i] * k[i] > least_share * variance[i]) return false;
  }
  return true;
}

/* Computes the gain of one trial in one context. */
static fcps_status gain_in(fcps_outcome_es *es, const fcps_outcome_belief *b, size_t trial, double *gain,
                           fcps_error *error)
{
  const int m = b->count;
  fcps_status status = FCPS_OK;
  *gain = 0.0;
  if (m < 2 || is_far(es, b, trial)) return FCPS_OK;
  mix(es, m, trial);
  for (int j = 0; j < es->settings.outcomes && status == FCPS_OK; j++) {
    move(es, b, trial, j);
    status = fcps_problem_score(es->model->problem, m * es->settings.samples, b->target, b->environments, b->parameters,
                                es->moved, es->present, es->rewards, error);
    vote(es, b, es->votes + (size_t)j * (size_t)m);
  }
  *gain = fcps_vote_entropy_gain(es->settings.outcomes, es->settings.samples, m, es->votes, es->count_logs);
  return status;
}

/* Computes k and b of all trials for the representers of a context, for every GP. */
static void find_slopes(fcps_outcome_es *es, const fcps_outcome_belief *belief, const fcps_candidates *trials)
{
  const int m = belief->count;
  for (int i = 0; i < es->gp_count; i++) {
    double *k = es->k + (size_t)i * es->stride, *b = es->b + (size_t)i * es->stride;
    fcps_belief_slopes(fcps_model_gp(es->model, i), belief->part + i, trials + i, k);
    memcpy(b, k, (size_t)m * (size_t)trials->count * sizeof(double));
    fcps_chol_solve_lower(m, belief->part[i].factor, m, trials->count, b, m);
  }
}

fcps_status fcps_outcome_es_gains(fcps_outcome_es *es, const fcps_candidates *trials, double *gains, fcps_error *error)
{
  for (int i = 0; i < trials->count; i++)
    gains[i] = 0.0;
  for (int t = 0; t < es->contexts; t++) {
    const fcps_outcome_belief *b = es->beliefs + t;
    find_slopes(es, b, trials);
    for (int i = 0; i < trials->count; i++) {
      const fcps_status status = gain_in(es, b, (size_t)i * (size_t)b->count, es->share + t, error);
      if (status != FCPS_OK) return status;
      es->share[t] *= es->weights[t];
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

/* -- The acquisition -- */

/* Gains are summed over the contexts of the first CONTEXTS acts. The representers of a context are the parameters of
 * the policy in this context, random steps from these, and parameters of the policy in other contexts. */
enum { ACTS = FCPS_OUTCOME_ACTS, CONTEXTS = 32, STEPS = 5, POOL = ACTS + STEPS };
static const fcps_outcome_es_settings usual = {.representers = 12, .samples = 32, .outcomes = 8};
static const double step_deviation = 0.05;

/* Finds the row with the largest value from `first` on, and exchanges it and its value with row `first`. */
static void bring_best(int count, int first, size_t n, double *rows, double *values)
{
  int best = first;
  for (int i = first + 1; i < count; i++)
    if (values[i] > values[best]) best = i;
  const double value = values[first];
  values[first] = values[best];
  values[best] = value;
  for (size_t d = 0; d < n; d++) {
    double *a = rows + (size_t)first * n + d, *b = rows + (size_t)best * n + d, kept = *a;
    *a = *b;
    *b = kept;
  }
}

/* Draws points near `from`, in the unit cube. */
static void draw_steps(const fcps_outcome_trials *trials, fcps_rng *rng, const double *from, double *steps)
{
  const bool *wraps = trials->wraps + trials->environments;
  for (int i = 0; i < STEPS * trials->parameters; i++) {
    const int d = i % trials->parameters;
    const double x = from[d] + step_deviation * fcps_rng_normal(rng);
    steps[i] = wraps[d] ? x - floor(x) : fmin(fmax(x, 0.0), 1.0);
  }
}

/* Moves the representers of act t to the front of the pool: the parameters of this act, steps from these, and those
 * parameters of other acts that the model predicts to be best in this context. The pool has POOL rows of parameters and
 * as many values. */
static void choose_representers(fcps_outcome_search *search, fcps_posterior *posterior, int t, fcps_rng *rng,
                                double *pool)
{
  const fcps_outcome_trials *trials = &search->trials;
  const size_t n = (size_t)trials->parameters, width = (size_t)trials->width;
  double *values = pool + POOL * n;
  for (size_t i = 0; i < ACTS; i++)
    memcpy(pool + i * n, search->acts + i * width + (size_t)trials->environments, n * sizeof(double));
  draw_steps(trials, rng, pool + (size_t)t * n, pool + ACTS * n);
  fcps_posterior_moments(posterior, POOL, pool, values, NULL);
  values[t] = INFINITY;
  for (int i = ACTS; i < POOL; i++)
    values[i] = INFINITY;
  for (int i = 0; i < usual.representers; i++)
    bring_best(POOL, i, n, pool, values);
}

static fcps_status add_context(fcps_outcome_search *search, int t, fcps_rng *rng, double *pool)
{
  const fcps_outcome_trials *trials = &search->trials;
  const double weight = search->act_probabilities[t] * search->act_probabilities[t];
  fcps_posterior *posterior = NULL;
  fcps_status status = fcps_outcome_search_posterior(search, t, &posterior);
  if (status != FCPS_OK) return status;
  choose_representers(search, posterior, t, rng, pool);
  status = fcps_posterior_failure(posterior);
  if (status == FCPS_OK)
    status = fcps_outcome_es_add(search->state, posterior, fcps_outcome_search_target(search, t),
                                 trials->own_environments, usual.representers, pool, weight, trials->error);
  fcps_posterior_destroy(posterior);
  return status;
}

static fcps_status prepare(fcps_outcome_search *search, fcps_rng rng)
{
  fcps_outcome_es *es = NULL;
  double *pool = fcps_allocate(POOL * ((size_t)search->trials.parameters + 1), sizeof(double));
  fcps_status status = pool != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK)
    status = fcps_outcome_es_create(&es, &usual, search->trials.model, CONTEXTS, FCPS_OUTCOME_TRIALS, search->seed);
  search->state = es;
  rng.index = UINT64_C(1) << 32; /* far behind the random numbers of the acts */
  for (int t = 0; t < CONTEXTS && status == FCPS_OK; t++)
    status = add_context(search, t, &rng, pool);
  free(pool);
  return status;
}

static void release(fcps_outcome_search *search)
{
  fcps_outcome_es_destroy(search->state);
}

static fcps_status gains(fcps_outcome_search *search, int count, double *values)
{
  (void)count; /* equals the number of candidates in search->candidates */
  return fcps_outcome_es_gains(search->state, search->candidates, values, search->trials.error);
}

static int main_act(const fcps_outcome_search *search)
{
  return fcps_outcome_es_main_context(search->state);
}

/* One entropy gain takes thousands of rewards. So this criterion compares fewer trials than variance reduction does. */
static const fcps_outcome_criterion criterion = {
    .candidates = 200,
    .narrowing = {.rounds = 3, .keep = 4, .moves = 8, .deviation = 0.1, .shrink = 0.4},
    .prepare = prepare,
    .release = release,
    .gains = gains,
    .main_act = main_act};

static fcps_status select_context(const fcps_context_decision *decision, double *context, double *x, fcps_error *error)
{
  return fcps_outcome_search_select(&criterion, decision, context, x, error);
}

const fcps_acquisition fcps_acquisition_outcome_es = {
    .name = "outcome-es", .needs_model = true, .select_context = select_context, .outputs = FCPS_OUTPUTS_OUTCOMES};
