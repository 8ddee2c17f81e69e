/* SPDX-License-Identifier: Apache-2.0 */
/* The part of a formula that is to blame for a value that is not finite. */
#include "check.h"
#include "problem/reward.h"

#include <string.h>

static const char *const names[] = {"x", "dose", "heat", "none"};
static const double values[] = {0.0, 20.5, -4.0, NAN};

static const char *blame(const char *text)
{
  static char words[300];
  return fcps_formula_blame(text, 4, names, NULL, values, sizeof words, words);
}

static void the_smallest_part_without_a_value_is_named(void **state)
{
  (void)state;
  assert_string_equal(blame("1/0*dose"), "\"1/0\" is inf");
  assert_string_equal(blame("2 + log(dose - 30)/heat"), "\"log(dose - 30)\" is nan where dose=20.5");
  assert_string_equal(blame("-abs(dose) - 3*(heat/x)^2"), "\"heat/x\" is -inf where x=0, heat=-4");
  assert_string_equal(blame("-4^0.5"), "");
  assert_string_equal(blame("dose + heat^0.5"), "\"heat^0.5\" is nan where heat=-4");
  assert_string_equal(blame("max(dose, sqrt(heat), 3)"), "\"sqrt(heat)\" is nan where heat=-4");
  assert_string_equal(blame("dose - none"), "\"none\" is nan");
  assert_string_equal(blame("2^3/0^dose"), "\"2^3/0^dose\" is inf where dose=20.5"); /* 3/0 is no part of it */
  assert_string_equal(blame("1e-3*exp(1000*dose)"), "\"exp(1000*dose)\" is inf where dose=20.5");
  assert_string_equal(blame("dose*1e200"), "\"1e200\" is 1e+200");
}

static void only_the_branch_that_was_taken_counts(void **state)
{
  (void)state;
  assert_string_equal(blame("heat > 0 ? log(heat) : log(x)"), "\"log(x)\" is -inf where x=0");
  assert_string_equal(blame("heat < 0 ? log(heat) : log(x)"), "\"log(heat)\" is nan where heat=-4");
  assert_string_equal(blame("heat > 0 ? log(heat) : 7"), "");
  assert_string_equal(blame("x == 0 ? (dose > 1 && heat < 0 ? sqrt(heat) : 1) : 2"),
                      "\"sqrt(heat)\" is nan where heat=-4");
}

static void a_deep_part_is_found(void **state)
{
  (void)state;
  char text[900] = "";
  memset(text, '(', 400);
  strcpy(text + 400, "1/0");
  memset(text + 403, ')', 400);
  assert_string_equal(blame(text), "\"1/0\" is inf");
}

static void a_call_of_many_is_one_part(void **state)
{
  (void)state;
  assert_string_equal(blame("2*sum(6e99, dose, 6e99, 0)"), "\"sum(6e99, dose, 6e99, 0)\" is 1.2e+100 where dose=20.5");
  assert_string_equal(blame("min(max(1, log(heat)), log(x), dose)"), "\"log(heat)\" is nan where heat=-4");
}

static void words_that_do_not_fit_are_cut(void **state)
{
  (void)state;
  char words[12];
  fcps_formula_blame("log(heat)", 4, names, NULL, values, sizeof words, words);
  assert_string_equal(words, "\"log(heat)\"");
}

static void a_rollout_without_an_outcome_has_no_distance(void **state)
{
  (void)state;
  static const fcps_dimension target[] = {{.name = "x", .lower = 0, .upper = 1}};
  static const fcps_dimension parameters[] = {{.name = "p", .lower = 0, .upper = 1}}, outcome[] = {{.name = "land"}};
  static const char *const achieved[] = {"land"};
  fcps_problem problem = {.target = {1, target}, .parameters = {1, parameters}, .outcome = {1, outcome}};
  static const char formula[] = "-distance - p";
  fcps_reward *reward = NULL;
  char words[200];
  const double x = 0.5, p = 0.25, land = 0.75, wrong = NAN;
  assert_ok(fcps_reward_create(&reward, &problem, formula, achieved, NULL));
  fcps_rollout rollout = {.target = &x, .parameters = &p};
  assert_string_equal(fcps_reward_blame(reward, formula, &rollout, sizeof words, words), "\"distance\" is nan");
  rollout.outcome = &wrong;
  assert_string_equal(fcps_reward_blame(reward, formula, &rollout, sizeof words, words), "\"distance\" is nan");
  rollout.outcome = &land;
  assert_string_equal(fcps_reward_blame(reward, formula, &rollout, sizeof words, words), "");
  fcps_reward_destroy(reward);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_smallest_part_without_a_value_is_named),
                                     cmocka_unit_test(only_the_branch_that_was_taken_counts),
                                     cmocka_unit_test(a_deep_part_is_found),
                                     cmocka_unit_test(a_call_of_many_is_one_part),
                                     cmocka_unit_test(words_that_do_not_fit_are_cut),
                                     cmocka_unit_test(a_rollout_without_an_outcome_has_no_distance)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
