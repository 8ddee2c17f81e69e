/* SPDX-License-Identifier: Apache-2.0 */
/* Moments of a reward that is a sum (sum_form.h), and their gradients: terms of many points at once, pieces in closed
 * form, the rest over the nodes of a quadrature in as many dimensions as it has outcomes.
 *
 * With o_j = m_j + s_j z the derivatives of mean and variance by m_j, s_j and the parameters come first, whatever part
 * they come from; one chain rule then leads to the parameters.
 *
 * A point at which a part has no usable value is left to the nodes of the whole formula, where the worst reward stands
 * for nodes without a value. */
#include "base/error.h"
#include "base/memory.h"
#include "model/reward/expected_reward_impl.h"
#include "problem/problem.h"
#include "space/space.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = FCPS_FORMULA_LANES };
static_assert((int)FCPS_FORMULA_LANES >= (int)FCPS_QUADRATURE_FINE, "the nodes of a point are evaluated at once");

/* -- The form of the selected context -- */

/* Contexts whose forms are kept: as many as are searched side by side, with room for those that share a place. */
enum { KEPT = 1024 };

/* FNV-1a. */
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
  free(s->sums);
  free(s->quadratures);
  free(s->slopes.x);
  free(s->formula_work);
  free(s->formula_inputs);
}

/* -- Formulas in rows -- */

/* Room for an evaluation. */
static bool reserve_work(fcps_expected_reward *s, const fcps_formula *formula)
{
  const size_t values = (size_t)s->formula->count;
  if (s->formula_inputs == NULL) s->formula_inputs = fcps_allocate(values, sizeof *s->formula_inputs);
  return s->formula_inputs != NULL && fcps_reserve((void **)&s->formula_work, &s->formula_capacity,
                                                   fcps_formula_work(formula), sizeof *s->formula_work);
}

/* The formula at `lanes` rows of the callbacks from `first` on; NULL: no memory. */
static const double *eval_rows(fcps_expected_reward *s, const fcps_formula *formula, int first, int lanes)
{
  const size_t p = (size_t)s->parameters, q = (size_t)s->outcomes, row = (size_t)first;
  if (!reserve_work(s, formula)) return NULL;
  for (size_t d = 0; d < p; d++)
    s->formula_inputs[(size_t)s->formula->parameters + d] = (fcps_formula_input){s->row_parameters + row * p + d, p};
  for (size_t j = 0; j < q; j++)
    s->formula_inputs[(size_t)s->formula->outcome + j] = (fcps_formula_input){s->row_outcomes + row * q + j, q};
  return fcps_formula_eval(formula, lanes, s->formula_inputs, s->formula_work);
}

static bool is_usable(double reward)
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
      s->row_rewards[first + l] = is_usable(values[l]) ? values[l] : s->worst;
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
      const double matters = is_usable(rewards[l]) ? 1.0 : 0.0; /* the worst reward is the same everywhere */
      s->row_rewards[first + l] = is_usable(rewards[l]) ? rewards[l] : s->worst;
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

/* -- One point -- */

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

/* The deviation of outcome j. */
static double deviation_of(const fcps_expected_reward *s, int j, const double *variances, int gp_count)
{
  return fmax(s->scale[j] * sqrt(variances[gp_count > 1 ? j : 0]), 1e-100);
}

/* The nodes for the rest of a form; NULL: no memory. */
static const fcps_quadrature *quadrature_of(fcps_expected_reward *s, const fcps_sum_form *form)
{
  const int dimensions = form->rest_count;
  if (dimensions == s->outcomes && !form->is_kinked) return &s->quadrature;
  if (s->quadratures == NULL) s->quadratures = fcps_allocate(2 * ((size_t)s->outcomes + 1), sizeof *s->quadratures);
  if (s->quadratures == NULL) return NULL;
  fcps_quadrature *q = &s->quadratures[2 * dimensions + (form->is_kinked ? 1 : 0)];
  if (q->count > 0) return q;
  return (form->is_kinked ? fcps_quadrature_create_fine : fcps_quadrature_create)(q, dimensions) == FCPS_OK ? q : NULL;
}

/* Values of the rest at the nodes, in lanes; NULL where one is not usable. `outcomes` receives the nodes, LANES numbers
 * for each outcome of the rest. Row 0 has the parameters. */
static const double *eval_rest(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_quadrature *nodes,
                               const fcps_outcomes *at, double *outcomes)
{
  const int rest = form->rest_count;
  if (!reserve_work(s, &form->rest)) return NULL;
  for (int r = 0; r < rest; r++) {
    const int j = form->rest_outcomes[r];
    const double deviation = deviation_of(s, j, at->variances, at->gp_count);
    const fcps_dimension *dim = s->problem->outcome.dims + j;
    for (int k = 0; k < nodes->count; k++)
      outcomes[r * LANES + k] = at->means[j] + deviation * nodes->nodes[k * rest + r];
    for (int k = 0; k < nodes->count && dim->lower < dim->upper; k++)
      outcomes[r * LANES + k] = fcps_dimension_clip(dim, outcomes[r * LANES + k]);
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

/* Adds the moments of the rest; false: it has none. Row 0 has the parameters. */
static bool add_rest(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                     double *variance)
{
  if (form->rest_count == 0) return true;
  const fcps_quadrature *nodes = quadrature_of(s, form);
  double rest_mean, rest_variance;
  if (nodes == NULL || form->rest_count * LANES > s->capacity) return false;
  const double *values = eval_rest(s, form, nodes, at, s->row_outcomes);
  if (values == NULL) return false;
  weigh(nodes, values, &rest_mean, &rest_variance);
  *mean += rest_mean;
  *variance += rest_variance;
  return true;
}

/* -- Moments -- */

static void add_pieces(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                       double *variance)
{
  for (int j = 0; j < s->outcomes; j++) {
    if (!form->has_pieces[j]) continue;
    const double deviation = deviation_of(s, j, at->variances, at->gp_count);
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
static fcps_outcomes point_of(const fcps_expected_reward *s, const fcps_outcomes *o, int i)
{
  const size_t point = (size_t)i, gps = o->gp_count > 1 ? (size_t)s->outcomes : 1;
  return (fcps_outcomes){.count = 1,
                         .x = o->x + point * (size_t)s->parameters,
                         .means = o->means + point * (size_t)s->outcomes,
                         .variances = o->variances + point * gps,
                         .gp_count = o->gp_count};
}

/* The terms at each point, as they are. */
static fcps_status find_terms(fcps_expected_reward *s, const fcps_sum_form *form, int count, const double *x,
                              double *terms, fcps_error *error)
{
  for (int start = 0; start < count; start += LANES) {
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
  fcps_status status = find_terms(s, form, outcomes->count, outcomes->x, mean, error);
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++) {
    const fcps_outcomes at = point_of(s, outcomes, i);
    double variance = 0.0;
    bool is_done = is_usable(mean[i]);
    if (is_done) add_pieces(s, form, &at, mean + i, deviation != NULL || form->rest_count > 0 ? &variance : NULL);
    if (is_done && form->rest_count > 0) {
      fcps_expected_reward_set_parameters(s, 0, at.x);
      is_done = add_rest(s, form, &at, mean + i, &variance);
    }
    if (is_done && deviation != NULL) deviation[i] = sqrt(variance);
    if (!is_done)
      status = fcps_expected_reward_node_moments(s, &at, mean + i, deviation != NULL ? deviation + i : NULL, error);
  }
  return status;
}

/* -- Gradients -- */

/* What one outcome of the rest contributes to the derivatives, from the slopes of the rest by it at the nodes. A clipped
 * outcome does not move: its slope there becomes 0. */
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

/* -E(slope z_t) / deviation_t: how the mean bends with outcome t of the rest, given its slopes by another one. It is
 * E f(m + s z) z = s E f', for f = slope. */
static double bend_by(const fcps_quadrature *nodes, int t, double deviation, const double *slope)
{
  double sum = 0.0;
  for (int k = 0; k < nodes->count; k++)
    sum -= nodes->weights[k] * slope[k] * nodes->nodes[k * nodes->dimensions + t];
  return sum / deviation;
}

/* The slopes of the rest at the nodes, whose values are known: by each of its outcomes, then by each parameter. */
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

/* Adds what the rest contributes to mean, variance and their derivatives; false: it has no usable values. Row 0 has the
 * parameters. */
static bool add_rest_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                            double *variance, fcps_sum_slopes *slopes)
{
  if (form->rest_count == 0) return true;
  const int rest = form->rest_count;
  const fcps_quadrature *nodes = quadrature_of(s, form);
  double *outcomes = fcps_allocate((size_t)(2 * rest + s->parameters) * LANES, sizeof(double)), own[2];
  double *by_outcome = outcomes + rest * LANES;
  const double *values = nodes != NULL && outcomes != NULL ? eval_rest(s, form, nodes, at, outcomes) : NULL;
  const bool is_done = values != NULL && find_rest_slopes(s, form, nodes->count, by_outcome);
  if (is_done) weigh(nodes, values, &own[0], &own[1]);
  for (int r = 0; r < rest && is_done; r++) {
    const int j = form->rest_outcomes[r];
    double sums[4] = {0}, *slope = by_outcome + r * LANES;
    add_outcome_slopes(nodes, r, at->means[j], deviation_of(s, j, at->variances, at->gp_count), values, own[0],
                       outcomes + r * LANES, slope, sums);
    slopes->mean_m[j] = sums[0];
    slopes->mean_s[j] = sums[1];
    slopes->variance_m[j] = sums[2];
    slopes->variance_s[j] = sums[3];
    for (int t = 0; t < rest; t++)
      slopes->bends[r * rest + t] =
          bend_by(nodes, t, deviation_of(s, form->rest_outcomes[t], at->variances, at->gp_count), slope);
  }
  if (is_done && form->rest_has_parameters)
    add_rest_parameters(nodes, s->parameters, values, own[0], by_outcome + rest * LANES, slopes);
  if (is_done) {
    *mean += own[0];
    *variance += own[1];
  }
  free(outcomes);
  return is_done;
}

static void add_piece_slopes(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at,
                             double *mean, double *variance, fcps_sum_slopes *slopes)
{
  for (int j = 0; j < s->outcomes; j++) {
    if (!form->has_pieces[j]) continue;
    const fcps_pieces_moments m =
        fcps_pieces_expect(&form->pieces[j], at->means[j], deviation_of(s, j, at->variances, at->gp_count));
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
  const double *value = eval_rows(s, &form->terms, 0, 1);
  if (value == NULL || !is_usable(*value)) return false;
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
static bool find_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at, double *mean,
                        double *variance)
{
  const fcps_outcomes point = point_at(at);
  fcps_sum_slopes *slopes = &s->slopes;
  if (!clear_slopes(s)) return false;
  fcps_expected_reward_set_parameters(s, 0, at->x);
  fcps_expected_reward_find_parameter_slopes(s);
  *variance = 0.0;
  if (!add_term_slopes(s, form, mean, slopes)) return false;
  add_piece_slopes(s, form, &point, mean, variance, slopes);
  if (!add_rest_slopes(s, form, &point, mean, variance, slopes)) return false;
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
  if (!find_slopes(s, form, at, mean, &variance)) return false;
  *deviation = sqrt(variance);
  chain(s, at, &s->slopes, *deviation, mean_gradient, deviation_gradient);
  return true;
}

/* -- Searches: how the mean bends -- */

bool fcps_expected_reward_is_sum(fcps_expected_reward *s)
{
  const fcps_sum_form *form = fcps_expected_reward_sum(s);
  bool has_outcome = form != NULL && form->rest_count > 0;
  for (int j = 0; j < s->outcomes && form != NULL; j++)
    has_outcome = has_outcome || form->has_pieces[j];
  return has_outcome && !form->has_steps;
}

bool fcps_expected_reward_is_kinked(fcps_expected_reward *s)
{
  const fcps_sum_form *form = fcps_expected_reward_sum(s);
  return form != NULL && form->rest_count > 0 && form->is_kinked;
}

bool fcps_expected_reward_is_concave(fcps_expected_reward *s)
{
  const fcps_sum_form *form = fcps_expected_reward_sum(s);
  return form != NULL && form->is_concave;
}

/* own += weight a b' */
static void add_product(int p, double weight, const double *a, const double *b, double *own)
{
  for (int l = 0; l < p; l++)
    for (int k = 0; k < p; k++)
      own[l * p + k] += weight * a[l] * b[k];
}

/* Far from its kinks, or where it has none, a function seems straight. It is then taken to bend so much that a step is no
 * longer than the scale of the outcome. */
static double least_bend(const fcps_expected_reward *s, int outcome, double slope)
{
  return fabs(slope) / s->scale[outcome];
}

/* How the mean bends with outcome j, which has pieces. What kinks that point up can explain needs nothing else. */
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

/* Whether the derivatives of a point are kept. */
static bool are_kept(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at)
{
  const fcps_sum_slopes *k = &s->slopes;
  return k->form == form && k->variance == at->variances[0] &&
         memcmp(k->x, at->x, (size_t)s->parameters * sizeof(double)) == 0 &&
         memcmp(k->mean, at->mean, (size_t)s->outcomes * sizeof(double)) == 0;
}

/* The spread is s_j = scale_j exp(l/2), so that the derivative by l is the sum of mean_s s_j/2. At a point without usable
 * value nothing is known to bend. */
void fcps_sum_form_curvature(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                             double *own, double *weights)
{
  const int q = s->outcomes, p = s->parameters;
  const fcps_sum_slopes *slopes = &s->slopes;
  double unused[2];
  memset(own, 0, (size_t)(p * p) * sizeof(double));
  memset(weights, 0, (size_t)(q + 1) * sizeof(double));
  if (!are_kept(s, form, at) && !find_slopes(s, form, at, &unused[0], &unused[1])) return;
  add_rest_curvature(s, form, at, own);
  for (int j = 0; j < q; j++) {
    const double deviation = deviation_of(s, j, at->variances, 1), *slope = at->mean_gradients + j * p;
    if (form->has_pieces[j])
      add_product(p, bend_of_pieces(s, &form->pieces[j], j, at->mean[j], deviation, slopes->mean_m[j]), slope, slope,
                  own);
    weights[j] = -slopes->mean_m[j];
    weights[q] -= 0.5 * slopes->mean_s[j] * deviation;
  }
  add_product(p, 0.5 * fmax(weights[q], 0.0) / (at->variances[0] * at->variances[0]), at->variance_gradients,
              at->variance_gradients, own);
}

/* -- Searches: which candidates are worth a look -- */

/* The reward of the mean outcome: for concave pieces an upper bound (Jensen's inequality). */
static double reward_of_mean(const fcps_expected_reward *s, const fcps_sum_form *form, const double *mean, double terms)
{
  for (int j = 0; j < s->outcomes; j++)
    if (form->has_pieces[j]) terms += fcps_pieces_value(&form->pieces[j], mean[j]);
  return is_usable(terms) ? terms : s->worst;
}

/* The outcomes of up to LANES points, moved: outcome `moved` by `by` of its deviations. In rows of the callbacks. */
static void place_moved(fcps_expected_reward *s, const fcps_outcomes *some, int moved, double by)
{
  const size_t q = (size_t)s->outcomes, gps = some->gp_count > 1 ? q : 1;
  for (size_t i = 0; i < (size_t)some->count; i++) {
    double *row = s->row_outcomes + i * q;
    for (size_t j = 0; j < q; j++) {
      const double step =
          (int)j == moved ? by * deviation_of(s, moved, some->variances + i * gps, some->gp_count) : 0.0;
      row[j] = fcps_dimension_clip(s->problem->outcome.dims + j, some->means[i * q + j] + step);
    }
  }
}

/* A rule of two nodes per outcome, exact for polynomials of degree three [stroud1957]: a first impression. */
static bool glance(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *some, double *values)
{
  const int q = s->outcomes, p = s->parameters;
  for (int i = 0; i < some->count; i++) {
    fcps_expected_reward_set_parameters(s, i, some->x + (size_t)i * (size_t)p);
    values[i] = 0.0;
  }
  for (int side = 0; side < 2 * q; side++) {
    place_moved(s, some, side / 2, side % 2 == 0 ? sqrt((double)q) : -sqrt((double)q));
    if (!fcps_expected_reward_sum_rows(s, &form->whole, some->count)) return false;
    for (int i = 0; i < some->count; i++)
      values[i] += s->row_rewards[i] / (2 * q);
  }
  return true;
}

static fcps_status glance_at_all(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                                 double *values, fcps_error *error)
{
  const size_t p = (size_t)s->parameters, q = (size_t)s->outcomes, gps = outcomes->gp_count > 1 ? q : 1;
  for (int start = 0; start < outcomes->count; start += LANES) {
    const size_t first = (size_t)start;
    const fcps_outcomes some = {.count = outcomes->count - start < LANES ? outcomes->count - start : LANES,
                                .x = outcomes->x + first * p,
                                .means = outcomes->means + first * q,
                                .variances = outcomes->variances + first * gps,
                                .gp_count = outcomes->gp_count};
    if (!glance(s, form, &some, values + start)) return fcps_error_memory(error);
  }
  return FCPS_OK;
}

fcps_status fcps_expected_reward_bound_sum(fcps_expected_reward *s, const fcps_outcomes *outcomes, double *bounds,
                                           fcps_error *error)
{
  const fcps_sum_form *form = fcps_expected_reward_sum(s);
  if (!form->is_concave) return glance_at_all(s, form, outcomes, bounds, error);
  const fcps_status status = find_terms(s, form, outcomes->count, outcomes->x, bounds, error);
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++)
    bounds[i] = reward_of_mean(s, form, outcomes->means + (size_t)i * (size_t)s->outcomes, bounds[i]);
  return status;
}

/* Sorts `value` into the largest `count` so far (descending). */
static void insert(int count, double *largest, double value)
{
  int rank = count - 1;
  if (value <= largest[rank]) return;
  for (; rank > 0 && largest[rank - 1] < value; rank--)
    largest[rank] = largest[rank - 1];
  largest[rank] = value;
}

enum { MOST_BEST = 128 };

/* Candidates whose bound is below `best` exact values keep it: it is smaller than any of these. */
static fcps_status screen_concave(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                                  int best, double *mean, fcps_error *error)
{
  double largest[MOST_BEST];
  for (int i = 0; i < best; i++)
    largest[i] = -INFINITY;
  const fcps_status status = find_terms(s, form, outcomes->count, outcomes->x, mean, error);
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++) {
    const fcps_outcomes at = point_of(s, outcomes, i);
    const double terms = mean[i];
    mean[i] = reward_of_mean(s, form, at.means, terms);
    if (mean[i] <= largest[best - 1] || !is_usable(terms)) continue;
    mean[i] = terms;
    add_pieces(s, form, &at, mean + i, NULL);
    insert(best, largest, mean[i]);
  }
  return status;
}

/* The most promising ones at a glance, four times as many as are wanted, get exact means; the others are not to be above
 * them. */
static fcps_status screen_any(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                              int best, double *mean, fcps_error *error)
{
  const int looked_at = 4 * best < MOST_BEST ? 4 * best : MOST_BEST;
  double largest[MOST_BEST], least = INFINITY;
  fcps_status status = glance_at_all(s, form, outcomes, mean, error);
  for (int i = 0; i < looked_at; i++)
    largest[i] = -INFINITY;
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++)
    insert(looked_at, largest, mean[i]);
  const double promising = largest[looked_at - 1];
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++) {
    const fcps_outcomes at = point_of(s, outcomes, i);
    if (mean[i] < promising) continue;
    status = fcps_sum_form_moments(s, form, &at, mean + i, NULL, error);
    least = fmin(least, mean[i]);
  }
  for (int i = 0; i < outcomes->count && status == FCPS_OK; i++)
    mean[i] = mean[i] < promising ? fmin(mean[i], least) : mean[i];
  return status;
}

fcps_status fcps_expected_reward_screen_sum(fcps_expected_reward *s, const fcps_outcomes *outcomes, int best,
                                            double *mean, fcps_error *error)
{
  const fcps_sum_form *form = fcps_expected_reward_sum(s);
  const int wanted = best < MOST_BEST ? best : MOST_BEST;
  return form->is_concave ? screen_concave(s, form, outcomes, wanted, mean, error)
                          : screen_any(s, form, outcomes, wanted, mean, error);
}
