/* SPDX-License-Identifier: Apache-2.0 */
/* A policy is a value: it outlives its learner, and is saved and queried by itself. */
#include "base/rng.h"
#include "check.h"
#include "toy.h"

#include <fcps/fcps.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fcps_policy *learn(const char *name, int rollouts)
{
  fcps_problem problem = toy_problem();
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  fcps_learner *learner;
  fcps_policy *policy;
  fcps_error error;
  assert_ok(fcps_learner_create(&learner, &problem, name, NULL, 3, &error));
  for (int i = 0; i < rollouts; i++) {
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
  return policy;
}

static void a_saved_policy_answers_with_the_same_bits(void **state)
{
  (void)state;
  static const char *const names[] = {"bo-fcps", "bo-cps", "random"};
  for (int n = 0; n < 3; n++) {
    fcps_problem problem = toy_problem();
    fcps_policy *policy = learn(names[n], 30), *again;
    fcps_error error;
    char *text;
    assert_ok(fcps_policy_save(policy, &text, &error));
    assert_ok(fcps_policy_load(&again, &problem, text, &error));
    for (int i = 0; i < 10; i++) {
      const double target[2] = {0.2 * i - 0.9, 0.5 - 0.1 * i}, wind[1] = {0.05 * i - 0.25};
      double a[2], b[2];
      fcps_prediction pa = {0}, pb = {0};
      assert_ok(fcps_policy_query(policy, target, wind, a, &pa));
      assert_ok(fcps_policy_query(again, target, wind, b, &pb));
      assert_memory_equal(a, b, sizeof a);
      assert_true(pa.has_reward && pa.reward == pb.reward && pa.reward_deviation == pb.reward_deviation);
      assert_true(pa.reward_deviation > 0);
    }
    fcps_free(text);
    fcps_policy_destroy(again);
    fcps_policy_destroy(policy);
  }
}

/* many contexts with one wind, so that a batch has full and broken blocks, then each with a wind of its own */
static void a_batch_of_contexts_gives_what_single_queries_give(void **state)
{
  (void)state;
  enum { COUNT = 75, SAME_WIND = 68 };
  static const char *const names[] = {"bo-fcps", "bo-cps", "outcome"};
  for (int n = 0; n < 3; n++) {
    fcps_policy *policy = learn(names[n], 25);
    double targets[2 * COUNT], winds[COUNT], parameters[2 * COUNT], rewards[COUNT], deviations[COUNT];
    for (int i = 0; i < COUNT; i++) {
      targets[2 * i] = 0.02 * i - 0.75;
      targets[2 * i + 1] = 0.1 + 0.01 * (i % 7);
      winds[i] = i < SAME_WIND ? 0.15 : 0.01 * i - 0.7;
    }
    assert_ok(fcps_policy_query_batch(policy, COUNT, targets, winds, parameters, rewards, deviations));
    for (int i = 0; i < COUNT; i += i < SAME_WIND - 5 ? 7 : 1) {
      double single[2];
      fcps_prediction prediction = {0};
      assert_ok(fcps_policy_query(policy, targets + 2 * i, winds + i, single, &prediction));
      /* Products of other shapes round differently. A hill is flat at its top: if rewards agree to the last digits,
       * parameters and deviations agree only to the square root of that. */
      const double near = i < SAME_WIND ? 1e-5 : 1e-6;
      assert_near(parameters[2 * i], single[0], near);
      assert_near(parameters[2 * i + 1], single[1], near);
      assert_near(rewards[i], prediction.reward, i < SAME_WIND ? 1e-9 : 1e-12);
      assert_near(deviations[i], prediction.reward_deviation, 1e-6);
    }
    assert_ok(fcps_policy_query_batch(policy, COUNT, targets, winds, parameters, NULL, NULL));
    fcps_policy_destroy(policy);
  }
}

static void a_policy_without_rollouts_still_answers(void **state)
{
  (void)state;
  fcps_policy *policy = learn("bo-fcps", 0);
  const double target[2] = {0, 0}, wind[1] = {0};
  double parameters[2];
  assert_ok(fcps_policy_query(policy, target, wind, parameters, NULL));
  assert_true(parameters[1] >= 0 && parameters[1] <= 1.5);
  fcps_policy_destroy(policy);
}

static void a_policy_without_a_model_predicts_no_reward(void **state)
{
  (void)state;
  static const char *const names[] = {"c-reps", "c-cma-es", "crkr"};
  const double targets[4] = {0.1, 0.2, -0.3, 0.4}, winds[2] = {0.1, -0.2};
  for (int n = 0; n < 3; n++) {
    fcps_policy *policy = learn(names[n], 6);
    double parameters[4], rewards[2] = {0}, deviations[2] = {0};
    fcps_prediction prediction = {.has_reward = true};
    assert_false(fcps_policy_predicts_reward(policy));
    assert_ok(fcps_policy_query(policy, targets, winds, parameters, &prediction));
    assert_true(!prediction.has_reward && isnan(prediction.reward) && isnan(prediction.reward_deviation));
    assert_ok(fcps_policy_query_batch(policy, 2, targets, winds, parameters, rewards, deviations));
    for (int i = 0; i < 2; i++)
      assert_true(isnan(rewards[i]) && isnan(deviations[i]));
    fcps_policy_destroy(policy);
  }
  fcps_policy *policy = learn("bo-cps", 6);
  assert_true(fcps_policy_predicts_reward(policy));
  fcps_policy_destroy(policy);
}

/* Replaces the one place where `from` stands in `text`; returns a new text. */
static char *replaced(const char *text, const char *from, const char *to)
{
  const char *place = strstr(text, from);
  if (place == NULL || strstr(place + 1, from) != NULL) fail_msg("%s does not stand once in %s", from, text);
  const size_t size = strlen(text) + strlen(to) + 1, before = (size_t)(place - text);
  char *made = malloc(size);
  assert_non_null(made);
  snprintf(made, size, "%.*s%s%s", (int)before, text, to, place + strlen(from));
  return made;
}

/* A name that does not exist is refused, and so is another format. */
static void choices_are_saved_by_name(void **state)
{
  (void)state;
  static const char *const places[][3] = {
      {"\"fcps_policy\":2", "\"fcps_policy\":1", "\"fcps_policy\":3"},
      {"\"kind\":\"multistart\"", "\"kind\":0", "\"kind\":\"multi\""},
      {"\"mean\":\"centred\"", "\"mean\":0", "\"mean\":\"\""},
      {"\"scaling\":\"each\"", "\"scaling\":0", "\"scaling\":4"},
      {"\"ending\":\"ok\"", "\"ending\":0", "\"ending\":\"well\""},
  };
  fcps_problem problem = toy_problem();
  fcps_policy *policy = learn("bo-fcps", 12), *again;
  fcps_error error;
  char *text;
  assert_ok(fcps_policy_save(policy, &text, &error));
  for (size_t i = 0; i < sizeof places / sizeof *places; i++)
    for (int k = 1; k < 3; k++) {
      char *wrong = replaced(text, places[i][0], places[i][k]);
      assert_status(fcps_policy_load(&again, &problem, wrong, &error), FCPS_ERR_FORMAT);
      free(wrong);
    }
  fcps_free(text);
  fcps_policy_destroy(policy);
}

/* The text with another value at the first member of this name. */
static char *with_value(const char *text, const char *name, const char *value)
{
  char key[64];
  snprintf(key, sizeof key, "\"%s\":", name);
  const char *start = strstr(text, key);
  if (start == NULL) fail_msg("there is no %s in %s", name, text);
  start += strlen(key);
  const char *end = start;
  for (int depth = 0; depth > 0 || (*end != ',' && *end != '}' && *end != ']'); end++)
    depth += (*end == '[' || *end == '{') - (*end == ']' || *end == '}');
  const size_t size = strlen(text) + strlen(value) + 1;
  char *made = malloc(size);
  assert_non_null(made);
  snprintf(made, size, "%.*s%s%s", (int)(start - text), text, value, end);
  return made;
}

static void assert_field_refused(const char *text, const char *name, const char *value, const char *field)
{
  fcps_problem problem = toy_problem();
  fcps_policy *again = NULL;
  fcps_error error = {0};
  char *wrong = with_value(text, name, value);
  const fcps_status status = fcps_policy_load(&again, &problem, wrong, &error);
  if (status != FCPS_ERR_FORMAT || strstr(error.field, field) == NULL)
    fail_msg("%s = %s: expected a refusal of %s, got %s: %s", name, value, field, error.field, error.message);
  assert_null(again);
  free(wrong);
}

/* A policy file may come from anywhere: no field of it is taken on trust. */
static void every_field_of_a_policy_is_checked_and_named(void **state)
{
  (void)state;
  static const struct {
    const char *name, *value, *field;
  } cases[] = {
      {"kind", "\"nope\"", "kind"},
      {"seed", "\"one\"", "seed"},
      {"candidates", "0", "search"},
      {"candidates", "\"nan\"", "search"},
      {"starts", "1e300", "search"},
      {"local_budget", "\"inf\"", "search"},
      {"side", "[\"nan\"]", "side"},
      {"side", "[3.0]", "side"},
      {"model", "3", "model"},
      {"kernel", "\"cubic\"", "kernel"},
      {"circular", "1", "circular"},
      {"mean", "9", "mean"},
      {"scaling", "null", "scaling"},
      {"prior", "[0.0,\"nan\",0.8,1.0,1.0,0.05,1.0,0.001,0.0]", "prior"},
      {"prior", "[0.0,0.4,0.8,1.0,1.0,0.05,1.0,\"inf\",0.0]", "prior"},
      {"prior", "[0.0,-0.4,0.8,1.0,1.0,0.05,1.0,0.001,0.0]", "prior"},
      {"prior", "[0.0,0.4,0.0,1.0,1.0,0.05,1.0,0.001,0.0]", "prior"},
      {"prior", "[0.0,0.4,0.8,1.0,1.0,0.05,1.0,-1.0,0.0]", "prior"},
      {"prior", "[\"nan\",0.4,0.8,1.0,1.0,0.05,1.0,0.001,0.0]", "prior"},
      {"environment_stretch", "\"nan\"", "environment_stretch"},
      {"environment_stretch", "\"inf\"", "environment_stretch"},
      {"environment_stretch", "-1.0", "environment_stretch"},
      {"structures", "3", "structures"},
      {"structures", "[{\"name\":\"pose\",\"nats\":0.0}]", "structures"},
      {"structures", "[{\"name\":\"told_noise\",\"nats\":0.0,\"noise\":[[-1.0,[]]]}]", "structures"},
      {"contests", "null", "contests"},
      {"gps", "[]", "gps"},
      {"hyper", "[\"nan\",0.0,0.0,0.0,0.0,0.0]", "gps"},
      {"hyper", "[0.0,0.0,0.0,0.0,0.0,1e5]", "gps"},
      {"hyper", "[0.0,0.0]", "gps"},
      {"base", "99", "gps"},
      {"base", "-1", "gps"},
      {"fitted", "99", "fitted"},
      {"ending", "\"well\"", "ending"},
      {"split", "[0.0,\"nan\",0.0]", "split"},
      {"split", "[0.5,0.0,0.0]", "split"},
      {"split", "[\"nan\",0.0,0.0]", "split"},
      {"samples", "[\"nan\",0.0,0.0,0.0,0.0,0.0]", "samples"},
      {"samples", "[0.0]", "samples"},
      {"training", "[[[\"nan\",0.0],[0.0],[0.5,0.5],[0.0,0.0],0.0,\"nan\",\"ok\"]]", "rollouts"},
      {"training", "[[[0.0,0.0],[\"inf\"],[0.5,0.5],[0.0,0.0],0.0,\"nan\",\"ok\"]]", "rollouts"},
      {"training", "[[[0.0,0.0],[0.0],[1e300,0.5],[0.0,0.0],0.0,\"nan\",\"ok\"]]", "rollouts"},
      {"others", "3", "rollouts"},
  };
  fcps_policy *policy = learn("bo-fcps", 12);
  char *text;
  fcps_error error;
  assert_ok(fcps_policy_save(policy, &text, &error));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_field_refused(text, cases[i].name, cases[i].value, cases[i].field);

  fcps_policy *again = NULL;
  fcps_problem problem = toy_problem();
  char *unknown = with_value(text, "kind", "\"nope\"");
  assert_status(fcps_policy_load(&again, &problem, unknown, &error), FCPS_ERR_FORMAT);
  assert_null(strstr(error.message, "version")); /* which is not what is wrong with it */
  assert_non_null(strstr(error.message, "greedy"));
  free(unknown);
  char *newer = with_value(text, "fcps_policy", "3");
  assert_status(fcps_policy_load(&again, &problem, newer, &error), FCPS_ERR_FORMAT);
  assert_non_null(strstr(error.message, "version"));
  free(newer);
  fcps_free(text);
  fcps_policy_destroy(policy);
}

static void bad_queries_and_texts_are_refused(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  fcps_policy *policy = learn("bo-fcps", 6), *again;
  fcps_error error;
  const double target[2] = {0, NAN}, wind[1] = {0};
  double parameters[2];
  char *text;
  assert_status(fcps_policy_query(policy, target, wind, parameters, NULL), FCPS_ERR_NOT_FINITE);
  assert_string_equal(fcps_policy_error(policy)->field, "target.y");
  assert_status(fcps_policy_query(policy, NULL, wind, parameters, NULL), FCPS_ERR_ARGUMENT);
  assert_string_equal(fcps_policy_error(policy)->field, "target");
  const double origin[2] = {0, 0};
  assert_status(fcps_policy_query(policy, origin, NULL, parameters, NULL), FCPS_ERR_ARGUMENT);
  assert_string_equal(fcps_policy_error(policy)->field, "environment");
  assert_status(fcps_policy_query(policy, origin, wind, NULL, NULL), FCPS_ERR_ARGUMENT);
  assert_string_equal(fcps_policy_error(policy)->field, "parameters");
  assert_ok(fcps_policy_save(policy, &text, &error));
  assert_status(fcps_policy_load(&again, &problem, "{}", &error), FCPS_ERR_FORMAT);
  assert_status(fcps_policy_load(&again, &problem, "{\"fcps_policy\": 99}", &error), FCPS_ERR_FORMAT);
  assert_status(fcps_policy_load(&again, &problem, "not json", &error), FCPS_ERR_FORMAT);
  problem.reward = NULL;
  assert_status(fcps_policy_load(&again, &problem, text, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "reward");
  problem = toy_problem();
  problem.target.count = 1;
  assert_status(fcps_policy_load(&again, &problem, text, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "target");
  fcps_free(text);
  fcps_policy_destroy(policy);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_saved_policy_answers_with_the_same_bits),
      cmocka_unit_test(a_batch_of_contexts_gives_what_single_queries_give),
      cmocka_unit_test(a_policy_without_rollouts_still_answers),
      cmocka_unit_test(a_policy_without_a_model_predicts_no_reward),
      cmocka_unit_test(choices_are_saved_by_name),
      cmocka_unit_test(every_field_of_a_policy_is_checked_and_named),
      cmocka_unit_test(bad_queries_and_texts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
