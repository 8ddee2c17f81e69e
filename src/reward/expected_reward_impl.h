/* SPDX-License-Identifier: Apache-2.0 */
/* The state of an expected reward, shared by its files. expected_reward.c has rows, nodes and gradients;
 * distance_form.c has the closed form for distances. The other files are for formulas. sum_moments.c keeps the forms of
 * contexts, evaluates formulas in rows, and computes moments and the curvature of the mean. A formula is split into
 * terms, pieces and a rest (sum_form.h); sum_conditional.c computes the moments of a rest in a conditional form.
 * sum_branches.c computes the deviation at jumps, and sum_screening.c finds the candidates that are worth exact
 * moments. */
#ifndef FCPS_REWARD_EXPECTED_REWARD_IMPL_H
#define FCPS_REWARD_EXPECTED_REWARD_IMPL_H

#include "reward/expected_reward.h"
#include "reward/quadrature.h"
#include "reward/sum_form.h"

/* achieved(o) = map o + offset. The map times the scales of the outcomes has orthogonal rows of length `spread`. So for
 * a Gaussian o with these scales, |target - achieved| is the distance to an isotropic Gaussian. */
typedef struct fcps_distance_form {
  int k;          /* the number of dimensions of the target; 0: the reward does not have this form */
  double *map;    /* k x outcomes, rows */
  double *offset; /* k numbers */
  double spread;
  /* an outcome, then the target that it achieves: the reward of the two consists only of the terms */
  double *reference;
} fcps_distance_form;

/* Derivatives of mean and variance of a sum at one point: by the outcomes' means and deviations, and by the parameters.
 * They are kept for a caller that needs the curvature: it has just computed the gradient at the same point. */
typedef struct fcps_sum_slopes {
  const fcps_sum_form *form;                         /* NULL: no derivatives are kept */
  double *x, *mean, variance;                        /* the point to which they belong */
  double *mean_m, *mean_s, *variance_m, *variance_s; /* derivatives by the mean and by the deviation of each outcome */
  double *mean_p, *variance_p;                       /* derivatives by each parameter */
  /* -d^2 mean / dm dm for each pair of outcomes of the rest (sum_form.h), rows */
  double *bends;
} fcps_sum_slopes;

struct fcps_expected_reward {
  const fcps_problem *problem;
  int outcomes, parameters; /* the lengths of these arrays */
  fcps_quadrature quadrature;
  fcps_expected_reward_path path;
  double *target, *scale, *typical;
  double worst;

  /* the known environments (rows), and the selected one */
  int environment_count;
  double *environments;
  const double *environment;
  fcps_distance_form *forms, *form;

  /* rows for the callbacks; the first `filled` rows have the environment already */
  int capacity, filled;
  double *row_environments, *row_parameters, *row_outcomes, *row_rewards;
  bool *all_present, *none_present;

  /* at one point: the reward at every node, and its gradient by the parameters */
  double *node_rewards, *node_gradients;
  double *outcome_gradients, *parameter_gradients;
  double *parameter_slopes; /* the derivatives of the parameters by x */
  double *middle;           /* the middle of the unit cube */

  /* rewards for gradients by differences, computed ahead (fcps_expected_reward_ahead), one point after the other */
  double *ahead;
  size_t ahead_capacity;
  int ahead_count;

  bool hopes; /* deviations count only what may be hoped for */

  /* used if the reward is a formula */
  const fcps_reward_formula *formula; /* NULL: the reward is a callback */
  fcps_sum_form *sums;                /* a hash table of the forms of contexts; NULL until a form is needed */
  const fcps_sum_form *sum;           /* the form of the selected context; NULL until it is needed */
  fcps_sum_slopes slopes;
  fcps_quadrature *quadratures; /* for rests: for each number of dimensions, a coarse and a fine one */
  /* for conditional forms: rules over one outcome, the first with few nodes, the second with many */
  fcps_quadrature rules[2];
  double *formula_work;
  size_t formula_capacity;
  double *rest_lanes; /* outcomes and slopes of a rest at its nodes */
  size_t rest_capacity;
  fcps_formula_input *formula_inputs;
};

/* Writes the selected environment to each of the first `count` rows, and returns these rows. */
const double *fcps_expected_reward_environments(fcps_expected_reward *s, int count);

/* Computes the rewards of the first `count` rows for `target`. A reward that is not finite becomes the worst. */
fcps_status fcps_expected_reward_rows(fcps_expected_reward *s, int count, const double *target, const bool *present,
                                      fcps_error *error);

/* Writes the parameters of a unit point to row `row`. */
void fcps_expected_reward_set_parameters(fcps_expected_reward *s, int row, const double *x);

/* Computes parameter_slopes, the derivatives of the parameters by x, at the parameters of row 0. */
void fcps_expected_reward_find_parameter_slopes(fcps_expected_reward *s);

/* Computes mean and deviation (may be NULL) of the whole reward from the nodes. */
fcps_status fcps_expected_reward_node_moments(fcps_expected_reward *s, const fcps_outcomes *outcomes, double *mean,
                                              double *deviation, fcps_error *error);

/* Returns the formula of the selected context, split into its parts. NULL if the reward is not a formula or has the
 * closed form for distances, or if there is no memory. */
const fcps_sum_form *fcps_expected_reward_sum(fcps_expected_reward *s);
void fcps_expected_reward_free_sums(fcps_expected_reward *s);

/* fcps_expected_reward_sum_rows computes the rewards of the first `count` rows by a formula; rewards that are not
 * usable become the worst. fcps_expected_reward_sum_slopes also computes the derivatives by outcome (may be NULL) and
 * by unit parameters; it needs parameter_slopes. Both return false if there is no memory. */
bool fcps_expected_reward_sum_rows(fcps_expected_reward *s, const fcps_formula *formula, int count);
bool fcps_expected_reward_sum_slopes(fcps_expected_reward *s, const fcps_formula *formula, int count,
                                     double *by_outcome, double *by_parameters);

/* Compute the moments of a sum, without and with gradients. fcps_sum_form_gradient returns false if there is no usable
 * value at this point. */
fcps_status fcps_sum_form_moments(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                                  double *mean, double *deviation, fcps_error *error);
bool fcps_sum_form_gradient(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                            double *mean, double *deviation, double *mean_gradient, double *deviation_gradient);

/* Replace deviations by those that count only what may be hoped for, if the form jumps (sum_branches.c). */
fcps_status fcps_sum_branches_hope(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                                   const double *mean, double *deviation, fcps_error *error);
void fcps_sum_branches_hope_gradient(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                                     double mean, double *deviation, double *deviation_gradient);

/* See fcps_expected_reward_curvature. */
void fcps_sum_form_curvature(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                             double *own, double *weights);

/* Fills the distance form of the selected environment. Its k is 0 if the reward has no closed form for distances. */
fcps_status fcps_distance_form_find(fcps_expected_reward *s, fcps_error *error);
void fcps_distance_form_destroy(fcps_distance_form *form);
fcps_status fcps_distance_form_moments(fcps_expected_reward *s, const fcps_outcomes *outcomes, double *mean,
                                       double *deviation, fcps_error *error);
void fcps_distance_form_curvature(const fcps_expected_reward *s, const fcps_outcome_slope *at, double *own,
                                  double *weights);
fcps_status fcps_distance_form_gradient(fcps_expected_reward *s, const fcps_outcome_slope *at, double *mean,
                                        double *deviation, double *mean_gradient, double *deviation_gradient,
                                        fcps_error *error);

/* Computes the gradient, by the unit parameters, of the reward of one outcome for `target`. `outcome` is NULL for a
 * trial without one. */
fcps_status fcps_expected_reward_parameter_gradient(fcps_expected_reward *s, const double *target,
                                                    const double *outcome, const double *x, double *gradient,
                                                    fcps_error *error);

/* -- Sums: rows -- */

/* Makes room for an evaluation of a formula. Returns false if there is no memory. */
bool fcps_sum_reserve_work(fcps_expected_reward *s, const fcps_formula *formula);

bool fcps_sum_is_usable(double reward);

/* Evaluates a formula at row 0. Returns NULL if there is no memory. */
const double *fcps_sum_eval_row(fcps_expected_reward *s, const fcps_formula *formula);

/* Clips values like fcps_dimension_clip. */
void fcps_sum_clip(const fcps_dimension *dimension, int count, double *values);

/* Inserts `value` into the `count` largest values so far (descending), if it is one of them. */
void fcps_expected_reward_keep_largest(int count, double *largest, double value);

/* -- Sums: parts -- */

/* Returns point i of `outcomes`. */
fcps_outcomes fcps_sum_point(const fcps_expected_reward *s, const fcps_outcomes *outcomes, int i);

/* Returns the deviation of outcome j. */
double fcps_sum_deviation(const fcps_expected_reward *s, int j, const double *variances, int gp_count);

/* Computes the terms at each point, whether they are usable or not. */
fcps_status fcps_sum_find_terms(fcps_expected_reward *s, const fcps_sum_form *form, int count, const double *x,
                                double *terms, fcps_error *error);

/* Adds the moments of all pieces at one point. `variance` may be NULL. */
void fcps_sum_add_pieces(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at,
                         double *mean, double *variance);

/* Add the moments of the rest at one point (`variance` may be NULL). fcps_sum_add_rest_slopes also adds their
 * derivatives. Both return false if the rest has no usable value. The parameters must be in row 0. */
bool fcps_sum_add_rest(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                       double *variance);
bool fcps_sum_add_rest_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                              double *variance, fcps_sum_slopes *slopes);

/* Returns the nodes of a quadrature in some dimensions; NULL if there is no memory. */
const fcps_quadrature *fcps_sum_quadrature(fcps_expected_reward *s, int dimensions, bool is_fine);

/* Do the same for a rest that has a conditional form. */
bool fcps_sum_add_conditional(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                              double *variance);
bool fcps_sum_add_conditional_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at,
                                     double *mean, double *variance, fcps_sum_slopes *slopes);

/* Computes and keeps all derivatives at a point. Returns false if there is no usable value. */
bool fcps_sum_find_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                          double *mean, double *variance);

/* -- Distances (distance_form.c) -- */

/* The distance to an uncertain point: moments of |delta + s z|, where z is standard normal in 1, 2 or 3 dimensions. */

/* The closed form exists for at most this many dimensions. */
#define FCPS_DISTANCE_MAX 3

/* Mean and deviation of the distance, and their derivatives by d = |delta| (_d) and by s (_s). */
typedef struct fcps_distance {
  double mean, mean_d, mean_s;
  double deviation, deviation_d, deviation_s;
} fcps_distance;

/* Computes the moments for d >= 0 and s > 0. */
fcps_distance fcps_distance_moments(int dimensions, double d, double s);

#endif
