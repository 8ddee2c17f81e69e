/* SPDX-License-Identifier: Apache-2.0 */
/* The list of lost records as a text: entries that are added are found again, and a text that is no such list allows no
 * loss. */
#include "store/store.h"

#include "check.h"

#include <stdlib.h>

static void what_is_added_is_found_again(void **state)
{
  (void)state;
  fcps_lost_list list = {0};
  assert_true(fcps_lost_add(&list, 3, 3));
  assert_true(fcps_lost_add(&list, 7, 9));
  assert_true(fcps_lost_add(&list, 10, 11)); /* two ranges that touch */
  assert_string_equal(list.text, "3, 7-9, 10-11");
  assert_true(fcps_lost_has(list.text, 3, 3));
  assert_true(fcps_lost_has(list.text, 8, 11));
  assert_false(fcps_lost_has(list.text, 3, 7));
  assert_false(fcps_lost_has(list.text, 11, 12));
  assert_int_equal(fcps_lost_end(list.text), 11);
  assert_int_equal(fcps_lost_count(list.text), 6);
  free(list.text);
}

static void no_list_is_the_empty_one(void **state)
{
  (void)state;
  assert_true(fcps_lost_has(NULL, 5, 4)); /* nothing is missing */
  assert_false(fcps_lost_has(NULL, 5, 5));
  assert_int_equal(fcps_lost_end(NULL), 0);
  assert_int_equal(fcps_lost_count(NULL), 0);
}

static void what_is_no_list_allows_nothing(void **state)
{
  static const char *const texts[] = {"", "x", "-5", "9-5", "5-", "99999999999999999999", "+5", "0x5"};
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    assert_false(fcps_lost_has(texts[i], 4, 6));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_added_is_found_again),
      cmocka_unit_test(no_list_is_the_empty_one),
      cmocka_unit_test(what_is_no_list_allows_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
