/* SPDX-License-Identifier: Apache-2.0 */
/* UCB is linear in mean and deviation, so that their averages give the average of it. */
#include "model/composite/ensemble.h"

#include <string.h>

enum { PASS = FCPS_POSTERIOR_BLOCK };

static int length_of(const fcps_posterior *posterior)
{
  int count = 0;
  for (; posterior != NULL; posterior = posterior->next)
    count++;
  return count;
}

/* One view of the list answers alone: detaches it, and attaches it again with what it noted passed on. */
static fcps_posterior *detach(fcps_posterior *posterior)
{
  fcps_posterior *next = posterior->next;
  posterior->next = NULL;
  return next;
}
static void attach(fcps_posterior *first, fcps_posterior *posterior, fcps_posterior *next)
{
  posterior->next = next;
  fcps_posterior_note(first, posterior->failure);
}

static void add(int count, double share, const double *from, double *to)
{
  for (int i = 0; i < count; i++)
    to[i] += share * from[i];
}

static void clear(int count, double *values)
{
  if (values != NULL) memset(values, 0, (size_t)count * sizeof(double));
}

void fcps_ensemble_predict(fcps_posterior *posterior, int count, const double *x, double *mean, double *deviation)
{
  const size_t width = (size_t)posterior->model->parameters.count;
  const double share = 1.0 / length_of(posterior);
  clear(count, mean);
  clear(count, deviation);
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    double *means = posterior->mixed, *deviations = deviation != NULL ? means + PASS : NULL;
    for (fcps_posterior *v = posterior; v != NULL; v = v->next) {
      fcps_posterior *next = detach(v);
      fcps_posterior_moments(v, block, x + (size_t)start * width, means, deviations);
      attach(posterior, v, next);
      add(block, share, means, mean + start);
      if (deviation != NULL) add(block, share, deviations, deviation + start);
    }
  }
}

void fcps_ensemble_gradient(fcps_posterior *posterior, const double *x, double *mean, double *deviation,
                            double *mean_gradient, double *deviation_gradient)
{
  const int n = posterior->model->parameters.count;
  const double share = 1.0 / length_of(posterior);
  double m, s, *by_mean = posterior->mixed, *by_deviation = by_mean + n;
  *mean = 0.0;
  if (deviation != NULL) *deviation = 0.0;
  clear(n, mean_gradient);
  if (deviation != NULL) clear(n, deviation_gradient);
  for (fcps_posterior *v = posterior; v != NULL; v = v->next) {
    fcps_posterior *next = detach(v);
    fcps_posterior_gradient(v, x, &m, deviation != NULL ? &s : NULL, by_mean, deviation != NULL ? by_deviation : NULL);
    attach(posterior, v, next);
    *mean += share * m;
    add(n, share, by_mean, mean_gradient);
    if (deviation == NULL) continue;
    *deviation += share * s;
    add(n, share, by_deviation, deviation_gradient);
  }
}

void fcps_ensemble_expect(fcps_posterior *posterior, const fcps_utility *utility, int count, const double *x,
                          double *values)
{
  const size_t width = (size_t)posterior->model->parameters.count;
  const double share = 1.0 / length_of(posterior);
  clear(count, values);
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    for (fcps_posterior *v = posterior; v != NULL; v = v->next) {
      fcps_posterior *next = detach(v);
      fcps_posterior_expect(v, utility, block, x + (size_t)start * width, posterior->mixed);
      attach(posterior, v, next);
      add(block, share, posterior->mixed, values + start);
    }
  }
}

double fcps_ensemble_expect_gradient(fcps_posterior *posterior, const fcps_utility *utility, const double *x,
                                     double *gradient)
{
  const int n = posterior->model->parameters.count;
  const double share = 1.0 / length_of(posterior);
  double value = 0.0;
  clear(n, gradient);
  for (fcps_posterior *v = posterior; v != NULL; v = v->next) {
    fcps_posterior *next = detach(v);
    value += share * fcps_posterior_expect_gradient(v, utility, x, posterior->mixed);
    attach(posterior, v, next);
    add(n, share, posterior->mixed, gradient);
  }
  return value;
}
