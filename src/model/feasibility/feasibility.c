/* SPDX-License-Identifier: Apache-2.0 */
/* Learns how trials may go wrong: collects labels from all rollouts, and fits one classifier to failures, one to absent
 * outcomes, and one to movement. */
#include "model/feasibility/feasibility.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Outages and chance -- */

/* The fewest trials of an outage, because two failures in a row are not unusual. */
enum { LEAST_FAILURES = 3 };

/* Whether a trial went wrong in the way `kind`. If the user confirmed the trial, its parameters were to blame:
 * false. */
static bool went_wrong(const fcps_rollout *rollout, fcps_outage_kind kind)
{
  const bool has_failed = rollout->status != FCPS_ROLLOUT_OK;
  if (rollout->is_confirmed) return false;
  return kind == FCPS_OUTAGE_FAILURES ? has_failed : !has_failed && rollout->outcome == NULL;
}

fcps_outage fcps_outage_find(const fcps_rollouts *others, const int *told_before, int training, fcps_outage_kind kind)
{
  fcps_outage longest = {0}, current = {0};
  int all = 0;
  for (int i = 0; i < others->count; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(others, i);
    const bool goes_on = current.count > 0 && told_before[i] == told_before[i - 1];
    const bool is_wrong = went_wrong(&rollout, kind);
    if (!goes_on) current = (fcps_outage){.first = i};
    current.count = is_wrong ? current.count + 1 : 0;
    if (current.count == 1) current.first = i;
    /* a run of failures is an outage only if a later trial ended well */
    const bool may_be_one = kind == FCPS_OUTAGE_ABSENCES || told_before[i] < training;
    if (current.count > longest.count && may_be_one) longest = current;
    all += is_wrong;
  }
  /* Absent outcomes are an outage only if their run is at most a third of all trials, and longer than all other
   * absences together. Otherwise absences are common, and need another explanation. */
  const bool is_unusual = 3 * longest.count <= training + others->count && 2 * longest.count > all;
  const bool is_one = longest.count >= LEAST_FAILURES && (kind == FCPS_OUTAGE_FAILURES || is_unusual);
  return is_one ? longest : (fcps_outage){0};
}

/* Whether a trial is part of an outage. */
static bool belongs(fcps_outage outage, const fcps_rollouts *others, const fcps_rollout *rollout)
{
  for (int i = outage.first; i < outage.first + outage.count; i++)
    if (fcps_rollouts_is_trial(others, i, rollout)) return true;
  return false;
}

/* The prior of the rate of chance failures is Beta(1, rarity): about one in twenty trials. Chosen on development seeds
 * (docs/lab/outcome.md). */
static const double rarity = 20.0;

double fcps_scatter_rate(int successes, int failures)
{
  return (successes + 1.0) / (successes + failures + 2.0);
}

static double log_beta(double a, double b)
{
  return lgamma(a) + lgamma(b) - lgamma(a + b);
}

double fcps_scatter_log_odds(int successes, int failures, double evidence)
{
  if (!isfinite(evidence)) return -INFINITY;
  const double rate = fcps_scatter_rate(successes, failures);
  const double gain = evidence - successes * log(rate) - failures * log1p(-rate);
  const double chance = log_beta(failures + 1.0, successes + rarity) - log_beta(1.0, rarity);
  return chance - log_beta(failures + 1.0, successes + 1.0) - gain;
}

/* -- Labels -- */

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
/* Whether a trial tells if there was an outcome to measure. Failed trials and unusable numbers do not. */
static bool ran_and_was_seen(const fcps_problem *problem, const fcps_rollout *rollout)
{
  return rollout->status == FCPS_ROLLOUT_OK &&
         (rollout->outcome == NULL || fcps_rollout_values_usable(problem->outcome.count, rollout->outcome));
}

typedef struct labels {
  int count, yes;
  double *inputs; /* rows of features of places: environment and parameters */
  bool *answers;
  fcps_tables tables; /* distances between the words among the inputs */
} labels;

static void free_labels(labels *l)
{
  free(l->inputs);
  free(l->answers);
  fcps_tables_free(&l->tables);
}

/* Makes an empty list of labels with room for `most` labels. */
static fcps_status begin_labels(const fcps_layout *layout, int most, labels *l)
{
  const size_t dim = (size_t)fcps_layout_place_features(layout);
  *l = (labels){.inputs = fcps_allocate((size_t)most * dim, sizeof(double)),
                .answers = fcps_allocate((size_t)most, sizeof(bool))};
  const bool has_room = l->inputs != NULL && l->answers != NULL;
  if (has_room && fcps_layout_tables(layout, true, &l->tables) == FCPS_OK) return FCPS_OK;
  free_labels(l);
  return FCPS_ERR_MEMORY;
}

static void add_label(const fcps_layout *layout, const fcps_rollout *rollout, bool answer, labels *l)
{
  double *row = l->inputs + (size_t)l->count * (size_t)fcps_layout_place_features(layout);
  fcps_layout_place(layout, rollout->environment, rollout->parameters, row);
  l->answers[l->count++] = answer;
  l->yes += answer;
}

/* Fits a classifier to labels of `dim` inputs each. Far from all labels it predicts the share of true answers. */
static fcps_status classify(const labels *l, int dim, const fcps_label_prior *prior, fcps_label_probit **classifier)
{
  const fcps_labels learnt = {.dim = dim,
                              .count = l->count,
                              .inputs = l->inputs,
                              .answers = l->answers,
                              .tables = &l->tables,
                              .base = fcps_scatter_rate(l->yes, l->count - l->yes),
                              .prior = prior};
  return fcps_label_probit_create(classifier, &learnt);
}

/* A question about trials: which trials count, the answer (label) of a trial, the prior of a classifier's edges between
 * the two answers, and the kind of outage. If is_of_environment, the answer may depend on the environment alone. */
typedef struct question {
  bool (*counts)(const fcps_problem *, const fcps_rollout *);
  bool (*answer)(const fcps_rollout *);
  const fcps_label_prior *prior;
  fcps_outage_kind kind;
  bool is_of_environment;
} question;

/* Adds the labels of the rollouts that count, without those of the run of trials `except`. */
static void add_labels(const fcps_layout *layout, const fcps_rollouts *rollouts, const question *q, fcps_outage except,
                       labels *l)
{
  for (int i = 0; i < rollouts->count; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(rollouts, i);
    const bool is_left_out = i >= except.first && i < except.first + except.count;
    if (!is_left_out && q->counts(layout->problem, &rollout)) add_label(layout, &rollout, q->answer(&rollout), l);
  }
}

/* Collects the labels of the training rollouts, then those of the other rollouts without the run `except`. A loaded
 * model has the rollouts in the same order, so it learns the same. */
static fcps_status collect(const fcps_trials *t, const question *q, fcps_outage except, labels *l)
{
  const fcps_status status = begin_labels(t->layout, t->training->count + t->others->count, l);
  if (status != FCPS_OK) return status;
  add_labels(t->layout, t->training, q, (fcps_outage){0}, l);
  add_labels(t->layout, t->others, q, except, l);
  return FCPS_OK;
}

/* -- Failures and absences -- */

/* Keeps only the first `width` of the `dim` inputs of every row. */
static void narrow(labels *l, size_t dim, size_t width)
{
  for (size_t i = 0; i < (size_t)l->count; i++)
    for (size_t d = 0; d < width; d++)
      l->inputs[i * width + d] = l->inputs[i * dim + d];
}

/* An explanation of the labels by the places of trials (environment and parameters). */
typedef struct explanation {
  int trials, wrong;
  fcps_label_probit *classifier; /* NULL if no trial went wrong and no trial was left out */
  bool ignores_parameters;
} explanation;

/* Fits a classifier that predicts a question's labels from the places of trials, without the trials of `except`. If the
 * question allows it, and it is at least as likely, the classifier only uses the environment. */
static fcps_status explain(const fcps_trials *t, const question *q, fcps_outage except, explanation *found)
{
  labels l;
  fcps_status status = collect(t, q, except, &l);
  *found = (explanation){0};
  if (status != FCPS_OK) return status;
  const int dim = fcps_layout_place_features(t->layout), width = fcps_layout_environment_features(t->layout);
  fcps_label_probit *full = NULL, *narrowed = NULL;
  if (l.yes < l.count || except.count > 0) {
    status = classify(&l, dim, q->prior, &full);
    if (q->is_of_environment) narrow(&l, (size_t)dim, (size_t)width);
    if (status == FCPS_OK && q->is_of_environment && width > 0) status = classify(&l, width, q->prior, &narrowed);
  }
  const bool is_narrow = status == FCPS_OK && narrowed != NULL &&
                         !(fcps_label_probit_log_likelihood(full) > fcps_label_probit_log_likelihood(narrowed));
  *found = (explanation){l.count, l.count - l.yes, is_narrow ? narrowed : full, is_narrow};
  fcps_label_probit_destroy(is_narrow ? full : narrowed);
  free_labels(&l);
  if (status == FCPS_OK) return FCPS_OK;
  fcps_label_probit_destroy(found->classifier);
  return status;
}

/* Whether an outage together with `rest`, which explains the other labels, is a better explanation than `all`, which
 * has no outage. The outage could have been any run of the trials, which costs the logarithm of their number. */
static bool explains_better(const explanation *rest, const explanation *all)
{
  return fcps_label_probit_log_likelihood(rest->classifier) - log(0.5 * all->trials * (all->trials + 1.0)) >
         fcps_label_probit_log_likelihood(all->classifier);
}

/* Explains all labels by places, or those of an outage by their time and the others by places, whichever is better. The
 * classifier is NULL if no trial outside the outage went wrong. */
static fcps_status learn_answers(const fcps_trials *t, const question *q, explanation *believed, fcps_outage *outage)
{
  const int training = t->training->count;
  explanation all, rest = {0};
  fcps_status status = explain(t, q, (fcps_outage){0}, &all);
  *outage = fcps_outage_find(t->others, t->told_before, training, q->kind);
  if (status != FCPS_OK) return status;
  if (outage->count == all.trials) outage->count = 0;
  if (outage->count > 0) status = explain(t, q, *outage, &rest);
  const bool is_outage = outage->count > 0 && status == FCPS_OK && explains_better(&rest, &all);
  *believed = is_outage ? rest : all;
  if (!is_outage) *outage = (fcps_outage){0};
  fcps_label_probit_destroy(is_outage ? all.classifier : rest.classifier);
  if (status == FCPS_OK && believed->wrong > 0) return FCPS_OK;
  fcps_label_probit_destroy(believed->classifier);
  believed->classifier = NULL;
  return status;
}

/* Returns the probability that the failures are explained by chance and not by their places. */
static double weigh_chance(const explanation *e)
{
  if (e->classifier == NULL) return 0.0;
  const double evidence = fcps_label_probit_log_likelihood(e->classifier);
  return 1.0 / (1.0 + exp(-fcps_scatter_log_odds(e->trials - e->wrong, e->wrong, evidence)));
}

/* Learns which trials fail. The prior allows for regions of failures as thin as a post. */
static fcps_status learn_failures(fcps_feasibility *f, const fcps_trials *t)
{
  const question fails = {every, did_not_fail, &fcps_label_prior_posts, FCPS_OUTAGE_FAILURES, false};
  explanation found;
  fcps_outage outage;
  const fcps_status status = learn_answers(t, &fails, &found, &outage);
  if (status != FCPS_OK) return status;
  f->outage = outage;
  f->chance = weigh_chance(&found);
  f->rate = fcps_scatter_rate(found.trials - found.wrong, found.wrong);
  fcps_label_probit_destroy(f->feasible);
  f->feasible = found.classifier;
  return FCPS_OK;
}

/* Learns whether a trial has an outcome. This often depends on the environment alone, so the parameters are only inputs
 * if they explain the labels better. */
static fcps_status learn_presence(fcps_feasibility *f, const fcps_trials *t)
{
  const question is_absent = {ran_and_was_seen, has_outcome, &fcps_label_prior_edges, FCPS_OUTAGE_ABSENCES, true};
  explanation found;
  fcps_outage outage;
  const fcps_status status = learn_answers(t, &is_absent, &found, &outage);
  if (status != FCPS_OK) return status;
  f->absence = outage;
  f->presence_ignores_parameters = found.ignores_parameters;
  fcps_label_probit_destroy(f->present);
  f->present = found.classifier;
  return FCPS_OK;
}

/* -- Movement -- */

/* Cross-validation: each of TURNS turns leaves out every fifth rollout. */
enum { TURNS = 5, NO_TURN = -1 };

static bool rests_in_description(const void *description, const double *environment, const double *outcome)
{
  return fcps_description_rests(description, environment, outcome);
}

/* Learns which rollouts of a list are not at rest, without those that turn `turn` leaves out. `source` has the numbers
 * of the rollouts; NULL means all. The prior is the one for absent outcomes: regions of rest also have long edges. */
static fcps_status classify_movement(const fcps_layout *layout, const fcps_rollouts *rollouts, int count,
                                     const int *source, fcps_rest_rule rule, int turn, fcps_label_probit **classifier)
{
  labels l;
  fcps_status status = begin_labels(layout, count, &l);
  if (status != FCPS_OK) return status;
  for (int i = 0; i < count; i++) {
    const fcps_rollout rollout = fcps_rollouts_at(rollouts, source != NULL ? source[i] : i);
    if (i % TURNS != turn)
      add_label(layout, &rollout, !rule.rests(rule.user, rollout.environment, rollout.outcome), &l);
  }
  status = classify(&l, fcps_layout_place_features(layout), &fcps_label_prior_edges, classifier);
  free_labels(&l);
  return status;
}

static fcps_status classify_trials(const fcps_trials *t, int turn, fcps_label_probit **classifier)
{
  return classify_movement(t->layout, t->training, t->training->count, NULL,
                           (fcps_rest_rule){rests_in_description, t->description}, turn, classifier);
}

fcps_status fcps_feasibility_explain_movement(const fcps_look *look, int count, const int *source, fcps_rest_rule rule,
                                              double *log_likelihood)
{
  fcps_label_probit *classifier = NULL;
  const fcps_status status = classify_movement(look->layout, look->rollouts, count, source, rule, NO_TURN, &classifier);
  if (status == FCPS_OK) *log_likelihood = fcps_label_probit_log_likelihood(classifier);
  fcps_label_probit_destroy(classifier);
  return status;
}

static fcps_status learn_movement(fcps_feasibility *f, const fcps_trials *t)
{
  fcps_label_probit *made = NULL;
  const fcps_status status = classify_trials(t, NO_TURN, &made);
  if (status != FCPS_OK) return status;
  fcps_label_probit_destroy(f->moves);
  f->moves = made;
  return FCPS_OK;
}

/* -- All of them -- */

void fcps_feasibility_forget(fcps_feasibility *feasibility)
{
  fcps_label_probit_destroy(feasibility->moves);
  fcps_label_probit_destroy(feasibility->feasible);
  fcps_label_probit_destroy(feasibility->present);
  *feasibility = (fcps_feasibility){0};
}

fcps_status fcps_feasibility_learn(fcps_feasibility *feasibility, const fcps_trials *t)
{
  const int told = t->training->count + t->others->count;
  const bool has_others = t->others->count > 0, has_rest = t->description->has_rest;
  if (!(has_others || has_rest) || feasibility->rows == told) return FCPS_OK;
  fcps_status status = has_others ? learn_failures(feasibility, t) : FCPS_OK;
  if (status == FCPS_OK && has_others && t->layout->predicts_outcomes && t->layout->problem->presence == NULL)
    status = learn_presence(feasibility, t);
  if (status == FCPS_OK && has_rest) status = learn_movement(feasibility, t);
  if (status == FCPS_OK) feasibility->rows = told;
  return status;
}

bool fcps_feasibility_excuses(const fcps_feasibility *feasibility, const fcps_rollouts *others,
                              const fcps_rollout *rollout)
{
  return belongs(feasibility->outage, others, rollout) || belongs(feasibility->absence, others, rollout);
}

/* -- Answers -- */

/* The most features of a place: two (for an angle) for each dimension of the environment and the parameters. */
enum { MOST_FEATURES = 4 * FCPS_SPACE_MAX };

/* Multiplies the values of trials by the probabilities of a classifier. Does nothing if the classifier is NULL. A
 * classifier of the environment alone can read the same row, because the environment comes first. */
static void multiply(fcps_label_probit *classifier, const fcps_layout *layout, int count, const double *environments,
                     const double *parameters, double *values)
{
  const size_t e = (size_t)layout->problem->environment.count, p = (size_t)layout->problem->parameters.count;
  double row[MOST_FEATURES], probability;
  for (size_t i = 0; i < (size_t)count && classifier != NULL; i++) {
    fcps_layout_place(layout, environments + i * e, parameters + i * p, row);
    fcps_label_probit_predict(classifier, 0.0, 1, row, &probability);
    values[i] *= probability;
  }
}

void fcps_feasibility_scale_by_movement(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                                        const double *environments, const double *parameters, double *values)
{
  multiply(feasibility->moves, layout, count, environments, parameters, values);
}

void fcps_feasibility_scale(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                            const double *features, double *values)
{
  const size_t dim = (size_t)layout->features, parameters = (size_t)layout->parameters.width;
  const size_t environment = (size_t)fcps_layout_environment_features(layout);
  double row[MOST_FEATURES], probability;
  for (size_t i = 0; i < (size_t)count && feasibility->feasible != NULL; i++) {
    const double *trial = features + i * dim; /* the environment comes first, the parameters last */
    memcpy(row, trial, environment * sizeof(double));
    memcpy(row + environment, trial + dim - parameters, parameters * sizeof(double));
    fcps_label_probit_predict(feasibility->feasible, 0.0, 1, row, &probability);
    values[i] *= probability;
  }
}

/* Computes the probabilities, 0 or 1, that outcomes are present, by the problem's rule. */
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

fcps_status fcps_feasibility_chances(const fcps_feasibility *feasibility, const fcps_layout *layout, int count,
                                     const double *environments, const double *parameters, double *probabilities,
                                     fcps_error *error)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < count; i++)
    probabilities[i] = 1.0;
  if (layout->problem->presence != NULL)
    status = ask_rule(layout->problem, count, environments, parameters, probabilities, error);
  if (status != FCPS_OK) return status;
  multiply(feasibility->present, layout, count, environments, parameters, probabilities);
  multiply(feasibility->feasible, layout, count, environments, parameters, probabilities);
  return FCPS_OK;
}

fcps_status fcps_feasibility_leave_out_movement(const fcps_trials *t, double *probabilities)
{
  fcps_status status = FCPS_OK;
  for (int turn = 0; turn < TURNS && status == FCPS_OK; turn++) {
    fcps_label_probit *classifier = NULL;
    status = classify_trials(t, turn, &classifier);
    for (int i = turn; i < t->training->count && status == FCPS_OK; i += TURNS) {
      probabilities[i] = 1.0;
      multiply(classifier, t->layout, 1, fcps_rollouts_environment(t->training, i),
               fcps_rollouts_parameters(t->training, i), probabilities + i);
    }
    fcps_label_probit_destroy(classifier);
  }
  return status;
}
