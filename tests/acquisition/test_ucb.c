/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/ucb.c: the selected parameters compared with the formula at many other points, and the
 * schedules of kappa with their formulas. */
#include "acquisition/toy_decision.h"

#include <string.h>

static const fcps_model_ops *const models[] = {&fcps_model_joint, &fcps_model_rescored, &fcps_model_outcome};

static double upper_bound(fcps_posterior *posterior, double kappa, const double *x)
{
  double mean, deviation;
  fcps_posterior_moments(posterior, 1, x, &mean, &deviation);
  return mean + kappa * deviation;
}

static void nothing_else_has_a_higher_bound(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const double kappas[] = {0.0, 0.7};
  for (int c = 0; c < 12; c++) {
    fcps_error error;
    fcps_model *model = make_toy_model(models[c % 3], &problem, 25);
    fcps_posterior *posterior = see_toy(model, &error);
    const double kappa = kappas[c / 3 % 2];
    const fcps_acquisition_settings settings = {.kappa = kappa,
                                                .search = {.kind = c < 6 ? FCPS_SEARCH_MULTISTART : FCPS_SEARCH_DIRECT,
                                                           .candidates = 300,
                                                           .starts = 3,
                                                           .local_budget = 50}};
    double x[TOY_PARAMETERS];
    select_toy(fcps_acquisition_find("ucb"), &settings, posterior, 0, x);
    const double best = upper_bound(posterior, kappa, x);
    fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 1);
    for (int i = 0; i < 2000; i++) {
      double other[TOY_PARAMETERS];
      fcps_rng_uniforms(&rng, TOY_PARAMETERS, other);
      assert_true(upper_bound(posterior, kappa, other) <= best + 1e-6);
    }
    fcps_posterior_destroy(posterior);
    fcps_model_destroy(model);
  }
}

/* A schedule selects the same as its kappa, if this is constant. */
static void schedules_follow_their_formulas(void **state)
{
  (void)state;
  enum { THROWS = 12, INPUTS = 4 }; /* wind, the angle as a point on a circle, distance */
  const fcps_problem problem = toy_problem();
  fcps_error error;
  fcps_model *model = make_toy_model(&fcps_model_rescored, &problem, THROWS);
  fcps_posterior *posterior = see_toy(model, &error);
  const double t = THROWS, d = INPUTS, pi = acos(-1.0);
  const double kappas[] = {sqrt(4.0 * (d + 1.0) * log(t)),
                           sqrt(2.0 * log(pow(t, d / 2.0 + 2.0) * pi * pi / (3.0 * 0.5)))};
  assert_int_equal(fcps_posterior_model(posterior)->layout.features, INPUTS);
  for (int s = 0; s < 2; s++) {
    fcps_acquisition_settings settings = {
        .kappa = 0.1,
        .schedule = s == 0 ? FCPS_KAPPA_GP_UCB : FCPS_KAPPA_GP_UCB2,
        .search = {.kind = FCPS_SEARCH_MULTISTART, .candidates = 300, .starts = 3, .local_budget = 50}};
    double scheduled[TOY_PARAMETERS], constant[TOY_PARAMETERS], small[TOY_PARAMETERS];
    select_toy(fcps_acquisition_find("ucb"), &settings, posterior, 0, scheduled);
    settings.schedule = FCPS_KAPPA_CONSTANT;
    select_toy(fcps_acquisition_find("ucb"), &settings, posterior, 0, small);
    settings.kappa = kappas[s];
    select_toy(fcps_acquisition_find("ucb"), &settings, posterior, 0, constant);
    for (int i = 0; i < TOY_PARAMETERS; i++)
      assert_near(scheduled[i], constant[i], 1e-9); /* the formula is written in another way */
    assert_true(memcmp(scheduled, small, sizeof small) != 0);
  }
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_else_has_a_higher_bound),
      cmocka_unit_test(schedules_follow_their_formulas),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
