/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of contexts: which contexts go together, what the candidates predict in all of them, and what that is worth
 * in each.
 *
 * Invariants: all contexts of a batch are on one side of a model that has split. Contexts in several environments go
 * together only where few are in each: then the candidates' means are one product, and exact rewards are asked for
 * where they matter (bound_screening.h). Where many contexts share an environment, the candidates have variances of
 * their own.
 */
#include "search/batch.h"

#include "base/memory.h"
#include "gp/separable.h"
#include "search/batch_impl.h"
#include "search/bound_screening.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = FCPS_POSTERIOR_BLOCK };

/* Fewer contexts than these in one environment are few: the candidates are not worth variances of their own. */
enum { FEW = 12 };

/* What depends on the meaning of the outputs. The candidates' means have one column per context where outputs are
 * rewards, and one per environment and outcome dimension where they are outcomes. */
typedef struct batch_kind {
  /* Whether means alone tell which candidates need exact rewards. */
  bool (*has_bounds)(const fcps_batch *batch);

  /* Conditions the outputs of the columns on the contexts; the outputs, and how many columns there are. */
  fcps_status (*condition)(fcps_batch *batch);
  const fcps_gp_outputs *(*outputs)(const fcps_batch *batch);
  int (*column_count)(const fcps_batch *batch);

  /* The environment and the output of a column. */
  void (*column)(const fcps_batch *batch, int column, int *environment, int *output);

  /* Mean rewards of all candidates in the selected context, before the penalty: upper bounds where there are no
   * variances; with variances, a closed form and no penalty, exact wherever they may be among the largest, and
   * elsewhere lower bounds (fcps_expected_reward_screen); exact in all other cases. */
  fcps_status (*score)(fcps_batch *batch, int context, double *values);

  /* The reward expected of one point per context, and its deviation; both may be NULL. */
  void (*predict)(fcps_batch *batch, const double *x, double *means, double *deviations);
} batch_kind;

/* -- Life -- */

fcps_status fcps_batch_create(fcps_batch **batch, const fcps_model *model, int candidates, const double *x,
                              fcps_error *error)
{
  *batch = NULL;
  if (fcps_model_kind_knows_target(model->ops) || fcps_model_is_sampled(model) || candidates < 1)
    return FCPS_ERR_ARGUMENT;
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

/* -- Contexts -- */

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
  return row_of(&batch->model->problem->environment, batch->environments, batch->environment_index[context]);
}

void fcps_batch_select_context(fcps_batch *batch, int context)
{
  const bool has_column = batch->rewards.outputs > 0; /* only rewards depend on the target */
  fcps_posterior_select(batch->posterior, batch->environment_index[context], target_at(batch, context),
                        &batch->reward_range[context], has_column ? &batch->rewards : NULL, context);
}

void fcps_batch_set_view(fcps_batch *batch, fcps_penalty_view view)
{
  batch->view = view;
  if (batch->posterior != NULL) fcps_posterior_set_view(batch->posterior, view);
}

/* -- Outputs that are rewards -- */

static bool rewards_have_bounds(const fcps_batch *batch)
{
  (void)batch;
  return true;
}

static fcps_status condition_rewards(fcps_batch *batch)
{
  return fcps_model_condition(batch->posterior->model, batch->count, batch->targets, &batch->rewards, batch->error);
}

static const fcps_gp_outputs *reward_outputs(const fcps_batch *batch)
{
  return &batch->rewards;
}

static int count_reward_columns(const fcps_batch *batch)
{
  return batch->count;
}

static void find_reward_column(const fcps_batch *batch, int column, int *environment, int *output)
{
  *environment = batch->environment_index[column];
  *output = column;
}

static fcps_status score_rewards(fcps_batch *batch, int context, double *values)
{
  for (int c = 0; c < batch->candidates; c++)
    values[c] = batch->means[(size_t)c * (size_t)batch->count + (size_t)context];
  return FCPS_OK;
}

/* One context after the other. */
static void predict_from_rewards(fcps_batch *batch, const double *x, double *means, double *deviations)
{
  const size_t n = (size_t)batch->model->parameters.count;
  for (int i = 0; i < batch->count; i++) {
    double unused;
    fcps_batch_select_context(batch, i);
    fcps_posterior_moments(batch->posterior, 1, x + (size_t)i * n, means != NULL ? means + i : &unused,
                           deviations != NULL ? deviations + i : NULL);
  }
}

/* -- Outputs that are outcomes -- */

static fcps_status condition_outcomes(fcps_batch *batch)
{
  (void)batch;
  return FCPS_OK; /* they do not depend on the context */
}

static const fcps_gp_outputs *outcome_outputs(const fcps_batch *batch)
{
  return &batch->posterior->outputs->outputs;
}

static int count_outcome_columns(const fcps_batch *batch)
{
  return batch->environment_count * outcome_outputs(batch)->outputs;
}

static void find_outcome_column(const fcps_batch *batch, int column, int *environment, int *output)
{
  *environment = column / outcome_outputs(batch)->outputs;
  *output = column % outcome_outputs(batch)->outputs;
}

/* Gets the candidates' outcomes in an environment, and the terms of distances there. */
static fcps_status take_outcomes(fcps_batch *batch, int environment)
{
  if (batch->scored_environment == environment) return FCPS_OK;
  const size_t width = (size_t)outcome_outputs(batch)->outputs, columns = (size_t)count_outcome_columns(batch);
  for (size_t c = 0; c < (size_t)batch->candidates; c++)
    memcpy(batch->outcomes + c * width, batch->means + c * columns + (size_t)environment * width,
           width * sizeof(double));
  fcps_status status = FCPS_OK;
  if (fcps_batch_can_maximize(batch) && fcps_expected_reward_is_closed(batch->expected_reward))
    status =
        fcps_expected_reward_terms(batch->expected_reward, batch->candidates, batch->x, batch->terms, batch->error);
  if (status == FCPS_OK) batch->scored_environment = environment;
  return status;
}

static fcps_status score_outcomes(fcps_batch *batch, int context, double *values)
{
  const fcps_status status = take_outcomes(batch, batch->environment_index[context]);
  if (status != FCPS_OK) return status;
  fcps_expected_reward *reward = batch->expected_reward;
  const fcps_outcomes all = {.count = batch->candidates,
                             .x = batch->x,
                             .means = batch->outcomes,
                             .variances = batch->variances,
                             .gp_count = fcps_model_gp_count(batch->model)};
  const bool is_distance = fcps_expected_reward_is_closed(reward);
  const bool may_screen = fcps_batch_can_maximize(batch) && !fcps_failure_penalty_exists(batch->posterior->penalty);
  if (!batch->has_variances && !is_distance) return fcps_expected_reward_bound_sum(reward, &all, values, batch->error);
  if (!batch->has_variances)
    fcps_expected_reward_bound(reward, batch->candidates, batch->outcomes, batch->terms, values);
  else if (may_screen && !is_distance)
    return fcps_expected_reward_screen_sum(reward, &all, FCPS_BOUND_SCREENING_BEST, values, batch->error);
  else if (may_screen)
    fcps_expected_reward_screen(reward, &all, batch->terms, FCPS_BOUND_SCREENING_BEST, values);
  else
    return fcps_expected_reward_moments(reward, &all, values, NULL, batch->error);
  return FCPS_OK;
}

/* The rewards expected of `count` <= BLOCK points, each in a context of its own, with one pass of the GP; `deviations`
 * may be NULL. */
static void predict_rewards(fcps_batch *batch, int count, const int *contexts, const double *x, double *means,
                            double *deviations)
{
  const size_t n = (size_t)batch->model->parameters.count;
  fcps_posterior *posterior = batch->posterior;
  fcps_output_posterior *outputs = posterior->outputs;
  const int q = outputs->outputs.outputs, gps = fcps_model_gp_count(posterior->model);
  for (int i = 0; i < count; i++) {
    fcps_batch_select_context(batch, contexts[i]);
    fcps_output_posterior_embed(outputs, i, x + (size_t)i * n);
  }
  fcps_output_posterior_predict(outputs, count, outputs->means, outputs->variances);
  for (int i = 0, run; i < count; i += run) {
    for (run = 1; i + run < count && contexts[i + run] == contexts[i];)
      run++;
    const fcps_outcomes some = {.count = run,
                                .x = x + (size_t)i * n,
                                .means = outputs->means + i * q,
                                .variances = outputs->variances + i * gps,
                                .gp_count = gps};
    double *deviation = deviations != NULL ? deviations + i : NULL;
    fcps_batch_select_context(batch, contexts[i]);
    fcps_posterior_note(
        posterior, fcps_expected_reward_moments(batch->expected_reward, &some, means + i, deviation, batch->error));
    fcps_posterior_note(posterior, fcps_failure_penalty_apply(posterior->penalty, run, some.x, means + i, deviation));
  }
}

static void predict_from_outcomes(fcps_batch *batch, const double *x, double *means, double *deviations)
{
  const size_t n = (size_t)batch->model->parameters.count;
  for (int first = 0; first < batch->count; first += BLOCK) {
    const int block = fcps_posterior_block(batch->count - first);
    int contexts[BLOCK];
    double unused[BLOCK];
    for (int i = 0; i < block; i++)
      contexts[i] = first + i;
    predict_rewards(batch, block, contexts, x + (size_t)first * n, means != NULL ? means + first : unused,
                    deviations != NULL ? deviations + first : NULL);
  }
}

static const batch_kind reward_kind = {.has_bounds = rewards_have_bounds,
                                       .condition = condition_rewards,
                                       .outputs = reward_outputs,
                                       .column_count = count_reward_columns,
                                       .column = find_reward_column,
                                       .score = score_rewards,
                                       .predict = predict_from_rewards};
static const batch_kind outcome_kind = {.has_bounds = fcps_batch_can_maximize,
                                        .condition = condition_outcomes,
                                        .outputs = outcome_outputs,
                                        .column_count = count_outcome_columns,
                                        .column = find_outcome_column,
                                        .score = score_outcomes,
                                        .predict = predict_from_outcomes};

/* -- Candidates -- */

/* Whether contexts in several environments can go together. */
static bool can_mix_environments(const fcps_batch *batch)
{
  const fcps_gp *gp = batch->posterior->model->gp;
  return batch->kind->has_bounds(batch) && gp->kernel->is_separable && gp->factored > 0 &&
         fcps_model_gp_count(batch->model) == 1 && !fcps_frame_turns_inputs(&batch->posterior->model->frame);
}

/* The factor that the candidates' parameters contribute to covariances: the same in every context. */
static fcps_status separate_candidates(fcps_batch *batch)
{
  const fcps_model *model = batch->posterior->model;
  const fcps_gp *gp = model->gp;
  const size_t width = (size_t)model->parameters.width, count = (size_t)batch->candidates;
  free(batch->separated);
  batch->separated_of = NULL;
  batch->separated = fcps_allocate((size_t)gp->factored * count, sizeof(double));
  double *features = fcps_allocate(width * count, sizeof(double));
  const bool has_room = batch->separated != NULL && features != NULL;
  for (size_t i = 0; i < count && has_room; i++)
    fcps_embed(&model->parameters, batch->x + i * (size_t)model->parameters.count, features + i * width);
  if (has_room)
    fcps_gp_separate(gp, model->context.width, (int)width, batch->candidates, features,
                     &batch->posterior->outputs->work, batch->separated);
  if (has_room) batch->separated_of = model;
  free(features);
  return has_room ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* The weights of the rows for every column, and the output of each, from the factors of the environments. */
static void weigh_columns(const fcps_batch *batch, const double *factors, double *weights, int *outputs)
{
  const fcps_gp *gp = batch->posterior->model->gp;
  const fcps_gp_outputs *conditioned = batch->kind->outputs(batch);
  for (int c = 0; c < batch->kind->column_count(batch); c++) {
    int environment;
    batch->kind->column(batch, c, &environment, outputs + c);
    fcps_gp_separated_weights(gp, conditioned, outputs[c], factors + (size_t)environment * (size_t)gp->factored,
                              weights + (size_t)c * (size_t)conditioned->count);
  }
}

/* Turns the candidates' outcomes in all environments back to the user's frame. */
static fcps_status turn_back_separated(fcps_batch *batch)
{
  const fcps_model *model = batch->posterior->model;
  if (batch->expected_reward == NULL || model->frame.angle == FCPS_FRAME_NONE) return FCPS_OK;
  const size_t first = (size_t)model->context.width, width = (size_t)outcome_outputs(batch)->outputs;
  double *row = fcps_allocate((size_t)model->gp->dim, sizeof(double)), *means = batch->means;
  if (row == NULL) return FCPS_ERR_MEMORY;
  for (size_t c = 0; c < (size_t)batch->candidates; c++) {
    fcps_embed(&model->parameters, batch->x + c * (size_t)model->parameters.count, row + first);
    for (size_t e = 0; e < (size_t)batch->environment_count; e++, means += width) {
      memcpy(row, batch->posterior->outputs->contexts + e * first, first * sizeof(double));
      fcps_frame_turn_back(&model->frame, row, means);
    }
  }
  free(row);
  return FCPS_OK;
}

/* Means of all candidates alone, in any number of environments: separated, they are one product. */
static fcps_status predict_separated(fcps_batch *batch)
{
  const fcps_model *model = batch->posterior->model;
  const size_t rows = (size_t)model->gp->factored, environments = (size_t)batch->environment_count;
  const int columns = batch->kind->column_count(batch);
  fcps_status status = batch->separated_of == model ? FCPS_OK : separate_candidates(batch);
  double *factors = fcps_allocate(rows * (environments + (size_t)columns), sizeof(double));
  double *weights = factors + rows * environments;
  int *outputs = fcps_allocate((size_t)columns, sizeof *outputs);
  if (factors == NULL || outputs == NULL) status = FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    fcps_gp_separate(model->gp, 0, model->context.width, batch->environment_count, batch->posterior->outputs->contexts,
                     &batch->posterior->outputs->work, factors);
    weigh_columns(batch, factors, weights, outputs);
    fcps_gp_predict_separated(model->gp, batch->kind->outputs(batch), columns, outputs, weights, batch->candidates,
                              batch->separated, batch->means);
    status = turn_back_separated(batch);
  }
  free(factors);
  free(outputs);
  return status;
}

/* Means of all candidates in the only environment, with variances where they are wanted. */
static void predict_with_variances(fcps_batch *batch)
{
  const size_t n = (size_t)batch->model->parameters.count, gps = (size_t)fcps_model_gp_count(batch->model);
  const fcps_gp_outputs *conditioned = batch->kind->outputs(batch);
  fcps_output_posterior *outputs = batch->posterior->outputs;
  for (int start = 0; start < batch->candidates; start += BLOCK) {
    const int block = fcps_posterior_block(batch->candidates - start);
    fcps_output_posterior_embed_all(outputs, block, batch->x + (size_t)start * n);
    const fcps_gp_query query = {.count = block,
                                 .points = outputs->features,
                                 .mean = batch->means + (size_t)start * (size_t)conditioned->outputs,
                                 .variance = batch->has_variances ? batch->variances + (size_t)start * gps : NULL};
    fcps_per_output_predict(outputs->model, conditioned, &query, &outputs->work);
  }
}

/* Where candidates have no variances of their own: the mean variance of a few stands for all, so that a glance at a formula
 * need not take outcomes for certain. */
static void suppose_variances(fcps_batch *batch)
{
  enum { FEW_CANDIDATES = 32 };
  fcps_output_posterior *outputs = batch->posterior->outputs;
  const int count = batch->candidates < FEW_CANDIDATES ? batch->candidates : FEW_CANDIDATES;
  double sum = 0.0;
  fcps_batch_select_context(batch, 0);
  fcps_output_posterior_embed_all(outputs, count, batch->x);
  fcps_output_posterior_predict(outputs, count, outputs->means, outputs->variances);
  for (int i = 0; i < count; i++)
    sum += outputs->variances[i];
  for (int i = 0; i < batch->candidates; i++)
    batch->variances[i] = sum / count;
}

/* What all candidates predict in all environments. */
static fcps_status predict_candidates(fcps_batch *batch)
{
  const bool is_few = batch->environment_count > 1 || batch->count < FEW;
  batch->scored_environment = -1;
  batch->has_variances = batch->expected_reward != NULL && !(is_few && fcps_batch_can_maximize(batch));
  if (!batch->has_variances && batch->expected_reward != NULL &&
      !fcps_expected_reward_is_closed_everywhere(batch->expected_reward))
    suppose_variances(batch);
  if (is_few && can_mix_environments(batch)) return predict_separated(batch);
  predict_with_variances(batch);
  return FCPS_OK;
}

/* Mean rewards of all candidates in a context, with the penalty; exact as far as batch_kind.score says. */
static fcps_status candidate_rewards(fcps_batch *batch, int context, double *values)
{
  fcps_batch_select_context(batch, context);
  const fcps_status status = batch->kind->score(batch, context, values);
  if (status == FCPS_OK) fcps_posterior_penalize(batch->posterior, batch->candidates, batch->x, values);
  return status;
}

/* -- Which contexts go together -- */

/* The contexts that are waiting. */
typedef struct queue {
  const fcps_problem *problem;
  int count;
  const double *targets, *environments;
} queue;

static const double *environment_of(const queue *q, int context)
{
  return row_of(&q->problem->environment, q->environments, context);
}

/* How many contexts from `first` on share its environment, as far as a batch takes them. */
static int run_of(const queue *q, int first)
{
  const size_t size = (size_t)q->problem->environment.count * sizeof(double);
  int run = 1;
  while (first + run < q->count && run < FCPS_BATCH_CONTEXTS &&
         (size == 0 || memcmp(environment_of(q, first), environment_of(q, first + run), size) == 0))
    run++;
  return run;
}

/* A posterior of the model that knows about the first context. */
static fcps_status take_child(fcps_batch *batch, const queue *q)
{
  const fcps_model *child;
  fcps_status status = fcps_split_model_child(batch->model, q->targets, q->environments, &child);
  if (status != FCPS_OK || (batch->posterior != NULL && batch->posterior->model == child)) return status;
  fcps_posterior_destroy(batch->posterior);
  batch->posterior = NULL;
  batch->expected_reward = NULL;
  status = fcps_posterior_create(&batch->posterior, batch->model, q->targets, q->environments, batch->error);
  if (status == FCPS_OK) batch->expected_reward = fcps_posterior_expected_reward(batch->posterior);
  if (status == FCPS_OK) fcps_posterior_set_view(batch->posterior, batch->view);
  batch->kind = batch->expected_reward != NULL ? &outcome_kind : &reward_kind;
  return status;
}

/* Whether a run of contexts can go together with those before it. */
static bool joins(const fcps_batch *batch, const queue *q, int first, int run)
{
  const double *target = row_of(&q->problem->target, q->targets, first);
  const fcps_model *child;
  return run < FEW && first + run <= FCPS_BATCH_CONTEXTS &&
         fcps_split_model_child(batch->model, target, environment_of(q, first), &child) == FCPS_OK &&
         child == batch->posterior->model;
}

/* Takes the environments of the first contexts: that of a run of many, or up to `most` where runs are of few. */
static fcps_status take_environments(fcps_batch *batch, const queue *q, int most)
{
  const size_t e = (size_t)q->problem->environment.count;
  double *environments = fcps_allocate((size_t)most * e, sizeof(double));
  if (environments == NULL) return FCPS_ERR_MEMORY;
  int run = run_of(q, 0);
  if (run >= FEW) most = 1;
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

/* Whether the reward is closed in every context of the batch. The contexts are selected again before they are used. */
static bool is_closed_everywhere(const fcps_batch *batch)
{
  fcps_expected_reward *reward = batch->expected_reward;
  if (reward == NULL || fcps_expected_reward_is_closed_everywhere(reward)) return reward != NULL;
  for (int i = 0; i < batch->count; i++) {
    fcps_expected_reward_select_environment(reward, batch->environment_index[i]);
    fcps_expected_reward_set_target(reward, target_at(batch, i), 0.0);
    if (!fcps_expected_reward_is_sum(reward)) return false;
  }
  return true;
}

/* How many environments fit the columns of the candidates' means. */
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
  batch->is_closed = batch->expected_reward != NULL; /* until contexts say otherwise */
  if (status == FCPS_OK)
    status = take_environments(batch, &q, can_mix_environments(batch) ? most_environments(batch) : 1);
  if (status == FCPS_OK) batch->is_closed = is_closed_everywhere(batch);
  if (status == FCPS_OK && batch->environment_count > 1 && !can_mix_environments(batch)) {
    status = take_environments(batch, &q, 1);
    batch->is_closed = is_closed_everywhere(batch);
  }
  for (int i = 0; i < batch->count && status == FCPS_OK; i++)
    status = fcps_model_find_reward_range(batch->posterior->model, target_at(batch, i), environment_at(batch, i),
                                          &batch->reward_range[i], batch->error);
  if (status == FCPS_OK) status = batch->kind->condition(batch);
  if (status == FCPS_OK) status = predict_candidates(batch);
  *taken = batch->count;
  return status;
}

/* -- Where searches begin: at the best candidates of each context -- */

/* Where candidates have bounds alone, exact rewards are asked for as far as they matter, for several contexts in one
 * pass of the GP. */

/* Contexts that are screened together. */
typedef struct screening {
  fcps_batch *batch;
  int first, count;
  fcps_bound_screening screens[FCPS_BATCH_STARTING];
  double *values; /* of all candidates, one row per context */
  double *points; /* of one pass of the GP */
} screening;

static double *values_of(const screening *s, int i)
{
  return s->values + (size_t)i * (size_t)s->batch->candidates;
}

/* Asks for the exact rewards that the contexts need next, in one pass of the GP. Whether there were any. */
static bool make_exact(screening *s)
{
  const size_t n = (size_t)s->batch->model->parameters.count;
  int contexts[BLOCK], which[BLOCK], count = 0;
  double exact[BLOCK];
  for (int i = 0; i < s->count; i++) {
    const int block = fcps_bound_screening_next(&s->screens[i], BLOCK / FCPS_BATCH_STARTING, which + count);
    for (int j = 0; j < block; j++, count++) {
      contexts[count] = s->first + i;
      memcpy(s->points + (size_t)count * n, s->batch->x + (size_t)which[count] * n, n * sizeof(double));
    }
  }
  if (count == 0) return false;
  predict_rewards(s->batch, count, contexts, s->points, exact, NULL);
  for (int i = 0; i < count; i++)
    fcps_bound_screening_tell(&s->screens[contexts[i] - s->first], which[i], exact[i]);
  return true;
}

static fcps_status value_candidates(screening *s)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < s->count && status == FCPS_OK; i++)
    status = candidate_rewards(s->batch, s->first + i, values_of(s, i));
  if (status != FCPS_OK || s->batch->has_variances) return status;
  for (int i = 0; i < s->count && status == FCPS_OK; i++) {
    status = fcps_bound_screening_create(&s->screens[i], s->batch->candidates);
    if (status == FCPS_OK) fcps_bound_screening_begin(&s->screens[i], s->batch->candidates, values_of(s, i));
  }
  while (status == FCPS_OK && make_exact(s))
    ;
  return status;
}

static fcps_status choose(const screening *s, int starts, double *x)
{
  const fcps_batch *batch = s->batch;
  const size_t n = (size_t)batch->model->parameters.count;
  const fcps_objective shape = {.n = (int)n, .wraps = fcps_posterior_wraps(batch->posterior)};
  int *chosen = fcps_allocate((size_t)starts, sizeof *chosen);
  fcps_status status = chosen != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < s->count && status == FCPS_OK; i++) {
    status = fcps_multistart_choose(&shape, batch->candidates, batch->x, values_of(s, i), starts, chosen);
    for (int j = 0; j < starts && status == FCPS_OK; j++, x += n)
      memcpy(x, batch->x + (size_t)chosen[j] * n, n * sizeof(double));
  }
  free(chosen);
  return status;
}

fcps_status fcps_batch_starts(fcps_batch *batch, int first, int count, int starts, double *x)
{
  screening s = {.batch = batch, .first = first, .count = count};
  s.values = fcps_allocate((size_t)count * (size_t)batch->candidates, sizeof(double));
  s.points = fcps_allocate(BLOCK * (size_t)batch->model->parameters.count, sizeof(double));
  fcps_status status = s.values != NULL && s.points != NULL ? value_candidates(&s) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = choose(&s, starts, x);
  for (int i = 0; i < count; i++)
    fcps_bound_screening_destroy(&s.screens[i]);
  free(s.values);
  free(s.points);
  return status;
}

/* -- Answers -- */

fcps_status fcps_batch_posterior(fcps_batch *batch, int context, fcps_posterior **posterior, double *means)
{
  *posterior = batch->posterior;
  const fcps_status status = candidate_rewards(batch, context, means);
  return status == FCPS_OK ? fcps_posterior_failure(batch->posterior) : status;
}

fcps_status fcps_batch_predict(fcps_batch *batch, const double *x, double *means, double *deviations)
{
  const size_t n = (size_t)batch->model->parameters.count;
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
  const size_t n = (size_t)batch->model->parameters.count;
  for (int i = 0; i < batch->count; i++) {
    fcps_batch_select_context(batch, i);
    fcps_posterior_chances(batch->posterior, 1, x + (size_t)i * n, outcome + i, success + i);
  }
  return fcps_posterior_failure(batch->posterior);
}
