/* SPDX-License-Identifier: Apache-2.0 */
/* The only way to predict at points. A query says which points, which quantities, and where to write them;
 * fcps_gp_predict chooses the cheapest strategy (query.c).
 *
 * Points do not affect each other, except by rounding. The same query gives the same bits. Joint posteriors of several
 * points are made from `whitened` (below). */
#ifndef FCPS_GP_QUERY_H
#define FCPS_GP_QUERY_H

#include "gp/gp.h"

/* How a gradient, which is a sum over rows, is computed. Both ways give the same numbers up to rounding. But a
 * different last digit may lead a search elsewhere. So the caller chooses the way; the number of points does not decide
 * it. */
typedef enum fcps_gp_sums {
  FCPS_SUMS_PER_POINT,  /* vectors, one point after the other */
  FCPS_SUMS_AS_PRODUCTS /* products of matrices over all points: faster for many points */
} fcps_gp_sums;

typedef enum fcps_gp_variance_kind {
  FCPS_VARIANCE_EXACT,
  FCPS_VARIANCE_BOUND /* an upper bound, which takes O(n) instead of O(n^2) per point; not with gradients */
} fcps_gp_variance_kind;

/* A question about `count` points. Results that are NULL are not computed. A gradient also needs its value:
 * `mean_gradient` needs `mean`; `variance_gradient` needs the three others. */
typedef struct fcps_gp_query {
  int count;
  const double *points; /* rows of dim inputs */
  fcps_gp_variance_kind variance_kind;
  fcps_gp_sums sums;
  bool has_results_only; /* leaves rows without output (pending trials) out of variances too; needs outputs */

  double *mean;              /* mean[i*outputs + o], in units of the outputs */
  double *variance;          /* variance[i] of the latent function, in unit scale: times scale[o]^2 for output o */
  double *mean_gradient;     /* mean_gradient[(i*outputs + o)*dim + d] */
  double *variance_gradient; /* variance_gradient[i*dim + d] */
  /* L^-1 k(X, points): factored rows x count. Without rows nothing is written. Not with gradients or bounds */
  double *whitened;
} fcps_gp_query;

/* Scratch memory of queries. One work space serves many GPs and queries, one after the other. It keeps no results. */
typedef struct fcps_gp_work {
  int dim, rows;
  int points;       /* the most points of a pass without gradients */
  int sloped;       /* the most points of a pass with gradients */
  int table_width;  /* the number of columns of `table` */
  double *lengths;  /* 2 dim: inverse length-scales, then one point divided by the length-scales */
  double *k;        /* rows x points: covariances */
  double *slope;    /* rows x sloped: h of the covariances */
  double *solve;    /* rows x sloped: K^-1 k */
  double *products; /* rows */
  double *table;    /* rows x table_width: see sums_as_products */
  double *sums;     /* sloped x table_width */
  size_t input_room;
  double *inputs; /* input_room numbers, for points that a caller makes */
} fcps_gp_work;

/* Makes room for queries to `gp` in passes of at most `points` points. Returns at once if there is enough room. Queries
 * for `whitened` need no points: their covariances are computed in the memory of the answer. */
fcps_status fcps_gp_work_reserve(fcps_gp_work *work, const fcps_gp *gp, int points);

/* Makes room for the same queries, and also for queries with FCPS_SUMS_AS_PRODUCTS and up to `outputs` outputs. */
fcps_status fcps_gp_work_reserve_products(fcps_gp_work *work, const fcps_gp *gp, int outputs, int points);
void fcps_gp_work_destroy(fcps_gp_work *work);

/* Makes room for `numbers` numbers in work->inputs. */
fcps_status fcps_gp_work_reserve_inputs(fcps_gp_work *work, size_t numbers);

/* Answers the query from the posterior given `outputs`, which may be NULL if no mean is wanted. Room in `work` must
 * have been reserved since `gp` last changed. */
void fcps_gp_predict(const fcps_gp *gp, const fcps_gp_outputs *outputs, const fcps_gp_query *query, fcps_gp_work *work);

/* -- Separable kernels -- */

/* Means at every combination of some inputs with others, for kernels that are products over the inputs.
 *
 * If phi(s + s') = phi(s) phi(s') (fcps_kernel.is_separable), the covariance of a row and a point is also a product: of
 * a factor for the inputs that stay the same (candidate parameters) and a factor for the inputs that change (the
 * environment). The first factor is computed once for all environments.
 *
 * So C candidates in E environments need C + E factors and one product of matrices, while a query would need a list of
 * C E points. */

/* Computes `factor` (factored rows x count): the factor of inputs first, ..., first + width - 1 at `count` points (rows
 * of width). */
void fcps_gp_separate(const fcps_gp *gp, int first, int width, int count, const double *points, fcps_gp_work *work,
                      double *factor);

/* Computes the weights (outputs->count) of one output. `shared` is the factor that is the same for all points, one
 * number per row. */
void fcps_gp_separated_weights(const fcps_gp *gp, const fcps_gp_outputs *outputs, int output, const double *shared,
                               double *weights);

/* Computes mean[j*columns + c], the mean of output output[c] at point j of `count` points. Column c of `weights` (rows
 * x columns) has the weights of that output; `own` (rows x count) has the points' own factors. */
void fcps_gp_predict_separated(const fcps_gp *gp, const fcps_gp_outputs *outputs, int columns, const int *output,
                               const double *weights, int count, const double *own, double *mean);

/* -- Joint posterior of several points --
 *
 * Covariances within and between sets of points, and draws. Everything except draws is in unit scale.
 *
 * Let v = L^-1 k(X, points), which a query calls `whitened`. The posterior covariance of two sets a and b is their
 * prior covariance minus va' vb [rasmussen2006, Eq. 2.24]. So if one set is compared with many others, each set need be
 * whitened only once. */

/* A set of points with their whitened covariances. The arrays are borrowed. */
typedef struct fcps_gp_points {
  int count;
  const double *points;   /* rows of dim inputs */
  const double *whitened; /* factored rows x count, from a query */
} fcps_gp_points;

/* Computes the posterior covariances between two sets of points: a.count x b.count numbers, column-major. */
void fcps_gp_covariance_between(const fcps_gp *gp, fcps_gp_points a, fcps_gp_points b, double *covariance);

/* Computes the posterior covariances within a set of points, column-major, and adds `jitter` sf^2 to the diagonal.
 * Fills only the lower triangle. */
void fcps_gp_covariance_within(const fcps_gp *gp, fcps_gp_points set, double jitter, double *covariance);

/* Computes beta = L' alpha for each output (outputs->count x outputs). With beta, means follow from whitened
 * covariances: mean = offset + scale v' beta, over the first outputs->count rows of v. */
void fcps_gp_whitened_weights(const fcps_gp *gp, const fcps_gp_outputs *outputs, double *beta);

/* Draws one output jointly at `count` points: draws[s*count + i] = mean_i + scale * (C z_s)_i, with standard normals z
 * (samples x count) and C C' = posterior covariance, with jitter if needed. */
fcps_status fcps_gp_draw(const fcps_gp *gp, const fcps_gp_outputs *outputs, int output, int count, const double *points,
                         int samples, const double *normals, double *draws);

#endif
