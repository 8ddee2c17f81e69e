/* SPDX-License-Identifier: Apache-2.0 */
/* The conditions of an optimum as components of one Gaussian vector u: along n coordinates the gradient, which is zero;
 * the negative second derivatives, which are positive; and f(x*) - f(z) for each rival z, which are positive. The
 * derivatives are divided by their deviation a priori, so that everything is of the size of rewards.
 *
 * Symbols: Y and w are those of propagation.h; c = cov(u, f(x)), a column for each trial. */
#include "acquisition/information/optimality.h"

#include "acquisition/information/truncated_normal.h"
#include "base/memory.h"
#include "linalg/cholesky.h"
#include "linalg/dense.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const fcps_propagation_settings settings = {.damping = 0.9, .tolerance = 1e-3, .sweeps = 60};

/* Least variance with which a gradient is known to be zero, in units of its own a priori. */
static const double gradient_jitter = 1e-6;

/* Half the distance of neighbours in the pool, along one coordinate. */
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
  return most_derivatives(builder) + builder->settings.representers;
}

static int derivatives_of(const fcps_optimality *o)
{
  return o->curves.count * o->curves.orders;
}

size_t fcps_optimality_size(const fcps_belief_source *source)
{
  const fcps_gp *gp = source->model->gp;
  const size_t n = (size_t)source->builder->n, dim = (size_t)gp->dim, rows = (size_t)gp->factored;
  const size_t d = (size_t)most_derivatives(source->builder), k = (size_t)most_conditions(source->builder);
  return 2 * n * dim + d + rows * d + k + k * k + k;
}

/* -- Derivatives -- */

/* Whether the gradient of a maximum at x is zero along a coordinate. */
static bool is_inside(const fcps_belief_source *source, int coordinate, double x)
{
  const fcps_dimension *dimension = source->model->problem->parameters.dims + coordinate;
  const double margin = half_spacing(source->builder);
  if (dimension->scale == FCPS_SCALE_INTEGER) return false;
  return fcps_dimension_wraps(dimension) || (x > margin && x < 1.0 - margin);
}

/* Curves through x* along the parameters that have a gradient; `velocity` and `acceleration` have room for all. */
static fcps_gp_curves find_curves(const fcps_belief_source *source, const fcps_belief *belief, int representer,
                                  double *velocity, double *acceleration)
{
  const fcps_model *model = source->model;
  const size_t n = (size_t)source->builder->n, dim = (size_t)model->gp->dim, first = (size_t)model->context.width;
  const double *x = belief->x + (size_t)representer * n;
  fcps_gp_curves curves = {.orders = fcps_gp_derivative_orders(model->gp),
                           .point = belief->features + (size_t)representer * dim,
                           .velocity = velocity,
                           .acceleration = acceleration};
  for (int i = 0; i < (int)n; i++) {
    if (!is_inside(source, i, x[i])) continue;
    const size_t at = (size_t)curves.count++ * dim;
    memset(velocity + at, 0, first * sizeof(double));
    memset(acceleration + at, 0, first * sizeof(double));
    fcps_embed_curve(&model->parameters, x, i, velocity + at + first, acceleration + at + first);
  }
  return curves;
}

/* -- The vector of conditions -- */

/* u before the conditions. */
typedef struct condition_vector {
  int count;
  double *mean, *covariance; /* of u */
  double *derivatives;       /* posterior covariance of the derivatives */
  double *with_representers; /* representers x derivatives: posterior covariances */
  double *representers;      /* posterior covariance of the representers */
  double *scratch;           /* 3 numbers for each representer or row */
  fcps_propagation_condition *conditions;
} condition_vector;

static bool allocate_vector(condition_vector *u, const fcps_belief_source *source)
{
  const size_t rows = (size_t)source->model->gp->factored, m = (size_t)source->builder->settings.representers;
  const size_t d = (size_t)most_derivatives(source->builder), k = (size_t)most_conditions(source->builder);
  u->mean = fcps_allocate(k + k * k + d * d + m * d + m * m + 3 * (rows > m ? rows : m), sizeof(double));
  u->conditions = fcps_allocate(k, sizeof *u->conditions);
  if (u->mean == NULL || u->conditions == NULL) return false;
  u->covariance = u->mean + k;
  u->derivatives = u->covariance + k * k;
  u->with_representers = u->derivatives + d * d;
  u->representers = u->with_representers + m * d;
  u->scratch = u->representers + m * m;
  return true;
}

static void free_vector(condition_vector *u)
{
  free(u->mean);
  free(u->conditions);
}

/* The derivatives given the GP's rows: means, and covariances with each other and with the representers. */
static void predict_derivatives(fcps_optimality *o, const fcps_belief_source *source, const fcps_belief *belief,
                                condition_vector *u)
{
  const fcps_gp *gp = source->model->gp;
  const int d = derivatives_of(o), rows = gp->factored, m = belief->count;
  const fcps_gp_inputs inputs = {rows, gp->inputs, 1, (size_t)gp->capacity};
  const fcps_gp_inputs points = {m, belief->features, (size_t)gp->dim, 1};
  const double *alpha = source->outputs->alpha + (size_t)source->output * (size_t)source->outputs->count;
  fcps_gp_derivative_covariance_within(gp, &o->curves, u->derivatives);
  fcps_gp_derivative_covariances(gp, &o->curves, points, u->scratch, u->with_representers);
  for (int i = 0; i < d; i++) {
    const double deviation = sqrt(u->derivatives[(size_t)i * (size_t)d + (size_t)i]);
    o->scale[i] = (i < o->curves.count ? 1.0 : -1.0) / deviation;
    u->mean[i] = 0.0;
  }
  if (rows == 0 || d == 0) return;
  fcps_gp_derivative_covariances(gp, &o->curves, inputs, u->scratch, o->whitened);
  for (int i = 0; i < d; i++)
    u->mean[i] = o->scale[i] * fcps_dot(source->outputs->count, o->whitened + (size_t)i * (size_t)rows, alpha);
  fcps_chol_solve_lower(rows, gp->factor, gp->capacity, d, o->whitened, rows);
  fcps_multiply_tn(d, d, rows, -1.0, o->whitened, rows, o->whitened, rows, 1.0, u->derivatives, d);
  fcps_multiply_tn(m, d, rows, -1.0, belief->whitened, rows, o->whitened, rows, 1.0, u->with_representers, m);
}

/* S = Lz Lz' of the representers. */
static void expand_representers(const fcps_belief *belief, double *covariance)
{
  const size_t m = (size_t)belief->count;
  for (size_t i = 0; i < m; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = 0.0;
      for (size_t r = 0; r <= j; r++)
        sum += belief->factor[r * m + i] * belief->factor[r * m + j];
      covariance[j * m + i] = covariance[i * m + j] = sum;
    }
}

/* The representer behind condition i, which is one of the rivals'. */
static int rival_of(const fcps_optimality *o, int i)
{
  const int rival = i - derivatives_of(o);
  return rival < o->representer ? rival : rival + 1;
}

/* cov(u_i, f(z)) for representer z. */
static double covariance_with(const fcps_optimality *o, const condition_vector *u, int m, int i, int z)
{
  const double *s = u->representers + (size_t)z * (size_t)m;
  if (i < derivatives_of(o)) return o->scale[i] * u->with_representers[(size_t)i * (size_t)m + (size_t)z];
  return s[o->representer] - s[rival_of(o, i)];
}

/* cov(u_i, u_j) for j <= i. */
static double covariance_of(const fcps_optimality *o, const condition_vector *u, int m, int i, int j)
{
  const int d = derivatives_of(o);
  if (i < d) return o->scale[i] * o->scale[j] * u->derivatives[(size_t)j * (size_t)d + (size_t)i];
  return covariance_with(o, u, m, j, o->representer) - covariance_with(o, u, m, j, rival_of(o, i));
}

static void fill_vector(fcps_optimality *o, const fcps_belief_source *source, const fcps_belief *belief,
                        condition_vector *u)
{
  const int d = derivatives_of(o), m = belief->count;
  const size_t k = (size_t)(d + m - 1);
  const double step = half_spacing(source->builder) / sqrt(3.0); /* deviation of a point in its cell */
  u->count = (int)k;
  for (int i = d; i < u->count; i++)
    u->mean[i] = belief->mean[o->representer] - belief->mean[rival_of(o, i)];
  for (int i = 0; i < u->count; i++) {
    u->conditions[i] = (fcps_propagation_condition){.is_zero = i < o->curves.count};
    if (u->conditions[i].is_zero)
      u->conditions[i].noise = gradient_jitter + fcps_gp_derivative_change(source->model->gp, &o->curves, i, step) *
                                                     o->scale[i] * o->scale[i];
    o->with_value[i] = covariance_with(o, u, m, i, o->representer);
    for (int j = 0; j <= i; j++)
      u->covariance[(size_t)i * k + (size_t)j] = u->covariance[(size_t)j * k + (size_t)i] =
          covariance_of(o, u, m, i, j);
  }
}

/* -- Conditioning -- */

/* f(x*) given (1) and (2), and with_value := Y cov(u, f(x*)), which covariances with trials need. */
static void predict_value(fcps_optimality *o, const fcps_belief *belief, const condition_vector *u)
{
  const int k = o->propagation.count;
  const size_t z = (size_t)o->representer;
  double *reduced = u->mean; /* no longer needed */
  o->mean = belief->mean[z];
  o->variance = u->representers[z * (size_t)belief->count + z];
  if (k == 0) return;
  o->mean += fcps_dot(k, o->with_value, o->propagation.weights);
  fcps_multiply_nn(k, 1, k, 1.0, o->propagation.root, k, o->with_value, k, 0.0, reduced, k);
  memcpy(o->with_value, reduced, (size_t)k * sizeof(double));
  o->variance = fmax(o->variance - fcps_dot(k, reduced, reduced), FCPS_VARIANCE_FLOOR);
}

fcps_status fcps_optimality_create(fcps_optimality *optimality, const fcps_belief_source *source,
                                   const fcps_belief *belief, int representer, double *room)
{
  fcps_optimality *o = optimality;
  const size_t n = (size_t)source->builder->n, dim = (size_t)source->model->gp->dim;
  const size_t rows = (size_t)source->model->gp->factored, d = (size_t)most_derivatives(source->builder);
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
    predict_derivatives(o, source, belief, &u);
    expand_representers(belief, u.representers);
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

/* What is computed for the trials of one call. */
typedef struct trial_scratch {
  double *with_derivatives; /* trials x derivatives: posterior covariances */
  double *measures;         /* 3 trials */
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
    for (int i = d; i < k; i++)
      column[i] = with[o->representer] - with[rival_of(o, i)];
  }
}

/* Condition (3) for f(x) ~ N(mean, variance) with cov(f(x), f(x*)): f(x) loses what it shares with f(x*) - f(x) > 0. */
static double cut_off(const fcps_optimality *o, double mean, double variance, double covariance)
{
  const double gap = variance + o->variance - 2.0 * covariance, shared = variance - covariance;
  if (!(gap > FCPS_VARIANCE_FLOOR)) return variance; /* x is x* */
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
