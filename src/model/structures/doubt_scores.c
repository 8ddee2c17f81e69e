/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of rows for outlier detection: the distances of outputs from their leave-one-out predictions. These are
 * computed for outputs as reported, and for "shaped" outputs, whose large values are pulled together. */
#include "base/memory.h"
#include "base/number.h"
#include "gp/leave_one_out.h"
#include "linalg/dense.h"
#include "model/structures/doubts.h"
#include "space/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row is suspect from FCPS_SURPRISING deviations of a normal distribution on, if a lost decimal point explains its
 * output, or if the output is further from the range of the others than that range is wide. Otherwise the output may be
 * a jump of the function, so the row is only suspect from `surprising_jump` deviations on. A doubted row is believed
 * again if its distance falls below `believable_share` of that limit. A row beyond `worth_a_look` deviations may be an
 * outlier that has distorted the hyper-parameters until they fit it. */
static const double surprising_jump = 9.0, believable_share = 2.0 / 3.0, worth_a_look = 3.0;

/* The noise of a doubted row is at most this many times its distance. More noise would not reduce its influence further
 * and would cost digits. */
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

/* If the prediction is about zero, any small number is near it. So the answer is then always no. */
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

/* Sorts the numbers in place and returns their median. */
static double middle_of(double *numbers, int count)
{
  qsort(numbers, (size_t)count, sizeof *numbers, fcps_number_compare);
  return count > 0 ? numbers[count / 2] : 0.0;
}

/* Returns the median absolute deviation of an output from its median. `scratch` has room for all rows. */
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

/* Whether a row has no influence on the others, because it is doubted or at rest (contact.c). */
static bool is_left_aside(const fcps_hearing *r, int row)
{
  const fcps_rollouts *rollouts = r->look->rollouts;
  return r->noise[row] > 0.0 || fcps_description_rests(r->look->description, fcps_rollouts_environment(rollouts, row),
                                                       fcps_rollouts_outcome(rollouts, row));
}

/* Transforms one output of all rows so that large values differ by less. If `row` and all other believed rows have the
 * same sign, the transformation is the logarithm. Else it is the inverse hyperbolic sine of the distance from the
 * median of the believed rows, in units of their median absolute deviation. `shaped` and `scratch` have room for all
 * rows. */
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

/* Whether the output of a row (`column` has one output of all rows) lies within the range of the other believed rows,
 * extended by `spans` times its width on each side, and has a sign that occurs among them. */
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

/* Lowers *distance to the leave-one-out distance of the shaped output if that is smaller. At the edge of the tried
 * region a curved function leaves the range of the other outputs, and only the shaped output shows that this is
 * regular. For an output far outside that range, the shaped distance only counts if it is not surprising at all. Shaped
 * outputs are scaled by their own spread. If several outputs share a scale, the distance is corrected by the ratio of
 * that scale to the output's own. `shaped` has room for twice the rows. */
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

/* Scores all rows by the outputs of one GP, `outputs` of them. */
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
    if (i >= r->known || is_left_aside(r, i)) (*aside)[norm->aside_count++] = i; /* ascending, as gp/gp.c needs */
  norm->aside = *aside;
  return FCPS_OK;
}

/* Whether one of the outcomes first, ..., end - 1 was reported outside its declared range. The GPs get such a value
 * clipped to the range. */
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

/* Whether row `b` has nearly the same output as row `a` and is about as surprising. */
static bool is_alike(const fcps_surprise *a, const fcps_surprise *b)
{
  static const double alike = 0.2, as_much = 1.0 / 3.0;
  const double surprise = fabs(a->value - a->expected);
  return b->output == a->output && fabs(b->value - a->value) <= alike * surprise &&
         fabs(b->value - b->expected) >= as_much * surprise;
}

/* Two trials rarely have the same mistake, so a similar row nearby shows that the output is real. But a number that
 * stands for an error may recur anywhere. So the similar row must be the nearest of all rows. */
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

/* Returns the largest leave-one-out distance among the outputs of row `row`, in deviations. One row takes O(rows^2)
 * steps. */
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

/* -- Dead sensors --
 *
 * A sensor that was dead for a while shows as a run of rows with exactly the same value, at different places. No other
 * row has this value.
 *
 * A dead sensor in the first trials does not surprise the model. Its rows are as many as the correct ones, and together
 * they distort the hyper-parameters until no output seems to depend on any input. So the rows are recognized without
 * the model: by a run of equal values that no other row has, at places spread over the box. The rows of a later run
 * must be near other rows instead, because an output can be constant in a region that was tried for a while. A run that
 * lasts until the last row does not count: a learner that has reached its goal may see the same outcome each time.
 *
 * Correct rows can look the same in two cases. First, an output at the end of its range often has exactly that value.
 * If the range is not declared, its end is the smallest or largest value of all, so the value of a later run must lie
 * between others. Second, an output of few digits, or a count, often repeats a value, so the other rows must hardly
 * ever repeat one. */

/* The fewest rows outside a run. */
enum { LEAST_OTHERS = 3 };

/* A run is spread out if its places span the share `far_apart` of the range in half of the dimensions. At least the
 * share `own_values` of the other rows must have a value that no earlier row has. */
static const double far_apart = 0.3, own_values = 0.8;

/* A run of consecutive rows: first, ..., end - 1. */
typedef struct run {
  int first, end;
} run;

static run run_at(int first, int rows, const double *y)
{
  run r = {first, first + 1};
  while (r.end < rows && y[r.end] == y[first])
    r.end++;
  return r;
}

/* Returns in how many dimensions the places of a run are far apart. Adds the number of dimensions to *all. */
static int count_spread(const fcps_space *space, run r, const fcps_rollouts *training,
                        const double *(*place)(const fcps_rollouts *, int), int *all)
{
  double least[FCPS_SPACE_MAX], most[FCPS_SPACE_MAX], unit[FCPS_SPACE_MAX];
  int spread = 0;
  for (int i = r.first; i < r.end && space->count > 0; i++) {
    fcps_space_to_unit(space, place(training, i), unit);
    for (int d = 0; d < space->count; d++) {
      least[d] = i == r.first ? unit[d] : fmin(least[d], unit[d]);
      most[d] = i == r.first ? unit[d] : fmax(most[d], unit[d]);
    }
  }
  for (int d = 0; d < space->count; d++)
    spread += most[d] - least[d] >= far_apart;
  *all += space->count;
  return spread;
}

static bool is_everywhere(const fcps_look *look, run r)
{
  int all = 0, spread = 0;
  const fcps_problem *p = look->layout->problem;
  spread += count_spread(&p->parameters, r, look->rollouts, fcps_rollouts_parameters, &all);
  spread += count_spread(&p->environment, r, look->rollouts, fcps_rollouts_environment, &all);
  return 2 * spread >= all;
}

/* Whether at least half of the run's rows have a row outside the run nearby. If the value of the run were correct, the
 * rows nearby would have it, too. */
static bool is_among_others(const fcps_look *look, run r)
{
  const fcps_gp *gp = look->gps->gp[0];
  int among = 0;
  for (int i = r.first; i < r.end && gp->count == look->rollouts->count; i++)
    among += fcps_spells_is_among_others(gp, r.first, r.end, i, NULL);
  return 2 * among >= r.end - r.first;
}

/* Whether the rows outside the run never have the value of the run, and hardly ever repeat a value. */
static bool is_alive_outside(run r, int rows, const double *y)
{
  const int others = rows - (r.end - r.first);
  int repeated = 0;
  for (int i = 0; i < rows; i++) {
    bool is_repeated = false;
    if (i >= r.first && i < r.end) continue;
    if (y[i] == y[r.first]) return false;
    for (int j = 0; j < i && !is_repeated; j++)
      is_repeated = y[j] == y[i];
    repeated += is_repeated;
  }
  return others >= LEAST_OTHERS && repeated <= (1.0 - own_values) * others;
}

static bool is_between_others(double value, int rows, const double *y)
{
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < rows; i++) {
    least = fmin(least, y[i]);
    most = fmax(most, y[i]);
  }
  return value > least && value < most;
}

static bool is_stuck(const fcps_look *look, int output, run r, const double *y)
{
  const int rows = look->rollouts->count;
  const double value = y[r.first];
  if (r.end - r.first < FCPS_STUCK_LEAST || r.end == rows) return false;
  if (fcps_layout_is_end(look->layout, output, value)) return false;
  if (!is_alive_outside(r, rows, y)) return false;
  return r.first == 0 ? is_everywhere(look, r) : is_between_others(value, rows, y) && is_among_others(look, r);
}

int fcps_stuck_find(const fcps_look *look, bool *stuck)
{
  const int rows = look->rollouts->count;
  int count = 0;
  memset(stuck, 0, (size_t)rows * sizeof *stuck);
  for (int o = 0; o < look->outputs && look->layout->predicts_outcomes; o++) {
    const double *column = look->y + (size_t)o * (size_t)rows;
    for (run r = {0, 0}; r.end < rows;) {
      r = run_at(r.end, rows, column);
      if (!is_stuck(look, o, r, column)) continue;
      for (int i = r.first; i < r.end; i++)
        stuck[i] = !look->rollouts->confirmed[i];
    }
  }
  for (int i = 0; i < rows; i++)
    count += stuck[i];
  return count;
}

bool fcps_stuck_is_measured(int rows, const double *y, const bool *stuck)
{
  int most = 0;
  for (int i = 0; i < rows; i++) {
    int equal = 0;
    for (int j = i; j < rows; j++)
      equal += !stuck[i] && y[j] == y[i];
    most = equal > most ? equal : most;
  }
  return most <= 1 + rows / 4;
}
