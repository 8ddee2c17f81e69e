/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a posterior, and the table of functions that differ between posteriors of rewards, posteriors of
 * outcomes, and ensembles. Only these (kinds.c, ensemble.c) and search/batch, which uses one posterior in many
 * contexts, include this header. All other code uses posterior.h.
 *
 * Invariants: `model` is `parent`, or the child of `parent` on the side of the context. A basic posterior, one that is
 * not an ensemble, has its own outputs and penalty; an ensemble borrows those of its first member. `failure` is the
 * first failure of a callback since the posterior was made. */
#ifndef FCPS_MODEL_POSTERIOR_POSTERIOR_OPS_H
#define FCPS_MODEL_POSTERIOR_POSTERIOR_OPS_H

#include "gp/query.h"
#include "model/feasibility/failure_penalty.h"
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "optim/optim.h"
#include "problem/feasible.h"

/* -- The posterior of outputs (output_posterior.c) -- */

/* The posterior of a model's outputs, whatever they mean, in one context at a time: the features of the context are
 * fixed, the parameters vary. The posteriors of rewards and of outcomes are built on it.
 *
 * It holds one or more contexts, which share the conditioned outputs; one of them is selected. A query has up to
 * FCPS_POSTERIOR_BLOCK points. The caller first embeds the points, which fills rows of `features`, and then asks for
 * predictions at these rows. */

/* The most points of a query with gradients. Gradients need much memory, so it is small. It is a multiple of the number
 * of points that share a pass inside a query (gp/query.c), so that points fall into the same passes as in a long
 * query. */
enum { FCPS_POSTERIOR_GRADIENTS = 32 };

/* Returns the size of the next block if `left` points are left. */
int fcps_posterior_block(int left);

typedef struct fcps_output_posterior {
  const fcps_model *model;
  fcps_gp_outputs outputs; /* conditioned on the outputs for the target */
  fcps_gp_work work;
  double *contexts;      /* rows of features, one for each context */
  bool has_results_only; /* predictions ignore pending trials */
  const double
      *widening; /* factors on the deviations of trials (fcps_penalty_view); NULL if deviations are the GP's own */
  const double *context; /* the selected context: features of the environment, then of the target if it is an input */
  double *features;      /* FCPS_POSTERIOR_BLOCK rows: the context's features, then those of the parameters */
  double *means;         /* FCPS_POSTERIOR_BLOCK x outputs */
  double *variances;     /* FCPS_POSTERIOR_BLOCK x GPs, in unit scale */
  double *widened;       /* FCPS_POSTERIOR_BLOCK x outputs: variances of trials, in unit scale */
  double *gradients;     /* by features at FCPS_POSTERIOR_GRADIENTS points: of outputs, then of variances */
  double *slopes;        /* gradients by parameters at one point: of outputs, then of variances */
} fcps_output_posterior;

/* Conditions the model on its outputs for `target`, with one context. The caller destroys it also after a failure. */
fcps_status fcps_output_posterior_create(fcps_output_posterior *posterior, const fcps_model *model,
                                         const double *target, const double *environment, fcps_error *error);
void fcps_output_posterior_destroy(fcps_output_posterior *posterior);

/* `set_environments` replaces the contexts by those of `count` environments (rows), and selects the first. `target` may
 * be NULL if it is not an input. `select` selects the context with this index. */
fcps_status fcps_output_posterior_set_environments(fcps_output_posterior *posterior, const double *target, int count,
                                                   const double *environments);
void fcps_output_posterior_select(fcps_output_posterior *posterior, int environment_index);

/* `embed` writes the features of a point in the selected context to row `row` of `features`, and returns this row.
 * `embed_all` writes `count` points to the first rows. */
double *fcps_output_posterior_embed(fcps_output_posterior *posterior, int row, const double *x);
void fcps_output_posterior_embed_all(fcps_output_posterior *posterior, int count, const double *x);

/* Whether the GPs have rows of pending trials, which only affect variances. */
bool fcps_output_posterior_has_pending(const fcps_output_posterior *posterior);

/* Turn the variances of `count` points, from point `first` on, into those of trials. `add_noise` adds the noise.
 * `widen` then fills `widened` with the variance of each outcome times the square of its factor. */
void fcps_output_posterior_add_noise(fcps_output_posterior *posterior, int first, int count);
void fcps_output_posterior_widen(fcps_output_posterior *posterior, int first, int count);

/* Predicts means (count x outputs) and variances (count x GPs, may be NULL) at the embedded points. Upper bounds of
 * variances (FCPS_VARIANCE_BOUND) need a single GP without pending trials. */
void fcps_output_posterior_predict(fcps_output_posterior *posterior, fcps_gp_variance_kind kind, int count,
                                   double *means, double *variances);

/* `gradients` predicts at most FCPS_POSTERIOR_GRADIENTS embedded points with gradients by features: it fills `means`,
 * `variances` and `gradients`. `slopes` then turns the gradients of one of these points into gradients by parameters:
 * slopes[o*parameters + d] for the outputs, followed by the variances if `with_variances`. */
void fcps_output_posterior_gradients(fcps_output_posterior *posterior, int count, bool with_variances);
void fcps_output_posterior_slopes(fcps_output_posterior *posterior, int index, const double *x, bool with_variances);

/* Returns the gradients of the variances, a part of `slopes`. */
const double *fcps_output_posterior_variance_slopes(const fcps_output_posterior *posterior);

/* Draws every output jointly at `count` points, as rows, from `count` standard normals per output. */
fcps_status fcps_output_posterior_draw(fcps_output_posterior *posterior, int count, const double *x,
                                       const double *normals, double *rows);

/* -- Members and functions of posteriors -- */

/* Each function does the same as the function fcps_posterior_... of that name (posterior.h). `moments`, `bound` and
 * `expect` take at most FCPS_POSTERIOR_BLOCK points, `gradients` at most FCPS_POSTERIOR_GRADIENTS, and the others any
 * number. The failure penalty has already weighed all results except those of `draw`. */
typedef struct fcps_posterior_ops {
  void (*moments)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);
  void (*gradients)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation,
                    double *mean_gradient, double *deviation_gradient);
  void (*expect)(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x, double *values);
  double (*expect_gradient)(fcps_posterior *posterior, const fcps_utility *utility, const double *x, double *gradient);
  /* The caller weighs the drawn rewards by the failure penalty. */
  fcps_status (*draw)(fcps_posterior *posterior, int count, const double *x, const double *normals, double *rewards);

  /* OPTIONAL: NULL if no bound is cheaper than the moments. */
  void (*bound)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

  /* OPTIONAL: NULL if no outcomes are predicted. */
  bool (*outcome)(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation);

  /* OPTIONAL: NULL if a reward has a value whenever the reward of a training rollout has one. */
  bool (*has_value)(fcps_posterior *posterior, const double *x);
} fcps_posterior_ops;

extern const fcps_posterior_ops fcps_posterior_of_rewards, fcps_posterior_of_outcomes;

/* The average over models that answer together (model.h). UCB is linear in mean and deviation, so the average of both
 * gives the average UCB. A draw and an expected outcome are those of the first model. */
extern const fcps_posterior_ops fcps_posterior_of_members;

typedef struct fcps_posterior_limits fcps_posterior_limits;

struct fcps_posterior {
  const fcps_posterior_ops *ops;
  const fcps_model *model;  /* the model whose GPs predict */
  const fcps_model *parent; /* the model that the posterior was made for */
  fcps_output_posterior *outputs, own_outputs;
  fcps_failure_penalty *penalty, own_penalty;
  fcps_expected_reward *reward;  /* turns outcomes into rewards; NULL if outputs are rewards, or in an ensemble */
  int member_count;              /* number of members of an ensemble; else 0 */
  fcps_posterior **members;      /* the posteriors of the members, that of the model itself first */
  double *shares;                /* share of each member in the average */
  fcps_posterior *next;          /* the next member of the same ensemble; NULL after the last */
  bool *wraps;                   /* which parameters are full circles */
  double *levels;                /* number of levels of integer parameters; NULL: no parameter is an integer */
  fcps_feasible *feasible;       /* NULL if there are no constraints */
  fcps_region region;            /* the constraints in the form that searches use */
  fcps_posterior_limits *limits; /* NULL if there are no limits (limited.c) */
  fcps_error *error;             /* borrowed from the caller that made the posterior */
  fcps_status failure;
};

/* Keeps `status` if it is the first failure of a callback. */
void fcps_posterior_note(fcps_posterior *posterior, fcps_status status);

/* -- Limits (limited.c) --
 *
 * Every value that a search maximizes is lowered if the trial may break a limit, and it is lowered more if the limits
 * are kept less surely. So a search finds the best parameters that keep the limits or, if no parameters do, those that
 * keep them most surely. Predictions are not lowered (fcps_penalty_view.without_limits). */

/* `take_limits` gives a new posterior the limits of its problem, if there are any. `drop_limits` frees them. */
fcps_status fcps_posterior_take_limits(fcps_posterior *posterior, const double *target, const double *environment);
void fcps_posterior_drop_limits(fcps_posterior *posterior);

/* Lowers the values of points that may break a limit, and changes their gradients (may be NULL) accordingly. */
void fcps_posterior_limit(fcps_posterior *posterior, int count, const double *x, double *values, double *gradients);

/* Computes the range of the rewards that a model's rollouts earn in a context. Doubted rows are left out, because no
 * trial can have the reward of, say, a mistyped result. */
fcps_status fcps_posterior_find_reward_range(const fcps_model *model, const double *target, const double *environment,
                                             fcps_reward_range *reward_range, fcps_error *error);

/* Weighs any number of rewards by the failure penalty. */
void fcps_posterior_penalize(fcps_posterior *posterior, int count, const double *x, double *rewards);

/* -- Many contexts, for basic posteriors of models that do not have the target among their inputs -- */

/* Replaces the environments of a posterior by `count` others, given as rows, which are copied, and selects the first.
 * If the model has split, all must be on the side of the posterior's model. */
fcps_status fcps_posterior_set_environments(fcps_posterior *posterior, int count, const double *environments);

/* Selects an environment of set_environments and a target, with the range of rewards there. If outputs depend on the
 * target, the posterior takes column `column` of `outputs`; else `outputs` is NULL. */
void fcps_posterior_select(fcps_posterior *posterior, int environment_index, const double *target,
                           const fcps_reward_range *reward_range, const fcps_gp_outputs *outputs, int column);

/* Only for models of outcomes. Computes the moments of the rewards of `count` points, the rows of x. They are the
 * points of the last prediction of outputs, from number `first` on. If the view asks for the deviations of trials, the
 * predicted variances become those of trials. */
void fcps_posterior_reward_moments(fcps_posterior *posterior, int first, int count, const double *x, double *mean,
                                   double *deviation);

#endif
