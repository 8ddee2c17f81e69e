/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing hyper-parameters: maximum a posteriori, or maximum likelihood if the prior is flat, from several starts.
 *
 * After a fit, whatever its result, the GP has usable hyper-parameters and a factor that belongs to them. The same
 * data, hyper-parameters and random numbers give the same bits. */
#ifndef FCPS_GP_FIT_H
#define FCPS_GP_FIT_H

#include "base/rng.h"
#include "gp/likelihood.h"

typedef struct fcps_fit_settings {
  /* the number of points at which a search begins: first the last optimum, then the prior's centre, then a point where
   * nearly everything is noise, then draws from the prior. A prior of little noise seldom leads to the third. */
  int starts;
  int budget;   /* evaluations of the likelihood per start */
  int samples;  /* if > 1, models use this many samples of the posterior instead of its optimum (fcps_gp_sample) */
  int coarse;   /* with more rows than this, the starts are compared on this many of the rows; 0: a hundred */
  bool is_near; /* the last optimum is that of some of the rows: the others need few evaluations */
} fcps_fit_settings;

/* The number of starts that includes the one where nearly everything is noise. */
enum { FCPS_FIT_NOISY_STARTS = 3 };

/* How a fit ended; every ending leaves usable hyper-parameters. */
typedef enum fcps_fit_result {
  FCPS_FIT_OK,
  FCPS_FIT_KEPT,   /* no start gave a finite likelihood: the old hyper-parameters are kept */
  FCPS_FIT_DEFAULT /* the old ones cannot be used either: the prior's centre is used */
} fcps_fit_result;

/* Returns the name of result number `index`, NULL past the last one. */
const char *fcps_fit_result_name(int index);

/* The most rows that a fit uses. Hyper-parameters are settled long before, and the cost of a fit grows with the cube of
 * the rows. If there are more, this many are used, evenly spread over their order. */
#define FCPS_FIT_ROWS 1000

/* Fits the hyper-parameters of `gp` to the data and factorizes the data's rows with them. */
fcps_status fcps_gp_fit(fcps_gp *gp, const fcps_gp_data *data, fcps_fit_settings settings, fcps_rng rng,
                        fcps_fit_result *result);

/* -- Samples -- */

/* Hyper-parameters as a distribution: slice sampling [neal2003] of their posterior, one coordinate after the other. The
 * same random numbers give the same samples. */

/* Returns the log density up to a constant; -INFINITY if the density is 0 or unknown. */
typedef double fcps_log_density_fn(void *user, const double *x);

typedef struct fcps_density {
  int n;
  fcps_log_density_fn *value;
  void *user;
  const double *lower, *upper; /* the density is 0 outside */
  const double *width;         /* about the width of the density along each coordinate */
} fcps_density;

/* Draws every coordinate of x once anew. *value is the log density at x, which must be finite; it is updated. */
void fcps_slice_sweep(const fcps_density *density, double *x, double *value, fcps_rng *rng);

/* Draws `count` samples (rows of hyper-parameters) from the posterior given the data, one sweep apart. The prior must
 * not be flat. The chain starts at `start` and drops its first `burn` sweeps. If the density is 0 at `start`, the chain
 * starts at the prior's centre; if it is 0 there too, every sample is the centre. */
fcps_status fcps_gp_sample(const fcps_gp *gp, const fcps_gp_data *data, const double *start, int burn, int count,
                           fcps_rng rng, double *samples);

#endif
