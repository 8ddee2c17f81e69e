/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/ei.c: the selected parameters compared with the closed form at many other points. */
#include "acquisition/toy_decision.h"
#include "space/space.h"

/* The largest mean of parameters that were tried, in this context. */
static double best_tried(const fcps_model *model, fcps_posterior *posterior)
{
  double best = -INFINITY;
  for (int i = 0; i < model->training.count; i++) {
    double x[TOY_PARAMETERS], mean;
    fcps_space_to_unit(&model->problem->parameters, fcps_rollouts_parameters(&model->training, i), x);
    fcps_posterior_moments(posterior, 1, x, &mean, NULL);
    best = fmax(best, mean);
  }
  return best;
}

/* E max(f - best, 0) of a Gaussian f: (m - best) Phi(u) + d phi(u), u = (m - best)/d. */
static double improvement(fcps_posterior *posterior, double best, const double *x)
{
  double mean, deviation;
  fcps_posterior_moments(posterior, 1, x, &mean, &deviation);
  const double u = (mean - best) / deviation;
  return (mean - best) * 0.5 * erfc(-u / sqrt(2.0)) + deviation * exp(-0.5 * u * u) / sqrt(2.0 * acos(-1.0));
}

static void nothing_else_is_expected_to_improve_more(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  const fcps_model_ops *const models[] = {&fcps_model_joint, &fcps_model_rescored};
  const fcps_acquisition_settings settings = {
      .search = {.kind = FCPS_SEARCH_MULTISTART, .candidates = 400, .starts = 5, .local_budget = 50}};
  for (int m = 0; m < 2; m++) {
    fcps_error error;
    fcps_model *model = make_toy_model(models[m], &problem, 15);
    fcps_posterior *posterior = see_toy(model, &error);
    const double best = best_tried(model, posterior);
    double x[TOY_PARAMETERS];
    select_toy(fcps_acquisition_find("ei"), &settings, posterior, 0, x);
    const double chosen = improvement(posterior, best, x);
    assert_true(chosen > 1e-4); /* or the comparison says nothing */
    fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 1);
    for (int i = 0; i < 2000; i++) {
      double other[TOY_PARAMETERS];
      fcps_rng_uniforms(&rng, TOY_PARAMETERS, other);
      assert_true(improvement(posterior, best, other) <= chosen + 1e-6);
    }
    fcps_posterior_destroy(posterior);
    fcps_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_else_is_expected_to_improve_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
