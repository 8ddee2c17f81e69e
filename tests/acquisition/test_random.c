/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/acquisition.c. */
#include "acquisition/toy_decision.h"

static void parameters_are_uniform_and_need_no_model(void **state)
{
  (void)state;
  enum { ASKS = 2000 };
  const fcps_acquisition_settings settings = {0};
  double sum[TOY_PARAMETERS] = {0}, squares[TOY_PARAMETERS] = {0};
  assert_false(fcps_acquisition_find("random")->needs_model);
  for (uint64_t ask = 0; ask < ASKS; ask++) {
    double x[TOY_PARAMETERS];
    select_toy(fcps_acquisition_find("random"), &settings, NULL, ask, x);
    for (int d = 0; d < TOY_PARAMETERS; d++) {
      assert_true(x[d] > 0.0 && x[d] < 1.0);
      sum[d] += x[d] / ASKS;
      squares[d] += x[d] * x[d] / ASKS;
    }
  }
  for (int d = 0; d < TOY_PARAMETERS; d++) {
    assert_near(sum[d], 0.5, 0.03);
    assert_near(squares[d], 1.0 / 3.0, 0.03);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parameters_are_uniform_and_need_no_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
