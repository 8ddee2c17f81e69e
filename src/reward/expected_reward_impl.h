/* SPDX-License-Identifier: Apache-2.0 */
/* The state of an expected reward, for its files: expected_reward.c (rows, nodes, gradients), distance_form.c (the closed
 * form of distances) and those of formulas, taken apart: sum_moments.c keeps
 * the forms of contexts, evaluates formulas in rows and takes the moments of the whole, sum_rest.c those of the rest,
 * sum_conditional.c those of a rest in a conditional form, sum_branches.c what to hope of jumps, sum_curvature.c says how the mean bends and sum_screening.c which
 * candidates are worth a look. */
#ifndef FCPS_REWARD_EXPECTED_REWARD_IMPL_H
#define FCPS_REWARD_EXPECTED_REWARD_IMPL_H

#include "reward/expected_reward.h"
#include "reward/quadrature.h"
#include "reward/sum_form.h"

/* achieved(o) = map o + offset, where map times the scales of the outcomes has orthogonal rows of length `spread`: then
 * |target - achieved| of a Gaussian o with these scales is the distance to an isotropic Gaussian. */
typedef struct fcps_distance_form {
  int k;          /* dimensions of the target; 0: there is no such form */
  double *map;    /* k x outcome, rows */
  double *offset; /* k */
  double spread;
  double *reference; /* an outcome, then the target it achieves: the reward there is the terms alone */
} fcps_distance_form;

/* Derivatives of mean and variance of a sum by the outcomes' means and deviations, and by the parameters, at one point.
 * They are kept: who wants to know how the mean bends has asked for its gradient there before. */
typedef struct fcps_sum_slopes {
  const fcps_sum_form *form;                         /* NULL: nothing is kept */
  double *x, *mean, variance;                        /* the point */
  double *mean_m, *mean_s, *variance_m, *variance_s; /* of each outcome */
  double *mean_p, *variance_p;                       /* of each parameter */
  double *bends;                                     /* -d^2 mean / dm dm for the outcomes of the rest, rows */
} fcps_sum_slopes;

struct fcps_expected_reward {
  const fcps_problem *problem;
  int outcomes, parameters; /* widths */
  fcps_quadrature quadrature;
  fcps_expected_reward_path path;
  double *target, *scale, *typical;
  double worst;

  /* the known environments, and the selected one */
  int environment_count;
  double *environments; /* rows */
  const double *environment;
  fcps_distance_form *forms, *form;

  /* rows for the callbacks; the first `filled` of them have the environment */
  int capacity, filled;
  double *row_environments, *row_parameters, *row_outcomes, *row_rewards;
  bool *all_present, *none_present;

  /* of one point: reward and its gradient in the parameters at every node */
  double *node_rewards, *node_gradients;
  double *outcome_gradients, *parameter_gradients;
  double *parameter_slopes; /* d parameter / d x */
  double *middle;           /* of the unit cube */

  /* rewards that gradients by differences will need (fcps_expected_reward_ahead), point by point; 0 points: none */
  double *ahead;
  size_t ahead_capacity;
  int ahead_count;

  bool hopes; /* deviations are what may be hoped for */

  /* if the reward is a formula */
  const fcps_reward_formula *formula; /* NULL: it is a callback */
  fcps_sum_form *sums;                /* forms of contexts, by their place; NULL before the first */
  const fcps_sum_form *sum;           /* that of the selected context; NULL: not looked for */
  fcps_sum_slopes slopes;
  fcps_quadrature *quadratures; /* for rests, by dimensions; every second one is fine */
  fcps_quadrature rules[2];     /* over one outcome, for conditional forms: a short one and a long one */
  double *formula_work;
  size_t formula_capacity;
  double *rest_lanes; /* outcomes and slopes of a rest at its nodes */
  size_t rest_capacity;
  fcps_formula_input *formula_inputs;
};

/* The environment in each of the first `count` rows. */
const double *fcps_expected_reward_environments(fcps_expected_reward *s, int count);

/* Scores the first `count` rows for `target`; a reward that is not finite becomes the worst. */
fcps_status fcps_expected_reward_rows(fcps_expected_reward *s, int count, const double *target, const bool *present,
                                      fcps_error *error);

/* Row `row` gets the parameters of a unit point. */
void fcps_expected_reward_set_parameters(fcps_expected_reward *s, int row, const double *x);

/* parameter_slopes := d parameter / d x at the parameters of row 0. */
void fcps_expected_reward_find_parameter_slopes(fcps_expected_reward *s);

/* Mean and deviation (may be NULL) by the nodes of the whole reward. */
fcps_status fcps_expected_reward_node_moments(fcps_expected_reward *s, const fcps_outcomes *outcomes, double *mean,
                                              double *deviation, fcps_error *error);

/* The formula of the selected context, taken apart; NULL: the reward is not a formula or has another closed form, or there
 * is no memory. */
const fcps_sum_form *fcps_expected_reward_sum(fcps_expected_reward *s);
void fcps_expected_reward_free_sums(fcps_expected_reward *s);

/* Rewards of the first `count` rows by a formula, the worst if they are not usable; with derivatives by outcome (may be
 * NULL) and unit parameters, for which the parameter slopes are known. false: no memory. */
bool fcps_expected_reward_sum_rows(fcps_expected_reward *s, const fcps_formula *formula, int count);
bool fcps_expected_reward_sum_slopes(fcps_expected_reward *s, const fcps_formula *formula, int count,
                                     double *by_outcome, double *by_parameters);

/* The moments of a sum, and with gradients; false: it has no usable value at this point. */
fcps_status fcps_sum_form_moments(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                                  double *mean, double *deviation, fcps_error *error);
bool fcps_sum_form_gradient(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                            double *mean, double *deviation, double *mean_gradient, double *deviation_gradient);

/* Deviations become what may be hoped for, if the form jumps (sum_branches.c). */
fcps_status fcps_sum_branches_hope(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                                   const double *mean, double *deviation, fcps_error *error);
void fcps_sum_branches_hope_gradient(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                                     double mean, double *deviation, double *deviation_gradient);

/* What fcps_expected_reward_curvature says. */
void fcps_sum_form_curvature(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                             double *own, double *weights);

/* Fills the form of the selected environment, if the problem is a distance that has one. */
fcps_status fcps_distance_form_find(fcps_expected_reward *s, fcps_error *error);
void fcps_distance_form_destroy(fcps_distance_form *form);
fcps_status fcps_distance_form_moments(fcps_expected_reward *s, const fcps_outcomes *outcomes, double *mean,
                                       double *deviation, fcps_error *error);
void fcps_distance_form_curvature(const fcps_expected_reward *s, const fcps_outcome_slope *at, double *own,
                                  double *weights);
fcps_status fcps_distance_form_gradient(fcps_expected_reward *s, const fcps_outcome_slope *at, double *mean,
                                        double *deviation, double *mean_gradient, double *deviation_gradient,
                                        fcps_error *error);

/* Derivatives of the reward of one outcome (NULL: absent) for `target` in the unit parameters. */
fcps_status fcps_expected_reward_parameter_gradient(fcps_expected_reward *s, const double *target,
                                                    const double *outcome, const double *x, double *gradient,
                                                    fcps_error *error);

/* -- Sums: rows -- */

/* Room for an evaluation. */
bool fcps_sum_reserve_work(fcps_expected_reward *s, const fcps_formula *formula);

bool fcps_sum_is_usable(double reward);

/* A formula at row 0; NULL: no memory. */
const double *fcps_sum_eval_row(fcps_expected_reward *s, const fcps_formula *formula);

/* As fcps_dimension_clip, for many. */
void fcps_sum_clip(const fcps_dimension *dimension, int count, double *values);

/* Sorts `value` into the largest `count` so far (descending). */
void fcps_expected_reward_keep_largest(int count, double *largest, double value);

/* -- Sums: parts -- */

/* Point i of `outcomes`. */
fcps_outcomes fcps_sum_point(const fcps_expected_reward *s, const fcps_outcomes *outcomes, int i);

/* The deviation of outcome j. */
double fcps_sum_deviation(const fcps_expected_reward *s, int j, const double *variances, int gp_count);

/* The terms at each point, as they are. */
fcps_status fcps_sum_find_terms(fcps_expected_reward *s, const fcps_sum_form *form, int count, const double *x,
                                double *terms, fcps_error *error);

/* Adds the moments of all pieces at one point; `variance` may be NULL. */
void fcps_sum_add_pieces(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at,
                         double *mean, double *variance);

/* Adds the moments of the rest at one point (`variance` may be NULL), or also their derivatives; false: it has no usable
 * values. Row 0 has the parameters. */
bool fcps_sum_add_rest(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                       double *variance);
bool fcps_sum_add_rest_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                              double *variance, fcps_sum_slopes *slopes);

/* The nodes of a rule in some dimensions; NULL: no memory. */
const fcps_quadrature *fcps_sum_quadrature(fcps_expected_reward *s, int dimensions, bool is_fine);

/* The same if the rest has a conditional form. */
bool fcps_sum_add_conditional(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                              double *variance);
bool fcps_sum_add_conditional_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at,
                                     double *mean, double *variance, fcps_sum_slopes *slopes);

/* Finds all derivatives at a point and keeps them; false: it has no usable value. */
bool fcps_sum_find_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                          double *mean, double *variance);

/* -- Distances (distance.c) -- */

/* How far is an uncertain point? Moments of |delta + s z|, z standard normal in 1, 2 or 3 dimensions. */

/* Most dimensions there is a closed form for. */
#define FCPS_DISTANCE_MAX 3

/* Mean and deviation of the distance, and their derivatives with respect to d = |delta| and s. */
typedef struct fcps_distance {
  double mean, mean_d, mean_s;
  double deviation, deviation_d, deviation_s;
} fcps_distance;

/* For d >= 0 and s > 0. */
fcps_distance fcps_distance_moments(int dimensions, double d, double s);

#endif
