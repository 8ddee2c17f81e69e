/* SPDX-License-Identifier: Apache-2.0 */
/* Drift: outcomes that change slowly with the order of trials, because a tool wears or a battery runs down. The order
 * is an additional input t of the GPs, with a long length-scale a priori. Predictions are for the next trial.
 *
 *   t = (number of the trial)/50,   median length-scale of t: 4 times that of other inputs, about eighty trials */
#include "model/description.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state of the structure. A believed drift has rows = 0, which equals a mark (fcps_structure_mark). */
typedef struct drift {
  int rows; /* if 0, the order is that of the trials; else this is a placebo with so many rows in scrambled order */
} drift;
_Static_assert(sizeof(drift) == sizeof(int), "a mark is a drift in order");
static const double unit = 50.0, stretch = 4.0;

static fcps_status propose(const fcps_look *look, fcps_structure *proposals, int *count)
{
  (void)look;
  *count = 1;
  return fcps_structure_mark(proposals);
}

/* -- Neighbours -- */

/* A row and its nearest neighbour: their squared distance in length-scales, the number of trials between them, and the
 * squared difference of their outputs in units of the output scale. */
typedef struct neighbours {
  double square, gap, difference;
} neighbours;

static int by_distance(const void *left, const void *right)
{
  const double a = ((const neighbours *)left)->square, b = ((const neighbours *)right)->square;
  return (a > b) - (a < b);
}

/* Finds the nearest neighbour of each row for one GP with the hyper-parameters `hyper`, without the input of the drift.
 * Writes pairs of rows, the nearest pair first, and returns their number. */
static int find_neighbours(const fcps_look *look, const double *inputs, const double *outcomes, const double *hyper,
                           int gp, neighbours *pairs)
{
  const int rows = look->rollouts->count, dim = look->layout->features;
  const int each = look->layout->outputs / look->description->gps;
  const double *y = outcomes + (size_t)(gp * each) * (size_t)rows;
  double scale[FCPS_SPACE_MAX], offset[FCPS_SPACE_MAX];
  int count = 0;
  fcps_gp_normalize(fcps_description_norm(look->description, look->layout), rows, each, y, offset, scale);
  for (int i = 0; i < rows; i++) {
    int nearest = -1;
    if (fcps_description_doubts(look->description, i)) continue;
    double least = INFINITY;
    for (int j = 0; j < rows; j++) {
      double square = 0.0;
      for (int d = 0; d < dim; d++) {
        square += fcps_tables_square(&look->description->tables, d, inputs[i * dim + d], inputs[j * dim + d]) *
                  exp(-2.0 * hyper[d]);
      }
      if (j == i || !(square < least) || fcps_description_doubts(look->description, j)) continue;
      least = square;
      nearest = j;
    }
    if (nearest < i) continue;
    pairs[count] = (neighbours){.square = least, .gap = nearest - i};
    for (int o = 0; o < each; o++) {
      const double d = (y[o * rows + i] - y[o * rows + nearest]) / scale[o];
      pairs[count].difference += d * d / each;
    }
    count++;
  }
  qsort(pairs, (size_t)count, sizeof *pairs, by_distance);
  return count;
}

/* Returns the log density of a pair's difference under the assumption that `gap` trials were between its rows. */
static double explain_pair(const fcps_kernel *kernel, int dim, const double *hyper, const neighbours *pair, double gap)
{
  const double t = gap / unit * exp(-hyper[dim]), square = pair->square + t * t;
  double phi;
  kernel->eval(1, &square, &phi, NULL);
  const double variance = 2.0 * exp(2.0 * hyper[dim + 1]) * (1.0 - phi) + 2.0 * exp(2.0 * hyper[dim + 2]);
  return -0.5 * (log(variance) + pair->difference / variance);
}

/* Fills `inputs` (rows x features) with the GP inputs of all rows under the current description. They are computed from
 * the rollouts, because the GPs of the look may still belong to an earlier description. */
static void see_inputs(const fcps_look *look, double *inputs, double *seen)
{
  const size_t dim = (size_t)look->layout->features;
  for (int i = 0; i < look->rollouts->count; i++) {
    double *row = inputs + (size_t)i * dim;
    fcps_layout_rollout(look->layout, look->rollouts, i, row);
    fcps_description_see(look->description, look->layout, row, i, seen, NULL);
    memcpy(row, seen, dim * sizeof(double));
  }
}

/* Whether the rows agree with a drift. If a process drifts, the difference of the outcomes of two neighbours grows with
 * the number of trials between them (their gap). If it does not drift, and only the search has moved on, the order of
 * trials only reflects where the search has been. Two pairs of neighbours that are about equally far apart can then
 * exchange their gaps without becoming less likely. */
static bool agrees(const fcps_look *look, const double *with)
{
  const int rows = look->rollouts->count, dim = look->layout->features;
  static const double against = -1.0, least = 0.1;
  const size_t numbers = (size_t)rows * (size_t)(dim + look->layout->outputs) + (size_t)dim + 1;
  double nats = 0.0, said = 0.0, *inputs = fcps_allocate(numbers, sizeof(double)), *outcomes = inputs + rows * dim;
  neighbours *pairs = fcps_allocate((size_t)rows, sizeof *pairs);
  const bool has_rows =
      inputs != NULL && pairs != NULL &&
      fcps_description_outcomes(look->description, look->layout, look->rollouts, rows, outcomes) == FCPS_OK;
  if (has_rows) see_inputs(look, inputs, outcomes + rows * look->layout->outputs);
  for (int g = 0; g < look->description->gps && has_rows; g++) {
    const double *hyper = with + g * FCPS_HYPER_COUNT(dim + 1);
    const fcps_kernel *kernel = look->description->kernel;
    const int count = find_neighbours(look, inputs, outcomes, hyper, g, pairs);
    for (int k = 0; k + 1 < count; k++) {
      const double own = explain_pair(kernel, dim, hyper, pairs + k, pairs[k].gap) +
                         explain_pair(kernel, dim, hyper, pairs + k + 1, pairs[k + 1].gap),
                   changed = explain_pair(kernel, dim, hyper, pairs + k, pairs[k + 1].gap) +
                             explain_pair(kernel, dim, hyper, pairs + k + 1, pairs[k].gap);
      nats += 0.5 * (own - changed);
      said += 0.5 * fabs(own - changed);
    }
  }
  free(inputs);
  free(pairs);
  return nats > against && said > least; /* if `said` is small, the rows do not decide */
}

/* Makes a drift over a scrambled order. Any additional input improves the fit a little, so a real drift must explain
 * more than this placebo. */
static fcps_status placebo(const fcps_look *look, fcps_structure *proposal)
{
  const drift out_of_order = {look->rollouts->count};
  return fcps_structure_set(proposal, sizeof out_of_order, &out_of_order);
}

static int divisor_of(int a, int b)
{
  return b == 0 ? a : divisor_of(b, a % b);
}

/* Returns the place of a trial in the scrambled order. Steps of a golden section separate successive trials. */
static int scramble(int rows, int order)
{
  int step = (int)(0.618 * rows);
  while (step > 1 && divisor_of(rows, step) > 1)
    step--;
  return (int)((int64_t)order * step % rows);
}

/* The prior: one process in twenty drifts. */
static double log_prior(const fcps_layout *layout, const void *state)
{
  (void)layout, (void)state;
  return -3.0;
}

static fcps_status edit(const void *state, const fcps_layout *layout, fcps_description *description)
{
  (void)state, (void)layout;
  double *longer = fcps_allocate((size_t)description->inputs + 1, sizeof(double));
  if (longer == NULL) return FCPS_ERR_MEMORY;
  memcpy(longer, description->stretch, (size_t)description->inputs * sizeof(double));
  free(description->stretch);
  description->stretch = longer;
  description->stretch[description->inputs++] = stretch;
  return FCPS_OK;
}

static void see(const void *state, const fcps_layout *layout, const double *features, int order, double *inputs,
                double *outcome)
{
  const drift *d = state;
  (void)features, (void)outcome;
  if (inputs != NULL) inputs[layout->features] = (d->rows > 0 ? scramble(d->rows, order) : order) / unit;
}

/* -- Words -- */

/* The change of an outcome per trial, over the places of all rows: the mean change, the change as a share of the
 * outcome, and the root mean square of the changes. */
typedef struct course {
  double mean, share, size;
  bool is_share; /* the share explains the changes better than the mean */
} course;

/* Predicts the outcomes (rows x outputs) at the place of each row as if it were the first trial, and the last one. */
static fcps_status predict_ends(const fcps_look *look, double *before, double *after)
{
  const fcps_layout *layout = look->layout;
  const fcps_gp_norm norm = fcps_description_norm(look->description, layout);
  const int rows = look->rollouts->count, outputs = layout->outputs, inputs = look->description->inputs;
  const size_t numbers = (size_t)rows * (size_t)outputs + (size_t)layout->features + (size_t)inputs;
  double *y = fcps_allocate(numbers, sizeof(double)), *features = y + rows * outputs,
         *seen = features + layout->features;
  fcps_gp_outputs conditioned = {0};
  fcps_gp_work work = {0};
  fcps_status status = y == NULL ? FCPS_ERR_MEMORY : FCPS_OK;
  if (status == FCPS_OK) status = fcps_description_outcomes(look->description, layout, look->rollouts, rows, y);
  if (status == FCPS_OK) status = fcps_gps_condition(look->gps, norm, rows, outputs, y, &conditioned);
  if (status == FCPS_OK) status = fcps_gps_reserve(&work, look->gps, 1);
  for (int i = 0; i < rows && status == FCPS_OK; i++) {
    fcps_layout_rollout(layout, look->rollouts, i, features);
    for (int end = 0; end < 2; end++) {
      double *outcome = (end == 0 ? before : after) + i * outputs;
      const fcps_gp_query query = {.count = 1, .points = seen, .mean = outcome};
      fcps_description_see(look->description, layout, features, end * (rows - 1), seen, NULL);
      fcps_gps_predict(look->gps, &conditioned, &query, &work);
      fcps_description_unsee_outcomes(look->description, layout, features, 1, 1, outcome);
    }
  }
  fcps_gp_work_destroy(&work);
  fcps_gp_outputs_destroy(&conditioned);
  free(y);
  return status;
}

static course find_course(int rows, int outputs, const double *before, const double *after)
{
  double changes = 0.0, squares = 0.0, products = 0.0, values = 0.0;
  for (int i = 0; i < rows; i++) {
    const double change = (after[i * outputs] - before[i * outputs]) / (rows - 1),
                 value = 0.5 * (before[i * outputs] + after[i * outputs]);
    changes += change;
    squares += change * change;
    products += change * value;
    values += value * value;
  }
  return (course){.mean = changes / rows,
                  .share = values > 0.0 ? products / values : 0.0,
                  .size = sqrt(squares / rows),
                  .is_share = values > 0.0 && products * products / values > changes * changes / rows};
}

/* Writes a text such as "land_x shrinks by 0.5 % a trial". Returns its length. */
static int put_course(const fcps_dimension *outcome, const course *c, size_t size, char *text)
{
  const double step = c->is_share ? 100.0 * c->share : c->mean;
  const char *of = c->is_share ? "%" : outcome->unit != NULL ? outcome->unit : "";
  const char *verbs[] = {c->is_share ? "shrinks" : "falls", c->is_share ? "grows" : "rises"};
  return snprintf(text, size, "%s %s by %.2g%s%s a trial", outcome->name, verbs[step > 0.0], fabs(step),
                  *of != '\0' ? " " : "", of);
}

/* Describes the outcomes that changed by more than a twentieth of their largest value over all trials. */
static char *describe(const fcps_look *look, const void *state, size_t size, char *text)
{
  static const double least = 0.05;
  const int rows = look->rollouts->count, outputs = look->layout->outputs;
  double *before = fcps_allocate(2 * (size_t)rows * (size_t)outputs, sizeof(double)), *after = before + rows * outputs;
  int used = snprintf(text, size, "outcomes change with the order of trials");
  const char *between = ": ";
  const bool is_known =
      before != NULL && look->layout->predicts_outcomes && rows > 1 && predict_ends(look, before, after) == FCPS_OK;
  (void)state;
  for (int o = 0; o < outputs && is_known; o++) {
    const course c = find_course(rows, outputs, before + o, after + o);
    double largest = 0.0;
    for (int i = 0; i < rows; i++)
      largest = fmax(largest, fabs(after[i * outputs + o]));
    if (!(c.size * (rows - 1) > least * largest) || (size_t)used + 2 >= size) continue;
    used += snprintf(text + used, size - (size_t)used, "%s", between);
    used += put_course(look->layout->problem->outcome.dims + o, &c, size - (size_t)used, text + used);
    between = ", ";
  }
  free(before);
  return text;
}

const fcps_structure_kind fcps_structure_drift = {.name = "drift",
                                                  .excludes = "input_noise",
                                                  .needs_whole = true,
                                                  .least_rows = 10,
                                                  .propose = propose,
                                                  .log_prior = log_prior,
                                                  .placebo = placebo,
                                                  .agrees = agrees,
                                                  .edit = edit,
                                                  .see = see,
                                                  .describe = describe};
