/* SPDX-License-Identifier: Apache-2.0 */
/* L-BFGS-B 3.0 [byrd1995, morales2011] as a maximizer: the authors' Fortran routine, called in a loop.
 *
 * `setulb` returns with a word that says what it wants: "FG" the value and gradient at x, "NEW_X" nothing (an iterate
 * was accepted), anything else is the end. Its endings are not judged: the best point that was seen is the result.
 */
#include "base/memory.h"
#include "optim/optim.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Corrections that approximate the Hessian. */
enum { MEMORY = 10 };
enum { TASK_SIZE = 60 };

/* The Fortran routine `setulb`, as cmake/Lbfgsb.cmake names it. No header comes with it; the last two arguments are the
 * lengths of the Fortran strings. */
__attribute__((visibility("hidden"))) extern void
fcps_setulb(const int *n, const int *m, double *x, const double *l, const double *u, const int *nbd, double *f,
            double *g, const double *factr, const double *pgtol, double *wa, int *iwa, char *task, const int *iprint,
            char *csave, int *lsave, int *isave, double *dsave, size_t task_length, size_t csave_length);

/* The state of one search; f = -value and g = -gradient, because setulb minimizes. */
typedef struct search {
  const fcps_objective *objective;
  const bool *wraps; /* NULL for none */
  int n;
  double *block; /* owns all arrays below */
  double *lower, *upper, *x, *g;
  double *seen;                  /* x as the objective sees it: wrapped */
  double *best_x;                /* not wrapped */
  double *iterate_x, *iterate_g; /* where the line search started */
  double *wa;
  int *bound_kind, *iwa;
  double f, iterate_f;
  fcps_optimum best;
  char task[TASK_SIZE], csave[TASK_SIZE];
  int lsave[4], isave[44];
  double dsave[29];
} search;

static bool set_up(search *s, const fcps_objective *objective)
{
  const size_t n = (size_t)objective->n, m = MEMORY;
  const size_t wa_size = 2 * m * n + 5 * n + 11 * m * m + 8 * m;
  const size_t numbers = 8 * n + wa_size, integers = 4 * n;
  s->block = fcps_allocate(numbers * sizeof(double) + integers * sizeof(int), 1);
  if (!s->block) return false;
  s->objective = objective;
  s->n = objective->n;
  double *next = s->block;
  double **const arrays[] = {&s->lower, &s->upper, &s->x, &s->g, &s->seen, &s->best_x, &s->iterate_x, &s->iterate_g};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++, next += n)
    *arrays[i] = next;
  s->wa = next;
  s->bound_kind = (int *)(s->block + numbers);
  s->iwa = s->bound_kind + n;
  for (int i = 0; i < s->n; i++)
    s->bound_kind[i] = 2; // bounded on both sides
  return true;
}

static void set_task(search *s, const char *word)
{
  memset(s->task, ' ', sizeof s->task);
  memcpy(s->task, word, strlen(word));
}

static bool task_is(const search *s, const char *word)
{
  return strncmp(s->task, word, strlen(word)) == 0;
}

static void clip(search *s)
{
  for (int i = 0; i < s->n; i++)
    s->x[i] = fmin(fmax(s->x[i], s->lower[i]), s->upper[i]);
}

/* y := x with the coordinates that wrap in [0,1]. */
static void wrap(const search *s, const double *x, double *y)
{
  for (int i = 0; i < s->n; i++) {
    const bool outside = x[i] < 0 || x[i] > 1;
    y[i] = outside && s->wraps && s->wraps[i] ? x[i] - floor(x[i]) : x[i];
  }
}

static bool all_finite(int n, const double *values)
{
  for (int i = 0; i < n; i++) {
    if (!isfinite(values[i])) return false;
  }
  return true;
}

/* What the line search is told where the objective is not finite: a value as far above the iterate as the gradient
 * there promised to go below it, and no slope. Interpolation then takes about a quarter of the step. */
static void tell_not_finite(search *s)
{
  double promised = 0;
  for (int i = 0; i < s->n; i++)
    promised += s->iterate_g[i] * (s->x[i] - s->iterate_x[i]);
  s->f = s->iterate_f + fabs(promised) + 1e-8 * (1 + fabs(s->iterate_f));
  memset(s->g, 0, (size_t)s->n * sizeof *s->g);
}

/* Evaluates at x and keeps the best point. Returns whether value and gradient were finite. */
static bool evaluate(search *s)
{
  const size_t size = (size_t)s->n * sizeof(double);
  clip(s);
  wrap(s, s->x, s->seen);
  const double value = s->objective->value(s->objective->user, s->n, s->seen, s->g);
  const bool first = s->best.evaluations++ == 0;
  if (first || (isfinite(value) && value > s->best.value)) {
    s->best.value = isfinite(value) ? value : -DBL_MAX;
    memcpy(s->best_x, s->x, size);
  }
  s->f = -value;
  for (int i = 0; i < s->n; i++)
    s->g[i] = -s->g[i];
  return isfinite(value) && all_finite(s->n, s->g);
}

static void keep_iterate(search *s)
{
  const size_t size = (size_t)s->n * sizeof(double);
  memcpy(s->iterate_x, s->x, size);
  memcpy(s->iterate_g, s->g, size);
  s->iterate_f = s->f;
}

static void climb(search *s, int budget, double tolerance)
{
  const int memory = MEMORY, silent = -1;
  const double factr = tolerance / DBL_EPSILON;

  // without a value and a slope at the start there is nowhere to go
  if (!evaluate(s)) return;
  keep_iterate(s);
  bool known = true; // f and g belong to x

  set_task(s, "START");
  for (;;) {
    fcps_setulb(&s->n, &memory, s->x, s->lower, s->upper, s->bound_kind, &s->f, s->g, &factr, &tolerance, s->wa, s->iwa,
                s->task, &silent, s->csave, s->lsave, s->isave, s->dsave, TASK_SIZE, TASK_SIZE);
    if (task_is(s, "FG")) {
      // the first question is about the start
      if (!known && s->best.evaluations >= budget) return;
      if (!known && !evaluate(s)) tell_not_finite(s);
      known = false;
    } else if (task_is(s, "NEW_X")) {
      keep_iterate(s);
    } else {
      return;
    }
  }
}

/* Whether the best point lies on an end of a circle's widened box, which is no bound of the problem. */
static bool is_at_seam(const search *s)
{
  for (int i = 0; i < s->n; i++) {
    if (s->wraps && s->wraps[i] && (s->best_x[i] == s->lower[i] || s->best_x[i] == s->upper[i])) return true;
  }
  return false;
}

static fcps_status maximize(search *s, int budget, double tolerance, double *x, fcps_optimum *optimum)
{
  const size_t size = (size_t)s->n * sizeof(double);
  if (s->n == 0) {
    evaluate(s);
  } else {
    memcpy(s->x, x, size);
    climb(s, budget, tolerance);
    while (is_at_seam(s) && s->best.evaluations < budget) {
      // the same point in the middle of the box
      wrap(s, s->best_x, s->x);
      memcpy(s->best_x, s->x, size);
      climb(s, budget, tolerance);
    }
    wrap(s, s->best_x, x);
  }
  *optimum = s->best;
  free(s->block);
  return FCPS_OK;
}

fcps_status fcps_lbfgsb_maximize(const fcps_objective *objective, int budget, double tolerance, double *x,
                                 fcps_optimum *optimum)
{
  search s = {.wraps = objective->wraps};
  if (budget < 1) return FCPS_ERR_ARGUMENT;
  if (!set_up(&s, objective)) return FCPS_ERR_MEMORY;
  for (int i = 0; i < s.n; i++) {
    // half a turn to either side reaches every point of a circle
    const double margin = s.wraps && s.wraps[i] ? 0.5 : 0;
    s.lower[i] = -margin;
    s.upper[i] = 1 + margin;
  }
  return maximize(&s, budget, tolerance, x, optimum);
}

fcps_status fcps_lbfgsb_maximize_box(const fcps_objective *objective, const double *lower, const double *upper,
                                     int budget, double tolerance, double *x, fcps_optimum *optimum)
{
  search s = {.wraps = NULL};
  if (budget < 1) return FCPS_ERR_ARGUMENT;
  if (!set_up(&s, objective)) return FCPS_ERR_MEMORY;
  for (int i = 0; i < s.n; i++) {
    s.lower[i] = lower[i];
    s.upper[i] = upper[i];
  }
  return maximize(&s, budget, tolerance, x, optimum);
}
