/* SPDX-License-Identifier: Apache-2.0 */
/* Plain functions as problems without context: the usual measure of an evolution strategy. */
#ifndef FCPS_TESTS_LEARNER_PLAIN_FUNCTIONS_H
#define FCPS_TESTS_LEARNER_PLAIN_FUNCTIONS_H

#include "check.h"

#include <fcps/learner.h>

enum { PLAIN_SIZE = 5 };

static const fcps_dimension plain_parameters[PLAIN_SIZE] = {{.name = "a", .lower = -5, .upper = 5},
                                                            {.name = "b", .lower = -5, .upper = 5},
                                                            {.name = "c", .lower = -5, .upper = 5},
                                                            {.name = "d", .lower = -5, .upper = 5},
                                                            {.name = "e", .lower = -5, .upper = 5}};
static const fcps_problem plain_problem = {.parameters = {PLAIN_SIZE, plain_parameters}};

typedef double plain_function(const double *x);

static inline double plain_sphere(const double *x)
{
  double sum = 0;
  for (int i = 0; i < PLAIN_SIZE; i++)
    sum += (x[i] - 1.5) * (x[i] - 1.5);
  return sum;
}

static inline double plain_ellipsoid(const double *x)
{
  double sum = 0;
  for (int i = 0; i < PLAIN_SIZE; i++)
    sum += pow(1e4, (double)i / (PLAIN_SIZE - 1)) * (x[i] - 1.5) * (x[i] - 1.5);
  return sum;
}

static inline double plain_rosenbrock(const double *x)
{
  double sum = 0;
  for (int i = 0; i + 1 < PLAIN_SIZE; i++)
    sum += 100 * pow(x[i + 1] - x[i] * x[i], 2) + pow(1 - x[i], 2);
  return sum;
}

/* Evaluations until the function is below `goal`; `most` if it never is. */
static inline int plain_evaluations(plain_function *function, double goal, int most, uint64_t seed)
{
  fcps_error error;
  fcps_learner *learner = NULL;
  int made = 0;
  assert_ok(fcps_learner_create(&learner, &plain_problem, "c-cma-es", NULL, seed, &error));
  for (double value = INFINITY; value > goal && made < most; made++) {
    double x[PLAIN_SIZE];
    int64_t id;
    assert_ok(fcps_learner_ask(learner, NULL, NULL, x, &id));
    value = function(x);
    const fcps_rollout rollout = {.parameters = x, .reward = -value};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  fcps_learner_destroy(learner);
  return made;
}

#endif
