/* SPDX-License-Identifier: Apache-2.0 */
/* Spells: runs of consecutive rows whose output is a constant factor times its prediction, as after a change of unit
 * (1000 for micrometres among millimetres). Rows are in the order of the reports.
 *
 * Let P be the inverse of the kernel matrix without a constant mean. The values v of n rows have the likelihood (v' P
 * v)^(-n/2) at the likeliest scale. If the rows of a run R are divided by f, v' P v is a parabola in 1/f, so the
 * likeliest factor has a closed form. With cumulative sums over P each run costs O(1), so all runs are compared. The
 * gain in log likelihood must exceed the logarithm of the number of runs and factors that were compared.
 *
 * The hyper-parameters were fitted with R and may be distorted by it. So they are fitted again without R, and the
 * search for R is repeated. Then the other rows predict R. The run is a spell if both hold:
 * - The others know at least half of the rows of R. A row is known if its prediction has less than a quarter of the
 *   prior deviation, or if one of the other rows is as near as the nearest row of R. A converged search may end in rows
 *   with small numbers that are only near each other, about which the others know nothing. A real effect at a known
 *   place would show in the other rows, too.
 * - At least three known rows are clear: far from the prediction as reported, and near it after division by f. No row
 *   speaks clearly against the spell.
 *
 * An outlier can make any run likely. The worst outlier is left out, and the search begins again. After a spell was
 * found, its rows are divided by f and the next spell is searched for.
 *
 * If a run is at the beginning or at the end of the rows, the numbers alone cannot tell whether the run or the rest is
 * wrong. Then the later part is the spell, unless the earlier part has less than a third of the rows.
 *
 * The two outputs of a pair that turns (frame.h) are divided together. */
#include "model/structures/doubts.h"

#include "base/memory.h"
#include "gp/fit.h"
#include "linalg/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* LEAST_RUN, LEAST_OTHERS: the fewest rows in a spell and outside it. MOST_SPELLS: the most spells of an output.
 * MOST_FITS: the most fits without a run. PLACES: how many rows may be the ends of a run. MOST_ROWS: with more rows the
 * search takes as long as a fit, and is skipped. */
enum { LEAST_RUN = 3, LEAST_OTHERS = 10, MOST_SPELLS = 3, MOST_FITS = 4, PLACES = 300, MOST_ROWS = 1000 };

/* The log likelihood must gain `margin` beyond the logarithm of the number of runs times `factors`, the number of
 * factors compared. A factor below exp(least_log) = 1.5 does not count. */
static const double margin = 20.0, factors = 1000.0, least_log = 0.4;

typedef struct spell {
  int first, end; /* rows first, ..., end - 1; if end = 0, there is no spell */
  double factor, gain;
} spell;

/* Outputs that are divided together: one output, or a pair that turns. */
typedef struct group {
  int rows, width;
  int outputs[2];
  const bool *fixed; /* rows that the user confirmed are in no spell */
  fcps_gp *gp;       /* a copy of the model's GP */
  bool *aside;       /* outliers that are left out */
  int heard;         /* number of rows that take part: those not in `aside` */
  double *inverse;   /* P: rows x rows */
  double *values;    /* rows x width, with the spells found so far divided */
  double *products;  /* P times values */
  double *sums;      /* cumulative sums of v (P v) */
  double *squares;   /* cumulative sums of v P v over rows and columns */
  double *block;     /* scratch, as many numbers as P */
} group;

/* -- Sums -- */

/* Computes the inverse of the kernel matrix without a constant mean: P = Q - Q 1 1' Q / (1' Q 1). */
static void invert(group *g)
{
  const size_t n = (size_t)g->rows;
  double sum = 0.0, *inverse = g->inverse, *weights = g->products;
  fcps_chol_inverse(g->rows, g->gp->factor, g->gp->capacity, inverse);
  for (size_t j = 0; j < n; j++)
    for (size_t i = 0; i < j; i++)
      inverse[j * n + i] = inverse[i * n + j];
  for (size_t i = 0; i < n; i++) {
    weights[i] = 0.0;
    for (size_t j = 0; j < n; j++)
      weights[i] += inverse[i * n + j];
    sum += weights[i];
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++)
      inverse[i * n + j] -= weights[i] * weights[j] / sum;
}

/* Changes P as if one row had infinite noise, which leaves that row out. */
static void leave_out(const group *g, int row)
{
  const size_t n = (size_t)g->rows, r = (size_t)row;
  const double diagonal = g->inverse[r * n + r];
  for (size_t i = 0; i < n; i++) {
    const double share = g->inverse[i * n + r] / diagonal;
    for (size_t j = 0; j < n && i != r; j++)
      if (j != r) g->inverse[i * n + j] -= share * g->inverse[r * n + j];
  }
  for (size_t i = 0; i < n; i++)
    g->inverse[i * n + r] = g->inverse[r * n + i] = 0.0;
}

/* Computes the products P v and their cumulative sums. */
static void add_up(const group *g)
{
  const size_t n = (size_t)g->rows, m = n + 1;
  memset(g->sums, 0, m * sizeof *g->sums);
  memset(g->squares, 0, m * m * sizeof *g->squares);
  for (int o = 0; o < g->width; o++) {
    const double *v = g->values + (size_t)o * n;
    double *products = g->products + (size_t)o * n;
    for (size_t i = 0; i < n; i++) {
      products[i] = 0.0;
      for (size_t j = 0; j < n; j++) {
        const double product = g->inverse[i * n + j] * v[j];
        products[i] += product;
        g->squares[(i + 1) * m + j + 1] += v[i] * product;
      }
      g->sums[i + 1] += v[i] * products[i];
    }
  }
  for (size_t i = 1; i < m; i++) {
    g->sums[i] += g->sums[i - 1];
    for (size_t j = 1; j < m; j++)
      g->squares[i * m + j] +=
          g->squares[(i - 1) * m + j] + g->squares[i * m + j - 1] - g->squares[(i - 1) * m + j - 1];
  }
}

/* Computes the likeliest factor of a run and its gain in log likelihood. `before` is v' P v of all rows; a is v' P v of
 * the run, b is its v' (P v). If the run is divided by the factor 1/x, v' P v becomes after = before - 2 (1-x) b +
 * (1-x)^2 a. At the likeliest x the derivative of n/2 log(before/after) + told log x is zero. */
static void weigh(const group *g, double before, double a, double b, spell *s)
{
  const double n = (double)g->heard * g->width, told = (double)(s->end - s->first) * g->width;
  const double others = before - 2.0 * b + a, half = 0.5 * (a - b) * (n - 2.0 * told), square = a * (n - told);
  const double x = (half + sqrt(half * half + square * told * fmax(others, 0.0))) / square;
  const double after = fmax(before - 2.0 * (1.0 - x) * b + (1.0 - x) * (1.0 - x) * a, 1e-11 * before);
  s->factor = 1.0 / x;
  s->gain = a > 0.0 && x > 0.0 ? 0.5 * n * log(before / after) + told * log(x) : -INFINITY;
}

static void weigh_by_sums(const group *g, spell *s)
{
  const size_t m = (size_t)g->rows + 1, i = (size_t)s->first, j = (size_t)s->end;
  const double *squares = g->squares;
  weigh(g, g->sums[g->rows], squares[j * m + j] - squares[i * m + j] - squares[j * m + i] + squares[i * m + i],
        g->sums[j] - g->sums[i], s);
}

/* Computes the same as weigh_by_sums, but directly: cumulative sums over many rows have lost digits. */
static void weigh_exactly(const group *g, spell *s)
{
  const size_t n = (size_t)g->rows;
  double a = 0.0, b = 0.0;
  for (int o = 0; o < g->width; o++)
    for (size_t i = (size_t)s->first; i < (size_t)s->end; i++) {
      const double *v = g->values + (size_t)o * n;
      b += v[i] * g->products[(size_t)o * n + i];
      for (size_t j = (size_t)s->first; j < (size_t)s->end; j++)
        a += v[i] * g->inverse[i * n + j] * v[j];
    }
  weigh(g, g->sums[g->rows], a, b, s);
}

/* -- Runs -- */

static bool has_length(const group *g, const spell *s)
{
  const int length = s->end - s->first;
  return length >= LEAST_RUN && 2 * length <= g->rows && g->rows - length >= LEAST_OTHERS;
}

static bool may_be_spell(const group *g, const spell *s)
{
  bool is_free = s->first >= 0 && s->end <= g->rows && has_length(g, s);
  for (int i = s->first; i < s->end && is_free; i++)
    is_free = !g->fixed[i];
  return is_free;
}

/* Finds the likeliest run; its end is 0 if no run gains enough. */
static spell find_run(const group *g)
{
  static const int moves[][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  const int step = (g->rows + PLACES - 1) / PLACES, longest = g->rows / 2;
  const double paid = log(0.5 * g->rows * g->rows * factors);
  spell best = {.gain = margin + paid};
  add_up(g);
  for (int first = 0; first < g->rows; first += step)
    for (int end = first + 1; end <= g->rows && end - first <= longest && !g->fixed[end - 1]; end++) {
      spell s = {.first = first, .end = end};
      if (((end - first) % step != 0 && end != g->rows) || !has_length(g, &s)) continue;
      weigh_by_sums(g, &s);
      if (s.gain > best.gain && fabs(log(s.factor)) > least_log) best = s;
    }
  if (best.end == 0) return best;
  weigh_exactly(g, &best);
  for (int k = 0, moved = 0; k < 4 && moved < g->rows; k++) {
    spell s = {.first = best.first + moves[k][0], .end = best.end + moves[k][1]};
    if (!may_be_spell(g, &s)) continue;
    weigh_exactly(g, &s);
    if (!(s.gain > best.gain)) continue;
    best = s;
    moved++;
    k = -1;
  }
  best.gain -= margin + paid;
  if (!(best.gain > 0.0)) best.end = 0;
  return best;
}

static void divide_run(const group *g, const spell *s, double factor)
{
  for (int o = 0; o < g->width; o++)
    for (int i = s->first; i < s->end; i++)
      g->values[(size_t)o * (size_t)g->rows + (size_t)i] /= factor;
  add_up(g);
}

/* Returns the row that is furthest from its leave-one-out prediction, or -1 if its distance is at most eight
 * deviations. The deviation is estimated without the row. */
static int find_wildest(const group *g)
{
  const size_t n = (size_t)g->rows;
  const double square = g->sums[n], freedom = (double)(g->heard - 1) * g->width;
  double most = 8.0;
  int wildest = -1;
  for (size_t i = 0; i < n; i++) {
    double own = 0.0;
    for (int o = 0; o < g->width && !g->aside[i]; o++)
      own += g->products[(size_t)o * n + i] * g->products[(size_t)o * n + i] / g->inverse[i * n + i];
    const double away = sqrt(own / fmax((square - own) / freedom, 1e-300));
    if (!(away > most)) continue;
    most = away;
    wildest = (int)i;
  }
  return wildest;
}

/* -- Verdict -- */

/* Fits the hyper-parameters to all rows except those of the run and those left out. */
static fcps_status fit_without(const fcps_look *look, group *g, const spell *s)
{
  const fcps_gp *gp = g->gp;
  const size_t n = (size_t)g->rows, dim = (size_t)gp->dim, width = (size_t)g->width;
  double *y = fcps_allocate(n * width, sizeof *y), *input = fcps_allocate(n + dim, sizeof *input), *noise = input + dim;
  fcps_gp *made = NULL;
  fcps_status status = y != NULL && input != NULL ? fcps_gp_create_like(&made, gp) : FCPS_ERR_MEMORY;
  size_t kept = 0;
  for (int i = 0; i < g->rows; i++)
    kept += !g->aside[i] && (i < s->first || i >= s->end);
  for (size_t i = 0, k = 0; i < n && status == FCPS_OK; i++) {
    if (g->aside[i] || ((int)i >= s->first && (int)i < s->end)) continue;
    fcps_gp_row(gp, (int)i, input);
    for (size_t o = 0; o < width; o++)
      y[o * kept + k] = g->values[o * n + i];
    noise[k++] = gp->noise[i];
    status = fcps_gp_add(made, input);
  }
  if (status == FCPS_OK) {
    const fcps_gp_norm norm = {.scaling = g->width > 1 ? FCPS_SCALING_SHARED : FCPS_SCALING_EACH};
    const fcps_hyper_prior prior = fcps_description_prior(look->description);
    const fcps_gp_data data = {(int)kept, g->width, y, norm, &prior};
    const fcps_fit_settings fit = {.starts = 1, .budget = look->fit.budget};
    fcps_fit_result ignored;
    fcps_gp_set_noise(made, (int)kept, noise, 0.0);
    fcps_gp_hyper_centre(data.prior, gp->dim, made->hyper);
    fcps_gp_set_hyper(made, made->hyper);
    status = fcps_gp_fit(made, &data, fit, (fcps_rng){0}, &ignored);
  }
  if (status == FCPS_OK) fcps_gp_set_hyper(g->gp, made->hyper);
  if (status == FCPS_OK) status = fcps_gp_factorize(g->gp, g->rows);
  fcps_gp_destroy(made);
  free(y);
  free(input);
  return status;
}

/* Computes the covariance of the prediction of a run's rows by all other rows: the inverse of the run's block of P.
 * Returns false if the block is singular. */
static bool predict_run(const group *g, const spell *s, double **covariance)
{
  const size_t n = (size_t)g->rows, length = (size_t)(s->end - s->first), first = (size_t)s->first;
  double *block = g->block, jitter;
  *covariance = block + length * length;
  for (size_t i = 0; i < length; i++)
    for (size_t j = 0; j < length; j++)
      block[i * length + j] = i == j && g->aside[first + i] ? 1.0 : g->inverse[(first + i) * n + first + j];
  const int size = (int)length;
  if (fcps_chol_factor(size, block, size, *covariance, &jitter) != FCPS_OK) return false;
  fcps_chol_inverse(size, block, size, *covariance);
  for (size_t i = 0; i < length; i++)
    for (size_t j = i + 1; j < length; j++)
      (*covariance)[j * length + i] = (*covariance)[i * length + j];
  return true;
}

/* Returns the reported value of the run's row i minus its prediction by the rows outside the run. */
static double miss(const group *g, const spell *s, const double *covariance, int output, int i)
{
  const int length = s->end - s->first;
  double sum = 0.0;
  for (int j = 0; j < length; j++)
    sum += covariance[i * length + j] * g->products[output * g->rows + s->first + j];
  return sum;
}

bool fcps_spells_is_among_others(const fcps_gp *gp, int first, int end, int row, const bool *aside)
{
  double own = INFINITY, others = INFINITY;
  for (int i = 0; i < gp->count; i++) {
    if (i == row || (aside != NULL && aside[i])) continue;
    double *nearest = i >= first && i < end ? &own : &others;
    *nearest = fmin(*nearest, fcps_gp_squared_distance(gp, i, row));
  }
  return others <= own;
}

/* Whether the rows outside a run confirm that it is a spell. `g` must have the values of the run as reported. */
static bool is_confirmed(const group *g, const spell *s)
{
  static const double clear = 3.0, against = -2.0, usual = 5.0, near = 0.05;
  const int length = s->end - s->first, others = g->heard - length - 1;
  const double x = 1.0 / s->factor, signal = fcps_gp_signal_variance(g->gp);
  double *covariance, square = g->sums[g->rows];
  int witnesses = 0, known = 0;
  if (others < 1 || !predict_run(g, s, &covariance)) return false;
  for (int o = 0; o < g->width; o++)
    for (int i = 0; i < length; i++)
      square -= miss(g, s, covariance, o, i) * g->products[o * g->rows + s->first + i];
  const double variance = fmax(square / (others * g->width), 1e-12 * g->sums[g->rows]);
  for (int i = 0; i < length; i++) {
    const int row = s->first + i;
    const double own = covariance[i * length + i];
    const double noise = fcps_gp_hyper_noise_variance(g->gp->dim, g->gp->hyper) + g->gp->noise[row];
    const bool is_known =
        own - noise < near * signal || fcps_spells_is_among_others(g->gp, s->first, s->end, row, g->aside);
    double told = 0.0, divided = 0.0;
    for (int o = 0; o < g->width && !g->aside[row]; o++) {
      const double away = miss(g, s, covariance, o, i), value = g->values[o * g->rows + row];
      told += away * away / (variance * own);
      divided += pow(away - (1.0 - x) * value, 2) / (variance * own);
    }
    const double odds = 0.5 * (told - divided) + g->width * log(x);
    if (!g->aside[row] && (odds < against || divided > usual * usual)) return false;
    known += is_known;
    witnesses += is_known && told > clear * clear && odds > clear;
  }
  return witnesses >= LEAST_RUN && 2 * known >= length;
}

/* Finds the likeliest confirmed spell; found->end is 0 if there is none. Leaves out outliers that disturb the search.
 * The values in `g` stay as they are. */
static fcps_status find_spell(const fcps_look *look, group *g, spell *found)
{
  fcps_status status = FCPS_OK;
  for (int tries = 0, fits = 0; tries <= 1 + g->rows / 10 && fits < MOST_FITS; tries++) {
    *found = find_run(g);
    if (found->end == 0) return FCPS_OK;
    divide_run(g, found, found->factor);
    int wildest = find_wildest(g);
    divide_run(g, found, 1.0 / found->factor);
    if (wildest < 0) {
      status = fit_without(look, g, found);
      if (status != FCPS_OK) return status;
      fits++;
      invert(g);
      for (int i = 0; i < g->rows; i++)
        if (g->aside[i]) leave_out(g, i);
      *found = find_run(g);
      if (found->end == 0 || is_confirmed(g, found)) return FCPS_OK;
      wildest = find_wildest(g);
    }
    if (wildest < 0 || g->heard <= LEAST_OTHERS + LEAST_RUN) break;
    leave_out(g, wildest);
    g->aside[wildest] = true;
    g->heard--;
  }
  found->end = 0;
  return status;
}

/* -- Groups -- */

/* If a run begins with the first row, returns the rest of the rows as the spell instead, unless the run is short. */
static spell choose_part(const group *g, spell s)
{
  if (s.first > 0 || 3 * s.end < g->rows) return s;
  return (spell){.first = s.end, .end = g->rows, .factor = 1.0 / s.factor};
}

static void note_spell(const group *g, const spell *s, const double *y, fcps_row_spell *spells)
{
  const size_t n = (size_t)g->rows;
  for (int o = 0; o < g->width; o++) {
    const double *column = y + (size_t)g->outputs[o] * n;
    double sum = 0.0, squares = 0.0;
    int others = 0;
    for (int i = 0; i < g->rows; i++) {
      if (i >= s->first && i < s->end) continue;
      sum += column[i];
      squares += column[i] * column[i];
      others++;
    }
    const double mean = sum / others, spread = sqrt(fmax(squares / others - mean * mean, 1e-20 * squares / others));
    for (int i = s->first; i < s->end; i++) {
      const double distance = fabs(column[i] - column[i] / s->factor) / spread;
      if (!g->fixed[i] && (spells[i].factor == 0.0 || distance > spells[i].distance))
        spells[i] = (fcps_row_spell){s->factor, g->outputs[o], distance};
    }
  }
}

static fcps_status find_in_group(const fcps_look *look, group *g, const double *y, fcps_row_spell *spells)
{
  const size_t n = (size_t)g->rows, m = n + 1, width = (size_t)g->width;
  double *room = fcps_allocate(2 * n * n + 2 * n * width + m + m * m, sizeof *room);
  g->aside = fcps_allocate(n, sizeof *g->aside);
  fcps_status status = room != NULL && g->aside != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  const fcps_gp *gp = look->gps->gp[look->gps->count > 1 ? g->outputs[0] : 0];
  if (status == FCPS_OK) status = fcps_gp_copy(gp, &g->gp);
  if (status == FCPS_OK) {
    g->inverse = room;
    g->block = g->inverse + n * n;
    g->values = g->block + n * n;
    g->products = g->values + n * width;
    g->sums = g->products + n * width;
    g->squares = g->sums + m;
    for (size_t o = 0; o < width; o++)
      memcpy(g->values + o * n, y + (size_t)g->outputs[o] * n, n * sizeof *y);
    invert(g);
  }
  for (int k = 0; k < MOST_SPELLS && status == FCPS_OK; k++) {
    spell s;
    status = find_spell(look, g, &s);
    if (status != FCPS_OK || s.end == 0) break;
    divide_run(g, &s, s.factor);
    s = choose_part(g, s);
    note_spell(g, &s, y, spells);
  }
  fcps_gp_destroy(g->gp);
  free(room);
  free(g->aside);
  return status;
}

/* Returns the index of the pair in which an output turns, -1 if it does not turn. */
static int pair_of(const fcps_description *description, int output)
{
  for (int k = 0; k < description->pair_count; k++)
    if (description->pairs[2 * k] == output || description->pairs[2 * k + 1] == output) return k;
  return -1;
}

fcps_status fcps_spells_find(const fcps_look *look, const bool *stuck, fcps_row_spell *spells)
{
  const fcps_description *d = look->description;
  const int rows = look->rollouts->count;
  fcps_status status = FCPS_OK;
  memset(spells, 0, (size_t)rows * sizeof *spells);
  if (rows < LEAST_OTHERS + LEAST_RUN || rows > MOST_ROWS) return FCPS_OK;
  for (int o = 0; o < look->outputs && status == FCPS_OK; o++) {
    const int pair = pair_of(d, o);
    if (pair >= 0 && d->pairs[2 * pair] != o) continue;
    if (!fcps_stuck_is_measured(rows, look->y + (size_t)o * (size_t)rows, stuck)) continue;
    group g = {.rows = rows, .width = 1, .outputs = {o, 0}, .heard = rows, .fixed = look->rollouts->confirmed};
    if (pair >= 0) g.width = 2, g.outputs[1] = d->pairs[2 * pair + 1];
    status = find_in_group(look, &g, look->y, spells);
  }
  return status;
}
