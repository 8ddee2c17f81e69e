/* SPDX-License-Identifier: Apache-2.0 */
/* Expected improvement: the chosen trial against brute force over a grid, for rewards and for outcomes. */
#include "acquisition/acquisition.h"
#include "improvement.h"
#include "thrown_model.h"

enum { SIDE = 41 };

static void check_choice(const fcps_model_ops *ops)
{
  const double mark = 0.3, wind = 0.05;
  const fcps_acquisition_settings settings = {
      .search = {.kind = FCPS_SEARCH_MULTISTART, .candidates = 500, .starts = 4, .local_budget = 50}};
  fcps_model *model = make_model_as(ops, &throwing);
  fcps_posterior *posterior = NULL;
  fcps_error error;
  assert_ok(fcps_posterior_create(&posterior, model, &mark, &wind, &error));
  const double best = fcps_posterior_incumbent(posterior);
  const fcps_utility utility = improvement_over(&best);
  const fcps_decision decision = {
      .settings = &settings, .posterior = posterior, .n = 2, .rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0)};
  double x[2], chosen, largest = 0.0;
  assert_ok(fcps_acquisition_find("ei")->select(&decision, x));
  fcps_posterior_expect(posterior, &utility, 1, x, &chosen);
  for (int i = 0; i < SIDE * SIDE; i++) {
    const double point[2] = {i % SIDE / (SIDE - 1.0), i / SIDE / (SIDE - 1.0)};
    double value;
    fcps_posterior_expect(posterior, &utility, 1, point, &value);
    largest = fmax(largest, value);
  }
  assert_true(largest > 0.0);
  assert_true(chosen >= largest);
  fcps_posterior_destroy(posterior);
  fcps_model_destroy(model);
}

static void it_chooses_the_trial_that_improves_most(void **state)
{
  (void)state;
  check_choice(&fcps_model_rescored);
  check_choice(&fcps_model_outcome);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_chooses_the_trial_that_improves_most),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
