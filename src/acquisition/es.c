/* SPDX-License-Identifier: Apache-2.0 */
/* Entropy search in the context of the ask: the trial that is expected to tell most about the best parameters there
 * [hennig2012; pinsler2019, Sec. V-A]. */
#include "acquisition/acquisition.h"
#include "acquisition/entropy.h"

#include "base/memory.h"
#include "space/points.h"

#include <stdlib.h>
#include <string.h>

static const fcps_entropy_settings settings = {
    .pool = 600, .best = 60, .others = 60, .draws = 128, .representers = 40, .samples = 512, .outcomes = 10};

/* The search: random candidates and representers, then ever smaller steps. */
enum { CANDIDATES = 250 };
static const fcps_narrow_settings narrowing = {.rounds = 3, .keep = 5, .moves = 10, .deviation = 0.12, .shrink = 0.45};

typedef struct question {
  fcps_entropy entropy;
  const fcps_model *model;
  const double *context; /* features */
  fcps_belief belief;
  fcps_trials trials;
  void *scratch;
} question;

static void gains(void *user, int n, int count, const double *points, double *values)
{
  question *q = user;
  const size_t dim = (size_t)q->model->gp->dim, first = (size_t)q->model->context.width;
  for (size_t i = 0; i < (size_t)count; i++) {
    double *features = q->trials.features + i * dim;
    memcpy(features, q->context, first * sizeof(double));
    fcps_embed(&q->model->parameters, points + i * (size_t)n, features + first);
    values[i] = 0.0;
  }
  fcps_trials_prepare(&q->trials, q->model->gp, count);
  fcps_belief_gain(&q->entropy, q->model->gp, &q->belief, &q->trials, q->scratch, values);
}

static fcps_status search(question *q, const fcps_decision *decision, double *unit)
{
  const size_t n = (size_t)decision->n;
  double *candidates = fcps_allocate(CANDIDATES * n, sizeof(double));
  if (candidates == NULL) return FCPS_ERR_MEMORY;
  const int known = q->belief.count < CANDIDATES ? q->belief.count : CANDIDATES;
  fcps_rng rng = decision->rng;
  memcpy(candidates, q->belief.unit, (size_t)known * n * sizeof(double));
  fcps_points_uniform(&rng, decision->n, CANDIDATES - known, candidates + (size_t)known * n);
  const fcps_objective objective = {
      .n = decision->n, .batch = gains, .wraps = fcps_view_wraps(decision->view), .user = q};
  fcps_optimum optimum;
  const fcps_status status = fcps_narrow_maximize(&objective, CANDIDATES, candidates, &narrowing, rng, unit, &optimum);
  free(candidates);
  return status;
}

static fcps_status select_es(const fcps_decision *decision, double *unit)
{
  question q = {.model = fcps_view_model(decision->view), .context = fcps_view_context(decision->view)};
  fcps_rng rng = decision->rng;
  rng.purpose = FCPS_PURPOSE_REPRESENT;
  fcps_status status = fcps_entropy_create(&q.entropy, &settings, q.model, rng);
  if (status == FCPS_OK)
    status = fcps_beliefs_create(&q.entropy, q.model, fcps_view_outputs(decision->view), q.context, &q.belief);
  if (status == FCPS_OK) status = fcps_trials_create(&q.trials, q.model->gp, CANDIDATES);
  if (status == FCPS_OK) {
    q.scratch = fcps_gain_scratch(&q.entropy, CANDIDATES);
    status = q.scratch != NULL ? search(&q, decision, unit) : FCPS_ERR_MEMORY;
  }
  free(q.scratch);
  fcps_trials_destroy(&q.trials);
  fcps_belief_destroy(&q.belief);
  fcps_entropy_destroy(&q.entropy);
  return status;
}

const fcps_acquisition fcps_acquisition_es = {"es", true, select_es, true};
