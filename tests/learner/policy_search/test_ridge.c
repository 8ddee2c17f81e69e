/* SPDX-License-Identifier: Apache-2.0 */
/* Ridge regression with more features than rows, and a learner whose context has as many dimensions. */
#include "learner/policy_search/policy_search.h"

#include "base/rng.h"
#include "check.h"

#include <fcps/learner.h>

#include <stdio.h>
#include <stdlib.h>

/* The weights solve (Phi' D Phi + gamma I) W = Phi' D Y, whichever matrix they came from. */
static void check_equations(int count, int features)
{
  enum { OUTPUTS = 2 };
  const double gamma = 1e-3;
  const size_t f = (size_t)features;
  double *phi = calloc((size_t)count * f, sizeof *phi), *weights = calloc(f * OUTPUTS, sizeof *weights);
  double y[64 * OUTPUTS], d[64];
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_EVALUATION, 0);
  assert_non_null(phi);
  assert_non_null(weights);
  for (size_t i = 0; i < (size_t)count * f; i++)
    phi[i] = fcps_rng_uniform(&rng) - 0.5;
  for (int i = 0; i < count; i++) {
    d[i] = 0.1 + fcps_rng_uniform(&rng);
    for (int p = 0; p < OUTPUTS; p++)
      y[i * OUTPUTS + p] = fcps_rng_uniform(&rng);
  }
  assert_ok(fcps_ridge_fit(count, features, phi, OUTPUTS, y, d, gamma, weights));
  for (size_t p = 0; p < OUTPUTS; p++) {
    double rest[64]; /* D (Y - Phi W) */
    for (size_t i = 0; i < (size_t)count; i++) {
      rest[i] = y[i * OUTPUTS + p];
      for (size_t k = 0; k < f; k++)
        rest[i] -= phi[i * f + k] * weights[p * f + k];
      rest[i] *= d[i];
    }
    for (size_t k = 0; k < f; k++) {
      double gradient = 0.0;
      for (size_t i = 0; i < (size_t)count; i++)
        gradient += phi[i * f + k] * rest[i];
      assert_near(gamma * weights[p * f + k], gradient, 1e-9);
    }
  }
  free(phi);
  free(weights);
}

static void the_weights_solve_the_normal_equations(void **state)
{
  (void)state;
  check_equations(40, 10);
  check_equations(20, 900);
  check_equations(20, 1500);
}

static fcps_status sum_reward(void *user, int count, const double *target, const double *environments,
                              const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)outcomes, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -fabs(target[0] - parameters[i]);
  return FCPS_OK;
}

/* 250 dimensions are more than 30,000 squares: their own matrix would have 8 GB. */
static void c_reps_learns_with_hundreds_of_context_dimensions(void **state)
{
  (void)state;
  enum { WIDTH = 250 };
  static char names[WIDTH][8];
  fcps_dimension dims[WIDTH];
  const fcps_dimension parameter = {.name = "p", .lower = 0, .upper = 1}, outcome = {.name = "o"};
  for (int i = 0; i < WIDTH; i++) {
    snprintf(names[i], sizeof names[i], "t%d", i);
    dims[i] = (fcps_dimension){.name = names[i], .lower = 0, .upper = 1};
  }
  const fcps_problem problem = {
      .target = {WIDTH, dims}, .parameters = {1, &parameter}, .outcome = {1, &outcome}, .reward = sum_reward};
  const fcps_setting settings[] = {{"update_every", "20"}, {NULL, NULL}};
  fcps_learner *learner = NULL;
  assert_ok(fcps_learner_create(&learner, &problem, "c-reps", settings, 1, NULL));
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_EVALUATION, 0);
  for (int i = 0; i < 21; i++) {
    double target[WIDTH], p;
    int64_t id;
    for (int t = 0; t < WIDTH; t++)
      target[t] = fcps_rng_uniform(&rng);
    assert_ok(fcps_learner_ask(learner, target, NULL, &p, &id));
    const fcps_rollout rollout = {.target = target, .parameters = &p, .outcome = &p};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  fcps_learner_destroy(learner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_weights_solve_the_normal_equations),
      cmocka_unit_test(c_reps_learns_with_hundreds_of_context_dimensions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
