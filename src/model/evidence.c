/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the evidence for a description: fits it to a copy of the rows, so that the model stays as it is. */
#include "model/evidence.h"

#include "base/memory.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double log_two_pi = 1.8378770664093453;

/* -- Rows -- */

void fcps_sample_close(fcps_sample *sample)
{
  free(sample->source);
  free(sample->features);
  free(sample->doubted);
  *sample = (fcps_sample){0};
}

/* Sets the resolution of each outcome to a share of its standard deviation. */
static void find_resolution(fcps_sample *s, double share)
{
  const size_t q = (size_t)s->look->layout->outputs, n = (size_t)s->count;
  for (size_t o = 0; o < q && share > 0.0; o++) {
    double mean = 0.0, sum = 0.0;
    for (size_t i = 0; i < n; i++)
      mean += s->outcomes[i * q + o] / (double)n;
    for (size_t i = 0; i < n; i++)
      sum += (s->outcomes[i * q + o] - mean) * (s->outcomes[i * q + o] - mean) / (double)n;
    s->resolution[o] = share * sqrt(sum);
  }
}

fcps_status fcps_sample_open(fcps_sample *sample, const fcps_look *look, const fcps_structure_kind *judge, int most)
{
  const fcps_layout *layout = look->layout;
  const int all = look->rollouts->count, count = all < most ? all : most, q = layout->outputs;
  const size_t n = (size_t)count, features = (size_t)layout->features;
  *sample = (fcps_sample){.look = look,
                          .count = count,
                          .source = fcps_allocate(n, sizeof(int)),
                          .features = fcps_allocate(n * (features + (size_t)q) + (size_t)q, sizeof(double)),
                          .doubted = fcps_allocate(n + (size_t)q, sizeof(bool))};
  if (sample->source == NULL || sample->features == NULL || sample->doubted == NULL) {
    fcps_sample_close(sample);
    return FCPS_ERR_MEMORY;
  }
  sample->outcomes = sample->features + n * features;
  sample->resolution = sample->outcomes + n * (size_t)q;
  sample->idle = sample->doubted + n;
  for (int i = 0; i < count; i++) {
    sample->source[i] = (int)((int64_t)i * all / count);
    fcps_layout_rollout(layout, look->rollouts, sample->source[i], sample->features + (size_t)i * features);
    fcps_layout_outcome(layout, look->rollouts, sample->source[i], sample->outcomes + (size_t)i * (size_t)q);
    sample->doubted[i] = fcps_description_doubts(look->description, sample->source[i]);
  }
  for (int o = 0; o < q; o++)
    sample->idle[o] = judge != NULL && judge->counts != NULL && !judge->counts(layout, o);
  find_resolution(sample, judge != NULL ? judge->resolution : 0.0);
  return FCPS_OK;
}

/* -- A trial -- */

/* A description to be fitted, with its GPs and their data. The GPs have all rows of the sample, except results at rest
 * (in which nothing moved). */
typedef struct trial {
  const fcps_sample *sample;
  const fcps_description *description;
  fcps_gps gps;
  fcps_hyper_prior prior;
  fcps_gp_norm norm;
  int rows;
  int *row;   /* for each row of the GPs: its number in the sample */
  int *aside; /* rows of the GPs that are left out of offsets and scales */
  double *y;  /* outputs of all rows: rows x outputs */
} trial;

static void close_trial(trial *t)
{
  fcps_gps_destroy(&t->gps);
  free(t->row);
  free(t->aside);
  free(t->y);
}

/* Returns the extra noise of a row: the sum of the part that does not depend on the description, and of the part that
 * the description expects at the place of the row. */
static double noise_of(const trial *t, int gp, int row, const double *inputs)
{
  const fcps_gps *live = t->sample->look->gps;
  const fcps_structure_kind *kind;
  double sum = fcps_description_noise_at(t->description, gp, inputs);
  for (int source = 0; (kind = fcps_structure_kind_at(source)) != NULL; source++)
    if (kind->noise_at == NULL && kind->rests == NULL)
      sum += fcps_gps_noise_at(live, source, live->count == t->gps.count ? gp : 0, t->sample->source[row]);
  return sum;
}

static void find_rows(trial *t)
{
  const fcps_sample *s = t->sample;
  const fcps_rollouts *rollouts = s->look->rollouts;
  t->norm.aside_count = 0;
  for (int i = 0; i < s->count; i++) {
    const int source = s->source[i];
    if (fcps_description_rests(t->description, fcps_rollouts_environment(rollouts, source),
                               fcps_rollouts_outcome(rollouts, source)))
      continue;
    if (s->doubted[i]) t->aside[t->norm.aside_count++] = t->rows;
    t->row[t->rows++] = i;
  }
  t->norm.aside = t->aside;
}

static fcps_status add_rows(trial *t)
{
  const fcps_sample *s = t->sample;
  const fcps_layout *layout = s->look->layout;
  const size_t q = (size_t)layout->outputs, n = (size_t)t->rows;
  double *inputs = fcps_allocate((size_t)t->description->inputs + q, sizeof(double));
  if (inputs == NULL) return FCPS_ERR_MEMORY;
  double *outcome = inputs + t->description->inputs;
  fcps_status status = FCPS_OK;
  for (size_t i = 0; i < n && status == FCPS_OK; i++) {
    const size_t row = (size_t)t->row[i];
    memcpy(outcome, s->outcomes + row * q, q * sizeof(double));
    fcps_description_see(t->description, layout, s->features + row * (size_t)layout->features, s->source[row], inputs,
                         outcome);
    status = fcps_gps_add(&t->gps, inputs);
    for (int g = 0; g < t->gps.count && status == FCPS_OK; g++)
      t->gps.gp[g]->noise[i] = noise_of(t, g, (int)row, inputs);
    for (size_t o = 0; o < q; o++)
      t->y[o * n + i] = outcome[o];
  }
  free(inputs);
  return status;
}

static fcps_status open_trial(trial *t, const fcps_sample *sample, const fcps_description *description)
{
  *t = (trial){.sample = sample, .description = description, .prior = fcps_description_prior(description)};
  t->norm = fcps_description_norm(description, sample->look->layout);
  t->row = fcps_allocate((size_t)sample->count, sizeof(int));
  t->aside = fcps_allocate((size_t)sample->count, sizeof(int));
  t->y = fcps_allocate((size_t)sample->count * (size_t)description->outputs, sizeof(double));
  double *centre = fcps_allocate((size_t)FCPS_HYPER_COUNT(description->inputs), sizeof(double));
  const bool has_room = centre != NULL && t->y != NULL && t->row != NULL && t->aside != NULL;
  fcps_status status = has_room ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    find_rows(t);
    fcps_gp_hyper_centre(&t->prior, description->inputs, centre);
    status = fcps_gps_create(&t->gps, description->gps, description->inputs, description->kernel, &description->tables,
                             centre);
  }
  if (status == FCPS_OK) status = add_rows(t);
  free(centre);
  return status;
}

/* Adds the squared resolution to the noise of all rows of a GP, so that smaller differences count as noise. */
static void blur(trial *t, int index, int each, const double *scale)
{
  double variance = 0.0;
  for (int o = 0; o < each; o++) {
    const double share = t->sample->resolution[index * each + o] / scale[o];
    variance += share * share / each;
  }
  for (int i = 0; i < t->rows; i++)
    t->gps.gp[index]->noise[i] += variance;
}

/* -- Laplace's approximation -- */

/* Computes the negative second derivatives of the log posterior at `hyper`, by differences of gradients. */
static void find_curvature(fcps_likelihood *likelihood, int k, const double *hyper, double *at, double *gradients,
                           double *curvature)
{
  static const double step = 1e-3;
  double *here = gradients, *ahead = gradients + k;
  memcpy(at, hyper, (size_t)k * sizeof(double));
  fcps_likelihood_value(likelihood, at, here);
  for (int i = 0; i < k; i++) {
    at[i] = hyper[i] + step;
    fcps_likelihood_value(likelihood, at, ahead);
    at[i] = hyper[i];
    for (int j = 0; j < k; j++)
      curvature[i * k + j] = (here[j] - ahead[j]) / step;
  }
  for (int i = 0; i < k; i++)
    for (int j = 0; j < i; j++)
      curvature[i * k + j] = curvature[j * k + i] = 0.5 * (curvature[i * k + j] + curvature[j * k + i]);
}

fcps_status fcps_evidence_width(int n, double *matrix, double least, double *half_log_determinant)
{
  double *values = fcps_allocate((size_t)(n + fcps_eigen_work(n)), sizeof(double));
  if (values == NULL) return FCPS_ERR_MEMORY;
  const fcps_status status = fcps_eigen_symmetric(n, matrix, n, values, values + n);
  *half_log_determinant = 0.0;
  for (int i = 0; i < n && status == FCPS_OK; i++)
    *half_log_determinant += 0.5 * log(fmax(least, values[i]));
  free(values);
  return status;
}

/* Computes log|H|/2 at `hyper`. Eigenvalues are at least 0.3, a third of those of a prior with deviation 1. */
static fcps_status find_width(fcps_likelihood *likelihood, int k, const double *hyper, double *width)
{
  const size_t n = (size_t)k;
  double *curvature = fcps_allocate(n * n + 3 * n, sizeof(double)), *at = curvature + n * n;
  if (curvature == NULL) return FCPS_ERR_MEMORY;
  find_curvature(likelihood, k, hyper, at, at + n, curvature);
  const fcps_status status = fcps_evidence_width(k, curvature, 0.3, width);
  free(curvature);
  return status;
}

/* Returns the constants of the log density of the prior, which gp/likelihood.c leaves out. */
static double prior_constant(const fcps_hyper_prior *prior, int inputs)
{
  if (prior->is_flat) return 0.0;
  return -0.5 * FCPS_HYPER_COUNT(inputs) * log_two_pi - inputs * log(prior->length_sd) - log(prior->signal_sd) -
         log(prior->noise_sd);
}

/* -- Evidence -- */

/* Fits one GP to its outputs and adds its part of the evidence to *nats. */
static fcps_status add_gp(trial *t, int index, fcps_evidence_effort effort, double *hyper, double *nats)
{
  const fcps_look *look = t->sample->look;
  const int rows = t->rows, each = t->description->outputs / t->gps.count, inputs = t->description->inputs;
  const int k = FCPS_HYPER_COUNT(inputs);
  fcps_gp *gp = t->gps.gp[index];
  fcps_gp_data data = {.rows = rows,
                       .outputs = each,
                       .y = t->y + (size_t)(index * each) * (size_t)rows,
                       .norm = t->norm,
                       .prior = &t->prior};
  data.norm.idle = t->sample->idle + index * each;
  const fcps_fit_settings fit = {.starts = effort.starts, .budget = look->fit.budget};
  fcps_likelihood *likelihood = NULL;
  fcps_fit_result result;
  double width = 0.0, *scale = fcps_allocate(2 * (size_t)each, sizeof(double));
  if (t->gps.count > 1 && data.norm.idle[0]) {
    free(scale);
    return FCPS_OK;
  }
  fcps_status status = scale != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) {
    fcps_gp_normalize(data.norm, rows, each, data.y, scale + each, scale);
    blur(t, index, each, scale);
    fcps_gp_set_hyper(gp, hyper);
    status = fcps_gp_fit(gp, &data, fit, (fcps_rng){0}, &result);
  }
  if (status == FCPS_OK) status = fcps_likelihood_create(&likelihood, gp, &data);
  if (status == FCPS_OK) {
    memcpy(hyper, gp->hyper, (size_t)k * sizeof(double));
    *nats += fcps_likelihood_value(likelihood, hyper, NULL) + prior_constant(&t->prior, inputs) + 0.5 * k * log_two_pi;
    for (int o = 0; o < each; o++)
      if (fcps_gp_norm_counts(&data.norm, o)) *nats -= rows * log(scale[o]);
    if (t->gps.count > 1 || *nats > effort.least) status = find_width(likelihood, k, hyper, &width);
    *nats -= width;
  }
  fcps_likelihood_destroy(likelihood);
  free(scale);
  return status;
}

/* Adds the log likelihood of the results that structures explain themselves, without GPs. */
static fcps_status add_explained(const fcps_sample *s, const fcps_description *description, double *nats)
{
  const fcps_structure_kind *kind;
  fcps_status status = FCPS_OK;
  for (int i = 0; (kind = fcps_structure_kind_at(i)) != NULL && status == FCPS_OK; i++) {
    double explained = 0.0;
    if (!fcps_description_has(description, i) || kind->explain == NULL) continue;
    status = kind->explain(s->look, description->structures[i].state, s->count, s->source, s->resolution, &explained);
    *nats += explained;
  }
  return status;
}

/* Returns the sum of the log priors of all structures. */
static double find_priors(const fcps_sample *sample, const fcps_description *description)
{
  const fcps_structure_kind *kind;
  double sum = 0.0;
  for (int i = 0; (kind = fcps_structure_kind_at(i)) != NULL; i++)
    if (fcps_description_has(description, i) && kind->log_prior != NULL)
      sum += kind->log_prior(sample->look->layout, description->structures[i].state);
  return sum;
}

fcps_status fcps_evidence_of(const fcps_sample *sample, const fcps_description *description,
                             fcps_evidence_effort effort, double *hyper, double *nats)
{
  trial t;
  const int k = FCPS_HYPER_COUNT(description->inputs);
  *nats = 0.0;
  fcps_status status = open_trial(&t, sample, description);
  for (int g = 0; g < description->gps && status == FCPS_OK; g++)
    status = add_gp(&t, g, effort, hyper + (size_t)g * (size_t)k, nats);
  if (status == FCPS_OK) status = add_explained(sample, description, nats);
  *nats += find_priors(sample, description);
  close_trial(&t);
  if (status != FCPS_OK || !isfinite(*nats)) *nats = -INFINITY;
  return status == FCPS_ERR_MEMORY ? status : FCPS_OK;
}

/* -- Noise -- */

/* Returns the log of the integral over g of exp(value(g)); `values` has value(g) at the points of a grid. */
static double log_integral(int count, const double *values, double step)
{
  double most = -INFINITY, sum = 0.0;
  for (int i = 0; i < count; i++)
    most = fmax(most, values[i]);
  for (int i = 0; i < count; i++)
    sum += exp(values[i] - most);
  return most + log(sum * step);
}

static bool counts(const trial *t, int output)
{
  return !t->sample->idle[output] && fcps_gp_norm_counts(&t->norm, output);
}

/* Returns the log evidence that outputs first ... last - 1 are noise of deviation exp(g) scale, with g ~ N(0, 1). */
static double noise_of_outputs(const trial *t, int first, int last, const double *offset, const double *scale)
{
  enum { POINTS = 141 };
  static const double lower = -4.0, step = 0.05;
  const size_t n = (size_t)t->rows;
  const double *noise = t->gps.gp[0]->noise;
  double values[POINTS], lost = 0.0, counted = 0.0, *squares = fcps_allocate(n, sizeof(double));
  if (squares == NULL) return -INFINITY;
  for (int o = first; o < last; o++) {
    if (!counts(t, o)) continue;
    counted += 1.0;
    lost += (double)n * log(scale[o]);
    for (size_t i = 0; i < n; i++) {
      const double r = (t->y[(size_t)o * n + i] - offset[o]) / scale[o];
      squares[i] += r * r;
    }
  }
  for (int k = 0; k < POINTS; k++) {
    const double g = lower + k * step, even = exp(2.0 * g);
    double log_variance = 2.0 * g;
    values[k] = -0.5 * g * g - 0.5 * log_two_pi;
    for (size_t i = 0; i < n; i++) {
      if (i == 0 ? noise[i] != 0.0 : noise[i] != noise[i - 1]) log_variance = log(even + noise[i]);
      values[k] -= 0.5 * (counted * (log_two_pi + log_variance) + squares[i] / (even + noise[i]));
    }
  }
  free(squares);
  return log_integral(POINTS, values, step) - lost;
}

double fcps_evidence_of_noise(const fcps_sample *sample, const fcps_description *plain)
{
  trial t;
  const int q = plain->outputs;
  double all = -INFINITY, each = 0.0, *offset = fcps_allocate(2 * (size_t)q, sizeof(double));
  fcps_status status = open_trial(&t, sample, plain);
  if (offset != NULL && status == FCPS_OK) {
    fcps_gp_norm norm = t.norm;
    fcps_gp_normalize(norm, t.rows, q, t.y, offset, offset + q);
    all = noise_of_outputs(&t, 0, q, offset, offset + q);
    norm.scaling = FCPS_SCALING_EACH;
    fcps_gp_normalize(norm, t.rows, q, t.y, offset, offset + q);
    for (int o = 0; o < q; o++)
      if (counts(&t, o)) each += noise_of_outputs(&t, o, o + 1, offset, offset + q);
    all = fmax(all, each) + find_priors(sample, plain);
    status = add_explained(sample, plain, &all);
  }
  close_trial(&t);
  free(offset);
  return status == FCPS_OK ? all : -INFINITY;
}
