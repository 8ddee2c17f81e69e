/* SPDX-License-Identifier: Apache-2.0 */
/* The toy cannon for rivals in other languages, with the same hills, targets and noise as fcps for each seed.
 *
 *   shoot SEED EPISODES   writes one line of JSON with the targets of the episodes and those of the offline evaluation,
 *                         then answers each line "EPISODE TURN TILT SPEED" (parameters in the unit cube; a negative
 *                         episode is without noise) with a line "X Y", where the ball landed.
 */
#include "measure.h"

#include <fcps/fcps.h>
#include <fcps/lab/lab.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_targets(const char *name, int count, const double *targets, const char *end)
{
  printf("\"%s\": [", name);
  for (int i = 0; i < count; i++)
    printf("%s[%.17g, %.17g]", i > 0 ? ", " : "", targets[2 * i], targets[2 * i + 1]);
  printf("]%s", end);
}

static void announce(const fcps_task *task, int episodes)
{
  double *targets = malloc(2 * (size_t)episodes * sizeof *targets);
  if (targets == NULL) measure_require(FCPS_ERR_MEMORY, "targets");
  for (int e = 0; e < episodes; e++)
    fcps_task_context(task, e, targets + 2 * e, NULL);
  printf("{");
  print_targets("targets", episodes, targets, ", ");
  print_targets("grid", fcps_task_evaluation(task)->count, fcps_task_evaluation(task)->targets, "}\n");
  fflush(stdout);
  free(targets);
}

int main(int count, char **arguments)
{
  if (count != 3) return 2;
  const int episodes = atoi(arguments[2]);
  fcps_task *task;
  fcps_error error;
  measure_require(fcps_task_create(&task, "cannon", NULL, strtoull(arguments[1], NULL, 10), &error), "cannon");
  announce(task, episodes > 0 ? episodes : 1);
  const fcps_space *space = &fcps_task_problem(task)->parameters;
  int64_t episode;
  double p[3], landing[2];
  while (scanf("%" SCNd64 " %lf %lf %lf", &episode, &p[0], &p[1], &p[2]) == 4) {
    for (int d = 0; d < 3; d++)
      p[d] = space->dims[d].lower + p[d] * (space->dims[d].upper - space->dims[d].lower);
    fcps_rollout result;
    measure_require(fcps_task_run(task, episode, NULL, p, landing, &result), "run");
    printf("%.17g %.17g\n", landing[0], landing[1]);
    fflush(stdout);
  }
  fcps_task_destroy(task);
  return 0;
}
