/* SPDX-License-Identifier: Apache-2.0 */
/* Judging rows: distances from leave-one-out predictions, and the steps that make and clear suspects. */
#include "model/composite/suspects.h"

#include "base/memory.h"
#include "base/number.h"
#include "gp/leave_one_out.h"
#include "linalg/cholesky.h"
#include "model/composite/stuck.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer rows say nothing about one of them. */
enum { LEAST_ROWS = 5 };

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

static int most_suspects(int rows)
{
  return 1 + rows / 10;
}

static int find(const fcps_suspects *suspects, int row)
{
  for (int i = 0; i < suspects->count; i++)
    if (suspects->rows[i] == row) return i;
  return -1;
}

bool fcps_suspects_include(const fcps_model *model, int row)
{
  return find(&model->suspects, row) >= 0;
}

/* -- Life -- */

void fcps_suspects_destroy(fcps_model *model)
{
  free(model->suspects.rows);
  free(model->suspects.noise);
  free(model->suspects.units);
  model->suspects = (fcps_suspects){0};
  fcps_contact_set_aside(model);
}

static fcps_status add(fcps_model *model, int row, double noise)
{
  fcps_suspects *s = &model->suspects;
  size_t room[2] = {s->room, s->room};
  if (!fcps_reserve((void **)&s->rows, &room[0], (size_t)s->count + 1, sizeof(int))) return FCPS_ERR_MEMORY;
  if (!fcps_reserve((void **)&s->units, &room[1], (size_t)s->count + 1, sizeof *s->units)) return FCPS_ERR_MEMORY;
  if (!fcps_reserve((void **)&s->noise, &s->room, (size_t)s->count + 1, sizeof(double))) return FCPS_ERR_MEMORY;
  s->rows[s->count] = row;
  s->units[s->count] = (fcps_row_unit){0};
  s->noise[s->count++] = noise;
  return fcps_contact_set_aside(model);
}

fcps_status fcps_suspects_copy(const fcps_model *model, fcps_model *copy)
{
  fcps_status status = FCPS_OK;
  for (int i = 0; i < model->suspects.count && status == FCPS_OK; i++)
    status = add(copy, model->suspects.rows[i], model->suspects.noise[i]);
  for (int i = 0; i < model->suspects.count && status == FCPS_OK; i++)
    copy->suspects.units[i] = model->suspects.units[i];
  return status;
}

static void drop(fcps_model *model, int index)
{
  fcps_suspects *s = &model->suspects;
  s->count--;
  for (int i = index; i < s->count; i++) {
    s->rows[i] = s->rows[i + 1];
    s->noise[i] = s->noise[i + 1];
    s->units[i] = s->units[i + 1];
  }
  fcps_contact_set_aside(model);
}

void fcps_suspects_truncate(fcps_model *model)
{
  for (int i = model->suspects.count - 1; i >= 0; i--)
    if (model->suspects.rows[i] >= model->training.count) drop(model, i);
}

/* Gives the rows of all GPs their noise. */
static fcps_status apply_noise(fcps_model *model)
{
  const int rows = model->suspects.count > 0 ? model->training.count : 0;
  double *noise = fcps_allocate((size_t)rows, sizeof(double));
  fcps_status status = noise != NULL ? FCPS_OK : FCPS_ERR_MEMORY;
  for (int i = 0; i < model->suspects.count && status == FCPS_OK; i++)
    noise[model->suspects.rows[i]] = model->suspects.noise[i];
  for (int g = 0; g < fcps_model_gp_count(model) && status == FCPS_OK; g++)
    status = fcps_row_noise_set(model, FCPS_NOISE_SUSPECT, g, rows, noise, 0.0);
  free(noise);
  return status;
}

static fcps_status factorize(fcps_model *model)
{
  fcps_status status = apply_noise(model);
  for (int g = 0; g < fcps_model_gp_count(model) && status == FCPS_OK; g++)
    status = fcps_gp_factorize(fcps_model_gp(model, g), model->training.count);
  return status;
}

/* -- Distances -- */

typedef struct score {
  fcps_surprise surprise;
  double away;   /* deviations from what the others say, of the output that is furthest, as it is and not shaped */
  double noise;  /* squared distance in units of the kernel */
  double needed; /* deviations of a normal distribution that make it a suspect */
  double excess; /* its distance as a share of that */
} score;

/* What the rows of a model are judged by. */
typedef struct review {
  fcps_model *model;
  int outputs;
  const double *y; /* rows x outputs */
  int known;       /* rows that the hyper-parameters know */
  score *scores;   /* one per row */
  bool *stuck;     /* of each row: a dead sensor told it. These are suspects for that, whatever the model expects */
  fcps_row_unit *units; /* of each row: the unit that it seems to be told in; suspects as well, as many as they are */
  int shaped_count;     /* suspects that are one of both */
} review;

/* Whether a row is a suspect by the company it is in, whatever the model expects of it alone. */
static bool has_shape(const review *r, int row)
{
  return r->stuck[row] || r->units[row].unit > 0;
}

static void count_shaped(review *r)
{
  r->shaped_count = 0;
  for (int i = 0; i < r->model->suspects.count; i++)
    r->shaped_count += has_shape(r, r->model->suspects.rows[i]);
}

static bool begin_review(review *r)
{
  const size_t rows = (size_t)r->model->training.count;
  r->scores = fcps_allocate(rows, sizeof(score));
  r->stuck = fcps_allocate(rows, sizeof(bool));
  r->units = fcps_allocate(rows, sizeof *r->units);
  if (r->scores == NULL || r->stuck == NULL || r->units == NULL) return false;
  fcps_stuck_find(r->model, r->outputs, r->y, r->stuck);
  for (int i = 0; i < r->model->suspects.count; i++)
    r->units[r->model->suspects.rows[i]] = r->model->suspects.units[i];
  count_shaped(r);
  return true;
}

static void end_review(const review *r)
{
  free(r->scores);
  free(r->stuck);
  free(r->units);
}

/* Whether a row counts for the shape of its output: a suspect does not, nor does the row in question. */
static bool is_believed_beside(const review *r, int row, int i)
{
  return i != row && find(&r->model->suspects, i) < 0 && !fcps_contact_rests(r->model, i);
}

/* The middle of numbers, which are sorted. */
static double middle_of(double *numbers, int count)
{
  qsort(numbers, (size_t)count, sizeof *numbers, fcps_number_compare);
  return count > 0 ? numbers[count / 2] : 0.0;
}

/* Shapes an output of all rows so that large numbers differ by less: by logarithms where it has one sign at the row in
 * question and all others that are believed; else by inverse hyperbolic sines around the middle of the others, in units
 * of their usual distance from it. `shaped` and `scratch` have room for all rows. */
static void shape_output(const review *r, int row, const double *y, double *shaped, double *scratch)
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
static bool is_in_range(const review *r, int row, const double *column)
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
static fcps_status shape_distance(const review *r, fcps_leave_one_out *loo, fcps_gp_norm norm, int row, const double *y,
                                  double scale, double doubt, double *shaped, double *distance)
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
static fcps_status score_by(const review *r, int index, fcps_gp_norm norm, int outputs)
{
  const fcps_model *model = r->model;
  const int rows = model->training.count;
  const double *y = r->y + (size_t)(index * outputs) * (size_t)rows;
  score *scores = r->scores;
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
      const double doubt = fcps_row_noise_at(model, FCPS_NOISE_SUSPECT, index, i);
      const double variance = l->variance - l->scale * l->scale * doubt;
      const double deviation = sqrt(fmax(variance, FCPS_VARIANCE_FLOOR * l->scale * l->scale));
      double distance = fabs(value - l->mean) / deviation;
      scores[i].noise = fmax(scores[i].noise, fmin(units * units, most_noise * fabs(units)));
      scores[i].away = fmax(scores[i].away, distance);
      if (distance > worth_a_look)
        status = shape_distance(r, loo, norm, i, y + (size_t)o * (size_t)rows, l->scale, doubt, shaped, &distance);
      if (!(distance > scores[i].surprise.distance)) continue;
      scores[i].surprise = (fcps_surprise){i, index * outputs + o, value, l->mean, deviation, distance, {0}};
    }
  }
  fcps_leave_one_out_destroy(loo);
  free(left_out);
  free(measured);
  free(shaped);
  return status;
}

/* Lets `norm` not look at rows from `known` on either. *aside is to be freed. */
static fcps_status put_aside(const fcps_model *model, int known, fcps_gp_norm *norm, int **aside)
{
  const int rows = model->training.count;
  *aside = fcps_allocate((size_t)(norm->aside_count + rows), sizeof(int));
  if (*aside == NULL) return FCPS_ERR_MEMORY;
  if (norm->aside_count > 0) memcpy(*aside, norm->aside, (size_t)norm->aside_count * sizeof(int));
  for (int i = known; i < rows; i++)
    if (find(&model->suspects, i) < 0 && !fcps_contact_rests(model, i)) (*aside)[norm->aside_count++] = i;
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
static fcps_status score_rows(const review *r)
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
    score *s = r->scores + i;
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
static bool has_witness(const fcps_model *model, const score *scores, int row)
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

/* The most surprising row that may become a suspect; -1: there is none. */
static int worst_row(const fcps_model *model, const score *scores)
{
  int worst = -1;
  for (int i = 0; i < model->training.count; i++) {
    if (find(&model->suspects, i) >= 0 || model->training.confirmed[i] || has_witness(model, scores, i)) continue;
    if (worst < 0 || scores[i].excess > scores[worst].excess) worst = i;
  }
  return worst;
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
  if (known < LEAST_ROWS || known == rows) return FCPS_OK;
  fcps_gp_outputs conditioned = {0};
  fcps_gp_norm norm = model->settings.norm;
  int *aside = NULL;
  double *line = fcps_allocate((size_t)rows, sizeof(double));
  fcps_status status = line != NULL ? put_aside(model, known, &norm, &aside) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = fcps_per_output_condition(model, norm, rows, outputs, y, &conditioned);
  for (int i = known; i < rows && status == FCPS_OK && !*is_worth_a_look; i++)
    *is_worth_a_look = !model->training.confirmed[i] && find(&model->suspects, i) < 0 &&
                       distance_of(model, &conditioned, i, line) > student_distance(surprising, known);
  fcps_gp_outputs_destroy(&conditioned);
  free(aside);
  free(line);
  return status;
}

/* -- Judging -- */

/* A row becomes a suspect with at least so much noise, if it is none with about as much. */
static fcps_status doubt_row(fcps_model *model, int row, double noise, bool *has_changed)
{
  static const double about = 0.25;
  const int index = find(&model->suspects, row);
  if (index >= 0 && model->suspects.noise[index] >= about * noise) return FCPS_OK;
  *has_changed = true;
  if (index < 0) return add(model, row, noise);
  model->suspects.noise[index] = noise;
  return FCPS_OK;
}

/* Rows of a dead sensor, and of a spell in another unit, become suspects, with so much noise that many of them together
 * say nothing. */
static fcps_status doubt_shaped(review *r, bool *has_changed)
{
  static const double nothing_told = 1000.0;
  fcps_model *model = r->model;
  bool is_new = false;
  fcps_status status = FCPS_OK;
  for (int i = 0; i < model->training.count && status == FCPS_OK; i++) {
    if (has_shape(r, i)) status = doubt_row(model, i, nothing_told * (1.0 + r->units[i].distance), &is_new);
  }
  for (int i = 0; i < model->suspects.count; i++)
    model->suspects.units[i] = r->units[model->suspects.rows[i]];
  count_shaped(r);
  *has_changed = *has_changed || is_new;
  return status == FCPS_OK && is_new ? factorize(model) : status;
}

/* The GPs as they are when suspects count as all others, but for those of a dead sensor and, on demand, of a spell in
 * another unit. */
static fcps_status factorize_trusting(const review *r, bool trusts_units)
{
  fcps_suspects *s = &r->model->suspects;
  double *noise = fcps_copy(s->noise, (size_t)s->count, sizeof(double));
  if (noise == NULL) return FCPS_ERR_MEMORY;
  for (int i = 0; i < s->count; i++)
    if (!r->stuck[s->rows[i]] && (trusts_units || r->units[s->rows[i]].unit == 0)) s->noise[i] = 0.0;
  const fcps_status status = factorize(r->model);
  memcpy(s->noise, noise, (size_t)s->count * sizeof(double));
  free(noise);
  return status;
}

/* Looks for spells in another unit as if nobody were a suspect. */
static fcps_status find_units(const review *r)
{
  const bool is_doubted = r->model->suspects.count > 0;
  fcps_status status = is_doubted ? factorize_trusting(r, true) : FCPS_OK;
  if (status == FCPS_OK) status = fcps_units_find(r->model, r->outputs, r->y, r->stuck, r->units);
  return status == FCPS_OK && is_doubted ? factorize(r->model) : status;
}

/* The model is wrong, not so many rows: only a dead sensor and another unit are still doubted. */
static fcps_status believe_rows(const review *r)
{
  for (int i = r->model->suspects.count - 1; i >= 0; i--)
    if (!has_shape(r, r->model->suspects.rows[i])) drop(r->model, i);
  return factorize(r->model);
}

/* Believes suspects again whom all others now explain, as the GPs are. */
static fcps_status clear_explained(const review *r, bool *has_changed)
{
  fcps_model *model = r->model;
  fcps_suspects *s = &model->suspects;
  const fcps_status status = score_rows(r);
  for (int i = s->count - 1; i >= 0 && status == FCPS_OK; i--) {
    if (has_shape(r, s->rows[i])) continue;
    const score *judged = r->scores + s->rows[i];
    const bool is_explained =
        judged->surprise.distance <= fmax(worth_a_look, student_distance(believable_share * judged->needed, r->known));
    if (!is_explained && !has_witness(model, r->scores, s->rows[i])) continue;
    drop(model, i);
    *has_changed = true;
  }
  return status;
}

/* Believes suspects again whom the others explain, first without other suspects, then with them: their noise is what is in
 * question, so for the length of this question none has any. */
static fcps_status clear_suspects(const review *r, bool *has_changed)
{
  const fcps_suspects *s = &r->model->suspects;
  if (s->count == r->shaped_count) return FCPS_OK;
  fcps_status status = clear_explained(r, has_changed);
  if (status == FCPS_OK) status = factorize_trusting(r, false);
  if (status == FCPS_OK) status = clear_explained(r, has_changed);
  return status == FCPS_OK ? factorize(r->model) : status;
}

/* The worst row becomes a suspect, until none is surprising. */
static fcps_status find_suspects(const review *r, bool *has_changed)
{
  fcps_model *model = r->model;
  fcps_status status = FCPS_OK;
  while (status == FCPS_OK) {
    status = score_rows(r);
    const int worst = status == FCPS_OK ? worst_row(model, r->scores) : -1;
    if (worst < 0 || !(r->scores[worst].excess > 1.0)) break;
    *has_changed = true;
    if (model->suspects.count - r->shaped_count == most_suspects(model->training.count - r->shaped_count))
      return believe_rows(r);
    status = add(model, worst, r->scores[worst].noise);
    if (status == FCPS_OK) status = factorize(model);
  }
  return status;
}

fcps_status fcps_suspects_review(fcps_model *model, int outputs, const double *y, int known, bool *has_changed)
{
  const int rows = model->training.count;
  *has_changed = false;
  if (rows < LEAST_ROWS || known < LEAST_ROWS) return FCPS_OK;
  review r = {.model = model, .outputs = outputs, .y = y, .known = known};
  fcps_status status = begin_review(&r) ? find_units(&r) : FCPS_ERR_MEMORY;
  if (status == FCPS_OK) status = doubt_shaped(&r, has_changed);
  if (status == FCPS_OK) status = clear_suspects(&r, has_changed);
  if (status == FCPS_OK) status = find_suspects(&r, has_changed);
  end_review(&r);
  return status;
}

/* -- Behind the hyper-parameters -- */

/* The most surprising rows that may become suspects, as many as there may still be. Returns their number. */
static int pick_candidates(const review *r, int most, int *candidates)
{
  int count = 0;
  for (int i = 0; i < r->model->training.count; i++) {
    if (find(&r->model->suspects, i) >= 0 || r->model->training.confirmed[i]) continue;
    int place = count < most ? count++ : most;
    for (; place > 0 && r->scores[candidates[place - 1]].away < r->scores[i].away; place--)
      if (place < most) candidates[place] = candidates[place - 1];
    if (place < most) candidates[place] = i;
  }
  return count;
}

/* Scores rows by a fit that did not believe the candidates: several wrong rows hide each other. */
static fcps_status score_without(const review *r, int count, const int *candidates, fcps_rng rng, score *judged)
{
  const int rows = r->model->training.count;
  fcps_fit_result result;
  review other = {
      .outputs = r->outputs, .y = r->y, .known = rows, .scores = judged, .stuck = r->stuck, .units = r->units};
  fcps_status status = fcps_model_copy(r->model, r->model->problem, &other.model);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    status = add(other.model, candidates[i], fmax(r->scores[candidates[i]].noise, 1.0));
  if (status == FCPS_OK) status = factorize(other.model);
  if (status == FCPS_OK)
    status = fcps_per_output_fit(other.model, r->model->settings.fit, rows, r->outputs, r->y, rng, &result);
  if (status == FCPS_OK) status = score_rows(&other);
  for (int i = 0; i < count && status == FCPS_OK; i++)
    if (has_witness(other.model, judged, candidates[i])) judged[candidates[i]].excess = 0.0;
  fcps_model_destroy(other.model);
  return status;
}

/* Takes the candidates that a fit without them does not explain for suspects. */
static fcps_status unmask(const review *r, int most, fcps_rng rng, int *candidates, score *judged, bool *has_changed)
{
  const int count = pick_candidates(r, most, candidates);
  if (count == 0 || !(r->scores[candidates[0]].away > worth_a_look)) return FCPS_OK;
  fcps_status status = score_without(r, count, candidates, rng, judged);
  for (int i = 0; i < count && status == FCPS_OK; i++) {
    if (!(judged[candidates[i]].excess > 1.0)) continue;
    status = add(r->model, candidates[i], judged[candidates[i]].noise);
    *has_changed = true;
  }
  return status == FCPS_OK && *has_changed ? factorize(r->model) : status;
}

fcps_status fcps_suspects_unmask(fcps_model *model, int outputs, const double *y, fcps_rng rng, bool *has_changed)
{
  const int rows = model->training.count;
  review r = {.model = model, .outputs = outputs, .y = y, .known = rows};
  *has_changed = false;
  if (rows < LEAST_ROWS) return FCPS_OK;
  bool ok = begin_review(&r);
  const int most = most_suspects(rows - r.shaped_count) - (model->suspects.count - r.shaped_count);
  score *judged = fcps_allocate((size_t)rows, sizeof(score));
  int *candidates = fcps_allocate((size_t)(most > 0 ? most : 1), sizeof(int));
  ok = ok && judged != NULL && candidates != NULL;
  fcps_status status = ok ? FCPS_OK : FCPS_ERR_MEMORY;
  if (status == FCPS_OK && most > 0) status = score_rows(&r);
  if (status == FCPS_OK && most > 0) status = unmask(&r, most, rng, candidates, judged, has_changed);
  end_review(&r);
  free(judged);
  free(candidates);
  return status;
}

/* The fits after which rows and those left out belong together. */
enum { HIDDEN_FITS = 3 };

/* Counts the candidates that a fit without them does not explain; each fit says who is left out of the next one. */
static fcps_status count_hidden(review *r, int most, fcps_rng rng, int *candidates, score *judged, int *count)
{
  fcps_status status = score_rows(r);
  for (int fit = 0; fit < HIDDEN_FITS && status == FCPS_OK; fit++) {
    const int picked = pick_candidates(r, most, candidates);
    *count = 0;
    status = score_without(r, picked, candidates, rng, judged);
    for (int i = 0; i < picked; i++)
      *count += judged[candidates[i]].excess > 1.0;
    memcpy(r->scores, judged, (size_t)r->model->training.count * sizeof *judged);
  }
  return status;
}

fcps_status fcps_suspects_count_hidden(fcps_model *model, int outputs, const double *y, fcps_rng rng, int *count)
{
  const int rows = model->training.count, most = rows * 2 / 5;
  review r = {.model = model, .outputs = outputs, .y = y, .known = rows};
  *count = 0;
  if (rows < LEAST_ROWS) return FCPS_OK;
  score *judged = fcps_allocate((size_t)rows, sizeof(score));
  int *candidates = fcps_allocate((size_t)rows, sizeof(int));
  const bool ok = begin_review(&r) && judged != NULL && candidates != NULL;
  const fcps_status status = ok ? count_hidden(&r, most, rng, candidates, judged, count) : FCPS_ERR_MEMORY;
  end_review(&r);
  free(judged);
  free(candidates);
  return status;
}

/* -- Words -- */

fcps_status fcps_suspects_describe(fcps_model *model, int outputs, const double *y, fcps_surprise *surprises)
{
  const int rows = model->training.count;
  if (model->suspects.count == 0) return FCPS_OK;
  review r = {.model = model, .outputs = outputs, .y = y, .known = rows};
  const fcps_status status = begin_review(&r) ? score_rows(&r) : FCPS_ERR_MEMORY;
  for (int i = 0; i < model->suspects.count && status == FCPS_OK; i++)
    surprises[i] = r.scores[model->suspects.rows[i]].surprise;
  for (int i = 0; i < model->suspects.count && status == FCPS_OK; i++)
    surprises[i].unit = model->suspects.units[i];
  end_review(&r);
  return status;
}

/* -- Saving -- */

fcps_status fcps_suspects_restore(fcps_model *model)
{
  fcps_status status = FCPS_OK;
  fcps_suspects_destroy(model);
  for (int i = 0; i < model->training.count && status == FCPS_OK; i++) {
    const double noise = fcps_row_noise_at(model, FCPS_NOISE_SUSPECT, 0, i);
    if (noise > 0.0) status = add(model, i, noise);
  }
  return status;
}
