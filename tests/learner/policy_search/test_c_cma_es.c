/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/learner/policy_search/c_cma_es.c: constants, updates, learning and resuming. */
#include "learner/policy_search/policy_search.h"
#include "plain_functions.h"
#include "resuming.h"

#include <stdlib.h>

static void the_constants_are_those_of_the_tutorial(void **state)
{
  (void)state;
  const fcps_cma_rates r = fcps_cma_rates_of(10, 0, 0);
  assert_int_equal(r.population, 10);
  assert_near(r.mueff, 3.1673, 1e-4);
  assert_near(r.c1, 2 / (11.3 * 11.3 + 3.1673), 1e-6);
  assert_near(r.cmu, 2 * (3.1673 - 2 + 1 / 3.1673) / (144 + 3.1673), 1e-6);
  assert_near(r.cs, (3.1673 + 2) / (10 + 3.1673 + 5), 1e-5);
  assert_near(r.ds, 1 + r.cs, 1e-12);
  assert_near(r.chi, 3.0847, 1e-4);
  assert_int_equal(fcps_cma_rates_of(3, 2, 0).population, 4 + 4 * 5);
  assert_int_equal(fcps_cma_rates_of(3, 2, 17).population, 17);
}

static void a_generation_of_one_is_refused(void **state)
{
  (void)state;
  fcps_learner *learner = NULL;
  fcps_error error;
  const fcps_setting one[] = {{"population", "1"}, {NULL, NULL}}, two[] = {{"population", "2"}, {NULL, NULL}};
  assert_status(fcps_learner_create(&learner, &plain_problem, "c-cma-es", one, 1, &error), FCPS_ERR_BOUNDS);
  assert_string_equal(error.field, "population");
  assert_null(learner);
  assert_ok(fcps_learner_create(&learner, &plain_problem, "c-cma-es", two, 1, &error));
  fcps_learner_destroy(learner);
}

static int by_value(const void *a, const void *b)
{
  const double p = plain_sphere(a), q = plain_sphere(b);
  return (p > q) - (p < q);
}

/* without context the first update is the weighted mean of the better half */
static void a_generation_moves_the_mean_to_its_better_half(void **state)
{
  (void)state;
  const fcps_setting settings[] = {{"ridge", "1e-12"}, {NULL, NULL}};
  enum { POPULATION = 8 };
  fcps_error error;
  fcps_learner *learner = NULL;
  fcps_policy *policy = NULL;
  double x[POPULATION][PLAIN_SIZE], got[PLAIN_SIZE], weights = 0;
  assert_ok(fcps_learner_create(&learner, &plain_problem, "c-cma-es", settings, 4, &error));
  for (int i = 0; i < POPULATION; i++) {
    int64_t id;
    assert_ok(fcps_learner_ask(learner, NULL, NULL, x[i], &id));
    const fcps_rollout rollout = {.parameters = x[i], .reward = -plain_sphere(x[i])};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  assert_ok(fcps_policy_query(policy, NULL, NULL, got, NULL));
  qsort(x, POPULATION, sizeof *x, by_value);
  double wanted[PLAIN_SIZE] = {0};
  for (int i = 0; i < POPULATION / 2; i++) {
    const double w = log(POPULATION / 2 + 0.5) - log(i + 1);
    weights += w;
    for (int p = 0; p < PLAIN_SIZE; p++)
      wanted[p] += w * x[i][p];
  }
  for (int p = 0; p < PLAIN_SIZE; p++)
    assert_near(got[p], wanted[p] / weights, 1e-9);
  fcps_policy_destroy(policy);
  fcps_learner_destroy(learner);
}

/* linear convergence: each further factor of 1e4 costs about the same */
static void plain_functions_are_minimized(void **state)
{
  (void)state;
  for (uint64_t seed = 1000; seed < 1003; seed++) {
    const int near = plain_evaluations(plain_sphere, 1e-4, 5000, seed);
    const int far = plain_evaluations(plain_sphere, 1e-8, 5000, seed);
    assert_true(far < 1200);
    assert_true(far - near < 1.5 * near);
    assert_true(plain_evaluations(plain_ellipsoid, 1e-8, 8000, seed) < 4000);
  }
}

static double learnt(const char *name, const fcps_setting *settings, int episodes)
{
  fcps_error error;
  fcps_learner *learner = NULL;
  double parameters[2];
  assert_ok(fcps_learner_create(&learner, &throwing, name, settings, 1001, &error));
  for (int i = 0; i < episodes; i++)
    assert_ok(throwing_episode(learner, i, parameters));
  const double reward = throwing_mean_reward(learner);
  fcps_learner_destroy(learner);
  return reward;
}

static const fcps_setting factored[] = {{"factored", "on"}, {NULL, NULL}};
static const fcps_setting hindsight[] = {{"hindsight", "on"}, {NULL, NULL}};

static void it_learns_to_throw_with_all_kinds_of_training_samples(void **state)
{
  (void)state;
  assert_true(learnt("c-cma-es", NULL, 0) < -0.4); /* the middle of the box hits one mark only */
  assert_true(learnt("c-cma-es", NULL, 800) > -0.2);
  assert_true(learnt("c-cma-es", hindsight, 800) > -0.35);
  assert_true(learnt("c-cma-es", factored, 400) > -0.2);
  assert_true(learnt("c-reps", factored, 400) > -0.25);
}

/* A policy at its start has one mean for all contexts: every target is as likely to have been the rollout's. */
static void factored_training_samples_are_weighted_by_the_policy(void **state)
{
  (void)state;
  enum { ROLLOUTS = 6, TARGETS = 4 };
  fcps_linear_gaussian policy;
  fcps_rollouts samples;
  fcps_training_samples r;
  assert_ok(fcps_linear_gaussian_create(&policy, &throwing, false, 0.2));
  fcps_rollouts_init(&samples, &throwing);
  for (int i = 0; i < ROLLOUTS; i++) {
    double mark, wind;
    throwing_context(i, &mark, &wind);
    const double parameters[2] = {0.1 * i, 1 - 0.12 * i}, land = throwing_land(wind, parameters);
    const fcps_rollout rollout = {
        .target = &mark, .environment = &wind, .parameters = parameters, .outcome = &land, .reward = 7};
    assert_ok(fcps_rollouts_add(&samples, &rollout));
  }
  assert_ok(fcps_training_samples_create(&r, &policy, &samples, 2, TARGETS, NULL));
  assert_int_equal(r.count, (ROLLOUTS - 2) * TARGETS);
  for (int i = 0; i < r.count; i++)
    assert_near(r.importance[i], 1.0, 1e-12);
  fcps_training_samples_destroy(&r);

  policy.weights[2] = 0.3; /* features are 1, wind, mark: now the tilt follows the mark */
  assert_ok(fcps_training_samples_create(&r, &policy, &samples, 2, TARGETS, NULL));
  for (int i = 0; i < ROLLOUTS - 2; i++) {
    double density[TARGETS], sum = 0;
    const double *theta = fcps_rollouts_parameters(&samples, 2 + i);
    for (int j = 0; j < TARGETS; j++) {
      const double mark = *fcps_rollouts_target(&samples, ROLLOUTS - TARGETS + j);
      density[j] = exp(-0.5 * pow((theta[0] - 0.5 - 0.3 * mark) / 0.2, 2));
      sum += density[j] / TARGETS;
      assert_near(r.rewards[i * TARGETS + j],
                  throwing_reward_of(mark, theta[1], *fcps_rollouts_outcome(&samples, 2 + i)), 1e-12);
    }
    for (int j = 0; j < TARGETS; j++)
      assert_near(r.importance[i * TARGETS + j], density[j] / sum, 1e-9);
  }
  fcps_training_samples_destroy(&r);
  fcps_rollouts_free(&samples);
  fcps_linear_gaussian_destroy(&policy);
}

static void what_cannot_be_read_is_refused(void **state)
{
  (void)state;
  const fcps_setting both[] = {{"factored", "on"}, {"hindsight", "on"}, {NULL, NULL}};
  const char *const names[] = {"c-reps", "c-cma-es", "crkr"};
  fcps_problem told = throwing;
  told.reward = NULL;
  for (int i = 0; i < 3; i++) {
    fcps_error error;
    fcps_learner *learner = NULL;
    assert_status(fcps_learner_create(&learner, &told, names[i], factored, 1, &error), FCPS_ERR_UNSUPPORTED);
    assert_string_equal(error.field, "factored");
    assert_status(fcps_learner_create(&learner, &throwing, names[i], both, 1, &error), FCPS_ERR_UNSUPPORTED);
    assert_string_equal(error.field, "hindsight");
  }
}

static void resumed_learners_go_on_with_the_same_bits(void **state)
{
  (void)state;
  check_resumes(&throwing, "c-cma-es", NULL, 60);
  check_resumes(&throwing, "c-cma-es", hindsight, 60);
  check_resumes(&throwing, "c-cma-es", factored, 60);
  check_resumes(&throwing, "c-reps", factored, 70);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_constants_are_those_of_the_tutorial),
      cmocka_unit_test(a_generation_of_one_is_refused),
      cmocka_unit_test(a_generation_moves_the_mean_to_its_better_half),
      cmocka_unit_test(plain_functions_are_minimized),
      cmocka_unit_test(it_learns_to_throw_with_all_kinds_of_training_samples),
      cmocka_unit_test(factored_training_samples_are_weighted_by_the_policy),
      cmocka_unit_test(what_cannot_be_read_is_refused),
      cmocka_unit_test(resumed_learners_go_on_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
