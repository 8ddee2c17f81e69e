/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/learner/bo/bo.c: the warning about a decision if some draws could not be used. test_units.c tests the
 * warning about outcomes that are lost among larger ones. */
#include "check.h"
#include "learner/bo/bo.h"
#include "throwing.h"

#include <stdio.h>
#include <string.h>

typedef struct heard {
  int count;
  char code[64], message[256];
} heard;

static void hear(void *user, fcps_log_level level, const char *code, const char *message)
{
  heard *to = user;
  assert_int_equal(level, FCPS_LOG_WARNING);
  to->count++;
  snprintf(to->code, sizeof to->code, "%s", code);
  snprintf(to->message, sizeof to->message, "%s", message);
}

static void draws_that_were_left_out_are_said_with_their_number(void **state)
{
  (void)state;
  fcps_learner *learner = NULL;
  const fcps_setting settings[] = {{"acquisition", "pes"}, {NULL, NULL}};
  heard said = {0};
  assert_ok(fcps_learner_create(&learner, &throwing, "bo-fcps", settings, 1000, NULL));
  fcps_learner_set_log(learner, (fcps_log){.write = hear, .user = &said});
  fcps_bo_warn_of_decision(learner, &(fcps_decision_report){.draws = 32});
  assert_int_equal(said.count, 0);
  fcps_bo_warn_of_decision(learner, &(fcps_decision_report){.draws = 32, .left_out = 5});
  assert_int_equal(said.count, 1);
  assert_string_equal(said.code, "W_PES_LEFT_OUT");
  assert_non_null(strstr(said.message, "5 of 32"));
  assert_non_null(strstr(said.message, "left out"));
  fcps_bo_warn_of_decision(learner, &(fcps_decision_report){.draws = 32, .left_out = 32});
  assert_non_null(strstr(said.message, "32 of 32"));
  assert_non_null(strstr(said.message, "alone"));
  fcps_learner_destroy(learner);
}

/* the usual case: nothing is said in a run */
static void propagation_converges_in_a_run(void **state)
{
  (void)state;
  const char *const learners[] = {"bo-fcps", "bo-cps"};
  for (int l = 0; l < 2; l++) {
    fcps_learner *learner = NULL;
    const fcps_setting settings[] = {{"acquisition", "pes"}, {NULL, NULL}};
    heard said = {0};
    double parameters[2];
    assert_ok(fcps_learner_create(&learner, &throwing, learners[l], settings, 1000, NULL));
    fcps_learner_set_log(learner, (fcps_log){.write = hear, .user = &said});
    for (int i = 0; i < 25; i++)
      assert_ok(throwing_episode(learner, i, parameters));
    if (said.count > 0) fail_msg("%s: %s", said.code, said.message);
    fcps_learner_destroy(learner);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_that_were_left_out_are_said_with_their_number),
      cmocka_unit_test(propagation_converges_in_a_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
