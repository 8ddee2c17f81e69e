/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/acquisition/acquisition.c: the registry. */
#include "acquisition/acquisition.h"
#include "check.h"

#include <string.h>

/* Settings list them, up to the first that does not select. */
static void those_that_select_in_a_context_come_first(void **state)
{
  (void)state;
  const fcps_acquisition *acquisition;
  bool is_past = false;
  for (int i = 0; (acquisition = fcps_acquisition_at(i)) != NULL; i++) {
    assert_false(is_past && acquisition->select != NULL);
    is_past = acquisition->select == NULL;
  }
  assert_null(fcps_acquisition_at(-1));
}

static void each_is_found_by_its_name_and_answers_something(void **state)
{
  (void)state;
  const fcps_acquisition *acquisition;
  for (int i = 0; (acquisition = fcps_acquisition_at(i)) != NULL; i++) {
    assert_ptr_equal(fcps_acquisition_find(acquisition->name), acquisition);
    assert_true(acquisition->select != NULL || acquisition->select_context != NULL);
  }
  assert_null(fcps_acquisition_find("luck"));
}

/* Who may use which: by the model, and by whether contexts are given or chosen. */
static void an_acquisition_says_what_its_model_must_predict(void **state)
{
  (void)state;
  const char *const of_rewards[] = {"es", "kg", "mes", "jes", "pes"},
                    *const of_both[] = {"ucb", "ei", "thompson", "random"},
                    *const of_outcomes[] = {"ivr", "outcome-es"};
  for (int i = 0; i < 5; i++) {
    const fcps_acquisition *rewards = fcps_acquisition_find(of_rewards[i]);
    assert_true(fcps_acquisition_fits(rewards, &fcps_model_joint));
    assert_true(fcps_acquisition_fits(rewards, &fcps_model_rescored));
    assert_false(fcps_acquisition_fits(rewards, &fcps_model_outcome));
    assert_true(rewards->select != NULL && rewards->select_context != NULL);
  }
  for (int i = 0; i < 4; i++) {
    const fcps_acquisition *both = fcps_acquisition_find(of_both[i]);
    assert_true(fcps_acquisition_fits(both, &fcps_model_rescored) && fcps_acquisition_fits(both, &fcps_model_outcome));
    assert_true((both->select_context != NULL) == (i == 0)); /* ucb also goes to the context that promises most */
  }
  for (int i = 0; i < 2; i++) {
    const fcps_acquisition *outcomes = fcps_acquisition_find(of_outcomes[i]);
    assert_true(fcps_acquisition_fits(outcomes, &fcps_model_outcome));
    assert_false(fcps_acquisition_fits(outcomes, &fcps_model_joint));
    assert_true(outcomes->select == NULL && outcomes->select_context != NULL);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(those_that_select_in_a_context_come_first),
      cmocka_unit_test(each_is_found_by_its_name_and_answers_something),
      cmocka_unit_test(an_acquisition_says_what_its_model_must_predict),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
