/* SPDX-License-Identifier: Apache-2.0 */
/* Errors come back unchanged over a wire; their codes are those of the program. */
#include "check.h"

#include "base/error.h"
#include "wire/wire.h"

#include <string.h>

static void codes_are_the_names_of_statuses(void **state)
{
  char code[FCPS_WIRE_CODE_SIZE];
  (void)state;
  assert_string_equal(fcps_wire_failure_code(FCPS_ERR_BOUNDS, code), "E_BOUNDS");
  assert_string_equal(fcps_wire_failure_code(FCPS_ERR_NO_REWARD, code), "E_NO_REWARD");
  assert_string_equal(fcps_wire_failure_code((fcps_status)-1, code), "E_INTERNAL");
  assert_string_equal(fcps_wire_failure_code(FCPS_STATUS_COUNT, code), "E_INTERNAL");
}

static void an_error_comes_back(void **state)
{
  (void)state;
  for (int i = 1; i < FCPS_STATUS_COUNT; i++) {
    fcps_error error = {0}, again = {0};
    fcps_error_set(&error, (fcps_status)i, "target.x", "%d is \"too\" large", i);
    fcps_json *json = fcps_wire_failure_write(&error);
    assert_true(fcps_wire_failure_read(json, &again));
    assert_int_equal(again.status, i);
    assert_string_equal(again.field, error.field);
    assert_string_equal(again.message, error.message);
    fcps_json_destroy(json);
  }
}

static void a_refusal_of_a_server_is_an_error_too(void **state)
{
  static const char text[] = "{\"error\": {\"code\": \"E_TOKEN\", \"field\": \"\", \"message\": \"send the token\"}}";
  fcps_error error = {0};
  fcps_json *json = NULL;
  (void)state;
  assert_int_equal(fcps_json_read(&json, text, strlen(text), "answer", NULL), FCPS_OK);
  assert_true(fcps_wire_failure_read(json, &error));
  assert_int_equal(error.status, FCPS_ERR_IO);
  fcps_json_destroy(json);
  json = fcps_json_object();
  assert_false(fcps_wire_failure_read(json, &error));
  fcps_json_destroy(json);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(codes_are_the_names_of_statuses),
      cmocka_unit_test(an_error_comes_back),
      cmocka_unit_test(a_refusal_of_a_server_is_an_error_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
