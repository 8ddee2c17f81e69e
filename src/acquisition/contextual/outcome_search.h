/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a trial with a model of outcomes. Variance reduction (ivr.c) and entropy search (outcome_es.c) share
 * the search. Each is a criterion: it computes how much the acts of the greedy policy gain from a trial.
 *
 * An act is a context together with the parameters that the greedy policy chooses in it. The contexts of acts are
 * spread over the target space. The value of a trial is the sum of its gains over all acts, weighted by the
 * probabilities that the trial and the act have an outcome. */
#ifndef FCPS_ACQUISITION_CONTEXTUAL_OUTCOME_SEARCH_H
#define FCPS_ACQUISITION_CONTEXTUAL_OUTCOME_SEARCH_H

#include "acquisition/acquisition.h"
#include "acquisition/information/belief.h"
#include "base/rng.h"
#include "model/model.h"

/* -- Trials -- */

/* Trials for a model of outcomes: points of the unit cube, environment first, then parameters. A trial's outcome does
 * not depend on its target, so the target is not a part of it. */

typedef struct fcps_outcome_trials {
  const fcps_model *model;
  int environments, parameters, width;       /* width = environments + parameters */
  int most;                                  /* the most trials whose probabilities are computed at once */
  const bool *is_free;                       /* which coordinates of the environment may be chosen (borrowed) */
  const double *fixed;                       /* the values of its other coordinates, unit cube (borrowed) */
  bool *wraps;                               /* which coordinates of a trial wrap around */
  double *own_environments, *own_parameters; /* most rows, in the problem's own units */
  double *probabilities;                     /* `most` numbers: that a trial does not fail, has an outcome and an
                                              * effect */
  fcps_error *error;                         /* borrowed */
} fcps_outcome_trials;

/* Makes room for trials, and borrows all arguments. After a failure there is nothing to destroy. */
fcps_status fcps_outcome_trials_create(fcps_outcome_trials *trials, const fcps_model *model, const bool *is_free,
                                       const double *fixed, int most, fcps_error *error);
void fcps_outcome_trials_destroy(fcps_outcome_trials *trials);

/* Draws a random trial. A trial without effect tells nothing, so it makes a few draws until one is likely to have an
 * effect.
 */
fcps_status fcps_outcome_trials_draw(fcps_outcome_trials *trials, fcps_rng *rng, double *trial);

/* Computes trials->probabilities of `count` trials (rows). */
fcps_status fcps_outcome_trials_find_probabilities(fcps_outcome_trials *trials, int count, const double *x);

/* -- The search -- */

/* The most acts, and the most trials in one call. */
enum { FCPS_OUTCOME_ACTS = 64, FCPS_OUTCOME_TRIALS = 400 };

typedef struct fcps_outcome_search fcps_outcome_search;

/* A criterion: the functions and numbers in which variance reduction and entropy search differ. */
typedef struct fcps_outcome_criterion {
  int candidates;                           /* trials that the search begins with, at least FCPS_OUTCOME_ACTS */
  fcps_shrinking_search_settings narrowing; /* the later steps of the search */

  /* Builds search->state from the acts. `release` frees it. */
  fcps_status (*prepare)(fcps_outcome_search *search, fcps_rng rng);
  void (*release)(fcps_outcome_search *search); /* search->state may be NULL or incomplete */

  /* Computes the gains of the first `count` of search->candidates, summed over all acts. */
  fcps_status (*gains)(fcps_outcome_search *search, int count, double *values);

  /* Returns the act that gains most from the trial of the last call of `gains`, which must have had only one trial. */
  int (*main_act)(const fcps_outcome_search *search);
} fcps_outcome_criterion;

struct fcps_outcome_search {
  const fcps_outcome_criterion *criterion;
  const fcps_context_decision *decision;
  fcps_outcome_trials trials;
  uint64_t seed;               /* the seed of the run */
  double *targets_x, *targets; /* rows, one per act: in the unit cube, and in their own units */
  double *acts;                /* rows of trials */
  double *act_probabilities;   /* one per act: the probability that it has an outcome */
  double *copies;              /* FCPS_OUTCOME_TRIALS rows: trials with the fixed coordinates set */
  int gp_count;                /* GPs of the model */
  fcps_candidates *candidates; /* one per GP, with the same trials */
  fcps_status failure;         /* the failure of a callback inside an objective, which cannot return it */
  void *state;                 /* the state of the criterion */
};

/* The fcps_acquisition.select_context of a criterion. Writes the free coordinates of the environment, and the target of
 * the act that gains most from the trial. */
fcps_status fcps_outcome_search_select(const fcps_outcome_criterion *criterion, const fcps_context_decision *decision,
                                       double *context, double *x, fcps_error *error);

/* Functions for criteria. `target` returns the target of an act, `features` writes the GP's inputs of a trial, and
 * `posterior` makes the posterior in the context of an act, whose environment is then in the first row of
 * trials.own_environments. */
const double *fcps_outcome_search_target(const fcps_outcome_search *search, int act);
void fcps_outcome_search_features(const fcps_outcome_search *search, const double *trial, double *features);
fcps_status fcps_outcome_search_posterior(fcps_outcome_search *search, int act, fcps_posterior **posterior);

/* -- Variance reduction -- */

/* How much a trial is expected to reduce the uncertainty of the outcomes of all acts.
 *
 *   gain(x) = sum_t sd_t - sqrt(sd_t^2 - c_t(x)^2/(v(x) + sn^2)),
 *
 * where sd_t is the deviation of the outcome at the greedy parameters of context t, c_t its covariance with the outcome
 * at x, and v the variance at x, all of the posterior and in unit scale. The reduction of a variance does not depend on
 * the outcome of the trial, so no average over outcomes is needed.
 */

typedef struct fcps_ivr {
  int count;
  double *features;   /* rows of the GP's inputs at which the policy acts */
  double *whitened;   /* L^-1 k(rows, acts): rows x count */
  double *variance;   /* one per act */
  double *weight;     /* count: weight of each act */
  double *covariance; /* count x trials, scratch */
  fcps_gp_work work;
} fcps_ivr;

/* Makes room for `count` acts, whose features and weights the caller fills in, and for the gains of `most` trials in
 * one call.
 */
fcps_status fcps_ivr_create(fcps_ivr *ivr, const fcps_gp *gp, int count, int most);
void fcps_ivr_destroy(fcps_ivr *ivr);

/* Computes the variances and whitened covariances of the acts from their features. */
void fcps_ivr_prepare(fcps_ivr *ivr, const fcps_gp *gp);

/* Computes the gains of prepared trials. */
void fcps_ivr_gains(const fcps_ivr *ivr, const fcps_gp *gp, const fcps_candidates *trials, double *gains);

/* Returns the act that gains most from trial `index` of the last call. */
int fcps_ivr_main_act(const fcps_ivr *ivr, const fcps_candidates *trials, int index);

/* -- Beliefs -- */

/* The belief about the outcomes of a few representers in one context, as joint samples (outcome_belief.c).
 *
 * Invariant: beliefs that are made with the same normals have the same random numbers in all contexts. */

typedef struct fcps_outcome_belief {
  int count, gp_count;             /* m representers; number of GPs of the model */
  const double *target;            /* borrowed */
  fcps_belief *part;               /* one per GP: features, whitened covariances and factor, without samples */
  double *numbers;                 /* owns the arrays below */
  double *variance;                /* gp_count x m: variances of the representers, unit scale */
  double *rows;                    /* m rows of features, before they are transformed to the model's frame */
  double *outcomes;                /* m x S rows of outcomes, in their own units and the frame of the model */
  double *environments;            /* m x S rows, one for each outcome */
  double *parameters;              /* m x S rows, one for each outcome */
  double *probability, *otherwise; /* m each: probability of an outcome, and reward without one */
} fcps_outcome_belief;

/* The random numbers of the samples: outcomes x S x `most` standard normals. */
typedef struct fcps_outcome_normals {
  int samples, most;
  const double *z;
} fcps_outcome_normals;

/* Creates the belief about `count` representers (rows, unit cube) in the context of `posterior`. */
fcps_status fcps_outcome_belief_create(fcps_outcome_belief *belief, const fcps_posterior *posterior,
                                       const double *target, const double *environment, int count, const double *x,
                                       const fcps_outcome_normals *normals, fcps_error *error);
void fcps_outcome_belief_destroy(fcps_outcome_belief *belief);

/* -- Entropy search on outcomes -- */

/* How much a trial is expected to tell about which parameters are best in many contexts.
 *
 * The outcomes o of representers in a context are jointly Gaussian, and their rewards R(target, environment, theta_i,
 * o_i) are exact, so samples of the outcomes vote for the best representer. A trial at x with outcome y changes all
 * outcomes by k (w - u), as in belief.h, with one standard normal w and u for each dimension of the outcome. The gain
 * is
 *
 *   sum_t weight_t (H[p_t] - E_y H[p_t | x, y])       over contexts t,
 *
 * with both terms from the same samples. A trial's outcome does not depend on its target, so one trial tells about all
 * targets.
 *
 * Symbols: k and b as in es.c, w = es->w, u = es->u, weight_t = es->weights.
 */

typedef struct fcps_outcome_es_settings {
  int representers; /* the most representers (m) in a context */
  int samples;      /* S: joint samples of their outcomes */
  int outcomes;     /* J, even: outcomes of the trial that are averaged over */
} fcps_outcome_es_settings;

typedef struct fcps_outcome_es fcps_outcome_es;

/* Makes room for `contexts` contexts and the gains of `most` trials in one call. Borrows the model, which must predict
 * outcomes. The random numbers that estimate entropies depend only on `seed`, so that a search does not follow the
 * noise of the estimate. */
fcps_status fcps_outcome_es_create(fcps_outcome_es **es, const fcps_outcome_es_settings *settings,
                                   const fcps_model *model, int contexts, int most, uint64_t seed);
void fcps_outcome_es_destroy(fcps_outcome_es *es);

/* Adds the context of `posterior`, with `count` representers (rows, unit cube). Borrows the target. */
fcps_status fcps_outcome_es_add(fcps_outcome_es *es, const fcps_posterior *posterior, const double *target,
                                const double *environment, int count, const double *x, double weight,
                                fcps_error *error);

/* Computes the gains of prepared trials. `trials` has one element per GP of the model, all with the same trials. */
fcps_status fcps_outcome_es_gains(fcps_outcome_es *es, const fcps_candidates *trials, double *gains, fcps_error *error);

/* Returns the context about which the last trial of the last call tells most. */
int fcps_outcome_es_main_context(const fcps_outcome_es *es);

#endif
