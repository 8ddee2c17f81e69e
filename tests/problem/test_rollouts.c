/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of src/problem/rollouts.c and save.c. */
#include "base/rng.h"
#include "check.h"
#include "problem/save.h"
#include "toy.h"

#include <string.h>

/* Forty random throws, every seventh without an outcome. */
static void fill(fcps_rollouts *rollouts, const fcps_problem *problem)
{
  fcps_rng rng = fcps_rng_stream(1, FCPS_PURPOSE_TEST, 0);
  fcps_rollouts_init(rollouts, problem);
  for (int i = 0; i < 40; i++) {
    const double target[2] = {fcps_rng_normal(&rng), fcps_rng_normal(&rng)}, wind[1] = {0.1 * fcps_rng_normal(&rng)};
    const double parameters[2] = {6 * fcps_rng_uniform(&rng), 1.5 * fcps_rng_uniform(&rng)};
    double outcome[2];
    toy_throw(wind, parameters, outcome);
    const fcps_rollout rollout = {.target = target,
                                  .environment = wind,
                                  .parameters = parameters,
                                  .outcome = i % 7 == 0 ? NULL : outcome,
                                  .reward = fcps_rng_normal(&rng),
                                  .hindsight_reward = NAN,
                                  .status = i % 11 == 0 ? FCPS_ROLLOUT_FAILED : FCPS_ROLLOUT_OK};
    assert_ok(fcps_rollouts_add(rollouts, &rollout));
  }
}

static void rescoring_gives_the_reward_each_rollout_would_have_earned(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  fcps_rollouts rollouts;
  fcps_error error;
  const double target[2] = {0.4, -0.2};
  double rewards[40];
  fill(&rollouts, &problem);
  assert_ok(fcps_rollouts_rescore(&rollouts, &problem, target, rewards, &error));
  for (int i = 0; i < 40; i++) {
    const fcps_rollout r = fcps_rollouts_at(&rollouts, i);
    const double miss = r.outcome != NULL ? hypot(0.4 - r.outcome[0], -0.2 - r.outcome[1]) : 3.0;
    assert_near(rewards[i], -miss - 0.1 * r.parameters[1], 1e-15);
  }
  fcps_rollouts_free(&rollouts);
}

static fcps_status reward_with_holes(void *user, int count, const double *target, const double *environments,
                                     const double *parameters, const double *outcomes, const bool *present,
                                     double *rewards)
{
  (void)user, (void)target, (void)environments, (void)outcomes, (void)present, (void)parameters;
  for (int i = 0; i < count; i++)
    rewards[i] = i == 3 ? NAN : i == 5 ? INFINITY : i == 8 ? 1e300 : -i;
  return FCPS_OK;
}

static void rewards_that_are_not_finite_count_as_the_worst_finite_one(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  fcps_rollouts rollouts;
  fcps_error error;
  const double target[2] = {0};
  double rewards[40];
  fill(&rollouts, &problem);
  problem.reward = reward_with_holes;
  assert_ok(fcps_rollouts_rescore(&rollouts, &problem, target, rewards, &error));
  assert_near(rewards[3], -39, 0);
  assert_near(rewards[5], -39, 0);
  assert_near(rewards[8], -39, 0);
  assert_near(rewards[4], -4, 0);
  fcps_rollouts_free(&rollouts);
}

static void rollouts_come_back_from_text_bit_for_bit(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  fcps_rollouts rollouts, again;
  fcps_error error;
  fcps_json *json;
  fill(&rollouts, &problem);
  json = fcps_rollouts_write(&rollouts);
  char *text = fcps_json_write(json);
  fcps_json_destroy(json);
  assert_ok(fcps_json_read(&json, text, strlen(text), "text", &error));
  fcps_rollouts_init(&again, &problem);
  assert_ok(fcps_rollouts_read(&again, json, &error));
  assert_int_equal(again.count, 40);
  assert_memory_equal(again.targets, rollouts.targets, 80 * sizeof(double));
  assert_memory_equal(again.environments, rollouts.environments, 40 * sizeof(double));
  assert_memory_equal(again.parameters, rollouts.parameters, 80 * sizeof(double));
  assert_memory_equal(again.outcomes, rollouts.outcomes, 80 * sizeof(double));
  assert_memory_equal(again.present, rollouts.present, 40 * sizeof(bool));
  assert_memory_equal(again.rewards, rollouts.rewards, 40 * sizeof(double));
  assert_memory_equal(again.status, rollouts.status, 40 * sizeof(fcps_rollout_status));
  for (int i = 0; i < 40; i++)
    assert_true(isnan(again.hindsight[i]));
  fcps_rollouts_free(&again);
  fcps_rollouts_free(&rollouts);
  fcps_json_destroy(json);
  fcps_free(text);
}

static void malformed_rollouts_are_refused(void **state)
{
  (void)state;
  static const char *const texts[] = {"{}",
                                      "[[]]",
                                      "[[[0,0],[0],[0,0],null,0,0,3]]",
                                      "[[[0,0],[0],[0,0],null,0,0,\"lost\"]]",
                                      "[[[0,0],[0],[0],null,0,0,\"ok\"]]",
                                      "[[[0,0],[0],[0,0],[1],0,0,\"ok\"]]",
                                      "[[[0,\"x\"],[0],[0,0],null,0,0,\"ok\"]]"};
  fcps_problem problem = toy_problem();
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    fcps_rollouts rollouts;
    fcps_error error;
    fcps_json *json;
    assert_ok(fcps_json_read(&json, texts[i], strlen(texts[i]), "text", &error));
    fcps_rollouts_init(&rollouts, &problem);
    assert_status(fcps_rollouts_read(&rollouts, json, &error), FCPS_ERR_FORMAT);
    assert_string_equal(error.field, "rollouts");
    fcps_rollouts_free(&rollouts);
    fcps_json_destroy(json);
  }
}

static void a_status_is_written_and_read_by_name(void **state)
{
  (void)state;
  static const char named[] = "[[[0.0,0.0],[0.0],[0.0,0.0],null,0.0,\"nan\",\"timeout\"]]";
  fcps_problem problem = toy_problem();
  fcps_rollouts rollouts;
  fcps_error error;
  fcps_json *json;
  fcps_rollouts_init(&rollouts, &problem);
  assert_ok(fcps_json_read(&json, named, strlen(named), "text", &error));
  assert_ok(fcps_rollouts_read(&rollouts, json, &error));
  assert_int_equal(rollouts.status[0], FCPS_ROLLOUT_TIMEOUT);
  fcps_json_destroy(json);
  json = fcps_rollouts_write(&rollouts);
  char *text = fcps_json_write(json);
  assert_string_equal(text, named);
  fcps_free(text);
  fcps_json_destroy(json);
  fcps_rollouts_free(&rollouts);
}

static void a_scale_is_written_and_read_by_name(void **state)
{
  (void)state;
  static const fcps_dimension dims[] = {{"speed", 1, 10, 0, FCPS_SCALE_LOG, "m", 0, NULL, NULL}};
  static const char index[] = "{\"target\":[],\"environment\":[],\"parameters\":[[\"speed\",1.0,10.0,0.0,1,\"m\"]],"
                              "\"outcome\":[]}";
  const fcps_problem problem = {.parameters = {1, dims}};
  fcps_error error;
  fcps_json *json = fcps_problem_write_spaces(&problem);
  char *text = fcps_json_write(json);
  assert_non_null(strstr(text, "\"log\""));
  assert_ok(fcps_problem_match_spaces(&problem, json, &error));
  fcps_free(text);
  fcps_json_destroy(json);
  assert_ok(fcps_json_read(&json, index, strlen(index), "text", &error));
  assert_status(fcps_problem_match_spaces(&problem, json, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "parameters");
  fcps_json_destroy(json);
}

static void spaces_that_differ_are_refused_by_name(void **state)
{
  (void)state;
  fcps_problem problem = toy_problem();
  fcps_error error;
  fcps_json *spaces = fcps_problem_write_spaces(&problem);
  assert_ok(fcps_problem_match_spaces(&problem, spaces, &error));
  fcps_dimension wider[2] = {toy_parameters[0], toy_parameters[1]};
  wider[1].upper = 1.6;
  problem.parameters.dims = wider;
  assert_status(fcps_problem_match_spaces(&problem, spaces, &error), FCPS_ERR_UNSUPPORTED);
  assert_string_equal(error.field, "parameters");
  fcps_json_destroy(spaces);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rescoring_gives_the_reward_each_rollout_would_have_earned),
      cmocka_unit_test(rewards_that_are_not_finite_count_as_the_worst_finite_one),
      cmocka_unit_test(rollouts_come_back_from_text_bit_for_bit),
      cmocka_unit_test(a_status_is_written_and_read_by_name),
      cmocka_unit_test(a_scale_is_written_and_read_by_name),
      cmocka_unit_test(malformed_rollouts_are_refused),
      cmocka_unit_test(spaces_that_differ_are_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
