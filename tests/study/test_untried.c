/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/study/stopping_rule.c: a study does not count as converged while a word, or one of few levels, has no result.
 */
#include "outlook.h"
#include "study_fixture.h"

static const char yaml[] =
    "name: mould\n"
    "parameters: {gate: {choices: [tab, pin, fan]}, gear: {range: [1, 3], scale: integer}, speed: [0, 1]}\n"
    "outcome: [loss]\n"
    "reward: -loss\n";

/* Trial `i` with one of the first gates and gears. */
static void tell_trial(fcps_study *study, int i, int gates, int gears)
{
  const double p[3] = {i % gates, 1 + i / gates % gears, fmod(0.618034 * i, 1.0)};
  const double loss = 0.5 * p[0] + 0.1 * p[1] + (p[2] - 0.4) * (p[2] - 0.4);
  const fcps_result result = {.rollout = {.parameters = p, .outcome = &loss}};
  assert_ok(fcps_study_tell(study, FCPS_NOT_ASKED, &result, NULL, NULL));
}

static fcps_outlook after(fcps_study *study, int from, int to, int gates, int gears)
{
  for (int i = from; i < to; i++)
    tell_trial(study, i, gates, gears);
  return outlook_of(study);
}

static void enough_waits_for_what_nobody_tried(void **state)
{
  (void)state;
  fcps_study *study = NULL;
  const fcps_study_setup setup = {.text = yaml, .text_name = "mould.yaml", .seed = 5};
  assert_ok(fcps_study_create(&study, NULL, &setup, NULL, NULL));
  fcps_outlook o = after(study, 0, 50, 2, 3);
  assert_false(o.is_converged);
  assert_string_equal(o.unmet, "gate=fan never had a result");
  assert_true(o.untried_gain > 0.0);
  assert_true(o.gain >= o.untried_gain);
  o = after(study, 50, 110, 3, 3);
  assert_true(o.untried_gain == 0.0);
  assert_true(o.unmet == NULL || strstr(o.unmet, "never had") == NULL);
  assert_true(o.is_converged);
  fcps_study_close(study);
}

static void levels_of_few_count_as_well(void **state)
{
  (void)state;
  fcps_study *study = NULL;
  const fcps_study_setup setup = {.text = yaml, .text_name = "mould.yaml", .seed = 5};
  assert_ok(fcps_study_create(&study, NULL, &setup, NULL, NULL));
  const fcps_outlook o = after(study, 0, 60, 3, 2);
  assert_false(o.is_converged);
  assert_string_equal(o.unmet, "gear=3 never had a result");
  fcps_study_close(study);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(enough_waits_for_what_nobody_tried),
      cmocka_unit_test(levels_of_few_count_as_well),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
