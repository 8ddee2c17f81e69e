/* SPDX-License-Identifier: Apache-2.0 */
/* A view's inside, for view.c (making) and view_predict.c (asking). */
#ifndef FCPS_MODEL_VIEW_IMPL_H
#define FCPS_MODEL_VIEW_IMPL_H

#include "model/model.h"
#include "model/scoring.h"

/* Points predicted in one pass: their covariances with a few hundred rows still fit the cache. */
#define FCPS_VIEW_PASS 256

/* What the evidence earns in a context: what a failed trial there is measured by. */
typedef struct fcps_stakes {
  bool exist;    /* there is evidence; without, nothing is known of rewards */
  double worst;  /* its least reward; 0 without */
  double spread; /* the deviation of its rewards; 1 where they do not differ */
} fcps_stakes;

/* The reward that tolerances of a search take for 1: that itself, unless all rewards are within a hundredth of it. */
double fcps_stakes_unit(const fcps_stakes *stakes);

struct fcps_view {
  const fcps_model *model; /* of the context's side, where it has split */
  const fcps_model *whole; /* both sides: what may go wrong is learnt from all rollouts */
  fcps_gp_outputs outputs;
  fcps_gp_work work;
  const double *context; /* features of the context: environment first, then the target where it is an input */
  double *features;      /* FCPS_VIEW_PASS rows of features */
  double *gradient;      /* gradients of all outputs and of the variances with respect to features */
  bool *wraps;           /* which parameters are full circles */
  double *levels;        /* of integer parameters */
  bool has_levels;       /* there is any */

  double *target;
  const double *environment;
  double *contexts, *environments; /* those of all places, rows; the two above are among them */
  fcps_stakes stakes;              /* in this context */
  fcps_scoring *scoring;           /* NULL: the outputs are rewards */
  double *means;                   /* FCPS_VIEW_PASS x width, outcomes */
  double *variances;               /* FCPS_VIEW_PASS x parts */
  double *slopes;                  /* gradients of all outputs and of the variances with respect to the parameters */

  double *chance_features; /* FCPS_VIEW_PASS rows of environment and parameters: the inputs of chances */
  double *chances;         /* FCPS_VIEW_PASS */
  double *absent;          /* FCPS_VIEW_PASS: rewards without outcome */
  double *chance_gradient; /* with respect to features, then to the parameters */
  bool *rule;              /* FCPS_VIEW_PASS: the known presence */
  double *row;             /* one point in the problem's own units, environment first */

  fcps_view *next; /* the same context with another sample of the hyper-parameters (mixture.c); NULL: none */
  double *mixed;   /* answers of one of them: 2 FCPS_VIEW_PASS, or two gradients */

  fcps_error *error;   /* the creator's */
  fcps_status failure; /* of a callback, from a question that could not return it */
};

/* For the files of the view. Features of the GP's inputs go to row `row` of view->features. */
double *fcps_view_features(fcps_view *view, int row, const double *unit);

/* Keeps the first failure of a callback. */
void fcps_view_note(fcps_view *view, fcps_status status);

/* Whether there is doubt about an outcome, or about not failing; the chances (at most FCPS_VIEW_PASS) are then in
 * view->chances. */
bool fcps_view_presence(fcps_view *view, int count, const double *unit);
bool fcps_view_feasibility(fcps_view *view, int count, const double *unit);

/* The same at one point with the slope in the parameters, NULL for zeros; lives until the next question. */
const double *fcps_view_presence_slope(fcps_view *view, const double *unit, double *p);
const double *fcps_view_feasibility_slope(fcps_view *view, const double *unit, double *p);

/* Outcomes of the first `count` rows of view->features, and that of one point with slopes. */
fcps_outcomes fcps_view_outcomes(fcps_view *view, int count, const double *unit);
fcps_outcome_slope fcps_view_outcome_slope(fcps_view *view, const double *unit);

/* Weighs predicted rewards of at most FCPS_VIEW_PASS points by both chances; `deviation` may be NULL. */
void fcps_view_weigh(fcps_view *view, int count, const double *unit, double *mean, double *deviation);

/* What the evidence earns in a context: outcomes with their reward there, rewards as the model has them. */
fcps_status fcps_view_find_stakes(const fcps_view *view, const double *target, const double *environment,
                                  fcps_stakes *stakes);

/* Gets to know `count` environments (rows, copied) on the model's side, instead of those it knew, and stands in the
 * first. Not for views of models that have the target among their inputs. */
fcps_status fcps_view_visit(fcps_view *view, int count, const double *environments);

/* Turns the view to another target in one of its environments: rewards to column `column` of `outputs`; outcomes
 * (`outputs` NULL) stay, only what they are worth changes. */
void fcps_view_turn(fcps_view *view, int place, const double *target, const fcps_stakes *stakes,
                    const fcps_gp_outputs *outputs, int column);

/* Weighs the predicted reward of one point and its gradient by both chances; `deviation` and its gradient may be NULL
 * together. */
void fcps_view_weigh_slope(fcps_view *view, const double *unit, double *mean, double *deviation, double *mean_gradient,
                           double *deviation_gradient);

#endif
