/* SPDX-License-Identifier: Apache-2.0 */
/* A model: a belief about the reward of any parameters in any context, from rollouts.
 *
 * Every model is a Gaussian process over rows of (target, environment, parameters) or (environment, parameters), all in
 * the unit cube with angles optionally on a circle. What differs is a file each: which inputs, which outputs, and how a
 * predicted output becomes a reward.
 *
 *   joint     (target, environment, parameters) -> reward                         [metzen2015]
 *   rescored  (environment, parameters) -> rewards scored again for the target    [pinsler2019]
 *   outcome   (environment, parameters) -> outcome, whose reward is known exactly (model/scoring.h)
 *
 * Questions are asked through a view: the model seen from one context.
 */
#ifndef FCPS_MODEL_MODEL_H
#define FCPS_MODEL_MODEL_H

#include "gp/fit.h"
#include "gp/split.h"
#include "model/feasibility/label_classifier.h"
#include "problem/rollouts.h"
#include "space/embedding.h"

typedef struct fcps_model fcps_model;
typedef struct fcps_posterior fcps_posterior;

typedef struct fcps_model_ops {
  const char *name;
  bool has_target_inputs;   /* the target is an input of the GP */
  bool has_target_outputs;  /* the outputs depend on the target: each target has its own */
  bool has_outcome_outputs; /* the outputs are outcomes; else the reward */
  bool needs_reward;        /* needs the reward as a function */

  /* Number of outputs (for one target). */
  int (*width)(const fcps_problem *problem);

  /* Whether a rollout says something about the outputs. */
  bool (*is_usable)(const fcps_problem *problem, const fcps_rollout *rollout);

  /* The outputs of all evidence (rows x width, column-major), for `target` where they depend on it. */
  fcps_status (*outputs)(const fcps_model *model, const double *target, double *y, fcps_error *error);
} fcps_model_ops;

extern const fcps_model_ops fcps_model_joint;
extern const fcps_model_ops fcps_model_rescored;
extern const fcps_model_ops fcps_model_outcome;

/* The models in the order in which they are listed, NULL past the end; and by name, NULL where there is none. */
const fcps_model_ops *fcps_model_ops_at(int index);
const fcps_model_ops *fcps_model_ops_find(const char *name);

/* Whether parameters may have been executed inexactly, and how inexactly (model/input_noise.h). */
typedef enum fcps_input_noise {
  FCPS_INPUT_NOISE_OFF,
  FCPS_INPUT_NOISE_GIVEN, /* by the same share of every parameter's range */
  FCPS_INPUT_NOISE_LEARNT /* for each parameter, by the evidence */
} fcps_input_noise;

/* Their names, in the order of the enumeration; NULL past the end. */
const char *fcps_input_noise_name(int index);

typedef struct fcps_model_settings {
  const fcps_kernel *kernel;
  bool circular; /* periodic dimensions on a circle; else raw */
  fcps_gp_norm norm;
  fcps_hyper_prior prior;     /* its `stretch` is the model's own */
  double environment_stretch; /* factor of the length prior for the environment; 0: 1 */
  fcps_fit_settings fit;
  bool is_separate; /* hyper-parameters of each outcome are its own (parts.c); of no consequence for rewards */
  fcps_input_noise input_noise;
  double input_noise_share; /* GIVEN: deviation as a share of the range */
  bool may_split;           /* two models, along one context dimension, where the evidence says so (leaves.c) */
} fcps_model_settings;

struct fcps_model {
  const fcps_model_ops *ops;
  const fcps_problem *problem; /* borrowed */
  fcps_model_settings settings;
  fcps_embedding context, parameters; /* unit coordinates -> features */
  double *stretch;                    /* of the length prior, for each feature */
  fcps_rollouts training;             /* what the GP's rows were made from */
  fcps_gp *gp;                        /* the evidence's rows first, then pending ones */
  int other_gp_count;                 /* separate hyper-parameters: GPs of the outputs after the first, else none */
  fcps_gp **other_gps;
  double *input_noise;      /* deviation of each parameter, unit cube; NULL: they are exact */
  int fitted;               /* rows at the last fit; 0: never fitted */
  fcps_fit_result ending;   /* of the last fit */
  fcps_split split;         /* how the model has split; input -1: it has not */
  int searched;             /* rows at the last search for a split */
  fcps_model *child[2];     /* then the models of both sides, which share the evidence, and `gp` rests */
  const fcps_model *parent; /* of a leaf: the model that it is a side of */

  /* samples of hyper-parameters (model/chain.c): the GP's are the newest, the earlier ones have twins after a refresh */
  int hyper_sample_count, member_count;
  double *hyper_samples; /* chain_count x FCPS_HYPER_COUNT */
  fcps_model **members;  /* the same model with other hyper-parameters */

  /* what may go wrong (model/doubt.c): up to date after fcps_model_refresh */
  fcps_rollouts others;               /* told, but no rows of the GP: failed, or without what it needs */
  fcps_label_classifier *feasibility; /* that a trial does not fail; NULL while none has */
  fcps_label_classifier *present;     /* that there is an outcome (outcome outputs only); NULL while none was absent */
  bool is_presence_of_environment;    /* the parameters are no inputs of `present` */
  int feasibility_rows;               /* rollouts that both know */
};

/* Creates a model without evidence. Borrows `problem`, which must outlive it. */
fcps_status fcps_model_create(fcps_model **model, const fcps_model_ops *ops, const fcps_problem *problem,
                              const fcps_model_settings *settings);
fcps_status fcps_model_copy(const fcps_model *model, const fcps_problem *problem, fcps_model **copy);
void fcps_model_destroy(fcps_model *model);

/* Adds a usable rollout to the evidence; one that is not usable only counts for what may go wrong. The reward for its
 * own target must be in `rollout`. */
fcps_status fcps_model_add(fcps_model *model, const fcps_rollout *rollout);

/* Drops all evidence from row `count` on. */
void fcps_model_truncate(fcps_model *model, int count);

/* Fits the hyper-parameters to the outputs for `count` targets together (ignored where outputs do not depend on the
 * target). Needs evidence. */
fcps_status fcps_model_fit(fcps_model *model, int count, const double *targets, fcps_rng rng, fcps_fit_result *result,
                           fcps_error *error);

/* Brings the factor and the chances up to date with what was added. Call before making a view. */
fcps_status fcps_model_refresh(fcps_model *model);

/* Learns `feasible` and `present` where rollouts came since the last time; part of fcps_model_refresh. */
fcps_status fcps_model_learn_feasibility(fcps_model *model);

/* The chance that each of `count` trials (rows in the problem's own units) does not fail and has an outcome. */
fcps_status fcps_model_feasibility(const fcps_model *model, int count, const double *environments,
                                   const double *parameters, double *chances, fcps_error *error);

/* Inputs of chances: the features of environment and parameters, never of the target. */
int fcps_model_feasibility_dim(const fcps_model *model);

/* Multiplies `values` of `count` trials, given by the GP's inputs (rows), by the chance that they do not fail: for what
 * a trial is worth, never negative, where a failed one is worth nothing. Leaves them as they are while no trial has
 * failed. `row` is scratch for the inputs of one chance. */
void fcps_model_weigh_by_feasibility(const fcps_model *model, int count, const double *features, double *row,
                                     double *values);

/* Hyper-parameters and the size of the last full factorization of a part, as saved from an equal model with the same
 * evidence: afterwards both have the same bits. */
fcps_status fcps_model_restore(fcps_model *model, int part, const double *hyper, int base);

/* Whether answers are averages over several samples of the hyper-parameters, after a refresh. */
bool fcps_model_is_sampled(const fcps_model *model);

/* The GPs: one for all outputs, or with separate hyper-parameters one for each of them. */
int fcps_model_gp_count(const fcps_model *model);
fcps_gp *fcps_model_gp(const fcps_model *model, int part);

/* Inputs of trials without outcome yet: they reduce the deviation of views made afterwards, not the mean
 * (GP-BUCB [desautels2014]). One that cannot be added is skipped. Cleared by fcps_model_clear_pending. */
void fcps_model_add_pending(fcps_model *model, const double *target, const double *environment,
                            const double *parameters);
void fcps_model_clear_pending(fcps_model *model);

/* Conditions the GP on the outputs for `count` targets (rows): column i*width + o of the result is output o for target
 * i. Where outputs do not depend on the target, count is 1. Frees what `outputs` held before; it starts zeroed. */
fcps_status fcps_model_condition(const fcps_model *model, int count, const double *targets, fcps_gp_outputs *outputs,
                                 fcps_error *error);

/* Features of a context: the first inputs of a row. */
fcps_status fcps_model_context(const fcps_model *model, const double *target, const double *environment,
                               double *features);

/* Sees the model from a context. Borrows the model, which must not change while the view lives, and `error`, which gets
 * the words when a callback of the problem fails later. */
fcps_status fcps_posterior_create(fcps_posterior **posterior, const fcps_model *model, const double *target,
                                  const double *environment, fcps_error *error);
void fcps_posterior_destroy(fcps_posterior *posterior);

/* Reward of `count` parameter vectors (rows, unit cube): mean and latent standard deviation, which may be NULL. */
void fcps_posterior_moments(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

/* The same with deviations that are never too small, much cheaper where there are many rows (fcps_gp_predict_bound).
 * false, and nothing done, where the outputs are outcomes: their rewards have no such bound. */
bool fcps_posterior_bound(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

/* The same at one point, with gradients in the unit cube. `deviation` and its gradient may be NULL together. */
void fcps_posterior_gradient(fcps_posterior *posterior, const double *x, double *mean, double *deviation,
                             double *mean_gradient, double *deviation_gradient);

/* The same at `count` points (rows), with rows of gradients: cheaper than one by one where there are many rows. */
void fcps_posterior_gradients(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                              double *mean_gradient, double *deviation_gradient);

/* Expected improvement E max(reward - best, 0) of `count` parameter vectors, and of one with its gradient; the largest
 * mean reward of the evidence's parameters in this context, for `best`. */
void fcps_posterior_improvement(fcps_posterior *posterior, double best, int count, const double *x, double *values);
double fcps_posterior_improvement_gradient(fcps_posterior *posterior, double best, const double *x, double *gradient);
double fcps_posterior_incumbent(fcps_posterior *posterior);

/* The parameters of the evidence with that mean (unit cube); false where there is no evidence. */
bool fcps_posterior_best_tried(fcps_posterior *posterior, double *x);

/* Rewards at `count` parameter vectors from one joint draw of the outputs, from count standard normals an output. */
fcps_status fcps_posterior_draw(fcps_posterior *posterior, int count, const double *x, const double *normals,
                                double *rewards);

/* fcps_model_weigh_by_feasibility of `count` parameter vectors in this context. */
void fcps_posterior_weigh_by_feasibility(fcps_posterior *posterior, int count, const double *x, double *values);

/* The outcome expected of one parameter vector, within its bounds, and its latent deviation (outcome space each, may be
 * NULL); false where the model has none. */
bool fcps_posterior_outcome(fcps_posterior *posterior, const double *x, double *mean, double *deviation);

/* FCPS_OK, or why the answers since the view was made cannot be trusted: a callback failed. */
fcps_status fcps_posterior_failure(const fcps_posterior *posterior);

/* What acquisitions that think of several points at once need: the model (that of the context's side, where it has
 * split), its outputs for the target, and the features of the context. They live as long as the view. */
const fcps_model *fcps_posterior_model(const fcps_posterior *posterior);
const fcps_gp_outputs *fcps_posterior_outputs(const fcps_posterior *posterior);
const double *fcps_posterior_context(const fcps_posterior *posterior);

/* The same context seen with another sample of the hyper-parameters, NULL after the last. The functions above average
 * over all; what comes from the view's model and outputs is of one. */
fcps_posterior *fcps_posterior_next(const fcps_posterior *posterior);

/* How many rows the view knows, and how many inputs a row has: for schedules of kappa. */
int fcps_posterior_rows(const fcps_posterior *posterior);
int fcps_posterior_dim(const fcps_posterior *posterior);
int fcps_posterior_outputs_count(const fcps_posterior *posterior);

/* The parameters that vary: how many, which are full circles, and how many levels those have that are integers (0:
 * none; NULL where no parameter is one). */
int fcps_posterior_parameters(const fcps_posterior *posterior);
const bool *fcps_posterior_wraps(const fcps_posterior *posterior);
const double *fcps_posterior_levels(const fcps_posterior *posterior);

/* The reward that tolerances of a search in this context take for 1: less where rewards differ by little. */
double fcps_posterior_value_scale(const fcps_posterior *posterior);

#endif
