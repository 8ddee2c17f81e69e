/* SPDX-License-Identifier: Apache-2.0 */
#include "search/batch.h"

#include "base/memory.h"
#include "model/composite/per_output.h"
#include "model/composite/split_model.h"
#include "search/batch_impl.h"

#include <stdlib.h>
#include <string.h>

enum { PASS = FCPS_POSTERIOR_BLOCK };

fcps_status fcps_batch_create(fcps_batch **batch, const fcps_model *model, int candidates, const double *x,
                              fcps_error *error)
{
  *batch = NULL;
  if (model->ops->has_target_inputs || candidates < 1) return FCPS_ERR_ARGUMENT;
  fcps_batch *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return FCPS_ERR_MEMORY;
  const size_t count = (size_t)candidates, width = (size_t)model->ops->width(model->problem);
  const size_t columns = width > FCPS_BATCH_CONTEXTS ? width : FCPS_BATCH_CONTEXTS;
  made->model = model;
  made->error = error;
  made->candidates = candidates;
  made->x = x;
  made->means = fcps_allocate(count * columns, sizeof(double));
  made->variances = fcps_allocate(count * (size_t)fcps_model_gp_count(model), sizeof(double));
  made->outcomes = fcps_allocate(count * width, sizeof(double));
  made->terms = fcps_allocate(count, sizeof(double));
  if (made->means == NULL || made->variances == NULL || made->outcomes == NULL || made->terms == NULL) {
    fcps_batch_destroy(made);
    return FCPS_ERR_MEMORY;
  }
  *batch = made;
  return FCPS_OK;
}

void fcps_batch_destroy(fcps_batch *batch)
{
  if (batch == NULL) return;
  fcps_posterior_destroy(batch->posterior);
  fcps_gp_outputs_destroy(&batch->outputs);
  fcps_gp_work_destroy(&batch->work);
  free(batch->means);
  free(batch->variances);
  free(batch->outcomes);
  free(batch->terms);
  free(batch->separated);
  free(batch);
}

/* -- Aiming -- */

/* The contexts that are waiting. */
typedef struct queue {
  const fcps_problem *problem;
  int count;
  const double *targets, *environments;
} queue;

/* A row of either; there may be none. */
static const double *row_of(const fcps_space *space, const double *rows, int context)
{
  return space->count > 0 ? rows + (size_t)context * (size_t)space->count : NULL;
}

static const double *target_at(const fcps_batch *batch, int context)
{
  return row_of(&batch->model->problem->target, batch->targets, context);
}

static const double *environment_at(const fcps_batch *batch, int context)
{
  return row_of(&batch->model->problem->environment, batch->posterior->environments, batch->place[context]);
}

static const double *environment_of(const queue *q, int context)
{
  return row_of(&q->problem->environment, q->environments, context);
}

/* How many contexts from `first` on share its environment, as far as a fan takes them. */
static int run_of(const queue *q, int first)
{
  const size_t size = (size_t)q->problem->environment.count * sizeof(double);
  int run = 1;
  while (first + run < q->count && run < FCPS_BATCH_CONTEXTS &&
         (size == 0 || memcmp(environment_of(q, first), environment_of(q, first + run), size) == 0))
    run++;
  return run;
}

/* A view of the side of the model that the first context is on. */
static fcps_status take_side(fcps_batch *batch, const queue *q)
{
  const fcps_model *side;
  fcps_status status = fcps_split_model_child(batch->model, q->targets, q->environments, &side);
  if (status != FCPS_OK || (batch->posterior != NULL && batch->posterior->model == side)) return status;
  fcps_posterior_destroy(batch->posterior);
  batch->posterior = NULL;
  return fcps_posterior_create(&batch->posterior, batch->model, q->targets, q->environments, batch->error);
}

/* Whether a run of contexts can be looked at together with those before it. */
static bool joins(const fcps_batch *batch, const queue *q, int first, int run)
{
  const double *target = row_of(&q->problem->target, q->targets, first);
  const fcps_model *side;
  return run < FCPS_BATCH_FEW && first + run <= FCPS_BATCH_CONTEXTS &&
         fcps_split_model_child(batch->model, target, environment_of(q, first), &side) == FCPS_OK &&
         side == batch->posterior->model;
}

/* Goes to the environments of the first contexts: that of a run of many, or up to `most` where runs are of few. */
static fcps_status visit(fcps_batch *batch, const queue *q, int most)
{
  const size_t e = (size_t)q->problem->environment.count;
  double *environments = fcps_allocate((size_t)most * e, sizeof(double));
  if (environments == NULL) return FCPS_ERR_MEMORY;
  int run = run_of(q, 0);
  if (run >= FCPS_BATCH_FEW) most = 1;
  batch->count = batch->places = 0;
  do {
    if (e > 0) memcpy(environments + (size_t)batch->places * e, environment_of(q, batch->count), e * sizeof(double));
    for (int i = 0; i < run; i++)
      batch->place[batch->count + i] = batch->places;
    batch->places++;
    batch->count += run;
    run = batch->count < q->count ? run_of(q, batch->count) : 0;
  } while (run > 0 && batch->places < most && joins(batch, q, batch->count, run));
  const fcps_status status = fcps_posterior_set_environments(batch->posterior, batch->places, environments);
  free(environments);
  return status;
}

/* How many environments fit the columns of the candidates' means. */
static int most_places(const fcps_batch *batch)
{
  const int width = batch->posterior->outputs.outputs;
  return width < FCPS_BATCH_CONTEXTS ? FCPS_BATCH_CONTEXTS / width : 1;
}

fcps_status fcps_batch_set_contexts(fcps_batch *batch, int count, const double *targets, const double *environments,
                                    int *taken)
{
  if (count < 1) return FCPS_ERR_ARGUMENT;
  const queue q = {batch->model->problem, count, targets, environments};
  batch->targets = targets;
  fcps_status status = take_side(batch, &q);
  if (status == FCPS_OK) status = visit(batch, &q, fcps_batch_can_mix_environments(batch) ? most_places(batch) : 1);
  if (status == FCPS_OK && batch->places > 1 && !fcps_batch_can_mix_environments(batch)) status = visit(batch, &q, 1);
  for (int i = 0; i < batch->count && status == FCPS_OK; i++)
    status = fcps_posterior_find_reward_range(batch->posterior, target_at(batch, i), environment_at(batch, i),
                                              &batch->reward_range[i]);
  if (status == FCPS_OK && !batch->model->ops->has_outcome_outputs)
    status = fcps_model_condition(batch->posterior->model, batch->count, targets, &batch->outputs, batch->error);
  if (status == FCPS_OK) status = fcps_batch_predict_candidates(batch);
  *taken = batch->count;
  return status;
}

void fcps_batch_select_context(fcps_batch *batch, int context)
{
  const fcps_gp_outputs *outputs = batch->model->ops->has_outcome_outputs ? NULL : &batch->outputs;
  fcps_posterior_select(batch->posterior, batch->place[context], target_at(batch, context),
                        &batch->reward_range[context], outputs, context);
}

/* -- Answering -- */

fcps_status fcps_batch_posterior(fcps_batch *batch, int context, fcps_posterior **posterior, double *means)
{
  *posterior = batch->posterior;
  const fcps_status status = fcps_batch_candidate_rewards(batch, context, means);
  return status == FCPS_OK ? fcps_posterior_failure(batch->posterior) : status;
}

/* One context after the other. */
static void predict_each(fcps_batch *batch, const double *x, double *means, double *deviations)
{
  const size_t n = (size_t)batch->model->parameters.count;
  for (int i = 0; i < batch->count; i++) {
    double unused;
    fcps_batch_select_context(batch, i);
    fcps_posterior_moments(batch->posterior, 1, x + (size_t)i * n, means != NULL ? means + i : &unused,
                           deviations != NULL ? deviations + i : NULL);
  }
}

void fcps_batch_rewards(fcps_batch *batch, int count, const int *contexts, const double *x, double *means,
                        double *deviations)
{
  const size_t n = (size_t)batch->model->parameters.count;
  fcps_posterior *posterior = batch->posterior;
  for (int i = 0; i < count; i++) {
    fcps_batch_select_context(batch, contexts[i]);
    fcps_posterior_features(posterior, i, x + (size_t)i * n);
  }
  const fcps_outcomes all = fcps_posterior_outcomes(posterior, count, x);
  for (int i = 0, run; i < count; i += run) {
    for (run = 1; i + run < count && contexts[i + run] == contexts[i];)
      run++;
    const fcps_outcomes some = {run, x + (size_t)i * n, all.means + (size_t)i * (size_t)posterior->outputs.outputs,
                                all.variances + i * all.parts, all.parts};
    double *deviation = deviations != NULL ? deviations + i : NULL;
    fcps_batch_select_context(batch, contexts[i]);
    fcps_posterior_note(
        posterior, fcps_expected_reward_moments(posterior->expected_reward, &some, means + i, deviation, batch->error));
    fcps_failure_penalty(posterior, run, some.x, means + i, deviation);
  }
}

fcps_status fcps_batch_predict(fcps_batch *batch, const double *x, double *means, double *deviations)
{
  const size_t n = (size_t)batch->model->parameters.count;
  if (batch->posterior->expected_reward == NULL) predict_each(batch, x, means, deviations);
  for (int first = 0; first < batch->count && batch->posterior->expected_reward != NULL; first += PASS) {
    const int block = batch->count - first < PASS ? batch->count - first : PASS;
    int contexts[PASS];
    double unused[PASS];
    for (int i = 0; i < block; i++)
      contexts[i] = first + i;
    fcps_batch_rewards(batch, block, contexts, x + (size_t)first * n, means != NULL ? means + first : unused,
                       deviations != NULL ? deviations + first : NULL);
  }
  return fcps_posterior_failure(batch->posterior);
}
