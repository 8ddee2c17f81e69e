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

#include "gp/kernels/kernel.h"
#include "gp/tables.h"

#include <fcps/base.h>

#include <stdbool.h>

/* -- Hyper-parameters -- */

/* Their layout, the variances that they stand for, and their prior. They are log l_1 ... log l_dim, log sf, log sn, for inputs in the unit cube and outputs of unit scale. This is the
 * only header that knows the layout's end; length-scales are read as hyper[d] everywhere.
 */

#define FCPS_HYPER_COUNT(dim) ((dim) + 2)

/* sf^2 and sn^2. */
double fcps_gp_hyper_signal_variance(int dim, const double *hyper);
double fcps_gp_hyper_noise_variance(int dim, const double *hyper);

/* Log-normal priors. The bounds also hold for maximum likelihood. */
typedef struct fcps_hyper_prior {
  bool is_flat;             /* maximum likelihood: bounds only */
  double length, length_sd; /* log l ~ N(log length, length_sd^2) */
  const double *stretch;    /* NULL, or for each input a factor of `length` */
  bool has_long_tail;       /* beyond one deviation above, exponential: an input may turn out not to matter */
  double signal, signal_sd; /* log sf */
  double noise, noise_sd;   /* log sn */
  double noise_floor;       /* least sn */
  bool noise_may_vanish;    /* below its centre sn is as likely as there: rows say themselves how noisy they are */
} fcps_hyper_prior;

/* log hyper-parameters at the prior's centre, and their bounds. */
void fcps_gp_hyper_centre(const fcps_hyper_prior *prior, int dim, double *hyper);
void fcps_gp_hyper_bounds(const fcps_hyper_prior *prior, int dim, double *lower, double *upper);

/* Whether log hyper-parameters, of a file, stand for numbers: finite, and so are the squares of their
 * exponentials. */
bool fcps_gp_hyper_usable(int count, const double *hyper);

/* Log density of the prior up to a constant, 0 if it is flat. Adds its derivatives to `gradient`, if not NULL. */
double fcps_gp_hyper_log_prior(const fcps_hyper_prior *prior, int dim, const double *hyper, double *gradient);

/* -- Rows and outputs -- */

typedef struct fcps_gp {
  int dim;
  const fcps_kernel *kernel;
  int count;          /* rows */
  int factored;       /* rows in the factor; at most `count` */
  int base;           /* rows of the last full factorization */
  int capacity;       /* rows there is room for; leading dimension of `factor`, stride of `inputs` */
  double *hyper;      /* FCPS_HYPER_COUNT(dim) */
  double *inputs;     /* structure of arrays: input d of row i is inputs[d*capacity + i] */
  double *scaled;     /* the same divided by the length-scales; 0 for words */
  fcps_tables tables; /* of inputs that are words */
  double *factor;     /* L, column-major, lower */
  double jitter;      /* what the last full factorization had to add to the diagonal */
  double *noise;      /* of each row: variance beyond sn^2 (model/gps.h), unit scale; mostly 0 */
  double usual_noise; /* the same of rows to come */
} fcps_gp;

/* How outputs are brought to zero mean and unit scale before the kernel sees them. */
typedef enum fcps_gp_mean { FCPS_MEAN_CENTRED, FCPS_MEAN_GLS, FCPS_MEAN_ZERO } fcps_gp_mean;
typedef enum fcps_gp_scaling {
  FCPS_SCALING_EACH,   /* divide each output by its standard deviation */
  FCPS_SCALING_SHARED, /* all by that of all of them together */
  FCPS_SCALING_NONE,
  FCPS_SCALING_METRIC /* the same after each was multiplied by its weight, where there are weights; else each */
} fcps_gp_scaling;
typedef struct fcps_gp_norm {
  fcps_gp_mean mean;
  fcps_gp_scaling scaling;
  const double *weights; /* METRIC: what makes outputs comparable, one number per output; NULL: nothing does. An output
                            of weight 0 has a scale of its own, and hyper-parameters are fitted without it. */
  int aside_count;       /* rows that offset and scale do not look at */
  const int *aside;      /* their numbers, in any order */
  int pair_count;        /* pairs of outputs that share a scale, whatever the scaling: planar vectors that turn */
  const int *pairs;      /* their members, two by two */
  const bool *idle;      /* outputs that hyper-parameters are not fitted to either; NULL: none */
} fcps_gp_norm;

/* Whether hyper-parameters are fitted to this output. */
bool fcps_gp_norm_counts(const fcps_gp_norm *norm, int output);

/* Their names, in the order of the enumerations; NULL past the end. */
const char *fcps_gp_mean_name(int index);
const char *fcps_gp_scaling_name(int index);

/* What the rows were worth: alpha = K^-1 (y - offset)/scale for each of `outputs` columns over the first `count` rows.
 * Rows beyond `count` are known inputs without output (pending trials): they reduce the variance, not the mean. */
typedef struct fcps_gp_outputs {
  int outputs, count;
  double *alpha;          /* count x outputs, column-major */
  double *offset, *scale; /* one per output */
} fcps_gp_outputs;

fcps_status fcps_gp_create(fcps_gp **gp, int dim, const fcps_kernel *kernel);
/* The same with the inputs and the kernel of another GP, without its rows. */
fcps_status fcps_gp_create_like(fcps_gp **gp, const fcps_gp *other);
fcps_status fcps_gp_copy(const fcps_gp *gp, fcps_gp **copy);
void fcps_gp_destroy(fcps_gp *gp);

/* Sets the hyper-parameters and drops the factor. */
void fcps_gp_set_hyper(fcps_gp *gp, const double *hyper);

/* Sets how far words are from each other, and drops the factor. */
fcps_status fcps_gp_set_tables(fcps_gp *gp, const fcps_tables *tables);

/* 1/l_d of a number; 0 of words, whose distance is in a table. */
double fcps_gp_inverse_length(const fcps_gp *gp, int input);

/* Sets the noise beyond sn^2 of the first `rows` rows and that of all others, and drops the factor. */
void fcps_gp_set_noise(fcps_gp *gp, int rows, const double *noise, double usual);

/* Prior variance of the latent function, sf^2. */
double fcps_gp_signal_variance(const fcps_gp *gp);

/* Variance of the noise to expect of one more row: sn^2 and what rows usually have beyond it. */
double fcps_gp_noise(const fcps_gp *gp);

/* The inputs of a row; and the squared distance of two rows in length-scales. */
void fcps_gp_row(const fcps_gp *gp, int row, double *inputs);
double fcps_gp_squared_distance(const fcps_gp *gp, int a, int b);

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

/* Least variance that is told from zero: below it the variance counts as this, and its gradient as 0. */
#define FCPS_VARIANCE_FLOOR 1e-12

#endif
