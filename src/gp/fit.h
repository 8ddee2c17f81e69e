/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing hyper-parameters: maximum a posteriori, or maximum likelihood if the prior is flat, from several starts.
 *
 * A fit never leaves a GP worse off: whatever happens, its hyper-parameters are usable and its factor belongs to them.
 * The same data, hyper-parameters and random numbers give the same bits. */
#ifndef FCPS_GP_FIT_H
#define FCPS_GP_FIT_H

#include "base/rng.h"
#include "gp/likelihood.h"

typedef struct fcps_fit_settings {
  int starts; /* 1: the last optimum; 2: and the prior's centre; 3: and one where nearly everything is noise, which a search
                  from a prior of little noise seldom finds; more: and draws from the prior */
  int budget;  /* evaluations of the likelihood per start */
  int samples; /* of the posterior, in place of its optimum, if > 1; for models (fcps_gp_sample) */
  int coarse;  /* rows by which starts are compared if there are more; 0: a hundred */
} fcps_fit_settings;

/* The starts that find out whether there is anything but noise. */
enum { FCPS_FIT_NOISY_STARTS = 3 };

/* How a fit ended; every ending leaves usable hyper-parameters. */
typedef enum fcps_fit_result {
  FCPS_FIT_OK,
  FCPS_FIT_KEPT,   /* no start gave a finite likelihood: the old hyper-parameters stay */
  FCPS_FIT_DEFAULT /* nor did they: the prior's centre is used */
} fcps_fit_result;

/* Their names, in the order of the enumeration; NULL past the end. */
const char *fcps_fit_result_name(int index);

/* A fit looks at no more rows than this: hyper-parameters are settled long before, and its cost is their number cubed.
 * Of more rows it takes this many, evenly spread over their order. */
#define FCPS_FIT_ROWS 1000

/* Fits the hyper-parameters of `gp` to the data and factorizes the data's rows with them. */
fcps_status fcps_gp_fit(fcps_gp *gp, const fcps_gp_data *data, fcps_fit_settings settings, fcps_rng rng,
                        fcps_fit_result *result);

/* -- Samples -- */

/* Hyper-parameters as a distribution: slice sampling [neal2003] of their posterior, one coordinate after the other. The
 * same random numbers give the same chain. */

/* Log density up to a constant; -INFINITY if there is none. */
typedef double fcps_log_density_fn(void *user, const double *x);

typedef struct fcps_density {
  int n;
  fcps_log_density_fn *value;
  void *user;
  const double *lower, *upper; /* the density is 0 outside */
  const double *width;         /* about as wide as the density, one per coordinate */
} fcps_density;

/* Replaces every coordinate of x once; *value is the log density at x, finite, and is kept so. */
void fcps_slice_sweep(const fcps_density *density, double *x, double *value, fcps_rng *rng);

/* `count` samples (rows of hyper-parameters) from the posterior given the data, whose prior must not be flat, one
 * sweep apart. The chain starts at `start` and forgets its first `burn` sweeps. If `start` has no density, the
 * chain starts at the prior's centre; if that has none either, every sample is the centre. */
fcps_status fcps_gp_sample(const fcps_gp *gp, const fcps_gp_data *data, const double *start, int burn, int count,
                           fcps_rng rng, double *samples);

#endif
