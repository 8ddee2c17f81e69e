/* SPDX-License-Identifier: Apache-2.0 */
/* Joint samples of outcomes: o = mean + scale L z, with the factor L of the posterior covariance of the
 * representers. */
#include "acquisition/contextual/outcome_search.h"

#include "base/memory.h"
#include "gp/query.h"
#include "linalg/dense.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* This share of sf^2 is added to the diagonal of covariances, because representers may be close together. */
static const double jitter = 1e-7;

void fcps_outcome_belief_destroy(fcps_outcome_belief *belief)
{
  for (int i = 0; i < belief->gp_count && belief->part != NULL; i++)
    fcps_belief_destroy(belief->part + i);
  free(belief->part);
  free(belief->numbers);
  *belief = (fcps_outcome_belief){0};
}

/* Allocates the arrays of one part. */
static bool allocate_part(const fcps_gp *gp, int count, fcps_belief *b)
{
  const size_t m = (size_t)count, dim = (size_t)gp->dim, rows = (size_t)gp->factored;
  b->count = count;
  b->block = fcps_allocate(m * dim + m * rows + m * m, sizeof(double));
  if (b->block == NULL) return false;
  b->features = b->block;
  b->whitened = b->features + m * dim;
  b->factor = b->whitened + m * rows;
  return true;
}

static bool allocate(const fcps_model *model, int samples, fcps_outcome_belief *b)
{
  const fcps_problem *problem = model->problem;
  const size_t m = (size_t)b->count, rows = m * (size_t)samples, q = (size_t)problem->outcome.count;
  const size_t e = (size_t)problem->environment.count, p = (size_t)problem->parameters.count;
  const size_t gp_count = (size_t)b->gp_count, features = (size_t)model->layout.features;
  b->part = fcps_allocate(gp_count, sizeof *b->part);
  b->numbers = fcps_allocate((gp_count + 2) * m + rows * (q + e + p) + m * features, sizeof(double));
  if (b->part == NULL || b->numbers == NULL) return false;
  b->variance = b->numbers;
  b->probability = b->variance + gp_count * m;
  b->otherwise = b->probability + m;
  b->outcomes = b->otherwise + m;
  b->environments = b->outcomes + rows * q;
  b->parameters = b->environments + rows * e;
  b->rows = b->parameters + rows * p;
  for (int i = 0; i < b->gp_count; i++)
    if (!allocate_part(fcps_model_gp(model, i), b->count, b->part + i)) return false;
  return true;
}

/* Computes for one GP the features of the representers, their whitened covariances with the rows, and the factor of
 * their posterior covariance.
 */
static fcps_status factorize(const fcps_model *model, const fcps_posterior *posterior, int part, const double *x,
                             fcps_gp_work *work, fcps_outcome_belief *b)
{
  const fcps_gp *gp = fcps_model_gp(model, part);
  fcps_belief *r = b->part + part;
  const size_t m = (size_t)r->count, dim = (size_t)gp->dim, n = (size_t)model->layout.parameters.count;
  const size_t features = (size_t)model->layout.features, first = (size_t)model->layout.context.width;
  double *backup = fcps_allocate(m * m, sizeof(double));
  if (backup == NULL) return FCPS_ERR_MEMORY;
  for (size_t i = 0; i < m; i++) {
    memcpy(b->rows + i * features, fcps_posterior_context(posterior), first * sizeof(double));
    fcps_embed(&model->layout.parameters, x + i * n, b->rows + i * features + first);
    fcps_model_see(model, b->rows + i * features, r->features + i * dim);
  }
  const fcps_gp_query query = {.count = r->count, .points = r->features, .whitened = r->whitened};
  fcps_gp_predict(gp, NULL, &query, work);
  fcps_gp_covariance_within(gp, (fcps_gp_points){r->count, r->features, r->whitened}, jitter, r->factor);
  for (size_t i = 0; i < m; i++)
    b->variance[(size_t)part * m + i] = r->factor[i * m + i];
  const fcps_status status = fcps_chol_factor(r->count, r->factor, r->count, backup, NULL);
  free(backup);
  return status;
}

/* Draws outcomes (m x S rows) as mean + scale L z, with the factor L of the outcome's GP. */
static fcps_status draw_outcomes(const fcps_model *model, const fcps_gp_outputs *outputs,
                                 const fcps_outcome_normals *normals, fcps_gp_work *work, fcps_outcome_belief *b)
{
  const size_t m = (size_t)b->count, q = (size_t)outputs->outputs, samples = (size_t)normals->samples;
  double *mean = fcps_allocate(m * q, sizeof(double));
  if (mean == NULL) return FCPS_ERR_MEMORY;
  const fcps_gp_query query = {.count = b->count, .points = b->rows, .mean = mean};
  fcps_model_predict(model, outputs, &query, work);
  for (size_t i = 0; i < m; i++)
    fcps_model_see_outcome(model, b->rows + i * (size_t)model->layout.features, mean + i * q);
  for (size_t i = 0; i < m; i++)
    for (size_t s = 0; s < samples; s++)
      for (size_t o = 0; o < q; o++) {
        const double *factor = b->part[b->gp_count > 1 ? o : 0].factor;
        const double *z = normals->z + (o * samples + s) * (size_t)normals->most;
        double sum = 0.0;
        for (size_t l = 0; l <= i; l++)
          sum += factor[l * m + i] * z[l];
        b->outcomes[(i * samples + s) * q + o] = mean[i * q + o] + outputs->scale[o] * sum;
      }
  free(mean);
  return FCPS_OK;
}

/* Writes the environment and the parameters of every row. */
static void fill_rows(const fcps_problem *problem, int samples, const double *environment, const double *x,
                      fcps_outcome_belief *b)
{
  const size_t e = (size_t)problem->environment.count, p = (size_t)problem->parameters.count;
  for (size_t i = 0; i < (size_t)b->count; i++)
    for (size_t s = 0; s < (size_t)samples; s++) {
      const size_t row = i * (size_t)samples + s;
      if (e > 0) memcpy(b->environments + row * e, environment, e * sizeof(double));
      fcps_space_from_unit(&problem->parameters, x + i * p, b->parameters + row * p);
    }
}

/* Finds for each representer the probability that its trial has an outcome and does not fail, and the reward without an
 * outcome. */
static fcps_status find_feasibility(const fcps_model *model, int samples, fcps_outcome_belief *b, fcps_error *error)
{
  const fcps_problem *problem = model->problem;
  const size_t e = (size_t)problem->environment.count, p = (size_t)problem->parameters.count;
  const bool present = false;
  double *none = fcps_allocate((size_t)problem->outcome.count, sizeof(double));
  fcps_status status = none != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (size_t i = 0; i < (size_t)b->count && status == FCPS_OK; i++) {
    const size_t row = i * (size_t)samples;
    const double *environment = b->environments + row * e, *parameters = b->parameters + row * p;
    status = fcps_feasibility_chances(&model->feasibility, &model->layout, 1, environment, parameters,
                                      b->probability + i, error);
    if (status == FCPS_OK)
      status =
          fcps_problem_score(problem, 1, b->target, environment, parameters, none, &present, b->otherwise + i, error);
    if (isfinite(b->otherwise[i])) continue;
    b->otherwise[i] = 0.0; /* if this reward is not known, the trial counts as certain to have an outcome */
    b->probability[i] = 1.0;
  }
  free(none);
  return status;
}

fcps_status fcps_outcome_belief_create(fcps_outcome_belief *belief, const fcps_posterior *posterior,
                                       const double *target, const double *environment, int count, const double *x,
                                       const fcps_outcome_normals *normals, fcps_error *error)
{
  const fcps_model *model = fcps_posterior_model(posterior);
  *belief = (fcps_outcome_belief){.count = count, .gp_count = fcps_model_gp_count(model), .target = target};
  fcps_gp_work work = {0};
  fcps_status status = allocate(model, normals->samples, belief) ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_model_reserve(&work, model, count);
  for (int i = 0; i < belief->gp_count && status == FCPS_OK; i++)
    status = factorize(model, posterior, i, x, &work, belief);
  if (status == FCPS_OK) status = draw_outcomes(model, fcps_posterior_outputs(posterior), normals, &work, belief);
  fcps_gp_work_destroy(&work);
  if (status == FCPS_OK) fill_rows(model->problem, normals->samples, environment, x, belief);
  if (status == FCPS_OK) status = find_feasibility(model, normals->samples, belief, error);
  if (status != FCPS_OK) fcps_outcome_belief_destroy(belief);
  return status;
}
