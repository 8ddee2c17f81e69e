/* SPDX-License-Identifier: Apache-2.0 */
/* Acquisitions: rules that choose the next trial, given a model. Each has a file; the registry in acquisition.c lists
 * them.
 *
 * An acquisition answers one of two questions, or both:
 *
 *   select          which parameters to try in a given context,
 *   select_context  which context to try, and which parameters in it.
 *
 * It also says what its model must predict. From this follows which learner may use which acquisition: a learner that
 * is given its contexts needs `select`, one that chooses them needs `select_context`, and both need a model of the
 * right kind (fcps_acquisition_fits).
 */
#ifndef FCPS_ACQUISITION_ACQUISITION_H
#define FCPS_ACQUISITION_ACQUISITION_H

#include "model/model.h"
#include "model/posterior/posterior.h"
#include "search/search.h"

typedef struct fcps_acquisition fcps_acquisition;

typedef enum fcps_kappa_schedule {
  FCPS_KAPPA_CONSTANT,
  FCPS_KAPPA_GP_UCB, /* sqrt(4 (D+1) log T) */
  FCPS_KAPPA_GP_UCB2 /* sqrt(2 log(T^(D/2+2) pi^2/(3 delta))), delta = 1/2 */
} fcps_kappa_schedule;

/* Returns the name of schedule number `index`, NULL past the last one. */
const char *fcps_kappa_schedule_name(int index);

typedef struct fcps_acquisition_settings {
  double kappa;
  fcps_kappa_schedule schedule;
  fcps_search_settings search;
} fcps_acquisition_settings;

/* How well a decision could be computed: the number of draws of the place of the maximum, and how many of them could
 * not be used. Predictive entropy search (pes) adds to these numbers. */
typedef struct fcps_decision_report {
  int draws, left_out;
} fcps_decision_report;

/* The input of one decision about parameters (unit cube) in the context of `posterior`. */
typedef struct fcps_decision {
  const fcps_acquisition *acquisition; /* the acquisition that decides */
  const fcps_acquisition_settings *settings;
  fcps_posterior *posterior; /* NULL if the acquisition needs no model */
  int n;                     /* number of parameters */
  fcps_rng rng;
  fcps_cost *cost;              /* cost of trials in this context; NULL if all cost the same */
  fcps_decision_report *report; /* OPTIONAL */
} fcps_decision;

/* Settings of gains that are summed over contexts (contextual/contextual_gain.h). */
typedef struct fcps_contextual_settings {
  int contexts;   /* the number of representer contexts */
  int targets;    /* number of targets, each combined with the same environments (rescored model); 1 for the joint
                   * model */
  int neighbours; /* a trial counts for this many of the nearest environments (joint model: contexts) */
} fcps_contextual_settings;

/* The input of one decision about context and parameters together. The coordinates of a context are those of the
 * environment, followed by those of the target, in the unit cube. */
typedef struct fcps_context_decision {
  const fcps_acquisition *acquisition; /* the acquisition that decides */
  const fcps_contextual_settings *settings;
  const fcps_acquisition_settings *search_settings; /* for acquisitions that search each context alone (ucb) */
  const fcps_model *model;                          /* must be up to date and have the pending trials */
  const bool *is_free;                              /* which coordinates of the context may be chosen */
  fcps_rng rng;
  fcps_cost *cost;              /* cost of trials; the context is set for each trial; NULL if all cost the same */
  fcps_decision_report *report; /* OPTIONAL */
} fcps_context_decision;

/* Which outputs a model must have. */
typedef enum fcps_acquisition_outputs {
  FCPS_OUTPUTS_ANY,     /* any outputs: the acquisition only uses the predicted reward */
  FCPS_OUTPUTS_REWARDS, /* the joint or the rescored model */
  FCPS_OUTPUTS_OUTCOMES /* the outcome model */
} fcps_acquisition_outputs;

struct fcps_acquisition {
  const char *name;
  bool needs_model;
  bool repeats_itself; /* without a new result it chooses nearly the same parameters again, so asks must be kept
                        * apart */

  /* Writes the parameters to try in a given context. NULL if the acquisition always chooses the context itself. */
  fcps_status (*select)(const fcps_decision *decision, double *x);

  /* OPTIONAL. Writes the coordinates of `context` that the acquisition decides, and the parameters `x` (unit cube). It
   * changes only coordinates that are free; the others are input. */
  fcps_status (*select_context)(const fcps_context_decision *decision, double *context, double *x, fcps_error *error);

  /* OPTIONAL: the gain of a trial (information/gain.h), if select is fcps_gain_select. */
  const struct fcps_gain *gain;
  fcps_acquisition_outputs outputs;
};

/* `at` returns acquisition number `index`, counted from 0, NULL past the last one. Acquisitions with `select` have the
 * first numbers. `find` returns the acquisition with a name, NULL if no acquisition has it. */
const fcps_acquisition *fcps_acquisition_at(int index);
const fcps_acquisition *fcps_acquisition_find(const char *name);

/* Whether the acquisition can use a model of this kind. */
bool fcps_acquisition_fits(const fcps_acquisition *acquisition, const fcps_model_ops *model);

/* Returns the kappa of UCB: the schedule's value for the number of rows of the posterior (ucb.c). */
double fcps_acquisition_kappa(const fcps_acquisition_settings *settings, const fcps_posterior *posterior);
extern const fcps_acquisition fcps_acquisition_ucb;

/* Climbs from the best of some points, whose values are upper confidence bounds, and writes the best point reached
 * (ucb.c). */
fcps_status fcps_acquisition_climb(const fcps_decision *decision, const fcps_scored_points *points, double *x);

/* If trials have costs, replaces upper confidence bounds by their gain per unit of cost (ucb.c). */
void fcps_acquisition_price_bounds(const fcps_decision *decision, int count, const double *x, double *values);

/* Divides the gain of a trial by its cost. `context` has the coordinates of the environment, then those of the target;
 * `x` has the parameters, in the unit cube. */
void fcps_acquisition_price_trial(const fcps_context_decision *decision, const double *context, const double *x,
                                  double *gain);

/* The `select_context` of acquisitions with a gain: chooses the trial with the largest sum of gains over many contexts
 * (contextual/contextual_gain.c). */
fcps_status fcps_contextual_gain_select(const fcps_context_decision *decision, double *context, double *x,
                                        fcps_error *error);

#endif
