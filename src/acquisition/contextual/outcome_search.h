/* SPDX-License-Identifier: Apache-2.0 */
/* The search for a trial with a model of outcomes, which variance reduction (ivr.c) and entropy search (outcome_es.c)
 * share: they only say how much a trial is worth to the acts of the greedy policy.
 *
 * An act is a context together with what the greedy policy does there. Acts are spread over the target space; a trial
 * is worth what the criterion says, summed over acts and weighted by the probabilities that there is an outcome: of the
 * trial, and of the act. */
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
  int most;                                  /* trials that probabilities can be asked for at once */
  const bool *is_free;                       /* environments: which coordinates may be chosen (borrowed) */
  const double *fixed;                       /* environments: the others, unit cube (borrowed) */
  bool *wraps;                               /* width */
  double *own_environments, *own_parameters; /* most rows, in the problem's own units */
  double *probabilities;                     /* most: that a trial does not fail, has an outcome and moves something */
  fcps_error *error;                         /* borrowed */
} fcps_outcome_trials;

/* Borrows everything given. A failure leaves nothing to destroy. */
fcps_status fcps_outcome_trials_create(fcps_outcome_trials *trials, const fcps_model *model, const bool *is_free,
                                       const double *fixed, int most, fcps_error *error);
void fcps_outcome_trials_destroy(fcps_outcome_trials *trials);

/* A random trial in which something happens, if a few draws find one: where nothing does there is nothing to learn. */
fcps_status fcps_outcome_trials_draw(fcps_outcome_trials *trials, fcps_rng *rng, double *trial);

/* trials->probabilities of `count` trials (rows). */
fcps_status fcps_outcome_trials_find_probabilities(fcps_outcome_trials *trials, int count, const double *x);

/* -- The search -- */

/* The most acts, and the most trials, that are looked at together. */
enum { FCPS_OUTCOME_ACTS = 64, FCPS_OUTCOME_TRIALS = 400 };

typedef struct fcps_outcome_search fcps_outcome_search;

/* How criteria differ. */
typedef struct fcps_outcome_criterion {
  int candidates;                           /* trials that are looked at first, at least FCPS_OUTCOME_ACTS */
  fcps_shrinking_search_settings narrowing; /* the steps from the best of them */

  /* Builds search->state from the acts. */
  fcps_status (*prepare)(fcps_outcome_search *search, fcps_rng rng);
  void (*release)(fcps_outcome_search *search); /* search->state may be NULL or half-built */

  /* What the first `count` of search->candidates are worth to all acts. */
  fcps_status (*gains)(fcps_outcome_search *search, int count, double *values);

  /* The act that the only trial of the last call is worth most to. */
  int (*main_act)(const fcps_outcome_search *search);
} fcps_outcome_criterion;

struct fcps_outcome_search {
  const fcps_outcome_criterion *criterion;
  const fcps_context_decision *decision;
  fcps_outcome_trials trials;
  uint64_t seed;               /* of the run */
  double *targets_x, *targets; /* rows, one per act: in the unit cube, and in their own units */
  double *acts;                /* rows of trials */
  double *act_probabilities;   /* one per act: the chance that it has an outcome */
  double *copies;              /* FCPS_OUTCOME_TRIALS rows: trials with what is fixed put back */
  int gp_count;                /* GPs of the model */
  fcps_candidates *candidates; /* one per GP, with the same trials */
  fcps_status failure;         /* of a callback, from an objective that could not return it */
  void *state;                 /* the criterion's own */
};

/* fcps_acquisition.select_context with a criterion. Writes the free coordinates of the environment, and those of the
 * target that the trial is worth most to. */
fcps_status fcps_outcome_search_select(const fcps_outcome_criterion *criterion, const fcps_context_decision *decision,
                                       double *context, double *x, fcps_error *error);

/* For criteria: the target of an act, the GP's inputs of a trial, and the model as it is seen from the context of an
 * act (whose environment is then in the first row of trials.own_environments). */
const double *fcps_outcome_search_target(const fcps_outcome_search *search, int act);
void fcps_outcome_search_features(const fcps_outcome_search *search, const double *trial, double *features);
fcps_status fcps_outcome_search_posterior(fcps_outcome_search *search, int act, fcps_posterior **posterior);

/* -- Variance reduction -- */

/* How much a trial anywhere is expected to sharpen the outcomes where the greedy policy acts.
 *
 *   gain(x) = sum_t sd_t - sqrt(sd_t^2 - c_t(x)^2/(v(x) + sn^2)),
 *
 * with sd_t the deviation of the outcome at the greedy parameters of context t, c_t its covariance with the outcome at
 * x and v the variance at x, all posterior and in unit scale. How much a variance shrinks does not depend on what will
 * be seen, so that there is nothing to average over.
 */

typedef struct fcps_ivr {
  int count;
  double *features;   /* rows of the GP's inputs: where the policy acts */
  double *whitened;   /* rows x count */
  double *variance;   /* count */
  double *weight;     /* count: probability that there is an outcome */
  double *covariance; /* count x trials, scratch */
  fcps_gp_work work;
} fcps_ivr;

/* Room for `count` acts (features and weights are filled by the caller) and gains of `most` trials at once. */
fcps_status fcps_ivr_create(fcps_ivr *ivr, const fcps_gp *gp, int count, int most);
void fcps_ivr_destroy(fcps_ivr *ivr);

/* What follows from the features. */
void fcps_ivr_prepare(fcps_ivr *ivr, const fcps_gp *gp);

/* Gains of prepared trials. */
void fcps_ivr_gains(const fcps_ivr *ivr, const fcps_gp *gp, const fcps_candidates *trials, double *gains);

/* What trial `index` of the last gains sharpens most. */
int fcps_ivr_main_act(const fcps_ivr *ivr, const fcps_candidates *trials, int index);

/* -- Beliefs -- */

/* What is believed about the outcomes of a few representers in one context, as joint samples (outcome_belief.c).
 *
 * Invariant: beliefs that are made with the same normals have the same random numbers, whatever their contexts are. */

typedef struct fcps_outcome_belief {
  int count, gp_count;             /* m representers; GPs of the model */
  const double *target;            /* borrowed */
  fcps_belief *part;               /* for each GP: features, whitened covariances and factor; no samples of its own */
  double *numbers;                 /* owns the arrays below */
  double *variance;                /* gp_count x m: of the representers, unit scale */
  double *rows;                    /* m rows of features, before they are turned */
  double *outcomes;                /* m x S rows of outcomes, in their own units and the frame of the model */
  double *environments;            /* m x S rows, as the reward wants them */
  double *parameters;              /* the same */
  double *probability, *otherwise; /* m: that there is an outcome, and the reward without */
} fcps_outcome_belief;

/* The numbers that samples are made from: outcomes x S x `most` standard normals. */
typedef struct fcps_outcome_normals {
  int samples, most;
  const double *z;
} fcps_outcome_normals;

/* The belief in the context that `posterior` sees the model from, about `count` representers (rows, unit cube). */
fcps_status fcps_outcome_belief_create(fcps_outcome_belief *belief, const fcps_posterior *posterior,
                                       const double *target, const double *environment, int count, const double *x,
                                       const fcps_outcome_normals *normals, fcps_error *error);
void fcps_outcome_belief_destroy(fcps_outcome_belief *belief);

/* -- Entropy search on outcomes -- */

/* How much a trial anywhere is expected to tell about the best parameters in many contexts.
 *
 * The outcomes o of representers in a context are jointly Gaussian, and their rewards R(target, environment, theta_i,
 * o_i) are exact, so that samples of the outcomes vote for the best representer. A trial at x with outcome y moves all
 * outcomes by k (w - u), as in belief.h, with one standard normal w and u for each dimension of the outcome; the gain
 * is
 *
 *   sum_t weight_t (H[p_t] - E_y H[p_t | x, y])       over contexts t,
 *
 * with both terms from the same samples. A trial's outcome does not depend on its target, so one trial tells about all.
 *
 * Symbols: k and b as in es.c, w = es->w, u = es->u, weight_t = es->weights.
 */

typedef struct fcps_outcome_es_settings {
  int representers; /* m, at most, in a context */
  int samples;      /* S: joint samples of their outcomes */
  int outcomes;     /* J, even: outcomes that the trial may have */
} fcps_outcome_es_settings;

typedef struct fcps_outcome_es fcps_outcome_es;

/* Room for `contexts` contexts and the gains of `most` trials at once. Borrows the model (outcome outputs). The
 * numbers that estimate entropies follow from `seed` alone: a search does not chase noise. */
fcps_status fcps_outcome_es_create(fcps_outcome_es **es, const fcps_outcome_es_settings *settings,
                                   const fcps_model *model, int contexts, int most, uint64_t seed);
void fcps_outcome_es_destroy(fcps_outcome_es *es);

/* Adds a context, from which `posterior` sees the model, with `count` representers (rows, unit cube). Borrows the
 * target. */
fcps_status fcps_outcome_es_add(fcps_outcome_es *es, const fcps_posterior *posterior, const double *target,
                                const double *environment, int count, const double *x, double weight,
                                fcps_error *error);

/* Gains of prepared trials: one set of them per GP of the model, with the same trials. */
fcps_status fcps_outcome_es_gains(fcps_outcome_es *es, const fcps_candidates *trials, double *gains, fcps_error *error);

/* The context that the last trial of the last call tells most about. */
int fcps_outcome_es_main_context(const fcps_outcome_es *es);

#endif
