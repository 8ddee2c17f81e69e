/* SPDX-License-Identifier: Apache-2.0 */
/* Many Newton searches side by side, with Marquardt's damping [marquardt1963]. All searches take one step per round, so
 * that the objective is evaluated at all of their points at once.
 *
 * With value f, gradient g and curvature C = -Hessian at x, one round of a search is
 *   propose: the step s maximizes the quadratic model g's - s'(C + damping diag C)s/2 within the cube;
 *            coordinates that reach a face stay there, and the step of the others is computed again
 *   evaluate: f, g and C at x + s
 *   judge: the ratio of the gain to the expected gain decides whether x + s becomes x, and sets the next damping
 *          [nielsen1999]
 * Searches of one group look for the same maximum; those that fall behind the best give up. No search ends below its
 * start. */
#include "base/memory.h"
#include "optim/optim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The damping of the first step, and the damping at which a search gives up because no step gains anything. */
static const double first_damping = 1e-3, most_damping = 1e10;

/* The longest step of a coordinate: a quadratic model says little about the other end of the cube. */
static const double longest_step = 0.1;

/* A search gives up if it is behind the best of its group by `hopeless` times the gain that it expects next, or if a
 * better search of the group is nearer than `same_hill` times sqrt(n). */
static const double hopeless = 4.0, same_hill = 0.05;

/* One search. Its arrays have n numbers, or n x n for curvatures. */
typedef struct search {
  double value, damping, growth; /* growth: the factor by which the damping grows if the next step fails */
  double expected;               /* the expected gain of the step to `trial` */
  double value_scale;            /* the tolerance is relative to this value */
  double *x, *gradient, *curvature;
  double *trial; /* the proposed point, which may lie outside in coordinates that wrap: the step is trial - x */
  int evaluations;
  bool is_done;
} search;

/* Memory that all searches share: scratch for one step, and the points and answers of one round. */
typedef struct workspace {
  const fcps_newton_objective *objective;
  int n;
  search *searches;
  double *numbers; /* the memory of everything below and of the searches' arrays */
  double *factor, *step, *change;
  int *which;
  double *points, *values, *gradients, *curvatures;
  bool *is_free;
} workspace;

static bool set_up(workspace *c, const fcps_newton_objective *objective)
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

static void tear_down(workspace *c)
{
  free(c->searches);
  free(c->which);
  free(c->is_free);
  free(c->numbers);
}

/* -- Propose -- */

static bool wraps(const workspace *c, int d)
{
  return c->objective->wraps != NULL && c->objective->wraps[d];
}

/* Solves (C + damping diag C) step = g for the free coordinates, by a Cholesky factorization. For the other coordinates
 * `step` is given. Returns false if the matrix is not positive definite. */
static bool solve_free(workspace *c, const search *s)
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

/* Stops free coordinates at the faces of the cube and at the longest step. Returns whether any was stopped. */
static bool clip(workspace *c, const search *s)
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

/* Writes the damped step to c->step. Returns its expected gain, or a negative number if there is no step. */
static double damped_step(workspace *c, const search *s)
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

/* Raises the damping until a step is expected to gain, and proposes that step. A step without damping could gain 1 +
 * damping times as much: if even that is not enough, the search is done. */
static void propose(workspace *c, search *s, double tolerance)
{
  double gain;
  while ((gain = damped_step(c, s)) < 0.0 && s->damping < most_damping)
    s->damping *= 4.0;
  s->is_done = !(gain * (1.0 + s->damping) > tolerance * fmax(s->value_scale, fabs(s->value)));
  s->expected = gain;
  for (int d = 0; d < c->n && !s->is_done; d++)
    s->trial[d] = s->x[d] + c->step[d];
}

/* -- Judge -- */

static void accept(const workspace *c, search *s, double value, const double *gradient, const double *curvature)
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

/* Accepts or refuses the step of a search by the value at its trial point, and adapts the damping [nielsen1999]. */
static void judge(workspace *c, search *s, double value, const double *gradient, const double *curvature)
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

static double distance_squared(const workspace *c, const double *a, const double *b)
{
  double sum = 0.0;
  for (int d = 0; d < c->n; d++) {
    double gap = a[d] - b[d];
    if (wraps(c, d)) gap -= round(gap);
    sum += gap * gap;
  }
  return sum;
}

/* Whether a search should give up because of another search of its group. The group begins at `first`. */
static bool is_beaten(const workspace *c, const search *s, const search *first)
{
  for (const search *other = first; other < first + c->objective->group; other++) {
    if (other == s || other->value < s->value || (other->value == s->value && other > s)) continue;
    if (s->value + hopeless * s->expected < other->value) return true;
    if (distance_squared(c, s->x, other->x) < same_hill * same_hill * c->n) return true;
  }
  return false;
}

/* -- Rounds -- */

/* Makes one evaluation for every search that is not done. Returns false if all are done. */
static bool play_round(workspace *c, int budget, double tolerance)
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
  workspace c = {0};
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
