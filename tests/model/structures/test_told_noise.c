/* SPDX-License-Identifier: Apache-2.0 */
/* Deviations that were told with results, as noise of a model's rows. */
#include "check.h"
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "usual_prior.h"

#include <string.h>

static const fcps_dimension wish[] = {{.name = "wish", .lower = -9, .upper = 9}};
static const fcps_dimension lever[] = {{.name = "lever", .lower = 0, .upper = 1}};
static const fcps_dimension seen[] = {{.name = "height"}, {.name = "weight"}};

/* 2 height + wish: linear, so that the delta method is exact */
static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = 2 * outcomes[2 * i] + target[0];
  return FCPS_OK;
}

static const fcps_problem lifting = {
    .target = {1, wish}, .parameters = {1, lever}, .outcome = {2, seen}, .reward = reward};

static fcps_model_settings usual_settings(void)
{
  return (fcps_model_settings){.kernel = &fcps_kernel_se,
                               .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                               .prior = USUAL_PRIOR(0.8),
                               .fit = {.starts = 2, .budget = 40}};
}

/* Adds a trial; its weight is in a unit that is `unit` times smaller. A negative deviation is not told. */
static void add(fcps_model *model, double x, double height, double weight, double unit, double deviation)
{
  const double target = 1, outcome[] = {height, unit * weight}, deviations[] = {deviation, unit * 2 * deviation};
  const fcps_rollout rollout = {.target = &target,
                                .parameters = &x,
                                .outcome = outcome,
                                .outcome_deviation = deviation >= 0 ? deviations : NULL,
                                .reward = 2 * height + target};
  assert_ok(fcps_model_add(model, &rollout));
}

static void fit(fcps_model *model)
{
  const double target = 1;
  fcps_fit_result result;
  assert_ok(fcps_model_fit(model, 1, &target, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &result, NULL));
  assert_ok(fcps_model_refresh(model));
}

/* Six trials, every second of which tells its deviation. */
static fcps_model *train(const fcps_model_ops *ops, const fcps_problem *problem, bool is_separate, double unit)
{
  fcps_model_settings settings = usual_settings();
  fcps_model *model = NULL;
  settings.structures.separate = is_separate ? FCPS_STRUCTURE_ON : FCPS_STRUCTURE_OFF;
  assert_ok(fcps_model_create(&model, ops, problem, &settings));
  for (int i = 0; i < 6; i++)
    add(model, i / 6.0, sin(i), i * i, unit, i % 2 == 0 ? 0.1 * (i + 1) : -1);
  fit(model);
  return model;
}

/* The standard deviations of heights and weights. */
static void scales(const fcps_model *model, double *scale)
{
  double y[12], offset[2];
  for (int i = 0; i < 12; i++)
    y[i] = model->training.outcomes[2 * (i % 6) + i / 6];
  fcps_gp_normalize(fcps_model_norm(model), 6, 2, y, offset, scale);
}

static void outcomes_of_one_factorization_share_the_mean_of_their_noises(void **state)
{
  (void)state;
  fcps_model *model = train(&fcps_model_outcome, &lifting, false, 1);
  double scale[2];
  scales(model, scale);
  for (int i = 0; i < 6; i++) {
    const double told = i % 2 == 0 ? 0.1 * (i + 1) : 0;
    const double height = told / scale[0], weight = 2 * told / scale[1];
    assert_near(fcps_model_gp(model, 0)->noise[i], (height * height + weight * weight) / 2, 1e-12);
  }
  assert_false(model->description.prior.noise_may_vanish); /* some rows say nothing */
  fcps_model_destroy(model);
}

static void separate_outcomes_have_noises_of_their_own(void **state)
{
  (void)state;
  fcps_model *model = train(&fcps_model_outcome, &lifting, true, 1);
  double scale[2];
  scales(model, scale);
  for (int o = 0; o < 2; o++)
    for (int i = 0; i < 6; i++) {
      const double told = i % 2 == 0 ? 0.1 * (i + 1) * (1 + o) / scale[o] : 0;
      assert_near(fcps_model_gp(model, o)->noise[i], told * told, 1e-12);
    }
  fcps_model_destroy(model);
}

static void the_unit_of_an_outcome_changes_nothing(void **state)
{
  (void)state;
  fcps_model *grams = train(&fcps_model_outcome, &lifting, false, 1);
  fcps_model *tons = train(&fcps_model_outcome, &lifting, false, 1e-6);
  for (int i = 0; i < 6; i++)
    assert_near(fcps_model_gp(grams, 0)->noise[i], fcps_model_gp(tons, 0)->noise[i], 1e-12);
  fcps_model_destroy(grams);
  fcps_model_destroy(tons);
}

static void rewards_have_the_noise_that_follows_from_the_outcome(void **state)
{
  (void)state;
  const fcps_model_ops *const kinds[] = {&fcps_model_rescored, &fcps_model_joint};
  for (int k = 0; k < 2; k++) {
    fcps_model *model = train(kinds[k], &lifting, false, 1);
    double scale[2];
    scales(model, scale);
    for (int i = 0; i < 6; i += 2) { /* rewards are heights in another unit */
      const double told = 0.1 * (i + 1) / scale[0];
      assert_near(fcps_model_gp(model, 0)->noise[i], told * told, 1e-10);
      assert_near(fcps_model_gp(model, 0)->noise[i + 1], 0, 0);
    }
    fcps_model_destroy(model);
  }
}

static void told_rewards_have_no_noise_of_their_own(void **state)
{
  (void)state;
  fcps_problem told = lifting;
  told.reward = NULL;
  fcps_model *model = train(&fcps_model_joint, &told, false, 1);
  for (int i = 0; i < 6; i++)
    assert_near(fcps_model_gp(model, 0)->noise[i], 0, 0);
  fcps_model_destroy(model);
}

static void a_row_that_comes_after_the_fit_is_measured_by_it(void **state)
{
  (void)state;
  fcps_model *model = train(&fcps_model_outcome, &lifting, true, 1);
  double scale[2];
  scales(model, scale);
  const int factored = fcps_model_gp(model, 0)->factored;
  add(model, 0.95, 100, 100, 1, 0.7);
  assert_ok(fcps_model_refresh(model));
  assert_int_equal(fcps_model_gp(model, 0)->base, factored); /* the factor has grown */
  assert_int_equal(fcps_model_gp(model, 0)->factored, 7);
  assert_near(fcps_model_gp(model, 0)->noise[6], 0.7 / scale[0] * 0.7 / scale[0], 1e-12);
  fcps_model_destroy(model);
}

static void a_loaded_model_has_the_same_bits(void **state)
{
  (void)state;
  const fcps_model_ops *const kinds[] = {&fcps_model_outcome, &fcps_model_rescored, &fcps_model_joint};
  for (int k = 0; k < 3; k++) {
    fcps_model *model = train(kinds[k], &lifting, k == 0, 1), *loaded = NULL;
    add(model, 0.95, 5, 1, 1, 0.7);
    assert_ok(fcps_model_refresh(model));
    fcps_json *json = fcps_model_write(model);
    assert_ok(fcps_model_read(&loaded, &lifting, json, NULL));
    fcps_model *const both[] = {model, loaded};
    for (int m = 0; m < 2; m++) { /* both go on in the same way */
      add(both[m], 0.5, 2, 1, 1, 0.3);
      add(both[m], 0.4, 2, 1, 1, -1);
      assert_ok(fcps_model_refresh(both[m]));
    }
    for (int g = 0; g < fcps_model_gp_count(model); g++) {
      const fcps_gp *a = fcps_model_gp(model, g), *b = fcps_model_gp(loaded, g);
      assert_int_equal(a->count, 9);
      assert_memory_equal(a->noise, b->noise, 9 * sizeof(double));
      for (int j = 0; j < 9; j++)
        assert_memory_equal(a->factor + j * a->capacity + j, b->factor + j * b->capacity + j,
                            (size_t)(9 - j) * sizeof(double));
    }
    fcps_json_destroy(json);
    fcps_model_destroy(model);
    fcps_model_destroy(loaded);
  }
}

/* -- What knowing the noise is worth -- */

static double curve(double x)
{
  return sin(7 * x);
}

/* A model of 40 trials, every second with a deviation of 0.02, the others with 1. */
static fcps_model *train_uneven(bool is_told, double exaggeration)
{
  const fcps_model_settings settings = usual_settings();
  fcps_model *model = NULL;
  fcps_rng rng = fcps_rng_stream(1009, FCPS_PURPOSE_TEST, 0);
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &lifting, &settings));
  for (int i = 0; i < 40; i++) {
    const double x = fcps_rng_uniform(&rng), deviation = i % 2 == 0 ? 0.02 : 1.0;
    const double target = 1, outcome[] = {curve(x) + deviation * fcps_rng_normal(&rng),
                                          curve(1 - x) + deviation * fcps_rng_normal(&rng)};
    const double told[] = {exaggeration * deviation, exaggeration * deviation};
    const fcps_rollout rollout = {
        .target = &target, .parameters = &x, .outcome = outcome, .outcome_deviation = is_told ? told : NULL};
    assert_ok(fcps_model_add(model, &rollout));
  }
  fit(model);
  return model;
}

/* Root mean square of the errors of the predicted heights, and of the errors over the deviations. */
static double error_of(const fcps_model *model, double *calibration)
{
  const double target = 1;
  double sum = 0, ratio = 0;
  fcps_posterior *posterior = NULL;
  assert_ok(fcps_posterior_create(&posterior, model, &target, NULL, NULL));
  for (int i = 0; i < 50; i++) {
    const double x = (i + 0.5) / 50;
    double mean[2], deviation[2];
    assert_true(fcps_posterior_outcome(posterior, &x, mean, deviation));
    sum += (mean[0] - curve(x)) * (mean[0] - curve(x)) / 50;
    ratio += (mean[0] - curve(x)) * (mean[0] - curve(x)) / (deviation[0] * deviation[0]) / 50;
  }
  fcps_posterior_destroy(posterior);
  *calibration = sqrt(ratio);
  return sqrt(sum);
}

static void knowing_which_trials_are_noisy_makes_predictions_better(void **state)
{
  (void)state;
  fcps_model *told = train_uneven(true, 1), *silent = train_uneven(false, 1);
  double told_ratio, silent_ratio;
  const double with = error_of(told, &told_ratio), without = error_of(silent, &silent_ratio);
  print_message("# error %.4f with told deviations (%.2f deviations), %.4f without\n", with, told_ratio, without);
  assert_true(with < 0.05 && with < without / 4);
  assert_true(told_ratio < 2);
  /* nothing is left for the noise that all rows share */
  assert_true(told->description.prior.noise_may_vanish);
  assert_true(exp(fcps_model_gp(told, 0)->hyper[2]) < 0.03);
  assert_true(exp(fcps_model_gp(silent, 0)->hyper[2]) > 0.2);
  fcps_model_destroy(told);
  fcps_model_destroy(silent);
}

static void deviations_that_are_told_too_small_are_made_up_for(void **state)
{
  (void)state;
  fcps_model *model = train_uneven(true, 1e-3);
  assert_true(exp(fcps_model_gp(model, 0)->hyper[2]) > 0.2);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outcomes_of_one_factorization_share_the_mean_of_their_noises),
      cmocka_unit_test(separate_outcomes_have_noises_of_their_own),
      cmocka_unit_test(the_unit_of_an_outcome_changes_nothing),
      cmocka_unit_test(rewards_have_the_noise_that_follows_from_the_outcome),
      cmocka_unit_test(told_rewards_have_no_noise_of_their_own),
      cmocka_unit_test(a_row_that_comes_after_the_fit_is_measured_by_it),
      cmocka_unit_test(a_loaded_model_has_the_same_bits),
      cmocka_unit_test(knowing_which_trials_are_noisy_makes_predictions_better),
      cmocka_unit_test(deviations_that_are_told_too_small_are_made_up_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
