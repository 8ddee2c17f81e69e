/* SPDX-License-Identifier: Apache-2.0 */
/* Type II maximum likelihood with a prior [rasmussen2006, Sec. 5.4.1]: L-BFGS-B within the bounds of the prior, from
 * each start; the best result is kept. The starts include the last optimum and the prior's centre: from the last
 * optimum alone a fit can stay at a bad optimum, and from the centre alone hyper-parameters jump from fit to fit. */
#include "gp/fit.h"

#include "base/memory.h"
#include "base/settings.h"
#include "optim/optim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A search from a start ends with a step that gains less than this share of the likelihood. That is some hundredths of
 * a nat, far too little to prefer one set of hyper-parameters to another. */
static const double smallest_gain = 1e-4;

/* A few rows show which start is the best. So if there are many rows, the starts are compared on COARSE_ROWS of them.
 * Then one search with more rows begins at the best, with at most FINE_BUDGET evaluations. It gets NEAR_BUDGET if the
 * caller found the start with other doubted rows or with another noise (is_near). */
enum { COARSE_ROWS = 100, FINE_BUDGET = 6, NEAR_BUDGET = 12 };

const char *fcps_fit_result_name(int index)
{
  static const char *const names[] = {[FCPS_FIT_OK] = "ok", [FCPS_FIT_KEPT] = "kept", [FCPS_FIT_DEFAULT] = "default"};
  return fcps_choice_at((int)(sizeof names / sizeof *names), names, index);
}

static double objective(void *user, int n, const double *x, double *gradient)
{
  (void)n;
  return fcps_likelihood_value(user, x, gradient);
}

/* The scale of the deviations of signal and noise: 1 if outputs have unit scale, or if a prior says how large they are.
 * Otherwise it is the root mean square of the outputs. */
static double size_of(const fcps_gp_data *data)
{
  if (data->norm.scaling != FCPS_SCALING_NONE || !data->prior->is_flat) return 1.0;
  const size_t count = (size_t)data->rows * (size_t)data->outputs;
  double squares = 0.0;
  for (size_t i = 0; i < count; i++)
    squares += data->y[i] * data->y[i] / (double)count;
  return fmax(1.0, sqrt(squares));
}

/* Writes starting point number `start`: 0 is the last optimum, 1 the prior's centre, 2 a point at which nearly
 * everything is noise. Further ones are draws from the prior. */
static void starting_point(const fcps_gp *gp, const fcps_gp_data *data, int start, fcps_rng *rng, double *x)
{
  const fcps_hyper_prior *prior = data->prior;
  const int count = FCPS_HYPER_COUNT(gp->dim);
  if (start == 0) {
    memcpy(x, gp->hyper, (size_t)count * sizeof(double));
    return;
  }
  fcps_gp_hyper_centre(prior, gp->dim, x);
  x[gp->dim] += log(size_of(data));
  if (start == 1) return;
  if (start == 2) { /* nearly everything is noise at this point (fit.h) */
    x[gp->dim] -= 1.0;
    x[gp->dim + 1] = log(0.9 * size_of(data));
    return;
  }
  for (int d = 0; d < gp->dim; d++)
    x[d] += prior->length_sd * fcps_rng_normal(rng);
  x[gp->dim] += prior->signal_sd * fcps_rng_normal(rng);
  x[gp->dim + 1] += prior->noise_sd * fcps_rng_normal(rng);
}

/* The search for the hyper-parameters of a GP. */
typedef struct hyper_search {
  const fcps_gp *gp;
  const fcps_gp_data *data;
  fcps_fit_settings settings;
  fcps_rng rng;
  double *scratch; /* scratch for three points */
  double *best;    /* the best point */
  double value;    /* its value; -INFINITY: no point was found */
} hyper_search;

/* The scale by which the likelihood of many rows is divided; 0 for few rows: no scaling. The first step of a search is
 * the gradient, which grows with the number of rows. Unscaled, that step ends at the bounds, and one to three
 * evaluations are lost. (With 1,000 rows of the cannon, 12 scaled evaluations reach what 25 unscaled ones reach.) */
static double scale_of(int outputs, int rows)
{
  return rows > COARSE_ROWS ? 3.0 * rows * outputs : 0.0;
}

/* Searches from every start for the hyper-parameters of `rows` rows and keeps the best point. */
static void try_all_starts(hyper_search *s, int rows, fcps_likelihood *likelihood)
{
  const fcps_gp *gp = s->gp;
  const int count = FCPS_HYPER_COUNT(gp->dim);
  double *lower = s->scratch, *upper = lower + count, *x = upper + count;
  const fcps_objective problem = {
      .n = count, .value = objective, .value_scale = scale_of(s->data->outputs, rows), .user = likelihood};
  fcps_rng rng = s->rng;
  s->value = -INFINITY;
  fcps_gp_hyper_bounds(s->data->prior, gp->dim, lower, upper);
  for (int i = gp->dim; i < count; i++)
    upper[i] += log(size_of(s->data));
  for (int start = 0; start < s->settings.starts; start++) {
    fcps_optimum optimum;
    starting_point(gp, s->data, start, &rng, x);
    for (int i = 0; i < count; i++)
      x[i] = fmin(fmax(x[i], lower[i]), upper[i]);
    if (start == 1 && memcmp(x, gp->hyper, (size_t)count * sizeof(double)) == 0) continue; /* the same as start 0 */
    if (fcps_lbfgsb_maximize_box(&problem, lower, upper, s->settings.budget, smallest_gain, x, &optimum) != FCPS_OK)
      continue;
    const bool has_value = optimum.value > -DBL_MAX; /* -DBL_MAX means that no value was finite */
    if (has_value && optimum.value > s->value) {
      s->value = optimum.value;
      memcpy(s->best, x, (size_t)count * sizeof(double));
    }
  }
}

/* Copies at most `most` rows, evenly spread over their order, to a new GP, and their outputs to `y`. */
static fcps_status choose_rows(const fcps_gp *gp, const fcps_gp_data *data, int most, fcps_gp **sample, double *y)
{
  fcps_status status = fcps_gp_create_like(sample, gp);
  double *row = fcps_allocate((size_t)gp->dim, sizeof(double));
  if (row == NULL) status = FCPS_ERR_MEMORY;
  for (int i = 0; i < most && status == FCPS_OK; i++) {
    const size_t from = (size_t)i * (size_t)data->rows / (size_t)most;
    fcps_gp_row(gp, (int)from, row);
    for (int o = 0; o < data->outputs; o++)
      y[(size_t)o * (size_t)most + (size_t)i] = data->y[(size_t)o * (size_t)data->rows + from];
    status = fcps_gp_add(*sample, row);
    if (status == FCPS_OK) (*sample)->noise[i] = gp->noise[from];
  }
  free(row);
  return status;
}

/* Writes which of the chosen rows are left out of the normalization (`aside` of fcps_gp_norm), by their numbers among
 * the chosen rows. Returns how many these are. */
static int choose_aside(const fcps_gp_data *data, int most, int *aside)
{
  int count = 0;
  for (int i = 0; i < most; i++)
    for (int k = 0; k < data->norm.aside_count; k++)
      if ((size_t)data->norm.aside[k] == (size_t)i * (size_t)data->rows / (size_t)most) aside[count++] = i;
  return count;
}

/* Searches for the hyper-parameters of at most `most` rows. */
static fcps_status find_hyper(hyper_search *s, int most)
{
  const fcps_gp *gp = s->gp;
  const fcps_gp_data *data = s->data;
  fcps_likelihood *likelihood = NULL;
  fcps_gp *sample = NULL;
  double *y = NULL;
  int *aside = NULL;
  fcps_status status = FCPS_OK;
  if (data->rows <= most) {
    status = fcps_likelihood_create(&likelihood, gp, data);
  } else {
    y = fcps_allocate((size_t)data->outputs * (size_t)most, sizeof(double));
    aside = fcps_allocate((size_t)data->norm.aside_count, sizeof(int));
    status = y != NULL && aside != NULL ? choose_rows(gp, data, most, &sample, y) : FCPS_ERR_MEMORY;
    fcps_gp_data chosen = *data;
    chosen.rows = most;
    chosen.y = y;
    chosen.norm.aside = aside;
    if (aside != NULL) chosen.norm.aside_count = choose_aside(data, most, aside);
    if (status == FCPS_OK) status = fcps_likelihood_create(&likelihood, sample, &chosen);
  }
  if (status == FCPS_OK) try_all_starts(s, data->rows < most ? data->rows : most, likelihood);
  fcps_likelihood_destroy(likelihood);
  fcps_gp_destroy(sample);
  free(y);
  free(aside);
  return status;
}

static fcps_status find_hyper_in_steps(hyper_search *s, fcps_gp *gp)
{
  const int coarse = s->settings.coarse > 0 ? s->settings.coarse : COARSE_ROWS;
  const bool has_many = s->data->rows > coarse, is_coarse = s->settings.starts > 1 && has_many;
  if (is_coarse) {
    const fcps_status status = find_hyper(s, coarse);
    if (status != FCPS_OK || !isfinite(s->value)) return status;
    fcps_gp_set_hyper(gp, s->best);
    s->settings.starts = 1;
  }
  const int fine = is_coarse ? FINE_BUDGET : s->settings.is_near && has_many ? NEAR_BUDGET : s->settings.budget;
  if (s->settings.budget > fine) s->settings.budget = fine;
  return find_hyper(s, FCPS_FIT_ROWS);
}

fcps_status fcps_gp_fit(fcps_gp *gp, const fcps_gp_data *data, fcps_fit_settings settings, fcps_rng rng,
                        fcps_fit_result *result)
{
  const int count = FCPS_HYPER_COUNT(gp->dim);
  double *scratch = fcps_allocate(4 * (size_t)count, sizeof(double));
  if (scratch == NULL) return FCPS_ERR_MEMORY;
  double *best = scratch + 3 * count;
  hyper_search search = {.gp = gp, .data = data, .settings = settings, .rng = rng, .scratch = scratch, .best = best};
  fcps_status status = find_hyper_in_steps(&search, gp);
  if (status == FCPS_OK) {
    *result = FCPS_FIT_KEPT;
    if (isfinite(search.value)) {
      *result = FCPS_FIT_OK;
      fcps_gp_set_hyper(gp, best);
    }
    status = fcps_gp_factorize(gp, data->rows);
    if (status == FCPS_ERR_NOT_POSITIVE || status == FCPS_ERR_NOT_FINITE) {
      *result = FCPS_FIT_DEFAULT;
      fcps_gp_hyper_centre(data->prior, gp->dim, best);
      fcps_gp_set_hyper(gp, best);
      status = fcps_gp_factorize(gp, data->rows);
    }
  }
  free(scratch);
  return status;
}

/* -- Samples -- */

/* Slice sampling of one coordinate [neal2003, Sec. 4]. It draws a level below the density at x. The slice is the set
 * where the density is above the level. An interval around x is extended until both ends are outside the slice
 * ("stepping out", Fig. 3). Then points are drawn from the interval, which shrinks towards x, until a point is in the
 * slice (Fig. 5). The current point always has a finite density. If no point of the slice is found, the coordinate does
 * not change. */

/* The most steps outwards on each side, and the most shrinkages: more than any search in a bounded box needs. */
enum { MOST_STEPS = 20, MOST_SHRINKS = 100 };

/* Returns the log density at x with coordinate i replaced by `at`. */
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

/* The arrays of a chain: bounds, widths, and the current point. */
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
