/* SPDX-License-Identifier: Apache-2.0 */
/* Slice sampling of one coordinate [neal2003, Sec. 4]: a level below the density at x, an interval around x that is
 * stepped out until it ends outside the slice (Fig. 3), and shrinkage towards x until a point of the slice is found
 * (Fig. 5). The current point always has a finite density; where none can be found the coordinate stays. */
#include "gp/slice.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Steps outwards on each side, and shrinkages: more than ever needed, because the density is bounded in a box. */
enum { MOST_STEPS = 20, MOST_SHRINKS = 100 };

/* The log density with coordinate i of x at `at`. */
static double value_at(const fcps_density *d, double *x, int i, double at)
{
  if (!(at > d->lower[i] && at < d->upper[i])) return -INFINITY;
  const double kept = x[i];
  x[i] = at;
  const double value = d->value(d->user, x);
  x[i] = kept;
  return isnan(value) ? -INFINITY : value;
}

/* Moves coordinate i to a uniform point of the slice { density > level }. */
static void move_coordinate(const fcps_density *d, int i, double *x, double *value, fcps_rng *rng)
{
  const double level = *value + log(fcps_rng_uniform(rng));

  /* stepping out */
  double left = x[i] - d->width[i] * fcps_rng_uniform(rng), right = left + d->width[i];
  for (int s = 0; s < MOST_STEPS && value_at(d, x, i, left) > level; s++)
    left -= d->width[i];
  for (int s = 0; s < MOST_STEPS && value_at(d, x, i, right) > level; s++)
    right += d->width[i];

  /* shrinkage */
  for (int s = 0; s < MOST_SHRINKS; s++) {
    const double at = left + (right - left) * fcps_rng_uniform(rng), found = value_at(d, x, i, at);
    if (found > level) {
      x[i] = at;
      *value = found;
      return;
    }
    if (at < x[i])
      left = at;
    else
      right = at;
  }
}

void fcps_slice_sweep(const fcps_density *density, double *x, double *value, fcps_rng *rng)
{
  for (int i = 0; i < density->n; i++)
    move_coordinate(density, i, x, value, rng);
}

static double log_posterior(void *user, const double *x)
{
  return fcps_likelihood_value(user, x, NULL);
}

/* The numbers of a chain: bounds, widths, and where it is. */
typedef struct chain {
  double *lower, *upper, *width, *x;
} chain;

static void begin(const fcps_gp *gp, const fcps_hyper_prior *prior, const double *start, fcps_likelihood *likelihood,
                  chain *c, double *value)
{
  const int count = FCPS_HYPER_COUNT(gp->dim);
  fcps_gp_hyper_bounds(prior, gp->dim, c->lower, c->upper);
  for (int i = 0; i < count; i++)
    c->width[i] = i < gp->dim ? prior->length_sd : i == gp->dim ? prior->signal_sd : prior->noise_sd;
  memcpy(c->x, start, (size_t)count * sizeof(double));
  *value = fcps_likelihood_value(likelihood, c->x, NULL);
  if (isfinite(*value)) return;
  fcps_gp_hyper_centre(prior, gp->dim, c->x);
  *value = fcps_likelihood_value(likelihood, c->x, NULL);
}

fcps_status fcps_gp_sample(const fcps_gp *gp, const fcps_gp_data *data, const double *start, int burn, int count,
                           fcps_rng rng, double *samples)
{
  const size_t n = (size_t)FCPS_HYPER_COUNT(gp->dim);
  double value, *numbers = fcps_allocate(4 * n, sizeof(double));
  if (numbers == NULL) return FCPS_ERR_MEMORY;
  chain c = {numbers, numbers + n, numbers + 2 * n, numbers + 3 * n};
  fcps_likelihood *likelihood = NULL;
  const fcps_status status = fcps_likelihood_create(&likelihood, gp, data);
  if (status == FCPS_OK) {
    begin(gp, data->prior, start, likelihood, &c, &value);
    const fcps_density density = {(int)n, log_posterior, likelihood, c.lower, c.upper, c.width};
    for (int s = -burn; s < count; s++) {
      if (isfinite(value)) fcps_slice_sweep(&density, c.x, &value, &rng);
      if (s >= 0) memcpy(samples + (size_t)s * n, c.x, n * sizeof(double));
    }
  }
  fcps_likelihood_destroy(likelihood);
  free(numbers);
  return status;
}
