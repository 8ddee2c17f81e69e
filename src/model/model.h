/* SPDX-License-Identifier: Apache-2.0 */
/* A model: a belief about the reward of any parameters in any context, from rollouts.
 *
 * Every model is a Gaussian process over rows of (environment, parameters) or (environment, target, parameters), all in
 * the unit cube, with angles optionally on a circle. The kinds of model (kinds.c) differ in their inputs, in their outputs,
 * and in how a predicted output becomes a reward.
 *
 *   joint     (environment, target, parameters) -> reward                         [metzen2015]
 *   rescored  (environment, parameters) -> rewards scored again for the target    [pinsler2019]
 *   outcome   (environment, parameters) -> outcome, whose reward is known exactly (reward/expected_reward.h)
 *
 * A model is rollouts, a description of what it believes (description.h), and the GPs that this description wants. It is asked
 * through its posterior in a context (posterior/posterior.h). Beside that it may have two children that share the contexts
 * (fcps_split_model) and members that answer with it (fcps_members), and it learns which trials fail (feasibility/).
 *
 * Invariants: the GPs have the rows of `training`, in its order and as the description sees them, and behind them those of
 * pending trials. A change of rows or hyper-parameters needs fcps_model_refresh before the next posterior.
 */
#ifndef FCPS_MODEL_MODEL_H
#define FCPS_MODEL_MODEL_H

#include "gp/split.h"
#include "model/feasibility/feasibility.h"
#include "model/review.h"

typedef struct fcps_model fcps_model;
typedef struct fcps_posterior fcps_posterior;

/* -- Kinds of model -- */

typedef struct fcps_model_ops {
  const char *name;
  bool
      has_target_inputs; /* the target is among the inputs of the GP; else it comes in through the reward as a function */
  bool predicts_outcomes; /* the outputs are outcomes; else the reward */

  /* Whether a rollout says something about the outputs. */
  bool (*is_usable)(const fcps_problem *problem, const fcps_rollout *rollout);

  /* The outputs of all training rollouts (rows x width, column-major), for `target` where they depend on it. */
  fcps_status (*outputs)(const fcps_model *model, const double *target, double *y, fcps_error *error);

  const struct fcps_posterior_ops *posterior; /* how it answers in a context (posterior/posterior_ops.h) */
} fcps_model_ops;

extern const fcps_model_ops fcps_model_joint;
extern const fcps_model_ops fcps_model_rescored;
extern const fcps_model_ops fcps_model_outcome;

/* The kind of model at a place of the list, NULL past its end; and the kind with a name, NULL if there is no such kind. */
const fcps_model_ops *fcps_model_kind_at(int index);
const fcps_model_ops *fcps_model_kind_find(const char *name);

/* Whether a kind of model has outputs of its own for each target. */
bool fcps_model_kind_has_outputs_per_target(const fcps_model_ops *kind);

/* -- A model -- */

typedef struct fcps_model_settings {
  const fcps_kernel *kernel;
  bool circular;              /* periodic dimensions on a circle; else raw */
  fcps_gp_norm norm;          /* mean and scaling */
  fcps_hyper_prior prior;     /* its `stretch` is the description's own */
  double environment_stretch; /* factor of the length prior for the environment; 0: 1 */
  fcps_fit_settings fit;
  fcps_structure_settings structures; /* what may be believed */
  bool may_split;                     /* into two models along one context dimension (fcps_split_model) */
} fcps_model_settings;

/* A model that has split: two models of the same kind, its children, one on each side of a threshold in one context
 * dimension, each with hyper-parameters and standardization of its own.
 *
 * Invariants: a child exists exactly where split.input >= 0; each training rollout of the parent is in the child of its
 * side, in the parent's order; the children hold no other rollouts. The parent keeps the rows, but only the children's
 * GPs are factorized and asked. A child does not split. */
typedef struct fcps_split_model {
  fcps_split split; /* by feature of the context and threshold; input -1: the model has not split */
  int searched;     /* rows at the last search for a split */
  fcps_model *child[2];
} fcps_split_model;

/* A child with fewer rows is not fitted: it has the prior's hyper-parameters, or those of the child that it replaces
 * when the threshold moves, and the parent's scale. */
#define FCPS_SPLIT_MODEL_LEAST_ROWS 4

/* Models that answer together, each with a share in their average.
 *
 * Samples: with full Bayesian hyper-parameters a model keeps several samples of them in place of a fit (gp/fit.h). Its own GP
 * has the newest sample, where the Markov chain goes on at the next fit; `hyper` has the earlier ones.
 *
 * Rivals: while a review has not decided (review.h), those that are close to what is believed have a say, in proportion to
 * their odds. A model that believes nothing has no rivals; nor has one with samples, whose answers are averages already.
 *
 * Invariants: after a refresh there is a member for each earlier sample, or for each rival, whose matrix could be factorized: a
 * model of the same rollouts without members of its own. Members never outlive a change of rows; they follow from the rows,
 * the samples and the last review alone, so that a resumed learner has the same. */
typedef struct fcps_members {
  int earlier_count; /* samples before the newest */
  double *hyper;     /* earlier_count x FCPS_HYPER_COUNT */
  int count;
  fcps_model **models;
  double *weights; /* of each member; the model itself has 1 */
} fcps_members;

struct fcps_model {
  const fcps_model_ops *ops;
  const fcps_problem *problem; /* borrowed */
  fcps_model_settings settings;
  fcps_layout layout;
  fcps_rollouts training; /* what the GPs' rows were made from */
  fcps_rollouts others;   /* told, but not rows of the GPs: failed, or without what they need */
  int *told_before;       /* how many training rollouts were told before each of the others */
  size_t told_before_room;
  fcps_description description; /* what is believed */
  fcps_contests contests;       /* how that was decided */
  fcps_gps gps;
  int fitted;               /* rows at the last fit; 0: never fitted */
  fcps_fit_result ending;   /* of the last fit */
  const fcps_model *parent; /* of a child or its member: the model that has split; else NULL */
  fcps_split_model split_model;
  fcps_members members;
  fcps_feasibility feasibility;
};

/* Creates a model without rollouts. Borrows `problem`, which must outlive it. */
fcps_status fcps_model_create(fcps_model **model, const fcps_model_ops *ops, const fcps_problem *problem,
                              const fcps_model_settings *settings);
fcps_status fcps_model_copy(const fcps_model *model, const fcps_problem *problem, fcps_model **copy);
void fcps_model_destroy(fcps_model *model);

/* Adds a usable rollout as a row; one that is not usable only counts for what may go wrong. The reward for its own
 * target must be in `rollout`. */
fcps_status fcps_model_add(fcps_model *model, const fcps_rollout *rollout);

/* How many rollouts a model holds: rows of its GP, and others. */
typedef struct fcps_model_size {
  int training, others;
} fcps_model_size;
fcps_model_size fcps_model_size_of(const fcps_model *model);

/* Takes back all rollouts that were added since the model had this size. */
void fcps_model_truncate(fcps_model *model, fcps_model_size size);

/* Fits the hyper-parameters to the outputs for `count` targets together (ignored where outputs do not depend on the
 * target). Needs training rollouts. */
fcps_status fcps_model_fit(fcps_model *model, int count, const double *targets, fcps_rng rng, fcps_fit_result *result,
                           fcps_error *error);

/* Brings everything that posteriors use up to date with what was added: factors, children, members and classifiers. */
fcps_status fcps_model_refresh(fcps_model *model);

/* Hyper-parameters and the size of the last full factorization of GP `gp`, as saved from an equal model with the same
 * rollouts: afterwards both have the same bits. */
fcps_status fcps_model_restore(fcps_model *model, int gp, const double *hyper, int base);

/* Inputs of trials without outcome yet: they reduce the deviation of posteriors made afterwards, not the mean (GP-BUCB
 * [desautels2014]). One that cannot be added is skipped. Cleared by fcps_model_clear_pending. */
void fcps_model_add_pending(fcps_model *model, const double *target, const double *environment,
                            const double *parameters);
void fcps_model_clear_pending(fcps_model *model);

/* Conditions the GPs on the outputs for `count` targets (rows): column i*width + o of the result is output o for target
 * i. If outputs do not depend on the target, count is 1. `outputs` must be zeroed or from an earlier call, whose
 * content is freed. */
fcps_status fcps_model_condition(const fcps_model *model, int count, const double *targets, fcps_gp_outputs *outputs,
                                 fcps_error *error);

/* A child of a few rows has no scale of its own: writes those of its parent for each output of all targets, and the offsets
 * behind them. Writes nothing for any other model. */
fcps_status fcps_model_scale_of_parent(const fcps_model *model, int count, const double *targets, double *scale,
                                       fcps_error *error);

/* Answers a query at points that are features, in the user's frame: mean[i*outputs + o], variance[i*GPs + g], and gradients by
 * features in the same order. Several GPs do not answer `whitened`. */
fcps_status fcps_model_reserve(fcps_gp_work *work, const fcps_model *model, int points);
void fcps_model_predict(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                        fcps_gp_work *work);

/* What the GPs see of features in the next trial. */
void fcps_model_see(const fcps_model *model, const double *features, double *inputs);

/* The inputs of a trial whose outcome is asked for, and outcomes as the GPs see them or as the user does. */
void fcps_model_see_outcome(const fcps_model *model, const double *features, double *outcome);
void fcps_model_unsee_outcomes(const fcps_model *model, const double *features, size_t count, size_t stride,
                               double *outcomes);

/* The GPs of a model: one, or one per output. */
int fcps_model_gp_count(const fcps_model *model);
fcps_gp *fcps_model_gp(const fcps_model *model, int index);

/* How outputs are normalized. */
fcps_gp_norm fcps_model_norm(const fcps_model *model);

/* What all training rollouts would have earned in a context. Outputs that are rewards are those of each rollout's own
 * environment. */
fcps_status fcps_model_rewards(const fcps_model *model, const double *target, const double *environment,
                               double *rewards, fcps_error *error);

/* How many columns of outputs there are for `count` targets together: once all outputs, or those of each target. And these
 * outputs of all training rollouts, to be freed; NULL after a failure. Without targets they may be NULL. */
int fcps_model_columns(const fcps_model *model, int count);
fcps_status fcps_model_outputs(const fcps_model *model, int count, const double *targets, double **y,
                               fcps_error *error);

/* What may go wrong is learnt from all its trials. */
fcps_trials fcps_model_trials(const fcps_model *model);

/* -- Saving (save.c): a model that is read answers with the bits of the one that was written -- */

/* Writes all that a model learnt as JSON, NULL when there is no memory; and reads it into a model with the same rollouts. */
fcps_json *fcps_model_write_state(const fcps_model *model);
fcps_status fcps_model_read_state(fcps_model *model, const fcps_json *json, fcps_error *error);

/* The whole model with settings and rollouts. */
fcps_json *fcps_model_write(const fcps_model *model);
fcps_status fcps_model_read(fcps_model **model, const fcps_problem *problem, const fcps_json *json, fcps_error *error);

/* -- Structures -- */

/* What structures look at; `parent` has room for what the parent of a child looks at. */
fcps_look fcps_model_look(const fcps_model *model, fcps_look *parent, fcps_error *error);

/* Reviews what is believed without a fit, for a caller that asks whether it is decided. */
fcps_status fcps_model_review(fcps_model *model, fcps_error *error);

/* How many places of a design are enough by what is believed; `usual` if nothing says otherwise. */
int fcps_model_design_places(const fcps_model *model, int usual);

/* Makes the GPs anew as the description wants them, with these hyper-parameters of all of them (NULL: the prior's centre);
 * remade ones have no noise of rows yet. */
fcps_status fcps_model_remake(fcps_model *model, const double *hyper);
fcps_status fcps_model_rebuild(fcps_model *model, const double *hyper, fcps_error *error);

/* Gives rows that came since the last fit the noise that structures say they have, before a factor grows by them. */
fcps_status fcps_model_grow_noise(fcps_model *model, fcps_error *error);

/* The noise of a row that comes from its own value, which a prediction without it knows nothing of. */
double fcps_model_own_noise(const fcps_model *model, int gp, int row);

/* The noise of the place of a row beyond what is usual. */
double fcps_model_place_noise(const fcps_model *model, int gp, int row);

/* How sure a structure may be said to be: by evidence alone, also by what the rows show (structure.h), or because a user
 * says so. */
typedef enum fcps_model_proof { FCPS_MODEL_SUPPOSED, FCPS_MODEL_SHOWN, FCPS_MODEL_DECLARED } fcps_model_proof;

/* The name of kind `index`, described in words, with its logarithmic odds; NULL if it is not believed, or is not a
 * belief about the world. */
const char *fcps_model_describe_structure(const fcps_model *model, int index, size_t size, char *words,
                                          double *log_odds, fcps_model_proof *proof);

/* The structure that is believed of the kind with this name; NULL: no such structure is believed. */
const fcps_structure *fcps_model_structure(const fcps_model *model, const char *name);

/* Whether answers are averages over several samples of the hyper-parameters, after a refresh. */
bool fcps_model_is_sampled(const fcps_model *model);

/* The largest jitter that a GP of the model, or of its children, needed. */
double fcps_model_jitter(const fcps_model *model);

/* -- A split (split_model.c) -- */

/* The models that know about contexts: the model itself, or one per side. */
int fcps_model_side_count(const fcps_model *model);
const fcps_model *fcps_model_side(const fcps_model *model, int side);

/* The context dimension along which the model has split (environment first, then target), -1 if it has not, and the
 * threshold there in the unit cube (may be NULL); the threshold itself is on side 1. */
int fcps_model_split_dimension(const fcps_model *model, double *threshold);

/* The model that knows about a context: the child of its side, or the model itself. */
fcps_status fcps_split_model_child(const fcps_model *model, const double *target, const double *environment,
                                   const fcps_model **child);

/* Looks for a split where that is due, and makes or drops the children accordingly. y: rows x outputs. */
fcps_status fcps_split_model_search(fcps_model *model, int outputs, const double *y);

/* Makes the children of a split from the training rollouts; with input -1 there are none. On failure the old ones
 * stay. */
fcps_status fcps_split_model_set(fcps_model *model, fcps_split split);
void fcps_split_model_drop(fcps_model *model);
fcps_status fcps_split_model_copy(const fcps_model *model, fcps_model *copy);

/* What fcps_model_... of the same name means for the children; add and truncate do nothing if there are none. */
fcps_status fcps_split_model_add(fcps_model *model, const fcps_rollout *rollout);
void fcps_split_model_truncate(fcps_model *model);
fcps_status fcps_split_model_fit(fcps_model *model, int count, const double *targets, fcps_rng rng,
                                 fcps_fit_result *result, fcps_error *error);
void fcps_split_model_add_pending(fcps_model *model, const double *target, const double *environment,
                                  const double *parameters);

/* -- Members (members.c) -- */

/* Samples settings.fit.samples hyper-parameters from y (rows x outputs), from where the chain ended; a chain that begins
 * starts at the optimum and forgets its first sweeps. */
fcps_status fcps_members_sample(fcps_model *model, int rows, int outputs, const double *y, fcps_rng rng,
                                fcps_fit_result *result);

/* Makes the members if rows came since the last time. */
fcps_status fcps_members_refresh(fcps_model *model);

/* The models that answer for `model` together: itself first, then the members; and the share of each in their average. */
int fcps_members_models(const fcps_model *model);
const fcps_model *fcps_members_model(const fcps_model *model, int index);
double fcps_members_share(const fcps_model *model, int index);

fcps_status fcps_members_copy(const fcps_model *model, fcps_model *copy);

/* Ends the members, which are made again at the next refresh; and the samples as well. */
void fcps_members_end(fcps_model *model);
void fcps_members_drop(fcps_model *model);

/* The earlier samples as numbers; reading takes what was written from an equal model. */
fcps_json *fcps_members_write(const fcps_model *model);
fcps_status fcps_members_read(fcps_model *model, const fcps_json *json);

#endif
