/* SPDX-License-Identifier: Apache-2.0 */
/* Leave-one-out distances of rows, also of their outputs after they were shaped. */
#include "model/composite/scores.h"

#include "base/memory.h"
#include "base/number.h"
#include "gp/leave_one_out.h"
#include "linalg/cholesky.h"
#include "model/composite/stuck.h"
#include "model/model.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row this many deviations of a normal distribution away is a suspect: where its output is like no other, or becomes
 * what was expected with its decimal point elsewhere; and else, where it may be a jump of the function. A suspect within
 * this share of that is believed again. From the last number on a row may hide behind the hyper-parameters. */
static const double surprising = 6.0, surprising_jump = 9.0, believable_share = 2.0 / 3.0, worth_a_look = 3.0;

/* The noise of a suspect is at most this many times its distance: it says no more, and more would cost digits. */
static const double most_noise = 1e4;

/* With few rows a deviation is itself uncertain: what is `deviations` away for a normal distribution is this for
 * Student's with as many degrees of freedom. */
static double student_distance(double deviations, int rows)
{
  const double freedom = rows - 2;
  return sqrt(freedom * expm1(deviations * deviations / freedom));
}

/* -- Trifles -- */

/* The middle of numbers, which are sorted. */
static double middle_of(double *numbers, int count)
{
  qsort(numbers, (size_t)count, sizeof *numbers, fcps_number_compare);
  return count > 0 ? numbers[count / 2] : 0.0;
}

/* The usual distance of an output from its middle. `scratch` has room for all rows. */
static double usual_distance(const fcps_review *r, int output, double *scratch)
{
  const int rows = r->model->training.count;
  const double *y = r->y + (size_t)output * (size_t)rows;
  memcpy(scratch, y, (size_t)rows * sizeof *scratch);
  const double middle = middle_of(scratch, rows);
  for (int i = 0; i < rows; i++)
    scratch[i] = fabs(y[i] - middle);
  return middle_of(scratch, rows);
}

fcps_status fcps_scores_find_trifles(const fcps_review *r)
{
  static const double share = 1e-3;
  const fcps_dimension *dims = r->model->problem->outcome.dims;
  const size_t rows = (size_t)r->model->training.count, outputs = (size_t)r->outputs;
  double *scratch = fcps_allocate(rows + outputs, sizeof *scratch);
  if (scratch == NULL) return FCPS_ERR_MEMORY;
  double *usual = scratch + rows;
  for (int o = 0; o < r->outputs; o++)
    usual[o] = usual_distance(r, o, scratch);
  for (int o = 0; o < r->outputs; o++) {
    double largest = usual[o];
    for (int other = 0; other < r->outputs && dims[o].unit != NULL; other++)
      if (fcps_dimension_has_unit_of(dims + other, dims + o)) largest = fmax(largest, usual[other]);
    r->trifles[o] = share * largest;
  }
  free(scratch);
  return FCPS_OK;
}

/* -- Shapes -- */

/* Whether a row counts for the shape of its output: a suspect does not, nor does the row in question. */
static bool is_believed_beside(const fcps_review *r, int row, int i)
{
  return i != row && !fcps_suspects_include(r->model, i) && !fcps_contact_rests(r->model, i);
}

/* Shapes an output of all rows so that large numbers differ by less: by logarithms where it has one sign at the row in
 * question and all others that are believed; else by inverse hyperbolic sines around the middle of the others, in units
 * of their usual distance from it. `shaped` and `scratch` have room for all rows. */
static void shape_output(const fcps_review *r, int row, const double *y, double *shaped, double *scratch)
{
  const int rows = r->model->training.count;
  int believed = 0;
  bool has_one_sign = y[row] != 0.0;
  double least = fabs(y[row]);
  for (int i = 0; i < rows; i++) {
    if (!is_believed_beside(r, row, i)) continue;
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

/* Whether an output lies among those of the other rows that are believed, or no further from them than they are from
 * each other, and has a sign that they have. */
static bool is_in_range(const fcps_review *r, int row, const double *column)
{
  const int rows = r->model->training.count;
  const double value = column[row];
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < rows; i++) {
    if (!is_believed_beside(r, row, i)) continue;
    least = fmin(least, column[i]);
    most = fmax(most, column[i]);
  }
  const bool has_new_sign = (least > 0 && value < 0) || (most < 0 && value > 0);
  if (has_new_sign) return false;
  const double span = most - least;
  return value >= least - span && value <= most + span;
}

/* How many deviations a row is from what the others say, where its shaped output says less than the output itself: at the
 * end of what was tried a curved function goes on as it must, and only the shaped one shows that. An output far from
 * all others is a surprise unless its shape explains it fully. The kernel sees shaped outputs in units of their own
 * spread, or, where outputs share a scale, in as many of them as the output itself. `shaped` has room for twice the
 * rows. */
static fcps_status shape_distance(const fcps_review *r, fcps_leave_one_out *loo, fcps_gp_norm norm, int row,
                                  const double *y, double scale, double doubt, double *shaped, double *distance)
{
  fcps_left_out plain, other;
  norm.scaling = FCPS_SCALING_EACH;
  norm.weights = NULL;
  norm.pair_count = 0;
  shape_output(r, row, y, shaped, shaped + r->model->training.count);
  fcps_status status = fcps_leave_one_out_row(loo, norm, row, 1, y, &plain);
  if (status == FCPS_OK) status = fcps_leave_one_out_row(loo, norm, row, 1, shaped, &other);
  if (status != FCPS_OK) return status;
  const double share = plain.scale > 0.0 ? scale / plain.scale : 1.0, unit = other.scale * other.scale;
  const double deviation = share * sqrt(fmax(other.variance - unit * doubt, FCPS_VARIANCE_FLOOR * unit));
  const double away = fabs(shaped[row] - other.mean) / deviation;
  if (away <= surprising || is_in_range(r, row, y)) *distance = fmin(*distance, away);
  return FCPS_OK;
}

/* By one GP, which has `outputs` outputs. */
static fcps_status score_by(const fcps_review *r, int index, fcps_gp_norm norm, int outputs)
{
  const fcps_model *model = r->model;
  const int rows = model->training.count;
  const double *y = r->y + (size_t)(index * outputs) * (size_t)rows;
  fcps_row_score *scores = r->scores;
  fcps_leave_one_out *loo = NULL;
  fcps_left_out *left_out = fcps_allocate((size_t)outputs, sizeof *left_out);
  bool *measured = fcps_allocate((size_t)outputs, sizeof *measured);
  double *shaped = fcps_allocate(2 * (size_t)rows, sizeof *shaped);
  fcps_status status = left_out != NULL && measured != NULL && shaped != NULL
                           ? fcps_leave_one_out_create(&loo, fcps_model_gp(model, index), rows)
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
      const double doubt = fcps_row_noise_at(model, FCPS_NOISE_SUSPECT, index, i);
      const double variance = l->variance - l->scale * l->scale * doubt;
      const double deviation = sqrt(fmax(variance, FCPS_VARIANCE_FLOOR * l->scale * l->scale));
      double distance = fabs(value - l->mean) / deviation;
      scores[i].noise = fmax(scores[i].noise, fmin(units * units, most_noise * fabs(units)));
      scores[i].away = fmax(scores[i].away, distance);
      if (distance > worth_a_look)
        status = shape_distance(r, loo, norm, i, y + (size_t)o * (size_t)rows, l->scale, doubt, shaped, &distance);
      if (!(distance > scores[i].surprise.distance)) continue;
      scores[i].surprise =
          (fcps_surprise){i, index * outputs + o, value, l->mean, deviation, distance, {.factor = 0.0}};
    }
  }
  fcps_leave_one_out_destroy(loo);
  free(left_out);
  free(measured);
  free(shaped);
  return status;
}

/* Lets `norm` not look at rows from `known` on either, in rising order (see gp/gp.c). *aside is to be freed. */
static fcps_status put_aside(const fcps_model *model, int known, fcps_gp_norm *norm, int **aside)
{
  const int rows = model->training.count;
  *aside = fcps_allocate((size_t)rows, sizeof(int));
  if (*aside == NULL) return FCPS_ERR_MEMORY;
  norm->aside_count = 0;
  for (int i = 0; i < rows; i++)
    if (i >= known || fcps_suspects_include(model, i) || fcps_contact_rests(model, i))
      (*aside)[norm->aside_count++] = i;
  norm->aside = *aside;
  return FCPS_OK;
}

/* Whether a lost decimal point explains an output. A prediction near zero explains nothing: every small number would
 * do. */
static bool has_lost_its_point(const fcps_surprise *surprise)
{
  static const double factors[] = {0.1, 10.0, 0.01, 100.0, 0.001, 1000.0}, near = 3.0;
  const double reach = near * surprise->deviation;
  if (fabs(surprise->expected) < 2.0 * reach) return false;
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
    if (fabs(factors[i] * surprise->value - surprise->expected) < reach) return true;
  return false;
}

/* Scores all rows. Rows from `known` on are not looked at by offset and scale. */
fcps_status fcps_scores_of_rows(const fcps_review *r)
{
  const fcps_model *model = r->model;
  const int rows = model->training.count, gps = fcps_model_gp_count(model), each = r->outputs / gps;
  fcps_gp_norm norm = model->settings.norm;
  int *aside = NULL;
  fcps_status status = put_aside(model, r->known, &norm, &aside);
  memset(r->scores, 0, (size_t)rows * sizeof *r->scores);
  for (int g = 0; g < gps && status == FCPS_OK; g++)
    status = score_by(r, g, norm, each);
  for (int i = 0; i < rows && status == FCPS_OK; i++) {
    fcps_row_score *s = r->scores + i;
    if (!(s->surprise.distance > worth_a_look)) continue;
    const double *column = r->y + (size_t)s->surprise.output * (size_t)rows;
    s->needed = is_in_range(r, i, column) && !has_lost_its_point(&s->surprise) ? surprising_jump : surprising;
    s->excess = s->surprise.distance / student_distance(s->needed, r->known);
  }
  free(aside);
  return status;
}

/* Squared distance of the inputs of two rows, in length-scales. */
static double squared_distance(const fcps_gp *gp, int i, int j)
{
  double sum = 0.0;
  for (int d = 0; d < gp->dim; d++) {
    const double *column = gp->scaled + (size_t)d * (size_t)gp->capacity;
    sum += (column[i] - column[j]) * (column[i] - column[j]);
  }
  return sum;
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
bool fcps_scores_have_witness(const fcps_model *model, const fcps_row_score *scores, int row)
{
  static const double near = 0.5;
  const fcps_surprise *a = &scores[row].surprise;
  const fcps_gp *gp = fcps_model_gp(model, fcps_model_gp_count(model) > 1 ? a->output : 0);
  double nearest_alike = near * near, nearest_other = INFINITY;
  for (int i = 0; i < model->training.count; i++) {
    if (i == row) continue;
    const double distance = squared_distance(gp, row, i);
    double *nearest = is_alike(a, &scores[i].surprise) ? &nearest_alike : &nearest_other;
    *nearest = fmin(*nearest, distance);
  }
  return nearest_alike < near * near && nearest_alike <= nearest_other;
}

bool fcps_scores_explain(const fcps_review *r, int row)
{
  const fcps_row_score *judged = r->scores + row;
  const double believable = student_distance(believable_share * judged->needed, r->known);
  return judged->surprise.distance <= fmax(worth_a_look, believable);
}

bool fcps_score_is_large(const fcps_row_score *score)
{
  return score->away > worth_a_look;
}

/* -- New rows -- */

/* How far row `row` is from what the others say, in the output that is furthest, by a pair of triangular solves for
 * each GP: the same as above for one row, in O(rows^2). `line` has room for one number per row. */
static double distance_of(const fcps_model *model, const fcps_gp_outputs *outputs, int row, double *line)
{
  const int rows = model->training.count, gps = fcps_model_gp_count(model), each = outputs->outputs / gps;
  double largest = 0.0;
  for (int g = 0; g < gps; g++) {
    const fcps_gp *gp = fcps_model_gp(model, g);
    memset(line, 0, (size_t)rows * sizeof(double));
    line[row] = 1.0;
    fcps_chol_solve_lower(rows, gp->factor, gp->capacity, 1, line, rows);
    fcps_chol_solve_upper(rows, gp->factor, gp->capacity, 1, line, rows);
    for (int o = g * each; o < (g + 1) * each; o++)
      largest = fmax(largest, fabs(outputs->alpha[(size_t)o * (size_t)rows + (size_t)row]) / sqrt(line[row]));
  }
  return largest;
}

fcps_status fcps_suspects_screen(const fcps_model *model, int outputs, const double *y, bool *is_worth_a_look)
{
  const int rows = model->training.count, known = model->fitted;
  *is_worth_a_look = false;
  if (known < FCPS_LEAST_JUDGED || known == rows || rows > FCPS_MOST_JUDGED) return FCPS_OK;
  fcps_gp_outputs conditioned = {0};
  fcps_gp_norm norm = model->settings.norm;
  int *aside = NULL;
  double *line = fcps_allocate((size_t)rows, sizeof(double));
  fcps_status status = line != NULL ? put_aside(model, known, &norm, &aside) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_per_output_condition(model, norm, rows, outputs, y, &conditioned);
  for (int i = known; i < rows && status == FCPS_OK && !*is_worth_a_look; i++)
    *is_worth_a_look = !model->training.confirmed[i] && !fcps_suspects_include(model, i) &&
                       distance_of(model, &conditioned, i, line) > student_distance(surprising, known);
  fcps_gp_outputs_destroy(&conditioned);
  free(aside);
  free(line);
  return status;
}
