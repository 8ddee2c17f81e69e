/* SPDX-License-Identifier: Apache-2.0 */
/* Gains in one context: the query that computes gains, and the search for the parameters with the largest gain.
 *
 * Invariants: a gain is the average over all samples of the hyper-parameters, times the probability that the trial does
 * not fail. The search needs no gradient, and only tries the levels of integers. */
#include "acquisition/information/gain.h"

#include "base/memory.h"
#include "gp/query.h"
#include "optim/optim.h"
#include "space/points.h"

#include <stdlib.h>
#include <string.h>

static const fcps_belief_settings belief_settings = {.pool = 600,
                                                     .best = 60,
                                                     .others = 60,
                                                     .draws = 128,
                                                     .representers = 40,
                                                     .samples = 512,
                                                     .outcomes = 10,
                                                     .maxima = 16,
                                                     .optimal_pairs = 32,
                                                     .places = 256};

/* The search compares random candidates and representers, then makes ever smaller steps. */
enum { CANDIDATES = 250 };
static const fcps_shrinking_search_settings narrowing = {
    .rounds = 3, .keep = 5, .moves = 10, .deviation = 0.12, .shrink = 0.45};

fcps_status fcps_gain_beliefs(const fcps_gain *gain, const fcps_belief_builder *builder, const fcps_model *model,
                              const fcps_gp_outputs *outputs, const double *context, fcps_belief *beliefs)
{
  fcps_status status = fcps_beliefs_create(builder, model, outputs, context, beliefs);
  for (int o = 0; o < outputs->outputs && status == FCPS_OK && gain->prepare != NULL; o++)
    if (!gain->prepare(&(fcps_belief_source){builder, model, outputs, o}, beliefs + o)) status = FCPS_ERR_MEMORY;
  for (int o = 0; o < outputs->outputs && status != FCPS_OK; o++)
    fcps_belief_destroy(beliefs + o);
  return status;
}

void fcps_gain_report(const fcps_gain *gain, const fcps_belief_builder *builder, const fcps_belief *belief,
                      fcps_decision_report *report)
{
  if (gain->report != NULL && report != NULL) gain->report(builder, belief, report);
}

void fcps_gain_query_close(fcps_gain_query *query)
{
  free(query->scratch);
  free(query->beta);
  fcps_candidates_destroy(&query->trials);
  fcps_belief_destroy(&query->belief);
  fcps_belief_builder_destroy(&query->builder);
}

fcps_status fcps_gain_query_open(fcps_gain_query *query, const fcps_gain *gain, const fcps_belief_settings *settings,
                                 fcps_posterior *posterior, int most, fcps_rng rng)
{
  fcps_gain_query *q = query;
  *q = (fcps_gain_query){.gain = gain,
                         .model = fcps_posterior_model(posterior),
                         .outputs = fcps_posterior_outputs(posterior),
                         .context = fcps_posterior_context(posterior)};
  fcps_status status = fcps_belief_builder_create(&q->builder, settings, q->model, rng);
  if (status == FCPS_OK) status = fcps_gain_beliefs(gain, &q->builder, q->model, q->outputs, q->context, &q->belief);
  if (status == FCPS_OK) status = fcps_candidates_create(&q->trials, q->model->gps.gp[0], most);
  if (status == FCPS_OK) {
    q->beta = fcps_allocate((size_t)q->outputs->count, sizeof(double));
    q->scratch = gain->scratch(&q->builder, most);
    if (q->beta == NULL || q->scratch == NULL) status = FCPS_ERR_MEMORY;
  }
  if (status == FCPS_OK)
    fcps_gp_whitened_weights(q->model->gps.gp[0], q->outputs, q->beta);
  else
    fcps_gain_query_close(q);
  return status;
}

void fcps_gain_query_values(fcps_gain_query *query, int count, const double *x, double *gains)
{
  fcps_gain_query *q = query;
  const fcps_model *model = q->model;
  const size_t dim = (size_t)model->layout.features, first = (size_t)model->layout.context.width,
               n = (size_t)q->builder.n;
  for (size_t i = 0; i < (size_t)count; i++) {
    double *features = q->trials.features + i * dim;
    memcpy(features, q->context, first * sizeof(double));
    fcps_embed(&model->layout.parameters, x + i * n, features + first);
    gains[i] = 0.0;
  }
  fcps_candidates_prepare(&q->trials, model->gps.gp[0], count);
  fcps_candidates_predict(&q->trials, model->gps.gp[0], q->outputs, q->beta, q->trials.mean);
  q->gain->add(&q->builder, model->gps.gp[0], &q->belief, &q->trials, q->scratch, gains);
}

/* One query per sample of the hyper-parameters; their gains are averaged. */
typedef struct gain_search {
  fcps_posterior *posterior;
  int count;
  fcps_gain_query *queries;
  double values[CANDIDATES]; /* the gains of one query */
  fcps_cost *cost;           /* cost of trials; NULL if all cost the same */
} gain_search;

static void gains_of(void *user, int n, int count, const double *points, double *values)
{
  gain_search *s = user;
  for (int i = 0; i < count; i++)
    values[i] = 0.0;
  for (int q = 0; q < s->count; q++) {
    fcps_gain_query_values(s->queries + q, count, points, s->values);
    for (int i = 0; i < count; i++)
      values[i] += s->values[i] / s->count;
  }
  /* a trial that fails tells nothing about rewards */
  fcps_posterior_scale_by_feasibility(s->posterior, count, points, values);
  if (s->cost != NULL) fcps_price_apply(&(fcps_price){.cost = s->cost}, n, count, points, values);
}

static fcps_status search(gain_search *s, const fcps_decision *decision, double *x)
{
  const size_t n = (size_t)decision->n;
  const fcps_belief *belief = &s->queries[0].belief;
  double *candidates = fcps_allocate(CANDIDATES * n, sizeof(double));
  if (candidates == NULL) return FCPS_ERR_MEMORY;
  const int known = belief->count < CANDIDATES ? belief->count : CANDIDATES;
  fcps_rng rng = decision->rng;
  memcpy(candidates, belief->x, (size_t)known * n * sizeof(double));
  fcps_points_uniform(&rng, decision->n, CANDIDATES - known, candidates + (size_t)known * n);
  fcps_levels_snap(decision->n, fcps_posterior_levels(decision->posterior), CANDIDATES, candidates);
  fcps_region_settle_all(fcps_posterior_region(decision->posterior), decision->n, CANDIDATES, candidates);
  const fcps_objective objective = {.n = decision->n,
                                    .batch = gains_of,
                                    .wraps = fcps_posterior_wraps(decision->posterior),
                                    .levels = fcps_posterior_levels(decision->posterior),
                                    .region = fcps_posterior_region(decision->posterior),
                                    .user = s};
  fcps_optimum optimum;
  const fcps_status status =
      fcps_shrinking_search_maximize(&objective, CANDIDATES, candidates, &narrowing, rng, x, &optimum);
  free(candidates);
  return status;
}

fcps_status fcps_gain_select(const fcps_decision *decision, double *x)
{
  gain_search s = {.posterior = decision->posterior, .cost = decision->cost};
  fcps_rng rng = decision->rng;
  rng.purpose = FCPS_PURPOSE_REPRESENT;
  size_t posteriors = 0;
  for (const fcps_posterior *posterior = decision->posterior; posterior != NULL;
       posterior = fcps_posterior_next(posterior))
    posteriors++;
  s.queries = fcps_allocate(posteriors, sizeof *s.queries);
  fcps_status status = s.queries != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (fcps_posterior *posterior = decision->posterior; posterior != NULL && status == FCPS_OK;
       posterior = fcps_posterior_next(posterior)) {
    status = fcps_gain_query_open(s.queries + s.count, decision->acquisition->gain, &belief_settings, posterior,
                                  CANDIDATES, rng);
    if (status == FCPS_OK)
      fcps_gain_report(decision->acquisition->gain, &s.queries[s.count].builder, &s.queries[s.count].belief,
                       decision->report);
    if (status == FCPS_OK) s.count++;
  }
  if (status == FCPS_OK) status = search(&s, decision, x);
  for (int q = 0; q < s.count; q++)
    fcps_gain_query_close(s.queries + q);
  free(s.queries);
  return status;
}
