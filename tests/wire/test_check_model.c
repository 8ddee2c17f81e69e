/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/wire/policy.c: a checked model as one line. */
#include "wire/wire.h"

#include "check.h"

#include <stdlib.h>

static void a_check_has_outputs_and_results_by_name(void **state)
{
  (void)state;
  const double told[2][2] = {{1.5, 90}, {2, 80}}, expected[2][2] = {{1, 91}, {NAN, 81}};
  const double deviation[2][2] = {{0.25, 2}, {NAN, 4}};
  const fcps_checked_result results[] = {{.sequence = 2,
                                          .ask = 1,
                                          .result_number = 1,
                                          .told = told[0],
                                          .expected = expected[0],
                                          .deviation = deviation[0],
                                          .surprise = 2},
                                         {.sequence = 7,
                                          .ask = FCPS_NOT_ASKED,
                                          .result_number = 1,
                                          .told = told[1],
                                          .expected = expected[1],
                                          .deviation = deviation[1],
                                          .surprise = 0.25}};
  const fcps_checked_output outputs[] = {{.name = "volume",
                                          .unit = "ml",
                                          .predicted = 1,
                                          .covered = 0,
                                          .error = 0.5,
                                          .median_error = 0.5,
                                          .spread = NAN,
                                          .is_blind = true},
                                         {.name = "purity",
                                          .unit = "",
                                          .predicted = 2,
                                          .covered = 2,
                                          .error = 1,
                                          .median_error = 0.75,
                                          .spread = 7,
                                          .is_careful = true}};
  const fcps_study_check check = {
      .model = "outcome", .result_count = 2, .results = results, .output_count = 2, .outputs = outputs};
  char *text = fcps_json_finish(fcps_wire_check_write(&check));
  assert_string_equal(text,
                      "{\"model\":\"outcome\",\"outputs\":["
                      "{\"name\":\"volume\",\"unit\":\"ml\",\"predicted\":1,\"covered\":0,\"error\":0.5,\"median_"
                      "error\":0.5,\"spread\":null,"
                      "\"overconfident\":false,\"careful\":false,\"blind\":true,\"noise_grows\":false},"
                      "{\"name\":\"purity\",\"unit\":\"\",\"predicted\":2,\"covered\":2,\"error\":1.0,\"median_error\":"
                      "0.75,\"spread\":7.0,"
                      "\"overconfident\":false,\"careful\":true,\"blind\":false,\"noise_grows\":false}],\"results\":["
                      "{\"sequence\":2,\"ask\":1,\"result\":1,\"told\":{\"volume\":1.5,\"purity\":90.0},"
                      "\"expected\":{\"volume\":1.0,\"purity\":91.0},\"deviation\":{\"volume\":0.25,\"purity\":2.0},"
                      "\"surprise\":2.0},"
                      "{\"sequence\":7,\"ask\":null,\"result\":1,\"told\":{\"volume\":2.0,\"purity\":80.0},"
                      "\"expected\":{\"volume\":null,\"purity\":81.0},\"deviation\":{\"volume\":null,\"purity\":4.0},"
                      "\"surprise\":0.25}]}");
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_check_has_outputs_and_results_by_name)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
