/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a sensor that was dead for a while: a run of rows with exactly the same value, at different places, and no
 * other row with this value.
 *
 * A dead sensor at the beginning does not surprise the model. Its rows are as many as the correct ones, and together
 * they distort the hyper-parameters until no output seems to depend on any input. So the rows are recognized without
 * the model: a run of equal values, at places spread over the box, and a value that no other row has. The rows of a
 * later run must be near other rows, because an output can be constant in a region that was tried for a while. A run
 * that lasts until the last row does not count: a learner that has reached its goal may see the same outcome each time.
 *
 * Two correct cases must be spared. First, an output at the end of its range often has exactly that value. If the range
 * is not declared, the end is the smallest or largest value of all; so the value of a later run must lie between
 * others. Second, an output of few digits, or a count, often repeats a value; so the other rows must hardly ever repeat
 * one. */
#include "model/structures/doubts.h"

#include "space/space.h"

#include <math.h>
#include <string.h>

/* The fewest rows outside a run. */
enum { LEAST_OTHERS = 3 };

/* A run is spread out if its places span the share `far_apart` of the range in half of the dimensions. At least the
 * share `own_values` of the other rows must have a value that no earlier one has. */
static const double far_apart = 0.3, own_values = 0.8;

/* The rows first, ..., end - 1. */
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

/* Counts the dimensions in which the places of a run are far apart; adds the number of dimensions to *all. */
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

/* Whether at least half of the run's rows have a row outside the run nearby. If the value of the run were correct, such
 * rows would have it, too. */
static bool is_among_others(const fcps_look *look, run r)
{
  const fcps_gp *gp = look->gps->gp[0];
  int among = 0;
  for (int i = r.first; i < r.end && gp->count == look->rollouts->count; i++)
    among += fcps_spells_is_among_others(gp, r.first, r.end, i, NULL);
  return 2 * among >= r.end - r.first;
}

/* Whether the rows outside the run never have its value and hardly ever repeat a value. */
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
