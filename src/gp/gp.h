/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian-process regression [rasmussen2006, Ch. 2].
 *
 * The inputs with their factorization (fcps_gp) are apart from the outputs (fcps_gp_outputs). The kernel matrix does
 * not contain the target, so one factorization K + sn^2 I = L L' serves the rewards of every target, each at the price
 * of two triangular solves.
 *
 * The factor grows as rows are added. The last full factorization had `base` rows. `count` and `base` are saved, so a
 * copy that is rebuilt from the same rows has the same bits. Several threads may call const functions at once, each
 * with its own work space. */
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
  bool is_flat;             /* maximum likelihood: the prior is only its bounds */
  double length, length_sd; /* log l ~ N(log length, length_sd^2) */
  const double *stretch;    /* a factor of `length` for each input; NULL: all factors are 1 */
  /* the upper tail of a length is exponential from one deviation on, so that an input may have no effect */
  bool has_long_tail;
  double signal, signal_sd; /* log sf ~ N(log signal, signal_sd^2) */
  double noise, noise_sd;   /* log sn ~ N(log noise, noise_sd^2) */
  double noise_floor;       /* the smallest sn */
  bool noise_may_vanish;    /* the prior of log sn is flat below its centre, because the rows have noise of their own */
} fcps_hyper_prior;

/* Write the centre of the prior, and its bounds, as logarithms of the hyper-parameters. */
void fcps_gp_hyper_centre(const fcps_hyper_prior *prior, int dim, double *hyper);
void fcps_gp_hyper_bounds(const fcps_hyper_prior *prior, int dim, double *lower, double *upper);

/* Whether log hyper-parameters from a file can be used: they and the squares of their exponentials are finite. */
bool fcps_gp_hyper_usable(int count, const double *hyper);

/* Returns the log density of the prior up to a constant; 0 if the prior is flat. Adds the derivatives of the log
 * density to `gradient`, unless it is NULL. */
double fcps_gp_hyper_log_prior(const fcps_hyper_prior *prior, int dim, const double *hyper, double *gradient);

/* -- Rows and outputs -- */

typedef struct fcps_gp {
  int dim;
  const fcps_kernel *kernel;
  int count;          /* number of rows */
  int factored;       /* number of rows in the factor; at most `count` */
  int base;           /* number of rows in the last full factorization */
  int capacity;       /* room for this many rows; also the leading dimension of `factor` and the stride of `inputs` */
  double *hyper;      /* FCPS_HYPER_COUNT(dim) logarithms */
  double *inputs;     /* input d of row i is inputs[d*capacity + i] */
  double *scaled;     /* the inputs divided by their length-scales, in the same layout; 0 for inputs that are words */
  fcps_tables tables; /* for inputs that are words: the distances between the words */
  double *factor;     /* L, lower triangle, column-major */
  double jitter;      /* the number that the last full factorization added to the diagonal */
  double *noise;      /* per row: noise variance in addition to sn^2 (model/gps.h), in unit scale; mostly 0 */
  double usual_noise; /* the same for rows that will be added */
} fcps_gp;

/* How outputs are normalized before a GP is fitted to them: a mean is subtracted, and the rest divided by a scale. */
typedef enum fcps_gp_mean { FCPS_MEAN_CENTRED, FCPS_MEAN_GLS, FCPS_MEAN_ZERO } fcps_gp_mean;
typedef enum fcps_gp_scaling {
  FCPS_SCALING_EACH,   /* divide each output by its standard deviation */
  FCPS_SCALING_SHARED, /* divide all by one standard deviation, that of all outputs together */
  FCPS_SCALING_NONE,
  FCPS_SCALING_METRIC /* as SHARED, after each output was multiplied by its weight; as EACH if there are no weights */
} fcps_gp_scaling;
typedef struct fcps_gp_norm {
  fcps_gp_mean mean;
  fcps_gp_scaling scaling;
  /* for METRIC: one factor per output that makes the outputs comparable; NULL: no weights. An output of weight 0 has
   * its own scale, and hyper-parameters are fitted without it. */
  const double *weights;
  int aside_count;  /* rows aside are left out when offset and scale are computed; this is their number */
  const int *aside; /* the numbers of these rows, in any order */
  /* number of pairs of outputs that share a scale, whatever the scaling: planar vectors, which may be turned */
  int pair_count;
  const int *pairs; /* the two outputs of each pair */
  const bool *idle; /* flags of further outputs to which hyper-parameters are not fitted; NULL: no such output */
} fcps_gp_norm;

/* Whether hyper-parameters are fitted to this output. */
bool fcps_gp_norm_counts(const fcps_gp_norm *norm, int output);

/* Return the name of mean or scaling number `index`; NULL past the last one. */
const char *fcps_gp_mean_name(int index);
const char *fcps_gp_scaling_name(int index);

/* The outputs of the rows after conditioning: alpha = K^-1 (y - offset)/scale for each of `outputs` columns over the
 * first `count` rows. Rows from `count` on have inputs but no output (pending trials): they reduce the variance but do
 * not change the mean. */
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

/* Sets the noise variance in addition to sn^2: `noise` for the first `rows` rows, `usual` for all others. Drops the
 * factor. */
void fcps_gp_set_noise(fcps_gp *gp, int rows, const double *noise, double usual);

/* Returns sf^2, the prior variance of the function, without noise. */
double fcps_gp_signal_variance(const fcps_gp *gp);

/* Returns the expected noise variance of one more row: sn^2 plus the usual additional noise. */
double fcps_gp_noise(const fcps_gp *gp);

/* fcps_gp_row writes the inputs of a row. fcps_gp_squared_distance returns the squared distance of two rows, in
 * length-scales. */
void fcps_gp_row(const fcps_gp *gp, int row, double *inputs);
double fcps_gp_squared_distance(const fcps_gp *gp, int a, int b);

/* Adds a row of `dim` inputs. The factor does not include it before fcps_gp_grow or fcps_gp_factorize. */
fcps_status fcps_gp_add(fcps_gp *gp, const double *input);

/* Drops all rows from row number `count` on, also from the factor. */
void fcps_gp_truncate(fcps_gp *gp, int count);

/* Factorizes the first `rows` rows, with jitter if needed; sets `base`. */
fcps_status fcps_gp_factorize(fcps_gp *gp, int rows);

/* Grows the factor to all rows, one by one, in O(n^2) each. If a row cannot be added to the factor, factorizes all
 * rows. */
fcps_status fcps_gp_grow(fcps_gp *gp);

/* Conditions on outputs y (count x outputs, column-major) of the first `count` rows, which must be in the factor.
 * `result` must be zeroed before its first use; its former contents are freed. */
fcps_status fcps_gp_condition(const fcps_gp *gp, fcps_gp_norm norm, int count, int outputs, const double *y,
                              fcps_gp_outputs *result);
void fcps_gp_outputs_destroy(fcps_gp_outputs *outputs);

/* Computes offset and scale of the outputs. With FCPS_MEAN_GLS the offset is the mean of the outputs, as if they were
 * centred, because the GLS estimate needs the factor. The scale has a lower limit, so that constant outputs can be used. */
void fcps_gp_normalize(fcps_gp_norm norm, int count, int outputs, const double *y, double *offset, double *scale);

/* The smallest variance that is predicted. If a computed variance is smaller, this one is returned, with gradient 0. */
#define FCPS_VARIANCE_FLOOR 1e-12

#endif
