/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of contexts: creation, answers, and the choice of the contexts that are searched together. Predictions and
 * rewards of the candidates are in batch_candidates.c; the searches are in batch_newton.c. */
#include "search/batch.h"

#include "base/memory.h"
#include "search/batch_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Life -- */

fcps_status fcps_batch_create(fcps_batch **batch, const fcps_model *model, int candidates, const double *x,
                              fcps_error *error)
{
  *batch = NULL;
  if (model->ops->has_target_inputs || fcps_model_is_sampled(model) || candidates < 1) return FCPS_ERR_ARGUMENT;
  fcps_batch *made = fcps_allocate(1, sizeof *made);
  if (made == NULL) return FCPS_ERR_MEMORY;
  const size_t count = (size_t)candidates, width = (size_t)model->layout.outputs;
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
  fcps_gp_outputs_destroy(&batch->rewards);
  fcps_gp_work_destroy(&batch->work);
  free(batch->means);
  free(batch->variances);
  free(batch->outcomes);
  free(batch->terms);
  free(batch->separated);
  free(batch->environments);
  free(batch);
}

/* -- Answers -- */

void fcps_batch_set_view(fcps_batch *batch, fcps_penalty_view view)
{
  batch->view = view;
  if (batch->posterior != NULL) fcps_posterior_set_view(batch->posterior, view);
}

fcps_status fcps_batch_posterior(fcps_batch *batch, int context, fcps_posterior **posterior, double *means)
{
  *posterior = batch->posterior;
  const fcps_status status = fcps_batch_score(batch, context, means);
  return status == FCPS_OK ? fcps_posterior_failure(batch->posterior) : status;
}

double fcps_batch_lead(const fcps_batch *batch, int context)
{
  return batch->reward_range[context].lead;
}

fcps_status fcps_batch_predict(fcps_batch *batch, const double *x, double *means, double *deviations)
{
  const size_t n = (size_t)batch->model->layout.parameters.count;
  const bool has_values =
      batch->expected_reward != NULL && fcps_expected_reward_is_closed_everywhere(batch->expected_reward);
  batch->kind->predict(batch, x, means, deviations);
  for (int i = 0; i < batch->count && !has_values; i++) {
    fcps_batch_select_context(batch, i);
    if (fcps_posterior_has_value(batch->posterior, x + (size_t)i * n)) continue;
    if (means != NULL) means[i] = NAN;
    if (deviations != NULL) deviations[i] = NAN;
  }
  return fcps_posterior_failure(batch->posterior);
}

fcps_status fcps_batch_chances(fcps_batch *batch, const double *x, double *outcome, double *success)
{
  const size_t n = (size_t)batch->model->layout.parameters.count;
  for (int i = 0; i < batch->count; i++) {
    fcps_batch_select_context(batch, i);
    fcps_posterior_chances(batch->posterior, 1, x + (size_t)i * n, outcome + i, success + i);
  }
  return fcps_posterior_failure(batch->posterior);
}

/* -- Which contexts go together -- */

/* Which contexts are searched together in a batch.
 *
 * Invariants: all contexts of a batch are on one side of a model that has split. Contexts in several environments share
 * a batch only if each environment has few contexts. Then the candidates' means are one product of matrices, and exact
 * rewards are only computed for candidates that need them (search.h). */

/* -- The contexts of a batch -- */

/* Returns row `context` of targets or environments; NULL if the space is empty. */
static const double *row_of(const fcps_space *space, const double *rows, int context)
{
  return space->count > 0 ? rows + (size_t)context * (size_t)space->count : NULL;
}

/* Returns the target of a context; NULL if the problem has no targets. */
static const double *target_of(const fcps_batch *batch, int context)
{
  return row_of(&batch->model->problem->target, batch->targets, context);
}

static const double *environment_at(const fcps_batch *batch, int context)
{
  return row_of(&batch->model->problem->environment, batch->environments, batch->environment_index[context]);
}

void fcps_batch_select_context(fcps_batch *batch, int context)
{
  const bool has_column = batch->rewards.outputs > 0; /* only rewards depend on the target */
  fcps_posterior_select(batch->posterior, batch->environment_index[context], target_of(batch, context),
                        &batch->reward_range[context], has_column ? &batch->rewards : NULL, context);
}

/* -- Taking them -- */

/* The contexts that have not been in a batch yet. */
typedef struct queue {
  const fcps_problem *problem;
  int count;
  const double *targets, *environments;
} queue;

static const double *environment_of(const queue *q, int context)
{
  return row_of(&q->problem->environment, q->environments, context);
}

/* Returns how many contexts from `first` on share its environment, up to the size of a batch. */
static int run_of(const queue *q, int first)
{
  const size_t size = (size_t)q->problem->environment.count * sizeof(double);
  int run = 1;
  while (first + run < q->count && run < FCPS_BATCH_CONTEXTS &&
         (size == 0 || memcmp(environment_of(q, first), environment_of(q, first + run), size) == 0))
    run++;
  return run;
}

/* Creates the posterior for the first context: that of the model, or of the child if the model has split. */
static fcps_status take_child(fcps_batch *batch, const queue *q)
{
  const fcps_model *child;
  fcps_status status = fcps_split_model_child(batch->model, q->targets, q->environments, &child);
  if (status != FCPS_OK || (batch->posterior != NULL && batch->posterior->model == child)) return status;
  fcps_posterior_destroy(batch->posterior);
  batch->posterior = NULL;
  batch->expected_reward = NULL;
  status = fcps_posterior_create(&batch->posterior, batch->model, q->targets, q->environments, batch->error);
  if (status == FCPS_OK) batch->expected_reward = batch->posterior->reward;
  if (status == FCPS_OK) fcps_posterior_set_view(batch->posterior, batch->view);
  batch->kind = batch->expected_reward != NULL ? &fcps_batch_kind_outcomes : &fcps_batch_kind_rewards;
  return status;
}

/* Whether a run of contexts in one environment can join the batch of the contexts before it. */
static bool joins(const fcps_batch *batch, const queue *q, int first, int run)
{
  const double *target = row_of(&q->problem->target, q->targets, first);
  const fcps_model *child;
  return run < FCPS_BATCH_FEW && first + run <= FCPS_BATCH_CONTEXTS &&
         fcps_split_model_child(batch->model, target, environment_of(q, first), &child) == FCPS_OK &&
         child == batch->posterior->model;
}

/* Adds the environments of the first contexts to the batch: only the first environment if many contexts share it, else
 * up to `most` environments. */
static fcps_status take_environments(fcps_batch *batch, const queue *q, int most)
{
  const size_t e = (size_t)q->problem->environment.count;
  double *environments = fcps_allocate((size_t)most * e, sizeof(double));
  if (environments == NULL) return FCPS_ERR_MEMORY;
  int run = run_of(q, 0);
  if (run >= FCPS_BATCH_FEW) most = 1;
  batch->count = batch->environment_count = 0;
  do {
    if (e > 0)
      memcpy(environments + (size_t)batch->environment_count * e, environment_of(q, batch->count), e * sizeof(double));
    for (int i = 0; i < run; i++)
      batch->environment_index[batch->count + i] = batch->environment_count;
    batch->environment_count++;
    batch->count += run;
    run = batch->count < q->count ? run_of(q, batch->count) : 0;
  } while (run > 0 && batch->environment_count < most && joins(batch, q, batch->count, run));
  free(batch->environments);
  batch->environments = environments;
  return fcps_posterior_set_environments(batch->posterior, batch->environment_count, environments);
}

/* Whether the reward has a closed form in every context of the batch. This changes the selected context. */
static bool is_closed_everywhere(const fcps_batch *batch)
{
  fcps_expected_reward *reward = batch->expected_reward;
  if (reward == NULL || fcps_expected_reward_is_closed_everywhere(reward)) return reward != NULL;
  for (int i = 0; i < batch->count; i++) {
    fcps_expected_reward_select_environment(reward, batch->environment_index[i]);
    fcps_expected_reward_set_target(reward, target_of(batch, i), 0.0);
    if (!fcps_expected_reward_is_sum(reward)) return false;
  }
  return true;
}

/* Returns how many environments the columns of the candidates' means have room for. */
static int most_environments(const fcps_batch *batch)
{
  const int width = batch->posterior->outputs->outputs.outputs;
  return width < FCPS_BATCH_CONTEXTS ? FCPS_BATCH_CONTEXTS / width : 1;
}

fcps_status fcps_batch_set_contexts(fcps_batch *batch, int count, const double *targets, const double *environments,
                                    int *taken)
{
  if (count < 1) return FCPS_ERR_ARGUMENT;
  const queue q = {batch->model->problem, count, targets, environments};
  batch->targets = targets;
  fcps_status status = take_child(batch, &q);
  batch->count = 0;
  batch->is_closed = batch->expected_reward != NULL; /* assumed until the contexts are checked */
  if (status == FCPS_OK)
    status = take_environments(batch, &q, fcps_batch_can_mix_environments(batch) ? most_environments(batch) : 1);
  if (status == FCPS_OK) batch->is_closed = is_closed_everywhere(batch);
  if (status == FCPS_OK && batch->environment_count > 1 && !fcps_batch_can_mix_environments(batch)) {
    status = take_environments(batch, &q, 1);
    batch->is_closed = is_closed_everywhere(batch);
  }
  for (int i = 0; i < batch->count && status == FCPS_OK; i++)
    status = fcps_posterior_find_reward_range(batch->posterior->model, target_of(batch, i), environment_at(batch, i),
                                              &batch->reward_range[i], batch->error);
  if (status == FCPS_OK) status = batch->kind->condition(batch);
  if (status == FCPS_OK) status = fcps_batch_predict_candidates(batch);
  *taken = batch->count;
  return status;
}
