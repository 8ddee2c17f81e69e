/* SPDX-License-Identifier: Apache-2.0 */
/* L-BFGS-B 3.0 [byrd1995, morales2011] as a maximizer: the authors' Fortran routine `setulb`, called in a loop.
 *
 * `setulb` returns a word: "FG" asks for the value and gradient at x, "NEW_X" says that an iterate was accepted, and
 * anything else ends the search. The kind of ending does not matter: the result is the best point that was evaluated.
 *
 * Each search keeps its state between two calls of `setulb`. So several searches run side by side, and each round asks
 * for the values of all of them at once. A coordinate that wraps gets a box of two turns. A search that ends at the
 * seam of that box starts again from the same point of the circle, in the middle of the box. */
#include "base/memory.h"
#include "linalg/threads.h"
#include "optim/optim.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The number of corrections that approximate the Hessian, and the length of setulb's strings. */
enum { MEMORY = 10, TASK_SIZE = 60 };

/* The Fortran routine `setulb`, as cmake/Lbfgsb.cmake names it. No header comes with it; the last two arguments are the
 * lengths of the Fortran strings. */
__attribute__((visibility("hidden"))) extern void
fcps_setulb(const int *n, const int *m, double *x, const double *l, const double *u, const int *nbd, double *f,
            double *g, const double *factr, const double *pgtol, double *wa, int *iwa, char *task, const int *iprint,
            char *csave, int *lsave, int *isave, double *dsave, size_t task_length, size_t csave_length);

/* The state of one search. setulb minimizes, so f = -value and g = -gradient. */
typedef struct search {
  const bool *wraps; /* NULL: no coordinate wraps */
  int n, budget;
  double tolerance, value_scale;
  double *block; /* the memory of all arrays below */
  double *lower, *upper, *x, *g;
  double *best_x;                /* may lie outside the cube in coordinates that wrap */
  double *iterate_x, *iterate_g; /* the start of the line search */
  double *wa;
  int *bound_kind, *iwa;
  double f, iterate_f;
  fcps_optimum best;
  bool is_at_start; /* x is the start of a climb */
  bool is_done;     /* if false, the search waits for the value at x */
  char task[TASK_SIZE], csave[TASK_SIZE];
  int lsave[4], isave[44];
  double dsave[29];
} search;

static bool set_up(search *s)
{
  const size_t n = (size_t)s->n, m = MEMORY;
  const size_t wa_size = 2 * m * n + 5 * n + 11 * m * m + 8 * m;
  const size_t numbers = 7 * n + wa_size, integers = 4 * n;
  s->block = fcps_allocate(numbers * sizeof(double) + integers * sizeof(int), 1);
  if (s->block == NULL) return false;
  double *next = s->block;
  double **const arrays[] = {&s->lower, &s->upper, &s->x, &s->g, &s->best_x, &s->iterate_x, &s->iterate_g};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++, next += n)
    *arrays[i] = next;
  s->wa = next;
  s->bound_kind = (int *)(s->block + numbers);
  s->iwa = s->bound_kind + n;
  for (int i = 0; i < s->n; i++)
    s->bound_kind[i] = 2; /* bounded on both sides */
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

/* Copies x to y, with coordinates that wrap moved into [0,1]. */
static void wrap(const search *s, const double *x, double *y)
{
  for (int i = 0; i < s->n; i++) {
    const bool outside = x[i] < 0 || x[i] > 1;
    y[i] = outside && s->wraps != NULL && s->wraps[i] ? x[i] - floor(x[i]) : x[i];
  }
}

static bool all_finite(int n, const double *values)
{
  for (int i = 0; i < n; i++) {
    if (!isfinite(values[i])) return false;
  }
  return true;
}

/* Answers the line search if the objective is not finite. The answer is slope 0, and a value as far above that of the
 * iterate as the gradient predicted a decrease. Interpolation then takes about a quarter of the step. */
static void tell_not_finite(search *s)
{
  double promised = 0;
  for (int i = 0; i < s->n; i++)
    promised += s->iterate_g[i] * (s->x[i] - s->iterate_x[i]);
  s->f = s->iterate_f + fabs(promised) + 1e-8 * (1 + fabs(s->iterate_f));
  memset(s->g, 0, (size_t)s->n * sizeof *s->g);
}

/* Takes the value and gradient at x and keeps the best point. Returns whether they are finite. */
static bool take(search *s, double value, const double *gradient)
{
  const bool first = s->best.evaluations++ == 0;
  if (first || (isfinite(value) && value > s->best.value)) {
    s->best.value = isfinite(value) ? value : -DBL_MAX;
    memcpy(s->best_x, s->x, (size_t)s->n * sizeof(double));
  }
  s->f = -value / s->value_scale;
  for (int i = 0; i < s->n; i++)
    s->g[i] = -gradient[i] / s->value_scale;
  return isfinite(value) && all_finite(s->n, s->g);
}

static void keep_iterate(search *s)
{
  const size_t size = (size_t)s->n * sizeof(double);
  memcpy(s->iterate_x, s->x, size);
  memcpy(s->iterate_g, s->g, size);
  s->iterate_f = s->f;
}

/* Whether the best point is at the seam of a circle, an end of its widened box that is not a bound of the problem. */
static bool is_at_seam(const search *s)
{
  for (int i = 0; i < s->n; i++) {
    if (s->wraps != NULL && s->wraps[i] && (s->best_x[i] == s->lower[i] || s->best_x[i] == s->upper[i])) return true;
  }
  return false;
}

/* Ends a climb. If the best point is at a seam, another climb begins there. */
static void end_climb(search *s)
{
  s->is_done = !is_at_seam(s) || s->best.evaluations >= s->budget;
  if (s->is_done) return;
  /* moves to the same point of the circle in the middle of the box */
  wrap(s, s->best_x, s->x);
  memcpy(s->best_x, s->x, (size_t)s->n * sizeof(double));
  s->is_at_start = true;
}

/* Continues with f and g at x, until setulb asks for another value or the climb ends. */
static void climb(search *s)
{
  const int memory = MEMORY, silent = -1;
  const double factr = s->tolerance / DBL_EPSILON;
  for (;;) {
    fcps_blas_begin();
    fcps_setulb(&s->n, &memory, s->x, s->lower, s->upper, s->bound_kind, &s->f, s->g, &factr, &s->tolerance, s->wa,
                s->iwa, s->task, &silent, s->csave, s->lsave, s->isave, s->dsave, TASK_SIZE, TASK_SIZE);
    fcps_blas_end();
    const bool asks = task_is(s, "FG");
    if (asks && s->is_at_start) {
      s->is_at_start = false; /* setulb first asks for the value at the start, which is known */
    } else if (task_is(s, "NEW_X")) {
      keep_iterate(s);
    } else {
      if (!asks || s->best.evaluations >= s->budget) end_climb(s);
      return;
    }
  }
}

/* Gives a search the value and gradient at x, and continues it. */
static void resume(search *s, double value, const double *gradient)
{
  const bool is_usable = take(s, value, gradient);
  if (s->is_at_start) {
    /* without a finite value and slope at the start, the search has no direction */
    if (s->n == 0 || !is_usable) {
      end_climb(s);
      return;
    }
    keep_iterate(s);
    set_task(s, "START");
  } else if (!is_usable) {
    tell_not_finite(s);
  }
  climb(s);
}

/* -- Side by side -- */

/* Evaluates one point of every search that is not done. Returns false if all are done. `room` is scratch for points,
 * gradients and values. */
static bool play_round(const fcps_objective *objective, int count, search *searches, double *room)
{
  const size_t n = (size_t)objective->n;
  double *points = room, *gradients = points + (size_t)count * n, *values = gradients + (size_t)count * n;
  int wanted = 0;
  for (search *s = searches; s < searches + count; s++) {
    if (s->is_done) continue;
    clip(s);
    wrap(s, s->x, points + (size_t)wanted++ * n);
  }
  if (wanted == 0) return false;
  if (objective->slopes != NULL) objective->slopes(objective->user, objective->n, wanted, points, values, gradients);
  for (size_t i = 0; i < (size_t)wanted && objective->slopes == NULL; i++)
    values[i] = objective->value(objective->user, objective->n, points + i * n, gradients + i * n);
  int given = 0;
  for (search *s = searches; s < searches + count; s++) {
    if (s->is_done) continue;
    resume(s, values[given], gradients + (size_t)given * n);
    given++;
  }
  return true;
}

/* Searches from the rows of x. Each search has its own bounds. */
static fcps_status maximize(const fcps_objective *objective, int count, search *searches, double *x,
                            fcps_optimum *optima)
{
  const size_t n = (size_t)objective->n, m = (size_t)count;
  double *room = fcps_allocate(m * (2 * n + 1), sizeof(double));
  if (room == NULL) return FCPS_ERR_MEMORY;
  for (size_t i = 0; i < m; i++) {
    if (n > 0) memcpy(searches[i].x, x + i * n, n * sizeof(double));
    searches[i].is_at_start = true;
    searches[i].value_scale = objective->value_scale > 0.0 ? objective->value_scale : 1.0;
  }
  while (play_round(objective, count, searches, room))
    ;
  for (size_t i = 0; i < m; i++) {
    wrap(searches + i, searches[i].best_x, x + i * n);
    optima[i] = searches[i].best;
  }
  free(room);
  return FCPS_OK;
}

fcps_status fcps_lbfgsb_maximize_all(const fcps_objective *objective, int count, int budget, double tolerance,
                                     double *x, fcps_optimum *optima)
{
  if (budget < 1 || count < 1) return FCPS_ERR_ARGUMENT;
  search *searches = fcps_allocate((size_t)count, sizeof *searches);
  fcps_status status = searches != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int k = 0; k < count && status == FCPS_OK; k++) {
    search *s = searches + k;
    *s = (search){.wraps = objective->wraps, .n = objective->n, .budget = budget, .tolerance = tolerance};
    if (!set_up(s)) status = FCPS_ERR_MEMORY;
    for (int i = 0; i < s->n && status == FCPS_OK; i++) {
      /* half a turn to either side reaches every point of a circle */
      const double margin = s->wraps != NULL && s->wraps[i] ? 0.5 : 0;
      s->lower[i] = -margin;
      s->upper[i] = 1 + margin;
    }
  }
  if (status == FCPS_OK) status = maximize(objective, count, searches, x, optima);
  for (int k = 0; k < count && searches != NULL; k++)
    free(searches[k].block);
  free(searches);
  return status;
}

fcps_status fcps_lbfgsb_maximize(const fcps_objective *objective, int budget, double tolerance, double *x,
                                 fcps_optimum *optimum)
{
  return fcps_lbfgsb_maximize_all(objective, 1, budget, tolerance, x, optimum);
}

fcps_status fcps_lbfgsb_maximize_box(const fcps_objective *objective, const double *lower, const double *upper,
                                     int budget, double tolerance, double *x, fcps_optimum *optimum)
{
  search s = {.wraps = NULL, .n = objective->n, .budget = budget, .tolerance = tolerance};
  if (budget < 1) return FCPS_ERR_ARGUMENT;
  if (!set_up(&s)) return FCPS_ERR_MEMORY;
  for (int i = 0; i < s.n; i++) {
    s.lower[i] = lower[i];
    s.upper[i] = upper[i];
  }
  const fcps_status status = maximize(objective, 1, &s, x, optimum);
  free(s.block);
  return status;
}

/* -- Fortran -- */

/* Replacements for the functions of the Fortran run-time library that L-BFGS-B calls. The comparison of strings works.
 * The functions that print, or measure time for printing, do nothing. The build renames the calls to the names below
 * (cmake/Lbfgsb.cmake). */

int fcps_fortran_compare_string(size_t a_length, const char *a, size_t b_length, const char *b);
void fcps_fortran_cpu_time_4(float *seconds);
void fcps_fortran_st_write(void *statement);
void fcps_fortran_st_write_done(void *statement);
void fcps_fortran_transfer_array_write(void *statement, void *array, int kind, size_t length);
void fcps_fortran_transfer_character_write(void *statement, void *text, size_t length);
void fcps_fortran_transfer_integer_write(void *statement, void *number, int kind);
void fcps_fortran_transfer_real_write(void *statement, void *number, int kind);

/* Fortran compares as if blanks filled the shorter string. */
int fcps_fortran_compare_string(size_t a_length, const char *a, size_t b_length, const char *b)
{
  const size_t length = a_length > b_length ? a_length : b_length;
  for (size_t i = 0; i < length; i++) {
    const unsigned char p = (unsigned char)(i < a_length ? a[i] : ' '), q = (unsigned char)(i < b_length ? b[i] : ' ');
    if (p != q) return p < q ? -1 : 1;
  }
  return 0;
}

void fcps_fortran_cpu_time_4(float *seconds)
{
  *seconds = 0;
}

void fcps_fortran_st_write(void *statement)
{
  (void)statement;
}

void fcps_fortran_st_write_done(void *statement)
{
  (void)statement;
}

void fcps_fortran_transfer_array_write(void *statement, void *array, int kind, size_t length)
{
  (void)statement, (void)array, (void)kind, (void)length;
}

void fcps_fortran_transfer_character_write(void *statement, void *text, size_t length)
{
  (void)statement, (void)text, (void)length;
}

void fcps_fortran_transfer_integer_write(void *statement, void *number, int kind)
{
  (void)statement, (void)number, (void)kind;
}

void fcps_fortran_transfer_real_write(void *statement, void *number, int kind)
{
  (void)statement, (void)number, (void)kind;
}
