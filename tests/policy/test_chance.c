/* SPDX-License-Identifier: Apache-2.0 */
/* The probabilities that a trial does not fail and has an outcome, in every prediction of a policy; and the caution
 * with which a policy chooses. */
#include "base/rng.h"
#include "check.h"
#include "toy.h"

#include <fcps/fcps.h>

#include <stdlib.h>
#include <string.h>

enum { CONTEXTS = 30 };

/* Throws fail beyond this distance, and have no outcome on this side of a wall at x = 0.6. */
static const double reach = 1.0, wall = 0.6;

static fcps_policy *learn(const char *name, const char *caution, int rollouts)
{
  const fcps_problem problem = toy_problem();
  const fcps_setting settings[] = {{"caution", caution}, {NULL, NULL}};
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  fcps_learner *learner;
  fcps_policy *policy;
  assert_ok(fcps_learner_create(&learner, &problem, name, caution != NULL ? settings : NULL, 3, NULL));
  for (int i = 0; i < rollouts; i++) {
    const double target[2] = {2 * fcps_rng_uniform(&rng) - 1, 2 * fcps_rng_uniform(&rng) - 1};
    const double wind[1] = {0.6 * fcps_rng_uniform(&rng) - 0.3};
    const double parameters[2] = {6.28 * fcps_rng_uniform(&rng), 1.5 * fcps_rng_uniform(&rng)};
    double outcome[2];
    toy_throw(wind, parameters, outcome);
    const bool fails = parameters[1] > reach;
    const fcps_rollout rollout = {.target = target,
                                  .environment = wind,
                                  .parameters = parameters,
                                  .outcome = fails || outcome[0] > wall ? NULL : outcome,
                                  .status = fails ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK,
                                  .reward = NAN,
                                  .hindsight_reward = NAN};
    assert_ok(fcps_learner_tell(learner, FCPS_NOT_ASKED, &rollout));
  }
  assert_ok(fcps_learner_policy(learner, &policy));
  fcps_learner_destroy(learner);
  return policy;
}

static void context(int i, double *target, double *wind)
{
  target[0] = -0.95 + 1.9 * fmod(0.7548776662466927 * (i + 1), 1.0);
  target[1] = -0.95 + 1.9 * fmod(0.5698402909980532 * (i + 1), 1.0);
  *wind = -0.25 + 0.5 * fmod(0.8191725133961645 * (i + 1), 1.0);
}

static double mean_chance(fcps_policy *policy)
{
  double sum = 0.0;
  for (int i = 0; i < CONTEXTS; i++) {
    double target[2], wind, parameters[2];
    fcps_prediction prediction = {0};
    context(i, target, &wind);
    assert_ok(fcps_policy_query(policy, target, &wind, parameters, &prediction));
    sum += prediction.chance_of_success * prediction.chance_of_outcome / CONTEXTS;
  }
  return sum;
}

static void a_batch_has_the_chances_of_single_queries(void **state)
{
  (void)state;
  static const char *const names[] = {"outcome", "bo-fcps", "bo-cps"};
  for (int n = 0; n < 3; n++) {
    fcps_policy *policy = learn(names[n], NULL, 40);
    double targets[2 * CONTEXTS], winds[CONTEXTS], parameters[2 * CONTEXTS], numbers[7][CONTEXTS];
    for (int i = 0; i < CONTEXTS; i++)
      context(i, targets + 2 * i, winds + i);
    const fcps_predictions predictions = {.rewards = numbers[0],
                                          .reward_deviations = numbers[1],
                                          .reducible_deviations = numbers[2],
                                          .chances_of_success = numbers[3],
                                          .chances_of_outcome = numbers[4],
                                          .success_rewards = numbers[5],
                                          .success_reward_deviations = numbers[6]};
    assert_ok(fcps_policy_predict_batch(policy, CONTEXTS, targets, winds, parameters, &predictions));
    for (int i = 0; i < CONTEXTS; i++) {
      double single[2];
      fcps_prediction p = {0};
      assert_ok(fcps_policy_query(policy, targets + 2 * i, winds + i, single, &p));
      const double expected[] = {
          p.reward,         p.reward_deviation,        p.reducible_deviation, p.chance_of_success, p.chance_of_outcome,
          p.success_reward, p.success_reward_deviation};
      for (int k = 0; k < 7; k++)
        assert_near(numbers[k][i], expected[k], 1e-5);
      assert_true(p.chance_of_success > 0 && p.chance_of_success < 1);
      assert_true(n > 0 ? p.chance_of_outcome == 1 : p.chance_of_outcome < 1);
      assert_true(p.reducible_deviation < p.reward_deviation);
    }
    assert_ok(fcps_policy_predict_batch(policy, CONTEXTS, targets, winds, parameters, NULL));
    fcps_policy_destroy(policy);
  }
}

static void caution_keeps_a_policy_away_from_edges(void **state)
{
  (void)state;
  double last = 0.0;
  static const char *const cautions[] = {"0", "1", "2", "10"};
  for (int k = 0; k < 4; k++) {
    fcps_policy *policy = learn("outcome", cautions[k], 80);
    const double chance = mean_chance(policy);
    assert_true(chance > last);
    last = chance;
    fcps_policy_destroy(policy);
  }
  assert_true(last > 0.85);
}

static void nothing_is_less_than_certain_before_something_went_wrong(void **state)
{
  (void)state;
  fcps_policy *model = learn("outcome", NULL, 0), *no_model = learn("c-reps", NULL, 0);
  const double target[2] = {0.1, 0.2}, wind[1] = {0};
  double parameters[2];
  fcps_prediction prediction = {0};
  assert_ok(fcps_policy_query(model, target, wind, parameters, &prediction));
  assert_true(prediction.chance_of_success == 1 && prediction.chance_of_outcome == 1);
  assert_ok(fcps_policy_query(no_model, target, wind, parameters, &prediction));
  assert_true(isnan(prediction.chance_of_success) && isnan(prediction.chance_of_outcome));
  fcps_policy_destroy(model);
  fcps_policy_destroy(no_model);
}

/* The saved text with the words from `from` to the next comma replaced. */
static char *replaced(const char *text, const char *from, const char *words)
{
  const char *start = strstr(text, from), *end = start != NULL ? strchr(start, ',') : NULL;
  assert_non_null(end);
  char *made = malloc(strlen(text) + strlen(words) + 1);
  assert_non_null(made);
  const size_t before = (size_t)(start - text);
  memcpy(made, text, before);
  strcpy(made + before, words);
  strcat(made, *words != '\0' ? end : end + 1);
  return made;
}

static void a_saved_policy_keeps_its_caution(void **state)
{
  (void)state;
  const fcps_problem problem = toy_problem();
  fcps_policy *policy = learn("outcome", "2", 80), *again = NULL;
  const double chance = mean_chance(policy);
  fcps_error error;
  char *text;
  assert_ok(fcps_policy_save(policy, &text, &error));
  assert_ok(fcps_policy_load(&again, &problem, text, &error));
  assert_true(mean_chance(again) == chance);
  fcps_policy_destroy(again);

  /* a policy saved by an earlier version has none */
  char *old = replaced(text, "\"caution\":", "");
  assert_ok(fcps_policy_load(&again, &problem, old, &error));
  assert_true(mean_chance(again) < chance);
  fcps_policy_destroy(again);

  static const char *const wrong[] = {"\"caution\":-1", "\"caution\":\"much\"", "\"caution\":1e9"};
  for (int k = 0; k < 3; k++) {
    char *damaged = replaced(text, "\"caution\":", wrong[k]);
    assert_status(fcps_policy_load(&again, &problem, damaged, &error), FCPS_ERR_FORMAT);
    assert_string_equal(error.field, "caution");
    free(damaged);
  }
  free(old);
  fcps_free(text);
  fcps_policy_destroy(policy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_batch_has_the_chances_of_single_queries),
      cmocka_unit_test(caution_keeps_a_policy_away_from_edges),
      cmocka_unit_test(nothing_is_less_than_certain_before_something_went_wrong),
      cmocka_unit_test(a_saved_policy_keeps_its_caution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
