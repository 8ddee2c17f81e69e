/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of an ask and a tell in C, for bench/python/bench.py, which measures the same through Python: bench_python
 * PROBLEM.yaml LEARNER formula|function EPISODES prints the microseconds of processor time of each of the last twenty,
 * one per line. The throw, its contexts and the reward function are those of bench.py. */
#include <fcps/fcps.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LAST = 20 };

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static fcps_status score(void *user, int count, const double *target, const double *environments,
                         const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -hypot(outcomes[2 * i] - target[0], outcomes[2 * i + 1] - target[1]) -
                 0.01 * parameters[2 * i + 1] * parameters[2 * i + 1];
  return FCPS_OK;
}

static fcps_status throw_once(fcps_learner *learner, int i, double *microseconds)
{
  const double target[] = {i * 5 % 17 - 8.0, i * 7 % 17 - 8.0}, wind = (i * 3 % 11) / 5.0 - 1.0;
  double p[2];
  int64_t id;
  const double begin = now();
  fcps_status status = fcps_learner_ask(learner, target, &wind, p, &id);
  const double turn = p[0] * 0.017453292519943295, reach = p[1] * p[1] / 9.81;
  const double outcome[] = {reach * cos(turn) + 0.5 * wind, reach * sin(turn)};
  const fcps_rollout rollout = {
      .target = target, .environment = &wind, .parameters = p, .outcome = outcome, .reward = NAN};
  if (status == FCPS_OK) status = fcps_learner_tell(learner, id, &rollout);
  *microseconds = now() - begin;
  return status;
}

int main(int argc, char **argv)
{
  fcps_problem_file *file = NULL;
  fcps_learner *learner = NULL;
  fcps_error error = {0};
  double times[LAST] = {0};
  if (argc != 5) return 2;
  const int episodes = atoi(argv[4]);
  fcps_status status = fcps_problem_file_read(&file, argv[1], &error);
  if (status == FCPS_OK) {
    fcps_problem problem = file->problem;
    if (strcmp(argv[3], "function") == 0) {
      problem.reward = score;
      problem.achieved = NULL;
      problem.is_distance = false;
      problem.user = NULL;
    }
    status = fcps_learner_create(&learner, &problem, argv[2], NULL, 1001, &error);
  }
  for (int i = 0; status == FCPS_OK && i < episodes; i++)
    status = throw_once(learner, i, &times[i % LAST]);
  for (int i = episodes; status == FCPS_OK && i < episodes + LAST; i++)
    printf("%.2f\n", times[i % LAST]);
  if (status != FCPS_OK) fprintf(stderr, "%s: %s\n", error.field, error.message);
  fcps_learner_destroy(learner);
  fcps_problem_file_destroy(file);
  return status != FCPS_OK;
}
