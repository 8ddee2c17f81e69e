/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a sensor that was dead when the trials began: the same number again and again, wherever the trials were, and never
 * since.
 *
 * One such number is not a surprise to the others: they are as many as the right ones, and together they bend the hyper-parameters
 * until nothing depends on anything. So they are recognized by their shape, without the model: a run at the beginning,
 * places all over the box, and a value that no later row has. Later runs are not looked at: a learner that has found what it
 * was asked for may see the same outcome each time.
 *
 * What is honest is spared. An output at the end of its range leaves it by nature. An output of few digits, or a count, often has
 * the same value: so the other rows must hardly have any twice. */
#include "model/structures/doubts.h"

#include "space/space.h"

#include <math.h>
#include <string.h>

/* The fewest rows after a run that tell anything. */
enum { LEAST_OTHERS = 3 };

/* The part of a dimension's range that the places of a run must span to be far apart, in half of the dimensions; and the
 * share of the other rows that must have values of their own. */
static const double far_apart = 0.3, own_values = 0.8;

static int run_length(int rows, const double *y)
{
  int length = 1;
  while (length < rows && y[length] == y[0])
    length++;
  return length;
}

/* Dimensions over which the places of the first rows are spread widely; adds all dimensions to *all. */
static int count_spread(const fcps_space *space, int rows, const fcps_rollouts *training,
                        const double *(*place)(const fcps_rollouts *, int), int *all)
{
  double least[FCPS_SPACE_MAX], most[FCPS_SPACE_MAX], unit[FCPS_SPACE_MAX];
  int spread = 0;
  for (int i = 0; i < rows && space->count > 0; i++) {
    fcps_space_to_unit(space, place(training, i), unit);
    for (int d = 0; d < space->count; d++) {
      least[d] = i == 0 ? unit[d] : fmin(least[d], unit[d]);
      most[d] = i == 0 ? unit[d] : fmax(most[d], unit[d]);
    }
  }
  for (int d = 0; d < space->count; d++)
    spread += most[d] - least[d] >= far_apart;
  *all += space->count;
  return spread;
}

static bool is_everywhere(const fcps_look *look, int run)
{
  int all = 0, spread = 0;
  const fcps_problem *p = look->layout->problem;
  spread += count_spread(&p->parameters, run, look->rollouts, fcps_rollouts_parameters, &all);
  spread += count_spread(&p->environment, run, look->rollouts, fcps_rollouts_environment, &all);
  return 2 * spread >= all;
}

/* Whether the rows after the run never have its value, and hardly any value twice. */
static bool is_alive_after(int run, int rows, const double *y)
{
  int repeated = 0;
  for (int i = run; i < rows; i++) {
    bool is_repeated = false;
    if (y[i] == y[0]) return false;
    for (int j = run; j < i && !is_repeated; j++)
      is_repeated = y[j] == y[i];
    repeated += is_repeated;
  }
  return rows - run >= LEAST_OTHERS && repeated <= (1.0 - own_values) * (rows - run);
}

static bool is_stuck(const fcps_look *look, int output, int run, const double *y)
{
  if (run < FCPS_STUCK_LEAST || fcps_layout_is_end(look->layout, output, y[0])) return false;
  return is_alive_after(run, look->rollouts->count, y) && is_everywhere(look, run);
}

int fcps_stuck_find(const fcps_look *look, bool *stuck)
{
  const int rows = look->rollouts->count;
  int count = 0;
  memset(stuck, 0, (size_t)rows * sizeof *stuck);
  for (int o = 0; o < look->outputs && look->layout->predicts_outcomes && rows > 0; o++) {
    const double *column = look->y + (size_t)o * (size_t)rows;
    const int run = run_length(rows, column);
    if (!is_stuck(look, o, run, column)) continue;
    for (int i = 0; i < run; i++)
      stuck[i] = !look->rollouts->confirmed[i];
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
