/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/wire.h"

#include "check.h"

static void a_rate_is_written_for_people(void **state)
{
  (void)state;
  static const struct {
    double per_hour;
    const char *text;
  } rows[] = {{0.25, "0.25 an hour"},  {9.96, "10 an hour"},    {340, "340 an hour"},     {999.6, "1,000 an hour"},
              {1230, "1,230 an hour"}, {13800, "3.8 a second"}, {360000, "100 a second"}, {7.2e6, "2,000 a second"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[FCPS_WIRE_RATE_SIZE];
    assert_string_equal(fcps_wire_rate_text(rows[i].per_hour, text), rows[i].text);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_rate_is_written_for_people)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
