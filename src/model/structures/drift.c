/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes that change slowly with the order of trials: a tool wears, a battery runs down. The order is one more input of the
 * GPs, with a long length a priori; a prediction is one for the trial that comes next.
 *
 *   t = (number of the trial)/50,   median length of t: 4 times that of other inputs, some eighty trials */
#include "model/description.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The state; that of a drift that is believed says nothing more (fcps_structure_mark). */
typedef struct drift {
  int rows; /* that are out of order; 0: the order is that of the trials */
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

/* A row and the nearest other one: how far apart they are, squared in length-scales, and in the order of trials, and how much their
 * outputs differ, squared in units of their scale. */
typedef struct neighbours {
  double square, gap, difference;
} neighbours;

static int by_distance(const void *left, const void *right)
{
  const double a = ((const neighbours *)left)->square, b = ((const neighbours *)right)->square;
  return (a > b) - (a < b);
}

/* The neighbours among rows of one GP with the hyper-parameters `hyper`, each pair once, the nearest first. */
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
        const double t = (inputs[i * dim + d] - inputs[j * dim + d]) * exp(-hyper[d]);
        square += t * t;
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

/* The log density of a pair's difference if it were `gap` trials apart. */
static double explain_pair(const fcps_kernel *kernel, int dim, const double *hyper, const neighbours *pair, double gap)
{
  const double t = gap / unit * exp(-hyper[dim]), square = pair->square + t * t;
  double phi;
  kernel->eval(1, &square, &phi, NULL);
  const double variance = 2.0 * exp(2.0 * hyper[dim + 1]) * (1.0 - phi) + 2.0 * exp(2.0 * hyper[dim + 2]);
  return -0.5 * (log(variance) + pair->difference / variance);
}

/* The first inputs (rows x features) of all rows as the description in force sees them. The GPs of the look, and its outputs, may
 * still be those of another one, which has just been left. */
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

/* If a process changes slowly, neighbours differ by how many trials are between them. If it does not, and the search only went
 * elsewhere, the order stands for the place, and neighbours that are as near as each other may change their gaps. */
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
  return nats > against && said > least; /* trials in the order of a parameter say nothing */
}

/* One more input explains something even if it means nothing. */
static fcps_status placebo(const fcps_look *look, fcps_structure *proposal)
{
  const drift out_of_order = {look->rollouts->count};
  return fcps_structure_set(proposal, sizeof out_of_order, &out_of_order);
}

static int divisor_of(int a, int b)
{
  return b == 0 ? a : divisor_of(b, a % b);
}

/* Steps of the golden section through the rows, whose neighbours were never neighbours. */
static int scramble(int rows, int order)
{
  int step = (int)(0.618 * rows);
  while (step > 1 && divisor_of(rows, step) > 1)
    step--;
  return (int)((int64_t)order * step % rows);
}

/* Few processes drift: one in twenty. */
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
                                                  .words = "outcomes change with the order of trials"};
