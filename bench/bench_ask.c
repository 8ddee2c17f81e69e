/* SPDX-License-Identifier: Apache-2.0 */
/* The time for one suggestion in a given context, with its fit, on the cannon's data.
 *
 *   cold     the first ask of a learner that knows N rollouts
 *   steady   mean of 20 asks up to N, each after one more rollout, as in a run, with the fits that are due
 *   limit    the least arithmetic of a suggestion for a new target with a fit: two likelihoods with gradients (Cholesky
 *            factor, inverse) and the deviations of 800 candidates (triangular solve). A steady ask takes less, because
 *            fits become rare as the data grow, and because a bound shows which few candidates need a deviation.
 */
#include "linalg/dense.h"
#include "measure.h"
#include "shots.h"

#include <math.h>
#include <stdlib.h>

enum { STEADY = 20, WARM_UP = 5, REPEATS = 5, CANDIDATES = 800 };

static measure_summary cold(fcps_task *task, const char *name, int n)
{
  double seconds[REPEATS];
  for (int r = 0; r < REPEATS; r++) {
    fcps_learner *learner = shots_learner(task, name, NULL, n);
    seconds[r] = shots_ask(task, learner, n);
    fcps_learner_destroy(learner);
  }
  return measure_summarize(REPEATS, seconds);
}

static double steady(fcps_task *task, const char *name, int n)
{
  const int before = n > STEADY + WARM_UP ? n - STEADY - WARM_UP : 0;
  fcps_learner *learner = shots_learner(task, name, NULL, before);
  double sum = 0;
  for (int e = before; e < n; e++) {
    const double seconds = shots_ask(task, learner, e);
    if (e >= n - STEADY) sum += seconds;
  }
  fcps_learner_destroy(learner);
  return sum / STEADY;
}

/* The seconds of two factorizations with inverses and one solve with CANDIDATES columns. */
static double limit(int n)
{
  const size_t size = (size_t)n * (size_t)n;
  double *k = malloc(size * sizeof *k), *l = malloc(size * sizeof *l), *backup = malloc(size * sizeof *backup);
  double *b = malloc((size_t)n * CANDIDATES * sizeof *b), seconds[REPEATS];
  if (k == NULL || l == NULL || backup == NULL || b == NULL) measure_require(FCPS_ERR_MEMORY, "limit");
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      k[(size_t)j * (size_t)n + (size_t)i] = exp(-0.01 * (i - j) * (i - j)) + 0.1 * (i == j);
  for (int r = 0; r < REPEATS; r++) {
    for (size_t i = 0; i < (size_t)n * CANDIDATES; i++)
      b[i] = 1.0;
    const double start = measure_seconds();
    for (int twice = 0; twice < 2; twice++) {
      for (size_t i = 0; i < size; i++)
        l[i] = k[i];
      measure_require(fcps_chol_factor(n, l, n, backup, NULL), "factor");
      fcps_chol_inverse(n, l, n, backup);
    }
    fcps_chol_solve_lower(n, l, n, CANDIDATES, b, n);
    seconds[r] = measure_seconds() - start;
  }
  free(k);
  free(l);
  free(backup);
  free(b);
  return measure_summarize(REPEATS, seconds).median;
}

int main(void)
{
  static const char *const learners[] = {"bo-fcps", "bo-cps", "outcome"};
  static const int sizes[] = {20, 50, 150, 500, 1000};
  fcps_task *task;
  fcps_error error;
  measure_begin(
      "ask", "milliseconds for one suggestion, fit included; bo-fcps and outcome have 0, bo-cps has 2 context inputs");
  measure_require(fcps_task_create(&task, "cannon", NULL, 1, &error), "cannon");
  for (size_t l = 0; l < sizeof learners / sizeof *learners; l++)
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      const measure_summary first = cold(task, learners[l], sizes[s]);
      const double later = steady(task, learners[l], sizes[s]), bare = limit(sizes[s]);
      measure_row(learners[l], (const measure_value[]){{"N", sizes[s]},
                                                       {"cold ms", 1e3 * first.median},
                                                       {"spread ms", 1e3 * first.spread},
                                                       {"steady ms", 1e3 * later},
                                                       {"limit ms", 1e3 * bare},
                                                       {"steady/limit", later / bare},
                                                       {NULL, 0}});
    }
  fcps_task_destroy(task);
  return 0;
}
