/* SPDX-License-Identifier: Apache-2.0 */
/* Pending trials in the posterior of outcomes: the deviation of a reward is smaller, its mean is today's. */
#include "base/rng.h"
#include "check.h"
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

enum { THROWS = 12, PENDING = 3 };

static const double target[2] = {0.3, 0.5}, wind[1] = {0.1};
static const double pending[PENDING][2] = {{1.0, 0.5}, {2.0, 0.9}, {1.2, 0.7}};

static fcps_model *create(const fcps_problem *problem, bool is_separate)
{
  const fcps_model_settings settings = {
      .kernel = &fcps_kernel_se,
      .circular = true,
      .structures = {.separate = is_separate ? FCPS_STRUCTURE_ON : FCPS_STRUCTURE_OFF},
      .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
      .prior = USUAL_PRIOR(0.8),
      .fit = {.starts = 2, .budget = 25}};
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  fcps_model *model;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  for (int i = 0; i < THROWS; i++) {
    const double parameters[2] = {6.28 * fcps_rng_uniform(&rng), 1.5 * fcps_rng_uniform(&rng)};
    double outcome[2];
    toy_throw(wind, parameters, outcome);
    const fcps_rollout rollout = {.target = target, .environment = wind, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

static void add_pending(fcps_model *model)
{
  for (int i = 0; i < PENDING; i++)
    fcps_model_add_pending(model, target, wind, pending[i]);
}

static void moments_at(const fcps_model *model, const double *parameters, double *mean, double *deviation)
{
  const fcps_problem problem = toy_problem();
  fcps_posterior *posterior;
  fcps_error error;
  double x[2];
  fcps_space_to_unit(&problem.parameters, parameters, x);
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
  fcps_posterior_moments(posterior, 1, x, mean, deviation);
  fcps_posterior_destroy(posterior);
}

static void a_pending_trial_leaves_the_expected_reward_and_lowers_its_deviation(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  for (int is_separate = 0; is_separate < 2; is_separate++) {
    fcps_model *model = create(&problem, is_separate);
    for (int i = 0; i < PENDING; i++) {
      double before, after, wide, narrow, again, as_wide;
      moments_at(model, pending[i], &before, &wide);
      add_pending(model);
      moments_at(model, pending[i], &after, &narrow);
      fcps_model_clear_pending(model);
      moments_at(model, pending[i], &again, &as_wide);
      assert_near(after, before, 1e-12);
      assert_true(narrow < 0.5 * wide);
      assert_true(again == before && as_wide == wide);
    }
    fcps_model_destroy(model);
  }
}

static void gradients_match_finite_differences_while_trials_are_pending(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  for (int is_separate = 0; is_separate < 2; is_separate++) {
    fcps_model *model = create(&problem, is_separate);
    fcps_posterior *posterior;
    fcps_error error;
    add_pending(model);
    assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
    for (int trial = 0; trial < 50; trial++) {
      double x[2], mean, deviation, dmean[2], ddeviation[2];
      fcps_rng_uniforms(&rng, 2, x);
      fcps_posterior_gradient(posterior, x, &mean, &deviation, dmean, ddeviation);
      for (int d = 0; d < 2; d++) {
        const double step = 1e-6;
        double points[4] = {x[0], x[1], x[0], x[1]}, m[2], s[2];
        points[d] += step;
        points[2 + d] -= step;
        fcps_posterior_moments(posterior, 2, points, m, s);
        assert_near(dmean[d], (m[0] - m[1]) / (2 * step), 1e-5);
        assert_near(ddeviation[d], (s[0] - s[1]) / (2 * step), 1e-4);
      }
    }
    fcps_posterior_destroy(posterior);
    fcps_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pending_trial_leaves_the_expected_reward_and_lowers_its_deviation),
      cmocka_unit_test(gradients_match_finite_differences_while_trials_are_pending),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
