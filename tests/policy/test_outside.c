/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about contexts outside the bounds: answered with a larger deviation and a warning, or refused. */
#include "base/rng.h"
#include "check.h"
#include "toy.h"

#include <fcps/fcps.h>

#include <stdio.h>
#include <string.h>

typedef struct heard {
  int count;
  char code[32], words[600];
} heard;

static void listen(void *user, fcps_log_level level, const char *code, const char *message)
{
  heard *h = user;
  assert_int_equal(level, FCPS_LOG_WARNING);
  h->count++;
  snprintf(h->code, sizeof h->code, "%s", code);
  snprintf(h->words, sizeof h->words, "%s", message);
}

static fcps_policy *learn(const char *name, heard *h)
{
  fcps_problem problem = toy_problem();
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  fcps_learner *learner;
  fcps_policy *policy;
  fcps_error error;
  assert_ok(fcps_learner_create(&learner, &problem, name, NULL, 3, &error));
  for (int i = 0; i < 25; i++) {
    const double target[2] = {2 * fcps_rng_uniform(&rng) - 1, 2 * fcps_rng_uniform(&rng) - 1};
    const double wind[1] = {0.6 * fcps_rng_uniform(&rng) - 0.3};
    double parameters[2], outcome[2];
    int64_t id;
    assert_ok(fcps_learner_ask(learner, target, wind, parameters, &id));
    toy_throw(wind, parameters, outcome);
    const fcps_rollout rollout = {.target = target, .environment = wind, .parameters = parameters, .outcome = outcome};
    assert_ok(fcps_learner_tell(learner, id, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  fcps_learner_destroy(learner);
  fcps_policy_set_log(policy, (fcps_log){listen, h});
  return policy;
}

static const double middle[2] = {0.2, -0.3};

/* The predicted deviation in a wind, as a share of the toy's range beyond its upper bound. */
static double deviation_beyond(fcps_policy *policy, double share, double *outcome_deviation)
{
  const fcps_dimension wind = toy_problem().environment.dims[0];
  const double at[1] = {wind.upper + share * (wind.upper - wind.lower)};
  double parameters[2], outcome[2], deviation[2];
  fcps_prediction prediction = {.outcome = outcome, .outcome_deviation = deviation};
  assert_ok(fcps_policy_query(policy, middle, at, parameters, &prediction));
  assert_true(prediction.has_reward && isfinite(prediction.reward_deviation));
  /* nothing goes wrong here, so a trial that ends well is any */
  assert_near(prediction.success_reward_deviation, prediction.reward_deviation, 1e-9 * prediction.reward_deviation);
  if (outcome_deviation != NULL && prediction.has_outcome) *outcome_deviation = deviation[0];
  return prediction.reward_deviation;
}

static void the_deviation_grows_with_the_way_beyond_the_bounds(void **state)
{
  (void)state;
  static const char *const names[] = {"bo-fcps", "bo-cps", "outcome"};
  for (int n = 0; n < 3; n++) {
    heard h = {0};
    double outcome[4] = {0, 1, 2, 3};
    fcps_policy *policy = learn(names[n], &h);
    const double inside = deviation_beyond(policy, 0.0, &outcome[0]);
    assert_int_equal(h.count, 0);
    const double hardly = deviation_beyond(policy, 1e-4, NULL), near = deviation_beyond(policy, 0.3, &outcome[1]);
    const double far = deviation_beyond(policy, 5.0, &outcome[2]),
                 farther = deviation_beyond(policy, 50.0, &outcome[3]);
    assert_int_equal(h.count, 4);
    assert_near(hardly, inside, 0.05 * inside); /* nothing jumps at the bounds */
    assert_true(near > inside && far > near && farther >= 0.999 * far);
    assert_true(outcome[1] > outcome[0] && outcome[2] > outcome[1] && outcome[3] >= 0.999 * outcome[2]);
    fcps_policy_destroy(policy);
  }
}

static void a_warning_names_dimension_value_and_range(void **state)
{
  (void)state;
  heard h = {0};
  fcps_policy *policy = learn("outcome", &h);
  const double wind[1] = {0.1}, target[2] = {7, 0};
  double parameters[2];
  assert_ok(fcps_policy_query(policy, target, wind, parameters, NULL));
  assert_int_equal(h.count, 1);
  assert_string_equal(h.code, "W_OUTSIDE_BOUNDS");
  const fcps_problem problem = toy_problem();
  fcps_outside outside;
  char words[200];
  assert_true(fcps_problem_outside(&problem, target, wind, 0, &outside));
  assert_string_equal(outside.space, "target");
  assert_string_equal(outside.dimension->name, problem.target.dims[0].name);
  assert_true(outside.value == 7);
  assert_non_null(strstr(h.words, fcps_outside_text(&outside, sizeof words, words)));
  assert_non_null(strstr(words, ": 7 lies outside ["));
  assert_false(fcps_problem_outside(&problem, target, wind, 1, &outside));
  assert_false(fcps_problem_outside(&problem, middle, wind, 0, &outside));
  fcps_policy_destroy(policy);
}

static void a_strict_policy_refuses(void **state)
{
  (void)state;
  heard h = {0};
  fcps_policy *policy = learn("c-reps", &h); /* one without a model warns and refuses as well */
  const double winds[3] = {0.1, 0.2, 9}, targets[6] = {0, 0, 0, 0, 0, 0};
  double parameters[6];
  assert_ok(fcps_policy_query_batch(policy, 3, targets, winds, parameters, NULL, NULL));
  assert_int_equal(h.count, 1);
  assert_non_null(strstr(h.words, "1 of 3 contexts"));
  assert_non_null(strstr(h.words, "number 3"));
  fcps_policy_set_strict(policy, true);
  assert_int_equal(fcps_policy_query(policy, targets, winds + 2, parameters, NULL), FCPS_ERR_BOUNDS);
  assert_non_null(strstr(fcps_policy_error(policy)->message, "9 lies outside"));
  assert_int_equal(fcps_policy_check(policy, targets, winds + 2), FCPS_ERR_BOUNDS);
  assert_int_equal(fcps_policy_query_batch(policy, 3, targets, winds, parameters, NULL, NULL), FCPS_ERR_BOUNDS);
  assert_ok(fcps_policy_query(policy, targets, winds, parameters, NULL));
  assert_int_equal(h.count, 1);
  fcps_policy_set_strict(policy, false);
  assert_ok(fcps_policy_query(policy, targets, winds + 2, parameters, NULL));
  fcps_policy_destroy(policy);
  fcps_policy_set_strict(NULL, true);
  fcps_policy_set_log(NULL, (fcps_log){0});
}

static void a_batch_is_as_unsure_as_single_queries(void **state)
{
  (void)state;
  enum { COUNT = 6 };
  heard h = {0};
  fcps_policy *policy = learn("outcome", &h);
  double targets[2 * COUNT], winds[COUNT], parameters[2 * COUNT], rewards[COUNT], deviations[COUNT];
  for (int i = 0; i < COUNT; i++) {
    targets[2 * i] = 0.4 * i - 0.5;
    targets[2 * i + 1] = 0.1;
    winds[i] = 0.2 * i;
  }
  assert_ok(fcps_policy_query_batch(policy, COUNT, targets, winds, parameters, rewards, deviations));
  assert_int_equal(h.count, 1);
  for (int i = 0; i < COUNT; i++) {
    double single[2];
    fcps_prediction prediction = {0};
    assert_ok(fcps_policy_query(policy, targets + 2 * i, winds + i, single, &prediction));
    assert_near(prediction.reward_deviation, deviations[i], 1e-9);
  }
  fcps_policy_destroy(policy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_deviation_grows_with_the_way_beyond_the_bounds),
                                     cmocka_unit_test(a_warning_names_dimension_value_and_range),
                                     cmocka_unit_test(a_strict_policy_refuses),
                                     cmocka_unit_test(a_batch_is_as_unsure_as_single_queries)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
