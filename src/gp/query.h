/* SPDX-License-Identifier: Apache-2.0 */
/* The one way to ask a Gaussian process about points: a query says which points, what is wanted of them, and where the
 * answers go; fcps_gp_predict answers it, by whichever strategy is the cheapest for what is asked (query.c).
 *
 * Points do not disturb each other: what is predicted at one depends on the others by rounding alone. The same query
 * gives the same bits. Joint posteriors of several points are made from `whitened` (joint.h).
 *
 * Separable covariances are not a query: C candidates in E environments have C + E factors, not C*E points.
 */
#ifndef FCPS_GP_QUERY_H
#define FCPS_GP_QUERY_H

#include "gp/gp.h"

/* How the sums over rows that gradients consist of are computed. Both give the same numbers up to rounding, but a
 * search that follows gradients may end elsewhere because of the last digit, so the caller chooses; it is not derived
 * from the number of points. */
typedef enum fcps_gp_sums {
  FCPS_SUMS_PER_POINT,  /* vectors, one point after the other */
  FCPS_SUMS_AS_PRODUCTS /* products of matrices over all points: for many points at once */
} fcps_gp_sums;

typedef enum fcps_gp_variance_kind {
  FCPS_VARIANCE_EXACT,
  FCPS_VARIANCE_BOUND /* never too small, for O(n) instead of O(n^2) per point; not with gradients */
} fcps_gp_variance_kind;

/* A question about `count` points. An answer that is NULL is not wanted. A gradient also needs its value:
 * `mean_gradient` needs `mean`; `variance_gradient` needs the three others. */
typedef struct fcps_gp_query {
  int count;
  const double *points; /* rows of dim inputs */
  fcps_gp_variance_kind variance_kind;
  fcps_gp_sums sums;
  bool has_results_only; /* rows without output (pending trials) do not count for variances either; needs outputs */

  double *mean;              /* mean[i*outputs + o], in the outputs' own units */
  double *variance;          /* variance[i] of the latent function, in unit scale: times scale[o]^2 for output o */
  double *mean_gradient;     /* mean_gradient[(i*outputs + o)*dim + d] */
  double *variance_gradient; /* variance_gradient[i*dim + d] */
  double *whitened;          /* L^-1 k(X, points): factored rows x count. Without rows nothing is written; not with
                              * gradients or bounds */
} fcps_gp_query;

/* Scratch of queries. One work space serves many GPs and queries, one after the other; it holds nothing between
 * them. */
typedef struct fcps_gp_work {
  int dim, rows;
  int points;       /* of a pass without gradients */
  int sloped;       /* points of a pass with gradients */
  int table_width;  /* columns of `table` */
  double *lengths;  /* 2 dim: inverse length-scales, then one point over the length-scales */
  double *k;        /* rows x points: covariances */
  double *slope;    /* rows x sloped: h of the covariances */
  double *solve;    /* rows x sloped: K^-1 k */
  double *products; /* rows */
  double *table;    /* rows x table_width: see sums_as_products */
  double *sums;     /* sloped x table_width */
  size_t input_room;
  double *inputs; /* input_room numbers: rows of points, for callers that ask about others than they were given */
} fcps_gp_work;

/* Makes room for queries to `gp`, which are answered in passes over at most `points` points. Cheap if there is
 * enough. Zero points are enough for queries that want `whitened`, because their covariances stand there. */
fcps_status fcps_gp_work_reserve(fcps_gp_work *work, const fcps_gp *gp, int points);

/* The same also for FCPS_SUMS_AS_PRODUCTS, of up to `outputs` outputs. */
fcps_status fcps_gp_work_reserve_products(fcps_gp_work *work, const fcps_gp *gp, int outputs, int points);
void fcps_gp_work_destroy(fcps_gp_work *work);

/* Makes room for the inputs of `points` points in work->inputs. */
fcps_status fcps_gp_work_reserve_inputs(fcps_gp_work *work, size_t numbers);

/* Answers the query from the posterior given `outputs`, which may be NULL if no mean is wanted. `work` was reserved
 * for `gp` as it is now. */
void fcps_gp_predict(const fcps_gp *gp, const fcps_gp_outputs *outputs, const fcps_gp_query *query, fcps_gp_work *work);

/* -- Separable kernels -- */

/* Means at every combination of some inputs with others, for kernels that are products over the inputs.
 *
 * If phi(s + s') = phi(s) phi(s') (fcps_kernel.is_separable), the covariance of a row and a point is a product as
 * well: a factor of the inputs that stay the same (candidate parameters) and one of those that change (the
 * environment). The first is computed once, while the environments change.
 *
 * This is not a query (query.h), because it does not ask about points: C candidates in E environments are C + E factors
 * and one product of matrices, where a query would have to list C E points.
 */

/* factor (factored rows x count) := the factor of inputs first ... first + width - 1 at `count` points (rows of
 * width). */
void fcps_gp_separate(const fcps_gp *gp, int first, int width, int count, const double *points, fcps_gp_work *work,
                      double *factor);

/* weights (outputs->count) := those of one output if the covariances have the factor `shared` (rows), which is the
 * same for all points. */
void fcps_gp_separated_weights(const fcps_gp *gp, const fcps_gp_outputs *outputs, int output, const double *shared,
                               double *weights);

/* Means mean[j*columns + c] of output output[c] with weights (rows x columns) at `count` points whose own factors are
 * `own` (rows x count). */
void fcps_gp_predict_separated(const fcps_gp *gp, const fcps_gp_outputs *outputs, int columns, const int *output,
                               const double *weights, int count, const double *own, double *mean);

#endif
