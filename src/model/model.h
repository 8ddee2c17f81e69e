/* SPDX-License-Identifier: Apache-2.0 */
/* A model: a belief about the reward of any parameters in any context, from rollouts.
 *
 * Every model is a Gaussian process over rows of (environment, parameters) or (environment, target, parameters), all in
 * the unit cube, with angles optionally on a circle. What differs is a file each: which inputs, which outputs, and who
 * turns a predicted output into a reward.
 *
 *   joint     (environment, target, parameters) -> reward                         [metzen2015]
 *   rescored  (environment, parameters) -> rewards scored again for the target    [pinsler2019]
 *   outcome   (environment, parameters) -> outcome, whose reward is known exactly (reward/expected_reward.h)
 *
 * A model is asked through its posterior in a context (posterior/posterior.h). Beyond the one GP it may have a GP per
 * output, two children that share the contexts, several samples of its hyper-parameters, and parameters that are
 * executed inexactly (composite/); and it learns which trials fail (feasibility/).
 *
 * Invariants: the GPs have the rows of `training`, in its order, and behind them those of pending trials. A change of
 * rows or hyper-parameters needs fcps_model_refresh before the next posterior.
 */
#ifndef FCPS_MODEL_MODEL_H
#define FCPS_MODEL_MODEL_H

#include "gp/fit.h"
#include "model/composite/contact.h"
#include "model/composite/frame_choice.h"
#include "model/composite/hyper_samples.h"
#include "model/composite/input_noise.h"
#include "model/composite/own_lengths.h"
#include "model/composite/per_output.h"
#include "model/composite/split_model.h"
#include "model/composite/suspects.h"
#include "model/composite/uneven_noise.h"
#include "model/feasibility/feasibility.h"
#include "model/posterior/posterior.h"
#include "model/row_noise.h"
#include "problem/rollouts.h"
#include "space/embedding.h"

/* -- Kinds of model -- */

typedef struct fcps_model_ops {
  const char *name;
  bool has_target_inputs; /* the target is among the inputs of the GP; else it comes in through the reward function */
  bool predicts_outcomes; /* the outputs are outcomes; else the reward */

  /* Number of outputs (for one target). */
  int (*width)(const fcps_problem *problem);

  /* Whether a rollout says something about the outputs. */
  bool (*is_usable)(const fcps_problem *problem, const fcps_rollout *rollout);

  /* The outputs of all training rollouts (rows x width, column-major), for `target` where they depend on it. */
  fcps_status (*outputs)(const fcps_model *model, const double *target, double *y, fcps_error *error);

  /* What all training rollouts would have earned in a context. */
  fcps_status (*rewards)(const fcps_model *model, const double *target, const double *environment, double *rewards,
                         fcps_error *error);

  /* The posterior of `model` in a context; `parent` is the model that was asked, which `model` may be a child of. */
  fcps_status (*create_posterior)(fcps_posterior **posterior, const fcps_model *parent, const fcps_model *model,
                                  const double *target, const double *environment, fcps_error *error);
} fcps_model_ops;

extern const fcps_model_ops fcps_model_joint;
extern const fcps_model_ops fcps_model_rescored;
extern const fcps_model_ops fcps_model_outcome;

/* The kinds of model in the order in which they are listed, NULL past the end; and by name, NULL where there is
 * none. */
const fcps_model_ops *fcps_model_kind_at(int index);
const fcps_model_ops *fcps_model_kind_find(const char *name);

/* Whether a kind of model has the target among its inputs; predicts outcomes, not rewards; needs the reward as a
 * function, because the target is not an input; has outputs of its own for each target. */
bool fcps_model_kind_knows_target(const fcps_model_ops *kind);
bool fcps_model_kind_predicts_outcomes(const fcps_model_ops *kind);
bool fcps_model_kind_needs_reward(const fcps_model_ops *kind);
bool fcps_model_kind_has_outputs_per_target(const fcps_model_ops *kind);

/* -- A model -- */

typedef struct fcps_model_settings {
  const fcps_kernel *kernel;
  bool circular; /* periodic dimensions on a circle; else raw */
  fcps_gp_norm norm;
  fcps_hyper_prior prior;     /* its `stretch` is the model's own */
  double environment_stretch; /* factor of the length prior for the environment; 0: 1 */
  fcps_fit_settings fit;
  bool is_separate; /* every outcome has hyper-parameters of its own (composite/per_output.h); rewards are one output */
  bool chooses_separate; /* `is_separate` is what the evidence asks for so far (composite/own_lengths.h) */
  fcps_input_noise input_noise;
  double input_noise_share;     /* GIVEN: deviation as a share of the range */
  fcps_frame_setting frame;     /* whether outcomes may turn with an angle (composite/frame_choice.h) */
  fcps_contact_setting contact; /* whether something moves may be learnt by itself (composite/contact.h) */
  bool looks_uneven;            /* noise may depend on the place (composite/uneven_noise.h) */
  bool may_split;               /* into two models along one context dimension (composite/split_model.h) */
} fcps_model_settings;

struct fcps_model {
  const fcps_model_ops *ops;
  const fcps_problem *problem; /* borrowed */
  fcps_model_settings settings;
  fcps_embedding context, parameters; /* unit coordinates -> features */
  double *stretch;                    /* of the length prior, for each feature */
  double *weights;                    /* that make outcomes comparable (reward/outcome_metric.h); NULL: nothing does */
  fcps_rollouts training;             /* what the GP's rows were made from */
  fcps_rollouts others;               /* told, but not rows of the GP: failed, or without what it needs */
  int *told_before;                   /* how many training rollouts were told before each of the others */
  size_t told_before_room;
  fcps_gp *gp;              /* the first, or the only one */
  int fitted;               /* rows at the last fit; 0: never fitted */
  fcps_fit_result ending;   /* of the last fit */
  const fcps_model *parent; /* of a child or its member: the model that has split; else NULL */

  fcps_frame frame;                      /* that the GPs see rows and outcomes in */
  int frame_pairs[2 * FCPS_FRAME_PAIRS]; /* its pairs of outputs, for the norm */
  fcps_frame_choice frame_choice;
  fcps_per_output per_output;
  fcps_split_model split_model;
  fcps_hyper_samples samples;
  fcps_input_noise_state input_noise;
  fcps_row_noise row_noise;
  fcps_uneven_noise uneven_noise;
  fcps_suspects suspects;
  fcps_contact contact;
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
 * i. Where outputs do not depend on the target, count is 1. `outputs` must be zeroed or from an earlier call, whose
 * content is freed. */
fcps_status fcps_model_condition(const fcps_model *model, int count, const double *targets, fcps_gp_outputs *outputs,
                                 fcps_error *error);

/* Features of rollout `index` of a list: a row before it is turned. */
fcps_status fcps_model_row(const fcps_model *model, const fcps_rollouts *rollouts, int index, double *row);

/* The outcome of a training rollout, clipped to its bounds: one that flew away says "far", and no more. */
void fcps_model_clip_outcome(const fcps_model *model, int row, double *outcome);

/* Features of a context: the first inputs of a row. */
fcps_status fcps_model_context(const fcps_model *model, const double *target, const double *environment,
                               double *features);

/* Whether answers are averages over several samples of the hyper-parameters, after a refresh. */
bool fcps_model_is_sampled(const fcps_model *model);

/* The largest jitter that a GP of the model, or of its children, needed. */
double fcps_model_jitter(const fcps_model *model);

#endif
