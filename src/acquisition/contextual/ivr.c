/* SPDX-License-Identifier: Apache-2.0 */
/* Integrated variance reduction: chooses the trial that most reduces the deviations of the outcomes at the points at
 * which the greedy policy acts. The formula and its symbols are in the header; acts and search are in outcome_search.c.
 *
 * With one GP per outcome the gains are summed in the outcomes' own units.
 *
 * Invariant: gains are never negative, and need no random numbers. */
#include "acquisition/contextual/outcome_search.h"

#include "base/memory.h"
#include "gp/query.h"

#include <math.h>
#include <stdlib.h>

/* -- One GP -- */

fcps_status fcps_ivr_create(fcps_ivr *ivr, const fcps_gp *gp, int count, int most)
{
  const size_t acts = (size_t)count, dim = (size_t)gp->dim;
  *ivr = (fcps_ivr){.count = count};
  ivr->features = fcps_allocate(acts * dim, sizeof(double));
  ivr->whitened = fcps_allocate(acts * (size_t)gp->factored, sizeof(double));
  ivr->variance = fcps_allocate(acts, sizeof(double));
  ivr->weight = fcps_allocate(acts, sizeof(double));
  ivr->covariance = fcps_allocate(acts * (size_t)most, sizeof(double));
  const bool has_room = ivr->features != NULL && ivr->whitened != NULL && ivr->variance != NULL &&
                        ivr->weight != NULL && ivr->covariance != NULL;
  const fcps_status status = has_room ? fcps_gp_work_reserve(&ivr->work, gp, 0) : FCPS_ERR_MEMORY;
  if (status != FCPS_OK) fcps_ivr_destroy(ivr);
  return status;
}

void fcps_ivr_destroy(fcps_ivr *ivr)
{
  free(ivr->features);
  free(ivr->whitened);
  free(ivr->variance);
  free(ivr->weight);
  free(ivr->covariance);
  fcps_gp_work_destroy(&ivr->work);
  *ivr = (fcps_ivr){0};
}

void fcps_ivr_prepare(fcps_ivr *ivr, const fcps_gp *gp)
{
  const fcps_gp_query query = {
      .count = ivr->count, .points = ivr->features, .variance = ivr->variance, .whitened = ivr->whitened};
  fcps_gp_predict(gp, NULL, &query, &ivr->work);
}

/* Returns by how much a trial reduces the weighted deviation of act t. `variance` is that of the trial, c its
 * covariance with the act. */
static double shrinkage(const fcps_ivr *ivr, int t, double c, double variance)
{
  return ivr->weight[t] * (sqrt(ivr->variance[t]) - sqrt(fmax(ivr->variance[t] - c * c / variance, 0.0)));
}

void fcps_ivr_gains(const fcps_ivr *ivr, const fcps_gp *gp, const fcps_candidates *trials, double *gains)
{
  const int m = ivr->count;
  fcps_gp_covariance_between(gp, (fcps_gp_points){m, ivr->features, ivr->whitened},
                             (fcps_gp_points){trials->count, trials->features, trials->whitened}, ivr->covariance);
  for (int i = 0; i < trials->count; i++) {
    gains[i] = 0.0;
    for (int t = 0; t < m; t++)
      gains[i] += shrinkage(ivr, t, ivr->covariance[(size_t)i * (size_t)m + (size_t)t], trials->variance[i]);
  }
}

int fcps_ivr_main_act(const fcps_ivr *ivr, const fcps_candidates *trials, int index)
{
  const double *c = ivr->covariance + (size_t)index * (size_t)ivr->count;
  int best = 0;
  for (int t = 1; t < ivr->count; t++)
    if (shrinkage(ivr, t, c[t], trials->variance[index]) > shrinkage(ivr, best, c[best], trials->variance[index]))
      best = t;
  return best;
}

/* -- The acquisition -- */

/* search->state is an array with one fcps_ivr per GP. */
static fcps_ivr *state_of(const fcps_outcome_search *search)
{
  return search->state;
}

static void release(fcps_outcome_search *search)
{
  fcps_ivr *ivr = state_of(search);
  for (int p = 0; p < search->gp_count && ivr != NULL; p++)
    fcps_ivr_destroy(ivr + p);
  free(ivr);
}

/* Writes the scale of each GP's outcome as a share of the largest, because deviations are summed in the outcomes' own
 * units. */
static fcps_status find_scales(const fcps_outcome_search *search, double *scales)
{
  fcps_gp_outputs outputs = {0};
  double largest = 0.0;
  const fcps_status status =
      fcps_model_condition(search->trials.model, 1, search->targets, &outputs, search->trials.error);
  for (int p = 0; p < search->gp_count && status == FCPS_OK; p++)
    largest = fmax(largest, outputs.scale[p]);
  for (int p = 0; p < search->gp_count && status == FCPS_OK; p++)
    scales[p] = outputs.scale[p] / largest;
  fcps_gp_outputs_destroy(&outputs);
  return status;
}

static fcps_status prepare(fcps_outcome_search *search, fcps_rng rng)
{
  (void)rng;
  const int width = search->trials.width;
  double scales[FCPS_SPACE_MAX];
  fcps_ivr *ivr = search->state = fcps_allocate((size_t)search->gp_count, sizeof *ivr);
  fcps_status status = ivr != NULL ? find_scales(search, scales) : FCPS_ERR_MEMORY;
  for (int p = 0; p < search->gp_count && status == FCPS_OK; p++) {
    const fcps_gp *gp = fcps_model_gp(search->trials.model, p);
    status = fcps_ivr_create(ivr + p, gp, FCPS_OUTCOME_ACTS, FCPS_OUTCOME_TRIALS);
    for (int t = 0; t < FCPS_OUTCOME_ACTS && status == FCPS_OK; t++) {
      fcps_outcome_search_features(search, search->acts + t * width, ivr[p].features + t * gp->dim);
      ivr[p].weight[t] = scales[p] * search->act_probabilities[t] * search->act_probabilities[t];
    }
    if (status == FCPS_OK) fcps_ivr_prepare(ivr + p, gp);
  }
  return status;
}

static fcps_status gains(fcps_outcome_search *search, int count, double *values)
{
  const fcps_ivr *ivr = state_of(search);
  double one[FCPS_OUTCOME_TRIALS];
  for (int p = 0; p < search->gp_count; p++) {
    fcps_ivr_gains(ivr + p, fcps_model_gp(search->trials.model, p), search->candidates + p, p == 0 ? values : one);
    for (int i = 0; i < count && p > 0; i++)
      values[i] += one[i];
  }
  return FCPS_OK;
}

/* Returns the act that gains most from the first trial, by the first GP alone. */
static int main_act(const fcps_outcome_search *search)
{
  return fcps_ivr_main_act(state_of(search), search->candidates, 0);
}

static const fcps_outcome_criterion criterion = {
    .candidates = FCPS_OUTCOME_TRIALS,
    .narrowing = {.rounds = 3, .keep = 5, .moves = 16, .deviation = 0.1, .shrink = 0.4},
    .prepare = prepare,
    .release = release,
    .gains = gains,
    .main_act = main_act};

static fcps_status select_context(const fcps_context_decision *decision, double *context, double *x, fcps_error *error)
{
  return fcps_outcome_search_select(&criterion, decision, context, x, error);
}

const fcps_acquisition fcps_acquisition_ivr = {
    .name = "ivr", .needs_model = true, .select_context = select_context, .outputs = FCPS_OUTPUTS_OUTCOMES};
