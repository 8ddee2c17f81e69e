/* SPDX-License-Identifier: Apache-2.0 */
/* Receipts: one line for the program that told a result. */
#include "lines.h"

static void a_receipt_says_what_became_of_a_result(void **state)
{
  (void)state;
  const fcps_receipt receipt = {.ask = 7, .result_number = 2, .is_repeated = true, .is_flagged = true, .reward = -0.25};
  expect_line(fcps_wire_receipt_write(&receipt),
              "{\"ask\":7,\"stored\":true,\"repeated\":true,\"late\":false,\"flagged\":true,\"evidence\":2,"
              "\"reward\":-0.25}");
}

static void a_receipt_is_read_back(void **state)
{
  (void)state;
  const fcps_receipt receipts[] = {
      {.ask = 7, .result_number = 3, .is_misplaced = true, .is_suspect = true, .reward = 1.5},
      {.ask = 7, .result_number = 1, .is_late = true, .reward = -1.0}};
  for (int i = 0; i < 2; i++) {
    fcps_json *json = fcps_wire_receipt_write(&receipts[i]);
    fcps_receipt read;
    fcps_wire_receipt_read(json, 7, &read);
    assert_int_equal(read.result_number, receipts[i].result_number);
    assert_int_equal(read.is_misplaced, receipts[i].is_misplaced);
    assert_int_equal(read.is_suspect, receipts[i].is_suspect);
    assert_int_equal(read.is_late, receipts[i].is_late);
    assert_true(read.reward == receipts[i].reward);
    fcps_json_destroy(json);
  }
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
      cmocka_unit_test(a_receipt_is_read_back),
      cmocka_unit_test(a_reward_that_is_not_finite_is_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
