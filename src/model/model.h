/* SPDX-License-Identifier: Apache-2.0 */
/* A model: a belief about the reward of any parameters in any context, from rollouts.
 *
 * Every model is a Gaussian process over rows of (environment, parameters) or (environment, target, parameters), all in
 * the unit cube, with angles optionally on a circle. The kinds of model (posterior/kinds.c) differ in their inputs, in
 * their outputs, and in how they turn a predicted output into a reward.
 *
 *   joint     (environment, target, parameters) -> reward                         [metzen2015]
 *   rescored  (environment, parameters) -> rewards scored again for the target    [pinsler2019]
 *   outcome   (environment, parameters) -> outcome, whose reward is known exactly (reward/expected_reward.h)
 *
 * A model consists of rollouts, a description of what it believes (description.h), and the GPs that this description
 * specifies. Its predictions are those of a posterior in one context (posterior/posterior.h). It may also have two
 * children, each for a part of the contexts (fcps_split_model), and members whose predictions are averaged with its own
 * (fcps_members). It learns which trials fail (feasibility/).
 *
 * Invariants: the GPs have one row for each rollout of `training`, in its order and as the description transforms it,
 * and behind these the rows of pending trials. After a change of rows or hyper-parameters the caller must call
 * fcps_model_refresh before it makes a posterior.
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
  bool has_target_inputs; /* the target is an input of the GP; if false, it only enters through the reward function */
  bool predicts_outcomes; /* the outputs are outcomes; if false, the output is the reward */

  /* Whether this kind of model can learn its outputs from a rollout. */
  bool (*is_usable)(const fcps_problem *problem, const fcps_rollout *rollout);

  /* Computes the outputs of all training rollouts (rows x width, column-major), for `target` if they depend on it. */
  fcps_status (*outputs)(const fcps_model *model, const double *target, double *y, fcps_error *error);

  const struct fcps_posterior_ops *posterior; /* computes rewards in a context (posterior/posterior_ops.h) */
} fcps_model_ops;

extern const fcps_model_ops fcps_model_joint;
extern const fcps_model_ops fcps_model_rescored;
extern const fcps_model_ops fcps_model_outcome;

/* `kind_at` returns the kind of model at an index of the list, NULL past its end. `kind_find` returns the kind with a
 * name, NULL if no kind has this name. */
const fcps_model_ops *fcps_model_kind_at(int index);
const fcps_model_ops *fcps_model_kind_find(const char *name);

/* Whether the outputs of a kind of model depend on the target. */
bool fcps_model_kind_has_outputs_per_target(const fcps_model_ops *kind);

/* -- A model -- */

typedef struct fcps_model_settings {
  const fcps_kernel *kernel;
  bool circular;              /* periodic dimensions lie on a circle; if false, their numbers are used */
  fcps_gp_norm norm;          /* how outputs are centred and scaled */
  fcps_hyper_prior prior;     /* without `stretch`, which the description computes */
  double environment_stretch; /* factor on the prior's length for features of the environment; 0 means a factor of 1 */
  fcps_fit_settings fit;
  fcps_structure_settings structures; /* which structures may be believed */
  bool may_split;                     /* the model may split in two along one context dimension (fcps_split_model) */
} fcps_model_settings;

/* A model that has split has two children: models of the same kind, one on each side of a threshold in one context
 * dimension, each with its own hyper-parameters and standardization.
 *
 * Invariants: there are children if and only if split.input >= 0. Each training rollout of the parent is in the child
 * of its side, in the parent's order; the children have no other rollouts. The parent keeps the rows, but only the GPs
 * of the children are factorized and used for predictions. A child does not split. */
typedef struct fcps_split_model {
  fcps_split split; /* context feature and threshold; if `input` is -1, the model has not split */
  int searched;     /* number of rows at the last search for a split */
  fcps_model *child[2];
} fcps_split_model;

/* A child with fewer rows is not fitted: its outputs have the parent's scale. Its hyper-parameters are at the centre of
 * the prior. If a threshold has only moved, a new child instead keeps those of the child that it replaces. */
#define FCPS_SPLIT_MODEL_LEAST_ROWS 4

/* Members are models that answer together with a model; an answer is their weighted average. There are two sorts.
 *
 * Samples: a model with full Bayesian hyper-parameters is not fitted. It draws several samples of its hyper-parameters
 * instead (gp/fit.h). Its own GP has the newest sample, from which the Markov chain continues at the next fit; `hyper`
 * has the earlier samples.
 *
 * Rivals: as long as a review has not decided (review.h), descriptions that explain the rows nearly as well as the
 * believed one join the average, in proportion to their odds. A model without structures has no rivals. A model with
 * samples has none either, because its answers are averages already.
 *
 * Invariants: after a refresh there is one member for each earlier sample, or for each rival, whose matrix could be
 * factorized. A member is a model of the same rollouts and has no members of its own. A change of rows destroys all
 * members. Members follow from the rows, the samples and the last review alone, so a resumed learner has the same. */
typedef struct fcps_members {
  int earlier_count; /* number of samples before the newest */
  double *hyper;     /* earlier_count x FCPS_HYPER_COUNT */
  int count;
  fcps_model **models;
  double *weights; /* weight of each member; that of the model itself is 1 */
} fcps_members;

struct fcps_model {
  const fcps_model_ops *ops;
  const fcps_problem *problem; /* borrowed */
  fcps_model_settings settings;
  fcps_layout layout;
  fcps_rollouts training; /* the rollouts that are rows of the GPs */
  fcps_rollouts others;   /* all other rollouts: they failed, or lack the values that the GPs learn from */
  int *told_before;       /* for each rollout of `others`: how many training rollouts were told before it */
  size_t told_before_room;
  fcps_description description; /* what the model believes */
  fcps_contests contests;       /* the comparisons that led to the description */
  fcps_gps gps;
  int fitted;               /* number of rows at the last fit; 0: never fitted */
  fcps_fit_result ending;   /* how the last fit ended */
  const fcps_model *parent; /* if this model is a child, or a member of a child: the model that has split; else NULL */
  fcps_split_model split_model;
  fcps_members members;
  fcps_feasibility feasibility;
};

/* Makes a model without rollouts. Borrows `problem`, which must outlive the model. */
fcps_status fcps_model_create(fcps_model **model, const fcps_model_ops *ops, const fcps_problem *problem,
                              const fcps_model_settings *settings);
fcps_status fcps_model_copy(const fcps_model *model, const fcps_problem *problem, fcps_model **copy);
void fcps_model_destroy(fcps_model *model);

/* Adds a rollout. A usable rollout becomes a row. From any other, the model only learns about failures and absent
 * outcomes. `rollout` must have the reward for its own target. */
fcps_status fcps_model_add(fcps_model *model, const fcps_rollout *rollout);

/* The number of rollouts of a model: those that are rows of its GPs, and all others. */
typedef struct fcps_model_size {
  int training, others;
} fcps_model_size;
fcps_model_size fcps_model_size_of(const fcps_model *model);

/* Removes all rollouts that were added since fcps_model_size_of returned this size. */
void fcps_model_truncate(fcps_model *model, fcps_model_size size);

/* Fits the hyper-parameters to the outputs for `count` targets together; the targets are ignored if outputs do not
 * depend on them. Needs training rollouts. *result says how the fit ended. */
fcps_status fcps_model_fit(fcps_model *model, int count, const double *targets, fcps_rng rng, fcps_fit_result *result,
                           fcps_error *error);

/* Updates everything that posteriors use after rollouts were added: factors, children, members and classifiers. */
fcps_status fcps_model_refresh(fcps_model *model);

/* Restores GP `gp` of an equal model with the same rollouts, bit by bit, from its saved hyper-parameters and `base`,
 * the number of rows at its last full factorization. */
fcps_status fcps_model_restore(fcps_model *model, int gp, const double *hyper, int base);

/* Adds the inputs of a pending trial, one without a result yet. Later posteriors have a smaller deviation near it and
 * the same mean (GP-BUCB [desautels2014]). A trial that cannot be added is skipped. `clear` removes all. */
void fcps_model_add_pending(fcps_model *model, const double *target, const double *environment,
                            const double *parameters);
void fcps_model_clear_pending(fcps_model *model);

/* Conditions the GPs on the outputs for `count` targets (rows of `targets`). Column i*width + o of the result is output
 * o for target i. If outputs do not depend on the target, count is 1. `outputs` must be zeroed or come from an earlier
 * call, whose content is freed. */
fcps_status fcps_model_condition(const fcps_model *model, int count, const double *targets, fcps_gp_outputs *outputs,
                                 fcps_error *error);

/* If the model is a child with too few rows for a scale of its own, writes the parent's scale of each output for all
 * targets, and then the parent's offsets. Writes nothing for any other model. */
fcps_status fcps_model_scale_of_parent(const fcps_model *model, int count, const double *targets, double *scale,
                                       fcps_error *error);

/* `predict` answers a query whose points are features, in the user's frame: mean[i*outputs + o], variance[i*GPs + g],
 * and gradients with respect to features in the same order. The query's `whitened` is only filled if there is one GP.
 * `reserve` first makes room in `work` for `points` points. */
fcps_status fcps_model_reserve(fcps_gp_work *work, const fcps_model *model, int points);
void fcps_model_predict(const fcps_model *model, const fcps_gp_outputs *outputs, const fcps_gp_query *query,
                        fcps_gp_work *work);

/* Writes the inputs that the GPs would see for the next trial with these features. */
void fcps_model_see(const fcps_model *model, const double *features, double *inputs);

/* Both work in place, for the next trial with these features. `see_outcome` turns an outcome into the one that the GPs
 * see. `unsee_outcomes` turns `count` outcomes, `stride` numbers apart, back into the user's frame. */
void fcps_model_see_outcome(const fcps_model *model, const double *features, double *outcome);
void fcps_model_unsee_outcomes(const fcps_model *model, const double *features, size_t count, size_t stride,
                               double *outcomes);

/* Return the number of GPs of a model, which is 1 or one per output, and the GP at an index. */
int fcps_model_gp_count(const fcps_model *model);
fcps_gp *fcps_model_gp(const fcps_model *model, int index);

/* Returns how outputs are normalized. */
fcps_gp_norm fcps_model_norm(const fcps_model *model);

/* Computes the rewards that all training rollouts would have earned in a context. If the model's outputs are rewards,
 * each rollout keeps its own environment. */
fcps_status fcps_model_rewards(const fcps_model *model, const double *target, const double *environment,
                               double *rewards, fcps_error *error);

/* The first function returns the number of columns of outputs for `count` targets together: all outputs once, or once
 * per target if they depend on it. The second computes these outputs for all training rollouts. The caller frees *y,
 * which is NULL after a failure. `targets` may be NULL if the problem has none. */
int fcps_model_columns(const fcps_model *model, int count);
fcps_status fcps_model_outputs(const fcps_model *model, int count, const double *targets, double **y,
                               fcps_error *error);

/* Returns all trials of a model, for the classifiers that learn from them which trials fail or have no outcome. */
fcps_trials fcps_model_trials(const fcps_model *model);

/* -- Saving (save.c): a model that is read answers with the bits of the one that was written -- */

/* Write all that a model has learnt as JSON (NULL: no memory), and read it into a model with the same rollouts. */
fcps_json *fcps_model_write_state(const fcps_model *model);
fcps_status fcps_model_read_state(fcps_model *model, const fcps_json *json, fcps_error *error);

/* Write and read a whole model, with its settings and rollouts. */
fcps_json *fcps_model_write(const fcps_model *model);
fcps_status fcps_model_read(fcps_model **model, const fcps_problem *problem, const fcps_json *json, fcps_error *error);

/* -- Structures -- */

/* Returns the data that the functions of structures work on. It may point to *parent, which gets a parent's data. */
fcps_look fcps_model_look(const fcps_model *model, fcps_look *parent, fcps_error *error);

/* Reviews the believed structures without a fit, for callers that only ask whether a structure is decided. */
fcps_status fcps_model_review(fcps_model *model, fcps_error *error);

/* Returns how many places the believed structures need for a first design; `usual` if they do not say. */
int fcps_model_design_places(const fcps_model *model, int usual);

/* `remake` makes the GPs anew as the description specifies them, with the hyper-parameters `hyper` of all GPs (NULL:
 * the prior's centre). The new GPs have no extra noise of rows yet. `rebuild` does the same, and adds this noise. */
fcps_status fcps_model_remake(fcps_model *model, const double *hyper);
fcps_status fcps_model_rebuild(fcps_model *model, const double *hyper, fcps_error *error);

/* Gives the rows since the last fit the noise that structures expect. Call it before a factor is extended by the
 * rows. */
fcps_status fcps_model_grow_noise(fcps_model *model, fcps_error *error);

/* Returns the noise of a row that depends on its own outcome; a prediction from other rows cannot know this noise. */
double fcps_model_own_noise(const fcps_model *model, int gp, int row);

/* Returns by how much the noise at the place of a row exceeds the noise at a usual place. */
double fcps_model_place_noise(const fcps_model *model, int gp, int row);

/* Why a structure is believed: the evidence supports it (supposed), the rows also show it directly (shown,
 * structure.h), or the user declared it (declared). */
typedef enum fcps_model_proof { FCPS_MODEL_SUPPOSED, FCPS_MODEL_SHOWN, FCPS_MODEL_DECLARED } fcps_model_proof;

/* Describes the believed structure of kind `index` in words, and writes its logarithmic odds and its proof. Returns the
 * kind's name; NULL if no such structure is believed, or it says nothing about the world. */
const char *fcps_model_describe_structure(const fcps_model *model, int index, size_t size, char *words,
                                          double *log_odds, fcps_model_proof *proof);

/* Returns the believed structure of the kind with this name; NULL if there is none. */
const fcps_structure *fcps_model_structure(const fcps_model *model, const char *name);

/* Whether the model, after a refresh, answers with averages over several models. */
bool fcps_model_is_sampled(const fcps_model *model);

/* Returns the largest jitter that a GP of the model, or of its children, needed. */
double fcps_model_jitter(const fcps_model *model);

/* -- A split (parts.c) -- */

/* The sides are the models that share the contexts: the model itself, or its two children. */
int fcps_model_side_count(const fcps_model *model);
const fcps_model *fcps_model_side(const fcps_model *model, int side);

/* Returns the context dimension along which the model has split (environment first, then target), -1 if it has not.
 * Writes the threshold in the unit cube (may be NULL); a context exactly at the threshold is on side 1. */
int fcps_model_split_dimension(const fcps_model *model, double *threshold);

/* Finds the model that answers in a context: the child of its side, or the model itself. */
fcps_status fcps_split_model_child(const fcps_model *model, const double *target, const double *environment,
                                   const fcps_model **child);

/* Searches for a split if a search is due, and makes or drops the children accordingly. y: rows x outputs. */
fcps_status fcps_split_model_search(fcps_model *model, int outputs, const double *y);

/* Makes the children of a split, or drops them if split.input is -1. On failure the old children stay. */
fcps_status fcps_split_model_set(fcps_model *model, fcps_split split);
void fcps_split_model_drop(fcps_model *model);
fcps_status fcps_split_model_copy(const fcps_model *model, fcps_model *copy);

/* Each of these functions calls the function fcps_model_... of the same name for the children. `add` and `truncate` do
 * nothing if the model has not split.
 */
fcps_status fcps_split_model_add(fcps_model *model, const fcps_rollout *rollout);
void fcps_split_model_truncate(fcps_model *model);
fcps_status fcps_split_model_fit(fcps_model *model, int count, const double *targets, fcps_rng rng,
                                 fcps_fit_result *result, fcps_error *error);
void fcps_split_model_add_pending(fcps_model *model, const double *target, const double *environment,
                                  const double *parameters);

/* -- Members (parts.c) -- */

/* Draws settings.fit.samples samples of the hyper-parameters given y (rows x outputs). The chain goes on where it
 * ended; a new chain begins at the optimum and drops its first sweeps. */
fcps_status fcps_members_sample(fcps_model *model, int rows, int outputs, const double *y, fcps_rng rng,
                                fcps_fit_result *result);

/* Makes the members anew if rows were added since they were made. */
fcps_status fcps_members_refresh(fcps_model *model);

/* The models that answer together are the model itself, at index 0, and then its members. The functions return their
 * number, each of them, and the share of each in the average. */
int fcps_members_models(const fcps_model *model);
const fcps_model *fcps_members_model(const fcps_model *model, int index);
double fcps_members_share(const fcps_model *model, int index);

fcps_status fcps_members_copy(const fcps_model *model, fcps_model *copy);

/* `end` destroys the members, which the next refresh makes again. `drop` destroys the samples too. */
void fcps_members_end(fcps_model *model);
void fcps_members_drop(fcps_model *model);

/* Write the earlier samples as numbers, and read what was written from an equal model. */
fcps_json *fcps_members_write(const fcps_model *model);
fcps_status fcps_members_read(fcps_model *model, const fcps_json *json);

#endif
