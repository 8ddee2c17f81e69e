/* SPDX-License-Identifier: Apache-2.0 */
/* Receipts: one line for whoever told a result. */
#include "lines.h"

static void a_receipt_says_what_became_of_a_result(void **state)
{
  (void)state;
  const fcps_receipt receipt = {.ask = 7, .result_number = 2, .is_repeated = true, .is_flagged = true, .reward = -0.25};
  expect_line(fcps_wire_receipt_write(&receipt),
              "{\"ask\":7,\"stored\":true,\"repeated\":true,\"late\":false,\"flagged\":true,\"reward\":-0.25}");
}

static void a_reward_that_is_not_finite_is_null(void **state)
{
  (void)state;
  const double rewards[] = {NAN, INFINITY, -INFINITY};
  for (int i = 0; i < 3; i++)
    expect_line(fcps_wire_receipt_write(&(fcps_receipt){.is_late = true, .reward = rewards[i]}),
                "{\"ask\":0,\"stored\":true,\"repeated\":false,\"late\":true,\"flagged\":false,\"reward\":null}");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_receipt_says_what_became_of_a_result),
      cmocka_unit_test(a_reward_that_is_not_finite_is_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
