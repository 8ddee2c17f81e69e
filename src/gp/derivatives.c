/* SPDX-License-Identifier: Apache-2.0 */
/* Derivatives of k = sf^2 phi(s), s = sum_j w_j (x_j - z_j)^2 with w_j = 1/l_j^2, as z moves along a curve. With the
 * kernel's functions h and c (kernels/kernel.h) dphi/ds = -h/2 and d^2phi/ds^2 = c/4:
 *
 *   value at x, derivatives at z:  p = sum w (x - z) v,  q = sum w v^2,  r = sum w (x - z) a
 *     cov(f(x), f'(z))  =  sf^2 h p
 *     cov(f(x), f''(z)) =  sf^2 (c p^2 + h (r - q))
 *   derivatives at the same point, along curves d and e, where s = 0:
 *     cov(f'_d, f'_e)   =  sf^2 h(0) v_d.v_e
 *     cov(f'_d, f''_e)  =  sf^2 h(0) v_d.a_e
 *     cov(f''_d, f''_e) =  sf^2 (c(0) (q_d q_e + 2 (v_d.v_e)^2) + h(0) a_d.a_e)
 *   the first derivative at z and at z + v t, with s = q t^2:
 *     E (f'(z + v t) - f'(z))^2 = 2 sf^2 q (h(0) - h(s) + c(s) s)
 *
 * where u.v = sum w u v. Only the second derivative's variance needs c(0): Matern 3/2 has none. */
#include "gp/derivatives.h"

#include <math.h>

int fcps_gp_derivative_orders(const fcps_gp *gp)
{
  return isfinite(gp->kernel->curvature(0.0)) ? 2 : 1;
}

/* Returns u.v = sum w u v. */
static double product(const fcps_gp *gp, const double *u, const double *v)
{
  double sum = 0.0;
  for (int d = 0; d < gp->dim; d++)
    sum += exp(-2.0 * gp->hyper[d]) * u[d] * v[d];
  return sum;
}

static const double *row_of(const fcps_gp *gp, const double *rows, int i)
{
  return rows + (size_t)i * (size_t)gp->dim;
}

/* Computes along[i] = sum_d w_d (x_id - z_d) direction_d for each point x_i. */
static void project(const fcps_gp *gp, const fcps_gp_curves *curves, fcps_gp_inputs points, const double *direction,
                    double *along)
{
  for (size_t i = 0; i < (size_t)points.count; i++)
    along[i] = 0.0;
  for (size_t d = 0; d < (size_t)gp->dim; d++) {
    if (direction[d] == 0.0) continue;
    const double weight = exp(-2.0 * gp->hyper[d]) * direction[d];
    for (size_t i = 0; i < (size_t)points.count; i++)
      along[i] += weight * (points.x[i * points.row_step + d * points.dim_step] - curves->point[d]);
  }
}

/* At each point's distance, computes sf^2 h (`slope`) and, if there are second derivatives, sf^2 c (`curvature`). */
static void measure(const fcps_gp *gp, const fcps_gp_curves *curves, fcps_gp_inputs points, double *slope,
                    double *curvature, double *value)
{
  const size_t count = (size_t)points.count;
  const double sf2 = fcps_gp_signal_variance(gp);
  for (size_t i = 0; i < count; i++)
    curvature[i] = 0.0;
  for (size_t d = 0; d < (size_t)gp->dim; d++) {
    const double weight = exp(-2.0 * gp->hyper[d]);
    for (size_t i = 0; i < count; i++) {
      const double x = points.x[i * points.row_step + d * points.dim_step];
      curvature[i] += weight * fcps_tables_square(&gp->tables, (int)d, x, curves->point[d]);
    }
  }
  gp->kernel->eval(count, curvature, value, slope);
  for (size_t i = 0; i < count; i++) {
    slope[i] *= sf2;
    if (curves->orders > 1) curvature[i] = sf2 * gp->kernel->curvature(curvature[i]);
  }
}

void fcps_gp_derivative_covariances(const fcps_gp *gp, const fcps_gp_curves *curves, fcps_gp_inputs points,
                                    double *scratch, double *k)
{
  const size_t count = (size_t)points.count;
  double *slope = scratch, *curvature = scratch + count, *along = scratch + 2 * count;
  measure(gp, curves, points, slope, curvature, along);
  for (int e = 0; e < curves->count; e++) {
    const double *v = row_of(gp, curves->velocity, e), q = product(gp, v, v);
    double *first = k + (size_t)e * count, *second = k + (size_t)(curves->count + e) * count;
    project(gp, curves, points, v, along);
    if (curves->orders > 1) {
      project(gp, curves, points, row_of(gp, curves->acceleration, e), second);
      for (size_t i = 0; i < count; i++)
        second[i] = curvature[i] * along[i] * along[i] + slope[i] * (second[i] - q);
    }
    for (size_t i = 0; i < count; i++)
      first[i] = slope[i] * along[i];
  }
}

/* Returns sf^2 h at one squared distance. */
static double slope_at(const fcps_gp *gp, double s)
{
  double value, slope;
  gp->kernel->eval(1, &s, &value, &slope);
  return fcps_gp_signal_variance(gp) * slope;
}

void fcps_gp_derivative_covariance_within(const fcps_gp *gp, const fcps_gp_curves *curves, double *k)
{
  const size_t n = (size_t)curves->count, width = n * (size_t)curves->orders;
  const double h = slope_at(gp, 0.0);
  const double c = curves->orders > 1 ? fcps_gp_signal_variance(gp) * gp->kernel->curvature(0.0) : 0.0;
  for (size_t d = 0; d < n; d++)
    for (size_t e = 0; e < n; e++) {
      const double *vd = row_of(gp, curves->velocity, (int)d), *ve = row_of(gp, curves->velocity, (int)e);
      const double *ad = row_of(gp, curves->acceleration, (int)d), *ae = row_of(gp, curves->acceleration, (int)e);
      const double across = product(gp, vd, ve);
      k[e * width + d] = h * across;
      if (curves->orders < 2) continue;
      k[(n + e) * width + d] = k[d * width + n + e] = h * product(gp, vd, ae);
      k[(n + e) * width + n + d] =
          c * (product(gp, vd, vd) * product(gp, ve, ve) + 2.0 * across * across) + h * product(gp, ad, ae);
    }
}

double fcps_gp_derivative_change(const fcps_gp *gp, const fcps_gp_curves *curves, int curve, double step)
{
  const double *v = row_of(gp, curves->velocity, curve), q = product(gp, v, v), s = q * step * step;
  if (s == 0.0) return 0.0;
  const double bend = fcps_gp_signal_variance(gp) * gp->kernel->curvature(s) * s;
  return 2.0 * q * (slope_at(gp, 0.0) - slope_at(gp, s) + bend);
}
