/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of sums share (sum_form.h): sum_contexts.c keeps the forms of contexts, sum_rows.c evaluates formulas,
 * sum_rest.c takes the moments of the rest, sum_moments.c those of the whole, sum_curvature.c says how the mean bends and
 * sum_screening.c which candidates are worth a look. */
#ifndef FCPS_REWARD_SUM_IMPL_H
#define FCPS_REWARD_SUM_IMPL_H

#include "reward/expected_reward_impl.h"

/* -- Rows -- */

/* Room for an evaluation. */
bool fcps_sum_reserve_work(fcps_expected_reward *s, const fcps_formula *formula);

/* The formula at `lanes` rows of the callbacks from `first` on; NULL: no memory. */
const double *fcps_sum_eval_rows(fcps_expected_reward *s, const fcps_formula *formula, int first, int lanes);

bool fcps_sum_is_usable(double reward);

/* -- Parts -- */

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

/* The same where the rest has a conditional form. */
bool fcps_sum_add_conditional(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                              double *variance);
bool fcps_sum_add_conditional_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at,
                                     double *mean, double *variance, fcps_sum_slopes *slopes);

/* Finds all derivatives at a point and keeps them; false: it has no usable value. */
bool fcps_sum_find_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                          double *mean, double *variance);

#endif
