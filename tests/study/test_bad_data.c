/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever numbers a robot reports, the next ask is finite and within its bounds. Random studies with results from a
 * table of awkward numbers; FCPS_TEST_LONG=1: ten thousand of them. TEST_SEED=n repeats a run. */
#include "study_fixture.h"

#include "base/rng.h"

#include <float.h>

static const double awkward[] = {NAN,  INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 1e300, 5e-324,
                                 -0.0, 1e10 + 1, 1e12,      0.0,     1.0,      1.0,   1.0};
enum { AWKWARD = sizeof awkward / sizeof *awkward };

static double any_number(fcps_rng *rng)
{
  return awkward[fcps_rng_below(rng, AWKWARD)];
}

/* a result with some awkward numbers in it; refused ones are told again as a failure */
static void tell_anything(fcps_study *s, fcps_rng *rng, const fcps_ask *ask)
{
  const double land = any_number(rng), wind = fcps_rng_below(rng, 8) ? ask->environment[0] : any_number(rng);
  const double executed[2] = {fcps_rng_below(rng, 8) ? ask->parameters[0] : any_number(rng), ask->parameters[1]};
  const int64_t id = ask->id;
  const fcps_result result = {.rollout.outcome = fcps_rng_below(rng, 5) ? &land : NULL,
                              .rollout.status = fcps_rng_below(rng, 6) ? FCPS_ROLLOUT_OK : FCPS_ROLLOUT_UNSTABLE,
                              .rollout.environment = &wind,
                              .rollout.parameters = executed};
  fcps_error error = {0};
  fcps_receipt receipt;
  const fcps_status status = fcps_study_tell(s, id, &result, &receipt, &error);
  if (status == FCPS_OK) {
    assert_true(receipt.is_flagged || isfinite(receipt.reward) || result.rollout.status != FCPS_ROLLOUT_OK);
    return;
  }
  /* only a context or parameter can be refused, and is named */
  if (!error.field[0] || strchr(error.field, '.') == NULL) fail_msg("%s: %s", error.field, error.message);
  const fcps_result failed = {.rollout.status = FCPS_ROLLOUT_FAILED};
  assert_ok(fcps_study_tell(s, id, &failed, NULL, NULL));
}

static void one_study(uint64_t seed)
{
  static const char *const learners[] = {"bo-fcps", "random", "bo-cps"};
  static const fcps_setting settings[] = {{"initial", "2"}, {NULL, NULL}};
  fcps_rng rng = fcps_rng_stream(seed, FCPS_PURPOSE_TEST, 1);
  const fcps_study_setup setup = {
      .text = throw_yaml, .learner = learners[fcps_rng_below(&rng, 3)], .settings = settings, .seed = seed};
  fcps_study *s = NULL;
  assert_ok(fcps_study_create(&s, NULL, &setup, NULL, NULL));
  const int trials = 3 + (int)fcps_rng_below(&rng, 8);
  for (int i = 0; i < trials; i++) {
    double target, wind;
    fcps_ask ask;
    fcps_error error = {0};
    context_of((int64_t)fcps_rng_below(&rng, 3), &target, &wind);
    if (fcps_study_ask(s, NULL, &target, &wind, &ask, &error) != FCPS_OK)
      fail_msg("study %llu, ask %d: %s", (unsigned long long)seed, i, error.message);
    if (!(ask.parameters[0] >= 0 && ask.parameters[0] <= 3 && ask.parameters[1] >= 0 && ask.parameters[1] <= 1.5))
      fail_msg("study %llu, ask %d: out of bounds", (unsigned long long)seed, i);
    tell_anything(s, &rng, &ask);
  }
  fcps_policy *policy = NULL;
  const double target = 1, wind = 0;
  double parameters[2];
  assert_ok(fcps_study_policy(s, &policy, NULL));
  assert_ok(fcps_policy_query(policy, &target, &wind, parameters, NULL));
  assert_true(isfinite(parameters[0]) && isfinite(parameters[1]));
  fcps_policy_destroy(policy);
  fcps_study_close(s);
}

static void every_ask_is_finite_and_within_its_bounds(void **state)
{
  (void)state;
  const char *seed = getenv("TEST_SEED");
  const int count = getenv("FCPS_TEST_LONG") != NULL ? 10000 : 60;
  if (seed != NULL) {
    one_study(strtoull(seed, NULL, 10));
    return;
  }
  for (int i = 0; i < count; i++)
    one_study((uint64_t)i);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_ask_is_finite_and_within_its_bounds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
