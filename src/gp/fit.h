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
  /* The number of points at which a search begins. The first is the last optimum, the second the prior's centre, the
   * third a point at which nearly everything is noise, the others are draws from the prior. If the prior expects little
   * noise, searches from the others seldom reach an optimum of much noise. */
  int starts;
  int budget;   /* the most evaluations of the likelihood per start */
  int samples;  /* if > 1, models use this many samples of the posterior instead of its optimum (fcps_gp_sample) */
  int coarse;   /* if there are more rows, the starts are compared on this many of them; 0: a hundred */
  bool is_near; /* the last optimum was found on some of the rows, so that few evaluations are needed now */
} fcps_fit_settings;

/* The smallest number of starts that includes the point at which nearly everything is noise. */
enum { FCPS_FIT_NOISY_STARTS = 3 };

/* How a fit ended. Whatever the result, the hyper-parameters can be used. */
typedef enum fcps_fit_result {
  FCPS_FIT_OK,
  FCPS_FIT_KEPT,   /* no start gave a finite likelihood: the old hyper-parameters are kept */
  FCPS_FIT_DEFAULT /* the old hyper-parameters cannot be used either, so the prior's centre is used */
} fcps_fit_result;

/* Returns the name of result number `index`, NULL past the last one. */
const char *fcps_fit_result_name(int index);

/* The most rows that a fit uses. Far fewer rows already determine the hyper-parameters, and the cost of a fit grows
 * with the cube of the rows. If there are more rows, this many are used, evenly spread over their order. */
#define FCPS_FIT_ROWS 1000

/* Fits the hyper-parameters of `gp` to the data and factorizes the data's rows with them. */
fcps_status fcps_gp_fit(fcps_gp *gp, const fcps_gp_data *data, fcps_fit_settings settings, fcps_rng rng,
                        fcps_fit_result *result);

/* -- Samples -- */

/* Draws hyper-parameters from their posterior by slice sampling [neal2003], one coordinate after the other. The same
 * random numbers give the same samples. */

/* Returns the log density up to a constant; -INFINITY if the density is 0 or unknown. */
typedef double fcps_log_density_fn(void *user, const double *x);

typedef struct fcps_density {
  int n;
  fcps_log_density_fn *value;
  void *user;
  const double *lower, *upper; /* outside these bounds the density is 0 */
  const double *width;         /* roughly how wide the density is along each coordinate */
} fcps_density;

/* Draws every coordinate of x anew, once. *value must be the log density at x, which must be finite; it is updated. */
void fcps_slice_sweep(const fcps_density *density, double *x, double *value, fcps_rng *rng);

/* Draws `count` samples (rows of hyper-parameters) from the posterior given the data. Each sample is one sweep after
 * the one before. The prior must not be flat. The chain starts at `start` and drops its first `burn` sweeps. If the
 * density is 0 at `start`, the chain starts at the prior's centre; if it is 0 there too, every sample is the centre. */
fcps_status fcps_gp_sample(const fcps_gp *gp, const fcps_gp_data *data, const double *start, int burn, int count,
                           fcps_rng rng, double *samples);

#endif
