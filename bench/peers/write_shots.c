/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the shots that bench_ask works on as CSV, so that rivals work on the same numbers: target, parameters in the
 * unit cube, where the ball landed, reward. */
#include "measure.h"
#include "shots.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
  const int rows = count > 1 ? atoi(arguments[1]) : 500;
  fcps_task *task;
  fcps_error error;
  measure_require(fcps_task_create(&task, "cannon", NULL, 1, &error), "cannon");
  const fcps_space *space = &fcps_task_problem(task)->parameters;
  printf("x,y,turn,tilt,speed,land_x,land_y,reward\n");
  for (int e = 0; e < rows; e++) {
    double target[2], p[3], outcome[2];
    fcps_rollout result;
    fcps_task_context(task, e, target, NULL);
    shots_parameters(space, e, p);
    measure_require(fcps_task_run(task, e, NULL, p, outcome, &result), "run");
    const double reward = -hypot(target[0] - outcome[0], target[1] - outcome[1]) - 0.05 * p[2] * p[2];
    for (int d = 0; d < 3; d++)
      p[d] = (p[d] - space->dims[d].lower) / (space->dims[d].upper - space->dims[d].lower);
    printf("%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", target[0], target[1], p[0], p[1], p[2], outcome[0],
           outcome[1], reward);
  }
  fcps_task_destroy(task);
  return 0;
}
