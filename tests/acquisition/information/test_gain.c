/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/information/gain.c: learners with each of the gains. The values of gains are compared with
 * brute force in test_es.c, test_kg.c, test_mes.c, test_jes.c and test_pes.c. */
#include "acquisition/acquisition.h"
#include "check.h"
#include "resuming.h"

static const char *const names[] = {"es", "kg", "mes", "jes", "pes"};
enum { NAMES = sizeof names / sizeof *names };

static void each_learns_to_throw(void **state)
{
  (void)state;
  for (int a = 0; a < NAMES; a++) {
    const fcps_setting settings[] = {{"acquisition", names[a]}, {NULL, NULL}};
    fcps_error error;
    fcps_learner *learner = NULL;
    double parameters[2];
    assert_ok(fcps_learner_create(&learner, &throwing, "bo-fcps", settings, 3, &error));
    for (int i = 0; i < 30; i++)
      assert_ok(throwing_episode(learner, i, parameters));
    const double mean = throwing_mean_reward(learner);
    if (!(mean > -0.15)) fail_msg("%s: mean reward %g", names[a], mean);
    fcps_learner_destroy(learner);
  }
}

static void resumed_learners_go_on_with_the_same_bits(void **state)
{
  (void)state;
  for (int a = 0; a < NAMES; a++) {
    const fcps_setting settings[] = {{"acquisition", names[a]}, {NULL, NULL}};
    check_resumes(&throwing, "bo-fcps", settings, 12);
    check_resumes(&throwing, "bo-cps", settings, 10);
  }
}

static void models_of_outcomes_refuse_them(void **state)
{
  (void)state;
  for (int a = 0; a < NAMES; a++) {
    const fcps_setting settings[] = {{"acquisition", names[a]}, {NULL, NULL}};
    fcps_error error;
    fcps_learner *learner = NULL;
    assert_status(fcps_learner_create(&learner, &throwing, "outcome", settings, 3, &error), FCPS_ERR_UNSUPPORTED);
    assert_string_equal(error.field, "acquisition");
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_learns_to_throw),
      cmocka_unit_test(resumed_learners_go_on_with_the_same_bits),
      cmocka_unit_test(models_of_outcomes_refuse_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
