/* SPDX-License-Identifier: Apache-2.0 */
#include "acquisition/information/gain.h"

#include "base/memory.h"
#include "gp/joint.h"
#include "space/points.h"

#include <stdlib.h>
#include <string.h>

static const fcps_belief_settings entropy_settings = {.pool = 600,
                                                      .best = 60,
                                                      .others = 60,
                                                      .draws = 128,
                                                      .representers = 40,
                                                      .samples = 512,
                                                      .outcomes = 10,
                                                      .maxima = 16,
                                                      .winners = 32};

/* The search: random candidates and representers, then ever smaller steps. */
enum { CANDIDATES = 250 };
static const fcps_shrinking_search_settings narrowing = {
    .rounds = 3, .keep = 5, .moves = 10, .deviation = 0.12, .shrink = 0.45};

fcps_status fcps_gain_beliefs(const fcps_gain *gain, const fcps_belief_builder *entropy, const fcps_model *model,
                              const fcps_gp_outputs *outputs, const double *context, fcps_belief *beliefs)
{
  fcps_status status = fcps_beliefs_create(entropy, model, outputs, context, beliefs);
  for (int o = 0; o < outputs->outputs && status == FCPS_OK && gain->study != NULL; o++)
    if (!gain->study(entropy, beliefs + o)) status = FCPS_ERR_MEMORY;
  for (int o = 0; o < outputs->outputs && status != FCPS_OK; o++)
    fcps_belief_destroy(beliefs + o);
  return status;
}

void fcps_gain_query_close(fcps_gain_query *question)
{
  free(question->scratch);
  free(question->beta);
  fcps_candidates_destroy(&question->trials);
  fcps_belief_destroy(&question->belief);
  fcps_belief_builder_destroy(&question->entropy);
}

fcps_status fcps_gain_query_open(fcps_gain_query *question, const fcps_gain *gain, const fcps_belief_settings *settings,
                                 fcps_posterior *posterior, int most, fcps_rng rng)
{
  fcps_gain_query *q = question;
  *q = (fcps_gain_query){.gain = gain,
                         .model = fcps_posterior_model(posterior),
                         .outputs = fcps_posterior_outputs(posterior),
                         .context = fcps_posterior_context(posterior)};
  fcps_status status = fcps_belief_builder_create(&q->entropy, settings, q->model, rng);
  if (status == FCPS_OK) status = fcps_gain_beliefs(gain, &q->entropy, q->model, q->outputs, q->context, &q->belief);
  if (status == FCPS_OK) status = fcps_candidates_create(&q->trials, q->model->gp, most);
  if (status == FCPS_OK) {
    q->beta = fcps_allocate((size_t)q->outputs->count, sizeof(double));
    q->scratch = gain->scratch(&q->entropy, most);
    if (q->beta == NULL || q->scratch == NULL) status = FCPS_ERR_MEMORY;
  }
  if (status == FCPS_OK)
    fcps_gp_whitened_weights(q->model->gp, q->outputs, q->beta);
  else
    fcps_gain_query_close(q);
  return status;
}

void fcps_gain_query_values(fcps_gain_query *question, int count, const double *x, double *gains)
{
  fcps_gain_query *q = question;
  const fcps_model *model = q->model;
  const size_t dim = (size_t)model->gp->dim, first = (size_t)model->context.width, n = (size_t)q->entropy.n;
  for (size_t i = 0; i < (size_t)count; i++) {
    double *features = q->trials.features + i * dim;
    memcpy(features, q->context, first * sizeof(double));
    fcps_embed(&model->parameters, x + i * n, features + first);
    gains[i] = 0.0;
  }
  fcps_candidates_prepare(&q->trials, model->gp, count);
  fcps_candidates_predict(&q->trials, model->gp, q->outputs, q->beta, q->trials.mean);
  q->gain->add(&q->entropy, model->gp, &q->belief, &q->trials, q->scratch, gains);
}

/* One question for each sample of the hyper-parameters; gains are averaged. A trial that fails tells nothing of
 * rewards: the chance that it does not weighs the average. */
typedef struct searching {
  fcps_posterior *posterior;
  int count;
  fcps_gain_query *questions;
  double values[CANDIDATES]; /* of one question */
} searching;

static void batch(void *user, int n, int count, const double *points, double *values)
{
  (void)n;
  searching *s = user;
  for (int i = 0; i < count; i++)
    values[i] = 0.0;
  for (int q = 0; q < s->count; q++) {
    fcps_gain_query_values(s->questions + q, count, points, s->values);
    for (int i = 0; i < count; i++)
      values[i] += s->values[i] / s->count;
  }
  fcps_posterior_weigh_by_feasibility(s->posterior, count, points, values);
}

static fcps_status search(searching *s, const fcps_decision *decision, double *x)
{
  const size_t n = (size_t)decision->n;
  const fcps_belief *belief = &s->questions[0].belief;
  double *candidates = fcps_allocate(CANDIDATES * n, sizeof(double));
  if (candidates == NULL) return FCPS_ERR_MEMORY;
  const int known = belief->count < CANDIDATES ? belief->count : CANDIDATES;
  fcps_rng rng = decision->rng;
  memcpy(candidates, belief->x, (size_t)known * n * sizeof(double));
  fcps_points_uniform(&rng, decision->n, CANDIDATES - known, candidates + (size_t)known * n);
  fcps_levels_snap(decision->n, fcps_posterior_levels(decision->posterior), CANDIDATES, candidates);
  const fcps_objective objective = {.n = decision->n,
                                    .batch = batch,
                                    .wraps = fcps_posterior_wraps(decision->posterior),
                                    .levels = fcps_posterior_levels(decision->posterior),
                                    .user = s};
  fcps_optimum optimum;
  const fcps_status status =
      fcps_shrinking_search_maximize(&objective, CANDIDATES, candidates, &narrowing, rng, x, &optimum);
  free(candidates);
  return status;
}

fcps_status fcps_gain_select(const fcps_decision *decision, const fcps_gain *gain, double *x)
{
  searching s = {.posterior = decision->posterior};
  fcps_rng rng = decision->rng;
  rng.purpose = FCPS_PURPOSE_REPRESENT;
  size_t posteriors = 0;
  for (const fcps_posterior *posterior = decision->posterior; posterior != NULL;
       posterior = fcps_posterior_next(posterior))
    posteriors++;
  s.questions = fcps_allocate(posteriors, sizeof *s.questions);
  fcps_status status = s.questions != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (fcps_posterior *posterior = decision->posterior; posterior != NULL && status == FCPS_OK;
       posterior = fcps_posterior_next(posterior)) {
    status = fcps_gain_query_open(s.questions + s.count, gain, &entropy_settings, posterior, CANDIDATES, rng);
    if (status == FCPS_OK) s.count++;
  }
  if (status == FCPS_OK) status = search(&s, decision, x);
  for (int q = 0; q < s.count; q++)
    fcps_gain_query_close(s.questions + q);
  free(s.questions);
  return status;
}
