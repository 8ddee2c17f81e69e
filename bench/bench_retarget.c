/* SPDX-License-Identifier: Apache-2.0 */
/* The time for the parameters of new targets, only from old rollouts, as one batch.
 *
 *   one core    processor seconds of one thread
 *   two cores   seconds on the clock of two threads, each with a copy of the policy and half of the targets
 *   limit       processor seconds of a pair of triangular solves for each target, one by one
 */
#include "linalg/dense.h"
#include "measure.h"
#include "shots.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* The number of solves that are timed; the cost is proportional to the number of targets. */
enum { LIMIT_SOLVES = 100 };

/* The number of targets in the largest batch. Batches of up to MANY are answered REPEATS times. */
enum { MOST = 100000, REPEATS = 5, MANY = 1000 };

/* A share of the targets, for one thread. */
typedef struct share {
  fcps_policy *policy;
  int count;
  const double *targets;
  double *parameters;
  fcps_status status;
} share;

static void *answer(void *user)
{
  share *s = user;
  s->status = fcps_policy_query_batch(s->policy, s->count, s->targets, NULL, s->parameters, NULL, NULL);
  return NULL;
}

static measure_summary one_core(fcps_policy *policy, int count, const double *targets, double *parameters)
{
  share all = {policy, count, targets, parameters, FCPS_OK};
  const int repeats = count <= MANY ? REPEATS : 1;
  double seconds[REPEATS];
  for (int r = 0; r < repeats; r++) {
    const double start = measure_seconds();
    answer(&all);
    seconds[r] = measure_seconds() - start;
    measure_require(all.status, "query");
  }
  return measure_summarize(repeats, seconds);
}

static double two_cores(fcps_policy *policy, fcps_policy *copy, int count, const double *targets, double *parameters)
{
  const int half = count / 2;
  share first = {policy, half, targets, parameters, FCPS_OK};
  share second = {copy, count - half, targets + 2 * half, parameters + 3 * half, FCPS_OK};
  pthread_t thread;
  const double start = measure_clock();
  if (pthread_create(&thread, NULL, answer, &second) != 0) measure_require(FCPS_ERR_INTERNAL, "thread");
  answer(&first);
  pthread_join(thread, NULL);
  const double seconds = measure_clock() - start;
  measure_require(first.status, "query");
  measure_require(second.status, "query");
  return seconds;
}

static double limit(int n, int count)
{
  const size_t size = (size_t)n * (size_t)n;
  double *l = calloc(size, sizeof *l), *b = malloc((size_t)n * sizeof *b);
  if (l == NULL || b == NULL) measure_require(FCPS_ERR_MEMORY, "limit");
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      l[(size_t)j * (size_t)n + (size_t)i] = i == j ? 1.0 : 1e-3;
  const double start = measure_seconds();
  for (int r = 0; r < LIMIT_SOLVES; r++) {
    for (int i = 0; i < n; i++)
      b[i] = 1.0;
    fcps_chol_solve_lower(n, l, n, 1, b, n);
    fcps_chol_solve_upper(n, l, n, 1, b, n);
  }
  const double seconds = (measure_seconds() - start) / LIMIT_SOLVES * count;
  free(l);
  free(b);
  return seconds;
}

/* Makes a second policy with the same answers, for a second thread. */
static fcps_policy *copy_of(const fcps_policy *policy, const fcps_problem *problem)
{
  fcps_policy *copy;
  fcps_error error;
  char *text;
  measure_require(fcps_policy_save(policy, &text, &error), "save");
  measure_require(fcps_policy_load(&copy, problem, text, &error), "load");
  fcps_free(text);
  return copy;
}

static void measure_learner(fcps_task *task, const char *name, int n)
{
  fcps_learner *learner = shots_learner(task, name, NULL, n);
  fcps_policy *policy;
  measure_require(fcps_learner_policy(learner, &policy), "policy");
  fcps_policy *copy = copy_of(policy, fcps_task_problem(task));
  double *targets = malloc(2 * (size_t)MOST * sizeof *targets),
         *parameters = malloc(3 * (size_t)MOST * sizeof *targets);
  if (targets == NULL || parameters == NULL) measure_require(FCPS_ERR_MEMORY, "targets");
  for (int i = 0; i < MOST; i++)
    fcps_task_context(task, 1000000 + i, targets + 2 * i, NULL);
  for (int count = 1; count <= MOST; count *= count < 10 ? 10 : 100) {
    const measure_summary one = one_core(policy, count, targets, parameters);
    const double two = count > 1 ? two_cores(policy, copy, count, targets, parameters) : NAN;
    const double bare = limit(n, count);
    measure_row(name, (const measure_value[]){{"N", n},
                                              {"targets", count},
                                              {"one core s", one.median},
                                              {"spread s", count <= MANY ? one.spread : NAN},
                                              {"targets/s", count / one.median},
                                              {"two cores s", two},
                                              {"limit s", bare},
                                              {NULL, 0}});
  }
  free(targets);
  free(parameters);
  fcps_policy_destroy(copy);
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
}

int main(void)
{
  static const char *const learners[] = {"bo-fcps", "outcome"};
  static const int sizes[] = {150, 500, 2000};
  fcps_task *task;
  fcps_error error;
  measure_begin("retarget", "seconds for the parameters of new targets, from N rollouts");
  measure_require(fcps_task_create(&task, "cannon", NULL, 1, &error), "cannon");
  for (size_t l = 0; l < sizeof learners / sizeof *learners; l++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
      measure_learner(task, learners[l], sizes[s]);
  fcps_task_destroy(task);
  return 0;
}
