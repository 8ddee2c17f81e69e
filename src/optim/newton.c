/* SPDX-License-Identifier: Apache-2.0 */
/* Many maximizations in lockstep. Each is a Newton search with Marquardt's damping [marquardt1963]: a step maximizes
 * the quadratic model in the cube, with a multiple of the curvature's diagonal added; coordinates that reach a face
 * stay there and the others are solved for again. The damping follows the gain [nielsen1999].
 */
#include "base/memory.h"
#include "optim/optim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Damping of the first step, and where damping is given up: no step gains anything. */
static const double first_damping = 1e-3, most_damping = 1e10;

/* No coordinate moves further at once: a quadratic model says little about the other end of the cube. */
static const double longest_step = 0.1;

/* A search gives up when it is behind the best of its group by so many times the gain that it expects next, or within
 * this distance of a better one (times sqrt(n)). */
static const double hopeless = 4.0, same_hill = 0.05;

/* One search; n numbers each, or n x n. */
typedef struct search {
  double value, damping, growth; /* growth: of the damping, when the next step fails */
  double expected;               /* gain of the step to `trial` */
  double value_scale;            /* of the tolerance */
  double *x, *gradient, *curvature;
  double *trial; /* not wrapped; its step from x is trial - x */
  int evaluations;
  bool is_done;
} search;

/* What all searches share: scratch for one step, and the points of one round. */
typedef struct crowd {
  const fcps_newton_objective *objective;
  int n;
  search *searches;
  double *numbers; /* owns everything below and the searches' arrays */
  double *factor, *step, *change;
  int *which;
  double *points, *values, *gradients, *curvatures;
  bool *is_free;
} crowd;

static bool set_up(crowd *c, const fcps_newton_objective *objective)
{
  const size_t n = (size_t)objective->n, m = (size_t)objective->searches, square = n * n;
  c->objective = objective;
  c->n = objective->n;
  c->searches = fcps_allocate(m, sizeof *c->searches);
  c->which = fcps_allocate(m, sizeof *c->which);
  c->is_free = fcps_allocate(n, sizeof *c->is_free);
  c->numbers = fcps_allocate(m * (5 * n + 2 * square + 1) + square + 2 * n, sizeof(double));
  if (c->searches == NULL || c->which == NULL || c->is_free == NULL || c->numbers == NULL) return false;
  double *next = c->numbers;
  for (size_t i = 0; i < m; i++) {
    search *s = &c->searches[i];
    s->x = next;
    s->gradient = s->x + n;
    s->trial = s->gradient + n;
    s->curvature = s->trial + n;
    next = s->curvature + square;
  }
  c->factor = next;
  c->step = c->factor + square;
  c->change = c->step + n;
  c->points = c->change + n;
  c->gradients = c->points + m * n;
  c->curvatures = c->gradients + m * n;
  c->values = c->curvatures + m * square;
  return true;
}

static void tear_down(crowd *c)
{
  free(c->searches);
  free(c->which);
  free(c->is_free);
  free(c->numbers);
}

/* -- The step -- */

static bool wraps(const crowd *c, int d)
{
  return c->objective->wraps != NULL && c->objective->wraps[d];
}

/* Solves (curvature + damping) step = gradient for the free coordinates, the others having moved by `step` already.
 * false where the matrix is not positive definite. */
static bool solve_free(crowd *c, const search *s)
{
  const int n = c->n;
  double *l = c->factor, *step = c->step, largest = 0.0;
  for (int i = 0; i < n; i++)
    largest = fmax(largest, fabs(s->curvature[i * n + i]));
  for (int i = 0; i < n; i++) {
    if (!c->is_free[i]) continue;
    double right = s->gradient[i];
    for (int j = 0; j < n; j++)
      if (!c->is_free[j]) right -= s->curvature[i * n + j] * step[j];
    for (int j = 0; j <= i; j++) {
      if (!c->is_free[j]) continue;
      double sum = s->curvature[i * n + j];
      if (i == j) sum += s->damping * fmax(fabs(sum), 1e-6 * largest);
      for (int k = 0; k < j; k++)
        if (c->is_free[k]) sum -= l[i * n + k] * l[j * n + k];
      if (j < i) {
        l[i * n + j] = sum / l[j * n + j];
        right -= l[i * n + j] * c->change[j];
      } else if (sum > 1e-14 * largest) {
        l[i * n + i] = sqrt(sum);
      } else {
        return false;
      }
    }
    c->change[i] = right / l[i * n + i]; /* the forward substitution */
  }
  for (int i = n - 1; i >= 0; i--) {
    if (!c->is_free[i]) continue;
    double sum = c->change[i];
    for (int k = i + 1; k < n; k++)
      if (c->is_free[k]) sum -= l[k * n + i] * step[k];
    step[i] = sum / l[i * n + i];
  }
  return true;
}

/* Stops free coordinates at the faces of the cube and after the longest step. Whether any was. */
static bool clip(crowd *c, const search *s)
{
  bool clipped = false;
  for (int d = 0; d < c->n; d++) {
    const double low = wraps(c, d) ? -longest_step : fmax(-longest_step, -s->x[d]);
    const double high = wraps(c, d) ? longest_step : fmin(longest_step, 1.0 - s->x[d]);
    if (!c->is_free[d] || (c->step[d] >= low && c->step[d] <= high)) continue;
    c->step[d] = c->step[d] < low ? low : high;
    c->is_free[d] = false;
    clipped = true;
  }
  return clipped;
}

/* The damped step, in c->step; its expected gain, or a negative number where there is none. */
static double damped_step(crowd *c, const search *s)
{
  const int n = c->n;
  for (int d = 0; d < n; d++) {
    const bool stuck =
        !wraps(c, d) && ((s->x[d] <= 0.0 && s->gradient[d] <= 0.0) || (s->x[d] >= 1.0 && s->gradient[d] >= 0.0));
    c->is_free[d] = !stuck;
    c->step[d] = 0.0;
  }
  do {
    if (!solve_free(c, s)) return -1.0;
  } while (clip(c, s));
  double gain = 0.0;
  for (int i = 0; i < n; i++) {
    gain += s->gradient[i] * c->step[i];
    for (int j = 0; j < n; j++)
      gain -= 0.5 * c->step[i] * s->curvature[i * n + j] * c->step[j];
  }
  return gain;
}

/* Raises the damping until a step is expected to gain, and goes there. The search is done where no step is worth it:
 * not even one without damping, which could gain 1 + damping times as much. */
static void propose(crowd *c, search *s, double tolerance)
{
  double gain;
  while ((gain = damped_step(c, s)) < 0.0 && s->damping < most_damping)
    s->damping *= 4.0;
  s->is_done = !(gain * (1.0 + s->damping) > tolerance * fmax(s->value_scale, fabs(s->value)));
  s->expected = gain;
  for (int d = 0; d < c->n && !s->is_done; d++)
    s->trial[d] = s->x[d] + c->step[d];
}

/* -- The rounds -- */

static void accept(const crowd *c, search *s, double value, const double *gradient, const double *curvature)
{
  const size_t n = (size_t)c->n;
  s->value = value;
  memcpy(s->gradient, gradient, n * sizeof(double));
  memcpy(s->curvature, curvature, n * n * sizeof(double));
  for (size_t d = 0; d < n; d++)
    s->x[d] = wraps(c, (int)d) ? s->trial[d] - floor(s->trial[d]) : s->trial[d];
}

static bool all_finite(int count, const double *values)
{
  for (int i = 0; i < count; i++)
    if (!isfinite(values[i])) return false;
  return true;
}

/* What a search makes of the value at its trial point. */
static void judge(crowd *c, search *s, double value, const double *gradient, const double *curvature)
{
  const bool is_usable = isfinite(value) && all_finite(c->n, gradient) && all_finite(c->n * c->n, curvature);
  const bool is_first = s->evaluations++ == 0;
  if (is_first) {
    s->value = -DBL_MAX;
    s->is_done = !is_usable;
    if (is_usable) accept(c, s, value, gradient, curvature);
    return;
  }
  const double ratio = is_usable ? (value - s->value) / s->expected : -1.0;
  if (ratio > 0.0) {
    const double miss = 2.0 * ratio - 1.0;
    s->damping *= fmax(1.0 / 3.0, 1.0 - miss * miss * miss);
    s->growth = 2.0;
    accept(c, s, value, gradient, curvature);
  } else {
    s->damping *= s->growth;
    s->growth *= 2.0;
  }
}

static double distance_squared(const crowd *c, const double *a, const double *b)
{
  double sum = 0.0;
  for (int d = 0; d < c->n; d++) {
    double gap = a[d] - b[d];
    if (wraps(c, d)) gap -= round(gap);
    sum += gap * gap;
  }
  return sum;
}

/* Whether a search can not be expected to end above the others of its group, which begins at `first`. */
static bool is_beaten(const crowd *c, const search *s, const search *first)
{
  for (const search *other = first; other < first + c->objective->group; other++) {
    if (other == s || other->value < s->value || (other->value == s->value && other > s)) continue;
    if (s->value + hopeless * s->expected < other->value) return true;
    if (distance_squared(c, s->x, other->x) < same_hill * same_hill * c->n) return true;
  }
  return false;
}

/* One evaluation for every search that is not done; whether there was any. */
static bool play_round(crowd *c, int budget, double tolerance)
{
  const size_t n = (size_t)c->n;
  int count = 0;
  for (int i = 0; i < c->objective->searches; i++) {
    search *s = &c->searches[i];
    if (s->evaluations >= budget) s->is_done = true;
    if (!s->is_done && s->evaluations > 0) propose(c, s, tolerance);
    if (s->evaluations > 2 && is_beaten(c, s, c->searches + i - i % c->objective->group)) s->is_done = true;
    if (s->is_done) continue;
    c->which[count] = i;
    for (size_t d = 0; d < n; d++)
      c->points[(size_t)count * n + d] = wraps(c, (int)d) ? s->trial[d] - floor(s->trial[d]) : s->trial[d];
    count++;
  }
  if (count == 0) return false;
  c->objective->evaluate(c->objective->user, count, c->which, c->points, c->values, c->gradients, c->curvatures);
  for (int i = 0; i < count; i++)
    judge(c, &c->searches[c->which[i]], c->values[i], c->gradients + (size_t)i * n, c->curvatures + (size_t)i * n * n);
  return true;
}

fcps_status fcps_newton_maximize(const fcps_newton_objective *objective, int budget, double tolerance, double *x,
                                 double *values)
{
  const size_t n = (size_t)objective->n;
  crowd c = {0};
  if (budget < 1 || objective->n < 1) return FCPS_ERR_ARGUMENT;
  if (!set_up(&c, objective)) {
    tear_down(&c);
    return FCPS_ERR_MEMORY;
  }
  for (int i = 0; i < objective->searches; i++) {
    search *s = &c.searches[i];
    s->value_scale = objective->value_scales != NULL ? objective->value_scales[i] : 1.0;
    s->damping = first_damping;
    s->growth = 2.0;
    memcpy(s->x, x + (size_t)i * n, n * sizeof(double));
    memcpy(s->trial, s->x, n * sizeof(double));
  }
  while (play_round(&c, budget, tolerance))
    ;
  for (int i = 0; i < objective->searches; i++) {
    memcpy(x + (size_t)i * n, c.searches[i].x, n * sizeof(double));
    values[i] = c.searches[i].value;
  }
  tear_down(&c);
  return FCPS_OK;
}
