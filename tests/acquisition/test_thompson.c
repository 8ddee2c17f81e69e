/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/thompson.c. */
#include "acquisition/toy_decision.h"

#include <string.h>

static const fcps_acquisition_settings settings = {
    .search = {.kind = FCPS_SEARCH_MULTISTART, .candidates = 200, .starts = 3, .local_budget = 30}};

/* A draw is largest at the choice, so there it is above what it is at the greedy point; neither value is more than a
 * few deviations from its mean. */
static void each_choice_may_be_the_best_and_choices_differ(void **state)
{
  (void)state;
  enum { ASKS = 12 };
  const fcps_problem problem = toy_problem();
  const fcps_model_ops *const models[] = {&fcps_model_rescored, &fcps_model_outcome};
  for (int m = 0; m < 2; m++) {
    fcps_error error;
    fcps_model *model = make_toy_model(models[m], &problem, 10);
    fcps_posterior *posterior = see_toy(model, &error);
    fcps_optimum optimum;
    double greedy[TOY_PARAMETERS], top, spread, x[ASKS][TOY_PARAMETERS], again[TOY_PARAMETERS];
    assert_ok(fcps_search_moments(posterior, &fcps_moment_objective_mean, &settings.search,
                                  fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0), greedy, &optimum));
    fcps_posterior_moments(posterior, 1, greedy, &top, &spread);
    for (int ask = 0; ask < ASKS; ask++) {
      double mean, deviation;
      select_toy(fcps_acquisition_find("thompson"), &settings, posterior, (uint64_t)ask, x[ask]);
      select_toy(fcps_acquisition_find("thompson"), &settings, posterior, (uint64_t)ask, again);
      assert_memory_equal(x[ask], again, sizeof again);
      fcps_posterior_moments(posterior, 1, x[ask], &mean, &deviation);
      assert_true(mean + 4.0 * deviation > top - 4.0 * spread);
      for (int d = 0; d < TOY_PARAMETERS; d++)
        assert_true(x[ask][d] >= 0.0 && x[ask][d] <= 1.0);
      for (int other = 0; other < ask; other++)
        assert_true(memcmp(x[ask], x[other], sizeof x[ask]) != 0);
    }
    fcps_posterior_destroy(posterior);
    fcps_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_choice_may_be_the_best_and_choices_differ),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
