/* SPDX-License-Identifier: Apache-2.0 */
/* Deviations that are told with an outcome: allowed values, their columns in a table, and their effect on a reward. */
#include "problem/rollouts.h"

#include "check.h"
#include "problem/save.h"

#include <string.h>

static const fcps_dimension wish[] = {{.name = "wish", .lower = -9, .upper = 9}};
static const fcps_dimension heat[] = {{.name = "heat", .lower = 0, .upper = 1}};
static const fcps_dimension made[] = {{.name = "volume"}, {.name = "colour"}};
static const fcps_dimension clash[] = {{.name = "volume"}, {.name = "volume_sd"}};

/* 3 volume - |colour - wish| + heat; no number for a volume above 100 */
static fcps_status reward(void *user, int count, const double *target, const double *environments,
                          const double *parameters, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)environments, (void)present;
  for (int i = 0; i < count; i++)
    rewards[i] =
        outcomes[2 * i] > 100 ? NAN : 3 * outcomes[2 * i] - fabs(outcomes[2 * i + 1] - target[0]) + parameters[i];
  return FCPS_OK;
}

static const fcps_problem brewing = {
    .target = {1, wish}, .parameters = {1, heat}, .outcome = {2, made}, .reward = reward};

static void what_is_no_deviation_is_refused_by_its_name(void **state)
{
  (void)state;
  const double outcome[] = {1, 2};
  static const struct {
    double deviation[2];
    fcps_status status;
    const char *field;
  } cases[] = {{{0, 0}, FCPS_OK, ""},
               {{0.1, 1e99}, FCPS_OK, ""},
               {{-0.0, 1}, FCPS_OK, ""},
               {{-1e-9, 1}, FCPS_ERR_BOUNDS, "outcome_sd.volume"},
               {{1, -2}, FCPS_ERR_BOUNDS, "outcome_sd.colour"},
               {{NAN, 1}, FCPS_ERR_NOT_FINITE, "outcome_sd.volume"},
               {{1, INFINITY}, FCPS_ERR_NOT_FINITE, "outcome_sd.colour"},
               {{1, -INFINITY}, FCPS_ERR_NOT_FINITE, "outcome_sd.colour"},
               {{1, 1e101}, FCPS_ERR_NOT_FINITE, "outcome_sd.colour"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_error error = {0};
    const fcps_rollout rollout = {.outcome = outcome, .outcome_deviation = cases[i].deviation};
    assert_status(fcps_rollout_check_deviation(&brewing, &rollout, &error), cases[i].status);
    assert_string_equal(error.field, cases[i].field);
  }
  fcps_error error = {0};
  const fcps_rollout absent = {.outcome_deviation = outcome}, unknown = {.outcome = outcome};
  assert_status(fcps_rollout_check_deviation(&brewing, &absent, &error), FCPS_ERR_ARGUMENT);
  assert_string_equal(error.field, "outcome_sd");
  assert_ok(fcps_rollout_check_deviation(&brewing, &unknown, NULL));
}

static void a_column_never_has_the_name_of_a_dimension(void **state)
{
  (void)state;
  char name[FCPS_DEVIATION_COLUMN_SIZE];
  fcps_rollout_deviation_column(&brewing, 1, name);
  assert_string_equal(name, "colour_sd");
  const fcps_problem clashing = {.parameters = {1, heat}, .outcome = {2, clash}};
  fcps_rollout_deviation_column(&clashing, 0, name);
  assert_string_equal(name, "outcome_sd.volume");
  fcps_rollout_deviation_column(&clashing, 1, name);
  assert_string_equal(name, "volume_sd_sd");
}

static double variance_of(double volume, double colour, const double *deviation)
{
  const double target = 2, parameters = 0.5, outcome[] = {volume, colour};
  const fcps_rollout rollout = {
      .target = &target, .parameters = &parameters, .outcome = outcome, .outcome_deviation = deviation};
  fcps_rollouts rollouts;
  double variance = -1;
  fcps_rollouts_init(&rollouts, &brewing);
  assert_ok(fcps_rollouts_add(&rollouts, &rollout));
  assert_ok(fcps_rollouts_reward_variance(&rollouts, &brewing, 0, &variance, NULL));
  fcps_rollouts_free(&rollouts);
  return variance;
}

static void a_linear_reward_has_the_variance_of_the_delta_method(void **state)
{
  (void)state;
  const double deviation[] = {0.1, 0.4}, exact[] = {0, 0};
  assert_near(variance_of(1, 7, deviation), 9 * 0.01 + 0.16, 1e-12);
  assert_near(variance_of(1, 2, deviation), 9 * 0.01 + 0.16, 1e-12); /* at the kink, where there is no slope */
  assert_near(variance_of(1, 7, exact), 0, 0);
  assert_near(variance_of(1, 7, NULL), 0, 0);
  assert_near(variance_of(99.95, 7, deviation), 0.5 * 9 * 0.01 + 0.16, 1e-9); /* a rollout without a reward has no
                                                                                 effect */
}

static void lists_of_rollouts_keep_deviations(void **state)
{
  (void)state;
  const double target = 2, parameters = 0.5, outcome[] = {1, 2}, deviation[] = {1.0 / 3.0, 0};
  const fcps_rollout told = {
      .target = &target, .parameters = &parameters, .outcome = outcome, .outcome_deviation = deviation};
  const fcps_rollout plain = {.target = &target, .parameters = &parameters, .outcome = outcome};
  const fcps_rollout absent = {.target = &target, .parameters = &parameters};
  fcps_rollouts rollouts, copy, loaded;
  fcps_rollouts_init(&rollouts, &brewing);
  fcps_rollouts_init(&loaded, &brewing);
  assert_ok(fcps_rollouts_add(&rollouts, &plain));
  assert_ok(fcps_rollouts_add(&rollouts, &told));
  assert_ok(fcps_rollouts_add(&rollouts, &absent));
  assert_ok(fcps_rollouts_copy(&rollouts, &copy));
  fcps_json *json = fcps_rollouts_write(&rollouts);
  assert_int_equal(fcps_json_count(fcps_json_at(json, 0)), 7); /* as before there were deviations */
  assert_int_equal(fcps_json_count(fcps_json_at(json, 1)), 8);
  assert_ok(fcps_rollouts_read(&loaded, json, NULL));
  const fcps_rollouts *const all[] = {&rollouts, &copy, &loaded};
  for (int i = 0; i < 3; i++) {
    assert_null(fcps_rollouts_at(all[i], 0).outcome_deviation);
    assert_memory_equal(fcps_rollouts_at(all[i], 1).outcome_deviation, deviation, sizeof deviation);
    assert_null(fcps_rollouts_at(all[i], 2).outcome_deviation);
  }
  fcps_json_destroy(json);
  fcps_rollouts_free(&rollouts);
  fcps_rollouts_free(&copy);
  fcps_rollouts_free(&loaded);
}

static void saved_rollouts_with_impossible_deviations_are_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {
      "[[[2], [], [0.5], [1, 2], 0, 0, \"ok\", [1, -1]]]", "[[[2], [], [0.5], [1, 2], 0, 0, \"ok\", [1, \"nan\"]]]",
      "[[[2], [], [0.5], [1, 2], 0, 0, \"ok\", [1]]]", "[[[2], [], [0.5], [1, 2], 0, 0, \"ok\", null]]",
      "[[[2], [], [0.5], null, 0, 0, \"ok\", [1, 1]]]"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    fcps_rollouts rollouts;
    fcps_json *json = NULL;
    fcps_rollouts_init(&rollouts, &brewing);
    assert_ok(fcps_json_read(&json, texts[i], strlen(texts[i]), "text", NULL));
    assert_status(fcps_rollouts_read(&rollouts, json, NULL), FCPS_ERR_FORMAT);
    fcps_json_destroy(json);
    fcps_rollouts_free(&rollouts);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_no_deviation_is_refused_by_its_name),
      cmocka_unit_test(a_column_never_has_the_name_of_a_dimension),
      cmocka_unit_test(a_linear_reward_has_the_variance_of_the_delta_method),
      cmocka_unit_test(lists_of_rollouts_keep_deviations),
      cmocka_unit_test(saved_rollouts_with_impossible_deviations_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
