/* SPDX-License-Identifier: Apache-2.0 */
/* Hyper-parameters as a distribution: slice sampling [neal2003] of their posterior, one coordinate after the other. The
 * same random numbers give the same chain. */
#ifndef FCPS_GP_SLICE_H
#define FCPS_GP_SLICE_H

#include "base/rng.h"
#include "gp/likelihood.h"

/* Log density up to a constant; -INFINITY where there is none. */
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

/* `count` samples (rows of hyper-parameters) from the posterior given the data, whose prior must not be flat, one sweep
 * apart. The chain starts at `start` and forgets its first `burn` sweeps. Where `start` has no density the prior's
 * centre is the start, and where that has none it is every sample. */
fcps_status fcps_gp_sample(const fcps_gp *gp, const fcps_gp_data *data, const double *start, int burn, int count,
                           fcps_rng rng, double *samples);

#endif
