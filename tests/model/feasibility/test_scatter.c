/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/model/feasibility/feasibility.c: scattered failures are chance, failures in one corner are not, and only a
 * policy takes failures for chance. */
#include "model/feasibility/feasibility.h"

#include "base/rng.h"
#include "check.h"
#include "model/model.h"
#include "model/posterior/posterior_ops.h"
#include "space/space.h"
#include "toy.h"
#include "usual_prior.h"

#include <math.h>

/* The integral of r^f (1 - r)^s weight(r) dr by the midpoint rule, where weight is the density of Beta(1, b). */
static double integral(int successes, int failures, double b)
{
  enum { STEPS = 200000 };
  double sum = 0.0;
  for (int i = 0; i < STEPS; i++) {
    const double r = (i + 0.5) / STEPS;
    sum += pow(r, failures) * pow(1.0 - r, successes + b - 1.0) * b;
  }
  return sum / STEPS;
}

static void the_odds_are_those_of_the_integrals(void **state)
{
  (void)state;
  static const int cases[][2] = {{57, 3}, {50, 10}, {10, 0}, {9, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const int s = cases[i][0], f = cases[i][1];
    const double rate = (s + 1.0) / (s + f + 2.0), constant = s * log(rate) + f * log(1.0 - rate);
    assert_near(fcps_scatter_rate(s, f), rate, 1e-15);
    const double odds = log(integral(s, f, 20.0) / integral(s, f, 1.0));
    assert_near(fcps_scatter_log_odds(s, f, constant), odds, 1e-6); /* a GP that has learnt nothing */
    assert_near(fcps_scatter_log_odds(s, f, constant + 3.0), odds - 3.0, 1e-6);
  }
}

static void what_could_not_be_computed_is_never_chance(void **state)
{
  (void)state;
  assert_true(fcps_scatter_log_odds(57, 3, -INFINITY) < 0.0);
  assert_true(fcps_scatter_log_odds(57, 3, NAN) < 0.0);
}

static const double target[2] = {0.5, -0.6}, wind[1] = {0.1};

/* A model that was told of 60 trials at random places, of which every 12th failed, or those in a corner. */
static fcps_model *train(const fcps_problem *problem, bool in_corner)
{
  const fcps_model_settings settings = {.kernel = &fcps_kernel_se,
                                        .circular = true,
                                        .norm = {.mean = FCPS_MEAN_CENTRED, .scaling = FCPS_SCALING_EACH},
                                        .prior = USUAL_PRIOR(0.4),
                                        .fit = {.starts = 2, .budget = 25}};
  fcps_rng rng = fcps_rng_stream(4, FCPS_PURPOSE_TEST, 0);
  fcps_model *model = NULL;
  assert_ok(fcps_model_create(&model, &fcps_model_outcome, problem, &settings));
  for (int i = 0; i < 60; i++) {
    double x[3], environment[1], parameters[2], outcome[2];
    fcps_rng_uniforms(&rng, 3, x);
    const bool fails = in_corner ? x[0] + x[2] > 1.5 : i % 12 == 5;
    fcps_space_from_unit(&problem->environment, x, environment);
    fcps_space_from_unit(&problem->parameters, x + 1, parameters);
    toy_throw(environment, parameters, outcome);
    const fcps_rollout rollout = {.target = target,
                                  .environment = environment,
                                  .parameters = parameters,
                                  .outcome = fails ? NULL : outcome,
                                  .reward = NAN,
                                  .hindsight_reward = NAN,
                                  .status = fails ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK};
    assert_ok(fcps_model_add(model, &rollout));
  }
  assert_ok(fcps_model_refresh(model));
  return model;
}

/* The most by which possible failures lower a reward, at 100 places seen with a view. */
static double largest_loss(const fcps_model *model, fcps_penalty_view view)
{
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 1);
  fcps_posterior *posterior = NULL;
  double largest = 0.0;
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, NULL));
  for (int i = 0; i < 100; i++) {
    double x[2], mean, without;
    fcps_rng_uniforms(&rng, 2, x);
    fcps_posterior_set_view(posterior, (fcps_penalty_view){.is_sober = true, .ends_well = true});
    fcps_posterior_moments(posterior, 1, x, &without, NULL);
    fcps_posterior_set_view(posterior, view);
    fcps_posterior_moments(posterior, 1, x, &mean, NULL);
    largest = fmax(largest, without - mean);
  }
  fcps_posterior_destroy(posterior);
  return largest;
}

static void scattered_failures_are_chance_and_caution_fears_none_of_them(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const fcps_penalty_view bold = {.is_sober = true}, careful = {.is_sober = true, .caution = 2}, ask = {0};
  fcps_model *scattered = train(&problem, false), *corner = train(&problem, true);
  assert_true(scattered->feasibility.chance > 0.5);
  assert_near(scattered->feasibility.rate, 56.0 / 62.0, 1e-12);
  assert_near(largest_loss(scattered, careful), largest_loss(scattered, bold), 1e-12);
  assert_true(largest_loss(scattered, ask) > 2.0 * largest_loss(scattered, careful));
  assert_true(corner->feasibility.chance < 0.5);
  assert_true(largest_loss(corner, careful) > largest_loss(corner, bold));
  fcps_model_destroy(scattered);
  fcps_model_destroy(corner);
}

/* The gradient of a choice that believes in chance, by differences. */
static void gradients_are_right(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_model *model = train(&problem, false);
  fcps_posterior *posterior = NULL;
  assert_ok(fcps_posterior_create(&posterior, model, target, wind, NULL));
  fcps_posterior_set_view(posterior, (fcps_penalty_view){.is_sober = true, .caution = 2});
  static const double places[][2] = {{0.21, 0.33}, {0.7, 0.82}, {0.45, 0.6}};
  for (int i = 0; i < 3; i++) {
    double mean, deviation, mean_slope[2], deviation_slope[2];
    fcps_posterior_gradient(posterior, places[i], &mean, &deviation, mean_slope, deviation_slope);
    for (int d = 0; d < 2; d++) {
      double x[2] = {places[i][0], places[i][1]}, up, down;
      x[d] += 1e-5;
      fcps_posterior_moments(posterior, 1, x, &up, NULL);
      x[d] -= 2e-5;
      fcps_posterior_moments(posterior, 1, x, &down, NULL);
      assert_near(mean_slope[d], (up - down) / 2e-5, 1e-4 * (1.0 + fabs(mean_slope[d])));
    }
  }
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_odds_are_those_of_the_integrals),
      cmocka_unit_test(what_could_not_be_computed_is_never_chance),
      cmocka_unit_test(scattered_failures_are_chance_and_caution_fears_none_of_them),
      cmocka_unit_test(gradients_are_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
