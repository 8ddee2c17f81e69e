/* SPDX-License-Identifier: Apache-2.0 */
/* UCB is linear in mean and deviation, so that their averages give the average of it. */
#include "model/chain.h"

#include <string.h>

enum { PASS = FCPS_VIEW_PASS };

static int length_of(const fcps_view *view)
{
  int count = 0;
  for (; view != NULL; view = view->next)
    count++;
  return count;
}

/* One view of the list answers alone: detaches it, and attaches it again with what it noted passed on. */
static fcps_view *detach(fcps_view *view)
{
  fcps_view *next = view->next;
  view->next = NULL;
  return next;
}
static void attach(fcps_view *first, fcps_view *view, fcps_view *next)
{
  view->next = next;
  fcps_view_note(first, view->failure);
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

void fcps_mixture_predict(fcps_view *view, int count, const double *unit, double *mean, double *deviation)
{
  const size_t width = (size_t)view->model->parameters.count;
  const double share = 1.0 / length_of(view);
  clear(count, mean);
  clear(count, deviation);
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    double *means = view->mixed, *deviations = deviation != NULL ? means + PASS : NULL;
    for (fcps_view *v = view; v != NULL; v = v->next) {
      fcps_view *next = detach(v);
      fcps_view_predict(v, block, unit + (size_t)start * width, means, deviations);
      attach(view, v, next);
      add(block, share, means, mean + start);
      if (deviation != NULL) add(block, share, deviations, deviation + start);
    }
  }
}

void fcps_mixture_gradient(fcps_view *view, const double *unit, double *mean, double *deviation, double *mean_gradient,
                           double *deviation_gradient)
{
  const int n = view->model->parameters.count;
  const double share = 1.0 / length_of(view);
  double m, s, *by_mean = view->mixed, *by_deviation = by_mean + n;
  *mean = 0.0;
  if (deviation != NULL) *deviation = 0.0;
  clear(n, mean_gradient);
  if (deviation != NULL) clear(n, deviation_gradient);
  for (fcps_view *v = view; v != NULL; v = v->next) {
    fcps_view *next = detach(v);
    fcps_view_gradient(v, unit, &m, deviation != NULL ? &s : NULL, by_mean, deviation != NULL ? by_deviation : NULL);
    attach(view, v, next);
    *mean += share * m;
    add(n, share, by_mean, mean_gradient);
    if (deviation == NULL) continue;
    *deviation += share * s;
    add(n, share, by_deviation, deviation_gradient);
  }
}

void fcps_mixture_improvement(fcps_view *view, double best, int count, const double *unit, double *values)
{
  const size_t width = (size_t)view->model->parameters.count;
  const double share = 1.0 / length_of(view);
  clear(count, values);
  for (int start = 0; start < count; start += PASS) {
    const int block = count - start < PASS ? count - start : PASS;
    for (fcps_view *v = view; v != NULL; v = v->next) {
      fcps_view *next = detach(v);
      fcps_view_improvement(v, best, block, unit + (size_t)start * width, view->mixed);
      attach(view, v, next);
      add(block, share, view->mixed, values + start);
    }
  }
}

double fcps_mixture_improvement_gradient(fcps_view *view, double best, const double *unit, double *gradient)
{
  const int n = view->model->parameters.count;
  const double share = 1.0 / length_of(view);
  double value = 0.0;
  clear(n, gradient);
  for (fcps_view *v = view; v != NULL; v = v->next) {
    fcps_view *next = detach(v);
    value += share * fcps_view_improvement_gradient(v, best, unit, view->mixed);
    attach(view, v, next);
    add(n, share, view->mixed, gradient);
  }
  return value;
}
