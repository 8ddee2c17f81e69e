/* SPDX-License-Identifier: Apache-2.0 */
/* Leave-one-out distances of rows, also of their outputs after they were shaped. */
#include "model/structures/doubts.h"

#include "base/memory.h"
#include "base/number.h"
#include "gp/leave_one_out.h"
#include "linalg/cholesky.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row this many deviations of a normal distribution away is a suspect: where its output is like no other, or becomes
 * what was expected with its decimal point elsewhere; and else, where it may be a jump of the function. A suspect is believed
 * again if it comes nearer than this share of that distance. From the last number on a row may hide behind the
 * hyper-parameters. */
static const double surprising_jump = 9.0, believable_share = 2.0 / 3.0, worth_a_look = 3.0;

/* The noise of a suspect is at most this many times its distance: it says no more, and more would cost digits. */
static const double most_noise = 1e4;

double fcps_doubt_distance(double deviations, int rows)
{
  const double freedom = rows - 2;
  return freedom > 0 ? sqrt(freedom * expm1(deviations * deviations / freedom)) : NAN;
}

bool fcps_doubt_is_within(double least, double most, double value, double spans)
{
  const bool has_new_sign = (least > 0 && value < 0) || (most < 0 && value > 0);
  if (has_new_sign) return false;
  const double span = most - least;
  return value >= least - spans * span && value <= most + spans * span;
}

/* A prediction near zero explains nothing: every small number would do. */
bool fcps_doubt_is_lost_point(double value, double expected, double deviation)
{
  static const double factors[] = {0.1, 10.0, 0.01, 100.0, 0.001, 1000.0}, near = 3.0, about = 0.05;
  const double reach = fmax(near * deviation, about * fabs(expected));
  if (fabs(expected) < 2.0 * reach) return false;
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    if (fabs(factors[i] * value - expected) < reach) return true;
  return false;
}

/* -- Trifles -- */

/* The middle of numbers, which are sorted. */
static double middle_of(double *numbers, int count)
{
  qsort(numbers, (size_t)count, sizeof *numbers, fcps_number_compare);
  return count > 0 ? numbers[count / 2] : 0.0;
}

/* The usual distance of an output from its middle. `scratch` has room for all rows. */
static double usual_distance(const fcps_hearing *r, int output, double *scratch)
{
  const int rows = r->look->rollouts->count;
  const double *y = r->look->y + (size_t)output * (size_t)rows;
  memcpy(scratch, y, (size_t)rows * sizeof *scratch);
  const double middle = middle_of(scratch, rows);
  for (int i = 0; i < rows; i++)
    scratch[i] = fabs(y[i] - middle);
  return middle_of(scratch, rows);
}

fcps_status fcps_doubt_scores_find_trifles(const fcps_hearing *r)
{
  static const double share = 1e-3;
  const fcps_dimension *dims = r->look->layout->problem->outcome.dims;
  const size_t rows = (size_t)r->look->rollouts->count, outputs = (size_t)r->look->outputs;
  double *scratch = fcps_allocate(rows + outputs, sizeof *scratch);
  if (scratch == NULL) return FCPS_ERR_MEMORY;
  double *usual = scratch + rows;
  for (int o = 0; o < r->look->outputs; o++)
    usual[o] = usual_distance(r, o, scratch);
  for (int o = 0; o < r->look->outputs; o++) {
    double largest = usual[o];
    for (int other = 0; other < r->look->outputs && dims[o].unit != NULL; other++)
      if (fcps_dimension_has_unit_of(dims + other, dims + o)) largest = fmax(largest, usual[other]);
    r->trifles[o] = share * largest;
  }
  free(scratch);
  return FCPS_OK;
}

/* -- Shapes -- */

/* Whether a row says nothing about the others: it is doubted, or at rest. */
static bool is_left_aside(const fcps_hearing *r, int row)
{
  const fcps_rollouts *rollouts = r->look->rollouts;
  return r->noise[row] > 0.0 || fcps_description_rests(r->look->description, fcps_rollouts_environment(rollouts, row),
                                                       fcps_rollouts_outcome(rollouts, row));
}

/* Shapes an output of all rows so that large numbers differ by less: by logarithms where it has one sign at the row in
 * question and all others that are believed; else by inverse hyperbolic sines around the middle of the others, in units
 * of their usual distance from it. `shaped` and `scratch` have room for all rows. */
static void shape_output(const fcps_hearing *r, int row, const double *y, double *shaped, double *scratch)
{
  const int rows = r->look->rollouts->count;
  int believed = 0;
  bool has_one_sign = y[row] != 0.0;
  double least = fabs(y[row]);
  for (int i = 0; i < rows; i++) {
    if (i == row || is_left_aside(r, i)) continue;
    scratch[believed++] = y[i];
    has_one_sign = has_one_sign && y[i] * y[row] > 0.0;
    least = fmin(least, fabs(y[i]));
  }
  if (has_one_sign) {
    for (int i = 0; i < rows; i++)
      shaped[i] = log(fmax(fabs(y[i]), least));
    return;
  }
  const double middle = middle_of(scratch, believed);
  for (int i = 0; i < believed; i++)
    scratch[i] = fabs(scratch[i] - middle);
  const double usual = middle_of(scratch, believed);
  for (int i = 0; i < rows; i++)
    shaped[i] = usual > 0.0 ? asinh((y[i] - middle) / usual) : y[i];
}

/* Whether an output lies among the believed outputs of the other rows, or outside by at most so many times the distance
 * between them, and has the sign of one of them. */
static bool is_within(const fcps_hearing *r, int row, const double *column, double spans)
{
  const int rows = r->look->rollouts->count;
  const double value = column[row];
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < rows; i++) {
    if (i == row || is_left_aside(r, i)) continue;
    least = fmin(least, column[i]);
    most = fmax(most, column[i]);
  }
  return fcps_doubt_is_within(least, most, value, spans);
}

/* How many deviations a row is from what the others say, where its shaped output says less than the output itself: at the
 * end of what was tried a curved function goes on as it must, and only the shaped one shows that. An output far from
 * all others is a surprise unless its shape explains it fully. The kernel sees shaped outputs in units of their own
 * spread, or, where outputs share a scale, in as many of them as the output itself. `shaped` has room for twice the
 * rows. */
static fcps_status shape_distance(const fcps_hearing *r, fcps_leave_one_out *loo, fcps_gp_norm norm, int row,
                                  const double *y, double scale, double doubt, double *shaped, double *distance)
{
  fcps_left_out plain, other;
  norm.scaling = FCPS_SCALING_EACH;
  norm.weights = NULL;
  norm.pair_count = 0;
  shape_output(r, row, y, shaped, shaped + r->look->rollouts->count);
  fcps_status status = fcps_leave_one_out_row(loo, norm, row, 1, y, &plain);
  if (status == FCPS_OK) status = fcps_leave_one_out_row(loo, norm, row, 1, shaped, &other);
  if (status != FCPS_OK) return status;
  const double share = plain.scale > 0.0 ? scale / plain.scale : 1.0, unit = other.scale * other.scale;
  const double deviation = share * sqrt(fmax(other.variance - unit * doubt, FCPS_VARIANCE_FLOOR * unit));
  const double away = fabs(shaped[row] - other.mean) / deviation;
  if (away <= FCPS_SURPRISING || is_within(r, row, y, 1.0)) *distance = fmin(*distance, away);
  return FCPS_OK;
}

/* By one GP, which has `outputs` outputs. */
static fcps_status score_by(const fcps_hearing *r, int index, fcps_gp_norm norm, int outputs)
{
  const int rows = r->look->rollouts->count;
  const double *y = r->look->y + (size_t)(index * outputs) * (size_t)rows;
  fcps_row_score *scores = r->scores;
  fcps_leave_one_out *loo = NULL;
  fcps_left_out *left_out = fcps_allocate((size_t)outputs, sizeof *left_out);
  bool *measured = fcps_allocate((size_t)outputs, sizeof *measured);
  double *shaped = fcps_allocate(2 * (size_t)rows, sizeof *shaped);
  fcps_status status = left_out != NULL && measured != NULL && shaped != NULL
                           ? fcps_leave_one_out_create(&loo, r->gps->gp[index], rows)
                           : FCPS_ERR_MEMORY;
  for (int o = 0; o < outputs && status == FCPS_OK; o++)
    measured[o] = fcps_stuck_is_measured(rows, y + (size_t)o * (size_t)rows, r->stuck);
  for (int i = 0; i < rows && status == FCPS_OK; i++) {
    status = fcps_leave_one_out_row(loo, norm, i, outputs, y, left_out);
    for (int o = 0; o < outputs && status == FCPS_OK; o++) {
      if (!measured[o]) continue;
      const fcps_left_out *l = left_out + o;
      const double value = y[(size_t)o * (size_t)rows + (size_t)i], units = (value - l->mean) / l->scale;
      if (fabs(value - l->mean) < r->trifles[index * outputs + o]) continue;
      const double doubt = fcps_gps_noise_at(r->gps, r->look->index, index, i);
      const double variance = l->variance - l->scale * l->scale * doubt;
      const double deviation = sqrt(fmax(variance, FCPS_VARIANCE_FLOOR * l->scale * l->scale));
      double distance = fabs(value - l->mean) / deviation;
      scores[i].noise = fmax(scores[i].noise, fmin(units * units, most_noise * fabs(units)));
      scores[i].away = fmax(scores[i].away, distance);
      if (distance > worth_a_look)
        status = shape_distance(r, loo, norm, i, y + (size_t)o * (size_t)rows, l->scale, doubt, shaped, &distance);
      if (!(distance > scores[i].surprise.distance)) continue;
      scores[i].surprise =
          (fcps_surprise){i, index * outputs + o, value, l->mean, deviation, distance, {.factor = 0.0}, false};
    }
  }
  fcps_leave_one_out_destroy(loo);
  free(left_out);
  free(measured);
  free(shaped);
  return status;
}

fcps_status fcps_doubt_scores_norm(const fcps_hearing *r, fcps_gp_norm *norm, int **aside)
{
  const int rows = r->look->rollouts->count;
  *norm = fcps_description_norm(r->look->description, r->look->layout);
  *aside = fcps_allocate((size_t)rows, sizeof(int));
  if (*aside == NULL) return FCPS_ERR_MEMORY;
  norm->aside_count = 0;
  for (int i = 0; i < rows; i++)
    if (i >= r->known || is_left_aside(r, i)) (*aside)[norm->aside_count++] = i; /* in rising order (see gp/gp.c) */
  norm->aside = *aside;
  return FCPS_OK;
}

/* Whether one of the outcomes from `first` to before `end` was told outside its range, which somebody has declared: the GPs see
 * it at the end of the range. */
static bool is_clipped(const fcps_hearing *r, int row, int first, int end)
{
  const double *told = fcps_rollouts_outcome(r->look->rollouts, row);
  for (int o = first; o < end; o++)
    if (fcps_dimension_clip(r->look->layout->problem->outcome.dims + o, told[o]) != told[o]) return true;
  return false;
}

fcps_status fcps_doubt_scores_find(const fcps_hearing *r)
{
  const int rows = r->look->rollouts->count, gps = r->gps->count, each = r->look->outputs / gps;
  fcps_gp_norm norm;
  int *aside = NULL;
  fcps_status status = fcps_doubt_scores_norm(r, &norm, &aside);
  memset(r->scores, 0, (size_t)rows * sizeof *r->scores);
  for (int g = 0; g < gps && status == FCPS_OK; g++)
    status = score_by(r, g, norm, each);
  for (int i = 0; i < rows && status == FCPS_OK; i++) {
    fcps_row_score *s = r->scores + i;
    if (!(s->surprise.distance > worth_a_look)) continue;
    const int o = s->surprise.output, outcomes = r->look->layout->problem->outcome.count;
    const double *column = r->look->y + (size_t)o * (size_t)rows;
    const bool is_slip = fcps_doubt_is_lost_point(s->surprise.value, s->surprise.expected, s->surprise.deviation) ||
                         (!r->look->description->changes_outputs && is_clipped(r, i, o, o + 1));
    s->surprise.is_mishap = is_slip || is_clipped(r, i, 0, outcomes) || !is_within(r, i, column, FCPS_LIKE_NO_OTHER);
    s->needed = is_slip || !is_within(r, i, column, 1.0) ? FCPS_SURPRISING : surprising_jump;
    s->excess = s->surprise.distance / fcps_doubt_distance(s->needed, r->known);
  }
  free(aside);
  return status;
}

/* Whether a row has nearly the same output as row `a` and is no less of a surprise. */
static bool is_alike(const fcps_surprise *a, const fcps_surprise *b)
{
  static const double alike = 0.2, as_much = 1.0 / 3.0;
  const double surprise = fabs(a->value - a->expected);
  return b->output == a->output && fabs(b->value - a->value) <= alike * surprise &&
         fabs(b->value - b->expected) >= as_much * surprise;
}

/* Whether such a row is nearby, and no other row is nearer: two trials do not slip alike, but a number that stands for
 * an error comes again anywhere. */
bool fcps_doubt_scores_have_witness(const fcps_hearing *r, const fcps_row_score *scores, int row)
{
  static const double near = 0.5;
  const fcps_surprise *a = &scores[row].surprise;
  const fcps_gp *gp = r->gps->gp[r->gps->count > 1 ? a->output : 0];
  double nearest_alike = near * near, nearest_other = INFINITY;
  for (int i = 0; i < r->look->rollouts->count; i++) {
    if (i == row) continue;
    const double distance = fcps_gp_squared_distance(gp, row, i);
    double *nearest = is_alike(a, &scores[i].surprise) ? &nearest_alike : &nearest_other;
    *nearest = fmin(*nearest, distance);
  }
  return nearest_alike < near * near && nearest_alike <= nearest_other;
}

bool fcps_doubt_scores_explain(const fcps_hearing *r, int row)
{
  const fcps_row_score *judged = r->scores + row;
  const double believable = fcps_doubt_distance(believable_share * judged->needed, r->known);
  return judged->surprise.distance <= fmax(worth_a_look, believable);
}

bool fcps_doubt_score_is_large(const fcps_row_score *score)
{
  return score->away > worth_a_look;
}

/* -- New rows -- */

/* How far row `row` is from what the others say, in the output that is furthest: the same as above for one row, in
 * O(rows^2). */
static double distance_of(const fcps_look *look, const fcps_gp_outputs *outputs, int row, double *line)
{
  const int rows = look->rollouts->count, each = outputs->outputs / look->gps->count;
  double largest = 0.0;
  for (int g = 0; g < look->gps->count; g++) {
    const fcps_gp *gp = look->gps->gp[g];
    memset(line, 0, (size_t)rows * sizeof(double));
    line[row] = 1.0;
    fcps_chol_solve_lower(rows, gp->factor, gp->capacity, 1, line, rows);
    fcps_chol_solve_upper(rows, gp->factor, gp->capacity, 1, line, rows);
    for (int o = g * each; o < (g + 1) * each; o++)
      largest = fmax(largest, fabs(outputs->alpha[(size_t)o * (size_t)rows + (size_t)row]) / sqrt(line[row]));
  }
  return largest;
}

bool fcps_doubt_scores_may_surprise(const fcps_look *look, const fcps_gp_outputs *outputs, int row, double *line)
{
  return distance_of(look, outputs, row, line) > fcps_doubt_distance(FCPS_SURPRISING, look->known);
}
