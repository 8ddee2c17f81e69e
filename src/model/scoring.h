/* SPDX-License-Identifier: Apache-2.0 */
/* The reward of an uncertain outcome, seen from one context at a time: moments of R(target, environment, parameters, o)
 * for
 *
 *   o_j ~ N(mean_j, scale_j^2 variance_j), independent, with one variance for all or one for each.
 *
 * The reward is known and kept exact; only the outcome is uncertain [astudillo2019]. Where the reward is a distance
 * plus terms in the parameters there is a closed form, else the expectation is a sum over nodes. Parameters are rows in
 * the unit cube.
 */
#ifndef FCPS_MODEL_SCORING_H
#define FCPS_MODEL_SCORING_H

#include <fcps/problem.h>

typedef struct fcps_scoring fcps_scoring;

typedef enum fcps_scoring_path {
  FCPS_SCORING_AUTO, /* the closed form where there is one */
  FCPS_SCORING_NODES /* always the sum over nodes; where outcomes have variances of their own it must be this */
} fcps_scoring_path;

/* Borrows `problem`; copies target, environment, `scale` and `typical`, an outcome that may happen (the outcome space
 * each). `worst` stands for rewards that are not finite. */
fcps_status fcps_scoring_create(fcps_scoring **scoring, const fcps_problem *problem, const double *target,
                                const double *environment, const double *scale, const double *typical, double worst,
                                fcps_scoring_path path, fcps_error *error);
void fcps_scoring_destroy(fcps_scoring *scoring);

/* Turns to another target, with the worst reward there. Cheap: whether there is a closed form is not asked again. */
void fcps_scoring_aim(fcps_scoring *scoring, const double *target, double worst);

/* Gets to know `count` environments (rows, copied) instead of those it knew, and turns to the first; then to any of
 * them, which is cheap. */
fcps_status fcps_scoring_visit(fcps_scoring *scoring, int count, const double *environments, fcps_error *error);
void fcps_scoring_move(fcps_scoring *scoring, int place);

/* Whether the closed form is in use in the environment it is turned to, or in all it knows. */
bool fcps_scoring_is_closed(const fcps_scoring *scoring);
bool fcps_scoring_is_closed_everywhere(const fcps_scoring *scoring);

/* Outcomes at `count` points: means (rows) and variances in unit scale, `parts` a point: 1, or one each outcome. */
typedef struct fcps_outcomes {
  int count;
  const double *unit, *means, *variances;
  int parts;
} fcps_outcomes;

/* Mean and deviation of the reward at each point. */
fcps_status fcps_scoring_moments(fcps_scoring *scoring, const fcps_outcomes *outcomes, double *mean, double *deviation,
                                 fcps_error *error);

/* The same for many targets, where the form is closed: the terms of points do not depend on the target. With them, the
 * means are exact wherever they may be among the `best` largest, and elsewhere a lower bound. */
fcps_status fcps_scoring_terms(fcps_scoring *scoring, int count, const double *unit, double *terms, fcps_error *error);
void fcps_scoring_screen(const fcps_scoring *scoring, const fcps_outcomes *outcomes, const double *terms, int best,
                         double *mean);

/* The same as upper bounds, whatever the variances. */
void fcps_scoring_bound(const fcps_scoring *scoring, int count, const double *outcomes, const double *terms,
                        double *bounds);

/* Expected improvement E max(R - best, 0), always by nodes. */
fcps_status fcps_scoring_improvement(fcps_scoring *scoring, const fcps_outcomes *outcomes, double best, double *values,
                                     fcps_error *error);

/* Rewards of given outcomes (rows), and of absent ones. */
fcps_status fcps_scoring_exact(fcps_scoring *scoring, int count, const double *unit, const double *outcomes,
                               double *rewards, fcps_error *error);
fcps_status fcps_scoring_absent(fcps_scoring *scoring, int count, const double *unit, double *rewards,
                                fcps_error *error);

/* One point with the derivatives of its outcome with respect to the unit parameters. */
typedef struct fcps_outcome_slope {
  const double *unit, *mean, *variances;
  const double *mean_gradients;     /* outcome x parameters */
  const double *variance_gradients; /* parts x parameters */
  int parts;
} fcps_outcome_slope;

/* The moments there with gradients; `deviation_gradient` may be NULL. */
fcps_status fcps_scoring_gradient(fcps_scoring *scoring, const fcps_outcome_slope *at, double *mean, double *deviation,
                                  double *mean_gradient, double *deviation_gradient, fcps_error *error);

/* How the mean bends, where the form is closed and there is one variance. It is a function of the means m_j, of the log
 * variance l and of terms t in the parameters, so that
 *
 *   -Hessian = own + sum_j weights[j] Hessian(m_j) + weights[outcomes] Hessian(l) - Hessian(t)
 *
 * with `own` (parameters x parameters) from first derivatives alone. */
void fcps_scoring_bend(const fcps_scoring *scoring, const fcps_outcome_slope *at, double *own, double *weights);

fcps_status fcps_scoring_improvement_gradient(fcps_scoring *scoring, const fcps_outcome_slope *at, double best,
                                              double *value, double *gradient, fcps_error *error);
fcps_status fcps_scoring_absent_gradient(fcps_scoring *scoring, const double *unit, double *reward, double *gradient,
                                         fcps_error *error);

#endif
