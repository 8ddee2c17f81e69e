/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing runs and units by sums over the inverse of the kernel matrix. */
#include "model/composite/units.h"

#include "base/memory.h"
#include "linalg/cholesky.h"
#include "model/composite/stuck.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The fewest rows of a spell, and of all others; the most spells of an output; the runs that are compared begin and end at
 * so many rows at most; with more rows it would cost as much as a fit. */
enum { LEAST_RUN = 3, LEAST_OTHERS = 10, MOST_SPELLS = 3, PLACES = 300, MOST_ROWS = 1000 };

static const double least_gain = 25.0; /* of the log likelihood */

static const fcps_unit units_known[] = {{10.0, 0.0, ""},
                                        {0.1, 0.0, ""},
                                        {100.0, 0.0, ""},
                                        {0.01, 0.0, ""},
                                        {1e3, 0.0, ""},
                                        {1e-3, 0.0, ""},
                                        {1e6, 0.0, ""},
                                        {1e-6, 0.0, ""},
                                        {1e9, 0.0, ""},
                                        {1e-9, 0.0, ""},
                                        {60.0, 0.0, "seconds instead of minutes"},
                                        {1.0 / 60.0, 0.0, "minutes instead of seconds"},
                                        {3600.0, 0.0, "seconds instead of hours"},
                                        {1.0 / 3600.0, 0.0, "hours instead of seconds"},
                                        {24.0, 0.0, "hours instead of days"},
                                        {1.0 / 24.0, 0.0, "days instead of hours"},
                                        {25.4, 0.0, "millimetres instead of inches"},
                                        {1.0 / 25.4, 0.0, "inches instead of millimetres"},
                                        {2.54, 0.0, "centimetres instead of inches"},
                                        {1.0 / 2.54, 0.0, "inches instead of centimetres"},
                                        {12.0, 0.0, "inches instead of feet"},
                                        {1.0 / 12.0, 0.0, "feet instead of inches"},
                                        {0.45359237, 0.0, "kilograms instead of pounds"},
                                        {1.0 / 0.45359237, 0.0, "pounds instead of kilograms"},
                                        {9.80665, 0.0, "newtons instead of kilograms"},
                                        {1.0 / 9.80665, 0.0, "kilograms instead of newtons"},
                                        {57.295779513082321, 0.0, "degrees instead of radians"},
                                        {1.0 / 57.295779513082321, 0.0, "radians instead of degrees"},
                                        {14.503773773, 0.0, "pounds per square inch instead of bars"},
                                        {1.0 / 14.503773773, 0.0, "bars instead of pounds per square inch"},
                                        {6.894757293, 0.0, "kilopascals instead of pounds per square inch"},
                                        {1.0 / 6.894757293, 0.0, "pounds per square inch instead of kilopascals"},
                                        {7.500616827, 0.0, "millimetres of mercury instead of kilopascals"},
                                        {1.0 / 7.500616827, 0.0, "kilopascals instead of millimetres of mercury"},
                                        {3.6, 0.0, "kilometres per hour instead of metres per second"},
                                        {1.0 / 3.6, 0.0, "metres per second instead of kilometres per hour"},
                                        {3.280839895, 0.0, "feet instead of metres"},
                                        {1.0 / 3.280839895, 0.0, "metres instead of feet"},
                                        {28.349523125, 0.0, "grams instead of ounces"},
                                        {1.0 / 28.349523125, 0.0, "ounces instead of grams"},
                                        {4.4482216153, 0.0, "newtons instead of pounds of force"},
                                        {1.0 / 4.4482216153, 0.0, "pounds of force instead of newtons"},
                                        {9.5492965855, 0.0, "turns per minute instead of radians per second"},
                                        {1.0 / 9.5492965855, 0.0, "radians per second instead of turns per minute"},
                                        {1.8, 32.0, "degrees Fahrenheit instead of Celsius"},
                                        {1.0 / 1.8, -32.0 / 1.8, "degrees Celsius instead of Fahrenheit"},
                                        {1.0, 273.15, "kelvins instead of degrees Celsius"},
                                        {1.0, -273.15, "degrees Celsius instead of kelvins"}};
enum { UNITS = sizeof units_known / sizeof *units_known, SHIFTED = 4 }; /* those with a shift stand last */

const fcps_unit *fcps_unit_at(int number)
{
  return number >= 1 && number <= UNITS ? units_known + number - 1 : NULL;
}

/* Units stand in pairs, each beside its inverse. */
static int inverse_of(int number)
{
  return ((number - 1) ^ 1) + 1;
}

typedef struct spell {
  int first, end; /* rows; the end is behind it */
  int unit;       /* its number; 0: none */
  double gain;    /* of the log likelihood */
} spell;

/* Outputs that are brought back together: one, or a pair that turns. */
typedef struct group {
  int rows, width;
  int outputs[2];
  bool has_logs;      /* the values are logarithms */
  bool is_affine;     /* only units with a shift are tried; else, where values are logarithms, only those without */
  const bool *fixed;  /* rows that are in no spell */
  bool *aside;        /* wild rows that nobody listens to */
  int heard;          /* the number of all others */
  double *inverse;    /* P */
  double *values;     /* rows x width, spells found so far brought back */
  double *products;   /* P times values */
  double *sums;       /* of runs: see add_up */
  double *spare;      /* room for values and products of one output */
  double *left;       /* see note_left */
  double logs[UNITS]; /* of the factors of all units */
  int above, below;   /* of the units without a shift, those whose factors are next above and below one */
  double x[UNITS];    /* see parabola_at */
} group;

/* What is summed over runs and over squares of runs. */
enum { VALUE_PRODUCT, PRODUCT, SUMS_1D };
enum { ONES, VALUE_ONE, VALUES, SUMS_2D };

/* -- Values -- */

static void multiply(const group *g)
{
  const size_t n = (size_t)g->rows;
  for (int o = 0; o < g->width; o++)
    for (size_t i = 0; i < n; i++) {
      double sum = 0.0;
      for (size_t j = 0; j < n; j++)
        sum += g->inverse[i * n + j] * g->values[(size_t)o * n + j];
      g->products[(size_t)o * n + i] = sum;
    }
}

/* v' P v */
static double square_of(const group *g)
{
  double sum = 0.0;
  for (int i = 0; i < g->rows * g->width; i++)
    sum += g->values[i] * g->products[i];
  return sum;
}

static double bring_back(const group *g, int unit, double value)
{
  const fcps_unit *u = fcps_unit_at(unit);
  return g->has_logs ? value - log(u->factor) : (value - u->shift) / u->factor;
}

static void move_run(group *g, const spell *s, bool is_back)
{
  const int unit = is_back ? s->unit : inverse_of(s->unit);
  for (int o = 0; o < g->width; o++)
    for (int i = s->first; i < s->end; i++) {
      double *value = g->values + (size_t)o * (size_t)g->rows + (size_t)i;
      *value = bring_back(g, unit, *value);
    }
  multiply(g);
}

/* The log likelihood of a run, in a unit, whose values have this square when they are brought back. */
static double gain_of(const group *g, const spell *s, double before, double after)
{
  const double n = (double)g->heard * g->width, told = (double)(s->end - s->first) * g->width;
  const double density = g->has_logs ? 0.0 : told * g->logs[s->unit - 1];
  return 0.5 * n * log(before / fmax(after, 1e-11 * before)) - density;
}

/* -- Runs -- */

/* Whether a sum over squares of runs is asked for: logarithms are shifted, and values of pairs are not. */
static inline bool is_summed(const group *g, size_t kind)
{
  return kind == ONES ? g->has_logs || g->width == 1 : !g->has_logs && (kind == VALUES || g->width == 1);
}

/* Sums of runs from 0 on: sums[k][i] of single rows, and squares[k][i][j] of pairs of rows. */
static void add_up(const group *g)
{
  const size_t n = (size_t)g->rows, m = n + 1;
  double *single = g->sums, *squares = g->sums + SUMS_1D * m;
  memset(g->sums, 0, (SUMS_1D * m + SUMS_2D * m * m) * sizeof *g->sums);
  for (int o = 0; o < g->width; o++) {
    const double *v = g->values + (size_t)o * n, *product = g->products + (size_t)o * n;
    for (size_t i = 0; i < n; i++) {
      const double *p = g->inverse + i * n;
      single[VALUE_PRODUCT * m + i + 1] += v[i] * product[i];
      single[PRODUCT * m + i + 1] += product[i];
      for (size_t j = 0; j < n && is_summed(g, ONES); j++)
        squares[(ONES * m + i + 1) * m + j + 1] += p[j];
      for (size_t j = 0; j < n && is_summed(g, VALUE_ONE); j++)
        squares[(VALUE_ONE * m + i + 1) * m + j + 1] += v[i] * p[j];
      for (size_t j = 0; j < n && is_summed(g, VALUES); j++)
        squares[(VALUES * m + i + 1) * m + j + 1] += v[i] * p[j] * v[j];
    }
  }
  for (size_t k = 0; k < SUMS_1D; k++)
    for (size_t i = 0; i < n; i++)
      single[k * m + i + 1] += single[k * m + i];
  for (size_t k = 0; k < SUMS_2D; k++)
    for (size_t i = 1; i < m && is_summed(g, k); i++)
      for (size_t j = 1; j < m; j++)
        squares[(k * m + i) * m + j] +=
            squares[(k * m + i - 1) * m + j] + squares[(k * m + i) * m + j - 1] - squares[(k * m + i - 1) * m + j - 1];
}

static double run_sum(const group *g, size_t kind, const spell *s)
{
  const double *sums = g->sums + kind * (size_t)(g->rows + 1);
  return sums[s->end] - sums[s->first];
}

static double square_sum(const group *g, size_t kind, const spell *s)
{
  const size_t m = (size_t)g->rows + 1, a = (size_t)s->first, b = (size_t)s->end;
  const double *sums = g->sums + SUMS_1D * m + kind * m * m;
  return sums[b * m + b] - sums[a * m + b] - sums[b * m + a] + sums[a * m + a];
}

static int longest_run(const group *g)
{
  return g->rows / 2 < g->rows - LEAST_OTHERS ? g->rows / 2 : g->rows - LEAST_OTHERS;
}

/* left[length][unit]: the share of the square that a run of this length in this unit leaves where it gains nothing. A run that
 * leaves more needs no logarithm to be passed over, and nearly all do. */
static void note_left(const group *g)
{
  for (int length = LEAST_RUN; length <= longest_run(g); length++)
    for (int k = 0; k < UNITS; k++)
      g->left[(size_t)length * UNITS + (size_t)k] =
          g->has_logs ? 1.0 : exp(-2.0 * length * g->logs[k] / (double)g->heard);
}

/* Of units without a shift: what a run leaves of the square is a parabola in x, where its values lose the share
 * x = 1 - 1/factor of themselves, or their logarithms lose x = log factor. */
static double parabola_at(double before, double linear, double square, double x)
{
  return before - 2.0 * x * linear + x * x * square;
}

static void note_units(group *g)
{
  g->above = g->below = -1;
  for (int k = 0; k < UNITS; k++) {
    g->x[k] = g->has_logs ? g->logs[k] : 1.0 - 1.0 / units_known[k].factor;
    int *next = g->logs[k] > 0.0 ? &g->above : &g->below;
    if (units_known[k].shift == 0.0 && (*next < 0 || fabs(g->logs[k]) < fabs(g->logs[*next]))) *next = k;
  }
}

/* Whether every unit without a shift leaves more than most * left[unit], as nearly always. It is so if the two whose
 * factors are next to one do, and the parabola rises from there on at least as fast as `left` does: not at all for
 * larger factors; for smaller ones left = (1 - x)^power, below its tangent where power is at most one. */
static bool leaves_too_much(const group *g, double before, double linear, double square, double most,
                            const double *left, double power)
{
  const double above = g->x[g->above], below = g->x[g->below];
  return square >= 0.0 && power <= 1.0 && above * square >= linear &&
         2.0 * (linear - below * square) * (1.0 - below) >= power * most * left[g->below] &&
         parabola_at(before, linear, square, above) > most * left[g->above] &&
         parabola_at(before, linear, square, below) > most * left[g->below];
}

/* The most that a run may leave of the square, times left[unit], to be likelier than `best`. */
static double most_left(const group *g, double before, const spell *best)
{
  static const double rounding = 1.0 + 1e-9;
  return rounding * before * exp(-2.0 * best->gain / ((double)g->heard * g->width));
}

/* Compares all units for one run. Brought back, its values are v - part v - shift. */
static void try_run(const group *g, double before, double most, spell s, spell *best)
{
  const double *left = g->left + (size_t)(s.end - s.first) * UNITS;
  const double b = g->has_logs ? 0.0 : run_sum(g, VALUE_PRODUCT, &s), c = run_sum(g, PRODUCT, &s);
  const double a = g->has_logs ? 0.0 : square_sum(g, VALUES, &s);
  const double ones = is_summed(g, ONES) ? square_sum(g, ONES, &s) : 0.0;
  const double power = g->has_logs ? 0.0 : 2.0 * (s.end - s.first) / g->heard;
  const bool has_shifts = !g->has_logs && g->width == 1;
  const bool has_factors =
      !g->is_affine && !leaves_too_much(g, before, g->has_logs ? c : b, g->has_logs ? ones : a, most, left, power);
  if (!has_factors && !has_shifts) return;
  const double f = has_shifts ? square_sum(g, VALUE_ONE, &s) : 0.0;
  const int last = has_shifts ? UNITS : UNITS - SHIFTED;
  for (s.unit = has_factors ? 1 : UNITS - SHIFTED + 1; s.unit <= last; s.unit++) {
    const fcps_unit *u = fcps_unit_at(s.unit);
    const double part = g->has_logs ? 0.0 : g->x[s.unit - 1];
    const double shift = g->has_logs ? g->x[s.unit - 1] : u->shift / u->factor;
    const double after =
        before - 2.0 * part * b + part * part * a - 2.0 * shift * c + shift * shift * ones + 2.0 * part * shift * f;
    if (after > most * left[s.unit - 1]) continue;
    s.gain = gain_of(g, &s, before, after);
    if (s.gain >= best->gain) *best = s;
  }
}

/* The likeliest run; without a unit: none gains enough. */
static spell find_run(const group *g, double before)
{
  const int step = (g->rows + PLACES - 1) / PLACES;
  spell best = {.gain = least_gain};
  double most = most_left(g, before, &best);
  add_up(g);
  note_left(g);
  for (int first = 0; first < g->rows; first += step)
    for (int end = first + 1; end <= g->rows && !g->fixed[end - 1]; end++) {
      const int length = end - first;
      const bool is_place = (end - first) % step == 0 || end == g->rows;
      if (length < LEAST_RUN || length > longest_run(g) || !is_place) continue;
      const double gain = best.gain;
      try_run(g, before, most, (spell){.first = first, .end = end}, &best);
      if (best.gain != gain) most = most_left(g, before, &best);
    }
  return best;
}

/* Moves the ends of a run while that is likelier: the sums of many rows have lost digits. The values are as told. */
static void refine_run(group *g, double before, spell *best)
{
  static const int moves[][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  bool has_moved = true;
  move_run(g, best, true);
  best->gain = gain_of(g, best, before, square_of(g));
  move_run(g, best, false);
  for (int step = 0; step < g->rows && has_moved; step++) {
    has_moved = false;
    for (int k = 0; k < 4 && !has_moved; k++) {
      spell s = *best;
      s.first += moves[k][0];
      s.end += moves[k][1];
      const int length = s.end - s.first;
      if (s.first < 0 || s.end > g->rows || length < LEAST_RUN || g->rows - length < LEAST_OTHERS) continue;
      if ((k == 0 && g->fixed[s.first]) || (k == 3 && g->fixed[s.end - 1])) continue;
      move_run(g, &s, true);
      s.gain = gain_of(g, &s, before, square_of(g));
      move_run(g, &s, false);
      if (!(s.gain > best->gain)) continue;
      *best = s;
      has_moved = true;
    }
  }
}

/* -- Wild rows -- */

/* The row that is furthest from what all others say, in the deviations of a world without it. */
static int find_wildest(const group *g, double *distance)
{
  const size_t n = (size_t)g->rows;
  const double square = square_of(g), freedom = (double)(g->heard - 1) * g->width;
  int wildest = -1;
  *distance = 0.0;
  for (int i = 0; i < g->rows; i++) {
    if (g->aside[i]) continue;
    double own = 0.0;
    for (int o = 0; o < g->width; o++) {
      const double product = g->products[(size_t)o * n + (size_t)i];
      own += product * product / g->inverse[(size_t)i * n + (size_t)i];
    }
    const double away = sqrt(own / fmax((square - own) / freedom, 1e-300));
    if (!(away > *distance)) continue;
    *distance = away;
    wildest = i;
  }
  return wildest;
}

/* P as it is where a row has boundless noise. */
static void put_aside(group *g, int row)
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
  g->aside[row] = true;
  g->heard--;
}

/* -- Verdict -- */

/* Whether the rows of a run, each judged by all others, agree. The values are brought back. */
static bool is_witnessed(const group *g, const spell *s)
{
  static const double clear = 3.0, against = -2.0, usual = 5.0;
  const size_t n = (size_t)g->rows;
  const double variance = square_of(g) / ((double)g->heard * g->width);
  int witnesses = 0;
  for (int i = s->first; i < s->end; i++) {
    const double diagonal = g->inverse[(size_t)i * n + (size_t)i], precision = diagonal / variance;
    double odds = 0.0, furthest = 0.0;
    for (int o = 0; o < g->width && !g->aside[i]; o++) {
      const size_t place = (size_t)o * n + (size_t)i;
      const double value = g->values[place], told = bring_back(g, inverse_of(s->unit), value);
      const double error = g->products[place] / diagonal, other = error + told - value;
      odds += 0.5 * precision * (other * other - error * error);
      odds -= g->has_logs ? 0.0 : log(fcps_unit_at(s->unit)->factor);
      furthest = fmax(furthest, fabs(error) * sqrt(precision));
    }
    if (odds < against || furthest > usual) return false;
    witnesses += odds > clear;
  }
  return witnesses >= LEAST_RUN;
}

/* The same of the outputs themselves where values are their logarithms: the kernel was fitted to these. */
static bool is_witnessed_plainly(const group *g, const spell *s)
{
  if (!g->has_logs) return true;
  group plain = *g;
  plain.has_logs = false;
  plain.values = g->spare;
  plain.products = g->spare + g->rows;
  for (int i = 0; i < g->rows; i++)
    plain.values[i] = exp(g->values[i]);
  multiply(&plain);
  return is_witnessed(&plain, s);
}

/* Whether the factor is that of the unit, as far as the rows tell, and they tell it well enough. The values are brought
 * back; what is left of a factor is one, as a logarithm or as a share. */
static bool is_exact(const group *g, const spell *s)
{
  static const double reach = 3.0, scatter = 0.03, named = 0.25, power = 1.0, share = 0.25;
  const fcps_unit *unit = fcps_unit_at(s->unit);
  const bool is_shift = g->has_logs || unit->factor == 1.0;
  add_up(g);
  const double deviation = sqrt(square_of(g) / ((double)g->heard * g->width));
  const double weight = square_sum(g, is_shift ? ONES : VALUES, s);
  const double left = run_sum(g, is_shift ? PRODUCT : VALUE_PRODUCT, s) / weight;
  const double error = reach * deviation / sqrt(weight);
  const double range = g->has_logs || !is_shift ? 1.0 : fabs(unit->shift);
  const double most = fmax(unit->name[0] != '\0' ? named : power, share * fabs(log(unit->factor)));
  return weight > 0.0 && error <= most * range && fabs(left) <= scatter * range + error;
}

/* Finds the likeliest spell, and leaves its values brought back; false: there is none. A wild row that spoils the picture is
 * put aside. */
static bool find_spell(group *g, spell *found)
{
  static const double wild = 8.0;
  const int most_wild = 1 + g->rows / 10;
  for (int tries = 0; tries <= most_wild; tries++) {
    double distance;
    multiply(g);
    const double before = square_of(g);
    if (!(before > 0.0)) return false;
    *found = find_run(g, before);
    if (found->unit == 0) return false;
    refine_run(g, before, found);
    move_run(g, found, true);
    int wildest = find_wildest(g, &distance);
    if (!(distance > wild) && found->gain > least_gain && is_witnessed(g, found) && is_witnessed_plainly(g, found) &&
        is_exact(g, found))
      return true;
    move_run(g, found, false);
    if (!(distance > wild)) wildest = find_wildest(g, &distance);
    if (!(distance > wild) || g->heard <= LEAST_OTHERS + LEAST_RUN) return false;
    put_aside(g, wildest);
  }
  return false;
}

/* Of two parts of the rows the later one is in another unit, unless the earlier one is short. */
static spell choose_part(const group *g, spell s)
{
  if (s.first > 0 || 3 * s.end < g->rows) return s;
  return (spell){.first = s.end, .end = g->rows, .unit = inverse_of(s.unit), .gain = s.gain};
}

static void note_spell(const group *g, const spell *s, const double *y, fcps_row_unit *units)
{
  const size_t n = (size_t)g->rows;
  for (int o = 0; o < g->width; o++) {
    const double *column = y + (size_t)g->outputs[o] * n;
    const fcps_unit *u = fcps_unit_at(s->unit);
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
      if (g->fixed[i]) continue;
      const double distance = fabs(column[i] - (column[i] - u->shift) / u->factor) / spread;
      if (units[i].unit == 0 || distance > units[i].distance)
        units[i] = (fcps_row_unit){s->unit, g->outputs[o], distance};
    }
  }
}

/* -- Groups -- */

/* The inverse of the kernel matrix without a constant: P = Q - Q 1 1' Q / (1' Q 1). */
static void invert(const fcps_gp *gp, int rows, double *inverse, double *weights)
{
  const size_t n = (size_t)rows;
  double sum = 0.0;
  fcps_chol_inverse(rows, gp->factor, gp->capacity, inverse);
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

/* Whether a group is one output of one sign. */
static bool has_one_sign(const group *g, const double *y)
{
  const size_t n = (size_t)g->rows;
  const double *column = y + (size_t)g->outputs[0] * n;
  bool has_one = g->width == 1;
  for (size_t i = 0; i < n && has_one; i++)
    has_one = column[i] * column[0] > 0.0;
  return has_one;
}

static void take_values(const group *g, const double *y)
{
  const size_t n = (size_t)g->rows;
  for (int o = 0; o < g->width; o++)
    for (size_t i = 0; i < n; i++) {
      const double value = y[(size_t)g->outputs[o] * n + i];
      g->values[(size_t)o * n + i] = g->has_logs ? log(fabs(value)) : value;
    }
}

/* Finds the spells of a group, by its logarithms or not; returns what they gain together. */
static double find_spells(const fcps_model *model, group *g, const double *y, fcps_row_unit *units)
{
  spell s;
  double gain = 0.0;
  memset(g->aside, 0, (size_t)g->rows * sizeof *g->aside);
  g->heard = g->rows;
  invert(fcps_model_gp(model, fcps_model_gp_count(model) > 1 ? g->outputs[0] : 0), g->rows, g->inverse, g->products);
  take_values(g, y);
  note_units(g);
  for (int k = 0; k < MOST_SPELLS && find_spell(g, &s); k++) {
    s = choose_part(g, s);
    note_spell(g, &s, y, units);
    gain += s.gain;
  }
  return gain;
}

/* Where there are logarithms, units with a shift are tried beside them, and what gains more is believed. */
static void compare_kinds(const fcps_model *model, group *g, const double *y, fcps_row_unit *units,
                          fcps_row_unit *other)
{
  const size_t size = (size_t)g->rows * sizeof *units;
  memcpy(other, units, size);
  g->has_logs = has_one_sign(g, y);
  const double gain = find_spells(model, g, y, units);
  if (!g->has_logs) return;
  g->has_logs = false;
  g->is_affine = true;
  if (find_spells(model, g, y, other) > gain) memcpy(units, other, size);
}

static fcps_status find_in_group(const fcps_model *model, group *g, const double *y, fcps_row_unit *units)
{
  const size_t n = (size_t)g->rows, m = n + 1, width = (size_t)g->width;
  const size_t size = n * n + 2 * n * width + 2 * n + SUMS_1D * m + SUMS_2D * m * m + m * UNITS;
  double *room = fcps_allocate(size, sizeof *room);
  fcps_row_unit *other = fcps_allocate(n, sizeof *other);
  g->aside = fcps_allocate(n, sizeof *g->aside);
  const bool ok = room != NULL && other != NULL && g->aside != NULL;
  if (ok) {
    g->inverse = room;
    g->values = g->inverse + n * n;
    g->products = g->values + n * width;
    g->spare = g->products + n * width;
    g->sums = g->spare + 2 * n;
    g->left = g->sums + SUMS_1D * m + SUMS_2D * m * m;
    compare_kinds(model, g, y, units, other);
  }
  free(room);
  free(other);
  free(g->aside);
  return ok ? FCPS_OK : FCPS_ERR_MEMORY;
}

/* The pair that an output turns in; -1: it does not turn. */
static int pair_of(const fcps_model *model, int output)
{
  for (int k = 0; k < model->frame.pair_count && model->frame.angle != FCPS_FRAME_NONE; k++)
    if (model->frame.pairs[k].first == output || model->frame.pairs[k].second == output) return k;
  return -1;
}

fcps_status fcps_units_find(const fcps_model *model, int outputs, const double *y, const bool *stuck,
                            fcps_row_unit *units)
{
  const int rows = model->training.count;
  fcps_status status = FCPS_OK;
  memset(units, 0, (size_t)rows * sizeof *units);
  if (rows < LEAST_OTHERS + LEAST_RUN || rows > MOST_ROWS) return FCPS_OK;
  for (int o = 0; o < outputs && status == FCPS_OK; o++) {
    const int pair = pair_of(model, o);
    const fcps_frame_pair *turning = pair >= 0 ? model->frame.pairs + pair : NULL;
    if (turning != NULL && (turning->is_relative || turning->first != o)) continue;
    if (!fcps_stuck_is_measured(rows, y + (size_t)o * (size_t)rows, stuck)) continue;
    group g = {.rows = rows, .width = turning != NULL ? 2 : 1, .fixed = model->training.confirmed};
    g.outputs[0] = o;
    for (int k = 0; k < UNITS; k++)
      g.logs[k] = log(units_known[k].factor);
    g.outputs[1] = turning != NULL ? turning->second : 0;
    status = find_in_group(model, &g, y, units);
  }
  return status;
}
