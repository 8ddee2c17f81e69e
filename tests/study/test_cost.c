/* SPDX-License-Identifier: Apache-2.0 */
/* What the trials of a study cost: each counts once, however often it was told, and whether or not its result counts. */
#include "study/inside.h"
#include "study/study_fixture.h"

#include <fcps/study.h>

#include <string.h>

static const char text[] =
    "target: {x: [-2, 2]}\nparameters: {speed: [1, 8]}\noutcome: [land]\nreward: -abs(land - x)\n"
    "cost: 1 + speed\nlearner: {name: random}\n";

static void tell(fcps_study *study, int64_t ask, double land, const double *executed)
{
  fcps_error error = {0};
  const fcps_result result = {.rollout = {.parameters = executed, .outcome = &land}, .client = "lab"};
  const fcps_status status = fcps_study_tell(study, ask, &result, NULL, &error);
  if (status != FCPS_OK && status != FCPS_ERR_CONFLICT) fail_msg("%s", error.message);
}

static void every_trial_counts_once(void **state)
{
  (void)state;
  fcps_study *study = NULL;
  fcps_error error = {0};
  fcps_study_costs costs;
  fcps_ask asks[3];
  const fcps_study_setup setup = {.text = text, .text_name = "throw.yaml", .seed = 1};
  const double x = 1, slow = 2, fast = 6;
  double speeds[3];
  assert_ok(fcps_study_create(&study, NULL, &setup, NULL, &error));
  assert_ok(fcps_study_cost(study, &costs, &error));
  assert_true(costs.trials == 0 && costs.spent == 0 && costs.pending == 0);
  for (int i = 0; i < 3; i++) {
    assert_ok(fcps_study_ask(study, NULL, &x, NULL, &asks[i], &error));
    speeds[i] = asks[i].parameters[0];
  }
  assert_ok(fcps_study_cost(study, &costs, &error));
  assert_near(costs.pending, 3 + speeds[0] + speeds[1] + speeds[2], 1e-12);
  tell(study, 1, 0.5, &slow);
  tell(study, 1, 0.5, &slow);
  tell(study, 1, 0.9, &fast); /* evidence of the same trial */
  tell(study, 2, 0.5, NULL);
  assert_ok(fcps_study_cost(study, &costs, &error));
  assert_int_equal(costs.trials, 2);
  assert_near(costs.spent, 1 + 2 + 1 + speeds[1], 1e-12);
  assert_near(costs.pending, 1 + speeds[2], 1e-12);
  assert_ok(fcps_study_use(study, 1, 2, &error));
  assert_ok(fcps_study_forget(study, 3, &error));
  assert_ok(fcps_study_cost(study, &costs, &error));
  assert_near(costs.spent, 1 + 6 + 1 + speeds[1], 1e-12);
  assert_near(costs.pending, 0, 0);
  fcps_stored_result stored;
  assert_true(fcps_study_result_of(study, 2, &stored));
  assert_ok(fcps_study_use_result(study, stored.sequence, false, &error)); /* dropped, but the trial was done */
  assert_ok(fcps_study_cost(study, &costs, &error));
  assert_int_equal(costs.trials, 2);
  assert_near(costs.spent, 1 + 6 + 1 + speeds[1], 1e-12);
  fcps_study_close(study);
}

static void a_budget_counts_the_asks_of_one_call(void **state)
{
  (void)state;
  fcps_study *study = NULL;
  fcps_error error = {0};
  fcps_study_costs costs;
  fcps_ask asks[20];
  const double x = 1;
  const fcps_ask_contexts contexts = {.rows = 1, .targets = &x};
  const fcps_study_setup setup = {.text = text, .text_name = "throw.yaml", .seed = 1};
  assert_ok(fcps_study_create(&study, NULL, &setup, NULL, &error));
  assert_int_equal(fcps_study_set_budget(study, NAN, &error), FCPS_ERR_ARGUMENT);
  assert_ok(fcps_study_set_budget(study, 20, &error));
  assert_int_equal(fcps_study_ask_many(study, 20, &contexts, asks, &error), FCPS_ERR_BOUNDS);
  assert_true(fcps_study_is_spent(study));
  assert_int_equal(fcps_study_ask_count(study), 0);
  assert_ok(fcps_study_ask_many(study, 2, &contexts, asks, &error));
  assert_ok(fcps_study_cost(study, &costs, &error));
  assert_true(costs.pending <= 20);
  assert_false(fcps_study_is_spent(study));
  fcps_study_close(study);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_trial_counts_once),
      cmocka_unit_test(a_budget_counts_the_asks_of_one_call),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
