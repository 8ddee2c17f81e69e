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

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = FCPS_FORMULA_LANES };

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
    if (!fcps_sum_form_create(form, s->formula, s->problem, s->target, s->environment)) return NULL;
  }
  s->sum = form;
  return form;
}

void fcps_expected_reward_free_sums(fcps_expected_reward *s)
{
  for (int i = 0; i < KEPT && s->sums != NULL; i++)
    fcps_sum_form_destroy(&s->sums[i]);
  for (int d = 0; d <= s->outcomes && s->quadratures != NULL; d++)
    fcps_quadrature_destroy(&s->quadratures[d]);
  free(s->sums);
  free(s->quadratures);
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

/* Derivatives of mean and variance; `of_*` are arrays of the outcomes or the parameters. */
typedef struct outer_slopes {
  double mean_m[FCPS_SPACE_MAX], mean_s[FCPS_SPACE_MAX], variance_m[FCPS_SPACE_MAX], variance_s[FCPS_SPACE_MAX];
  double mean_p[FCPS_SPACE_MAX], variance_p[FCPS_SPACE_MAX];
} outer_slopes;

/* The deviation of outcome j. */
static double deviation_of(const fcps_expected_reward *s, int j, const double *variances, int gp_count)
{
  return fmax(s->scale[j] * sqrt(variances[gp_count > 1 ? j : 0]), 1e-100);
}

static const fcps_quadrature *quadrature_of(fcps_expected_reward *s, int dimensions)
{
  if (dimensions == s->outcomes) return &s->quadrature;
  if (s->quadratures == NULL) s->quadratures = fcps_allocate((size_t)s->outcomes + 1, sizeof *s->quadratures);
  if (s->quadratures == NULL) return NULL;
  fcps_quadrature *q = &s->quadratures[dimensions];
  return q->count > 0 || fcps_quadrature_create(q, dimensions) == FCPS_OK ? q : NULL;
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
    for (int k = 0; k < nodes->count; k++)
      outcomes[r * LANES + k] =
          fcps_dimension_clip(s->problem->outcome.dims + j, at->means[j] + deviation * nodes->nodes[k * rest + r]);
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
  const fcps_quadrature *nodes = quadrature_of(s, form->rest_count);
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

fcps_status fcps_sum_form_terms(fcps_expected_reward *s, const fcps_sum_form *form, int count, const double *x,
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
  fcps_status status = fcps_sum_form_terms(s, form, outcomes->count, outcomes->x, mean, error);
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

/* Adds what the rest contributes to mean, variance and their derivatives; false: it has no usable values. */
static bool add_rest_slopes(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at, double *mean,
                            double *variance, outer_slopes *slopes)
{
  if (form->rest_count == 0) return true;
  const int p = s->parameters, rest = form->rest_count;
  const fcps_quadrature *nodes = quadrature_of(s, rest);
  double *numbers = fcps_allocate((size_t)(2 * rest + p) * LANES, sizeof(double)), rest_mean, rest_variance;
  double **wanted = fcps_allocate((size_t)s->formula->count, sizeof *wanted);
  double *by_outcome = numbers + rest * LANES, *by_parameter = by_outcome + rest * LANES;
  const double *values =
      nodes != NULL && numbers != NULL && wanted != NULL ? eval_rest(s, form, nodes, at, numbers) : NULL;
  if (values != NULL) {
    weigh(nodes, values, &rest_mean, &rest_variance);
    for (int r = 0; r < rest; r++)
      wanted[s->formula->outcome + form->rest_outcomes[r]] = by_outcome + r * LANES;
    for (int d = 0; d < p; d++)
      wanted[s->formula->parameters + d] = by_parameter + d * LANES;
    fcps_formula_gradient(&form->rest, nodes->count, s->formula_work, s->formula->count, wanted);
    for (int k = 0; k < nodes->count; k++) {
      const double w = nodes->weights[k], v = 2.0 * w * (values[k] - rest_mean);
      for (int r = 0; r < rest; r++) {
        const int j = form->rest_outcomes[r];
        const double z = nodes->nodes[k * rest + r], slope = by_outcome[r * LANES + k];
        const double free = at->means[j] + deviation_of(s, j, at->variances, at->gp_count) * z;
        if (numbers[r * LANES + k] != free) continue; /* a clipped outcome does not move */
        slopes->mean_m[j] += w * slope;
        slopes->mean_s[j] += w * slope * z;
        slopes->variance_m[j] += v * slope;
        slopes->variance_s[j] += v * slope * z;
      }
      for (int d = 0; d < p; d++) {
        slopes->mean_p[d] += w * by_parameter[d * LANES + k];
        slopes->variance_p[d] += v * by_parameter[d * LANES + k];
      }
    }
    *mean += rest_mean;
    *variance += rest_variance;
  }
  free(numbers);
  free(wanted);
  return values != NULL;
}

static void add_piece_slopes(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *at,
                             double *mean, double *variance, outer_slopes *slopes)
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
static bool add_term_slopes(fcps_expected_reward *s, const fcps_sum_form *form, double *mean, outer_slopes *slopes)
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
static void chain(const fcps_expected_reward *s, const fcps_outcome_slope *at, const outer_slopes *slopes,
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

bool fcps_sum_form_gradient(fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                            double *mean, double *deviation, double *mean_gradient, double *deviation_gradient)
{
  const fcps_outcomes point = point_at(at);
  outer_slopes slopes;
  double variance = 0.0;
  memset(&slopes, 0, sizeof slopes);
  fcps_expected_reward_set_parameters(s, 0, at->x);
  fcps_expected_reward_find_parameter_slopes(s);
  if (!add_term_slopes(s, form, mean, &slopes)) return false;
  add_piece_slopes(s, form, &point, mean, &variance, &slopes);
  if (!add_rest_slopes(s, form, &point, mean, &variance, &slopes)) return false;
  *deviation = sqrt(variance);
  chain(s, at, &slopes, *deviation, mean_gradient, deviation_gradient);
  return true;
}

/* -- Where the pieces are concave -- */

bool fcps_expected_reward_is_concave(fcps_expected_reward *s)
{
  const fcps_sum_form *form = fcps_expected_reward_sum(s);
  return form != NULL && form->is_concave;
}

/* The spread is s_j = scale_j exp(l/2), so that the derivative by l is the sum of mean_s s_j/2. */
void fcps_sum_form_curvature(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcome_slope *at,
                             double *own, double *weights)
{
  const int q = s->outcomes, p = s->parameters;
  memset(own, 0, (size_t)(p * p) * sizeof(double));
  weights[q] = 0.0;
  for (int j = 0; j < q; j++) {
    weights[j] = 0.0;
    if (!form->has_pieces[j]) continue;
    const double deviation = deviation_of(s, j, at->variances, 1);
    const fcps_pieces_moments m = fcps_pieces_expect(&form->pieces[j], at->mean[j], deviation);
    const double bend = fcps_pieces_bend(&form->pieces[j], at->mean[j], deviation);
    const double *slope = at->mean_gradients + j * p;
    weights[j] = -m.mean_m;
    weights[q] -= 0.5 * m.mean_s * deviation;
    for (int l = 0; l < p; l++)
      for (int k = 0; k < p; k++)
        own[l * p + k] += bend * slope[l] * slope[k];
  }
  const double by_variances = 0.5 * fmax(weights[q], 0.0) / (at->variances[0] * at->variances[0]);
  for (int l = 0; l < p; l++)
    for (int k = 0; k < p; k++)
      own[l * p + k] += by_variances * at->variance_gradients[l] * at->variance_gradients[k];
}

/* The reward of the mean outcome: for concave pieces an upper bound (Jensen's inequality). */
static double bound_at(const fcps_expected_reward *s, const fcps_sum_form *form, const double *mean, double terms)
{
  for (int j = 0; j < s->outcomes; j++)
    if (form->has_pieces[j]) terms += fcps_pieces_value(&form->pieces[j], mean[j]);
  return is_usable(terms) ? terms : s->worst;
}

void fcps_sum_form_bound(const fcps_expected_reward *s, const fcps_sum_form *form, int count, const double *outcomes,
                         const double *terms, double *bounds)
{
  for (int i = 0; i < count; i++)
    bounds[i] = bound_at(s, form, outcomes + (size_t)i * (size_t)s->outcomes, terms[i]);
}

/* Candidates whose bound is below `best` exact values keep it: it is smaller than any of these. */
void fcps_sum_form_screen(const fcps_expected_reward *s, const fcps_sum_form *form, const fcps_outcomes *outcomes,
                          const double *terms, int best, double *mean)
{
  enum { MOST = 64 };
  const int wanted = best < MOST ? best : MOST;
  double largest[MOST];
  for (int i = 0; i < wanted; i++)
    largest[i] = -INFINITY;
  for (int i = 0; i < outcomes->count; i++) {
    const fcps_outcomes at = point_of(s, outcomes, i);
    mean[i] = bound_at(s, form, at.means, terms[i]);
    if (mean[i] <= largest[wanted - 1] || !is_usable(terms[i])) continue;
    mean[i] = terms[i];
    add_pieces(s, form, &at, mean + i, NULL);
    int rank = wanted - 1;
    if (mean[i] <= largest[rank]) continue;
    for (; rank > 0 && largest[rank - 1] < mean[i]; rank--)
      largest[rank] = largest[rank - 1];
    largest[rank] = mean[i];
  }
}
