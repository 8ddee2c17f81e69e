/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian-process regression [rasmussen2006, Ch. 2].
 *
 * The inputs with their factorization (fcps_gp) are apart from the outputs (fcps_gp_outputs). The kernel matrix does
 * not contain the target, so one factorization K + sn^2 I = L L' serves the rewards of every target, each at the price
 * of a pair of triangular solves.
 *
 * The factor grows as rows are added; a full factorization is made of `base` rows. `count` and `base` are stored, so
 * that a copy that is rebuilt from the same rows has the same bits. Several threads may call const functions at once,
 * each with a work space of its own. */
#ifndef FCPS_GP_GP_H
#define FCPS_GP_GP_H

#include "gp/kernels/kernel.h"

#include <fcps/base.h>

#include <stdbool.h>

/* -- Hyper-parameters -- */

/* Hyper-parameters are log l_1 ... log l_dim, log sf, log sn, for inputs in the unit cube and outputs of unit scale. */

#define FCPS_HYPER_COUNT(dim) ((dim) + 2)

/* Return the variance sf^2 of the signal and the variance sn^2 of the noise. */
double fcps_gp_hyper_signal_variance(int dim, const double *hyper);
double fcps_gp_hyper_noise_variance(int dim, const double *hyper);

/* Log-normal priors of the hyper-parameters. The bounds also hold for maximum likelihood. */
typedef struct fcps_hyper_prior {
  bool is_flat;             /* maximum likelihood: only the bounds count */
  double length, length_sd; /* log l ~ N(log length, length_sd^2) */
  const double *stretch;    /* for each input a factor of `length`; NULL: all 1 */
  bool has_long_tail;       /* the upper tail is exponential from one deviation on: an input may not matter */
  double signal, signal_sd; /* log sf */
  double noise, noise_sd;   /* log sn */
  double noise_floor;       /* the smallest sn */
  bool noise_may_vanish;    /* the prior of log sn is flat below its centre: rows have noise of their own */
} fcps_hyper_prior;

/* Write the logarithms of the hyper-parameters at the centre of the prior, and the bounds of these logarithms. */
void fcps_gp_hyper_centre(const fcps_hyper_prior *prior, int dim, double *hyper);
void fcps_gp_hyper_bounds(const fcps_hyper_prior *prior, int dim, double *lower, double *upper);

/* Whether log hyper-parameters from a file can be used: they are finite, and so are the squares of their exponentials.
 */
bool fcps_gp_hyper_usable(int count, const double *hyper);

/* Returns the log density of the prior up to a constant; 0 if the prior is flat. Adds the derivatives of the log density
 * to `gradient`, unless `gradient` is NULL. */
double fcps_gp_hyper_log_prior(const fcps_hyper_prior *prior, int dim, const double *hyper, double *gradient);

/* -- Rows and outputs -- */

typedef struct fcps_gp {
  int dim;
  const fcps_kernel *kernel;
  int count;          /* rows */
  int factored;       /* how many rows the factor has; at most `count` */
  int base;           /* how many rows the last full factorization had */
  int capacity;       /* room for this many rows; leading dimension of `factor`, stride of `inputs` */
  double *hyper;      /* FCPS_HYPER_COUNT(dim) */
  double *inputs;     /* structure of arrays: input d of row i is inputs[d*capacity + i] */
  double *scaled;     /* the same divided by the length-scales; 0 for words */
  fcps_tables tables; /* distances between words, of inputs that are words */
  double *factor;     /* L, column-major, lower */
  double jitter;      /* the number that the last full factorization added to the diagonal */
  double *noise;      /* of each row: noise variance in addition to sn^2 (model/gps.h), unit scale; mostly 0 */
  double usual_noise; /* the same for future rows */
} fcps_gp;

/* How outputs are normalized before a GP is fitted to them: a mean is subtracted, and the rest is divided by a scale. */
typedef enum fcps_gp_mean { FCPS_MEAN_CENTRED, FCPS_MEAN_GLS, FCPS_MEAN_ZERO } fcps_gp_mean;
typedef enum fcps_gp_scaling {
  FCPS_SCALING_EACH,   /* divide each output by its standard deviation */
  FCPS_SCALING_SHARED, /* divide all by one standard deviation, that of all outputs together */
  FCPS_SCALING_NONE,
  FCPS_SCALING_METRIC /* as SHARED, after each output was multiplied by its weight; without weights, as EACH */
} fcps_gp_scaling;
typedef struct fcps_gp_norm {
  fcps_gp_mean mean;
  fcps_gp_scaling scaling;
  const double *weights; /* for METRIC: one factor per output that makes the outputs comparable; NULL: there are none.
                            An output of weight 0 has a scale of its own, and hyper-parameters are fitted without it. */
  int aside_count;       /* the number of rows that offset and scale leave out */
  const int *aside;      /* their numbers, in any order */
  int pair_count;        /* pairs of outputs that share a scale, whatever the scaling: planar vectors that turn */
  const int *pairs;      /* their members, two by two */
  const bool *idle;      /* further outputs that hyper-parameters are not fitted to; NULL: there are none */
} fcps_gp_norm;

/* Whether hyper-parameters are fitted to this output. */
bool fcps_gp_norm_counts(const fcps_gp_norm *norm, int output);

/* Return the name of mean or scaling number `index`, NULL past the last one. */
const char *fcps_gp_mean_name(int index);
const char *fcps_gp_scaling_name(int index);

/* The outputs of the rows, conditioned: alpha = K^-1 (y - offset)/scale for each of `outputs` columns over the first
 * `count` rows. Rows beyond `count` have inputs but no output (pending trials): they reduce the variance and do not
 * change the mean. */
typedef struct fcps_gp_outputs {
  int outputs, count;
  double *alpha;          /* count x outputs, column-major */
  double *offset, *scale; /* one per output */
} fcps_gp_outputs;

fcps_status fcps_gp_create(fcps_gp **gp, int dim, const fcps_kernel *kernel);
/* Creates a GP with the inputs and the kernel of another one, without its rows. */
fcps_status fcps_gp_create_like(fcps_gp **gp, const fcps_gp *other);
fcps_status fcps_gp_copy(const fcps_gp *gp, fcps_gp **copy);
void fcps_gp_destroy(fcps_gp *gp);

/* Sets the hyper-parameters and drops the factor. */
void fcps_gp_set_hyper(fcps_gp *gp, const double *hyper);

/* Sets the distances between words, and drops the factor. */
fcps_status fcps_gp_set_tables(fcps_gp *gp, const fcps_tables *tables);

/* Returns 1/l_d if the input is a number; 0 if it is a word, because a table has the distances between words. */
double fcps_gp_inverse_length(const fcps_gp *gp, int input);

/* Sets the noise variance in addition to sn^2, for the first `rows` rows and for all others (`usual`), and drops the
 * factor. */
void fcps_gp_set_noise(fcps_gp *gp, int rows, const double *noise, double usual);

/* Returns the prior variance sf^2 of the function without noise. */
double fcps_gp_signal_variance(const fcps_gp *gp);

/* Returns the noise variance to expect of one more row: sn^2 plus the usual noise. */
double fcps_gp_noise(const fcps_gp *gp);

/* The first function writes the inputs of a row. The second returns the squared distance of two rows, in length-scales.
 */
void fcps_gp_row(const fcps_gp *gp, int row, double *inputs);
double fcps_gp_squared_distance(const fcps_gp *gp, int a, int b);

/* Adds a row of `dim` inputs. The factor does not include it before fcps_gp_grow or fcps_gp_factorize. */
fcps_status fcps_gp_add(fcps_gp *gp, const double *input);

/* Drops all rows from `count` on, also from the factor. */
void fcps_gp_truncate(fcps_gp *gp, int count);

/* Factorizes the first `rows` rows, with jitter if needed; sets `base`. */
fcps_status fcps_gp_factorize(fcps_gp *gp, int rows);

/* Grows the factor to all rows, one by one, in O(n^2) each. If a row cannot be added, factorizes all rows. */
fcps_status fcps_gp_grow(fcps_gp *gp);

/* Conditions on outputs y (count x outputs, column-major) of the first `count` rows, which must be in the factor. Frees
 * what `result` held before; it starts zeroed. */
fcps_status fcps_gp_condition(const fcps_gp *gp, fcps_gp_norm norm, int count, int outputs, const double *y,
                              fcps_gp_outputs *result);
void fcps_gp_outputs_destroy(fcps_gp_outputs *outputs);

/* Computes offset and scale of the outputs. With FCPS_MEAN_GLS the offset is that of centred outputs, because the GLS
 * estimate needs the factor. The scale has a lower limit, so that constant outputs can be used. */
void fcps_gp_normalize(fcps_gp_norm norm, int count, int outputs, const double *y, double *offset, double *scale);

/* The smallest variance that is predicted. If a computed variance is smaller, this one is returned, with gradient 0. */
#define FCPS_VARIANCE_FLOOR 1e-12

#endif
