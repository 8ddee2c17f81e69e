/* SPDX-License-Identifier: Apache-2.0 */
/* The time for one second of motion at 1 kHz from a movement primitive.
 *
 *   create   microseconds to tabulate the motion of a primitive (exp and weighted sums), once for all goals
 *   play     microseconds to integrate it, for every goal
 *   limit    only the exponentials and multiply-adds of both
 */
#include "measure.h"

#include <fcps/primitive.h>

#include <math.h>
#include <stdlib.h>

enum { STEPS = 1000, REPEATS = 51 };

static double limit(int dimensions, int basis)
{
  double seconds[REPEATS], *weights = malloc((size_t)(dimensions * basis) * sizeof *weights);
  if (weights == NULL) measure_require(FCPS_ERR_MEMORY, "limit");
  for (int i = 0; i < dimensions * basis; i++)
    weights[i] = 0.01 * i;
  double kept = 0;
  for (int r = 0; r < REPEATS; r++) {
    const double start = measure_seconds();
    double sum = 0;
    for (int k = 0; k < STEPS; k++)
      for (int i = 0; i < basis; i++) {
        const double e = exp(-0.1 * i - 1e-4 * k);
        for (int d = 0; d < dimensions; d++)
          sum += weights[d * basis + i] * e;
      }
    seconds[r] = measure_seconds() - start;
    kept += sum;
  }
  free(weights);
  if (isnan(kept)) measure_require(FCPS_ERR_NOT_FINITE, "limit"); /* keeps the sums from being optimized away */
  return measure_summarize(REPEATS, seconds).median;
}

static void measure(int dimensions, int basis)
{
  fcps_primitive_settings settings = fcps_primitive_settings_default(dimensions);
  settings.basis_count = basis;
  fcps_primitive *primitive;
  fcps_motion *motion;
  fcps_error error;
  double create[REPEATS], play[REPEATS];
  double *numbers = calloc(2 * (STEPS + 1) * (size_t)dimensions + 2 * (size_t)dimensions, sizeof *numbers);
  if (numbers == NULL) measure_require(FCPS_ERR_MEMORY, "motion");
  double *start = numbers, *goal = start + dimensions, *positions = goal + dimensions;
  double *velocities = positions + (STEPS + 1) * dimensions;
  for (int d = 0; d < dimensions; d++)
    goal[d] = 0.1 * (d + 1);
  measure_require(fcps_primitive_create(&primitive, &settings, &error), "primitive");
  const fcps_motion_part part = {.primitive = primitive, .duration = 1};
  for (int r = 0; r < REPEATS; r++) {
    const double begin = measure_seconds();
    measure_require(fcps_motion_create(&motion, 1, &part, 1.0 / STEPS, &error), "motion");
    const double made = measure_seconds();
    measure_require(fcps_motion_set_goal(motion, 0, goal, NULL), "goal");
    fcps_motion_trajectory(motion, start, NULL, positions, velocities, NULL);
    create[r] = made - begin;
    play[r] = measure_seconds() - made;
    fcps_motion_destroy(motion);
  }
  const measure_summary created = measure_summarize(REPEATS, create), played = measure_summarize(REPEATS, play);
  measure_row("1 s at 1 kHz", (const measure_value[]){{"dimensions", dimensions},
                                                      {"basis", basis},
                                                      {"create us", 1e6 * created.median},
                                                      {"play us", 1e6 * played.median},
                                                      {"spread us", 1e6 * (created.spread + played.spread)},
                                                      {"limit us", 1e6 * limit(dimensions, basis)},
                                                      {NULL, 0}});
  fcps_primitive_destroy(primitive);
  free(numbers);
}

int main(void)
{
  measure_begin("dmp", "microseconds for one second of motion");
  measure(3, 10);
  measure(6, 30);
  measure(50, 60);
  return 0;
}
