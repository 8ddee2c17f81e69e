/* SPDX-License-Identifier: Apache-2.0 */
/* The number of studies and connections that a limit of open files allows. */
#include "check.h"

#include "serve/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void the_usual_limit_is_shared_out(void **state)
{
  (void)state;
  fcps_limits limits;
  fcps_limits_divide(&limits, 1024, 0, true);
  assert_int_equal(fcps_limits_connections(&limits, 0), 244);
  assert_int_equal(limits.studies, 91);
  fcps_limits_divide(&limits, 1024, 10, true);
  assert_int_equal(fcps_limits_connections(&limits, 91), 10);
  assert_int_equal(limits.studies, 120);
  fcps_limits_divide(&limits, 1024, 0, false);
  assert_int_equal(limits.studies, 114);
  assert_int_equal(fcps_limits_connections(&limits, 1), 968);
  assert_int_equal(fcps_limits_connections(&limits, 114), 64);
}

static void nothing_is_promised_twice(void **state)
{
  (void)state;
  for (int files = 0; files < 70000; files += 61)
    for (int is_growing = 0; is_growing < 2; is_growing++) {
      fcps_limits limits;
      fcps_limits_divide(&limits, files, 0, is_growing);
      const int connections = fcps_limits_connections(&limits, limits.studies);
      assert_true(connections <= FCPS_LIMITS_CONNECTIONS);
      if (limits.studies > 0) assert_true(48 + 8 * limits.studies + connections <= files);
    }
}

static void the_limit_that_is_named_is_enough(void **state)
{
  (void)state;
  static const char before[] = "at least ";
  for (int studies = 1; studies < 2000; studies += 7)
    for (int is_growing = 0; is_growing < 2; is_growing++) {
      fcps_limits limits;
      fcps_error error = {0};
      fcps_limits_divide(&limits, 100, 0, is_growing);
      assert_int_equal(fcps_limits_check(&limits, studies, &error), FCPS_ERR_ARGUMENT);
      const char *named = strstr(error.message, before);
      assert_non_null(named);
      fcps_limits_divide(&limits, atoi(named + strlen(before)), 0, is_growing);
      assert_int_equal(fcps_limits_check(&limits, studies, &error), FCPS_OK);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_usual_limit_is_shared_out),
                                     cmocka_unit_test(nothing_is_promised_twice),
                                     cmocka_unit_test(the_limit_that_is_named_is_enough)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
