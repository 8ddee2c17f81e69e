/* SPDX-License-Identifier: Apache-2.0 */
#include "acquisition/gain.h"

#include "base/memory.h"
#include "linalg/dense.h"
#include "space/points.h"

#include <stdlib.h>
#include <string.h>

const fcps_entropy_settings fcps_gain_settings = {
    .pool = 600, .best = 60, .others = 60, .draws = 128, .representers = 40, .samples = 512, .outcomes = 10};

/* The search: random candidates and representers, then ever smaller steps. */
enum { CANDIDATES = 250 };
static const fcps_narrow_settings narrowing = {.rounds = 3, .keep = 5, .moves = 10, .deviation = 0.12, .shrink = 0.45};

void fcps_question_close(fcps_question *question)
{
  free(question->scratch);
  free(question->beta);
  fcps_trials_destroy(&question->trials);
  fcps_belief_destroy(&question->belief);
  fcps_entropy_destroy(&question->entropy);
}

/* The mean of a point from its whitened covariances; pending rows have no output. */
static double mean_of(const fcps_question *q, const double *whitened)
{
  return fcps_dot(q->outputs->count, whitened, q->beta);
}

/* beta = L' alpha by the leading block of the factor, then the means of the representers. */
static fcps_status find_means(fcps_question *q, int most)
{
  const fcps_gp *gp = q->model->gp;
  const size_t rows = (size_t)q->outputs->count, m = (size_t)q->belief.count;
  q->beta = fcps_allocate(rows + m + (size_t)most, sizeof(double));
  if (q->beta == NULL) return FCPS_ERR_MEMORY;
  q->mu = q->beta + rows;
  q->mean = q->mu + m;
  for (size_t j = 0; j < rows; j++)
    q->beta[j] = fcps_dot((int)(rows - j), gp->factor + j * (size_t)gp->capacity + j, q->outputs->alpha + j);
  for (size_t i = 0; i < m; i++)
    q->mu[i] = mean_of(q, q->belief.whitened + i * (size_t)gp->factored);
  return FCPS_OK;
}

fcps_status fcps_question_open(fcps_question *question, const fcps_gain *gain, const fcps_entropy_settings *settings,
                               fcps_view *view, int most, fcps_rng rng)
{
  *question = (fcps_question){
      .model = fcps_view_model(view), .outputs = fcps_view_outputs(view), .context = fcps_view_context(view)};
  fcps_status status = fcps_entropy_create(&question->entropy, settings, question->model, rng);
  if (status == FCPS_OK)
    status = fcps_beliefs_create(&question->entropy, question->model, question->outputs, question->context,
                                 &question->belief);
  if (status == FCPS_OK) status = fcps_trials_create(&question->trials, question->model->gp, most);
  if (status == FCPS_OK) status = find_means(question, most);
  if (status == FCPS_OK) {
    question->scratch = gain->prepare(question, most);
    if (question->scratch == NULL) status = FCPS_ERR_MEMORY;
  }
  if (status != FCPS_OK) fcps_question_close(question);
  return status;
}

void fcps_question_ask(fcps_question *question, int count, const double *unit)
{
  const fcps_model *model = question->model;
  const size_t dim = (size_t)model->gp->dim, first = (size_t)model->context.width, n = (size_t)question->entropy.n;
  for (size_t i = 0; i < (size_t)count; i++) {
    double *features = question->trials.features + i * dim;
    memcpy(features, question->context, first * sizeof(double));
    fcps_embed(&model->parameters, unit + i * n, features + first);
  }
  fcps_trials_prepare(&question->trials, model->gp, count);
  for (size_t i = 0; i < (size_t)count; i++)
    question->mean[i] = mean_of(question, question->trials.whitened + i * (size_t)model->gp->factored);
}

/* One question for each sample of the hyper-parameters; gains are averaged. */
typedef struct searching {
  int count;
  fcps_question *questions;
  const fcps_gain *gain;
  double values[CANDIDATES]; /* of one question */
} searching;

static void batch(void *user, int n, int count, const double *points, double *values)
{
  (void)n;
  searching *s = user;
  for (int i = 0; i < count; i++)
    values[i] = 0.0;
  for (int q = 0; q < s->count; q++) {
    fcps_question_ask(s->questions + q, count, points);
    s->gain->gains(s->questions + q, s->values);
    for (int i = 0; i < count; i++)
      values[i] += s->values[i] / s->count;
  }
}

static fcps_status search(searching *s, const fcps_decision *decision, double *unit)
{
  const size_t n = (size_t)decision->n;
  const fcps_belief *belief = &s->questions[0].belief;
  double *candidates = fcps_allocate(CANDIDATES * n, sizeof(double));
  if (candidates == NULL) return FCPS_ERR_MEMORY;
  const int known = belief->count < CANDIDATES ? belief->count : CANDIDATES;
  fcps_rng rng = decision->rng;
  memcpy(candidates, belief->unit, (size_t)known * n * sizeof(double));
  fcps_points_uniform(&rng, decision->n, CANDIDATES - known, candidates + (size_t)known * n);
  const fcps_objective objective = {
      .n = decision->n, .batch = batch, .wraps = fcps_view_wraps(decision->view), .user = s};
  fcps_optimum optimum;
  const fcps_status status = fcps_narrow_maximize(&objective, CANDIDATES, candidates, &narrowing, rng, unit, &optimum);
  free(candidates);
  return status;
}

fcps_status fcps_gain_select(const fcps_decision *decision, const fcps_gain *gain, double *unit)
{
  searching s = {.gain = gain};
  fcps_rng rng = decision->rng;
  rng.purpose = FCPS_PURPOSE_REPRESENT;
  size_t views = 0;
  for (const fcps_view *view = decision->view; view != NULL; view = fcps_view_next(view))
    views++;
  s.questions = fcps_allocate(views, sizeof *s.questions);
  fcps_status status = s.questions != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (fcps_view *view = decision->view; view != NULL && status == FCPS_OK; view = fcps_view_next(view)) {
    status = fcps_question_open(s.questions + s.count, gain, &fcps_gain_settings, view, CANDIDATES, rng);
    if (status == FCPS_OK) s.count++;
  }
  if (status == FCPS_OK) status = search(&s, decision, unit);
  for (int q = 0; q < s.count; q++)
    fcps_question_close(s.questions + q);
  free(s.questions);
  return status;
}
