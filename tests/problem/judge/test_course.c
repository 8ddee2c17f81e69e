/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of a formula that follow without a trial. */
#include "problem/reward.h"

#include "check.h"

#include <stdlib.h>

static const fcps_dimension target[] = {{.name = "want", .lower = 0, .upper = 4},
                                        {.name = "other", .lower = 1, .upper = 2}};
static const fcps_dimension environment[] = {{.name = "heat", .lower = 0, .upper = 1}};
static const fcps_dimension parameters[] = {{.name = "dose", .lower = 0, .upper = 5}};
static const fcps_dimension outcome[] = {{.name = "gap", .lower = 0, .upper = 4}, {.name = "peak"}};
static const fcps_problem plain = {
    .target = {2, target}, .environment = {1, environment}, .parameters = {1, parameters}, .outcome = {2, outcome}};

static fcps_reward_judgement judge(const char *text)
{
  fcps_problem p = plain;
  fcps_reward *r = NULL;
  fcps_reward_judgement judgement;
  assert_ok(fcps_reward_create(&r, &p, text, NULL, NULL));
  assert_true(fcps_problem_judge_reward(&p, 0, NULL, &judgement));
  fcps_reward_destroy(r);
  return judgement;
}

static void dependence_is_tried_within_bounds_and_read_elsewhere(void **state)
{
  (void)state;
  fcps_reward_judgement j = judge("-abs(gap - want) - (peak > 1e6 ? 50 : 0) - 0*heat + (gap > 9)*dose");
  assert_true(j.depends[0][0] && !j.depends[0][1] && !j.depends[1][0] && !j.depends[2][0]);
  assert_true(j.depends[3][0] && j.depends[3][1]);
  assert_true(j.has_value && j.needs_trials && !j.is_constant);
  j = judge("gap > 9 ? 1 : want"); /* never so */
  assert_false(j.depends[3][0] || j.needs_trials);
  j = judge("gap == 0.123 ? 1 : 0"); /* no point of a grid */
  assert_true(j.depends[3][0] && j.needs_trials);
  j = judge("present ? want : 0");
  assert_true(j.needs_trials);
  j = judge("sqrt(-1 - gap)");
  assert_true(!j.has_value && j.needs_trials);
  assert_true(judge("2*3").is_constant);
}

static void targets_that_decide_nothing_are_seen(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    bool are_idle;
  } cases[] = {{"-abs(gap - 2)", true},
               {"-(gap - want)", true},
               {"want - 0*other - gap*heat", true},
               {"-0.1*peak*dose - want^2*(1 + heat)", true},
               {"-0.1*gap^2/heat - exp(want/(1 + heat))", true},
               {"-abs(gap/1000 - want)", false},
               {"-gap*want", false},
               {"1/(gap - want)", false},
               {"-abs(gap - want)", false},
               {"-(gap - 2)^2/want", false},
               {"-want - (abs(gap - want) < 0.05 ? 0 : 1)", false},
               {"-abs(gap - 2) - (peak > 1e6 ? want : 0)", false}, /* no trial had such a peak */
               {"(gap > want) - dose", false},
               {"sqrt(-1 - gap)", false},
               {"-max(gap - 2*want, peak - other)", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (judge(cases[i].text).has_idle_targets != cases[i].are_idle) fail_msg("%s", cases[i].text);
}

static void a_missing_minus_is_seen(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    bool gap_grows, peak_grows, is_contrary;
  } cases[] = {{"abs(gap - want)", true, false, true},
               {"(peak - want)^2 - dose", false, true, true},
               {"1 - exp(-(gap - want)^2)", false, false, true},
               {"abs(gap - heat) - abs(gap - want)/10", true, false, false},
               {"-abs(gap - want)", false, false, false},
               {"gap^2 + peak^2", false, false, false},
               {"peak == 0 ? -gap : abs(gap - 1)", false, false, false}, /* a flag */
               {"(peak - 1)*want*(want - 4)", false, false, false},
               {"want*gap - dose", false, false, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const fcps_reward_judgement j = judge(cases[i].text);
    if (j.grows[0] != cases[i].gap_grows || j.grows[1] != cases[i].peak_grows ||
        j.is_contrary[0] != cases[i].is_contrary)
      fail_msg("%s: %d %d %d", cases[i].text, j.grows[0], j.grows[1], j.is_contrary[0]);
  }
}

/* An outcome without a range is tried around those that were seen. */
static void outcomes_that_were_seen_say_where_to_try(void **state)
{
  (void)state;
  static const double seen[] = {1.0, 2000.0, 1.0, 2010.0};
  fcps_problem p = plain;
  fcps_reward *r = NULL;
  fcps_reward_judgement judgement;
  assert_ok(fcps_reward_create(&r, &p, "sqrt(peak - 1990)", NULL, NULL));
  assert_true(fcps_problem_judge_reward(&p, 0, NULL, &judgement));
  assert_false(judgement.has_value);
  assert_true(fcps_problem_judge_reward(&p, 2, seen, &judgement));
  assert_true(judgement.has_value);
  fcps_reward_destroy(r);
}

static fcps_status callback(void *user, int count, const double *targets, const double *environments,
                            const double *values, const double *outcomes, const bool *present, double *rewards)
{
  (void)user, (void)count, (void)targets, (void)environments, (void)values, (void)outcomes, (void)present;
  rewards[0] = 1.0;
  return FCPS_OK;
}

static void a_callback_is_not_judged(void **state)
{
  (void)state;
  fcps_problem p = plain;
  fcps_reward_judgement judgement;
  assert_false(fcps_problem_judge_reward(&p, 0, NULL, &judgement));
  p.reward = callback;
  assert_false(fcps_problem_judge_reward(&p, 0, NULL, &judgement));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dependence_is_tried_within_bounds_and_read_elsewhere), cmocka_unit_test(a_missing_minus_is_seen),
      cmocka_unit_test(targets_that_decide_nothing_are_seen),
      cmocka_unit_test(outcomes_that_were_seen_say_where_to_try), cmocka_unit_test(a_callback_is_not_judged)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
