/* SPDX-License-Identifier: Apache-2.0 */
/* The prior of hyper-parameters. Each coordinate is independent: log h ~ N(log centre, sd^2), where the upper tail of a
 * length-scale may be exponential from one deviation on, continued with the same value and slope, and the lower tail of
 * the noise may be flat from the centre on, down to its floor. */
#include "gp/hyper.h"

#include <math.h>
#include <stddef.h>

/* Below the lower bound neighbours in the unit cube know nothing of each other; above the upper one an input is
 * ignored. */
static const double length_lower = 0.03, length_upper = 10.0;

bool fcps_gp_hyper_usable(int count, const double *hyper)
{
  const double most = 300.0; /* the square of its exponential is still a number, and so is its inverse */
  for (int i = 0; i < count; i++)
    if (!(fabs(hyper[i]) <= most)) return false;
  return true;
}

double fcps_gp_hyper_signal_variance(int dim, const double *hyper)
{
  return exp(2.0 * hyper[dim]);
}

double fcps_gp_hyper_noise_variance(int dim, const double *hyper)
{
  return exp(2.0 * hyper[dim + 1]);
}

static double length_of(const fcps_hyper_prior *prior, int d)
{
  return prior->stretch != NULL ? prior->length * prior->stretch[d] : prior->length;
}

void fcps_gp_hyper_centre(const fcps_hyper_prior *prior, int dim, double *hyper)
{
  for (int d = 0; d < dim; d++)
    hyper[d] = log(length_of(prior, d));
  hyper[dim] = log(prior->signal);
  hyper[dim + 1] = log(fmax(prior->noise, prior->noise_floor));
}

void fcps_gp_hyper_bounds(const fcps_hyper_prior *prior, int dim, double *lower, double *upper)
{
  for (int d = 0; d < dim; d++) {
    lower[d] = log(length_lower);
    upper[d] = log(length_upper);
  }
  lower[dim] = log(0.05);
  upper[dim] = log(20.0);
  lower[dim + 1] = log(prior->noise_floor);
  upper[dim + 1] = 0.0;
}

/* Log density of a normal up to its constant; adds its derivative. */
static double log_normal_term(double value, double centre, double sd, double *gradient)
{
  const double z = (value - log(centre)) / sd;
  if (gradient != NULL) *gradient -= z / sd;
  return -0.5 * z * z;
}

/* The same for a length, whose upper tail may be exponential. */
static double log_length_term(const fcps_hyper_prior *prior, int d, double value, double *gradient)
{
  const double length = length_of(prior, d), z = (value - log(length)) / prior->length_sd;
  if (!prior->has_long_tail || z <= 1.0) return log_normal_term(value, length, prior->length_sd, gradient);
  if (gradient != NULL) *gradient -= 1.0 / prior->length_sd;
  return 0.5 - z;
}

double fcps_gp_hyper_log_prior(const fcps_hyper_prior *prior, int dim, const double *hyper, double *gradient)
{
  if (prior->is_flat) return 0.0;
  double sum = 0.0;
  for (int d = 0; d < dim; d++)
    sum += log_length_term(prior, d, hyper[d], gradient != NULL ? gradient + d : NULL);
  sum += log_normal_term(hyper[dim], prior->signal, prior->signal_sd, gradient != NULL ? gradient + dim : NULL);
  const bool is_free = prior->noise_may_vanish && hyper[dim + 1] < log(prior->noise);
  if (!is_free)
    sum += log_normal_term(hyper[dim + 1], prior->noise, prior->noise_sd, gradient != NULL ? gradient + dim + 1 : NULL);
  return sum;
}
