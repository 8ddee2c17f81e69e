/* SPDX-License-Identifier: Apache-2.0 */
/* A reward that is a sum (sum_form.h): its forms in contexts, its rows, its moments and their gradients. Terms are
 * computed for many points at once, pieces have a closed form, and the rest has nodes (sum_rest.c).
 *
 * With o_j = m_j + s_j z the derivatives of mean and variance by m_j, s_j and the parameters are computed first, for
 * all kinds of parts; one chain rule then gives the derivatives by the parameters.
 *
 * If a part has no usable value at a point, the whole formula is averaged over nodes there: the worst reward then
 * replaces the nodes without a usable value. */
#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "reward/expected_reward_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = FCPS_FORMULA_LANES };

/* -- Contexts -- */

/* Searches side by side change from context to context and back, so the forms of the last contexts are kept in a hash
 * table. */

/* The size of the table: enough for the contexts that are searched side by side, and twice that for collisions. */
enum { KEPT = 1024 };

/* Returns the place of the selected context in the table, by the FNV-1a hash of its numbers. */
static size_t place_of(const fcps_expected_reward *s)
{
  const size_t lengths[2] = {(size_t)s->problem->target.count * sizeof(double),
                             (size_t)s->problem->environment.count * sizeof(double)};
  const void *const parts[2] = {s->target, s->environment};
  uint64_t hash = 14695981039346656037ULL;
  for (int i = 0; i < 2; i++)
    for (size_t b = 0; b < lengths[i]; b++)
      hash = (hash ^ ((const unsigned char *)parts[i])[b]) * 1099511628211ULL;
  return (size_t)((hash ^ (hash >> 32)) % KEPT);
}

const fcps_sum_form *fcps_expected_reward_sum(fcps_expected_reward *s)
{
  if (s->formula == NULL || s->form->k > 0) return NULL;
  if (s->sum != NULL) return s->sum;
  if (s->sums == NULL) s->sums = fcps_allocate(KEPT, sizeof *s->sums);
  if (s->sums == NULL) return NULL;
  fcps_sum_form *form = &s->sums[place_of(s)];
  if (!fcps_sum_form_is_of(form, s->problem, s->target, s->environment)) {
    fcps_sum_form_destroy(form);
    s->slopes.form = NULL;
    if (!fcps_sum_form_create(form, s->formula, s->problem, s->target, s->environment)) return NULL;
    if (!fcps_sum_form_look_along(form, s->formula, s->typical, s->scale)) return NULL;
  }
  s->sum = form;
  return form;
}

void fcps_expected_reward_free_sums(fcps_expected_reward *s)
{
  for (int i = 0; i < KEPT && s->sums != NULL; i++)
    fcps_sum_form_destroy(&s->sums[i]);
  for (int d = 0; d < 2 * (s->outcomes + 1) && s->quadratures != NULL; d++)
    fcps_quadrature_destroy(&s->quadratures[d]);
  fcps_quadrature_destroy(&s->rules[0]);
  fcps_quadrature_destroy(&s->rules[1]);
  free(s->sums);
  free(s->quadratures);
  free(s->slopes.x);
  free(s->formula_work);
  free(s->rest_lanes);
  free(s->formula_inputs);
}

bool fcps_expected_reward_is_sum(fcps_expected_reward *s)
{
  const fcps_sum_form *form = fcps_expected_reward_sum(s);
  bool has_outcome = form != NULL && form->rest_count > 0;
  for (int j = 0; j < s->outcomes && form != NULL; j++)
    has_outcome = has_outcome || form->has_pieces[j];
  return has_outcome && !form->has_steps;
}

/* -- Rows of parameters and outcomes: the formula is evaluated instead of calling the callbacks -- */

/* Makes room for an evaluation of a formula. */
bool fcps_sum_reserve_work(fcps_expected_reward *s, const fcps_formula *formula)
{
  const size_t values = (size_t)s->formula->count;
  if (s->formula_inputs == NULL) s->formula_inputs = fcps_allocate(values, sizeof *s->formula_inputs);
  return s->formula_inputs != NULL && fcps_reserve((void **)&s->formula_work, &s->formula_capacity,
                                                   fcps_formula_work(formula), sizeof *s->formula_work);
}

/* Evaluates the formula at `lanes` rows of the callbacks from `first` on. Returns NULL without memory. */
static const double *eval_rows(fcps_expected_reward *s, const fcps_formula *formula, int first, int lanes)
{
  const size_t p = (size_t)s->parameters, q = (size_t)s->outcomes, row = (size_t)first;
  if (!fcps_sum_reserve_work(s, formula)) return NULL;
  for (size_t d = 0; d < p; d++)
    s->formula_inputs[(size_t)s->formula->parameters + d] = (fcps_formula_input){s->row_parameters + row * p + d, p};
  for (size_t j = 0; j < q; j++)
    s->formula_inputs[(size_t)s->formula->outcome + j] = (fcps_formula_input){s->row_outcomes + row * q + j, q};
  return fcps_formula_eval(formula, lanes, s->formula_inputs, s->formula_work);
}

const double *fcps_sum_eval_row(fcps_expected_reward *s, const fcps_formula *formula)
{
  return eval_rows(s, formula, 0, 1);
}

void fcps_sum_clip(const fcps_dimension *dim, int count, double *values)
{
  for (int k = 0; k < count && dim->lower < dim->upper; k++)
    values[k] = values[k] > dim->lower ? (values[k] < dim->upper ? values[k] : dim->upper) : dim->lower;
}

void fcps_expected_reward_keep_largest(int count, double *largest, double value)
{
  int rank = count - 1;
  if (value <= largest[rank]) return;
  for (; rank > 0 && largest[rank - 1] < value; rank--)
    largest[rank] = largest[rank - 1];
  largest[rank] = value;
}

bool fcps_sum_is_usable(double reward)
{
  return fcps_rollout_values_usable(1, &reward);
}

bool fcps_expected_reward_sum_rows(fcps_expected_reward *s, const fcps_formula *formula, int count)
{
  for (int first = 0; first < count; first += LANES) {
    const int lanes = count - first < LANES ? count - first : LANES;
    const double *values = eval_rows(s, formula, first, lanes);
    if (values == NULL) return false;
    for (int l = 0; l < lanes; l++)
      s->row_rewards[first + l] = fcps_sum_is_usable(values[l]) ? values[l] : s->worst;
  }
  return true;
}

bool fcps_expected_reward_sum_slopes(fcps_expected_reward *s, const fcps_formula *formula, int count,
                                     double *by_outcome, double *by_parameters)
{
  const int p = s->parameters, q = s->outcomes, values = s->formula->count;
  double *numbers = fcps_allocate((size_t)(p + q) * LANES, sizeof(double));
  double **wanted = fcps_allocate((size_t)values, sizeof *wanted);
  bool is_done = numbers != NULL && wanted != NULL;
  for (int i = 0; i < p + q && is_done; i++)
    wanted[i < p ? s->formula->parameters + i : s->formula->outcome + i - p] = numbers + i * LANES;
  for (int first = 0; first < count && is_done; first += LANES) {
    const int lanes = count - first < LANES ? count - first : LANES;
    const double *rewards = eval_rows(s, formula, first, lanes);
    is_done = rewards != NULL;
    if (!is_done) break;
    fcps_formula_gradient(formula, lanes, s->formula_work, values, wanted);
    for (int l = 0; l < lanes; l++) {
      const double matters = fcps_sum_is_usable(rewards[l]) ? 1.0 : 0.0; /* the worst reward is the same everywhere */
      s->row_rewards[first + l] = fcps_sum_is_usable(rewards[l]) ? rewards[l] : s->worst;
      for (int d = 0; d < p; d++)
        by_parameters[(first + l) * p + d] = matters * s->parameter_slopes[d] * numbers[d * LANES + l];
      for (int j = 0; j < q && by_outcome != NULL; j++)
        by_outcome[(first + l) * q + j] = matters * numbers[(p + j) * LANES + l];
    }
  }
  free(numbers);
  free(wanted);
  return is_done;
}

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

/* Returns point i of `outcomes`. */
fcps_outcomes fcps_sum_point(const fcps_expected_reward *s, const fcps_outcomes *o, int i)
{
  const size_t point = (size_t)i, gps = o->gp_count > 1 ? (size_t)s->outcomes : 1;
  return (fcps_outcomes){.count = 1,
                         .x = o->x + point * (size_t)s->parameters,
                         .means = o->means + point * (size_t)s->outcomes,
                         .variances = o->variances + point * gps,
                         .gp_count = o->gp_count};
}

/* Computes the terms at each point, whether they are usable or not. */
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
    const double *values = eval_rows(s, &form->terms, 0, lanes);
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

/* Makes room for the derivatives and sets them to 0. Returns false without memory. */
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

/* Adds the terms to the mean and its derivatives; they do not change the variance. Returns false if a term is not
 * usable. The parameters must be in row 0. */
static bool add_term_slopes(fcps_expected_reward *s, const fcps_sum_form *form, double *mean, fcps_sum_slopes *slopes)
{
  const double *value = eval_rows(s, &form->terms, 0, 1);
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

/* Applies the chain rule to the mean, and also to the variance unless `by_deviation` is NULL. */
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

/* Computes all derivatives at a point. Returns false if there is no usable value. */
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

/* -- The curvature of the mean, for searches by Newton steps (fcps_expected_reward_curvature) --
 *
 * For pieces it is that of a parabola below their mean; for the rest the second derivatives come from the nodes. */

/* own += weight a b' */
static void add_product(int p, double weight, const double *a, const double *b, double *own)
{
  for (int l = 0; l < p; l++)
    for (int k = 0; k < p; k++)
      own[l * p + k] += weight * a[l] * b[k];
}

/* Returns a lower limit of the curvature. A function without kinks nearby seems straight, and a Newton step would be
 * too long. With this curvature a step is at most as long as the scale of the outcome. */
static double least_bend(const fcps_expected_reward *s, int outcome, double slope)
{
  return fabs(slope) / s->scale[outcome];
}

/* Returns the curvature of the mean in outcome j, which has pieces. If downward kinks explain the slope, the lower
 * limit is not needed. */
static double bend_of_pieces(const fcps_expected_reward *s, const fcps_pieces *pieces, int j, double m,
                             double deviation, double slope)
{
  double falls = 0.0;
  for (int i = 0; i < pieces->breaks_count; i++)
    falls += fmax(pieces->slopes[i] - pieces->slopes[i + 1], 0.0);
  const double bend = fcps_pieces_bend(pieces, m, deviation);
  return 0.5 * falls * (1.0 + 1e-9) >= fabs(slope) ? bend : fmax(bend, least_bend(s, j, slope));
}

static void add_rest_curvature(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                               double *own)
{
  const int rest = form->rest_count, p = s->parameters;
  const double *bends = s->slopes.bends;
  for (int r = 0; r < rest; r++)
    for (int t = 0; t < rest; t++) {
      const int j = form->rest_outcomes[r], i = form->rest_outcomes[t];
      const double bend = 0.5 * (bends[r * rest + t] + bends[t * rest + r]);
      add_product(p, r == t ? fmax(bend, least_bend(s, j, s->slopes.mean_m[j])) : bend, at->mean_gradients + j * p,
                  at->mean_gradients + i * p, own);
    }
}

/* Whether the stored derivatives are those of this point. */
static bool are_kept(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at)
{
  const fcps_sum_slopes *k = &s->slopes;
  return k->form == form && k->variance == at->variances[0] &&
         memcmp(k->x, at->x, (size_t)s->parameters * sizeof(double)) == 0 &&
         memcmp(k->mean, at->mean, (size_t)s->outcomes * sizeof(double)) == 0;
}

/* The spread is s_j = scale_j exp(l/2), so the derivative by l is the sum of mean_s s_j/2. At a point without usable
 * value the curvature is 0. */
void fcps_sum_form_curvature(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                             double *own, double *weights)
{
  const int q = s->outcomes, p = s->parameters;
  const fcps_sum_slopes *slopes = &s->slopes;
  double unused[2];
  memset(own, 0, (size_t)(p * p) * sizeof(double));
  memset(weights, 0, (size_t)(q + 1) * sizeof(double));
  if (!are_kept(s, form, at) && !fcps_sum_find_slopes(s, form, at, &unused[0], &unused[1])) return;
  add_rest_curvature(s, form, at, own);
  for (int j = 0; j < q; j++) {
    const double deviation = fcps_sum_deviation(s, j, at->variances, 1), *slope = at->mean_gradients + j * p;
    if (form->has_pieces[j])
      add_product(p, bend_of_pieces(s, &form->pieces[j], j, at->mean[j], deviation, slopes->mean_m[j]), slope, slope,
                  own);
    weights[j] = -slopes->mean_m[j];
    weights[q] -= 0.5 * slopes->mean_s[j] * deviation;
  }
  add_product(p, 0.5 * fmax(weights[q], 0.0) / (at->variances[0] * at->variances[0]), at->variance_gradients,
              at->variance_gradients, own);
}
