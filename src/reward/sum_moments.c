/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of a reward that is a sum (sum_form.h), and their gradients: terms of many points at once, pieces in closed
 * form, the rest over nodes (sum_rest.c).
 *
 * With o_j = m_j + s_j z the derivatives of mean and variance by m_j, s_j and the parameters come first, whatever part
 * they come from; one chain rule then leads to the parameters.
 *
 * A point at which a part has no usable value is left to the nodes of the whole formula, where the worst reward stands
 * for nodes without a value. */
#include "base/error.h"
#include "base/memory.h"
#include "reward/sum_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = FCPS_FORMULA_LANES };

/* -- Moments -- */

void fcps_sum_add_pieces(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at,
                         double *mean, double *variance)
{
  for (int j = 0; j < s->outcomes; j++) {
    if (!form->has_pieces[j]) continue;
    const double deviation = fcps_sum_deviation(s, j, at->variances, at->gp_count);
    if (variance == NULL) {
      *mean += fcps_pieces_mean(&form->pieces[j], at->means[j], deviation);
      continue;
    }
    const fcps_pieces_moments m = fcps_pieces_expect(&form->pieces[j], at->means[j], deviation);
    *mean += m.mean;
    *variance += m.variance;
  }
}

/* Point i of `outcomes`. */
fcps_outcomes fcps_sum_point(const fcps_expected_reward *s, const fcps_outcomes *o, int i)
{
  const size_t point = (size_t)i, gps = o->gp_count > 1 ? (size_t)s->outcomes : 1;
  return (fcps_outcomes){.count = 1,
                         .x = o->x + point * (size_t)s->parameters,
                         .means = o->means + point * (size_t)s->outcomes,
                         .variances = o->variances + point * gps,
                         .gp_count = o->gp_count};
}

/* The terms at each point, as they are. */
fcps_status fcps_sum_find_terms(fcps_expected_reward *s, const fcps_sum_form *form, int count, const double *x,
                                double *terms, fcps_error *error)
{
  const bool is_constant = form->terms.count == 1 && form->terms.steps[0].op == FCPS_FORMULA_CONSTANT;
  for (int i = 0; i < count && is_constant; i++)
    terms[i] = form->terms.steps[0].constant;
  for (int start = 0; start < count && !is_constant; start += LANES) {
    const int lanes = count - start < LANES ? count - start : LANES;
    for (int i = 0; i < lanes; i++)
      fcps_expected_reward_set_parameters(s, i, x + (size_t)(start + i) * (size_t)s->parameters);
    const double *values = fcps_sum_eval_rows(s, &form->terms, 0, lanes);
    if (values == NULL) return fcps_error_memory(error);
    memcpy(terms + start, values, (size_t)lanes * sizeof(double));
  }
  return FCPS_OK;
}

fcps_status fcps_sum_form_moments(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                                  double *mean, double *deviation, fcps_error *error)
{
  fcps_status status = fcps_sum_find_terms(s, form, outcomes->count, outcomes->x, mean, error);
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++) {
    const fcps_outcomes at = fcps_sum_point(s, outcomes, i);
    double variance = 0.0, *wanted = deviation != NULL ? &variance : NULL;
    bool is_done = fcps_sum_is_usable(mean[i]);
    if (is_done) fcps_sum_add_pieces(s, form, &at, mean + i, wanted);
    if (is_done && form->rest_count > 0) {
      if (form->rest_has_parameters) fcps_expected_reward_set_parameters(s, 0, at.x);
      is_done = fcps_sum_add_rest(s, form, &at, mean + i, wanted);
    }
    if (is_done && deviation != NULL) deviation[i] = sqrt(variance);
    if (!is_done)
      status = fcps_expected_reward_node_moments(s, &at, mean + i, deviation != NULL ? deviation + i : NULL, error);
  }
  return status;
}

/* -- Gradients -- */

/* Room for the derivatives, all 0; false: no memory. */
static bool clear_slopes(fcps_expected_reward *s)
{
  fcps_sum_slopes *k = &s->slopes;
  const size_t q = (size_t)s->outcomes, p = (size_t)s->parameters, size = 5 * q + 3 * p + q * q;
  if (k->x == NULL) k->x = fcps_allocate(size, sizeof(double));
  if (k->x == NULL) return false;
  memset(k->x, 0, size * sizeof(double));
  k->form = NULL;
  k->mean = k->x + p;
  k->mean_m = k->mean + q;
  k->mean_s = k->mean_m + q;
  k->variance_m = k->mean_s + q;
  k->variance_s = k->variance_m + q;
  k->mean_p = k->variance_s + q;
  k->variance_p = k->mean_p + p;
  k->bends = k->variance_p + p;
  return true;
}

static void add_piece_slopes(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at,
                             double *mean, double *variance, fcps_sum_slopes *slopes)
{
  for (int j = 0; j < s->outcomes; j++) {
    if (!form->has_pieces[j]) continue;
    const fcps_pieces_moments m =
        fcps_pieces_expect(&form->pieces[j], at->means[j], fcps_sum_deviation(s, j, at->variances, at->gp_count));
    *mean += m.mean;
    *variance += m.variance;
    slopes->mean_m[j] = m.mean_m;
    slopes->mean_s[j] = m.mean_s;
    slopes->variance_m[j] = m.variance_m;
    slopes->variance_s[j] = m.variance_s;
  }
}

/* Adds the terms, which vary nothing; false: not usable. Row 0 has the parameters. */
static bool add_term_slopes(fcps_expected_reward *s, const fcps_sum_form *form, double *mean, fcps_sum_slopes *slopes)
{
  const double *value = fcps_sum_eval_rows(s, &form->terms, 0, 1);
  if (value == NULL || !fcps_sum_is_usable(*value)) return false;
  *mean = *value;
  if (form->terms.count == 1 && form->terms.steps[0].op == FCPS_FORMULA_CONSTANT) return true;
  double **wanted = fcps_allocate((size_t)s->formula->count, sizeof *wanted);
  if (wanted == NULL) return false;
  for (int d = 0; d < s->parameters; d++)
    wanted[s->formula->parameters + d] = &slopes->mean_p[d];
  fcps_formula_gradient(&form->terms, 1, s->formula_work, s->formula->count, wanted);
  free(wanted);
  return true;
}

static fcps_outcomes point_at(const fcps_outcome_slope *at)
{
  return (fcps_outcomes){
      .count = 1, .x = at->x, .means = at->mean, .variances = at->variances, .gp_count = at->gp_count};
}

/* The chain rule for the mean (`by_deviation` NULL) or for both. */
static void chain(const fcps_expected_reward *s, const fcps_outcome_slope *at, const fcps_sum_slopes *slopes,
                  double deviation, double *by_mean, double *by_deviation)
{
  const int p = s->parameters;
  for (int d = 0; d < p; d++) {
    double first = s->parameter_slopes[d] * slopes->mean_p[d], second = s->parameter_slopes[d] * slopes->variance_p[d];
    for (int j = 0; j < s->outcomes; j++) {
      const int gp = at->gp_count > 1 ? j : 0;
      const double dm = at->mean_gradients[j * p + d];
      const double ds = 0.5 * s->scale[j] / sqrt(at->variances[gp]) * at->variance_gradients[gp * p + d];
      first += slopes->mean_m[j] * dm + slopes->mean_s[j] * ds;
      second += slopes->variance_m[j] * dm + slopes->variance_s[j] * ds;
    }
    by_mean[d] = first;
    if (by_deviation != NULL) by_deviation[d] = deviation > 0.0 ? 0.5 * second / deviation : 0.0;
  }
}

/* Finds all derivatives at a point; false: it has no usable value. */
bool fcps_sum_find_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                          double *mean, double *variance)
{
  const fcps_outcomes point = point_at(at);
  fcps_sum_slopes *slopes = &s->slopes;
  if (!clear_slopes(s)) return false;
  fcps_expected_reward_set_parameters(s, 0, at->x);
  fcps_expected_reward_find_parameter_slopes(s);
  *variance = 0.0;
  if (!add_term_slopes(s, form, mean, slopes)) return false;
  add_piece_slopes(s, form, &point, mean, variance, slopes);
  if (!fcps_sum_add_rest_slopes(s, form, &point, mean, variance, slopes)) return false;
  memcpy(slopes->x, at->x, (size_t)s->parameters * sizeof(double));
  memcpy(slopes->mean, at->mean, (size_t)s->outcomes * sizeof(double));
  slopes->variance = at->variances[0];
  slopes->form = form;
  return true;
}

bool fcps_sum_form_gradient(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                            double *mean, double *deviation, double *mean_gradient, double *deviation_gradient)
{
  double variance;
  if (!fcps_sum_find_slopes(s, form, at, mean, &variance)) return false;
  *deviation = sqrt(variance);
  chain(s, at, &s->slopes, *deviation, mean_gradient, deviation_gradient);
  return true;
}
