/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of an optimum as components of one Gaussian vector u: the gradient along n coordinates, which is zero;
 * the negative second derivatives, which are positive; and f(x*) - f(z_0), which is positive (left out if x* is the
 * incumbent z_0 itself). The derivatives are divided by their prior deviation, so that all components have the size of
 * rewards.
 *
 * Symbols: Y and w are those of optimality.h; c = cov(u, f(x)) has a column for each trial. */
#include "acquisition/information/optimality.h"

#include "base/memory.h"
#include "base/normal.h"
#include "linalg/dense.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const fcps_propagation_settings settings = {.damping = 0.9, .tolerance = 1e-3, .sweeps = 60};

/* The smallest variance of the condition that a gradient is zero, in units of the gradient's prior variance. */
static const double gradient_jitter = 1e-6;

/* Returns half the distance between neighbours in the pool, along one coordinate. */
static double half_spacing(const fcps_belief_builder *builder)
{
  return 0.5 * pow((double)builder->settings.pool, -1.0 / builder->n);
}

static int most_derivatives(const fcps_belief_builder *builder)
{
  return 2 * builder->n;
}

static int most_conditions(const fcps_belief_builder *builder)
{
  return most_derivatives(builder) + 1;
}

static int derivatives_of(const fcps_optimality *o)
{
  return o->curves.count * o->curves.orders;
}

size_t fcps_optimality_size(const fcps_belief_source *source)
{
  const fcps_gp *gp = source->model->gps.gp[0];
  const size_t n = (size_t)source->builder->n, dim = (size_t)gp->dim, rows = (size_t)gp->factored;
  const size_t d = (size_t)most_derivatives(source->builder), k = (size_t)most_conditions(source->builder);
  return 2 * n * dim + d + rows * d + k + k * k + k;
}

/* -- Derivatives -- */

/* Whether a maximum at x must have gradient zero along a coordinate: x is not near a bound, and not an integer. */
static bool is_inside(const fcps_belief_source *source, int coordinate, double x)
{
  const fcps_dimension *dimension = source->model->problem->parameters.dims + coordinate;
  const double margin = half_spacing(source->builder);
  if (fcps_dimension_step(dimension) > 0) return false;
  return fcps_dimension_wraps(dimension) || (x > margin && x < 1.0 - margin);
}

/* Makes the curves through x* along the parameters whose gradient must be zero. `velocity` and `acceleration` have room
 * for all. */
static fcps_gp_curves find_curves(const fcps_belief_source *source, const fcps_belief *belief, int representer,
                                  double *velocity, double *acceleration)
{
  const fcps_model *model = source->model;
  const size_t n = (size_t)source->builder->n, dim = (size_t)model->layout.features,
               first = (size_t)model->layout.context.width;
  const double *x = belief->x + (size_t)representer * n;
  fcps_gp_curves curves = {.orders = fcps_gp_derivative_orders(model->gps.gp[0]),
                           .point = belief->features + (size_t)representer * dim,
                           .velocity = velocity,
                           .acceleration = acceleration};
  for (int i = 0; i < (int)n; i++) {
    if (!is_inside(source, i, x[i])) continue;
    const size_t at = (size_t)curves.count++ * dim;
    memset(velocity + at, 0, first * sizeof(double));
    memset(acceleration + at, 0, first * sizeof(double));
    fcps_embed_curve(&model->layout.parameters, x, i, velocity + at + first, acceleration + at + first);
  }
  return curves;
}

/* -- The vector of conditions -- */

/* The vector u before conditioning. The places are x* and the incumbent, in this order. */
enum { PLACES = 2 };
typedef struct condition_vector {
  int count;
  double *mean, *covariance;     /* mean and covariance of u */
  double *with_value;            /* cov(u, f(x*)) */
  double *derivatives;           /* covariance of the derivatives with each other */
  double *with_places;           /* places x derivatives: posterior covariances */
  double places[PLACES][PLACES]; /* posterior covariance of the rewards at the places */
  double *points;                /* features of the places, one after the other */
  double *whitened;              /* the whitened covariances of the places */
  double *scratch;               /* 3 numbers for each row of the GP or each place */
  fcps_propagation_condition *conditions;
} condition_vector;

static bool allocate_vector(condition_vector *u, const fcps_belief_source *source)
{
  const fcps_gp *gp = source->model->gps.gp[0];
  const size_t rows = (size_t)gp->factored, dim = (size_t)gp->dim;
  const size_t d = (size_t)most_derivatives(source->builder), k = (size_t)most_conditions(source->builder);
  u->mean = fcps_allocate(2 * k + k * k + d * d + PLACES * (d + dim + rows) + 3 * (rows + PLACES), sizeof(double));
  u->conditions = fcps_allocate(k, sizeof *u->conditions);
  if (u->mean == NULL || u->conditions == NULL) return false;
  u->with_value = u->mean + k;
  u->covariance = u->with_value + k;
  u->derivatives = u->covariance + k * k;
  u->with_places = u->derivatives + d * d;
  u->points = u->with_places + PLACES * d;
  u->whitened = u->points + PLACES * dim;
  u->scratch = u->whitened + PLACES * rows;
  return true;
}

static void free_vector(condition_vector *u)
{
  free(u->mean);
  free(u->conditions);
}

/* Gathers x* and the incumbent. The covariance of representers is S = Lz Lz'. */
static void gather_places(const fcps_optimality *o, const fcps_gp *gp, const fcps_belief *belief, condition_vector *u)
{
  const size_t rows = (size_t)gp->factored, dim = (size_t)gp->dim, m = (size_t)belief->count;
  const size_t from[PLACES] = {(size_t)o->representer, 0};
  for (size_t p = 0; p < PLACES; p++) {
    memcpy(u->points + p * dim, belief->features + from[p] * dim, dim * sizeof(double));
    memcpy(u->whitened + p * rows, belief->whitened + from[p] * rows, rows * sizeof(double));
    for (size_t q = 0; q < PLACES; q++)
      for (size_t r = 0; r < m; r++) /* the factor is 0 above its diagonal */
        u->places[p][q] += belief->factor[r * m + from[p]] * belief->factor[r * m + from[q]];
  }
}

/* Predicts the derivatives given the GP's rows: means, and covariances with each other and with the places. */
static void predict_derivatives(const fcps_optimality *o, const fcps_belief_source *source, condition_vector *u)
{
  const fcps_gp *gp = source->model->gps.gp[0];
  const int d = derivatives_of(o), rows = gp->factored;
  const fcps_gp_inputs inputs = {rows, gp->inputs, 1, (size_t)gp->capacity};
  const fcps_gp_inputs points = {PLACES, u->points, (size_t)gp->dim, 1};
  const double *alpha = source->outputs->alpha + (size_t)source->output * (size_t)source->outputs->count;
  fcps_gp_derivative_covariance_within(gp, &o->curves, u->derivatives);
  fcps_gp_derivative_covariances(gp, &o->curves, points, u->scratch, u->with_places);
  for (int i = 0; i < d; i++)
    o->scale[i] = (i < o->curves.count ? 1.0 : -1.0) / sqrt(u->derivatives[(size_t)i * (size_t)d + (size_t)i]);
  if (rows == 0 || d == 0) return;
  fcps_gp_derivative_covariances(gp, &o->curves, inputs, u->scratch, o->whitened);
  for (int i = 0; i < d; i++)
    u->mean[i] = o->scale[i] * fcps_dot(source->outputs->count, o->whitened + (size_t)i * (size_t)rows, alpha);
  fcps_chol_solve_lower(rows, gp->factor, gp->capacity, d, o->whitened, rows);
  fcps_multiply_tn(d, d, rows, -1.0, o->whitened, rows, o->whitened, rows, 1.0, u->derivatives, d);
  fcps_multiply_tn(PLACES, d, rows, -1.0, u->whitened, rows, o->whitened, rows, 1.0, u->with_places, PLACES);
}

/* Returns cov(u_i, f(place)). */
static double covariance_with(const fcps_optimality *o, const condition_vector *u, int i, int place)
{
  if (i < derivatives_of(o)) return o->scale[i] * u->with_places[i * PLACES + place];
  return u->places[0][place] - u->places[1][place];
}

/* Returns cov(u_i, u_j) for j <= i. */
static double covariance_of(const fcps_optimality *o, const condition_vector *u, int i, int j)
{
  const int d = derivatives_of(o);
  if (i < d) return o->scale[i] * o->scale[j] * u->derivatives[(size_t)j * (size_t)d + (size_t)i];
  return covariance_with(o, u, j, 0) - covariance_with(o, u, j, 1);
}

/* Returns the condition on component i. */
static fcps_propagation_condition condition_of(const fcps_optimality *o, const fcps_belief_source *source, int i)
{
  if (i >= o->curves.count) return (fcps_propagation_condition){.is_zero = false};
  const double step = half_spacing(source->builder) / sqrt(3.0); /* deviation of a uniform point in a cell of the
                                                                  * pool */
  const double change = fcps_gp_derivative_change(source->model->gps.gp[0], &o->curves, i, step);
  return (fcps_propagation_condition){.is_zero = true, .noise = gradient_jitter + change * o->scale[i] * o->scale[i]};
}

static void fill_vector(const fcps_optimality *o, const fcps_belief_source *source, const fcps_belief *belief,
                        condition_vector *u)
{
  const int d = derivatives_of(o);
  const size_t k = (size_t)(o->representer == 0 ? d : d + 1);
  u->count = (int)k;
  if (u->count > d) u->mean[d] = belief->mean[o->representer] - belief->mean[0];
  for (int i = 0; i < u->count; i++) {
    u->conditions[i] = condition_of(o, source, i);
    u->with_value[i] = covariance_with(o, u, i, 0);
    for (int j = 0; j <= i; j++)
      u->covariance[(size_t)i * k + (size_t)j] = u->covariance[(size_t)j * k + (size_t)i] = covariance_of(o, u, i, j);
  }
}

/* -- Conditioning -- */

/* Predicts f(x*) given (1) and (2). */
static void predict_value(fcps_optimality *o, const fcps_belief *belief, const condition_vector *u)
{
  const int k = o->propagation.count;
  o->mean = belief->mean[o->representer];
  o->variance = u->places[0][0];
  if (k == 0) return;
  o->mean += fcps_dot(k, u->with_value, o->propagation.weights);
  fcps_multiply_nn(k, 1, k, 1.0, o->propagation.root, k, u->with_value, k, 0.0, o->with_value, k);
  o->variance = fmax(o->variance - fcps_dot(k, o->with_value, o->with_value), FCPS_VARIANCE_FLOOR);
}

fcps_status fcps_optimality_create(fcps_optimality *optimality, const fcps_belief_source *source,
                                   const fcps_belief *belief, int representer, double *room)
{
  fcps_optimality *o = optimality;
  const size_t n = (size_t)source->builder->n, dim = (size_t)source->model->layout.features;
  const size_t rows = (size_t)source->model->gps.gp[0]->factored, d = (size_t)most_derivatives(source->builder);
  const size_t k = (size_t)most_conditions(source->builder);
  double *velocity = room, *acceleration = velocity + n * dim;
  *o = (fcps_optimality){.representer = representer, .representers = belief->count};
  o->curves = find_curves(source, belief, representer, velocity, acceleration);
  o->scale = acceleration + n * dim;
  o->whitened = o->scale + d;
  o->with_value = o->whitened + rows * d;
  o->propagation.root = o->with_value + k;
  o->propagation.weights = o->propagation.root + k * k;

  condition_vector u = {0};
  fcps_status status = allocate_vector(&u, source) ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    gather_places(o, source->model->gps.gp[0], belief, &u);
    predict_derivatives(o, source, &u);
    fill_vector(o, source, belief, &u);
    o->propagation.count = u.count;
    status = fcps_propagation_run(&settings, u.mean, u.covariance, u.conditions, &o->propagation);
  }
  if (status == FCPS_OK) {
    if (!o->propagation.has_converged) o->propagation.count = 0;
    predict_value(o, belief, &u);
  }
  free_vector(&u);
  return status;
}

/* -- Trials -- */

size_t fcps_optimality_scratch(const fcps_belief_builder *builder, int most)
{
  return (size_t)most * (size_t)(most_derivatives(builder) + 3 + 2 * most_conditions(builder));
}

/* Scratch for the trials of one call. */
typedef struct trial_scratch {
  double *with_derivatives; /* trials x derivatives: posterior covariances */
  double *measures;         /* room for 3 numbers per trial */
  double *c, *reduced;      /* conditions x trials: c and Y c */
} trial_scratch;

static trial_scratch divide_scratch(const fcps_optimality *o, int count, double *scratch)
{
  const size_t trials = (size_t)count, d = (size_t)derivatives_of(o), k = (size_t)o->propagation.count;
  trial_scratch w = {.with_derivatives = scratch};
  w.measures = w.with_derivatives + trials * d;
  w.c = w.measures + 3 * trials;
  w.reduced = w.c + trials * k;
  return w;
}

static void fill_covariances(const fcps_optimality *o, const fcps_gp *gp, const fcps_candidates *trials,
                             const double *covariances, const trial_scratch *w)
{
  const int d = derivatives_of(o), k = o->propagation.count, rows = gp->factored, count = trials->count;
  const fcps_gp_inputs points = {count, trials->features, (size_t)gp->dim, 1};
  fcps_gp_derivative_covariances(gp, &o->curves, points, w->measures, w->with_derivatives);
  if (rows > 0 && d > 0)
    fcps_multiply_tn(count, d, rows, -1.0, trials->whitened, rows, o->whitened, rows, 1.0, w->with_derivatives, count);
  for (int t = 0; t < count; t++) {
    const double *with = covariances + (size_t)t * (size_t)o->representers;
    double *column = w->c + (size_t)t * (size_t)k;
    for (int i = 0; i < d; i++)
      column[i] = o->scale[i] * w->with_derivatives[(size_t)i * (size_t)count + (size_t)t];
    if (k > d) column[d] = with[o->representer] - with[0];
  }
}

/* Returns the variance of f(x) ~ N(mean, variance) given condition (3). `covariance` is cov(f(x), f(x*)). Conditioning
 * on f(x*)
 * - f(x) > 0 removes part of the variance that f(x) shares with f(x*) - f(x). */
static double cut_off(const fcps_optimality *o, double mean, double variance, double covariance)
{
  const double gap = variance + o->variance - 2.0 * covariance, shared = variance - covariance;
  if (!(gap > FCPS_VARIANCE_FLOOR)) return variance; /* x is the same point as x* */
  const double g = fmax((o->mean - mean) / sqrt(gap), -30.0), h = fcps_truncated_normal_hazard(g);
  return fmax(variance - shared * shared / gap * h * (g + h), FCPS_VARIANCE_FLOOR);
}

void fcps_optimality_variances(const fcps_optimality *optimality, const fcps_gp *gp, const fcps_candidates *trials,
                               const double *covariances, double *scratch, double *variances)
{
  const fcps_optimality *o = optimality;
  const int k = o->propagation.count, count = trials->count;
  const double sn2 = fcps_gp_noise(gp);
  const trial_scratch w = divide_scratch(o, count, scratch);
  if (k > 0) {
    fill_covariances(o, gp, trials, covariances, &w);
    fcps_multiply_nn(k, count, k, 1.0, o->propagation.root, k, w.c, k, 0.0, w.reduced, k);
  }
  for (int t = 0; t < count; t++) {
    const double *c = w.c + (size_t)t * (size_t)k, *reduced = w.reduced + (size_t)t * (size_t)k;
    double mean = trials->mean[t], variance = trials->variance[t] - sn2;
    double covariance = covariances[(size_t)t * (size_t)o->representers + (size_t)o->representer];
    if (k > 0) {
      mean += fcps_dot(k, c, o->propagation.weights);
      variance = fmax(variance - fcps_dot(k, reduced, reduced), FCPS_VARIANCE_FLOOR);
      covariance -= fcps_dot(k, reduced, o->with_value);
    }
    variances[t] = cut_off(o, mean, variance, covariance);
  }
}
