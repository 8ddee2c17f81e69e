/* SPDX-License-Identifier: Apache-2.0 */
/* A reward that is a sum (sum_form.h): its forms in contexts, its rows, its moments and their gradients. Terms are
 * computed for many points at once, pieces have a closed form, and the rest has nodes.
 *
 * With o_j = m_j + s_j z the derivatives of mean and variance by m_j, s_j and the parameters are computed first, for
 * all kinds of parts. One chain rule then gives the derivatives by the parameters.
 *
 * If a part has no usable value at a point, the whole formula is averaged over nodes at this point: the worst reward
 * then replaces the nodes without a usable value. */
#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"
#include "reward/expected_reward_impl.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = FCPS_FORMULA_LANES };

/* -- Contexts -- */

/* Searches side by side go back and forth between contexts, so the forms of the last contexts are kept (hash table). */

/* The size of the table: twice the number of contexts that are searched side by side, to avoid collisions. */
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

/* Evaluates the formula at `lanes` rows of the callbacks, from row `first` on. Returns NULL if there is no memory. */
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
      /* the worst reward is constant, so its slope is 0 */
      const double matters = fcps_sum_is_usable(rewards[l]) ? 1.0 : 0.0;
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

/* Makes room for the derivatives and sets them to 0. Returns false if there is no memory. */
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

/* Adds the terms to the mean and its derivatives; terms do not change the variance. Returns false if a term is not
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
 * For pieces it is the curvature of a parabola below their mean; for the rest, the nodes give the second
 * derivatives. */

/* Adds weight a b' to `own`. */
static void add_product(int p, double weight, const double *a, const double *b, double *own)
{
  for (int l = 0; l < p; l++)
    for (int k = 0; k < p; k++)
      own[l * p + k] += weight * a[l] * b[k];
}

/* Returns a lower limit of the curvature. Without kinks nearby a function seems straight, and a Newton step would be
 * too long. With this curvature a step is at most as long as the scale of the outcome. */
static double least_bend(const fcps_expected_reward *s, int outcome, double slope)
{
  return fabs(slope) / s->scale[outcome];
}

/* Returns the curvature of the mean in outcome j, which has pieces. If downward kinks explain the slope, the limit of
 * least_bend is not needed. */
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

/* Whether the derivatives that are kept belong to this point. */
static bool are_kept(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at)
{
  const fcps_sum_slopes *k = &s->slopes;
  return k->form == form && k->variance == at->variances[0] &&
         memcmp(k->x, at->x, (size_t)s->parameters * sizeof(double)) == 0 &&
         memcmp(k->mean, at->mean, (size_t)s->outcomes * sizeof(double)) == 0;
}

/* The spread is s_j = scale_j exp(l/2), so the derivative by l is the sum of mean_s s_j/2. If the point has no usable
 * value, the curvature is 0. */
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

/* -- The rest: its moments and their derivatives, over the nodes of a quadrature with one dimension per outcome -- */

static_assert((int)FCPS_FORMULA_LANES >= (int)FCPS_QUADRATURE_FINE, "the nodes of a point are evaluated at once");

/* Returns the deviation of outcome j. */
double fcps_sum_deviation(const fcps_expected_reward *s, int j, const double *variances, int gp_count)
{
  return fmax(s->scale[j] * sqrt(variances[gp_count > 1 ? j : 0]), 1e-100);
}

const fcps_quadrature *fcps_sum_quadrature(fcps_expected_reward *s, int dimensions, bool is_fine)
{
  if (dimensions == s->outcomes && !is_fine) return &s->quadrature;
  if (s->quadratures == NULL) s->quadratures = fcps_allocate(2 * ((size_t)s->outcomes + 1), sizeof *s->quadratures);
  if (s->quadratures == NULL) return NULL;
  fcps_quadrature *q = &s->quadratures[2 * dimensions + (is_fine ? 1 : 0)];
  if (q->count > 0) return q;
  return (is_fine ? fcps_quadrature_create_fine : fcps_quadrature_create)(q, dimensions) == FCPS_OK ? q : NULL;
}

/* Evaluates the rest at the nodes, in lanes. Returns NULL if a value is not usable. `outcomes` receives the nodes,
 * LANES numbers for each outcome of the rest. The parameters must be in row 0. */
static const double *eval_rest(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_quadrature *nodes,
                               const fcps_outcomes *at, double *outcomes)
{
  const int rest = form->rest_count;
  if (!fcps_sum_reserve_work(s, &form->rest)) return NULL;
  for (int r = 0; r < rest; r++) {
    const int j = form->rest_outcomes[r];
    const double deviation = fcps_sum_deviation(s, j, at->variances, at->gp_count);
    const fcps_dimension *dim = s->problem->outcome.dims + j;
    for (int k = 0; k < nodes->count; k++)
      outcomes[r * LANES + k] = at->means[j] + deviation * nodes->nodes[k * rest + r];
    fcps_sum_clip(dim, nodes->count, outcomes + r * LANES);
    s->formula_inputs[s->formula->outcome + j] = (fcps_formula_input){outcomes + r * LANES, 1};
  }
  for (int d = 0; d < s->parameters; d++)
    s->formula_inputs[s->formula->parameters + d] = (fcps_formula_input){s->row_parameters + d, 0};
  const double *values = fcps_formula_eval(&form->rest, nodes->count, s->formula_inputs, s->formula_work);
  return fcps_rollout_values_usable(nodes->count, values) ? values : NULL;
}

static void weigh(const fcps_quadrature *nodes, const double *values, double *mean, double *variance)
{
  *mean = *variance = 0.0;
  for (int k = 0; k < nodes->count; k++)
    *mean += nodes->weights[k] * values[k];
  for (int k = 0; k < nodes->count; k++)
    *variance += nodes->weights[k] * (values[k] - *mean) * (values[k] - *mean);
}

/* Adds the moments of the rest. Returns false if there is no usable value. The parameters must be in row 0. */
bool fcps_sum_add_rest(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                       double *variance)
{
  if (form->rest_count == 0) return true;
  if (form->conditional.inner >= 0 && fcps_sum_add_conditional(s, form, at, mean, variance)) return true;
  const fcps_quadrature *nodes = fcps_sum_quadrature(s, form->rest_count, form->is_kinked);
  double rest_mean, rest_variance;
  if (nodes == NULL || form->rest_count * LANES > s->capacity) return false;
  const double *values = eval_rest(s, form, nodes, at, s->row_outcomes);
  if (values == NULL) return false;
  weigh(nodes, values, &rest_mean, &rest_variance);
  *mean += rest_mean;
  if (variance != NULL) *variance += rest_variance;
  return true;
}

/* -- Derivatives -- */

/* Adds one outcome's part of the derivatives of the rest, from the slopes at the nodes. A clipped outcome does not
 * change with its mean and deviation, so its slope becomes 0. */
static void add_outcome_slopes(const fcps_quadrature *nodes, int r, double m, double deviation, const double *values,
                               double mean, const double *outcome, double *slope, double sums[4])
{
  const int rest = nodes->dimensions;
  for (int k = 0; k < nodes->count; k++) {
    const double z = nodes->nodes[k * rest + r], w = nodes->weights[k], v = 2.0 * w * (values[k] - mean);
    slope[k] = outcome[k] == m + deviation * z ? slope[k] : 0.0;
    sums[0] += w * slope[k];
    sums[1] += w * slope[k] * z;
    sums[2] += v * slope[k];
    sums[3] += v * slope[k] * z;
  }
}

/* Returns the curvature of the mean in outcome t of the rest and another outcome, from the slopes by that other
 * outcome: -E(slope z_t) / deviation_t. This follows from E f(m + s z) z = s E f' with f = slope. */
static double bend_by(const fcps_quadrature *nodes, int t, double deviation, const double *slope)
{
  double sum = 0.0;
  for (int k = 0; k < nodes->count; k++)
    sum -= nodes->weights[k] * slope[k] * nodes->nodes[k * nodes->dimensions + t];
  return sum / deviation;
}

/* Computes the slopes of the rest at the nodes: by each of its outcomes, then by each parameter. The values at the
 * nodes must be known. */
static bool find_rest_slopes(const fcps_expected_reward *s, const fcps_sum_form *form, int nodes, double *slopes)
{
  const int rest = form->rest_count, parameters = form->rest_has_parameters ? s->parameters : 0;
  double **wanted = fcps_allocate((size_t)s->formula->count, sizeof *wanted);
  if (wanted == NULL) return false;
  for (int r = 0; r < rest; r++)
    wanted[s->formula->outcome + form->rest_outcomes[r]] = slopes + r * LANES;
  for (int d = 0; d < parameters; d++)
    wanted[s->formula->parameters + d] = slopes + (rest + d) * LANES;
  fcps_formula_gradient(&form->rest, nodes, s->formula_work, s->formula->count, wanted);
  free(wanted);
  return true;
}

static void add_rest_parameters(const fcps_quadrature *nodes, int p, const double *values, double mean,
                                const double *by_parameters, fcps_sum_slopes *slopes)
{
  for (int d = 0; d < p; d++)
    for (int k = 0; k < nodes->count; k++) {
      const double w = nodes->weights[k], slope = by_parameters[d * LANES + k];
      slopes->mean_p[d] += w * slope;
      slopes->variance_p[d] += 2.0 * w * (values[k] - mean) * slope;
    }
}

/* Adds the rest to mean, variance and their derivatives. Returns false if there is no usable value. The parameters must
 * be in row 0. */
bool fcps_sum_add_rest_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                              double *variance, fcps_sum_slopes *slopes)
{
  if (form->rest_count == 0) return true;
  if (form->conditional.inner >= 0 && fcps_sum_add_conditional_slopes(s, form, at, mean, variance, slopes)) return true;
  const int rest = form->rest_count;
  const fcps_quadrature *nodes = fcps_sum_quadrature(s, form->rest_count, form->is_kinked);
  const bool has_room = fcps_reserve((void **)&s->rest_lanes, &s->rest_capacity,
                                     (size_t)(2 * rest + s->parameters) * LANES, sizeof(double));
  double *outcomes = s->rest_lanes, *by_outcome = outcomes + rest * LANES, own[2];
  const double *values = nodes != NULL && has_room ? eval_rest(s, form, nodes, at, outcomes) : NULL;
  const bool is_done = values != NULL && find_rest_slopes(s, form, nodes->count, by_outcome);
  if (is_done) weigh(nodes, values, &own[0], &own[1]);
  for (int r = 0; r < rest && is_done; r++) {
    const int j = form->rest_outcomes[r];
    double sums[4] = {0}, *slope = by_outcome + r * LANES;
    add_outcome_slopes(nodes, r, at->means[j], fcps_sum_deviation(s, j, at->variances, at->gp_count), values, own[0],
                       outcomes + r * LANES, slope, sums);
    slopes->mean_m[j] = sums[0];
    slopes->mean_s[j] = sums[1];
    slopes->variance_m[j] = sums[2];
    slopes->variance_s[j] = sums[3];
    for (int t = 0; t < rest; t++)
      slopes->bends[r * rest + t] =
          bend_by(nodes, t, fcps_sum_deviation(s, form->rest_outcomes[t], at->variances, at->gp_count), slope);
  }
  if (is_done && form->rest_has_parameters)
    add_rest_parameters(nodes, s->parameters, values, own[0], by_outcome + rest * LANES, slopes);
  if (is_done) {
    *mean += own[0];
    *variance += own[1];
  }
  return is_done;
}
