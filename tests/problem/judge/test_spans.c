/* SPDX-License-Identifier: Apache-2.0 */
/* Over which range a reward follows an outcome. */
#include "base/rng.h"
#include "problem/judge/judge.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>

static const fcps_dimension target[] = {{.name = "want", .lower = 1, .upper = 4}};
static const fcps_dimension environment[] = {{.name = "load", .lower = 2, .upper = 8}};
static const fcps_dimension parameters[] = {{.name = "dose", .lower = -5, .upper = 5}};
static const fcps_dimension outcome[] = {{.name = "peak"}, {.name = "other"}};

typedef struct span {
  double lower, upper;
} span;

static span span_of(const char *text, int limits)
{
  fcps_problem p = {.target = {1, target},
                    .environment = {1, environment},
                    .parameters = {1, parameters},
                    .outcome = {2, outcome},
                    .limit_count = limits};
  fcps_reward *r = NULL;
  span s;
  assert_ok(fcps_reward_create(&r, &p, text, NULL, NULL));
  fcps_problem_find_span(&p, 0, &s.lower, &s.upper);
  fcps_reward_destroy(r);
  return s;
}

static void expect_end(double value, double expected, const char *text)
{
  if (isinf(expected) ? value != expected : !(fabs(value - expected) <= 1e-9 * fmax(1.0, fabs(expected))))
    fail_msg("%s: %.17g instead of %.17g", text, value, expected);
}

/* The span is as wide again on both sides; open on one side, as far as from zero. */
static void a_reward_follows_an_outcome_as_far_as_caps_and_comparisons_let_it(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double lower, upper;
  } cases[] = {
      {"-min(3, max(0, peak - 1))", -2, 7},
      {"dose - 10*(min(3, max(0, peak/10 - 1)) + min(1, max(0, other - 1)))", -20, 70},
      {"-min(3, abs(peak - want))", -11, 16}, /* from -2 to 7 */
      {"-max(0, peak - 5)", 0, INFINITY},
      {"-max(0, 1 - peak/load)", -INFINITY, 16},
      {"peak > want ? 1 : other", -2, 7}, /* from 1 to 4 */
      {"-50*(peak >= 3)", 0, 6},
      {"-abs(peak - want)", -INFINITY, INFINITY},
      {"min(peak, 1e9)*0 - max(0, other)", -INFINITY, INFINITY},
      {"-other", -INFINITY, INFINITY},
      {"max(log(peak), 0) - min(exp(peak), 1)", -INFINITY, INFINITY}, /* the logarithm may be none */
      {"-min(4, (peak - 2)^2)", -4, 8},                               /* from 0 to 4 */
      {"-min(8, max(-8, peak^3))", -INFINITY, 4},          /* odd powers of negative numbers are not looked at */
      {"floor(min(2, max(0, sqrt(abs(peak)))))", -12, 12}, /* from -4 to 4 */
      {"-min(5, hypot(peak, other))", -15, 15},
      {"tan(dose) - min(1, max(0, peak))", -1, 2},
      {"(peak > 1 && peak < 3) ? 1 : 0", -1, 5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const span found = span_of(cases[i].text, 0);
    expect_end(found.lower, cases[i].lower, cases[i].text);
    expect_end(found.upper, cases[i].upper, cases[i].text);
  }
}

/* By hand: want is 2, load 4, dose 3. */
static void no_outcome_earns_more_than_the_most(void **state)
{
  static const struct {
    const char *text;
    double most;
  } cases[] = {{"-abs(peak - want) - (dose > 2 ? 0.1 : 0)", -0.1},
               {"load - (peak - dose)^2", 4},
               {"min(peak, want) - hypot(peak, other)", 2},
               {"peak", INFINITY},
               {"tan(peak)", INFINITY}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fcps_problem p = {
        .target = {1, target}, .environment = {1, environment}, .parameters = {1, parameters}, .outcome = {2, outcome}};
    fcps_reward *r = NULL;
    assert_ok(fcps_reward_create(&r, &p, cases[i].text, NULL, NULL));
    expect_end(fcps_problem_find_most(&p, (double[]){2}, (double[]){4}, (double[]){3}), cases[i].most, cases[i].text);
    fcps_reward_destroy(r);
  }
}

/* The reward of an outcome is that of the end of its span, whatever else there is. */
static void beyond_its_span_an_outcome_changes_nothing(void **state)
{
  (void)state;
  static const char *const texts[] = {"dose - 10*(min(3, max(0, peak/load - 1)) + min(1, max(0, other - 1)))",
                                      "-min(3, abs(peak - want)) - dose^2",
                                      "want > 2 ? min(5, hypot(peak, other)) : floor(min(2, max(0, sqrt(abs(peak)))))"};
  fcps_rng rng = fcps_rng_stream(5, FCPS_PURPOSE_TEST, 0);
  for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
    const span found = span_of(texts[t], 0);
    fcps_problem p = {
        .target = {1, target}, .environment = {1, environment}, .parameters = {1, parameters}, .outcome = {2, outcome}};
    fcps_reward *r = NULL;
    assert_true(isfinite(found.lower) && isfinite(found.upper));
    assert_ok(fcps_reward_create(&r, &p, texts[t], NULL, NULL));
    for (int i = 0; i < 200; i++) {
      const double away = exp(20.0 * fcps_rng_uniform(&rng)), other = 20.0 * (fcps_rng_uniform(&rng) - 0.5);
      const double want = 1.0 + 3.0 * fcps_rng_uniform(&rng), load = 2.0 + 6.0 * fcps_rng_uniform(&rng);
      const double dose = 10.0 * fcps_rng_uniform(&rng) - 5.0, ends[] = {found.lower, found.upper};
      for (int e = 0; e < 2; e++) {
        const double o[] = {ends[e], other, ends[e] + (e == 0 ? -away : away), other};
        const bool present[] = {true, true};
        const double loads[] = {load, load}, doses[] = {dose, dose};
        double rewards[2];
        assert_ok(p.reward(p.user, 2, &want, loads, doses, o, present, rewards));
        assert_true(rewards[0] == rewards[1]);
      }
    }
    fcps_reward_destroy(r);
  }
}

static void outcomes_with_limits_matter_everywhere(void **state)
{
  (void)state;
  const span found = span_of("-min(3, max(0, peak - 1))", 1);
  assert_true(found.lower == -INFINITY && found.upper == INFINITY);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_outcome_earns_more_than_the_most),
      cmocka_unit_test(a_reward_follows_an_outcome_as_far_as_caps_and_comparisons_let_it),
      cmocka_unit_test(beyond_its_span_an_outcome_changes_nothing),
      cmocka_unit_test(outcomes_with_limits_matter_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
