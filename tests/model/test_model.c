/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/model/: posteriors of the joint and the rescored model. */
#include "base/rng.h"
#include "check.h"
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

#include <string.h>

static fcps_model_settings settings_with(const fcps_kernel *kernel)
{
  return (fcps_model_settings){.kernel = kernel,
                               .circular = true,
                               .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                               .prior = USUAL_PRIOR(0.8),
                               .fit = {.starts = 2, .budget = 25}};
}

/* A random throw for a random target; `target` may be fixed. */
static void add_throw(fcps_model *const *models, int count, fcps_rng *rng)
{
  const double target[2] = {2 * fcps_rng_uniform(rng) - 1, 2 * fcps_rng_uniform(rng) - 1};
  const double wind[1] = {0.6 * fcps_rng_uniform(rng) - 0.3};
  const double parameters[2] = {6.28 * fcps_rng_uniform(rng), 1.5 * fcps_rng_uniform(rng)};
  const bool present = true;
  double outcome[2], reward;
  toy_throw(wind, parameters, outcome);
  toy_reward(NULL, 1, target, wind, parameters, outcome, &present, &reward);
  const fcps_rollout rollout = {
      .target = target, .environment = wind, .parameters = parameters, .outcome = outcome, .reward = reward};
  for (int i = 0; i < count; i++)
    assert_ok(fcps_model_add(models[i], &rollout));
}

static void gradients_of_a_posterior_match_finite_differences(void **state)
{
  (void)state;
  const fcps_model_ops *const kinds[] = {&fcps_model_joint, &fcps_model_rescored};
  fcps_problem problem = toy_problem();
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  for (int k = 0; k < 6; k++) {
    const fcps_model_settings settings = settings_with(fcps_kernel_at(k / 2));
    const double target[2] = {0.3, -0.5}, wind[1] = {0.1};
    fcps_model *model;
    fcps_posterior *posterior;
    fcps_error error;
    assert_ok(fcps_model_create(&model, kinds[k % 2], &problem, &settings));
    for (int i = 0; i < 15; i++)
      add_throw(&model, 1, &rng);
    assert_ok(fcps_model_refresh(model));
    assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
    for (int trial = 0; trial < 100; trial++) {
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
        assert_near(ddeviation[d], (s[0] - s[1]) / (2 * step), 1e-5);
      }
    }
    fcps_posterior_destroy(posterior);
    fcps_model_destroy(model);
  }
}

/* With few rows, with so many that points are looked at together, and with one GP for each outcome. */
static void gradients_of_many_points_are_those_of_each(void **state)
{
  (void)state;
  enum { POINTS = 11 };
  const fcps_model_ops *const kinds[] = {&fcps_model_rescored, &fcps_model_outcome, &fcps_model_outcome};
  fcps_problem problem = toy_problem();
  fcps_rng rng = fcps_rng_stream(2, FCPS_PURPOSE_TEST, 0);
  for (int k = 0; k < 6; k++) {
    fcps_model_settings settings = settings_with(&fcps_kernel_se);
    settings.structures.separate = k / 2 == 2 ? FCPS_STRUCTURE_ON : FCPS_STRUCTURE_OFF;
    const double target[2] = {0.3, -0.5}, wind[1] = {0.1};
    fcps_model *model;
    fcps_posterior *posterior;
    fcps_error error;
    double x[POINTS * 2], m[POINTS], s[POINTS], dm[POINTS * 2], ds[POINTS * 2], mean[POINTS], dmean[POINTS * 2];
    assert_ok(fcps_model_create(&model, kinds[k / 2], &problem, &settings));
    for (int i = 0; i < (k % 2 == 0 ? 15 : 600); i++)
      add_throw(&model, 1, &rng);
    assert_ok(fcps_model_refresh(model));
    assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
    fcps_rng_uniforms(&rng, POINTS * 2, x);
    fcps_posterior_gradients(posterior, POINTS, x, m, s, dm, ds);
    fcps_posterior_gradients(posterior, POINTS, x, mean, NULL, dmean, NULL);
    for (int i = 0; i < POINTS; i++) {
      double one, deviation, slope[2], deviation_slope[2];
      fcps_posterior_gradient(posterior, x + 2 * i, &one, &deviation, slope, deviation_slope);
      assert_near(m[i], one, 1e-8);
      assert_near(mean[i], one, 1e-8);
      assert_near(s[i], deviation, 1e-8);
      for (int d = 0; d < 2; d++) {
        assert_near(dm[2 * i + d], slope[d], 1e-6);
        assert_near(dmean[2 * i + d], slope[d], 1e-6);
        assert_near(ds[2 * i + d], deviation_slope[d], 1e-6);
      }
    }
    fcps_posterior_destroy(posterior);
    fcps_model_destroy(model);
  }
}

/* The paper's argument (Sec. IV-A): with the same rollouts and hyper-parameters the model that scores rollouts again
 * for the target predicts held-out rewards at least as accurately as the one that infers them from other targets. */
static void rescoring_predicts_better_than_correlation_between_targets(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  const fcps_model_settings settings = settings_with(&fcps_kernel_se);
  double squares[2] = {0};
  for (uint64_t seed = 1000; seed < 1010; seed++) {
    fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, 0);
    fcps_model *models[2];
    fcps_fit_result result;
    fcps_error error;
    assert_ok(fcps_model_create(&models[0], &fcps_model_joint, &problem, &settings));
    assert_ok(fcps_model_create(&models[1], &fcps_model_rescored, &problem, &settings));
    for (int i = 0; i < 40; i++)
      add_throw(models, 2, &rng);
    assert_ok(fcps_model_fit(models[0], 1, NULL, rng, &result, &error));
    /* rows are (wind, x, y, angle as cos and sin, distance); the rescored model has no x, y */
    double hyper[6];
    const int kept[] = {0, 3, 4, 5, 6, 7};
    for (int i = 0; i < 6; i++)
      hyper[i] = fcps_model_gp(models[0], 0)->hyper[kept[i]];
    fcps_gp_set_hyper(fcps_model_gp(models[1], 0), hyper);
    for (int m = 0; m < 2; m++) {
      fcps_rng held_out = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, 1);
      assert_ok(fcps_model_refresh(models[m]));
      for (int i = 0; i < 50; i++) {
        const double target[2] = {2 * fcps_rng_uniform(&held_out) - 1, 2 * fcps_rng_uniform(&held_out) - 1};
        const double wind[1] = {0.6 * fcps_rng_uniform(&held_out) - 0.3};
        double x[2], parameters[2], outcome[2], reward, mean;
        const bool present = true;
        fcps_rng_uniforms(&held_out, 2, x);
        fcps_space_from_unit(&problem.parameters, x, parameters);
        toy_throw(wind, parameters, outcome);
        toy_reward(NULL, 1, target, wind, parameters, outcome, &present, &reward);
        fcps_posterior *posterior;
        assert_ok(fcps_posterior_create(&posterior, models[m], target, wind, &error));
        fcps_posterior_moments(posterior, 1, x, &mean, NULL);
        squares[m] += (mean - reward) * (mean - reward);
        fcps_posterior_destroy(posterior);
      }
      fcps_model_destroy(models[m]);
    }
  }
  assert_true(squares[1] < 0.5 * squares[0]);
}

static void a_model_read_from_text_predicts_the_same_bits(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  fcps_rng rng = fcps_rng_stream(3, FCPS_PURPOSE_TEST, 0);
  const fcps_model_settings settings = settings_with(&fcps_kernel_matern32);
  const double target[2] = {-0.3, 0.5}, wind[1] = {-0.1}, x[2] = {0.25, 0.75};
  fcps_model *model, *again;
  fcps_fit_result result;
  fcps_error error;
  double mean[2], deviation[2];
  assert_ok(fcps_model_create(&model, &fcps_model_rescored, &problem, &settings));
  for (int i = 0; i < 20; i++)
    add_throw(&model, 1, &rng);
  assert_ok(fcps_model_fit(model, 1, target, rng, &result, &error));
  for (int i = 0; i < 7; i++)
    add_throw(&model, 1, &rng); /* grown since the fit */
  assert_ok(fcps_model_refresh(model));
  fcps_json *json = fcps_model_write(model);
  assert_ok(fcps_model_read(&again, &problem, json, &error));
  assert_ok(fcps_model_refresh(again));
  for (int i = 0; i < 2; i++) {
    fcps_posterior *posterior;
    assert_ok(fcps_posterior_create(&posterior, i == 0 ? model : again, target, wind, &error));
    fcps_posterior_moments(posterior, 1, x, mean + i, deviation + i);
    fcps_posterior_destroy(posterior);
  }
  assert_true(mean[0] == mean[1] && deviation[0] == deviation[1]);
  problem.reward = NULL;
  fcps_model *refused;
  assert_status(fcps_model_read(&refused, &problem, json, &error), FCPS_ERR_UNSUPPORTED);
  fcps_json_destroy(json);
  fcps_model_destroy(again);
  fcps_model_destroy(model);
}

static void a_pending_trial_lowers_the_deviation_where_it_is(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  const fcps_model_settings settings = settings_with(&fcps_kernel_se);
  const double target[2] = {0.3, 0.5}, wind[1] = {0.1}, parameters[2] = {1.0, 0.5};
  fcps_model *model;
  fcps_error error;
  double x[2], mean[3], deviation[3];
  fcps_space_to_unit(&problem.parameters, parameters, x);
  assert_ok(fcps_model_create(&model, &fcps_model_rescored, &problem, &settings));
  for (int i = 0; i < 6; i++)
    add_throw(&model, 1, &rng);
  assert_ok(fcps_model_refresh(model));
  for (int i = 0; i < 3; i++) {
    fcps_posterior *posterior;
    if (i == 1) fcps_model_add_pending(model, target, wind, parameters);
    if (i == 2) fcps_model_clear_pending(model);
    assert_ok(fcps_posterior_create(&posterior, model, target, wind, &error));
    fcps_posterior_moments(posterior, 1, x, mean + i, deviation + i);
    fcps_posterior_destroy(posterior);
  }
  assert_true(deviation[1] < 0.2 * deviation[0]);
  assert_near(mean[1], mean[0], 1e-12);
  assert_true(deviation[2] == deviation[0] && mean[2] == mean[0]);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_of_a_posterior_match_finite_differences),
      cmocka_unit_test(gradients_of_many_points_are_those_of_each),
      cmocka_unit_test(rescoring_predicts_better_than_correlation_between_targets),
      cmocka_unit_test(a_model_read_from_text_predicts_the_same_bits),
      cmocka_unit_test(a_pending_trial_lowers_the_deviation_where_it_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
