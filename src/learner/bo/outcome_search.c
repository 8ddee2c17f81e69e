/* SPDX-License-Identifier: Apache-2.0 */
/* What a trial is worth is summed over contexts spread over the target space, each with what the greedy policy does
 * there (acts), and weighted by the chances that there is an outcome: of the trial, and of the act.
 *
 *   ivr   how much deviation of the outcome it takes where the policy acts (acquisition/ivr.h)
 *   es    how much it tells about which parameters are best (acquisition/outcome_es.h)
 */
#include "learner/bo/outcome_choice.h"

#include "base/memory.h"
#include "space/points.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACTS = FCPS_CHOICE_ACTS, TRIALS = FCPS_CHOICE_TRIALS };

/* The greedy searches are many and need not be fine. */
static const fcps_search_settings greedy_search = {
    .kind = FCPS_SEARCH_MULTISTART, .candidates = 300, .starts = 2, .local_budget = 20};

/* Trials that are looked at first, and the steps from the best of them. A gain of entropy costs thousands of
 * rewards. */
static const int candidates_of[] = {[FCPS_CHOICE_IVR] = TRIALS, [FCPS_CHOICE_ES] = 200};
static const fcps_shrinking_search_settings narrowing_of[] = {
    [FCPS_CHOICE_IVR] = {.rounds = 3, .keep = 5, .moves = 16, .deviation = 0.1, .shrink = 0.4},
    [FCPS_CHOICE_ES] = {.rounds = 3, .keep = 4, .moves = 8, .deviation = 0.1, .shrink = 0.4}};

/* Entropy search: contexts that are asked about, the first of the acts'. Representers of a context are what the policy
 * does there, steps from it, and what it does in other contexts. */
enum { ES_CONTEXTS = 32, ES_STEPS = 5 };
static const fcps_outcome_es_settings es_settings = {.representers = 12, .samples = 32, .outcomes = 8};
static const double step_deviation = 0.05;

/* The GP's inputs of a trial. */
static void fill_features(const fcps_outcome_choice *c, const double *trial, double *features)
{
  fcps_embed(&c->model->context, trial, features);
  fcps_embed(&c->model->parameters, trial + c->environments, features + c->model->context.width);
}

/* -- Acts -- */

static const double *target_of(const fcps_outcome_choice *c, int t)
{
  return c->targets + (size_t)t * (size_t)c->learner->problem.target.count;
}

/* Sees the model from the context of act t; the environment is in c->real_environments. */
static fcps_status see(fcps_outcome_choice *c, int t, fcps_posterior **posterior)
{
  const double *trial = c->greedy + (size_t)t * (size_t)(c->environments + c->parameters);
  fcps_space_from_unit(&c->learner->problem.environment, trial, c->real_environments);
  return fcps_posterior_create(posterior, c->model, target_of(c, t), c->real_environments, c->error);
}

/* What the greedy policy does in the context of act t. */
static fcps_status act(fcps_outcome_choice *c, int t, fcps_rng rng)
{
  double *trial = c->greedy + t * (c->environments + c->parameters);
  fcps_posterior *posterior = NULL;
  fcps_optimum optimum;
  fcps_status status = see(c, t, &posterior);
  if (status == FCPS_OK)
    status = fcps_search_moments(posterior, &fcps_moment_objective_mean, &greedy_search, rng, trial + c->environments,
                                 &optimum);
  fcps_posterior_destroy(posterior);
  return status;
}

/* Contexts spread over the target space, and what the policy does there. */
static fcps_status find_acts(fcps_outcome_choice *c, fcps_rng rng)
{
  const fcps_problem *problem = &c->learner->problem;
  const int width = c->environments + c->parameters, targets = problem->target.count;
  double *x = fcps_allocate((size_t)(ACTS * targets), sizeof(double));
  if (x == NULL) return FCPS_ERR_MEMORY;
  fcps_points_halton(&rng, targets, 0, ACTS, x);
  fcps_status status = FCPS_OK;
  for (int t = 0; t < ACTS && status == FCPS_OK; t++) {
    fcps_space_from_unit(&problem->target, x + t * targets, c->targets + t * targets);
    status = fcps_choice_draw(c, &rng, c->greedy + t * width);
    if (status == FCPS_OK) status = act(c, t, rng);
  }
  free(x);
  return status == FCPS_OK ? fcps_choice_chances(c, ACTS, c->greedy) : status;
}

/* -- Criteria -- */

/* Scales of the outcomes of each part, as shares of the largest: deviations are summed in the outcomes' own units. */
static fcps_status find_scales(const fcps_outcome_choice *c, double *scales)
{
  fcps_gp_outputs outputs = {0};
  double largest = 0.0;
  const fcps_status status = fcps_model_condition(c->model, 1, c->targets, &outputs, c->error);
  for (int i = 0; i < c->parts && status == FCPS_OK; i++)
    largest = fmax(largest, outputs.scale[i]);
  for (int i = 0; i < c->parts && status == FCPS_OK; i++)
    scales[i] = outputs.scale[i] / largest;
  fcps_gp_outputs_destroy(&outputs);
  return status;
}

static fcps_status prepare_ivr(fcps_outcome_choice *c)
{
  const int width = c->environments + c->parameters, dim = c->model->gp->dim;
  double scales[FCPS_SPACE_MAX];
  const fcps_status status = find_scales(c, scales);
  for (int i = 0; i < c->parts && status == FCPS_OK; i++) {
    for (int t = 0; t < ACTS; t++) {
      fill_features(c, c->greedy + t * width, c->ivr[i].features + t * dim);
      c->ivr[i].weight[t] = scales[i] * c->chances[t] * c->chances[t];
    }
    fcps_ivr_prepare(c->ivr + i, fcps_model_gp(c->model, i));
  }
  return status;
}

/* Moves the row with the largest value at or after `place` to it, and swaps the values. */
static void bring_best(int count, int place, size_t n, double *rows, double *values)
{
  int best = place;
  for (int i = place + 1; i < count; i++)
    if (values[i] > values[best]) best = i;
  const double value = values[place];
  values[place] = values[best];
  values[best] = value;
  for (size_t d = 0; d < n; d++) {
    double *a = rows + (size_t)place * n + d, *b = rows + (size_t)best * n + d, kept = *a;
    *a = *b;
    *b = kept;
  }
}

/* Steps from `from`, in the unit cube. */
static void draw_steps(const fcps_outcome_choice *c, fcps_rng *rng, const double *from, double *steps)
{
  const bool *wraps = c->wraps + c->environments;
  for (int i = 0; i < ES_STEPS * c->parameters; i++) {
    const int d = i % c->parameters;
    const double x = from[d] + step_deviation * fcps_rng_normal(rng);
    steps[i] = wraps[d] ? x - floor(x) : fmin(fmax(x, 0.0), 1.0);
  }
}

/* The representers of act t: what the policy does there, steps from that, and the parameters of other acts that the
 * model thinks best here. `pool` has ACTS + ES_STEPS rows of parameters and as many values. */
static fcps_status add_context(fcps_outcome_choice *c, int t, fcps_rng *rng, double *pool)
{
  enum { POOL = ACTS + ES_STEPS };
  const size_t n = (size_t)c->parameters, width = n + (size_t)c->environments;
  double *values = pool + POOL * n;
  for (size_t i = 0; i < ACTS; i++)
    memcpy(pool + i * n, c->greedy + i * width + (size_t)c->environments, n * sizeof(double));
  draw_steps(c, rng, pool + (size_t)t * n, pool + ACTS * n);
  fcps_posterior *posterior = NULL;
  fcps_status status = see(c, t, &posterior);
  if (status != FCPS_OK) return status;
  fcps_posterior_moments(posterior, POOL, pool, values, NULL);
  values[t] = INFINITY;
  for (int i = ACTS; i < POOL; i++)
    values[i] = INFINITY;
  for (int i = 0; i < es_settings.representers; i++)
    bring_best(POOL, i, n, pool, values);
  const double weight = c->chances[t] * c->chances[t];
  status = fcps_posterior_failure(posterior);
  if (status == FCPS_OK)
    status = fcps_outcome_es_add(c->es, posterior, target_of(c, t), c->real_environments, es_settings.representers,
                                 pool, weight, c->error);
  fcps_posterior_destroy(posterior);
  return status;
}

static fcps_status prepare_es(fcps_outcome_choice *c, fcps_rng rng)
{
  double *pool = fcps_allocate((ACTS + ES_STEPS) * ((size_t)c->parameters + 1), sizeof(double));
  fcps_status status = pool != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  rng.index = UINT64_C(1) << 32; /* far behind the numbers of the acts */
  for (int t = 0; t < ES_CONTEXTS && status == FCPS_OK; t++)
    status = add_context(c, t, &rng, pool);
  free(pool);
  return status;
}

/* Acts and what follows from them for the criterion. */
static fcps_status prepare(fcps_outcome_choice *c, fcps_rng rng)
{
  const fcps_status status = find_acts(c, rng);
  if (status != FCPS_OK) return status;
  return c->criterion == FCPS_CHOICE_ES ? prepare_es(c, rng) : prepare_ivr(c);
}

/* -- Search -- */

/* Variance reduction in all parts. */
static void ivr_gains(fcps_outcome_choice *c, int count, double *values)
{
  double one[TRIALS];
  for (int p = 0; p < c->parts; p++) {
    fcps_ivr_gains(c->ivr + p, fcps_model_gp(c->model, p), c->trials + p, p == 0 ? values : one);
    for (int i = 0; i < count && p > 0; i++)
      values[i] += one[i];
  }
}

/* Dimensions that are not free stay: the search would move them, so it works on copies in which they are put back. */
static void gains(void *user, int n, int count, const double *points, double *values)
{
  fcps_outcome_choice *c = user;
  fcps_status status = FCPS_OK;
  memcpy(c->trials_free, points, (size_t)(count * n) * sizeof(double));
  for (int i = 0; i < count; i++)
    fcps_choice_hold_fixed(c, c->trials_free + i * n);
  for (int p = 0; p < c->parts; p++) {
    for (int i = 0; i < count; i++)
      fill_features(c, c->trials_free + i * n, c->trials[p].features + i * c->model->gp->dim);
    fcps_candidates_prepare(c->trials + p, fcps_model_gp(c->model, p), count);
  }
  if (c->criterion == FCPS_CHOICE_ES)
    status = fcps_outcome_es_gains(c->es, c->trials, values, c->error);
  else
    ivr_gains(c, count, values);
  if (status == FCPS_OK) status = fcps_choice_chances(c, count, c->trials_free);
  if (c->failure == FCPS_OK) c->failure = status;
  for (int i = 0; i < count; i++)
    values[i] *= c->chances[i] * c->chances[i];
}

/* The acts themselves and random trials as candidates, then ever smaller steps. */
static fcps_status search(fcps_outcome_choice *c, fcps_rng rng, double *trial)
{
  const int width = c->environments + c->parameters, count = candidates_of[c->criterion];
  double *candidates = fcps_allocate((size_t)(count * width), sizeof(double));
  if (candidates == NULL) return FCPS_ERR_MEMORY;
  memcpy(candidates, c->greedy, (size_t)(ACTS * width) * sizeof(double));
  fcps_status status = FCPS_OK;
  for (int i = ACTS; i < count && status == FCPS_OK; i++)
    status = fcps_choice_draw(c, &rng, candidates + i * width);
  const fcps_objective objective = {.n = width, .batch = gains, .wraps = c->wraps, .user = c};
  fcps_optimum optimum;
  if (status == FCPS_OK)
    status = fcps_shrinking_search_maximize(&objective, count, candidates, narrowing_of + c->criterion, rng, trial,
                                            &optimum);
  free(candidates);
  return status == FCPS_OK ? c->failure : status;
}

/* The target whose act the trial helps most. */
static int main_target(fcps_outcome_choice *c, double *trial)
{
  double value;
  gains(c, c->environments + c->parameters, 1, trial, &value);
  return c->criterion == FCPS_CHOICE_ES ? fcps_outcome_es_main_context(c->es) : fcps_ivr_main_act(c->ivr, c->trials, 0);
}

/* Room for the criterion and the trials in every part. */
static fcps_status open_search(fcps_outcome_choice *c)
{
  fcps_status status = FCPS_OK;
  c->ivr = fcps_allocate((size_t)c->parts, sizeof *c->ivr);
  c->trials = fcps_allocate((size_t)c->parts, sizeof *c->trials);
  if (c->ivr == NULL || c->trials == NULL) return FCPS_ERR_MEMORY;
  if (c->criterion == FCPS_CHOICE_ES)
    status = fcps_outcome_es_create(&c->es, &es_settings, c->model, ES_CONTEXTS, TRIALS, c->learner->seed);
  for (int i = 0; i < c->parts && status == FCPS_OK; i++) {
    const fcps_gp *gp = fcps_model_gp(c->model, i);
    status = fcps_candidates_create(c->trials + i, gp, TRIALS);
    if (status == FCPS_OK && c->criterion == FCPS_CHOICE_IVR) status = fcps_ivr_create(c->ivr + i, gp, ACTS, TRIALS);
  }
  return status;
}

static void close_search(fcps_outcome_choice *c)
{
  for (int i = 0; i < c->parts && c->ivr != NULL && c->trials != NULL; i++) {
    fcps_ivr_destroy(c->ivr + i);
    fcps_candidates_destroy(c->trials + i);
  }
  free(c->ivr);
  free(c->trials);
  fcps_outcome_es_destroy(c->es);
}

fcps_status fcps_choice_search(fcps_outcome_choice *c, int64_t id, double *trial, int *helped)
{
  const uint64_t seed = c->learner->seed, ask = (uint64_t)id;
  c->parts = fcps_model_gp_count(c->model);
  fcps_status status = open_search(c);
  if (status == FCPS_OK) status = prepare(c, fcps_rng_stream(seed, FCPS_PURPOSE_REPRESENT, ask));
  if (status == FCPS_OK) status = search(c, fcps_rng_stream(seed, FCPS_PURPOSE_SEARCH, ask), trial);
  if (status == FCPS_OK) *helped = main_target(c, trial);
  if (status == FCPS_OK) fcps_choice_hold_fixed(c, trial);
  close_search(c);
  return status == FCPS_OK ? c->failure : status;
}
