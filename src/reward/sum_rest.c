/* SPDX-License-Identifier: Apache-2.0 */
/* The rest of a sum (sum_form.h): its moments and their derivatives, over the nodes of a quadrature with one dimension
 * for each outcome of the rest. */
#include "base/memory.h"
#include "problem/problem.h"
#include "reward/expected_reward_impl.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum { LANES = FCPS_FORMULA_LANES };
static_assert((int)FCPS_FORMULA_LANES >= (int)FCPS_QUADRATURE_FINE, "the nodes of a point are evaluated at once");

/* -- Moments -- */

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

/* Computes the slopes of the rest at the nodes, whose values are known: by each of its outcomes, then by each
 * parameter. */
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
