/* SPDX-License-Identifier: Apache-2.0 */
/* Hyper-parameters of a Gaussian process: their layout, the variances that they stand for, and their prior.
 *
 * They are log l_1 ... log l_dim, log sf, log sn, for inputs in the unit cube and outputs of unit scale. This is the
 * only header that knows the layout's end; length-scales are read as hyper[d] everywhere.
 */
#ifndef FCPS_GP_HYPER_H
#define FCPS_GP_HYPER_H

#include <stdbool.h>

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

/* Log density of the prior up to a constant, 0 where it is flat. Adds its derivatives to `gradient`, where not NULL. */
double fcps_gp_hyper_log_prior(const fcps_hyper_prior *prior, int dim, const double *hyper, double *gradient);

#endif
