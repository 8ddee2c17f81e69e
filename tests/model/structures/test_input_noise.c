/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that are executed inexactly: the noise that steep outputs get from it. */
#include "model/model.h"
#include "model/posterior/posterior.h"
#include "resuming.h"
#include "usual_prior.h"

#include <stdlib.h>

/* -- One parameter, one outcome -- */

static const fcps_dimension lever[] = {{.name = "lever", .lower = -1, .upper = 3}};
static const fcps_dimension height[] = {{.name = "height"}};
static const fcps_dimension wish[] = {{.name = "wish", .lower = -2, .upper = 2}};

static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)parameters, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] = -fabs(target[0] - outcomes[i]);
  return FCPS_OK;
}

static const fcps_problem lifting = {
    .target = {1, wish}, .parameters = {1, lever}, .outcome = {1, height}, .reward = reward};

static fcps_model_settings settings(fcps_input_noise input_noise, double share)
{
  return (fcps_model_settings){.kernel = &fcps_kernel_se,
                               .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_SHARED},
                               .prior = USUAL_PRIOR(0.8),
                               .structures = {.inexact = input_noise, .input_noise_share = share},
                               .fit = {.starts = 2, .budget = 40}};
}

typedef double curve_fn(double x);

/* A model of `count` trials. The lever was moved by N(0, (miss * range)^2) from its told position. */
static fcps_model *train(const fcps_model_ops *ops, const fcps_model_settings *s, curve_fn *curve, int count,
                         double miss, double noise)
{
  fcps_model *model = NULL;
  fcps_rng rng = fcps_rng_stream(8, FCPS_PURPOSE_TEST, 0);
  const double target = 0.5;
  assert_ok(fcps_model_create(&model, ops, &lifting, s));
  for (int i = 0; i < count; i++) {
    const double x = (i + 0.5) / count, told = -1 + 4 * x;
    const double outcome = curve(x + miss * fcps_rng_normal(&rng)) + noise * fcps_rng_normal(&rng);
    const fcps_rollout rollout = {.target = &target, .parameters = &told, .outcome = &outcome};
    assert_ok(fcps_model_add(model, &rollout));
  }
  for (int i = 0; i < 6; i++) { /* the turns that fits and slopes take */
    fcps_fit_result result;
    assert_ok(fcps_model_fit(model, 1, &target, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &result, NULL));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

/* The deviation of the lever that is believed, as a share of its range. */
static double deviation_of(const fcps_model *model)
{
  const fcps_structure *structure = fcps_model_structure(model, "input_noise");
  return structure != NULL ? *(const double *)structure->state : 0.0;
}

/* Mean and variance of what would be seen at `x`, in the outcome's units; the slope by central differences. */
static void predict(const fcps_model *model, double x, double *mean, double *variance)
{
  const double target = 0.5, step = 1e-4, below = x - step, above = x + step;
  const double miss = deviation_of(model);
  double deviation, low, high;
  fcps_posterior *posterior = NULL;
  assert_ok(fcps_posterior_create(&posterior, model, &target, NULL, NULL));
  assert_true(fcps_posterior_outcome(posterior, &x, mean, &deviation));
  assert_true(fcps_posterior_outcome(posterior, &below, &low, NULL));
  assert_true(fcps_posterior_outcome(posterior, &above, &high, NULL));
  const double slope = (high - low) / (2 * step);
  const double sn = fcps_posterior_outputs(posterior)->scale[0] *
                    exp(fcps_model_gp(model, 0)->hyper[fcps_model_gp(model, 0)->dim + 1]);
  *variance = deviation * deviation + sn * sn + miss * miss * slope * slope;
  fcps_posterior_destroy(posterior);
}

static double line(double x)
{
  return 1 - 3 * x;
}

static void on_a_line_the_noise_is_the_slope_times_the_miss(void **state)
{
  (void)state;
  const double share = 0.01, middle = 0.52;
  const fcps_model_settings s = settings(FCPS_INPUT_NOISE_GIVEN, share);
  fcps_model *model = train(&fcps_model_outcome, &s, line, 25, 0.0, 0.0);
  fcps_posterior *posterior = NULL;
  double mean, deviation, variance;
  assert_ok(fcps_posterior_create(&posterior, model, &middle, NULL, NULL));
  assert_true(fcps_posterior_outcome(posterior, &middle, NULL, &deviation));
  const double scale = fcps_posterior_outputs(posterior)->scale[0],
               sn = scale * exp(fcps_model_gp(model, 0)->hyper[fcps_model_gp(model, 0)->dim + 1]);
  for (int i = 6; i < 19; i++) /* at the ends the belief may bend */
    assert_near(scale * scale * fcps_model_gp(model, 0)->noise[i] / (9 * share * share), 1.0, 0.05);
  predict(model, middle, &mean, &variance);
  assert_near(mean, line(middle), 0.01);
  assert_near((variance - deviation * deviation) / (sn * sn + 9 * share * share), 1.0, 0.05);
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

/* Flat, then steep. */
static double cliff(double x)
{
  return x < 0.5 ? 0.2 * x : 0.1 + sin(9 * (x - 0.5)) * 1.5;
}

static double log_density(const fcps_model *model, curve_fn *curve, double miss, double noise)
{
  enum { TESTS = 300 };
  fcps_rng rng = fcps_rng_stream(9, FCPS_PURPOSE_TEST, 0);
  double sum = 0;
  for (int i = 0; i < TESTS; i++) {
    const double x = fcps_rng_uniform(&rng);
    const double seen = curve(x + miss * fcps_rng_normal(&rng)) + noise * fcps_rng_normal(&rng);
    double mean, variance;
    predict(model, x, &mean, &variance);
    sum += -0.5 * log(2 * acos(-1.0) * variance) - 0.5 * (seen - mean) * (seen - mean) / variance;
  }
  return sum / TESTS;
}

static void where_it_is_steep_it_expects_noise_and_where_it_is_flat_it_does_not(void **state)
{
  (void)state;
  const double miss = 0.03, noise = 0.01;
  const fcps_model_settings off = settings(FCPS_INPUT_NOISE_OFF, 0), given = settings(FCPS_INPUT_NOISE_GIVEN, miss);
  const fcps_model_settings learnt = settings(FCPS_INPUT_NOISE_LEARNT, 0);
  fcps_model *plain = train(&fcps_model_outcome, &off, cliff, 60, miss, noise);
  fcps_model *told = train(&fcps_model_outcome, &given, cliff, 60, miss, noise);
  fcps_model *found = train(&fcps_model_outcome, &learnt, cliff, 60, miss, noise);
  const double without = log_density(plain, cliff, miss, noise);
  assert_true(log_density(told, cliff, miss, noise) > without + 0.3);
  assert_true(log_density(found, cliff, miss, noise) > without + 0.3);
  assert_true(deviation_of(found) >= 0.015 && deviation_of(found) <= 0.06);
  fcps_model_destroy(plain);
  fcps_model_destroy(told);
  fcps_model_destroy(found);
}

static void exact_parameters_are_found_to_be_exact(void **state)
{
  (void)state;
  const fcps_model_settings learnt = settings(FCPS_INPUT_NOISE_LEARNT, 0);
  fcps_model *model = train(&fcps_model_outcome, &learnt, cliff, 60, 0.0, 0.05);
  assert_true(deviation_of(model) <= 0.005);
  fcps_model_destroy(model);
}

static void rewards_are_noisy_where_they_are_steep(void **state)
{
  (void)state;
  const fcps_model_settings given = settings(FCPS_INPUT_NOISE_GIVEN, 0.03);
  fcps_model *model = train(&fcps_model_rescored, &given, cliff, 40, 0.03, 0.01);
  double flat = 0, steep = 0;
  for (int i = 2; i < 16; i++)
    flat = fmax(flat, fcps_model_gp(model, 0)->noise[i]);
  for (int i = 20; i < 38; i++)
    steep = fmax(steep, fcps_model_gp(model, 0)->noise[i]);
  assert_true(steep > 5 * flat);
  fcps_model_destroy(model);
}

/* A drift is not tried, because it cannot go with the declared noise. */
static void what_was_declared_is_not_put_in_question(void **state)
{
  (void)state;
  fcps_model_settings given = settings(FCPS_INPUT_NOISE_GIVEN, 0.01);
  fcps_model *model = NULL;
  const double target = 0.5;
  given.structures.drift = FCPS_STRUCTURE_AUTO;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, &lifting, &given));
  for (int i = 0; i < 40; i++) {
    const double x = fmod(0.618034 * (i + 1), 1.0), told = -1 + 4 * x, outcome = cliff(x) - 0.02 * i;
    const fcps_rollout rollout = {.target = &target, .parameters = &told, .outcome = &outcome};
    assert_ok(fcps_model_add(model, &rollout));
  }
  fcps_fit_result result;
  assert_ok(fcps_model_fit(model, 1, &target, fcps_rng_stream(1, FCPS_PURPOSE_FIT, 1), &result, NULL));
  assert_near(deviation_of(model), 0.01, 0);
  assert_null(fcps_model_structure(model, "drift"));
  fcps_model_destroy(model);
}

/* -- States -- */

static void a_model_that_was_saved_has_the_same_bits(void **state)
{
  (void)state;
  const fcps_model_settings learnt = settings(FCPS_INPUT_NOISE_LEARNT, 0);
  fcps_model *model = train(&fcps_model_outcome, &learnt, cliff, 30, 0.03, 0.01), *loaded = NULL, *copy = NULL;
  fcps_error error;
  fcps_json *json = fcps_model_write(model);
  assert_non_null(json);
  assert_ok(fcps_model_read(&loaded, &lifting, json, &error));
  assert_ok(fcps_model_refresh(loaded));
  assert_ok(fcps_model_copy(model, &lifting, &copy));
  for (int i = 0; i < 5; i++) {
    double a[2], b[2], c[2];
    predict(model, 0.13 + 0.17 * i, a, a + 1);
    predict(loaded, 0.13 + 0.17 * i, b, b + 1);
    predict(copy, 0.13 + 0.17 * i, c, c + 1);
    assert_memory_equal(a, b, sizeof a);
    assert_memory_equal(a, c, sizeof a);
  }
  fcps_json_destroy(json);
  fcps_model_destroy(model);
  fcps_model_destroy(loaded);
  fcps_model_destroy(copy);
}

static void resumed_learners_go_on_with_the_same_bits(void **state)
{
  (void)state;
  const fcps_setting learnt[] = {{"input_noise", "learnt"}, {NULL, NULL}};
  const fcps_setting given[] = {{"input_noise", "given"}, {"input_noise_share", "0.02"}, {"refit", "3"}, {NULL, NULL}};
  const fcps_setting sampled[] = {{"input_noise", "learnt"}, {"hyperparameters", "bayes"}, {NULL, NULL}};
  check_resumes(&throwing, "outcome", learnt, 15);
  check_resumes(&throwing, "bo-fcps", learnt, 15);
  check_resumes(&throwing, "bo-cps", given, 15);
  check_resumes(&throwing, "outcome", sampled, 10);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(on_a_line_the_noise_is_the_slope_times_the_miss),
      cmocka_unit_test(where_it_is_steep_it_expects_noise_and_where_it_is_flat_it_does_not),
      cmocka_unit_test(exact_parameters_are_found_to_be_exact),
      cmocka_unit_test(rewards_are_noisy_where_they_are_steep),
      cmocka_unit_test(what_was_declared_is_not_put_in_question),
      cmocka_unit_test(a_model_that_was_saved_has_the_same_bits),
      cmocka_unit_test(resumed_learners_go_on_with_the_same_bits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
