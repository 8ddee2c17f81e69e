/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian-process regression [rasmussen2006, Ch. 2].
 *
 * The inputs with their factorization (fcps_gp) are apart from the outputs (fcps_gp_outputs): the kernel matrix does
 * not know the target, so one factorization K + sn^2 I = L L' serves the rewards of every target, each at the price of
 * a pair of triangular solves.
 *
 * Rows are added and the factor grows by rows; a full factorization happens at `base` rows. Both are remembered, so
 * that a copy rebuilt from the same rows has the same bits. Const functions may be called from many threads, each with
 * a work space of its own.
 */
#ifndef FCPS_GP_GP_H
#define FCPS_GP_GP_H

#include "gp/kernel.h"

#include <fcps/base.h>

/* Hyper-parameters: log l_1 ... log l_dim, log sf, log sn, for outputs of unit scale. */
#define FCPS_HYPER_COUNT(dim) ((dim) + 2)

typedef struct fcps_gp {
  int dim;
  const fcps_kernel *kernel;
  int count;          /* rows */
  int factored;       /* rows in the factor; at most `count` */
  int base;           /* rows of the last full factorization */
  int capacity;       /* rows there is room for; leading dimension of `factor`, stride of `inputs` */
  double *hyper;      /* FCPS_HYPER_COUNT(dim) */
  double *inputs;     /* structure of arrays: input d of row i is inputs[d*capacity + i] */
  double *scaled;     /* the same divided by the length-scales */
  double *factor;     /* L, column-major, lower */
  double jitter;      /* what the last full factorization had to add to the diagonal */
  double *noise;      /* of each row: variance of its output beyond sn^2 (model/input_noise.h), unit scale; mostly 0 */
  double usual_noise; /* the same of rows to come */
} fcps_gp;

/* How outputs are brought to zero mean and unit scale before the kernel sees them. */
typedef enum fcps_gp_mean { FCPS_MEAN_CENTRED, FCPS_MEAN_GLS, FCPS_MEAN_ZERO } fcps_gp_mean;
typedef enum fcps_gp_scaling { FCPS_SCALING_EACH, FCPS_SCALING_SHARED, FCPS_SCALING_NONE } fcps_gp_scaling;
typedef struct fcps_gp_norm {
  fcps_gp_mean mean;
  fcps_gp_scaling scaling; /* divide by the standard deviation: of each output, of all together, or not */
} fcps_gp_norm;

/* Their names, in the order of the enumerations; NULL past the end. */
const char *fcps_gp_mean_name(int index);
const char *fcps_gp_scaling_name(int index);

/* What the rows were worth: alpha = K^-1 (y - offset)/scale for each of `outputs` columns over the first `count` rows.
 * Rows beyond `count` are known inputs without output (pending trials): they reduce the variance, not the mean. */
typedef struct fcps_gp_outputs {
  int outputs, count;
  double *alpha;          /* count x outputs, column-major */
  double *offset, *scale; /* one each output */
} fcps_gp_outputs;

/* Scratch for predictions of up to `points` points a pass. */
typedef struct fcps_gp_work {
  int points, rows, crowd;
  double *scaled;        /* one point */
  double *k;             /* rows x points */
  double *slope, *solve; /* rows x crowd */
  double *products;      /* rows */
  double *variance;      /* crowd */
} fcps_gp_work;

fcps_status fcps_gp_create(fcps_gp **gp, int dim, const fcps_kernel *kernel);
fcps_status fcps_gp_copy(const fcps_gp *gp, fcps_gp **copy);
void fcps_gp_destroy(fcps_gp *gp);

/* Sets the hyper-parameters and drops the factor. */
void fcps_gp_set_hyper(fcps_gp *gp, const double *hyper);

/* Sets the noise beyond sn^2 of the first `rows` rows and that of all others, and drops the factor. */
void fcps_gp_set_noise(fcps_gp *gp, int rows, const double *noise, double usual);

/* Variance of the noise to expect of one more row: sn^2 and what rows usually have beyond it. */
double fcps_gp_noise(const fcps_gp *gp);

/* Adds a row of `dim` inputs; the factor does not know it until fcps_gp_grow or fcps_gp_factorize. */
fcps_status fcps_gp_add(fcps_gp *gp, const double *input);

/* Drops all rows from `count` on, also from the factor. */
void fcps_gp_truncate(fcps_gp *gp, int count);

/* Factorizes the first `rows` rows afresh (jitter where needed); sets base. */
fcps_status fcps_gp_factorize(fcps_gp *gp, int rows);

/* Grows the factor to all rows, one by one in O(n^2) each; where a row cannot be added, factorizes afresh. */
fcps_status fcps_gp_grow(fcps_gp *gp);

/* Conditions on outputs y (count x outputs, column-major) of the first `count` rows, which must be in the factor. Frees
 * what `result` held before; it starts zeroed. */
fcps_status fcps_gp_condition(const fcps_gp *gp, fcps_gp_norm norm, int count, int outputs, const double *y,
                              fcps_gp_outputs *result);
void fcps_gp_outputs_destroy(fcps_gp_outputs *outputs);

/* Offset and scale of the outputs (GLS: the centred ones; the estimate follows from the factor). The scale has a
 * floor, so that constant outputs are fine. */
void fcps_gp_normalize(fcps_gp_norm norm, int count, int outputs, const double *y, double *offset, double *scale);

/* Makes room for predictions from `gp`; cheap when there is enough. */
fcps_status fcps_gp_work_reserve(fcps_gp_work *work, const fcps_gp *gp, int points);
void fcps_gp_work_destroy(fcps_gp_work *work);

/* Posterior at `count` points (rows of dim inputs): mean[i*outputs + o] in the outputs' own units, and variance[i] of
 * the latent function in unit scale (times scale[o]^2 for output o). Either may be NULL. */
void fcps_gp_predict(const fcps_gp *gp, const fcps_gp_outputs *outputs, int count, const double *points,
                     fcps_gp_work *work, double *mean, double *variance);

/* The same with variances that are never too small, for O(n) instead of O(n^2) a point: that which the row of largest
 * covariance alone would leave if it were the noisiest, sf^2 - max_i k_i^2/(sf^2 + max_i sn_i^2). */
void fcps_gp_predict_bound(const fcps_gp *gp, const fcps_gp_outputs *outputs, int count, const double *points,
                           fcps_gp_work *work, double *mean, double *variance);

/* Exact predictions at one point with gradients: mean_gradient[o*dim + d], variance_gradient[d]. `variance` and
 * `variance_gradient` may be NULL together. */
void fcps_gp_predict_gradient(const fcps_gp *gp, const fcps_gp_outputs *outputs, const double *point,
                              fcps_gp_work *work, double *mean, double *variance, double *mean_gradient,
                              double *variance_gradient);

/* The same at several points, for searches that go on side by side: a look at all of them, whose triangular solves
 * share a pass over the factor, then the answers one by one. fcps_gp_prefetch_count says how many points to look at, at most:
 * one where the factor is small enough for the cache, and solving alone costs the same. */
int fcps_gp_prefetch_count(const fcps_gp *gp, const fcps_gp_work *work);
void fcps_gp_prefetch(const fcps_gp *gp, const fcps_gp_outputs *outputs, int count, const double *points,
                      bool with_variances, fcps_gp_work *work);

/* The answer for `point`, which stood at place `place` in the last look. */
void fcps_gp_gradient_at(const fcps_gp *gp, const fcps_gp_outputs *outputs, int place, const double *point,
                         fcps_gp_work *work, double *mean, double *variance, double *mean_gradient,
                         double *variance_gradient);

/* v (factored rows x count) := L^-1 k(X, points), in unit scale: the posterior covariance of two sets of points is
 * their prior covariance less va' vb. `scratch` holds dim numbers. Without rows nothing is written. */
void fcps_gp_whiten(const fcps_gp *gp, int count, const double *points, double *scratch, double *v);

/* Prior covariance (unit scale) between `m` points a and `n` points b (rows), column-major m x n. */
void fcps_gp_prior_covariance(const fcps_gp *gp, int m, const double *a, int n, const double *b, double *covariance);

/* Posterior covariance (unit scale) between `m` points a and `n` points b (rows), column-major m x n. `scratch` holds
 * rows x (m + n) + dim numbers. */
void fcps_gp_covariance(const fcps_gp *gp, int m, const double *a, int n, const double *b, double *scratch,
                        double *covariance);

/* Joint posterior draws of one output at `count` points: draws[s*count + i] = mean_i + scale * (C z_s)_i with the
 * standard normals z (samples x count), C C' = posterior covariance (jitter where needed). */
fcps_status fcps_gp_draw(const fcps_gp *gp, const fcps_gp_outputs *outputs, int output, int count, const double *points,
                         int samples, const double *normals, double *draws);

/* Least variance that is told from zero: below it the variance counts as this, and its gradient as 0. */
#define FCPS_VARIANCE_FLOOR 1e-12

#endif
