/* SPDX-License-Identifier: Apache-2.0 */
/* Learning what may go wrong: collects labels from all rollouts, and fits a classifier to those of failure and to those
 * of absent outcomes. */
#include "model/feasibility/feasibility.h"

#include "base/error.h"
#include "base/memory.h"
#include "model/feasibility/outage.h"
#include "model/model.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int environment_features(const fcps_model *model)
{
  int width = 0;
  for (int i = 0; i < model->problem->environment.count; i++)
    width += model->layout.context.turns[i] == 0 ? 1 : 2;
  return width;
}

int fcps_model_feasibility_dim(const fcps_model *model)
{
  return environment_features(model) + model->layout.parameters.width;
}

static bool did_not_fail(const fcps_rollout *rollout)
{
  return rollout->status == FCPS_ROLLOUT_OK;
}
static bool has_outcome(const fcps_rollout *rollout)
{
  return rollout->outcome != NULL;
}
static bool every(const fcps_problem *problem, const fcps_rollout *rollout)
{
  (void)problem, (void)rollout;
  return true;
}
/* A failed trial or a broken measurement does not say whether there was something to measure. */
static bool ran_and_was_seen(const fcps_problem *problem, const fcps_rollout *rollout)
{
  return rollout->status == FCPS_ROLLOUT_OK &&
         (rollout->outcome == NULL || fcps_rollout_values_usable(problem->outcome.count, rollout->outcome));
}

typedef struct labels {
  int count, yes;
  double *inputs; /* rows of environment features, then those of the parameters */
  bool *answers;
} labels;

/* Trials so far say how likely the next one goes well where nothing else is known. */
static double rate_of(const labels *l)
{
  return fcps_scatter_rate(l->yes, l->count - l->yes);
}

/* Learns labels, with what `wanted` says of dimension, base and prior. */
static fcps_status classify(const labels *l, fcps_labels wanted, fcps_label_probit **classifier)
{
  wanted.count = l->count;
  wanted.inputs = l->inputs;
  wanted.answers = l->answers;
  return fcps_label_probit_create(classifier, &wanted);
}

static void free_labels(labels *l)
{
  free(l->inputs);
  free(l->answers);
}

/* The environment comes first in the context's embedding. */
static fcps_embedding environment_embedding(const fcps_model *model)
{
  return (fcps_embedding){.count = model->problem->environment.count,
                          .width = environment_features(model),
                          .turns = model->layout.context.turns};
}

static size_t widest(const fcps_problem *problem)
{
  return (size_t)(problem->environment.count > problem->parameters.count ? problem->environment.count
                                                                         : problem->parameters.count);
}

/* A row of inputs; `x` is scratch. */
static void fill_row(const fcps_model *model, const double *environment, const double *parameters, double *x,
                     double *row)
{
  const fcps_embedding embedding = environment_embedding(model);
  fcps_space_to_unit(&model->problem->environment, environment, x);
  fcps_embed(&embedding, x, row);
  fcps_space_to_unit(&model->problem->parameters, parameters, x);
  fcps_embed(&model->layout.parameters, x, row + embedding.width);
}

/* What is asked about rollouts: which count, what their answer is, and which of the model's `others` are left out. */
typedef struct question {
  bool (*counts)(const fcps_problem *, const fcps_rollout *);
  bool (*answer)(const fcps_rollout *);
  fcps_outage except;
} question;

/* Adds the rollouts that count, but for a stretch; `x` is scratch. */
static void add_labels(const fcps_model *model, const fcps_rollouts *rollouts, const question *q, fcps_outage except,
                       double *x, labels *l)
{
  const size_t dim = (size_t)fcps_model_feasibility_dim(model);
  for (int i = 0; i < rollouts->count; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(rollouts, i);
    const bool is_left_out = i >= except.first && i < except.first + except.count;
    if (is_left_out || !q->counts(model->problem, &rollout)) continue;
    fill_row(model, rollout.environment, rollout.parameters, x, l->inputs + (size_t)l->count * dim);
    l->answers[l->count] = q->answer(&rollout);
    l->yes += l->answers[l->count++];
  }
}

/* Training rollouts first, then the others: the order that a loaded model also has. */
static fcps_status collect(const fcps_model *model, question q, labels *l)
{
  const size_t most = (size_t)model->training.count + (size_t)model->others.count;
  *l = (labels){.inputs = fcps_allocate(most * (size_t)fcps_model_feasibility_dim(model), sizeof(double)),
                .answers = fcps_allocate(most, sizeof(bool))};
  double *x = fcps_allocate(widest(model->problem), sizeof(double));
  const bool ok = l->inputs != NULL && l->answers != NULL && x != NULL;
  if (ok) {
    add_labels(model, &model->training, &q, (fcps_outage){0}, x, l);
    add_labels(model, &model->others, &q, q.except, x, l);
  }
  free(x);
  if (ok) return FCPS_OK;
  free_labels(l);
  return FCPS_ERR_MEMORY;
}

/* Keeps the first `width` inputs of every row. */
static void narrow(labels *l, size_t dim, size_t width)
{
  for (size_t i = 0; i < (size_t)l->count; i++)
    for (size_t d = 0; d < width; d++)
      l->inputs[i * width + d] = l->inputs[i * dim + d];
}

/* Most trials end well, so a new one probably will: as likely as so far. What makes one fail may be as thin as a
 * post. */
static fcps_status classify_failures(const fcps_model *model, const labels *l, fcps_label_probit **classifier)
{
  return classify(
      l, (fcps_labels){.dim = fcps_model_feasibility_dim(model), .base = rate_of(l), .prior = &fcps_label_prior_posts},
      classifier);
}

/* Whether what explains `rest` labels and an outage is better than what explains all of them. */
static bool explains_better(const fcps_label_probit *rest, const fcps_label_probit *all, int trials)
{
  return fcps_label_probit_log_likelihood(rest) + fcps_outage_log_chance(trials) >
         fcps_label_probit_log_likelihood(all);
}

/* Takes the explanation without an outage's failures where it is the better one; none where no other trial failed.
 * *believed is the outage then. */
static fcps_status consider_outage(const fcps_model *model, int trials, fcps_label_probit **classifier,
                                   fcps_outage *believed)
{
  const fcps_outage outage = fcps_outage_find(model, FCPS_OUTAGE_FAILURES);
  if (outage.count == 0 || outage.count == trials) return FCPS_OK;
  labels l;
  fcps_label_probit *rest = NULL;
  fcps_status status = collect(model, (question){every, did_not_fail, outage}, &l);
  if (status != FCPS_OK) return status;
  status = classify_failures(model, &l, &rest);
  if (status == FCPS_OK && explains_better(rest, *classifier, trials)) {
    *believed = outage;
    fcps_label_probit_destroy(*classifier);
    *classifier = l.yes < l.count ? rest : NULL;
  }
  if (*classifier != rest) fcps_label_probit_destroy(rest);
  free_labels(&l);
  return status;
}

/* How probable it is that chance explains the failures, not their places. */
static double weigh_chance(int successes, int failures, const fcps_label_probit *classifier)
{
  if (classifier == NULL) return 0.0;
  const double evidence = fcps_label_probit_log_likelihood(classifier);
  return 1.0 / (1.0 + exp(-fcps_scatter_log_odds(successes, failures, evidence)));
}

static fcps_status learn_feasible(fcps_model *model)
{
  labels l;
  fcps_status status = collect(model, (question){every, did_not_fail, {0}}, &l);
  if (status != FCPS_OK) return status;
  fcps_label_probit *made = NULL;
  fcps_outage outage = {0};
  const int failures = l.count - l.yes;
  if (l.yes < l.count) status = classify_failures(model, &l, &made);
  if (status == FCPS_OK && made != NULL) status = consider_outage(model, l.count, &made, &outage);
  if (status == FCPS_OK) {
    model->feasibility.outage = outage;
    model->feasibility.chance = weigh_chance(l.yes, failures - outage.count, made);
    model->feasibility.rate = fcps_scatter_rate(l.yes, failures - outage.count);
    fcps_label_probit_destroy(model->feasibility.feasible);
    model->feasibility.feasible = made;
  } else {
    fcps_label_probit_destroy(made);
  }
  free_labels(&l);
  return status;
}

/* What explains which trials have an outcome. */
typedef struct presence {
  int trials, absent;
  fcps_label_probit *classifier;
  bool ignores_parameters;
} presence;

/* Whether something happens at all is often up to the environment alone: the parameters come in where they explain the
 * labels better. Trials of an outage are left out. Without an outage there is no classifier where all have an outcome. */
static fcps_status explain_presence(const fcps_model *model, fcps_outage except, presence *found)
{
  labels l;
  fcps_status status = collect(model, (question){ran_and_was_seen, has_outcome, except}, &l);
  *found = (presence){0};
  if (status != FCPS_OK) return status;
  const int dim = fcps_model_feasibility_dim(model), width = environment_features(model);
  fcps_label_probit *full = NULL, *narrowed = NULL;
  if (l.yes < l.count || except.count > 0) {
    fcps_labels edges = {.dim = dim, .base = rate_of(&l), .prior = &fcps_label_prior_edges};
    status = classify(&l, edges, &full);
    edges.dim = width;
    narrow(&l, (size_t)dim, (size_t)width);
    if (status == FCPS_OK && width > 0) status = classify(&l, edges, &narrowed);
  }
  const bool is_narrow = status == FCPS_OK && narrowed != NULL &&
                         !(fcps_label_probit_log_likelihood(full) > fcps_label_probit_log_likelihood(narrowed));
  *found = (presence){l.count, l.count - l.yes, is_narrow ? narrowed : full, is_narrow};
  fcps_label_probit_destroy(is_narrow ? full : narrowed);
  free_labels(&l);
  if (status == FCPS_OK) return FCPS_OK;
  fcps_label_probit_destroy(found->classifier);
  return status;
}

static fcps_status learn_presence(fcps_model *model)
{
  presence all, rest = {0};
  fcps_outage outage = fcps_outage_find(model, FCPS_OUTAGE_ABSENCES);
  fcps_status status = explain_presence(model, (fcps_outage){0}, &all);
  if (status != FCPS_OK) return status;
  if (outage.count > 0) status = explain_presence(model, outage, &rest);
  if (status != FCPS_OK) {
    fcps_label_probit_destroy(all.classifier);
    return status;
  }
  if (outage.count > 0 && !explains_better(rest.classifier, all.classifier, all.trials)) outage.count = 0;
  const presence *believed = outage.count > 0 ? &rest : &all, *other = outage.count > 0 ? &all : &rest;
  const bool is_needed = believed->absent > 0;
  fcps_label_probit_destroy(other->classifier);
  fcps_label_probit_destroy(model->feasibility.present);
  if (!is_needed) fcps_label_probit_destroy(believed->classifier);
  model->feasibility.absence = outage;
  model->feasibility.present = is_needed ? believed->classifier : NULL;
  model->feasibility.presence_ignores_parameters = believed->ignores_parameters;
  return FCPS_OK;
}

/* Rollouts are left out in turns, every one of so many. */
enum { TURNS = 5, NO_TURN = -1 };

/* Which of `rows` training rollouts, evenly spread, are not at rest, but for those whose turn it is. What moves has long
 * edges, as outcomes have. */
static fcps_status classify_movement(const fcps_model *model, int rows, int turn, fcps_label_probit **classifier)
{
  const size_t dim = (size_t)fcps_model_feasibility_dim(model);
  labels l = {.inputs = fcps_allocate((size_t)rows * dim, sizeof(double)),
              .answers = fcps_allocate((size_t)rows, sizeof(bool))};
  double *x = fcps_allocate(widest(model->problem), sizeof(double));
  fcps_status status = l.inputs != NULL && l.answers != NULL && x != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < rows && status == FCPS_OK; i++) {
    const int row = (int)((int64_t)i * model->training.count / rows);
    const fcps_rollout rollout = fcps_rollouts_at(&model->training, row);
    if (i % TURNS == turn) continue;
    fill_row(model, rollout.environment, rollout.parameters, x, l.inputs + (size_t)l.count * dim);
    l.answers[l.count] = !fcps_description_rests(&model->description, rollout.environment, rollout.outcome);
    l.yes += l.answers[l.count++];
  }
  const fcps_labels edges = {.dim = (int)dim, .base = rate_of(&l), .prior = &fcps_label_prior_edges};
  if (status == FCPS_OK) status = classify(&l, edges, classifier);
  free(x);
  free_labels(&l);
  return status;
}

fcps_status fcps_model_explain_movement(const fcps_model *model, int rows, double *log_likelihood)
{
  fcps_label_probit *classifier = NULL;
  const fcps_status status = classify_movement(model, rows, NO_TURN, &classifier);
  if (status == FCPS_OK) *log_likelihood = fcps_label_probit_log_likelihood(classifier);
  fcps_label_probit_destroy(classifier);
  return status;
}

fcps_status fcps_model_leave_out_movement(const fcps_model *model, double *probabilities)
{
  const fcps_rollouts *training = &model->training;
  double *row = fcps_allocate((size_t)fcps_model_feasibility_dim(model) + widest(model->problem), sizeof(double));
  fcps_status status = row != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int turn = 0; turn < TURNS && status == FCPS_OK; turn++) {
    fcps_label_probit *classifier = NULL;
    status = classify_movement(model, training->count, turn, &classifier);
    for (int i = turn; i < training->count && status == FCPS_OK; i += TURNS) {
      fill_row(model, fcps_rollouts_environment(training, i), fcps_rollouts_parameters(training, i),
               row + fcps_model_feasibility_dim(model), row);
      fcps_label_probit_predict(classifier, 1, row, probabilities + i);
    }
    fcps_label_probit_destroy(classifier);
  }
  free(row);
  return status;
}

static fcps_status learn_movement(fcps_model *model)
{
  fcps_label_probit *made = NULL;
  const fcps_status status = classify_movement(model, model->training.count, NO_TURN, &made);
  if (status != FCPS_OK) return status;
  fcps_label_probit_destroy(model->feasibility.moves);
  model->feasibility.moves = made;
  return FCPS_OK;
}

void fcps_model_forget_feasibility(fcps_model *model)
{
  fcps_label_probit_destroy(model->feasibility.moves);
  fcps_label_probit_destroy(model->feasibility.feasible);
  fcps_label_probit_destroy(model->feasibility.present);
  model->feasibility = (fcps_feasibility){0};
}

fcps_status fcps_model_learn_feasibility(fcps_model *model)
{
  const int told = model->training.count + model->others.count;
  const bool has_others = model->others.count > 0;
  if (!(has_others || fcps_description_has_rest(&model->description)) || model->feasibility.rows == told)
    return FCPS_OK;
  fcps_status status = has_others ? learn_feasible(model) : FCPS_OK;
  if (status == FCPS_OK && has_others && model->ops->predicts_outcomes && model->problem->presence == NULL)
    status = learn_presence(model);
  if (status == FCPS_OK && fcps_description_has_rest(&model->description)) status = learn_movement(model);
  if (status == FCPS_OK) model->feasibility.rows = told;
  return status;
}

void fcps_model_scale_by_feasibility(const fcps_model *model, int count, const double *features, double *row,
                                     double *values)
{
  if (model->feasibility.feasible == NULL) return;
  const size_t dim = (size_t)model->layout.features, parameters = (size_t)model->layout.parameters.width;
  const size_t environment = (size_t)environment_features(model);
  for (size_t i = 0; i < (size_t)count; i++) {
    double probability;
    const double *trial = features + i * dim; /* the environment comes first, the parameters last */
    memcpy(row, trial, environment * sizeof(double));
    memcpy(row + environment, trial + dim - parameters, parameters * sizeof(double));
    fcps_label_probit_predict(model->feasibility.feasible, 1, row, &probability);
    values[i] *= probability;
  }
}

fcps_status fcps_model_scale_by_movement(const fcps_model *model, int count, const double *environments,
                                         const double *parameters, double *values)
{
  const fcps_problem *problem = model->problem;
  const size_t e = (size_t)problem->environment.count, p = (size_t)problem->parameters.count;
  const int dim = fcps_model_feasibility_dim(model);
  if (model->feasibility.moves == NULL) return FCPS_OK;
  double *row = fcps_allocate((size_t)dim + widest(problem), sizeof(double));
  if (row == NULL) return FCPS_ERR_MEMORY;
  for (size_t i = 0; i < (size_t)count; i++) {
    double probability;
    fill_row(model, environments + i * e, parameters + i * p, row + dim, row);
    fcps_label_probit_predict(model->feasibility.moves, 1, row, &probability);
    values[i] *= probability;
  }
  free(row);
  return FCPS_OK;
}

/* Probabilities by the problem's rule for absent outcomes: 0 or 1. */
static fcps_status ask_rule(const fcps_problem *problem, int count, const double *environments,
                            const double *parameters, double *probabilities, fcps_error *error)
{
  bool *present = fcps_allocate((size_t)count, sizeof(bool));
  if (present == NULL) return fcps_error_memory(error);
  const fcps_status status = fcps_problem_ask_presence(problem, count, environments, parameters, present, error);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    probabilities[i] = present[i] ? 1.0 : 0.0;
  free(present);
  return status;
}

fcps_status fcps_model_feasibility(const fcps_model *model, int count, const double *environments,
                                   const double *parameters, double *probabilities, fcps_error *error)
{
  const fcps_problem *problem = model->problem;
  const size_t e = (size_t)problem->environment.count, p = (size_t)problem->parameters.count;
  double *row = fcps_allocate((size_t)fcps_model_feasibility_dim(model) + widest(problem), sizeof(double));
  if (row == NULL) return fcps_error_memory(error);
  for (int i = 0; i < count; i++)
    probabilities[i] = 1.0;
  fcps_status status = FCPS_OK;
  if (problem->presence != NULL) status = ask_rule(problem, count, environments, parameters, probabilities, error);
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    double one;
    fill_row(model, environments + (size_t)i * e, parameters + (size_t)i * p, row + fcps_model_feasibility_dim(model),
             row);
    /* the environment's features come first, so that a model of them alone reads the same row */
    if (model->feasibility.present != NULL) {
      fcps_label_probit_predict(model->feasibility.present, 1, row, &one);
      probabilities[i] *= one;
    }
    if (model->feasibility.feasible != NULL) {
      fcps_label_probit_predict(model->feasibility.feasible, 1, row, &one);
      probabilities[i] *= one;
    }
  }
  free(row);
  return status;
}
