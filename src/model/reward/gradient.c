/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients through the reparameterization o = m + s z: at node k
 *
 *   dR_k/du = (dR/do)' (dm/du + z_k ds/du) + dR/du,     s_j = scale_j sqrt(variance_j)
 *
 * with the problem's own derivatives, or with central differences of all nodes in one call.
 */
#include "base/error.h"
#include "model/reward/expected_reward_impl.h"
#include "space/space.h"

#include <math.h>
#include <string.h>

/* Steps of central differences: in the unit cube, and in outcome scales. */
static const double step = 1e-5;

/* d parameter / d unit; 0 for integers, whose rewards are steps. */
static void parameter_slopes(fcps_expected_reward *s, const double *parameters)
{
  for (int d = 0; d < s->parameters; d++) {
    const fcps_dimension *dim = s->problem->parameters.dims + d;
    s->parameter_slopes[d] = dim->scale == FCPS_SCALE_INTEGER ? 0.0
                             : dim->scale == FCPS_SCALE_LOG   ? parameters[d] * log(dim->upper / dim->lower)
                                                              : fcps_dimension_span(dim);
  }
}

/* A coordinate moved by one step, inside the cube, and how far the steps forward and back are apart. */
static double moved(double x, double by)
{
  return fmin(fmax(x + by, 0.0), 1.0);
}
static double width_of(double x)
{
  return (moved(x, step) - x) - (moved(x, -step) - x);
}

/* Parameters of row `row` := those of row 0; and with coordinate d at `x`, so that one dimension is turned back
 * instead of all. */
static void copy_parameters(fcps_expected_reward *s, int row)
{
  const size_t p = (size_t)s->parameters;
  if (row > 0) memcpy(s->row_parameters + (size_t)row * p, s->row_parameters, p * sizeof(double));
}
static void place_moved(fcps_expected_reward *s, int row, int d, double x)
{
  const fcps_space axis = {1, s->problem->parameters.dims + d};
  copy_parameters(s, row);
  fcps_space_from_unit(&axis, &x, s->row_parameters + (size_t)row * (size_t)s->parameters + d);
}

/* Calls the problem's gradient for the first `count` rows; what is not finite becomes 0. */
static fcps_status call_gradient(fcps_expected_reward *s, int count, const double *target, double *by_outcome,
                                 double *by_parameters, fcps_error *error)
{
  const fcps_problem *problem = s->problem;
  const fcps_status status =
      problem->gradient(problem->user, count, target, fcps_expected_reward_environments(s, count), s->row_parameters,
                        s->row_outcomes, by_outcome, by_parameters);
  if (status != FCPS_OK)
    return fcps_error_set(error, FCPS_ERR_CALLBACK, "gradient", "the reward's gradient returned \"%s\"",
                          fcps_status_text(status));
  parameter_slopes(s, s->row_parameters);
  for (int i = 0; i < count * s->outcomes; i++)
    if (!isfinite(by_outcome[i])) by_outcome[i] = 0.0;
  for (int i = 0; i < count * s->parameters; i++) {
    by_parameters[i] *= s->parameter_slopes[i % s->parameters];
    if (!isfinite(by_parameters[i])) by_parameters[i] = 0.0;
  }
  return FCPS_OK;
}

fcps_status fcps_expected_reward_parameter_gradient(fcps_expected_reward *s, const double *target,
                                                    const double *outcome, const double *x, double *gradient,
                                                    fcps_error *error)
{
  const int p = s->parameters;
  const size_t q = (size_t)s->outcomes;
  if (outcome != NULL && s->problem->gradient != NULL) {
    fcps_expected_reward_set_parameters(s, 0, x);
    memcpy(s->row_outcomes, outcome, q * sizeof(double));
    return call_gradient(s, 1, target, s->outcome_gradients, gradient, error);
  }
  fcps_expected_reward_set_parameters(s, 0, x);
  for (int row = 2 * p - 1; row >= 0; row--) { /* row 0, which the others are copies of, last */
    place_moved(s, row, row / 2, moved(x[row / 2], row % 2 == 0 ? step : -step));
    if (outcome != NULL)
      memcpy(s->row_outcomes + (size_t)row * q, outcome, q * sizeof(double));
    else
      memset(s->row_outcomes + (size_t)row * q, 0, q * sizeof(double));
  }
  const fcps_status status =
      fcps_expected_reward_rows(s, 2 * p, target, outcome != NULL ? s->all_present : s->none_present, error);
  for (int d = 0; d < p && status == FCPS_OK; d++)
    gradient[d] = (s->row_rewards[2 * d] - s->row_rewards[2 * d + 1]) / width_of(x[d]);
  return status;
}

fcps_status fcps_expected_reward_absent_gradient(fcps_expected_reward *s, const double *x, double *reward,
                                                 double *gradient, fcps_error *error)
{
  const fcps_status status = fcps_expected_reward_parameter_gradient(s, s->target, NULL, x, gradient, error);
  return status == FCPS_OK ? fcps_expected_reward_absent(s, 1, x, reward, error) : status;
}

/* Rows 0 ... nodes-1: the nodes of one point. */
static void place_nodes(fcps_expected_reward *s, const fcps_outcome_slope *at)
{
  fcps_expected_reward_set_parameters(s, 0, at->x);
  for (int k = 0; k < s->quadrature.count; k++) {
    copy_parameters(s, k);
    fcps_expected_reward_node(s, k, at->mean, at->variances, at->parts,
                              s->row_outcomes + (size_t)k * (size_t)s->outcomes, NULL);
  }
}

/* Differences: after the nodes come, for each outcome and each parameter, the nodes moved forward and back. */
static fcps_status differences(fcps_expected_reward *s, const fcps_outcome_slope *at, fcps_error *error)
{
  const int nodes = s->quadrature.count, q = s->outcomes, p = s->parameters;
  for (int side = 0; side < 2 * (q + p); side++)
    for (int k = 0; k < nodes; k++) {
      const int row = (1 + side) * nodes + k, d = side / 2;
      const double by = side % 2 == 0 ? step : -step;
      double *outcome = s->row_outcomes + (size_t)row * (size_t)q;
      memcpy(outcome, s->row_outcomes + (size_t)k * (size_t)q, (size_t)q * sizeof(double));
      if (d < q) {
        outcome[d] += by * s->scale[d];
        copy_parameters(s, row);
      } else {
        place_moved(s, row, d - q, moved(at->x[d - q], by));
      }
    }
  const fcps_status status =
      fcps_expected_reward_rows(s, nodes * (1 + 2 * q + 2 * p), s->target, s->all_present, error);
  if (status != FCPS_OK) return status;
  for (int d = 0; d < q + p; d++) {
    const double width = d < q ? 2.0 * step * s->scale[d] : width_of(at->x[d - q]);
    const double *plus = s->row_rewards + (1 + 2 * d) * nodes, *minus = plus + nodes;
    for (int k = 0; k < nodes; k++) {
      const double slope = (plus[k] - minus[k]) / width;
      if (d < q)
        s->outcome_gradients[k * q + d] = slope;
      else
        s->parameter_gradients[k * p + d - q] = slope;
    }
  }
  return FCPS_OK;
}

/* Reward and gradient at every node of one point. */
static fcps_status nodes_at(fcps_expected_reward *s, const fcps_outcome_slope *at, fcps_error *error)
{
  const int nodes = s->quadrature.count, q = s->outcomes, p = s->parameters;
  place_nodes(s, at);
  fcps_status status;
  if (s->problem->gradient != NULL) {
    status = fcps_expected_reward_rows(s, nodes, s->target, s->all_present, error);
    if (status == FCPS_OK)
      status = call_gradient(s, nodes, s->target, s->outcome_gradients, s->parameter_gradients, error);
  } else {
    status = differences(s, at, error);
  }
  if (status != FCPS_OK) return status;

  memcpy(s->node_rewards, s->row_rewards, (size_t)nodes * sizeof(double));
  memcpy(s->node_gradients, s->parameter_gradients, (size_t)(nodes * p) * sizeof(double));
  for (int k = 0; k < nodes; k++) {
    double outcome[FCPS_SPACE_MAX];
    bool is_free[FCPS_SPACE_MAX];
    fcps_expected_reward_node(s, k, at->mean, at->variances, at->parts, outcome, is_free);
    for (int j = 0; j < q; j++) {
      if (!is_free[j]) continue; /* a clipped outcome does not move */
      const double slope = s->outcome_gradients[k * q + j];
      const int part = at->parts > 1 ? j : 0;
      const double *by_variance = at->variance_gradients + part * p;
      const double spread = s->quadrature.nodes[k * q + j] * s->scale[j] / (2.0 * sqrt(at->variances[part]));
      for (int d = 0; d < p; d++)
        s->node_gradients[k * p + d] += slope * (at->mean_gradients[j * p + d] + spread * by_variance[d]);
    }
  }
  return FCPS_OK;
}

fcps_status fcps_expected_reward_gradient(fcps_expected_reward *s, const fcps_outcome_slope *at, double *mean,
                                          double *deviation, double *mean_gradient, double *deviation_gradient,
                                          fcps_error *error)
{
  if (fcps_expected_reward_is_closed(s))
    return fcps_distance_form_gradient(s, at, mean, deviation, mean_gradient, deviation_gradient, error);
  const fcps_status status = nodes_at(s, at, error);
  if (status != FCPS_OK) return status;
  const int nodes = s->quadrature.count, p = s->parameters;
  const double *w = s->quadrature.weights, *r = s->node_rewards;
  double squares = 0.0;
  *mean = 0.0;
  for (int k = 0; k < nodes; k++)
    *mean += w[k] * r[k];
  for (int k = 0; k < nodes; k++)
    squares += w[k] * (r[k] - *mean) * (r[k] - *mean);
  *deviation = sqrt(squares);
  for (int d = 0; d < p; d++) {
    double first = 0.0, second = 0.0;
    for (int k = 0; k < nodes; k++) {
      first += w[k] * s->node_gradients[k * p + d];
      second += w[k] * (r[k] - *mean) * s->node_gradients[k * p + d];
    }
    mean_gradient[d] = first;
    if (deviation_gradient != NULL) deviation_gradient[d] = *deviation > 0 ? second / *deviation : 0.0;
  }
  return FCPS_OK;
}

fcps_status fcps_expected_reward_utility_gradient(fcps_expected_reward *s, const fcps_outcome_slope *at,
                                                  const fcps_utility *utility, double *value, double *gradient,
                                                  fcps_error *error)
{
  const fcps_status status = nodes_at(s, at, error);
  if (status != FCPS_OK) return status;
  const int p = s->parameters;
  *value = 0.0;
  memset(gradient, 0, (size_t)p * sizeof(double));
  for (int k = 0; k < s->quadrature.count; k++) {
    double slope;
    const double w = s->quadrature.weights[k];
    *value += w * utility->of_reward(utility->user, s->node_rewards[k], &slope);
    if (slope == 0.0) continue;
    for (int d = 0; d < p; d++)
      gradient[d] += w * slope * s->node_gradients[k * p + d];
  }
  return FCPS_OK;
}
