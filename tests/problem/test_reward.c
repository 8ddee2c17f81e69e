/* SPDX-License-Identifier: Apache-2.0 */
/* Reward and achieved target as formulas, with and without an outcome. */
#include "problem/reward.h"

#include "check.h"

#include <string.h>

static const fcps_dimension target[] = {{"x", -9, 9, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL},
                                        {"angle", 0, 360, 360, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL}};
static const fcps_dimension environment[] = {{"start", 0, 1, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL}};
static const fcps_dimension parameters[] = {{"speed", 0, 5, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL}};
static const fcps_dimension outcome[] = {{"land", 0, 0, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL},
                                         {"turned", 0, 0, 0, FCPS_SCALE_LINEAR, NULL, 0, NULL, NULL}};
static const fcps_problem plain = {
    .target = {2, target}, .environment = {1, environment}, .parameters = {1, parameters}, .outcome = {2, outcome}};
static const char *const achieved[] = {"land + start", "turned"};

static void a_batch_is_scored_row_by_row(void **state)
{
  (void)state;
  fcps_problem p = plain;
  fcps_reward *r = NULL;
  assert_ok(fcps_reward_create(&r, &p, "present ? -distance - 0.1*speed^2 : -20 - start", achieved, NULL));
  const double wanted[] = {2.0, 10.0}, starts[] = {0.5, 0.25, 0.75}, speeds[] = {1.0, 2.0, 3.0};
  const double hits[] = {1.0, 350.0, 7.0, 7.0, -1.0, 10.0};
  const bool present[] = {true, false, true};
  double rewards[3];
  assert_ok(p.reward(p.user, 3, wanted, starts, speeds, hits, present, rewards));
  /* 10 and 350 degrees are 20 apart, the short way round */
  assert_near(rewards[0], -sqrt(0.5 * 0.5 + 20.0 * 20.0) - 0.1, 1e-14);
  assert_near(rewards[1], -20.25, 1e-14);
  assert_near(rewards[2], -2.25 - 0.9, 1e-14);
  fcps_reward_destroy(r);
}

/* Rows are scored in blocks; some of these have no outcome. */
static void many_rows_have_the_rewards_of_single_ones(void **state)
{
  (void)state;
  enum { ROWS = 600 };
  fcps_problem p = plain;
  fcps_reward *r = NULL;
  assert_ok(fcps_reward_create(&r, &p, "present ? -distance - 0.1*speed^2 : -20 - start*speed", achieved, NULL));
  const double wanted[] = {2.0, 10.0};
  static double starts[ROWS], speeds[ROWS], hits[ROWS][2], rewards[ROWS], hit_targets[ROWS][2];
  static bool present[ROWS];
  for (int i = 0; i < ROWS; i++) {
    starts[i] = 0.001 * i;
    speeds[i] = 5.0 - 0.008 * i;
    hits[i][0] = 0.1 * (i % 90);
    hits[i][1] = 7.0 * (i % 50);
    present[i] = i < 520 || i % 3 > 0;
  }
  assert_ok(p.reward(p.user, ROWS, wanted, starts, speeds, hits[0], present, rewards));
  assert_ok(p.achieved(p.user, ROWS, starts, hits[0], hit_targets[0]));
  for (int i = 0; i < ROWS; i++) {
    double reward, hit_target[2];
    assert_ok(p.reward(p.user, 1, wanted, starts + i, speeds + i, hits[i], present + i, &reward));
    assert_ok(p.achieved(p.user, 1, starts + i, hits[i], hit_target));
    assert_memory_equal(&reward, &rewards[i], sizeof reward);
    assert_memory_equal(hit_target, hit_targets[i], sizeof hit_target);
  }
  fcps_reward_destroy(r);
}

static void the_achieved_target_follows_its_formulas(void **state)
{
  (void)state;
  fcps_problem p = plain;
  fcps_reward *r = NULL;
  assert_ok(fcps_reward_create(&r, &p, NULL, achieved, NULL));
  assert_null(p.reward);
  double hit[4];
  const double starts[] = {0.5, 0.25}, outcomes[] = {1.0, 350.0, 7.0, 8.0};
  assert_ok(p.achieved(p.user, 2, starts, outcomes, hit));
  assert_near(hit[0], 1.5, 0);
  assert_near(hit[1], 350.0, 0);
  assert_near(hit[2], 7.25, 0);
  assert_near(hit[3], 8.0, 0);
  fcps_reward_destroy(r);
}

static void an_absent_outcome_without_a_rule_has_no_reward(void **state)
{
  (void)state;
  fcps_problem p = plain;
  fcps_reward *r = NULL;
  assert_ok(fcps_reward_create(&r, &p, "-distance", achieved, NULL));
  const double wanted[] = {0, 0}, start = 0, speed = 1, hit[] = {3, 4};
  double reward;
  assert_ok(p.reward(p.user, 1, wanted, &start, &speed, hit, (const bool[]){true}, &reward));
  assert_near(reward, -5.0, 1e-15);
  assert_ok(p.reward(p.user, 1, wanted, &start, &speed, hit, (const bool[]){false}, &reward));
  assert_true(isnan(reward));
  fcps_reward_destroy(r);
}

/* comparisons make a number of NaN, so that the value of a formula does not show what it lacks */
static void a_formula_that_compares_an_absent_outcome_has_no_reward(void **state)
{
  (void)state;
  static const char *const lacking[] = {"sign(land)",       "(land > 0) * 5",         "land > 0 ? 1 : 2",
                                        "land != land",     "speed + 0*sign(turned)", "distance < 1 ? 1 : 0",
                                        "min(distance, 9)", "land && speed"};
  for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
    fcps_problem p = plain;
    fcps_reward *r = NULL;
    assert_ok(fcps_reward_create(&r, &p, lacking[i], achieved, NULL));
    const double wanted[] = {0, 0}, start = 0, speed = 1, hit[] = {3, 4};
    double rewards[2];
    assert_ok(p.reward(p.user, 1, wanted, &start, &speed, hit, (const bool[]){true}, &rewards[0]));
    assert_ok(p.reward(p.user, 1, wanted, &start, &speed, hit, (const bool[]){false}, &rewards[1]));
    if (isnan(rewards[0]) || !isnan(rewards[1])) fail_msg("%s: %g, %g", lacking[i], rewards[0], rewards[1]);
    fcps_reward_destroy(r);
  }
}

static void a_formula_that_needs_no_outcome_has_its_value_without_one(void **state)
{
  (void)state;
  static const struct {
    const char *reward;
    double value;
  } cases[] = {{"present ? land : -9", -9}, {"(land > 0)*5 + present", 0}, {"2*speed + start", 2}, {"-x", 0.5}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_problem p = plain;
    fcps_reward *r = NULL;
    assert_ok(fcps_reward_create(&r, &p, cases[i].reward, achieved, NULL));
    const double wanted[] = {-0.5, 0}, start = 0, speed = 1, hit[] = {3, 4};
    double reward;
    assert_ok(p.reward(p.user, 1, wanted, &start, &speed, hit, (const bool[]){false}, &reward));
    assert_near(reward, cases[i].value, 0);
    fcps_reward_destroy(r);
  }
}

static void minus_the_distance_and_costs_is_recognized_and_nothing_else(void **state)
{
  (void)state;
  static const struct {
    const char *reward;
    bool is_distance;
  } cases[] = {{"-distance", true},
               {" - distance - 0.05*speed^2 + start", true},
               {"-distance*2", false},
               {"-distance^2", false},
               {"distance", false},
               {"-distance - x", false},
               {"-distance - land", false},
               {"-distance - distance", false},
               {"-distance - speed > 2 ? 1 : 0", false},
               {"-distance - (present)", false},
               {"-distance - (speed > 2 ? 1 : start)", true},
               {"speed - distance", false},
               {"present ? -distance : -3", false}};
  const fcps_space straight = {1, target};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_problem p = plain;
    p.target = straight;
    fcps_reward *r = NULL;
    assert_ok(fcps_reward_create(&r, &p, cases[i].reward, achieved, NULL));
    if (p.is_distance != cases[i].is_distance) fail_msg("%s", cases[i].reward);
    fcps_reward_destroy(r);
  }
  /* a periodic target is measured round the circle */
  fcps_problem p = plain;
  fcps_reward *r = NULL;
  assert_ok(fcps_reward_create(&r, &p, "-distance", achieved, NULL));
  assert_false(p.is_distance);
  fcps_reward_destroy(r);
}

static void mistakes_name_the_formula(void **state)
{
  (void)state;
  fcps_problem p = plain;
  fcps_reward *r = NULL;
  fcps_error error = {0};
  assert_status(fcps_reward_create(&r, &p, "-distance", NULL, &error), FCPS_ERR_FORMAT);
  assert_string_equal(error.field, "reward");
  const char *const wrong[] = {"land", "x"}; /* a target cannot achieve itself */
  assert_status(fcps_reward_create(&r, &p, "-distance", wrong, &error), FCPS_ERR_FORMAT);
  assert_string_equal(error.field, "achieved.angle");
  assert_null(r);
  assert_null(p.reward);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_batch_is_scored_row_by_row),
      cmocka_unit_test(many_rows_have_the_rewards_of_single_ones),
      cmocka_unit_test(the_achieved_target_follows_its_formulas),
      cmocka_unit_test(an_absent_outcome_without_a_rule_has_no_reward),
      cmocka_unit_test(a_formula_that_compares_an_absent_outcome_has_no_reward),
      cmocka_unit_test(a_formula_that_needs_no_outcome_has_its_value_without_one),
      cmocka_unit_test(minus_the_distance_and_costs_is_recognized_and_nothing_else),
      cmocka_unit_test(mistakes_name_the_formula),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
